"""Extremes and ranks: who or when is the highest, the lowest, the second; who follows."""

from __future__ import annotations

import re
from typing import Final

from f2teval.claims.claim import Claim, Mention
from f2teval.claims.cues import Cue
from f2teval.claims.index import FigureIndex
from f2teval.claims.parsing.frame import Carry, Frame, Times, categories_of, mention, names_of, resolve_times
from f2teval.claims.view import Group, Segment, View

_CHANGE_NOUN = re.compile(
    r"\W{0,2}(?:\w+\s){0,2}?(?:increases?|decreases?|declines?|drops?|rises?|jumps?|falls?|growth|changes?|gains?"
    r"|loss(?:es)?"
    r"|difference|gap|disparity|contrast|margin|shift|spikes?|dips?|reductions?|surge|improvements?|swings?)\b", re.I,
)  # fmt: skip
_CHANGE_VERB = re.compile(
    r"\b(?:gr[eo]w\w*|rose|ris\w+|fell|fall\w*|declin\w+|increas\w+|decreas\w+|dropp?\w*|climb\w*|w(?:ent)\s(?:up"
    r"|down)|gain\w*|chang\w+|shr[ai]nk\w*)"
    r"\s(?:\w+\s){0,2}$", re.I,
)  # fmt: skip
_IS = re.compile(
    r"\b(?:is|was|are|were|in|at|by|for|occur\w*|seen|observed|recorded|reached|belongs?|goes|held|being|:)\b|:", re.I
)
_COMPLEMENT = re.compile(
    r"\b(?:is|was|are|were)\s(?:in\s|for\s|the\s|on\s|by\s|from\s){0,2}(?P<n>[\"“‘']?(?!(?:at|an?|also|around|over"
    r"|about|just|not|to|up|under|below|above|shown"
    r"|seen|observed|recorded|reached|more|less|approximately|nearly|close|with|those|that|it|there|this"
    r"|one)\b)[A-Za-z][^,.;:()\"”’\d]{2,60}?)"
    r"[\"”’']?(?=\swith\b|\swhich\b|\sat\b|\sand\b|\sfollowed\b|[,.;:()]|\s?$)", re.I,
)  # fmt: skip
_HAS = re.compile(
    r"['’\"”]?\s(?:(?:also|again|clearly|still)\s)?(?:has|have|had|is|was|are|were|shows?|showed|holds?|held|with"
    r"|leads?|led|records?|recorded|exhibits?"
    r"|displays?|reports?|reported|experienced|saw|sees|generated|received|accounts?\sfor)?\s?(?:by\sfar\s)?(?:the"
    r"|its|their)?\s?(?:second[-\s]|third[-\s])?", re.I,
)  # fmt: skip

_REACHES: Final = re.compile(r"\bto\s(?:a|an|its|the|their)\s(?:new\s|record\s|absolute\s)?$", re.I)
""" "Rose to a peak" is a level reached; "peaked its rise" would be a step."""


def parse_extremes(view: View, segment: Segment, frame: Frame, carry: Carry, index: FigureIndex) -> list[Claim]:
    """Claims for the superlatives of a segment."""
    claims: list[Claim] = []
    cues = [c for c in segment.cues if c.kind in {"high", "low"}]
    for k, cue in enumerate(cues):
        before = view.text[max(view.start, cue.start - 40) : cue.start]
        moved = _CHANGE_VERB.search(before) and not _REACHES.search(before)
        if moved or _CHANGE_NOUN.match(view.text, cue.end, min(segment.end, cue.end + 40)):
            step = _step(view, segment, frame, index, cue)
            if step is not None:
                claims.append(step)
            continue
        start = cues[k - 1].end if k else segment.start
        end = cues[k + 1].start if k + 1 < len(cues) else segment.end
        claim = _extreme(view, segment, frame, carry, index, cue, start, end)
        if claim is not None:
            claims.append(claim)
    return claims


def _step(view: View, segment: Segment, frame: Frame, index: FigureIndex, cue: Cue) -> Claim | None:
    """ "The sharpest drop came in 2009": the largest step between neighbouring dates."""
    times = frame.times
    ends = [c for c in (times.start, times.end) if c] or list(times.points)
    if not index.is_time or not ends or cue.rank != 1 or (times.points and (times.start or times.end)):
        return None
    around = [c.kind for c in segment.cues if c.kind in {"up", "down"} and abs(c.start - cue.start) < 60]
    a = min([cue.start, *(q.start for q in times.quantities)])
    b = max([cue.end, *(q.end for q in times.quantities)])
    slots = {
        "certainty": 0.8 * frame.certainty,
        "role": "step",
        "moves": around[0] if around else "",
        "roughly": times.roughly,
        "span": (times.start or index.categories[0], times.end) if times.end else (),
    }
    direction = "highest" if cue.kind == "high" else "lowest"
    series = () if "series" in frame.soft else frame.series
    return Claim("extreme", view.number, a, b, frame.mentions, series, tuple(ends), (), direction, slots=slots)


