"""What of a figure a text tells, and what it leaves out.

A :class:`Checklist` is made once a figure: what it is about, its chart type, axes, series, extremes, main trend,
period. :func:`measure_coverage` ticks it off against a text, by the claims found in it and by its words. A wrong
statement about an item ("the highest is 2011" where it is 2014) does not tell it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

from f2teval.claims.claim import Verdict
from f2teval.claims.index import FigureIndex
from f2teval.claims.issues.material import function_words
from f2teval.claims.tokens import Span, Words
from f2teval.claims.wordforms import fold
from f2teval.figure.reading import Cell, Reading

_MAX_SERIES: Final = 8
_DULL: Final = frozenset({"by", "year", "number", "chart", "figure", "percent", "%", "person", "in", "of", "the", "us"})
_TYPE_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "bar": ("bar", "bars", "column", "columns", "barchart", "bargraph", "histogram"),
    "line": ("line", "lines", "curve", "curves", "trendline"),
    "area": ("area", "areas"),
    "pie": ("pie", "donut", "doughnut", "slice", "slices", "segments"),
    "donut": ("donut", "doughnut", "pie", "ring"),
    "scatter": ("scatter", "scatterplot", "points", "dots"),
    "bubble": ("bubble", "bubbles", "scatter"),
    "histogram": ("histogram", "distribution", "bar", "bars"),
    "box": ("box", "boxplot", "boxes", "boxplots", "whisker", "whiskers"),
    "violin": ("violin",),
    "heatmap": ("heatmap", "heat"),
    "radar": ("radar", "spider"),
    "funnel": ("funnel",),
    "treemap": ("treemap",),
    "candlestick": ("candlestick", "candlesticks"),
    "waterfall": ("waterfall",),
    "sankey": ("sankey", "flow"),
    "table": ("table",),
    "map": ("map",),
}
_UNIT_WORDS: Final = frozenset(
    "percent percentage % million millions billion billions thousand thousands dollars dollar euros pounds".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a text about the figure should tell.

    ``kind`` is a key of :data:`WEIGHTS`, ``label`` its name for people; the rest is what telling it looks like.
    """

    kind: str
    label: str
    words: frozenset[str] = frozenset()
    cells: tuple[Cell, ...] = ()
    series: str = ""
    direction: str = ""


WEIGHTS: Final[dict[str, float]] = {
    "title": 1.0, "type": 0.5, "x_axis": 0.5, "y_axis": 0.75, "series": 1.0, "highest": 1.0, "lowest": 0.75,
    "trend": 1.25, "span": 0.5, "comparison": 1.0,
}  # fmt: skip
"""What each kind of item weighs in ``cover.all``; several items of a kind share its weight."""

COVERAGE_FEATURES: Final[dict[str, str]] = {
    "cover.all": "weighted share of the checklist that is told (higher is better)",
    **{
        f"cover.{kind}": f"share of the items of the kind “{kind}” that are told (higher is better)" for kind in WEIGHTS
    },
    "cover.values": "values told, against as many as a short text can (higher is better, 1 from six values or half)",
    "cover.names": "categories named, of up to eight (higher is better)",
}
"""Features of :func:`measure_coverage`; each in [0, 1]. A kind the figure has nothing of takes the value of
``cover.all``, so that it neither helps nor harms."""


@dataclass(frozen=True, slots=True)
class CoverageResult:
    """What is told and what is not.

    Attributes:
        mentioned, missing: short names for people, in the order of the checklist.
        features: the names of :data:`COVERAGE_FEATURES` with values in [0, 1].
        told: for each item of the checklist how far it is told, 0–1.
    """

    mentioned: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    features: dict[str, float] = field(default_factory=dict)
    told: tuple[tuple[Item, float], ...] = ()


class Checklist:
    """What a text about a figure should tell; made once a figure."""

    def __init__(self, index: FigureIndex) -> None:
        self.index = index
        self.items: list[Item] = list(_frame_items(index))
        self.items += _series_items(index)
        self.items += _value_items(index)
        self.value_count = len(index.cells)
        timely = index.is_time
        self.category_words: dict[str, frozenset[str]] = (
            {} if timely else {c: _content(c) for c in index.categories[:40] if _content(c)}
        )


_MADE: WeakKeyDictionary[FigureIndex, Checklist] = WeakKeyDictionary()


def checklist(figure: FigureIndex | Reading) -> Checklist:
    """The checklist of a figure, made once for each index."""
    if isinstance(figure, Reading):
        return Checklist(FigureIndex.of(figure))
    found = _MADE.get(figure)
    if found is None:
        found = _MADE[figure] = Checklist(figure)
    return found


def _content(text: str) -> frozenset[str]:
    """Folded content words of a name or title."""
    small = function_words()
    words = Words(text[:400], [(0, min(400, len(text)))])
    return frozenset(f for w in words.low if w not in small and w[0].isalnum() and (f := fold(w)))


