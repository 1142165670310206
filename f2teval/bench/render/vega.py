"""Figures by Vega-Lite (through vl-convert, no browser), with the truth read back from the SVG that Vega laid out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any, Final
from xml.etree import ElementTree

from f2teval.bench.render.fonts import anchored_box, bundled_fonts, text_width, wrap
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import AxisPlan, Style, plan_axis, value_label
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
    "scatter",
    "bubble",
    "histogram",
    "box",
    "heatmap",
    "candlestick",
    "error_bar",
    "bar_line",
    "waterfall",
)


@lru_cache(maxsize=1)
def converter() -> Any:
    """The vl-convert module, with matplotlib's fonts made known to it."""
    try:
        import vl_convert
    except ImportError as e:
        raise MissingExtraError("drawing figures with Vega-Lite", "bench") from e
    vl_convert.register_font_directory(bundled_fonts())
    return vl_convert


def rasterise(svg: str, scale: float) -> bytes:
    """PNG bytes of an SVG at a resolution."""
    png: bytes = converter().svg_to_png(svg, scale=scale)
    return png


def render(rng: Random, table: Table, chart_type: str, style: Style) -> Scene:
    """Draw a table. Boxes in the scene are in pixels of the returned PNG."""
    spec, plans = build(rng, table, chart_type, style)
    svg = converter().vegalite_to_svg(spec)
    scene = read_svg(svg, table, chart_type, style, plans)
    scene.png = rasterise(svg, style.scale)
    scene.scale(style.scale)
    scene.width, scene.height = png_size(scene.png)
    return scene


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height from a PNG's header."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


# ---------------------------------------------------------------------------------------------------------------- spec


def build(rng: Random, table: Table, chart_type: str, style: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    """The Vega-Lite spec and the numeric axes it must show."""
    body, plans = _BODIES.get(chart_type, _bars)(rng, table, chart_type, style)
    layers = [{**body.pop("base"), **body}] if "base" in body else body["layer"]
    spec: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": style.width,
        "height": style.height,
        "background": style.background,
        "layer": layers,
        "resolve": body.get("resolve", {}) if "base" not in body else {},
        "padding": rng.randint(5, 16),
        "config": _config(rng, style, framed=chart_type not in ("pie", "donut")),
    }
    if style.show_title:
        lines = wrap(table.title, style.width + rng.randint(0, 90), style.title_size, style.font, style.title_bold)
        spec["title"] = {"text": lines, "anchor": style.title_anchor}
        if table.subtitle:
            spec["title"]["subtitle"] = wrap(table.subtitle, style.width + 60, style.font_size, style.font)
    if style.show_source and (table.source or table.note):
        parts = ([f"Note: {table.note}"] if table.note else []) + ([f"Source: {table.source}"] if table.source else [])
        words = [w for p in parts for w in wrap(p, style.width + 40, style.font_size - 1, style.font)]
        longest = max((text_width(c, style.font_size, style.font) for c in table.categories), default=0)
        down = style.height + 48 + longest * abs(math.sin(math.radians(style.tick_angle)))
        if chart_type in ("horizontal_bar", "pie", "donut", "line", "area", "multi_line", "stacked_area", "scatter"):
            down = style.height + 52
        spec["layer"] = [
            *layers,
            {
                "data": {"values": [{}]},
                "encoding": {"x": {"value": 0}, "y": {"value": down}},
                "mark": {
                    "type": "text",
                    "text": words,
                    "align": "left",
                    "baseline": "top",
                    "clip": False,
                    "fontSize": style.font_size - 1,
                    "color": style.ink,
                    "opacity": 0.75,
                    "description": "source",
                },
            },
        ]
    return spec, plans


