"""Opening a picture safely: any common format in, RGB on white out, never more memory than the limits allow.

The content decides the format, not the file name (a ``.png`` that is a JPEG is common). Sizes are checked on the
header, before anything is decoded.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps, UnidentifiedImageError

from f2teval import settings
from f2teval.errors import ImageError, MissingExtraError

Rgb = npt.NDArray[np.uint8]
"""``(H, W, 3)`` uint8."""

ImageSource = Path | str | bytes | Image.Image | np.ndarray

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP")
_PDF_DPI = 150


class LoadedImage(NamedTuple):
    """A decoded picture: ``rgb`` uint8 ``(H, W, 3)``, alpha composited on white; ``sha`` names the encoded content."""

    rgb: Rgb
    width: int
    height: int
    sha: str


def load_image(source: ImageSource) -> LoadedImage:
    """Decode a picture.

    Args:
        source: a path, the encoded bytes, a PIL image, or an array ``(H, W)``, ``(H, W, 3)`` or ``(H, W, 4)`` of uint8
            (or floats in 0–1).

    Returns:
        The picture on a white background; of an animation the first frame, of a PDF the first page.

    Raises:
        ImageError: missing, a directory, empty, not a picture, corrupt, or larger than the limits in ``settings``.
        MissingExtraError: SVG or PDF without its extra.
    """
    if isinstance(source, np.ndarray):
        return _from_array(source)
    if isinstance(source, Image.Image):
        rgb = _to_rgb(source, None)
        return LoadedImage(rgb, rgb.shape[1], rgb.shape[0], _digest(_array_key(rgb)))
    if isinstance(source, (bytes, bytearray, memoryview)):
        data, where = bytes(source), None
    else:
        data, where = read_bytes(source), str(source)
    rgb = _decode(data, where)
    return LoadedImage(rgb, rgb.shape[1], rgb.shape[0], _digest(data))


def content_key(source: ImageSource) -> str:
    """The ``sha`` :func:`load_image` would give, without decoding (paths and bytes only read, others rendered)."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _digest(bytes(source))
    if isinstance(source, (str, Path)):
        return _digest(read_bytes(source))
    return load_image(source).sha


def read_bytes(path: Path | str) -> bytes:
    """The bytes of a picture file, bounded (also when the file grows while it is read)."""
    where = str(path)
    try:
        with open(path, "rb") as f:
            data = f.read(settings.MAX_IMAGE_BYTES + 1)
    except FileNotFoundError:
        raise ImageError("no such picture", where=where, hint="check the path or give --image-dir") from None
    except IsADirectoryError:
        raise ImageError("is a folder, not a picture", where=where) from None
    except (OSError, ValueError) as e:
        raise ImageError(f"cannot be opened: {getattr(e, 'strerror', None) or e}", where=where) from None
    if len(data) > settings.MAX_IMAGE_BYTES:
        raise ImageError(f"file is larger than {settings.MAX_IMAGE_BYTES >> 20} MB", where=where)
    return data


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _array_key(rgb: Rgb) -> bytes:
    return repr(rgb.shape).encode() + rgb.tobytes()


def _check_size(width: int, height: int, where: str | None) -> None:
    if width < 1 or height < 1:
        raise ImageError("picture has no pixels", where=where)
    if width * height > settings.MAX_PIXELS:
        limit = settings.MAX_PIXELS // 1_000_000
        raise ImageError(
            f"picture is {width} x {height} pixels, more than {limit} million", where=where, hint="make it smaller"
        )


def _decode(data: bytes, where: str | None) -> Rgb:
    if not data:
        raise ImageError("file is empty", where=where)
    if len(data) > settings.MAX_IMAGE_BYTES:
        raise ImageError(f"picture is larger than {settings.MAX_IMAGE_BYTES >> 20} MB", where=where)
    head = data[:1024].lstrip()
    if head.startswith(b"%PDF-"):
        return _render_pdf(data, where)
    if head.startswith(b"<") and b"<svg" in data[:65536]:
        return _render_svg(data, where)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                return _to_rgb(image, where)
    except ImageError:
        raise
    except UnidentifiedImageError:
        kinds = "PNG, JPEG, WebP, GIF, TIFF, BMP, SVG, PDF"
        raise ImageError("not a picture, or corrupt", where=where, hint=f"formats: {kinds}") from None
    except Image.DecompressionBombError:
        raise ImageError("picture has far too many pixels", where=where, hint="make it smaller") from None
    except Exception as e:  # decoders of hostile files raise nearly anything
        raise ImageError(f"picture is corrupt: {e}", where=where) from None


