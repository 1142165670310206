"""Newsroom graphics: a headline, an italic question, printed values, section headers, column headers, notes and source.

Composed as SVG on a page of our own and rasterised by resvg (inside vl-convert): polls print their charts like this.
"""

from __future__ import annotations

import math
from random import Random
from typing import Final
from xml.sax.saxutils import escape

from f2teval.bench.render.fonts import anchored_box, text_width, wrap
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import Style, plan_axis, value_label
from f2teval.bench.render.vega import png_size, rasterise
from f2teval.bench.table import Table
from f2teval.figure.reading import Axis, TextBox, TextRole, Tick

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


class Page:
    """An SVG page that remembers where it put each text."""

    def __init__(self, style: Style, width: float) -> None:
        self.style, self.width, self.height = style, width, 0.0
        self.parts: list[str] = []
        self.texts: list[TextBox] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        role: TextRole,
        *,
        size: float | None = None,
        anchor: str = "start",
        bold: bool = False,
        italic: bool = False,
        color: str = "",
        family: str = "",
        angle: float = 0.0,
    ) -> float:
        """Set a text with its baseline at ``y``; returns its width."""
        size, family = size or self.style.font_size, family or self.style.font
        w = text_width(text, size, family, bold, italic)
        turn = f' transform="rotate({angle} {x:.1f} {y:.1f})"' if angle else ""
        look = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "")
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-family="{family}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{color or self.style.ink}"{look}{turn}>{escape(text)}</text>'
        )
        self.texts.append(TextBox(text, anchored_box(x, y, w, size, anchor, angle), 1.0, role, angle))
        return w

    def lines(
        self,
        x: float,
        y: float,
        text: str,
        width: float,
        role: TextRole,
        *,
        size: float | None = None,
        bold: bool = False,
        italic: bool = False,
        color: str = "",
        family: str = "",
        anchor: str = "start",
    ) -> float:
        """Set a wrapped text from ``y`` (top) down, as one text box; returns the y below it."""
        size, family = size or self.style.font_size, family or self.style.font
        rows = wrap(text, width, size, family, bold)
        first = len(self.texts)
        for row in rows:
            y += size * 1.2
            self.text(x, y, row, role, size=size, bold=bold, italic=italic, color=color, family=family, anchor=anchor)
        boxes = [t.box for t in self.texts[first:]]
        if boxes:
            box = (min(b[0] for b in boxes), boxes[0][1], max(b[2] for b in boxes), boxes[-1][3])
            self.texts[first:] = [TextBox("\n".join(rows), box, 1.0, role)]
        return y + size * 0.3

    def rect(self, x: float, y: float, w: float, h: float, color: str, *, stroke: str = "") -> None:
        edge = f' stroke="{stroke}"' if stroke else ""
        self.parts.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(0, w):.2f}" height="{max(0, h):.2f}" fill="{color}"{edge}/>'
        )

    def path(
        self, d: str, *, fill: str = "none", stroke: str = "none", width: float = 1.0, opacity: float = 1.0
    ) -> None:
        self.parts.append(f'<path d="{d}" fill="{fill}" stroke="{stroke}" stroke-width="{width}" opacity="{opacity}"/>')

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}"><rect width="100%" height="100%" fill="{self.style.background}"/>'
            + "".join(self.parts)
            + "</svg>"
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
    scene.png = rasterise(svg, style.scale)
    scene.scale(style.scale)
    scene.width, scene.height = png_size(scene.png)
    return scene


_BRANDS: Final = ("HARBORVIEW RESEARCH CENTER", "CIVIC POLL 24", "DATA DESK", "THE MERIDIAN")


def _contrast(color: str) -> str:
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#ffffff" if 0.3 * r + 0.59 * g + 0.11 * b < 150 else "#000000"


def _printed(table: Table, style: Style, v: float, first: bool) -> str:
    """Polls print the sign on the first value only."""
    text = value_label(v, table, style)
    if table.symbol == "%":
        bare = text.rstrip("%")
        return bare + "%" if first and style.theme % 2 else (text if style.theme % 5 == 0 else bare)
    return text


