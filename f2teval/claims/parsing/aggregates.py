"""Numbers that are no single value: means, spreads, gaps between two names, the share of the largest few, how many lie
above a threshold. Taken before values, so that such a number is not looked for among the marks."""

from __future__ import annotations

import re
from typing import Any, Final

from f2teval.claims.claim import Claim, Quantity
from f2teval.claims.index import FigureIndex
from f2teval.claims.numbers import NUMBER_WORDS
from f2teval.claims.parsing.frame import Carry, Frame, mentions_of
from f2teval.claims.parsing.values import is_value
from f2teval.claims.view import Group, Segment, View
from f2teval.claims.wordforms import fold, tokens

_MEAN = re.compile(r"\b(?P<mean>averag(?:e|es|ed|ing)|mean|typical(?:ly)?)\b|\b(?P<median>median)\b", re.I)
_SPREAD = re.compile(
    r"\b(?:extremes|spread|(?:highest|largest|maximum|top|biggest|greatest)(?:\s\w+){0,2}\s(?:and|from"
    r"|to)\s(?:the\s)?(?:lowest|smallest"
    r"|minimum|bottom)|range\s(?:across|of\sthe\svalues|comes|is|was))\b", re.I,
)  # fmt: skip
_GAP = re.compile(
    r"\b(?:differ(?:s|ed|ing)?\sby|apart|separat(?:es|e|ed|ing)|gap|difference|distance|margin|disparity|divide)\b",
    re.I,
)
_TOP = re.compile(
    r"\b(?:top|largest|biggest|leading|highest|greatest|first)\s(?P<k>two|three|four|five|six|\d)\b(?!\s?(?:%"
    r"|percent|million|billion))",
    re.I,
)
_SHARE_VERB = re.compile(
    r"\b(?:together|combined|account|make\sup|dominate|of\sthe\stotal|bulk|share|hold|represent)", re.I
)
_THRESHOLD = re.compile(
    r"\b(?:above|below|over|under|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|(?:more|less|fewer|higher|lower"
    r"|greater)\sthan|at\sleast|at\smost)"
    r"\s(?:the\s)?(?:mark\sof\s|level\sof\s|value\sof\s)?$", re.I,
)  # fmt: skip
_UNITS: Final = frozenset(
    {
        fold(w)
        for w in (
            "times",
            "percent",
            "points",
            "million",
            "billion",
            "thousand",
            "hundred",
            "dollars",
            "euros",
            "pounds",
            "tons",
            "metric",
            "miles",
            "hours",
            "minutes",
            "seconds",
            "people",
            "inhabitants",
            "apart",
            "units",
        )
    }
)
_LOWER: Final = ("below", "under", "less", "fewer", "lower", "at most")
_HOW_MANY = re.compile(
    r"(?<![\d.,$€£/])\b(?:(?:exactly|only|just|as\smany\sas)\s)?(?P<n>two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|\d{1,2})(?:\sof\s(?:the|these)"
    r"(?:\s\w+)?)?\s(?P<noun>[a-z]+(?:\s[a-z]+)?s|countries|people|of\sthem|bars)\b", re.I,
)  # fmt: skip


def parse_aggregates(view: View, segment: Segment, frame: Frame, carry: Carry, index: FigureIndex) -> list[Claim]:
    """Claims for the numbers of a segment that stand for several values at once."""
    free = [q for g in segment.of("number") for q in g.numbers if q.start not in view.used and is_value(q, view.text)]
    if not free:
        return []
    words = view.text[segment.start : segment.end]
    return (
        _thresholds(view, segment, frame, index, free)
        or _top_share(view, words, frame, free)
        or _gap(view, segment, words, frame, carry, index, free)
        or _mean(view, words, frame, index, free)
    )


def _take(view: View, q: Quantity) -> None:
    view.used.add(q.start)
    view.derived.add(q.start)


def _slots(frame: Frame, **more: Any) -> dict[str, Any]:
    return {
        "certainty": 0.8 * frame.certainty,
        "start": frame.times.start,
        "end": frame.times.end,
        "points": list(frame.times.points),
        **more,
    }


def _mean(view: View, words: str, frame: Frame, index: FigureIndex, free: list[Quantity]) -> list[Claim]:
    m = _MEAN.search(words)
    if not m or index.words & {"averag", "mean", "median", "typical"}:
        return []
    q = free[0]
    _take(view, q)
    how = "median" if m.group("median") else "mean"
    return [
        Claim(
            "value",
            view.number,
            q.start,
            q.end,
            frame.mentions,
            frame.series,
            () if index.is_time else frame.categories,
            (q,),
            slots=_slots(frame, aggregate=how),
        )
    ]


