"""Cutting text that OCR read as one: at wide gaps, at legend samples, between columns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import ink_columns, text_colour
from f2teval.figure.labelled.geometry import cx, cy, height, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import is_year, parse_number
from f2teval.figure.reading import TextBox
from f2teval.score import Box

_GLUED = re.compile(r"(\d%|['‘’]\d\d)(?=['‘’]?\d)")


_TWICE = re.compile(r"([A-Za-z][A-Za-z ]{2,30}?)[\s,;.|/]+\1")


def make_items(rgb: NDArray[np.uint8], boxes: Sequence[TextBox], samples: Sequence[Box] = ()) -> list[Item]:
    """Items from OCR boxes, wide gaps split, in reading order. ``samples`` are small filled squares: legend samples
    separate words wherever they stand."""
    out: list[Item] = []
    usual = float(np.median([height(b.box) for b in boxes])) if boxes else 0.0
    for b in boxes:
        text = _GLUED.sub(r"\1 ", " ".join(b.text.split())).strip("■▪●□◆▲|_ ")
        if not text or width(b.box) < 1 or height(b.box) < 3:
            continue
        whole = Item(text, b.box, b.confidence, b.angle)
        out.extend(_split(rgb, whole, samples, usual) if abs(b.angle) < 10 else [whole])
    out = _cut_over_pairs(out)
    for item in out:
        item.number = parse_number(item.text)
        item.ink = text_colour(rgb, item.box)
    out.sort(key=lambda i: (i.box[1], i.box[0]))
    return out


def _split(rgb: NDArray[np.uint8], item: Item, samples: Sequence[Box], usual: float) -> list[Item]:
    """Split a box at gaps wider than a word space; between two numbers at the widest gap in any case."""
    text = item.text
    if len(text) < 2 or len(text) > 160:
        return [item]
    h = height(item.box)
    ink = ink_columns(rgb, item.box)
    inner = [
        s
        for s in samples
        if 0.3 * h <= height(s) <= h and abs(cy(s) - cy(item.box)) < 0.3 * h and item.box[0] - 2 <= cx(s) <= item.box[2]
    ]
    for s in inner:
        ink[max(0, int(s[0] - item.box[0]) - 1) : max(0, int(s[2] - item.box[0]) + 2)] = False
    tokens = text.split(" ")
    all_numbers = len(tokens) > 1 and all(parse_number(t) is not None or is_year(t) for t in tokens)
    gaps = _gaps(ink)
    mixed = any(c.isdigit() for c in text)
    # Headlines are set with wide spaces.
    least = (0.34 if all_numbers else 0.9 if h > 1.2 * usual and not mixed and not inner else 0.62) * h
    wide = [g for g in gaps if g[1] - g[0] >= least]
    if inner and len(ink):
        # Cut the sample in front of the first word off the box.
        first = np.flatnonzero(ink)
        if len(first) and min(s[0] for s in inner) < item.box[0] + first[0]:
            item = replace(item, box=(item.box[0] + float(first[0]), *item.box[1:]))
            wide = [(a - int(first[0]), b - int(first[0])) for a, b in wide]
            ink = ink[first[0] :]
    if all_numbers and len(wide) < len(tokens) - 1 <= len(gaps):
        wide = sorted(sorted(gaps, key=lambda g: g[0] - g[1])[: len(tokens) - 1])
    twice = _TWICE.fullmatch(text)
    if twice is not None and len(wide) < 2:
        mid = (item.box[0] + item.box[2]) / 2
        return _cut(item, [len(twice[1])], [(mid, mid)])
    if not wide:
        if all_numbers and len(tokens) == 2 and (is_year(tokens[0]) or len(tokens[1]) != 3):
            mid = item.box[0] + width(item.box) * (len(tokens[0]) + 0.5) / len(text)
            return _cut(item, [len(tokens[0])], [(mid, mid)])
        return [item]
    ends = _align(text, ink, wide)
    if ends is None:
        return [item]
    return _cut(item, ends, [(item.box[0] + a, item.box[0] + b) for a, b in wide])


def _cut_over_pairs(items: list[Item]) -> list[Item]:
    """Cut a line read as one where the line just below (or above) stands in two pieces within its width."""
    out: list[Item] = []
    for i in items:
        h = height(i.box)
        if " " not in i.text or len(i.text) > 60 or abs(i.angle) > 10:
            out.append(i)
            continue
        near = [
            j
            for j in items
            if j is not i
            and 0.6 * h < abs(cy(j.box) - cy(i.box)) < 1.5 * h
            and 0.7 < height(j.box) / h < 1.4
            and j.box[0] > i.box[0] - 1.2 * h
            and j.box[2] < i.box[2] + 1.2 * h
        ]
        near.sort(key=lambda j: j.box[0])
        if (
            len(near) != 2
            or near[1].box[0] - near[0].box[2] < 0.6 * h
            or abs(cy(near[0].box) - cy(near[1].box)) > 0.4 * h
        ):
            out.append(i)
            continue
        x = (near[0].box[2] + near[1].box[0]) / 2
        total = sum(_advance(c) for c in i.text)
        at = [
            (k, i.box[0] + width(i.box) * sum(_advance(c) for c in i.text[:k]) / total)
            for k, c in enumerate(i.text)
            if c == " "
        ]
        k, px = min(at, key=lambda p: abs(p[1] - x))
        # Both halves must sit over their own piece; a sentence's line over a pair of headers does not.
        left, right = (i.box[0] + px) / 2, (px + i.box[2]) / 2
        if abs(px - x) > 0.8 * h or abs(left - cx(near[0].box)) > 1.5 * h or abs(right - cx(near[1].box)) > 1.5 * h:
            out.append(i)
            continue
        out += _cut(i, [k], [(px - 0.1 * h, px + 0.1 * h)])
    return out


# Advance widths in a proportional face, relative to a common lower-case letter.
_NARROW, _WIDE = frozenset("ijlIt.,:;'|!()[]f’‘"), frozenset("mwMWGOQ%@—…&")


def _advance(c: str) -> float:
    return 0.55 if c in _NARROW or c == " " else 1.55 if c in _WIDE else 1.2 if c.isupper() else 1.0


def _align(text: str, ink: NDArray[np.bool_], wide: Sequence[tuple[int, int]]) -> list[int] | None:
    """Where in ``text`` the wide gaps are: character offsets, each at a space or where words run together."""
    where = np.flatnonzero(ink)
    if not len(where):
        return None
    # Inked extents of the pieces between gaps, and the characters' share of it.
    edges = [int(where[0]), *(x for g in wide for x in g), int(where[-1]) + 1]
    lengths = np.array([b - a for a, b in zip(edges[::2], edges[1::2])], float)
    shares = np.cumsum(lengths)[:-1] / max(lengths.sum(), 1.0)
    adv = np.array([_advance(c) for c in text])
    at = np.concatenate([[0.0], np.cumsum(adv)]) / adv.sum()
    out: list[int] = []
    for share in shares:
        best, cost = None, 0.0
        for k in range(1, len(text)):
            if out and k <= out[-1] + 1:
                continue
            a, b = text[k - 1], text[k]
            if b == " ":
                extra = 0.0
            elif (a.islower() and b.isupper()) or (a.isdigit() != b.isdigit() and a != " ") or a in "%)":
                extra = 1.0
            else:
                continue
            c = abs((at[k] + (at[k + 1] if b == " " else at[k])) / 2 - share) * len(text) + extra
            if best is None or c < cost:
                best, cost = k, c
        if best is None or cost > max(3.2, 0.12 * len(text)):
            return None
        out.append(best)
    return out


def _cut(item: Item, ends: list[int], gaps: list[tuple[float, float]]) -> list[Item]:
    out: list[Item] = []
    start, x = 0, item.box[0]
    for s, (g0, g1) in zip([*ends, len(item.text)], [*gaps, (item.box[2], item.box[2])]):
        text = item.text[start:s].strip(" ,;|")
        if text:
            out.append(replace(item, text=text, box=(x, item.box[1], max(g0, x + 1), item.box[3])))
        start, x = s, g1
    return out


def _gaps(ink: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of empty columns strictly between inked ones."""
    where = np.flatnonzero(ink)
    if len(where) < 2:
        return []
    step = np.diff(where)
    return [(int(where[i]) + 1, int(where[i + 1])) for i in np.flatnonzero(step > 2)]


