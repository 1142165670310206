"""Checks of extremes, ranks and comparisons."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import NamedTuple

from f2teval.claims.checking.base import certainty, contradicted, is_total, slack, supported, unverifiable, where
from f2teval.claims.checking.relations import sides
from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.index import FigureIndex
from f2teval.claims.wordforms import STOP, tokens
from f2teval.figure.reading import Cell

_LOCAL = ("peak", "trough", "high point", "low point", "bottom")


class Outcome(NamedTuple):
    """One way to read an extreme: by how many tolerances the target misses the place (0 = it has it), who has it."""

    gap: float
    cell: Cell
    winner: Cell
    weight: float
    local: bool


def check_extreme(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Who or when is the n-th highest or lowest."""
    said = text[claim.start : claim.end]
    role = str(claim.slots.get("role", ""))
    if not index.cells:
        return unverifiable(claim, "no values could be read")
    if role == "step":
        return _check_step(claim, index, said)
    if not role:
        return _absent(claim, index, said)
    if role == "time" and not claim.categories:
        unknown = claim.slots.get("unknown") or []
        if unknown and index.period() is not None:
            winners = [_place(c, claim.direction, 1)[0] for c in _scopes(claim, index, role) if c]
            seen = "; ".join(where(w) for w in winners[:2])
            return contradicted(
                claim,
                "label",
                0.6 * index.quality,
                winners[0] if winners else None,
                seen=seen,
                said=said,
                note=f"the figure does not show {unknown[0]}",
            )
        return unverifiable(claim)
    outcomes = [o for scope in _scopes(claim, index, role) if (o := _outcome(claim, index, role, scope)) is not None]
    alternative = tuple(claim.slots.get("alt_series", ()))
    if alternative:
        # "On jobs, Clinton leads": the first among the series there, or the first place of Clinton's.
        other = replace(claim, series=alternative, slots={**claim.slots, "scope_categories": claim.categories})
        outcomes += [
            o for scope in _scopes(other, index, "series") if (o := _outcome(other, index, "series", scope)) is not None
        ]
    if not outcomes:
        return unverifiable(claim)
    best = min(outcomes, key=lambda o: o.gap)
    sure = certainty(claim) * min(best.cell.confidence, best.winner.confidence)
    seen = f"{where(best.winner)} ({index.shown(best.winner.value)})"
    gap = round(min(best.gap, 99.0), 3)
    if best.gap <= 1.0:
        if best.local:
            return supported(claim, 0.55 * sure, best.cell, seen=f"{where(best.cell)} (local)", said=said, gap=gap)
        share = sum(o.gap <= 1.0 for o in outcomes) / len(outcomes)
        return supported(
            claim, sure * (1.0 - 0.35 * best.gap) * (0.6 + 0.4 * share), best.cell, seen=seen, said=said, gap=gap
        )
    if best.gap <= 1.5:
        return unverifiable(claim, "too close to tell")
    strength = min(1.0, 0.55 + 0.15 * (best.gap - 1.5))
    confidence = sure * strength * (1.0 if len(outcomes) == 1 else 0.8)
    return contradicted(claim, "label", confidence, best.winner, seen=seen, said=said, gap=gap,
                        note=f"{where(best.cell)} is {index.shown(best.cell.value)}")  # fmt: skip


def _check_step(claim: Claim, index: FigureIndex, said: str) -> Verdict:
    """The largest (smallest) step between neighbouring dates is the one into, out of, or across the dates named."""
    sign = {"up": 1.0, "down": -1.0}.get(str(claim.slots.get("moves")), 0.0)
    best: tuple[float, Cell, Cell] | None = None
    for series in [s for s in claim.series if s in index.by_series] or index.series:
        cells = index.by_series[series]
        steps = [
            (sign * (b.value - a.value) if sign else abs(b.value - a.value), a, b) for a, b in itertools.pairwise(cells)
        ]
        if len(steps) < 3:
            continue
        pick = max if claim.direction == "highest" else min
        top = pick(steps, key=lambda s: s[0])
        mine = [s for s in steps if s[1].category in claim.categories or s[2].category in claim.categories]
        span = claim.slots.get("span") or ()
        if span and all(c in index.order for c in span):
            lo, hi = index.order[span[0]], index.order[span[1]]
            mine += [s for s in steps if lo <= index.order[s[1].category] and index.order[s[2].category] <= hi]
        if not mine:
            continue
        held = pick(mine, key=lambda s: s[0])
        tolerance = max(
            held[1].tolerance + held[2].tolerance,
            0.02 * (max(c.value for c in cells) - min(c.value for c in cells)),
            1e-12,
        )
        gap = abs(top[0] - held[0]) / tolerance
        if best is None or gap < best[0]:
            best = (gap, top[1], top[2])
    if best is None:
        return unverifiable(claim)
    gap, first, last = best
    seen = f"{where(first)} → {last.category}"
    sure = certainty(claim) * min(first.confidence, last.confidence)
    if gap <= 1.0:
        return supported(claim, 0.85 * sure, last, seen=seen, said=said, gap=round(gap, 3))
    if gap <= 2.5:
        return unverifiable(claim, "too close to tell")
    return contradicted(
        claim, "label", sure * min(0.8, 0.4 + 0.05 * gap), last, seen=seen, said=said, gap=round(min(gap, 99.0), 3)
    )


