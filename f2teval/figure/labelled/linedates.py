"""Dates below lines, and the scale of numbers along the vertical axis."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from f2teval.figure.labelled.geometry import cluster, cx, cy, height, union
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.linepairs import Pair
from f2teval.figure.labelled.numbers import is_year, year_of
from f2teval.figure.labelled.strokes import Stroke


def stacked_dates(dates: Sequence[Item]) -> list[Item]:
    """A month over its year is one date."""
    out: list[Item] = []
    used: set[int] = set()
    for a in sorted(dates, key=lambda d: d.box[1]):
        if id(a) in used:
            continue
        h = height(a.box)
        below = [
            b
            for b in dates
            if id(b) not in used and -0.4 * h <= b.box[1] - a.box[3] <= 0.6 * h and abs(cx(a.box) - cx(b.box)) < h
        ]
        if below and is_year(below[0].text) and not is_year(a.text):
            b = below[0]
            used |= {id(a), id(b)}
            out.append(replace(a, text=f"{a.text} {b.text}", box=union([a.box, b.box])))
        else:
            out.append(a)
    return [o for o in out if id(o) not in used]


def _tick_x(i: Item) -> float:
    """Where a date's tick is: its middle, or the upper end of slanted text."""
    if 15 < abs(i.angle) < 75:
        return i.box[2] - 5 if i.angle < 0 else i.box[0] + 5
    return cx(i.box)


def axis_scale(ticks: Sequence[Item]) -> tuple[float, float] | None:
    """value = slope · y + intercept from the numbers along a vertical axis."""
    best: list[Item] = []
    for edge in (0, 2):
        for group in cluster(ticks, lambda i, e=edge: i.box[e], 4.0):  # type: ignore[misc]
            if len({round(cy(i.box) / 5) for i in group}) == len(group) > max(2, len(best)):
                best = group
    pairs = [(cy(i.box), i.number.value) for i in best if i.number is not None]
    if len(pairs) < 3:
        return None
    y, v = np.array(pairs).T
    slope, icpt = np.polyfit(y, v, 1)
    return (float(slope), float(icpt)) if slope < 0 else None


def tick_row(dates: Sequence[Item]) -> list[Item]:
    """The row (or rows) of dates that label the x axis: the lowest ones standing on one line."""
    rows = cluster(dates, lambda d: cy(d.box), 5.0)
    rows = [r for r in rows if len(r) >= 2]
    return max(rows, key=lambda r: (len(r), cy(r[0].box))) if rows else []


def category_at(p: Pair, ticks: Sequence[Item], strokes: Sequence[Stroke]) -> tuple[str, float | None, float]:
    """The date a point stands at: the tick below it, or between ticks the year their scale gives."""
    if not ticks:
        return "", None, 0.3
    span = [s for s in strokes if s.panel == p.stroke.panel]
    x0, x1 = min(s.x0 for s in span), max(s.x1 for s in span)
    at = min(max(p.x, x0), x1)
    room = 0.12 * (x1 - x0) + 20
    mine = sorted((t for t in ticks if x0 - room <= _tick_x(t) <= x1 + room), key=lambda t: _tick_x(t)) or list(ticks)
    years = [(_tick_x(t), year_of(t.text)) for t in mine]
    known = [(x, y) for x, y in years if y is not None]
    gaps = [b - a for (a, _), (b, _) in itertools.pairwise(years)]
    pitch = min(gaps) if gaps else x1 - x0
    near = min(mine, key=lambda t: abs(_tick_x(t) - at))
    off = abs(_tick_x(near) - at)
    # A first or last label is often set flush with the end of the axis instead of centred below it.
    edge = (near is mine[0] and abs(p.x - x0) < 4) or (near is mine[-1] and abs(p.x - x1) < 4)
    if off <= 0.3 * pitch or off <= 6 or (edge and near.box[0] - 8 <= p.x <= near.box[2] + 8):
        return near.text, year_of(near.text), 1.0 if off <= 0.2 * pitch or edge else 0.85
    if p.where == "ink":
        return near.text, year_of(near.text), 0.75
    if len(known) >= 2:
        xs = np.array([k[0] for k in known])
        ys = np.array([k[1] for k in known])
        slope, icpt = np.polyfit(xs, ys, 1)
        if slope > 0 and float(np.abs(slope * xs + icpt - ys).max()) < max(0.8, 0.12 * float(np.ptp(ys))):
            year = slope * p.x + icpt
            # A point well inside a year belongs to it; near its end it may stand for the next.
            whole = float(int(year + 0.25))
            return str(int(whole)), whole, 0.6
    return "", None, 0.3