def _top_share(view: View, words: str, frame: Frame, free: list[Quantity]) -> list[Claim]:
    m = _TOP.search(words) or _TOP.search(view.words)
    if not m or not _SHARE_VERB.search(view.words):
        return []
    k = m.group("k").lower()
    count = int(k) if k.isdigit() else NUMBER_WORDS[k]
    q = next((q for q in free if q.unit == "%" or q.kind == "fraction"), None)
    if q is None:
        return []
    _take(view, q)
    return [
        Claim(
            "sum",
            view.number,
            q.start,
            q.end,
            (),
            frame.series,
            (),
            (q,),
            slots=_slots(frame, aggregate="top", count=count),
        )
    ]


def _thresholds(view: View, segment: Segment, frame: Frame, index: FigureIndex, free: list[Quantity]) -> list[Claim]:
    for q in free:
        before = view.text[max(view.start, q.start - 34) : q.start]
        t = _THRESHOLD.search(before)
        if not t:
            continue
        for m in _HOW_MANY.finditer(view.text, max(view.start, q.start - 90), min(view.end, q.end + 70)):
            noun = {fold(w) for w in m.group("noun").lower().split()}
            if m.start() <= q.start < m.end() or noun & (_UNITS | {t.fold for t in tokens(index.reading.unit)}):
                continue
            n = m.group("n").lower()
            _take(view, q)
            view.used.update(i.start for g in segment.groups for i in g.items if m.start() <= i.start < m.end())
            lower = t.group().lower().startswith(_LOWER)
            return [
                Claim(
                    "count",
                    view.number,
                    min(m.start(), q.start),
                    max(m.end(), q.end),
                    frame.mentions,
                    frame.series,
                    (),
                    (q,),
                    "lower" if lower else "higher",
                    slots=_slots(frame, threshold=int(n) if n.isdigit() else NUMBER_WORDS[n], noun=m.group("noun")),
                )
            ]
    return []


def _pair(segment: Segment, carry: Carry) -> Group | None:
    """The two names a gap lies between: a list of two in the segment, or the list of two spoken of before."""
    for g in segment.of("name"):
        if len(g.hits) == 2 and g.role in {"series", "category"}:
            return g
    if segment.of("name"):
        return None
    for held in (carry.series, carry.category):
        if held is not None and held[1] <= 1 and len(held[0].hits) == 2:
            return held[0]
    return None


def _gap(
    view: View, segment: Segment, words: str, frame: Frame, carry: Carry, index: FigureIndex, free: list[Quantity]
) -> list[Claim]:
    spread = bool(_SPREAD.search(view.text, max(view.start, free[0].start - 100), min(view.end, free[0].end + 40)))
    pair = None if spread else _pair(segment, carry)
    if not spread and (pair is None or not _GAP.search(words)):
        return []
    claims = []
    for k, q in enumerate(free[:2]):
        _take(view, q)
        slots = _slots(frame)
        if spread or pair is None:
            slots["aggregate"] = "spread"
            mentions = frame.mentions
        else:
            mentions = mentions_of([pair], view.text)
            slots |= {"role": pair.role, "left": pair.hits[0].targets, "right": pair.hits[1].targets}
        at = _date_of(segment, q, k, len(free), frame, index)
        if at:
            slots |= {"points": at, "start": "", "end": ""}
        claims.append(
            Claim(
                "difference",
                view.number,
                q.start,
                q.end,
                mentions,
                frame.series,
                tuple(at) if index.is_time else (),
                (q,),
                slots=slots,
            )
        )
    return claims


def _date_of(segment: Segment, q: Quantity, k: int, n: int, frame: Frame, index: FigureIndex) -> list[str]:
    """When a gap is measured: the date beside the number; of two numbers over a span, its start and its end."""
    if n > 1 and frame.times.start and frame.times.end:
        return [frame.times.start if k == 0 else frame.times.end]
    dates = [t for g in segment.of("time") for t in g.numbers]
    if n > 1 and len(dates) >= 2:
        return index.at(dates[min(k, len(dates) - 1)])[:1]
    if dates:
        return index.at(min(dates, key=lambda t: abs(t.start - q.start)))[:1]
    return []
