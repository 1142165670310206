"""Readings kept on disk: a figure is read once, ever.

One zlib-compressed JSON file a reading under ``settings.home()/readings``, named by the picture's content and the
reader's version. Written to a temporary file and moved into place, so that processes sharing the folder never see half
a file; what cannot be understood (torn, foreign, older) is treated as absent and overwritten.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import zlib
from pathlib import Path

import orjson

from f2teval import settings
from f2teval.figure.reading import Reading

MAX_BYTES = 32 * 1024 * 1024
"""A reading is a few KB; anything that unpacks to more than this is not ours."""


def folder() -> Path:
    """Where readings are kept."""
    return settings.home() / "readings"


def path_of(sha: str, version: str) -> Path:
    """File of the reading of this content by this reader."""
    return folder() / sha[:2] / f"{sha}-{version}.json.z"


def load(sha: str, version: str) -> Reading | None:
    """The kept reading, or ``None`` when there is none that can be used."""
    try:
        packed = path_of(sha, version).read_bytes()
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, MAX_BYTES)
        if unpacker.unconsumed_tail or not unpacker.eof:
            return None
        record = orjson.loads(data)
        if record["reader"] != version:
            return None
        return Reading.from_dict(record)
    except (OSError, zlib.error, orjson.JSONDecodeError, KeyError, TypeError, ValueError, IndexError):
        return None


def save(sha: str, version: str, reading: Reading) -> bool:
    """Keep a reading; ``False`` when the folder cannot be written (full or read-only disk): reading goes on without."""
    target = path_of(sha, version)
    data = zlib.compress(orjson.dumps(reading.to_dict(), option=orjson.OPT_SERIALIZE_NUMPY), 6)
    name = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(name, target)
    except OSError:
        if name:
            with contextlib.suppress(OSError):
                os.unlink(name)
        return False
    return True


def size() -> tuple[int, int]:
    """Number of kept readings and their bytes."""
    files = list(folder().glob("*/*.json.z"))
    return len(files), sum(f.stat().st_size for f in files)


def clear() -> int:
    """Delete all kept readings; how many there were."""
    files = list(folder().glob("*/*.json.z"))
    for f in files:
        f.unlink(missing_ok=True)
    return len(files)
