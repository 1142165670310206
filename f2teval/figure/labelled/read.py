"""Reading a figure on which the numbers are printed: which layout it has, and the table that follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.barchart import BarReading, read_bars
from f2teval.figure.labelled.bars import columns_of, orientation
from f2teval.figure.labelled.colours import Palette, flat_palette, name_of, text_colour
from f2teval.figure.labelled.columns import read_table
from f2teval.figure.labelled.cutting import make_items, split_over
from f2teval.figure.labelled.draft import KEEP, Draft, finish
from f2teval.figure.labelled.geometry import cx, cy, height, swap, width, x_overlap, y_overlap
from f2teval.figure.labelled.items import Item, join_text, merge_words
from f2teval.figure.labelled.legend import Entry, find_legend
from f2teval.figure.labelled.linechart import read_lines
from f2teval.figure.labelled.missing import Look
from f2teval.figure.labelled.numbers import is_date, parse_number, year_of
from f2teval.figure.labelled.pie import find_disc, read_pie
from f2teval.figure.labelled.rects import Rect, find_rects
from f2teval.figure.labelled.samples import find_samples
from f2teval.figure.labelled.table import LabelledTable
from f2teval.figure.labelled.ticks import mark_ticks
from f2teval.figure.labelled.zones import find_zones
from f2teval.figure.reading import Axis, Cell, Series, TextBox
from f2teval.score import Box

_UNIT = re.compile(r"%|\bpercent\b|\bper cent\b|\bpercentage\b|\bshare\b", re.I)
_MANY = tuple(
    (re.compile(rf"\b(?:in {plural}|{plural} of)\b", re.I), word, worth)
    for word, plural, worth in (
        ("thousand", "(?:thousands|1,?000s)", 1e3),
        ("million", "millions", 1e6),
        ("billion", "billions", 1e9),
        ("trillion", "trillions", 1e12),
    )
)


def read_labelled(
    rgb: NDArray[np.uint8], boxes: Sequence[TextBox], axes: Sequence[Axis] = (), look: Look | None = None
) -> LabelledTable | None:
    """Read the table of a figure whose values are printed.

    Args:
        rgb: (H, W, 3) uint8 picture.
        boxes: OCR of the same picture, boxes in its pixels.
        axes: axes already found; their tick labels are never taken for values.
        look: recognises text in boxes of the picture, called at most once, with at most 48 boxes: labels on bars that
            OCR overlooked are read with it.

    Returns:
        The table, or ``None`` when the figure prints no values that could be placed.
    """
    h, w = rgb.shape[:2]
    if h < 20 or w < 20 or not boxes:
        return None
    palette = flat_palette(rgb)
    raw = [b.box for b in boxes]
    inks = [text_colour(rgb, b) for b in raw]
    shapes = [r for r in find_rects(palette, raw) if not _is_letter(r, raw, inks, palette)]
    colours = {r.colour for r in shapes if width(r.box) * height(r.box) >= 90}
    wordy = [
        (b.box, ink)
        for b, ink in zip(boxes, inks)
        if abs(b.angle) < 10 and len(b.text) < 90 and (parse_number(b.text) is None or is_date(b.text))
    ]
    samples = find_samples(rgb, palette, [b for b, _ in wordy], [i for _, i in wordy], colours)
    items = make_items(rgb, boxes, [s.box for s in samples])
    _drop_ticks(items, axes)
    legend, used = find_legend(samples, items)
    for i in used:
        i.role = "legend"
    taken = {id(i) for i in used}
    marks = [r for r in shapes if not _is_sample(r, [e.swatch for e in legend])]
    zones = find_zones(
        [i for i in items if id(i) not in taken],
        (w, h),
        [r.box for r in marks if min(width(r.box), height(r.box)) > 4],
    )
    mark_ticks(zones.plot, marks)
    plot = [i for i in zones.plot if i.role != "tick"]
    if zones.footer:
        start = min(i.box[1] for i in zones.footer)
        marks = [r for r in marks if cy(r.box) < start]
    drafts: list[Draft] = []
    kind = "unknown"
    names: dict[str, str] = {}
    disc = find_disc(palette, raw)
    by_colour = {e.colour: e.name for e in legend}
    if disc is not None:
        drafts, kind = read_pie(plot, by_colour, palette, disc), "pie"
    side = orientation(marks) if sum(d.sure > KEEP for d in drafts) < 2 else ""
    if side and any(i.number is not None for i in plot):
        vertical = side == "v"
        found = _bars(marks, plot, legend, palette, vertical, look)
        if found is not None:
            drafts, kind, names = found.drafts, found.chart_type, found.names
    if sum(d.sure for d in drafts) < 0.5 * sum(i.number is not None and not is_date(i.text) for i in plot):
        floor = min((i.box[1] for i in zones.footer), default=float(h))
        ceiling = max((i.box[3] for i in (*zones.title, *zones.subtitle)), default=0.0)
        traced, tints, n = read_lines(zones.plot, by_colour, palette, ceiling, floor)
        if sum(d.sure for d in traced) > sum(d.sure for d in drafts):
            drafts, names, kind = traced, tints, "multi_line" if n > 1 else "line"
    if sum(d.sure > KEEP for d in drafts) < 3:
        table = read_table(plot)
        if sum(d.sure for d in table) > sum(d.sure for d in drafts):
            drafts, kind, names = table, "table", {}
    _first_section(drafts, join_text(zones.subtitle))
    cells, lost = finish(drafts)
    # One or two numbers among many are ticks or remarks, not a table.
    seen = sum(i.number is not None and not is_date(i.text) for i in plot)
    if len(cells) < 2 or (len(cells) == 2 and seen > 5):
        return None
    for d in drafts:
        d.item.role = "value_label"
    return _table(items, zones.title, zones.subtitle, zones.footer, cells, lost, legend, names, kind)


def _bars(
    marks: Sequence[Rect],
    plot: Sequence[Item],
    legend: Sequence[Entry],
    palette: Palette,
    vertical: bool,
    look: Look | None,
) -> BarReading | None:
    if not vertical:
        return read_bars(marks, plot, legend, palette, False, look)
    blocks = merge_words(split_over(plot, columns_of(marks)))
    for i in blocks:
        i.box = swap(i.box)
    try:
        return read_bars([Rect(swap(r.box), r.colour, r.fill) for r in marks], blocks, legend, palette, True, look)
    finally:
        for i in blocks:
            i.box = swap(i.box)


def _first_section(drafts: Sequence[Draft], subtitle: str) -> None:
    """Where later rows stand under a second question, the subtitle is the first rows' question."""
    titled = {(d.series, d.category) for d in drafts if d.section}
    for d in drafts:
        if not d.section and subtitle and (d.series, d.category) in titled:
            d.section = subtitle


