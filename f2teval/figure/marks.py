"""Marks: the drawn shapes of a plot, by colour.

:func:`ink_layers` separates what is drawn from ground, gridlines and text and splits it by colour; :func:`classify`
says what kind of mark a layer is. Measuring is in ``bars``, ``curves``, ``points`` and ``pies``.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.figure.color import Color, distance, saturation
from f2teval.figure.layout import Line, Mask, Plot

MarkKind = Literal["vbar", "hbar", "line", "area", "points", "blob"]


class Rect(NamedTuple):
    """An upright rectangle of one colour: x0, y0, x1, y1 in pixels (x1, y1 exclusive) and how full it is (0–1)."""

    x0: int
    y0: int
    x1: int
    y1: int
    fill: float

    @property
    def cx(self) -> float:
        """Centre, as a pixel index."""
        return (self.x0 + self.x1 - 1) / 2

    @property
    def cy(self) -> float:
        """Centre, as a pixel index."""
        return (self.y0 + self.y1 - 1) / 2


@dataclass(slots=True)
class Layer:
    """Everything drawn in one colour, as a mask over the whole picture."""

    color: Color
    mask: Mask
    rects: list[Rect] = field(default_factory=list)
    kind: MarkKind = "blob"
    confidence: float = 0.0
    name: str = ""


def ink_layers(plot: Plot) -> list[Layer]:
    """Layers of the plot's drawing, the largest first."""
    import cv2

    h, w = plot.clean.shape[:2]
    x0, y0, x1, y1 = plot.box
    x0, y0, x1, y1 = max(0, x0 - 1), max(0, y0 - 1), min(w, x1 + 1), min(h, y1 + 1)
    region = plot.clean[y0:y1, x0:x1]
    ink = np.asarray(distance(region, plot.panel) > 28)
    across, down = _grid_masks(plot, region, (x0, y0))
    ink &= ~(across | down)
    if plot.panel != plot.page:
        ink &= distance(region, plot.page) > 28  # gridlines and margins in the page's colour
    text = plot.text[y0:y1, x0:x1]
    colors = _dominant(region, ink & ~text)
    if not colors:
        return []
    colors = _without_blends(region, ink & ~text, colors, plot.panel)
    gaps = np.stack([distance(region, c) for c in colors])
    nearest = gaps.argmin(axis=0)
    close = gaps.min(axis=0)
    layers = []
    reach = max((line.thickness for line in plot.rows + plot.columns), default=1) + 2
    for i, color in enumerate(colors):
        others = [float(distance(np.array(color), np.array(c))) for j, c in enumerate(colors) if j != i]
        limit = min(70.0, 0.5 * min(others)) if others else 70.0
        mask = ((nearest == i) & (close < max(limit, 20.0)) & ink).astype(np.uint8)
        # lines and text across a mark leave cuts in it; each is closed only at right angles to it, lest bars melt
        upwards = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((2 * reach + 1, 1), np.uint8))
        sideways = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((1, 2 * reach + 1), np.uint8))
        cuts = (np.asarray(upwards, dtype=bool) & (across | text)) | (np.asarray(sideways, dtype=bool) & (down | text))
        mask = mask | cuts.astype(np.uint8)
        if int(mask.sum()) < 12:
            continue
        full = np.zeros((h, w), dtype=bool)
        full[y0:y1, x0:x1] = mask > 0
        layers.append(Layer(color, full))
    return sorted(layers, key=lambda layer: -int(layer.mask.sum()))


