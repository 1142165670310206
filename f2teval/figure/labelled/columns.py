"""Columns of bare numbers: beside bars, or on their own as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cluster, cx, cy, height, overlap, union, width
from f2teval.figure.labelled.items import Item, blocks_of, join_text
from f2teval.figure.labelled.numbers import is_date
from f2teval.score import Box

Level = tuple[float, str, str]
"""A row: its height, its category, its section."""


def read_columns(numbers: Sequence[Item], levels: Sequence[Level], words: Sequence[Item]) -> list[Draft]:
    """Drafts for numbers that stand in columns level with named rows, headed by the words above them.

    A column needs three numbers, or all rows if there are fewer; a number level with no row is left out.
    """
    if len(levels) < 2:
        return []
    levels = sorted(levels)
    ys = np.array([y for y, _, _ in levels])
    pitch = float(np.min(np.diff(ys)))
    out: list[Draft] = []
    for column in _columns(numbers):
        placed: dict[int, Item] = {}
        clash = False
        for i in column:
            k = int(np.abs(ys - cy(i.box)).argmin())
            if abs(ys[k] - cy(i.box)) <= max(0.4 * pitch, 3.0):
                clash = clash or k in placed
                placed[k] = i
        if clash or len(placed) < min(3, len(levels)) or len(placed) < 0.6 * len(column):
            continue
        box = union([i.box for i in placed.values()])
        head = heading(words, box, ys[0])
        if not head:
            continue
        for k, i in placed.items():
            out.append(Draft(i, head, levels[k][1], levels[k][2], sure=0.85))
    heads = [d.series for d in out]
    # Two columns under one heading: which is which cannot be told.
    seen: dict[str, set[float]] = {}
    for d in out:
        seen.setdefault(d.series, set()).add(round(cx(d.item.box) / 25))
    return [d for d in out if heads.count(d.series) <= len(levels)]


def _columns(numbers: Sequence[Item]) -> list[list[Item]]:
    """Numbers sharing a centre, a left edge or a right edge."""
    free = [i for i in numbers if i.number is not None and not (is_date(i.text) and "%" not in i.text)]
    out: list[list[Item]] = []
    for group in cluster(
        free, lambda i: cx(i.box), 0.7 * float(np.median([height(i.box) for i in free]) if free else 1)
    ):
        rows = {round(cy(i.box) / 4) for i in group}
        if len(group) >= 2 and len(rows) >= 0.9 * len(group):
            out.append(group)
    return out


def heading(words: Sequence[Item], column: Box, top: float) -> str:
    """The block of words above a column, lowest first, that stands over it."""
    over = [w for w in words if w.box[3] <= max(column[1] + 2, top)]
    best, score = "", 0.0
    for b in blocks_of(over):
        box = union([i.box for i in b])
        shared = overlap(box[0], box[2], column[0], column[2]) / max(1.0, min(width(box), width(column)))
        gap = column[1] - box[3]
        if shared < 0.3 or gap > 6 * height(b[0].box):
            continue
        s = shared - 0.05 * gap / height(b[0].box)
        if s > score:
            best, score = join_text(b), s
    return best


def read_table(items: Sequence[Item]) -> list[Draft]:
    """A table without marks: the leftmost words name rows, numbers level with them stand in headed columns."""
    numbers = [i for i in items if i.number is not None and not is_date(i.text)]
    words = [i for i in items if i.number is None or is_date(i.text)]
    if len(numbers) < 4 or not words:
        return []
    left = min(cx(i.box) for i in numbers)
    names = [
        w
        for w in words
        if w.box[2] <= left + 2 and any(abs(cy(n.box) - cy(w.box)) < 0.4 * height(w.box) for n in numbers)
    ]
    if len(names) < 3:
        return []
    top = min(cy(n.box) for n in names)
    levels = [(cy(n.box), n.text, "") for n in names]
    used = {id(n) for n in names}
    heads = [w for w in words if id(w) not in used and w.box[3] <= top]
    return read_columns(numbers, levels, heads)
