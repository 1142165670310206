"""From OCR boxes to items: numbers and words apart, title and footer apart from what labels the marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.numbers import Printed, is_date
from f2teval.figure.reading import TextBox, TextRole
from f2teval.score import Box


@dataclass(slots=True)
class Item:
    """A piece of text while it is being placed: its ink colour, the number it prints (if it is one), its role."""

    text: str
    box: Box
    confidence: float
    angle: float = 0.0
    role: TextRole = "other"
    number: Printed | None = None
    ink: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def is_value(self) -> bool:
        """Could this be a printed value (a number that is not certainly a date)?"""
        return self.number is not None

    def as_text_box(self) -> TextBox:
        """The public form."""
        return TextBox(self.text, self.box, self.confidence, self.role, self.angle)


def same_ink(a: Item, b: Item) -> bool:
    if a.ink is None or b.ink is None:
        return True
    return float(np.linalg.norm(a.ink - b.ink)) < 90


def lines_of(items: Sequence[Item]) -> list[list[Item]]:
    """Items in lines from the top, each from the left."""
    out: list[list[Item]] = []
    for i in sorted(items, key=lambda i: cy(i.box)):
        if out:
            ref = out[-1][-1]
            if overlap(i.box[1], i.box[3], ref.box[1], ref.box[3]) > 0.55 * min(height(i.box), height(ref.box)):
                out[-1].append(i)
                continue
        out.append([i])
    for line in out:
        line.sort(key=lambda i: i.box[0])
    return out


def join_text(items: Sequence[Item]) -> str:
    """Running text of items in reading order; a word broken at a line end by a hyphen is joined without a space."""
    parts = [" ".join(i.text for i in line) for line in lines_of(items)]
    text = ""
    for p in parts:
        text = text + p if re.search(r"\w-$", text) or text.endswith("/") else f"{text} {p}" if text else p
    return text.strip()


def blocks_of(items: Sequence[Item]) -> list[list[Item]]:
    """Lines stacked into blocks: close below one another, of like height and ink, and aligned in x."""
    blocks: list[list[Item]] = []
    for i in sorted(items, key=lambda i: i.box[1]):
        best: list[Item] | None = None
        for b in blocks:
            last = b[-1]
            lh = min(height(i.box), height(last.box))
            gap = i.box[1] - last.box[3]
            if not -0.5 * lh <= gap <= 0.5 * lh or cy(i.box) - cy(last.box) < 0.5 * lh:
                continue
            if max(height(i.box), height(last.box)) > 1.45 * lh or not same_ink(i, last):
                continue
            u = union([x.box for x in b])
            ov = overlap(i.box[0], i.box[2], u[0], u[2])
            aligned = min(abs(i.box[0] - u[0]), abs(i.box[2] - u[2]), abs(cx(i.box) - cx(u))) <= 0.7 * lh
            if ov > 0.3 * min(width(i.box), width(u)) and (aligned or ov > 0.7 * min(width(i.box), width(u))):
                best = b
        if best is None:
            blocks.append([i])
        else:
            best.append(i)
    return blocks


def merge_words(items: Sequence[Item]) -> list[Item]:
    """Numbers and dates as they are; other words joined into blocks, each one item."""
    keep = [i for i in items if i.number is not None or is_date(i.text)]
    out = list(keep)
    for block in blocks_of([i for i in items if i.number is None and not is_date(i.text)]):
        if len(block) == 1:
            out += block
        else:
            sure = min(i.confidence for i in block)
            out.append(replace(block[0], text=join_text(block), box=union([i.box for i in block]), confidence=sure))
    return out
