"""How well people agree with each other, from an array of ratings (items, raters) with NaN for "did not rate"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from f2teval.meta.correlation import statistic
from f2teval.meta.values import Floats, Ints, Stat

Weights = Literal["linear", "quadratic", "none"]


class Agreement(NamedTuple):
    """Agreement among raters on one dimension, each number with its reason when it does not exist."""

    n_items: int
    n_raters: int
    pearson: Stat
    kappa_linear: Stat
    kappa_quadratic: Stat
    alpha_ordinal: Stat
    icc1: Stat
    icc2: Stat
    icc3: Stat
    kendall_w: Stat


def agreement(ratings: Floats) -> Agreement:
    """Every coefficient for ratings (items, raters)."""
    several = int((np.sum(~np.isnan(ratings), axis=1) >= 2).sum())
    icc = {form: intraclass(ratings, form) for form in ("1", "2", "3")}
    return Agreement(
        several,
        ratings.shape[1],
        pairwise_pearson(ratings),
        weighted_kappa(ratings, "linear"),
        weighted_kappa(ratings, "quadratic"),
        krippendorff_alpha(ratings),
        icc["1"],
        icc["2"],
        icc["3"],
        kendall_w(ratings),
    )


def _pairs_of_raters(ratings: Floats) -> list[tuple[Floats, Floats]]:
    out = []
    for a in range(ratings.shape[1]):
        for b in range(a + 1, ratings.shape[1]):
            ok = ~(np.isnan(ratings[:, a]) | np.isnan(ratings[:, b]))
            if ok.any():
                out.append((ratings[ok, a], ratings[ok, b]))
    return out


def _mean_of(stats_: list[tuple[int, Stat]], none: str) -> Stat:
    known = [(n, s.value) for n, s in stats_ if s.value is not None]
    if not known:
        return Stat(None, stats_[0][1].reason if stats_ else none)
    return Stat(float(np.average([v for _, v in known], weights=[n for n, _ in known])))


_ONE = "no item has two ratings"


def pairwise_pearson(ratings: Floats) -> Stat:
    """Mean over pairs of raters of Pearson's r, weighted by the items they share."""
    return _mean_of([(len(a), statistic("pearson", a, b)) for a, b in _pairs_of_raters(ratings)], _ONE)


def weighted_kappa(ratings: Floats, weights: Weights = "quadratic") -> Stat:
    """Mean over pairs of raters of Cohen's weighted κ (Cohen 1968), weighted by the items they share.

    Disagreement is the (squared) distance of the values themselves, so unevenly spaced scales are served; on integer
    grades it is the usual κ.
    """
    return _mean_of([(len(a), _kappa(a, b, weights)) for a, b in _pairs_of_raters(ratings)], _ONE)


