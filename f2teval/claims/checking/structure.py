"""Checks of what is said of the figure itself: type, title, axes, colours, source, counts, shares."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rapidfuzz import fuzz

from f2teval.claims.checking.base import certainty, contradicted, is_total, supported, unverifiable, where
from f2teval.claims.claim import Claim, Quantity, Verdict
from f2teval.claims.index import FigureIndex
from f2teval.claims.wordforms import STOP, fold, tokens
from f2teval.figure.reading import Axis

_FAMILIES: Final[dict[str, frozenset[str]]] = {
    "horizontal_bar": frozenset({"horizontal_bar", "grouped_bar", "stacked_bar"}),
    "vertical_bar": frozenset({"vertical_bar", "grouped_bar", "stacked_bar", "histogram", "bar_line", "waterfall"}),
    "stacked_bar": frozenset({"stacked_bar"}),
    "grouped_bar": frozenset({"grouped_bar"}),
    "bar": frozenset(
        {
            "vertical_bar",
            "horizontal_bar",
            "grouped_bar",
            "stacked_bar",
            "histogram",
            "bar_line",
            "waterfall",
            "error_bar",
        }
    ),
    "line": frozenset({"line", "multi_line", "bar_line", "error_bar"}),
    "area": frozenset({"area", "stacked_area"}),
    "pie": frozenset({"pie", "donut"}),
    "donut": frozenset({"donut", "pie"}),
}
_TIMES: Final = frozenset(
    fold(w) for w in ("year", "years", "time", "date", "dates", "month", "months", "period", "quarter", "day", "decade")
)
_MEASURES: Final = frozenset(
    fold(w)
    for w in (
        "number", "numbers", "percentage", "percent", "value", "values", "amount", "share", "rate", "count", "total",
        "quantity", "price", "index", "level", "score", "proportion", "frequency", "cost", "revenue", "population",
    )
)  # fmt: skip
_AXIS_VERBS: Final = frozenset(
    fold(w)
    for w in (
        "represents", "represent", "shows", "show", "displays", "lists", "list", "indicates", "denotes", "measures",
        "labeled", "labelled", "ranging", "ranges", "range", "scaled", "scale", "different", "various", "axis", "chart",
        "depicts", "covers", "contains", "plots", "marked", "corresponding", "respective",
    )
)  # fmt: skip
_ABOUT: Final = frozenset(
    fold(w)
    for w in (
        "data", "distribution", "comparison", "information", "statistics", "overview", "trend", "trends", "change",
        "changes", "years", "year", "results", "survey", "percentage", "number", "share", "categories", "comparing",
    )
)  # fmt: skip
_LIKELY_MIXED: Final = (frozenset({"line", "area"}),)


def check_chart_type(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """It is a bar chart."""
    said_type = str(claim.slots["type"])
    actual = index.reading.chart_type
    sure = index.reading.chart_confidence
    said = text[claim.start : claim.end]
    if actual in {"unknown", "photo"} or sure <= 0:
        return unverifiable(claim)
    family = _FAMILIES.get(said_type, frozenset({said_type}))
    if actual in family:
        return supported(claim, sure, seen=actual.replace("_", " "), said=said)
    pair = {said_type.split("_")[-1], actual.split("_")[-1]}
    confidence = 0.8 * sure * (0.5 if any(pair <= m for m in _LIKELY_MIXED) else 1.0)
    if pair == {"bar"}:  # which way bars lie, or whether they are stacked, is seen less surely than that they are bars
        confidence *= 0.6
    return contradicted(claim, "label", confidence if sure > 0.4 else 0.0, seen=actual.replace("_", " "), said=said)


def check_title(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """It is titled …"""
    said = str(claim.slots["said"])
    r = index.reading
    if claim.slots.get("about"):
        return _check_about(claim, index, said)
    pool = [t for t in (r.title, r.subtitle, f"{r.title} {r.subtitle}", r.words.replace("\n", " ")) if t]
    if not pool:
        return unverifiable(claim)
    best = max(fuzz.partial_ratio(said.lower()[:200], t.lower()[:3000]) for t in pool) / 100
    folds = [t.fold for t in tokens(said) if t.fold not in STOP]
    known = sum(index.knows(f) for f in folds) / len(folds) if folds else 0.0
    score = max(best, known)
    if score >= 0.8:
        return supported(claim, score, said=said, seen=r.title)
    if score >= 0.6 or not r.title:
        return unverifiable(claim)
    return contradicted(claim, "label", 0.8 * (1 - score), said=said, seen=r.title)


def _check_about(claim: Claim, index: FigureIndex, said: str) -> Verdict:
    """It shows …: the subject must be told by the words of the figure."""
    folds = {t.fold for t in tokens(said) if t.fold not in STOP and not t.fold[0].isdigit()} - _AXIS_VERBS - _ABOUT
    if len(folds) < 2 or len(index.words) < 4:
        return unverifiable(claim)
    share = sum(index.knows(f) for f in folds) / len(folds)
    seen = index.reading.title[:80]
    if share >= 0.75:
        return supported(claim, 0.6 * share, said=said, seen=seen)
    return unverifiable(claim)  # titles are told in other words, or not read whole


def check_axis(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """The x axis shows …, goes from a to b."""
    side = str(claim.slots["side"])
    axis = index.reading.axis(side)
    said = text[claim.start : claim.end]
    if axis is None:
        return unverifiable(claim)
    if claim.quantities:
        return _axis_range(claim, index, said, side)
    folds = [t.fold for t in tokens(str(claim.slots.get("said", ""))) if t.fold not in STOP]
    words = {t.fold for t in tokens(axis.title)}
    if not folds:
        return unverifiable(claim)
    if not words:
        return _axis_words(claim, axis, index, folds, said)
    other = index.reading.axis("y" if side == "x" else "x")
    foreign = {t.fold for t in tokens(other.title)} - words if other else set()
    mine, theirs = len(words & set(folds)), len(foreign & set(folds))
    if mine and mine >= theirs:
        return supported(claim, min(0.9, 0.5 + 0.2 * mine), said=said, seen=axis.title)
    if theirs >= 2 and not mine:
        return contradicted(claim, "label", 0.5, said=said, seen=axis.title)
    return _axis_words(claim, axis, index, folds, said)


def _axis_words(claim: Claim, axis: Axis, index: FigureIndex, folds: list[str], said: str) -> Verdict:
    """What an axis shows that has no title of these words: dates; without a title, numbers or words of the figure."""
    kind = "time" if axis.kind == "time" or (index.is_time and axis.kind == "category") else axis.kind
    dated = kind == "time" or (kind == "numeric" and _spans_years(axis))
    if dated and not _TIMES.isdisjoint(folds):
        return supported(claim, 0.7, said=said, seen="dates")
    if axis.title:
        return unverifiable(claim)
    if kind == "numeric" and not dated and not _MEASURES.isdisjoint(folds):
        return supported(claim, 0.6, said=said, seen="numbers")
    content = [f for f in folds if f not in _AXIS_VERBS]
    other = index.reading.axis("y" if axis.side == "x" else "x")
    if other is not None and {t.fold for t in tokens(other.title)} & set(content):
        return unverifiable(claim)
    if kind == "numeric" and not dated and content and _TIMES.issuperset(content):
        if index.is_time:  # the dates are on the other axis
            return contradicted(claim, "label", 0.45, said=said, seen="numbers")
        return unverifiable(claim)
    if not dated and content and sum(index.knows(f) for f in content) >= 0.5 * len(content):
        return supported(claim, 0.45, said=said, seen="words of the figure")
    return unverifiable(claim)


def _spans_years(axis: Axis) -> bool:
    """Whether the ticks of an axis are years."""
    values = [t.value for t in axis.ticks if t.value is not None]
    return len(values) > 1 and all(1500 <= v <= 2200 and v == int(v) for v in values)


def _axis_range(claim: Claim, index: FigureIndex, said: str, side: str) -> Verdict:
    axis = index.reading.axis(side)
    span = axis.span if axis else None
    numbers = [q for q in claim.quantities if q.kind in {"number", "year", "date", "fraction"}]
    if axis is None or span is None or not numbers:
        return unverifiable(claim)
    lo, hi = span
    extent = max(hi - lo, 1e-12)
    scale = index.reading.scale or 1.0
    worst = 0.0
    low, high = min(numbers, key=lambda n: n.value), max(numbers, key=lambda n: n.value)
    values_of_ticks = sorted(t.value for t in axis.ticks if t.value is not None)
    step = values_of_ticks[1] - values_of_ticks[0] if len(values_of_ticks) > 1 else extent
    bounds: list[tuple[Quantity, tuple[float, ...]]] = [(low, (lo, lo - step)), (high, (hi, hi + step))]
    for q, ends in bounds:
        values = [q.value, q.value / scale] + ([q.value / 100] if q.unit == "%" else []) + [q.value / q.scale]
        if len(numbers) == 1:
            ends = (lo, hi)
        worst = max(worst, min(abs(v - e) / extent for v in values for e in ends))
    seen = f"{lo:g} to {hi:g}"
    if worst <= 0.11:
        return supported(claim, 0.8 * max(axis.confidence, 0.5), said=said, seen=seen)
    if worst <= 0.35:
        return unverifiable(claim)
    return contradicted(claim, "value", 0.6 * axis.confidence, said=said, seen=seen, gap=round(worst / 0.11, 2))


def check_color(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """The blue line is …"""
    colour = str(claim.slots["color"])
    names = {s.name: s.color_name.lower() for s in index.reading.series if s.color_name}
    said = text[claim.start : claim.end]
    if not names:
        return unverifiable(claim)
    if claim.series:
        seen = [names[s] for s in claim.series if s in names]
        if not seen:
            return unverifiable(claim)
        if any(colour in s or s in colour for s in seen):
            return supported(claim, 0.85, said=said, seen=seen[0])
        if any(_near(colour, s) for s in seen):
            return unverifiable(claim)
        return contradicted(claim, "label", 0.6, said=said, seen=seen[0])
    if any(colour in s for s in names.values()):
        return supported(claim, 0.6, said=said, seen=colour)
    if any(_near(colour, s) for s in names.values()):
        return unverifiable(claim)
    return contradicted(claim, "label", 0.35, said=said, seen=", ".join(dict.fromkeys(names.values())))


_NEAR: Final = (
    {"blue", "navy", "teal", "cyan", "turquoise"},
    {"green", "teal", "olive", "turquoise"},
    {"orange", "gold", "yellow", "brown", "tan"},
    {"red", "maroon", "pink", "magenta", "brown", "orange"},
    {"purple", "violet", "magenta", "pink"},
    {"gray", "black", "tan", "beige"},
)


def _near(a: str, b: str) -> bool:
    return any(a in group and any(w in group for w in b.replace("-", " ").split()) for group in _NEAR)


def check_source(claim: Claim, index: FigureIndex, text: str, known: frozenset[str] = frozenset()) -> Verdict:
    """The data come from …"""
    said = str(claim.slots["said"])
    folds = [t.fold for t in tokens(said) if t.fold not in STOP]
    if not folds:
        return unverifiable(claim)
    share = sum(index.knows(f) or f in known for f in folds) / len(folds)
    if share >= 0.7:
        return supported(claim, 0.9 * share, said=said, seen=index.reading.source[:80])
    if share >= 0.35:
        return unverifiable(claim)
    return contradicted(
        claim, "out_of_context", 0.5 if index.reading.source else 0.35, said=said, seen=index.reading.source[:80]
    )


def check_count(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Number of categories, series or years."""
    q = claim.quantities[0]
    noun = str(claim.slots["noun"])
    n = int(q.value)
    said = text[claim.start : claim.end]
    period = index.period()
    if noun in {"years", "decades"}:
        if period is None:
            return unverifiable(claim)
        years = (period[1] - period[0]) / (10 if noun == "decades" else 1)
        if abs(years - n) <= 1.01 or abs(years + 1 - n) <= 0.01:
            return supported(claim, 0.7, said=said, seen=f"{years:g} {noun}")
        if n <= years:
            return unverifiable(claim)
        return contradicted(claim, "value", 0.4 * index.quality, said=said, seen=f"{years:g} {noun}")
    if not index.cells or (period is not None and noun == "months"):
        return unverifiable(claim)
    counts = {len(index.series), len(index.categories), sum(not is_total(c) for c in index.categories),
              sum(not is_total(s) for s in index.series)} - {0}  # fmt: skip
    if n in counts:
        return supported(claim, 0.75 * index.quality, said=said, seen=str(n))
    if any(p.value == n and p.kind == "number" and not p.unit for p in index.printed):
        return supported(claim, 0.4, said=said)
    if n < max(counts):
        return unverifiable(claim)
    return contradicted(claim, "value", 0.35 * index.quality, said=said, seen=str(max(counts)))