def _drop_ticks(items: Sequence[Item], axes: Sequence[Axis]) -> None:
    """Numbers that label an axis are no values; an axis with uneven steps may itself be made of value labels."""
    for a in axes:
        if a.kind != "numeric" or not _evenly_stepped([t.value for t in a.ticks if t.value is not None]):
            continue
        for t in a.ticks:
            if t.box is None:
                continue
            for i in items:
                if t.box[0] - 2 <= cx(i.box) <= t.box[2] + 2 and t.box[1] - 2 <= cy(i.box) <= t.box[3] + 2:
                    i.role = "tick"


def _evenly_stepped(values: Sequence[float]) -> bool:
    steps = np.diff(np.sort(np.array(values)))
    if len(steps) < 3 or float(steps.min()) <= 0:
        return False
    return float(steps.max()) <= 1.02 * float(steps.min())


def _is_letter(r: Rect, texts: Sequence[Box], inks: Sequence[NDArray[np.float64] | None], palette: Palette) -> bool:
    """A glyph's stem or a dash rather than a mark: inside a text box, in the text's own ink."""
    b = r.box
    if min(width(b), height(b)) < 2:
        return True
    for t, ink in zip(texts, inks):
        if b[0] >= t[0] - 1 and b[2] <= t[2] + 1 and b[1] >= t[1] - 1 and b[3] <= t[3] + 1:
            if ink is None or float(np.linalg.norm(ink - palette.colours[r.colour])) < 75:
                return True
            if width(b) * height(b) < 0.12 * width(t) * height(t):
                return True
    return False


def _is_sample(r: Rect, samples: Sequence[Box]) -> bool:
    return any(
        x_overlap(r.box, s) > 0.5 * width(s)
        and y_overlap(r.box, s) > 0.5 * height(s)
        and width(r.box) * height(r.box) < 2.5 * width(s) * height(s)
        for s in samples
    )


def _table(
    items: Sequence[Item],
    title: Sequence[Item],
    subtitle: Sequence[Item],
    footer: Sequence[Item],
    cells: list[Cell],
    lost: Sequence[Draft],
    legend: Sequence[Entry],
    names: dict[str, str],
    kind: str,
) -> LabelledTable:
    sub = join_text(subtitle)
    head = join_text(title)
    unit = _unit(cells, items, f"{head} {sub}")
    scale = next((s for p, _, s in _MANY if p.search(f"{head} {sub}")), 1.0)
    series: list[Series] = []
    for name in dict.fromkeys(c.series for c in cells):
        tint = names.get(name, "") or names.get(name.split(": ")[-1], "")
        rgb = tuple(int(tint[k : k + 2], 16) for k in (1, 3, 5)) if tint else None
        box = next((e.box for e in legend if e.name == name), None)
        series.append(Series(name, tint, name_of(rgb) if rgb else "", box))  # type: ignore[arg-type]
    categories = tuple(dict.fromkeys(c.category for c in cells if c.category))
    dated = sum(is_date(c) for c in categories)
    category_kind: Literal["category", "time", "numeric", ""] = (
        "time" if categories and dated == len(categories) else "category" if categories else ""
    )
    if category_kind == "time":
        from dataclasses import replace

        cells = [replace(c, x=year_of(c.category)) if c.x is None else c for c in cells]
    unread = []
    if lost:
        shown = ", ".join(d.item.text for d in lost[:8])
        unread.append(f"{len(lost)} printed value(s) could not be placed with certainty: {shown}")
    return LabelledTable(
        texts=tuple(i.as_text_box() for i in items),
        title=head,
        subtitle=sub,
        source=join_text([i for i in footer if i.role == "source"]),
        notes=join_text([i for i in footer if i.role == "note"]),
        unit=unit,
        scale=scale,
        series=tuple(series),
        categories=categories,
        category_kind=category_kind,
        cells=tuple(cells),
        chart_type=kind,
        confidence=round(float(np.mean([c.confidence for c in cells])), 3),
        unread=tuple(unread),
    )


def _unit(cells: Sequence[Cell], items: Sequence[Item], head: str) -> str:
    marks = [i.number.unit for i in items if i.number is not None and i.number.unit and i.role == "value_label"]
    if marks:
        return max(set(marks), key=marks.count)
    if _UNIT.search(head) and all(abs(c.value) <= 100 for c in cells):
        return "%"
    for pattern, word, _ in _MANY:
        if pattern.search(head):
            return word
    return "$" if "$" in head else ""
