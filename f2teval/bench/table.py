"""The table behind a synthetic figure: what is plotted, with the words a writer needs to speak of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from f2teval.errors import InputError

Form = Literal["series", "points", "boxes", "ohlc", "flow"]
"""How to read ``values``: plain series; points (series "x", "y", maybe "size"); boxes (five numbers a category);
ohlc (open, high, low, close); flow (a series is a source, a category a target)."""

SPLITS: Final = ("train", "validation", "test")
MAIN_SERIES: Final[Mapping[str, str]] = {"boxes": "median", "ohlc": "close", "points": "y"}
"""The series a plain statement is about, where a form has several that belong together."""


@dataclass(frozen=True, slots=True)
class Table:
    """Values by series and category, in the figure's unit.

    Attributes:
        values: ``values[s][c]``, ``None`` where the figure has no mark. ``value * scale`` is absolute.
        measure: noun phrase of what is measured ("the number of visitors"), ``short`` a shorter one; ``plural`` its
            grammatical number.
        where: the entity with its preposition ("in Norway"); "" when categories carry it.
        unit: in words ("million euros"), "percent", or "" for plain counts. ``symbol`` "%", "$" or "".
        x: numeric position of each category (years), or ``None``.
        entity: with ``topic`` the key that splits are made by.
        parts: the values of one series (or of one category, in a survey) make up a whole.
        additive: sums over categories mean something.
        errors: half-widths of error bars, ``errors[s][c]``, or ``None``.
        sections: for each category its section header, or empty.
        says: predicate of a survey's respondents, with ``{resp}`` for a response or ``{cat}`` for a category.
    """

    form: Form
    topic: str
    entity: str
    title: str
    subtitle: str
    measure: str
    short: str
    where: str
    unit: str
    symbol: str
    scale: float
    decimals: int
    value_title: str
    category_title: str
    category_kind: Literal["category", "time", "numeric"]
    categories: tuple[str, ...]
    series: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    one: str = "category"
    many: str = "categories"
    series_many: str = "series"
    plural: bool = False
    x: tuple[float, ...] | None = None
    source: str = ""
    note: str = ""
    domain: str = ""
    parts: bool = False
    additive: bool = False
    survey: bool = False
    says: str = ""
    errors: tuple[tuple[float, ...], ...] | None = None
    sections: tuple[str, ...] = ()
    ordered: bool = False

    def __post_init__(self) -> None:
        if not self.categories or not self.series:
            raise InputError("the table is empty: it needs at least one series and one category", where=self.topic)
        if len(self.values) != len(self.series) or any(len(r) != len(self.categories) for r in self.values):
            raise InputError(
                f"the table is ragged: {len(self.series)} series × {len(self.categories)} categories expected",
                where=self.topic,
            )
        if all(v is None for row in self.values for v in row):
            raise InputError("the table holds no value", where=self.topic)

    @property
    def main(self) -> str:
        """The series that statements without a series name are about."""
        return MAIN_SERIES.get(self.form, self.series[0])

    def row(self, series: str) -> tuple[float | None, ...]:
        """Values of a series in category order. Raises ``ValueError`` for an unknown name."""
        return self.values[self.series.index(series)]

    def at(self, series: str, category: str) -> float | None:
        """One value."""
        return self.row(series)[self.categories.index(category)]

    @property
    def pair(self) -> str:
        """Topic and entity: no two splits share one."""
        return f"{self.topic}|{self.entity}"

    @property
    def key(self) -> str:
        """Hash of the data (hex, 16 characters): equal tables have equal keys."""
        text = repr((self.form, self.topic, self.entity, self.series, self.categories, self.values))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Plain types only."""
        return asdict(self)

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> Table:
        """Inverse of :meth:`to_dict`, after a JSON round trip too."""
        data = dict(d)
        for name in ("categories", "series", "sections"):
            data[name] = tuple(d[name])
        data["values"] = tuple(tuple(r) for r in d["values"])
        data["x"] = tuple(d["x"]) if d.get("x") is not None else None
        data["errors"] = tuple(tuple(r) for r in d["errors"]) if d.get("errors") is not None else None
        return cls(**data)


def split_of(pair: str) -> str:
    """The split of a topic-entity pair: 70 % train, 15 % validation, 15 % test, by hash, the same in every run."""
    bucket = int.from_bytes(hashlib.blake2b(pair.encode(), digest_size=4).digest(), "little") % 100
    return SPLITS[0] if bucket < 70 else SPLITS[1] if bucket < 85 else SPLITS[2]
