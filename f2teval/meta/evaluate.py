"""From scores beside ratings to every number a table shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from f2teval.errors import UnknownNameError, UsageError
from f2teval.meta import power as power_mod
from f2teval.meta.agreement import Agreement, agreement, each_against_others
from f2teval.meta.bootstrap import Averaged, ByItem, Column, Pooled, cell, distributions
from f2teval.meta.joined import Joined
from f2teval.meta.significance import (
    Comparison,
    holm,
    letter_groups,
    paired_bootstrap,
    perm_both,
    perm_inputs,
    williams,
)
from f2teval.meta.systems import pair_accuracy, system_accuracy
from f2teval.meta.values import OVERALL, STATISTICS, Bools, Cell, Floats, Ints, Stat

Average = Literal["none", "item", "system"]
Test = Literal["perm", "williams", "bootstrap"]
AVERAGES: Final = ("none", "item", "system")
TESTS: Final = ("perm", "williams", "bootstrap")
_METHODS: Final = {"perm": "PERM-BOTH", "williams": "Williams", "bootstrap": "paired bootstrap"}
_DEFAULT: Final = ("pearson", "spearman", "kendall_b", "kendall_c", "accuracy", "mae", "mse")
SENTENCES: Final = "sentences"
MOST_RATERS: Final = 20
"""With more raters (a crowd) people get no interval: each rater is a column to resample."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to compute.

    Attributes:
        statistics: names of :data:`STATISTICS`; AUC is added where a target has two levels.
        average: "none" (all rows pooled), "item" (within each figure, then the mean), "system" (within each system).
        rows: "common" (metrics are compared on the rows all of them scored) or "own" (each on its rows; then no test).
        by: the statistic that is tested, that letters and power speak of.
        rounds: bootstrap and permutation rounds; 0 leaves intervals and resampling tests out.
    """

    statistics: tuple[str, ...] = _DEFAULT
    average: Average = "none"
    rows: Literal["common", "own"] = "common"
    by: str = "kendall_b"
    test: Test = "perm"
    rounds: int = 1000
    seed: int = 0
    level: float = 0.95

    def check(self) -> Options:
        """This, if it makes sense. Raises :class:`UsageError`."""
        for s in (*self.statistics, self.by):
            if s not in STATISTICS:
                raise UnknownNameError("statistic", s, STATISTICS)
        if self.average not in AVERAGES or self.test not in TESTS or self.rows not in ("common", "own"):
            raise UsageError("average is none, item or system; test is perm, williams or bootstrap; rows common or own")
        if self.test == "williams" and (self.by != "pearson" or self.average != "none"):
            raise UsageError("Williams' test is for Pearson's r on pooled rows: use --by pearson --average none")
        if self.test == "perm" and self.by in ("accuracy", "auc") and self.average != "item":
            raise UsageError(f"PERM-BOTH is not offered for {self.by}: use --test bootstrap")
        if not 0 < self.level < 1 or self.rounds < 0:
            raise UsageError("the level lies between 0 and 1, rounds are at least 0")
        return self


@dataclass(slots=True)
class MetaResult:
    """Every number, keyed by metric, target (dimension) and statistic; see the fields' comments."""

    joined: Joined
    options: Options
    headline: str  # the target that tests, letters and power speak of
    cells: dict[tuple[str, str, str], Cell] = field(default_factory=dict)
    groups: dict[tuple[str, str, str], Cell] = field(default_factory=dict)  # metric, group, statistic or "sentences"
    n_used: dict[str, int] = field(default_factory=dict)  # target → rows compared (common), or the least of them
    ceiling: dict[tuple[str, str], Cell] = field(default_factory=dict)  # target, statistic: people as a metric
    agreement: dict[str, Agreement] = field(default_factory=dict)
    comparisons: dict[tuple[str, str], Comparison] = field(default_factory=dict)
    adjusted: dict[tuple[str, str], float | None] = field(default_factory=dict)
    test_rounds: int = 0  # rounds behind the comparisons; 0 where the test needs none
    letters: dict[str, str] = field(default_factory=dict)
    power: power_mod.Power | None = None
    soft_accuracy: dict[str, Stat] = field(default_factory=dict)
    pairs: dict[tuple[str, str], Cell] = field(default_factory=dict)  # metric, group of pairs
    between: dict[tuple[str, str], Stat] = field(default_factory=dict)  # metric, metric → Pearson r
    notes: list[str] = field(default_factory=list)

    @property
    def metrics(self) -> list[str]:
        return list(self.joined.scores)


