"""Trends: rises, falls, is stable or fluctuates, over a span."""

from __future__ import annotations

import re

from f2teval.claims.claim import Claim
from f2teval.claims.cues import GENERAL, STEADY, STRONG, WEAK, Cue
from f2teval.claims.index import FigureIndex
from f2teval.claims.parsing.frame import Carry, Frame
from f2teval.claims.view import Segment, View

_DIRECTION = {"up": "up", "down": "down", "flat": "flat", "fluct": "fluctuating"}
_MODAL = re.compile(r"\b(?:will|could|would|might|may|can|should|expected|projected|forecast|if|to)\s(?:\w+\s)?$", re.I)
_WISHED = re.compile(
    r"\b(?:favou?r(?:ed|ing)?|oppos(?:e|ed|ing)|want(?:ed)?|support(?:ed|ing)?)\s(?:the\s|an?\s)?(?:\w+\s)?$", re.I
)
_NOT_WISHED = re.compile(r"\b(?:ha[sd]|have|is|was|are|were|been|be|for)\s$", re.I)
_FINITE = re.compile(r"(?:\w+ed|\w+s|rose|fell|grew|shrank|sank)$", re.I)
_FREE = re.compile(
    r"(?:\s\w+ly)?(?:\s(?:from|to|by|in|between|over|since|until|after|during|through|again|and|then|while|but)\b"
    r"|[,.;]|\s*$)",
    re.I,
)
_AFTER = re.compile(
    r"\b(?:after|following|from|since|post)\s(?:this|that|the|these|which|its|there)\b|\b(?:afterwards?|thereafter"
    r"|subsequent(?:ly)?"
    r"|later|from\sthere|followed\sby|this\speak|then)\b", re.I,
)  # fmt: skip
_OVERALL = re.compile(
    r"\b(?:over\s(?:the|time|this|these)|throughout|overall|during\sthe|across\sthe|general(?:ly)?)\b", re.I
)


def parse_trends(view: View, segment: Segment, frame: Frame, carry: Carry, index: FigureIndex) -> list[Claim]:
    """Claims for the words of rise and fall of a segment; only figures over time have trends."""
    cues = [c for c in segment.cues if c.kind in _DIRECTION]
    if not cues:
        return []
    claims: list[Claim] = []
    alone = len({c.kind for c in view.cues if c.kind in _DIRECTION}) == 1
    for k, cue in enumerate(cues):
        before = view.text[max(view.start, cue.start - 24) : cue.start]
        if _MODAL.search(before) or _is_wish(view, cue, before):
            continue
        if k and cues[k - 1].kind == cue.kind and cue.start - cues[k - 1].end < 40:
            continue  # "increase … an upward trend": one statement
        spans: list[tuple[str, str] | None] = [*frame.times.spans] or [None]
        for span in spans:
            claims.append(_trend(view, segment, frame, carry, index, cue, alone=alone, span=span))
    return claims


def _is_wish(view: View, cue: Cue, before: str) -> bool:
    """Whether a movement is only wanted ("favour reducing it") and not told ("Support increased from 2010")."""
    wish = _WISHED.search(before)
    if wish is None:
        return False
    if _NOT_WISHED.search(before):
        return False
    return not (_FINITE.match(cue.text) and _FREE.match(view.text, cue.end, view.end))


def _trend(
    view: View,
    segment: Segment,
    frame: Frame,
    carry: Carry,
    index: FigureIndex,
    cue: Cue,
    *,
    alone: bool,
    span: tuple[str, str] | None,
) -> Claim:
    words = view.text[max(segment.start, cue.start - 40) : min(segment.end, cue.end + 40)]
    around = view.text[max(segment.start, cue.start - 26) : min(segment.end, cue.end + 16)]
    times = frame.times
    start, end = span or (times.start, times.end)
    point = ""
    if not start and not end and times.points:
        if len(times.points) == 2 and len(times.each) == 2:
            start, end = times.points[0], times.points[1]
        else:
            point = times.points[-1]
    after = bool(_AFTER.search(view.text[max(view.start, segment.start - 12) : min(segment.end, cue.end + 12)]))
    if after and not start and not point and carry.times is not None:
        previous = carry.times[0]
        start = previous.end or (previous.points[-1] if previous.points else "")
    own = bool(times.start or times.end or times.points or times.quantities)
    strength = "strong" if STRONG.search(around) else "weak" if WEAK.search(around) else ""
    a = min([cue.start, *(q.start for q in times.quantities)])
    b = max([cue.end, *(q.end for q in times.quantities)])
    return Claim(
        "trend",
        view.number,
        a,
        b,
        frame.mentions,
        frame.series,
        () if index.is_time else frame.categories,
        (),
        _DIRECTION[cue.kind],
        strength,
        slots={
            "certainty": frame.certainty,
            "soft": frame.soft,
            "dates": tuple(times.quantities),
            "start": start,
            "end": end,
            "point": point,
            "steady": bool(STEADY.search(around)),
            "general": bool(GENERAL.search(words)),
            "own_span": own,
            "whole": bool(_OVERALL.search(view.words)),
            "after": after,
            "roughly": times.roughly,
            "unknown": [q.text for q in times.unknown],
            "own_series": frame.own_series,
            "alone": alone,
            "cue": cue.text,
        },
    )