def _grid_masks(plot: Plot, region: npt.NDArray[np.uint8], origin: tuple[int, int]) -> tuple[Mask, Mask]:
    """Pixels of straight lines across and down the plot, where they have the line's own colour."""
    ox, oy = origin
    across, down = np.zeros(region.shape[:2], dtype=bool), np.zeros(region.shape[:2], dtype=bool)

    def paint(lines: list[Line], rows: bool) -> None:
        counts: dict[Color, int] = {}
        for line in lines:
            counts[line.color] = counts.get(line.color, 0) + 1
        for line in lines:
            # a single coloured straight line may be data (a flat series); gridlines are grey or come in numbers
            if saturation(line.color) > 0.25 and counts[line.color] < 3:
                continue
            half = line.thickness / 2 + 0.6
            offset = oy if rows else ox
            a, b = int(np.floor(line.at - half - offset)), int(np.ceil(line.at + half - offset)) + 1
            a, b = max(a, 0), min(b, region.shape[0] if rows else region.shape[1])
            if a >= b:
                continue
            band = region[a:b] if rows else region[:, a:b]
            near_line = distance(band, line.color) < (90 if saturation(line.color) < 0.08 else 60)
            blend = distance(band, plot.panel) <= float(distance(np.array(line.color), np.array(plot.panel))) + 12
            grey = band.max(axis=2).astype(int) - band.min(axis=2) <= 255 * saturation(line.color) + 20
            hit = (near_line & grey) | (blend & grey)
            if rows:
                across[a:b] |= hit
            else:
                down[:, a:b] |= hit

    paint(plot.rows, True)
    paint(plot.columns, False)
    return across, down


