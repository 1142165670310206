"""Lines and areas to cells: where a curve is read off, and what it says there."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np

from f2teval.figure import curves
from f2teval.figure.color import color_name, hex_color
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer
from f2teval.figure.reading import Axis, Cell, Series
from f2teval.figure.table import Table, baseline_pixel, date_text, series_name, tidy, tolerance


def _ends(profile: curves.Profile, plot: Plot) -> tuple[float, float] | None:
    """Where a curve begins and ends; on the frame or a tick mark when it does so within a line's width."""
    found = curves.extent(profile)
    if found is None:
        return None
    lines = [line.at for line in plot.columns + plot.column_ticks]

    def snap(x: float) -> float:
        near = [at for at in lines if abs(at - x) <= 2.6]
        return min(near, key=lambda at: abs(at - x)) if near else x

    return snap(float(found[0])), snap(float(found[1]))


def curve_positions(axis: Axis | None, profile: curves.Profile, plot: Plot) -> list[tuple[str, float | None, float]]:
    """Where to read a curve: (category text, numeric position, pixel).

    On a time axis, the coarsest calendar step through which straight pieces still follow the curve; on a category axis
    its labels; on a numeric one its ticks and the curve's ends.
    """
    ends = _ends(profile, plot)
    if ends is None or axis is None:
        return []
    a, b = ends
    if axis.kind == "category" or axis.slope == 0:
        return [(t.text, t.value, t.pixel) for t in axis.ticks if a - 12 <= t.pixel <= b + 12]
    if axis.kind == "time":
        return _calendar(axis, profile, a, b)
    positions = [(t.text, t.value, t.pixel) for t in axis.ticks if a - 3 <= t.pixel <= b + 3]
    return positions


def _calendar(axis: Axis, profile: curves.Profile, a: float, b: float) -> list[tuple[str, float | None, float]]:
    """Samples at calendar steps. A curve begins and ends on data, so the steps are hung between its own ends."""
    first, last = axis.value_at(a), axis.value_at(b)
    per_pixel = abs(axis.slope)
    best: list[tuple[str, float | None, float]] = []
    yearly = all(t.value is None or t.value == int(t.value) for t in axis.ticks)
    turns = curves.turning_points(profile)
    marked = sorted(t.value for t in axis.ticks if t.value is not None)
    between = min((b - a for a, b in itertools.pairwise(marked)), default=1.0)
    for step in (10.0, 5.0, 2.0, 1.0, 0.5, 0.25, 1 / 12):
        y0, y1 = round(first / step) * step, round(last / step) * step
        if step > 1 and step > between / 2:
            continue
        if step > 1:
            y0 = round((first - round(first)) / step) * step + round(first)
            y1 = y0 + round((last - y0) / step) * step
        count = round((y1 - y0) / step) + 1
        if not 2 <= count <= 400:
            continue
        if step < 1 and best and (step / per_pixel < 5 or (yearly and turns < 1.5 * abs(last - first))):
            break
        off = max(abs(y0 - first), abs(y1 - last)) / per_pixel
        years = [y0 + k * step for k in range(count)]
        if off <= max(6.0, 0.25 / per_pixel if step >= 1 else 0.0):
            pixels = [a + (b - a) * k / (count - 1) for k in range(count)]
        else:
            pixels = [min(max((y - axis.intercept) / axis.slope, float(a)), float(b)) for y in years]
        printed = {round(t.value, 3): t.text for t in axis.ticks if t.value is not None}
        sampled: list[tuple[str, float | None, float]] = [
            (printed.get(round(y, 3)) or date_text(y, step), float(y), p) for y, p in zip(years, pixels)
        ]
        miss = curves.misfit(profile, pixels)
        whole = off <= 0.5 * step / per_pixel + 3
        if whole and miss <= 1.6:
            return sampled
        if step >= 1 or not best:
            best = sampled
        if step == 1 and whole and miss <= 4.0:
            return sampled
        if step == 1 and whole and miss <= 12.0:
            # steep flanks blur a fit; finer steps must explain a good deal more to be believed
            finer = [a + (b - a) * k / (2 * count - 2) for k in range(2 * count - 1)]
            if curves.misfit(profile, finer) > 0.35 * miss:
                return sampled
        if step < 1:
            best = sampled
    return best