def _frame_items(index: FigureIndex) -> list[Item]:
    r = index.reading
    items: list[Item] = []
    topic = _content(r.title + " " + r.subtitle) or _content(r.title)
    if len(topic) >= 2:
        items.append(Item("title", "title", topic))
    kind = next((k for k in _TYPE_WORDS if k in r.chart_type), "")
    if (kind and r.chart_confidence >= 0.3) or (kind and r.chart_type != "unknown"):
        items.append(Item("type", "chart type", frozenset(_TYPE_WORDS[kind])))
    horizontal = "horizontal" in r.chart_type
    for side, kind in (("x", "x_axis"), ("y", "y_axis")):
        axis = r.axis(side)
        title = axis.title if axis else ""
        if not title and axis is not None and axis.kind != "numeric":
            title = r.category_title
        words = _content(title) - _DULL or _content(title)
        if words:
            measured = axis is not None and axis.kind == "numeric"
            items.append(Item("y_axis" if measured and horizontal else kind, f"{side} axis: {title[:60]}", words))
    if not any(i.kind == "y_axis" for i in items) and r.unit and len(r.unit) <= 40:
        unit = _content(r.unit) | (
            frozenset(_UNIT_WORDS & {"%", "percent", "percentage"}) if "%" in r.unit else frozenset()
        )
        if unit:
            items.append(Item("y_axis", f"unit: {r.unit}", unit))
    if index.is_time and len(index.times) >= 3:
        first, last = index.times[0][1], index.times[-1][1]
        items.append(Item("span", f"time span: {first} to {last}", frozenset({fold(first), fold(last)})))
    return items


def _series_items(index: FigureIndex) -> list[Item]:
    names = [s for s in index.series if s]
    if len(names) < 2:
        return []
    items = [Item("series", f"series: {s[:60]}", _content(s), series=s) for s in names[:_MAX_SERIES] if _content(s)]
    if len(items) >= 2:
        label = "comparison of the series" if len(names) > 2 else f"comparison: {names[0][:40]} against {names[1][:40]}"
        items.append(Item("comparison", label))
    return items


def _value_items(index: FigureIndex) -> list[Item]:
    cells = [c for c in index.cells if c.confidence >= 0.2]
    if len(cells) < 2:
        return []
    items: list[Item] = []
    rows = {s: [c for c in index.by_series.get(s, ()) if c.confidence >= 0.2] for s in index.series}
    named = len(index.series) > 1
    for kind, sign in (("highest", 1.0), ("lowest", -1.0)):
        best = max(cells, key=lambda c: sign * c.value)
        # with several series, the extreme of any of them is worth telling; the greatest names the item
        pool = [max(row, key=lambda c: sign * c.value) for row in rows.values() if row]
        tied = [c for b in pool for c in rows[b.series] if abs(c.value - b.value) <= _slack(b, c)]
        name = (
            f"{best.category} of {best.series}"
            if named and best.series and best.category
            else best.category or best.series
        )
        if name and max(c.value for c in cells) > min(c.value for c in cells):
            items.append(Item(kind, f"{kind}: {name[:60]} ({index.shown(best.value)})", cells=tuple(tied)))
    if index.is_time:
        trends = [(s, main_trend([c.value for c in row])) for s, row in rows.items() if len(row) >= 3]
        for s, way in trends[:4]:
            of = f" of {s[:40]}" if s and len(trends) > 1 else ""
            items.append(Item("trend", f"main trend{of}: {way}", _content(s), series=s, direction=way))
    return items


def _slack(a: Cell, b: Cell) -> float:
    return a.tolerance + b.tolerance + 0.01 * abs(a.value)


