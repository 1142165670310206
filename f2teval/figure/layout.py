"""Where the plot is: the ground colours, the long straight lines (frames, axes, gridlines), and the box of the drawing.

Works on the picture with its text painted over, so that what remains is the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.figure import turned
from f2teval.figure.color import Color, distance, mode_color
from f2teval.figure.load import Rgb
from f2teval.figure.reading import Axis, TextBox
from f2teval.score import Box

Mask = npt.NDArray[np.bool_]

INK = 22.0
"""Colour distance from the ground at which a pixel counts as drawn (gridlines on white are often only just visible)."""


class Line(NamedTuple):
    """A straight line across the plot: its position (pixel centre), extent and colour."""

    at: float
    start: int
    end: int
    color: Color
    thickness: int


@dataclass(slots=True)
class Plot:
    """The drawing: ``box`` in whole pixels (x1, y1 exclusive), ``page`` and ``panel`` ground colours.

    ``clean`` is the picture with text outside and inside the plot painted over; ``text`` marks those pixels.
    """

    box: tuple[int, int, int, int]
    page: Color
    panel: Color
    clean: Rgb
    text: Mask
    rows: list[Line] = field(default_factory=list)
    columns: list[Line] = field(default_factory=list)
    row_ticks: list[Line] = field(default_factory=list)
    column_ticks: list[Line] = field(default_factory=list)

    @property
    def area(self) -> Box:
        """``box`` as floats."""
        x0, y0, x1, y1 = self.box
        return (float(x0), float(y0), float(x1), float(y1))


def page_color(rgb: Rgb) -> Color:
    """Ground colour of the page: the commonest colour of a border strip (frames ignored by taking several depths)."""
    h, w = rgb.shape[:2]
    strips = []
    for d in (0.0, 0.015, 0.03):
        i, j = int(h * d), int(w * d)
        strips += [rgb[i, j : w - j], rgb[h - 1 - i, j : w - j], rgb[i : h - i, j], rgb[i : h - i, w - 1 - j]]
    return mode_color(np.concatenate(strips))


def paint_text(rgb: Rgb, boxes: list[TextBox]) -> tuple[Rgb, Mask]:
    """Paint each text box over with the ground around it. Returns the picture and where it was painted."""
    import cv2

    out = rgb.copy()
    mask = np.zeros(rgb.shape[:2], dtype=np.uint8)
    h, w = rgb.shape[:2]
    for b in boxes:
        quad = turned.tight_quad(b.box, b.angle, len(b.text))
        x0, y0 = np.floor(quad.min(axis=0)).astype(int)
        x1, y1 = np.ceil(quad.max(axis=0)).astype(int)
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(w, x1 + 1), min(h, y1 + 1)
        if x1 - x0 < 2 or y1 - y0 < 2:
            continue
        region = rgb[y0:y1, x0:x1]
        edge = np.concatenate([region[0], region[-1], region[:, 0], region[:, -1]])
        ground = mode_color(edge)
        piece = np.zeros((y1 - y0, x1 - x0), dtype=np.uint8)
        cv2.fillConvexPoly(piece, np.round(quad - [x0, y0]).astype(np.int32), 1)
        out[y0:y1, x0:x1][piece > 0] = ground
        mask[y0:y1, x0:x1] |= piece
    return out, mask.astype(bool)


def find_plot(rgb: Rgb, boxes: list[TextBox], faint: float = INK) -> Plot | None:
    """The box of the drawing, or ``None`` when nothing but text is there.

    ``faint`` is the contrast from which something counts as drawn: a higher one looks past tinted panels and frames.
    """
    import cv2

    h, w = rgb.shape[:2]
    page = page_color(rgb)
    clean, text = paint_text(rgb, boxes)
    ink = (distance(clean, page) > faint).astype(np.uint8)
    # a frame round the whole picture, or rules between sections, are not the drawing
    ink[:2], ink[-2:], ink[:, :2], ink[:, -2:] = 0, 0, 0, 0
    joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, _labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    pieces: list[tuple[int, int, int, int]] = []
    for i in range(1, count):
        x, y, cw, ch, area = (int(v) for v in stats[i])
        if cw > 0.97 * w and ch > 0.97 * h and area < 0.2 * cw * ch:
            continue  # frame
        if ch <= 4 and cw > 0.9 * w:
            continue  # rule
        if cw * ch < 0.0004 * w * h or max(cw, ch) < 0.04 * max(w, h):
            continue
        pieces.append((x, y, x + cw, y + ch))
    if not pieces:
        return None
    x0, y0, x1, y1 = box = _trim_ticks(ink, _union_from_largest(pieces, boxes))
    # labels that hang beside the plot must not be painted over its marks (boxes of slanted ones reach into it)
    within = [b for b in boxes if x0 <= (b.box[0] + b.box[2]) / 2 <= x1 and y0 <= (b.box[1] + b.box[3]) / 2 <= y1]
    inner, inner_text = paint_text(rgb, within)
    clean[y0:y1, x0:x1], text[y0:y1, x0:x1] = inner[y0:y1, x0:x1], inner_text[y0:y1, x0:x1]
    panel = _panel_color(clean[y0:y1, x0:x1], page)
    plot = Plot(box, page, panel, clean, text)
    _find_lines(plot)
    return plot


def _union_from_largest(pieces: list[tuple[int, int, int, int]], boxes: list[TextBox]) -> tuple[int, int, int, int]:
    """Grow the largest piece by those beside it in the same rows or columns, unless text rows lie between."""
    pieces = sorted(pieces, key=lambda p: -(p[2] - p[0]) * (p[3] - p[1]))
    x0, y0, x1, y1 = pieces[0]
    rest = pieces[1:]
    grown = True
    while grown:
        grown = False
        for p in list(rest):
            overlap_x = min(x1, p[2]) - max(x0, p[0])
            overlap_y = min(y1, p[3]) - max(y0, p[1])
            wide, tall = p[2] - p[0], p[3] - p[1]
            large = wide * tall > 0.1 * (x1 - x0) * (y1 - y0)
            beside = overlap_y > 0.5 * tall and -overlap_x < (0.5 if large else 0.1) * max(x1 - x0, wide)
            long = wide > 0.5 * (x1 - x0)
            far = (0.3 if long or large else 0.1) * max(y1 - y0, tall, 0.7 * (x1 - x0))
            above = overlap_x > 0.5 * wide and -overlap_y < far
            if not (beside or above):
                continue
            if not beside and overlap_y < 0 and _text_between(boxes, (x0, y0, x1, y1), p):
                continue
            x0, y0, x1, y1 = min(x0, p[0]), min(y0, p[1]), max(x1, p[2]), max(y1, p[3])
            rest.remove(p)
            grown = True
    return x0, y0, x1, y1


def _trim_ticks(ink: npt.NDArray[np.uint8], box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Take off what sticks out of the frame: tick marks and unread letters, thin ink before a line that is all ink."""
    import cv2

    x0, y0, x1, y1 = box
    region = ink[y0:y1, x0:x1]
    solid = cv2.erode(region, np.ones((6, 6), np.uint8), borderValue=0)
    across, down = region.mean(axis=0), region.mean(axis=1)

    def depth(shares: np.ndarray, thick: np.ndarray) -> int:
        for i in range(max(16, len(shares) // 5)):
            if i >= len(shares) or thick[max(0, i - 5)]:
                return 0
            if shares[i] > 0.5:
                return i
            if shares[i] > 0.25:
                return 0
        return 0

    cols, rows = np.asarray(solid.any(axis=0)), np.asarray(solid.any(axis=1))
    left, right = depth(across, cols), depth(across[::-1], cols[::-1])
    top, bottom = depth(down, rows), depth(down[::-1], rows[::-1])
    return x0 + left, y0 + top, x1 - right, y1 - bottom


def _text_between(boxes: list[TextBox], a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    """Whether a line of text separates two pieces, one above the other."""
    low, high = (a[3], b[1]) if a[3] <= b[1] else (b[3], a[1])
    left, right = max(a[0], b[0]), min(a[2], b[2])
    return any(
        low - 2 <= (t.box[1] + t.box[3]) / 2 <= high + 2 and left < (t.box[0] + t.box[2]) / 2 < right for t in boxes
    )


def extend_to_ticks(plot: Plot, axes: Sequence[Axis]) -> None:
    """Widen the plot's box so that it holds every tick of its axes (a lone line may fill a corner of its plot only)."""
    x0, y0, x1, y1 = plot.box
    for axis in axes:
        if axis.kind == "category" or len(axis.ticks) < 3:
            continue
        low, high = min(t.pixel for t in axis.ticks), max(t.pixel for t in axis.ticks)
        if axis.side in ("y", "y2"):
            y0, y1 = min(y0, int(low)), max(y1, int(high) + 1)
        else:
            x0, x1 = min(x0, int(low)), max(x1, int(high) + 1)
    h, w = plot.clean.shape[:2]
    box = (max(0, x0), max(0, y0), min(w, x1), min(h, y1))
    if box != plot.box:
        plot.box = box
        _find_lines(plot)


def _panel_color(region: Rgb, page: Color) -> Color:
    """Ground of the plot: the page's colour when enough of it shows there, else the commonest near the top edge."""
    if region.size == 0:
        return page
    import cv2

    # gridlines have the page's colour on some themes: only ground that is wider than a line counts
    ground = cv2.erode((distance(region, page) < 12).astype(np.uint8), np.ones((5, 5), np.uint8))
    share = float(ground.mean())
    if share > 0.004:
        return page
    h, w = region.shape[:2]
    top = region[max(1, h // 50) : max(3, h // 12), w // 50 : max(3, w - w // 50)]
    candidate = mode_color(top if top.size else region)
    share_candidate = float((distance(region, candidate) < 12).mean())
    return candidate if share_candidate > max(0.08, share) else page


def _find_lines(plot: Plot) -> None:
    x0, y0, x1, y1 = plot.box
    region = plot.clean[y0:y1, x0:x1]
    off = distance(region, plot.panel)
    text = plot.text[y0:y1, x0:x1]
    plot.rows = [
        Line(line.at + y0, line.start + x0, line.end + x0, line.color, line.thickness)
        for line in _straight(region, off, text)
    ]
    turned_region = np.ascontiguousarray(region.transpose(1, 0, 2))
    plot.columns = [
        Line(line.at + x0, line.start + y0, line.end + y0, line.color, line.thickness)
        for line in _straight(turned_region, off.T, text.T)
    ]
    plot.row_ticks = _tick_marks(plot, vertical_axis=True)
    plot.column_ticks = _tick_marks(plot, vertical_axis=False)


def _tick_marks(plot: Plot, *, vertical_axis: bool) -> list[Line]:
    """Short strokes just outside the left (or bottom) edge of the plot."""
    x0, y0, x1, y1 = plot.box
    h, w = plot.clean.shape[:2]
    if vertical_axis:
        strip = plot.clean[max(0, y0 - 2) : min(h, y1 + 3), max(0, x0 - 5) : max(0, x0 - 1)]
        origin = max(0, y0 - 2)
    else:
        strip = plot.clean[min(h, y1 + 1) : min(h, y1 + 5), max(0, x0 - 2) : min(w, x1 + 3)].transpose(1, 0, 2)
        origin = max(0, x0 - 2)
    if strip.shape[0] < 4 or strip.shape[1] < 3:
        return []
    drawn = (distance(strip, plot.page) > INK).mean(axis=1) >= 0.7
    edges = np.flatnonzero(np.diff(np.concatenate([[0], drawn.astype(np.int8), [0]])))
    out = []
    for a, b in zip(edges[::2], edges[1::2]):
        if b - a <= 4:
            middle = (a + b - 1) / 2
            out.append(Line(origin + middle, 0, 0, mode_color(strip[a:b]), int(b - a)))
    return out


def _straight(region: Rgb, off: npt.NDArray[np.float32], text: Mask) -> list[Line]:
    """Thin horizontal lines: drawn rows whose neighbours a few pixels off are not, over a good part of the width."""
    h, w = off.shape
    if h < 8 or w < 8:
        return []
    faint = 9.0
    drawn = off > faint
    pad = np.pad(off, ((4, 4), (0, 0)), mode="constant")
    above, below = pad[:h], pad[8 : 8 + h]
    # local contrast against the rows 4 px away: seen through a fill, a gridline still stands out there
    thin = drawn & (np.minimum(np.abs(off - above), np.abs(off - below)) > faint * 0.7) & ~text
    strength = thin.mean(axis=1)
    out: list[Line] = []
    candidate = strength > 0.22
    y = 0
    while y < h:
        if not candidate[y]:
            y += 1
            continue
        end = y
        while end + 1 < h and candidate[end + 1]:
            end += 1
        if end - y + 1 <= 5:
            band = strength[y : end + 1]
            at = float((np.arange(y, end + 1) * band).sum() / band.sum())
            weight = np.where(thin[y : end + 1], off[y : end + 1], 0).mean(axis=1)
            peak = y + int(weight.argmax())  # the core of the line, not its soft edge
            xs = np.flatnonzero(thin[peak])
            color = mode_color(region[peak][thin[peak]])
            out.append(Line(at, int(xs[0]), int(xs[-1]) + 1, color, end - y + 1))
        y = end + 1
    return out
