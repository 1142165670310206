"""Bars with printed values: rows, their segments, their labels.

Everything here runs along x: a row is a bar (or a stack) from left to right. Vertical charts are mirrored at the
diagonal before they come in and their boxes mirrored back afterwards, so that one piece of code serves both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.geometry import cluster, cx, cy, height, overlap, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.rects import Rect, scan_row
from f2teval.score import Box


@dataclass(slots=True)
class Segment:
    """One bar, or one piece of a stacked bar, with the label that prints its value."""

    rect: Rect
    label: Item | None = None
    sure: float = 0.0

    @property
    def length(self) -> float:
        """Extent along the value axis, px."""
        return width(self.rect.box)


@dataclass(slots=True)
class Row:
    """Bars at one position of the category axis, inside one panel."""

    segments: list[Segment]
    panel: int = 0
    group: int = -1
    totals: list[tuple[Item, str]] = field(default_factory=list)  # a label beyond the stack, and its side

    @property
    def box(self) -> Box:
        """Around all segments."""
        b = [s.rect.box for s in self.segments]
        return (min(x[0] for x in b), min(x[1] for x in b), max(x[2] for x in b), max(x[3] for x in b))

    @property
    def y(self) -> float:
        """Position on the category axis."""
        return float(np.median([cy(s.rect.box) for s in self.segments]))


@dataclass(slots=True)
class Bars:
    """All rows of a chart; ``scale`` is pixels a unit of value, 0 when it could not be told."""

    rows: list[Row]
    panels: list[tuple[float, float]]
    thickness: float
    scale: float = 0.0
    spare: list[Item] = field(default_factory=list)


def orientation(rects: Sequence[Rect]) -> str:
    """ "h" or "v": whichever thickness more rectangles share ("" with fewer than two of a kind)."""
    if not rects:
        return ""
    votes = {}
    for name, size, other in (("h", height, width), ("v", width, height)):
        best = 0.0
        for r in rects:
            t = size(r.box)
            alike = [o for o in rects if abs(size(o.box) - t) <= max(1.0, 0.06 * t)]
            spread = len({round(other(o.box)) for o in alike})
            # Equal thickness with different lengths is what bars look like; equal everything says nothing.
            best = max(best, len(alike) + 0.5 * spread)
        votes[name] = best
    if votes["h"] == votes["v"]:
        longer = sum(width(r.box) > height(r.box) for r in rects)
        return "h" if 2 * longer >= len(rects) else "v"
    return "h" if votes["h"] > votes["v"] else "v"


def build_rows(rects: Sequence[Rect], index: NDArray[np.uint8] | None = None) -> Bars | None:
    """Rows and panels from bar rectangles; ``index`` is the palette's picture, for pieces still to be found."""
    if not rects:
        return None
    sizes = sorted(height(r.box) for r in rects)
    best: list[float] = []
    for t in sizes:
        alike = [s for s in sizes if abs(s - t) <= max(1.5, 0.12 * t)]
        if sum(alike) > sum(best):
            best = alike
    thick = float(np.median(best))
    bars = [r for r in rects if 0.6 * thick <= height(r.box) <= 1.5 * thick]
    if not bars:
        return None
    if index is not None:
        for line in cluster(bars, lambda r: cy(r.box), 0.3 * thick):
            bars += scan_row(index, line)
    panels = _panels(bars)
    rows: list[Row] = []
    for p, (x0, x1) in enumerate(panels):
        mine = [r for r in bars if x0 - 0.5 <= cx(r.box) <= x1 + 0.5]
        for line in cluster(mine, lambda r: cy(r.box), 0.3 * thick):
            segments = _no_overlap(sorted(line, key=lambda r: r.box[0]))
            rows.append(Row([Segment(r) for r in segments], p))
    rows.sort(key=lambda r: (r.panel, r.y))
    return Bars(rows, panels, thick)


def _no_overlap(line: list[Rect]) -> list[Rect]:
    out: list[Rect] = []
    for r in line:
        if out and overlap(r.box[0], r.box[2], out[-1].box[0], out[-1].box[2]) > 0.5 * min(
            width(r.box), width(out[-1].box)
        ):
            if width(r.box) > width(out[-1].box):
                out[-1] = r
            continue
        out.append(r)
    return out


def _panels(bars: Sequence[Rect]) -> list[tuple[float, float]]:
    """Strips of the value axis that bars cover without a break."""
    spans = sorted((r.box[0], r.box[2]) for r in bars)
    out: list[list[float]] = []
    for a, b in spans:
        if out and a <= out[-1][1] + 3.5:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return [(a, b) for a, b in out]


def columns_of(marks: Sequence[Rect]) -> list[Box]:
    """For vertical bars: one box a column, or a group of columns that touch."""
    out: list[Box] = []
    for b in sorted((r.box for r in marks), key=lambda b: b[0]):
        if out and b[0] <= out[-1][2] + max(2.0, 0.15 * width(b)):
            o = out[-1]
            out[-1] = (o[0], min(o[1], b[1]), max(o[2], b[2]), max(o[3], b[3]))
        else:
            out.append(b)
    return out


def add_rows(bars: Bars, index: NDArray[np.uint8], texts: Sequence[Box]) -> None:
    """Rows whose pieces are all too short or too covered to be found as rectangles, at the height of some text.

    They are looked for along the rims of a bar of the usual thickness, in the colours of the other bars.
    """
    if len(bars.rows) < 3:
        return
    colours = {s.rect.colour for r in bars.rows for s in r.segments}
    starts = [min(r.box[0] for r in bars.rows if r.panel == p) for p in range(len(bars.panels))]
    ys = [r.y for r in bars.rows]
    half = bars.thickness / 2
    h, w = index.shape
    levels: list[float] = []
    for t in texts:
        y = cy(t)
        if not min(ys) - 4 * half < y < max(ys) + 4 * half or height(t) > 3 * bars.thickness:
            continue
        if min(abs(y - k) for k in [*ys, *levels]) < 1.5 * half:
            continue
        levels.append(y)
    for y in levels:
        best: list[Row] = []
        for shift in range(-3, 4):
            y0, y1 = round(y - half + shift), round(y + half + shift)
            if y0 < 0 or y1 >= h:
                continue
            rims = index[[y0 + 1, y1 - 2]]
            line = np.where(rims[0] == rims[1], rims[0], 255)
            rows = []
            for p, x0 in enumerate(starts):
                segments: list[Segment] = []
                x = int(x0)
                while x < min(w, bars.panels[p][1]):
                    k = int(line[x])
                    stop = x
                    while stop < w and line[stop] == k:
                        stop += 1
                    if k in colours and stop - x >= 2:
                        segments.append(Segment(Rect((float(x), float(y0), float(stop), float(y1)), k, 0.5)))
                    elif stop - x > 3 or (k not in colours and not segments and x > x0 + 2):
                        break
                    x = stop
                if segments:
                    rows.append(Row(segments, p))
            if sum(len(r.segments) for r in rows) > sum(len(r.segments) for r in best):
                best = rows
        bars.rows += best
    bars.rows.sort(key=lambda r: (r.panel, r.y))
