"""Scatter and bubble charts: one cell a point."""

from __future__ import annotations

import math

import numpy as np

from f2teval.figure.color import color_name, hex_color
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer, find_rects
from f2teval.figure.reading import Axis, Cell, Series
from f2teval.figure.table import Table, number, series_name, tidy, tolerance

MAX_POINTS = 400


def points_table(layers: list[Layer], x_axis: Axis, y_axis: Axis, plot: Plot) -> Table:
    """Centres of the blobs of each layer; blobs of several overlapping points are split by their area."""
    cells: list[Cell] = []
    sizes: list[float] = []
    for i, layer in enumerate(layers):
        blobs, _ = find_rects(layer.mask)
        areas = np.array([b.fill * (b.x1 - b.x0) * (b.y1 - b.y0) for b in blobs])
        if not len(areas):
            continue
        usual = float(np.median(areas))
        for b, area in zip(blobs, areas):
            if area < 0.25 * usual or len(cells) >= MAX_POINTS:
                continue
            shape = (b.x1 - b.x0) / max(1, b.y1 - b.y0)
            if not 0.4 < shape < 2.5:
                continue
            sizes.append(float(area))
            x, y = x_axis.value_at(b.cx), y_axis.value_at(b.cy)
            half = tolerance(y_axis, b.cy)
            text = number(tidy(x, tolerance(x_axis, b.cx)))
            cells.append(
                Cell(
                    series_name(layers, i), text, tidy(y, half), x, "measured", half,
                    round(0.8 * min(x_axis.confidence, y_axis.confidence), 3),
                    (float(b.x0), float(b.y0), float(b.x1), float(b.y1)),
                )
            )  # fmt: skip
    series = [Series(series_name(layers, i), hex_color(x.color), color_name(x.color)) for i, x in enumerate(layers)]
    uneven = len(sizes) > 3 and float(np.std(np.sqrt(sizes))) > 0.25 * math.sqrt(float(np.median(sizes)))
    kind = "bubble" if uneven else "scatter"
    cells.sort(key=lambda c: c.x if c.x is not None else 0.0)
    return Table(cells, series, [c.category for c in cells], "numeric", kind, 0.8 if len(cells) > 3 else 0.4)
