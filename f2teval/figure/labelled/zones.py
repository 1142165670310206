"""Title and footer apart from what labels the plot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from f2teval.figure.labelled.geometry import height, width
from f2teval.figure.labelled.items import Item, lines_of, same_ink
from f2teval.figure.labelled.numbers import is_date
from f2teval.figure.reading import TextRole
from f2teval.score import Box

_FOOTER = re.compile(
    r"\W{0,3}(?:notes?\b|note[s.:]|sources?\b|survey (?:of|conducted)|based on|figures (?:may|do|are)"
    r"|data (?:from|are|is)|questions?:|chart of|©|copyright|\*{1,3}\s?\w|graphic\b|respondents? "
    r"|numbers (?:may|do)|percentages (?:may|do))",
    re.I,
)
_CAPS_LINE = re.compile(r"[A-Z][A-Z&. ]{9,}(?:\W.*)?")


@dataclass(slots=True)
class Zones:
    """The figure's text, sorted: what stands above, what stands below, and what labels the plot."""

    title: list[Item]
    subtitle: list[Item]
    footer: list[Item]
    plot: list[Item]


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
    below = 0
    for line in lines:
        if not title:
            if line[0].box[1] > 0.35 * h or line[0].box[1] >= top_mark or _is_labels(line):
                break
            title = list(line)
            below += 1
            continue
        last = title[-1]
        same = abs(height(line[0].box) - height(last.box)) <= 0.2 * height(last.box) + 1
        same = same and _aligned(line, title, w)
        gap = line[0].box[1] - max(i.box[3] for i in title)
        if same and gap <= 0.75 * height(last.box) and same_ink(line[0], last) and not _is_labels(line):
            title += line
            below += 1
        else:
            break
    for line in lines[below:] if title else []:
        blank = bool(subtitle) and len(line) == 2 and line[0].number is None and line[1].number is None
        if (_is_labels(line) and not blank) or line[0].box[1] >= top_mark:
            break
        ref = subtitle[-1] if subtitle else title[-1]
        gap = line[0].box[1] - max(i.box[3] for i in (subtitle or title))
        if gap > (0.8 if subtitle else 1.6) * height(ref.box) or not _aligned(line, title, w):
            break
        if subtitle and not (same_ink(line[0], ref) and abs(height(line[0].box) - height(ref.box)) <= 4):
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
