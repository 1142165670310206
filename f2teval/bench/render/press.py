"""Newsroom graphics: a headline, an italic question, printed values, section headers, column headers, notes and source.

Composed as SVG on a page of our own and rasterised by resvg (inside vl-convert): polls print their charts like this.
"""

from __future__ import annotations

import math
from random import Random
from typing import Final

from f2teval.bench.render.fonts import text_width, wrap
from f2teval.bench.render.outlines import outline_texts
from f2teval.bench.render.page import Page, contrast, legend, printed
from f2teval.bench.render.press_charts import columns, funnel, pie, sankey, treemap
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import Style, plan_axis
from f2teval.bench.render.vega import png_size, rasterise
from f2teval.bench.table import Table
from f2teval.figure.reading import Axis, TextBox, Tick

TYPES: Final = (
    "horizontal_bar",
    "vertical_bar",
    "stacked_bar",
    "grouped_bar",
    "line",
    "multi_line",
    "pie",
    "donut",
    "funnel",
    "treemap",
    "sankey",
)


def render(rng: Random, table: Table, chart_type: str, style: Style) -> Scene:
    """Draw a table. Boxes in the scene are in pixels of the returned PNG."""
    width = float(rng.choice((310, 310, 420, 420, 500, 640)))
    if chart_type in ("vertical_bar", "grouped_bar", "line", "multi_line"):
        width = max(
            width, 60.0 + 24 * len(table.categories) * (len(table.series) if chart_type == "grouped_bar" else 1)
        )
    page = Page(style, width)
    scene = Scene(0, 0, chart_type, "press", style.background)
    y = 6.0
    if style.theme % 3:
        page.rect(0, 2, width, 1.5, style.ink)
        y = 10.0
    y = page.lines(6, y, table.title, width - 14, "title", size=style.font_size * 1.35, bold=True)
    sub = table.subtitle or (f"{table.value_title}" if table.value_title else "")
    if sub:
        gray = "#767676" if style.background == "#ffffff" else style.ink
        y = page.lines(
            6, y + 2, sub, width - 14, "subtitle", size=style.font_size + 1, italic=True, color=gray, family=style.serif
        )
    y = _BODY[chart_type](rng, page, scene, table, style, y + 8)
    y += 10
    gray = "#767676" if style.background == "#ffffff" else style.ink
    if style.show_source:
        if table.note:
            y = page.lines(6, y, f"Note: {table.note}", width - 14, "note", size=style.font_size - 1.5, color=gray)
        if table.source:
            y = page.lines(
                6, y, f"Source: {table.source}", width - 14, "source", size=style.font_size - 1.5, color=gray
            )
            if rng.random() < 0.6:
                y = page.lines(6, y + 3, rng.choice(_BRANDS), width - 14, "source", size=style.font_size - 2, bold=True)
    page.height = math.ceil(y + 6)
    if style.theme % 3:
        page.rect(0, page.height - 3, width, 1.5, style.ink)
    svg = page.svg()
    scene.texts = page.texts
    scene.png = rasterise(outline_texts(svg), style.scale)
    scene.scale(style.scale)
    scene.width, scene.height = png_size(scene.png)
    return scene


_BRANDS: Final = ("HARBORVIEW RESEARCH CENTER", "CIVIC POLL 24", "DATA DESK", "THE MERIDIAN")


