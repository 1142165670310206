"""Which chart it is: the layers of marks and the axes decide, and the matching table builder measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from f2teval.figure.bars import bars_table
from f2teval.figure.color import distance, saturation
from f2teval.figure.layout import Plot
from f2teval.figure.legend import Entry, erase_samples, find_legend, name_by_text_color, name_line_ends
from f2teval.figure.load import Rgb
from f2teval.figure.marks import Layer, classify, ink_layers
from f2teval.figure.pies import find_disc, pie_table
from f2teval.figure.points import merge_outlines, points_table
from f2teval.figure.reading import Axis, TextBox
from f2teval.figure.sampling import curves_table, stacked_areas_table
from f2teval.figure.table import Table


class Marks(NamedTuple):
    """What the marks say: the table (``None`` when nothing could be measured), and the texts that name series."""

    table: Table | None
    legend: list[Entry]


def read_marks(rgb: Rgb, plot: Plot, axes: Sequence[Axis], boxes: list[TextBox], used: set[int]) -> Marks:
    """Measure the marks of a plot. ``used`` are texts that serve the axes."""
    layers = ink_layers(plot)
    disc = not any(a.kind != "category" for a in axes) and find_disc(layers) is not None
    if disc:
        axes, used = (), set()  # what looked like categories was a legend or the slices' labels
    entries = find_legend(rgb, layers, boxes, used, plot) if len(layers) > 1 else []
    erase_samples(layers, entries)
    for e in entries:
        layers[e.layer].name = e.name
    return Marks(_measure(rgb, layers, plot, axes, boxes, used, entries), entries)


def _name_the_rest(
    rgb: Rgb, layers: list[Layer], plot: Plot, boxes: list[TextBox], used: set[int], entries: list[Entry]
) -> None:
    """Names for layers that no legend named: text in their colour, then labels at the ends of lines."""
    if len(layers) < 2 or all(x.name for x in layers):
        return
    taken = used | {e.text for e in entries}
    for finder in ("color", "end"):
        nameless = [x for x in layers if not x.name]
        if finder == "color":
            found = name_by_text_color(rgb, nameless, boxes, taken, plot)
        elif nameless and nameless[0].kind == "line":
            found = name_line_ends(nameless, boxes, taken, plot)
        else:
            found = []
        for e in found:
            nameless[e.layer].name = e.name
            taken.add(e.text)
            entries.append(e)


def _measure(
    rgb: Rgb, layers: list[Layer], plot: Plot, axes: Sequence[Axis], boxes: list[TextBox], used: set[int],
    entries: list[Entry],
) -> Table | None:  # fmt: skip
    if not axes:
        pie = pie_table(layers, boxes, used | {e.text for e in entries}, plot)
        if pie is not None:
            return pie
    for layer in layers:
        classify(layer, plot)
    layers = _data_layers(layers, plot)
    if not layers:
        return None
    by_side = {a.side: a for a in axes}
    x, y = by_side.get("x") or by_side.get("x2"), by_side.get("y") or by_side.get("y2")
    if x is not None and y is not None and x.kind == y.kind == "numeric":
        layers = merge_outlines(layers, plot)
    _name_the_rest(rgb, layers, plot, boxes, used, entries)
    main = layers[0].kind
    if main in ("vbar", "hbar"):
        bars = [layer for layer in layers if layer.kind in ("vbar", "hbar")]
        vertical = _bars_vertical(bars, x, y)
        axis, band = (y, x) if vertical else (x, y)
        if axis is None or axis.kind == "category" or axis.slope == 0:
            return None
        return bars_table(bars, axis, band, plot, vertical)
    if y is None or y.kind == "category" or y.slope == 0:
        return None
    dots = [layer for layer in layers if layer.kind == "points"]
    joined = main == "points" and x is not None and x.kind == "time" and any(layer.kind == "line" for layer in layers)
    if dots and main == "points" and not joined and x is not None and x.kind != "category" and x.slope:
        return points_table(dots, x, y, plot)
    if main == "area":
        stack = [
            x
            for x in layers
            if x.kind in ("area", "vbar", "blob") and int(x.mask.sum()) > 0.02 * int(layers[0].mask.sum())
        ]
        if len(stack) > 1 and sum(bool(x.name) for x in stack) >= 2:
            return stacked_areas_table([x for x in stack if x.name] or stack, x, y, plot)
        areas = _merge_edges([layer for layer in layers if layer.kind in ("area", "line")])
        return curves_table(areas[:1], x, y, plot, area=True)
    # lines whose markers outweigh them look like points, but not beside other lines over the same years
    lines = [layer for layer in layers if layer.kind == "line" or (joined and any(layer is d for d in dots))]
    if not lines and x is not None and x.kind != "category":
        lines = [layer for layer in layers if _runs_across(layer, plot)]  # a thin line in pieces
    return curves_table(lines, x, y, plot, area=False) if lines else None


def _runs_across(layer: Layer, plot: Plot) -> bool:
    x0, _, x1, _ = plot.box
    return float(layer.mask[:, x0:x1].any(axis=0).mean()) > 0.4


def _data_layers(layers: list[Layer], plot: Plot) -> list[Layer]:
    """Layers that carry data: not specks, and not a few dark pixels of axes next to coloured marks."""
    if not layers:
        return []
    largest = int(layers[0].mask.sum())
    keep = [x for x in layers if int(x.mask.sum()) >= max(30, 0.02 * largest)]
    keep = [x for x in keep if float(distance(np.array(x.color), np.array(plot.page))) > 30] or keep
    if any(saturation(x.color) > 0.2 for x in keep):
        # faint grey beside colours is what is left of gridlines and frames
        panel = np.array(plot.panel)
        keep = [
            x for x in keep if x.name or saturation(x.color) > 0.08 or float(distance(np.array(x.color), panel)) > 90
        ]
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
