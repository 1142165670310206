"""A tiny world for the model's tests: an encoder made on the spot, rated samples about drawn figures."""

from __future__ import annotations

import functools
import io
import random
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from f2teval.models.checkpoint import save_checkpoint
from f2teval.models.encoder import EncoderBundle
from f2teval.models.moe import F2TEvalModel, build_model
from f2teval.models.tiny import random_encoder
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample

_NOUNS = ("sales", "exports", "prices", "visitors", "patients", "emissions")
_VERBS = ("rose", "fell", "doubled", "halved", "stagnated", "peaked")


def sentence(rng: random.Random) -> str:
    return f"The {rng.choice(_NOUNS)} {rng.choice(_VERBS)} from {rng.randint(10, 99)} to {rng.randint(10, 99)} in 2014."


def png(rng: random.Random, size: tuple[int, int] = (120, 80)) -> bytes:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for i in range(5):
        draw.rectangle((10 + 20 * i, rng.randint(10, 60), 22 + 20 * i, 70), fill=rng.choice(("red", "blue", "green")))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def samples(figures: int = 12, texts: int = 4, seed: int = 0) -> list[Sample]:
    """Rated samples: good texts are short, bad ones long, so that something can be learnt."""
    rng = random.Random(seed)
    out = []
    for f in range(figures):
        image, caption, context = png(rng), sentence(rng), " ".join(sentence(rng) for _ in range(3))
        for t in range(texts):
            grade = rng.randint(0, 2)
            text = " ".join(sentence(rng) for _ in range(1 + 3 * (2 - grade)))
            ratings = {d: min(2, max(0, grade + rng.choice((-1, 0, 0, 1)))) for d in DIMENSION_NAMES}
            out.append(Sample(f"f{f}t{t}", text, image=image, caption=caption, context=context, ratings=ratings))
    return out


@functools.lru_cache(maxsize=1)
def bundle() -> EncoderBundle:
    """The tiny encoder; do not change its weights."""
    rng = random.Random(1)
    return random_encoder("tiny", [sentence(rng) for _ in range(200)])


def model(**options: Any) -> F2TEvalModel:
    """A tiny model whose experts differ from each other, as after training."""
    import torch

    built = build_model(bundle(), hidden=options.pop("hidden", 8), **options)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.05 * torch.randn(parameter.shape, generator=generator))
    return built.eval()


def checkpoint(folder: Path, **options: Any) -> Path:
    """A checkpoint folder of such a model."""
    made = bundle()
    save_checkpoint(model(**options), made.tokenizer, folder, info={"origin": made.origin}, card="# card\n")
    return folder
