"""Which of two systems is better, by one metric's scores of both: paired by text id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from f2teval.data.scores import read_score_rows
from f2teval.errors import InputError, UsageError
from f2teval.meta.bootstrap import interval, resample_weights
from f2teval.meta.significance import holm, perm_inputs
from f2teval.meta.table import P_VALUE, Column, Row, Table
from f2teval.meta.values import OVERALL, Cell, Floats
from f2teval.rubric import DIMENSION_NAMES

_EVIDENCE: Final = 3
"""Pieces of evidence quoted for a regression."""


class Difference(NamedTuple):
    """B minus A on one dimension.

    ``effect`` is Cohen's d of paired differences (their mean over their standard deviation); ``wins`` counts texts
    where B is higher. ``p`` is from exchanging the two systems' scores text by text; ``adjusted`` is after Holm.
    """

    n: int
    mean_a: Cell
    mean_b: Cell
    delta: Cell
    effect: Cell
    p: Cell
    adjusted: Cell
    wins: int
    ties: int
    losses: int


class Regression(NamedTuple):
    """A text on which B is worse: how much, where most, and what the metric found wrong with B's text."""

    id: str
    delta: float
    dimension: str
    evidence: tuple[str, ...]


@dataclass(slots=True)
class Comparison:
    """Two files of scores, compared. ``only_a``/``only_b``: ids in one file alone; ``unscored``: reasons a side."""

    metric: str
    name_a: str
    name_b: str
    common: int
    both_scored: int
    only_a: list[str]
    only_b: list[str]
    unscored_a: list[str]
    unscored_b: list[str]
    differences: dict[str, Difference]
    regressions: list[Regression]
    notes: list[str] = field(default_factory=list)


def compare_files(
    a: Path, b: Path, *, metric: str | None = None, rounds: int = 10_000, seed: int = 0, level: float = 0.95,
    worst: int = 10, figures: Mapping[str, str] | None = None,
) -> Comparison:  # fmt: skip
    """Compare the systems whose scores are in ``a`` and ``b``.

    Args:
        metric: which metric, where the files hold several.
        worst: how many regressions to list.
        figures: id → figure, when several texts share one: they are then drawn together.

    Raises:
        InputError: no common id (says how many and shows three), or an id twice.
        UsageError: several metrics and none named, or the two files come from different metrics or signatures.
    """
    metric, rows_a, rows_b = _rows(a, b, metric)
    common = [i for i in rows_a if i in rows_b]
    if not common:
        raise InputError(
            f"no id in common: {len(rows_a)} texts in {a} ({', '.join(list(rows_a)[:3])} …), {len(rows_b)} in {b} "
            f"({', '.join(list(rows_b)[:3])} …)", hint="both systems need the same id for the same figure",
        )  # fmt: skip
    scored = [i for i in common if not (_unscored(rows_a[i]) or _unscored(rows_b[i]))]
    name_a, name_b = _name(rows_a, a), _name(rows_b, b)
    if name_a == name_b:
        name_a, name_b = f"{name_a} ({a.stem})", f"{name_b} ({b.stem})"
    values_a, values_b = _columns(rows_a, scored), _columns(rows_b, scored)
    names = dict.fromkeys(figures.get(i, i) for i in scored) if figures else dict.fromkeys(scored)
    code = {f: k for k, f in enumerate(names)}
    cluster = np.array([code[figures.get(i, i) if figures else i] for i in scored], dtype=np.int64)
    found: dict[str, Difference] = {}
    for d in [*(d for d in DIMENSION_NAMES if d in values_a and d in values_b), OVERALL]:
        if d in values_a and d in values_b:
            found[d] = _difference(values_a[d], values_b[d], cluster, len(code), rounds, seed, level)
    for d, q in zip(found, holm([x.p.value for x in found.values()])):
        found[d] = found[d]._replace(adjusted=Cell(q, n=found[d].n, reason=found[d].p.reason))
    return Comparison(
        metric=metric,
        name_a=name_a,
        name_b=name_b,
        common=len(common),
        both_scored=len(scored),
        only_a=[i for i in rows_a if i not in rows_b],
        only_b=[i for i in rows_b if i not in rows_a],
        unscored_a=[str(rows_a[i].get("reason") or "") for i in common if _unscored(rows_a[i])],
        unscored_b=[str(rows_b[i].get("reason") or "") for i in common if _unscored(rows_b[i])],
        differences=found,
        regressions=_regressions(scored, values_a, values_b, rows_b, worst),
    )


Rows = dict[str, dict[str, Any]]


