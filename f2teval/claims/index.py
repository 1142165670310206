"""FigureIndex: a Reading prepared for checking texts: its table, its times, its names, its printed numbers.

Made once a figure (milliseconds), then shared by every text about it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from f2teval.claims.claim import Quantity
from f2teval.claims.dates import find_dates
from f2teval.claims.entities import NameTable, alike
from f2teval.claims.numbers import find_quantities
from f2teval.claims.wordforms import STOP, tokens
from f2teval.figure.reading import Cell, Reading

_MAX_TEXT: Final = 20_000


class Printed(NamedTuple):
    """A number printed in the figure."""

    value: float
    unit: str
    kind: str


class FigureIndex:
    """What claims are checked against.

    Attributes:
        reading: the Reading it was made of.
        cells: the table's cells, bad numbers left out.
        series, categories: names in the order of the figure ("" for one unnamed series).
        row: ``(series, category)`` → cell.
        x: category → its position in years (or its number), where it has one.
        is_time: whether the categories are points in time.
        is_line: whether values between categories may be read off (lines and areas).
        names: names of series and categories, for :meth:`NameTable.find`.
        words: folded words of all texts of the figure.
        printed: the numbers printed in the figure.
        span: smallest and largest value of the table or the value axis.
        labelled: whether values are printed (exact) rather than measured.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.cells: tuple[Cell, ...] = tuple(c for c in reading.cells if math.isfinite(c.value))
        self.series: list[str] = list(dict.fromkeys(c.series for c in self.cells))
        self.categories: list[str] = list(dict.fromkeys(c.category for c in self.cells))
        self.row: dict[tuple[str, str], Cell] = {}
        for c in self.cells:
            self.row.setdefault((c.series, c.category), c)
        self.x: dict[str, float] = self._positions()
        numbered = sum(1 for c in self.categories if c in self.x)
        likely = sum(1 for x in self.x.values() if 1000 <= x <= 2200 or 0 <= x < 1)
        timely = reading.category_kind == "time" or (
            reading.category_kind != "numeric" and numbered > 0.6 * len(self.categories)
        )
        self.is_time: bool = bool(self.categories) and timely and 2 * likely >= len(self.x)
        if self.is_time:
            self.categories.sort(key=lambda c: self.x.get(c, math.inf))
        self.order: dict[str, int] = {c: i for i, c in enumerate(self.categories)}
        self.by_series: dict[str, list[Cell]] = {
            s: sorted((c for c in self.cells if c.series == s), key=lambda c: self.order[c.category])
            for s in self.series
        }
        self.by_category: dict[str, list[Cell]] = {}
        for c in self.cells:
            self.by_category.setdefault(c.category, []).append(c)
        self.is_line: bool = any(k in reading.chart_type for k in ("line", "area"))
        self.labelled: bool = sum(c.origin == "label" for c in self.cells) > 0.5 * len(self.cells) > 0
        self.times: list[tuple[float, str]] = sorted((self.x[c], c) for c in self.categories if c in self.x)
        gaps = sorted(b[0] - a[0] for a, b in zip(self.times, self.times[1:]) if b[0] > a[0])
        self.step: float = gaps[len(gaps) // 2] if gaps else 1.0
        self.even: bool = bool(gaps) and gaps[-1] <= 1.5 * gaps[0]
        self.dates_in_series: dict[str, float] = {s: d for s in self.series if (d := _date_of(s)) is not None}
        self.sections: dict[str, list[str]] = {}
        self.names: NameTable = NameTable(self._names())
        self.words: frozenset[str] = self._words()
        self._known: dict[str, bool] = {}
        self._by_letter: dict[str, list[str]] = {}
        for w in self.words:
            if len(w) >= 4:
                self._by_letter.setdefault(w[0], []).append(w)
        self._squashed: str = "".join(c for c in (reading.words + self._meta_text())[:_MAX_TEXT].lower() if c.isalnum())
        self.printed: list[Printed] = self._printed()
        self.values: list[float] = sorted(c.value for c in self.cells)
        self.span: tuple[float, float] | None = self._span()
        self.percent: bool = "%" in reading.unit or "percent" in reading.unit.lower()
        top = max((abs(v) for v in self.span), default=0.0) if self.span else 0.0
        self.fraction: bool = not self.percent and 0 < top <= 1.6 and reading.scale == 1.0
        self.quality: float = self._quality()

    @classmethod
    def of(cls, reading: Reading) -> FigureIndex:
        """Index of a Reading."""
        return cls(reading)

    def _positions(self) -> dict[str, float]:
        x = {c.category: c.x for c in self.cells if c.x is not None and math.isfinite(c.x)}
        for category in self.categories:
            if category not in x and self.reading.category_kind != "numeric":
                date = _date_of(category)
                if date is not None:
                    x[category] = date
        # A few names that look like dates do not make a course of time.
        return x if self.reading.category_kind == "time" or len(x) > 0.6 * len(self.categories) else {}

    def _names(self) -> list[tuple[str, str, tuple[str, ...]]]:
        names: list[tuple[str, str, tuple[str, ...]]]
        names = [("series", s, (s,)) for s in self.series if s and s not in self.dates_in_series]
        categories = [c for c in self.categories if not (self.is_time and c in self.x)]
        # "China: Germans" is the item "Germans" of the section "China".
        items: dict[str, list[str]] = {}
        for c in categories:
            section, colon, item = c.rpartition(": ")
            items.setdefault(item if colon else c, []).append(c)
            if colon and section:
                self.sections.setdefault(section, []).append(c)
        names += [("category", item, tuple(full)) for item, full in items.items()]
        names += [("section", section, tuple(full)) for section, full in self.sections.items()]
        return names

    def _meta_text(self) -> str:
        r = self.reading
        parts = [r.title, r.subtitle, r.source, r.notes, r.category_title, r.unit, *(a.title for a in r.axes)]
        return " ".join([*parts, *self.series, *self.categories])

    def _words(self) -> frozenset[str]:
        text = (self.reading.words + "\n" + self._meta_text())[:_MAX_TEXT]
        return frozenset(t.fold for t in tokens(text)) - STOP

    def _printed(self) -> list[Printed]:
        text = (self.reading.words + "\n" + self._meta_text())[:_MAX_TEXT]
        found = [Printed(q.value, q.unit, q.kind) for q in find_quantities(text)]
        found += [Printed(c.value, self.reading.unit, "number") for c in self.cells if c.origin == "label"]
        return list(dict.fromkeys(found))

    def _span(self) -> tuple[float, float] | None:
        axis_spans = [a.span for a in self.reading.axes if a.kind == "numeric" and a.span and a.confidence >= 0]
        values = [v for s in axis_spans for v in s] + self.values
        return (min(values), max(values)) if values else None

    def _quality(self) -> float:
        """How far the table can be trusted: mean confidence of its cells."""
        return sum(c.confidence for c in self.cells) / len(self.cells) if self.cells else 0.0

    def knows(self, folded: str) -> bool:
        """Whether a folded word stands in the figure, read loosely (misread letters, other endings, lost blanks)."""
        if folded in self.words:
            return True
        if len(folded) < 4:
            return False
        if folded in self._known:
            return self._known[folded]
        found = any(alike(folded, w) > 0 for w in self._by_letter.get(folded[0], ())) or (
            len(folded) >= 5 and folded in self._squashed
        )
        if len(self._known) > 4096:
            self._known.clear()
        self._known[folded] = found
        return found

    # -- time ---------------------------------------------------------------------------------------------------

    def at(self, q: Quantity, modifier: str = "") -> list[str]:
        """Categories that a date of the text points to (several for a decade or a year of months); empty if none."""
        exact = self.order.get(q.text)
        if exact is not None:
            return [q.text]
        if not self.times:
            return []
        if q.unit == "day" and q.value < 13.1 and q.kind == "date" and self.times[-1][0] <= 1.0:
            best = self._nearest((q.value - 1) / 12)
            return [best[1]] if best and abs(best[0] - (q.value - 1) / 12) < 0.0014 else []
        if q.unit in {"month", "day"} and q.value < 13.1 and q.kind == "date":
            return self._months(int(q.value))
        if q.unit == "decade":
            a, b = {"early": (0, 3.5), "mid": (3, 7), "late": (6, 9.99)}.get(modifier, (0, 9.99))
            return self._between(q.value + a, q.value + b)
        if q.kind == "year" and self.step < 0.9:
            inside = self._between(q.value, q.value + 0.999)
            if inside:
                return inside
        tolerance = 0.5 if q.kind == "year" else max(0.051, min(0.5, 0.51 * self.step))
        best = self._nearest(q.value)
        if best is not None and abs(best[0] - q.value) <= tolerance:
            return [best[1]]
        if q.kind == "date" and q.unit in {"month", "day"}:
            same_year = self._between(math.floor(q.value), math.floor(q.value) + 0.999)
            if len(same_year) == 1 and self.x[same_year[0]] == math.floor(q.value):
                return same_year
        return []

    def near(self, x: float) -> str | None:
        """The category nearest to a position inside the period shown (half a step outside is allowed)."""
        if not self.times or not self.times[0][0] - 0.6 * self.step <= x <= self.times[-1][0] + 0.6 * self.step:
            return None
        best = self._nearest(x)
        return best[1] if best else None

    def period(self) -> tuple[float, float] | None:
        """First and last position in time, by the marks and by the labels of the axis."""
        if not self.is_time or not self.times:
            return None
        ticks = [t.value for a in self.reading.axes if a.kind == "time" for t in a.ticks if t.value is not None]
        ends = (self.times[0][0], self.times[-1][0])
        years = [
            p.value for p in self.printed if p.kind == "year" and min(abs(p.value - e) for e in ends) < 1.6 * self.step
        ]
        return min([ends[0], *ticks, *years]), max([ends[1], *ticks, *years])

    def prints(self, q: Quantity) -> bool:
        """Whether a date stands anywhere in the figure (a year also as part of a date)."""
        return any(
            p.kind in {"year", "date"}
            and (abs(p.value - q.value) < 0.02 or (q.value > 13.1 and int(p.value) == int(q.value)))
            for p in self.printed
        )

    def series_dates(self, q: Quantity) -> list[str]:
        """Series that are dates ("2015", "Sep 2016" as columns) and are meant by a date of the text."""
        exact = [s for s, x in self.dates_in_series.items() if abs(x - q.value) < 0.02]
        if exact or q.kind != "year" or q.unit:
            return exact
        return [s for s, x in self.dates_in_series.items() if int(x) == int(q.value)]

    def _nearest(self, x: float) -> tuple[float, str] | None:
        if not self.times:
            return None
        i = bisect_left(self.times, (x, ""))
        return min(self.times[max(0, i - 1) : i + 1], key=lambda t: abs(t[0] - x))

    def _between(self, a: float, b: float) -> list[str]:
        return [c for x, c in self.times if a - 1e-6 <= x <= b + 1e-6]

    def _months(self, month: int) -> list[str]:
        found = [c for x, c in self.times if round((x - math.floor(x)) * 12) + 1 == month]
        return found if self.step < 0.9 or len(self.times) == 1 else []

    def dated_rows(self, categories: Sequence[str] = ()) -> list[list[Cell]]:
        """Where dates are columns ("1997", "2007"): the cells of each category (all when none is named) by date."""
        if len(self.dates_in_series) < 2:
            return []
        dated = sorted(self.dates_in_series, key=lambda s: self.dates_in_series[s])
        rows = [[c for s in dated if (c := self.row.get((s, k))) is not None] for k in categories or self.categories]
        return [row for row in rows if len(row) > 1]

    # -- cells --------------------------------------------------------------------------------------------------

    def select(self, series: Sequence[str] = (), categories: Sequence[str] = ()) -> list[Cell]:
        """Cells of these series (all when empty) at these categories (all when empty)."""
        if series and categories:
            return [c for s in series for k in categories if (c := self.row.get((s, k))) is not None]
        if series:
            return [c for s in series for c in self.by_series.get(s, ())]
        if categories:
            return [c for k in categories for c in self.by_category.get(k, ())]
        return list(self.cells)

    def shown(self, value: float) -> str:
        """A value as people write it, with the figure's unit."""
        digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
        text = f"{value:,.{digits}f}" if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"
        unit = self.reading.unit
        return text + ("%" if self.percent else f" {unit}" if unit and len(unit) <= 30 else "")


def _date_of(label: str) -> float | None:
    """The position of a label that is a date or a year and nothing else."""
    label = label.strip().strip("*†").strip()
    if not label or len(label) > 30:
        return None
    dates = [q for q in find_dates(label) if q.end - q.start >= 0.6 * len(label)]
    if len(dates) == 1 and not (dates[0].kind == "date" and dates[0].value < 13.1):
        return dates[0].value
    if len(dates) == 1:
        return 0.0 + (dates[0].value - 1) / 12  # months without a year: one year counted from nought
    return None


__all__ = ["FigureIndex", "Printed"]
