"""What all checks share: making verdicts, and scopes of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.compare import against, support
from f2teval.claims.index import FigureIndex
from f2teval.claims.wordforms import fold
from f2teval.figure.reading import Cell

_TOTALS: Final = frozenset(
    {"total", "all", "average", "median", "mean", "world", "worldwide", "global", "net", "oecd", "eu"}
)


def unverifiable(claim: Claim, note: str = "", confidence: float = 0.5) -> Verdict:
    """Nothing can be said."""
    return Verdict(claim, "unverifiable", confidence, note=note)


def supported(
    claim: Claim,
    confidence: float,
    cell: Cell | None = None,
    *,
    seen: str = "",
    said: str = "",
    gap: float | None = None,
    note: str = "",
) -> Verdict:
    """The figure shows it."""
    return Verdict(claim, "supported", _unit(confidence), "", said, seen, gap, cell.box if cell else None, note)


def contradicted(
    claim: Claim,
    error: str,
    confidence: float,
    cell: Cell | None = None,
    *,
    seen: str = "",
    said: str = "",
    gap: float | None = None,
    note: str = "",
) -> Verdict:
    """The figure shows otherwise; too little confidence makes it unverifiable."""
    if confidence < 0.15:
        return Verdict(claim, "unverifiable", 0.3, "", said, seen, gap, cell.box if cell else None, note)
    return Verdict(claim, "contradicted", _unit(confidence), error, said, seen, gap, cell.box if cell else None, note)


def _unit(x: float) -> float:
    return round(max(0.0, min(1.0, x)), 4)


def certainty(claim: Claim) -> float:
    """How sure the parse is."""
    return float(claim.slots.get("certainty", 1.0))


def is_total(name: str) -> bool:
    """Whether a category is a total or an average of the others, which no ranking counts."""
    return any(fold(w) in _TOTALS for w in name.split()[:3])


def spread(cells: Sequence[Cell]) -> float:
    """Largest minus smallest value."""
    return max(c.value for c in cells) - min(c.value for c in cells) if cells else 0.0


def slack(a: Cell, b: Cell, index: FigureIndex) -> float:
    """The difference of two cells that still may be none: their tolerances, and what a reader can see of the axis."""
    tol = a.tolerance + b.tolerance
    if a.origin == "label" and b.origin == "label":
        return min(tol, 0.5 * abs(a.value - b.value)) if a.value != b.value else tol
    extent = (index.span[1] - index.span[0]) if index.span else abs(a.value)
    return max(tol, 0.012 * extent)


def where(cell: Cell) -> str:
    """Series and category of a cell for people."""
    return ", ".join(p for p in (cell.series, cell.category) if p)


def by_gap(claim: Claim, gap: float, sure: float, error: str, cell: Cell, seen: str, said: str) -> Verdict:
    """The verdict that follows from how far a number is off."""
    gap = round(min(gap, 99.0), 3)
    if gap <= 1.0:
        return supported(claim, sure * support(gap), cell, seen=seen, said=said, gap=gap)
    if gap <= 1.5:
        return replace(unverifiable(claim), gap=gap, seen=seen, said=said)
    return contradicted(claim, error, sure * against(gap), cell, seen=seen, said=said, gap=gap)
