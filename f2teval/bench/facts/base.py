"""The teller: a table, a source of chance, and what has been said so far; it turns facts into clauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from f2teval.bench import grammar
from f2teval.bench.speech import Said, lower_first, say, spread, when
from f2teval.bench.table import Table
from f2teval.bench.truth import StatedClaim, StatedError


@dataclass(slots=True)
class Clause:
    """A clause without full stop; offsets in claims and errors are relative to it."""

    text: str
    claims: list[StatedClaim] = field(default_factory=list)
    errors: list[StatedError] = field(default_factory=list)
    levels: tuple[int, ...] = (2,)
    covers: tuple[str, ...] = ()
    role: str = "fact"


Wrong = tuple[str, Sequence[str], str]
"""An error to record: its type, the slots whose words are wrong (none: the whole clause), what would be right."""


@dataclass(slots=True)
class Teller:
    """What makers of clauses need.

    Attributes:
        exact: every value is printed in the figure, so writers give it as printed.
        split: which templates may be used.
        pronoun: the subject may be "it" (the sentence before was about the same).
    """

    table: Table
    rng: Random
    exact: bool
    split: str
    colors: Mapping[str, str]
    chart_type: str
    color_names: Mapping[str, str]
    causes: tuple[str, str] = ("", "")
    pronoun: bool = False
    spans: dict[str, float] = field(default_factory=dict)

    def rows(self) -> list[str]:
        """Series a statement may be about."""
        if self.table.form in ("boxes", "ohlc", "points"):
            return [self.table.main]
        return list(self.table.series)

    @property
    def ordered(self) -> bool:
        """Categories are times or bins ("in 2014"), not things ("Spain")."""
        return self.table.category_kind != "category" and self.table.form != "points"

    def pick_series(self) -> str:
        return self.rng.choice(self.rows())

    def cells(self, series: str) -> list[tuple[str, float]]:
        """(category, value) of a series, gaps left out."""
        return [(c, v) for c, v in zip(self.table.categories, self.table.row(series)) if v is not None]

    def span(self, series: str) -> float:
        """Extent that differences in a series are judged by."""
        if series not in self.spans:
            self.spans[series] = series_spread(self.table, series)
        return self.spans[series]

    def margin(self, series: str) -> float:
        """Smallest difference worth a statement: what a reader can see, or two last digits where values are printed."""
        return max(self.span(series) * (0.012 if self.exact else 0.05), 1.001 * 10.0**-self.table.decimals)

    def say(self, v: float, series: str) -> Said:
        """A value in words."""
        table = self.table
        if table.form == "series" and self.chart_type == "bar_line" and series == table.series[1]:
            table = Table.from_dict(table.to_dict() | {"symbol": "%", "unit": "percent", "decimals": 1})
        return say(self.rng, v, table, exact=self.exact, span=self.span(series))

    def wrong(self, v: float, series: str) -> float:
        """A wrong value as models give them: another mark's value, a shift, another order of magnitude."""
        t = self.table
        gap = max(self.span(series) * (0.06 if self.exact else 0.16), 2.5 * 10.0**-t.decimals)
        pool = [u for _, u in self.cells(series) if abs(u - v) > gap]
        for _ in range(12):
            how = self.rng.random()
            if pool and how < 0.5:
                return self.rng.choice(pool)
            if how < 0.9:
                w = v + self.rng.choice((-1, 1)) * self.rng.uniform(gap * 1.05, max(gap * 1.2, self.span(series) * 0.6))
            else:
                w = v * self.rng.choice((10.0, 0.1))
            if t.symbol == "%" and t.parts and not 0 < w < 100:
                continue
            low = min(u for _, u in self.cells(series))
            if (w < 0 <= low) or abs(w - v) <= gap:
                continue
            return round(w, t.decimals)
        return round(v + gap * 1.2, t.decimals)

    def subject(self, series: str) -> str:
        """A noun phrase for the measure (of a series), "it" where that is clear."""
        t, rng = self.table, self.rng
        if self.pronoun and rng.random() < 0.5 and len(self.rows()) == 1:
            return "they" if t.plural else rng.choice(("it", "it", "this value" if rng.random() < 0.4 else "it"))
        base = t.measure if rng.random() < 0.55 else t.short
        if t.form == "boxes":
            base = "the median " + base.removeprefix("the ").removeprefix("average ").removeprefix(
                "mean "
            ).removeprefix("median ")
        elif t.form == "ohlc":
            base = rng.choice(("the closing price", "the share price", "the price at close"))
        if len(self.rows()) > 1:
            if t.survey and t.parts:
                return rng.choice(
                    (f"the share answering “{series}”", f"the “{series}” share", f"the percentage choosing “{series}”")
                )
            if series.isdigit():
                return f"{base} in {series}"
            if self.chart_type == "bar_line":
                return lower_first(series) if series == t.series[1] else t.short
            if t.form == "flow":
                return f"{base} from {series}"
            return rng.choice((f"{base} for {series}", f"{base} of {series}", f"{base} for {series}"))
        where = f" {t.where}" if t.where and rng.random() < 0.6 else ""
        return base + where

    def noun(self) -> str:
        """The measure without its article: "number of visitors"."""
        base = self.table.short if self.rng.random() < 0.7 else self.table.measure
        return base.removeprefix("the ")

    def verbs(self, series: str) -> dict[str, str]:
        """Forms that agree with the subject."""
        many = self.table.plural and len(self.rows()) == 1
        return {
            "was": "were" if many else "was",
            "was1": "was",
            "is": "are" if many else "is",
            "has": "have" if many else "has",
            "its": "their" if many else "its",
        }

    def times(self, **cats: str) -> dict[str, str]:
        """Slots for time categories: ``i="2014"`` gives i ("2014") and I ("in 2014")."""
        out = {}
        for name, c in cats.items():
            full, bare = when(self.table, c, self.rng)
            out[name], out[name.upper()] = bare, full
        return out

    def clause(
        self,
        key: str,
        slots: Mapping[str, str],
        claims: Sequence[StatedClaim],
        wrong: Sequence[Wrong] = (),
        *,
        levels: tuple[int, ...] = (2,),
        covers: tuple[str, ...] = (),
        role: str = "fact",
    ) -> Clause | None:
        """Fill a template of ``key`` and place the claims and errors in it."""
        made = None
        for _ in range(4):
            made = grammar.expand(self.rng, self.rng.choice(grammar.templates(key, self.split)), slots)
            if made is not None:
                break
        if made is None:
            return None
        text, at = made
        out = Clause(text, levels=levels, covers=covers, role=role)
        for c in claims:
            out.claims.append(_placed(c, 0, len(text)))
        for kind, names, seen in wrong:
            places = [at[n] for n in names if n in at]
            a, b = (min(p[0] for p in places), max(p[1] for p in places)) if places else (0, len(text))
            out.errors.append(StatedError(kind, a, b, text[a:b], seen))
        return out


def series_spread(table: Table, series: str) -> float:
    """:func:`spread` of a series; a poll's and a comparable series' is the whole table's."""
    if (
        table.form in ("points", "boxes", "ohlc")
        or len({*table.series}) == 1
        or (len(table.series) == 2 and "(%)" in table.series[1])
    ):
        return spread([v for v in table.row(series) if v is not None])
    return spread([v for r in table.values for v in r if v is not None])


def stated(
    kind: str,
    series: Sequence[str] = (),
    categories: Sequence[str] = (),
    values: Sequence[float] = (),
    direction: str = "",
    true: bool = True,
    **slots: Any,
) -> StatedClaim:
    """A claim whose place is not known yet."""
    return StatedClaim(kind, 0, 0, tuple(series), tuple(categories), tuple(values), direction, slots, true)


def number_slots(*said: Said) -> dict[str, Any]:
    """Precision, hedge and bound of stated numbers, for the check."""
    return {
        "precision": [s.precision for s in said],
        "approx": [s.approx for s in said],
        "bound": [s.bound for s in said],
    }


def _placed(c: StatedClaim, a: int, b: int) -> StatedClaim:
    return StatedClaim(c.kind, a, b, c.series, c.categories, c.values, c.direction, c.slots, c.true)
