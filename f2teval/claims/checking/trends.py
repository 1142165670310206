"""Checks of trends."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from f2teval.claims.checking.base import certainty, contradicted, spread, supported, unverifiable, where
from f2teval.claims.checking.dated import check_dated_trend
from f2teval.claims.claim import Claim, Verdict
from f2teval.claims.index import FigureIndex
from f2teval.figure.reading import Cell


class Course(NamedTuple):
    """How far a stretch of a series agrees with a direction: 1 clearly, 0 undecided, -1 clearly not; and why."""

    score: float
    error: str
    first: Cell
    last: Cell
    note: str


def check_trend(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Rises, falls, is stable or fluctuates."""
    if not index.is_time and len(index.dates_in_series) > 1:
        return check_dated_trend(claim, index, text)
    if not index.is_time or len(index.times) < 2:
        return unverifiable(claim, "the figure shows no course over time")
    slots = claim.slots
    if slots.get("unknown") and not (slots.get("start") or slots.get("end") or slots.get("point")):
        return unverifiable(claim, "the figure does not show that time")
    said = text[claim.start : claim.end]
    soft = "series" in (claim.slots.get("soft") or ())
    names = [s for s in claim.series if s in index.by_series and not soft] or list(index.series)
    explicit = (bool(claim.series) and not soft) or len(index.series) == 1
    courses = [c for s in names if (c := _course(claim, index, index.by_series[s])) is not None]
    if not courses:
        return unverifiable(claim)
    score = sum(c.score for c in courses) / len(courses)
    if not explicit:
        # Of which series it is said is not known: all of them, or none, must bear it out.
        score = min(score, 0.8) if score > 0 else 0.8 * max(c.score for c in courses)
    pick = max(courses, key=lambda c: c.score) if score >= 0 else min(courses, key=lambda c: c.score)
    sure = certainty(claim) * min(pick.first.confidence, pick.last.confidence)
    seen = f"{where(pick.first)}: {index.shown(pick.first.value)} → {where(pick.last)}: {index.shown(pick.last.value)}"
    gap = round(1.0 - score, 3)
    if score >= 0.35:
        return supported(claim, sure * min(1.0, 0.3 + 0.7 * score), pick.last, seen=seen, said=said, gap=gap)
    if score > -0.35:
        return unverifiable(claim, "neither clearly so nor clearly not")
    return contradicted(
        claim, pick.error, sure * min(1.0, -score), pick.last, seen=seen, said=said, gap=gap, note=pick.note
    )


