"""The encoder: any CLIP-like model (CLIP, SigLIP) that ``transformers`` can load, behind one small interface."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

from f2teval.errors import CheckpointError, MissingExtraError
from f2teval.models.pictures import PictureSpec
from f2teval.models.windows import Vocabulary

DEFAULT_ENCODER: Final = "openai/clip-vit-base-patch32"
KINDS: Final = ("clip", "siglip")


class EncoderBundle(NamedTuple):
    """An encoder with what it needs to read inputs.

    Attributes:
        tokenizer: a ``tokenizers.Tokenizer``.
        origin: where the weights came from, with a short hash of them.
    """

    encoder: Encoder
    tokenizer: Any
    vocabulary: Vocabulary
    picture: PictureSpec
    origin: str


class Encoder(nn.Module):
    """Pictures and token windows to features of one width ``F``."""

    def __init__(self, config: Mapping[str, Any], model: Any = None) -> None:
        """Build from a ``transformers`` config as a dict (weights random unless ``model`` is given)."""
        super().__init__()
        self.kind = str(config.get("model_type"))
        if self.kind not in KINDS:
            raise CheckpointError(f"an encoder of type {self.kind!r} is not supported; known: {', '.join(KINDS)}")
        if model is None:
            config_class, model_class = _classes(self.kind)
            with quiet_transformers():
                model = model_class(config_class(**{k: v for k, v in config.items() if k != "model_type"}))
        self.model = model
        for name, parameter in model.named_parameters():
            if name.startswith("logit_"):  # of the contrastive loss; no feature depends on it
                parameter.requires_grad_(False)
        self.config = plain_config(model.config)

    @property
    def features(self) -> int:
        """F, the width of the features."""
        c = self.model.config
        return int(c.projection_dim if self.kind == "clip" else c.vision_config.hidden_size)

    @property
    def image_size(self) -> int:
        """Side of the pictures it takes."""
        return int(self.model.config.vision_config.image_size)

    @property
    def text_limit(self) -> int:
        """Tokens it reads at once."""
        return int(self.model.config.text_config.max_position_embeddings)

    def images(self, pixels: Tensor) -> Tensor:
        """``(B, 3, S, S)`` → ``(B, F)``."""
        return _pooled(self.model.get_image_features(pixel_values=pixels))

    def texts(self, ids: Tensor) -> Tensor:
        """Padded token windows ``(W, L)`` as :func:`pad_windows` makes them → ``(W, F)``."""
        return _pooled(self.model.get_text_features(input_ids=ids))

    def pad_to(self) -> int | None:
        """Length every window must be padded to, or ``None``: a causal text model never sees what follows the end."""
        return self.text_limit if self.kind == "siglip" else None


def _pooled(output: Any) -> Tensor:
    # transformers 4 returns the features, transformers 5 an output object that holds them
    features: Tensor = output if isinstance(output, Tensor) else output.pooler_output
    return features


def pad_windows(windows: Sequence[Sequence[int]], pad: int, length: int | None = None) -> Tensor:
    """Windows as ``(W, L)`` int64, padded behind with ``pad`` to ``length`` or the longest."""
    longest = length or max(map(len, windows))
    return torch.tensor([[*w, *([pad] * (longest - len(w)))] for w in windows], dtype=torch.long)


def plain_config(config: Any) -> dict[str, Any]:
    """A ``transformers`` config as plain JSON data, with nothing of the machine it came from."""
    data: dict[str, Any] = json.loads(json.dumps(config.to_dict(), default=str))
    for part in (data, data.get("text_config", {}), data.get("vision_config", {})):
        for key in ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype"):
            part.pop(key, None)
    return data


def load_encoder(name: str, *, download: bool = False) -> EncoderBundle:
    """An encoder from a local folder or, by hub id, from the local hub cache; from the hub itself if ``download``.

    Raises:
        CheckpointError: not there, not readable, or not a model we know; says how to get it.
        MissingExtraError: without the ``clip`` extra.
    """
    try:
        import transformers
        from transformers import AutoConfig, AutoTokenizer
    except ImportError:
        raise MissingExtraError("CLIP-like encoders", "clip") from None
    local = not download
    folder = Path(name).expanduser()
    if folder.exists() and not (folder / "config.json").is_file():
        raise CheckpointError(f"{name}: no config.json in this folder, so it holds no encoder")
    source = str(folder) if folder.exists() else name
    try:
        with quiet_transformers():
            config = AutoConfig.from_pretrained(source, local_files_only=local)
            kind = str(config.model_type)
            if kind not in KINDS:
                raise CheckpointError(f"{name}: model type {kind!r} is not supported; known: {', '.join(KINDS)}")
            model, info = (
                _classes(kind)[1].from_pretrained(
                    source, local_files_only=local, use_safetensors=None, output_loading_info=True, dtype=torch.float32
                )
                if int(transformers.__version__.split(".")[0]) >= 5
                else _classes(kind)[1].from_pretrained(
                    source, local_files_only=local, output_loading_info=True, torch_dtype=torch.float32
                )
            )
            missing = sorted(k for k in info["missing_keys"] if not k.endswith("position_ids"))
            if missing:
                raise CheckpointError(f"{name}: weights are missing ({missing[0]} and {len(missing) - 1} more)")
            tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=local)
            processor = _processor_config(source, local)
    except CheckpointError:
        raise
    except Exception as e:  # transformers raises OSError, ValueError, safetensors errors, hub errors …
        raise CheckpointError(_how_to_get(name, folder.exists(), e)) from None
    encoder = Encoder(plain_config(config), model)
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or tokenizer.eos_token_id is None:
        raise CheckpointError(f"{name}: its tokenizer has no tokenizer.json or no end token")
    begin = None if kind == "siglip" else tokenizer.bos_token_id
    pad = tokenizer.pad_token_id if kind == "siglip" and tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    vocabulary = Vocabulary(begin, int(tokenizer.eos_token_id), int(pad), encoder.text_limit)
    if processor is None:
        processor = {"do_center_crop": kind == "clip"}
        if kind == "siglip":
            processor |= {"image_mean": (0.5, 0.5, 0.5), "image_std": (0.5, 0.5, 0.5)}
    picture = PictureSpec.from_processor(processor, encoder.image_size)
    origin = f"{folder.name if folder.exists() else name} ({weights_hash(encoder.state_dict())})"
    return EncoderBundle(encoder, backend, vocabulary, picture, origin)


def _classes(kind: str) -> tuple[Any, Any]:
    try:
        import transformers
    except ImportError:
        raise MissingExtraError("CLIP-like encoders", "clip") from None
    if kind == "clip":
        return transformers.CLIPConfig, transformers.CLIPModel
    return transformers.SiglipConfig, transformers.SiglipModel


def _processor_config(source: str, local: bool) -> dict[str, Any] | None:
    from transformers.utils.hub import cached_file

    for file in ("preprocessor_config.json", "processor_config.json"):
        try:
            path = cached_file(source, file, local_files_only=local)
        except OSError:
            continue
        if path:
            data: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
            inner = data.get("image_processor", data)
            return dict(inner)
    return None


def _how_to_get(name: str, local_folder: bool, error: Exception) -> str:
    if local_folder:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        return f"{name}: the encoder in this folder cannot be loaded: {why[:200]}"
    return (
        f"the weights of {name!r} are not on this machine; get them with 'hf download {name}' where there is a network "
        f"(elsewhere copy that cache and point HF_HOME at it), or allow the download now (--download), or give a local "
        f"folder that holds config.json, model.safetensors, tokenizer.json and preprocessor_config.json"
    )


def weights_hash(state: Mapping[str, Tensor]) -> str:
    """Short hash of named tensors: names, types, shapes and bytes."""
    h = hashlib.blake2b(digest_size=6)
    for name in sorted(state):
        tensor = state[name].detach().cpu().contiguous()
        h.update(f"{name}|{tensor.dtype}|{tuple(tensor.shape)}|".encode())
        h.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return h.hexdigest()


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep ``transformers`` from writing progress bars and advice while it loads."""
    from transformers.utils import logging as _logging

    logging: Any = _logging

    level = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
