"""From OCR boxes to items: numbers and words apart, title and footer apart from what labels the marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import ink_columns, text_colour
from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.numbers import Printed, is_date, parse_number
from f2teval.figure.reading import TextBox, TextRole
from f2teval.score import Box

_FOOTER = re.compile(
    r"(?:\W{0,3})(?:notes?\b|sources?\b|source:|survey (?:of|conducted)|based on|figures (?:may|do|are)|data (?:from|are|is)"
    r"|questions?:|chart of|©|copyright|\*{1,3}\s?\w|note[s.:]|graphic\b|respondents? |numbers (?:may|do)|percentages (?:may|do))",
    re.I,
)
_CAPS_LINE = re.compile(r"[A-Z][A-Z&. ]{9,}(?:\W.*)?")


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


@dataclass(slots=True)
class Zones:
    """The figure's text, sorted: what stands above, what stands below, and what labels the plot."""

    title: list[Item]
    subtitle: list[Item]
    footer: list[Item]
    plot: list[Item]


def make_items(rgb: NDArray[np.uint8], boxes: Sequence[TextBox]) -> list[Item]:
    """Items from OCR boxes, wide gaps split, in reading order."""
    out: list[Item] = []
    for b in boxes:
        text = " ".join(b.text.split())
        if not text or width(b.box) < 1 or height(b.box) < 3:
            continue
        whole = Item(text, b.box, b.confidence, b.angle)
        out.extend(_split(rgb, whole) if abs(b.angle) < 10 else [whole])
    for item in out:
        item.number = parse_number(item.text)
        item.ink = text_colour(rgb, item.box)
    out.sort(key=lambda i: (i.box[1], i.box[0]))
    return out


def _split(rgb: NDArray[np.uint8], item: Item) -> list[Item]:
    """Split a box at gaps wider than a word space; between two numbers at the widest gap in any case."""
    tokens = item.text.split(" ")
    if len(tokens) < 2:
        return [item]
    numeric = [parse_number(t) is not None for t in tokens]
    h = height(item.box)
    runs = _gaps(ink_columns(rgb, item.box))
    all_numbers = all(numeric) and not any(t in {"%"} for t in tokens)
    wide = [g for g in runs if g[1] - g[0] >= (0.34 if all_numbers else 0.62) * h]
    if not wide:
        if all_numbers and len(tokens) == 2 and not is_date(item.text) and len(tokens[1]) != 3:
            mid = item.box[0] + width(item.box) * (len(tokens[0]) + 0.5) / len(item.text)
            return _cut(item, [len(tokens[0])], [(mid, mid)])
        return [item]
    # Which space of the text does each gap belong to? Walk the glyphs' widths over the inked columns.
    spaces = [i for i, c in enumerate(item.text) if c == " "]
    total = len(item.text)
    w = max(width(item.box), 1.0)
    cuts: dict[int, tuple[float, float]] = {}
    for g0, g1 in sorted(wide, key=lambda g: g[0] - g[1])[: len(spaces)]:
        where = (g0 + g1) / 2 / w * total
        free = [s for s in spaces if s not in cuts]
        best = min(free, key=lambda s: abs(s + 0.5 - where))
        if abs(best + 0.5 - where) <= max(2.5, 0.2 * total):
            cuts[best] = (item.box[0] + g0, item.box[0] + g1)
    order = sorted(cuts)
    places = [cuts[s] for s in order]
    if any(b[0] < a[1] for a, b in zip(places, places[1:])):
        return [item]
    return _cut(item, order, places)


def _cut(item: Item, spaces: list[int], gaps: list[tuple[float, float]]) -> list[Item]:
    out: list[Item] = []
    start, x = 0, item.box[0]
    for s, (g0, g1) in zip([*spaces, len(item.text)], [*gaps, (item.box[2], item.box[2])]):
        text = item.text[start:s].strip()
        if text:
            out.append(replace(item, text=text, box=(x, item.box[1], max(g0, x + 1), item.box[3])))
        start, x = s + 1, g1
    return out