def _rows(a: Path, b: Path, metric: str | None) -> tuple[str, Rows, Rows]:
    files: list[dict[str, Rows]] = []
    for path in (a, b):
        by_metric: dict[str, Rows] = {}
        for row in read_score_rows(path):
            rows = by_metric.setdefault(str(row["metric"]), {})
            key = str(row["id"])
            if key in rows:
                raise InputError(f"id {key!r} occurs twice for {row['metric']}", where=str(path))
            rows[key] = row
        files.append(by_metric)
    both = [m for m in files[0] if m in files[1]]
    if metric is None:
        if len(both) > 1:
            raise UsageError(f"the files hold several metrics ({', '.join(both)}); choose one with --metric")
        if not both:
            raise UsageError(
                f"{a} was scored by {', '.join(files[0]) or 'nothing'}, {b} by {', '.join(files[1]) or 'nothing'}: "
                "scores of different metrics cannot be compared"
            )
        metric = both[0]
    if metric not in both:
        raise UsageError(f"{metric!r} is not in both files; they share {', '.join(both) or 'none'}")
    rows_a, rows_b = files[0][metric], files[1][metric]
    signatures = [{str(r.get("signature") or "") for r in rows.values()} for rows in (rows_a, rows_b)]
    if signatures[0] != signatures[1]:
        raise UsageError(
            f"the files come from different versions of {metric}: {min(signatures[0])} and {min(signatures[1])}; "
            "score both with one"
        )
    return metric, rows_a, rows_b


def _unscored(row: Mapping[str, Any]) -> bool:
    return row.get("status") == "unscored"


def _name(rows: Rows, path: Path) -> str:
    names = {str(r.get("system") or "") for r in rows.values()}
    return names.pop() if len(names) == 1 and "" not in names else path.stem


def _columns(rows: Rows, ids: Sequence[str]) -> dict[str, Floats]:
    out: dict[str, Floats] = {}
    nan = float("nan")
    for d in DIMENSION_NAMES:
        v = np.array([_number((rows[i].get("scores") or {}).get(d), nan) for i in ids])
        if len(v) and not np.isnan(v).all():
            out[d] = v
    v = np.array([_number(rows[i].get("overall"), nan) for i in ids])
    if len(v) and not np.isnan(v).all():
        out[OVERALL] = v
    return out


def _number(value: Any, default: float) -> float:
    return float(value) if isinstance(value, (int, float)) else default


def _difference(
    a: Floats, b: Floats, cluster: np.ndarray, clusters: int, rounds: int, seed: int, level: float
) -> Difference:
    ok = ~(np.isnan(a) | np.isnan(b))
    a, b, cluster = a[ok], b[ok], cluster[ok]
    d: Floats = b - a
    n = len(d)
    if n == 0:
        none = Cell(None, reason="no text has this dimension in both files")
        return Difference(0, none, none, none, none, none, none, 0, 0, 0)
    mean_a, mean_b = Cell(float(a.mean()), n=n), Cell(float(b.mean()), n=n)
    total = np.bincount(cluster, minlength=clusters).astype(np.float64)
    top = np.bincount(cluster, d, clusters)
    low: float | None = None
    high: float | None = None
    if rounds and n > 1:
        # A thousand rounds place the ends of an interval well; p values below need more.
        blocks = [
            np.where((w @ total) > 0, (w @ top) / np.maximum(w @ total, 1), np.nan)
            for w in resample_weights(clusters, min(rounds, 2000), seed)
        ]
        low, high = interval(np.concatenate(blocks), level)
    spread = float(d.std(ddof=1)) if n > 1 else 0.0
    why = "one text only" if n < 2 else "every text differs by the same amount"
    effect = Cell(float(d.mean()) / spread, n=n) if spread > 1e-12 else Cell(None, n=n, reason=why)
    test = perm_inputs(_by_figure(b, cluster, clusters), _by_figure(a, cluster, clusters), rounds=rounds, seed=seed)
    p = Cell(test.p if rounds else None, n=n, reason=test.reason or ("" if rounds else "no rounds"))
    tie = np.isclose(d, 0, atol=1e-9)
    wins, losses = int((d[~tie] > 0).sum()), int((d[~tie] < 0).sum())
    return Difference(
        n, mean_a, mean_b, Cell(float(d.mean()), low, high, n), effect, p, p, wins, int(tie.sum()), losses
    )


def _by_figure(v: Floats, cluster: np.ndarray, clusters: int) -> Floats:
    count = np.bincount(cluster, minlength=clusters)
    return np.where(count > 0, np.bincount(cluster, v, clusters) / np.maximum(count, 1), np.nan)


