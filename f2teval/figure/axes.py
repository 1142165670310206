"""Axes: which labels are ticks, and the line that turns pixels into values.

Labels beside the plot (left, right) or below and above it are grouped into rows and columns; a group whose numbers lie
on a straight line over their pixels (linear or log) is a numeric axis, one of dates a time axis, the row or column of
words next to the plot a category axis. Fits are robust (every pair of labels proposes a line, the largest agreement
wins), so one misread label costs nothing; gridlines, where they match, then replace the labels' own rough positions.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from f2teval.figure import turned
from f2teval.figure.fits import Fit, fit_values, snap_to_lines, snap_zero
from f2teval.figure.layout import Plot
from f2teval.figure.reading import Axis, TextBox, Tick
from f2teval.figure.ticktext import MONTHS, TickValue, clean_label, looks_like_years, parse_tick
from f2teval.score import Box

Side = Literal["x", "y", "x2", "y2"]


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside the plot: its index in the figure's texts, where it hangs, and what it says."""

    index: int
    text: str
    box: Box
    angle: float
    anchor: tuple[float, float]
    height: float
    value: TickValue | None


def anchor_points(box: TextBox, side: Side) -> tuple[float, float]:
    """Where a label meets its axis: the middle of an upright one, for a turned one the middle of the nearer end."""
    x0, y0, x1, y1 = box.box
    if abs(box.angle) < turned.SLANT:
        return ((x0 + x1) / 2, (y0 + y1) / 2)
    quad = turned.tight_quad(box.box, box.angle, len(box.text))
    start, end = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
    if side in ("x", "x2"):
        near = start if (start[1] < end[1]) == (side == "x") else end
    else:
        near = start if (start[0] > end[0]) == (side == "y") else end
    if abs(box.angle) > turned.VERTICAL and side in ("y", "y2"):
        near = (start + end) / 2
    return float(near[0]), float(near[1])


def make_label(index: int, box: TextBox, side: Side) -> Label:
    """A text as a candidate label of this side."""
    quad = turned.tight_quad(box.box, box.angle, len(box.text))
    return Label(
        index,
        clean_label(box.text),
        box.box,
        box.angle,
        anchor_points(box, side),
        turned.thickness(quad),
        parse_tick(box.text),
    )


class Axes(NamedTuple):
    """The axes found, and which texts serve them (index of the text → side)."""

    axes: tuple[Axis, ...]
    used: dict[int, Side]


def find_axes(plot: Plot, boxes: list[TextBox]) -> Axes:
    """Axes of a plot from the texts around it."""
    found: list[Axis] = []
    used: dict[int, Side] = {}
    for side in ("y", "x", "y2", "x2"):
        axis, indices = _side_axis(plot, boxes, side, used)
        if axis is not None:
            found.append(axis)
            used.update(dict.fromkeys(indices, side))
    return Axes(tuple(found), used)


def _around(plot: Plot, boxes: list[TextBox], side: Side) -> list[Label]:
    """Labels that may belong to this side of the plot."""
    x0, y0, x1, y1 = plot.box
    w, h = x1 - x0, y1 - y0
    slack = 6.0
    out = []
    for i, b in enumerate(boxes):
        label = make_label(i, b, side)
        bx0, by0, bx1, by1 = b.box
        ax, ay = label.anchor
        pad = max(label.height, 0.06 * max(w, h)) if label.value is None else 0.8 * max(w, h)
        tilted, reach = abs(label.angle) >= turned.SLANT, max(slack, 0.8 * label.height)
        if side == "y":
            beside = bx1 <= x0 + slack + 0.02 * w or (tilted and ax <= x0 + reach and bx0 < x0 - label.height)
            beside = beside or (label.value is not None and bx0 < x0 - 4 and (bx0 + bx1) / 2 <= x0 + 0.02 * w)
            ok = beside and y0 - pad <= ay <= y1 + pad
        elif side == "y2":
            ok = bx0 >= x1 - slack - 0.02 * w and y0 - pad <= ay <= y1 + pad
        elif side == "x":
            below = by0 >= y1 - slack - 0.02 * h or (tilted and ay >= y1 - reach and by1 > y1 + label.height)
            ok = below and x0 - pad - 0.05 * w <= ax <= x1 + pad + 0.05 * w
        else:
            ok = by1 <= y0 + slack and x0 - pad <= ax <= x1 + pad
        if ok:
            out.append(label)
    return out


