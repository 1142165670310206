"""Which header stands over which column of bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from f2teval.figure.labelled.bars import Bars, Row
from f2teval.figure.labelled.colours import Palette
from f2teval.figure.labelled.geometry import cx, height, overlap, width
from f2teval.figure.labelled.names import Header, above, match_headers


def panel_span(bars: Bars, p: int) -> tuple[float, float]:
    x0, x1 = bars.panels[p]
    lo = (bars.panels[p - 1][1] + x0) / 2 if p else -1e9
    hi = (x1 + bars.panels[p + 1][0]) / 2 if p + 1 < len(bars.panels) else 1e9
    return max(lo, x0 - 200), min(hi, x1 + 200)


def _cut_at_boundary(heads: list[Header], rows: Sequence[Row]) -> list[Header]:
    """Two headers read as one line over diverging bars part where the bars part."""
    edges = [r.segments[0].rect.box[2] for r in rows if len(r.segments) == 2]
    if len(edges) < 2 or float(np.std(edges)) > 2.5:
        return heads
    x = float(np.median(edges))
    out: list[Header] = []
    for h in heads:
        b, item = h.box, h.items[0]
        at = [k for k, c in enumerate(h.text) if c == " "]
        if len(h.items) != 1 or not at or not b[0] + 0.2 * (b[2] - b[0]) < x < b[2] - 0.2 * (b[2] - b[0]):
            out.append(h)
            continue
        k = min(at, key=lambda k: abs(b[0] + (b[2] - b[0]) * (k + 0.5) / len(h.text) - x))
        if abs(b[0] + (b[2] - b[0]) * (k + 0.5) / len(h.text) - x) > 0.8 * height(b):
            out.append(h)
            continue
        for text, box in ((h.text[:k], (b[0], b[1], x, b[3])), (h.text[k + 1 :], (x, b[1], b[2], b[3]))):
            part = replace(item, text=text, box=box, ink=None)
            out.append(Header([part], text, box))
    return out


class Naming:
    """Which header stands over which column of one panel.

    The first row below a set of headers decides; rows below it follow by position, or by colour where their pieces
    are not as many.
    """

    def __init__(
        self,
        bars: Bars,
        rows: Sequence[Row],
        heads: Sequence[Header],
        span: tuple[float, float],
        palette: Palette,
        vertical: bool,
    ) -> None:
        self.bars, self.rows, self.palette, self.vertical = bars, sorted(rows, key=lambda r: r.y), palette, vertical
        self.span = span
        self.heads = [h for h in heads if span[0] <= cx(h.box) <= span[1]]
        if not vertical:
            self.heads = _cut_at_boundary(self.heads, self.rows)
        self.cache: dict[tuple[int, ...], tuple[Row, dict[int, str], float]] = {}

    def columns(self, row: Row) -> tuple[dict[int, str], float, str]:
        """Names by segment index (-1 and -2: labels beyond the right and left end), confidence, panel name."""
        _x0, _x1 = self.bars.panels[row.panel]
        tiers = [t for t in (self._tier(row), self._tier(self.rows[0])) if t]
        if self.vertical and not tiers:
            return self._mirrored(row)
        best: tuple[dict[int, str], float, str] = ({}, 0.0, "")
        for tier in tiers:
            key = tuple(sorted(id(h) for h in tier))
            if key not in self.cache:
                below = [r for r in self.rows if r is row or self._tier(r) == tier]
                # The row that shows most: pieces of others may be too thin to have been found.
                first = max(below, key=lambda r: len(r.segments) + len(r.totals))
                self.cache[key] = (first, *self._match(first, tier))
            first, names, sure = self.cache[key]
            panel = " ".join(h.text for h in tier) if len(tier) == 1 else ""
            found = self._transfer(first, row, names)
            # Stray words between rows head nothing: headers that fit fewer columns do not replace those on top.
            if (len(found), sure) > (len(best[0]), best[1] + 0.1):
                best = (found, sure, panel or self.upper(row))
        return best

    def _tier(self, row: Row) -> list[Header]:
        return above(self.heads, row.box[1] + 0.3 * self.bars.thickness, self.span[0], self.span[1])

    def upper(self, row: Row) -> str:
        """Text standing over the headers themselves."""
        tier = self._tier(row)
        if not tier:
            return ""
        top = min(h.box[1] for h in tier)
        floor = max((r.box[3] for r in self.rows if r.box[3] < top), default=-1e9)
        over = [h for h in self.heads if h.box[3] <= top + 2 and h not in tier and h.box[1] >= floor - 2]
        low = above(over, top + 2, self.span[0], self.span[1])
        return low[0].text if len(low) == 1 else ""

    def _match(self, first: Row, tier: Sequence[Header]) -> tuple[dict[int, str], float]:
        boxes = [s.rect.box for s in first.segments]
        tints: list[np.ndarray | None] = [self.palette.colours[s.rect.colour] for s in first.segments]
        labelled = [s.label is not None for s in first.segments]
        index = list(range(len(boxes)))
        for side, k in (("right", -1), ("left", -2)):
            item = next((i for i, sd in first.totals if sd == side), None)
            if item is not None:
                boxes.append(item.box)
                tints.append(item.ink)
                labelled.append(True)
                index.append(k)
        if len(boxes) == 1:
            x0, x1 = self.bars.panels[first.panel]
            best = max(tier, key=lambda h: overlap(h.box[0], h.box[2], x0, x1))
            if overlap(best.box[0], best.box[2], x0, x1) <= -10:
                return {}, 0.0
            over = [h for h in tier if overlap(h.box[0], h.box[2], x0, x1) > 0.25 * min(x1 - x0, width(h.box))]
            return {0: best.text}, 0.93 if len(over) <= 1 else 0.6
        pairs, sure = match_headers(tier, boxes, tints, labelled)
        for h in tier:
            for i in h.items:
                i.role = "column_header"
        names = {index[c]: tier[h].text for c, h in pairs.items()}
        texts = list(names.values())
        boxes_of = {index[c]: tier[h].box for c, h in pairs.items()}
        for k, name in list(names.items()):
            # "Strongly" twice: told apart by the header it stands nearest to.
            if texts.count(name) > 1:
                others = [h for h in self.heads if texts.count(h.text) < 2]
                if others:
                    near = min(others, key=lambda h, b=boxes_of[k]: abs(cx(h.box) - cx(b)))  # type: ignore[misc]
                    names[k] = f"{near.text}: {name}" if near.text != name else name
        return names, sure

    def _transfer(self, first: Row, row: Row, names: dict[int, str]) -> dict[int, str]:
        if row is first or len(row.segments) == len(first.segments):
            return names
        colours = {s.rect.colour: k for k, s in enumerate(first.segments)}
        out = {k: v for k, v in names.items() if k < 0}
        if len(colours) < len(first.segments):
            return out
        for k, s in enumerate(row.segments):
            j = colours.get(s.rect.colour)
            if j is not None and j in names:
                out[k] = names[j]
        return out

    def _mirrored(self, row: Row) -> tuple[dict[int, str], float, str]:
        """Series names at the far side (to the right of the last column of a vertical stack)."""
        below = [h for h in self.heads if h.box[1] >= self.rows[-1].box[3] - 2]
        if not below or len(row.segments) < 2:
            return {}, 0.0, ""
        last = self.rows[-1]
        key = (-1,)
        if key not in self.cache:
            self.cache[key] = (last, *self._match(last, below))
        first, names, sure = self.cache[key]
        return self._transfer(first, row, names), sure, ""
