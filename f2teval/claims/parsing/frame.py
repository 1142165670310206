"""Who and when a segment is about: its own names and dates, else those carried over from before.

Names are carried by their dimension: in "For Obama, support starts at 50 % in January, peaks at 53 % in February" the
series stays while the dates change. What comes from an earlier sentence counts for less than what stands beside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from f2teval.claims.claim import Mention, Quantity
from f2teval.claims.entities import Hit
from f2teval.claims.index import FigureIndex
from f2teval.claims.view import Group, Segment, View

_FIRST = re.compile(
    r"\b(?:start(?:s|ed|ing)?|beg[iau]n(?:s|ning)?|initial(?:ly)?|at\sfirst|originally|outset|opening|first\s(?:year"
    r"|month"
    r"|point)|earliest)\b", re.I,
)  # fmt: skip
_LAST = re.compile(
    r"\b(?:end(?:s|ed|ing)?(?!\sof\sthe\sspectrum)|finish(?:es|ed|ing)?|final(?:ly|e)?|last\s(?:year|month|point|data"
    r"|recorded)|latest|most\srecent|culminat\w+|conclud\w+|closing)\b", re.I,
)  # fmt: skip
_MODIFIER = re.compile(r"\b(early|mid|late)[-\s](?:the\s)?$", re.I)
_ROUGHLY = re.compile(
    r"\b(?:around|about|approximately|near|roughly|circa|close\sto|sometime\sin)\s(?:the\s)?(?:year\s)?$", re.I
)
_SINCE = re.compile(
    r"\b(?:since|after|from|relative\sto|compared\s(?:to|with)|against|versus|starting(?:\s(?:in|from))?"
    r"|beginning(?:\s(?:in|with))?|post)\s(?:the\s)?(?:around\s|about\s)?(?:year\s)?(?:early\s|late\s|mid-?\s?)?$",
    re.I,
)
_UNTIL = re.compile(
    r"\b(?:until|till|up\sto|through|by|before|to|prior\sto)\s(?:the\s)?(?:around\s|about\s)?(?:year\s)?(?:early\s"
    r"|late\s|mid-?\s?)?$",
    re.I,
)
_AGE: Final = (1.0, 0.85, 0.65)


@dataclass(slots=True)
class Times:
    """Dates of a segment, resolved. ``points`` are categories; ``start``/``end`` bound a span; ``unknown`` are dates
    that the figure does not hold; ``roughly`` widens each by a step."""

    points: list[str] = field(default_factory=list)
    start: str = ""
    end: str = ""
    unknown: list[Quantity] = field(default_factory=list)
    roughly: bool = False
    quantities: list[Quantity] = field(default_factory=list)
    each: list[list[str]] = field(default_factory=list)
    spans: list[tuple[str, str]] = field(default_factory=list)
    dated: bool = True  # whether the figure has dates at all


@dataclass(slots=True)
class Frame:
    """What a segment is about. Names are figure names; ``certainty`` is how sure they are the right ones."""

    series: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    times: Times = field(default_factory=Times)
    certainty: float = 1.0
    own_series: bool = False
    own_categories: bool = False
    ambiguous: bool = False  # a name that may stand for several
    stranger: bool = False
    soft: tuple[str, ...] = ()  # roles whose names come from an earlier sentence
    held: tuple[str, ...] = ()  # roles whose names come from an earlier segment of this sentence
    sections: tuple[str, ...] = ()


@dataclass(slots=True)
class Carry:
    """What was last spoken of, by dimension, with its age (0 this segment, 1 this sentence, 2 before)."""

    series: tuple[Group, int] | None = None
    category: tuple[Group, int] | None = None
    section: tuple[Group, int] | None = None
    times: tuple[Times, int] | None = None

    def next_sentence(self) -> None:
        """Everything gets older; what is more than one sentence old is forgotten, except the series."""
        self.series = (self.series[0], 2) if self.series else None
        self.category = (self.category[0], 2) if self.category and self.category[1] < 2 else None
        self.section = (self.section[0], 2) if self.section else None
        self.times = (self.times[0], 2) if self.times and self.times[1] < 2 else None

    def update(self, segment: Segment, times: Times) -> None:
        """Remembers what ``segment`` spoke of."""
        for g in segment.groups:
            if g.kind == "name" and g.role == "series":
                self.series = (g, 1)
            elif g.kind == "name" and g.role == "category":
                self.category = (g, 1)
            elif g.kind == "name" and g.role == "section":
                self.section = (g, 1)
        if times.points or times.start or times.end:
            self.times = (times, 1)


def names_of(group: Group) -> tuple[str, ...]:
    """All figure names of a group."""
    return tuple(dict.fromkeys(t for h in group.hits for t in h.targets))


def mention(hit: Hit, text: str) -> Mention:
    """The public form of a hit."""
    return Mention(hit.start, hit.end, text[hit.start : hit.end], hit.role, hit.targets[0], round(hit.similarity, 3))


def mentions_of(groups: list[Group], text: str) -> tuple[Mention, ...]:
    """Mentions of name groups."""
    return tuple(mention(h, text) for g in groups for h in g.hits)


def resolve_times(view: View, groups: list[Group], index: FigureIndex, words: str = "") -> Times:
    """The dates of ``groups`` as categories of the figure; words like "at the end" where there is no date."""
    times = Times(dated=index.is_time or bool(index.dates_in_series))
    for g in groups:
        resolved: list[list[str]] = []
        for q in g.numbers:
            before = view.text[max(view.start, q.start - 28) : q.start]
            modifier = _MODIFIER.search(before)
            found = index.at(q, modifier.group(1).lower() if modifier else "")
            times.roughly = times.roughly or bool(_ROUGHLY.search(before)) or q.unit == "decade"
            times.quantities.append(q)
            if not found:
                near = index.near(q.value) if q.value > 13.1 and (index.is_line or index.even) else None
                if near:
                    found, times.roughly = [near], True
                else:
                    times.unknown.append(q)
            resolved.append(found)
        first = g.numbers[0]
        before = view.text[max(view.start, first.start - 28) : first.start]
        if g.joint == "to" and len(resolved) == 2:
            a, b = (r or _clamped(q, index) for q, r in zip(g.numbers, resolved))
            if index.times and bool(a) != bool(b):
                a, b = _overlap(g.numbers, a, b, index)
            if a and b:
                times.start, times.end = a[0], b[-1]
                times.spans.append((a[0], b[-1]))
        elif len(resolved) == 1 and _SINCE.search(before) and (since := resolved[0] or _clamped(first, index)):
            times.start = times.start or since[0]
            times.each.append(since)
        elif len(resolved) == 1 and _UNTIL.search(before) and (until := resolved[0] or _clamped(first, index)):
            times.end = until[-1]
            times.each.append(until)
        else:
            times.points.extend(c for r in resolved for c in r)
            times.each.extend(r for r in resolved)
    if not groups and words and index.is_time and index.categories:
        if _FIRST.search(words):
            times.points.append(index.categories[0])
        elif _LAST.search(words):
            times.points.append(index.categories[-1])
    return times


def _clamped(q: Quantity, index: FigureIndex) -> list[str]:
    """The first or last mark for a date that the axis shows but whose mark was not read."""
    period = index.period()
    if period is None or not period[0] - 0.51 <= q.value <= period[1] + 0.999:
        return []
    first, last = index.times[0], index.times[-1]
    reach = max(2.1 * index.step, 0.15 * (period[1] - period[0]))
    if q.value < first[0] and first[0] - q.value <= reach:
        return [first[1]]
    if q.value > last[0] and q.value - last[0] <= reach:
        return [last[1]]
    return []


def _overlap(
    numbers: tuple[Quantity, ...], a: list[str], b: list[str], index: FigureIndex
) -> tuple[list[str], list[str]]:
    """The ends of a span of which one lies outside what was read: the first or last mark, if most of it is there."""
    first, last = index.times[0], index.times[-1]
    lo, hi = numbers[0].value, numbers[1].value
    if hi <= lo or min(hi, last[0]) - max(lo, first[0]) < 0.7 * (hi - lo):
        return a, b
    return a or [first[1]], b or [last[1]]


def categories_of(groups: list[Group], sections: list[Group]) -> tuple[str, ...]:
    """Categories that groups name, inside the sections that are named ("Germans" under "China")."""
    inside = {t for g in sections for t in names_of(g)}
    found: dict[str, None] = {}
    for g in groups:
        for h in g.hits:
            kept = [t for t in h.targets if t in inside] if len(h.targets) > 1 else []
            found.update(dict.fromkeys(kept or h.targets))
    return tuple(found)


def resolve(view: View, segment: Segment, carry: Carry, index: FigureIndex) -> Frame:
    """The frame of a segment: its own names and dates, else the carried ones."""
    words = view.text[segment.start : segment.end]
    series_groups, category_groups = segment.of("name", "series"), segment.of("name", "category")
    own_sections = segment.of("name", "section")
    sections = own_sections or ([carry.section[0]] if carry.section else [])
    times = resolve_times(view, segment.of("time"), index, words)
    frame = Frame(times=times, sections=tuple(dict.fromkeys(t for g in sections for t in names_of(g))))
    certainty = 1.0
    if series_groups:
        frame.series = tuple(dict.fromkeys(n for g in series_groups for n in names_of(g)))
        frame.own_series = True
    elif index.dates_in_series and (dated := [s for q in times.quantities for s in index.series_dates(q)]):
        frame.series = tuple(dict.fromkeys(dated))
        frame.own_series = True
    elif carry.series is not None:
        frame.series = names_of(carry.series[0])
        certainty *= _AGE[carry.series[1]]
        series_groups = [carry.series[0]]
        frame.soft += ("series",) if carry.series[1] == 2 else ()
        frame.held += ("series",) if carry.series[1] == 1 else ()
    elif len(index.series) == 1:
        frame.series = tuple(index.series)
    if category_groups:
        frame.categories = categories_of(category_groups, sections)
        frame.own_categories = True
    elif carry.category is not None and not index.is_time:
        frame.categories = categories_of([carry.category[0]], sections)
        certainty *= _AGE[carry.category[1]]
        category_groups = [carry.category[0]]
        frame.soft += ("category",) if carry.category[1] == 2 else ()
        frame.held += ("category",) if carry.category[1] == 1 else ()
    elif own_sections:
        frame.categories = frame.sections
    if index.is_time and not frame.own_categories:
        frame.categories = tuple(times.points)
        if not times.quantities and not times.points and carry.times is not None and carry.times[1] <= 1:
            frame.categories = tuple(carry.times[0].points)
    used = series_groups + category_groups
    frame.mentions = mentions_of(used, view.text)
    hits = [h for g in used for h in g.hits]
    if hits:
        certainty *= min(min(1.0, 0.4 + 0.6 * h.similarity) for h in hits)
        frame.ambiguous = len(frame.categories) > sum(len(g.hits) for g in category_groups) > 0
    frame.stranger = not (segment.of("name")) and any(segment.start <= a < segment.end for a, _ in view.strangers)
    frame.certainty = certainty * (0.8 if frame.ambiguous else 1.0) * (0.5 if frame.stranger else 1.0)
    return frame
