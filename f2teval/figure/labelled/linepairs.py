"""Numbers paired with the points of lines, and checked against one scale of heights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import Palette
from f2teval.figure.labelled.geometry import cx, cy, height, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import parse_number
from f2teval.figure.labelled.strokes import Stroke


@dataclass(slots=True)
class Pair:
    """A label, the line it stands by, where on it."""

    item: Item
    stroke: Stroke
    x: float
    y: float
    where: str  # "start", "end", "along", or "ink" alone
    cost: float
    values: tuple[float, ...] = ()
    agreed: bool | None = None


def pair_values(numbers: Sequence[Item], strokes: Sequence[Stroke], palette: Palette) -> list[Pair]:
    """The best line for each number, by ink and distance; each line's end takes one."""
    options: list[Pair] = []
    for i in numbers:
        assert i.number is not None
        h = height(i.box)
        mine: list[Pair] = []
        own = _own_ink(i, strokes, palette)
        if own is not None:
            # The line may run hidden below another here; its ink still tells whose value this is.
            mine.append(Pair(i, own, cx(i.box), cy(i.box), "ink", 2.0))
        for s in strokes:
            ink = _ink_cost(i, palette.colours[s.colour])
            if i.ink is not None and own is not None and s.colour != own.colour:
                ink += 5.0 if float(np.linalg.norm(palette.colours[s.colour] - i.ink)) > 60 else 0.5
            for where, x, ys in (("start", s.x0, s.starts), ("end", s.x1, s.ends)):
                gap = x - i.box[2] if where == "start" else i.box[0] - x
                if not -0.9 * width(i.box) <= gap <= 2.4 * h:
                    continue
                for y in ys:
                    dy = abs(cy(i.box) - y)
                    if dy <= 1.5 * h:
                        beside = max(gap, 0.0) / h
                        mine.append(Pair(i, s, x, y, where, ink + 0.4 * beside + dy / h))
            if s.single and s.x0 - 0.3 * h <= cx(i.box) <= s.x1 + 0.3 * h:
                x = cx(i.box)
                near = (s.xs >= i.box[0] - 2) & (s.xs <= i.box[2] + 2)
                ys_near = s.ys[near] if near.any() else np.array([s.y_at(x)])
                gap = float(np.min(np.maximum(np.maximum(i.box[1] - ys_near, ys_near - i.box[3]), 0.0)))
                if gap <= 1.7 * h:
                    mine.append(Pair(i, s, x, s.y_at(x), "along", ink + gap / h + 0.35))
        mine.sort(key=lambda p: p.cost)
        for p in mine[:4]:
            p.values = _readings(i, p)
            options.append(p)
    options.sort(key=lambda p: p.cost)
    taken: set[int] = set()
    ends: set[tuple[int, str, float]] = set()
    out: list[Pair] = []
    for p in options:
        spot = (id(p.stroke), p.where, p.y if p.where in {"start", "end"} else p.x)
        if id(p.item) in taken or (p.where in {"start", "end"} and p.stroke.single and spot in ends) or p.cost > 4.0:
            continue
        taken.add(id(p.item))
        ends.add(spot)
        out.append(p)
    return out


def _own_ink(i: Item, strokes: Sequence[Stroke], palette: Palette) -> Stroke | None:
    """The one line whose colour the label is printed in."""
    if i.ink is None or float(np.ptp(i.ink)) < 30:
        return None
    d = {s.colour: float(np.linalg.norm(palette.colours[s.colour] - i.ink)) for s in strokes}
    ranked = sorted(d, key=lambda c: d[c])
    if d[ranked[0]] > 42 or (len(ranked) > 1 and d[ranked[1]] < d[ranked[0]] + 20):
        return None
    near = [s for s in strokes if s.colour == ranked[0]]
    return min(near, key=lambda s: max(s.x0 - cx(i.box), cx(i.box) - s.x1, 0.0))


