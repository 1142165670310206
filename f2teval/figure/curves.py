"""Lines and areas: the pixel profile of a layer, and the places where it is worth reading off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from f2teval.figure.layout import Mask, Plot

Profile = npt.NDArray[np.float64]
"""One y pixel a column of the picture; NaN where nothing is drawn."""


def line_profile(mask: Mask, plot: Plot) -> Profile:
    """Centre of a line in every column.

    Where a column crosses several runs (a loop, a dot, a stray piece) the run nearest to the line so far is taken. At
    peaks a steep line fills a tall run: its far end is the true height there, so runs that turn round are pulled to it.
    """
    _h, w = mask.shape
    out = np.full(w, np.nan)
    x0, _, x1, _ = plot.box
    last = np.nan
    thick = _thickness(mask[:, x0:x1])
    runs_at: list[list[tuple[int, int]]] = []
    for x in range(max(0, x0 - 1), min(w, x1 + 1)):
        ys = np.flatnonzero(mask[:, x])
        runs_at.append(_runs(ys))
        if not len(ys):
            continue
        runs = runs_at[-1]
        if len(runs) == 1 or np.isnan(last):
            run = max(runs, key=lambda r: r[1] - r[0])
        else:
            run = min(runs, key=lambda r: abs((r[0] + r[1]) / 2 - last))
        out[x] = (run[0] + run[1]) / 2
        last = out[x]
    return _sharpen(out, mask, thick)


def _sharpen(profile: Profile, mask: Mask, thick: float) -> Profile:
    """At turning points take the outer edge less half the line's thickness instead of the run's middle."""
    out = profile.copy()
    xs = np.flatnonzero(~np.isnan(profile))
    if len(xs) < 7:
        return out
    for k in range(3, len(xs) - 3):
        x = xs[k]
        before, after = profile[x] - profile[xs[k - 3]], profile[xs[k + 3]] - profile[x]
        if before * after >= 0 or min(abs(before), abs(after)) < 1.0:
            continue
        ys = np.flatnonzero(mask[:, x])
        runs = _runs(ys)
        run = min(runs, key=lambda r: abs((r[0] + r[1]) / 2 - profile[x]))
        if run[1] - run[0] + 1 <= thick + 1:
            continue
        out[x] = run[0] + thick / 2 if before < 0 else run[1] - thick / 2
    return out


def _thickness(mask: Mask) -> float:
    counts = mask.sum(axis=0)
    counts = counts[counts > 0]
    return float(np.percentile(counts, 25)) if len(counts) else 1.0


def _runs(ys: npt.NDArray[np.intp]) -> list[tuple[int, int]]:
    """Runs of consecutive pixels (gaps of one bridged) as inclusive pairs."""
    if not len(ys):
        return []
    cuts = np.flatnonzero(np.diff(ys) > 2)
    starts = np.concatenate([[0], cuts + 1])
    ends = np.concatenate([cuts, [len(ys) - 1]])
    return [(int(ys[a]), int(ys[b])) for a, b in zip(starts, ends)]


def area_profile(mask: Mask, plot: Plot, baseline: float | None) -> Profile:
    """Free edge of a filled area in every column: the end farther from the baseline (at a pixel's border)."""
    _h, w = mask.shape
    out = np.full(w, np.nan)
    x0, _, x1, _ = plot.box
    for x in range(max(0, x0 - 1), min(w, x1 + 1)):
        ys = np.flatnonzero(mask[:, x])
        if not len(ys):
            continue
        top, bottom = ys[0] - 0.5, ys[-1] + 0.5
        if baseline is None or abs(top - baseline) >= abs(bottom - baseline):
            out[x] = top
        else:
            out[x] = bottom
    return out


def value_near(profile: Profile, x: float, reach: int = 2) -> float:
    """Profile at a pixel position: linear between columns, NaN when nothing is drawn within ``reach`` columns."""
    lo = int(np.floor(x))
    here = profile[max(0, lo - reach) : lo + reach + 2]
    offsets = np.arange(max(0, lo - reach), max(0, lo - reach) + len(here)) - x
    good = ~np.isnan(here)
    if not good.any():
        return float("nan")
    order = np.argsort(np.abs(offsets[good]))[:2]
    ys, ds = here[good][order], np.abs(offsets[good][order])
    if len(ys) == 1 or ds[0] < 0.02:
        return float(ys[0])
    return float((ys[0] * ds[1] + ys[1] * ds[0]) / max(ds.sum(), 1e-9))


def extent(profile: Profile) -> tuple[int, int] | None:
    """First and last column of the longest stretch (gaps up to 12 columns bridged)."""
    xs = np.flatnonzero(~np.isnan(profile))
    if len(xs) < 2:
        return None
    cuts = np.flatnonzero(np.diff(xs) > 40)
    starts = np.concatenate([[0], cuts + 1])
    ends = np.concatenate([cuts, [len(xs) - 1]])
    best = max(zip(starts, ends), key=lambda se: xs[se[1]] - xs[se[0]])
    return int(xs[best[0]]), int(xs[best[1]])


def misfit(profile: Profile, positions: list[float]) -> float:
    """90th percentile of the distance, in pixels, between a profile and straight pieces through it at these columns.

    Distances are taken at right angles to the pieces, so that a steep flank one column off does not count as a miss.
    """
    ys = [value_near(profile, p) for p in positions]
    points = [(p, y) for p, y in zip(positions, ys) if not np.isnan(y)]
    if len(points) < 2:
        return float("inf")
    px, py = np.array(points).T
    xs = np.flatnonzero(~np.isnan(profile))
    xs = xs[(xs >= px[0]) & (xs <= px[-1])]
    if len(xs) == 0:
        return float("inf")
    slopes = np.diff(py) / np.maximum(np.diff(px), 1e-6)
    piece = np.clip(np.searchsorted(px, xs, side="right") - 1, 0, len(slopes) - 1)
    miss = np.abs(np.interp(xs, px, py) - profile[xs]) / np.sqrt(1 + slopes[piece] ** 2)
    return float(np.percentile(miss, 90))


def turning_points(profile: Profile, least: float = 4.0) -> int:
    """How often a curve turns round by at least ``least`` pixels."""
    ys = profile[~np.isnan(profile)]
    if len(ys) < 3:
        return 0
    turns, direction, extreme = 0, 0, float(ys[0])
    for y in ys:
        if (direction >= 0 and y > extreme) or (direction <= 0 and y < extreme):
            if direction == 0 and abs(y - ys[0]) >= least:
                direction = 1 if y > ys[0] else -1
            if direction != 0 or abs(y - ys[0]) >= least:
                extreme = float(y)
        elif abs(y - extreme) >= least:
            turns += 1
            direction, extreme = (-1 if direction > 0 else 1), float(y)
    return turns
