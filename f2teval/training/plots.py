"""Pictures of a training: curves, and how far the heads are disentangled (F2TEval, figure 7)."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from f2teval.errors import MissingExtraError
from f2teval.rubric import DIMENSION_NAMES

_COLORS = ("#3b6fb6", "#d1793b", "#4a9d5b", "#8a5fb0", "#b5494e")


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("plots", "plots") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def curves(metrics: Path, out: Path) -> None:
    """Loss and validation Pearson of every stage over epochs, from ``metrics.jsonl`` to a PNG."""
    plt = _pyplot()
    stages: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in metrics.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("event") == "epoch":
            stages[row["stage"]].append(row)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name, rows in stages.items():
        epochs = [r["epoch"] + 1 for r in rows]
        axes[0].plot(epochs, [r["loss"] for r in rows], marker=".", label=name)
        axes[1].plot(epochs, [_mean_pearson(r) for r in rows], marker=".", label=name)
    axes[0].set(xlabel="epoch", ylabel="training loss")
    axes[1].set(xlabel="epoch", ylabel="Pearson on the validation figures")
    axes[1].legend(fontsize="small")
    figure.savefig(out, dpi=120)
    plt.close(figure)


def _mean_pearson(row: dict[str, Any]) -> float:
    values = [m["pearson"] for m in row["validation"].values() if m["pearson"] is not None]
    return float(np.mean(values)) if values else float("nan")


def disentanglement(
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    without: npt.NDArray[np.float64],
    features: dict[str, npt.NDArray[np.float64]],
    out: Path,
) -> None:
    """Figure 7's view: HSIC of every pair of heads before training, after, and after without the HSIC loss; and a plane
    through the activations of the heads' first layers.

    Args:
        before, after, without: ``(D, D)`` HSIC matrices.
        features: title → ``(D, n, m)`` head features to project, three of them.
    """
    plt = _pyplot()
    figure, axes = plt.subplots(2, 3, figsize=(13, 8.5), layout="constrained")
    matrices = {"before training": before, "after training": after, "after, without the HSIC loss": without}
    off = ~np.eye(len(before), dtype=bool)
    top = max(float(m[off].max()) for m in matrices.values()) or 1.0
    # Numbers in the cells share one power of ten, so that they can be compared at a glance.
    power = math.floor(math.log10(top))
    ticks = range(len(DIMENSION_NAMES))
    for axis, (title, matrix) in zip(axes[0], matrices.items()):
        image = axis.imshow(np.where(off, matrix, np.nan), vmin=0, vmax=top, cmap="Blues")
        total = np.triu(matrix, 1).sum()
        axis.set_title(f"HSIC {title}\nsum over pairs {total:.3g}; cells in 1e{power}", fontsize=10)
        axis.set_xticks(ticks, DIMENSION_NAMES, rotation=30, ha="right", fontsize=8)
        axis.set_yticks(ticks, DIMENSION_NAMES if axis is axes[0][0] else [""] * len(ticks), fontsize=8)
        for i, j in zip(*np.nonzero(off)):
            color = "white" if matrix[i, j] > 0.6 * top else "black"
            axis.text(j, i, f"{matrix[i, j] / 10**power:.2f}", ha="center", va="center", fontsize=8, color=color)
    figure.colorbar(image, ax=list(axes[0]), shrink=0.8, label="HSIC")
    for axis, (title, values) in zip(axes[1], features.items()):
        plane = project(values.reshape(-1, values.shape[-1])).reshape(values.shape[0], values.shape[1], 2)
        for name, color, points in zip(DIMENSION_NAMES, _COLORS, plane):
            axis.scatter(points[:, 0], points[:, 1], s=4, color=color, label=name, alpha=0.6)
        axis.set_title(title, fontsize=10)
        axis.set(xlabel="first principal axis", ylabel="second principal axis" if axis is axes[1][0] else "")
    handles, labels = axes[1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9, markerscale=3)
    figure.savefig(out, dpi=120)
    plt.close(figure)


def project(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The plane of largest variance: ``(N, m)`` → ``(N, 2)``; the sign of each axis is fixed by its largest entry."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[:2][np.arange(len(axes[:2])), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    plane = centred @ axes.T
    return np.pad(plane, ((0, 0), (0, 2 - plane.shape[1])))
