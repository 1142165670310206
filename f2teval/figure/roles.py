"""Roles of texts: title, subtitle, axis titles, ticks, notes, source, by where they stand and how large they are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from f2teval.figure import turned
from f2teval.figure.axes import Axes
from f2teval.figure.layout import Plot
from f2teval.figure.reading import TextBox, TextRole

_SOURCE = re.compile(r"^\s*\(?(?:data\s)?sources?\b\s*[:.]?", re.IGNORECASE)
_NOTE = re.compile(r"^\s*(?:notes?\b\s*[:.]|\*|†|‡|[¹²³]|\d\s?[A-Z][a-z]+ (?:includes|excludes))", re.IGNORECASE)


class Roles(NamedTuple):
    """Texts with their roles (same order), and what they say."""

    texts: tuple[TextBox, ...]
    title: str
    subtitle: str
    x_title: str
    y_title: str
    notes: str
    source: str


def assign_roles(boxes: list[TextBox], plot: Plot | None, axes: Axes | None) -> Roles:
    """Give every text a role. Without a plot only title, notes and source are told apart."""
    roles: list[TextRole] = ["other"] * len(boxes)
    if axes:
        for i, side in axes.used.items():
            axis = next(a for a in axes.axes if a.side == side)
            roles[i] = "category" if axis.kind == "category" else "tick"
    bottom_ticks = max((boxes[i].box[3] for i, r in enumerate(roles) if r != "other"), default=0.0)
    if plot:
        _x0, y0, _x1, y1 = plot.area
        bottom_ticks = max(bottom_ticks, y1)
        _around_plot(boxes, roles, plot, bottom_ticks)
        above = [i for i, r in enumerate(roles) if r == "other" and _middle(boxes[i])[1] < y0 and boxes[i].angle == 0]
    else:
        above = [i for i, b in enumerate(boxes) if b.angle == 0]
    _headings(boxes, roles, above, plot)
    below = [i for i, r in enumerate(roles) if r == "other" and (not plot or boxes[i].box[1] > bottom_ticks - 2)]
    _footers(boxes, roles, sorted(below, key=lambda i: boxes[i].box[1]))

    def say(role: TextRole) -> str:
        chosen = [boxes[i] for i, r in enumerate(roles) if r == role]
        if role in ("x_title", "y_title") and chosen and abs(chosen[0].angle) > 45:
            upwards = chosen[0].angle < 0
            chosen.sort(key=lambda b: (round(b.box[0] / 12), -b.box[3] if upwards else b.box[1]))
        else:
            chosen.sort(
                key=lambda b: (round((b.box[1] + b.box[3]) / 2 / max(6, 0.6 * (b.box[3] - b.box[1]))), b.box[0])
            )
        return " ".join(b.text for b in chosen)

    texts = tuple(replace(b, role=r) for b, r in zip(boxes, roles))
    return Roles(texts, say("title"), say("subtitle"), say("x_title"), say("y_title"), say("note"), say("source"))


def _middle(b: TextBox) -> tuple[float, float]:
    return ((b.box[0] + b.box[2]) / 2, (b.box[1] + b.box[3]) / 2)


def _around_plot(boxes: list[TextBox], roles: list[TextRole], plot: Plot, bottom_ticks: float) -> None:
    x0, y0, x1, y1 = plot.area
    lowest: list[tuple[float, int]] = []
    for i, b in enumerate(boxes):
        if roles[i] != "other":
            continue
        cx, cy = _middle(b)
        vertical = abs(b.angle) > turned.VERTICAL
        if vertical and (cx < x0 or cx > x1) and len(b.text) > 1:
            roles[i] = "y_title"
        elif b.angle == 0 and b.box[1] > bottom_ticks - 4 and x0 - 0.1 * (x1 - x0) <= cx <= x1 + 0.1 * (x1 - x0):
            lowest.append((b.box[1], i))
        elif x0 <= cx <= x1 and y0 <= cy <= y1:
            roles[i] = "annotation"
    lowest.sort()
    if lowest:
        i = lowest[0][1]
        b = boxes[i]
        near = b.box[1] - bottom_ticks < 2.5 * (b.box[3] - b.box[1])
        centred = abs(_middle(b)[0] - (x0 + x1) / 2) < 0.12 * (x1 - x0)
        if near and centred and not _SOURCE.match(b.text) and not _NOTE.match(b.text) and len(b.text) < 80:
            roles[i] = "x_title"


def _headings(boxes: list[TextBox], roles: list[TextRole], above: list[int], plot: Plot | None) -> None:
    """The topmost block of one letter height is the title, the next the subtitle; a line above a y axis its title."""
    above = sorted((i for i in above if not _SOURCE.match(boxes[i].text)), key=lambda i: boxes[i].box[1])
    if not above:
        return
    heights = {i: boxes[i].box[3] - boxes[i].box[1] for i in above}
    widths = {i: (boxes[i].box[2] - boxes[i].box[0]) / max(len(boxes[i].text), 1) for i in above}
    if plot and len(above) > 1 and not any(r == "y_title" for r in roles):
        last = above[-1]
        x0, y0 = plot.area[0], plot.area[1]
        close = (
            0 <= y0 - boxes[last].box[3] < 2.5 * heights[last] or abs(y0 - _middle(boxes[last])[1]) < 2 * heights[last]
        )
        left = boxes[last].box[0] < x0 + 0.25 * (plot.area[2] - x0)
        smaller = heights[last] < 0.9 * heights[above[0]]
        if close and left and smaller and len(boxes[last].text) < 60:
            roles[last] = "y_title"
            above = above[:-1]
    first = heights[above[0]]
    stage: TextRole = "title"
    previous = above[0]
    for i in above:
        gap = boxes[i].box[1] - boxes[previous].box[3]
        smaller = heights[i] < 0.7 * first or (heights[i] < 0.86 * first and widths[i] < 0.88 * widths[above[0]])
        if stage == "title" and (smaller or gap > 1.2 * first):
            stage = "subtitle"
        elif stage == "subtitle" and gap > 2.5 * heights[i]:
            stage = "other"
        roles[i] = stage
        previous = i


def _footers(boxes: list[TextBox], roles: list[TextRole], below: list[int]) -> None:
    state: TextRole = "other"
    for i in below:
        text = boxes[i].text
        if _SOURCE.match(text):
            state = "source"
        elif _NOTE.match(text):
            state = "note"
        elif text.isupper() and len(text) > 6 and state != "other":
            state = "source"
        roles[i] = state if state != "other" else ("note" if len(text) > 40 else "other")


def text_height(texts: list[TextBox]) -> float:
    """Median height of upright texts."""
    heights = [b.box[3] - b.box[1] for b in texts if b.angle == 0]
    return float(np.median(heights)) if heights else 12.0
