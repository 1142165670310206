"""From OCR boxes to items: numbers and words apart, title and footer apart from what labels the marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import ink_columns, text_colour
from f2teval.figure.labelled.geometry import cx, cy, height, overlap, union, width
from f2teval.figure.labelled.numbers import Printed, is_date, is_year, parse_number
from f2teval.figure.reading import TextBox, TextRole
from f2teval.score import Box

_FOOTER = re.compile(
    r"(?:\W{0,3})(?:notes?\b|sources?\b|source:|survey (?:of|conducted)|based on|figures (?:may|do|are)|data (?:from|are|is)"
    r"|questions?:|chart of|©|copyright|\*{1,3}\s?\w|note[s.:]|graphic\b|respondents? |numbers (?:may|do)|percentages (?:may|do))",
    re.I,
)
_GLUED = re.compile(r"(\d%|['‘’]\d\d)(?=['‘’]?\d)")
_TWICE = re.compile(r"([A-Za-z][A-Za-z ]{2,30}?)[\s,;.|/]+\1")
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


def find_zones(items: Sequence[Item], size: tuple[int, int], marks: Sequence[Box]) -> Zones:
    """Part title, subtitle and footer from the plot's own labels. ``size`` is (width, height) of the picture."""
    w, h = size
    top_mark = min((m[1] for m in marks), default=h * 0.5)
    low_mark = max((m[3] for m in marks), default=h * 0.5)
    rest = list(items)
    footer = _footer(rest, low_mark, w, h)
    rest = [i for i in rest if i not in footer]
    lines = lines_of(rest)
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
        same = same and _aligned(line, title, w)
        gap = line[0].box[1] - max(i.box[3] for i in title)
        if same and gap <= 0.75 * height(last.box) and _same_ink(line[0], last) and not _is_labels(line):
            title += line
        else:
            break
    else:
        k = len(lines)
    for line in lines[k:] if title else []:
        blank = bool(subtitle) and len(line) == 2 and line[0].number is None and line[1].number is None
        if (_is_labels(line) and not blank) or line[0].box[1] >= top_mark:
            break
        ref = subtitle[-1] if subtitle else title[-1]
        gap = line[0].box[1] - max(i.box[3] for i in (subtitle or title))
        if gap > (0.8 if subtitle else 1.6) * height(ref.box) or not _aligned(line, title, w):
            break
        if subtitle and not (_same_ink(line[0], ref) and abs(height(line[0].box) - height(ref.box)) <= 4):
            break
        words = sum(len(i.text.split()) for i in line)
        if not subtitle and words < 2 and "%" not in line[0].text:
            break
        flush = abs(min(i.box[0] for i in line) - min(i.box[0] for i in title)) <= 0.025 * w + 2
        if not subtitle and words <= 4 and not flush and gap > 0.9 * height(ref.box):
            break  # short and centred by chance: a header
        subtitle += line
    used = {id(i) for i in (*title, *subtitle, *footer)}
    for group, role in ((title, "title"), (subtitle, "subtitle")):
        for i in group:
            i.role = role  # type: ignore[assignment]
    return Zones(title, subtitle, footer, [i for i in items if id(i) not in used])


def _footer(items: list[Item], low_mark: float, w: int, h: int) -> list[Item]:
    lines = lines_of(items)
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
    for line in lines_of(out):
        for i in sorted(line, key=lambda i: i.box[0]):
            if re.match(r"\W{0,2}sources?\b", i.text, re.I):
                role = "source"
            elif re.match(r"\W{0,2}notes?\b", i.text, re.I):
                role = "note"
            i.role = "source" if _CAPS_LINE.fullmatch(i.text) else role
    return out


def _aligned(line: Sequence[Item], title: Sequence[Item], w: int) -> bool:
    """Does a line start where the title starts, or share its centre?"""
    start, edge = min(i.box[0] for i in line), min(i.box[0] for i in title)
    middle = (start + max(i.box[2] for i in line)) / 2 - (edge + max(i.box[2] for i in title)) / 2
    return abs(start - edge) <= 0.025 * w + 2 or (abs(middle) < 0.03 * w and len(line) == 1)


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
        for a, b in zip(under, under[1:]):
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
