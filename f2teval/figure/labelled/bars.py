"""Bars with printed values: rows, their segments, their labels.

Everything here runs along x: a row is a bar (or a stack) from left to right. Vertical charts are mirrored at the
diagonal before they come in and their boxes mirrored back afterwards, so that one piece of code serves both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.geometry import cluster, cx, cy, height, overlap, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import parse_number
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


def attach_values(bars: Bars, items: Sequence[Item]) -> None:
    """Give each number to its segment: inside it, or just beyond the end of its row.

    Bar lengths settle what positions leave open: a label beyond a stack may be its last piece or its total.
    """
    by_row: dict[int, list[Item]] = {}
    for item in items:
        best: Row | None = None
        score = 1e9
        for row in bars.rows:
            b = row.box
            dy = abs(cy(item.box) - row.y)
            if dy > max(0.55 * bars.thickness, 0.6 * height(item.box)):
                continue
            dx = max(b[0] - cx(item.box), cx(item.box) - b[2], 0.0)
            gap = max(b[0] - item.box[2], item.box[0] - b[2], 0.0)
            if gap > 3.0 * min(height(item.box), width(item.box) + 6) and gap > 26:
                continue
            d = dy + dx
            if d < score:
                best, score = row, d
        if best is None:
            bars.spare.append(item)
        else:
            by_row.setdefault(id(best), []).append(item)
    outside: list[tuple[Row, Item]] = []
    for row in bars.rows:
        for item in sorted(by_row.get(id(row), []), key=lambda i: cx(i.box)):
            seg = next((s for s in row.segments if s.rect.box[0] - 1 <= cx(item.box) <= s.rect.box[2] + 1), None)
            if seg is None:
                outside.append((row, item))
            elif seg.label is None:
                seg.label, seg.sure = item, 0.95
            else:
                # Two labels over one piece: one belongs to the neighbour on its own side.
                left, right = sorted((seg.label, item), key=lambda i: cx(i.box))
                k = next(n for n, s in enumerate(row.segments) if s is seg)
                before = row.segments[k - 1] if k else None
                after = row.segments[k + 1] if k + 1 < len(row.segments) else None
                if before is not None and before.label is None and _reaches(left, before):
                    before.label, before.sure, seg.label = left, 0.7, right
                    continue
                if after is not None and after.label is None and _reaches(right, after):
                    after.label, after.sure, seg.label = right, 0.7, left
                    continue
                keep, other = sorted((left, right), key=lambda i, s=seg: abs(cx(i.box) - cx(s.rect.box)))  # type: ignore[misc]
                seg.label = keep
                outside.append((row, other))
    for row, _ in outside:
        for s in row.segments:
            if s.label is not None and _edge_read(s):
                s.label = None
    bars.scale = _scale([s for r in bars.rows for s in r.segments])
    summed = {}
    for side in ("left", "right"):
        rows = [r for r, i in outside if _side(r, i) == side and len(r.segments) > 1 and r.segments[_end(side)].label]
        summed[side] = len({id(r) for r in rows}) >= 2
    for row, item in outside:
        _place_outside(bars, row, item, summed)
    if not bars.scale:
        bars.scale = _scale([s for r in bars.rows for s in r.segments])
    for row in bars.rows:
        for s in row.segments:
            if s.label is not None:
                s.sure *= fit(bars, s)


def _reaches(item: Item, s: Segment) -> bool:
    """Is a label near enough to a piece to be its own?"""
    return abs(cx(s.rect.box) - cx(item.box)) <= 0.5 * s.length + width(item.box)


def _edge_read(s: Segment) -> bool:
    """Is the label a stroke at the very end of a long bar, which is the bar's own edge?"""
    if s.label is None or s.label.text not in {"1", "l", "I", "|"} or s.length < 18:
        return False
    return min(abs(cx(s.label.box) - s.rect.box[0]), abs(cx(s.label.box) - s.rect.box[2])) <= 5


def _side(row: Row, item: Item) -> str:
    return "right" if cx(item.box) >= row.box[2] else "left"


def _end(side: str) -> int:
    return -1 if side == "right" else 0


def _place_outside(bars: Bars, row: Row, item: Item, summed: dict[str, bool]) -> None:
    b = row.box
    if b[0] < cx(item.box) < b[2]:
        # Between pieces of a row (white gap): the nearest piece without a label.
        free = [s for s in row.segments if s.label is None]
        if free:
            s = min(free, key=lambda s: abs(cx(s.rect.box) - cx(item.box)))
            s.label, s.sure = item, 0.6
        else:
            bars.spare.append(item)
        return
    right = cx(item.box) >= b[2]
    end = row.segments[-1 if right else 0]
    side = "right" if right else "left"
    if end.label is not None and bars.scale and fit(bars, end) < 0.8:
        before, end.label = end.label, item
        if fit(bars, end) >= 0.8:
            end.sure = 0.93
            bars.spare.append(before)
            return
        end.label = before
    if len(row.segments) == 1:
        if summed[side]:
            row.totals.append((item, side))
        elif end.label is None:
            end.label, end.sure = item, 0.95
        else:
            row.totals.append((item, side))
        return
    if end.label is not None or item.number is None:
        row.totals.append((item, side))
        return
    if bars.scale:
        want = abs(item.number.value) * bars.scale
        own = abs(end.length - want)
        whole = abs(sum(s.length for s in row.segments) - want)
        half = min(
            abs(sum(s.length for s in (row.segments[-n:] if right else row.segments[:n])) - want)
            for n in range(2, len(row.segments) + 1)
        )
        fits = min(whole, half) <= 0.8 * bars.scale + 3
        # Where other rows print sums on this side, so does this one, if its length allows.
        if (summed[side] and fits) or (min(whole, half) < own and own > 0.5 * bars.scale + 2.5):
            row.totals.append((item, side))
            return
        end.label, end.sure = item, 0.9
        return
    end.label, end.sure = item, 0.7