def _config(rng: Random, st: Style, *, framed: bool) -> dict[str, Any]:
    text = {"labelColor": st.ink, "titleColor": st.ink, "labelFont": st.font, "titleFont": st.font}
    return {
        "view": {"stroke": st.grid_color if st.frame and framed else None},
        "axis": {
            **text,
            "grid": st.grid,
            "gridColor": st.grid_color,
            "domainColor": st.ink,
            "tickColor": st.ink,
            "labelFontSize": st.font_size,
            "titleFontSize": st.font_size + rng.choice((0, 1, 2)),
            "titleFontWeight": rng.choice(("bold", "normal")),
            "ticks": rng.random() < 0.8,
            "domain": rng.random() < 0.85,
            "labelLimit": 190,
        },
        "legend": {
            **text,
            "labelFontSize": st.font_size,
            "titleFontSize": st.font_size,
            "orient": st.legend_side,
            "columns": 3 if st.legend_side in ("top", "bottom") else 1,
            "labelLimit": 200,
        },
        "title": {
            "font": st.font,
            "fontSize": st.title_size,
            "color": st.ink,
            "subtitleColor": st.ink,
            "fontWeight": "bold" if st.title_bold else "normal",
            "subtitleFont": st.font,
            "offset": 10,
        },
        "text": {"font": st.font, "color": st.ink},
    }


def _rows(table: Table, series: tuple[str, ...] | None = None) -> list[dict[str, Any]]:
    out = []
    for s, name in enumerate(series or table.series):
        for c, cat in enumerate(table.categories):
            v = table.at(name, cat)
            if v is not None:
                out.append({"c": cat, "s": name, "v": v, "id": f"{s},{c}", "x": table.x[c] if table.x else c})
    return out


def _number_axis(plan: AxisPlan, st: Style, title: str, *, grid: bool | None = None) -> dict[str, Any]:
    step = plan.ticks[1] - plan.ticks[0]
    labels = "[" + ",".join(f"'{t}'" for t in plan.labels) + "]"
    axis: dict[str, Any] = {
        "values": list(plan.ticks),
        "labelExpr": f"{labels}[round((datum.value-({plan.lo}))/{step})]",
        "title": title if st.axis_titles else None,
        "labelOverlap": False,
    }
    if grid is not None:
        axis["grid"] = grid
    return axis


def _category_axis(table: Table, st: Style, *, horizontal: bool) -> dict[str, Any]:
    crowded = max(len(c) for c in table.categories) * st.font_size * 0.55 > st.width / len(table.categories)
    angle = 0 if horizontal else (st.tick_angle if not crowded or st.tick_angle else -45)
    return {
        "title": table.category_title if st.axis_titles else None,
        "labelAngle": angle,
        "grid": False,
        "labelOverlap": False,
    }


def _values(table: Table, series: tuple[str, ...] | None = None) -> list[float]:
    return [v for s in series or table.series for v in table.row(s) if v is not None]