def _to_rgb(image: Image.Image, where: str | None) -> Rgb:
    _check_size(image.width, image.height, where)
    image = ImageOps.exif_transpose(image) or image
    if image.mode in ("I;16", "I;16B", "I;16L", "I;16N", "I", "F"):
        return _stretch(np.asarray(image))
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        image = image.convert("RGBA")
        canvas = Image.new("RGBA", image.size, (255, 255, 255, 255))
        canvas.alpha_composite(image)
        image = canvas
    return np.asarray(image.convert("RGB"))


def _stretch(a: np.ndarray) -> Rgb:
    """Deep grey to 8 bits: 16-bit values by their range of 65535, anything else by its own range."""
    x = np.nan_to_num(a.astype(np.float64))
    low, high = float(x.min()), float(x.max())
    if low >= 0 and 255 < high <= 65535:
        low, high = 0.0, 65535.0
    elif low >= 0 and 1 < high <= 255:
        low, high = 0.0, 255.0
    grey = np.clip((x - low) / max(high - low, 1e-12) * 255, 0, 255).round().astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _from_array(a: np.ndarray) -> LoadedImage:
    if a.ndim == 2:
        a = np.repeat(a[:, :, None], 3, axis=2)
    if a.ndim != 3 or a.shape[2] not in (3, 4):
        raise ImageError(f"array of shape {a.shape} is not a picture", hint="give (H, W), (H, W, 3) or (H, W, 4)")
    _check_size(a.shape[1], a.shape[0], None)
    if a.dtype.kind == "f":
        a = np.nan_to_num(a).clip(0, 1) * 255
    a = np.clip(a, 0, 255).astype(np.float64) if a.dtype != np.uint8 else a
    if a.shape[2] == 4:
        alpha = a[:, :, 3:].astype(np.float64) / 255
        a = a[:, :, :3] * alpha + 255 * (1 - alpha)
    rgb = np.ascontiguousarray(a if a.dtype == np.uint8 else a.round().astype(np.uint8))
    return LoadedImage(rgb, rgb.shape[1], rgb.shape[0], _digest(_array_key(rgb)))


def _render_svg(data: bytes, where: str | None) -> Rgb:
    try:
        import resvg_py
    except ImportError:
        raise MissingExtraError("reading SVG pictures", "svg") from None
    text = data.decode("utf-8", errors="replace")
    width, height = _svg_size(text[:65536])
    _check_size(width, height, where)
    # Only pictures inside the file itself: a drawing must not pull in other files of this machine.
    text = re.sub(r"""((?:xlink:)?href\s*=\s*)(["'])(?!\s*(?:#|data:))[^"']{0,4096}\2""", r"\1\2#\2", text)
    try:
        png = bytes(resvg_py.svg_to_bytes(svg_string=text, width=width, height=height, background="#ffffff"))
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            return _to_rgb(image, where)
    except Exception as e:
        raise ImageError(f"SVG cannot be drawn: {e}", where=where) from None


def _svg_size(head: str) -> tuple[int, int]:
    """Width and height in pixels of an SVG document, from its root element."""
    root = re.search(r"<svg\b[^>]{0,8192}", head)
    tag = root.group(0) if root else ""
    units = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}

    def length(name: str) -> float | None:
        m = re.search(rf"""\s{name}\s*=\s*["']\s*([\d.]{{1,20}}(?:[eE][+-]?\d{{1,3}})?)\s*([a-z]{{0,3}})\s*["']""", tag)
        try:
            return float(m.group(1)) * units[m.group(2)] if m else None
        except (KeyError, ValueError):
            return None

    width, height = length("width"), length("height")
    view = re.search(r"""\sviewBox\s*=\s*["']\s*([-+\d.eE,\s]{1,200})["']""", tag)
    if (width is None or height is None) and view:
        try:
            _, _, vw, vh = (float(v) for v in re.split(r"[\s,]+", view.group(1).strip()))
        except ValueError:
            vw = vh = 0.0
        if vw > 0 and vh > 0:
            if width is None:
                width = height * vw / vh if height is not None else vw
            if height is None:
                height = width * vh / vw
    return max(1, round(min(width or 300.0, 1e7))), max(1, round(min(height or 150.0, 1e7)))


def _render_pdf(data: bytes, where: str | None) -> Rgb:
    try:
        import pypdfium2 as pdfium
    except ImportError:
        raise MissingExtraError("reading PDF pages", "pdf") from None
    try:
        document = pdfium.PdfDocument(data)
    except Exception as e:
        raise ImageError(f"PDF cannot be opened: {e}", where=where) from None
    try:
        if len(document) == 0:
            raise ImageError("PDF has no pages", where=where)
        page = document[0]
        scale = _PDF_DPI / 72
        _check_size(round(page.get_width() * scale), round(page.get_height() * scale), where)
        return _to_rgb(page.render(scale=scale).to_pil(), where)
    except ImageError:
        raise
    except Exception as e:
        raise ImageError(f"PDF page cannot be drawn: {e}", where=where) from None
    finally:
        document.close()
