"""What every Vega-Lite body needs: rows of a table and axes as planned."""

from __future__ import annotations

from typing import Any

from f2teval.bench.render.style import AxisPlan, Style
from f2teval.bench.table import Table


def rows_of(table: Table, series: tuple[str, ...] | None = None) -> list[dict[str, Any]]:
    out = []
    for s, name in enumerate(series or table.series):
        for c, cat in enumerate(table.categories):
            v = table.at(name, cat)
            if v is not None:
                out.append({"c": cat, "s": name, "v": v, "id": f"{s},{c}", "x": table.x[c] if table.x else c})
    return out


def number_axis(plan: AxisPlan, st: Style, title: str, *, grid: bool | None = None) -> dict[str, Any]:
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


def category_axis(table: Table, st: Style, *, horizontal: bool) -> dict[str, Any]:
    crowded = max(len(c) for c in table.categories) * st.font_size * 0.55 > st.width / len(table.categories)
    angle = 0 if horizontal else (st.tick_angle if not crowded or st.tick_angle else -45)
    return {
        "title": table.category_title if st.axis_titles else None,
        "labelAngle": angle,
        "grid": False,
        "labelOverlap": False,
    }


def values_of(table: Table, series: tuple[str, ...] | None = None) -> list[float]:
    return [v for s in series or table.series for v in table.row(s) if v is not None]
