"""Vega-Lite bodies: layers and numeric axes of each chart type."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from f2teval.bench.render.style import AxisPlan, Style, plan_axis, value_label
from f2teval.bench.table import Table


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


def bars(rng: Random, table: Table, kind: str, st: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
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


BODIES: Final[dict[str, Any]] = {
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
