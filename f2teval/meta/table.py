"""A table of results, free of any output format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from f2teval.meta.values import Cell

Value = Cell | str | int | None


class Column(NamedTuple):
    """A column: its heading, the heading it shares with its neighbours, decimals, which end is best (for bold), and
    whether a value too small for the decimals is shown as a bound (a p value is never 0)."""

    label: str
    group: str = ""
    digits: int = 4
    best: Literal["max", "min", ""] = ""
    bound: bool = False


P_VALUE: Final = Column("p", bound=True)


class Row(NamedTuple):
    """A row: its label and one value a column. ``aside`` rows (people, baselines by definition) are never "best"."""

    label: str
    cells: tuple[Value, ...]
    aside: bool = False


@dataclass(slots=True)
class Table:
    """``key`` is its name in options and JSON; ``notes`` say what a reader must know to read it right."""

    key: str
    title: str
    columns: list[Column]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    def best(self, column: int) -> float | None:
        """The best value of a column among the rows that compete, or ``None``."""
        how = self.columns[column].best
        values = [
            c.value for r in self.rows if not r.aside and isinstance(c := r.cells[column], Cell) and c.value is not None
        ]
        if not how or len(values) < 2:
            return None
        return max(values) if how == "max" else min(values)

    def to_json(self) -> dict[str, Any]:
        """Plain types."""
        return {
            "key": self.key,
            "title": self.title,
            "columns": [{"label": c.label, "group": c.group} for c in self.columns],
            "rows": [
                {"label": r.label, "cells": [c.to_json() if isinstance(c, Cell) else c for c in r.cells]}
                for r in self.rows
            ],
            "notes": self.notes,
        }
