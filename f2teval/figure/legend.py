"""Names of series: from a legend's colour samples, from text in a series' own colour, or from labels at line ends."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.figure import curves
from f2teval.figure.color import distance, mode_color
from f2teval.figure.layout import Plot
from f2teval.figure.load import Rgb
from f2teval.figure.marks import Layer
from f2teval.figure.reading import TextBox
from f2teval.score import Box

_BULLET = re.compile(r"^[\s■▪•●○◆▲□|·.,:;~_\-–—+=*]+|^[lIO]\s(?=\w{2})|[\s|_·.,:;\-–—]+$")


_NAME = re.compile(r"[^\W\d_]{2}|\b(?:19|20)\d\d\b")


class Entry(NamedTuple):
    """A series' name: the layer it names, the text (index among the figure's texts), where its sample is."""

    layer: int
    name: str
    text: int
    sample: Box | None


def find_legend(rgb: Rgb, layers: list[Layer], boxes: list[TextBox], used: set[int], plot: Plot) -> list[Entry]:
    """Legend entries for layers. ``used`` are texts that already serve an axis.

    A sample is a patch of the layer's colour just left (or right) of an upright text and no taller than it. Each text
    goes to one layer and each layer to one text, the clearest sample first; two of a kind are needed to believe it.
    """
    found: list[tuple[float, int, int, Box]] = []
    for t, b in enumerate(boxes):
        if t in used or b.angle != 0 or not _NAME.search(b.text) or len(b.text) > 60:
            continue
        for side in (-1, 1):
            for i, layer in enumerate(layers):
                hit = _sample(rgb, layer, b, side, plot)
                if hit is not None:
                    found.append((hit[0] + (0.2 if side > 0 else 0.0), i, t, hit[1]))
    out: list[Entry] = []
    taken: set[int] = set()
    for _, i, t, box in sorted(found):
        if t in taken or any(e.layer == i for e in out):
            continue
        taken.add(t)
        out.append(Entry(i, _BULLET.sub("", boxes[t].text).strip() or boxes[t].text, t, box))
    if len(out) < 2:
        return []
    # samples of one legend stand in a row or in a column
    centres = np.array([((e.sample[0] + e.sample[2]) / 2, (e.sample[1] + e.sample[3]) / 2) for e in out if e.sample])
    size = float(np.median([boxes[e.text].box[3] - boxes[e.text].box[1] for e in out]))
    near = [(np.abs(centres - c) < 0.7 * size).any(axis=1).sum() for c in centres]
    kept = [e for e, n in zip(out, near) if n >= 2]
    return kept if len(kept) >= 2 else []


def _sample(rgb: Rgb, layer: Layer, b: TextBox, side: int, plot: Plot) -> tuple[float, Box] | None:
    """A patch of the layer's colour beside a text: (distance to the text in its heights, its box), or ``None``."""
    x0, y0, x1, y1 = b.box
    size = y1 - y0
    left, right = (x0 - 3.2 * size, x0 + 0.9 * size) if side < 0 else (x1 - 0.5 * size, x1 + 2.5 * size)
    ax, bx = max(0, int(left)), min(rgb.shape[1], int(right))
    ay, by = max(0, int(y0 - 0.1 * size)), min(rgb.shape[0], int(y1 + 0.1 * size) + 1)
    if bx - ax < 3 or by - ay < 3:
        return None
    patch = rgb[ay:by, ax:bx]
    ground = np.array(plot.page, dtype=np.float64)
    hit = distance(patch, np.array(layer.color)) < 36
    for share in (0.85, 0.7, 0.55):  # samples of lines and points are often drawn see-through
        if int(hit.sum()) >= 4:
            break
        hit = distance(patch, ground + share * (np.array(layer.color) - ground)) < 20
    count = int(hit.sum())
    if count < max(4, 0.006 * size * size):
        return None
    ys, xs = np.nonzero(hit)
    w, h = xs.max() - xs.min() + 1, ys.max() - ys.min() + 1
    if w > 2.8 * size or h > 1.4 * size or count < 0.3 * w * h:
        return None
    if h >= by - ay - 1 and w >= 1.0 * size and xs.min() == 0:
        return None  # a mark running past
    gap = (x0 - (ax + xs.max())) if side < 0 else (ax + xs.min() - x1)
    box = (float(ax + xs.min()), float(ay + ys.min()), float(ax + xs.max() + 1), float(ay + ys.max() + 1))
    return abs(gap) / size, box


