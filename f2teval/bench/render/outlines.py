"""Texts of an SVG as outlines of their letters.

resvg (inside vl-convert) opens and maps the font file again for every letter, which takes most of the time of drawing
a chart. Here a letter's outline is read once and kept. Letters stand at their advances, without kerning, which is what
:func:`f2teval.bench.render.fonts.text_width` measures: the recorded boxes fit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import Any, Final

from f2teval.bench.render.fonts import font_path

_TEXT: Final = re.compile(r"<text ([^>]*)>(.*?)</text>", re.S)
_SPAN: Final = re.compile(r"<tspan\b([^>]*)>(.*?)</tspan>", re.S)
_ATTRIBUTE: Final = re.compile(r'([\w-]+)="([^"]*)"')
_KEPT: Final = ("fill", "opacity", "fill-opacity")


class Face:
    """A font file: its letters' outlines and advances in font units."""

    def __init__(self, path: str) -> None:
        from fontTools.ttLib import TTFont

        font: Any = TTFont(path, lazy=True)
        self._glyphs = font.getGlyphSet()
        self._names: dict[int, str] = font.getBestCmap()
        self._letters: dict[str, tuple[str, float]] = {}
        self.units = float(font["head"].unitsPerEm)

    def __contains__(self, letter: str) -> bool:
        return ord(letter) in self._names

    def letter(self, letter: str) -> tuple[str, float]:
        """SVG path and advance of a letter (of ".notdef" where the font has none)."""
        if letter not in self._letters:
            from fontTools.pens.svgPathPen import SVGPathPen

            glyph = self._glyphs[self._names.get(ord(letter), ".notdef")]
            pen: Any = SVGPathPen(self._glyphs)
            glyph.draw(pen)
            self._letters[letter] = pen.getCommands(), float(glyph.width)
        return self._letters[letter]


@lru_cache(maxsize=32)
def _face(path: str) -> Face:
    return Face(path)


def outline_texts(svg: str) -> str:
    """The SVG with every ``<text>`` replaced by paths.

    Understands what Vega and :class:`~f2teval.bench.render.page.Page` write: one font a text, in attributes;
    ``text-anchor``, ``x``, ``y``, ``transform``, and ``tspan`` lines with ``x`` and ``dy``.
    """
    return _TEXT.sub(_outlined, svg)


def _outlined(m: re.Match[str]) -> str:
    look = dict(_ATTRIBUTE.findall(m[1]))
    size = float(look.get("font-size", "10").removesuffix("px"))
    path = font_path(
        look.get("font-family", "DejaVu Sans"), look.get("font-weight") == "bold", look.get("font-style") == "italic"
    )
    x, y = float(look.get("x", "0")), float(look.get("y", "0"))
    lines = [(x, y, m[2])]
    if "<tspan" in m[2]:
        lines, at = [], y
        for attributes, text in _SPAN.findall(m[2]):
            own = dict(_ATTRIBUTE.findall(attributes))
            at += float(own.get("dy", "0").removesuffix("px"))
            lines.append((float(own.get("x", x)), at, text))
    drawn = "".join(_line(unescape(t), px, py, size, path, look.get("text-anchor", "start")) for px, py, t in lines)
    kept = "".join(f' {k}="{look[k]}"' for k in _KEPT if k in look)
    turn = f' transform="{look["transform"]}"' if "transform" in look else ""
    return f'<g stroke="none"{kept}{turn}>{drawn}</g>'


def _line(text: str, x: float, y: float, size: float, path: str, anchor: str) -> str:
    face, spare = _face(path), _face(font_path("DejaVu Sans"))
    at, parts = 0.0, []
    for ch in text:
        used = face if ch in face else spare
        d, advance = used.letter(ch)
        k = size / used.units
        if d:
            parts.append((at, k, d))
        at += advance * k
    x -= {"middle": at / 2, "end": at}.get(anchor, 0.0)
    return "".join(
        f'<path transform="matrix({k:.6g} 0 0 {-k:.6g} {x + left:.2f} {y:.2f})" d="{d}"/>' for left, k, d in parts
    )
