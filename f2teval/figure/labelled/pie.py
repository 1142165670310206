"""Pies with printed shares: numbers paired with the words set with them, or with the legend by their slice's colour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from f2teval.figure.labelled.colours import Palette, hex_of
from f2teval.figure.labelled.draft import Draft
from f2teval.figure.labelled.geometry import cx, cy, height, union, width
from f2teval.figure.labelled.items import Item, blocks_of, join_text
from f2teval.figure.labelled.numbers import parse_number
from f2teval.score import Box

_WITH_WORDS = re.compile(r"(?:(.*[A-Za-z’'.)/])[\s:,–-]*)?(\$?\d[\d.,]*\s?%?)(?:[\s,:–-]*([A-Za-z(].*))?")


def find_disc(palette: Palette, texts: Sequence[Box]) -> Box | None:
    """The box of a pie (or ring): a round blob of several flat colours, ``None`` if there is none."""
    ink = (palette.index != 0).astype(np.uint8)
    for t in texts:
        ink[max(0, int(t[1])) : int(t[3]) + 1, max(0, int(t[0])) : int(t[2]) + 1] = 0
    # Text on the pie left holes; leader lines are thin and go.
    ink = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    ink = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    h, w = ink.shape
    n, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    best: Box | None = None
    for i in range(1, n):
        x, y, bw, bh, _area = (int(v) for v in stats[i])
        if min(bw, bh) < 0.22 * min(w, h) or not 0.85 <= bw / bh <= 1.18:
            continue
        part = labels[y : y + bh, x : x + bw] == i
        yy, xx = np.ogrid[:bh, :bw]
        r = np.hypot((xx - bw / 2) / (bw / 2), (yy - bh / 2) / (bh / 2))
        rim = (r > 0.86) & (r < 0.96)
        corner = r > 1.08
        if float(part[rim].mean()) < 0.85 or float(part[corner].mean()) > 0.08:
            continue
        colours = np.bincount(palette.index[y : y + bh, x : x + bw][rim], minlength=256)[1:255]
        if int((colours > 0.01 * rim.sum()).sum()) < 2:
            continue
        if best is None or bw > width(best):
            best = (float(x), float(y), float(x + bw), float(y + bh))
    return best


def slice_shares(palette: Palette, disc: Box) -> dict[int, float]:
    """Share of the rim each colour takes, 0–1: what the printed numbers must agree with."""
    x, y = cx(disc), cy(disc)
    out = np.zeros(256)
    a = np.linspace(0, 2 * np.pi, 1440, endpoint=False)
    for f in (0.80, 0.86, 0.92, 0.96):
        r = f * width(disc) / 2
        xs = np.clip((x + r * np.cos(a)).astype(int), 0, palette.index.shape[1] - 1)
        ys = np.clip((y + r * np.sin(a)).astype(int), 0, palette.index.shape[0] - 1)
        out += np.bincount(palette.index[ys, xs], minlength=256)
    out[0] = out[255] = 0
    total = out.sum() or 1.0
    return {int(k): float(out[k] / total) for k in np.flatnonzero(out > 0.004 * total)}


def read_pie(items: Sequence[Item], legend: dict[int, str], palette: Palette, disc: Box) -> list[Draft]:
    """Drafts of a pie's slices."""
    reach = 0.45 * width(disc)
    near = [i for i in items if _gap(i.box, disc) < reach]
    numbers: list[tuple[Item, list[Item]]] = []
    loose: list[Item] = []
    for i in near:
        if i.number is not None:
            numbers.append((i, []))
            continue
        m = _WITH_WORDS.fullmatch(i.text)
        value = parse_number(m[2]) if m else None
        if m and value is not None and (m[1] or m[3]) and "%" in m[2]:
            numbers.append((replace(i, number=value, text=m[2]), [replace(i, text=(m[1] or m[3]).strip())]))
        else:
            loose.append(i)
    blocks = blocks_of(loose)
    shares = slice_shares(palette, disc)
    total = sum(n.number.value for n, _ in numbers if n.number)
    whole = 100.0 if 85 <= total <= 106 else total if total > 0 else 1.0
    drafts: list[Draft] = []
    taken: set[int] = set()
    for item, words in sorted(numbers, key=lambda p: -len(p[1])):
        assert item.number is not None
        h = height(item.box)
        colour = _slice_colour(item.box, palette, disc)
        fits = colour is not None and abs(shares.get(colour, 0.0) - item.number.value / whole) < 0.03
        name, sure = "", 0.0
        if words:
            name, sure = join_text(words), 0.92
        elif colour is not None and colour in legend:
            name, sure = legend[colour], 0.95 if fits else 0.5
        else:
            options = []
            for k, b in enumerate(blocks):
                box = union([x.box for x in b])
                dy = max(item.box[1] - box[3], box[1] - item.box[3])
                dx = max(item.box[0] - box[2], box[0] - item.box[2], 0.0)
                if k not in taken and -0.7 * h <= dy <= 0.7 * h and (dx <= 0 or (dy < 0 and dx < 1.2 * h)):
                    options.append((max(dy, 0) + dx + 0.1 * abs(cx(box) - cx(item.box)), k, b))
            if options:
                _, k, b = min(options, key=lambda o: o[0])
                taken.add(k)
                name, sure = join_text(b), 0.9
        if colour is None and name:
            # Outside its slice: some slice must have its size.
            fits = any(abs(s - item.number.value / whole) < 0.02 for s in shares.values())
        if not name:
            sure = 0.1
        tint = hex_of(palette.colours[colour]) if colour is not None else ""
        drafts.append(Draft(item, "", name, sure=sure * (1.0 if fits else 0.8), tint=tint))
    return drafts


def _gap(b: Box, disc: Box) -> float:
    return max(disc[0] - b[2], b[0] - disc[2], disc[1] - b[3], b[1] - disc[3], 0.0)


def _slice_colour(b: Box, palette: Palette, disc: Box) -> int | None:
    """Palette entry of the slice a label stands on, if it stands on the disc."""
    r = np.hypot(cx(b) - cx(disc), cy(b) - cy(disc)) / (width(disc) / 2)
    if r > 0.97:
        return None
    part = palette.index[max(0, int(b[1])) : int(b[3]), max(0, int(b[0])) : int(b[2])]
    counts = np.bincount(part.ravel(), minlength=256)
    counts[0] = counts[255] = 0
    return int(counts.argmax()) if counts.any() else None
