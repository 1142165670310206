"""What reading a labelled figure gives: a table of printed values, with the texts it was made of and their roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from f2teval.figure.reading import Cell, Series, TextBox


@dataclass(frozen=True, slots=True)
class LabelledTable:
    """A table whose values are printed in the figure.

    ``confidence`` (0–1) is that a cell taken at random is right in value, series and category; ``unread`` says in
    plain words what was seen but not placed.
    """

    texts: tuple[TextBox, ...] = ()
    title: str = ""
    subtitle: str = ""
    source: str = ""
    notes: str = ""
    unit: str = ""
    scale: float = 1.0
    series: tuple[Series, ...] = ()
    categories: tuple[str, ...] = ()
    category_kind: Literal["category", "time", "numeric", ""] = ""
    cells: tuple[Cell, ...] = ()
    chart_type: str = "unknown"
    confidence: float = 0.0
    unread: tuple[str, ...] = ()
