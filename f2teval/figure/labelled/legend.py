"""Legends: small colour samples with a name at their side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.items import Item, join_text
from f2teval.figure.labelled.numbers import is_date
from f2teval.figure.labelled.rects import Rect
from f2teval.score import Box

_BULLET = re.compile(r"^[\s■▪•●○◆▲□|·.,:;~_\-–—]+|^(?:[lI]\s)(?=\w)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One legend entry: name, palette entry of its sample, the sample's box and the text's."""

    name: str
    colour: int
    swatch: Box
    box: Box


def find_legend(rects: Sequence[Rect], items: Sequence[Item]) -> tuple[list[Entry], list[Item]]:
    """Legend entries, and the items they used. Lines below an entry that start where its text starts belong to it."""
    # Samples are small, roughly square, alike in size, and have words (or a year) close at their right.
    words = [i for i in items if i.number is None or is_date(i.text)]
    if not words:
        return [], []
    found: list[tuple[Rect, Item]] = []
    for r in rects:
        w, h = width(r.box), height(r.box)
        if not 0.4 <= w / h <= 2.5 or max(w, h) > 40:
            continue
        for i in words:
            ih = height(i.box)
            if h > 2.0 * ih or h < 0.25 * ih:
                continue
            right = i.box[0] - r.box[2]
            leading = r.box[0] - i.box[0] <= 0.6 * ih and r.box[2] < i.box[0] + 1.6 * ih and width(i.box) > 1.5 * ih
            if (-0.5 * ih <= right <= 1.3 * ih or leading) and abs(cy(r.box) - cy(i.box)) <= 0.45 * ih:
                found.append((r, i))
                break
    # One sample a text: two rectangles before the same words are letters or a bar's pieces.
    found = [f for f in found if sum(g[1] is f[1] for g in found) == 1]
    # Real samples come in one size and in different colours.
    best: list[tuple[Rect, Item]] = []
    for f in found:
        alike = [
            g
            for g in found
            if abs(width(g[0].box) - width(f[0].box)) <= 2 and abs(height(g[0].box) - height(f[0].box)) <= 2
        ]
        if len(alike) > len(best):
            best = alike
    colours = [f[0].colour for f in best]
    if not best or len(set(colours)) < len(best):
        # The same colour twice: panels that repeat their legend; keep one name a colour, if they agree.
        names: dict[int, str] = {}
        for r, i in best:
            if names.setdefault(r.colour, i.text) != i.text:
                return [], []
    entries: list[Entry] = []
    used: list[Item] = []
    heads = {id(i) for _, i in best}
    seen: set[int] = set()
    for r, i in best:
        lines = [i]
        while True:
            last = lines[-1]
            nxt = [
                j
                for j in words
                if id(j) not in heads
                and j not in lines
                and abs(j.box[0] - max(i.box[0], r.box[2])) <= 1.2 * height(i.box)
                and -0.5 * height(i.box) <= j.box[1] - last.box[3] <= 0.45 * height(i.box)
                and overlap(j.box[0], j.box[2], i.box[0], i.box[2]) > 0
                and abs(height(j.box) - height(i.box)) <= 0.35 * height(i.box)
            ]
            if not nxt or len(lines) >= 5:
                break
            lines.append(min(nxt, key=lambda j: abs(cx(j.box) - cx(i.box))))
        used += lines
        name = _BULLET.sub("", join_text(lines)).strip()
        if name and r.colour not in seen:
            seen.add(r.colour)
            entries.append(Entry(name, r.colour, r.box, union([x.box for x in lines])))
    return entries, used
