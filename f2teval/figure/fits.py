"""Lines through (pixel, value) pairs that a few wrong labels cannot bend, and their adjustment to what is drawn."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from f2teval.figure.layout import Line
from f2teval.figure.reading import Axis


class Fit(NamedTuple):
    """``f(value) = slope * pixel + intercept``, f identity or log10; ``inliers`` index the points that agree."""

    slope: float
    intercept: float
    scale: Literal["linear", "log"]
    residual: float
    inliers: tuple[int, ...]


def fit_values(
    pixels: list[float], values: list[float], tolerance: float, scales: tuple[str, ...] = ("linear", "log")
) -> Fit | None:
    """Robust line through (pixel, value) pairs.

    Every pair proposes a line; the proposal that most points follow to within ``tolerance`` pixels wins and is refitted
    on them by least squares. A log scale is taken only where it explains more points than a linear one.

    Returns:
        The fit, or ``None`` when no two points differ in both pixel and value.
    """
    p = np.asarray(pixels, dtype=float)
    best: Fit | None = None
    for scale in scales:
        v = np.asarray(values, dtype=float)
        if scale == "log":
            if (v <= 0).any() or len(set(values)) < 3 or v.max() / v.min() < 9:
                continue
            v = np.log10(v)
        fit = _fit_line(p, v, tolerance, "log" if scale == "log" else "linear")
        if fit and (best is None or len(fit.inliers) > len(best.inliers)):
            best = fit
    return best


def _fit_line(p: np.ndarray, v: np.ndarray, tolerance: float, scale: Literal["linear", "log"]) -> Fit | None:
    n = len(p)
    best: tuple[int, float, np.ndarray] | None = None
    pairs = list(itertools.combinations(range(n), 2))
    for i, j in pairs[:2000]:
        if abs(p[i] - p[j]) < 2 * tolerance or v[i] == v[j]:
            continue
        slope = (v[j] - v[i]) / (p[j] - p[i])
        miss = np.abs((v - v[i]) / slope + p[i] - p)
        inside = miss <= tolerance
        key = (int(inside.sum()), -float(miss[inside].sum()))
        if best is None or key > best[:2]:
            best = (*key, inside)
    if best is None:
        return None
    inside = best[2]
    slope, intercept = np.polyfit(p[inside], v[inside], 1)
    if slope == 0 or not math.isfinite(slope):
        return None
    miss = (v[inside] - intercept) / slope - p[inside]
    residual = float(np.sqrt((miss**2).mean()))
    return Fit(float(slope), float(intercept), scale, residual, tuple(int(i) for i in np.flatnonzero(inside)))


def snap_zero(axis: Axis, foot: float, size: float) -> Axis:
    """Shift an axis of turned labels so that a zero close to the plot's foot stands on it."""
    if axis.scale != "linear" or not any(t.value == 0 for t in axis.ticks):
        return axis
    zero = -axis.intercept / axis.slope
    edge = foot - 0.5
    if not 1.5 < abs(zero - edge) < 0.8 * size:
        return axis
    shift = edge - zero
    ticks = tuple(replace(t, pixel=t.pixel + shift) for t in axis.ticks)
    return replace(axis, ticks=ticks, intercept=axis.intercept - axis.slope * shift)


def snap_to_lines(axis: Axis, lines: list[Line]) -> Axis:
    """Refit an axis on gridlines: labels sit a little off their ticks (turned ones by half their width), lines do not.

    Used only when at least two ticks have a line at one and the same small offset.
    """
    values = np.array([t.value for t in axis.ticks if t.value is not None], dtype=float)
    if len(values) < 2 or not lines:
        return axis
    v = np.log10(values) if axis.scale == "log" else values
    expected = (v - axis.intercept) / axis.slope
    spacing = float(np.min(np.abs(np.diff(np.sort(expected))))) if len(expected) > 1 else 0.0
    if spacing < 6:
        return axis
    at = np.array([line.at for line in lines])
    offsets = at[None, :] - expected[:, None]
    limit = min(0.35 * spacing, 14.0)
    near = offsets[np.abs(offsets) <= limit]
    if len(near) < 2:
        return axis
    counts = [(int((np.abs(near - o) <= 1.6).sum()), -abs(float(o)), float(o)) for o in near]
    _, _, offset = max(counts)
    pairs = []
    for i in range(len(expected)):
        j = int(np.abs(offsets[i] - offset).argmin())
        if abs(offsets[i, j] - offset) <= 1.6:
            pairs.append((float(at[j]), float(v[i])))
    if len(pairs) < max(2, 0.5 * len(expected)) or len({p for p, _ in pairs}) < 2:
        return axis
    p, q = np.array(pairs).T
    slope, intercept = np.polyfit(p, q, 1)
    miss = (q - intercept) / slope - p
    residual = float(np.sqrt((miss**2).mean()))
    ticks = []
    for t in axis.ticks:
        if t.value is None:
            ticks.append(t)
            continue
        w = math.log10(t.value) if axis.scale == "log" else t.value
        ticks.append(replace(t, pixel=float((w - intercept) / slope)))
    confidence = min(1.0, axis.confidence + 0.1)
    return replace(
        axis, ticks=tuple(ticks), slope=float(slope), intercept=float(intercept), residual=round(residual, 3),
        confidence=round(confidence, 3),
    )  # fmt: skip
