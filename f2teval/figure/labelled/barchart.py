"""A bar chart with printed values, read into drafts: rows and segments of :mod:`bars`, named by :mod:`names`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from f2teval.figure.labelled.bars import (
    Bars,
    Row,
    add_rows,
    attach_values,
    build_rows,
    clear_values,
    mend_percents,
    split_across,
)
from f2teval.figure.labelled.colours import Palette, hex_of
from f2teval.figure.labelled.columns import read_columns
from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cx, cy, height, inside, overlap, union, width
from f2teval.figure.labelled.items import Item, blocks_of, join_text, lines_of
from f2teval.figure.labelled.legend import Entry
from f2teval.figure.labelled.missing import Look, fill_missing
from f2teval.figure.labelled.names import (
    Header,
    Target,
    above,
    group_rows,
    headers_above,
    match_headers,
    name_targets,
)
from f2teval.figure.labelled.nets import Net, find_nets, name_nets
from f2teval.figure.labelled.numbers import is_date, is_year
from f2teval.figure.labelled.rects import Rect
from f2teval.figure.labelled.tails import cut_tails, mend_edges

# "NET all or most: 81%" stands by a bracket, not above a column.
_SUMMARY = re.compile(r"\d%|:\s?\d+$|^[Nn]/?[Aa]$|^[*–—-]+$")


# Brackets between rows read as letters, and what is printed beside them.
_BRACKET = re.compile(r"[HILlTFE|—–_-]{1,3}|(?:NET|Net)\s+\S.*")


@dataclass(slots=True)
class BarReading:
    """What came of the bars."""

    drafts: list[Draft]
    categories: list[str]
    names: dict[str, str]
    chart_type: str
    spare: list[Item]


def read_bars(
    rects: Sequence[Rect],
    items: Sequence[Item],
    legend: Sequence[Entry],
    palette: Palette,
    vertical: bool,
    look: Look | None = None,
) -> BarReading | None:
    """Pair values, categories and series of a bar chart. ``items`` are those of the plot zone, legend left out.

    For vertical charts rectangles and items must come mirrored (see :func:`geometry.swap`).
    """
    index = np.ascontiguousarray(palette.index.T if vertical else palette.index)
    bars = build_rows(rects, index)
    if bars is None:
        return None
    values, words = _sort(bars, items, vertical)
    if not values:
        return None
    add_rows(bars, index, [i.box for i in items])
    attach_values(bars, values)
    parts = split_across(bars, values)
    if len(parts) != len(values):
        clear_values(bars)
        attach_values(bars, parts)
    mend_percents(bars)
    mend_edges(bars)
    cut_tails(bars, words)
    if look is not None:
        size = float(np.median([width(i.box) if vertical else height(i.box) for i in values]))
        fill_missing(bars, index, look, vertical, size)
    targets, used = _name_rows(bars, words, vertical)
    rest = [w for w in words if id(w) not in used]
    for w in words:
        if id(w) in used:
            w.role = "category"
    sections, heads = _sections(bars, targets, rest, vertical)
    orphans = _orphans(bars, targets, rest, vertical)
    rest = [w for w in rest if w.role != "category"]
    inner = _inner_names(bars, rest)
    nets = find_nets(bars, bars.spare, rest)
    drafts, names = _drafts(bars, targets, heads, sections, legend, palette, vertical, inner, nets)
    known = {id(d.item) for d in drafts}
    drafts += [d for d in orphans if id(d.item) not in known]
    _name_orphans(bars, drafts, orphans)
    if not vertical:
        placed = {id(d.item) for d in drafts if d.sure > 0.4}
        free = [i for i in values if id(i) not in placed]
        levels = [(t.y, t.name, _section_of(t.y, sections)) for t in targets[0] if t.lines]
        extra = read_columns(free, levels, rest)
        ids = {id(d.item) for d in extra}
        drafts = [d for d in drafts if id(d.item) not in ids] + extra
    stacked = any(len(r.segments) > 1 for r in bars.rows)
    grouped = any(len(t.rows) > 1 for ts in targets for t in ts)
    kind = "stacked_bar" if stacked else "grouped_bar" if grouped else "vertical_bar" if vertical else "horizontal_bar"
    cats: list[str] = []
    for ts in targets:
        for t in ts:
            if t.name and t.name not in cats:
                cats.append(t.name)
    return BarReading(drafts, cats, names, kind, bars.spare)


def _sort(bars: Bars, items: Sequence[Item], vertical: bool) -> tuple[list[Item], list[Item]]:
    """Numbers that print values, and words (dates at the side of the bars are words)."""
    values: list[Item] = []
    words: list[Item] = []
    tops = [r.box for r in bars.rows]
    for i in items:
        if i.number is None:
            words.append(i)
            continue
        within = any(b[0] <= cx(i.box) <= b[2] and b[1] <= cy(i.box) <= b[3] for b in tops)
        date = is_date(i.text) or (is_year(i.text) and "%" not in i.text)
        if date and not within:
            words.append(i)
        else:
            values.append(i)
    return values, words


def _name_rows(bars: Bars, words: Sequence[Item], vertical: bool) -> tuple[list[list[Target]], set[int]]:
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
    """Without an outer column of labels that group the rows: those with another label level with them at their right."""
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


def _orphans(bars: Bars, targets: list[list[Target]], rest: Sequence[Item], vertical: bool) -> list[Draft]:
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


def _name_orphans(bars: Bars, drafts: Sequence[Draft], orphans: Sequence[Draft]) -> None:
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


def _sections(
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


def _section_of(y: float, sections: Sequence[Item]) -> str:
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


def _drafts(
    bars: Bars,
    targets: list[list[Target]],
    heads: Sequence[Header],
    sections: Sequence[Item],
    legend: Sequence[Entry],
    palette: Palette,
    vertical: bool,
    inner: dict[int, str],
    nets: Sequence[Net],
) -> tuple[list[Draft], dict[str, str]]:
    by_colour = {e.colour: e.name for e in legend}
    drafts: list[Draft] = []
    names: dict[str, str] = {}
    titles = _panel_titles(targets)
    for p, ts in enumerate(targets):
        span = _panel_span(bars, p)
        rows = [r for r in bars.rows if r.panel == p]
        colours = {s.rect.colour for r in rows for s in r.segments}
        covered = len(colours & by_colour.keys()) / max(1, len(colours))
        use_legend = covered >= 0.5 and len(by_colour) > 1
        naming = _Naming(bars, rows, heads, span, palette, vertical)
        for t in ts:
            section = _section_of(t.y, sections) or titles.get(p, "") or naming.upper(t.rows[0])
            if vertical and not section:
                section = _span_section(t.y, heads)
            for row in t.rows:
                columns, sure, panel = naming.columns(row)
                sure_name = 1.0 if t.lines else 0.3
                for k, s in enumerate(row.segments):
                    if s.label is None:
                        continue
                    tint = hex_of(palette.colours[s.rect.colour])
                    d = Draft(s.label, category=t.name, section=section, panel=panel, tint=tint)
                    if id(s) in inner:
                        d.series, name_sure = inner[id(s)], 0.95
                    elif use_legend and s.rect.colour in by_colour:
                        d.series, name_sure = by_colour[s.rect.colour], 0.97
                        d.panel = columns.get(k, "") if len(row.segments) == 1 else panel
                    elif k in columns:
                        d.series, name_sure = columns[k], sure
                    elif len(row.segments) == 1 and len(t.rows) == 1:
                        name_sure = 0.95 if len(bars.panels) == 1 else 0.6
                    else:
                        name_sure = 0.3
                    d.sure = s.sure * sure_name * name_sure
                    if d.series:
                        names.setdefault(d.series, tint)
                    drafts.append(d)
                for item, side in row.totals:
                    name = columns.get(-1 if side == "right" else -2, "")
                    drafts.append(Draft(item, name, t.name, section, panel, (0.9 * sure if name else 0.2) * sure_name))
            mine = [(k, n) for k, n in enumerate(nets) if any(n.row is r for r in t.rows)]
            for k, n in mine:
                sure_name = 1.0 if t.lines else 0.3
                drafts.append(Draft(n.item, f"{_NET_KEY}{k}", t.name, section, "", 0.8 * sure_name))
    spelled = name_nets(nets, lambda row: _names_in(row, bars.rows, drafts))
    for d in drafts:
        if d.series.startswith(_NET_KEY):
            d.series = spelled[int(d.series[len(_NET_KEY) :])]
    return drafts, names


def _panel_titles(targets: Sequence[Sequence[Target]]) -> dict[int, str]:
    """Panels that repeat the same rows under a first row of their own are about that first row."""
    names = [[t.name for t in ts] for ts in targets]
    if (
        len(names) < 2
        or any(len(n) < 3 or n[1:] != names[0][1:] for n in names)
        or targets[0][0].lines is targets[1][0].lines
    ):
        return {}
    firsts = [n[0] for n in names]
    return {p: f for p, f in enumerate(firsts)} if len(set(firsts)) == len(firsts) and all(firsts) else {}


def _span_section(y: float, heads: Sequence[Header]) -> str:
    """Vertical charts: of several headings side by side over the columns, the one a column stands under."""
    wide = [h for h in heads if height(h.items[0].box) > 0 and h.box[3] - h.box[1] > 1.2 * (h.box[2] - h.box[0])]
    before = [h for h in wide if h.box[1] <= y + 4]
    return max(before, key=lambda h: h.box[1]).text if before and len(wide) > 1 else ""


_NET_KEY = "\0net"


def _names_in(row: Row, rows: Sequence[Row], drafts: Sequence[Draft]) -> dict[int, str]:
    """Series name of each piece of a row: from its drafts, or from rows with as many pieces."""
    by_item = {id(d.item): d.series for d in drafts}
    out: dict[int, str] = {}
    for r in (row, *rows):
        if len(r.segments) == len(row.segments):
            for k, s in enumerate(r.segments):
                if s.label is not None and by_item.get(id(s.label)):
                    out.setdefault(k, by_item[id(s.label)])
    return out


def _inner_names(bars: Bars, words: Sequence[Item]) -> dict[int, str]:
    """Names printed on the bars themselves, by segment."""
    out: dict[int, str] = {}
    for row in bars.rows:
        for s in row.segments:
            on = [w for w in words if inside(w.box, s.rect.box) and s.label is not None and len(w.text) > 1]
            if on:
                out[id(s)] = join_text(on)
    return out if len(out) >= 2 else {}


def _panel_span(bars: Bars, p: int) -> tuple[float, float]:
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


class _Naming:
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
        x0, x1 = self.bars.panels[row.panel]
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
