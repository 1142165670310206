"""Names for bars: categories at their side, sections between them, headers above their columns.

As in :mod:`bars`, rows run along x; for vertical charts boxes are mirrored before.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from f2teval.figure.labelled.bars import Row
from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.items import Item, blocks_of, join_text
from f2teval.score import Box


@dataclass(slots=True)
class Target:
    """What one category label names: a row, or a group of rows that touch."""

    rows: list[Row]
    lines: list[Item] = field(default_factory=list)
    section: str = ""

    @property
    def y(self) -> float:
        """Where the label is expected."""
        return (self.rows[0].box[1] + self.rows[-1].box[3]) / 2

    @property
    def name(self) -> str:
        """The category."""
        return join_text(self.lines)


@dataclass(slots=True)
class Header:
    """A block of text above columns."""

    items: list[Item]
    text: str
    box: Box


def group_rows(rows: Sequence[Row], thickness: float) -> list[list[Row]]:
    """Rows that touch and differ in colour, the same way in every group, are one category's bars."""
    rows = sorted(rows, key=lambda r: r.y)
    alone = [[r] for r in rows]
    if len(rows) < 2 or any(len(r.segments) > 1 for r in rows):
        return alone
    gaps = [b.box[1] - a.box[3] for a, b in itertools.pairwise(rows)]
    tight = min(gaps)
    if tight > max(3.0, 0.2 * thickness):
        return alone
    limit = max(tight + 2.5, 1.6 * tight + 1)
    groups: list[list[Row]] = [[rows[0]]]
    for g, r in zip(gaps, rows[1:]):
        if g <= limit:
            groups[-1].append(r)
        else:
            groups.append([r])
    most = max(groups, key=len)
    order = [r.segments[0].rect.colour for r in most]
    if len(set(order)) < len(order) or len(most) > 8:
        return alone
    if any(len({r.segments[0].rect.colour for r in g}) < len(g) for g in groups):
        return alone
    if len(groups) == 1 or sum(len(g) == len(most) for g in groups) * 2 < len(groups):
        return alone
    return groups


def name_targets(targets: list[Target], words: Sequence[Item], vertical: bool) -> list[Item]:
    """Give each target the lines of text centred on it; returns the items used."""
    if not targets:
        return []
    ys = [t.y for t in targets]
    pitch = float(np.min(np.diff(ys))) if len(ys) > 1 else 1e9
    given: dict[int, list[Item]] = {}
    for w in words:
        k = int(np.argmin([abs(cy(w.box) - y) for y in ys]))
        reach = max(0.75 * pitch, 1.2 * height(w.box)) if pitch < 1e8 else 4 * height(w.box)
        if abs(cy(w.box) - ys[k]) <= reach:
            given.setdefault(k, []).append(w)
    used: list[Item] = []
    for k, lines in given.items():
        t = targets[k]
        if vertical:
            # Blocks already; the one nearest to the bars.
            ok = [i for i in lines if abs(cy(i.box) - t.y) <= max(0.5 * height(i.box), 0.4 * pitch)]
            if ok:
                t.lines = [ok[0]] if len(ok) == 1 else [min(ok, key=lambda i: abs(cy(i.box) - t.y))]
        else:
            t.lines = _centred_run(lines, t)
        used += t.lines
    return used


def _centred_run(lines: list[Item], t: Target) -> list[Item]:
    """The run of lines, unbroken, whose middle is nearest to the target's."""
    lines = sorted(lines, key=lambda i: cy(i.box))
    best: list[Item] = []
    off = 1e9
    for i in range(len(lines)):
        for j in range(i, len(lines)):
            run = lines[i : j + 1]
            if any(b.box[1] - a.box[3] > 0.75 * height(a.box) for a, b in itertools.pairwise(run)):
                break
            lh = float(np.median([height(r.box) for r in run]))
            u = union([r.box for r in run])
            d = abs(cy(u) - t.y)
            thick = t.rows[-1].box[3] - t.rows[0].box[1]
            if d > max(0.6 * lh, 0.45 * thick):
                continue
            # Longer runs are preferred as long as they stay about as well centred.
            d -= 0.22 * lh * (len(run) - 1)
            if d < off:
                off, best = d, run
    return best