def _regressions(
    ids: Sequence[str], a: dict[str, Floats], b: dict[str, Floats], rows_b: Rows, worst: int
) -> list[Regression]:
    key = OVERALL if OVERALL in a and OVERALL in b else next((d for d in a if d in b), None)
    if key is None or not len(ids):
        return []
    delta = b[key] - a[key]
    order = np.argsort(np.where(np.isnan(delta), np.inf, delta), kind="stable")[:worst]
    out = []
    for k in order:
        if np.isnan(delta[k]) or delta[k] >= 0:
            break
        drops = {d: float(b[d][k] - a[d][k]) for d in DIMENSION_NAMES if d in a and d in b}
        drops = {d: v for d, v in drops.items() if v == v}
        dimension = min(drops, key=lambda d: drops[d]) if drops else key
        out.append(Regression(ids[k], float(delta[k]), dimension, _evidence(rows_b[ids[k]])))
    return out


def _evidence(row: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[tuple[float, str]] = []
    for s in row.get("sentences") or ():
        for e in s.get("errors") or ():
            said, seen, note = (str(e.get(k) or "") for k in ("said", "seen", "note"))
            text = f"{e.get('type', 'error')}: says “{said}”" + (f", figure shows “{seen}”" if seen else "")
            found.append((-float(e.get("confidence") or 0), text + (f" ({note})" if note else "")))
    found.sort(key=lambda f: f[0])
    if found:
        return tuple(text for _, text in found[:_EVIDENCE])
    missing = ((row.get("coverage") or {}).get("missing") or [])[:_EVIDENCE]
    if missing:
        return tuple(f"leaves out {m}" for m in missing)
    doubtful = sorted(
        (s for s in row.get("sentences") or () if s.get("p_error") is not None), key=lambda s: -s["p_error"]
    )
    return tuple(f"p_error {s['p_error']:.2f}: {str(s.get('text', ''))[:80]}" for s in doubtful[:1])


def tables(c: Comparison, *, level: float = 0.95, rounds: int = 0, seed: int = 0) -> list[Table]:
    """The comparison as tables: dimensions, then the worst regressions."""
    alpha = 1 - level
    rows = []
    for d, x in c.differences.items():
        verdict = "no difference shown"
        if x.adjusted.value is not None and x.adjusted.value < alpha and x.delta.value:
            verdict = f"{c.name_b if x.delta.value > 0 else c.name_a} is better"
        counts = f"{x.wins}/{x.ties}/{x.losses}"
        rows.append(Row(d, (x.n, x.mean_a, x.mean_b, x.delta, x.effect, x.p, x.adjusted, counts, verdict)))
    columns = [
        Column("n"), Column(c.name_a, "mean", 3), Column(c.name_b, "mean", 3), Column("difference", digits=3),
        Column("effect d", digits=2), P_VALUE, P_VALUE._replace(label="p (Holm)"), Column("B wins/ties/losses"),
        Column("verdict"),
    ]  # fmt: skip
    notes = [
        f"A = {c.name_a}, B = {c.name_b}; difference is B − A; paired on {c.both_scored} of {c.common} common texts"
    ]
    for side, reasons in (("A", c.unscored_a), ("B", c.unscored_b)):
        if reasons:
            kinds = sorted(set(reasons))
            notes.append(f"{side}: {len(reasons)} texts unscored ({'; '.join(kinds[:3])}) and left out of both")
    for side, ids in (("A", c.only_a), ("B", c.only_b)):
        if ids:
            notes.append(f"{len(ids)} texts only in {side}'s file, e.g. {', '.join(ids[:3])}")
    notes.append(
        f"[low, high]: {level:.0%} bootstrap interval; p: exchanging the systems text by text, {rounds} rounds, "
        f"seed {seed}, two-sided, Holm over the rows; d: mean of the paired differences over their standard deviation"
    )
    out = [Table("compare", f"{c.name_b} against {c.name_a} ({c.metric})", columns, rows, notes + c.notes)]
    worse = [Row(r.id, (Cell(r.delta), r.dimension, "; ".join(r.evidence) or "—")) for r in c.regressions]
    if worse:
        heads = [Column("difference", digits=3), Column("most on"), Column(f"evidence against {c.name_b}")]
        note = [f"of {c.both_scored} texts scored in both files, those where {c.name_b} falls furthest behind"]
        out.append(Table("regressions", f"Where {c.name_b} is worse", heads, worse, note))
    return out
