"""Figures for a page: decoded safely, made smaller, each kept once as a data URI."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path
from typing import Final, NamedTuple

from f2teval.errors import F2TEvalError

MAX_SIDE: Final = 1000
"""Longer sides are scaled down to this: enough to read a chart's labels, small enough to mail a page of fifty."""


class Picture(NamedTuple):
    """A picture ready for a page. ``width`` and ``height`` are those of the original: boxes refer to them."""

    key: str
    uri: str
    width: int
    height: int


def make_picture(source: Path | bytes) -> Picture | str:
    """The picture, or in plain words why it cannot be shown. Never raises for a bad picture."""
    from PIL import Image

    from f2teval.figure.load import load_image

    try:
        loaded = load_image(source)
    except F2TEvalError as e:
        return str(e)
    except (OSError, MemoryError, ValueError) as e:
        return f"the picture cannot be shown ({type(e).__name__})"
    image = Image.fromarray(loaded.rgb)
    image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    data, kind = _smallest(image)
    key = "f" + hashlib.blake2b(data, digest_size=8).hexdigest()
    uri = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    return Picture(key, uri, loaded.width, loaded.height)


def _smallest(image: object) -> tuple[bytes, str]:
    """Charts with few colours are smallest as palette PNG, the rest as WebP."""
    from PIL import Image

    assert isinstance(image, Image.Image)
    webp, png = io.BytesIO(), io.BytesIO()
    image.save(webp, "WEBP", quality=82, method=4)
    if image.getcolors(maxcolors=256) is not None:
        image.quantize(256).save(png, "PNG", optimize=True)
    if 0 < png.tell() < webp.tell():
        return png.getvalue(), "png"
    return webp.getvalue(), "webp"
