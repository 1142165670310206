"""View: one sentence prepared for parsing: its names, dates, numbers and cues, grouped and cut into segments.

A segment is a stretch that states one thing: "Clinton leads with 56% | followed by Obama at 16% | and Edwards at 12%".
Items of one kind joined by "and", commas or "to" form one group ("men and women", "from 20 to 30"), which is never cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from f2teval.claims.claim import Quantity
from f2teval.claims.cues import Cue, find_cues
from f2teval.claims.entities import Hit
from f2teval.claims.index import FigureIndex
from f2teval.claims.wordforms import Token

GroupKind = Literal["name", "time", "number"]


class Group(NamedTuple):
    """Items of one kind that belong together; ``joint`` is "to" for the two ends of a range, else "and"."""

    kind: GroupKind
    role: str
    start: int
    end: int
    items: tuple[Hit | Quantity, ...]
    joint: str

    @property
    def numbers(self) -> tuple[Quantity, ...]:
        """The items of a number or time group."""
        return tuple(i for i in self.items if isinstance(i, Quantity))

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The items of a name group."""
        return tuple(i for i in self.items if isinstance(i, Hit))


@dataclass(slots=True)
class Segment:
    """A stretch of a sentence that states one thing. ``lead`` is the word that opened it ("while", "with", ",")."""

    start: int
    end: int
    lead: str
    groups: list[Group] = field(default_factory=list)
    cues: list[Cue] = field(default_factory=list)

    def of(self, kind: GroupKind, role: str = "") -> list[Group]:
        """Groups of a kind (and role)."""
        return [g for g in self.groups if g.kind == kind and (not role or g.role == role)]