def headers_above(words: Sequence[Item], vertical: bool) -> list[Header]:
    """Blocks among words that may head columns."""
    groups = [[w] for w in words] if vertical else blocks_of(words)
    return [Header(g, join_text(g), union([i.box for i in g])) for g in groups]


def match_headers(
    headers: Sequence[Header], columns: Sequence[Box], tints: Sequence[np.ndarray | None], labelled: Sequence[bool]
) -> tuple[dict[int, int], float]:
    """Pair headers with columns left to right without crossings.

    Args:
        headers: blocks; columns: boxes (x matters); tints: colour of each column's mark, to compare with the
            header's ink; labelled: whether the column prints a value (those need a header more).

    Returns:
        column index → header index, and a confidence.
    """
    hs = sorted(range(len(headers)), key=lambda i: cx(headers[i].box))
    cs = sorted(range(len(columns)), key=lambda i: cx(columns[i]))
    n, m = len(hs), len(cs)
    if not n or not m:
        return {}, 0.0
    cost = np.zeros((n, m))
    unit = float(np.median([height(h.items[0].box) for h in headers])) or 1.0
    for a, i in enumerate(hs):
        hb = headers[i].box
        for b, j in enumerate(cs):
            gap = max(0.0, -overlap(hb[0], hb[2], columns[j][0], columns[j][2]))
            near = abs(cx(hb) - min(max(cx(hb), columns[j][0]), columns[j][2]))
            cost[a, b] = (gap + 0.15 * abs(cx(hb) - cx(columns[j])) + 0.3 * near) / unit
            ink, tint = headers[i].items[0].ink, tints[j]
            if ink is not None and tint is not None and float(np.ptp(ink)) > 40:
                d = float(np.linalg.norm(ink - tint))
                cost[a, b] += -2.0 if d < 45 else 1.0 if d > 110 else 0.0
    skip_h = 5.5
    skip_c = [1.7 if labelled[j] else 0.7 for j in cs]
    dp = np.full((n + 1, m + 1), 1e9)
    dp[0, 0] = 0
    back: dict[tuple[int, int], str] = {}
    for a in range(n + 1):
        for b in range(m + 1):
            if a and b and dp[a - 1, b - 1] + cost[a - 1, b - 1] < dp[a, b]:
                dp[a, b], back[a, b] = dp[a - 1, b - 1] + cost[a - 1, b - 1], "m"
            if a and dp[a - 1, b] + skip_h < dp[a, b]:
                dp[a, b], back[a, b] = dp[a - 1, b] + skip_h, "h"
            if b and dp[a, b - 1] + skip_c[b - 1] < dp[a, b]:
                dp[a, b], back[a, b] = dp[a, b - 1] + skip_c[b - 1], "c"
    out: dict[int, int] = {}
    worst = 0.0
    a, b = n, m
    while a or b:
        step = back[a, b]
        if step == "m":
            out[cs[b - 1]] = hs[a - 1]
            worst = max(worst, cost[a - 1, b - 1])
            a, b = a - 1, b - 1
        elif step == "h":
            a -= 1
        else:
            b -= 1
    full = len(out) == n and all(j in out for j in range(m) if labelled[j])
    sure = 0.95 if full and worst < 3.5 else 0.88 if full else 0.72 if len(out) == n else 0.55
    return out, sure


def above(headers: Sequence[Header], y: float, x0: float, x1: float) -> list[Header]:
    """Headers over [x0, x1] that end above ``y``, lowest tier only: those with none of the others below them."""
    over = [
        h
        for h in headers
        if h.box[3] <= y + 0.35 * height(h.items[0].box) and overlap(h.box[0], h.box[2], x0, x1) > -12
    ]
    return [
        h
        for h in over
        if not any(
            o is not h
            and o.box[1] >= h.box[3] - 3
            and overlap(o.box[0], o.box[2], h.box[0], h.box[2]) > 0.2 * min(width(o.box), width(h.box))
            for o in over
        )
    ]
