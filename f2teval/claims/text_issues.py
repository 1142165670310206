"""Flaws of a text that can be found without the picture, each with its exact words and a graded confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from f2teval.claims.claim import Issue, Quantity
from f2teval.claims.issues import arithmetic, conflict, context, garble, grammar, manner, repetition
from f2teval.claims.issues.material import Material
from f2teval.claims.tokens import Span, Words

Detector = Callable[[Material], Iterator[Issue]]

DETECTORS: Final[dict[str, Detector]] = {
    "repeated_sentence": repetition.repeated_sentence,
    "cut_repeat": repetition.cut_repeat,
    "loop": repetition.loop,
    "runs_of_signs": repetition.runs_of_signs,
    "set_beside_itself": repetition.set_beside_itself,
    "compared_with_itself": repetition.compared_with_itself,
    "list_with_doubles": repetition.list_with_doubles,
    "label_dump": garble.label_dump,
    "glued": garble.glued,
    "no_words": garble.no_words,
    "foreign_sentence": garble.foreign_sentence,
    "salad": garble.salad,
    "word_order": grammar.word_order,
    "agreement": grammar.agreement,
    "doubled_word": grammar.doubled_word,
    "cut_off": grammar.cut_off,
    "no_verb": grammar.no_verb,
    "unbalanced": grammar.unbalanced,
    "extreme_twice": grammar.extreme_twice,
    "lower_start": grammar.lower_start,
    "opposite_extremes": conflict.opposite_extremes,
    "opposite_trends": conflict.opposite_trends,
    "two_answers": conflict.two_answers,
    "both_ways": conflict.both_ways,
    "from_to": arithmetic.from_to,
    "change_size": arithmetic.change_size,
    "portion": arithmetic.portion,
    "versus": arithmetic.versus,
    "up_from": arithmetic.up_from,
    "counts": arithmetic.counts,
    "spans_of_time": arithmetic.spans_of_time,
    "sums": arithmetic.sums,
    "same_ends": arithmetic.same_ends,
    "same_said_twice": arithmetic.same_said_twice,
    "followed_by": arithmetic.followed_by,
    "unknown_name": context.unknown_names,
    "unknown_year": context.unknown_years,
    "speculation": manner.speculation,
    "filler": manner.filler,
    "refusal": manner.refusal,
}
"""Every detector by name; ``speculation`` also yields the weaker ``inference``."""


def find_issues(
    text: str,
    spans: Sequence[Span],
    figure_words: str = "",
    context: str = "",
    quantities: Sequence[Quantity] | None = None,
    words: Words | None = None,
) -> list[Issue]:
    """Find the flaws of a text that show without looking at the picture.

    Args:
        text: the text under test.
        spans: its sentences, offsets ``(start, end)`` into ``text``.
        figure_words: the words read off the picture, one line a box; "" when there is no picture. Only what is said
            to be *nowhere in the figure* depends on it.
        context: whatever else is known of the figure (its own caption, the paragraph around it).
        quantities: the numbers of the text, if the caller has them already.
        words: the tokens of the text, if the caller has them already.

    Returns:
        Issues in the order of the text. Confidences are 0–1: how sure it is that the flaw is one. Time is linear in the
        length of the text.
    """
    material = Material(words or Words(text, spans), figure_words, context, quantities)
    return issues_of(material)


def issues_of(material: Material) -> list[Issue]:
    """As :func:`find_issues`, for a text made ready before."""
    found: list[Issue] = []
    for detector in DETECTORS.values():
        found.extend(detector(material))
    found.sort(key=lambda i: (i.start, i.end, i.detector))
    return found
