"""Font files and the width of a text in them: enough to know where a renderer put its words."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Final

from f2teval.errors import MissingExtraError
from f2teval.score import Box


@lru_cache(maxsize=32)
def font_path(family: str, bold: bool = False, italic: bool = False) -> str:
    """The font file of a family; DejaVu (which matplotlib brings) when the machine lacks it."""
    try:
        from matplotlib import font_manager
    except ImportError as e:
        raise MissingExtraError("drawing figures", "bench") from e
    family = {"sans-serif": "DejaVu Sans", "serif": "DejaVu Serif"}.get(family, family)
    prop = font_manager.FontProperties(
        family=[family, "DejaVu Sans"], weight="bold" if bold else "normal", style="italic" if italic else "normal"
    )
    return str(font_manager.findfont(prop))


FILES: Final = (
    ("DejaVu Sans", False, False),
    ("DejaVu Sans", True, False),
    ("DejaVu Sans", False, True),
    ("DejaVu Serif", False, False),
    ("DejaVu Serif", True, False),
    ("DejaVu Serif", False, True),
    ("Liberation Serif", False, False),
    ("Liberation Serif", True, False),
    ("Liberation Sans Narrow", False, False),
    ("Liberation Sans Narrow", True, False),
)
"""Fonts that figures use, but for Liberation Sans, which vl-convert carries in memory."""
_LETTERS: Final = (*range(0x20, 0x180), *range(0x2010, 0x2030), 0x2032, 0x20AC, 0x2212)


def font_folder() -> Path:
    """A folder with just the fonts that figures use, cut down to Latin letters; made once and kept.

    The fewer and smaller the files, the faster resvg draws: it opens them anew for every letter.
    """
    from fontTools import subset
    from fontTools.ttLib import TTFont

    from f2teval.settings import home

    folder = home() / "bench-fonts-1"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="bench-fonts-", dir=folder.parent))
    for source in sorted({font_path(*f) for f in FILES}):
        font = TTFont(source)
        cut = subset.Subsetter(subset.Options(layout_features=["kern"], hinting=False, drop_tables=["FFTM", "DSIG"]))
        cut.populate(unicodes=_LETTERS)
        cut.subset(font)
        font.save(made / Path(source).name)
    with contextlib.suppress(OSError):  # another process was first
        made.rename(folder)
    if made.is_dir():
        shutil.rmtree(made, ignore_errors=True)
    return folder


@lru_cache(maxsize=32)
def _advances(path: str) -> dict[str, float]:
    from PIL import ImageFont

    font = ImageFont.truetype(path, 200)
    return {chr(c): font.getlength(chr(c)) / 200 for c in range(32, 127)}


@lru_cache(maxsize=32)
def _font(path: str) -> object:
    from PIL import ImageFont

    return ImageFont.truetype(path, 200)


def text_width(text: str, size: float, family: str, bold: bool = False, italic: bool = False) -> float:
    """Width in px of a text set in a font (kerning left out)."""
    path = font_path(family, bold, italic)
    table = _advances(path)
    total = 0.0
    for ch in text:
        if ch not in table:
            table[ch] = _font(path).getlength(ch) / 200  # type: ignore[attr-defined]
        total += table[ch]
    return total * size


def wrap(text: str, width: float, size: float, family: str, bold: bool = False) -> list[str]:
    """Break a text into lines no wider than ``width``."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(lines[-1] + " " + word, size, family, bold) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def anchored_box(x: float, y: float, w: float, size: float, anchor: str, angle: float = 0.0) -> Box:
    """Box of a text whose baseline starts (or ends, or is centred) at ``(x, y)``, turned by ``angle`` degrees."""
    import math

    x0 = {"start": 0.0, "middle": -w / 2, "end": -w}[anchor]
    corners = [(x0, -0.76 * size), (x0 + w, -0.76 * size), (x0, 0.22 * size), (x0 + w, 0.22 * size)]
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    pts = [(x + u * c - v * s, y + u * s + v * c) for u, v in corners]
    return (min(p[0] for p in pts), min(p[1] for p in pts), max(p[0] for p in pts), max(p[1] for p in pts))
