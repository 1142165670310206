"""A line chart with printed values, read into drafts: numbers go to lines by ink, nearness and a common scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from f2teval.figure.labelled.colours import Palette, hex_of
from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cx, cy, height, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.linedates import axis_scale, category_at, stacked_dates, tick_row
from f2teval.figure.labelled.linenames import end_slot, line_legend, name_lines, panel_names
from f2teval.figure.labelled.linepairs import agree, pair_values
from f2teval.figure.labelled.numbers import is_date, parse_number
from f2teval.figure.labelled.strokes import Stroke, find_strokes

_LEADING = re.compile(r"[Oo°]?(\d[\d.,]*\s?%?[*†]?)\s*([A-Za-z(‘'“\"].*)")
_TRAILING = re.compile(r"(.*[A-Za-z).,:’'”\"])\s*(\d[\d.,]*\s?%?)")


def read_lines(
    items: Sequence[Item], legend: dict[int, str], palette: Palette, top: float, bottom: float
) -> tuple[list[Draft], dict[str, str], int]:
    """Pair printed values with lines, dates and names.

    Returns:
        Drafts, colour of each series name, number of lines.
    """
    strokes = find_strokes(palette, [i.box for i in items], top, bottom)
    if not strokes:
        return [], {}, 0
    items = [p for i in items for p in _part(i, strokes) if not _ring(p, strokes)]
    numbers = [i for i in items if i.number is not None and not is_date(i.text) and i.role != "tick"]
    dates = stacked_dates([i for i in items if is_date(i.text)])
    scale = axis_scale([i for i in items if i.role == "tick"])
    words = [i for i in items if i.number is None and not is_date(i.text)]
    ticks = tick_row(dates) or tick_row([i for i in items if i.role == "tick"])
    for t in ticks:
        t.role = "tick"
    if ticks:
        floor = min(t.box[1] for t in ticks)
        strokes = [s for s in strokes if float(np.median(s.ys)) < floor + 2]
    if not strokes:
        return [], {}, 0
    _panels(strokes)
    pairs = pair_values(numbers, strokes, palette)
    if not pairs:
        return [], {}, len(strokes)
    agree(pairs, scale)
    legend = legend or line_legend(words, strokes, palette)
    names = name_lines(words, numbers, strokes, pairs, legend, palette)
    panels = panel_names(words, strokes, names)
    drafts: list[Draft] = []
    tints: dict[str, str] = {}
    lines = len({id(p.stroke) for p in pairs})
    for p in pairs:
        category, x, sure_x = category_at(p, ticks, strokes)
        name, sure_name = names.get(
            (id(p.stroke), -1 if p.stroke.single else end_slot(p)), ("", 0.3 if lines > 1 else 0.95)
        )
        sure = 0.9 if p.agreed else 0.75 if p.agreed is None else 0.25
        if p.cost > 2.2:
            sure *= 0.8
        tint = hex_of(palette.colours[p.stroke.colour])
        if name:
            tints.setdefault(name, tint)
        item = p.item
        if p.values and item.number is not None and p.values[0] != item.number.value:
            item = replace(item, number=replace(item.number, value=p.values[0]))
        drafts.append(
            Draft(item, name, category, "", panels.get(p.stroke.panel, ""), sure * sure_x * sure_name, x, tint)
        )
    return drafts, tints, len(strokes)


def _part(i: Item, strokes: Sequence[Stroke]) -> list[Item]:
    """Cut "52% Doesn't matter" beside a line's end into the value and the name."""
    if i.number is not None or is_date(i.text) or len(i.text) > 60:
        return [i]
    for s in strokes:
        h = height(i.box)
        near_end = -h <= i.box[0] - s.x1 <= 3.5 * h
        near_start = -h <= s.x0 - i.box[2] <= 3.5 * h
        m = _LEADING.fullmatch(i.text) if near_end else _TRAILING.fullmatch(i.text) if near_start else None
        if m is None:
            continue
        a, b = m[1].strip(), m[2].strip()
        if is_date(a) or is_date(b):
            continue
        x = i.box[0] + width(i.box) * (len(m[1]) / len(i.text))
        left = replace(i, text=a, box=(i.box[0], i.box[1], x, i.box[3]), number=parse_number(a))
        right = replace(i, text=b, box=(x, i.box[1], i.box[2], i.box[3]), number=parse_number(b))
        if left.number is not None or right.number is not None:
            return [left, right]
    return [i]


def _ring(i: Item, strokes: Sequence[Stroke]) -> bool:
    """A marker's ring read as a letter or a zero."""
    if i.text not in {"0", "O", "o", "°", "Q", "○", "。", "D", "C"}:
        return False
    h = height(i.box)
    return any(
        s.x0 - h <= cx(i.box) <= s.x1 + h
        and min(abs(cy(i.box) - y) for y in (s.y_at(cx(i.box)), *s.starts, *s.ends)) < 0.6 * h
        for s in strokes
    )


def _panels(strokes: Sequence[Stroke]) -> None:
    """Number the panels: stretches of x that lines cover without a break."""
    edge, n = -1.0, -1
    for s in sorted(strokes, key=lambda s: s.x0):
        if s.x0 > edge + 8:
            n += 1
        s.panel = max(n, 0)
        edge = max(edge, s.x1)
