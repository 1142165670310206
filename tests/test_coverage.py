"""What of a figure a text tells, and the features of conciseness, logicity and analysis."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.claims.check import check_claims
from f2teval.claims.coverage import COVERAGE_FEATURES, CoverageResult, checklist, main_trend, measure_coverage
from f2teval.claims.index import FigureIndex
from f2teval.claims.levels import sentence_levels
from f2teval.claims.parse import parse_claims
from f2teval.claims.quality import QUALITY_FEATURES, quality_features
from f2teval.claims.sentences import split_sentences
from f2teval.claims.text_issues import find_issues
from f2teval.claims.tokens import Words
from f2teval.figure.reading import Axis, Cell, Reading, Series, TextBox, Tick
from f2teval.rubric import DIMENSION_NAMES

YEARS = ("2010", "2011", "2012", "2013", "2014")
CATS = (40.0, 44.0, 47.0, 50.0, 56.0)
DOGS = (50.0, 45.0, 40.0, 38.0, 33.0)


def reading(two: bool = True) -> Reading:
    cells = [
        Cell(name if two else "", y, v, x=float(y), origin="label", tolerance=0.5, text=f"{v:g}")
        for name, row in ((("Cats", CATS), ("Dogs", DOGS)) if two else (("", CATS),))
        for y, v in zip(YEARS, row)
    ]
    title = "Households keeping pets"
    ticks = tuple(Tick(y, float(y), 10.0 * i) for i, y in enumerate(YEARS))
    return Reading(
        400, 300, (TextBox(title, (0, 0, 100, 10)), *(TextBox(y, (0, 0, 9, 9)) for y in YEARS)),
        chart_type="multi_line" if two else "line", chart_confidence=0.9, is_chart=1.0, title=title,
        axes=(Axis("x", "time", ticks, title="Year", confidence=1.0), Axis("y", "numeric", title="Percent of homes")),
        series=(Series("Cats"), Series("Dogs")) if two else (Series(""),), categories=YEARS, category_kind="time",
        cells=tuple(cells), unit="%",
    )  # fmt: skip


def cover(text: str, two: bool = True) -> CoverageResult:
    index = FigureIndex.of(reading(two))
    spans = split_sentences(text)
    verdicts = check_claims(parse_claims(text, spans, index, ""), index, text, "")
    return measure_coverage(text, index, verdicts, spans)


def test_the_checklist_names_what_matters() -> None:
    labels = [i.label for i in checklist(FigureIndex.of(reading())).items]
    assert "title" in labels
    assert "chart type" in labels
    assert "time span: 2010 to 2014" in labels
    assert "series: Cats" in labels
    assert "comparison: Cats against Dogs" in labels
    assert "highest: 2014 of Cats (56%)" in labels
    assert "main trend of Cats: up" in labels
    assert "main trend of Dogs: down" in labels


def test_a_full_text_covers_it_and_an_empty_one_nothing() -> None:
    full = cover(
        "The line chart shows households keeping pets, in percent of homes, by year from 2010 to 2014. "
        "The share of cats increased from 40% to 56%, the highest value, in 2014. "
        "The share of dogs decreased to 33% in 2014, its lowest. In 2014, Cats was higher than Dogs."
    )
    assert full.missing == ()
    assert full.features["cover.all"] > 0.95
    none = cover("Here is a picture.")
    assert none.mentioned == ()
    assert none.features["cover.all"] < 0.1


def test_what_is_left_out_is_named() -> None:
    told = cover("The share of households keeping pets has increased from 2010 to 2014.", two=False)
    assert "title" in told.mentioned
    assert "main trend: up" in told.mentioned
    assert "time span: 2010 to 2014" in told.mentioned
    assert any(m.startswith("highest: 2014") for m in told.missing)
    assert any(m.startswith("lowest: 2010") for m in told.missing)


def test_a_wrong_statement_tells_nothing() -> None:
    right = cover("The share was highest in 2014.", two=False)
    wrong = cover("The share was highest in 2011.", two=False)
    assert any(m.startswith("highest") for m in right.mentioned)
    assert any(m.startswith("highest") for m in wrong.missing)
    down = cover("The share decreased from 2010 to 2014.", two=False)
    assert "main trend: up" in down.missing


@pytest.mark.parametrize(
    ("values", "way"),
    [
        ((1, 2, 3, 4), "up"),
        ((9, 7, 8, 2), "down"),
        ((100, 101, 99, 100), "flat"),
        ((1, 9, 1, 9, 1), "fluctuating"),
        ((5, 1, 9, 8, 9, 10), "up"),
    ],
)
def test_main_trend(values: tuple[float, ...], way: str) -> None:
    assert main_trend(values) == way


def test_an_empty_reading_has_an_empty_checklist() -> None:
    result = measure_coverage("Sales rose.", Reading(10, 10), [])
    assert result.mentioned == result.missing == ()
    assert set(result.features) == set(COVERAGE_FEATURES)


def quality(text: str) -> dict[str, float]:
    index = FigureIndex.of(reading())
    spans = split_sentences(text)
    words = Words(text, spans)
    verdicts = check_claims(parse_claims(text, spans, index, ""), index, text, "")
    return quality_features(words, verdicts, find_issues(text, spans), sentence_levels(text, spans, words))


PLAIN = (
    "The line chart shows households keeping pets from 2010 to 2014. The share of cats increased from 40% to 56%. "
    "By contrast, the share of dogs fell from 50% to 33%, so in 2014 Cats was 23 percentage points higher than Dogs."
)

WORSE = [
    ("concise.repeated", PLAIN + " The share of cats increased from 40% to 56%."),
    ("concise.filler", "It is worth noting that it can be seen that " + PLAIN),
    ("concise.filler_count", "It is important to note that " + PLAIN),
    (
        "concise.words_per_fact",
        PLAIN + " This is something that one may well like to look at for quite a while again." * 4,
    ),
    ("concise.loops", PLAIN + " It fell or it fell or it fell or it fell."),
    ("logic.grammar", PLAIN + " The the share are is falling."),
    ("logic.nonsense", PLAIN + " Cats 56 50 44 Dogs 33 2003 2007 2011"),
    ("logic.any_flaw", PLAIN + " The number of of people fell."),
    ("logic.contradictions", PLAIN + " The share of dogs rose from 50% to 33%."),
    ("logic.dangling_start", "However, " + PLAIN),
    ("logic.early_conclusion", "In conclusion, cats win. " + PLAIN),
    (
        "logic.overview_late",
        "In 2014, 56% are cats. In 2010, 40% are cats. The x-axis shows the year in this line chart.",
    ),
    ("analysis.speculation", PLAIN + " This may be due to a change of policy."),
    ("analysis.wrong", PLAIN + " The share of dogs increased from 2010 to 2014."),
]


@pytest.mark.parametrize(("name", "text"), WORSE)
def test_a_flaw_moves_its_feature(name: str, text: str) -> None:
    assert QUALITY_FEATURES[name].sign < 0
    assert quality(text)[name] > quality(PLAIN)[name]


def test_insight_moves_analysis() -> None:
    listing = "In 2010, 40% are cats. In 2011, 44% are cats. In 2012, 47% are cats."
    a, b = quality(listing), quality(PLAIN)
    for name in ("analysis.insights", "analysis.claimed", "analysis.levels", "analysis.share"):
        assert QUALITY_FEATURES[name].sign > 0
        assert b[name] > a[name]
    assert a["analysis.listing"] > b["analysis.listing"]


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=150))
def test_features_are_bounded(text: str) -> None:
    values = quality(text)
    assert set(values) == set(QUALITY_FEATURES)
    assert all(0.0 <= v <= 1.0 for v in values.values())
    assert all(0.0 <= v <= 1.0 for v in cover(text).features.values())


def test_every_feature_says_what_it_means() -> None:
    for meaning in QUALITY_FEATURES.values():
        assert meaning.text
        assert meaning.sign in {-1, 1}
        assert meaning.dimension in DIMENSION_NAMES
