"""From marks and axes to the table: series × category → value, with tolerance, confidence and a box each."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from f2teval.figure import curves
from f2teval.figure.color import color_name, hex_color
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer, Rect
from f2teval.figure.reading import Axis, Cell, Series, Tick
from f2teval.figure.ticktext import MONTHS

PIXELS = 1.5
"""How many pixels an edge may be misplaced; measured values get this, plus the axis' own residual, as tolerance."""


@dataclass(slots=True)
class Table:
    """Cells with the series and categories they run over."""

    cells: list[Cell]
    series: list[Series]
    categories: list[str]
    category_kind: Literal["category", "time", "numeric", ""]
    chart_type: str
    confidence: float


def tolerance(axis: Axis, pixel: float) -> float:
    """Half-width of what can be read at a pixel, in the axis' values."""
    d = PIXELS + axis.residual
    return abs(axis.value_at(pixel + d) - axis.value_at(pixel - d)) / 2


def number(value: float) -> str:
    """A number as people write it, for categories that are positions on an axis."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.4g}"


def date_text(year: float, step: float) -> str:
    """A fractional year as a date, to the precision of a step between samples."""
    if step >= 0.99 or (step > 0.1 and abs(year - round(year)) < 0.01 and year > 3):
        return str(round(year))
    y, m = divmod(round(year * 12), 12)
    if step >= 0.24 and m % 3 == 0 and y > 3:
        return f"Q{m // 3 + 1} {y}"
    names = [k.capitalize() for k in MONTHS if len(k) == 3]
    return f"{names[m]} {y}" if y > 3 else names[m]


def baseline_pixel(axis: Axis, plot: Plot) -> float:
    """Pixel of the value bars stand on: zero where the axis has it, else its end nearest to zero."""
    if axis.scale == "linear" and axis.slope:
        zero = -axis.intercept / axis.slope
        low, high = (plot.box[1], plot.box[3]) if axis.side in ("y", "y2") else (plot.box[0], plot.box[2])
        if low - 3 <= zero <= high + 3:
            return zero
        return float(low if abs(zero - low) < abs(zero - high) else high)
    return float(plot.box[3] if axis.side in ("y", "y2") else plot.box[0])


# ---------------------------------------------------------------------------------------------------------- bars


def bar_value(axis: Axis, rect: Rect, vertical: bool, base: float) -> tuple[float, float]:
    """Value and pixel of a bar's free end."""
    low, high = (rect.y0 - 0.5, rect.y1 - 0.5) if vertical else (rect.x0 - 0.5, rect.x1 - 0.5)
    end = low if abs(low - base) >= abs(high - base) else high
    return axis.value_at(end), end


def bars_table(layers: list[Layer], value_axis: Axis, band_axis: Axis | None, plot: Plot, vertical: bool) -> Table:
    """Bars of one or several colours: simple, grouped or stacked."""
    base = baseline_pixel(value_axis, plot)
    bars: list[tuple[int, Rect]] = [(i, r) for i, layer in enumerate(layers) for r in layer.rects]
    centre = (lambda r: r.cx) if vertical else (lambda r: r.cy)
    breadth = (lambda r: r.x1 - r.x0) if vertical else (lambda r: r.y1 - r.y0)
    wide = float(np.median([breadth(r) for _, r in bars]))
    bars = [(i, r) for i, r in bars if breadth(r) > 0.4 * wide]
    stacked = len(layers) > 1 and _stacked(bars, base, vertical, wide)
    grouped = len(layers) > 1 and not stacked
    per_layer = [[centre(r) for j, r in bars if j == i] for i in range(len(layers))]
    if grouped:
        labels = group_labels(band_axis, per_layer)
    else:
        labels = band_labels(band_axis, [centre(r) for _, r in bars], wide)
    cells: list[Cell] = []
    for i, r in bars:
        label = _nearest(labels, centre(r))
        if label is None:
            continue
        if stacked:
            a, b = (r.y0 - 0.5, r.y1 - 0.5) if vertical else (r.x0 - 0.5, r.x1 - 0.5)
            value, pixel = abs(value_axis.value_at(a) - value_axis.value_at(b)), (a + b) / 2
        else:
            value, pixel = bar_value(value_axis, r, vertical, base)
        value = tidy(value, tolerance(value_axis, pixel))
        cells.append(
            Cell(
                series_name(layers, i), label.text, value, label.value, "measured", tolerance(value_axis, pixel),
                round(0.95 * min(1.0, value_axis.confidence + 0.05) * r.fill, 3),
                (float(r.x0), float(r.y0), float(r.x1), float(r.y1)),
            )
        )  # fmt: skip
    cells = _one_each(cells)
    cells += _missing_bars(cells, labels, layers, value_axis, base, vertical, wide)
    order = {t.text: k for k, t in enumerate(labels)}
    cells.sort(key=lambda c: order.get(c.category, 0))
    times = [t.value is not None for t in labels]
    kind: Literal["category", "time"] = "time" if labels and sum(times) > 0.8 * len(times) else "category"
    name = "stacked_bar" if stacked else "grouped_bar" if grouped else "vertical_bar" if vertical else "horizontal_bar"
    series = [Series(series_name(layers, i), hex_color(x.color), color_name(x.color)) for i, x in enumerate(layers)]
    return Table(cells, series, [t.text for t in labels], kind, name, 0.9 if cells else 0.2)


