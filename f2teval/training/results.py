"""Numbers on held-out figures, with confidence intervals and beside the mean predictor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from f2teval.meta.bootstrap import Pooled, cell, distributions
from f2teval.meta.values import Cell, Floats
from f2teval.rubric import DIMENSION_NAMES
from f2teval.training.dataset import RatedData

STATISTICS: Final = ("pearson", "spearman", "mae", "mse")
OVERALL: Final = "overall"
_ROUNDS: Final = 1000


@dataclass(frozen=True, slots=True)
class Results:
    """Agreement with the ratings on held-out figures, on the scale of rating / 2.

    Attributes:
        split: "test", or "val" when no test figures were kept.
        cells: column (a dimension or "overall") → statistic → value with its 95 % interval over figures.
        mean_predictor: column → MAE and MSE of always saying the mean of the training ratings.
        rows, figures: how many.
    """

    split: str
    cells: dict[str, dict[str, Cell]]
    mean_predictor: dict[str, dict[str, float | None]]
    rows: int
    figures: int

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return {
            "split": self.split,
            "rows": self.rows,
            "figures": self.figures,
            "statistics": {c: {n: x.to_json() for n, x in by.items()} for c, by in self.cells.items()},
            "mean_predictor": self.mean_predictor,
        }

    def table(self) -> str:
        """Markdown: one line a column."""
        lines = [
            "| | PC | SC | MAE | MSE | MSE of the mean | n |",
            "|---|---|---|---|---|---|---|",
        ]
        for column, by in self.cells.items():
            values = [_shown(by[s], interval=s == "pearson") for s in STATISTICS]
            mean = self.mean_predictor[column]["mse"]
            lines.append(f"| {column} | {' | '.join(values)} | {_plain(mean)} | {by['mse'].n} |")
        return "\n".join(lines)


def evaluate(data: RatedData, predicted: npt.NDArray[np.float64], columns: Sequence[str] = DIMENSION_NAMES) -> Results:
    """Statistics of predictions ``(N, len(columns))``; with all five dimensions, of their mean ("overall") too.

    ``columns`` is the dimensions, or ``("overall",)`` for predictions of the overall rating.
    """
    split = "test" if len(data.rows("test")) else "val"
    truth = data.targets.astype(np.float64)
    if tuple(columns) == (OVERALL,):
        names, x, y = [OVERALL], predicted, truth.mean(axis=1, keepdims=True)
    else:
        names = [*columns, OVERALL]
        x = np.column_stack([predicted, predicted.mean(axis=1)])
        y = np.column_stack([truth, truth.mean(axis=1)])
    rows, train = data.rows(split), data.rows("train")
    cells, baseline = {}, {}
    for i, name in enumerate(names):
        mean = float(np.nanmean(y[train, i])) if np.isfinite(y[train, i]).any() else float("nan")
        cells[name], baseline[name] = _column(x[rows, i], y[rows, i], data.figures[rows], mean)
    return Results(split, cells, baseline, len(rows), len(np.unique(data.figures[rows])))


def _column(
    x: Floats, y: Floats, figures: npt.NDArray[np.int64], mean: float
) -> tuple[dict[str, Cell], dict[str, float | None]]:
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    _, cluster = np.unique(figures[there], return_inverse=True)
    clusters = int(cluster.max()) + 1 if len(cluster) else 0
    if clusters == 0 or not np.isfinite(mean):
        return {n: Cell(None, reason="no rows") for n in STATISTICS}, {"mae": None, "mse": None}
    pooled = Pooled(x, y, cluster.astype(np.int64), clusters)
    drawn = distributions({"x": pooled}, STATISTICS, clusters, rounds=_ROUNDS, seed=0)["x"]
    cells = {n: cell(pooled.point(n), len(x), drawn[n]) for n in STATISTICS}
    error = mean - y
    return cells, {"mae": float(np.abs(error).mean()), "mse": float(np.square(error).mean())}


def _shown(c: Cell, *, interval: bool) -> str:
    if c.value is None:
        return "–"
    if interval and c.low is not None and c.high is not None:
        return f"{c.value:.4f} [{c.low:.2f}, {c.high:.2f}]"
    return f"{c.value:.4f}"


def _plain(x: float | None) -> str:
    return "–" if x is None else f"{x:.4f}"
