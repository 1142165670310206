"""Agreement on systems, and on pairs of texts that people compared directly."""

from __future__ import annotations

import numpy as np

from f2teval.meta.bootstrap import interval, resample_weights
from f2teval.meta.joined import Joined
from f2teval.meta.pairwise import soft_pairwise_accuracy
from f2teval.meta.values import OVERALL, Cell, Floats, Stat


def system_accuracy(j: Joined, metric: str, target: str, *, rounds: int, seed: int) -> Stat:
    """Soft pairwise accuracy of ``metric`` on ``target`` over the figures that every system has scored and rated texts
    for; several texts of one system about one figure are averaged."""
    x, y = j.scores[metric][target], j.targets[target]
    ok = ~(np.isnan(x) | np.isnan(y))
    names = sorted({j.system[t] for t in j.row_text[ok] if j.system[t]})
    if len(names) < 2:
        return Stat(None, f"{len(names)} system; comparing systems needs two")
    code = {s: i for i, s in enumerate(names)}
    system = np.array([code.get(j.system[t], -1) for t in j.row_text])
    ok &= system >= 0
    cell = system[ok] * j.n_figures + j.figure[ok]
    size = len(names) * j.n_figures
    count = np.bincount(cell, minlength=size)
    shape = (len(names), j.n_figures)
    seen = (count > 0).reshape(shape)
    shared = seen.all(axis=0)
    if shared.sum() < 2:
        alone = [n for n, row in zip(names, seen) if row.sum() == 1]
        extra = f"; {alone[0]} has one text only" if alone else ""
        return Stat(None, f"systems share {int(shared.sum())} figures{extra}")
    divisor = np.maximum(count, 1)
    mx: Floats = (np.bincount(cell, x[ok], size) / divisor).reshape(shape)[:, shared]
    my: Floats = (np.bincount(cell, y[ok], size) / divisor).reshape(shape)[:, shared]
    return soft_pairwise_accuracy(mx, my, rounds, seed)


def pair_accuracy(j: Joined, metric: str, *, rounds: int, seed: int, level: float) -> dict[str, Cell]:
    """Share of pairs in which the metric puts the preferred text first, by group and under "all"; ties count half.

    Pairs with an unscored text are left out: the cell's ``n`` says how many were used.
    """
    place = {i: k for k, i in enumerate(j.text_ids)}
    numbers = np.full(len(j.text_ids), np.nan)
    numbers[j.row_text] = j.scores[metric][OVERALL]
    figure = np.empty(len(j.text_ids), dtype=np.int64)
    figure[j.row_text] = j.figure
    better = np.array([place[p.better] for p in j.ratings.pairs])
    worse = np.array([place[p.worse] for p in j.ratings.pairs])
    ok = ~(np.isnan(numbers[better]) | np.isnan(numbers[worse]))
    right = (np.sign(numbers[better] - numbers[worse]) + 1) / 2
    groups = np.array([p.group for p in j.ratings.pairs])
    out = {}
    for g in [*dict.fromkeys(groups.tolist()), "all"]:
        use = ok & ((groups == g) | (g == "all"))
        n = int(use.sum())
        if not n:
            out[g] = Cell(None, n=0, reason="no pair with both texts scored")
            continue
        total = np.bincount(figure[better[use]], minlength=j.n_figures).astype(np.float64)
        top = np.bincount(figure[better[use]], right[use], j.n_figures)
        low: float | None = None
        high: float | None = None
        if rounds:
            drawn = []
            for w in resample_weights(j.n_figures, rounds, seed):
                bottom = w @ total
                drawn.append(np.where(bottom > 0, w @ top / np.where(bottom > 0, bottom, 1), np.nan))
            low, high = interval(np.concatenate(drawn), level)
        out[g] = Cell(float(right[use].mean()), low, high, n)
    return out