def _groups(labels: list[Label], side: Side) -> list[list[Label]]:
    """Labels in one row (x) or column (y), nearest to the plot first."""
    groups: list[list[Label]] = []
    for label in labels:
        for group in groups:
            if _aligned(label, group, side):
                group.append(label)
                break
        else:
            groups.append([label])
    sign = {"x": 1, "x2": -1, "y": -1, "y2": 1}[side]
    edge = {"x": 1, "x2": 3, "y": 2, "y2": 0}[side]
    return sorted(groups, key=lambda g: sign * float(np.median([label.box[edge] for label in g])))


def _aligned(label: Label, group: list[Label], side: Side) -> bool:
    size = max(label.height, 4.0)
    for other in group:
        if abs((label.angle - other.angle + 90) % 180 - 90) > 25 and len(label.text) > 2 and len(other.text) > 2:
            continue
        if side in ("x", "x2"):
            turned_label = abs(label.angle) >= turned.SLANT
            reach = 1.2 * size if turned_label else 0.6 * size
            edges = ((label.box[1], other.box[1]), (label.box[3], other.box[3]))
            if any(abs(a - b) < reach for a, b in edges[: 1 if turned_label else 2]):
                return True
            if abs(label.anchor[1] - other.anchor[1]) < 0.8 * reach:
                return True
        else:
            ends = ((label.box[2], other.box[2]), (label.box[0], other.box[0]), (label.anchor[0], other.anchor[0]))
            if any(abs(a - b) < 0.7 * size for a, b in ends):
                return True
    return False


def _side_axis(plot: Plot, boxes: list[TextBox], side: Side, used: dict[int, Side]) -> tuple[Axis | None, list[int]]:
    labels = [label for label in _around(plot, boxes, side) if label.index not in used]
    if side in ("y", "y2"):  # vertical writing beside the plot is the axis title
        labels = [x for x in labels if abs(x.angle) < turned.VERTICAL or (x.value is not None and len(x.text) <= 8)]
    for group in _groups(labels, side)[:4]:
        numeric = _numeric_axis(plot, group, side) or _month_axis(group, side)
        if numeric:
            return numeric
    if side in ("y2", "x2"):
        return None, []
    at, low, high = (0, plot.box[0], plot.box[2]) if side == "x" else (1, plot.box[1], plot.box[3])
    pad = 0.06 * (high - low)
    labels = [x for x in labels if low - pad - x.height <= x.anchor[at] <= high + pad + x.height]
    nearest = _groups(labels, side)[:3]
    for group in sorted(nearest, key=lambda g: -len(g)):
        category = _category_axis(plot, group, labels, side)
        if category:
            return category
    return None, []


def _month_axis(group: list[Label], side: Side) -> tuple[Axis, list[int]] | None:
    """A time axis labelled by months without a year: counted in years from the first January on it."""
    named = [(x, MONTHS[x.text.lower().rstrip(".")]) for x in group if x.text.lower().rstrip(".") in MONTHS]
    if side != "x" or len(named) < 3 or len(named) < 0.7 * len(group):
        return None
    named.sort(key=lambda n: n[0].anchor[0])
    values, year, last = [], 0, -1
    for _, m in named:
        if m <= last:
            year += 1
        last = m
        values.append(year + m / 12)
    pixels = [x.anchor[0] for x, _ in named]
    size = float(np.median([x.height for x, _ in named]))
    fit = fit_values(pixels, values, 0.6 * size, ("linear",))
    if fit is None or len(fit.inliers) < len(named) or fit.slope <= 0 or values[-1] > 3:
        return None
    ticks = tuple(Tick(x.text, v, p, x.box) for (x, _), v, p in zip(named, values, pixels))
    axis = Axis(
        side, "time", ticks, slope=fit.slope, intercept=fit.intercept, residual=round(fit.residual, 3), confidence=0.8
    )
    return axis, [x.index for x, _ in named]


