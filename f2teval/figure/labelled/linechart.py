"""A line chart with printed values, read into drafts: numbers go to lines by ink and nearness, and heights must agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import Palette, hex_of
from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cluster, cx, cy, height, overlap, union, width
from f2teval.figure.labelled.items import Item, blocks_of, join_text
from f2teval.figure.labelled.numbers import is_date, is_year, parse_number, year_of
from f2teval.figure.labelled.strokes import Stroke, find_strokes
from f2teval.score import Box

_LEADING = re.compile(r"[Oo°]?(\d[\d.,]*\s?%?[*†]?)\s*([A-Za-z(‘'“\"].*)")
_TRAILING = re.compile(r"(.*[A-Za-z).,:’'”\"])\s*(\d[\d.,]*\s?%?)")


@dataclass(slots=True)
class _Pair:
    """A label, the line it stands by, where on it."""

    item: Item
    stroke: Stroke
    x: float
    y: float
    where: str  # "start", "end", "along", or "ink" alone
    cost: float
    values: tuple[float, ...] = ()
    agreed: bool | None = None


def read_lines(
    items: Sequence[Item], legend: dict[int, str], palette: Palette, top: float, bottom: float
) -> tuple[list[Draft], dict[str, str], int]:
    """Pair printed values with lines, dates and names.

    Returns:
        Drafts, colour of each series name, number of lines.
    """
    strokes = find_strokes(palette, [i.box for i in items], top, bottom)
    if not strokes:
        return [], {}, 0
    items = [p for i in items for p in _part(i, strokes) if not _ring(p, strokes)]
    numbers = [i for i in items if i.number is not None and not is_date(i.text) and i.role != "tick"]
    dates = _stacked_dates([i for i in items if is_date(i.text)])
    scale = _axis_scale([i for i in items if i.role == "tick"])
    words = [i for i in items if i.number is None and not is_date(i.text)]
    ticks = _tick_row(dates) or _tick_row([i for i in items if i.role == "tick"])
    for t in ticks:
        t.role = "tick"
    if ticks:
        floor = min(t.box[1] for t in ticks)
        strokes = [s for s in strokes if float(np.median(s.ys)) < floor + 2]
    _panels(strokes)
    pairs = _pairs(numbers, strokes, palette)
    if not pairs:
        return [], {}, len(strokes)
    _agree(pairs, scale)
    legend = legend or _line_legend(words, strokes, palette)
    names = _names(words, numbers, strokes, pairs, legend, palette)
    panels = _panel_names(words, strokes, names)
    drafts: list[Draft] = []
    tints: dict[str, str] = {}
    lines = len({id(p.stroke) for p in pairs})
    for p in pairs:
        category, x, sure_x = _category(p, ticks, strokes)
        name, sure_name = names.get(
            (id(p.stroke), -1 if p.stroke.single else _slot(p)), ("", 0.3 if lines > 1 else 0.95)
        )
        sure = 0.9 if p.agreed else 0.75 if p.agreed is None else 0.25
        if p.cost > 2.2:
            sure *= 0.8
        tint = hex_of(palette.colours[p.stroke.colour])
        if name:
            tints.setdefault(name, tint)
        item = p.item
        if p.values and item.number is not None and p.values[0] != item.number.value:
            item = replace(item, number=replace(item.number, value=p.values[0]))
        drafts.append(
            Draft(item, name, category, "", panels.get(p.stroke.panel, ""), sure * sure_x * sure_name, x, tint)
        )
    return drafts, tints, len(strokes)


def _part(i: Item, strokes: Sequence[Stroke]) -> list[Item]:
    """Cut "52% Doesn't matter" beside a line's end into the value and the name."""
    if i.number is not None or is_date(i.text) or len(i.text) > 60:
        return [i]
    for s in strokes:
        h = height(i.box)
        near_end = -h <= i.box[0] - s.x1 <= 3.5 * h
        near_start = -h <= s.x0 - i.box[2] <= 3.5 * h
        m = _LEADING.fullmatch(i.text) if near_end else _TRAILING.fullmatch(i.text) if near_start else None
        if m is None:
            continue
        a, b = m[1].strip(), m[2].strip()
        if is_date(a) or is_date(b):
            continue
        x = i.box[0] + width(i.box) * (len(m[1]) / len(i.text))
        left = replace(i, text=a, box=(i.box[0], i.box[1], x, i.box[3]), number=parse_number(a))
        right = replace(i, text=b, box=(x, i.box[1], i.box[2], i.box[3]), number=parse_number(b))
        if left.number is not None or right.number is not None:
            return [left, right]
    return [i]


