"""Pairwise accuracy with calibrated ties, and soft pairwise accuracy of systems.

Tie-calibrated accuracy (Deutsch, Foster and Freitag 2023, "Ties Matter"): a pair of texts is judged right when metric
and people order it the same way, or both call it a tie; the metric calls a tie when its scores differ by at most ε, and
ε is the value that makes the accuracy largest. Soft pairwise accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024)
compares, for each pair of systems, how *sure* metric and people are that one is better: ``1 - |p_metric - p_human|``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from f2teval.meta.values import Bools, Floats, Ints, Stat

MAX_PAIRS: Final = 1_000_000
"""Pairs looked at when rows are pooled; beyond it they are drawn at random, with a seed."""


class Pairs(NamedTuple):
    """Pairs of rows: their positions ``(m,)``."""

    i: Ints
    j: Ints


class TieCalibrated(NamedTuple):
    """Accuracy, the ε behind it, the number of pairs, and for each pair whether it was judged right."""

    stat: Stat
    epsilon: float
    n_pairs: int
    right: Bools


def all_pairs(n: int, most: int = MAX_PAIRS, seed: int = 0) -> Pairs:
    """Every pair of ``n`` rows, or ``most`` distinct-row pairs drawn with ``seed`` when there are more."""
    if n * (n - 1) // 2 <= most:
        i, j = np.triu_indices(n, 1)
        return Pairs(i.astype(np.int64), j.astype(np.int64))
    rng = np.random.default_rng(seed)
    i = rng.integers(0, n, most)
    j = (i + rng.integers(1, n, most)) % n
    return Pairs(i, j)


def pairs_within(groups: Ints) -> Pairs:
    """Every pair of rows that share a group (all texts about one figure)."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    left: list[Ints] = []
    right: list[Ints] = []
    for size in np.unique(sizes[sizes > 1]):
        a, b = np.triu_indices(int(size), 1)
        at = starts[sizes == size]
        left.append(order[(at[:, None] + a[None, :]).ravel()])
        right.append(order[(at[:, None] + b[None, :]).ravel()])
    if not left:
        return Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    return Pairs(np.concatenate(left), np.concatenate(right))


def tie_calibrated(
    x: Floats, y: Floats, pairs: Pairs, epsilon: float | None = None, weight: Floats | None = None
) -> TieCalibrated:
    """Pairwise accuracy of scores ``x`` against ratings ``y`` over ``pairs``.

    Args:
        epsilon: ``None`` calibrates it on these pairs; a number is used as it stands (one calibrated elsewhere).
        weight: what each pair counts when ε is chosen, (m,); with one over the size of the pair's group, ε makes the
            *mean over groups* largest.
    """
    m = len(pairs.i)
    if m == 0:
        return TieCalibrated(Stat(None, "no pairs to compare"), 0.0, 0, np.empty(0, bool))
    dx, dy = x[pairs.i] - x[pairs.j], y[pairs.i] - y[pairs.j]
    gap = np.abs(dx)
    human_tie = dy == 0
    same_order = (np.sign(dx) == np.sign(dy)) & ~human_tie
    if epsilon is None:
        epsilon = _best_epsilon(gap, human_tie, same_order, np.ones(m) if weight is None else weight)
    called = gap <= epsilon
    right = np.where(called, human_tie, same_order)
    return TieCalibrated(Stat(float(right.mean())), float(epsilon), m, right)


def _best_epsilon(gap: Floats, human_tie: Bools, same_order: Bools, weight: Floats) -> float:
    order = np.argsort(gap, kind="stable")
    g, w = gap[order], weight[order]
    ties = np.concatenate(([0.0], np.cumsum(human_tie[order] * w)))
    ordered = np.concatenate(([0.0], np.cumsum(same_order[order] * w)))
    # Calling the k smallest gaps ties is possible only where the k-th gap differs from the next.
    cut = np.flatnonzero(np.concatenate((g[1:] > g[:-1], [True]))) + 1
    if g[0] > 0:
        cut = np.concatenate(([0], cut))
    right = ties[cut] + ordered[-1] - ordered[cut]
    k = int(cut[int(np.argmax(right))])
    return float(g[k - 1]) if k else 0.0


def superiority(values: Floats, rounds: int = 1000, seed: int = 0) -> Floats:
    """One-sided paired permutation p values between systems.

    Args:
        values: (systems, items), complete.

    Returns:
        (systems, systems): entry (a, b) is the share of random exchanges of a's and b's values, item by item, whose
        mean difference is at least the one observed. Small: a is surely better; large: b is. Exchanges are shared
        by all pairs and by every call with the same seed and number of items.
    """
    k, n = values.shape
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, (rounds, n)).astype(np.float64) * 2 - 1
    p = np.full((k, k), 0.5)
    for a in range(k):
        for b in range(a + 1, k):
            d = values[a] - values[b]
            seen = float(d.sum())
            drawn = signs @ d
            slack = 1e-12 * float(np.abs(d).sum())
            above = float(np.mean(drawn > seen + slack))
            tied = float(np.mean(np.abs(drawn - seen) <= slack))
            # Ties count half, so that p(a, b) + p(b, a) = 1 and two equal systems get exactly one half.
            p[a, b] = above + tied / 2
            p[b, a] = 1 - p[a, b]
    return p


def soft_pairwise_accuracy(metric: Floats, human: Floats, rounds: int = 1000, seed: int = 0) -> Stat:
    """Soft pairwise accuracy in [0, 1] of two (systems, items) arrays without gaps."""
    k, n = human.shape
    if k < 2:
        return Stat(None, f"{k} system; comparing systems needs two")
    if n < 2:
        return Stat(None, "systems share fewer than 2 figures")
    pm, ph = superiority(metric, rounds, seed), superiority(human, rounds, seed)
    upper = np.triu_indices(k, 1)
    return Stat(float(np.mean(1 - np.abs(pm[upper] - ph[upper]))))