def main_trend(values: Sequence[float]) -> str:
    """ "up", "down", "flat" or "fluctuating": the net change against the range gone through."""
    low, high = min(values), max(values)
    size = max(abs(low), abs(high))
    if high - low <= 0.05 * size:
        return "flat"
    net = (values[-1] - values[0]) / (high - low)
    if abs(net) >= 0.5:
        return "up" if net > 0 else "down"
    third = max(1, len(values) // 3)
    first, last = sum(values[:third]) / third, sum(values[-third:]) / third
    net = (last - first) / (high - low)
    if abs(net) >= 0.45:
        return "up" if net > 0 else "down"
    return "fluctuating"


class _Told:
    """What a text says, in the forms the checklist asks for."""

    def __init__(self, words: Words, verdicts: Sequence[Verdict]) -> None:
        self.low = frozenset(words.low)
        self.folds = {fold(w) for w in self.low if w[0].isalnum()}
        self.verdicts = [v for v in verdicts if v.status != "contradicted"]
        self.series = {s for v in verdicts for s in v.claim.series}
        self.categories = {c for v in verdicts for c in v.claim.categories}
        self.sentences: list[frozenset[str]] = []
        self.ways: list[frozenset[str]] = []
        for (i, j), hits in zip(words.sentences, words.found("directions")):
            self.ways.append(frozenset([h.section for h in hits]))
            self.sentences.append(frozenset(fold(w) for w in words.low[i:j] if w[0].isalnum()))
        self.wrong = {(v.claim.sentence, v.claim.kind) for v in verdicts if v.status == "contradicted"}


def measure_coverage(
    text: str,
    figure: FigureIndex | Reading,
    verdicts: Sequence[Verdict],
    spans: Sequence[Span] = (),
    words: Words | None = None,
) -> CoverageResult:
    """What of a figure a text tells.

    Args:
        text: the text under test.
        figure: the figure's index (or its Reading).
        verdicts: what was found of the text's claims; those contradicted tell nothing.
        spans: the text's sentences (the whole text counts as one where none are given).
        words: the text's tokens, if the caller has them already.
    """
    todo = checklist(figure)
    words = words or Words(text, spans or [(0, len(text))])
    said = _Told(words, verdicts)
    told = tuple((item, _how_far(item, said, todo.index)) for item in todo.items)
    features = _features(todo, told, said)
    return CoverageResult(
        tuple(i.label for i, t in told if t >= 0.5), tuple(i.label for i, t in told if t < 0.5), features, told
    )


def _features(todo: Checklist, told: Sequence[tuple[Item, float]], said: _Told) -> dict[str, float]:
    by_kind: dict[str, list[float]] = {}
    for item, t in told:
        by_kind.setdefault(item.kind, []).append(t)
    shares = {kind: sum(v) / len(v) for kind, v in by_kind.items()}
    weight = sum(WEIGHTS[k] for k in shares)
    overall = sum(WEIGHTS[k] * s for k, s in shares.items()) / weight if weight else 0.0
    out = {"cover.all": overall}
    for kind in WEIGHTS:
        out[f"cover.{kind}"] = shares.get(kind, overall)
    values = {
        (v.claim.series, v.claim.categories)
        for v in said.verdicts
        if v.claim.kind in {"value", "share"} and v.claim.quantities
    }
    enough = min(6.0, max(1.0, todo.value_count / 2))
    out["cover.values"] = min(1.0, len(values) / enough) if todo.value_count else overall
    if todo.category_words:
        named = sum(1 for c, w in todo.category_words.items() if c in said.categories or w <= said.folds)
        out["cover.names"] = min(1.0, named / min(8, len(todo.category_words)))
    else:
        out["cover.names"] = overall
    return out


def _how_far(item: Item, said: _Told, index: FigureIndex) -> float:
    kind = item.kind
    if kind == "type":
        return float(not item.words.isdisjoint(said.low))
    if kind in {"title", "x_axis", "y_axis"}:
        share = len(item.words & said.folds) / len(item.words)
        need = 0.4 if kind == "title" else 0.5
        return min(1.0, share / need) if share < need else 1.0
    if kind == "span":
        return sum(1 for w in item.words if w in said.folds or w[-4:] in said.folds) / len(item.words)
    if kind == "series":
        if item.series in said.series:
            return 1.0
        return float(len(item.words & said.folds) >= 0.6 * len(item.words))
    if kind == "comparison":
        return _compared(said, index)
    if kind == "trend":
        return _trend_told(item, said)
    return _extreme_told(item, said)


def _compared(said: _Told, index: FigureIndex) -> float:
    names = [(s, _content(s)) for s in index.series[:_MAX_SERIES] if s]
    for v in said.verdicts:
        if v.claim.kind in {"comparison", "difference", "ratio", "ranking"} and (
            len(v.claim.series) > 1 or v.status == "supported"
        ):
            return 1.0
    for n, folds in enumerate(said.sentences):
        if said.ways[n] & {"higher", "lower", "highest", "lowest"} and (n, "comparison") not in said.wrong:
            there = sum(1 for _, words in names if words and words <= folds)
            if there >= 2:
                return 1.0
    return 0.0


def _trend_told(item: Item, said: _Told) -> float:
    opposite = {"up": "down", "down": "up", "flat": "", "fluctuating": ""}[item.direction]
    best = 0.0
    for v in said.verdicts:
        c = v.claim
        if c.kind not in {"trend", "change"} or (item.series and c.series and item.series not in c.series):
            continue
        if c.direction == item.direction:
            best = 1.0
        elif (c.direction and c.direction != opposite) or v.status == "supported":
            best = max(best, 0.5)
    if best < 1.0:
        name = {"fluctuating": "fluctuate"}.get(item.direction, item.direction)
        for n, ways in enumerate(said.ways):
            if (n, "trend") in said.wrong or (n, "change") in said.wrong:
                continue
            about = not item.words or item.words <= said.sentences[n]
            if about and (name in ways or (item.direction == "fluctuating" and {"up", "down"} <= ways)):
                return 1.0
    return best


def _extreme_told(item: Item, said: _Told) -> float:
    way = item.kind
    places = {c.category for c in item.cells} | {c.series for c in item.cells if not c.category}
    for v in said.verdicts:
        c = v.claim
        if c.kind == "extreme" and c.direction == way and c.rank == 1:
            if v.status == "supported" or places & set(c.categories) or places & set(c.series):
                return 1.0
        elif c.kind in {"value", "share"} and v.status == "supported" and places & set(c.categories):
            return 0.6  # told, but not that it is the extreme
    for n, ways in enumerate(said.ways):
        if way in ways and (n, "extreme") not in said.wrong:
            folds = said.sentences[n]
            if any((w := _content(p)) and w <= folds for p in places):
                return 1.0
    return 0.0
