"""What SciCap-Eval does with ranks, contexts and features (Hsu et al. 2023, tables 1–3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import stats

from f2teval.meta.correlation import pearson
from f2teval.meta.values import Floats, Stat


def reversed_rank(rank: Floats, items: float) -> Floats:
    """``items + 1 - rank``: larger is better, evenly spaced (conversion 1)."""
    return items + 1 - rank


def reciprocal_rank(rank: Floats) -> Floats:
    """``1 / rank``: spreads the best; agreement with it shows whether a metric finds *good* texts (conversion 2)."""
    return 1 / rank


def reversed_reciprocal_rank(rank: Floats, items: float) -> Floats:
    """``1 / (items + 1 - rank)``: largest for the *worst*, and spreads them (conversion 3).

    A metric that finds bad texts correlates *negatively* with it; the paper compares absolute values.
    """
    return 1 / (items + 1 - rank)


class Ablation(NamedTuple):
    """A paired t test of scores with an input against scores without it."""

    n: int
    mean_difference: float
    t: float | None
    p: float | None
    reason: str = ""


def context_ablation(with_context: Floats, without: Floats) -> Ablation:
    """Do scores change when the metric sees more context? Paired over texts scored under both; two-sided."""
    ok = ~(np.isnan(with_context) | np.isnan(without))
    d = with_context[ok] - without[ok]
    n = len(d)
    mean = float(d.mean()) if n else 0.0
    if n < 2:
        return Ablation(n, mean, None, None, "fewer than 2 texts scored under both")
    if np.ptp(d) == 0:
        return Ablation(n, mean, None, None, "every text changes by the same amount")
    result = stats.ttest_rel(with_context[ok], without[ok])
    return Ablation(n, mean, float(result.statistic), float(result.pvalue))


def feature_helpfulness(features: Mapping[str, Floats], ratings: Mapping[str, Floats]) -> dict[str, dict[str, Stat]]:
    """feature → rating → Pearson's r over the texts that have both (point-biserial for yes/no features)."""
    out: dict[str, dict[str, Stat]] = {}
    for f, x in features.items():
        out[f] = {}
        for r, y in ratings.items():
            ok = ~(np.isnan(x) | np.isnan(y))
            out[f][r] = pearson(x[ok], y[ok])
    return out
