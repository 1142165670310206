"""Filled rectangles: bars, segments of stacked bars, legend swatches."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import Palette
from f2teval.figure.labelled.geometry import height, overlap, union, width
from f2teval.score import Box


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled rectangle of one flat colour; ``colour`` is its palette entry."""

    box: Box
    colour: int
    fill: float = 1.0


def find_rects(palette: Palette, texts: Sequence[Box] = ()) -> list[Rect]:
    """All filled rectangles of a picture that are not its background, text on them notwithstanding.

    A component counts when its outline is straight: the pixels just inside its bounding box are mostly its own
    colour on all four sides. ``texts`` joins the pieces into which a label wider than its bar cuts the bar.
    """
    index = palette.index
    h, w = index.shape
    # A pixel is solid if it and its neighbours right, below and diagonally below are of one colour. Solid regions of
    # different colours never touch, so one pass finds the components of all colours.
    same = (
        (index[:-1, :-1] == index[1:, :-1]) & (index[:-1, :-1] == index[:-1, 1:]) & (index[:-1, :-1] == index[1:, 1:])
    )
    solid = (same & (index[:-1, :-1] != 0) & (index[:-1, :-1] != 255)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
    x, y, bw, bh, area = stats.T
    bw, bh = bw + 1, bh + 1
    keep = (np.maximum(bw, bh) >= 5) & (area >= 5) & (area >= 0.25 * (bw - 1) * (bh - 1))
    keep &= (bw * bh <= 0.35 * w * h) & (bw <= 0.97 * w) & (bh <= 0.97 * h)
    keep[0] = False
    out: list[Rect] = []
    for i in np.flatnonzero(keep).tolist():
        x0, y0, x1, y1 = int(x[i]), int(y[i]), int(x[i] + bw[i]), int(y[i] + bh[i])
        row = labels[y0, x0 : x1 - 1]
        k = int(index[y0, x0 + int(np.argmax(row == i))])
        part = index[y0:y1, x0:x1] == k
        filled = int(part.sum())
        if filled >= 14 and filled >= 0.3 * part.size and _straight(part):
            out.append(Rect((x0, y0, x1, y1), k, filled / part.size))
    out = _join_cut(out, texts, index)
    return [r for r in out if not _backdrop(r, out, k0=0)]


def _straight(part: NDArray[np.bool_]) -> bool:
    """Are all four edges of a component's bounding box (nearly) full?"""
    h, w = part.shape
    inset_y = 1 if h > 8 else 0
    inset_x = 1 if w > 8 else 0
    sides = (part[inset_y], part[h - 1 - inset_y], part[:, inset_x], part[:, w - 1 - inset_x])
    long = [float(s.mean()) for s in sides]
    # One side may be broken by a label that crosses it, a leader line or a marker; not two.
    return min(sorted(long)[1:]) >= 0.72 and min(long) >= 0.4


def _backdrop(r: Rect, rects: Sequence[Rect], k0: int) -> bool:
    """Is this background showing (a letter's counter, white between bars), or a panel other rectangles lie on?"""
    if r.colour == k0:
        return True
    x0, y0, x1, y1 = r.box
    held = 0
    for o in rects:
        if o is r or o.colour == k0:
            continue
        b = o.box
        if b[0] > x0 + 1 and b[1] > y0 + 1 and b[2] < x1 - 1 and b[3] < y1 - 1 and min(width(b), height(b)) >= 5:
            held += 1
    return held >= 2


def _join_cut(rects: list[Rect], texts: Sequence[Box], index: NDArray[np.uint8]) -> list[Rect]:
    """Join same-coloured pieces with equal extent across, where the gap between them is covered by text."""
    rects = list(rects)
    for axis in (0, 1):  # 0: gap along x, 1: gap along y
        a0, a1, c0, c1 = (0, 2, 1, 3) if axis == 0 else (1, 3, 0, 2)
        changed = True
        while changed:
            changed = False
            rects.sort(key=lambda r, a=a0: r.box[a])  # type: ignore[misc]
            for i, r in enumerate(rects):
                for j in range(i + 1, len(rects)):
                    s = rects[j]
                    gap = s.box[a0] - r.box[a1]
                    if gap > 40:
                        break
                    if s.colour != r.colour or gap < -1:
                        continue
                    if abs(s.box[c0] - r.box[c0]) > 2 or abs(s.box[c1] - r.box[c1]) > 2:
                        continue
                    lo, hi = r.box[a1], s.box[a0]
                    mid = (r.box[c0] + r.box[c1]) / 2
                    covered = any(
                        lo - 3 <= (t[a0] + t[a1]) / 2 <= hi + 3
                        and overlap(t[a0], t[a1], lo, hi) >= 0.7 * max(hi - lo, 1)
                        and t[c0] - 2 <= mid <= t[c1] + 2
                        for t in texts
                    )
                    if covered and _same_bar(r, s, axis, index):
                        rects[i] = Rect(union([r.box, s.box]), r.colour, min(r.fill, s.fill))
                        del rects[j]
                        changed = True
                        break
                if changed:
                    break
    return rects


def _same_bar(r: Rect, s: Rect, axis: int, index: NDArray[np.uint8]) -> bool:
    """Does the gap between two pieces still show some of their colour, rather than mere background?"""
    a, b = r.box, s.box
    if axis == 0:
        gap = index[int(max(a[1], b[1])) : int(min(a[3], b[3])), int(a[2]) : int(b[0])]
    else:
        gap = index[int(a[3]) : int(b[1]), int(max(a[0], b[0])) : int(min(a[2], b[2]))]
    return gap.size == 0 or float((gap == r.colour).mean()) > 0.15 or float((gap == 0).mean()) < 0.3


def scan_row(index: NDArray[np.uint8], row: Sequence[Rect], reach: int = 60) -> list[Rect]:
    """Segments of a row of bars by walking along its upper and lower rim, where labels do not reach.

    Finds pieces too narrow or too covered by their label for :func:`find_rects`; ``row`` are those it did find.
    """
    h, w = index.shape
    y0 = int(np.median([r.box[1] for r in row]))
    y1 = int(np.median([r.box[3] for r in row]))
    if y1 - y0 < 5:
        return []
    rims = index[[min(y0 + 1, h - 1), max(y1 - 2, 0)]]
    x0 = max(0, int(min(r.box[0] for r in row)) - reach)
    x1 = min(w, int(max(r.box[2] for r in row)) + reach)
    line = np.where(rims[0] == rims[1], rims[0], 255)[x0:x1]
    line = np.where(line == 0, 255, line)
    out: list[Rect] = []
    edges: list[int] = np.flatnonzero(np.diff(np.concatenate([[255], line, [255]]).astype(int))).tolist()
    for a, b in itertools.pairwise(edges):
        k = int(line[a])
        if k == 255 or b - a < 3:
            continue
        box = (float(x0 + a), float(y0), float(x0 + b), float(y1))
        known = any(overlap(box[0], box[2], r.box[0], r.box[2]) > 0.3 * min(b - a, width(r.box)) for r in row)
        if known or (index[y0:y1, x0 + a : x0 + b] == k).mean() < 0.25:
            continue
        # A label's own ink can look like a rim; a piece of a bar touches another piece or repeats its colour.
        touches = any(min(abs(box[0] - r.box[2]), abs(box[2] - r.box[0])) <= 3.5 for r in row)
        if touches or any(r.colour == k for r in row):
            out.append(Rect(box, k, 0.5))
    return out
