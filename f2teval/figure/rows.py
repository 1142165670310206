"""Rows and columns of labels among text outlines: missing members found, torn ones retaken, pieces joined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.figure.load import Rgb
from f2teval.figure.turned import (
    SLANT,
    VERTICAL,
    Quad,
    angle,
    length,
    make_quad,
    overlaps,
    same_direction,
    thickness,
)


def loose_letters(rgb: Rgb, quads: list[Quad], size: float) -> npt.NDArray[np.float64]:
    """Letter-like specks that no outline covers, as rows ``(x0, y0, x1, y1, is a plain stroke)``.

    ``size`` is the height of a text line.
    """
    import cv2

    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    ground = cv2.medianBlur(grey, min(2 * int(size * 0.6) + 1, 41))
    ink = (cv2.absdiff(grey, ground) > 40).astype(np.uint8)
    for q in quads:
        cv2.fillConvexPoly(ink, q.astype(np.int32), 0)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    x, y, w, h, area = (stats[1:, k].astype(np.float64) for k in range(5))
    longer, shorter = np.maximum(w, h), np.minimum(w, h)
    fits = (longer <= 1.5 * size) & (longer >= 0.22 * size) & (shorter >= 2) & (area >= 5)
    stroke = (area > 0.9 * w * h) & (longer > 3.5 * shorter)  # a tick mark, a dash, or the figure 1
    return np.stack([x, y, x + w, y + h, stroke], axis=1)[fits]


class Torn(NamedTuple):
    """Turned labels with letters left outside every outline: the outlines, their direction, the box of their ink."""

    members: tuple[int, ...]
    angle: float
    box: tuple[int, int, int, int]


def torn_rows(rgb: Rgb, quads: list[Quad]) -> list[Torn]:
    """Places where slanted labels were only partly outlined, the one with the most outlines first."""
    import cv2

    left = [i for i, q in enumerate(quads) if SLANT <= abs(angle(q)) <= VERTICAL and length(q) > 1.5 * thickness(q)]
    if not left:
        return []
    size = float(np.median([thickness(quads[i]) for i in left]))
    letters = loose_letters(rgb, quads, size)
    if len(letters) < 6:
        return []
    found: list[Torn] = []
    while left:
        votes = [[j for j in left if same_direction(quads[j], angle(quads[i]), 8)] for i in left]
        group = max(votes, key=len)
        left = [i for i in left if i not in group]
        mask = np.zeros(rgb.shape[:2], dtype=np.uint8)
        letters = letters[letters[:, 4] == 0]
        for x0, y0, x1, y1 in letters[:, :4].astype(int):
            mask[y0:y1, x0:x1] = 1
        for i in group:
            cv2.fillConvexPoly(mask, quads[i].astype(np.int32), 1)
        reach = max(3, int(size * 0.8)) | 1
        count, labels = cv2.connectedComponents(cv2.dilate(mask, np.ones((reach, reach), np.uint8)))
        centres = np.stack([(letters[:, 0] + letters[:, 2]) / 2, (letters[:, 1] + letters[:, 3]) / 2], axis=1).astype(
            int
        )
        homes = labels[centres[:, 1], centres[:, 0]]
        for label in range(1, count):
            members = tuple(i for i in group if labels[_pixel(quads[i], labels.shape)] == label)
            loose = int((homes == label).sum())
            if not members or loose < max(6, 2 * len(members)):
                continue
            zone = labels == label
            ys, xs = np.nonzero(zone.any(axis=1))[0], np.nonzero(zone.any(axis=0))[0]
            degrees = float(np.median([angle(quads[i]) for i in members]))
            found.append(Torn(members, degrees, (int(xs[0]), int(ys[0]), int(xs[-1]) + 1, int(ys[-1]) + 1)))
    return sorted(found, key=lambda r: -len(r.members))


def _pixel(quad: Quad, shape: tuple[int, ...]) -> tuple[int, int]:
    x, y = quad.mean(axis=0)
    return min(max(int(y), 0), shape[0] - 1), min(max(int(x), 0), shape[1] - 1)


def upright_patch(rgb: Rgb, row: Torn) -> tuple[Rgb, np.ndarray]:
    """The part of the picture holding torn labels, turned upright, and the map from it back to the picture."""
    import cv2

    height, width = rgb.shape[:2]
    x0, y0, x1, y1 = row.box
    patch = rgb[max(0, y0 - 6) : min(height, y1 + 6), max(0, x0 - 6) : min(width, x1 + 6)]
    h, w = patch.shape[:2]
    forward = cv2.getRotationMatrix2D((w / 2, h / 2), row.angle, 1.0)
    cos, sin = abs(forward[0, 0]), abs(forward[0, 1])
    new_w, new_h = int(h * sin + w * cos) + 1, int(h * cos + w * sin) + 1
    forward[:, 2] += [new_w / 2 - w / 2, new_h / 2 - h / 2]
    fill = tuple(int(v) for v in np.median(patch.reshape(-1, 3), axis=0))
    out = cv2.warpAffine(patch, forward, (new_w, new_h), flags=cv2.INTER_CUBIC, borderValue=fill)
    back: np.ndarray = cv2.invertAffineTransform(forward)
    back[:, 2] += [max(0, x0 - 6), max(0, y0 - 6)]
    return np.asarray(out, dtype=np.uint8), back


def join_pieces(quads: list[Quad]) -> list[Quad]:
    """Join outlines of turned text that continue each other on one line."""
    quads = list(quads)
    i = 0
    while i < len(quads):
        if abs(angle(quads[i])) >= SLANT and length(quads[i]) > 1.3 * thickness(quads[i]):
            others = [j for j in range(len(quads)) if j != i and same_direction(quads[j], angle(quads[i]), 10)]
            others = [j for j in others if 0.6 < thickness(quads[j]) / thickness(quads[i]) < 1.6]
            row = Row(tuple(others), angle(quads[i]), thickness(quads[i]), "", 0.0, 0.0, 0.0)
            grown = _grow(quads, row, quads[i], 0.5)
            if grown is not None:
                quads[grown[0]] = grown[1]
                del quads[i]
                i = 0
                continue
        i += 1
    return quads


def complete(rgb: Rgb, quads: list[Quad]) -> list[Quad]:
    """Labels of a row or column that the detector missed or cut short, strung together from loose letters.

    Labels of an axis share direction, size and one edge. For each such row of outlines, loose letters are chained along
    that direction; chains that end on the row's edge become outlines, and outlines that a chain continues grow.
    """
    quads = list(quads)
    rows = aligned_rows(quads)
    if not rows:
        return quads
    size = float(np.median([thickness(quads[i]) for row in rows for i in row.members]))
    letters = loose_letters(rgb, quads, size)
    for row in rows:
        if len(letters) == 0 or len(letters) > 1500:
            break
        short = float(np.median([length(quads[i]) for i in row.members])) < 3.5 * row.size
        used: list[int] = []
        for chain in _chains(letters, row.angle, row.size):
            if len(chain) < (1 if short else 2) and not letters[chain, 4].all():
                continue
            boxes = letters[chain]
            tallest = float(max((boxes[:, 2] - boxes[:, 0]).max(), (boxes[:, 3] - boxes[:, 1]).max()))
            if tallest < 0.4 * row.size:
                continue
            quad = _chain_quad(letters[chain], row.angle, row.size)
            grown = _grow(quads, row, quad)
            if grown is not None:
                i, quad = grown
                quads[i] = quad
                used += chain
            elif not boxes[:, 4].all() and _on_edge(quad, row) and not any(overlaps(quad, q) for q in quads):
                quads.append(quad)
                used += chain
        letters = np.delete(letters, used, axis=0)
    return quads


class Row(NamedTuple):
    """Outlines of one direction that share an edge.

    ``edge`` is "top" (labels hanging below an axis) or "right" (labels left of one), ``at`` its pixel; ``low`` to
    ``high`` is how far along the axis the labels reach.
    """

    members: tuple[int, ...]
    angle: float
    size: float
    edge: str
    at: float
    low: float
    high: float


def aligned_rows(quads: list[Quad]) -> list[Row]:
    """Rows and columns of at least three aligned outlines; upright ones only where all are short, as ticks are."""
    found: list[Row] = []
    left = set(range(len(quads)))
    edges = {"top": [q[:, 1].min() for q in quads], "right": [q[:, 0].max() for q in quads]}
    angles = [angle(q) for q in quads]
    sizes = [thickness(q) for q in quads]
    while True:
        best: list[int] = []
        best_edge = ""
        for i in left:
            upright = abs(angles[i]) < SLANT
            if upright and length(quads[i]) > 6 * sizes[i]:
                continue
            for edge, at in edges.items():
                group = [
                    j
                    for j in left
                    if abs(at[j] - at[i]) < 0.6 * sizes[i]
                    and 0.6 < sizes[j] / sizes[i] < 1.6
                    and (same_direction(quads[j], angles[i], 8) if not upright else abs(angles[j]) < SLANT)
                    and not (upright and length(quads[j]) > 6 * sizes[j])
                ]
                if len(group) > len(best):
                    best, best_edge = group, edge
        if len(best) < 3 or len(found) >= 4:
            return sorted(found, key=lambda r: abs(r.angle) < SLANT)
        left -= set(best)
        along = 0 if best_edge == "top" else 1
        middle = [float(quads[i].mean(axis=0)[along]) for i in best]
        step = (max(middle) - min(middle)) / max(len(best) - 1, 1)
        degrees, size, at_edge = (float(np.median([v[i] for i in best])) for v in (angles, sizes, edges[best_edge]))
        low, high = min(middle) - 2 * step, max(middle) + 2 * step
        found.append(Row(tuple(best), degrees, size, best_edge, at_edge, low, high))


def _turn(points: npt.NDArray[np.float64], degrees: float) -> npt.NDArray[np.float64]:
    """Coordinates along and across a direction."""
    t = np.deg2rad(degrees)
    along = points[:, 0] * np.cos(t) + points[:, 1] * np.sin(t)
    across = -points[:, 0] * np.sin(t) + points[:, 1] * np.cos(t)
    return np.stack([along, across], axis=1)


def _chains(letters: npt.NDArray[np.float64], degrees: float, size: float) -> list[list[int]]:
    """Letters that follow each other along a direction."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    centres = np.stack([(letters[:, 0] + letters[:, 2]) / 2, (letters[:, 1] + letters[:, 3]) / 2], axis=1)
    uv = _turn(centres, degrees)
    du = np.abs(uv[:, None, 0] - uv[None, :, 0])
    dv = np.abs(uv[:, None, 1] - uv[None, :, 1])
    linked = (du < 0.95 * size) & (dv < 0.3 * size)
    count, labels = connected_components(coo_matrix(linked), directed=False)
    chains = [list(np.flatnonzero(labels == k)) for k in range(count)]
    return [[int(i) for i in c] for c in chains if len(c) <= 60]