def _absent(claim: Claim, index: FigureIndex, said: str) -> Verdict:
    """The extreme is said to be something whose name the figure does not hold."""
    m = claim.subjects[0]
    folds = [t.fold for t in tokens(m.text) if t.fold not in STOP]
    if not folds or index.is_time or not _named(index):
        return unverifiable(claim)
    known = sum(index.names.word(f) is not None for f in folds) / len(folds)
    if known > 0.34:
        return unverifiable(claim)
    elsewhere = sum(index.knows(f) for f in folds) / len(folds)
    winner = _place(list(index.cells), claim.direction, 1)[0]
    return contradicted(
        claim,
        "label",
        (0.75 - 0.35 * elsewhere) * index.quality,
        winner,
        seen=where(winner),
        said=said,
        note=f"{m.text} is not in the figure",
    )


def _named(index: FigureIndex) -> bool:
    """Whether the categories were read as names, so that a missing one is missing from the figure."""
    worded = sum(any(len(w) > 2 and w.isalpha() for w in c.split()) for c in index.categories)
    return worded >= 3 and worded >= 0.7 * len(index.categories)


def _scopes(claim: Claim, index: FigureIndex, role: str) -> list[list[Cell]]:
    """The lists of cells among which the extreme is sought, one for each way to understand the sentence."""
    wanted = tuple(claim.slots.get("scope_series", ()))
    at = tuple(claim.slots.get("scope_categories", ()))
    if role == "series":
        span = claim.slots.get("span")
        places = [c for c in at if c in index.by_category] or list(index.by_category)
        if span and span[0] in index.order and span[1] in index.order:
            places = index.categories[index.order[span[0]] : index.order[span[1]] + 1]
        scopes = [index.by_category[c] for c in places if len(index.by_category[c]) > 1]
        if len(places) > 1:
            scopes.append(_tops(index, places, claim.direction))
        return scopes[:80]
    series = [s for s in wanted if s in index.by_series] or list(index.series)
    scopes = [index.by_series[s] for s in series]
    if role == "time":
        return scopes
    within = set(claim.slots.get("within", ()))
    parts = (
        [within] if within else [set(names) for names in index.sections.values() if set(names) & set(claim.categories)]
    )
    sectioned = [
        part for scope in scopes for names in parts if len(part := [c for c in scope if c.category in names]) > 1
    ]
    if parts and not sectioned:
        return []  # the others of its section were not read
    scopes = sectioned if within else scopes + sectioned
    for s in claim.slots.get("carried_series", ()):
        if s in index.by_series and index.by_series[s] not in scopes:
            scopes.append(index.by_series[s])
    if len(series) > 1 and not wanted:
        scopes.append(_sums(index))
    return scopes


def _tops(index: FigureIndex, places: list[str], direction: str) -> list[Cell]:
    """For each series its best cell over the places."""
    best: dict[str, Cell] = {}
    pick = max if direction == "highest" else min
    for p in places:
        for c in index.by_category[p]:
            best[c.series] = pick(best[c.series], c, key=lambda k: k.value) if c.series in best else c
    return list(best.values())


def _sums(index: FigureIndex) -> list[Cell]:
    """For each category the sum of its series (stacked charts, and "overall")."""
    found = []
    for category, cells in index.by_category.items():
        first = cells[0]
        found.append(
            Cell(
                "",
                category,
                sum(c.value for c in cells),
                first.x,
                first.origin,
                sum(c.tolerance for c in cells),
                min(c.confidence for c in cells),
                first.box,
            )
        )
    return found


