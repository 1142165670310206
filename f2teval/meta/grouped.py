"""Statistics inside many small groups at once: groups of one size are stacked and computed together."""

from __future__ import annotations

import numpy as np
from scipy import stats

from f2teval.meta import pairwise
from f2teval.meta.correlation import MIN_ROWS, statistic
from f2teval.meta.values import STATISTICS, Floats, Ints

_BIG = 64
"""Groups above this size are computed one by one: their pairwise arrays would not pay."""


def grouped_statistics(x: Floats, y: Floats, group: Ints, groups: int) -> tuple[dict[str, Floats], float]:
    """Every statistic in every group, (groups,) each with NaN where undefined; and the ε of the pairwise accuracy.

    ε is one for all groups, the one that makes the mean accuracy over groups largest, as Deutsch et al. (2023) do.
    """
    out = {name: np.full(groups, np.nan) for name in STATISTICS}
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=groups)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    for size in np.unique(sizes[sizes > 0]):
        which = np.flatnonzero(sizes == size)
        rows = order[starts[which][:, None] + np.arange(size)[None, :]]
        if size > _BIG:
            for g, r in zip(which, rows):
                for name in STATISTICS:
                    if name != "accuracy":
                        value = statistic(name, x[r], y[r]).value
                        out[name][g] = np.nan if value is None else value
            continue
        _same_size(out, which, x[rows], y[rows])
    pairs = pairwise.pairs_within(group)
    if len(pairs.i):
        of = group[pairs.i]
        total = np.bincount(of, minlength=groups)
        found = pairwise.tie_calibrated(x, y, pairs, weight=1 / total[of])
        right = np.bincount(of, found.right, groups)
        out["accuracy"] = np.where(total > 0, right / np.maximum(total, 1), np.nan)
        return out, found.epsilon
    return out, 0.0


def _same_size(out: dict[str, Floats], which: Ints, x: Floats, y: Floats) -> None:
    """Fill the statistics of groups ``which``; ``x`` and ``y`` are (groups, size)."""
    out["mae"][which] = np.abs(x - y).mean(axis=1)
    out["mse"][which] = ((x - y) ** 2).mean(axis=1)
    size = x.shape[1]
    if size < 2:
        return
    i, j = np.triu_indices(size, 1)
    sx, sy = np.sign(x[:, i] - x[:, j]), np.sign(y[:, i] - y[:, j])
    s = (sx * sy).sum(axis=1)
    untied_x, untied_y = (sx != 0).sum(axis=1), (sy != 0).sum(axis=1)
    levels_x, levels_y = _levels(x), _levels(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        if size >= MIN_ROWS:
            # 0/0 where one vector is constant: exactly the undefined groups.
            out["kendall_b"][which] = s / np.sqrt(untied_x * untied_y)
            m = np.minimum(levels_x, levels_y)
            out["kendall_c"][which] = np.where(m > 1, 2 * s / (size**2 * (m - 1) / m), np.nan)
            out["pearson"][which] = _pearson(x, y, (levels_x > 1) & (levels_y > 1))
            out["spearman"][which] = _pearson(
                stats.rankdata(x, axis=1), stats.rankdata(y, axis=1), (levels_x > 1) & (levels_y > 1)
            )
        two = levels_y == 2
        out["auc"][which] = np.where(two, (s / np.maximum(untied_y, 1) + 1) / 2, np.nan)


def _levels(v: Floats) -> Ints:
    ordered = np.sort(v, axis=1)
    levels: Ints = (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) + 1
    return levels


def _pearson(x: Floats, y: Floats, ok: np.ndarray) -> Floats:
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1)) * np.sqrt((b * b).sum(axis=1))
    fine = ok & (scale > 0)
    return np.where(fine, (a * b).sum(axis=1) / np.where(fine, scale, 1.0), np.nan)