def _chain_quad(letters: npt.NDArray[np.float64], degrees: float, size: float) -> Quad:
    """Outline around a chain of letters, of the row's usual thickness."""
    half = np.stack([letters[:, 2] - letters[:, 0], letters[:, 3] - letters[:, 1]], axis=1) / 2
    t = np.deg2rad(degrees)
    reach = half[:, 0] * abs(np.cos(t)) + half[:, 1] * abs(np.sin(t))
    if abs(np.sin(2 * t)) > 0.5:
        reach = reach * 0.75  # boxes of slanted letters are larger than the letters
    uv = _turn(np.stack([(letters[:, 0] + letters[:, 2]) / 2, (letters[:, 1] + letters[:, 3]) / 2], axis=1), degrees)
    start, end = float((uv[:, 0] - reach).min()) - 0.2 * size, float((uv[:, 0] + reach).max()) + 0.2 * size
    v = (float(uv[:, 1].min()) + float(uv[:, 1].max())) / 2 if len(uv) < 4 else float(np.median(uv[:, 1]))
    u = (start + end) / 2
    cx, cy = u * np.cos(t) - v * np.sin(t), u * np.sin(t) + v * np.cos(t)
    return make_quad(float(cx), float(cy), end - start, size, degrees)


def _grow(quads: list[Quad], row: Row, quad: Quad, reach: float = 0.7) -> tuple[int, Quad] | None:
    """The outline of a row that a chain continues, grown over it."""
    new = _turn(quad.astype(np.float64), row.angle)
    for i in row.members:
        old = _turn(quads[i].astype(np.float64), row.angle)
        if abs(new[:, 1].mean() - old[:, 1].mean()) > 0.3 * row.size:
            continue
        gap = max(new[:, 0].min() - old[:, 0].max(), old[:, 0].min() - new[:, 0].max())
        if gap > reach * row.size:
            continue
        both = np.concatenate([new, old])
        start, end = both[:, 0].min(), both[:, 0].max()
        u, v = (start + end) / 2, old[:, 1].mean()
        t = np.deg2rad(row.angle)
        cx, cy = u * np.cos(t) - v * np.sin(t), u * np.sin(t) + v * np.cos(t)
        return i, make_quad(float(cx), float(cy), float(end - start), thickness(quads[i]), row.angle)
    return None


def _on_edge(quad: Quad, row: Row) -> bool:
    cx, cy = quad.mean(axis=0)
    if row.edge == "top":
        return abs(float(quad[:, 1].min()) - row.at) < 0.7 * row.size and row.low <= cx <= row.high
    return abs(float(quad[:, 0].max()) - row.at) < 0.7 * row.size and row.low <= cy <= row.high


def vertical_groups(quads: list[Quad]) -> list[list[int]]:
    """Vertical lines that belong together (hang or stand on one level), each group of at least one."""
    left = [i for i, q in enumerate(quads) if abs(angle(q)) > VERTICAL and length(q) >= 1.25 * thickness(q)]
    groups: list[list[int]] = []
    for i in left:
        top, bottom, size = quads[i][:, 1].min(), quads[i][:, 1].max(), thickness(quads[i])
        for g in groups:
            j = g[0]
            near = abs(quads[j][:, 1].min() - top) < 1.2 * size or abs(quads[j][:, 1].max() - bottom) < 1.2 * size
            if near and abs(thickness(quads[j]) - size) < 0.6 * size:
                g.append(i)
                break
        else:
            groups.append([i])
    return groups