def _rows(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    """Horizontal bars: one, stacked, or in groups; sections; column headers or a legend; a NET column."""
    kind, width = scene.chart_type, page.width
    k = len(table.series)
    labels_w = min(width * 0.42, max(text_width(c, st.font_size, st.font) for c in table.categories) + 10)
    x0 = 6 + labels_w + 6
    net = kind == "stacked_bar" and k >= 3 and st.labels and rng.random() < 0.35
    room = width - x0 - (44 if net else 30) - (10 if kind != "stacked_bar" else 0)
    totals = [sum(max(0.0, r[c] or 0) for r in table.values) for c in range(len(table.categories))]
    if kind == "stacked_bar":
        top = max(totals)
        low = 0.0
    else:
        top = max(max(v or 0 for r in table.values for v in r), 0.0)
        low = min(0.0, min(v or 0 for r in table.values for v in r))
    unit = room / ((top - low) or 1)
    zero = x0 - low * unit
    if low < 0:
        zero += 24
        unit = (room - 24) / (top - low)
    headers = kind == "stacked_bar" and st.direct and st.labels
    if k > 1 and headers:
        at, lines_max = zero, 0
        cells = []
        for i, title in enumerate(table.series):
            w = max(0.0, table.values[i][0] or 0) * unit
            cells.append((at + w / 2, wrap(title, max(w - 4, 44), st.font_size - 1, st.font, True)))
            lines_max = max(lines_max, len(cells[-1][1]))
            at += w
        for cx, rows in cells:
            top_y = y + (lines_max - len(rows)) * st.font_size * 1.15
            for row in rows:
                top_y += st.font_size * 1.15
                page.text(cx, top_y, row, "column_header", size=st.font_size - 1, anchor="middle", bold=True)
        if net:
            page.text(
                width - 8,
                y + lines_max * st.font_size * 1.15,
                "NET",
                "column_header",
                size=st.font_size - 1,
                anchor="end",
                bold=True,
            )
        y += lines_max * st.font_size * 1.15 + 6
    elif k > 1:
        y = legend(page, table.series, st, x0 if width > 380 else 8, y)
        net = False
    first_y, section = y, ""
    band = max(12.0, st.font_size * 1.6) if kind != "grouped_bar" else max(11.0, st.font_size * 1.3) * k
    for c, cat in enumerate(table.categories):
        if table.sections and table.sections[c] != section:
            section = table.sections[c]
            y += 5
            page.text(
                6 if st.theme % 2 else x0 - 6,
                y + st.font_size,
                section,
                "section",
                bold=True,
                anchor="start" if st.theme % 2 else "end",
            )
            y += st.font_size + 5
        rows = wrap(cat, labels_w, st.font_size, st.font)
        mid = y + band / 2
        start = mid - (len(rows) - 1) * st.font_size * 0.58 + st.font_size * 0.36
        first = len(page.texts)
        for row in rows:
            page.text(x0 - 6, start, row, "category", anchor="end")
            start += st.font_size * 1.15
        boxes = [t.box for t in page.texts[first:]]
        page.texts[first:] = [
            TextBox(
                "\n".join(rows), (min(b[0] for b in boxes), boxes[0][1], boxes[0][2], boxes[-1][3]), 1.0, "category"
            )
        ]
        at = zero
        for s, name in enumerate(table.series):
            v = table.values[s][c]
            if v is None:
                continue
            color = st.color(s)
            w = v * unit
            if kind == "grouped_bar":
                h = band / k
                box = (min(zero, zero + w), y + s * h, max(zero, zero + w), y + (s + 1) * h - 1)
            else:
                box = (min(at, at + w), y, max(at, at + w), y + band)
            page.rect(
                box[0],
                box[1],
                box[2] - box[0],
                box[3] - box[1],
                color,
                stroke=st.background if kind == "stacked_bar" else "",
            )
            label = ""
            if st.labels:
                label = printed(table, st, v, c == 0)
                lw = text_width(label, st.font_size - 1, st.font)
                base = (box[1] + box[3]) / 2 + st.font_size * 0.33
                inside = kind == "stacked_bar" or (st.label_inside and abs(w) > lw + 8)
                if kind == "stacked_bar" and lw > abs(w) - 1:
                    label = ""
                elif inside:
                    cx = (box[0] + box[2]) / 2 if kind == "stacked_bar" else (box[2] - 4 if w > 0 else box[0] + 4)
                    page.text(
                        cx,
                        base,
                        label,
                        "value_label",
                        size=st.font_size - 1,
                        color=contrast(color),
                        anchor="middle" if kind == "stacked_bar" else ("end" if w > 0 else "start"),
                    )
                else:
                    page.text(
                        box[2] + 4 if w >= 0 else box[0] - 4,
                        base,
                        label,
                        "value_label",
                        size=st.font_size - 1,
                        anchor="start" if w >= 0 else "end",
                    )
            scene.marks.append(Mark(name, cat, v, box, "bar", color, label))
            if kind == "stacked_bar":
                at += w
        if net:
            total = (table.values[0][c] or 0) + (table.values[1][c] or 0)
            page.text(
                width - 8,
                mid + st.font_size * 0.33,
                f"{total:g}",
                "annotation",
                size=st.font_size - 1,
                anchor="end",
                bold=True,
            )
        y += band + (band * 0.45 if kind != "grouped_bar" else 7)
    page.path(f"M{zero:.1f},{first_y - 3:.1f}V{y:.1f}", stroke=st.ink, width=0.7, opacity=0.6)
    scene.plot_area = (x0, first_y, width - 6, y)
    scene.colors = {s: st.color(i) for i, s in enumerate(table.series)}
    if not st.labels:
        plan = plan_axis(low, top, st, table.symbol, zero=True, target=4)
        ticks = []
        for v, t in zip(plan.ticks, plan.labels):
            px = zero + v * unit
            if px <= width - 8:
                page.path(f"M{px:.1f},{first_y - 3:.1f}V{y:.1f}", stroke=st.grid_color, width=0.6)
                page.text(px, y + st.font_size + 2, t, "tick", anchor="middle", size=st.font_size - 1)
                ticks.append(Tick(t, v, px, page.texts[-1].box))
        y += st.font_size + 4
        scene.axes.append(
            Axis("x", "numeric", tuple(ticks), "", table.unit, "linear", *calibration(unit, zero), 0.0, 1.0)
        )
    boxes_by = {m.category: m.box for m in scene.marks}
    scene.axes.append(
        Axis(
            "y", "category", tuple(Tick(c, None, (b[1] + b[3]) / 2) for c, b in boxes_by.items()), table.category_title
        )
    )  # type: ignore[arg-type]
    return y


_BODY: Final = {
    "horizontal_bar": _rows,
    "stacked_bar": _rows,
    "vertical_bar": columns,
    "line": columns,
    "multi_line": columns,
    "grouped_bar": lambda r, p, sc, t, s, y: (_rows if len(t.categories) > 5 or r.random() < 0.5 else columns)(
        r, p, sc, t, s, y
    ),
    "pie": pie,
    "donut": pie,
    "funnel": funnel,
    "treemap": treemap,
    "sankey": sankey,
}
