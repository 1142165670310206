"""Vega-Lite bodies of points, ranges, cells, bridges and combined charts."""

from __future__ import annotations

from random import Random
from typing import Any

from f2teval.bench.render.style import AxisPlan, Style, plan_axis, value_label
from f2teval.bench.render.vega_parts import category_axis, number_axis, rows_of, values_of
from f2teval.bench.table import Table


def points(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    xs, ys = values_of(table, ("x",)), values_of(table, ("y",))
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
            "axis": number_axis(px, st, table.category_title),
        },
        "y": {
            "field": "y",
            "type": "quantitative",
            "scale": {"domain": [py.lo, py.hi], "nice": False},
            "axis": number_axis(py, st, table.value_title),
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


def ranges(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    """Box plots and candlesticks: a thin rule, a bar, and (boxes) a median tick."""
    five = table.form == "boxes"
    low, high = ("minimum", "maximum") if five else ("low", "high")
    a, b = ("lower quartile", "upper quartile") if five else ("open", "close")
    vs = values_of(table)
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
    x = {"field": "c", "type": "nominal", "sort": None, "axis": category_axis(table, st, horizontal=False)}
    y = {
        "type": "quantitative",
        "scale": {"domain": [plan.lo, plan.hi], "nice": False},
        "axis": number_axis(plan, st, table.value_title),
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


def heatmap(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    rows = rows_of(table)
    for r in rows:
        r["t"] = value_label(r["v"], table, st)
    vs = values_of(table)
    mid = (min(vs) + max(vs)) / 2
    enc: dict[str, Any] = {
        "x": {"field": "c", "type": "nominal", "sort": None, "axis": category_axis(table, st, horizontal=False)},
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


def bridge(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    at = 0.0
    rows: list[dict[str, Any]] = []
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
    ends = [float(r["b"]) for r in rows] + [0.0]
    plan = plan_axis(min(ends), max(ends), st, table.symbol, zero=True)
    x = {"field": "c", "type": "nominal", "sort": None, "axis": category_axis(table, st, horizontal=False)}
    y = {
        "type": "quantitative",
        "scale": {"domain": [plan.lo, plan.hi], "nice": False},
        "axis": number_axis(plan, st, table.value_title),
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


def combined(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    first, second = rows_of(table, table.series[:1]), rows_of(table, table.series[1:])
    for r in second:
        r["id"] = "1," + r["id"].split(",")[1]
    p1 = plan_axis(0, max(r["v"] for r in first), st, table.symbol, zero=True)
    p2 = plan_axis(0, max(r["v"] for r in second), st, "%", zero=True)
    x = {"field": "c", "type": "nominal", "sort": None, "axis": category_axis(table, st, horizontal=False)}

    def y(p: AxisPlan, title: str, orient: str) -> dict[str, Any]:
        return {
            "field": "v",
            "type": "quantitative",
            "scale": {"domain": [p.lo, p.hi], "nice": False},
            "axis": {**number_axis(p, st, title, grid=orient == "left" and st.grid), "orient": orient},
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