def _course(claim: Claim, index: FigureIndex, cells: list[Cell]) -> Course | None:
    slots = claim.slots
    if len(cells) < 2:
        return None
    start, end, point = str(slots.get("start") or ""), str(slots.get("end") or ""), str(slots.get("point") or "")
    order = index.order
    if point:
        return _at_point(claim, index, cells, order.get(point, -1), order)
    lo = order.get(start, 0) if start else -1
    hi = order.get(end, len(index.categories)) if end else len(index.categories)
    part = [c for c in cells if lo <= order[c.category] <= hi]
    if len(part) < 2:
        return None
    whole = _judge(claim, index, part, cells)
    if start and end:
        return whole
    if start or end:
        # "After 2009 it falls": the whole rest, or what comes next.
        reach = max(3, len(cells) // 4)
        near = part[: max(2, reach)] if start else part[-reach:]
        local = _judge(claim, index, near, cells)
        if claim.direction not in {"up", "down"}:
            return whole
        if local.score > whole.score:
            return local._replace(score=0.75 * local.score if local.score > 0 else local.score)
        return whole
    if (
        slots.get("after")
        or not slots.get("alone", True)
        or (slots.get("own_span") is False and not slots.get("whole", True))
    ):
        return _anywhere(claim, index, cells, whole)
    return whole


def _anywhere(claim: Claim, index: FigureIndex, cells: list[Cell], whole: Course) -> Course:
    """A movement without a date: somewhere it must be."""
    if whole.score > 0 or claim.direction not in {"up", "down"}:
        return whole
    sign = 1.0 if claim.direction == "up" else -1.0
    extent = spread(cells) or 1.0
    best = 0.0
    run = 0.0
    for a, b in itertools.pairwise(cells):
        run = max(0.0, run + sign * (b.value - a.value))
        best = max(best, run)
    share = best / extent
    if share >= 0.12:
        return whole._replace(score=min(0.7, 0.35 + 0.5 * share))
    return whole._replace(score=-0.5 if share < 0.03 else 0.0)


def _at_point(claim: Claim, index: FigureIndex, cells: list[Cell], at: int, order: dict[str, int]) -> Course | None:
    """A movement at one date: into it, or out of it."""
    i = next((k for k, c in enumerate(cells) if order[c.category] == at), None)
    if i is None:
        return None
    sign = {"up": 1.0, "down": -1.0}.get(claim.direction, 0.0)
    reach = 2 if claim.slots.get("roughly") else 1
    lo, hi = max(0, i - reach), min(len(cells) - 1, i + reach)
    if sign == 0.0:
        return _judge(claim, index, cells[max(0, i - 3) : i + 4], cells)._replace(score=0.0)
    extent = spread(cells) or abs(cells[i].value) or 1.0
    into = max((sign * (cells[i].value - cells[k].value) for k in range(lo, i)), default=-extent)
    out = max((sign * (cells[k].value - cells[i].value) for k in range(i + 1, hi + 1)), default=-extent)
    since_first = sign * (cells[i].value - cells[0].value) if i else -extent
    best = max(into, out)
    if best > 0.02 * extent:
        return Course(min(0.8, 0.4 + best / extent), "trend", cells[lo], cells[i], "")
    if since_first > 0.05 * extent:
        return Course(0.4, "trend", cells[0], cells[i], "")
    if best > -0.03 * extent:
        return Course(0.0, "trend", cells[lo], cells[i], "")
    return Course(
        max(-0.8, -0.4 + 2 * best / extent), "trend", cells[lo], cells[min(hi, i + 1)], "it moves the other way there"
    )


def _judge(claim: Claim, index: FigureIndex, part: list[Cell], cells: list[Cell]) -> Course:
    first, last = part[0], part[-1]
    extent = (index.span[1] - index.span[0]) if index.span and len(index.series) == 1 else spread(cells)
    own = spread(cells) or 1e-12
    seen = max(first.tolerance + last.tolerance, 0.015 * max(extent, own), 1e-12)
    if first.origin == last.origin == "label":
        seen = max(first.tolerance, 1e-12)
    if claim.strength == "weak":
        seen *= 0.5
    net = last.value - first.value
    moves = [b.value - a.value for a, b in itertools.pairwise(part)]
    total = sum(abs(m) for m in moves) or 1e-12
    ranged = spread(part)
    level = max(abs(sum(c.value for c in part) / len(part)), 1e-12)
    if claim.direction in {"up", "down"}:
        sign = 1.0 if claim.direction == "up" else -1.0
        return _directed(claim, first, last, sign * net, seen, sign, moves, total, own, level)
    if claim.direction == "flat":
        relative, of_axis = ranged / level, ranged / max(extent, own)
        size = min(relative / 0.25, of_axis / 0.3)
        score = 1.0 - size if size <= 1 else -min(1.0, 0.4 + 0.3 * (size - 1))
        return Course(score, "trend" if abs(net) > 0.5 * ranged else "magnitude", first, last, "it changes a lot")
    noise = 0.04 * ranged
    signs = [1 if m > 0 else -1 for m in moves if abs(m) > noise]
    turns = sum(1 for a, b in itertools.pairwise(signs) if a != b)
    if turns >= 2:
        return Course(min(1.0, 0.5 + 0.1 * turns), "trend", first, last, "")
    if turns == 1:
        return Course(0.1, "trend", first, last, "")
    return Course(
        -0.5 if len(moves) > 3 and ranged > 0.1 * level else 0.0, "trend", first, last, "it moves one way only"
    )


def _directed(
    claim: Claim,
    first: Cell,
    last: Cell,
    gain: float,
    seen: float,
    sign: float,
    moves: list[float],
    total: float,
    own: float,
    level: float,
) -> Course:
    if gain <= -seen:
        return Course(-min(1.0, 0.5 + 0.5 * (-gain) / own), "trend", first, last, "it goes the other way")
    if gain < seen:
        if claim.strength == "strong":
            return Course(-0.5, "magnitude", first, last, "start and end are about the same")
        against = -0.4 if abs(gain) < 0.5 * seen and own > 6 * seen else -0.2
        return Course(against, "trend", first, last, "start and end are about the same")
    score = min(1.0, 0.55 + 0.6 * gain / own)
    if claim.slots.get("steady"):
        back = sum(abs(m) for m in moves if m * sign < 0)
        worst = max((abs(m) for m in moves if m * sign < 0), default=0.0)
        if back / total > 0.2 and worst > 0.12 * own:
            return Course(-min(0.8, 0.3 + back / total), "magnitude", first, last, "it is not steady")
        if back / total > 0.1:
            score = min(score, 0.3)
    relative = gain / max(abs(first.value), 0.02 * level, 1e-12)
    if claim.strength == "strong" and relative < 0.15 and gain < 0.25 * own:
        return Course(-0.5, "magnitude", first, last, "the change is small")
    if claim.strength == "weak" and relative > 0.5 and gain > 0.6 * own:
        return Course(-0.5, "magnitude", first, last, "the change is large")
    return Course(score, "", first, last, "")