def _numeric_axis(plot: Plot, group: list[Label], side: Side) -> tuple[Axis, list[int]] | None:
    valued = [x for x in group if x.value is not None]
    if len(valued) < 2 or len(valued) < 0.6 * len(group):
        return None
    dates = [x for x in valued if x.value is not None and x.value.kind == "date"]
    if dates and len(dates) >= 0.5 * len(valued):
        valued = [
            x for x in valued if x.value is not None and (x.value.kind == "date" or looks_like_years([x.value.value]))
        ]
    else:
        valued = [x for x in valued if x.value is not None and x.value.kind == "number"]
    values = [x.value.value for x in valued if x.value is not None]
    years = looks_like_years(values)
    time = bool(dates and len(dates) >= 0.5 * len(group)) or (years and all("," not in x.text for x in valued))
    if len(valued) < 2:
        return None
    size = float(np.median([x.height for x in valued]))
    best: tuple[Fit, list[float], list[float]] | None = None
    upright = side in ("x", "x2") and all(abs(x.angle) < turned.SLANT for x in valued)
    for k, pixels in enumerate(_hanging(valued, side)):
        mended = _mend(values, valued, pixels, size)
        tolerance = max(2.0, 0.3 * size)
        trial = fit_values(pixels, mended, tolerance, ("linear",) if time else ("linear", "log"))
        if trial is None:
            continue
        if best is not None:
            # the ways after the first are out by an unknown offset or are exceptions: they must explain more labels,
            # or (the second way) clearly better
            more = len(trial.inliers) > len(best[0].inliers)
            same = len(trial.inliers) == len(best[0].inliers)
            closer = k == 1 and same and trial.residual < best[0].residual - 0.8
            pushed = (
                same
                and upright
                and len(valued) >= 4
                and trial.residual < 0.35 * best[0].residual
                and best[0].residual > 2
            )
            if not (more or closer or pushed):
                continue
        best = trial, pixels, mended
    if best is None:
        return None
    fit, pixels, values = best
    agree = len(fit.inliers)
    if not time and agree >= 3 and fit.scale == "linear":  # years with one misread label among them
        time = looks_like_years([values[i] for i in fit.inliers]) and all(
            "," not in valued[i].text for i in fit.inliers
        )
    if side in ("y", "y2") and fit.slope > 0 and not time and agree < 4:
        return None  # values that grow downwards are rare; two or three numbers are no proof
    if side in ("x", "x2") and fit.slope < 0:
        return None
    foot = plot.box[3] if side in ("y", "y2") else plot.box[0]
    grounded = fit.scale == "linear" and not time and abs(-fit.intercept / fit.slope - foot) < 0.6 * size
    if agree < max(2, 0.6 * len(valued)) or (agree == 2 and len(valued) > 2 and not grounded):
        return None
    if agree == 2 and (side in ("x2", "y2") or abs(pixels[fit.inliers[0]] - pixels[fit.inliers[1]]) < 4 * size):
        return None
    ticks = [Tick(valued[i].text, float(values[i]), float(pixels[i]), valued[i].box) for i in fit.inliers]
    ticks.sort(key=lambda t: t.pixel)
    units = [x.value.unit for x in valued if x.value is not None and x.value.unit]
    unit = max(set(units), key=units.count) if units else ""
    confidence = (
        min(1.0, agree / len(valued)) * (1 - math.exp(-agree / 1.5)) * math.exp(-((fit.residual / max(size, 4)) ** 2))
    )
    axis = Axis(
        side, "time" if time else "numeric", tuple(ticks), "", unit, fit.scale, fit.slope, fit.intercept,
        round(fit.residual, 3), round(confidence, 3),
    )  # fmt: skip
    lines = plot.columns + plot.column_ticks if side in ("x", "x2") else plot.rows + plot.row_ticks
    axis = snap_to_lines(axis, lines)
    if axis.confidence and axis.kind == "numeric" and _are_turned(valued):
        axis = snap_zero(axis, float(foot), size)
    return axis, [x.index for x in valued]


def _hanging(labels: list[Label], side: Side) -> list[list[float]]:
    """Ways in which labels may hang on their ticks, the likeliest first: pixel along the axis of each label.

    Upright labels are centred, but the outermost of a horizontal axis may be pushed inwards to stay inside the plot.
    """
    at = 0 if side in ("x", "x2") else 1
    centred = [x.anchor[at] for x in labels]
    ways = [centred]
    if any(abs(x.angle) >= turned.SLANT for x in labels):
        ways += [
            [(x.box[at] + x.box[at + 2]) / 2 for x in labels],
            [x.box[at] for x in labels],
            [x.box[at + 2] for x in labels],
        ]
    elif at == 0 and len(labels) >= 3:
        order = sorted(range(len(labels)), key=lambda i: centred[i])
        first, last = order[0], order[-1]
        for edges in ((first,), (last,), (first, last)):
            way = list(centred)
            for i in edges:
                way[i] = labels[i].box[0 if i == first else 2] + (1.0 if i == first else -1.0)
            ways.append(way)
    return ways


def _are_turned(labels: list[Label]) -> bool:
    """Whether the labels are slanted or vertical: a lone round digit among upright ones is but read as turned."""
    return 2 * sum(abs(x.angle) >= turned.SLANT for x in labels) >= len(labels)


