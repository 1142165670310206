"""Checks of numbers that stand for several values: means, spreads, the largest few, counts beyond a threshold."""

from __future__ import annotations

from statistics import fmean, median

from f2teval.claims.checking.base import by_gap, certainty, contradicted, is_total, supported, unverifiable
from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.compare import fit, senses
from f2teval.claims.index import FigureIndex
from f2teval.figure.reading import Cell


def scopes(claim: Claim, index: FigureIndex) -> list[list[Cell]]:
    """The sets of cells an aggregate may run over: each series it may be about, or a place across the series."""
    series = [s for s in claim.series if s in index.by_series] or index.series
    found = [[c for c in index.by_series[s] if not is_total(c.category)] for s in series]
    places = [str(p) for p in claim.slots.get("points", ()) if p in index.by_category]
    found += [index.by_category[p] for p in places if len(index.by_category[p]) > 1]
    if len(index.series) > 1:
        found.append(list(index.cells))
    return [cells for cells in found if len(cells) > 1]


def check_mean(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """On average it is v."""
    how = median if claim.slots["aggregate"] == "median" else fmean
    return _nearest(claim, index, text, [(how([c.value for c in cells]), cells) for cells in scopes(claim, index)], 1.0)


def check_spread(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Highest and lowest are d apart."""
    options = [(max(c.value for c in cells) - min(c.value for c in cells), cells) for cells in scopes(claim, index)]
    return _nearest(claim, index, text, options, 2.0)


def _nearest(
    claim: Claim, index: FigureIndex, text: str, options: list[tuple[float, list[Cell]]], width: float
) -> Verdict:
    if not options:
        return unverifiable(claim)
    q = claim.quantities[0]
    fits = []
    for value, cells in options[:30]:
        tolerance = width * sum(c.tolerance for c in cells) / len(cells)
        fits.append((fit(q, value, tolerance, index, printed=index.labelled).gap, value, cells[0]))
    gap, value, cell = min(fits, key=lambda f: f[0])
    sure = certainty(claim) * cell.confidence * (1.0 if len(options) == 1 else 0.75)
    return by_gap(claim, gap, sure, "value", cell, index.shown(value), text[claim.start : claim.end])


def check_top(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """The k largest together make p percent of the whole."""
    k = int(claim.slots["count"])
    q = claim.quantities[0]
    best: tuple[float, float, Cell] | None = None
    for cells in scopes(claim, index):
        if len(cells) <= k or any(c.value < 0 for c in cells):
            continue
        ordered = sorted((c.value for c in cells), reverse=True)
        total = sum(ordered)
        if total <= 0:
            continue
        share = 100 * sum(ordered[:k]) / total
        plain = sum(ordered[:k])
        stated = 100 * q.value if q.kind == "fraction" else q.value
        tolerance = max(q.precision, 1.0) + (2.0 if q.approximate or q.kind == "fraction" else 0.0)
        gap = min(abs(stated - share), abs(stated - plain) if index.percent else 1e9) / tolerance
        if best is None or gap < best[0]:
            best = (gap, share, cells[0])
    if best is None:
        return unverifiable(claim)
    return by_gap(
        claim,
        best[0],
        certainty(claim) * best[2].confidence,
        "value",
        best[2],
        f"{best[1]:.0f}%",
        text[claim.start : claim.end],
    )


def check_threshold(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """n of the categories lie above (below) a value."""
    q = claim.quantities[0]
    stated = int(claim.slots["threshold"])
    said = text[claim.start : claim.end]
    sign = -1.0 if claim.direction == "lower" else 1.0
    best: tuple[int, int, Cell] | None = None
    for cells in scopes(claim, index):
        for sense in senses(q, index):
            if sense.trust < 0.6:
                continue
            sure = sum(sign * (c.value - sense.value) > c.tolerance for c in cells)
            may = sum(sign * (c.value - sense.value) > -c.tolerance - 1e-9 for c in cells)
            off = 0 if sure <= stated <= may else min(abs(stated - sure), abs(stated - may))
            if best is None or off < best[0]:
                best = (off, sure, cells[0])
    if best is None:
        return unverifiable(claim)
    confidence = certainty(claim) * index.quality
    if best[0] == 0:
        return supported(claim, 0.8 * confidence, best[2], said=said, seen=str(best[1]))
    return contradicted(
        claim,
        "value",
        min(0.8, 0.4 + 0.15 * best[0]) * confidence,
        best[2],
        said=said,
        seen=str(best[1]),
        gap=float(best[0] + 1),
    )
