"""What Vega drew: texts, marks and axes read back from its SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final
from xml.etree import ElementTree

from f2teval.bench.render.fonts import anchored_box, text_width
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import AxisPlan, Style
from f2teval.bench.table import Table
from f2teval.figure.reading import Axis, TextBox, TextRole, Tick

_SVG: Final = "{http://www.w3.org/2000/svg}"


_MOVE = re.compile(r"translate\(([-\d.e]+),([-\d.e]+)\)")


_TURN = re.compile(r"rotate\(([-\d.e]+)")


_POINT = re.compile(r"([MLHVCZAhvlcz])([^MLHVCZAhvlcz]*)")


_ROLES: Final[dict[str, TextRole]] = {
    "role-title-text": "title",
    "role-title-subtitle": "subtitle",
    "role-axis-title": "x_title",
    "role-axis-label": "tick",
    "role-legend-label": "legend",
    "role-legend-title": "other",
    "role-mark": "value_label",
}


def _walk(
    node: ElementTree.Element, x: float, y: float, path: tuple[str, ...]
) -> Iterator[tuple[ElementTree.Element, float, float, tuple[str, ...]]]:
    move = _MOVE.match(node.get("transform", "")) if node.tag == _SVG + "g" else None
    if move:
        x, y = x + float(move[1]), y + float(move[2])
    yield node, x, y, path
    name = node.get("class", "") + " " + (node.get("aria-label") or "")[:6]
    for child in node:
        yield from _walk(child, x, y, (*path, name) if node.tag == _SVG + "g" else path)


def path_points(d: str) -> list[tuple[float, float]]:
    """Vertices of an SVG path (end points of its segments)."""
    pts: list[tuple[float, float]] = []
    x = y = 0.0
    for cmd, rest in _POINT.findall(d):
        n = [float(t) for t in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", rest)]
        if cmd in "ML" and len(n) >= 2:
            pts += [(n[k], n[k + 1]) for k in range(0, len(n) - 3, 2)]
            x, y = n[-2], n[-1]
        elif cmd == "C" and len(n) >= 6:
            for k in range(0, len(n) - 6, 6):
                pts.append((n[k + 4], n[k + 5]))
            x, y = n[-2], n[-1]
        elif cmd == "A" and len(n) >= 7:
            x, y = n[-2], n[-1]
        elif cmd == "h" and n:
            x += n[0]
        elif cmd == "v" and n:
            y += n[0]
        elif cmd == "H" and n:
            x = n[0]
        elif cmd == "V" and n:
            y = n[0]
        elif cmd == "l" and len(n) >= 2:
            x, y = x + n[-2], y + n[-1]
        else:
            continue
        pts.append((x, y))
    return pts


def _text_box(
    node: ElementTree.Element, x: float, y: float, bold: bool
) -> tuple[str, tuple[float, float, float, float], float]:
    tf = node.get("transform", "")
    moves = _MOVE.findall(tf)
    turn = _TURN.search(tf)
    angle = float(turn[1]) if turn else 0.0
    if moves:
        x, y = x + float(moves[0][0]), y + float(moves[0][1])
    dx, dy = (float(moves[1][0]), float(moves[1][1])) if len(moves) > 1 else (0.0, 0.0)
    a = math.radians(angle)
    x, y = x + dx * math.cos(a) - dy * math.sin(a), y + dx * math.sin(a) + dy * math.cos(a)
    size = float(node.get("font-size", "10px").removesuffix("px"))
    family = node.get("font-family", "DejaVu Sans")
    bold = node.get("font-weight", "") == "bold"
    spans = list(node.iter(_SVG + "tspan"))
    lines = ["".join(s.itertext()) for s in spans] or ["".join(node.itertext())]
    w = max(text_width(t, size, family, bold) for t in lines)
    box = anchored_box(x, y, w, size, node.get("text-anchor", "start"), angle)
    if len(lines) > 1:
        box = (box[0], box[1], box[2], box[3] + (len(lines) - 1) * (size + 2))
    return "\n".join(lines), box, angle if angle <= 180 else angle - 360


def read_svg(svg: str, table: Table, chart_type: str, st: Style, plans: dict[str, AxisPlan]) -> Scene:
    """Texts, marks and axes of a figure from Vega's SVG (px at scale 1)."""
    root = ElementTree.fromstring(svg)
    w, h = float(root.get("width", "0")), float(root.get("height", "0"))
    scene = Scene(round(w * st.scale), round(h * st.scale), chart_type, "vega", st.background)
    frame = next(g for g in root.iter(_SVG + "g") if g.get("fill") == "none")
    move = _MOVE.match(frame.get("transform", ""))
    assert move is not None
    ox, oy = float(move[1]), float(move[2])
    scene.plot_area = (ox, oy, ox + st.width, oy + st.height)
    labels: dict[str, str] = {}
    ticks: dict[str, list[tuple[str, tuple[float, float, float, float]]]] = {"x": [], "y": [], "y2": []}
    titles: dict[str, str] = {}
    seen_y = 0
    angle_at = 0.0
    total = sum(abs(v) for v in [v for r in table.values for v in r if v is not None]) or 1.0
    for node, x, y, path in _walk(root, 0, 0, ()):
        joined = " ".join(path)
        if node.get("aria-label", "").startswith("Y-axis"):
            seen_y += 1
        if node.tag == _SVG + "text":
            if node.get("opacity") == "0":
                continue
            cls = next((p for p in reversed(path) if "role-" in p), "")
            role: TextRole = next((r for key, r in _ROLES.items() if key in cls), "other")
            text, box, angle = _text_box(node, x, y, st.title_bold)
            if not text.strip():
                continue
            mark_id = node.get("aria-label", "")
            side = "x" if "X-axis" in joined else ("y2" if seen_y > 1 else "y")
            if role == "value_label":
                if mark_id == "source":
                    role = "source" if text.startswith("Source") else "note"
                elif mark_id == "name":
                    role = "series_label" if chart_type not in ("scatter", "bubble") else "annotation"
                elif re.fullmatch(r"\d+,\d+", mark_id):
                    labels[mark_id] = text
            elif role == "tick":
                ticks[side].append((text, box))
                role = "tick" if _numeric(side, plans) or (side == "x" and text.isdigit()) else "category"
            elif role == "x_title" and side != "x":
                role = "y_title"
            if role in ("x_title", "y_title"):
                titles[side] = text.replace("\n", " ")
            scene.texts.append(TextBox(text, box, 1.0, role, angle))
        elif (
            node.tag == _SVG + "path"
            and re.fullmatch(r"\d+,\d+", node.get("aria-label") or "")
            and "role-mark" in joined
        ):
            s, c = (int(k) for k in node.get("aria-label", "").split(","))
            tf = _MOVE.match(node.get("transform", ""))
            px, py = (x + float(tf[1]), y + float(tf[2])) if tf else (x, y)
            color = node.get("fill") or node.get("stroke") or ""
            if color in ("none", "transparent"):
                color = node.get("stroke") or ""
            if "mark-arc" in joined:
                value = float(table.values[0][c] or 0)
                sweep = 2 * math.pi * abs(value) / total
                scene.marks.append(
                    Mark(
                        "",
                        table.categories[c],
                        value,
                        _arc_box(px, py, node.get("d", ""), angle_at, sweep),
                        "slice",
                        color,
                    )
                )
                angle_at += sweep
                scene.colors[table.categories[c]] = color
                continue
            pts = [(px + u, py + v) for u, v in path_points(node.get("d", ""))]
            if "mark-line" in joined or "mark-area" in joined:
                _vertices(scene, table, s, pts, color)
                continue
            name = table.series[s]
            if "mark-symbol" in joined:
                d = node.get("d", "")
                r = abs(float(re.findall(r"A([\d.]+)", d)[0])) if "A" in d else 4.0
                box = (px - r, py - r, px + r, py + r)
                scene.marks.append(
                    Mark("y", table.categories[c], float(table.at("y", table.categories[c]) or 0), box, "point", color)
                )
                continue
            box = (min(p[0] for p in pts), min(p[1] for p in pts), max(p[0] for p in pts), max(p[1] for p in pts))
            kind = {"heatmap": "cell", "box": "box", "candlestick": "box"}.get(chart_type, "bar")
            if kind == "box":
                name = table.main
            scene.marks.append(
                Mark(name, table.categories[c], float(table.at(name, table.categories[c]) or 0), box, kind, color)
            )
            if kind == "bar":
                scene.colors.setdefault(name, color)
    key = {f"{s},{c}": (n, k) for s, n in enumerate(table.series) for c, k in enumerate(table.categories)}
    printed = {key[i]: t for i, t in labels.items() if i in key}
    scene.marks = [_labelled(m, printed) for m in scene.marks]
    _axes(scene, table, st, plans, ticks, titles, (ox, oy))
    return scene