def _scale(segments: Sequence[Segment]) -> float:
    """Pixels a unit: the ratio most labelled bars agree on, 0 when fewer than half do."""
    pairs = [(s.length, abs(s.label.number.value)) for s in segments if s.label is not None and s.label.number]
    pairs = [(n, v) for n, v in pairs if v > 0]
    if len(pairs) < 2:
        return 0.0
    ratios = np.array([n / v for n, v in pairs])
    best, votes = 0.0, 0
    for r in ratios:
        ok = [abs(n - r * v) <= max(2.5, 0.05 * n, 0.6 * r) for n, v in pairs]
        if sum(ok) > votes:
            votes = sum(ok)
            big = [(n, v) for (n, v), o in zip(pairs, ok) if o]
            best = sum(n for n, _ in big) / sum(v for _, v in big)
    return best if votes >= max(2, 0.5 * len(pairs)) or votes >= max(5, 0.3 * len(pairs)) else 0.0


def fit(bars: Bars, s: Segment) -> float:
    """How well a piece's length agrees with its printed value: 1 agrees, 0.85 unknown scale, 0.3 disagrees."""
    if s.label is None or s.label.number is None:
        return 0.0
    if not bars.scale:
        return 0.85
    want = abs(s.label.number.value) * bars.scale
    # Half a unit of rounding, a pixel or two of antialiasing, a separator between pieces.
    tolerance = 0.75 * s.label.number.step * bars.scale + 2.5 + 0.03 * want
    if abs(s.length - want) <= tolerance:
        return 1.0
    # Panels may be drawn to different scales; a lost or doubled digit is off by far more.
    near = abs(s.length - want) <= 1.3 * tolerance or (want > 20 and 0.8 <= s.length / want <= 1.25)
    return 0.8 if near else 0.3


def split_across(bars: Bars, items: Sequence[Item]) -> list[Item]:
    """Cut digits that OCR read as one number though they lie on different pieces of a stack ("510" on 5 and 10).

    Only where the pieces' lengths agree better with the parts than any one piece does with the whole.
    """
    out: list[Item] = []
    for item in items:
        parts = _parts(bars, item) if bars.scale else []
        out += parts or [item]
    return out


def _parts(bars: Bars, item: Item) -> list[Item]:
    digits = item.text
    if item.number is None or not digits.isdigit() or not 2 <= len(digits) <= 5:
        return []
    b = item.box
    pieces: list[Segment] = []
    for row in bars.rows:
        if abs(cy(b) - row.y) <= 0.4 * bars.thickness:
            touched = [s for s in row.segments if overlap(b[0], b[2], s.rect.box[0], s.rect.box[2]) >= 2]
            pieces = max(pieces, touched, key=len)
    if not 2 <= len(pieces) <= len(digits):
        return []
    whole = min(abs(s.length / bars.scale - item.number.value) for s in pieces)
    best: list[Item] = []
    # Every way to cut the digits into as many parts as pieces; at most C(4, 2) of them.
    for cuts in combinations(range(1, len(digits)), len(pieces) - 1):
        ends = (0, *cuts, len(digits))
        texts = [digits[i:j] for i, j in zip(ends, ends[1:])]
        if any(len(t) > 1 and t[0] == "0" for t in texts):
            continue
        off = max(abs(s.length / bars.scale - int(t)) for s, t in zip(pieces, texts))
        if off < min(whole, 0.75 + 3.0 / bars.scale):
            whole = off
            best = [
                replace(
                    item,
                    text=t,
                    box=(max(s.rect.box[0], b[0]), b[1], min(s.rect.box[2], b[2]), b[3]),
                    number=parse_number(t),
                    confidence=item.confidence * 0.85,
                )
                for s, t in zip(pieces, texts)
            ]
    return best


def clear_values(bars: Bars) -> None:
    """Forget what :func:`attach_values` did."""
    bars.spare.clear()
    for row in bars.rows:
        row.totals.clear()
        for s in row.segments:
            s.label, s.sure = None, 0.0


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


def mend_percents(bars: Bars) -> None:
    """A percent sign read as digits ("3996", "119"): cut it off where the bar's length says so."""
    labelled = [s for r in bars.rows for s in r.segments if s.label is not None and s.label.number is not None]
    signs = sum(bool(s.label and s.label.number and s.label.number.unit == "%") for s in labelled)
    if not bars.scale or 2 * signs < len(labelled):
        return
    for s in labelled:
        item = s.label
        if item is None or item.number is None or item.number.unit or fit(bars, s) >= 0.8:
            continue
        for sign in ("96", "9", "6", "8"):
            if item.text.endswith(sign) and len(item.text) > len(sign):
                number = parse_number(item.text[: -len(sign)] + "%")
                s.label = replace(item, number=number, text=item.text[: -len(sign)] + "%")
                if number is not None and fit(bars, s) == 1.0:
                    s.sure = 0.85
                    break
                s.label = item


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
            y0, y1 = int(round(y - half + shift)), int(round(y + half + shift))
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