def _extreme(
    view: View, segment: Segment, frame: Frame, carry: Carry, index: FigureIndex, cue: Cue, start: int, end: int
) -> Claim | None:
    near = [g for g in segment.groups if start <= g.start < end]
    names = [g for g in near if g.kind == "name"]
    dates = [g for g in near if g.kind == "time"]
    target, role = _target(view, cue, names, dates, frame, index)
    direction = "highest" if cue.kind == "high" else "lowest"
    slots: dict[str, object] = {"certainty": frame.certainty, "among": cue.rank == 0, "role": role, "cue": cue.text}
    scope_series: tuple[str, ...] = ()
    scope_categories: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    series: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    a, b = cue.start, cue.end
    if role == "time":
        times: Times = target  # type: ignore[assignment]
        categories = tuple(times.points) or tuple(c for c in (times.start, times.end) if c)
        scope_series = () if "series" in frame.soft else frame.series
        mentions = frame.mentions
        slots["roughly"] = times.roughly
        slots["unknown"] = [q.text for q in times.unknown if not index.prints(q)]
        if times.quantities:
            a, b = min(a, times.quantities[0].start), max(b, times.quantities[-1].end)
        if not categories and not times.unknown:
            return None
    elif role in {"series", "category"}:
        group: Group = target  # type: ignore[assignment]
        mentions = tuple(mention(h, view.text) for h in group.hits)
        a, b = min(a, group.start), max(b, group.end)
        if role == "series":
            series = names_of(group)
            scope_categories = frame.categories
            if frame.times.start and frame.times.end and not scope_categories:
                slots["span"] = (frame.times.start, frame.times.end)
        else:
            categories = categories_of([group], segment.of("name", "section") or _carried(carry))
            slots["within"] = frame.sections
            others = [g for g in names if g.role == "series"]
            slots["alt_series"] = names_of(others[-1]) if others and len(index.series) > 1 else ()
            scope_series = frame.series if frame.own_series or len(index.series) == 1 else ()
            slots["carried_series"] = () if frame.own_series else frame.series
    else:
        name = _unknown_name(view, segment, cue, index)
        if name is None:
            return None
        mentions = (name,)
        a, b = min(a, name.start), max(b, name.end)
    slots["scope_series"] = scope_series
    slots["scope_categories"] = scope_categories
    return Claim(
        "extreme", view.number, a, b, mentions, series, categories, (), direction, rank=max(cue.rank, 1), slots=slots
    )


def _carried(carry: Carry) -> list[Group]:
    return [carry.section[0]] if carry.section else []


def _target(
    view: View, cue: Cue, names: list[Group], dates: list[Group], frame: Frame, index: FigureIndex
) -> tuple[Group | Times | None, str]:
    """What is said to be the extreme: a date where the figure runs over time and one is near, else the nearest name."""
    categories = [g for g in names if g.role == "category"]
    series = [g for g in names if g.role == "series"]
    if index.is_time:
        spans = [g for g in dates if g.joint == "to"]
        points = [g for g in dates if g.joint != "to"]
        if points:
            best = min(points, key=lambda g: _reach(view, cue, g))
            return resolve_times(view, [best], index), "time"
        if not dates and frame.times.points and not series:
            return frame.times, "time"
        if series and len(index.series) > 1:
            return min(series, key=lambda g: _reach(view, cue, g)), "series"
        if spans and not series:
            return None, ""
        return None, ""
    pool = categories or (series if len(index.series) > 1 else [])
    if not pool:
        return None, ""
    best = min(pool, key=lambda g: _reach(view, cue, g))
    return best, best.role


def _reach(view: View, cue: Cue, g: Group) -> int:
    """How far a group is from the cue; one after "is", "was in", "by" is nearer than its letters say."""
    if g.start >= cue.end:
        between = view.text[cue.end : g.start]
        return len(between) // (3 if _IS.search(between) else 1)
    return cue.start - g.end


def _unknown_name(view: View, segment: Segment, cue: Cue, index: FigureIndex) -> Mention | None:
    """The thing said to be the extreme, where the table has no such name: what follows "is"/"was", or a proper name
    right before "has the highest"."""
    text = view.text
    m = _COMPLEMENT.search(text, cue.end, segment.end)
    if m:
        name = m.group("n").strip(" \"'“”‘’")
        at = text.index(name, m.start("n")) if name else 0
        if name and not any(g.start < at + len(name) and at < g.end for g in segment.groups):
            return Mention(at, at + len(name), name)
    for a, b in view.strangers:
        if segment.start <= a and b <= cue.start and _HAS.fullmatch(text, b, cue.start):
            return Mention(a, b, text[a:b])
    return None


def parse_followers(view: View, segment: Segment, frame: Frame, index: FigureIndex, last: Claim | None) -> Claim | None:
    """ "…, followed by X": X comes next after the extreme named before."""
    cue = next((c for c in segment.cues if c.kind == "next"), None)
    if cue is None or last is None or last.kind not in {"extreme", "ranking"}:
        return None
    role = str(last.slots.get("role", ""))
    groups = [g for g in segment.of("name") if g.role == role]
    if role == "time":
        groups = segment.of("time")
    if not groups:
        return None
    group = groups[0]
    if role == "time":
        names = tuple(c for q in group.numbers for c in index.at(q)[:1])
    else:
        names = tuple(h.targets[0] for h in group.hits if len(h.targets) == 1)
    if not names:
        return None
    rank = last.rank + max(1, len(last.series or last.categories))
    slots = dict(last.slots)
    slots["certainty"] = 0.9 * float(last.slots.get("certainty", 1.0))
    mentions = tuple(mention(h, view.text) for h in group.hits)
    series = names if role == "series" else ()
    categories = () if role == "series" else names
    return Claim(
        "ranking",
        view.number,
        cue.start,
        group.end,
        mentions,
        series,
        categories,
        (),
        last.direction,
        rank=rank,
        slots=slots,
    )