def erase_samples(layers: list[Layer], entries: list[Entry]) -> None:
    """Take legend samples out of the layers' masks: they are no marks."""
    for e in entries:
        if e.sample is None:
            continue
        x0, y0, x1, y1 = (int(v) for v in e.sample)
        for layer in layers:
            layer.mask[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2] = False


def name_by_text_color(rgb: Rgb, layers: list[Layer], boxes: list[TextBox], used: set[int], plot: Plot) -> list[Entry]:
    """Names printed in the series' own colour, each the nearest such text to the layer's marks."""
    out: list[Entry] = []
    tints = {t: _text_color(rgb, b) for t, b in enumerate(boxes) if t not in used and re.search(r"[A-Za-z]{2}", b.text)}
    for i, layer in enumerate(layers):
        best = [(t, c) for t, c in tints.items() if c is not None and float(distance(c, np.array(layer.color))) < 45]
        others = [x for j, x in enumerate(layers) if j != i]
        best = [
            (t, c)
            for t, c in best
            if all(float(distance(c, np.array(x.color))) > float(distance(c, np.array(layer.color))) for x in others)
        ]
        best = [(t, c) for t, c in best if not _greyish(layer.color)]
        if len(best) >= 1:
            t = min((t for t, _ in best), key=lambda t: _gap_to_mask(boxes[t].box, layer))
            out.append(Entry(i, boxes[t].text.strip(), t, None))
    return out


def _greyish(color: tuple[int, int, int]) -> bool:
    return max(color) - min(color) < 30


def _text_color(rgb: Rgb, b: TextBox) -> npt.NDArray[np.float64] | None:
    x0, y0, x1, y1 = (int(v) for v in b.box)
    patch = rgb[max(0, y0) : y1, max(0, x0) : x1]
    if patch.size == 0:
        return None
    ground = mode_color(patch)
    off = distance(patch, np.array(ground))
    strong = off > 0.7 * float(off.max())
    if float(off.max()) < 60:
        return None
    return np.asarray(np.median(patch[strong].astype(np.float64), axis=0))


def _gap_to_mask(box: Box, layer: Layer) -> float:
    ys, xs = np.nonzero(layer.mask)
    if not len(xs):
        return float("inf")
    cx, cy = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    step = max(1, len(xs) // 4000)
    return float(np.hypot(xs[::step] - cx, ys[::step] - cy).min())


def name_line_ends(layers: list[Layer], boxes: list[TextBox], used: set[int], plot: Plot) -> list[Entry]:
    """Names standing right of the lines' ends, paired so that the total distance is least."""
    from scipy.optimize import linear_sum_assignment

    words = [t for t, b in enumerate(boxes) if t not in used and b.angle == 0 and re.search(r"[A-Za-z]{2}", b.text)]
    ends = []
    for i, layer in enumerate(layers):
        profile = curves.line_profile(layer.mask, plot)
        span = curves.extent(profile)
        if span is not None:
            ends.append((i, float(span[1]), curves.value_near(profile, span[1], 3)))
    if not words or not ends:
        return []
    cost = np.full((len(ends), len(words)), 1e3)
    for r, (_, x, y) in enumerate(ends):
        for c, t in enumerate(words):
            b = boxes[t].box
            size = b[3] - b[1]
            gap, rise = (b[0] - x) / size, abs((b[1] + b[3]) / 2 - y) / size
            if -0.8 <= gap <= 3 and rise <= 1.6:
                cost[r, c] = max(gap, 0) * 0.3 + rise
    rows, columns = linear_sum_assignment(cost)
    return [
        Entry(ends[r][0], boxes[words[c]].text.strip(), words[c], None) for r, c in zip(rows, columns) if cost[r, c] < 3
    ]
