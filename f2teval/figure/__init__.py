"""Figures: from a picture to a :class:`~f2teval.figure.reading.Reading`.

Importing this package is light; OCR and image libraries load at the first picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from f2teval.figure.overlay import draw_overlay
    from f2teval.figure.reader import READER_VERSION, read_figure

__all__ = ["READER_VERSION", "draw_overlay", "read_figure"]


def __getattr__(name: str) -> Any:
    if name in ("read_figure", "READER_VERSION"):
        from f2teval.figure import reader

        return getattr(reader, name)
    if name == "draw_overlay":
        from f2teval.figure.overlay import draw_overlay

        return draw_overlay
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
