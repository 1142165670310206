"""Seeded tables with plausible topics, units, magnitudes and shapes.

Directions and ranks are drawn evenly (a series rises as often as it falls), so that a text-only model cannot guess a
statement's truth from what usually happens.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from f2teval.bench import tables_plain as plain
from f2teval.bench import tables_special as special
from f2teval.bench.table import Table

TYPE_FORM: Final[dict[str, str]] = {
    "vertical_bar": "single",
    "horizontal_bar": "category",
    "grouped_bar": "multi",
    "stacked_bar": "parts",
    "line": "time",
    "multi_line": "multi_time",
    "area": "time",
    "stacked_area": "parts_time",
    "pie": "whole",
    "donut": "whole",
    "scatter": "points",
    "bubble": "bubbles",
    "histogram": "bins",
    "box": "boxes",
    "violin": "boxes",
    "heatmap": "matrix",
    "radar": "matrix",
    "funnel": "stages",
    "treemap": "whole",
    "candlestick": "ohlc",
    "error_bar": "errors",
    "bar_line": "two",
    "waterfall": "bridge",
    "sankey": "flow",
}
"""chart type → the kind of table it is drawn from."""


def make_table(rng: Random, chart_type: str) -> Table:
    """A table fit for a chart type (a key of :data:`TYPE_FORM`)."""
    return _MAKERS[TYPE_FORM[chart_type]](rng)


_MAKERS: Final[dict[str, Callable[[Random], Table]]] = {
    "single": plain.single_table,
    "category": plain.category_table,
    "multi": plain.multi_table,
    "parts": plain.parts_table,
    "time": plain.time_table,
    "multi_time": lambda r: plain.multi_table(r, time=True),
    "parts_time": lambda r: plain.additive_table(r, True),
    "whole": special.whole_table,
    "points": special.points_table,
    "bubbles": lambda r: special.points_table(r, sized=True),
    "bins": special.bins_table,
    "boxes": special.boxes_table,
    "matrix": special.matrix_table,
    "stages": special.stages_table,
    "ohlc": special.ohlc_table,
    "errors": special.errors_table,
    "two": special.two_table,
    "bridge": special.bridge_table,
    "flow": special.flow_table,
}