def check_share(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """A majority, most, less than half."""
    said = text[claim.start : claim.end]
    most = claim.direction == "higher"
    if claim.quantities:
        v = claim.quantities[0].value
        if (v > 50) == most or abs(v - 50) <= 1.5:
            return supported(claim, 0.4, said=said, note="the number beside it agrees")
        return contradicted(
            claim, "magnitude", 0.55, said=said, note=f"{v:g}% is no majority" if most else f"{v:g}% is a majority"
        )
    if not (index.percent or index.fraction) or not claim.slots.get("own"):
        return unverifiable(claim)
    cells = index.select(claim.series, claim.categories)
    if not cells or len(cells) > 30:
        return unverifiable(claim)
    half = 50.0 if index.percent else 0.5
    best = max(cells, key=lambda c: c.value) if most else min(cells, key=lambda c: c.value)
    holds = (best.value >= 0.98 * half) if most else (best.value <= 1.02 * half)
    sure = certainty(claim) * best.confidence
    if holds:
        return supported(
            claim,
            0.5 * sure / max(1.0, len(cells) ** 0.3),
            best,
            said=said,
            seen=f"{where(best)}: {index.shown(best.value)}",
        )
    if len(cells) <= 3 and abs(best.value - half) > 0.1 * half:
        return contradicted(
            claim, "magnitude", 0.5 * sure, best, said=said, seen=f"{where(best)}: {index.shown(best.value)}"
        )
    return replace(unverifiable(claim), said=said)
