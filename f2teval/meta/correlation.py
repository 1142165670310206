"""Agreement of two vectors: exact point estimates, with a reason wherever a number does not exist.

Formulas: Pearson, Spearman, MAE and MSE as in F2TEval appendix D (Spearman as Pearson on midranks, which is the form
that stays right under ties); Kendall's τ-b and τ-c after Kendall (1945) and Stuart (1953); AUC as the probability that
a positive outranks a negative, ties counting half.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import stats

from f2teval.errors import UnknownNameError
from f2teval.meta.values import STATISTICS, Floats, Stat

MIN_ROWS: Final = 3
"""Below this a correlation is undefined: two points always lie on a line."""


def _no_correlation(x: Floats, y: Floats) -> str:
    if len(x) < MIN_ROWS:
        return f"only {len(x)} row{'s' * (len(x) != 1)}; a correlation needs {MIN_ROWS}"
    if _constant(x):
        return "all scores are equal"
    if _constant(y):
        return "all ratings are equal"
    return ""


def _constant(v: Floats) -> bool:
    return bool(np.ptp(v) == 0.0)


def pearson(x: Floats, y: Floats) -> Stat:
    """Pearson's r in [-1, 1]."""
    why = _no_correlation(x, y)
    if why:
        return Stat(None, why)
    # Scaled before squaring: the squares of values around 1e-200 or 1e200 leave the range of a double.
    a, b = _standard(x), _standard(y)
    scale = math.sqrt(float(a @ a)) * math.sqrt(float(b @ b))
    if scale == 0.0:
        return Stat(None, "the spread is below floating-point resolution")
    return Stat(float(np.clip(a @ b / scale, -1.0, 1.0)))


def _standard(v: Floats) -> Floats:
    top = float(np.max(np.abs(v)))
    w = v / top
    centred: Floats = w - w.mean()
    spread = float(np.max(np.abs(centred)))
    return centred / spread if spread > 0 else centred


def spearman(x: Floats, y: Floats) -> Stat:
    """Spearman's ρ in [-1, 1]: Pearson's r of the midranks."""
    why = _no_correlation(x, y)
    return Stat(None, why) if why else pearson(stats.rankdata(x), stats.rankdata(y))


def kendall_b(x: Floats, y: Floats) -> Stat:
    """Kendall's τ-b in [-1, 1]; pairs tied in one vector leave the denominator."""
    why = _no_correlation(x, y)
    return Stat(None, why) if why else Stat(float(stats.kendalltau(x, y, variant="b").statistic))


def kendall_c(x: Floats, y: Floats) -> Stat:
    """Kendall's (Stuart's) τ-c in [-1, 1]; suits two scales with different numbers of levels."""
    why = _no_correlation(x, y)
    return Stat(None, why) if why else Stat(float(stats.kendalltau(x, y, variant="c").statistic))


def mae(x: Floats, y: Floats) -> Stat:
    """Mean absolute error, in units of the rating scale."""
    return Stat(float(np.mean(np.abs(x - y)))) if len(x) else Stat(None, "no rows")


def mse(x: Floats, y: Floats) -> Stat:
    """Mean squared error, in squared units of the rating scale."""
    return Stat(float(np.mean((x - y) ** 2))) if len(x) else Stat(None, "no rows")


def auc(x: Floats, y: Floats) -> Stat:
    """Area under the ROC curve of ``x`` for the two levels of ``y`` (the higher one is positive), in [0, 1]."""
    levels = np.unique(y)
    if len(levels) != 2:
        return Stat(None, f"AUC needs two levels of rating, these have {len(levels)}")
    positive = y == levels[1]
    n1 = int(positive.sum())
    n0 = len(y) - n1
    u = float(stats.rankdata(x)[positive].sum()) - n1 * (n1 + 1) / 2
    return Stat(u / (n0 * n1))


_EXACT: Final[dict[str, Callable[[Floats, Floats], Stat]]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_b": kendall_b,
    "kendall_c": kendall_c,
    "mae": mae,
    "mse": mse,
    "auc": auc,
}


def statistic(name: str, x: Floats, y: Floats) -> Stat:
    """The named statistic of scores ``x`` (n,) against ratings ``y`` (n,), both finite.

    ``accuracy`` is not among them: it needs a tie threshold (:mod:`f2teval.meta.pairwise`).
    Raises :class:`UnknownNameError`.
    """
    if name not in _EXACT:
        raise UnknownNameError("statistic", name, STATISTICS)
    return _EXACT[name](x, y)
