"""Which chart it is: the layers of marks and the axes decide, and the matching table builder measures."""

from __future__ import annotations

from collections.abc import Sequence

from f2teval.figure import table as tables
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer, classify, ink_layers
from f2teval.figure.reading import Axis, TextBox
from f2teval.figure.table import Table


def read_marks(plot: Plot, axes: Sequence[Axis], boxes: list[TextBox]) -> Table | None:
    """The table measured off the marks, or ``None`` when there is nothing to measure against."""
    layers = ink_layers(plot)
    for layer in layers:
        classify(layer, plot)
    layers = _data_layers(layers, plot)
    if not layers:
        return None
    by_side = {a.side: a for a in axes}
    x, y = by_side.get("x") or by_side.get("x2"), by_side.get("y") or by_side.get("y2")
    kinds = [layer.kind for layer in layers]
    main = layers[0].kind
    if main in ("vbar", "hbar"):
        bars = [layer for layer in layers if layer.kind in ("vbar", "hbar")]
        vertical = _bars_vertical(bars, x, y)
        axis, band = (y, x) if vertical else (x, y)
        if axis is None or axis.kind == "category" or axis.slope == 0:
            return None
        return tables.bars_table(bars, axis, band, plot, vertical)
    if y is None or y.kind == "category" or y.slope == 0:
        return None
    if main == "area":
        areas = _merge_edges([layer for layer in layers if layer.kind in ("area", "line")])
        return tables.curves_table(areas[:1], x, y, plot, area=True)
    if "line" in kinds:
        return tables.curves_table([layer for layer in layers if layer.kind == "line"], x, y, plot, area=False)
    return None


def _data_layers(layers: list[Layer], plot: Plot) -> list[Layer]:
    """Layers that carry data: not specks, and not a few dark pixels of axes next to coloured marks."""
    if not layers:
        return []
    largest = int(layers[0].mask.sum())
    keep = [x for x in layers if int(x.mask.sum()) >= max(30, 0.02 * largest)]
    return [x for x in keep if x.kind != "blob"] or keep


def _bars_vertical(bars: list[Layer], x: Axis | None, y: Axis | None) -> bool:
    """The axes decide where they can: the bars' own shape may be square."""
    if x is not None and y is not None:
        if y.kind == "category" and x.kind != "category":
            return False
        if x.kind == "category" and y.kind != "category":
            return True
        if y.kind == "time" and x.kind == "numeric":
            return False
        if x.kind == "time" and y.kind == "numeric":
            return True
    votes = sum((1 if b.kind == "vbar" else -1) * len(b.rects) for b in bars)
    return votes >= 0


def _merge_edges(areas: list[Layer]) -> list[Layer]:
    """An area with a line along its edge is one mark."""
    if len(areas) < 2:
        return areas
    first = areas[0]
    for other in areas[1:]:
        first.mask = first.mask | other.mask
    return [first]
