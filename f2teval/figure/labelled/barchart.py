"""A bar chart with printed values, read into drafts: rows and segments of :mod:`bars`, named by :mod:`names`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from f2teval.figure.labelled.attach import attach_values, clear_values
from f2teval.figure.labelled.bars import Bars, Row, add_rows, build_rows
from f2teval.figure.labelled.colours import Palette, hex_of
from f2teval.figure.labelled.columns import read_columns
from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cx, cy, height, inside, width
from f2teval.figure.labelled.headers import Naming, panel_span
from f2teval.figure.labelled.items import Item, join_text
from f2teval.figure.labelled.legend import Entry
from f2teval.figure.labelled.missing import Look, fill_missing
from f2teval.figure.labelled.names import Header, Target
from f2teval.figure.labelled.nets import Net, find_nets, name_nets
from f2teval.figure.labelled.numbers import is_date, is_year
from f2teval.figure.labelled.rects import Rect
from f2teval.figure.labelled.rowlabels import (
    find_orphans,
    find_sections,
    name_orphans,
    name_rows,
    panel_titles,
    section_of,
    span_section,
)
from f2teval.figure.labelled.tails import cut_tails, mend_edges, mend_percents, split_across


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
    targets, used = name_rows(bars, words, vertical)
    rest = [w for w in words if id(w) not in used]
    for w in words:
        if id(w) in used:
            w.role = "category"
    sections, heads = find_sections(bars, targets, rest, vertical)
    orphans = find_orphans(bars, targets, rest, vertical)
    rest = [w for w in rest if w.role != "category"]
    inner = _inner_names(bars, rest)
    nets = find_nets(bars, bars.spare, rest)
    drafts, names = _drafts(bars, targets, heads, sections, legend, palette, vertical, inner, nets)
    known = {id(d.item) for d in drafts}
    drafts += [d for d in orphans if id(d.item) not in known]
    name_orphans(bars, drafts, orphans)
    if not vertical:
        placed = {id(d.item) for d in drafts if d.sure > 0.4}
        free = [i for i in values if id(i) not in placed]
        levels = [(t.y, t.name, section_of(t.y, sections)) for t in targets[0] if t.lines]
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
    titles = panel_titles(targets)
    for p, ts in enumerate(targets):
        span = panel_span(bars, p)
        rows = [r for r in bars.rows if r.panel == p]
        colours = {s.rect.colour for r in rows for s in r.segments}
        covered = len(colours & by_colour.keys()) / max(1, len(colours))
        use_legend = covered >= 0.5 and len(by_colour) > 1
        naming = Naming(bars, rows, heads, span, palette, vertical)
        for t in ts:
            section = section_of(t.y, sections) or titles.get(p, "") or naming.upper(t.rows[0])
            if vertical and not section:
                section = span_section(t.y, heads)
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