@dataclass(slots=True)
class View:
    """One sentence: everything found in it."""

    number: int
    start: int
    end: int
    text: str
    segments: list[Segment]
    groups: list[Group]
    cues: list[Cue]
    names: list[tuple[int, int]] = field(default_factory=list)
    strangers: list[tuple[int, int]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    derived: set[int] = field(default_factory=set)
    assigned: set[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=set)

    @property
    def words(self) -> str:
        """The sentence itself."""
        return self.text[self.start : self.end]


_HEDGING = (
    r"(?:about|around|approximately|roughly|nearly|almost|close\sto|little|touch|barely|somewhat|just|slightly|over|under|above|below|more|less|than|only"
    r"|some|the"
    r"|an?|at|in|its|of|about|well|a\slittle|both|also|their|to|year|years|month|early|late|mid|those|aged?|ages|\$"
    r"|€|£|\()"
)
_JOINT = re.compile(
    rf"[\s,.\"'“”‘’()*]{{0,6}}(?P<joint>and|or|&|to|-|–|—|through|as\swell\sas|then|until|till|plus|,)?[\s,]{{0,3}}"
    rf"(?:{_HEDGING}\s?){{0,4}}[\s\"'“”‘’(*]{{0,3}}", re.I,
)  # fmt: skip
_UNIT_JOINT = re.compile(
    rf"(?:\s[\w./$€£]{{1,20}}){{0,6}}\s?(?:,|,?\sand|,?\sor)\s(?:{_HEDGING}\s?){{0,4}}[$€£]?", re.I
)
_HARD = re.compile(
    r";|—|:\s|\(?\b(?:while|whereas|but|although|though|however|compared\s(?:to|with)|versus|vs\.?|where|and\sthen|then"
    r"|after\swhich|followed\s(?:closely\s|then\s)?by|before(?=\s\w+ing\b)|with(?=\s(?:a|an|the|only|just|about"
    r"|around|nearly"
    r"|approximately|over|its|their|both|each|\d|\w+\s(?:at|having|showing|being|representing|ranging|following)\b))"
    r"|than(?=\s(?:the|those|its|that|in|on|offline|online|\w+\s\()))\b", re.I,
)  # fmt: skip
_SOFT = re.compile(r",\s?(?:and|or)?\b|\band\b|\n")
_ENUMERATOR = re.compile(r"[\s*_(]{0,4}\d{1,3}[.)][*_]{0,2}(?=\s|$)")
_DANGLING = re.compile(r"\n\s{0,4}\d{1,2}[.)]$")
_ITEM = re.compile(r"\n[\s\-•*_(]{0,4}\d{1,3}[.)][*_]{0,2}(?=\s|$)")
_AGAINST = re.compile(
    r"\b(?:compared\s(?:to|with)|against|relative\sto|unlike|in\scontrast\sto|next\sto|beside)\s(?:the\s)?[\"“‘']?$",
    re.I,
)
_OPENING = re.compile(r"[\s\-•*]{0,4}(?:\w+,\s)?(?:with|at|reaching|having)\s(?!the\b)", re.I)
_MAX_ITEMS: Final = 120


def make_view(
    number: int, span: tuple[int, int], text: str, hits: list[Hit], quantities: list[Quantity], index: FigureIndex
) -> View:
    """The view of the sentence ``text[span]``; ``hits`` and ``quantities`` are those inside it, in order."""
    start, end = span
    listed = _ENUMERATOR.match(text, start, end)
    if listed:  # "2. The second point"
        quantities = [q for q in quantities if q.start >= listed.end()]
    dangling = _DANGLING.search(text, max(start, end - 8), end)
    if dangling:  # "…:\n\n1." where the item itself is the next sentence
        quantities = [q for q in quantities if q.start < dangling.start()]
    if text.find("\n", start, end) >= 0:  # items of a list that were not cut into sentences
        items = [m.span() for m in _ITEM.finditer(text, start, end)]
        quantities = [q for q in quantities if not any(a <= q.start < b for a, b in items)]
    cues = find_cues(text, start, end)[:_MAX_ITEMS]
    lists = text.find("respectively", start, end) >= 0
    groups = _groups(text, hits[:_MAX_ITEMS], quantities[:_MAX_ITEMS], lists)
    cues = [c for c in cues if not any(g.kind == "name" and g.start <= c.start and c.end <= g.end for g in groups)]
    segments = _segments(text, start, end, groups, cues)
    return View(number, start, end, text, segments, groups, cues)


def drop_named(quantities: list[Quantity], hits: list[Hit]) -> list[Quantity]:
    """Quantities that are no part of a name of the figure ("18-29")."""
    return [q for q in quantities if not any(h.start < q.end and q.start < h.end for h in hits)]


def _kind(item: Hit | Quantity) -> tuple[GroupKind, str]:
    if isinstance(item, Hit):
        return "name", item.role
    return ("time", "") if item.kind in {"year", "date"} else ("number", "")


def _groups(text: str, hits: list[Hit], quantities: list[Quantity], lists: bool) -> list[Group]:
    items: list[Hit | Quantity] = [*hits, *(q for q in quantities if q.kind != "ordinal")]
    items.sort(key=lambda i: (i.start, i.end))
    groups: list[Group] = []
    run: list[Hit | Quantity] = []
    joint = ""
    for item in items:
        if run:
            link = _link(text, run[-1], item)
            if link is None and lists and isinstance(run[-1], Quantity) and isinstance(item, Quantity):
                link = _link_over_units(text, run[-1], item)
            if link is not None and not (joint == "to" and link == "to" and len(run) >= 2):
                run.append(item)
                joint = joint or link
                continue
            groups.append(_close(run, joint))
        run, joint = [item], ""
    if run:
        groups.append(_close(run, joint))
    return groups


def _close(run: list[Hit | Quantity], joint: str) -> Group:
    kind, role = _kind(run[0])
    return Group(kind, role, run[0].start, run[-1].end, tuple(run), joint if len(run) > 1 else "")


def _link(text: str, a: Hit | Quantity, b: Hit | Quantity) -> str | None:
    """How two neighbours are joined: "to", "and", or ``None`` when they are not."""
    if _kind(a) != _kind(b) or b.start - a.end > 34:
        return None
    between = text[a.end : b.start]
    m = _JOINT.fullmatch(between)
    if not m or not (m.group("joint") or "," in between):
        return None
    if isinstance(a, Quantity) and isinstance(b, Quantity):
        if a.unit != b.unit and a.kind == "number" and b.kind == "number" and {a.unit, b.unit} & {"%", "pp"}:
            return None
        if (a.kind == "multiplier") != (b.kind == "multiplier"):
            return None
        if "(" in between:
            return None
    elif not m.group("joint") and _AGAINST.search(text, max(0, a.start - 20), a.start):
        return None  # "Compared with Austria, Switzerland has more"
    word = (m.group("joint") or ",").lower()
    if word in {"to", "-", "–", "—", "through", "until", "till"}:
        return "to"
    if (
        word == "and"
        and isinstance(a, Quantity)
        and re.search(r"\bbetween\s[^,;]{0,24}$", text[max(0, a.start - 34) : a.start])
    ):
        return "to"
    return "and"


def _link_over_units(text: str, a: Quantity, b: Quantity) -> str | None:
    """Numbers of a "respectively" list with their units written out ("23 minutes, 27 minutes and 31 minutes")."""
    if _kind(a) != _kind(b) or a.kind != "number" or b.start - a.end > 60:
        return None
    return "and" if _UNIT_JOINT.fullmatch(text, a.end, b.start) else None


def _segments(text: str, start: int, end: int, groups: list[Group], cues: list[Cue]) -> list[Segment]:
    cuts: list[tuple[int, str, bool]] = []

    def inside(at: int) -> bool:
        return any(g.start < at < g.end for g in groups)

    for m in _HARD.finditer(text, start, end):
        if m.start() > start and not inside(m.start()):
            cuts.append((m.start(), m.group().lower(), True))
    for m in _SOFT.finditer(text, start, end):
        if m.start() > start and not inside(m.start()):
            cuts.append((m.start(), m.group().strip(), False))
    cuts.sort()
    pieces: list[Segment] = []
    hard: list[bool] = []
    at, lead = start, ""
    strong = True
    for cut, word, is_hard in cuts:
        if cut > at:
            pieces.append(Segment(at, cut, lead))
            hard.append(strong)
        at, lead, strong = cut, word, is_hard
    pieces.append(Segment(at, end, lead))
    hard.append(strong)
    _fill(pieces, groups, cues)
    return _merge(text, pieces, hard)


def _fill(pieces: list[Segment], groups: list[Group], cues: list[Cue]) -> None:
    i = 0
    for g in groups:
        while i + 1 < len(pieces) and pieces[i + 1].start <= g.start:
            i += 1
        pieces[i].groups.append(g)
    i = 0
    for c in cues:
        while i + 1 < len(pieces) and pieces[i + 1].start <= c.start:
            i += 1
        pieces[i].cues.append(c)


def _merge(text: str, pieces: list[Segment], hard: list[bool]) -> list[Segment]:
    """Joins pieces that state nothing of their own to the neighbour they belong to."""
    merged: list[Segment] = []
    waiting: Segment | None = None
    for piece, is_hard in zip(pieces, hard):
        if waiting is not None:
            if is_hard and waiting.groups and merged and waiting.lead not in {""}:
                _join(merged[-1], waiting)
            else:
                piece = Segment(
                    waiting.start, piece.end, waiting.lead, waiting.groups + piece.groups, waiting.cues + piece.cues
                )
            waiting = None
        states = bool(piece.cues) or any(g.kind == "number" for g in piece.groups)
        if (
            states
            and not merged
            and not piece.cues
            and not piece.of("name")
            and _OPENING.match(text, piece.start, piece.end)
        ):
            waiting = piece  # "With 2.8 percent, Car had the smallest share"
        elif states:
            merged.append(piece)
        elif is_hard or not merged:
            waiting = piece
        else:
            # After a statement, a comma: a trailing phrase ("…, in 2014") unless it opens the next one.
            opens = "and" in piece.lead or not any(g.kind == "time" for g in piece.groups)
            if piece.lead.startswith(",") and piece.groups and opens:
                waiting = piece
            else:
                _join(merged[-1], piece)
    if waiting is not None:
        if merged:
            _join(merged[-1], waiting)
        else:
            merged.append(waiting)
    return merged


def _join(into: Segment, piece: Segment) -> None:
    into.end = piece.end
    into.groups.extend(piece.groups)
    into.cues.extend(piece.cues)


__all__ = ["Group", "Segment", "Token", "View", "drop_named", "make_view"]
