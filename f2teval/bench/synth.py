"""Synthetic figures with known tables, and texts about them of known quality: one figure at a time, by seed and index.

Everything about figure ``i`` follows from ``(seed, i)`` alone, so that a run can stop, resume, or be split over
machines. Tables and texts never depend on the renderer's pixels or the machine's fonts.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from f2teval.bench.colors import distinct_names
from f2teval.bench.facts.base import Teller
from f2teval.bench.render.post import finish
from f2teval.bench.render.scene import Scene
from f2teval.bench.render.style import Style, make_style
from f2teval.bench.shapes import library
from f2teval.bench.table import Table, split_of
from f2teval.bench.tables import TYPE_FORM, make_table
from f2teval.bench.texts import STYLES, Writer
from f2teval.bench.truth import FigureTruth, TextTruth
from f2teval.errors import UnknownNameError, UsageError
from f2teval.figure.reading import CHART_TYPES
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample

RENDERERS: Final[dict[str, str]] = {
    "vega": "f2teval.bench.render.vega",
    "matplotlib": "f2teval.bench.render.mpl",
    "pygal": "f2teval.bench.render.pyg",
    "press": "f2teval.bench.render.press",
}
"""Renderer → module with ``TYPES`` and ``render(rng, table, chart_type, style)``. Imported when first used."""

WEIGHTS: Final = {
    "vertical_bar": 5.0,
    "horizontal_bar": 5.0,
    "line": 6.0,
    "multi_line": 3.5,
    "area": 3.0,
    "grouped_bar": 3.5,
    "stacked_bar": 4.0,
    "pie": 2.0,
}
"""How often a chart type is drawn where the user names none: as often as people do, roughly."""
PRINTS: Final = {
    "vega": (
        "vertical_bar",
        "horizontal_bar",
        "grouped_bar",
        "histogram",
        "line",
        "area",
        "pie",
        "donut",
        "heatmap",
        "waterfall",
    ),
    "matplotlib": (
        "vertical_bar",
        "horizontal_bar",
        "grouped_bar",
        "pie",
        "donut",
        "heatmap",
        "funnel",
        "waterfall",
        "treemap",
    ),
    "pygal": ("vertical_bar", "horizontal_bar", "grouped_bar"),
    "press": (
        "horizontal_bar",
        "vertical_bar",
        "stacked_bar",
        "grouped_bar",
        "pie",
        "donut",
        "funnel",
        "treemap",
        "sankey",
    ),
}
"""Types for which a renderer prints (nearly) every value when labels are on."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to generate.

    Attributes:
        seed: any integer.
        types: chart types to draw (names of ``CHART_TYPES``); empty for all.
        renderers: renderers to use; empty for all.
        texts: texts a figure (1–50).
        styles: text styles; empty for all.
    """

    seed: int = 0
    types: tuple[str, ...] = ()
    renderers: tuple[str, ...] = ()
    texts: int = 6
    styles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.types:
            if name not in TYPE_FORM:
                drawn = [t for t in CHART_TYPES if t in TYPE_FORM]
                raise UnknownNameError("chart type to draw", name, drawn)
        for name in self.renderers:
            if name not in RENDERERS:
                raise UnknownNameError("renderer", name, RENDERERS)
        for name in self.styles:
            if name not in STYLES:
                raise UnknownNameError("text style", name, STYLES)
        if not 1 <= self.texts <= 50:
            raise UsageError(f"texts a figure must lie between 1 and 50, not {self.texts}")

    def pairs(self) -> list[tuple[str, str]]:
        """(renderer, chart type) that can be drawn. Raises :class:`UsageError` when the choice leaves none."""
        wanted = self.types or tuple(TYPE_FORM)
        out = [
            (r, t)
            for r in (self.renderers or tuple(RENDERERS))
            for t in importlib.import_module(RENDERERS[r]).TYPES
            if t in wanted
        ]
        missing = set(wanted) - {t for _, t in out}
        if self.types and missing:
            raise UsageError(f"no chosen renderer draws {', '.join(sorted(missing))}: add a renderer or drop the type")
        if not out:
            raise UsageError("these types and renderers leave nothing to draw")
        return out


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: the picture file's bytes and extension, its truth, and the samples about it."""

    data: bytes
    suffix: str
    truth: FigureTruth
    samples: tuple[Sample, ...]


def generate(n: int, seed: int = 0, *, start: int = 0, **options: Any) -> Iterator[Figure]:
    """Figures ``start`` … ``start + n - 1`` of a seed, streamed. ``options`` are the fields of :class:`Options`."""
    opts = Options(seed=seed, **options)
    pairs = opts.pairs()
    for i in range(start, start + n):
        yield make_figure(i, opts, pairs)


@dataclass(frozen=True, slots=True)
class Draft:
    """A figure before it is drawn: everything that does not depend on a renderer's pixels."""

    id: str
    chart_type: str
    renderer: str
    table: Table
    style: Style
    exact: bool
    context: str
    caption: str
    keys: tuple[str, ...]
    texts: tuple[TextTruth, ...]

    @property
    def split(self) -> str:
        """The split of its topic-entity pair."""
        return split_of(self.table.pair)