def _labelled(m: Mark, printed: dict[tuple[str, str], str]) -> Mark:
    text = printed.get((m.series, m.category), "")
    return Mark(m.series, m.category, m.value, m.box, m.kind, m.color, text) if text else m


def _numeric(side: str, plans: dict[str, AxisPlan]) -> bool:
    return side in plans


def _arc_box(cx: float, cy: float, d: str, start: float, sweep: float) -> tuple[float, float, float, float]:
    radii = [float(r) for r in re.findall(r"A([\d.]+)", d)] or [1.0]
    outer, inner = max(radii), min(radii) if len(radii) > 1 and min(radii) < max(radii) else 0.0
    pts = []
    for k in range(25):
        a = start + sweep * k / 24
        for r in (outer, inner):
            pts.append((cx + r * math.sin(a), cy - r * math.cos(a)))
    return (min(p[0] for p in pts), min(p[1] for p in pts), max(p[0] for p in pts), max(p[1] for p in pts))


def _vertices(scene: Scene, table: Table, s: int, pts: list[tuple[float, float]], color: str) -> None:
    """A line's path has one vertex a category (an area's: the upper edge, then the lower one back)."""
    name = table.series[s]
    cats = [c for c in table.categories if table.at(name, c) is not None]
    for c, (x, y) in zip(cats, pts):
        scene.marks.append(Mark(name, c, float(table.at(name, c) or 0), (x - 3, y - 3, x + 3, y + 3), "point", color))
    scene.colors.setdefault(name, color)


