"""Claim and Verdict: one checkable statement of a text, and what the figure says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from f2teval.score import Box

ClaimKind = Literal[
    "value",  # an entity (at a time) has a value
    "extreme",  # who or when is highest or lowest (n-th too: rank=2), of what
    "trend",  # rises / falls / is stable / fluctuates over a span
    "change",  # changed from a to b, by d, by p percent, doubled
    "comparison",  # a is higher / lower than / equal to b
    "difference",  # a exceeds b by d
    "ratio",  # a is n times b; a is half of b
    "ranking",  # order of several entities
    "count",  # number of categories, series, or of those fulfilling a condition
    "share",  # x % / a majority / a third of …
    "range",  # values lie between a and b; the period covered is …
    "sum",  # a and b together make …
    "chart_type",  # it is a bar chart
    "title",  # it is titled …, it shows …
    "axis",  # the x axis shows …
    "color",  # the blue line is …
    "source",  # the data come from …
    "mention",  # a name, year or number that must appear in figure or context
]

Status = Literal["supported", "contradicted", "unverifiable"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: its span, its value in absolute terms, and how it was written.

    ``value`` has the written scale applied ("3.4 billion" → 3.4e9; "12%" → 12.0 with unit "%"); ``precision`` is half
    of its last written digit in the same terms; ``approximate`` is set by "about", "nearly", "over" … with
    ``bound`` telling the direction ("over 50" → "lower"); ``near`` is set when it is also said to be close to that
    bound ("just over 50", "nearly 50"). A year or date counts in (fractional) years; a month without a year has unit
    "month" and the value 1–12; a fraction ("two-thirds") is its value with unit ""; a multiplier is its factor
    ("halved" → 0.5).
    """

    start: int
    end: int
    text: str
    value: float
    unit: str = ""
    precision: float = 0.0
    approximate: bool = False
    bound: Literal["", "lower", "upper"] = ""
    scale: float = 1.0
    kind: Literal["number", "year", "date", "ordinal", "fraction", "multiplier"] = "number"
    near: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text matched to something of the figure.

    ``role`` says to what ("category", "series", "title", "axis", "text", "context", or "" when matched nowhere),
    ``target`` is that thing's text in the figure, ``similarity`` 0–1.
    """

    start: int
    end: int
    text: str
    role: str = ""
    target: str = ""
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable statement.

    Attributes:
        kind: what is claimed.
        sentence: index of its sentence.
        start, end: the words that state it, offsets into the text.
        subjects: what it is about, resolved to the figure where possible (pronouns already replaced).
        series, categories: the figure's names that it is about (may be empty: the whole chart).
        quantities: numbers it states, in order.
        direction: "up", "down", "flat", "fluctuating", "highest", "lowest", "higher", "lower", "equal", "".
        strength: words of size ("sharply", "slightly") as "strong", "weak" or "".
        rank: for extremes and rankings, 1 is first.
        slots: whatever else its checker needs.
    """

    kind: ClaimKind
    sentence: int
    start: int
    end: int
    subjects: tuple[Mention, ...] = ()
    series: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    direction: str = ""
    strength: str = ""
    rank: int = 1
    slots: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the figure says of a claim.

    Attributes:
        status: "supported", "contradicted" or "unverifiable" (never a guess dressed as a finding).
        confidence: 0–1 that the status is right, from the confidence of the reading and of the parse.
        error_type: for a contradicted claim, a key of :data:`f2teval.rubric.ERROR_TYPES`.
        said, seen: short, for people. ``seen`` is empty when nothing can be shown.
        gap: how far the stated value is from the seen one, in units of the tolerance (0 = on it, > 1 = outside);
            ``None`` where there is no number.
        box: where in the picture.
        note: one short sentence for people.
    """

    claim: Claim
    status: Status
    confidence: float = 0.0
    error_type: str = ""
    said: str = ""
    seen: str = ""
    gap: float | None = None
    box: Box | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """A flaw found without the picture: type (a key of ``ERROR_TYPES``), span, what it clashes with, confidence.

    ``detector`` names what found it (a key of :data:`f2teval.claims.text_issues.DETECTORS`).
    """

    type: str
    sentence: int
    start: int
    end: int
    said: str = ""
    seen: str = ""
    note: str = ""
    confidence: float = 1.0
    detector: str = ""
