"""What a renderer reports of the picture it drew: every text, mark and axis, in pixels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from f2teval.figure.reading import Axis, TextBox
from f2teval.score import Box


@dataclass(frozen=True, slots=True)
class Mark:
    """One drawn value: its series and category, the value, its box, its colour, and its printed label if any.

    ``kind``: "bar", "point" (a vertex of a line, area or radar, or a dot), "slice", "cell", "box", "link".
    """

    series: str
    category: str
    value: float
    box: Box
    kind: str = "bar"
    color: str = ""
    label: str = ""


def calibration(per_value: float, at_zero: float) -> tuple[float, float]:
    """Slope and intercept of ``value = slope * pixel + intercept`` from ``pixel = per_value * value + at_zero``."""
    return (1 / per_value, -at_zero / per_value) if per_value else (0.0, 0.0)


@dataclass(slots=True)
class Scene:
    """A rendered figure. ``png`` are the encoded bytes of the file; boxes are in its pixels."""

    width: int
    height: int
    chart_type: str
    renderer: str
    background: str = "#ffffff"
    texts: list[TextBox] = field(default_factory=list)
    axes: list[Axis] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    plot_area: Box | None = None
    colors: dict[str, str] = field(default_factory=dict)
    png: bytes = b""

    def scale(self, k: float) -> None:
        """Multiply every coordinate by ``k`` (the picture was drawn at another resolution)."""

        def s(b: Box | None) -> Box | None:
            return None if b is None else (b[0] * k, b[1] * k, b[2] * k, b[3] * k)

        self.texts = [replace(t, box=s(t.box) or t.box) for t in self.texts]
        self.marks = [replace(m, box=s(m.box) or m.box) for m in self.marks]
        self.plot_area = s(self.plot_area)
        self.axes = [
            replace(
                a,
                slope=a.slope / k,
                ticks=tuple(replace(t, pixel=t.pixel * k, box=s(t.box)) for t in a.ticks),
            )
            for a in self.axes
        ]
