"""Encoders with random weights, made on the spot: for smoke tests, for timing, and to see a training run work offline.

They know nothing of pictures or language; a model trained from one learns only what its own data teach.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import torch

from f2teval.errors import UsageError
from f2teval.models.encoder import Encoder, EncoderBundle, weights_hash
from f2teval.models.pictures import PictureSpec
from f2teval.models.windows import Vocabulary

BEGIN: Final = "<|startoftext|>"
END: Final = "<|endoftext|>"
_LIMIT: Final = 77


class Size(NamedTuple):
    """Widths, layers and heads of the two towers, feature width, patch and picture side."""

    text: tuple[int, int, int]
    vision: tuple[int, int, int]
    features: int
    patch: int
    image: int
    words: int


SIZES: Final[dict[str, Size]] = {
    "tiny": Size((64, 2, 2), (64, 2, 2), 64, 16, 64, 2000),
    "small": Size((128, 3, 4), (128, 3, 4), 128, 16, 128, 8000),
    "vit-b-32": Size((512, 12, 8), (768, 12, 12), 512, 32, 224, 49408),
}


def random_encoder(size: str, texts: Iterable[str], *, seed: int = 0) -> EncoderBundle:
    """A CLIP of a named size with random weights and a byte-level BPE learnt from ``texts``.

    Raises :class:`UsageError` for an unknown size.
    """
    if size not in SIZES:
        raise UsageError(f"random encoders come as {', '.join(SIZES)}; not {size!r}")
    s = SIZES[size]
    tokenizer = _tokenizer(texts, s.words)
    end = int(tokenizer.token_to_id(END))
    config = {
        "model_type": "clip",
        "projection_dim": s.features,
        "text_config": {
            **_tower(s.text), "vocab_size": max(s.words, tokenizer.get_vocab_size()), "max_position_embeddings": _LIMIT,
            "bos_token_id": int(tokenizer.token_to_id(BEGIN)), "eos_token_id": end, "pad_token_id": end,
            "projection_dim": s.features,
        },
        "vision_config": {
            **_tower(s.vision), "patch_size": s.patch, "image_size": s.image, "projection_dim": s.features,
        },
    }  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = Encoder(config)
    vocabulary = Vocabulary(int(tokenizer.token_to_id(BEGIN)), end, end, _LIMIT)
    origin = f"random {size}, seed {seed} ({weights_hash(encoder.state_dict())})"
    return EncoderBundle(encoder, tokenizer, vocabulary, PictureSpec(size=s.image), origin)


def _tower(shape: tuple[int, int, int]) -> dict[str, int]:
    width, layers, heads = shape
    return {
        "hidden_size": width,
        "intermediate_size": 4 * width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
    }


def _tokenizer(texts: Iterable[str], words: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=True)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=words,
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