def evaluate(joined: Joined, options: Options | None = None) -> MetaResult:
    """Compute everything. Undefined numbers carry their reason; nothing is NaN.

    Raises:
        UsageError: options that do not go together or do not fit the ratings (averaging by figure when every figure
            has one text, by system without systems).
    """
    o = (options or Options()).check()
    j = joined
    headline = OVERALL if OVERALL in j.targets else next(iter(j.targets), "")
    r = MetaResult(j, o, headline, notes=list(j.notes))
    if j.targets:
        _correlations(r)
        _between(r)
        for d, a in j.raters.items():
            r.agreement[d] = agreement(a)
            _people(r, d, a)
        if any(j.system):
            for m in r.metrics:
                r.soft_accuracy[m] = system_accuracy(j, m, headline, rounds=max(o.rounds, 200), seed=o.seed)
    if j.ratings.pairs:
        for m in r.metrics:
            for group, c in pair_accuracy(j, m, rounds=o.rounds, seed=o.seed, level=o.level).items():
                r.pairs[m, group] = c
    return r


def _correlations(r: MetaResult) -> None:
    j, o = r.joined, r.options
    names = tuple(dict.fromkeys((*o.statistics, o.by)))
    columns: dict[tuple[str, str, str], Column] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    for t, y in j.targets.items():
        two = len(np.unique(y[~np.isnan(y)])) == 2
        wanted[t] = tuple(dict.fromkeys((*names, "auc"))) if two else names
        common = _common(r, t)
        used = []
        for m in r.metrics:
            mask = common if o.rows == "common" else ~np.isnan(y) & ~np.isnan(j.scores[m][t])
            columns[m, t, ""] = _column(r, m, t, mask)
            used.append(int(mask.sum()))
        r.n_used[t] = min(used, default=0)
    if any(j.group):
        for m in r.metrics:
            for g in dict.fromkeys(j.group):
                in_group = np.array([x == g for x in j.group])[j.row_text]
                columns[m, r.headline, g] = _column(r, m, r.headline, _common(r, r.headline) & in_group)
    shared = set.intersection(*(set(s[0].tolist()) for s in j.sentences.values())) if j.sentences else set()
    for m, (text, p, wrong) in j.sentences.items():
        for g in ["", *(dict.fromkeys(j.group) if any(j.group) else ())]:
            keep = np.array([g in ("", j.group[t]) and t in shared for t in text.tolist()], dtype=bool)
            first_row = np.searchsorted(j.row_text, text[keep])
            columns[m, SENTENCES, g] = Pooled(p[keep], wrong[keep], j.figure[first_row], j.n_figures, seed=o.seed)
    rounds = {str(k): c for k, c in columns.items()}
    sampled: dict[str, dict[str, Floats]] = {}
    if o.rounds:
        for kind in dict.fromkeys(wanted.get(k[1], ("auc",)) for k in columns):
            some = {str(k): rounds[str(k)] for k in columns if wanted.get(k[1], ("auc",)) == kind}
            sampled |= distributions(some, kind, j.n_figures, rounds=o.rounds, seed=o.seed)
    for key, column in columns.items():
        m, t, g = key
        for name in wanted.get(t, ("auc",)):
            values = sampled[str(key)][name] if o.rounds else None
            c = cell(column.point(name), column.n, values, level=o.level)
            if g or t == SENTENCES:
                r.groups[m, g, SENTENCES if t == SENTENCES else name] = c
            else:
                r.cells[m, t, name] = c
    _compare(r, {m: columns[m, r.headline, ""] for m in r.metrics},
             {m: sampled.get(str((m, r.headline, "")), {}).get(o.by, np.empty(0)) for m in r.metrics})  # fmt: skip


