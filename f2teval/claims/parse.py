"""Text → claims: every checkable statement, resolved to the figure's names and dates.

A text is read sentence by sentence and segment by segment; each segment states at most a few things, and each thing
becomes one :class:`Claim`. The work is linear in the text, and long texts are cut at :data:`MAX_CHARS`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from f2teval.claims.claim import Claim, Quantity
from f2teval.claims.entities import Hit
from f2teval.claims.index import FigureIndex
from f2teval.claims.numbers import find_quantities
from f2teval.claims.parsing.aggregates import parse_aggregates
from f2teval.claims.parsing.extremes import parse_extremes, parse_followers
from f2teval.claims.parsing.frame import Carry, resolve
from f2teval.claims.parsing.mentions import note_names, parse_mentions
from f2teval.claims.parsing.relations import parse_relations
from f2teval.claims.parsing.structure import parse_structure
from f2teval.claims.parsing.trends import parse_trends
from f2teval.claims.parsing.values import parse_changes, parse_values
from f2teval.claims.view import View, drop_named, make_view
from f2teval.claims.wordforms import Token, tokens
from f2teval.figure.reading import Reading

_IN_YEAR = re.compile(r"\b(?:in|since|until|year|of|during|after|before)\s$", re.I)
MAX_CHARS: Final = 20_000
"""Claims are looked for in this many characters of a text; a longer text is not a caption."""


def parse_claims(
    text: str,
    spans: Sequence[tuple[int, int]],
    figure: FigureIndex | Reading,
    context: str = "",
    quantities: Sequence[Quantity] | None = None,
) -> list[Claim]:
    """Claims of ``text`` in order of their sentences.

    Args:
        text: the text under test.
        spans: offsets of its sentences (:func:`f2teval.claims.sentences.split_sentences`).
        figure: the Reading, or its index where several texts speak of one figure.
        context: the figure's own caption and surroundings; names in it are known names.
        quantities: the numbers of the text, if the caller has them already.
    """
    index = figure if isinstance(figure, FigureIndex) else FigureIndex.of(figure)
    limit = min(len(text), MAX_CHARS)
    clipped = text[:limit]
    words = tokens(clipped)
    found = find_quantities(clipped) if quantities is None else [q for q in quantities if q.end <= limit]
    numbers = _numbers_among_years(found, clipped, index)
    hits = index.names.find(words, _blocked(words, numbers, index))
    numbers = drop_named(numbers, hits)
    claims: list[Claim] = []
    carry = Carry()
    q_starts, h_starts, w_starts = [q.start for q in numbers], [h.start for h in hits], [w.start for w in words]
    for number, (start, end) in enumerate(spans):
        if start >= limit:
            break
        view = make_view(
            number,
            (start, min(end, limit)),
            clipped,
            hits[bisect_left(h_starts, start) : bisect_left(h_starts, end)],
            numbers[bisect_left(q_starts, start) : bisect_left(q_starts, end)],
            index,
        )
        sentence_words = words[bisect_left(w_starts, start) : bisect_left(w_starts, end)]
        claims += _sentence(view, carry, index, sentence_words)
        carry.next_sentence()
    return claims


def _numbers_among_years(quantities: list[Quantity], text: str, index: FigureIndex) -> list[Quantity]:
    """Four digits that cannot be a year of this figure but can be a value of it are a number ("to 1550")."""
    if index.span is None or not max(map(abs, index.span)) * 1.2 >= 1000:
        return quantities
    period = index.period()
    found = []
    for q in quantities:
        if (
            q.kind == "year"
            and len(q.text) == 4
            and q.text.isdigit()
            and index.span[0] * 0.8 <= q.value <= index.span[1] * 1.2
        ):
            far = period is not None and not period[0] - 25 <= q.value <= period[1] + 25
            if (
                (far or period is None)
                and not index.prints(q)
                and not _IN_YEAR.search(text[max(0, q.start - 9) : q.start])
            ):
                q = replace(q, kind="number")
        found.append(q)
    return found


def _blocked(words: list[Token], quantities: list[Quantity], index: FigureIndex) -> set[int]:
    """Tokens that are numbers or dates, and so no part of a name, unless the figure itself has names like them."""
    blocked: set[int] = set()
    i = 0
    for q in quantities:
        if q.kind not in {"year", "date", "number", "fraction", "multiplier"}:
            continue
        while i < len(words) and words[i].end <= q.start:
            i += 1
        j = i
        while j < len(words) and words[j].start < q.end:
            if index.is_time or words[j].fold not in index.names.postings or q.unit:
                blocked.add(j)
            j += 1
    return blocked


def _sentence(view: View, carry: Carry, index: FigureIndex, words: list[Token]) -> list[Claim]:
    note_names(view, words)
    claims = parse_structure(view, index)
    last: Claim | None = None
    for segment in view.segments:
        frame = resolve(view, segment, carry, index)
        extremes = parse_extremes(view, segment, frame, carry, index)
        follower = parse_followers(view, segment, frame, index, last)
        claims += extremes
        if follower is not None:
            claims.append(follower)
        last = follower or (extremes[-1] if extremes else last)
        claims += parse_aggregates(view, segment, frame, carry, index)
        claims += parse_relations(view, segment, frame, index)
        claims += parse_changes(view, segment, frame, index)
        claims += parse_values(view, segment, frame, index)
        claims += parse_trends(view, segment, frame, carry, index)
        carry.update(segment, frame.times)
    claims += parse_mentions(view, index)
    return claims


__all__ = ["MAX_CHARS", "Hit", "parse_claims"]
