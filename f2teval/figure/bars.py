"""Bars to cells: which label names which bar, and how far each bar reaches."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from f2teval.figure.color import color_name, hex_color
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer, Rect
from f2teval.figure.reading import Axis, Cell, Series, Tick
from f2teval.figure.table import Table, baseline_pixel, date_text, number, series_name, tidy, tolerance

_MAX_GROUPS = 500
"""More groups than this on one axis are a misread axis, not a chart."""


def bar_value(axis: Axis, rect: Rect, vertical: bool, base: float) -> tuple[float, float]:
    """Value and pixel of a bar's free end."""
    low, high = (rect.y0 - 0.5, rect.y1 - 0.5) if vertical else (rect.x0 - 0.5, rect.x1 - 0.5)
    end = low if abs(low - base) >= abs(high - base) else high
    return axis.value_at(end), end


def bars_table(layers: list[Layer], value_axis: Axis, band_axis: Axis | None, plot: Plot, vertical: bool) -> Table:
    """Bars of one or several colours: simple, grouped or stacked."""
    base = baseline_pixel(value_axis, plot)
    bars: list[tuple[int, Rect]] = [(i, r) for i, layer in enumerate(layers) for r in layer.rects]

    def centre(r: Rect) -> float:
        return r.cx if vertical else r.cy

    def breadth(r: Rect) -> int:
        return r.x1 - r.x0 if vertical else r.y1 - r.y0

    wide = float(np.median([breadth(r) for _, r in bars]))
    bars = [(i, r) for i, r in bars if breadth(r) > 0.4 * wide]
    if _floating([r for _, r in bars], base, vertical):
        return Table([], [], [], "", "unknown", 0.1)  # boxes, candles, ranges: their ends are not read yet
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
    placed = len(cells)
    cells = _one_each(cells)
    if placed < len(bars):  # nameless bars may be the very ones a text is about: trust the others less
        cells = [replace(c, confidence=round(c.confidence * (0.5 + 0.5 * placed / len(bars)), 3)) for c in cells]
    if placed == len(bars):
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


def _stacked(bars: list[tuple[int, Rect]], base: float, vertical: bool, wide: float) -> bool:
    """Most bars of the second and later layers do not reach the baseline but stand on another bar."""
    on_base = [
        min(abs(r.y0 - base), abs(r.y1 - base)) < 4 if vertical else min(abs(r.x0 - base), abs(r.x1 - base)) < 4
        for _, r in bars
    ]
    return sum(on_base) < 0.75 * len(on_base)


def _floating(rects: list[Rect], base: float, vertical: bool) -> bool:
    """Whether bars hang in the air: hardly any has an end on the baseline, on a common level or on another bar."""
    if len(rects) < 5:
        return False
    ends = np.array([(r.y0, r.y1) if vertical else (r.x0, r.x1) for r in rects], dtype=float)
    sides = np.array([(r.x0, r.x1) if vertical else (r.y0, r.y1) for r in rects], dtype=float)
    levels = (base + 0.5, *ends[:, 0], *ends[:, 1])
    common = max(float((np.abs(ends - level) < 4).any(axis=1).mean()) for level in levels)
    if common >= 0.4:
        return False
    along = np.minimum(sides[:, None, 1], sides[None, :, 1]) - np.maximum(sides[:, None, 0], sides[None, :, 0])
    same_band = (along > 0.5 * np.diff(sides, axis=1)) & ~np.eye(len(rects), dtype=bool)
    meets = np.abs(ends[:, None, 0] - ends[None, :, 1]) < 4
    meets |= meets.T
    return bool((meets & same_band).any(axis=1).mean() < 0.4)


def group_labels(axis: Axis | None, per_layer: list[list[float]]) -> list[Tick]:
    """Labels of groups of bars; ``per_layer`` are the bars' centres of each series.

    On a time axis with thinned labels the bars of one series tell how far apart groups are.
    """
    longest = sorted(per_layer[int(np.argmax([len(x) for x in per_layer]))])
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
    if step <= 0 or high - low > _MAX_GROUPS * step:  # bars on one spot, or a misread axis: no groups to name
        return list(axis.ticks)
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

    Turned labels hang a constant distance off their band: the shift that brings most of them onto bands is found first.
    """
    if not ticks or not centres:
        return ticks
    at = np.array([t.pixel for t in ticks])
    bands = np.array(centres)
    step = float(np.median(np.diff(np.sort(bands)))) if len(bands) > 1 else 40.0
    if len(at) > 2:  # where bars of no height are missing, labels lie closer than bars
        step = min(step, float(np.median(np.diff(np.sort(at)))))
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
