"""Names of lines: by legend, by ink, by standing at a line's end; names of panels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from f2teval.figure.labelled.colours import Palette
from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.items import Item, blocks_of, join_text
from f2teval.figure.labelled.linepairs import Pair
from f2teval.figure.labelled.strokes import Stroke
from f2teval.score import Box


def end_slot(p: Pair) -> int:
    """Among several lines of one colour: which right end this label stands at (left ends cannot be named)."""
    if p.where != "end":
        return -2
    return round(p.y)


def name_lines(
    words: Sequence[Item],
    numbers: Sequence[Item],
    strokes: Sequence[Stroke],
    pairs: Sequence[Pair],
    legend: dict[int, str],
    palette: Palette,
) -> dict[tuple[int, int], tuple[str, float]]:
    """Name of each line: legend by colour, else words in its ink, else words beside its right end."""
    out: dict[tuple[int, int], tuple[str, float]] = {}
    by_colour: dict[int, list[Stroke]] = {}
    for s in strokes:
        by_colour.setdefault(s.colour, []).append(s)
    for colour, name in legend.items():
        for s in by_colour.get(colour, []):
            if s.single:
                out[id(s), -1] = (name, 0.97)
    blocks = [(b, union([i.box for i in b])) for b in blocks_of(words)]
    used: set[int] = set()
    for k, (b, box) in enumerate(blocks):
        ink = b[0].ink
        if ink is None or len(join_text(b)) > 70:
            continue
        ranked = sorted(by_colour, key=lambda c: float(np.linalg.norm(palette.colours[c] - ink)))
        if not ranked:
            continue
        first = float(np.linalg.norm(palette.colours[ranked[0]] - ink))
        second = float(np.linalg.norm(palette.colours[ranked[1]] - ink)) if len(ranked) > 1 else 1e9
        grey = float(np.ptp(ink)) < 40
        if first > (35 if grey else 75) or second < first + 12:
            continue
        near = [s for s in by_colour[ranked[0]] if s.single]
        if not near:
            continue
        s = min(near, key=lambda s: _distance(box, s))
        if _distance(box, s) > 6 * height(b[0].box) and grey:
            continue
        used.add(k)
        text = join_text(b)
        same = [t for t in near if t is s or (t.panel != s.panel and (id(t), -1) not in out)]
        for t in same:
            if (id(t), -1) not in out or t is s:
                out[id(t), -1] = (text, 0.95 if t is s else 0.9)
    for p in pairs:
        if p.where != "end":
            continue
        key = (id(p.stroke), -1 if p.stroke.single else end_slot(p))
        if key in out:
            continue
        name = _beside_end(p, words, numbers)
        if name:
            out[key] = (name, 0.95)
    _name_by_nearness(out, blocks, used, [s for s in strokes if s.single])
    return out


def _name_by_nearness(
    out: dict[tuple[int, int], tuple[str, float]],
    blocks: Sequence[tuple[list[Item], Box]],
    used: set[int],
    strokes: Sequence[Stroke],
) -> None:
    """Words in plain ink beside a line name it, if every unnamed line has its own words nearest to it."""
    bare = [s for s in strokes if (id(s), -1) not in out]
    found: dict[int, tuple[float, str]] = {}
    for k, (b, box) in enumerate(blocks):
        if k in used or not bare or len(join_text(b)) > 60:
            continue
        s = min(strokes, key=lambda s: _distance(box, s))
        d = _distance(box, s) / height(b[0].box)
        if d <= 2.6 and any(s is x for x in bare) and (id(s) not in found or d < found[id(s)][0]):
            found[id(s)] = (d, join_text(b))
    if len(found) == len(bare):
        for s in bare:
            out[id(s), -1] = (found[id(s)][1], 0.85)


def _beside_end(p: Pair, words: Sequence[Item], numbers: Sequence[Item]) -> str:
    """Words right of an end's value, with the lines below them that stand beside no value of their own."""

    def right_of(w: Item, v: Item) -> bool:
        h = height(w.box)
        return -0.5 * h <= w.box[0] - v.box[2] <= 2.2 * h and abs(cy(w.box) - cy(v.box)) < 0.55 * h

    first = min((w for w in words if right_of(w, p.item)), key=lambda w: abs(cy(w.box) - cy(p.item.box)), default=None)
    if first is None:
        return ""
    lines = [first]
    for w in sorted(words, key=lambda w: w.box[1]):
        h = height(first.box)
        below = (
            -0.4 * h <= w.box[1] - lines[-1].box[3] <= 0.4 * h
            and overlap(w.box[0], w.box[2], first.box[0], first.box[2]) > 0
        )
        if w is not first and below and not any(right_of(w, v) for v in numbers):
            lines.append(w)
    return join_text(lines)


def line_legend(words: Sequence[Item], strokes: Sequence[Stroke], palette: Palette) -> dict[int, str]:
    """Legend whose samples are short strokes (with or without a marker) left of black text."""
    colours = sorted({s.colour for s in strokes})
    found: dict[int, Item] = {}
    for w in words:
        h = height(w.box)
        y0, y1 = int(cy(w.box) - 0.4 * h), int(cy(w.box) + 0.4 * h) + 1
        x0, x1 = max(0, int(w.box[0] - 3.6 * h)), max(0, int(w.box[0] + 0.2 * h))
        strip = palette.index[max(0, y0) : y1, x0:x1]
        if strip.size == 0 or (w.ink is not None and float(np.ptp(w.ink)) > 60):
            continue
        share = [(float((strip == c).any(0).sum()), c) for c in colours]
        n, c = max(share)
        if any(
            s.colour == c and s.x1 >= x0 and s.x0 <= x1 and abs(s.y_at((x0 + x1) / 2) - cy(w.box)) < h for s in strokes
        ):
            continue  # the line itself, with its name at its end
        rest = sum(k for k, d in share if d != c)
        if n >= 0.7 * h and rest < 0.3 * n:
            if c in found:
                return {}
            found[c] = w
    return {c: w.text for c, w in found.items()} if len(found) >= 2 else {}


def _distance(box: Box, s: Stroke) -> float:
    dx = max(s.x0 - box[2], box[0] - s.x1, 0.0)
    y = s.y_at(min(max(cx(box), s.x0), s.x1))
    return dx + max(box[1] - y, y - box[3], 0.0)


def panel_names(
    words: Sequence[Item], strokes: Sequence[Stroke], names: dict[tuple[int, int], tuple[str, float]]
) -> dict[int, str]:
    """Heading of each panel when there are several: the block above its lines that names no line."""
    spans: dict[int, tuple[float, float, float]] = {}
    for s in strokes:
        a, b, t = spans.get(s.panel, (1e9, -1e9, 1e9))
        spans[s.panel] = (min(a, s.x0), max(b, s.x1), min(t, float(s.ys.min())))
    if len(spans) < 2:
        return {}
    taken = {n for n, _ in names.values()}
    out: dict[int, str] = {}
    for k, (x0, x1, top) in spans.items():
        over = [w for w in words if w.box[3] <= top + 6 and overlap(w.box[0], w.box[2], x0, x1) > 0.3 * width(w.box)]
        blocks = [b for b in blocks_of(over) if join_text(b) not in taken]
        if blocks:
            out[k] = join_text(max(blocks, key=lambda b: b[-1].box[3]))
    return out