def _dominant(region: npt.NDArray[np.uint8], ink: Mask) -> list[Color]:
    """Distinct colours of the drawn pixels. Flat interiors decide; thin lines have none, so their cores do."""
    import cv2

    total = int(ink.sum())
    if total < 12:
        return []
    grey = region.astype(np.int16)
    flat = ink.copy()
    flat[1:-1, 1:-1] &= (
        (np.abs(grey[1:-1, 1:-1] - grey[:-2, 1:-1]).max(axis=2) < 10)
        & (np.abs(grey[1:-1, 1:-1] - grey[2:, 1:-1]).max(axis=2) < 10)
        & (np.abs(grey[1:-1, 1:-1] - grey[1:-1, :-2]).max(axis=2) < 10)
        & (np.abs(grey[1:-1, 1:-1] - grey[1:-1, 2:]).max(axis=2) < 10)
    )
    flat[0], flat[-1], flat[:, 0], flat[:, -1] = False, False, False, False
    colors = _peaks(region[flat], max(24, 0.004 * total), [])
    thin = ink & ~(cv2.dilate(flat.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)
    if int(thin.sum()) > max(40, 0.02 * total):
        colors = _peaks(region[thin], max(30, 0.05 * float(thin.sum())), colors)
    return colors[:12]


def _without_blends(region: npt.NDArray[np.uint8], ink: Mask, colors: list[Color], panel: Color) -> list[Color]:
    """Drop colours that are but the soft edge of another: between it and the ground, and hugging it all along."""
    import cv2

    if len(colors) < 2:
        return colors
    gaps = np.stack([distance(region, c) for c in colors])
    nearest = np.where(ink & (gaps.min(axis=0) < 40), gaps.argmin(axis=0), -1)
    ground = np.array(panel, dtype=np.float64)
    out = []
    for i, c in enumerate(colors):
        here = nearest == i
        total = int(here.sum())
        blend = False
        for k, strong in enumerate(colors):
            if k == i or total == 0:
                continue
            full = np.array(strong, dtype=np.float64) - ground
            part = np.array(c, dtype=np.float64) - ground
            t = float(part @ full) / max(float(full @ full), 1e-9)
            if not 0.15 < t < 0.93 or float(np.linalg.norm(part - t * full)) > 26:
                continue
            rim = cv2.dilate((nearest == k).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
            core = cv2.erode(here.astype(np.uint8), np.ones((4, 4), np.uint8))
            if float((here & rim).sum()) > 0.75 * total and int(core.sum()) < 0.04 * total:
                blend = True
        if not blend:
            out.append(c)
    return out or colors


def _peaks(pixels: npt.NDArray[np.uint8], least: float, known: list[Color]) -> list[Color]:
    """Peaks of the colour histogram, each at least 45 from those before it."""
    out = list(known)
    if len(pixels) == 0:
        return out
    coarse = (pixels >> 4).astype(np.int32)
    keys = (coarse[:, 0] << 8) | (coarse[:, 1] << 4) | coarse[:, 2]
    counts = np.bincount(keys, minlength=4096)
    for key in np.argsort(-counts)[:60]:
        if counts[key] < least * 0.5:
            break
        chosen = pixels[keys == key]
        color = (int(np.median(chosen[:, 0])), int(np.median(chosen[:, 1])), int(np.median(chosen[:, 2])))
        near = distance(pixels, np.array(color)) < 24
        if int(near.sum()) < least:
            continue
        if all(float(distance(np.array(color), np.array(c))) > 45 for c in out):
            out.append(color)
    return out


def find_rects(mask: Mask, least: int = 2) -> tuple[list[Rect], int]:
    """Connected pieces of a mask as rectangles, with the number of pixels lying in pieces too small to count."""
    import cv2

    count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    rects, dust = [], 0
    for i in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[i])
        if w < least or h < least or area < 6:
            dust += area
            continue
        rects.append(Rect(x, y, x + w, y + h, area / (w * h)))
    return rects, dust


def classify(layer: Layer, plot: Plot) -> None:
    """Set a layer's ``kind``, ``rects`` and ``confidence``."""
    x0, y0, x1, y1 = plot.box
    width, height = max(1, x1 - x0), max(1, y1 - y0)
    layer.rects, _ = find_rects(layer.mask)
    total = int(layer.mask.sum())
    if not layer.rects or total == 0:
        return
    solid = [r for r in layer.rects if r.fill > (0.86 if min(r.x1 - r.x0, r.y1 - r.y0) < 12 else 0.95)]
    in_solid = sum(r.fill * (r.x1 - r.x0) * (r.y1 - r.y0) for r in solid) / total
    columns = layer.mask[:, x0:x1].any(axis=0)
    per_column = layer.mask[:, x0:x1].sum(axis=0)[columns]
    thick = float(np.median(per_column)) if len(per_column) else 0.0
    span = float(columns.mean())
    thin = max(7.0, 0.035 * height)
    small = [r for r in layer.rects if max(r.x1 - r.x0, r.y1 - r.y0) < 0.08 * max(width, height)]
    if len(solid) == 1 and in_solid > 0.9 and solid[0].x1 - solid[0].x0 > 0.6 * width:
        # one block across the plot: an area that hardly changes, unless it is as thin as a lone horizontal bar
        flat = solid[0].y1 - solid[0].y0 < 0.3 * height and height > 60
        layer.kind, layer.confidence = ("hbar", 0.5) if flat and thick > thin else ("area", 0.8)
        if thick <= thin:
            layer.kind = "line"
        return
    if in_solid > 0.8 and _bar_like(solid, width, height):
        layer.kind, layer.confidence = _orientation(solid), float(in_solid)
        layer.rects = solid
        return
    steps = _steps(layer.mask, plot)
    if steps and thick > thin:
        layer.kind, layer.confidence = "vbar", 0.8
        layer.rects = steps
        return
    side = _steps(np.ascontiguousarray(layer.mask.T), plot, transposed=True)
    if side and in_solid < 0.8:
        layer.kind, layer.confidence = "hbar", 0.8
        layer.rects = [Rect(r.y0, r.x0, r.y1, r.x1, r.fill) for r in side]
        return
    dots = [r for r in small if r.fill > 0.55 and 0.5 < (r.x1 - r.x0) / (r.y1 - r.y0) < 2]
    in_dots = sum(r.fill * (r.x1 - r.x0) * (r.y1 - r.y0) for r in dots) / total
    if len(dots) >= 5 and in_dots > 0.6 and span < 0.9:
        layer.kind, layer.confidence = "points", 0.7
        return
    if thick <= thin and span > 0.15:
        layer.kind, layer.confidence = "line", 0.8
        return
    if span > 0.4 and thick > thin:
        layer.kind, layer.confidence = "area", 0.8
        return
    layer.kind, layer.confidence = ("points", 0.4) if small else ("blob", 0.3)


def _bar_like(rects: list[Rect], width: int, height: int) -> bool:
    """Several rectangles of one breadth, or one that is not just a speck."""
    if len(rects) == 1:
        r = rects[0]
        return (r.x1 - r.x0) > 0.03 * width and (r.y1 - r.y0) > 0.03 * height
    w = np.array([r.x1 - r.x0 for r in rects], dtype=float)
    h = np.array([r.y1 - r.y0 for r in rects], dtype=float)
    same = min(_spread(w), _spread(h))
    return bool(same < 0.25 and max(w.max() / max(width, 1), h.max() / max(height, 1)) > 0.05)


def _spread(a: npt.NDArray[np.float64]) -> float:
    """Median deviation over the median."""
    middle = float(np.median(a))
    return float(np.median(np.abs(a - middle)) / max(middle, 1.0) + 0.5 * (np.abs(a - middle) > 0.3 * middle).mean())


def _orientation(rects: list[Rect]) -> Literal["vbar", "hbar"]:
    w = np.array([r.x1 - r.x0 for r in rects], dtype=float)
    h = np.array([r.y1 - r.y0 for r in rects], dtype=float)
    if len(rects) == 1:
        return "vbar" if h[0] >= w[0] else "hbar"
    ends_y = min(_scatter([r.y1 for r in rects]), _scatter([r.y0 for r in rects]))
    ends_x = min(_scatter([r.x0 for r in rects]), _scatter([r.x1 for r in rects]))
    vertical = float(np.std(w)) + 0.5 * ends_y
    horizontal = float(np.std(h)) + 0.5 * ends_x
    return "vbar" if vertical <= horizontal else "hbar"


def _scatter(values: list[int]) -> float:
    a = np.array(values, dtype=float)
    return float(np.median(np.abs(a - np.median(a))))


def _steps(mask: Mask, plot: Plot, *, transposed: bool = False) -> list[Rect]:
    """Bars that touch: a skyline made of level runs. Empty when the skyline slopes (an area)."""
    x0, _y0, x1, _y1 = plot.box if not transposed else (plot.box[1], plot.box[0], plot.box[3], plot.box[2])
    band = mask[:, x0:x1]
    used = np.asarray(band.any(axis=0))
    if used.sum() < 0.2 * len(used):
        return []
    top = np.where(used, band.argmax(axis=0), -1)
    bottom = np.where(used, band.shape[0] - 1 - band[::-1].argmax(axis=0), -1)
    change = np.flatnonzero((np.abs(np.diff(top)) > 1) | (np.abs(np.diff(bottom)) > 1))
    cuts = np.concatenate([[0], change + 1, [len(top)]])
    runs = [(int(a), int(b)) for a, b in itertools.pairwise(cuts) if b - a >= 3 and used[a]]
    if len(runs) < 3:
        return []
    level = sum(b - a for a, b in runs if np.ptp(top[a:b]) <= 1 and np.ptp(bottom[a:b]) <= 1)
    widths = np.array([b - a for a, b in runs], dtype=float)
    full = sum(float(band[top[a] : bottom[a] + 1, a:b].mean()) * (b - a) for a, b in runs) / max(1.0, widths.sum())
    if level < 0.9 * int(used.sum()) or full < 0.9:
        return []
    lengths = np.array([bottom[a] - top[a] for a, _ in runs], dtype=float)
    if float((np.abs(np.diff(lengths)) > 0.02 * lengths.max()).mean()) < 0.55:
        return []  # all but level: the side of an area, notched where text lay over it
    unit = float(np.percentile(widths[widths > 0.3 * np.median(widths)], 25))
    if unit < 3 or widths.max() > 5 * unit:
        return []
    out = []
    for a, b in runs:
        pieces = max(1, round((b - a) / unit))  # equal neighbours melt into one run
        if abs((b - a) / unit - pieces) > 0.2:
            pieces = 1
        edges = np.linspace(a, b, pieces + 1)
        for c, d in itertools.pairwise(edges):
            out.append(Rect(round(c) + x0, int(top[a]), round(d) + x0, int(bottom[a]) + 1, 1.0))
    return out
