"""Where things are kept, and the limits that guard against hostile input. Environment variables override."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

MAX_PIXELS: Final = 50_000_000
"""Pictures with more pixels are refused before they are decoded (a decompression bomb costs memory, not bytes)."""

MAX_IMAGE_BYTES: Final = 64 * 1024 * 1024
MAX_TEXT_CHARS: Final = 20_000
"""Texts are checked up to here; a longer one is scored on its head with a warning that says so."""


def home() -> Path:
    """The folder for caches: ``F2TEVAL_HOME``, else the user's cache folder. Not created here."""
    override = os.environ.get("F2TEVAL_HOME")
    if override:
        return Path(override).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("f2teval", appauthor=False)