def curve_cells(
    name: str,
    profile: curves.Profile,
    x_axis: Axis | None,
    y_axis: Axis,
    plot: Plot,
    confidence: float,
    area: bool = False,
) -> list[Cell]:
    """Cells of one curve."""
    out = []
    ends = curves.extent(profile) or (0, len(profile))
    for text, x, pixel in curve_positions(x_axis, profile, plot):
        inner = min(max(pixel, ends[0] + 2.0), ends[1] - 2.0) if area else pixel  # a filled edge melts with the frame
        y = curves.value_near(profile, inner, 4)
        if math.isnan(y):
            continue
        value = y_axis.value_at(y)
        half = tolerance(y_axis, y) + 0.5 * abs(y_axis.value_at(y + _slope(profile, pixel)) - value)
        box = (pixel - 3, y - 3, pixel + 3, y + 3)
        out.append(
            Cell(name, text, tidy(value, half), x, "measured", half, round(confidence * y_axis.confidence, 3), box)
        )
    return out


def _slope(profile: curves.Profile, pixel: float) -> float:
    """Change of a curve over a pixel to either side: how far a value moves if its column is one off."""
    a, b = curves.value_near(profile, pixel - 1.5, 1), curves.value_near(profile, pixel + 1.5, 1)
    return 0.0 if math.isnan(a) or math.isnan(b) else abs(b - a) / 3


def stacked_areas_table(layers: list[Layer], x_axis: Axis | None, y_axis: Axis, plot: Plot) -> Table:
    """Bands stacked on each other: a series' value is the height of its band."""
    cells: list[Cell] = []
    for i, layer in enumerate(layers):
        heights = layer.mask.sum(axis=0).astype(np.float64)
        top = np.where(heights > 0, layer.mask.argmax(axis=0), np.nan).astype(np.float64)
        heights[heights == 0] = np.nan
        name = series_name(layers, i)
        for text, x, pixel in curve_positions(x_axis, top, plot):
            inner = min(max(pixel, plot.box[0] + 2.0), plot.box[2] - 3.0)
            h, y = curves.value_near(heights, inner, 3), curves.value_near(top, inner, 3)
            if math.isnan(h) or math.isnan(y):
                continue
            half = 1.5 * tolerance(y_axis, y)
            box = (pixel - 3, y, pixel + 3, y + h)
            value = tidy(abs(h * y_axis.slope), half)
            cells.append(Cell(name, text, value, x, "measured", half, round(0.75 * y_axis.confidence, 3), box))
    return _curve_table(cells, layers, x_axis, "stacked_area")


def curves_table(layers: list[Layer], x_axis: Axis | None, y_axis: Axis, plot: Plot, area: bool) -> Table:
    """One or several lines, or a single area."""
    base = baseline_pixel(y_axis, plot)
    cells: list[Cell] = []
    for i, layer in enumerate(layers):
        profile = curves.area_profile(layer.mask, plot, base) if area else curves.line_profile(layer.mask, plot)
        cells += curve_cells(
            series_name(layers, i), profile, x_axis, y_axis, plot, 0.9 if len(layers) == 1 else 0.8, area
        )
    name = ("area" if len(layers) == 1 else "stacked_area") if area else "line" if len(layers) == 1 else "multi_line"
    return _curve_table(cells, layers, x_axis, name)


def _curve_table(cells: list[Cell], layers: list[Layer], x_axis: Axis | None, chart_type: str) -> Table:
    categories: list[str] = []
    for c in sorted(cells, key=lambda c: (c.x if c.x is not None else 0.0, c.box[0] if c.box else 0.0)):
        if c.category not in categories:
            categories.append(c.category)
    kind: Literal["category", "time", "numeric", ""] = (
        ""
        if x_axis is None
        else "time"
        if x_axis.kind == "time"
        else "numeric"
        if x_axis.kind == "numeric"
        else "category"
    )
    series = [Series(series_name(layers, i), hex_color(x.color), color_name(x.color)) for i, x in enumerate(layers)]
    return Table(cells, series, categories, kind, chart_type, 0.85 if cells else 0.2)