def _ring(i: Item, strokes: Sequence[Stroke]) -> bool:
    """A marker's ring read as a letter or a zero."""
    if i.text not in {"0", "O", "o", "°", "Q", "○", "。", "D", "C"}:
        return False
    h = height(i.box)
    return any(
        s.x0 - h <= cx(i.box) <= s.x1 + h
        and min(abs(cy(i.box) - y) for y in (s.y_at(cx(i.box)), *s.starts, *s.ends)) < 0.6 * h
        for s in strokes
    )


def _stacked_dates(dates: Sequence[Item]) -> list[Item]:
    """A month over its year is one date."""
    out: list[Item] = []
    used: set[int] = set()
    for a in sorted(dates, key=lambda d: d.box[1]):
        if id(a) in used:
            continue
        h = height(a.box)
        below = [
            b
            for b in dates
            if id(b) not in used and -0.4 * h <= b.box[1] - a.box[3] <= 0.6 * h and abs(cx(a.box) - cx(b.box)) < h
        ]
        if below and is_year(below[0].text) and not is_year(a.text):
            b = below[0]
            used |= {id(a), id(b)}
            out.append(replace(a, text=f"{a.text} {b.text}", box=union([a.box, b.box])))
        else:
            out.append(a)
    return [o for o in out if id(o) not in used]


def _tick_x(i: Item) -> float:
    """Where a date's tick is: its middle, or the upper end of slanted text."""
    if 15 < abs(i.angle) < 75:
        return i.box[2] - 5 if i.angle < 0 else i.box[0] + 5
    return cx(i.box)


def _axis_scale(ticks: Sequence[Item]) -> tuple[float, float] | None:
    """value = slope · y + intercept from the numbers along a vertical axis."""
    best: list[Item] = []
    for edge in (0, 2):
        for group in cluster(ticks, lambda i, e=edge: i.box[e], 4.0):  # type: ignore[misc]
            if len({round(cy(i.box) / 5) for i in group}) == len(group) > max(2, len(best)):
                best = group
    pairs = [(cy(i.box), i.number.value) for i in best if i.number is not None]
    if len(pairs) < 3:
        return None
    y, v = np.array(pairs).T
    slope, icpt = np.polyfit(y, v, 1)
    return (float(slope), float(icpt)) if slope < 0 else None


def _tick_row(dates: Sequence[Item]) -> list[Item]:
    """The row (or rows) of dates that label the x axis: the lowest ones standing on one line."""
    rows = cluster(dates, lambda d: cy(d.box), 5.0)
    rows = [r for r in rows if len(r) >= 2]
    return max(rows, key=lambda r: (len(r), cy(r[0].box))) if rows else []


def _panels(strokes: Sequence[Stroke]) -> None:
    """Number the panels: stretches of x that lines cover without a break."""
    edge, n = -1.0, -1
    for s in sorted(strokes, key=lambda s: s.x0):
        if s.x0 > edge + 8:
            n += 1
        s.panel = max(n, 0)
        edge = max(edge, s.x1)


def _pairs(numbers: Sequence[Item], strokes: Sequence[Stroke], palette: Palette) -> list[_Pair]:
    """The best line for each number, by ink and distance; each line's end takes one."""
    options: list[_Pair] = []
    for i in numbers:
        assert i.number is not None
        h = height(i.box)
        mine: list[_Pair] = []
        own = _same_ink(i, strokes, palette)
        if own is not None:
            # The line may run hidden below another here; its ink still tells whose value this is.
            mine.append(_Pair(i, own, cx(i.box), cy(i.box), "ink", 2.0))
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
                        mine.append(_Pair(i, s, x, y, where, ink + 0.4 * beside + dy / h))
            if s.single and s.x0 - 0.3 * h <= cx(i.box) <= s.x1 + 0.3 * h:
                x = cx(i.box)
                near = (s.xs >= i.box[0] - 2) & (s.xs <= i.box[2] + 2)
                ys_near = s.ys[near] if near.any() else np.array([s.y_at(x)])
                gap = float(np.min(np.maximum(np.maximum(i.box[1] - ys_near, ys_near - i.box[3]), 0.0)))
                if gap <= 1.7 * h:
                    mine.append(_Pair(i, s, x, s.y_at(x), "along", ink + gap / h + 0.35))
        mine.sort(key=lambda p: p.cost)
        for p in mine[:4]:
            p.values = _readings(i, p)
            options.append(p)
    options.sort(key=lambda p: p.cost)
    taken: set[int] = set()
    ends: set[tuple[int, str, float]] = set()
    out: list[_Pair] = []
    for p in options:
        spot = (id(p.stroke), p.where, p.y if p.where in {"start", "end"} else p.x)
        if id(p.item) in taken or (p.where in {"start", "end"} and p.stroke.single and spot in ends) or p.cost > 4.0:
            continue
        taken.add(id(p.item))
        ends.add(spot)
        out.append(p)
    return out


def _same_ink(i: Item, strokes: Sequence[Stroke], palette: Palette) -> Stroke | None:
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


def _readings(i: Item, p: _Pair) -> tuple[float, ...]:
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


