"""Lines of a line chart as they are drawn: one trace a colour and panel, with its ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import Palette
from f2teval.score import Box


@dataclass(slots=True)
class Stroke:
    """One line.

    Attributes:
        colour: palette entry.
        xs, ys: centre of the line at each pixel column where it is seen, left to right (the upper edge of an area).
        single: one line only; if not, several lines of one colour run here and ``ys`` means nothing between the ends.
        starts, ends: heights of all runs at the left and right end.
    """

    colour: int
    xs: NDArray[np.int64]
    ys: NDArray[np.float64]
    single: bool
    starts: tuple[float, ...]
    ends: tuple[float, ...]
    panel: int = 0

    @property
    def x0(self) -> float:
        """Left end."""
        return float(self.xs[0])

    @property
    def x1(self) -> float:
        """Right end."""
        return float(self.xs[-1])

    def y_at(self, x: float) -> float:
        """Height at a column (nearest end outside)."""
        return float(np.interp(x, self.xs, self.ys))


def find_strokes(palette: Palette, texts: Sequence[Box], top: float, bottom: float) -> list[Stroke]:
    """Trace lines between two heights of the picture; text boxes are left out of sight."""
    index = palette.index.copy()
    h, w = index.shape
    for t in texts:
        index[max(0, int(t[1])) : int(t[3]) + 1, max(0, int(t[0])) : int(t[2]) + 1] = 0
    lo, hi = max(0, int(top)), min(h, int(bottom))
    if hi - lo < 20:
        return []
    out: list[Stroke] = []
    band = index[lo:hi]
    for k in range(1, len(palette.colours)):
        mask = band == k
        if mask.any(0).sum() < 0.06 * w:
            continue
        mask &= ~_edges_of_stronger(band, palette, k)
        if float(np.ptp(palette.colours[k] - palette.colours[0])) < 28:
            # Grey: rules and grid lines, solid or dotted, are rows it fills from side to side.
            spread = np.flatnonzero(mask.any(0))
            if len(spread):
                wide = max(1, int(spread[-1] - spread[0]))
                mask[mask.sum(1) > 0.28 * wide] = False
        cols = np.flatnonzero(mask.any(0))
        if len(cols) < 0.06 * w or len(cols) < 18:
            continue
        out += _trace(mask, cols, k, lo, w, palette.colours[k] - palette.colours[0])
    return _distinct(out)


def _edges_of_stronger(band: NDArray[np.uint8], palette: Palette, k: int) -> NDArray[np.bool_]:
    """Where colour ``k`` may only be the blurred edge of a stronger one: beside a colour it is a blend of."""
    back = palette.colours[0]
    own = palette.colours[k] - back
    near = np.zeros(band.shape, np.uint8)
    for d in range(1, len(palette.colours)):
        if d == k:
            continue
        strong = palette.colours[d] - back
        t = float(own @ strong) / max(float(strong @ strong), 1.0)
        if 0.05 < t < 0.88 and float(np.linalg.norm(own - t * strong)) < 26:
            near |= (band == d).astype(np.uint8)
    if not near.any():
        return near.astype(bool)
    return np.asarray(cv2.dilate(near, np.ones((5, 5), np.uint8)) > 0)


def _trace(
    mask: NDArray[np.bool_], cols: NDArray[np.int64], k: int, lo: int, w: int, contrast: NDArray[np.float32]
) -> list[Stroke]:
    tint = contrast  # difference from the background: its spread over channels tells coloured from grey
    grey = float(np.ptp(tint)) < 28
    pieces = np.split(cols, np.flatnonzero(np.diff(cols) > max(26, 0.09 * w)) + 1)
    out: list[Stroke] = []
    for piece in pieces:
        if len(piece) < max(18, 0.055 * w) or len(piece) < 0.45 * (piece[-1] - piece[0] + 1):
            continue
        runs = [_runs(np.flatnonzero(mask[:, x])) for x in piece]
        counts = np.array([len(r) for r in runs])
        thick = float(np.median([b - a for r in runs for a, b in r]))
        area = thick > 14
        ys = np.array([(r[0][0] if area else float(np.mean([(a + b) / 2 for a, b in r]))) for r in runs]) + lo
        steady = float(np.ptp(ys)) < 3 and counts.max() == 1
        # Rules, frames and axes: grey, straight and level; a vertical rule is one or two columns wide.
        if steady and (grey or thick < 1.6):
            continue
        if grey and float(np.median(np.abs(np.diff(ys)))) > 6:
            continue
        single = area or float((counts == 1).mean()) > 0.75
        if not single and counts.mean() > 4:
            continue
        if single and not area:
            ys = _steadied(piece, runs, lo)
        n = max(2, min(6, len(runs) // 8))
        starts, ends = _ends(runs[:n], lo, area), _ends(runs[-n:], lo, area)
        out.append(Stroke(k, piece.astype(np.int64), ys, single, starts, ends))
    return out


def _runs(y: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Vertical runs of one column; the two rims of a marker's ring count as one."""
    cut = np.flatnonzero(np.diff(y) > 9)
    first = np.concatenate([[0], cut + 1])
    last = np.concatenate([cut, [len(y) - 1]])
    return [(int(y[a]), int(y[b]) + 1) for a, b in zip(first, last)]


def _steadied(xs: NDArray[np.int64], runs: list[list[tuple[int, int]]], lo: int) -> NDArray[np.float64]:
    """Centre of the run that continues the line where a column shows several."""
    out = np.empty(len(runs))
    last: float | None = None
    for i, r in enumerate(runs):
        mids = [(a + b) / 2 + lo for a, b in r]
        near = np.abs(np.array(mids) - (mids[0] if last is None else last))
        last = mids[int(near.argmin())]
        out[i] = last
    return out


def _ends(runs: list[list[tuple[int, int]]], lo: int, area: bool) -> tuple[float, ...]:
    if area:
        return (float(np.median([r[0][0] for r in runs])) + lo,)
    most = max(runs, key=len)
    return tuple((a + b) / 2 + lo for a, b in most)


def _distinct(strokes: list[Stroke]) -> list[Stroke]:
    """Drop the paler edge of another line (antialiasing) and anything that follows one closely."""
    strokes.sort(key=lambda s: -len(s.xs))
    out: list[Stroke] = []
    for s in strokes:
        shadow = False
        for o in out:
            shared = (s.xs >= o.x0) & (s.xs <= o.x1)
            if shared.mean() > 0.7 and s.single and o.single:
                d = np.abs(s.ys[shared] - np.interp(s.xs[shared], o.xs, o.ys))
                if float((d <= 3.0).mean()) > 0.65:
                    shadow = True
        if not shadow:
            out.append(s)
    return out