def _axes(
    scene: Scene,
    table: Table,
    st: Style,
    plans: dict[str, AxisPlan],
    ticks: dict[str, Any],
    titles: dict[str, str],
    origin: tuple[float, float],
) -> None:
    ox, oy = origin
    for side in ("x", "y", "y2"):
        if side in plans:
            p = plans[side]
            if side == "x":
                slope = st.width / (p.hi - p.lo)
                icpt = ox - slope * p.lo
            else:
                slope = -st.height / (p.hi - p.lo)
                icpt = oy + st.height - slope * p.lo
            boxes = dict(ticks[side])
            made = tuple(Tick(t, v, slope * v + icpt, boxes.get(t)) for t, v in zip(p.labels, p.ticks))
            scene.axes.append(
                Axis(
                    side,
                    "numeric",
                    made,
                    titles.get(side, ""),
                    table.unit,
                    "linear",
                    *calibration(slope, icpt),
                    0.0,
                    1.0,
                )
            )  # type: ignore[arg-type]
        elif ticks[side]:
            at = {
                m.category: ((m.box[0] + m.box[2]) / 2 if side == "x" else (m.box[1] + m.box[3]) / 2)
                for m in scene.marks
            }
            time = (
                table.category_kind == "time" and side == "x" and table.x is not None and table.categories[0].isdigit()
            )
            made = tuple(
                Tick(
                    t,
                    float(t) if time and t.isdigit() else None,
                    at.get(t, (b[0] + b[2]) / 2 if side == "x" else (b[1] + b[3]) / 2),
                    b,
                )
                for t, b in ticks[side]
            )
            slope = icpt = 0.0
            values = [(t.value, t.pixel) for t in made if t.value is not None]
            if len(values) > 1 and values[0][0] != values[-1][0]:
                slope = (values[-1][1] - values[0][1]) / (values[-1][0] - values[0][0])  # type: ignore[operator]
                icpt = values[0][1] - slope * values[0][0]  # type: ignore[operator]
            scene.axes.append(
                Axis(
                    side,
                    "time" if time else "category",
                    made,
                    titles.get(side, ""),
                    "",
                    "linear",
                    *calibration(slope, icpt),
                    0.0,
                    1.0,
                )
            )  # type: ignore[arg-type]