def _place(cells: list[Cell], direction: str, rank: int) -> list[Cell]:
    """The cells from the ``rank``-th place on."""
    ordered = sorted(cells, key=lambda c: c.value, reverse=direction == "highest")
    return ordered[min(rank, len(ordered)) - 1 :]


def _outcome(claim: Claim, index: FigureIndex, role: str, scope: list[Cell]) -> Outcome | None:
    names = set(claim.series if role == "series" else claim.categories)
    targets = [c for c in scope if (c.series if role == "series" else c.category) in names]
    if not targets or len(scope) < 2:
        return None
    if not any(is_total(c.series if role == "series" else c.category) for c in targets):
        scope = [c for c in scope if not is_total(c.series if role == "series" else c.category)] or scope
    cue = str(claim.slots.get("cue", "")).lower()
    local = role == "time" and any(w in cue for w in _LOCAL)
    if claim.slots.get("roughly") and role == "time":
        near = {index.order[c.category] + d for c in targets for d in (-1, 0, 1)}
        targets = [c for c in scope if index.order[c.category] in near]
    sign = 1.0 if claim.direction == "highest" else -1.0
    rank = claim.rank
    several = len(names) if not claim.slots.get("roughly") and role != "time" else 1
    if claim.slots.get("among"):
        rank = max(1, len(scope) // 2)
    elif several > 1 and len(claim.subjects) > 1:
        rank = rank + min(several, len(claim.subjects)) - 1
        targets = [min(targets, key=lambda c: sign * c.value)]
    holder = _place(scope, claim.direction, rank)[0]
    target = max(targets, key=lambda c: sign * c.value)
    short = sign * (holder.value - target.value)
    if rank > 1 and not claim.slots.get("among"):
        short = abs(short)
    gap = short / max(slack(holder, target, index), 1e-12) if short > 0 else 0.0
    if gap > 1.0 and local:
        turn = next((t for t in targets if _is_turn(scope, t, sign)), None)
        if turn is not None:
            return Outcome(0.9, turn, holder, 1.0, True)
    return Outcome(gap, target, holder, 1.0, False)


def _is_turn(scope: list[Cell], target: Cell, sign: float) -> bool:
    """Whether a cell stands out from its neighbours on both sides."""
    i = next((k for k, c in enumerate(scope) if c is target), None)
    if i is None:
        return False
    extent = max(c.value for c in scope) - min(c.value for c in scope)
    left, right = scope[max(0, i - 3) : i], scope[i + 1 : i + 4]

    def lower(side: list[Cell]) -> bool:
        return not side or any(sign * (target.value - c.value) > 0.05 * extent for c in side)

    higher = any(sign * (c.value - target.value) > 0.02 * extent for c in scope[max(0, i - 1) : i + 2])
    return bool(left or right) and lower(left) and lower(right) and not higher


def check_comparison(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """a is higher than, lower than, or equal to b."""
    left, right = sides(claim, index)
    role = claim.slots.get("role")
    pairs = [
        (a, b) for a in left for b in right if (a.category == b.category if role == "series" else a.series == b.series)
    ]
    if not pairs:
        return unverifiable(claim)
    sign = {"higher": 1.0, "lower": -1.0, "equal": 0.0}[claim.direction]
    gaps = []
    for a, b in pairs[:80]:
        tol = max(slack(a, b, index), 1e-12)
        d = a.value - b.value
        if sign == 0.0:
            extent = (index.span[1] - index.span[0]) if index.span else abs(d)
            gaps.append((abs(d) / max(tol, 0.06 * extent), a, b))
        else:
            gaps.append((max(0.0, -sign * d / tol + (0.4 if d == 0 else 0.0)), a, b))
    gaps.sort(key=lambda g: g[0])
    holds = sum(g[0] <= 1.0 for g in gaps) / len(gaps)
    gap, a, b = gaps[0] if holds >= 0.5 else gaps[-1]
    sure = certainty(claim) * min(a.confidence, b.confidence)
    seen = f"{where(a)}: {index.shown(a.value)}; {where(b)}: {index.shown(b.value)}"
    said = text[claim.start : claim.end]
    if holds >= 0.5:
        return supported(claim, sure * (0.5 + 0.5 * holds), a, seen=seen, said=said, gap=round(gap, 3))
    if gaps[0][0] <= 1.5:
        return unverifiable(claim)
    return contradicted(
        claim,
        "label",
        sure * min(0.9, 0.5 + 0.1 * gaps[0][0]),
        a,
        seen=seen,
        said=said,
        gap=round(min(gaps[0][0], 99), 3),
    )
