"""Claims → verdicts: each claim against the table, the texts and the axes of the figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from f2teval.claims.checking.aggregates import check_mean, check_spread, check_threshold, check_top
from f2teval.claims.checking.base import unverifiable
from f2teval.claims.checking.extremes import check_comparison, check_extreme
from f2teval.claims.checking.mentions import check_mention
from f2teval.claims.checking.rebinding import rebind
from f2teval.claims.checking.relations import check_difference, check_ratio, check_sum
from f2teval.claims.checking.structure import (
    check_axis,
    check_chart_type,
    check_color,
    check_count,
    check_share,
    check_source,
    check_title,
)
from f2teval.claims.checking.trends import check_trend
from f2teval.claims.checking.values import check_change, check_range, check_value, doubt_shifts
from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.index import FigureIndex
from f2teval.claims.numbers import find_quantities
from f2teval.claims.wordforms import tokens
from f2teval.figure.reading import Reading

_MAX_CONTEXT: Final = 20_000
_CHECKS: Final[dict[str, Callable[[Claim, FigureIndex, str], Verdict]]] = {
    "value": check_value,
    "change": check_change,
    "range": check_range,
    "sum": check_sum,
    "difference": check_difference,
    "ratio": check_ratio,
    "extreme": check_extreme,
    "ranking": check_extreme,
    "comparison": check_comparison,
    "trend": check_trend,
    "chart_type": check_chart_type,
    "title": check_title,
    "axis": check_axis,
    "color": check_color,
    "count": check_count,
    "share": check_share,
}


def check_claims(claims: Sequence[Claim], figure: FigureIndex | Reading, text: str, context: str = "") -> list[Verdict]:
    """One verdict for each claim, in order.

    Args:
        claims: what :func:`f2teval.claims.parse.parse_claims` found in ``text``.
        figure: the Reading, or its index.
        text: the text the claims' offsets point into.
        context: the figure's own caption and surroundings; what it names is not out of context.
    """
    index = figure if isinstance(figure, FigureIndex) else FigureIndex.of(figure)
    context = context[:_MAX_CONTEXT]
    known = frozenset(t.fold for t in tokens(context)) if context else frozenset()
    numbers = frozenset(q.value for q in find_quantities(context)) if context else frozenset()
    verdicts: list[Verdict] = []
    for claim in claims:
        aggregate = _aggregate(claim)
        if aggregate is not None:
            verdicts.append(aggregate(claim, index, text))
            continue
        if claim.kind == "mention":
            verdicts.append(check_mention(claim, index, text, known, numbers))
        elif claim.kind == "source":
            verdicts.append(check_source(claim, index, text, known))
        elif claim.kind in _CHECKS:
            verdicts.append(_CHECKS[claim.kind](claim, index, text))
        else:
            verdicts.append(unverifiable(claim))
    return doubt_shifts(rebind(verdicts, index, text))


def _aggregate(claim: Claim) -> Callable[[Claim, FigureIndex, str], Verdict] | None:
    """The check of a claim about several values at once."""
    if "threshold" in claim.slots:
        return check_threshold
    how = claim.slots.get("aggregate")
    return (
        {"mean": check_mean, "median": check_mean, "spread": check_spread, "top": check_top}.get(str(how))
        if how
        else None
    )


__all__ = ["check_claims"]
