"""Labels OCR overlooked: where a bar shows ink but no number was read, the recogniser is asked again.

Text detectors lose single digits. The bar says where to look, and its length what to expect: an answer is taken only
if it agrees with the scale of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.attach import fit
from f2teval.figure.labelled.bars import Bars, Segment
from f2teval.figure.labelled.geometry import cy, height, swap, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import parse_number, repair_slips
from f2teval.score import Box

Look = Callable[[Sequence[Box]], Sequence[tuple[str, float]]]
"""Recognise text in given boxes of the picture: one (text, confidence) a box."""

MOST = 48  # boxes asked for in one picture


def fill_missing(bars: Bars, index: NDArray[np.uint8], look: Look, vertical: bool, size: float) -> list[Item]:
    """Read the labels of segments that have none; returns the new items, already attached.

    Args:
        index: palette entry of each pixel, mirrored if ``vertical`` (as the bars are).
        size: usual height of a label, px.
    """
    if not bars.scale:
        return []
    asked: list[tuple[Segment, Box]] = []
    for row in bars.rows:
        empty = [s for s in row.segments if s.label is None or fit(bars, s) < 0.8]
        for s in empty:
            box = _ink_box(index, s.rect.box, s.rect.colour, size, vertical)
            if box is not None:
                asked.append((s, box))
    asked = asked[:MOST]
    if not asked:
        return []
    answers = look([swap(b) if vertical else b for _, b in asked])
    out: list[Item] = []
    for (s, box), (text, sure) in zip(asked, answers):
        t = text.strip(" .,'`-_|") or text.strip()
        number = parse_number(t)
        if number is None:
            fixed = repair_slips(t)
            number = parse_number(fixed) if fixed else None
            t = fixed or t
        if number is None:
            continue
        item = Item(t, box, float(sure), number=number)
        before, s.label = s.label, item
        if fit(bars, s) < 1.0:
            s.label = before
            continue
        s.sure = 0.85
        out.append(item)
    return out


def _ink_box(index: NDArray[np.uint8], b: Box, colour: int, size: float, vertical: bool) -> Box | None:
    """Box of the ink on a segment, or ``None`` if it is plain."""
    x0, y0, x1, y1 = (int(v) for v in b)
    if x1 - x0 < 3 or y1 - y0 < 5:
        return None
    pad = 1 if min(x1 - x0, y1 - y0) <= 8 else 2
    part = index[y0 + pad : y1 - pad, x0 + pad : x1 - pad]
    if part.size == 0:
        return None
    ink = part != colour
    if ink.sum() < 0.04 * size * size or ink.mean() > 0.8:
        return None
    ys, xs = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    # Mirrored pictures hold their text turned: heights and widths of the label change places.
    grow_x, grow_y = (2.0, 0.35 * size) if vertical else (0.35 * size, 2.0)
    box = (
        x0 + pad + float(xs[0]) - grow_x,
        y0 + pad + float(ys[0]) - grow_y,
        x0 + pad + float(xs[-1]) + 1 + grow_x,
        y0 + pad + float(ys[-1]) + 1 + grow_y,
    )
    tall = width(box) if vertical else height(box)
    if tall > 2.2 * size:
        mid = (box[0] + box[2]) / 2 if vertical else cy(box)
        half = 0.8 * size
        box = (mid - half, box[1], mid + half, box[3]) if vertical else (box[0], mid - half, box[2], mid + half)
    h, w = index.shape
    return (max(0.0, box[0]), max(0.0, box[1]), min(float(w), box[2]), min(float(h), box[3]))
