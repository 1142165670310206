"""Legends: small colour samples with a name at their side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.items import Item, join_text
from f2teval.figure.labelled.numbers import is_date
from f2teval.figure.labelled.samples import Sample
from f2teval.score import Box

_BULLET = re.compile(r"^[\s■▪•●○◆▲□|·.,:;~_\-–—]+|^(?:[lI]\s)(?=\w)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One legend entry: name, palette entry of its sample, the sample's box and the text's."""

    name: str
    colour: int
    swatch: Box
    box: Box


def find_legend(samples: Sequence[Sample], items: Sequence[Item]) -> tuple[list[Entry], list[Item]]:
    """Legend entries, and the items they used. Lines below an entry that start where its text starts belong to it."""
    words = [i for i in items if i.number is None or is_date(i.text)]
    found: list[tuple[Sample, Item]] = []
    for s in samples:
        best: Item | None = None
        gap = 1e9
        for i in words:
            ih = height(i.box)
            right = i.box[0] - s.box[2]
            if -0.9 * ih <= right <= 1.7 * ih and abs(cy(s.box) - cy(i.box)) <= 0.45 * ih and abs(right) < gap:
                best, gap = i, abs(right)
        if best is not None:
            found.append((s, best))
    # Real samples come in one size, in different colours.
    best_set: list[tuple[Sample, Item]] = []
    for f in found:
        alike = [
            g
            for g in found
            if abs(width(g[0].box) - width(f[0].box)) <= 2.5 and abs(height(g[0].box) - height(f[0].box)) <= 2.5
        ]
        if len(alike) > len(best_set):
            best_set = alike
    names: dict[int, str] = {}
    for s, i in best_set:
        if names.setdefault(s.colour, i.text) != i.text:
            return [], []
    entries: list[Entry] = []
    used: list[Item] = []
    heads = {id(i) for _, i in best_set}
    for s, i in best_set:
        lines = [i]
        for j in sorted(words, key=lambda j: j.box[0]):
            # The rest of the name, cut off at a wide space.
            level = abs(cy(j.box) - cy(i.box)) < 0.3 * height(i.box)
            apart = any(
                lines[-1].box[2] - 2 < cx(o.box) < j.box[0] + 2 and abs(cy(o.box) - cy(i.box)) < height(i.box)
                for o in samples
            )
            gap = j.box[0] - lines[-1].box[2]
            if id(j) not in heads and level and not apart and 0 <= gap < 0.6 * height(i.box):
                lines.append(j)
        while len(lines) < 5:
            last = lines[-1]
            nxt = [j for j in words if id(j) not in heads and j not in lines and _continues(j, last, i, s)]
            if not nxt:
                break
            lines.append(min(nxt, key=lambda j, i=i: abs(cx(j.box) - cx(i.box))))  # type: ignore[misc]
        used += lines
        name = _BULLET.sub("", join_text(lines)).strip()
        if name and all(e.colour != s.colour for e in entries):
            entries.append(Entry(name, s.colour, s.box, union([x.box for x in lines])))
    return (entries, used) if len(entries) > 1 else ([], [])


def _continues(j: Item, last: Item, first: Item, s: Sample) -> bool:
    """Is ``j`` the next line of a legend text?"""
    h = height(first.box)
    if re.search(r"\d%", j.text) or j.text.startswith(("NET", "Net ")):
        return False  # a sum over the first bar
    return (
        abs(j.box[0] - max(first.box[0], s.box[2])) <= 1.2 * h
        and -0.5 * h <= j.box[1] - last.box[3] <= 0.45 * h
        and overlap(j.box[0], j.box[2], first.box[0], first.box[2]) > 0
        and abs(height(j.box) - h) <= 0.35 * h
    )