def _gaps(ink: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of empty columns strictly between inked ones."""
    where = np.flatnonzero(ink)
    if len(where) < 2:
        return []
    step = np.diff(where)
    return [(int(where[i]) + 1, int(where[i + 1])) for i in np.flatnonzero(step > 2)]


def find_zones(items: Sequence[Item], size: tuple[int, int], marks: Sequence[Box]) -> Zones:
    """Part title, subtitle and footer from the plot's own labels. ``size`` is (width, height) of the picture."""
    w, h = size
    top_mark = min((m[1] for m in marks), default=h * 0.5)
    low_mark = max((m[3] for m in marks), default=h * 0.5)
    rest = list(items)
    footer = _footer(rest, low_mark, w, h)
    rest = [i for i in rest if i not in footer]
    lines = _lines(rest)
    title: list[Item] = []
    subtitle: list[Item] = []
    k = 0
    for k, line in enumerate(lines):
        if not title:
            if line[0].box[1] > 0.35 * h or line[0].box[1] >= top_mark or _is_labels(line):
                break
            title = list(line)
            continue
        last = title[-1]
        same = abs(height(line[0].box) - height(last.box)) <= 0.2 * height(last.box) + 1
        gap = line[0].box[1] - max(i.box[3] for i in title)
        if same and gap <= 0.75 * height(last.box) and _same_ink(line[0], last) and not _is_labels(line):
            title += line
        else:
            break
    else:
        k = len(lines)
    for line in lines[k:] if title else []:
        if _is_labels(line) or line[0].box[1] >= top_mark:
            break
        ref = subtitle[-1] if subtitle else title[-1]
        start = min(i.box[0] for i in line)
        edge = min(i.box[0] for i in title)
        centred = abs((start + max(i.box[2] for i in line)) / 2 - (edge + max(i.box[2] for i in title)) / 2) < 0.03 * w
        gap = line[0].box[1] - max(i.box[3] for i in (subtitle or title))
        if gap > (0.8 if subtitle else 1.6) * height(ref.box) or not (abs(start - edge) <= 0.025 * w + 2 or centred):
            break
        if subtitle and not (_same_ink(line[0], ref) and abs(height(line[0].box) - height(ref.box)) <= 4):
            break
        words = sum(len(i.text.split()) for i in line)
        if not subtitle and words < 2 and "%" not in line[0].text:
            break
        subtitle += line
    used = {id(i) for i in (*title, *subtitle, *footer)}
    for group, role in ((title, "title"), (subtitle, "subtitle")):
        for i in group:
            i.role = role  # type: ignore[assignment]
    return Zones(title, subtitle, footer, [i for i in items if id(i) not in used])


def _footer(items: list[Item], low_mark: float, w: int, h: int) -> list[Item]:
    lines = _lines(items)
    start: float | None = None
    for line in lines:
        first = min(line, key=lambda i: i.box[0])
        if first.box[1] < 0.3 * h or first.box[1] < low_mark - 2:
            continue
        if _FOOTER.match(first.text) or (_CAPS_LINE.fullmatch(first.text) and first.box[0] < 0.1 * w):
            start = first.box[1]
            break
        # A sentence in running text below the last mark, at the left edge, is a note whatever it says.
        if len(first.text) > 45 and width(first.box) > 0.55 * w and first.box[1] > low_mark:
            start = first.box[1]
            break
    if start is None:
        return []
    out = [i for i in items if i.box[1] >= start - 1]
    role: TextRole = "note"
    for line in _lines(out):
        for i in sorted(line, key=lambda i: i.box[0]):
            if re.match(r"\W{0,2}sources?\b", i.text, re.I):
                role = "source"
            elif re.match(r"\W{0,2}notes?\b", i.text, re.I):
                role = "note"
            i.role = "source" if _CAPS_LINE.fullmatch(i.text) else role
    return out


def _is_labels(line: Sequence[Item]) -> bool:
    """Does a line consist of several short pieces (a legend, column headers) or of numbers?"""
    if any(i.number is not None and not is_date(i.text) for i in line):
        return True
    if len(line) >= 3:
        return True
    if len(line) == 2:
        a, b = sorted(line, key=lambda i: i.box[0])
        return b.box[0] - a.box[2] > 2.2 * height(a.box)
    return False


def _same_ink(a: Item, b: Item) -> bool:
    if a.ink is None or b.ink is None:
        return True
    return float(np.linalg.norm(a.ink - b.ink)) < 90


def _lines(items: Sequence[Item]) -> list[list[Item]]:
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
    parts = [" ".join(i.text for i in line) for line in _lines(items)]
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
            if max(height(i.box), height(last.box)) > 1.45 * lh or not _same_ink(i, last):
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