def _agree(pairs: list[_Pair], scale: tuple[float, float] | None) -> None:
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
    by_panel: dict[int, list[_Pair]] = {}
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
        best: list[tuple[_Pair, float]] = []
        for n, a in enumerate(group):
            for b in group[n + 1 :]:
                if abs(a.y - b.y) < 6:
                    continue
                for va in a.values:
                    for vb in b.values:
                        slope = (va - vb) / (a.y - b.y)
                        if slope >= 0:
                            continue
                        inliers = []
                        for p in group:
                            want = va + slope * (p.y - a.y)
                            reach = abs(slope) * (4.5 if p.where != "ink" else 1.6 * height(p.item.box)) + 0.6 * _step(
                                p
                            )
                            v = min(p.values, key=lambda v, want=want: abs(v - want))  # type: ignore[misc]
                            if abs(v - want) <= reach:
                                inliers.append((p, v))
                        if len(inliers) > len(best):
                            best = inliers
        ok = {id(p): v for p, v in best}
        enough = len(best) >= max(3, 0.6 * len(group))
        for p in group:
            if id(p) in ok and enough:
                p.agreed, p.values = True, (ok[id(p)],)
            else:
                p.agreed = False if enough else None


def _reached(p: _Pair, value: float, want: float, slope: float) -> bool:
    """Is a value within a few pixels of what its height says?"""
    pixels = 4.5 if p.where != "ink" else 1.6 * height(p.item.box)
    return abs(value - want) <= abs(slope) * pixels + 0.6 * _step(p)


def _pointed(p: _Pair) -> list[float]:
    """A number that may have lost its decimal point."""
    text = p.item.text.rstrip("%")
    return [float(f"{text[:-1]}.{text[-1]}")] if text.isdigit() and len(text) >= 2 else []


def _step(p: _Pair) -> float:
    return p.item.number.step if p.item.number is not None else 1.0


def _slot(p: _Pair) -> int:
    """Among several lines of one colour: which right end this label stands at (left ends cannot be named)."""
    if p.where != "end":
        return -2
    return int(round(p.y))


def _names(
    words: Sequence[Item],
    numbers: Sequence[Item],
    strokes: Sequence[Stroke],
    pairs: Sequence[_Pair],
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
        key = (id(p.stroke), -1 if p.stroke.single else _slot(p))
        if key in out:
            continue
        name = _beside(p, words, numbers)
        if name:
            out[key] = (name, 0.95)
    return out


def _beside(p: _Pair, words: Sequence[Item], numbers: Sequence[Item]) -> str:
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


def _line_legend(words: Sequence[Item], strokes: Sequence[Stroke], palette: Palette) -> dict[int, str]:
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


def _panel_names(
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


def _category(p: _Pair, ticks: Sequence[Item], strokes: Sequence[Stroke]) -> tuple[str, float | None, float]:
    """The date a point stands at: the tick below it, or between ticks the year their scale gives."""
    if not ticks:
        return "", None, 0.3
    span = [s for s in strokes if s.panel == p.stroke.panel]
    x0, x1 = min(s.x0 for s in span), max(s.x1 for s in span)
    at = min(max(p.x, x0), x1)
    room = 0.12 * (x1 - x0) + 20
    mine = sorted((t for t in ticks if x0 - room <= _tick_x(t) <= x1 + room), key=lambda t: _tick_x(t)) or list(ticks)
    years = [(_tick_x(t), year_of(t.text)) for t in mine]
    known = [(x, y) for x, y in years if y is not None]
    gaps = [b - a for (a, _), (b, _) in zip(years, years[1:])]
    pitch = min(gaps) if gaps else x1 - x0
    near = min(mine, key=lambda t: abs(_tick_x(t) - at))
    off = abs(_tick_x(near) - at)
    # A first or last label is often set flush with the end of the axis instead of centred below it.
    edge = (near is mine[0] and abs(p.x - x0) < 4) or (near is mine[-1] and abs(p.x - x1) < 4)
    if off <= 0.3 * pitch or off <= 6 or (edge and near.box[0] - 8 <= p.x <= near.box[2] + 8):
        return near.text, year_of(near.text), 1.0 if off <= 0.2 * pitch or edge else 0.85
    if p.where == "ink":
        return near.text, year_of(near.text), 0.75
    if len(known) >= 2:
        xs = np.array([k[0] for k in known])
        ys = np.array([k[1] for k in known])
        slope, icpt = np.polyfit(xs, ys, 1)
        if slope > 0 and float(np.abs(slope * xs + icpt - ys).max()) < max(0.8, 0.12 * float(np.ptp(ys))):
            year = slope * p.x + icpt
            # A point well inside a year belongs to it; near its end it may stand for the next.
            whole = float(int(year + 0.25))
            return str(int(whole)), whole, 0.6
    return "", None, 0.3
