"""Checks of relations between values: sums, differences and ratios, and the pairs of cells they are about."""

from __future__ import annotations

from f2teval.claims.checking.base import by_gap, certainty, unverifiable
from f2teval.claims.checking.dated import ends
from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.compare import fit
from f2teval.claims.index import FigureIndex
from f2teval.figure.reading import Cell


def check_sum(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """a and b together make …"""
    names = tuple(claim.slots.get("names", ()))
    series = names if claim.slots.get("role") == "series" else claim.series
    categories = names if claim.slots.get("role") == "category" else claim.categories
    cells = index.select(series, categories)
    if len(cells) != len(names) or len(cells) < 2:
        return unverifiable(claim)
    total = sum(c.value for c in cells)
    f = fit(claim.quantities[0], total, sum(c.tolerance for c in cells), index, printed=index.labelled)
    return by_gap(claim, f.gap, certainty(claim) * min(c.confidence for c in cells), "value", cells[0],
                   index.shown(total), text[claim.start : claim.end])  # fmt: skip


def sides(claim: Claim, index: FigureIndex) -> tuple[list[Cell], list[Cell]]:
    """The cells on the two sides of a relation, at the same place of the other dimension."""
    left, right = tuple(claim.slots.get("left", ())), tuple(claim.slots.get("right", ()))
    if claim.slots.get("role") == "series":
        others = claim.categories if set(claim.categories) <= set(index.order) else ()
        return index.select(left, others), index.select(right, others)
    series = tuple(s for s in claim.series if s in index.by_series)
    if not left or not right:
        return [], []
    return index.select(series, left), index.select(series, right)


def pairs(claim: Claim, index: FigureIndex) -> list[tuple[Cell, Cell]]:
    """Pairs of cells that a relation may be about."""
    if claim.slots.get("left"):
        a, b = sides(claim, index)
        if claim.slots.get("role") == "series":
            return [(x, y) for x in a for y in b if x.category == y.category]
        return [(x, y) for x in a for y in b if x.series == y.series]
    found: list[tuple[Cell, Cell]] = []
    if not index.is_time:
        return ends(claim, index) if claim.categories else found
    for s in claim.series or tuple(index.series):
        cells = index.by_series.get(s, [])
        if len(cells) < 2:
            continue
        start, end = str(claim.slots.get("start") or ""), str(claim.slots.get("end") or "")
        points = [str(p) for p in claim.slots.get("points", ())]
        if points and not start and not end:
            at = next((i for i, c in enumerate(cells) if c.category == points[-1]), None)
            if at:
                found.append((cells[at - 1], cells[at]))
                found.append((cells[0], cells[at]))
            continue
        first = index.row.get((s, start)) if start else cells[0]
        last = index.row.get((s, end)) if end else cells[-1]
        if first is not None and last is not None and first is not last:
            found.append((first, last))
    return found


def check_difference(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """a exceeds b by d; rose by d."""
    q = claim.quantities[0]
    options = pairs(claim, index)
    if not options:
        return unverifiable(claim)
    best: tuple[float, Cell, float] | None = None
    for a, b in options[:60]:
        d = abs(b.value - a.value)
        tol = a.tolerance + b.tolerance
        gaps = [fit(q, d, tol, index, printed=a.origin == "label").gap]
        if q.unit in {"%", ""} and a.value and not index.percent:
            relative = 100 * d / abs(a.value)
            spread = 100 * tol / abs(a.value)
            gaps.append(
                abs(relative - q.value) / max(spread + q.precision, 0.1 * q.value if q.approximate else 1.0, 1e-9)
            )
        if best is None or min(gaps) < best[0]:
            best = (min(gaps), b, d)
    assert best is not None
    weight = 1.0 if len(options) == 1 else 0.7
    return by_gap(
        claim,
        best[0],
        weight * certainty(claim) * best[1].confidence,
        "value",
        best[1],
        index.shown(best[2]),
        text[claim.start : claim.end],
    )


def check_ratio(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """a is n times b; doubled."""
    q = claim.quantities[0]
    options = pairs(claim, index)
    best: tuple[float, Cell, float] | None = None
    for a, b in options[:60]:
        x, y = (a.value, b.value) if claim.slots.get("left") else (b.value, a.value)
        if y == 0 or x * y <= 0:
            continue
        ratio = x / y
        tol = abs(ratio) * (a.tolerance / abs(a.value) + b.tolerance / abs(b.value)) + max(
            0.1 * q.value, q.precision if q.text[:1].isdigit() and "." in q.text else 0.0
        )
        off = ratio - q.value
        if q.bound == "lower" and off >= 0:
            gap = 0.0 if ratio < 2.5 * q.value else 1.2
        elif q.bound == "upper" and off <= 0:
            gap = 0.0 if ratio > 0.5 * q.value else 1.2
        else:
            gap = abs(off) / (tol * (1.5 if q.approximate else 1.0))
        if best is None or gap < best[0]:
            best = (gap, b, ratio)
    if best is None:
        return unverifiable(claim)
    weight = 1.0 if len(options) == 1 else 0.7
    return by_gap(
        claim,
        best[0],
        weight * certainty(claim) * best[1].confidence,
        "magnitude",
        best[1],
        f"{best[2]:.2f} times",
        text[claim.start : claim.end],
    )
