"""Checks of mentions: is the name, date or number in the figure or its context at all."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from f2teval.claims.checking.base import contradicted, supported, unverifiable
from f2teval.claims.checking.values import _beyond
from f2teval.claims.claim import Claim, Quantity, Verdict
from f2teval.claims.compare import senses
from f2teval.claims.index import FigureIndex
from f2teval.claims.wordforms import STOP, tokens

_EVERYWHERE: Final = frozenset({"us", "adult", "pew", "research", "center"})
"""Names so common in speaking of figures that their absence says nothing."""


def check_mention(
    claim: Claim, index: FigureIndex, text: str, known: frozenset[str], context_numbers: frozenset[float]
) -> Verdict:
    """A name, year or number that must appear in figure or context."""
    of = claim.slots.get("of")
    if of in {"name", "figure"}:
        return _name(claim, index, known, of == "figure")
    q = claim.quantities[0]
    if of == "time":
        return _time(claim, index, q, context_numbers)
    return _number(claim, index, q, context_numbers)


@lru_cache(maxsize=8192)
def _folds(said: str) -> tuple[str, ...]:
    """Folded words of a name; the same few names are said again and again."""
    return tuple(t.fold for t in tokens(said) if t.fold not in STOP and not t.fold.isdigit())


def _name(claim: Claim, index: FigureIndex, known: frozenset[str], matched: bool) -> Verdict:
    said = claim.subjects[0].text
    folds = _folds(said)
    if not folds or (_EVERYWHERE.issuperset(folds) and not matched):
        return unverifiable(claim)
    share = sum(f in known or index.knows(f) for f in folds) / len(folds)
    if matched or share >= 0.99:
        return supported(claim, 0.9 if share >= 0.99 else 0.6, said=said)
    if not index.words:
        return unverifiable(claim)
    if share >= 0.5:
        return unverifiable(claim, "partly in the figure", 0.4)
    # Few words read: the name may stand in what was not read.
    coverage = min(1.0, len(index.words) / 12)
    return contradicted(
        claim, "out_of_context", (0.6 - 0.5 * share) * coverage, said=said, note="nowhere in the figure"
    )


def _told(index: FigureIndex) -> float:
    """How much of what a text may say the figure itself tells: one without a title leaves its subject untold."""
    words = min(1.0, len(index.words) / 12)
    return words if index.reading.title else 0.35 * words


def _time(claim: Claim, index: FigureIndex, q: Quantity, context_numbers: frozenset[float]) -> Verdict:
    if index.at(q) or q.value in context_numbers:
        return supported(claim, 0.8, said=q.text)
    if index.prints(q):
        return supported(claim, 0.8, said=q.text)
    period = index.period()
    if q.value < 13.1:
        return unverifiable(claim)
    if period is not None:
        if period[0] - 0.01 <= q.value <= period[1] + 0.999:
            return supported(claim, 0.5, said=q.text)
        off = max(period[0] - q.value, q.value - period[1])
        return contradicted(
            claim,
            "out_of_context",
            (0.45 if off <= 1.5 else 0.7) * max(index.quality, 0.5),
            said=q.text,
            seen=f"{index.times[0][1]} to {index.times[-1][1]}",
        )
    return contradicted(claim, "out_of_context", 0.45 * _told(index), said=q.text, note="nowhere in the figure")


def _number(claim: Claim, index: FigureIndex, q: Quantity, context_numbers: frozenset[float]) -> Verdict:
    if q.value in context_numbers:
        return supported(claim, 0.6, said=q.text)
    options = {s.value for s in senses(q, index) if s.trust >= 0.5} | {q.value, q.value / q.scale}
    if q.kind == "fraction":
        options |= {100 * q.value}
    loose = q.approximate or q.kind == "fraction"
    for p in index.printed:
        if p.kind in {"year", "date"}:
            continue
        tolerance = (
            max(0.05 * abs(p.value), 3.0 if q.kind == "fraction" else 0.0)
            if loose
            else max(q.precision / q.scale, 1e-9)
        )
        if any(abs(p.value - v) <= tolerance for v in options):
            return supported(claim, 0.6 if not loose else 0.4, said=q.text)
    if index.labelled:
        return contradicted(
            claim,
            "value",
            (0.25 if loose else 0.5) * max(index.quality, 0.4),
            said=q.text,
            note="not printed in the figure",
        )
    if index.cells and _beyond(q, index):
        return contradicted(
            claim,
            "value",
            0.5 * index.quality,
            said=q.text,
            seen=f"{index.shown(index.span[0])} to {index.shown(index.span[1])}" if index.span else "",
        )
    return unverifiable(claim)
