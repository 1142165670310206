"""Numbers that label an axis rather than a mark: aligned, evenly stepped, and linear in their position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from f2teval.figure.labelled.geometry import cluster, cx, cy, height, inside, overlap
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import is_date
from f2teval.figure.labelled.rects import Rect


def mark_ticks(items: Sequence[Item], marks: Sequence[Rect]) -> None:
    """Give numbers on an axis the role "tick".

    Value labels on bars may happen to be aligned and evenly stepped too; they lie on a bar or at its end, and are
    left alone.
    """
    numbers = [i for i in items if i.number is not None and not is_date(i.text)]
    free = [i for i in numbers if not _at_mark(i, marks)]
    loose = {id(i) for i in free}
    for edges, along in (((_right, _left), cy), ((_middle,), cx)):
        for edge in edges:
            for group in cluster(free, edge, 3.0):
                _mark_even(group, along, 3 if marks else 4)
            # A long scale may run close by some of the bars; a row of value labels never mostly stands clear.
            for group in cluster(numbers, edge, 3.0):
                if len(group) >= 5 and 2 * sum(id(i) in loose for i in group) >= len(group):
                    # One stray reading among them does not spoil a scale.
                    _ = _mark_even(group, along, 5) or any(
                        _mark_even([i for i in group if i is not stray], along, 5) for stray in group[:40]
                    )


def _left(i: Item) -> float:
    return i.box[0]


def _right(i: Item) -> float:
    return i.box[2]


def _middle(i: Item) -> float:
    return cy(i.box)


def _at_mark(i: Item, marks: Sequence[Rect]) -> bool:
    h = height(i.box)
    for r in marks:
        b = r.box
        if inside(i.box, b):
            return True
        beside = overlap(i.box[1], i.box[3], b[1], b[3]) > 0.5 * min(h, b[3] - b[1])
        if beside and 0 <= max(i.box[0] - b[2], b[0] - i.box[2]) < 0.9 * h:
            return True
        over = overlap(i.box[0], i.box[2], b[0], b[2]) > 0.5 * min(i.box[2] - i.box[0], b[2] - b[0])
        if over and -1 <= b[1] - i.box[3] < 0.9 * h:
            return True
    return False


def _mark_even(group: list[Item], along: Callable[[tuple[float, float, float, float]], float], least: int) -> bool:
    group = sorted(group, key=lambda i: along(i.box))
    if len(group) < least:
        return False
    at = np.array([along(i.box) for i in group])
    values = np.array([i.number.value * (1 if i.number.scale == 1 else i.number.scale) for i in group if i.number])
    # "0" carries no unit though its neighbours say "2M": one scale for all.
    scales = {i.number.scale for i in group if i.number and i.number.value}
    if len(scales) == 1:
        values = np.array([i.number.value for i in group if i.number])
    steps = np.diff(values)
    if not len(steps) or np.any(steps == 0) or len(set(np.sign(steps))) > 1:
        return False
    slope, icpt = np.polyfit(values, at, 1)
    if float(np.abs(slope * values + icpt - at).max()) > max(3.0, 0.02 * float(np.ptp(at))):
        return False
    unit = float(np.min(np.abs(steps)))
    ratio = np.abs(steps) / unit
    if float(np.abs(ratio - np.round(ratio)).max()) > 0.02 or ratio.max() > 3.5:
        return False
    for i in group:
        i.role = "tick"
    return True
