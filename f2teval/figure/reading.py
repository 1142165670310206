"""Reading: what was read off a figure, with boxes, confidences, and what could not be read.

All boxes are ``(x0, y0, x1, y1)`` in pixels of the *original* picture, origin at the top left, whatever size was used
inside. A Reading is plain data: it survives ``to_dict``/``from_dict`` unchanged (that is how it is cached), and the
synthetic benchmark builds one from its ground truth so that claims can be checked apart from reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from f2teval.score import Box

TextRole = Literal[
    "title", "subtitle", "x_title", "y_title", "tick", "category", "legend", "series_label", "value_label",
    "column_header", "section", "note", "source", "annotation", "other",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextBox:
    """A piece of text found in the picture. ``angle`` is degrees clockwise from horizontal as it was read."""

    text: str
    box: Box
    confidence: float = 1.0
    role: TextRole = "other"
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled position on an axis: its text, its value (``None`` on a category axis), its pixel along the axis."""

    text: str
    value: float | None
    pixel: float
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis.

    For a numeric or time axis ``f(value) = slope * pixel + intercept`` with ``f`` the identity ("linear") or log10
    ("log"); a time axis counts in (fractional) years. ``residual`` is the RMS of that fit over its ticks in pixels.
    """

    side: Literal["x", "y", "x2", "y2"]
    kind: Literal["numeric", "time", "category"]
    ticks: tuple[Tick, ...] = ()
    title: str = ""
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"
    slope: float = 0.0
    intercept: float = 0.0
    residual: float = 0.0
    confidence: float = 0.0

    def value_at(self, pixel: float) -> float:
        """Value at a pixel (numeric or time axes)."""
        v = self.slope * pixel + self.intercept
        return float(10.0**v) if self.scale == "log" else v

    @property
    def span(self) -> tuple[float, float] | None:
        """Smallest and largest tick value, or ``None``."""
        values = [t.value for t in self.ticks if t.value is not None]
        return (min(values), max(values)) if values else None


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of the table.

    Attributes:
        series: name of the series; "" when the chart has only one, unnamed.
        category: the category, date or x value as text, as printed where it is printed.
        value: in the figure's own unit (a tick "15M" or an axis in millions is kept as the number in ``unit``).
        x: numeric position of the category where it has one (a year 2014.0, a scatter's x), else ``None``.
        origin: "label" when printed next to the mark (exact), "measured" when taken off an axis.
        tolerance: half-width within which the true value lies with high probability, in the value's unit
            (for a printed label: half of its last printed digit).
        confidence: 0–1 that value, series and category are right.
    """

    series: str
    category: str
    value: float
    x: float | None = None
    origin: Literal["label", "measured"] = "measured"
    tolerance: float = 0.0
    confidence: float = 1.0
    box: Box | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """A series: its name ("" if unnamed), its colour as ``#rrggbb`` and a plain colour name, where its name is."""

    name: str
    color: str = ""
    color_name: str = ""
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read off one figure.

    Attributes:
        chart_type: a name of :data:`CHART_TYPES`, or "unknown".
        is_chart: 0–1 that the picture is a chart at all.
        unit: unit of the values in plain words or a symbol ("%", "million U.S. dollars"); "" if unknown.
        scale: what one unit of ``Cell.value`` is worth (1e6 when the axis says "in millions"), so that
            ``value * scale`` is absolute. 1.0 when nothing says otherwise.
        category_kind: what the categories are.
        unread: what could not be read, in plain words, for people.
    """

    width: int
    height: int
    texts: tuple[TextBox, ...] = ()
    chart_type: str = "unknown"
    chart_confidence: float = 0.0
    is_chart: float = 0.0
    title: str = ""
    subtitle: str = ""
    source: str = ""
    notes: str = ""
    plot_area: Box | None = None
    axes: tuple[Axis, ...] = ()
    series: tuple[Series, ...] = ()
    categories: tuple[str, ...] = ()
    category_kind: Literal["category", "time", "numeric", ""] = ""
    category_title: str = ""
    cells: tuple[Cell, ...] = ()
    unit: str = ""
    scale: float = 1.0
    background: str = ""
    unread: tuple[str, ...] = ()
    reader: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    def axis(self, side: str) -> Axis | None:
        """The axis on this side, or ``None``."""
        return next((a for a in self.axes if a.side == side), None)

    def cells_of(self, series: str) -> tuple[Cell, ...]:
        """Cells of one series in category order."""
        return tuple(c for c in self.cells if c.series == series)

    @property
    def words(self) -> str:
        """All text of the figure, one line a box."""
        return "\n".join(t.text for t in self.texts)

    def to_dict(self) -> dict[str, Any]:
        """Plain types only."""
        return asdict(self)

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> Reading:
        """Inverse of :meth:`to_dict` (after a JSON round trip too)."""

        def box(b: Any) -> Box | None:
            return (b[0], b[1], b[2], b[3]) if b else None

        data = dict(d)
        data["texts"] = tuple(TextBox(**{**t, "box": box(t["box"])}) for t in d["texts"])
        data["axes"] = tuple(
            Axis(**{**a, "ticks": tuple(Tick(**{**t, "box": box(t["box"])}) for t in a["ticks"])}) for a in d["axes"]
        )
        data["series"] = tuple(Series(**{**s, "box": box(s["box"])}) for s in d["series"])
        data["cells"] = tuple(Cell(**{**c, "box": box(c["box"])}) for c in d["cells"])
        data["categories"] = tuple(d["categories"])
        data["unread"] = tuple(d["unread"])
        data["plot_area"] = box(d["plot_area"])
        return cls(**data)


CHART_TYPES: tuple[str, ...] = (
    "vertical_bar", "horizontal_bar", "grouped_bar", "stacked_bar", "line", "multi_line", "area", "stacked_area",
    "pie", "donut", "scatter", "bubble", "histogram", "box", "violin", "heatmap", "radar", "funnel", "treemap",
    "candlestick", "error_bar", "bar_line", "waterfall", "sankey", "table", "map", "photo", "unknown",
)  # fmt: skip
"""The package names each chart type once, here. "grouped_bar" and "stacked_bar" may be of either orientation."""