def _one_each(cells: list[Cell]) -> list[Cell]:
    """One bar a series and category: the largest; slivers beside it are edges and axis lines."""
    best: dict[tuple[str, str], Cell] = {}
    for c in cells:
        key = (c.series, c.category)
        if key not in best or _size(c) > _size(best[key]):
            best[key] = c
    return list(best.values())


def _size(c: Cell) -> float:
    return (c.box[2] - c.box[0]) * (c.box[3] - c.box[1]) if c.box else 0.0


def series_name(layers: list[Layer], i: int) -> str:
    """A layer's name: as the figure gives it, "" when it is the only one, else its colour."""
    if layers[i].name or len(layers) == 1:
        return layers[i].name
    name = color_name(layers[i].color)
    same = [j for j, x in enumerate(layers) if color_name(x.color) == name]
    return name if len(same) == 1 else f"{name} {same.index(i) + 1}"


def _stacked(bars: list[tuple[int, Rect]], base: float, vertical: bool, wide: float) -> bool:
    """Most bars of the second and later layers do not reach the baseline but stand on another bar."""
    on_base = [
        min(abs(r.y0 - base), abs(r.y1 - base)) < 4 if vertical else min(abs(r.x0 - base), abs(r.x1 - base)) < 4
        for _, r in bars
    ]
    return sum(on_base) < 0.75 * len(on_base)


def group_labels(axis: Axis | None, per_layer: list[list[float]]) -> list[Tick]:
    """Labels of groups of bars; ``per_layer`` are the bars' centres of each series.

    On a time axis with thinned labels the bars of one series tell how far apart groups are.
    """
    longest = sorted(max(per_layer, key=len))
    everything = sorted(c for layer in per_layer for c in layer)
    gaps = np.diff(everything)
    cut = 1.3 * float(np.median(gaps)) if len(gaps) else 0.0
    centres = _merge(everything, cut) if cut else everything
    if axis is None:
        return [Tick(str(i + 1), None, c) for i, c in enumerate(centres)]
    if axis.kind == "category" or axis.slope == 0 or len(longest) < 2:
        return align_labels(list(axis.ticks), centres) if len(centres) == len(axis.ticks) else list(axis.ticks)
    apart = float(np.median(np.diff(longest))) * abs(axis.slope)
    step = float(max(1, round(apart))) if axis.kind == "time" and apart > 0.7 else apart
    first = axis.ticks[0].value or 0.0
    low, high = sorted((axis.value_at(everything[0]), axis.value_at(everything[-1])))
    printed = {round(t.value, 3): t for t in axis.ticks if t.value is not None}
    out = []
    for k in range(math.ceil((low - first) / step - 0.5), math.floor((high - first) / step + 0.5) + 1):
        v = first + k * step
        pixel = (v - axis.intercept) / axis.slope
        known = printed.get(round(v, 3))
        text = known.text if known else date_text(v, step) if axis.kind == "time" else number(round(v, 6))
        out.append(Tick(text, v, pixel, known.box if known else None))
    return out


def band_labels(axis: Axis | None, centres: list[float], wide: float) -> list[Tick]:
    """Labels of the bands: those printed, and on a time axis also those between (labels are often thinned)."""
    if axis is None:
        groups = _merge(sorted(centres), 0.6 * wide)
        return [Tick(str(i + 1), None, c) for i, c in enumerate(groups)]
    groups = _merge(sorted(centres), 0.6 * wide)
    if axis.kind == "category" or axis.slope == 0:
        return align_labels(list(axis.ticks), groups)
    out = []
    ticks = {round(t.pixel): t for t in axis.ticks}
    for c in groups:
        near = [t for p, t in ticks.items() if abs(p - c) < 0.5 * wide]
        if near:
            out.append(Tick(near[0].text, near[0].value, c, near[0].box))
            continue
        value = axis.value_at(c)
        if axis.kind == "time":
            out.append(Tick(date_text(value, 1.0), float(round(value)), c))
        else:
            out.append(Tick(number(round(value, 6)), value, c))
    return out


