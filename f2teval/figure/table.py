"""From marks and axes to the table: series × category → value, with tolerance, confidence and a box each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from f2teval.figure.color import color_name
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer
from f2teval.figure.reading import Axis, Cell, Series
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


def series_name(layers: list[Layer], i: int) -> str:
    """A layer's name: as the figure gives it, "" when it is the only one, else its colour."""
    if layers[i].name or len(layers) == 1:
        return layers[i].name
    name = color_name(layers[i].color)
    same = [j for j, x in enumerate(layers) if color_name(x.color) == name]
    return name if len(same) == 1 else f"{name} {same.index(i) + 1}"


def tidy(value: float, half: float) -> float:
    """Round away digits that were not measured (two more than the tolerance has)."""
    if value == 0 or half <= 0 or not math.isfinite(value):
        return 0.0 if abs(value) < 1e-12 else value
    digits = 2 - math.floor(math.log10(half))
    return round(value, int(min(max(digits, -12), 15)))