def _common(r: MetaResult, t: str) -> Bools:
    j = r.joined
    ok: Bools = ~np.isnan(j.targets[t])
    for m in r.metrics:
        ok = ok & ~np.isnan(j.scores[m][t])
    return ok


def _column(r: MetaResult, m: str, t: str, mask: Bools) -> Column:
    j, o = r.joined, r.options
    x, y, figure = j.scores[m][t][mask], j.targets[t][mask], j.figure[mask]
    if o.average == "item":
        sizes = np.bincount(figure, minlength=j.n_figures)
        if len(sizes) and sizes.max(initial=0) < 2 and len(x):
            raise UsageError("averaging by item needs several texts about one figure; here every figure has one")
    if o.average == "system" and not any(j.system):
        raise UsageError("averaging by system needs the system of each text, in the ratings or the scores")
    return _averaged(r, x, y, figure, j.row_text[mask], scale_reason(j, m, t))


def _averaged(r: MetaResult, x: Floats, y: Floats, figure: Ints, text: Ints, reason: str) -> Column:
    """Scores ``x`` beside ratings ``y`` of texts ``text``, averaged as the options say."""
    j, o = r.joined, r.options
    if o.average == "item":
        return ByItem(x, y, figure, j.n_figures, scale_reason=reason, seed=o.seed)
    if o.average == "system":
        systems = np.array([j.system[i] for i in text])
        parts = []
        for s in sorted(set(systems.tolist())):
            its = systems == s
            parts.append(Pooled(x[its], y[its], figure[its], j.n_figures, scale_reason=reason, seed=o.seed))
        return Averaged(parts, "system")
    return Pooled(x, y, figure, j.n_figures, scale_reason=reason, seed=o.seed)


def _people(r: MetaResult, t: str, ratings: Floats) -> None:
    """Each rater as a metric: on the texts, and averaged in the way, that the metrics are."""
    j, o = r.joined, r.options
    rows = _common(r, t) if o.rows == "common" else j.figure >= 0
    if not rows.any():
        rows = j.figure >= 0
    texts, first = np.unique(j.row_text[rows], return_index=True)
    figure = j.figure[rows][first]
    parts = [
        _averaged(r, mine, others, figure[items], texts[items], "")
        for items, mine, others in each_against_others(ratings[texts], single=j.aggregate == "none")
    ]
    if not parts:
        return
    column = Averaged(parts, "rater", weighted=True)
    names = tuple(dict.fromkeys(n for n in (*o.statistics, o.by) if n != "auc"))
    sampled: dict[str, Floats] = {}
    if o.rounds and len(parts) <= MOST_RATERS:
        sampled = distributions({"": column}, names, j.n_figures, rounds=o.rounds, seed=o.seed)[""]
    for name in names:
        r.ceiling[t, name] = cell(column.point(name), len(texts), sampled.get(name), level=o.level)


def scale_reason(j: Joined, m: str, t: str) -> str:
    """Why MAE and MSE would compare different units, or nothing."""
    scale = j.scales.get(t)
    if scale is None:
        return "the ratings' scale is not declared (--scale LOW:HIGH)"
    if j.used[m][t] != t and t != OVERALL:
        return f"the metric has no {t}; its {j.used[m][t]} is on another scale"
    x = j.scores[m][t]
    x = x[~np.isnan(x)]
    if len(x) and (x.min() < scale[0] - 1e-9 or x.max() > scale[1] + 1e-9):
        return f"scores lie in {x.min():.3g}–{x.max():.3g}, ratings in {scale[0]:g}–{scale[1]:g}"
    return ""


