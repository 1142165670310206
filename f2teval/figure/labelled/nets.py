"""Sums set beside a stacked bar: "NET 44%" over a bracket, or a bare number below the pieces it adds up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from f2teval.figure.labelled.bars import Bars, Row
from f2teval.figure.labelled.geometry import cx, cy, height
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import parse_number

_NET = re.compile(r"((?:NET|Net|TOTAL|Total)\b[^\d]{0,60}?)[\s:]*(\d{1,3}(?:\.\d+)?\s?%?)")


@dataclass(slots=True)
class Net:
    """A sum of neighbouring pieces ``first`` … ``last`` of a row."""

    item: Item
    row: Row
    first: int
    last: int
    said: str = ""


def find_nets(bars: Bars, spare: Sequence[Item], words: Sequence[Item]) -> list[Net]:
    """Numbers near a stacked row whose value is the length of the pieces they stand over or under."""
    if not bars.scale:
        return []
    found: list[Item] = list(spare)
    said: dict[int, str] = {}
    for w in words:
        m = _NET.fullmatch(w.text)
        if m:
            item = replace(w, text=m[2], number=parse_number(m[2]))
            said[id(item)] = m[1].strip(" :")
            found.append(item)
    out: list[Net] = []
    for item in found:
        if item.number is None:
            continue
        best: tuple[float, Net] | None = None
        for row in bars.rows:
            if len(row.segments) < 2:
                continue
            box = row.box
            gap = max(box[1] - item.box[3], item.box[1] - box[3])
            if gap > 1.8 * height(item.box) or abs(cy(item.box) - row.y) < 0.4 * bars.thickness:
                continue
            for i in range(len(row.segments) - 1):
                for j in range(i + 1, len(row.segments)):
                    part = row.segments[i : j + 1]
                    x0, x1 = part[0].rect.box[0], part[-1].rect.box[2]
                    off = abs((x1 - x0) / bars.scale - item.number.value)
                    if x0 <= cx(item.box) <= x1 and off <= 1.6 + 3 / bars.scale:
                        cost = off + 0.3 * max(gap, 0.0) + 0.02 * abs(cx(item.box) - (x0 + x1) / 2)
                        if best is None or cost < best[0]:
                            best = (cost, Net(item, row, i, j, said.get(id(item), "")))
        if best is not None:
            out.append(best[1])
    return out


def name_nets(nets: Sequence[Net], names: Callable[[Row], dict[int, str]]) -> dict[int, str]:
    """A name for each net, by its position in ``nets``: as printed, or "NET" with what it adds up."""
    per_row: dict[int, int] = {}
    for n in nets:
        per_row[id(n.row)] = per_row.get(id(n.row), 0) + 1
    several = any(v > 1 for v in per_row.values())
    printed = {(n.first, n.last): n.said for n in nets if len(n.said) > 4}
    out: dict[int, str] = {}
    for k, n in enumerate(nets):
        parts = [names(n.row).get(i, "") for i in range(n.first, n.last + 1)]
        text = printed.get((n.first, n.last), "")
        if not text:
            text = "NET" if not several or not all(parts) else "NET " + "/".join(parts)
        out[k] = text
    return out