def compose(index: int, options: Options, pairs: Sequence[tuple[str, str]] | None = None) -> Draft:
    """Table, look and texts of figure ``index``, without drawing it."""
    pairs = pairs or options.pairs()
    pick = _chance(options.seed, index, "pick")
    types = sorted({t for _, t in pairs})
    chart_type = pick.choices(types, [WEIGHTS.get(t, 1.0) for t in types])[0]
    fit = [r for r, t in pairs if t == chart_type]
    renderer = pick.choices(fit, [_SHARE.get(r, 1.0) for r in fit])[0]
    table = make_table(_chance(options.seed, index, "table"), chart_type)
    style = make_style(_chance(options.seed, index, "style"), table, chart_type, renderer)
    if not style.show_source:
        table = replace(table, source="", note="")
    if table.symbol == "%" and not table.parts and not style.labels and renderer == "vega" and pick.random() < 0.35:
        table = as_fraction(table)
    exact = style.labels and chart_type in PRINTS[renderer] and len(table.categories) * len(table.series) <= 24
    context, causes = _context(_chance(options.seed, index, "context"), table)
    rng = _chance(options.seed, index, "text")
    teller = Teller(
        table=table,
        rng=rng,
        exact=exact,
        split=split_of(table.pair),
        colors=style_colors(table, style),
        chart_type=chart_type,
        color_names=color_words(table, style, chart_type),
        causes=causes,
    )
    writer = Writer(teller)
    fid = f"s{options.seed}-{index:06d}"
    texts = tuple(_texts(rng, writer, fid, options))
    caption = table.title if not style.show_title or pick.random() < 0.3 else ""
    return Draft(fid, chart_type, renderer, table, style, exact, context, caption, tuple(writer.keys), texts)


def make_figure(index: int, options: Options, pairs: Sequence[tuple[str, str]] | None = None) -> Figure:
    """Figure ``index`` of a run."""
    return draw(compose(index, options, pairs), _chance(options.seed, index, "draw"))


def draw(draft: Draft, rng: Random) -> Figure:
    """Render a draft."""
    style = draft.style
    scene: Scene = importlib.import_module(RENDERERS[draft.renderer]).render(rng, draft.table, draft.chart_type, style)
    data, suffix = finish(scene, style)
    look = {
        "labels": style.labels,
        "exact": draft.exact,
        "font": style.font,
        "scale": style.scale,
        "jpeg": style.jpeg,
        "direct": style.direct,
        "number": style.number,
        "grid": style.grid,
        "tick_angle": style.tick_angle,
        "title": style.show_title,
    }
    truth = FigureTruth.of(
        draft.id,
        draft.split,
        draft.table,
        scene,
        look=look,
        context=draft.context,
        keys=draft.keys,
        color_names=color_words(draft.table, style, draft.chart_type),
        graded=draft.texts,
    )
    samples = tuple(
        Sample(
            id=x.id,
            text=x.text,
            sentences=tuple((s.start, s.end) for s in x.sentences),
            image=data,
            caption=draft.caption,
            context=draft.context,
            system=f"synthetic-{x.style}",
            source=f"synthetic/{draft.renderer}",
            ratings=dict(x.ratings),
            extra={"figure": draft.id, "split": draft.split},
        )
        for x in draft.texts
    )
    return Figure(data, suffix, truth, samples)


def _chance(seed: int, index: int, part: str) -> Random:
    """A source of chance for one part of one figure: parts do not disturb each other."""
    return Random(f"{seed}|{index}|{part}")


_SHARE: Final = {"vega": 3.0, "matplotlib": 1.0, "pygal": 1.0, "press": 2.0}


def _texts(rng: Random, writer: Writer, fid: str, options: Options) -> Iterator[TextTruth]:
    """Texts with every grade drawn on its own."""
    styles = options.styles or STYLES
    for k in range(options.texts):
        grades = {d: rng.randrange(3) for d in DIMENSION_NAMES}
        yield writer.write(f"{fid}-t{k}", rng.choice(styles), grades)


def _context(rng: Random, table: Table) -> tuple[str, tuple[str, str]]:
    """A paragraph known to be true that names a cause (for half of the figures), and a cause it does not name."""
    causes = list(library()["causes"].get(table.domain, ()))
    rng.shuffle(causes)
    if len(causes) < 2:
        return "", ("", "")
    if rng.random() >= 0.5:
        return "", ("", causes[1])
    text = rng.choice(
        (
            "The report discusses {m} in detail. According to its authors, the values are best explained by {c}.",
            "In the accompanying text, {c} is given as the main reason for what the figure shows about {m}.",
            "The authors link {m} to {c}.",
            "As the section on {m} explains, {c} had a marked influence on these numbers.",
        )
    ).format(m=table.measure, c=causes[0])
    return text, (causes[0], causes[1])


def style_colors(table: Table, style: Style) -> dict[str, str]:
    """The colour each series is drawn in."""
    return {s: style.color(i) for i, s in enumerate(table.series)}


def color_words(table: Table, style: Style, chart_type: str) -> dict[str, str]:
    """Plain colour names of the series, where a writer could use them."""
    if (
        chart_type in ("heatmap", "candlestick", "box", "violin", "scatter", "bubble", "sankey")
        or len(table.series) < 2
    ):
        return {}
    return distinct_names(style_colors(table, style))


def as_fraction(table: Table) -> Table:
    """A percent table in fractions of one, as some charts plot shares."""
    values = tuple(tuple(None if v is None else round(v / 100, table.decimals + 2) for v in r) for r in table.values)
    errors = tuple(tuple(round(v / 100, 4) for v in r) for r in table.errors) if table.errors else None
    return replace(table, values=values, errors=errors, unit="fraction", symbol="", decimals=table.decimals + 2)