def _kappa(a: Floats, b: Floats, weights: Weights) -> Stat:
    levels, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    if len(levels) < 2:
        return Stat(None, "all ratings are equal")
    codes = codes.reshape(-1)
    k = len(levels)
    table = np.bincount(codes[: len(a)] * k + codes[len(a) :], minlength=k * k).reshape(k, k) / len(a)
    gap = np.abs(levels[:, None] - levels[None, :])
    d = {"linear": gap, "quadratic": gap**2, "none": (gap > 0).astype(np.float64)}[weights]
    expected = float((d * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    if expected == 0:
        return Stat(None, "both raters always give the same grade")
    return Stat(1 - float((d * table).sum()) / expected)


def krippendorff_alpha(ratings: Floats, level: Literal["ordinal", "interval", "nominal"] = "ordinal") -> Stat:
    """Krippendorff's α (Krippendorff 2011): 1 minus observed over expected disagreement; any pattern of gaps."""
    ok = ~np.isnan(ratings)
    m = ok.sum(axis=1)
    used = m >= 2
    if not used.any():
        return Stat(None, _ONE)
    values, codes = np.unique(ratings[used][ok[used]], return_inverse=True)
    if len(values) < 2:
        return Stat(None, "all ratings are equal")
    k = len(values)
    item = np.repeat(np.arange(int(used.sum())), m[used])
    counts = np.bincount(item * k + codes.reshape(-1), minlength=int(used.sum()) * k).reshape(-1, k).astype(float)
    per = m[used][:, None] - 1
    coincidence = (counts / per).T @ counts - np.diag((counts / per).sum(axis=0))
    total = coincidence.sum(axis=0)
    n = float(total.sum())
    if level == "nominal":
        d = (~np.eye(k, dtype=bool)).astype(np.float64)
    elif level == "interval":
        d = (values[:, None] - values[None, :]) ** 2
    else:
        # Ordinal distance: the mass of the grades from one to the other, half of the two end grades taken off.
        middle = np.cumsum(total) - total / 2
        d = (middle[:, None] - middle[None, :]) ** 2
    expected = float((np.outer(total, total) * d).sum())
    if expected == 0:
        return Stat(None, "all ratings are equal")
    return Stat(1 - (n - 1) * float((coincidence * d).sum()) / expected)


def intraclass(ratings: Floats, form: str = "2") -> Stat:
    """ICC of one rating (Shrout and Fleiss 1979): form "1" raters anonymous, "2" raters random, "3" raters fixed.

    Form 1 takes items with any number of ratings (the mean number enters as the harmonic-type k₀ of the unbalanced
    one-way model); forms 2 and 3 need the same raters on each item and use the items that all of them rated.
    """
    if form == "1":
        ok = ~np.isnan(ratings)
        m = ok.sum(axis=1)
        rows, ok, m = ratings[m >= 2], ok[m >= 2], m[m >= 2]
        n = len(rows)
        if n < 2:
            return Stat(None, "fewer than 2 items have two ratings")
        filled = np.where(ok, rows, 0.0)
        mean = filled.sum(axis=1) / m
        total = float(m.sum())
        grand = float(filled.sum() / total)
        between = float((m * (mean - grand) ** 2).sum()) / (n - 1)
        within = float((np.where(ok, rows - mean[:, None], 0.0) ** 2).sum()) / (total - n)
        k = (total - float((m**2).sum()) / total) / (n - 1)
        return _icc(between - within, between + (k - 1) * within)
    full = ratings[~np.isnan(ratings).any(axis=1)]
    n, k_raters = full.shape
    if n < 2 or k_raters < 2:
        return Stat(None, "fewer than 2 items were rated by all raters")
    grand = float(full.mean())
    rows_ss = k_raters * float(((full.mean(axis=1) - grand) ** 2).sum())
    cols_ss = n * float(((full.mean(axis=0) - grand) ** 2).sum())
    error_ss = float(((full - grand) ** 2).sum()) - rows_ss - cols_ss
    msr, msc = rows_ss / (n - 1), cols_ss / (k_raters - 1)
    mse = max(error_ss, 0.0) / ((n - 1) * (k_raters - 1))
    if form == "3":
        return _icc(msr - mse, msr + (k_raters - 1) * mse)
    return _icc(msr - mse, msr + (k_raters - 1) * mse + k_raters * (msc - mse) / n)


def _icc(top: float, bottom: float) -> Stat:
    return Stat(top / bottom) if bottom > 0 else Stat(None, "all ratings are equal")


def kendall_w(ratings: Floats) -> Stat:
    """Kendall's coefficient of concordance W in [0, 1], corrected for ties; items that all raters rated."""
    full = ratings[~np.isnan(ratings).any(axis=1)]
    n, m = full.shape
    if n < 3 or m < 2:
        return Stat(None, "fewer than 3 items were rated by all raters")
    ranks = stats.rankdata(full, axis=0)
    sums = ranks.sum(axis=1)
    s = float(((sums - sums.mean()) ** 2).sum())
    ties = 0.0
    for r in range(m):
        count = np.unique(full[:, r], return_counts=True)[1].astype(np.float64)
        ties += float((count**3 - count).sum())
    bottom = m**2 * (n**3 - n) - m * ties
    return Stat(12 * s / bottom) if bottom > 0 else Stat(None, "every rater gives one grade only")


def each_against_others(ratings: Floats, *, single: bool = False) -> Iterator[tuple[Ints, Floats, Floats]]:
    """What a person would score as a metric: for each rater ``(items, own grades, what the others say)``.

    The others' say is their mean, or with ``single`` each of their grades on its own (an item then occurs once for each
    other rater). The rater's own grade is no part of it, so the number is comparable with a metric's; the mean a metric
    is held against rests on one rating more, which makes this slightly pessimistic.
    """
    ok = ~np.isnan(ratings)
    total, count = np.where(ok, ratings, 0.0).sum(axis=1), ok.sum(axis=1)
    for r in range(ratings.shape[1]):
        items = np.flatnonzero(ok[:, r] & (count >= 2))
        if not len(items):
            continue
        if single:
            rest = np.delete(ratings[items], r, axis=1)
            at, other = np.nonzero(~np.isnan(rest))
            yield items[at], ratings[items[at], r], rest[at, other]
        else:
            mine = ratings[items, r]
            yield items, mine, (total[items] - mine) / (count[items] - 1)
