"""Changes and trends in tables whose columns are dates ("1997", "2007") and whose rows are what changes."""

from __future__ import annotations

from f2teval.claims.checking.base import by_gap, certainty, contradicted, slack, supported, unverifiable, where
from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.compare import fit
from f2teval.claims.index import FigureIndex
from f2teval.figure.reading import Cell


def ends(claim: Claim, index: FigureIndex) -> list[tuple[Cell, Cell]]:
    """First and last cell of each row the claim may be about, at the dates it names or at the outer ones."""
    rows = index.dated_rows([c for c in claim.categories if c in index.by_category])
    dates = [set(index.series_dates(q)) for q in claim.slots.get("dates", ())]
    dates = [d for d in dates if d]
    found: list[tuple[Cell, Cell]] = []
    for row in rows[:60]:
        if len(dates) >= 2:
            first = next((c for c in row if c.series in dates[0]), None)
            last = next((c for c in row if c.series in dates[-1]), None)
        else:
            first, last = row[0], row[-1]
        if first is not None and last is not None and first is not last:
            found.append((first, last))
    return found


def check_dated_trend(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Rises or falls between two columns."""
    pairs = ends(claim, index)
    sign = {"up": 1.0, "down": -1.0}.get(claim.direction, 0.0)
    if not pairs or not (claim.categories or len(pairs) == 1):
        return unverifiable(claim)
    said = text[claim.start : claim.end]
    scores = []
    for a, b in pairs:
        moved = (b.value - a.value) / max(slack(a, b, index), 1e-12)
        scores.append(
            sign * moved
            if sign
            else 1.5 - abs(b.value - a.value) / max(0.05 * abs(a.value), 2.0 if index.percent else 0.0, 1e-12)
        )
    a, b = pairs[0]
    sure = certainty(claim) * min(a.confidence, b.confidence)
    seen = f"{where(a)}: {index.shown(a.value)} → {b.series}: {index.shown(b.value)}"
    if all(s >= 1.0 for s in scores) or (not sign and all(s >= 0.5 for s in scores)):
        return supported(claim, 0.85 * sure, b, seen=seen, said=said)
    if all(s <= -1.0 for s in scores):
        return contradicted(claim, "trend", 0.75 * sure, b, seen=seen, said=said, note="it goes the other way")
    return unverifiable(claim)


def check_dated_change(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """From a to b, where a and b stand in two columns of one row."""
    qa, qb = claim.quantities
    best: tuple[float, Cell, Cell] | None = None
    pairs = ends(claim, index)
    for a, b in pairs:
        gap = max(fit(q, c.value, c.tolerance, index, printed=c.origin == "label").gap for q, c in ((qa, a), (qb, b)))
        if best is None or gap < best[0]:
            best = (gap, a, b)
    if best is None:
        return unverifiable(claim)
    gap, a, b = best
    known = bool(claim.categories)
    sure = certainty(claim) * min(a.confidence, b.confidence) * (1.0 if len(pairs) == 1 else 0.6)
    if gap > 1.5 and not known:
        return unverifiable(claim)
    seen = f"{where(a)}: {index.shown(a.value)}; {where(b)}: {index.shown(b.value)}"
    return by_gap(claim, gap, sure, "value", b, seen, text[claim.start : claim.end])
