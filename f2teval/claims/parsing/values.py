"""Values: who has how much, when; changes "from a to b"; ranges "between a and b"."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Final

from f2teval.claims.claim import Claim, Mention, Quantity
from f2teval.claims.cues import Cue
from f2teval.claims.entities import Hit
from f2teval.claims.index import FigureIndex
from f2teval.claims.parsing.frame import Frame, mention, names_of
from f2teval.claims.view import Group, Segment, View

_FROM = re.compile(r"\bfrom\s[^,;]{0,24}$", re.I)
_TO = re.compile(r"\b(?:to|reaching|towards?)\s[^,;]{0,24}$", re.I)
_AXIS_WORD = re.compile(
    r"\b(?:[xy][-\s]?axis|axis|scale|increments?|intervals?|ticks?|grid|sample|margin|n\s?=)\b", re.I
)
_AFTER_LINK = re.compile(
    r"\s?(?:of|for|in|among|from|on|at|by|to|say|who|are|were|with)?\s?(?:the|all|those|both|an?|their)?\s?$", re.I
)
_NOT_A_VALUE = re.compile(
    r"[-\s]{0,2}(?:years?|months?|decades?|weeks?|days?|countries|nations|categories|groups?|states|regions|bars?"
    r"|lines?|columns?"
    r"|cities|companies|sections|main|different|distinct|major|key|topics|issues|items|generations|candidates"
    r"|options|parties"
    r"|series|data\spoints?|points?\sin\stime|time\speriods?|peaks?|surveys?|respondents\ssurveyed|types|sectors"
    r"|panels|charts?"
    r"|graphs?|areas|time\spoints|variables|factors|statements|questions|sources|out\sof|others?|of\sthe|of\sthese"
    r"|largest"
    r"|highest|lowest|most|top|least|biggest|smallest|best|per|hours?|and\s(?:older|over|up|under))\b", re.I,
)  # fmt: skip
_PER = re.compile(r"\bper\s?$", re.I)
_TOP = re.compile(
    r"\b(?:top|leading|bottom|first|last|next|aged?|ages|under|figure|fig\.|table|no\.|version|covid|base)[-\s]?$", re.I
)
_PASSES = re.compile(
    r"\b(?:pass|go|goes|went|mov|chang|shift|develop|evolv|turn|swung|swing)\w*\s(?:\w+\s)?from\s", re.I
)
_AGE_BEFORE = re.compile(r"\b(?:aged?|ages|between\sthe\sages\sof)\s?(?:\d+\s?[-–]\s?)?$|\d\s?[-–]$", re.I)
_AGE_AFTER = re.compile(
    r"[-–]\d+[-\s]?(?:year|yr|age)|[-\s](?:(?:to|and)[-\s]\d+[-\s])?(?:year|yr)s?[-\s]olds?\b"
    r"|\s(?:and|or)\s(?:older|over|up|younger)\b|\s(?:age|years)\b", re.I,
)  # fmt: skip
_NEXT_ITEM = re.compile(r"[\s,;]*(?:to|and|or|versus|vs\.?)?\s(?:\w+\s){0,3}", re.I)
_MAX_LIST: Final = 12
_PAIR_PENALTY: Final = 12


def is_value(q: Quantity, text: str) -> bool:
    """Whether a number can be the value of something and is no count of things, no age and no part of a name."""
    if q.kind not in {"number", "fraction"}:
        return False
    if q.unit in {"%", "pp"}:
        return True
    after = text[q.end : q.end + 24]
    before = text[max(0, q.start - 12) : q.start]
    if q.text[:1].isalpha() and q.scale == 1.0 and not q.unit and q.kind == "number":
        return False  # "two countries": spelled numbers count things
    if _AGE_BEFORE.search(before) or _AGE_AFTER.match(after):
        return False
    if q.value == int(q.value) and abs(q.value) < 100 and q.scale == 1.0 and not q.unit and _NOT_A_VALUE.match(after):
        return False
    return not (_TOP.search(before) or _PER.search(before)) or q.scale > 1


def parse_values(view: View, segment: Segment, frame: Frame, index: FigureIndex) -> list[Claim]:
    """Claims for the numbers of a segment that nothing else has used."""
    text = view.text
    claims: list[Claim] = []
    groups = [g for g in segment.of("number") if any(q.start not in view.used and is_value(q, text) for q in g.numbers)]
    if not groups or (not segment.of("name") and _AXIS_WORD.search(text, segment.start, segment.end)):
        return []
    for g in groups:
        numbers = [q for q in g.numbers if q.start not in view.used and is_value(q, text)]
        view.used.update(q.start for q in numbers)
        if len(numbers) == 2 and g.joint == "to":
            claims.append(
                _span(view, segment, _narrow(view, segment, frame, g, numbers[0], index, len(groups)), g, numbers)
            )
            continue
        same = [] if len(numbers) == 1 else _equals(segment, g, len(numbers))
        if same:
            claims += [_paired(view, segment, frame, q, item, index) for q, item in zip(numbers, same)]
            continue
        for q in numbers:
            narrowed = _narrow(view, segment, frame, g, q, index, len(groups))
            listed = _listed(segment, narrowed)
            if listed is None:
                claims.append(_value(view, segment, narrowed, q))
            else:  # "both near 1,500": true of each
                claims += [_paired(view, segment, narrowed, q, hit, index) for hit in listed.hits[:_MAX_LIST]]
    return claims


def _listed(segment: Segment, frame: Frame) -> Group | None:
    """The list of names that one number is said of, if there is one."""
    lists = [g for g in segment.of("name") if g.role in {"series", "category"} and len(g.hits) > 1]
    if len(lists) != 1:
        return None
    names = set(names_of(lists[0]))
    return lists[0] if names <= set(frame.series) or names & set(frame.categories) else None


def _equals(segment: Segment, g: Group, n: int) -> list[Hit | Quantity]:
    """A list of names or dates as long as the list of numbers ("… respectively"): nearest before, else after."""
    lists = [o for o in segment.groups if o.kind != "number" and len(o.items) == n]
    if not lists:
        return []
    best = min(lists, key=lambda o: g.start - o.end if o.end <= g.start else _PAIR_PENALTY + o.start - g.end)
    return list(best.items)


def _paired(view: View, segment: Segment, frame: Frame, q: Quantity, item: Hit | Quantity, index: FigureIndex) -> Claim:
    """The value claim for one pair of two lists."""
    if isinstance(item, Hit):
        series = item.targets if item.role == "series" else frame.series
        categories = item.targets if item.role == "category" else frame.categories
        return _claim(
            view, segment, q, series, categories, (mention(item, view.text),), frame, 0.95 * frame.certainty, True
        )
    categories = tuple(index.at(item)) or ()
    return _claim(view, segment, q, frame.series, categories, frame.mentions, frame, 0.95 * frame.certainty, True)


def _narrow(
    view: View, segment: Segment, frame: Frame, g: Group, q: Quantity, index: FigureIndex, n_numbers: int
) -> Frame:
    """Of several names in one segment, the one beside this number."""
    narrowed = frame
    for role in ("series", "category"):
        groups = segment.of("name", role)
        if len(groups) < 2:
            continue
        best = min(groups, key=lambda o: _distance(view, segment, o, g))
        own = tuple(m for m in narrowed.mentions if m.role != role) + tuple(mention(h, view.text) for h in best.hits)
        narrowed = replace(narrowed, mentions=own, certainty=frame.certainty * (0.9 if n_numbers > 1 else 0.75))
        if role == "series":
            narrowed = replace(narrowed, series=names_of(best), own_series=True)
        else:
            inside = tuple(n for n in names_of(best) if n in frame.sections)
            narrowed = replace(narrowed, categories=inside or names_of(best), own_categories=True)
    times = segment.of("time")
    if index.is_time and len(times) > 1 and len(frame.times.each) > 1:
        near = min(times, key=lambda o: _distance(view, segment, o, g))
        at = tuple(c for item in near.numbers for c in index.at(item))
        if at:
            narrowed = replace(narrowed, categories=at, own_categories=True, certainty=0.95 * narrowed.certainty)
    return narrowed


def _distance(view: View, segment: Segment, other: Group, number: Group) -> int:
    """How far a name is from a number, with what stands between them counted in."""
    if other.end <= number.start:
        between = view.text[other.end : number.start]
        distance = len(between) + (_PAIR_PENALTY if _NEXT_ITEM.fullmatch(between) else 0)
    else:
        between = view.text[number.end : other.start]
        linked = bool(_AFTER_LINK.fullmatch(between))
        distance = len(between) if linked else len(between) + _PAIR_PENALTY
    crossing = sum(
        1
        for n in segment.of("number")
        if n is not number and min(other.end, number.end) <= n.start < max(other.start, number.start)
    )
    return distance + 3 * _PAIR_PENALTY * crossing + (_PAIR_PENALTY if "," in between else 0)


def _value(view: View, segment: Segment, frame: Frame, q: Quantity) -> Claim:
    return _claim(
        view, segment, q, frame.series, frame.categories, frame.mentions, frame, frame.certainty, _explicit(segment)
    )


def _claim(
    view: View, segment: Segment, q: Quantity, series: tuple[str, ...], categories: tuple[str, ...],
    mentions: tuple[Mention, ...], frame: Frame, certainty: float, explicit: bool,
) -> Claim:  # fmt: skip
    key = (tuple(series), tuple(categories))
    repeat = key in view.assigned and not (key[1] == () and frame.times.points)
    view.assigned.add(key)
    extreme = next((c.kind for c in segment.cues if c.kind in {"high", "low"} and c.rank == 1), "")
    return Claim(
        "value",
        view.number,
        min(q.start, *(m.start for m in mentions if segment.start <= m.start), q.start),
        max(q.end, *(m.end for m in mentions if segment.start <= m.start < segment.end), q.end),
        mentions,
        tuple(series),
        tuple(categories),
        (q,),
        slots={
            "certainty": certainty,
            "repeat": repeat,
            "soft": frame.soft,
            "near_series": _all(view, "series"),
            "near_categories": _all(view, "category"),
            "stranger": frame.stranger,
            "own_series": frame.own_series or ("series" in frame.held and not repeat),
            "own_categories": frame.own_categories
            or bool(frame.times.points)
            or ("category" in frame.held and not repeat),
            "explicit": explicit,
            "unknown_time": bool(frame.times.unknown) and frame.times.dated,
            "roughly": frame.times.roughly,
            "extreme": extreme,
            "start": frame.times.start,
            "end": frame.times.end,
        },
    )  # fmt: skip


def _explicit(segment: Segment) -> bool:
    """Whether a segment pairs one number with one name (of each dimension) beyond doubt."""
    hits = [h for g in segment.of("name") for h in g.hits]
    one_each = len(hits) == len({h.role for h in hits}) > 0
    return sum(len(g.items) for g in segment.of("number")) == 1 and one_each and min(h.similarity for h in hits) >= 0.9


def _all(view: View, role: str) -> tuple[str, ...]:
    """Every name of a role in the sentence."""
    return tuple(dict.fromkeys(n for g in view.groups if g.kind == "name" and g.role == role for n in names_of(g)))


def _span(view: View, segment: Segment, frame: Frame, g: Group, numbers: list[Quantity]) -> Claim:
    """ "from a to b": a change where the words say rise or fall or "from", else the range of the values."""
    moves = [c for c in segment.cues if c.kind in {"up", "down"}]
    before = view.text[max(view.start, numbers[0].start - 28) : numbers[0].start]
    changing = re.search(r"\bfrom\b", before, re.I) is not None and (
        bool(moves)
        or _PASSES.search(view.text[max(segment.start, numbers[0].start - 60) : numbers[0].start]) is not None
    )
    slots = {
        "certainty": frame.certainty,
        "start": frame.times.start,
        "end": frame.times.end,
        "at": list(frame.times.points),
        "dates": tuple(frame.times.quantities),
        "own_series": frame.own_series,
        "own_categories": frame.own_categories,
    }
    if changing:
        direction = _nearest_move(moves, g.start) if moves else ""
        start = min([g.start, *(c.start for c in moves)])
        return Claim(
            "change",
            view.number,
            start,
            g.end,
            frame.mentions,
            frame.series,
            frame.categories,
            tuple(numbers),
            direction,
            slots=slots,
        )
    return Claim(
        "range",
        view.number,
        g.start,
        g.end,
        frame.mentions,
        frame.series,
        frame.categories,
        tuple(numbers),
        slots=slots,
    )


def _nearest_move(moves: list[Cue], at: int) -> str:
    """The kind of the last word of rise or fall before a place, else of the first after it."""
    before = [c for c in moves if c.start <= at]
    return (before[-1] if before else moves[0]).kind


def parse_changes(view: View, segment: Segment, frame: Frame, index: FigureIndex) -> list[Claim]:
    """ "rose from 12 % in 2005 to 30 % in 2018", where dates stand between the two numbers."""
    text = view.text
    groups = [
        g
        for g in segment.of("number")
        if len(g.items) == 1 and is_value(g.numbers[0], text) and g.start not in view.used
    ]
    for a, b in itertools.pairwise(groups):
        between = text[a.end : b.start]
        if len(between) > 60 or not _FROM.search(text[max(view.start, a.start - 34) : a.start]):
            continue
        if not _TO.search(between):
            continue
        if any(a.end <= n.start < b.start for n in segment.of("name")):
            continue  # "from 400 for A to 150 for B"
        qa, qb = a.numbers[0], b.numbers[0]
        view.used.update({qa.start, qb.start})
        t0 = next((t for t in segment.of("time") if a.end <= t.start < b.start), None)
        t1 = next((t for t in segment.of("time") if t.start >= b.end), None)
        moves = [c for c in segment.cues if c.kind in {"up", "down"}]
        at0 = index.at(t0.numbers[0]) if t0 else []
        at1 = index.at(t1.numbers[-1]) if t1 else []
        slots = {
            "certainty": frame.certainty,
            "start": at0[0] if at0 else frame.times.start,
            "end": at1[-1] if at1 else frame.times.end,
            "at": [],
            "dates": tuple(frame.times.quantities),
            "own_series": frame.own_series,
            "own_categories": frame.own_categories,
        }
        direction = _nearest_move(moves, a.start) if moves else ""
        if not moves and t0 is None and not _PASSES.search(text[max(segment.start, a.start - 60) : a.start]):
            slots["at"] = list(frame.times.points)
            return [
                Claim(
                    "range",
                    view.number,
                    a.start,
                    b.end,
                    frame.mentions,
                    frame.series,
                    frame.categories,
                    (qa, qb),
                    slots=slots,
                )
            ]
        return [Claim("change", view.number, a.start, b.end, frame.mentions, frame.series, frame.categories, (qa, qb),
                      direction, slots=slots)]  # fmt: skip
    return []
