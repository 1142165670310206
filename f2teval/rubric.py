"""The five dimensions and the error types: names, scale, and what they mean.

The dimensions and their three grades follow F2TEval (section 4.3, figure 6), the first seven error types follow
CHOCOLATE; the wording is ours.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SCALE_MIN: Final = 0.0
SCALE_MAX: Final = 2.0


class Dimension(NamedTuple):
    """One dimension of quality: its name, the question it answers and what the grades 0, 1 and 2 mean."""

    name: str
    question: str
    grades: tuple[str, str, str]
    needs_image: bool


DIMENSIONS: Final[dict[str, Dimension]] = {
    d.name: d
    for d in (
        Dimension(
            "faithfulness",
            "Does every statement agree with the figure and its description?",
            (
                "The text does not describe this figure: wrong or invented statements prevail.",
                "Mostly right, with errors or inventions that matter.",
                "Nothing in it is wrong or invented.",
            ),
            True,
        ),
        Dimension(
            "completeness",
            "Is what matters in the figure told?",
            (
                "Most of what matters is left out.",
                "The main points are there; something important is missing.",
                "All key information and trends are told.",
            ),
            True,
        ),
        Dimension(
            "conciseness",
            "Is it told without repetition or ballast?",
            (
                "Long and cluttered; the message drowns.",
                "Some repetition or ballast.",
                "No word too many.",
            ),
            False,
        ),
        Dimension(
            "logicity",
            "Is it coherent, fluent and free of contradiction?",
            (
                "Disorganised, broken or contradicting itself.",
                "Understandable, with gaps in logic or fluency.",
                "Clear structure, fluent, sound reasoning.",
            ),
            False,
        ),
        Dimension(
            "analysis",
            "Does it interpret the data correctly and with insight?",
            (
                "No interpretation, or a wrong one.",
                "Basic understanding; shallow or partly speculative.",
                "Correct, insightful and thorough interpretation.",
            ),
            True,
        ),
    )
}

DIMENSION_NAMES: Final[tuple[str, ...]] = tuple(DIMENSIONS)

ERROR_TYPES: Final[dict[str, str]] = {
    "value": "a number differs from the figure",
    "label": "a name, category or series is wrong or swapped",
    "trend": "the direction of a change is wrong",
    "magnitude": "the size of a change or difference is over- or understated",
    "out_of_context": "says something the figure and its context do not hold",
    "nonsense": "not a meaningful statement",
    "grammatical": "broken grammar",
    "contradiction": "contradicts another sentence of the same text, or its own arithmetic",
    "redundancy": "repeats what was said",
}
"""CHOCOLATE's seven types, and two of ours that need no picture."""


def overall(scores: dict[str, float | None]) -> float | None:
    """Mean of the dimension values over 2, in [0, 1]; ``None`` unless all five are present.

    A mean over fewer dimensions is another quantity, and is never passed off as this one.
    """
    values = [scores.get(name) for name in DIMENSION_NAMES]
    present = [v for v in values if v is not None]
    if len(present) < len(values):
        return None
    return sum(present) / len(present) / SCALE_MAX
