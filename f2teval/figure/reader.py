"""The reader: picture → Reading, each part in its own file, put together here."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from f2teval.figure import cache as kept
from f2teval.figure.axes import Axes, find_axes
from f2teval.figure.charts import read_marks
from f2teval.figure.color import hex_color
from f2teval.figure.labelled import LabelledTable, read_labelled
from f2teval.figure.layout import Plot, extend_to_ticks, find_plot
from f2teval.figure.load import LoadedImage, Rgb, content_key, load_image
from f2teval.figure.ocr import read_text, recognise
from f2teval.figure.reading import Axis, Reading, TextBox, TextRole
from f2teval.figure.roles import Roles, assign_roles
from f2teval.figure.table import Table
from f2teval.figure.ticktext import parse_tick, scale_of
from f2teval.score import Box

_log = logging.getLogger(__name__)

READER_VERSION = "2"
"""Goes into signatures and names kept readings: raise it whenever a picture would be read differently."""

ROUND = ("pie", "donut")
"""Charts without axes."""


def read_figure(source: Path | str | bytes, *, cache: bool = True) -> Reading:
    """Read a figure.

    Args:
        source: path or encoded bytes of a picture.
        cache: look the picture up among kept readings first, and keep the new one.

    Returns:
        The reading. A picture that is no chart comes back with its text, no table, and a low ``is_chart``.

    Raises:
        ImageError: the picture cannot be read.
        MissingExtraError: SVG or PDF without its extra.
    """
    if cache:
        sha = content_key(source)
        found = kept.load(sha, READER_VERSION)
        if found is not None:
            return found
    image = load_image(source)
    reading = read_image(image)
    if cache:
        kept.save(image.sha, READER_VERSION, reading)
    return reading


def read_image(image: LoadedImage, boxes: list[TextBox] | None = None) -> Reading:
    """Read a loaded picture; ``boxes`` spares the OCR when its result is at hand."""
    rgb = image.rgb
    if boxes is None:
        boxes = read_text(rgb)
    plot, axes = _plot_and_axes(rgb, boxes)
    if plot:
        extend_to_ticks(plot, axes.axes)
    roles = assign_roles(boxes, plot, axes)
    unread: list[str] = []
    marks = None
    if plot:
        with _surviving("values of the marks", unread):
            marks = read_marks(rgb, plot, axes.axes, boxes, set(axes.used))
    table = marks.table if marks else None
    if table is not None and table.chart_type in ROUND:
        axes = Axes((), {})
        roles = assign_roles(boxes, plot, axes)
    if marks and marks.table:
        legend: TextRole = "legend"
        named = {e.text for e in marks.legend}
        texts = tuple(replace(t, role=legend) if i in named else t for i, t in enumerate(roles.texts))
        roles = roles._replace(texts=texts)
    if not axes.axes and not (table is not None and table.chart_type in ROUND):
        unread.append("axes")
    if (table is None or not table.cells) and "values of the marks" not in unread:
        unread.append("values of the marks")
    measured = _assemble(image, roles, plot, axes, table, unread)
    printed = None
    if _may_print_values(boxes, axes):
        with _surviving("printed values", unread):
            printed = read_labelled(rgb, boxes, axes.axes, partial(_look, rgb))
    if measured.unread != tuple(unread):
        measured = replace(measured, unread=tuple(unread))
    return _with_printed(measured, printed) if printed and _printed_is_better(measured, printed) else measured


@contextmanager
def _surviving(what: str, unread: list[str]) -> Iterator[None]:
    """A part of the reader that trips over an odd picture costs that part, not the text and axes already read."""
    try:
        yield
    except Exception:
        _log.warning("could not read %s", what, exc_info=True)
        unread.append(what)


def _plot_and_axes(rgb: Rgb, boxes: list[TextBox]) -> tuple[Plot | None, Axes]:
    """The plot and its axes; looked for again past faint panels and frames when an axis is missing."""
    plot = find_plot(rgb, boxes)
    axes = find_axes(plot, boxes) if plot else Axes((), {})
    if plot is None or _strength(axes) >= 1.5:
        return plot, axes
    other = find_plot(rgb, boxes, 75.0)
    if other is None or other.box == plot.box:
        return plot, axes
    second = find_axes(other, boxes)
    return (other, second) if _strength(second) > _strength(axes) + 0.3 else (plot, axes)


def _strength(axes: Axes) -> float:
    return sum(a.confidence * (0.7 if a.kind == "category" else 1.0) for a in axes.axes if a.side in ("x", "y"))


_ENDS_IN_NUMBER = re.compile(r"(?:^|\s)[-+(]?[$€£]?\.?\d[\d.,]{0,14}\)?\s?(?:%|[A-Za-z]{1,3})?\)?[*†]?$|\d\s?%")


def _may_print_values(boxes: list[TextBox], axes: Axes) -> bool:
    """Whether short texts that are no tick labels hold numbers: only then is a table of printed values looked for."""
    free = [b for i, b in enumerate(boxes) if i not in axes.used and len(b.text) <= 40]
    return sum(bool(_ENDS_IN_NUMBER.search(b.text.strip())) for b in free) >= 2


def _look(rgb: Rgb, places: Sequence[Box]) -> list[tuple[str, float]]:
    """Text and confidence at places where OCR saw none but a number is to be expected."""
    quads = [np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32) for x0, y0, x1, y1 in places]
    return [(line.text, line.confidence) for line in recognise(rgb, quads)]


def _printed_is_better(measured: Reading, printed: LabelledTable) -> bool:
    """Printed values are exact, but a few stray numbers are no table: they must cover about what was measured."""
    if len(printed.cells) < 2 or printed.confidence < 0.4:
        return False
    strength = sum(c.confidence for c in measured.cells)
    return len(measured.cells) < 2 or sum(c.confidence for c in printed.cells) >= 0.5 * strength


def _with_printed(measured: Reading, printed: LabelledTable) -> Reading:
    """The reading with its table taken from printed values."""
    return replace(
        measured,
        texts=printed.texts or measured.texts,
        chart_type=printed.chart_type if printed.chart_type != "unknown" else measured.chart_type,
        chart_confidence=max(printed.confidence, measured.chart_confidence),
        is_chart=round(max(measured.is_chart, min(0.97, 0.4 + 0.55 * printed.confidence)), 3),
        title=printed.title or measured.title,
        subtitle=printed.subtitle or measured.subtitle,
        source=printed.source or measured.source,
        notes=printed.notes or measured.notes,
        series=printed.series,
        categories=printed.categories,
        category_kind=printed.category_kind,
        cells=printed.cells,
        unit=printed.unit or measured.unit,
        scale=printed.scale if printed.scale != 1 or printed.unit == "%" else measured.scale,
        unread=printed.unread,
    )


def _assemble(
    image: LoadedImage, roles: Roles, plot: Plot | None, axes: Axes, table: Table | None, unread: list[str]
) -> Reading:
    titled = tuple(_with_title(a, roles) for a in axes.axes)
    value_axis = _value_axis(titled, table)
    category_axis = next((a for a in titled if value_axis is not None and a.side[0] != value_axis.side[0]), None)
    unit, scale = _unit(roles, value_axis)
    if table is not None and table.chart_type in ROUND:
        unit, scale = "%", 1.0
    return Reading(
        width=image.width,
        height=image.height,
        texts=roles.texts,
        chart_type=table.chart_type if table else "unknown",
        chart_confidence=table.confidence if table else 0.0,
        is_chart=_chartness(roles, axes, table),
        title=roles.title,
        subtitle=roles.subtitle,
        source=roles.source,
        notes=roles.notes,
        plot_area=plot.area if plot else None,
        axes=titled,
        series=tuple(table.series) if table else (),
        categories=tuple(table.categories) if table else (),
        category_kind=table.category_kind if table else "",
        category_title=category_axis.title if category_axis else "",
        cells=tuple(table.cells) if table else (),
        unit=unit,
        scale=scale,
        background=hex_color(plot.panel) if plot else "",
        unread=tuple(unread),
        reader=READER_VERSION,
    )


def _with_title(axis: Axis, roles: Roles) -> Axis:
    if axis.side == "y":
        return replace(axis, title=roles.y_title)
    if axis.side == "x":
        return replace(axis, title=roles.x_title)
    return axis


def _value_axis(axes: tuple[Axis, ...], table: Table | None) -> Axis | None:
    sides = ("x", "y") if table and table.chart_type == "horizontal_bar" else ("y", "x", "y2", "x2")
    for side in sides:
        for a in axes:
            if a.side == side and a.kind == "numeric":
                return a
    return None


def _unit(roles: Roles, axis: Axis | None) -> tuple[str, float]:
    """Unit of the values in words and what one is worth, from the axis' ticks and title, the subtitle, the title."""
    unit = axis.unit if axis else ""
    for text in (axis.title if axis else "", roles.subtitle, roles.title):
        scale, word = scale_of(text)
        if word:
            if axis is not None and _carries(axis, scale):
                return unit, 1.0
            return f"{unit} {word}".strip(), scale
    return unit, 1.0


def _carries(axis: Axis, scale: float) -> bool:
    """Whether ticks already carry a multiplier: "2M", or numbers too large to stand for millions once more.

    Thousands are no such proof: "2,500" under "in thousands" is two and a half million.
    """
    if any((parsed := parse_tick(t.text)) is not None and parsed.multiplier != 1 for t in axis.ticks):
        return True
    return scale > 1e3 and any(abs(t.value or 0) >= 0.9 * scale for t in axis.ticks)


def _chartness(roles: Roles, axes: Axes, table: Table | None) -> float:
    """How sure it is that the picture is a chart: axes and measured marks speak for it, text alone hardly."""
    score = 0.03
    numeric = [a for a in axes.axes if a.kind != "category"]
    if roles.texts:
        score += 0.12
    if numeric:
        score += 0.35 * max(a.confidence for a in numeric)
    if len(axes.axes) >= 2:
        score += 0.15
    if table and len(table.cells) >= 2:
        score += (0.75 if table.chart_type in ROUND else 0.35) * table.confidence  # slices need no axes
    return round(min(score, 0.99), 3)