def _mend(values: list[float], labels: list[Label], pixels: list[float], size: float) -> list[float]:
    """Undo lost decimal points ("05" for 0.5): a label without one among others with one, if it then fits."""
    digits = [x.value.digits for x in labels if x.value is not None]
    if len(values) < 3 or max(digits) == 0 or min(digits) == max(digits):
        return values
    common = max(set(digits), key=digits.count)
    good = [i for i, d in enumerate(digits) if d == common]
    if len(good) < 2:
        return values
    fit = fit_values([pixels[i] for i in good], [values[i] for i in good], max(2.0, 0.3 * size), ("linear",))
    if fit is None:
        return values
    out = list(values)
    for i, d in enumerate(digits):
        expected = fit.slope * pixels[i] + fit.intercept
        shifted = values[i] / 10.0**common
        if d == 0 and abs(shifted - expected) < abs(values[i] - expected):
            out[i] = shifted
    return out


def _category_axis(plot: Plot, group: list[Label], labels: list[Label], side: Side) -> tuple[Axis, list[int]] | None:
    """The row or column of words next to the plot; lines of one label are joined."""
    x0, y0, x1, y1 = plot.box
    at = 0 if side in ("x", "x2") else 1
    near = [x for x in group if x.text]
    words = [x for x in near if x.value is None]
    if len(words) > 0.7 * len(near):
        near = [x for x in near if x.value is None or len(x.text) > 2]  # a stray tick of the other axis
    if side == "x":
        top = min(x.box[1] for x in near) if near else 0.0
        if near and top > y1 + 0.35 * (y1 - y0) + 3 * near[0].height:
            return None
        # a lone centred line below the plot is its title, not a category
        centre, width = (x0 + x1) / 2, x1 - x0
        alone = len(near) == 1 and abs(near[0].angle) < turned.SLANT
        if alone and (near[0].box[2] - near[0].box[0] > 0.3 * width or abs(near[0].anchor[0] - centre) < 0.05 * width):
            return None
        # second lines of wrapped labels hang under the first
        if all(abs(x.angle) < turned.SLANT for x in near):
            near = _wrapped_below(near, labels)
    else:
        near = _wrapped_beside(near)
    if not near:
        return None
    near.sort(key=lambda x: x.anchor[at])
    ticks = tuple(Tick(x.text, x.value.value if x.value else None, x.anchor[at], x.box) for x in near)
    confidence = 1 - math.exp(-len(ticks) / 2)
    axis = Axis(side, "category", ticks, confidence=round(confidence, 3))
    indices = sorted({x.index for x in group} | {x.index for x in near})
    return axis, indices


def _wrapped_below(first: list[Label], labels: list[Label]) -> list[Label]:
    out = []
    for x in first:
        lines = [x]
        while True:
            last = lines[-1]
            below = [
                y
                for y in labels
                if y not in first
                and -0.4 * last.height < y.box[1] - last.box[3] < 0.35 * last.height
                and abs(y.anchor[0] - x.anchor[0]) < 0.6 * last.height + 0.15 * (x.box[2] - x.box[0])
                and abs(y.height - x.height) < 0.3 * x.height
                and y not in lines
            ]
            if not below or len(first) < 2:
                break
            lines.append(below[0])
        out.append(_join(lines, x.anchor))
    return out


def _wrapped_beside(column: list[Label]) -> list[Label]:
    """Join lines of one label in a column: lines closer than the usual step."""
    column = sorted(column, key=lambda x: x.anchor[1])
    if len(column) < 3 or any(abs(x.angle) >= turned.SLANT for x in column):
        return column
    gaps = [b.box[1] - a.box[3] for a, b in itertools.pairwise(column)]
    size = float(np.median([x.height for x in column]))
    if min(gaps) > 0.25 * size or max(gaps) < 0.5 * size or max(gaps) - min(gaps) < 0.5 * size:
        return column
    cut = (min(gaps) + max(gaps)) / 2
    parts = [[column[0]]]
    for gap, x in zip(gaps, column[1:]):
        if gap < cut:
            parts[-1].append(x)
        else:
            parts.append([x])
    return [_join(p, (p[0].anchor[0], (p[0].box[1] + p[-1].box[3]) / 2)) if len(p) > 1 else p[0] for p in parts]


def _join(lines: list[Label], anchor: tuple[float, float]) -> Label:
    if len(lines) == 1:
        return lines[0]
    boxes = np.array([x.box for x in lines])
    box = (float(boxes[:, 0].min()), float(boxes[:, 1].min()), float(boxes[:, 2].max()), float(boxes[:, 3].max()))
    text = " ".join(x.text for x in lines)
    return replace(lines[0], text=text, box=box, anchor=anchor, value=parse_tick(text))
