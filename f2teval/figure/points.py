"""Scatter and bubble charts: one cell a point."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from f2teval.figure.color import color_name, hex_color
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer, classify, find_rects
from f2teval.figure.reading import Axis, Cell, Series
from f2teval.figure.table import Table, number, series_name, tidy, tolerance

MAX_POINTS = 400


def merge_outlines(layers: list[Layer], plot: Plot) -> list[Layer]:
    """Layers with the points of a scatter plot made whole.

    See-through points are of several shades (outline, fill, overlaps): shades lying between one colour and the ground
    that only together are round points are one layer.
    """
    ground = np.array(plot.panel, dtype=np.float64)
    out = list(layers)
    for first in layers:
        if not any(x is first for x in out) or first.kind not in ("line", "blob", "points"):
            continue
        tint = np.array(first.color, dtype=np.float64) - ground
        shades = [x for x in out if x is not first and x.kind in ("line", "blob", "points") and _shade(x, tint, ground)]
        if not shades:
            continue
        whole = Layer(first.color, np.logical_or.reduce([first.mask, *(x.mask for x in shades)]), name=first.name)
        classify(whole, plot)
        dots = [r for r in whole.rects if r.fill > 0.5 and 0.5 < (r.x1 - r.x0) / (r.y1 - r.y0) < 2]
        if whole.kind != "points" or len(dots) < 8:
            continue
        darkest = max([first, *shades], key=lambda x: float(np.linalg.norm(np.array(x.color) - ground)))
        whole.color, whole.name = darkest.color, next((x.name for x in (first, *shades) if x.name), "")
        out = [whole if x is first else x for x in out if not any(x is s for s in shades)]
    return out


def _shade(layer: Layer, tint: npt.NDArray[np.float64], ground: npt.NDArray[np.float64]) -> bool:
    """Whether a layer's colour is a paler or stronger shade of a tint seen against the ground."""
    own = np.array(layer.color, dtype=np.float64) - ground
    cosine = float(own @ tint) / max(float(np.linalg.norm(own) * np.linalg.norm(tint)), 1e-9)
    return cosine > 0.985


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