def _bars(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    horizontal = kind == "horizontal_bar" or (kind in ("grouped_bar", "stacked_bar") and rng.random() < 0.3)
    values = _values(table)
    if kind == "stacked_bar":
        values = [sum(r[c] or 0 for r in table.values) for c in range(len(table.categories))]
    plan = plan_axis(min(values), max(values), st, table.symbol, zero=True, target=rng.choice((4, 5, 6)))
    cat, num = ("y", "x") if horizontal else ("x", "y")
    enc: dict[str, Any] = {
        cat: {
            "field": "c",
            "type": "nominal",
            "sort": None,
            "axis": _category_axis(table, st, horizontal=horizontal),
            "scale": {"paddingInner": 1 - st.band, "paddingOuter": 0.2},
        },
        num: {
            "field": "v",
            "type": "quantitative",
            "scale": {"domain": [plan.lo, plan.hi], "nice": False},
            "axis": _number_axis(plan, st, table.value_title),
            "stack": None,
        },
        "description": {"field": "id"},
    }
    mark: dict[str, Any] = {"type": "bar"}
    color = {
        "field": "s",
        "type": "nominal",
        "sort": None,
        "title": None,
        "scale": {"domain": list(table.series), "range": [st.color(i) for i in range(len(table.series))]},
    }
    if kind == "grouped_bar":
        enc[cat + "Offset"] = {"field": "s", "sort": None}
        enc["color"] = color
    elif kind == "stacked_bar":
        enc[num]["stack"] = "zero"
        enc["color"] = color
        enc["order"] = {"field": "o"}
    else:
        mark["color"] = st.color(0)
        if rng.random() < 0.2:
            mark["cornerRadiusEnd"] = 3
    if kind == "histogram":
        enc[cat]["scale"] = {"paddingInner": 0.03, "paddingOuter": 0.0}
    rows = _rows(table)
    for r in rows:
        r["t"] = value_label(r["v"], table, st)
        r["o"] = table.series.index(r["s"])
    layers: list[dict[str, Any]] = [{"data": {"values": rows}, "mark": mark, "encoding": enc}]
    if st.labels and kind != "stacked_bar":
        tenc = {k: v for k, v in enc.items() if k not in ("color", "order")}
        tenc["text"] = {"field": "t"}
        away = {"dx": 3, "align": "left", "baseline": "middle"} if horizontal else {"dy": -3, "baseline": "bottom"}
        layers.append(
            {"data": {"values": rows}, "encoding": tenc, "mark": {"type": "text", "fontSize": st.font_size - 1, **away}}
        )
    if kind == "error_bar":
        spread = (
            [{**r, "lo": r["v"] - table.errors[0][i], "hi": r["v"] + table.errors[0][i]} for i, r in enumerate(rows)]
            if table.errors
            else []
        )
        top = max(r["hi"] for r in spread)
        plan = plan_axis(0, top, st, table.symbol, zero=True)
        enc[num]["scale"]["domain"] = [plan.lo, plan.hi]
        enc[num]["axis"] = _number_axis(plan, st, table.value_title)
        layers = [
            layers[0],
            {
                "data": {"values": spread},
                "mark": {"type": "rule", "color": st.ink, "strokeWidth": 1.5},
                "encoding": {cat: enc[cat], num: {**enc[num], "field": "lo"}, num + "2": {"field": "hi"}},
            },
        ]
    return {"layer": layers}, {num: plan}


def _lines(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    stacked = kind == "stacked_area"
    values = _values(table)
    if stacked:
        values = [sum(r[c] or 0 for r in table.values) for c in range(len(table.categories))]
    lo, hi = min(values), max(values)
    plan = plan_axis(
        lo, hi, st, table.symbol, zero=st.from_zero or stacked or "area" in kind, target=rng.choice((4, 5, 6))
    )
    rows = _rows(table)
    for r in rows:
        r["t"] = value_label(r["v"], table, st)
    enc: dict[str, Any] = {
        "y": {
            "field": "v",
            "type": "quantitative",
            "scale": {"domain": [plan.lo, plan.hi], "nice": False},
            "axis": _number_axis(plan, st, table.value_title),
            "stack": "zero" if stacked else None,
        },
        "description": {"field": "id"},
    }
    if table.category_kind == "time" and table.x and table.categories[0].isdigit():
        n = len(table.categories)
        step = rng.choice([k for k in (1, 2, 3, 4, 5) if n / k <= 12] or [5])
        ticks = [table.x[i] for i in range((n - 1) % step if rng.random() < 0.5 else 0, n, step)]
        enc["x"] = {
            "field": "x",
            "type": "quantitative",
            "scale": {"domain": [table.x[0], table.x[-1]], "nice": False, "zero": False},
            "axis": {
                "values": ticks,
                "format": "d",
                "title": table.category_title if st.axis_titles else None,
                "labelAngle": st.tick_angle,
                "labelOverlap": False,
                "labelFlush": False,
            },
        }
    else:
        enc["x"] = {"field": "c", "type": "nominal", "sort": None, "axis": _category_axis(table, st, horizontal=False)}
    mark: dict[str, Any] = {"type": "area" if "area" in kind else "line", "interpolate": st.curve}
    if mark["type"] == "line":
        mark["strokeWidth"] = rng.choice((1.5, 2, 2, 3))
    if len(table.series) > 1:
        enc["color"] = {
            "field": "s",
            "type": "nominal",
            "sort": None,
            "title": None,
            "scale": {"domain": list(table.series), "range": [st.color(i) for i in range(len(table.series))]},
            **({"legend": None} if st.direct and not stacked else {}),
        }
    else:
        mark["color"] = st.color(0)
    layers: list[dict[str, Any]] = [{"data": {"values": rows}, "mark": mark, "encoding": enc}]
    pos = {"x": enc["x"], "y": enc["y"]}
    if st.points and not stacked and "area" not in kind:
        dot = {k: v for k, v in enc.items() if k in ("x", "y", "color")}
        layers.append(
            {
                "data": {"values": rows},
                "encoding": dot,
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 30,
                    "aria": False,
                    **({} if len(table.series) > 1 else {"color": st.color(0)}),
                },
            }
        )
    if st.labels and not stacked and len(rows) <= 24:
        layers.append(
            {
                "data": {"values": rows},
                "encoding": {**pos, "text": {"field": "t"}, "description": {"field": "id"}},
                "mark": {"type": "text", "dy": -7, "fontSize": st.font_size - 1},
            }
        )
    if len(table.series) > 1 and st.direct and not stacked:
        last = [r for r in rows if r["c"] == table.categories[-1]]
        layers.append(
            {
                "data": {"values": last},
                "encoding": {**pos, "text": {"field": "s"}, "color": enc["color"]},
                "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": st.font_size, "description": "name"},
            }
        )
    return {"layer": layers}, {"y": plan}