def _rows(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    """Horizontal bars: one, stacked, or in groups; sections; column headers or a legend; a NET column."""
    kind, width = scene.chart_type, page.width
    k = len(table.series)
    side = "y"
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
        for i, s in enumerate(table.series):
            w = max(0.0, table.values[i][0] or 0) * unit
            cells.append((at + w / 2, wrap(s, max(w - 4, 44), st.font_size - 1, st.font, True)))
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
        y = _legend(page, table.series, st, x0 if width > 380 else 8, y)
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
                label = _printed(table, st, v, c == 0)
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
                        color=_contrast(color),
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
            side, "category", tuple(Tick(c, None, (b[1] + b[3]) / 2) for c, b in boxes_by.items()), table.category_title
        )
    )  # type: ignore[arg-type]
    return y


def _legend(page: Page, names: tuple[str, ...], st: Style, x: float, y: float) -> float:
    left = x
    for i, s in enumerate(names):
        w = text_width(s, st.font_size - 1, st.font) + 22
        if x + w > page.width - 4 and x > left:
            x, y = left, y + st.font_size + 5
        page.rect(x, y + 2, st.font_size - 2, st.font_size - 2, st.color(i))
        page.text(x + st.font_size + 2, y + st.font_size - 1, s, "legend", size=st.font_size - 1)
        x += w
    return y + st.font_size + 10


