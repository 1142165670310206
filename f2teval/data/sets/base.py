"""What every rating set becomes: texts, who wrote them, what each person said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from f2teval.data.rows import parse_json, read_rows
from f2teval.errors import InputError, RatingsError, UsageError
from f2teval.sample import Sample, join_sentences

MAX_FILE_BYTES: Final = 2 << 30

Raters = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Rated:
    """One text with what people said of it.

    Attributes:
        id: unique in its set; scores join on it.
        figure: what the text is about; texts with the same figure are drawn together in a bootstrap.
        group: a part of the set that tables report on its own (kind of captioner, domain …).
        ratings: dimension (or "overall") → one value a rater, ``None`` where that rater gave none.
        final: dimension → the value the set itself settled on (adjudicated, published mean), where it has one.
        sentences, wrong: the sentences, and for each whether people found an error in it (``None``: not judged).
        features: what else people marked (SciCap-Eval's "mentions a takeaway" …), as numbers.
    """

    id: str
    figure: str
    text: str = ""
    system: str = ""
    group: str = ""
    image: str = ""
    caption: str = ""
    context: str = ""
    source: str = ""
    references: tuple[str, ...] = ()
    ratings: Mapping[str, Raters] = field(default_factory=dict)
    final: Mapping[str, float] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    wrong: tuple[bool | None, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts about one figure, of which people prefer one: ids, and the group the pair counts in."""

    better: str
    worse: str
    group: str = ""


@dataclass(slots=True)
class RatingSet:
    """A set of human ratings.

    Attributes:
        scales: dimension → (lowest, highest) grade; a rating outside is refused.
        aggregate: how several raters become one number when the user says nothing: "final", "mean", "majority", "none".
        rater_names: names of the raters' columns; empty where raters are anonymous and change from row to row.
        published: the statistic that published numbers on this set are in; metrics are tested on it by default.
        answers: dimension of the ratings → the metric's dimension that means the same, where names differ.
        dropped: reason → number of native rows that are no rated texts (excluded by the set's own rules).
    """

    name: str
    rows: list[Rated]
    scales: dict[str, tuple[float, float]]
    pairs: list[Pair] = field(default_factory=list)
    aggregate: str = "mean"
    rater_names: tuple[str, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    published: str = ""
    answers: dict[str, str] = field(default_factory=dict)

    def samples(self, image_dir: Path | None = None) -> Iterator[Sample]:
        """The texts as samples, to be scored: ids are those the ratings join on. A picture that the set knows by its
        address on the web is looked for by its file name."""
        for r in self.rows:
            image = r.image.rsplit("/", 1)[-1] if "://" in r.image else r.image
            text, spans = join_sentences(list(r.sentences)) if r.sentences else (r.text, None)
            yield Sample(
                id=r.id,
                text=text,
                sentences=spans,
                image=(image_dir / image if image_dir else Path(image)) if image else None,
                caption=r.caption,
                context=r.context,
                references=r.references,
                system=r.system,
                source=r.source,
            )

    def check(self) -> RatingSet:
        """This set, after making sure it can be used.

        Raises:
            RatingsError: no rows, rows that share an id, or ratings off the declared scale (how many, and three).
        """
        if not self.rows:
            raise RatingsError("no rated texts in it", where=self.name)
        ids = [r.id for r in self.rows]
        if len(set(ids)) < len(ids):
            seen: set[str] = set()
            twice = [i for i in ids if i in seen or seen.add(i)]  # type: ignore[func-returns-value]
            raise RatingsError(
                f"{len(twice)} rows repeat an id, e.g. {_three(twice)}", where=self.name, hint="an id names one text"
            )
        off = [
            f"{r.id}: {d} {v:g}"
            for r in self.rows
            for d, values in [*r.ratings.items(), *((d, (v,)) for d, v in r.final.items())]
            if (scale := self.scales.get(d))
            for v in values
            if v is not None and not scale[0] <= v <= scale[1]
        ]
        if off:
            scales = ", ".join(f"{d} {a:g}–{b:g}" for d, (a, b) in self.scales.items())
            raise RatingsError(
                f"{len(off)} ratings are off the declared scale ({scales}), e.g. {_three(off)}",
                where=self.name,
                hint="declare another with --scale LOW:HIGH",
            )
        return self


def _three(items: list[str]) -> str:
    return ", ".join(items[:3])


class Fields:
    """Looks up native fields by our name for them, with the user's field map on top of the set's own names.

    A default may list several native names, tried in order.
    """

    def __init__(self, defaults: Mapping[str, str], overrides: Mapping[str, str] | None = None) -> None:
        unknown = sorted(set(overrides or {}) - set(defaults))
        if unknown:
            raise UsageError(f"this set has no field {unknown[0]!r} to map; it has {', '.join(sorted(defaults))}")
        self._names = {k: tuple(v.split("|")) for k, v in {**defaults, **(overrides or {})}.items()}

    def get(self, row: Mapping[str, Any], name: str, default: Any = None) -> Any:
        """The value of our field ``name``; a dotted native name reaches into nested objects."""
        if not isinstance(row, Mapping):
            raise RatingsError(f"expected an object with a field {self._names[name][0]!r}, not {row!r:.40}")
        for native in self._names[name]:
            value: Any = row.get(native)
            if value is None and "." in native:
                value = row
                for part in native.split("."):
                    value = value.get(part) if isinstance(value, Mapping) else None
            if value is not None and value != "":
                return value
        return default

    def need(self, row: Mapping[str, Any], name: str, where: str) -> Any:
        """As :meth:`get`. Raises :class:`RatingsError` when the field is absent."""
        value = self.get(row, name)
        if value is None:
            raise RatingsError(
                f"no field {' or '.join(map(repr, self._names[name]))}",
                where=where,
                hint=f"if it is called otherwise: --field {name}=NAME",
            )
        return value


def number(value: Any, where: str, what: str) -> float:
    """A finite number. Raises :class:`RatingsError`."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if not math.isfinite(x) or isinstance(value, bool):
        raise RatingsError(f"{what} is {value!r}, not a number", where=where)
    return x


def rows_of(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """``(where, row)`` of a JSONL, JSON-array, CSV or Parquet file. Raises :class:`InputError` on the first bad row:
    ratings that are silently incomplete would make every number wrong."""
    for raw in read_rows(path):
        if raw.fields is None:
            raise InputError(raw.problem, where=raw.where)
        yield raw.where, raw.fields


def json_of(path: Path) -> Any:
    """A whole JSON file. Raises :class:`InputError`."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError("larger than 2 GB", where=str(path))
        return parse_json(path.read_bytes())
    except OSError as e:
        raise InputError(e.strerror or str(e), where=str(path)) from e
    except ValueError as e:
        raise InputError(str(e), where=str(path)) from e


def native_file(path: Path, *names: str) -> Path:
    """The file itself, or the first of ``names`` (patterns) in a folder. Raises :class:`InputError`."""
    if path.is_file():
        return path
    if path.is_dir():
        for name in names:
            found = sorted(path.glob(name))
            if found:
                return found[0]
        raise InputError(f"none of {', '.join(names)} in this folder", where=str(path))
    raise InputError("no such file or folder", where=str(path))


def strings(value: Any) -> tuple[str, ...]:
    """References in any of their forms: a list, one string, or nothing."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(str(v) for v in value) if isinstance(value, (list, tuple)) else ()