def _compare(r: MetaResult, columns: dict[str, Column], sampled: dict[str, Floats]) -> None:
    o = r.options
    if o.rows != "common" or len(columns) < 1:
        if o.rows == "own":
            r.notes.append("metrics are shown on their own rows, so they are not tested against each other")
        return
    r.power = power_mod.estimate(o.by, [d for d in sampled.values() if len(d)], r.n_used[r.headline])
    if len(columns) < 2:
        return
    names = list(columns)
    _set_rounds(r, len(names) * (len(names) - 1) // 2)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            r.comparisons[a, b] = _test(r, a, b, columns, sampled)
    keys = list(r.comparisons)
    for key, p in zip(keys, holm([r.comparisons[k].p for k in keys])):
        r.adjusted[key] = p
    better = 1 if STATISTICS[o.by].higher_is_better else -1
    points = {m: c.point(o.by).value for m, c in columns.items()}
    order = sorted((m for m in names if points[m] is not None), key=lambda m: -better * (points[m] or 0.0))
    apart = {k: p is not None and p < 1 - o.level for k, p in r.adjusted.items()}
    r.letters = letter_groups(order, apart) if any(p is not None for p in r.adjusted.values()) else {}


def _set_rounds(r: MetaResult, comparisons: int) -> None:
    """Enough permutations for a difference to survive Holm: p is never below 1/(rounds + 1) before it."""
    o = r.options
    needed = math.ceil(2 * comparisons / (1 - o.level))
    if o.test == "williams" or not o.rounds:
        return
    resampled = o.test == "bootstrap" or o.average == "system"
    r.test_rounds = o.rounds if resampled else max(o.rounds, min(needed, 20 * o.rounds))
    if r.test_rounds < needed * (2 if resampled else 1):
        r.notes.append(
            f"{r.test_rounds} rounds are few for {comparisons} comparisons: differences may go unseen after Holm's "
            f"correction; --rounds {needed * (2 if resampled else 1)} is enough"
        )


def _test(r: MetaResult, a: str, b: str, columns: dict[str, Column], sampled: dict[str, Floats]) -> Comparison:
    j, o = r.joined, r.options
    ca, cb = columns[a], columns[b]
    pa, pb = ca.point(o.by), cb.point(o.by)
    if pa.value is None or pb.value is None:
        return Comparison(None, None, _METHODS[o.test], ca.n, pa.reason or pb.reason)
    if o.test == "bootstrap" or (o.average == "system" and o.test == "perm"):
        if not len(sampled[a]):
            return Comparison(pa.value - pb.value, None, "paired bootstrap", ca.n, "no rounds")
        return paired_bootstrap(pa.value - pb.value, sampled[a], sampled[b], ca.n)
    if isinstance(ca, ByItem) and isinstance(cb, ByItem):
        return perm_inputs(ca.values(o.by), cb.values(o.by), rounds=r.test_rounds, seed=o.seed)
    assert isinstance(ca, Pooled)
    assert isinstance(cb, Pooled)
    if o.test == "williams":
        between = Pooled(ca.x, cb.x, ca.cluster, j.n_figures).point("pearson").value
        return williams(pa.value, pb.value, between if between is not None else 0.0, ca.n)
    if not o.rounds:
        return Comparison(pa.value - pb.value, None, "PERM-BOTH", ca.n, "no rounds")
    return perm_both(ca.x, cb.x, ca.y, o.by, rounds=r.test_rounds, seed=o.seed)


def _between(r: MetaResult) -> None:
    """Pearson r of each two metrics' numbers on the rows both scored."""
    from f2teval.meta.correlation import pearson

    j = r.joined
    for a in r.metrics:
        for b in r.metrics:
            x, y = j.scores[a][r.headline], j.scores[b][r.headline]
            ok = ~(np.isnan(x) | np.isnan(y))
            r.between[a, b] = pearson(x[ok], y[ok])