def _round(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    rows = _rows(table)
    radius = min(st.width, st.height) / 2 - 4
    for i, r in enumerate(rows):
        r["t"] = value_label(r["v"], table, st)
        r["o"] = i
    enc: dict[str, Any] = {
        "theta": {"field": "v", "type": "quantitative", "stack": "zero"},
        "color": {
            "field": "c",
            "type": "nominal",
            "sort": None,
            "title": None,
            "scale": {"domain": list(table.categories), "range": [st.color(i) for i in range(len(rows))]},
        },
        "order": {"field": "o"},
        "description": {"field": "id"},
    }
    inner = radius * rng.uniform(0.4, 0.65) if kind == "donut" else 0
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": rows},
            "encoding": enc,
            "mark": {"type": "arc", "outerRadius": radius, "innerRadius": inner, "stroke": st.background},
        }
    ]
    if st.labels:
        where = (radius + inner) / 2 if inner else radius * 0.68
        layers.append(
            {
                "data": {"values": rows},
                "mark": {"type": "text", "radius": where, "fontSize": st.font_size, "fill": "#ffffff"},
                "encoding": {
                    "theta": enc["theta"],
                    "order": enc["order"],
                    "text": {"field": "t"},
                    "description": {"field": "id"},
                },
            }
        )
    return {"layer": layers}, {}


def _points(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    xs, ys = _values(table, ("x",)), _values(table, ("y",))
    px = plan_axis(min(xs), max(xs), st, "", zero=False)
    py = plan_axis(min(ys), max(ys), st, table.symbol, zero=False)
    rows = [
        {"x": xs[i], "y": ys[i], "c": c, "id": f"1,{i}", "z": table.at("size", c) if "size" in table.series else 1}
        for i, c in enumerate(table.categories)
    ]
    enc: dict[str, Any] = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "scale": {"domain": [px.lo, px.hi], "nice": False},
            "axis": _number_axis(px, st, table.category_title),
        },
        "y": {
            "field": "y",
            "type": "quantitative",
            "scale": {"domain": [py.lo, py.hi], "nice": False},
            "axis": _number_axis(py, st, table.value_title),
        },
        "description": {"field": "id"},
    }
    mark: dict[str, Any] = {"type": "circle", "color": st.color(0), "opacity": 0.85, "size": 60}
    if kind == "bubble" and "size" in table.series:
        del mark["size"]
        enc["size"] = {"field": "z", "type": "quantitative", "scale": {"range": [25, 700]}, "legend": None}
        mark["opacity"] = 0.6
    layers = [{"data": {"values": rows}, "mark": mark, "encoding": enc}]
    if st.direct or st.labels or kind == "bubble":
        layers.append(
            {
                "data": {"values": rows},
                "encoding": {"x": enc["x"], "y": enc["y"], "text": {"field": "c"}},
                "mark": {"type": "text", "dy": -9, "fontSize": st.font_size - 2, "description": "name"},
            }
        )
    return {"layer": layers}, {"x": px, "y": py}


