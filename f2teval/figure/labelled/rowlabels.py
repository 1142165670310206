"""Labels at the side of bars: categories, sections over them, and values whose bar cannot be seen."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from f2teval.figure.labelled.bars import Bars
from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union
from f2teval.figure.labelled.items import Item, blocks_of, join_text, lines_of
from f2teval.figure.labelled.names import Header, Target, group_rows, headers_above, name_targets

# "NET all or most: 81%" stands by a bracket, not above a column.
_SUMMARY = re.compile(r"^(?:NET|Net)\b.*\d|^\W*\d+(?:\.\d+)?\s?%$|:\s?\d+%?$|^[Nn]/?[Aa]$|^[*–—-]+$")


# Brackets between rows read as letters, and what is printed beside them.
_BRACKET = re.compile(r"[HILlTFE|—–_-]{1,3}|(?:NET|Net)\s+\S.*")


def name_rows(bars: Bars, words: Sequence[Item], vertical: bool) -> tuple[list[list[Target]], set[int]]:
    """Targets of each panel with their category lines."""
    panels: list[list[Target]] = []
    used: set[int] = set()
    for p in range(len(bars.panels)):
        rows = [r for r in bars.rows if r.panel == p]
        panels.append([Target(g) for g in group_rows(rows, bars.thickness)])
    shared: list[Target] = []
    for p, targets in enumerate(panels):
        x0, x1 = bars.panels[p]
        prev = bars.panels[p - 1][1] if p else -1e9
        nxt = bars.panels[p + 1][0] if p + 1 < len(bars.panels) else 1e9
        sides = []
        for lo, hi in ((prev, x0), (x1, nxt)):
            side = [w for w in words if _beside(w, targets, lo, hi, id(w) in used)]
            if not vertical:
                side = _inner_column(side)
            probe = [Target(t.rows) for t in targets]
            name_targets(probe, side, vertical)
            sides.append((sum(bool(t.lines) for t in probe), side))
        first = 1 if vertical else 0
        best = max((first, 1 - first), key=lambda k: sides[k][0])
        enough = sides[best][0] >= max(1, 0.5 * len(targets))
        if p and not enough and shared:
            for t in targets:
                near = min(shared, key=lambda s: abs(s.y - t.y))
                if abs(near.y - t.y) <= 0.6 * bars.thickness:
                    t.lines = near.lines
            continue
        used |= {id(w) for w in name_targets(targets, sides[best][1], vertical)}
        if enough and not p:
            shared = targets
    return panels, used


def _inner_column(side: list[Item]) -> list[Item]:
    """Without an outer column of labels that group the rows: those with another label at their right."""
    outer = [
        w
        for w in side
        if any(
            o is not w
            and o.box[0] - w.box[2] > 0.8 * height(w.box)
            and overlap(o.box[1], o.box[3], w.box[1], w.box[3]) > 0.5 * height(w.box)
            for o in side
        )
    ]
    if len(outer) < 2:
        return side
    inner = [w for w in side if not any(w is o for o in outer)]
    edge = float(np.median([w.box[0] for w in inner])) if inner else 0.0
    return [w for w in inner if w.box[2] > edge]


def find_orphans(bars: Bars, targets: list[list[Target]], rest: Sequence[Item], vertical: bool) -> list[Draft]:
    """Values whose bar is too short to be seen: level with a category label that no bar claimed."""
    if any(len(r.segments) > 1 for r in bars.rows) or any(len(t.rows) > 1 for ts in targets for t in ts):
        return []
    named = [i for t in targets[0] for i in t.lines]
    if not named or len(bars.rows) < 2:
        return []
    lo, hi = min(i.box[0] for i in named), max(i.box[2] for i in named)
    ys = sorted(t.y for t in targets[0])
    pitch = float(np.median(np.diff(ys))) if len(ys) > 1 else 4 * bars.thickness
    out: list[Draft] = []
    for v in bars.spare:
        p = next((p for p, (a, b) in enumerate(bars.panels) if a - 12 <= cx(v.box) <= b + 30), None)
        if p is None:
            continue
        level = [t for t in targets[0] if t.lines and abs(t.y - cy(v.box)) < 0.25 * pitch]
        if level and p > 0:
            out.append(Draft(v, category=level[0].name, panel=str(p), sure=0.75))
            continue
        lines = [w for w in rest if lo - 6 <= cx(w.box) <= hi + 6 and abs(cy(w.box) - cy(v.box)) < 0.3 * pitch]
        far = min(abs(y - cy(v.box)) for y in ys)
        if len(lines) == 1 and 0.55 * pitch < far < 4.5 * pitch:
            lines[0].role = "category"
            out.append(Draft(v, category=lines[0].text, panel=str(p), sure=0.75))
    return out


def name_orphans(bars: Bars, drafts: Sequence[Draft], orphans: Sequence[Draft]) -> None:
    """An orphan's series is that of its panel, where the panel has but one."""
    ids = {id(d.item) for d in orphans}
    for o in orphans:
        p = int(o.panel)
        mine = {
            (d.series, d.panel)
            for d in drafts
            if id(d.item) not in ids and bars.panels[p][0] - 12 <= cx(d.item.box) <= bars.panels[p][1] + 30
        }
        if len(mine) == 1:
            o.series, o.panel = mine.pop()
        else:
            o.panel, o.sure = "", 0.2


