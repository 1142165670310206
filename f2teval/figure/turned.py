"""Geometry of text outlines: reading order, direction, crops."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from f2teval.figure.load import Rgb
from f2teval.score import Box

Quad = npt.NDArray[np.float32]

SLANT = 15.0
"""Degrees off the horizontal from which a line counts as turned."""
VERTICAL = 78.0


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
    mapped = quad @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped, dtype=np.float32)


def inside(quad: Quad, other: Quad) -> bool:
    """Whether the centre of one outline lies in another."""
    import cv2

    cx, cy = quad.mean(axis=0)
    return bool(cv2.pointPolygonTest(other.reshape(-1, 1, 2), (float(cx), float(cy)), False) >= 0)


def overlaps(quad: Quad, other: Quad) -> bool:
    """Whether a third of an outline lies in another."""
    import cv2

    area, _ = cv2.intersectConvexConvex(quad, other)
    return bool(area > 0.33 * max(length(quad) * thickness(quad), 1.0))


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
    if shrink:
        out = cv2.resize(out, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(out, dtype=np.uint8)


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
