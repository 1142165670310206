"""The values this room passes around: a number that may be undefined, and one with its interval."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

OVERALL: Final = "overall"


class Stat(NamedTuple):
    """A statistic, or ``None`` with the reason why it does not exist for these data. Never NaN."""

    value: float | None
    reason: str = ""


class Cell(NamedTuple):
    """One number of a table.

    ``low``/``high`` bound the bootstrap interval (``None`` when it was not asked for or fewer than half of the
    resamples define the statistic), ``n`` is the number of rows it rests on, ``reason`` says why ``value`` is ``None``.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain types; an undefined value is ``null`` beside its reason."""
        return self._asdict()


class StatisticInfo(NamedTuple):
    """How a statistic is called, which way is better, and the range its values lie in."""

    label: str
    short: str
    higher_is_better: bool
    low: float
    high: float


STATISTICS: Final[dict[str, StatisticInfo]] = {
    "pearson": StatisticInfo("Pearson r", "PC", True, -1.0, 1.0),
    "spearman": StatisticInfo("Spearman ρ", "SC", True, -1.0, 1.0),
    "kendall_b": StatisticInfo("Kendall τ-b", "τ-b", True, -1.0, 1.0),
    "kendall_c": StatisticInfo("Kendall τ-c", "τ-c", True, -1.0, 1.0),
    "accuracy": StatisticInfo("pairwise accuracy, tie-calibrated", "acc*", True, 0.0, 1.0),
    "auc": StatisticInfo("AUC", "AUC", True, 0.0, 1.0),
    "mae": StatisticInfo("MAE", "MAE", False, 0.0, float("inf")),
    "mse": StatisticInfo("MSE", "MSE", False, 0.0, float("inf")),
}
"""Every statistic of agreement between one metric and people, by the name options and JSON use."""

CORRELATIONS: Final[tuple[str, ...]] = ("pearson", "spearman", "kendall_b", "kendall_c")