def _ranges(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    """Box plots and candlesticks: a thin rule, a bar, and (boxes) a median tick."""
    five = table.form == "boxes"
    low, high = ("minimum", "maximum") if five else ("low", "high")
    a, b = ("lower quartile", "upper quartile") if five else ("open", "close")
    vs = _values(table)
    plan = plan_axis(min(vs), max(vs), st, table.symbol, zero=False)
    rows = []
    for i, c in enumerate(table.categories):
        p, q = float(table.at(a, c) or 0), float(table.at(b, c) or 0)
        rows.append(
            {
                "c": c,
                "id": f"0,{i}",
                "l": table.at(low, c),
                "h": table.at(high, c),
                "a": p,
                "b": q,
                "m": table.at("median", c) if five else None,
                "up": "up" if q >= p else "down",
            }
        )
    x = {"field": "c", "type": "nominal", "sort": None, "axis": _category_axis(table, st, horizontal=False)}
    y = {
        "type": "quantitative",
        "scale": {"domain": [plan.lo, plan.hi], "nice": False},
        "axis": _number_axis(plan, st, table.value_title),
    }
    data = {"data": {"values": rows}}
    layers: list[dict[str, Any]] = [
        {
            **data,
            "mark": {"type": "rule", "color": st.ink},
            "encoding": {"x": x, "y": {**y, "field": "l"}, "y2": {"field": "h"}},
        },
        {
            **data,
            "mark": {
                "type": "bar",
                "color": st.color(0),
                "width": {"band": 0.55},
                "stroke": st.ink,
                "strokeWidth": 0.7,
            },
            "encoding": {"x": x, "y": {**y, "field": "a"}, "y2": {"field": "b"}, "description": {"field": "id"}},
        },
    ]
    if five:
        layers.append(
            {
                **data,
                "mark": {"type": "tick", "color": st.ink, "thickness": 2, "width": {"band": 0.55}, "aria": False},
                "encoding": {"x": x, "y": {**y, "field": "m"}},
            }
        )
    else:
        layers[1]["encoding"]["color"] = {
            "field": "up",
            "type": "nominal",
            "legend": None,
            "scale": {"domain": ["up", "down"], "range": ["#2a9d8f", "#d1495b"]},
        }
    return {"layer": layers}, {"y": plan}


def _heatmap(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    rows = _rows(table)
    for r in rows:
        r["t"] = value_label(r["v"], table, st)
    vs = _values(table)
    mid = (min(vs) + max(vs)) / 2
    enc: dict[str, Any] = {
        "x": {"field": "c", "type": "nominal", "sort": None, "axis": _category_axis(table, st, horizontal=False)},
        "y": {"field": "s", "type": "nominal", "sort": None, "axis": {"title": None, "grid": False}},
        "description": {"field": "id"},
    }
    scheme = rng.choice(("blues", "greens", "oranges", "purples", "teals", "viridis"))
    legend = {"title": table.value_title if len(table.value_title) < 24 else None, "orient": "right", "format": ",.2~f"}
    color = {"field": "v", "type": "quantitative", "scale": {"scheme": scheme, "zero": False}, "legend": legend}
    layers: list[dict[str, Any]] = [{"data": {"values": rows}, "mark": "rect", "encoding": {**enc, "color": color}}]
    if st.labels:
        dark = "datum.v < " if scheme == "viridis" else "datum.v > "
        layers.append(
            {
                "data": {"values": rows},
                "mark": {"type": "text", "fontSize": st.font_size - 1},
                "encoding": {
                    **enc,
                    "text": {"field": "t"},
                    "color": {"condition": {"test": f"{dark}{mid}", "value": "white"}, "value": "black"},
                },
            }
        )
    return {"layer": layers}, {}


def _bridge(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    at, rows = 0.0, []
    for i, c in enumerate(table.categories):
        v = float(table.values[0][i] or 0)
        rows.append(
            {
                "c": c,
                "id": f"0,{i}",
                "v": v,
                "a": at,
                "b": at + v,
                "t": value_label(v, table, st),
                "k": "up" if v >= 0 else "down",
                "top": max(at, at + v),
            }
        )
        at += v
    ends = [r["b"] for r in rows] + [0.0]
    plan = plan_axis(min(ends), max(ends), st, table.symbol, zero=True)
    x = {"field": "c", "type": "nominal", "sort": None, "axis": _category_axis(table, st, horizontal=False)}
    y = {
        "type": "quantitative",
        "scale": {"domain": [plan.lo, plan.hi], "nice": False},
        "axis": _number_axis(plan, st, table.value_title),
    }
    data = {"data": {"values": rows}}
    layers: list[dict[str, Any]] = [
        {
            **data,
            "mark": "bar",
            "encoding": {
                "x": x,
                "y": {**y, "field": "a"},
                "y2": {"field": "b"},
                "description": {"field": "id"},
                "color": {
                    "field": "k",
                    "type": "nominal",
                    "legend": None,
                    "scale": {"domain": ["up", "down"], "range": ["#3a7d44", "#b23a48"]},
                },
            },
        }
    ]
    if st.labels:
        layers.append(
            {
                **data,
                "mark": {"type": "text", "dy": -6, "fontSize": st.font_size - 1},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "top"},
                    "text": {"field": "t"},
                    "description": {"field": "id"},
                },
            }
        )
    return {"layer": layers}, {"y": plan}


def _combined(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    first, second = _rows(table, table.series[:1]), _rows(table, table.series[1:])
    for r in second:
        r["id"] = "1," + r["id"].split(",")[1]
    p1 = plan_axis(0, max(r["v"] for r in first), st, table.symbol, zero=True)
    p2 = plan_axis(0, max(r["v"] for r in second), st, "%", zero=True)
    x = {"field": "c", "type": "nominal", "sort": None, "axis": _category_axis(table, st, horizontal=False)}

    def y(p: AxisPlan, title: str, orient: str) -> dict[str, Any]:
        return {
            "field": "v",
            "type": "quantitative",
            "scale": {"domain": [p.lo, p.hi], "nice": False},
            "axis": {**_number_axis(p, st, title, grid=orient == "left" and st.grid), "orient": orient},
        }

    color = {
        "scale": {"domain": list(table.series), "range": [st.color(0), st.color(1)]},
        "title": None,
        "type": "nominal",
        "sort": None,
    }
    layers = [
        {
            "data": {"values": first},
            "mark": "bar",
            "encoding": {
                "x": x,
                "y": y(p1, table.value_title, "left"),
                "color": {**color, "field": "s"},
                "description": {"field": "id"},
            },
        },
        {
            "data": {"values": second},
            "mark": {"type": "line", "strokeWidth": 2.5, "point": False},
            "encoding": {
                "x": x,
                "y": y(p2, table.series[1], "right"),
                "color": {**color, "field": "s"},
                "description": {"field": "id"},
            },
        },
    ]
    return {"layer": layers, "resolve": {"scale": {"y": "independent"}}}, {"y": p1, "y2": p2}


_BODIES: Final[dict[str, Any]] = {
    "line": _lines,
    "multi_line": _lines,
    "area": _lines,
    "stacked_area": _lines,
    "pie": _round,
    "donut": _round,
    "scatter": _points,
    "bubble": _points,
    "box": _ranges,
    "candlestick": _ranges,
    "heatmap": _heatmap,
    "waterfall": _bridge,
    "bar_line": _combined,
}


# ------------------------------------------------------------------------------------------------------ reading it back

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
    total = sum(abs(v) for v in _values(table)) or 1.0
    for node, x, y, path in _walk(root, 0, 0, ()):
        joined = " ".join(path)
        if node.get("aria-label", "").startswith("Y-axis"):
            seen_y += 1
        if node.tag == _SVG + "text":
            if node.get("opacity") == "0":
                continue
            cls = next((p for p in reversed(path) if "role-" in p), "")
            role = next((r for key, r in _ROLES.items() if key in cls), "other")
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
