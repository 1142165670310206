"""Geometry of text outlines: reading order, direction, rows of turned labels, crops."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.figure.load import Rgb
from f2teval.score import Box

Quad = npt.NDArray[np.float32]

SLANT = 15.0
"""Degrees off the horizontal from which a line counts as turned."""
VERTICAL = 78.0


class Row(NamedTuple):
    """A row (or column) of labels turned by one angle: indices of its outlines, and the box of all its ink."""

    members: tuple[int, ...]
    angle: float
    box: tuple[int, int, int, int]


def reading_order(points: Quad) -> Quad:
    """Corners of the tightest rectangle, ordered so that the text runs from the first to the second.

    The long side is taken as the direction of reading, from left to right; exactly vertical lines upwards (the custom
    of y titles). Outlines that are nearly square count as upright.
    """
    import cv2

    (cx, cy), (w, h), angle = cv2.minAreaRect(points.astype(np.float32))
    if w < h:
        w, h, angle = h, w, angle + 90
    angle = (angle + 90) % 180 - 90
    if w < 1.25 * h:
        # too square to tell a direction: upright, whatever the rectangle's own tilt
        angle = (angle + 45) % 90 - 45
        if abs(angle) > 8:
            x0, y0 = points.min(axis=0)
            x1, y1 = points.max(axis=0)
            return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32)
        x0, y0 = points.min(axis=0)
        x1, y1 = points.max(axis=0)
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32)
    if abs(angle) > VERTICAL:
        angle = -90.0 if abs(abs(angle) - 90) < 4 else angle
    return make_quad(cx, cy, w, h, angle)


def make_quad(cx: float, cy: float, w: float, h: float, degrees: float) -> Quad:
    """A rectangle by centre, size and direction (degrees clockwise)."""
    t = np.deg2rad(degrees)
    along = np.array([np.cos(t), np.sin(t)]) * w / 2
    down = np.array([-np.sin(t), np.cos(t)]) * h / 2
    centre = np.array([cx, cy])
    corners = [centre - along - down, centre + along - down, centre + along + down, centre - along + down]
    return np.array(corners, dtype=np.float32)


def angle(quad: Quad) -> float:
    """Direction of reading in degrees clockwise, in (−180, 180]; under 4 degrees counts as 0."""
    d = quad[1] - quad[0]
    a = float(np.rad2deg(np.arctan2(d[1], d[0])))
    return 0.0 if abs(a) < 4 else round(a, 1)


def length(quad: Quad) -> float:
    """Extent along the direction of reading."""
    return float(np.linalg.norm(quad[1] - quad[0]))


def thickness(quad: Quad) -> float:
    """Extent across it (the height of the letters and a margin)."""
    return float(np.linalg.norm(quad[3] - quad[0]))


def bounds(quad: Quad) -> Box:
    """Upright box around an outline."""
    (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
    return (round(float(x0), 1), round(float(y0), 1), round(float(x1), 1), round(float(y1), 1))


def flip(quad: Quad) -> Quad:
    """The same outline read the other way round."""
    return np.ascontiguousarray(quad[[2, 3, 0, 1]])


def slice_quad(quad: Quad, start: float, end: float) -> Quad:
    """The part of an outline between two fractions of its length."""
    along = quad[1] - quad[0]
    a, b = along * start, along * end
    return np.array([quad[0] + a, quad[0] + b, quad[3] + b, quad[3] + a], dtype=np.float32)


def map_quad(quad: Quad, matrix: np.ndarray) -> Quad:
    """An outline under a 2 x 3 affine map."""
    return (quad @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)


def inside(quad: Quad, other: Quad) -> bool:
    """Whether the centre of one outline lies in another."""
    import cv2

    cx, cy = quad.mean(axis=0)
    return bool(cv2.pointPolygonTest(other.reshape(-1, 1, 2), (float(cx), float(cy)), False) >= 0)


def same_direction(quad: Quad, degrees: float, within: float = 12.0) -> bool:
    """Whether an outline runs along this direction."""
    return abs((angle(quad) - degrees + 90) % 180 - 90) <= within


def crop(rgb: Rgb, quad: Quad, height: int) -> Rgb:
    """The outlined text made upright, ``height`` pixels tall; empty when the outline is degenerate."""
    import cv2

    w, h = length(quad), thickness(quad)
    if w < 2 or h < 2:
        return np.zeros((height, 0, 3), dtype=np.uint8)
    width = int(np.ceil(height * w / h))
    if width > 60 * height:
        return np.zeros((height, 0, 3), dtype=np.uint8)
    shrink = h > 1.5 * height
    size = (round(w), round(h)) if shrink else (width, height)
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    out = cv2.warpPerspective(rgb, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return cv2.resize(out, (width, height), interpolation=cv2.INTER_AREA) if shrink else out


def torn_rows(rgb: Rgb, quads: list[Quad]) -> list[Row]:
    """Rows of turned labels with letters left outside every outline, the row with the most outlines first."""
    import cv2

    left = [i for i, q in enumerate(quads) if abs(angle(q)) >= SLANT and length(q) > 1.5 * thickness(q)]
    if not left:
        return []
    size = float(np.median([thickness(quads[i]) for i in left]))
    letters = loose_letters(rgb, quads, size)
    if int(letters.max()) == 0:
        return []
    found: list[Row] = []
    while left:
        votes = [[j for j in left if same_direction(quads[j], angle(quads[i]), 8)] for i in left]
        group = max(votes, key=len)
        left = [i for i in left if i not in group]
        degrees = float(np.median([angle(quads[i]) for i in group]))
        mask = letters.copy()
        for i in group:
            cv2.fillConvexPoly(mask, quads[i].astype(np.int32), 2)
        reach = max(3, int(size * 0.9)) | 1
        _, labels = cv2.connectedComponents(cv2.dilate((mask > 0).astype(np.uint8), np.ones((reach, reach), np.uint8)))
        for label in sorted({int(labels[p]) for p in (_pixel(quads[i], labels.shape) for i in group)} - {0}):
            zone = labels == label
            loose = cv2.connectedComponents(((mask == 1) & zone).astype(np.uint8))[0] - 1
            members = tuple(i for i in group if labels[_pixel(quads[i], labels.shape)] == label)
            if loose < max(6, 2 * len(members)):
                continue
            ys, xs = np.nonzero(zone.any(axis=1))[0], np.nonzero(zone.any(axis=0))[0]
            found.append(Row(members, degrees, (int(xs[0]), int(ys[0]), int(xs[-1]) + 1, int(ys[-1]) + 1)))
    return sorted(found, key=lambda r: -len(r.members))


def _pixel(quad: Quad, shape: tuple[int, ...]) -> tuple[int, int]:
    x, y = quad.mean(axis=0)
    return min(max(int(y), 0), shape[0] - 1), min(max(int(x), 0), shape[1] - 1)


def loose_letters(rgb: Rgb, quads: list[Quad], size: float) -> npt.NDArray[np.uint8]:
    """Mask of letter-like specks that no outline covers; ``size`` is the height of a text line."""
    import cv2

    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    ground = cv2.medianBlur(grey, min(2 * int(size) + 1, 61))
    ink = (cv2.absdiff(grey, ground) > 50).astype(np.uint8)
    for q in quads:
        cv2.fillConvexPoly(ink, q.astype(np.int32), 0)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    w, h, area = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_AREA]
    fits = (np.maximum(w, h) <= 1.6 * size) & (np.maximum(w, h) >= 0.25 * size) & (np.minimum(w, h) >= 2) & (area >= 6)
    fits &= area < 0.9 * w * h
    fits[0] = False
    return fits[labels].astype(np.uint8) if count > 1 else np.zeros_like(ink)


def upright_patch(rgb: Rgb, row: Row) -> tuple[Rgb, np.ndarray]:
    """The part of the picture holding a row of labels, turned upright, and the map from it back to the picture."""
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
    back = cv2.invertAffineTransform(forward)
    back[:, 2] += [max(0, x0 - 6), max(0, y0 - 6)]
    return out, back


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


_YEARS = re.compile(r"(?:19|20)\d\d(?:[ ./-]?(?:19|20)\d\d)+")


def cut_points(text: str, centres: tuple[float, ...], extent: float, size: float) -> list[tuple[str, float, float]]:
    """Labels of a row that were outlined together, as ``(text, start, end)`` fractions; fewer than two: do not cut.

    Cut between years run together ("20082010") and, in a line of numbers, at gaps wider than a letter's height.
    """
    n = len(text)
    if n < 6 or len(centres) != n or extent <= 0:
        return []
    at = np.asarray(centres)
    pieces: list[tuple[int, int]] = []
    if _YEARS.fullmatch(text.strip()):
        pieces = [(m.start(), m.end()) for m in re.finditer(r"(?:19|20)\d\d", text)]
    else:
        words = [(m.start(), m.end()) for m in re.finditer(r"\S+", text)]
        numeric = sum(bool(re.fullmatch(r"[-+$£€]?[\d.,]+[%kKmMbB]?", text[a:b])) for a, b in words)
        if len(words) < 2 or numeric < len(words):
            return []
        pieces = words
    step = float(np.median(np.diff(at))) if n > 1 else 0.0
    out = []
    for a, b in pieces:
        out.append((text[a:b], max(0.0, float(at[a]) - step / 2), min(1.0, float(at[b - 1]) + step / 2)))
    return out if len(out) >= 2 else []


def tight_quad(box: Box, degrees: float, chars: int = 10) -> Quad:
    """The turned rectangle that fills an upright box at this angle (the inverse of :func:`bounds`)."""
    x0, y0, x1, y1 = box
    w, h = max(x1 - x0, 1.0), max(y1 - y0, 1.0)
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    t = np.deg2rad(degrees)
    c, s = abs(float(np.cos(t))), abs(float(np.sin(t)))
    if s < 0.05:
        return make_quad(cx, cy, w, h, 0.0 if abs(degrees) < 90 else 180.0)
    if c < 0.05:
        return make_quad(cx, cy, h, w, degrees)
    det = c * c - s * s
    if abs(det) > 0.15:
        along, across = (w * c - h * s) / det, (h * c - w * s) / det
    else:  # near 45 degrees the box alone does not tell; letters are about half as wide as their line is high
        across = (w + h) / (c + s) / (1.3 + 0.5 * chars)
        along = (w + h) / (c + s) - across
    across = min(max(across, 4.0), w, h)
    along = max(along, across)
    return make_quad(cx, cy, along, across, degrees)
