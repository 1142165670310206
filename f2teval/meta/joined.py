"""Scores beside ratings: one row a rated text, arrays throughout, NaN where something is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from f2teval.data.sets.base import Rated, RatingSet
from f2teval.data.sets.f2tbenchmark import majority
from f2teval.errors import RatingsError, UsageError
from f2teval.meta.ranks import reciprocal_rank, reversed_reciprocal_rank
from f2teval.meta.scores import MetricScores, reasons
from f2teval.meta.values import OVERALL, Floats, Ints
from f2teval.rubric import DIMENSION_NAMES, SCALE_MAX
from f2teval.sample import join_sentences

Aggregate = Literal["final", "mean", "majority", "none"]
AGGREGATES: Final = ("final", "mean", "majority", "none")


@dataclass(slots=True)
class Coverage:
    """How many of the rated texts a metric scored, and why not the others."""

    scored: int
    total: int
    reasons: Counter[str]


@dataclass(slots=True)
class Joined:
    """Arrays over rated rows (n,). ``targets`` and ``scores`` hold NaN where there is no number.

    Attributes:
        targets: dimension → what people said, aggregated as ``aggregate`` says.
        scales: dimension → its grades' range, where declared.
        raters: dimension → (texts, raters), unaggregated, one row a *text* also when ``aggregate`` is "none".
        scores: metric → dimension → (n,).
        used: metric → dimension → the metric's column that answers to it (its own, or what stands in).
        sentence_*: per judged sentence, metric → (row, p_error, wrong).
    """

    ratings: RatingSet
    aggregate: str
    text_ids: list[str]
    row_text: Ints
    figure: Ints
    n_figures: int
    system: list[str]
    group: list[str]
    targets: dict[str, Floats]
    scales: dict[str, tuple[float, float]]
    raters: dict[str, Floats]
    scores: dict[str, dict[str, Floats]]
    used: dict[str, dict[str, str]]
    coverage: dict[str, Coverage]
    sentences: dict[str, tuple[Ints, Floats, Floats]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return len(self.row_text)


def join(
    ratings: RatingSet,
    metrics: Sequence[MetricScores],
    *,
    aggregate: str | None = None,
    targets: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> Joined:
    """Put scores beside ratings.

    Args:
        aggregate: "final" (the set's own value, else the mean), "mean", "majority" (ties: the median), or "none"
            (each single rating is a row); default is the set's own habit.
        targets: dimensions to keep; default all.
        columns: dimension of the ratings → the metric's column that answers to it; under "" what answers to any
            dimension the metric does not have. What is not said here is as the set declares, else the one number.

    Raises:
        RatingsError: no id is common to scores and ratings (says how many, shows three of each).
        UsageError: an unknown aggregation or target, or a column that no metric has.
    """
    how = aggregate or ratings.aggregate
    if how not in AGGREGATES:
        raise UsageError(f"no aggregation {how!r}; known: {', '.join(AGGREGATES)}")
    rows = ratings.rows
    ids = [r.id for r in rows]
    notes = [_check_ids(ratings, m, ids) for m in metrics]
    row_text, values = _targets(rows, how)
    available = dict(values)
    if targets:
        unknown = [t for t in targets if t not in available]
        if unknown:
            raise UsageError(f"no ratings of {unknown[0]!r}; this set has {', '.join(available) or 'none'}")
        available = {t: available[t] for t in targets}
    given = _check_columns(columns or {}, metrics, available)
    names = {f: i for i, f in enumerate(dict.fromkeys(r.figure for r in rows))}
    text_figure = np.array([names[r.figure] for r in rows], dtype=np.int64)
    joined = Joined(
        ratings=ratings,
        aggregate=how,
        text_ids=ids,
        row_text=row_text,
        figure=text_figure[row_text],
        n_figures=len(names),
        system=_systems(rows, metrics),
        group=[r.group for r in rows],
        targets=available,
        scales=_scales(ratings, available),
        raters=_raters(rows, available),
        scores={},
        used={m.name: {t: _answer(m, t, given, ratings.answers) for t in (*available, OVERALL)} for m in metrics},
        coverage={m.name: Coverage(0, len(ids), reasons(m, ids)) for m in metrics},
        notes=[n for n in notes if n],
    )
    for m in metrics:
        joined.scores[m.name] = {
            t: _lookup(m.columns.get(column, {}), ids)[row_text] for t, column in joined.used[m.name].items()
        }
        missing = sum(joined.coverage[m.name].reasons.values())
        joined.coverage[m.name].scored = len(ids) - missing
        if m.sentences:
            found = _sentence_rows(rows, m)
            if found is not None:
                joined.sentences[m.name] = found
    _draw_only_scored(joined)
    for reason, count in ratings.dropped.items():
        joined.notes.append(f"{count} rows of {ratings.name} are left out: {reason}")
    return joined


def _check_columns(
    columns: Mapping[str, str], metrics: Sequence[MetricScores], targets: Mapping[str, Floats]
) -> Mapping[str, str]:
    known = list(dict.fromkeys(c for m in metrics for c in m.columns))
    for target, column in columns.items():
        if target and target not in targets:
            raise UsageError(f"no ratings of {target!r}; this set has {', '.join(targets) or 'none'}")
        if column not in known and column != OVERALL and any(m.columns for m in metrics):
            raise UsageError(f"no metric has a column {column!r}; there are {', '.join(known)}")
    return columns


def _answer(m: MetricScores, target: str, given: Mapping[str, str], answers: Mapping[str, str]) -> str:
    for name in (given.get(target), target, given.get(""), answers.get(target)):
        if name in m.columns:
            return str(name)
    return OVERALL


def _draw_only_scored(j: Joined) -> None:
    """Number the figures that some metric scored a text of: a bootstrap over the others would draw nothing."""
    active = np.zeros(j.n, dtype=bool)
    for by_target in j.scores.values():
        for values in by_target.values():
            active |= ~np.isnan(values)
    for text, _, _ in j.sentences.values():
        active |= np.isin(j.row_text, text)
    if not active.any():
        return
    kept, codes = np.unique(j.figure[active], return_inverse=True)
    figure = np.full(j.n, -1, dtype=np.int64)  # rows without any score are never looked at
    figure[active] = codes.reshape(-1)
    j.figure, j.n_figures = figure, len(kept)


def _check_ids(ratings: RatingSet, m: MetricScores, ids: list[str]) -> str:
    known = set(ids)
    common = known & m.seen
    if not common:
        raise RatingsError(
            f"no id of {m.name}'s {len(m.seen)} scores is among the {len(ids)} rated texts; scores have "
            f"{', '.join(sorted(m.seen)[:3])}, ratings have {', '.join(ids[:3])}",
            where=ratings.name,
            hint="score the samples of --samples-out, or map the id field",
        )
    parts = []
    for what, rest in (
        ("rated texts have no score row", known - m.seen),
        ("scored texts have no rating", m.seen - known),
    ):
        if rest:
            parts.append(f"{len(rest)} {what} (e.g. {', '.join(sorted(rest)[:3])})")
    return f"{m.name}: " + "; ".join(parts) if parts else ""


def _lookup(column: dict[str, float], ids: list[str]) -> Floats:
    nan = float("nan")
    return np.array([column.get(i, nan) for i in ids], dtype=np.float64)


def _systems(rows: list[Rated], metrics: Sequence[MetricScores]) -> list[str]:
    said: dict[str, str] = {}
    for m in metrics:
        said.update(m.systems)
    return [r.system or said.get(r.id, "") for r in rows]


def _targets(rows: list[Rated], how: str) -> tuple[Ints, dict[str, Floats]]:
    dimensions = dict.fromkeys(d for r in rows for d in (*r.ratings, *r.final))
    order = [*(d for d in DIMENSION_NAMES if d in dimensions), *(d for d in dimensions if d not in DIMENSION_NAMES)]
    if how == "none":
        width = [max((len(v) for v in r.ratings.values()), default=1) for r in rows]
        row_text = np.repeat(np.arange(len(rows)), width)
        slot = np.concatenate([np.arange(w) for w in width]) if rows else np.empty(0, np.int64)
        arrays = {d: np.array([_single(rows[t], d, int(k)) for t, k in zip(row_text, slot)]) for d in order}
    else:
        row_text = np.arange(len(rows))
        arrays = {d: np.array([_one(r, d, how) for r in rows]) for d in order}
    if OVERALL not in arrays and all(d in arrays for d in DIMENSION_NAMES):
        arrays[OVERALL] = np.mean([arrays[d] for d in DIMENSION_NAMES], axis=0) / SCALE_MAX
    if "rank" in arrays:
        best = float(np.nanmax(arrays["rank"]))
        arrays["reciprocal_rank"] = reciprocal_rank(arrays["rank"])
        arrays["reversed_reciprocal_rank"] = reversed_reciprocal_rank(arrays["rank"], best)
        del arrays["rank"]
    return row_text.astype(np.int64), {d: a.astype(np.float64) for d, a in arrays.items()}


def _single(r: Rated, d: str, k: int) -> float:
    values = r.ratings.get(d)
    if not values:
        return r.final.get(d, np.nan) if k == 0 else np.nan
    v = values[k] if k < len(values) else None
    return np.nan if v is None else v


def _one(r: Rated, d: str, how: str) -> float:
    if how == "final" and d in r.final:
        return r.final[d]
    values = [v for v in r.ratings.get(d, ()) if v is not None]
    if not values:
        return r.final.get(d, np.nan)
    return majority(values) if how == "majority" else sum(values) / len(values)


def _scales(ratings: RatingSet, targets: dict[str, Floats]) -> dict[str, tuple[float, float]]:
    scales = {d: s for d, s in ratings.scales.items() if d in targets}
    if OVERALL in targets and OVERALL not in ratings.scales and all(d in ratings.scales for d in DIMENSION_NAMES):
        scales[OVERALL] = (0.0, 1.0)
    return scales


def _raters(rows: list[Rated], targets: dict[str, Floats]) -> dict[str, Floats]:
    """Unaggregated ratings of the targets that several people rated; "overall" from the five where it is their mean."""
    found = {d for d in (*targets, *DIMENSION_NAMES) if any(len(r.ratings.get(d, ())) > 1 for r in rows)}
    out = {d: _rater_array(rows, d) for d in targets if d in found}
    if OVERALL in targets and OVERALL not in found and all(d in found for d in DIMENSION_NAMES):
        five = [_rater_array(rows, d) for d in DIMENSION_NAMES]
        if len({a.shape for a in five}) == 1:
            out[OVERALL] = np.mean(five, axis=0) / SCALE_MAX
    return out


def _rater_array(rows: list[Rated], d: str) -> Floats:
    width = max(len(r.ratings.get(d, ())) for r in rows)
    out = np.full((len(rows), width), np.nan)
    for i, r in enumerate(rows):
        for k, v in enumerate(r.ratings.get(d, ())):
            if v is not None:
                out[i, k] = v
    return out


def _sentence_rows(rows: list[Rated], m: MetricScores) -> tuple[Ints, Floats, Floats] | None:
    """(text, p_error, wrong) of each sentence that both people and the metric judged."""
    text, p_error, wrong = [], [], []
    for t, r in enumerate(rows):
        if not r.wrong or r.id not in m.sentences:
            continue
        spans = join_sentences(r.sentences)[1]
        for span, bad in zip(spans, r.wrong):
            p = _p_of(span, m.sentences[r.id]) if bad is not None else None
            if p is not None:
                text.append(t)
                p_error.append(p)
                wrong.append(float(bool(bad)))
    if not text:
        return None
    return np.array(text, dtype=np.int64), np.array(p_error), np.array(wrong)


def _p_of(span: tuple[int, int], judged: list[tuple[int, int, float]]) -> float | None:
    """The metric's chance of an error in a sentence: the largest among its own sentences that lie mostly inside."""
    inside = [p for a, b, p in judged if 2 * (min(b, span[1]) - max(a, span[0])) > min(b - a, span[1] - span[0])]
    return max(inside) if inside else None
