"""The forms a picture comes in (path, data URI, base64, bytes, struct, URL) → a path or the bytes of its file."""

from __future__ import annotations

import base64
import binascii
import functools
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.errors import ImageError
from f2teval.settings import MAX_IMAGE_BYTES

_MAGIC: Final = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"II*\x00",
    b"MM\x00*",
    b"BM",
    b"%PDF",
    b"<svg",
    b"<?xml",
)
_TIMEOUT_S: Final = 20.0


def to_image(value: Any, base: Path, allow_network: bool = False) -> Path | bytes | None:
    """The picture a row gives, undecoded.

    Args:
        value: a path (relative to ``base``), ``file:`` or ``data:`` URI, base64 text, bytes, the
            ``{bytes, path}`` struct of Hub data sets, or an ``http(s)`` URL.
        allow_network: fetch URLs; otherwise a URL is an error.

    Returns:
        a path that need not exist (reading it is what fails), the bytes of a picture file, or ``None``.

    Raises:
        ImageError: a form that cannot be a picture, one that is too large, or a URL without leave.
    """
    if value is None or value != value:  # NaN is how data frames write "none"
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bounded(bytes(value))
    if isinstance(value, Path):
        return base / value
    if isinstance(value, Mapping):
        for key in ("bytes", "path", "url", "base64", "src"):
            if value.get(key):
                return to_image(value[key], base, allow_network)
        return None
    if not isinstance(value, str):
        raise ImageError(f"the image is {type(value).__name__}, not a path, URI, base64 or bytes")
    return _from_text(value, base, allow_network)


def _from_text(text: str, base: Path, allow_network: bool) -> Path | bytes | None:
    text = text.strip()
    if not text:
        return None
    scheme = text[:8].lower()
    if scheme.startswith("data:"):
        return _data_uri(text)
    if scheme.startswith(("http://", "https://")):
        if not allow_network:
            raise ImageError("the image is a URL", hint="pass --allow-network to fetch it")
        return _fetch(text)
    if scheme.startswith("file:"):
        return Path(urllib.parse.unquote(urllib.parse.urlsplit(text).path))
    decoded = _maybe_base64(text)
    if decoded is not None:
        return decoded
    if "\x00" in text or len(text) > 4096:
        raise ImageError("the image is neither a path nor base64 of a known picture format")
    return base / text


def _bounded(data: bytes) -> bytes | None:
    if len(data) > MAX_IMAGE_BYTES:
        raise ImageError(f"the image file is larger than {MAX_IMAGE_BYTES >> 20} MB")
    return data or None


def _data_uri(text: str) -> bytes | None:
    head, comma, body = text.partition(",")
    if not comma:
        raise ImageError("a data URI without data")
    if head.lower().endswith(";base64"):
        return _decode(urllib.parse.unquote(body))
    return _bounded(urllib.parse.unquote_to_bytes(body))


def _decode(body: str) -> bytes | None:
    if len(body) > MAX_IMAGE_BYTES * 4 // 3 + 8:
        raise ImageError(f"the image file is larger than {MAX_IMAGE_BYTES >> 20} MB")
    compact = "".join(body.split())
    try:
        return _bounded(base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True))
    except (binascii.Error, ValueError) as e:
        raise ImageError(f"broken base64 ({e})") from e


def _maybe_base64(text: str) -> bytes | None:
    """Bytes if the text is base64 of a picture, else ``None``. JPEG's "/9j/…" looks like a path, so decode and look."""
    if len(text) < 64:
        return None
    try:
        start = base64.b64decode(text[:64], validate=True)
    except (binascii.Error, ValueError):
        return None
    return _decode(text) if start.startswith(_MAGIC) else None


@functools.lru_cache(maxsize=4)
def _fetch(url: str) -> bytes | None:
    """Fetch a picture; the last few are kept, because texts about one figure mostly stand together."""
    import http.client
    import urllib.request

    try:
        request = urllib.request.Request(url, headers={"User-Agent": "f2teval"})
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:
            return _bounded(reply.read(MAX_IMAGE_BYTES + 1))
    except ImageError:
        raise
    except (OSError, ValueError, http.client.HTTPException) as e:  # URLError, timeouts, malformed URLs
        raise ImageError(f"cannot fetch the image: {getattr(e, 'reason', None) or e}", where=url[:200]) from e
