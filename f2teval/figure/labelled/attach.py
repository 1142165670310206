"""Numbers given to bars: inside them, at their ends, as sums of a stack; lengths settle what positions leave open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from f2teval.figure.labelled.bars import Bars, Row, Segment
from f2teval.figure.labelled.geometry import cx, cy, height, width
from f2teval.figure.labelled.items import Item


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


def clear_values(bars: Bars) -> None:
    """Forget what :func:`attach_values` did."""
    bars.spare.clear()
    for row in bars.rows:
        row.totals.clear()
        for s in row.segments:
            s.label, s.sure = None, 0.0