def _beside(w: Item, targets: Sequence[Target], lo: float, hi: float, taken: bool) -> bool:
    """Does a word lie between ``lo`` and ``hi`` clear of the bars at its own height?"""
    if taken or not lo - 1 <= cx(w.box) <= hi + 1:
        # Diverging bars: a short row leaves room for its label inside the panel's strip.
        near = min(targets, key=lambda t: abs(t.y - cy(w.box)), default=None)
        if taken or near is None:
            return False
        edges = [r.box for r in near.rows]
        left = min(b[0] for b in edges)
        return lo == -1e9 and w.box[2] <= left + 3
    return True


def find_sections(
    bars: Bars, targets: list[list[Target]], rest: Sequence[Item], vertical: bool
) -> tuple[list[Item], list[Header]]:
    """Words left over, parted into section titles (at the labels' side, alone on their line) and column headers."""
    label_edge = max((i.box[2] for ts in targets[:1] for t in ts for i in t.lines), default=-1.0)
    label_start = min((i.box[0] for ts in targets[:1] for t in ts for i in t.lines), default=1e9)
    first = min(r.box[1] for r in bars.rows)
    last = max(r.box[3] for r in bars.rows)
    sections: list[Item] = []
    heads: list[Item] = []
    for w in rest:
        if w.box[1] > last and not vertical:
            continue
        line = sorted(
            (o for o in rest if overlap(o.box[1], o.box[3], w.box[1], w.box[3]) > 0.5 * height(w.box)),
            key=lambda o: o.box[0],
        )
        lead = line[0]
        h = height(lead.box)
        at_side = (
            not vertical
            and label_edge > 0
            and lead.box[0] < label_edge - 1.5 * h
            and (lead.box[0] <= label_start + 1.2 * h or lead.box[2] <= label_edge + 0.5 * h)
        )
        blank = (
            len(line) == 2 and line[1].box[0] - line[0].box[2] < 2.6 * h and abs(cy(w.box) - cy(lead.box)) < 0.25 * h
        )
        at_start = blank and lead.box[0] <= label_start + 1.2 * h
        if (
            at_side
            and (w is lead or blank)
            and (len(line) == 1 or at_start or cx(lead.box) < label_edge)
            and not _in_block(w, lead, rest)
        ):
            sections.append(w)
        else:
            heads.append(w)
    heads = [w for w in heads if not _on_bar(bars, w) and not _SUMMARY.search(w.text)]
    heads = [w for w in heads if not _BRACKET.fullmatch(w.text) or (w.box[1] < first and len(w.text) > 3)]
    if vertical:
        heads = [w for w in heads if cy(w.box) < first or cy(w.box) > last or w.box[2] < min(p[0] for p in bars.panels)]
    for w in sections:
        w.role = "section"
    return sections, headers_above(heads, vertical)


def _in_block(w: Item, lead: Item, rest: Sequence[Item]) -> bool:
    """Does a line belong to a block beside another block, as the lines of side-by-side headers do?"""
    blocks = [b for b in blocks_of(rest) if len(b) > 1]
    mine = next((b for b in blocks if any(i is w for i in b)), None)
    if mine is None:
        return False
    return any(
        b is not mine and overlap(o[1], o[3], w.box[1], w.box[3]) > 0.5 * height(w.box)
        for b in blocks
        for o in [union([i.box for i in b])]
    )


def _on_bar(bars: Bars, w: Item) -> bool:
    return any(r.box[0] <= cx(w.box) <= r.box[2] and r.box[1] <= cy(w.box) <= r.box[3] for r in bars.rows)


def section_of(y: float, sections: Sequence[Item]) -> str:
    lines = lines_of(sections)
    over = [k for k, line in enumerate(lines) if cy(line[0].box) < y + 0.6 * height(line[0].box)]
    if not over:
        return ""
    first = last = over[-1]
    while first and lines[first][0].box[1] - lines[first - 1][0].box[3] < 0.6 * height(lines[first][0].box):
        first -= 1
    while last + 1 < len(lines) and lines[last + 1][0].box[1] - lines[last][0].box[3] < 0.35 * height(
        lines[last][0].box
    ):
        last += 1
    return join_text([i for line in lines[first : last + 1] for i in line])


def panel_titles(targets: Sequence[Sequence[Target]]) -> dict[int, str]:
    """Panels that repeat the same rows under a first row of their own are about that first row."""
    names = [[t.name for t in ts] for ts in targets]
    if (
        len(names) < 2
        or any(len(n) < 3 or n[1:] != names[0][1:] for n in names)
        or targets[0][0].lines is targets[1][0].lines
    ):
        return {}
    firsts = [n[0] for n in names]
    return dict(enumerate(firsts)) if len(set(firsts)) == len(firsts) and all(firsts) else {}


def span_section(y: float, heads: Sequence[Header]) -> str:
    """Vertical charts: of several headings side by side over the columns, the one a column stands under."""
    wide = [h for h in heads if height(h.items[0].box) > 0 and h.box[3] - h.box[1] > 1.2 * (h.box[2] - h.box[0])]
    before = [h for h in wide if h.box[1] <= y + 4]
    return max(before, key=lambda h: h.box[1]).text if before and len(wide) > 1 else ""