def split_over(items: Sequence[Item], marks: Sequence[Box]) -> list[Item]:
    """Cut a line of words that runs below several columns and was read as one, where the columns part.

    ``marks`` are the columns' boxes (one per group of bars).
    """
    out: list[Item] = []
    floor = max((m[3] for m in marks), default=0.0)
    for i in items:
        under = [m for m in marks if i.box[0] < cx(m) < i.box[2]]
        tokens = i.text.count(" ")
        if len(under) < 2 or i.box[1] < floor - 3 or tokens + 1 < len(under) or i.number is not None:
            out.append(i)
            continue
        total = sum(_advance(c) for c in i.text)
        ends: list[int] = []
        for a, b in itertools.pairwise(under):
            want = ((a[2] + b[0]) / 2 - i.box[0]) / width(i.box) * total
            spaces = [k for k, c in enumerate(i.text) if c == " " and k not in ends]
            if not spaces:
                break
            ends.append(min(spaces, key=lambda k, want=want: abs(sum(_advance(c) for c in i.text[:k]) - want)))  # type: ignore[misc]
        if ends != sorted(set(ends)) or len(ends) != len(under) - 1:
            out.append(i)
            continue
        places = [i.box[0] + width(i.box) * sum(_advance(c) for c in i.text[:k]) / total for k in ends]
        out += _cut(i, ends, [(x, x + 1) for x in places])
    return out
