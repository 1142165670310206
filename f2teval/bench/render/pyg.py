"""Figures by pygal (SVG, rasterised by resvg inside vl-convert), with the truth read back from pygal's SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final
from xml.etree import ElementTree

from f2teval.bench.render.fonts import anchored_box, text_width
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import Style, plan_axis, value_label
from f2teval.bench.render.vega import png_size, rasterise
from f2teval.bench.render.vega_svg import path_points
from f2teval.bench.table import Table
from f2teval.errors import MissingExtraError
from f2teval.figure.reading import Axis, TextBox, TextRole, Tick

TYPES: Final = (
    "vertical_bar",
    "horizontal_bar",
    "grouped_bar",
    "stacked_bar",
    "line",
    "multi_line",
    "area",
    "stacked_area",
    "pie",
    "donut",
    "radar",
    "treemap",
)
_SVG: Final = "{http://www.w3.org/2000/svg}"
_MOVE: Final = re.compile(r"translate\(([-\d.]+),\s*([-\d.]+)\)")
_TURN: Final = re.compile(r"rotate\(([-\d.]+)[ ,]+([-\d.]+)[ ,]+([-\d.]+)")
_LEAN: Final = re.compile(r'(<text [^>]*?)(transform="rotate\(\d)')
_SCRIPT: Final = re.compile(r"<script.*?(?:</script>|/>)", re.S)


def render(rng: Random, table: Table, chart_type: str, style: Style) -> Scene:
    """Draw a table. Boxes in the scene are in pixels of the returned PNG."""
    svg = _build(rng, table, chart_type, style)
    scene = _read(svg, table, chart_type, style)
    scene.png = rasterise(svg, style.scale)
    scene.scale(style.scale)
    scene.width, scene.height = png_size(scene.png)
    return scene


def _build(rng: Random, table: Table, kind: str, st: Style) -> str:
    try:
        import pygal
        from pygal.style import Style as Look
    except ImportError as e:
        raise MissingExtraError("drawing figures with pygal", "bench") from e
    look = Look(
        background=st.background,
        plot_background=st.background,
        foreground=st.ink,
        foreground_strong=st.ink,
        foreground_subtle=st.ink,
        colors=tuple(st.palette) * 3,
        font_family=st.font,
        label_font_size=st.font_size + 1,
        major_label_font_size=st.font_size + 1,
        title_font_size=st.title_size,
        legend_font_size=st.font_size + 1,
        value_font_size=st.font_size,
        opacity=".9",
        guide_stroke_color=st.grid_color,
        major_guide_stroke_color=st.grid_color,
        value_colors=tuple([st.ink] * 12) if kind not in ("pie", "donut") else (),
    )
    horizontal = kind == "horizontal_bar" or (kind in ("grouped_bar", "stacked_bar") and rng.random() < 0.3)
    cls = {
        "vertical_bar": pygal.Bar,
        "horizontal_bar": pygal.HorizontalBar,
        "grouped_bar": pygal.HorizontalBar if horizontal else pygal.Bar,
        "stacked_bar": pygal.HorizontalStackedBar if horizontal else pygal.StackedBar,
        "line": pygal.Line,
        "multi_line": pygal.Line,
        "area": pygal.Line,
        "stacked_area": pygal.StackedLine,
        "pie": pygal.Pie,
        "donut": pygal.Pie,
        "radar": pygal.Radar,
        "treemap": pygal.Treemap,
    }[kind]
    sliced = kind in ("pie", "donut", "treemap")
    values = [v for r in table.values for v in r if v is not None]
    if "stacked" in kind:
        values = [sum(r[c] or 0 for r in table.values) for c in range(len(table.categories))]
    plan = plan_axis(
        min(values), max(values), st, table.symbol, zero=kind not in ("line", "multi_line") or st.from_zero
    )
    title = table.title if st.show_title else None
    low_legend = st.legend_side == "bottom" and len(table.series) in (2, 3) and not sliced
    chart = cls(
        style=look,
        width=st.width + 170,
        height=st.height + 130,
        explicit_size=True,
        js=(),
        no_prefix=True,
        title=title,
        show_legend=len(table.series) > 1 or sliced,
        legend_at_bottom=low_legend,
        legend_at_bottom_columns=3,
        legend_box_size=10,
        print_values=st.labels and kind in ("vertical_bar", "horizontal_bar", "grouped_bar"),
        print_values_position="top",
        value_formatter=lambda v: value_label(v, table, st),
        show_dots=st.points,
        dots_size=2.5,
        fill="area" in kind,
        stroke_style={"width": 2},
        x_label_rotation=0 if horizontal or kind == "radar" else (st.tick_angle % 90 or 30),
        show_y_guides=st.grid,
        show_x_guides=False,
        truncate_legend=40,
        truncate_label=40,
        margin=14,
        x_title=(table.value_title if horizontal else table.category_title)
        if st.axis_titles and not sliced and kind != "radar"
        else None,
        y_title=(table.category_title if horizontal else table.value_title)
        if st.axis_titles and not sliced and kind != "radar"
        else None,
        inner_radius=0.55 if kind == "donut" else 0,
        spacing=8,
    )
    if not sliced:
        cats, rows = list(table.categories), [list(r) for r in table.values]
        if horizontal:
            cats, rows = cats[::-1], [r[::-1] for r in rows]
        chart.x_labels = cats
        chart.y_labels = [{"value": v, "label": t} for v, t in zip(plan.ticks, plan.labels)]
        chart.range = (plan.lo, plan.hi)
        for name, row in zip(table.series, rows):
            chart.add(name or table.value_title, row)
    else:
        for c, v in zip(table.categories, table.values[0]):
            chart.add(c, v)
    if low_legend:
        chart.config.margin_bottom = 34
    svg: str = chart.render(is_unicode=True)
    if kind != "radar":
        svg = _LEAN.sub(
            r'\1style="text-anchor:start" \2', svg
        )  # pygal's own rule for this uses :not(), which resvg ignores
    return _SCRIPT.sub("", svg)


def _walk(
    node: ElementTree.Element, x: float, y: float, path: tuple[str, ...]
) -> Iterator[tuple[ElementTree.Element, float, float, tuple[str, ...]]]:
    move = _MOVE.match(node.get("transform", "")) if node.tag == _SVG + "g" else None
    if move:
        x, y = x + float(move[1]), y + float(move[2])
    yield node, x, y, path
    for child in node:
        yield from _walk(child, x, y, (*path, node.get("class", "")))


def _read(svg: str, table: Table, kind: str, st: Style) -> Scene:
    root = ElementTree.fromstring(svg)
    scene = Scene(0, 0, kind, "pygal", st.background)
    horizontal = "horizontal" in svg[:6000] and 'class="graph horizontal' in svg
    sliced = kind in ("pie", "donut", "treemap")
    cats = list(table.categories)[::-1] if horizontal else list(table.categories)
    ticks: dict[str, list[tuple[str, float, tuple[float, float, float, float]]]] = {"x": [], "y": []}
    seen: dict[int, int] = {}
    lines: dict[int, list[tuple[float, float]]] = {}
    guide = 0.0
    turn_at = 0.0
    for node, x, y, path in _walk(root, 0, 0, ()):
        cls = node.get("class", "")
        joined = " ".join(path)
        if node.tag == _SVG + "rect" and cls == "background" and path and path[-1].startswith("plot"):
            scene.plot_area = (x, y, x + float(node.get("width", 0)), y + float(node.get("height", 0)))
        if node.tag == _SVG + "path" and "guides" in joined:
            pts = path_points(node.get("d", ""))
            if pts:
                guide = (x + pts[0][0]) if "axis x" in joined else (y + pts[0][1])
        if node.tag == _SVG + "text" and "".join(node.itertext()).strip():
            _text(scene, node, x, y, joined, cls, st, table, kind, horizontal, ticks, guide)
        serie = re.search(r"serie-(\d+)", joined)
        if not serie:
            continue
        s = int(serie[1])
        if node.tag == _SVG + "path" and cls.startswith("line"):
            lines[s] = [(x + a, y + b) for a, b in path_points(node.get("d", ""))]
        value_at = (node.tag == _SVG + "rect" and "rect" in cls) or (node.tag == _SVG + "path" and "slice" in cls)
        if (node.tag == _SVG + "path" and "line" in cls) or not value_at:
            continue
        i = seen.get(s, 0)
        seen[s] = i + 1
        if sliced:
            if i:
                continue
            v = float(table.values[0][s] or 0)
            cat = table.categories[s]
            if node.tag == _SVG + "rect":
                box = _rect(node, x, y)
            else:
                total = sum(abs(u or 0) for u in table.values[0])
                sweep = 2 * math.pi * abs(v) / total
                box = _slice(node.get("d", ""), x, y, turn_at, sweep)
                turn_at += sweep
            scene.marks.append(Mark("", cat, v, box, "slice", st.color(s)))
            scene.colors[cat] = st.color(s)
        elif i < len(cats):
            name = table.series[s]
            v = float(table.at(name, cats[i]) or 0)
            scene.marks.append(
                Mark(
                    name,
                    cats[i],
                    v,
                    _rect(node, x, y),
                    "bar",
                    st.color(s),
                    value_label(v, table, st) if st.labels and kind != "stacked_bar" else "",
                )
            )
            scene.colors[name] = st.color(s)
    for s, pts in lines.items():
        name = table.series[s]
        if len(pts) > 1 and abs(pts[0][0] - pts[1][0]) < 1e-6:
            pts = pts[1:]
        for c, (px, py) in zip(table.categories, pts):
            scene.marks.append(
                Mark(name, c, float(table.at(name, c) or 0), (px - 3, py - 3, px + 3, py + 3), "point", st.color(s))
            )
        scene.colors[name] = st.color(s)
    _axes(scene, table, st, ticks, horizontal, kind)
    return scene


def _rect(node: ElementTree.Element, x: float, y: float) -> tuple[float, float, float, float]:
    a, b = x + float(node.get("x", 0)), y + float(node.get("y", 0))
    return (a, b, a + float(node.get("width", 0)), b + float(node.get("height", 0)))


def _slice(d: str, x: float, y: float, start: float, sweep: float) -> tuple[float, float, float, float]:
    pts = [(x + float(a), y + float(b)) for a, b in re.findall(r"(-?[\d.]+)\s+(-?[\d.]+)(?=\s*[A-Zaz]|$)", d)]
    radius = [float(r) for r in re.findall(r"A\s?([\d.]+)", d)]
    if not pts or not radius:
        return (x, y, x, y)
    outer = max(radius)
    px, py = pts[0]
    cx, cy = px - outer * math.sin(start), py + outer * math.cos(start)
    inner = min(radius) if len(set(radius)) > 1 and min(radius) > 1 else 0.0
    ring = [
        (cx + r * math.sin(a), cy - r * math.cos(a))
        for k in range(25)
        for a in (start + sweep * k / 24,)
        for r in (outer, inner)
    ]
    return (min(p[0] for p in ring), min(p[1] for p in ring), max(p[0] for p in ring), max(p[1] for p in ring))


def _text(
    scene: Scene,
    node: ElementTree.Element,
    x: float,
    y: float,
    joined: str,
    cls: str,
    st: Style,
    table: Table,
    kind: str,
    horizontal: bool,
    ticks: dict[str, list[Any]],
    guide: float,
) -> None:
    text = "".join(node.itertext()).strip()
    role: TextRole
    anchor, size = "middle", st.font_size + 1
    side = ""
    if "plot_title" in cls:
        role, size = "title", st.title_size
    elif "legend" in joined:
        role, anchor = "legend", "start"
    elif "axis y" in joined or "axis x" in joined:
        numeric = ("axis y" in joined) != horizontal
        side = "y" if "axis y" in joined else "x"
        role = "tick" if numeric or text.isdigit() else "category"
        anchor = "end" if side == "y" else "middle"
        if kind == "radar":
            role, side = ("category" if text in table.categories else "tick"), ""
    elif "title" in cls:
        role = "y_title" if node.get("transform") else "x_title"
        size = st.title_size
    elif "value" in cls or "text-overlay" in joined:
        role, size = "value_label", st.font_size
    else:
        role = "other"
    turn = _TURN.search(node.get("transform", ""))
    angle = float(turn[1]) if turn else 0.0
    if side == "x" and angle:
        anchor = "start"
    w = text_width(text, size, st.font)
    tx, ty = x + float(node.get("x", 0)), y + float(node.get("y", 0))
    if turn:
        a, cx, cy = math.radians(angle), x + float(turn[2]), y + float(turn[3])
        tx, ty = (
            cx + (tx - cx) * math.cos(a) - (ty - cy) * math.sin(a),
            cy + (tx - cx) * math.sin(a) + (ty - cy) * math.cos(a),
        )
    box = anchored_box(tx, ty, w, size, anchor, angle)
    if role in ("title", "x_title", "y_title"):
        last = next((k for k, t in enumerate(scene.texts) if t.role == role), None)
        if last is not None:
            old = scene.texts[last]
            joint = (min(old.box[0], box[0]), min(old.box[1], box[1]), max(old.box[2], box[2]), max(old.box[3], box[3]))
            scene.texts[last] = TextBox(old.text + "\n" + text, joint, 1.0, role, angle)
            return
    scene.texts.append(TextBox(text, box, 1.0, role, angle))
    if side:
        ticks[side].append((text, guide, box))


def _axes(scene: Scene, table: Table, st: Style, ticks: dict[str, list[Any]], horizontal: bool, kind: str) -> None:
    for side in ("x", "y"):
        if not ticks[side] or kind == "radar":
            continue
        numeric = (side == "y") != horizontal
        if not numeric:
            time = table.category_kind == "time" and ticks[side][0][0].isdigit()
            made = tuple(Tick(t, float(t) if time and t.isdigit() else None, p, b) for t, p, b in ticks[side])
            scene.axes.append(
                Axis(side, "time" if time else "category", made, table.category_title if st.axis_titles else "")
            )  # type: ignore[arg-type]
            continue
        values = [v for r in table.values for v in r if v is not None]
        if "stacked" in kind:
            values = [sum(r[c] or 0 for r in table.values) for c in range(len(table.categories))]
        plan = plan_axis(
            min(values), max(values), st, table.symbol, zero=kind not in ("line", "multi_line") or st.from_zero
        )
        by_text = dict(zip(plan.labels, plan.ticks))
        made = tuple(Tick(t, by_text.get(t), p, b) for t, p, b in ticks[side] if t in by_text)
        if len(made) < 2:
            continue
        a, b = made[0], made[-1]
        slope = (b.pixel - a.pixel) / ((b.value or 0) - (a.value or 0))
        title = table.value_title if st.axis_titles else ""
        scene.axes.append(
            Axis(
                side,
                "numeric",
                made,
                title,
                table.unit,
                "linear",
                *calibration(slope, a.pixel - slope * (a.value or 0)),
                0.0,
                1.0,
            )
        )  # type: ignore[arg-type]