def _ink_cost(i: Item, tint: NDArray[np.floating]) -> float:
    """0 in the line's own colour, 0.5 in black or grey, 3 in another colour."""
    if i.ink is None:
        return 0.5
    d = float(np.linalg.norm(i.ink - tint))
    if d < 55:
        return 0.0
    return 0.6 if float(np.ptp(i.ink)) < 40 else min(3.5, d / 40)


def _readings(i: Item, p: Pair) -> tuple[float, ...]:
    """Values a label may stand for: as read, or without a marker's ring that was read as a zero."""
    assert i.number is not None
    out = [i.number.value]
    digits = i.text.strip().rstrip("%")
    if p.where == "start" and len(digits) > 1 and digits[-1] in "0O" and p.x - i.box[2] < 0.8 * height(i.box):
        n = parse_number(digits[:-1].rstrip("."))
        out += [n.value] if n else []
    if p.where == "end" and len(digits) > 1 and digits[0] in "0O" and digits[1] != ".":
        n = parse_number(digits[1:])
        return (n.value,) if n else tuple(out)
    return tuple(out)


def agree(pairs: list[Pair], scale: tuple[float, float] | None) -> None:
    """Heights of all labelled points must lie on one linear scale; mark those that do, and settle doubtful digits.

    ``scale`` is the axis' own, where it has one: value = slope · y + intercept.
    """
    if scale is not None:
        slope, icpt = scale
        hits = [(p, [v for v in (*p.values, *_pointed(p)) if _reached(p, v, slope * p.y + icpt, slope)]) for p in pairs]
        if sum(bool(v) for _, v in hits) >= 0.5 * len(pairs):
            for p, v in hits:
                p.agreed, p.values = bool(v), (v[0],) if v else p.values
            return
    by_panel: dict[int, list[Pair]] = {}
    for p in pairs:
        by_panel.setdefault(p.stroke.panel, []).append(p)
    groups = [pairs] if len(pairs) < 4 or len(by_panel) == 1 else list(by_panel.values())
    for group in groups:
        if len(group) < 3:
            for p in group:
                p.agreed = None
            # Two points: at least the higher one must be the larger number.
            if len(group) == 2:
                a, b = group
                if (a.y - b.y) * (a.values[0] - b.values[0]) > 0 and abs(a.y - b.y) > 4:
                    a.agreed = b.agreed = False
            continue
        best: list[tuple[Pair, float]] = []
        for n, a in enumerate(group):
            for b in group[n + 1 :]:
                if abs(a.y - b.y) < 6:
                    continue
                for va in a.values:
                    for vb in b.values:
                        slope = (va - vb) / (a.y - b.y)
                        if slope >= 0:
                            continue
                        inliers: list[tuple[Pair, float]] = []
                        for p in group:
                            want = va + slope * (p.y - a.y)
                            inliers += [(p, v) for v in p.values if _reached(p, v, want, slope)][:1]
                        if len(inliers) > len(best):
                            best = inliers
        ok = {id(p): v for p, v in best}
        enough = len(best) >= max(3, 0.6 * len(group))
        for p in group:
            if id(p) in ok and enough:
                p.agreed, p.values = True, (ok[id(p)],)
            else:
                p.agreed = False if enough else None


def _reached(p: Pair, value: float, want: float, slope: float) -> bool:
    """Is a value within a few pixels of what its height says?"""
    pixels = 4.5 if p.where != "ink" else 1.6 * height(p.item.box)
    return abs(value - want) <= abs(slope) * pixels + 0.6 * _step(p)


def _pointed(p: Pair) -> list[float]:
    """A number that may have lost its decimal point."""
    text = p.item.text.rstrip("%")
    return [float(f"{text[:-1]}.{text[-1]}")] if text.isdigit() and len(text) >= 2 else []


def _step(p: Pair) -> float:
    return p.item.number.step if p.item.number is not None else 1.0