def align_labels(ticks: list[Tick], centres: list[float]) -> list[Tick]:
    """Move category labels onto the bands they name.

    Turned labels hang a constant distance off their band, so the shift that brings most labels onto bands is found first.
    """
    if not ticks or not centres:
        return ticks
    at = np.array([t.pixel for t in ticks])
    bands = np.array(centres)
    step = float(np.median(np.diff(np.sort(bands)))) if len(bands) > 1 else 40.0
    if len(ticks) == len(bands):
        order = np.argsort(at)
        moved = np.sort(bands)
        if float(np.abs((at[order] - moved) - np.median(at[order] - moved)).max()) < 0.6 * step:
            return [Tick(ticks[i].text, ticks[i].value, float(moved[k]), ticks[i].box) for k, i in enumerate(order)]
    gaps = at[:, None] - bands[None, :]
    near = gaps[np.abs(gaps) < 0.9 * step]
    shift = 0.0
    if len(near):
        votes = [(int((np.abs(near - g) < 0.15 * step).sum()), -abs(float(g)), float(g)) for g in near]
        shift = max(votes)[2]
    out = []
    for t in sorted(ticks, key=lambda t: t.pixel):
        j = int(np.abs(bands - (t.pixel - shift)).argmin())
        pixel = float(bands[j]) if abs(bands[j] - (t.pixel - shift)) < 0.5 * step else t.pixel - shift
        out.append(Tick(t.text, t.value, pixel, t.box))
    return out


def _merge(values: list[float], within: float) -> list[float]:
    groups: list[list[float]] = []
    for v in values:
        if groups and v - groups[-1][-1] < within:
            groups[-1].append(v)
        else:
            groups.append([v])
    return [float(np.mean(g)) for g in groups]


def _nearest(labels: list[Tick], centre: float) -> Tick | None:
    if not labels:
        return None
    pixels = np.sort(np.array([t.pixel for t in labels]))
    step = float(np.median(np.diff(pixels))) if len(pixels) > 1 else math.inf
    best = min(labels, key=lambda t: abs(t.pixel - centre))
    return best if abs(best.pixel - centre) < 0.6 * step else None


def _missing_bars(
    cells: list[Cell], labels: list[Tick], layers: list[Layer], axis: Axis, base: float, vertical: bool, wide: float
) -> list[Cell]:
    """A labelled band without any bar is a bar of (about) no height, when its neighbours have theirs."""
    if len(layers) != 1 or len(cells) < 0.5 * len(labels):
        return []
    have = {c.category for c in cells}
    out = []
    for t in labels:
        if t.text in have:
            continue
        value = axis.value_at(base)
        half = wide / 2
        box = (
            (t.pixel - half, base - 2, t.pixel + half, base + 2)
            if vertical
            else (base - 2, t.pixel - half, base + 2, t.pixel + half)
        )
        out.append(
            Cell(
                "", t.text, tidy(value, tolerance(axis, base)), t.value, "measured", 2 * tolerance(axis, base), 0.5, box
            )
        )
    return out


def tidy(value: float, half: float) -> float:
    """Round away digits that were not measured (two more than the tolerance has)."""
    if value == 0 or half <= 0 or not math.isfinite(value):
        return 0.0 if abs(value) < 1e-12 else value
    digits = 2 - math.floor(math.log10(half))
    return round(value, int(min(max(digits, -12), 15)))


# ------------------------------------------------------------------------------------------------- lines and areas


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
        if step < 1 and best and (step / per_pixel < 5 or (yearly and turns < 0.8 * abs(last - first))):
            break
        off = max(abs(y0 - first), abs(y1 - last)) / per_pixel
        years = [y0 + k * step for k in range(count)]
        if off <= max(6.0, 0.25 / per_pixel if step >= 1 else 0.0):
            pixels = [a + (b - a) * k / (count - 1) for k in range(count)]
        else:
            pixels = [min(max((y - axis.intercept) / axis.slope, float(a)), float(b)) for y in years]
        printed = {round(t.value, 3): t.text for t in axis.ticks if t.value is not None}
        sampled = [(printed.get(round(y, 3)) or date_text(y, step), float(y), p) for y, p in zip(years, pixels)]
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
    name: str, profile: curves.Profile, x_axis: Axis | None, y_axis: Axis, plot: Plot, confidence: float
) -> list[Cell]:
    """Cells of one curve."""
    out = []
    for text, x, pixel in curve_positions(x_axis, profile, plot):
        y = curves.value_near(profile, pixel, 4)
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
        cells += curve_cells(series_name(layers, i), profile, x_axis, y_axis, plot, 0.9 if len(layers) == 1 else 0.8)
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
