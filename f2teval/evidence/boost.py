"""Fit a :class:`~f2teval.evidence.card.Scorecard`: boosting of one-split trees, each under its feature's sign.

Newton boosting (Friedman 2001; Chen & Guestrin 2016, eqs. 5-7) with stumps, so the sum stays additive over features
and can be read as tables. Features are cut into quantile bins once; every round takes the single split with the best
gain over all features. A monotone sign forbids splits that go the other way: a text must not be able to gain by
having one more contradicted claim, whatever the few labels at hand say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from f2teval.errors import TrainingError
from f2teval.evidence.card import Array, Scorecard, Term


@dataclass(frozen=True)
class BoostOptions:
    """Hyperparameters of a scorecard.

    ``min_weight`` is the least total weight (in units of the mean row) on either side of a split; ``l2`` shrinks
    leaf values; ``bag`` is the share of rows each round sees, ``columns`` the share of features it may split on: with
    few labels and overlapping features, that spreads the weight over all that tell the same.
    """

    rounds: int = 250
    rate: float = 0.05
    bins: int = 48
    l2: float = 5.0
    min_weight: float = 12.0
    bag: float = 0.8
    columns: float = 0.3
    seed: int = 0


def fit_card(
    target: str,
    link: Literal["logit", "score"],
    names: Sequence[str],
    x: Array,
    y: Array,
    weights: Array | None = None,
    signs: Mapping[str, int] | None = None,
    options: BoostOptions | None = None,
    about: Mapping[str, Any] | None = None,
) -> Scorecard:
    """Fit by logistic loss (``link="logit"``, y in [0, 1]) or squared loss (``"score"``, y in [0, 2]).

    Args:
        x: (n, len(names)) features, NaN = missing.
        weights: (n,), any scale.
        signs: feature → +1 or -1; features not named are free.

    Raises:
        TrainingError: no rows, or a constant target.
    """
    o = options or BoostOptions()
    n, f = x.shape
    if n == 0:
        raise TrainingError(f"no rows to fit {target!r} on")
    if float(np.ptp(y)) == 0.0:
        raise TrainingError(f"every row has the same {target!r} ({y[0]:g}); nothing can be learnt from a constant")
    w = np.ones(n) if weights is None else np.asarray(weights, float)
    w = w / w.mean()
    sign = np.array([(signs or {}).get(name, 0) for name in names])

    edges = [_edges(x[:, j], o.bins) for j in range(f)]
    width = o.bins + 2  # the last column of each feature is its missing bin
    index = np.empty((n, f), dtype=np.int64)
    for j in range(f):
        index[:, j] = np.searchsorted(edges[j], x[:, j], side="right")
        index[np.isnan(x[:, j]), j] = width - 1
    flat = index + np.arange(f) * width

    mean = float(np.average(y, weights=w))
    intercept = float(np.log(mean / (1 - mean))) if link == "logit" else mean
    points = np.zeros((f, width))
    raw = np.full(n, intercept)
    rng = np.random.default_rng(o.seed)
    for _ in range(o.rounds):
        if link == "logit":
            p = 1.0 / (1.0 + np.exp(-raw))
            g, h = w * (p - y), w * p * (1.0 - p)
        else:
            g, h = w * (raw - y), w
        rows = rng.random(n) < o.bag if o.bag < 1.0 else slice(None)
        use = np.asarray(rng.random(f) < o.columns)
        step = _best_split(flat[rows], g[rows], h[rows], w[rows], use, width, sign, o)
        if step is None:
            continue  # none of this round's features has a split left; another round draws others
        j, delta = step
        points[j] += o.rate * delta
        raw += o.rate * delta[index[:, j]]
    terms = []
    for j, name in enumerate(names):
        k = len(edges[j]) + 1
        if np.any(points[j]):
            terms.append(_merge(Term(name, tuple(edges[j]), tuple(points[j, :k]), float(points[j, -1]), int(sign[j]))))
    return Scorecard(target, link, intercept, tuple(terms), about=dict(about or {}))


def calibrate(card: Scorecard, raw: Array, y: Array, weights: Array | None = None) -> Scorecard:
    """Platt scaling (logit) or least squares (score) of held-out raw sums ``raw`` on ``y``; returns a new card.

    ``raw`` must come from models that did not see the row, or the calibration flatters itself. The slope is kept
    positive, so order never changes.
    """
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float) / np.mean(weights)
    if card.link == "logit":
        a, b = 1.0, 0.0
        for _ in range(50):
            p = 1.0 / (1.0 + np.exp(-(a * raw + b)))
            r, s = w * (p - y), w * p * (1 - p) + 1e-9
            grad = np.array([np.sum(r * raw), np.sum(r)])
            hess = np.array([[np.sum(s * raw * raw) + 1.0, np.sum(s * raw)], [np.sum(s * raw), np.sum(s) + 1e-6]])
            da, db = np.linalg.solve(hess, grad + np.array([a - 1.0, 0.0]))
            a, b = max(a - float(da), 0.05), b - float(db)
            if abs(da) + abs(db) < 1e-9:
                break
    else:
        var = float(np.average((raw - np.average(raw, weights=w)) ** 2, weights=w))
        cov = float(np.average((raw - np.average(raw, weights=w)) * (y - np.average(y, weights=w)), weights=w))
        a = min(max(cov / (var + 1e-9), 0.05), 2.0)
        b = float(np.average(y, weights=w) - a * np.average(raw, weights=w))
    return Scorecard(card.target, card.link, card.intercept, card.terms, a, b, card.about)


def raw_sum(card: Scorecard, x: Array) -> Array:
    """The uncalibrated sum for rows ``x`` (n, len(card.features)): what :func:`calibrate` takes."""
    return np.asarray((card.contributions(x) / card.scale).sum(axis=1) + card.intercept)


def held_out_sums(
    target: str,
    link: Literal["logit", "score"],
    names: Sequence[str],
    x: Array,
    y: Array,
    weights: Array,
    signs: Mapping[str, int],
    options: BoostOptions | None,
    groups: Sequence[str],
    folds: int,
    seed: int = 0,
) -> Array:
    """Raw sums (n,) of each row by a card fitted without its group's fold; what :func:`calibrate` takes.

    ``groups`` (n,) are figures: a fold holds whole ones, so no row is judged by a model that saw its figure.
    """
    unique = sorted(set(groups))
    fold_of = dict(zip(unique, np.random.default_rng(seed).permutation(len(unique)) % folds))
    fold = np.array([fold_of[g] for g in groups])
    held = np.zeros(len(y))
    for k in range(folds):
        out = fold == k
        if out.any():
            part = fit_card(target, link, names, x[~out], y[~out], weights[~out], signs, options)
            held[out] = raw_sum(part, x[out][:, [names.index(n) for n in part.features]])
    return held


def _edges(column: Array, bins: int) -> Array:
    values = np.unique(column[~np.isnan(column)])
    if len(values) < 2:
        return np.zeros(0)
    if len(values) > bins:
        # Quantiles of the distinct values and of the rows together: rare but telling values keep a bin of their own.
        half = bins // 2
        known = column[~np.isnan(column)]
        q = np.concatenate(
            [np.quantile(known, np.linspace(0, 1, half + 1)), np.quantile(values, np.linspace(0, 1, half))]
        )
        cut = np.unique(q)
        values = values[np.unique(np.clip(np.searchsorted(values, cut), 0, len(values) - 1))]
    return np.asarray((values[1:] + values[:-1]) / 2)[:bins]


def _best_split(
    flat: npt.NDArray[np.int64],
    g: Array,
    h: Array,
    w: Array,
    use: npt.NDArray[np.bool_],
    width: int,
    sign: npt.NDArray[Any],
    o: BoostOptions,
) -> tuple[int, Array] | None:
    f = len(use)
    size = f * width
    cells = flat.ravel()
    hist_g = np.bincount(cells, np.repeat(g, f), size).reshape(f, width)
    hist_h = np.bincount(cells, np.repeat(h, f), size).reshape(f, width)
    hist_w = np.bincount(cells, np.repeat(w, f), size).reshape(f, width)
    sides = [np.cumsum(a[:, :-1], axis=1)[:, :-1] for a in (hist_g, hist_h, hist_w)]
    rest = [a[:, :-1].sum(axis=1, keepdims=True) for a in (hist_g, hist_h, hist_w)]
    missing = [a[:, -1:] for a in (hist_g, hist_h, hist_w)]
    best: tuple[float, int, int, float, float, bool] | None = None
    # Rows without the feature go to whichever side fits them better.
    for missing_left in (False, True):
        left = [a + m if missing_left else a for a, m in zip(sides, missing)]
        right = [t - a if missing_left else t - a + m for t, a, m in zip(rest, sides, missing)]
        value_l, value_r = (-a[0] / (a[1] + o.l2) for a in (left, right))
        gain = left[0] ** 2 / (left[1] + o.l2) + right[0] ** 2 / (right[1] + o.l2)
        gain -= (left[0] + right[0]) ** 2 / (left[1] + right[1] + o.l2)
        wrong = (sign[:, None] * (value_r - value_l)) < 0
        gain[~use] = -np.inf
        gain[wrong | (left[2] < o.min_weight) | (right[2] < o.min_weight)] = -np.inf
        j, cut = divmod(int(np.argmax(gain)), gain.shape[1])
        if gain[j, cut] > max(1e-9, best[0] if best else 0.0):
            best = (float(gain[j, cut]), j, cut, float(value_l[j, cut]), float(value_r[j, cut]), missing_left)
    if best is None:
        return None
    _, j, cut, low, high, missing_left = best
    delta = np.empty(width)
    delta[: cut + 1], delta[cut + 1 :] = low, high
    delta[-1] = low if missing_left else high
    return j, delta


def _merge(term: Term) -> Term:
    """Drop edges between bins of equal points: the table people read holds only real steps."""
    edges, points = [], [term.points[0]]
    for e, p in zip(term.edges, term.points[1:]):
        if abs(p - points[-1]) > 1e-9:
            edges.append(e)
            points.append(p)
    return Term(term.feature, tuple(edges), tuple(points), term.missing, term.sign)