def _columns(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    """Vertical bars, lines: values printed on them, or an axis."""
    kind, k, n = scene.chart_type, len(table.series), len(table.categories)
    is_line = "line" in kind
    flat = [v for r in table.values for v in r if v is not None]
    if k > 1 and not (is_line and st.direct):
        y = _legend(page, table.series, st, 8, y)
    height = float(rng.randint(130, 240))
    right = (
        max((text_width(s, st.font_size, st.font) for s in table.series), default=0) + 12
        if is_line and st.direct and k > 1
        else 10
    )
    axis = not st.labels or rng.random() < 0.3
    plan = plan_axis(min(flat), max(flat), st, table.symbol, zero=not is_line or st.from_zero, target=4)
    left = (max(text_width(t, st.font_size - 1, st.font) for t in plan.labels) + 10) if axis else 12.0
    x0, x1 = left, page.width - right - 6
    top, bottom = y + 14, y + 14 + height
    lo, hi = (
        (plan.lo, plan.hi)
        if axis
        else (min(0.0, min(flat)) if not is_line or st.from_zero else plan.lo, max(flat) if max(flat) > 0 else 0.0)
    )
    slope = -(bottom - top) / ((hi - lo) or 1)
    icpt = bottom - slope * lo
    ticks = []
    if axis:
        for v, t in zip(plan.ticks, plan.labels):
            py = slope * v + icpt
            if st.grid:
                page.path(f"M{x0:.1f},{py:.1f}H{x1:.1f}", stroke=st.grid_color, width=0.7)
            page.text(x0 - 5, py + st.font_size * 0.33, t, "tick", anchor="end", size=st.font_size - 1)
            ticks.append(Tick(t, v, py, page.texts[-1].box))
        scene.axes.append(
            Axis("y", "numeric", tuple(ticks), "", table.unit, "linear", *calibration(slope, icpt), 0.0, 1.0)
        )
    step = (x1 - x0) / (n if not is_line else max(1, n - 0.4))
    centre = [x0 + step * (i + 0.5) if not is_line else x0 + 8 + step * i for i in range(n)]
    scene.plot_area = (x0, top, x1, bottom)
    zero_y = min(bottom, max(top, icpt)) if not is_line else bottom
    wanted = max(text_width(c, st.font_size - 1, st.font) for c in table.categories)
    skip = is_line and table.category_kind == "time" and n > 4 and rng.random() < 0.5
    for s, name in enumerate(table.series):
        color = st.color(s)
        pts = []
        for c, cat in enumerate(table.categories):
            v = table.values[s][c]
            if v is None:
                continue
            py, label = slope * v + icpt, ""
            if is_line:
                box = (centre[c] - 3, py - 3, centre[c] + 3, py + 3)
                pts.append((centre[c], py))
                ends = c in (0, n - 1)
                if st.labels and (ends or (n <= 12 and k <= 2)):
                    label = _printed(table, st, v, c == 0)
                    page.text(
                        centre[c],
                        py - 6 if s % 2 == 0 else py + st.font_size + 3,
                        label,
                        "value_label",
                        size=st.font_size - 1,
                        anchor="middle",
                        color=color if k > 1 else "",
                        bold=ends,
                    )
            else:
                w = step * st.band / k
                bx = centre[c] - step * st.band / 2 + s * w
                box = (bx, min(py, zero_y), bx + w - (1 if k > 1 else 0), max(py, zero_y))
                page.rect(box[0], box[1], box[2] - box[0], box[3] - box[1], color)
                if st.labels:
                    label = _printed(table, st, v, c == 0)
                    if text_width(label, st.font_size - 1, st.font) > w + 8:
                        label = (
                            f"{v:,.0f}"
                            if table.decimals
                            and text_width(f"{v:,.0f}", st.font_size - 1, st.font) < w + 8
                            and abs(v) >= 10
                            else label
                        )
                    tall = box[3] - box[1] > st.font_size + 6
                    if st.label_inside and tall:
                        page.text(
                            (box[0] + box[2]) / 2,
                            (box[1] if v >= 0 else box[3] - st.font_size - 3) + st.font_size + 1,
                            label,
                            "value_label",
                            size=st.font_size - 1,
                            anchor="middle",
                            color=_contrast(color),
                        )
                    else:
                        page.text(
                            (box[0] + box[2]) / 2,
                            box[1] - 4 if v >= 0 else box[3] + st.font_size,
                            label,
                            "value_label",
                            size=st.font_size - 1,
                            anchor="middle",
                        )
            scene.marks.append(Mark(name, cat, v, box, "point" if is_line else "bar", color, label))
        if is_line:
            page.path("M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in pts), stroke=color, width=2.2)
            if st.points:
                for a, b in pts:
                    page.path(
                        f"M{a - 3:.1f},{b:.1f}a3,3 0 1,0 6,0a3,3 0 1,0 -6,0",
                        fill=st.background,
                        stroke=color,
                        width=1.5,
                    )
        scene.colors[name] = color
    if is_line and k > 1 and st.direct:
        ends = sorted((slope * (r[-1] or 0) + icpt, s) for s, r in enumerate(table.values))
        at = -1e9
        for py, s in ends:
            at = max(py, at + st.font_size + 2)
            page.text(x1 + 4, at + st.font_size * 0.33, table.series[s], "series_label", color=st.color(s), bold=True)
    page.path(f"M{x0:.1f},{zero_y:.1f}H{x1:.1f}", stroke=st.ink, width=0.8)
    angle = 0 if wanted < step * 0.95 or skip else -45
    labels = []
    for c, cat in enumerate(table.categories):
        if skip and c not in (0, n - 1, n // 2):
            continue
        if angle == 0:
            page.text(
                centre[c],
                bottom + st.font_size + 4,
                cat,
                "category" if not cat.isdigit() else "tick",
                anchor="middle",
                size=st.font_size - 1,
            )
        else:
            page.text(
                centre[c] + 3,
                bottom + st.font_size + 2,
                cat,
                "category",
                anchor="end",
                size=st.font_size - 1,
                angle=angle,
            )
        labels.append(
            Tick(
                cat,
                float(cat) if cat.isdigit() and table.category_kind == "time" else None,
                centre[c],
                page.texts[-1].box,
            )
        )
    time = table.category_kind == "time" and labels[0].value is not None and len(labels) > 1 and table.x is not None
    a = (labels[-1].pixel - labels[0].pixel) / ((labels[-1].value or 1) - (labels[0].value or 0)) if time else 0.0
    scene.axes.append(
        Axis(
            "x",
            "time" if time else "category",
            tuple(labels),
            "",
            "",
            "linear",
            *calibration(a, labels[0].pixel - a * (labels[0].value or 0)),
            0.0,
            1.0,
        )
    )
    low = [slope * v + icpt for v in flat if v < 0] or [bottom]
    return max(
        bottom + st.font_size + 6 + (abs(math.sin(math.radians(angle))) * wanted if angle else 0),
        max(low) + st.font_size,
    )


def _pie(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    r = min(page.width * 0.3, 110.0)
    cx, cy, at = page.width / 2, y + r + 16, 0.0
    inner = r * 0.55 if scene.chart_type == "donut" else 0.0
    total = sum(abs(v or 0) for v in table.values[0])
    outside = st.direct or not st.labels
    if not outside:
        y = _legend(page, table.categories, st, 8, y)
        cy = y + r + 8
    for i, c in enumerate(table.categories):
        v = float(table.values[0][i] or 0)
        a0, a1 = at, at + 2 * math.pi * v / total
        at = a1
        big = 1 if a1 - a0 > math.pi else 0

        def p(a: float, q: float) -> str:
            return f"{cx + q * math.sin(a):.2f},{cy - q * math.cos(a):.2f}"

        d = f"M{p(a0, r)}A{r},{r} 0 {big} 1 {p(a1, r)}" + (
            f"L{p(a1, inner)}A{inner},{inner} 0 {big} 0 {p(a0, inner)}Z" if inner else f"L{cx},{cy}Z"
        )
        page.path(d, fill=st.color(i), stroke=st.background, width=1.5)
        steps = [a0 + (a1 - a0) * k / 16 for k in range(17)]
        pts = [(cx + q * math.sin(a), cy - q * math.cos(a)) for a in steps for q in (r, inner)]
        box = (min(t[0] for t in pts), min(t[1] for t in pts), max(t[0] for t in pts), max(t[1] for t in pts))
        mid, label = (a0 + a1) / 2, ""
        if st.labels and a1 - a0 > 0.25:
            label = value_label(v, table, st)
            q = (r + inner) / 2 if inner else r * 0.65
            page.text(
                cx + q * math.sin(mid),
                cy - q * math.cos(mid) + 3,
                label,
                "value_label",
                anchor="middle",
                color=_contrast(st.color(i)),
            )
        if outside:
            right = math.sin(mid) >= 0
            page.text(
                cx + (r + 7) * math.sin(mid),
                cy - (r + 7) * math.cos(mid) + 3,
                c,
                "category",
                anchor="start" if right else "end",
                size=st.font_size - 1,
            )
        scene.marks.append(Mark("", c, v, box, "slice", st.color(i), label))
        scene.colors[c] = st.color(i)
    scene.plot_area = (cx - r, cy - r, cx + r, cy + r)
    return cy + r + 14


def _funnel(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    top = max(v or 0 for v in table.values[0])
    left = max(text_width(c, st.font_size, st.font) for c in table.categories) + 14
    room, h = page.width - left - 12, float(rng.randint(24, 38))
    start = y
    for i, c in enumerate(table.categories):
        v = float(table.values[0][i] or 0)
        w = room * v / top
        box = (left + (room - w) / 2, y, left + (room + w) / 2, y + h - 3)
        page.rect(box[0], box[1], w, h - 3, st.color(0 if len(st.palette) < 3 or st.direct else i))
        page.text(left - 6, y + h / 2 + 3, c, "category", anchor="end")
        label = value_label(v, table, st)
        wide = text_width(label, st.font_size, st.font) < w - 6
        page.text(
            left + room / 2 if wide else box[2] + 4,
            y + h / 2 + 3,
            label,
            "value_label",
            anchor="middle" if wide else "start",
            color=_contrast(st.color(0 if len(st.palette) < 3 or st.direct else i)) if wide else "",
        )
        scene.marks.append(Mark("", c, v, box, "bar", st.color(0), label))
        y += h
    scene.plot_area = (left, start, page.width - 6, y)
    return y


def _treemap(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    from f2teval.bench.render.layout import squarify

    w, h = page.width - 12, float(rng.randint(170, 300))
    items = sorted(((float(v or 0), c) for v, c in zip(table.values[0], table.categories)), reverse=True)
    for i, ((v, c), (x, yy, bw, bh)) in enumerate(zip(items, squarify([v for v, _ in items], 6, y, w, h))):
        page.rect(x, yy, bw, bh, st.color(i), stroke=st.background)
        label, ink = "", _contrast(st.color(i))
        if text_width(c, st.font_size, st.font) < bw - 6 and bh > st.font_size * 1.4:
            page.text(x + 4, yy + st.font_size + 2, c, "category", color=ink)
        elif bh > st.font_size * 1.4:
            page.lines(x + 4, yy, c, bw - 6, "category", size=st.font_size - 2, color=ink)
        if bh > st.font_size * 2.8 and st.labels:
            label = value_label(v, table, st)
            page.text(x + 4, yy + bh - 5, label, "value_label", color=ink)
        scene.marks.append(Mark("", c, v, (x, yy, x + bw, yy + bh), "cell", st.color(i), label))
        scene.colors[c] = st.color(i)
    scene.plot_area = (6, y, 6 + w, y + h)
    return y + h


def _sankey(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    total = sum(v or 0 for r in table.values for v in r)
    h, gap, node = float(rng.randint(180, 280)), 14.0, 12.0
    left = max(text_width(s, st.font_size, st.font) for s in table.series) + 14
    right = page.width - max(text_width(c, st.font_size, st.font) for c in table.categories) - 14
    unit = (h - gap * max(len(table.series), len(table.categories))) / total
    src, dst = {}, {}
    at = y + 4
    for i, s in enumerate(table.series):
        size = sum(v or 0 for v in table.values[i]) * unit
        page.rect(left, at, node, size, st.color(i))
        page.text(left - 5, at + size / 2 + 3, s, "series_label", anchor="end")
        src[s] = at
        at += size + gap
        scene.colors[s] = st.color(i)
    at = y + 4
    for c in table.categories:
        size = sum(table.at(s, c) or 0 for s in table.series) * unit
        page.rect(right - node, at, node, size, st.ink)
        page.text(right + 5, at + size / 2 + 3, c, "category")
        dst[c] = at
        at += size + gap
    mid = (left + right) / 2
    for i, s in enumerate(table.series):
        for c in table.categories:
            v = float(table.at(s, c) or 0)
            w, a, b = v * unit, src[s], dst[c]
            xa, xb = left + node, right - node
            page.path(
                f"M{xa:.1f},{a:.1f}C{mid:.1f},{a:.1f} {mid:.1f},{b:.1f} {xb:.1f},{b:.1f}V{b + w:.1f}C{mid:.1f},{b + w:.1f} {mid:.1f},{a + w:.1f} {xa:.1f},{a + w:.1f}Z",
                fill=st.color(i),
                opacity=0.4,
            )
            label = ""
            if st.labels and w > st.font_size * 0.9:
                label = value_label(v, table, st)
                page.text(xa + 5, a + w / 2 + 3, label, "value_label", size=st.font_size - 1)
            scene.marks.append(Mark(s, c, v, (xa, min(a, b), xb, max(a, b) + w), "link", st.color(i), label))
            src[s] += w
            dst[c] += w
    scene.plot_area = (left, y, right, y + h)
    return y + h


_BODY: Final = {
    "horizontal_bar": _rows,
    "stacked_bar": _rows,
    "vertical_bar": _columns,
    "line": _columns,
    "multi_line": _columns,
    "grouped_bar": lambda r, p, sc, t, s, y: (_rows if len(t.categories) > 5 or r.random() < 0.5 else _columns)(
        r, p, sc, t, s, y
    ),
    "pie": _pie,
    "donut": _pie,
    "funnel": _funnel,
    "treemap": _treemap,
    "sankey": _sankey,
}
