"""Figures by matplotlib (Agg, no pyplot state), with the truth from the artists' own transforms."""

from __future__ import annotations

import io
from random import Random
from typing import Any, Final, Literal

from f2teval.bench.render.fonts import wrap
from f2teval.bench.render.mpl_charts import DRAW, bars
from f2teval.bench.render.mpl_plot import Box, Plot
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import Style
from f2teval.bench.render.vega import png_size
from f2teval.bench.table import Table
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
    "violin",
    "heatmap",
    "radar",
    "funnel",
    "treemap",
    "candlestick",
    "error_bar",
    "bar_line",
    "waterfall",
)


def render(rng: Random, table: Table, chart_type: str, style: Style) -> Scene:
    """Draw a table. Boxes in the scene are in pixels of the returned PNG."""
    import matplotlib

    with matplotlib.rc_context(
        {"font.family": [style.font, "DejaVu Sans"], "axes.unicode_minus": False, "svg.fonttype": "none"}
    ):
        p = Plot(table, chart_type, style, rng)
        DRAW.get(chart_type, bars)(p)
        if style.show_title:
            lines = "\n".join(wrap(table.title, style.width + 60, style.title_size, style.font, style.title_bold))
            loc = {"start": "left", "middle": "center"}[style.title_anchor]
            p.ax.set_title(
                lines,
                fontsize=style.title_size,
                fontweight="bold" if style.title_bold else "normal",
                color=style.ink,
                loc=loc,
                pad=22 if chart_type == "radar" else 8,
            )
        out = io.BytesIO()
        extra = [p.ax.get_legend()] if p.ax.get_legend() else []
        p.fig.canvas.draw()
        renderer = p.renderer()
        if style.show_source and (table.source or table.note):
            _source(p, renderer, [*p.fig.get_default_bbox_extra_artists(), *extra])
        tight = p.fig.get_tightbbox(renderer, bbox_extra_artists=[*p.fig.get_default_bbox_extra_artists(), *extra])
        pad = 0.08
        scene = _scene(p, table, chart_type, style)
        p.fig.savefig(out, format="png", bbox_inches=tight.padded(pad), facecolor=style.background)
        scene.png = out.getvalue()
        dpi = p.fig.dpi
        _shift(scene, -float((tight.x0 - pad) * dpi), -float(p.fig.bbox.height - (tight.y1 + pad) * dpi))
        scene.width, scene.height = png_size(scene.png)
        return scene


def _source(p: Plot, renderer: Any, artists: list[Any]) -> None:
    """Note and source below everything else."""
    st, table = p.style, p.table
    low = p.fig.get_tightbbox(renderer, bbox_extra_artists=artists)
    words = "; ".join(
        s for s in (table.note and f"Note: {table.note}", table.source and f"Source: {table.source}") if s
    )
    lines = "\n".join(wrap(words, st.width + 60, st.font_size - 1.5, st.font))
    t = p.fig.text(
        (low.x0 * p.fig.dpi + 4) / p.fig.bbox.width,
        (low.y0 * p.fig.dpi - 7 * st.scale) / p.fig.bbox.height,
        lines,
        va="top",
        fontsize=st.font_size - 1.5,
        color=st.ink,
        alpha=0.8,
    )
    p.roles.append((t, "source" if table.source else "note"))


def _shift(scene: Scene, dx: float, dy: float) -> None:
    from dataclasses import replace

    def s(b: Box | None) -> Box | None:
        return None if b is None else (b[0] + dx, b[1] + dy, b[2] + dx, b[3] + dy)

    scene.texts = [replace(t, box=s(t.box) or t.box) for t in scene.texts]
    scene.marks = [replace(m, box=s(m.box) or m.box) for m in scene.marks]
    scene.plot_area = s(scene.plot_area)
    scene.axes = [
        replace(
            a,
            intercept=a.intercept - a.slope * (dx if a.side.startswith("x") else dy),
            ticks=tuple(
                replace(t, pixel=t.pixel + (dx if a.side.startswith("x") else dy), box=s(t.box)) for t in a.ticks
            ),
        )
        for a in scene.axes
    ]


def _scene(p: Plot, table: Table, chart_type: str, st: Style) -> Scene:
    scene = Scene(0, 0, chart_type, "matplotlib", st.background)
    e = p.ax.get_window_extent()
    scene.plot_area = p.flip(e.x0, e.y0, e.x1, e.y1)
    r = p.renderer()

    def put(t: Any, role: TextRole) -> Box | None:
        if not t.get_text().strip() or not t.get_visible():
            return None
        b = t.get_window_extent(r)
        box = p.flip(b.x0, b.y0, b.x1, b.y1)
        scene.texts.append(
            TextBox(
                t.get_text(),
                box,
                1.0,
                role,
                -float(t.get_rotation()) if t.get_rotation() <= 180 else 360 - float(t.get_rotation()),
            )
        )
        return box

    for t in (p.ax.title, p.ax._left_title):
        put(t, "title")
    put(p.ax.xaxis.label, "x_title")
    put(p.ax.yaxis.label, "y_title")
    for t, role in p.roles:
        put(t, role)
    for side in ("x", "y", "y2"):
        ax = p.numeric[side][0] if side in p.numeric else p.ax
        if side == "y2" and side not in p.numeric:
            continue
        axis = ax.xaxis if side == "x" else ax.yaxis
        if not axis.get_visible() or not ax.axison or (chart_type in ("radar",) and side == "y"):
            continue
        if side == "y2":
            put(ax.yaxis.label, "y_title")
        ticks = []
        number = side in p.numeric
        lo, hi = sorted(ax.get_xlim() if side == "x" else ax.get_ylim())
        for v, t in zip(axis.get_majorticklocs(), axis.get_ticklabels()):
            if not t.get_text() or not (lo - 1e-9 <= v <= hi + 1e-9):
                continue
            box = put(t, "tick" if number or t.get_text().isdigit() else "category")
            if chart_type == "radar":
                px = 0.0
            elif side == "x":
                px = float(ax.transData.transform((v, 0))[0])
            else:
                px = float(p.fig.bbox.height) - float(ax.transData.transform((0, v))[1])
            value = (
                float(v)
                if number
                else float(t.get_text())
                if t.get_text().isdigit() and table.category_kind == "time"
                else None
            )
            ticks.append(Tick(t.get_text(), value, px, box))
        if not ticks:
            continue
        kind: Literal["numeric", "time", "category"] = (
            "numeric" if number else "time" if ticks[0].value is not None else "category"
        )
        slope = icpt = 0.0
        if kind != "category" and len(ticks) > 1 and ticks[-1].value != ticks[0].value:
            slope = (ticks[-1].pixel - ticks[0].pixel) / ((ticks[-1].value or 0) - (ticks[0].value or 0))
            icpt = ticks[0].pixel - slope * (ticks[0].value or 0)
        label = ax.get_xlabel() if side == "x" else ax.get_ylabel()
        scene.axes.append(
            Axis(
                side,
                kind,
                tuple(ticks),
                label,
                table.unit if number else "",
                "linear",
                *calibration(slope, icpt),
                0.0,
                1.0,
            )
        )  # type: ignore[arg-type]
    for series, cat, value, box_of, mk, color, printed in p.marks:
        scene.marks.append(Mark(series, cat, value, box_of(), mk, color, printed))
        if mk in ("bar", "point"):
            scene.colors.setdefault(series, color)
        elif mk == "slice":
            scene.colors[cat] = color
    return scene
