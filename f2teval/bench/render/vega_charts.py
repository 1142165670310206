"""Vega-Lite bodies: layers and numeric axes of each chart type."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from f2teval.bench.render.style import AxisPlan, Style, plan_axis, value_label
from f2teval.bench.render.vega_parts import category_axis, number_axis, rows_of, values_of
from f2teval.bench.render.vega_plots import bridge, combined, heatmap, points, ranges
from f2teval.bench.table import Table


def bars(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    horizontal = kind == "horizontal_bar" or (kind in ("grouped_bar", "stacked_bar") and rng.random() < 0.3)
    values = values_of(table)
    if kind == "stacked_bar":
        values = [sum(r[c] or 0 for r in table.values) for c in range(len(table.categories))]
    plan = plan_axis(min(values), max(values), st, table.symbol, zero=True, target=rng.choice((4, 5, 6)))
    cat, num = ("y", "x") if horizontal else ("x", "y")
    enc: dict[str, Any] = {
        cat: {
            "field": "c",
            "type": "nominal",
            "sort": None,
            "axis": category_axis(table, st, horizontal=horizontal),
            "scale": {"paddingInner": 1 - st.band, "paddingOuter": 0.2},
        },
        num: {
            "field": "v",
            "type": "quantitative",
            "scale": {"domain": [plan.lo, plan.hi], "nice": False},
            "axis": number_axis(plan, st, table.value_title),
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
    rows = rows_of(table)
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
        enc[num]["axis"] = number_axis(plan, st, table.value_title)
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
    values = values_of(table)
    if stacked:
        values = [sum(r[c] or 0 for r in table.values) for c in range(len(table.categories))]
    lo, hi = min(values), max(values)
    plan = plan_axis(
        lo, hi, st, table.symbol, zero=st.from_zero or stacked or "area" in kind, target=rng.choice((4, 5, 6))
    )
    rows = rows_of(table)
    for r in rows:
        r["t"] = value_label(r["v"], table, st)
    enc: dict[str, Any] = {
        "y": {
            "field": "v",
            "type": "quantitative",
            "scale": {"domain": [plan.lo, plan.hi], "nice": False},
            "axis": number_axis(plan, st, table.value_title),
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
        enc["x"] = {"field": "c", "type": "nominal", "sort": None, "axis": category_axis(table, st, horizontal=False)}
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
    rows = rows_of(table)
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


BODIES: Final[dict[str, Any]] = {
    "line": _lines,
    "multi_line": _lines,
    "area": _lines,
    "stacked_area": _lines,
    "pie": _round,
    "donut": _round,
    "scatter": points,
    "bubble": points,
    "box": ranges,
    "candlestick": ranges,
    "heatmap": heatmap,
    "waterfall": bridge,
    "bar_line": combined,
}
