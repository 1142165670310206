"""Texts against hand-made Readings: which claims are found, and whether the figure bears them out."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from f2teval.claims.check import check_claims
from f2teval.claims.claim import Verdict
from f2teval.claims.index import FigureIndex
from f2teval.claims.parse import parse_claims
from f2teval.claims.sentences import split_sentences
from f2teval.figure.reading import Axis, Cell, Reading, Series, TextBox, Tick

BOX = (0.0, 0.0, 1.0, 1.0)


def measured_years(values: list[float], first: int, **rest: object) -> Reading:
    """One unnamed series measured off an axis, a value a year."""
    top = max(values)
    ticks = tuple(Tick(f"{v:g}", v, 0.0) for v in (0.0, top / 2, top))
    cells = tuple(Cell("", str(first + i), v, x=first + i, tolerance=0.01 * top) for i, v in enumerate(values))
    fields: dict[str, object] = {
        "chart_type": "line", "chart_confidence": 0.9, "is_chart": 1.0, "category_kind": "time",
        "title": "Cyclist fatalities in Delhi", "texts": (TextBox("Cyclist fatalities in Delhi", BOX, role="title"),),
        "axes": (Axis("y", "numeric", ticks, title="Number of fatalities", confidence=0.9),), "series": (Series(""),),
    }  # fmt: skip
    return Reading(600, 400, cells=cells, **(fields | rest))  # type: ignore[arg-type]


def printed(rows: dict[str, dict[str, float]], **rest: object) -> Reading:
    """A table of printed percentages: category → series → value."""
    cells = tuple(
        Cell(s, c, v, origin="label", tolerance=0.5, confidence=0.95, box=BOX)
        for c, row in rows.items()
        for s, v in row.items()
    )
    fields: dict[str, object] = {"chart_type": "grouped_bar", "chart_confidence": 0.8, "is_chart": 1.0, "unit": "%",
                                 "category_kind": "category"}  # fmt: skip
    return Reading(600, 400, cells=cells, **(fields | rest))  # type: ignore[arg-type]


DELHI = FigureIndex.of(measured_years([190, 150, 140, 145, 130, 128, 152, 120, 90, 80, 70, 78, 60, 55, 48], 2004))
VOTERS = FigureIndex.of(
    printed(
        {
            "Electability": {"Clinton": 56, "Obama": 16, "Edwards": 12},
            "Health care": {"Clinton": 52, "Obama": 13, "Edwards": 18},
            "Jobs": {"Clinton": 35, "Obama": 19, "Edwards": 17},
            "Iraq": {"Clinton": 31, "Obama": 30, "Edwards": 20},
        }
    )
)
USERS = FigureIndex.of(
    Reading(
        600,
        400,
        chart_type="horizontal_bar",
        chart_confidence=0.9,
        is_chart=1.0,
        unit="million",
        scale=1e6,
        category_kind="category",
        title="Social media users",
        cells=tuple(
            Cell("", c, v, tolerance=1.0, confidence=0.9)
            for c, v in (
                ("Facebook", 240.0),
                ("Instagram", 150.0),
                ("Twitter", 70.0),
                ("Reddit", 45.0),
                ("Tumblr", 20.0),
            )
        ),
        axes=(
            Axis(
                "x",
                "numeric",
                (Tick("0", 0.0, 0.0), Tick("250", 250.0, 1.0)),
                title="Users in millions",
                confidence=0.9,
            ),
        ),
    )
)


def verdicts(text: str, index: FigureIndex, context: str = "") -> list[Verdict]:
    return check_claims(parse_claims(text, split_sentences(text), index, context), index, text, context)


def findings(text: str, index: FigureIndex) -> set[tuple[str, str]]:
    """(kind, status) of the claims that need the table."""
    return {(v.claim.kind, v.status) for v in verdicts(text, index) if v.claim.kind != "mention"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # extremes in time
        ("The number of fatalities was highest in 2004.", ("extreme", "supported")),
        ("Fatalities peaked in 2004.", ("extreme", "supported")),
        ("Fatalities reached their lowest point at the end of the period.", ("extreme", "supported")),
        ("Fatalities were highest in 2011.", ("extreme", "contradicted")),
        ("The lowest number of fatalities was in 2004.", ("extreme", "contradicted")),
        ("There was a notable peak around 2010.", ("extreme", "supported")),
        # trends
        ("Fatalities have decreased from 2004 to 2018.", ("trend", "supported")),
        ("Fatalities have increased from 2004 to 2018.", ("trend", "contradicted")),
        ("Fatalities rose between 2009 and 2010.", ("trend", "supported")),
        ("Fatalities have been falling since 2010.", ("trend", "supported")),
        ("The number remained stable from 2004 to 2018.", ("trend", "contradicted")),
        ("The number fluctuated over the years.", ("trend", "supported")),
        # values and changes
        ("In 2004, there were about 190 fatalities.", ("value", "supported")),
        ("In 2004, there were about 120 fatalities.", ("value", "contradicted")),
        ("The number fell from 190 in 2004 to 48 in 2018.", ("change", "supported")),
        ("The number fell from 190 in 2004 to 100 in 2018.", ("change", "contradicted")),
        ("The number increased from 190 to 48.", ("change", "contradicted")),
        ("In 2004 there were more than 300,000 fatalities.", ("value", "contradicted")),
        # the period
        ("The chart shows the number of fatalities from 2004 to 2018.", ("range", "supported")),
        ("The chart shows the number of fatalities from 1990 to 2018.", ("range", "contradicted")),
        # comparisons of dates, largest steps, averages
        ("The number was lower in 2018 than in 2005.", ("comparison", "supported")),
        ("The number was higher in 2018 than in 2005.", ("comparison", "contradicted")),
        ("The sharpest drop occurred between 2004 and 2005.", ("extreme", "supported")),
        ("On average, there were about 109 fatalities.", ("value", "supported")),
        ("On average, there were about 160 fatalities.", ("value", "contradicted")),
        # the figure itself
        ("The line chart shows fatalities.", ("chart_type", "supported")),
        ("The pie chart shows fatalities.", ("chart_type", "contradicted")),
        ("The y-axis represents the number of fatalities.", ("axis", "supported")),
        ("The y-axis ranges from 0 to 1,000.", ("axis", "contradicted")),
    ],
)  # fmt: skip
def test_one_series_over_time(text: str, expected: tuple[str, str]) -> None:
    assert expected in findings(text, DELHI)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Facebook has the most users.", ("extreme", "supported")),
        ("The most popular platform is Facebook, followed by Instagram.", ("ranking", "supported")),
        ("The most popular platform is Facebook, followed by Reddit.", ("ranking", "contradicted")),
        ("The second most popular platform is Instagram.", ("extreme", "supported")),
        ("The least popular platform is Reddit.", ("extreme", "contradicted")),
        ("The most popular platform is MySpace.", ("extreme", "contradicted")),
        ("Instagram has about 150 million users.", ("value", "supported")),
        ("Instagram has about 200 million users.", ("value", "contradicted")),
        ("Instagram has 0.15 billion users.", ("value", "supported")),
        ("Twitter and Reddit have 70 million and 45 million users, respectively.", ("value", "supported")),
        ("Twitter and Reddit have 45 million and 70 million users, respectively.", ("value", "contradicted")),
        ("Twitter, Reddit and Tumblr have 70 million users, 45 million users and 90 million users, respectively.",
         ("value", "contradicted")),
        ("Facebook has more users than Twitter.", ("comparison", "supported")),
        ("Twitter has more users than Facebook.", ("comparison", "contradicted")),
        ("Facebook has 90 million more users than Instagram.", ("difference", "supported")),
        ("Reddit and Tumblr are 100 million users apart.", ("difference", "contradicted")),
        ("Two of the platforms have more than 100 million users.", ("count", "supported")),
        ("Four of the platforms have more than 100 million users.", ("count", "contradicted")),
        ("The values range from 20 million to 240 million.", ("range", "supported")),
        ("Facebook has twice as many users as Instagram.", ("ratio", "contradicted")),
    ],
)  # fmt: skip
def test_bars_of_one_series(text: str, expected: tuple[str, str]) -> None:
    assert expected in findings(text, USERS)


@pytest.mark.parametrize(
    "text",
    [
        "For electability, Clinton leads with 56%, followed by Obama at 16% and Edwards at 12%.",
        "In health care, Clinton again leads with 52%, while Obama has 13% and Edwards stands at 18%.",
        "On Iraq, Clinton and Obama are nearly tied at 31% and 30% respectively, with Edwards at 20%.",
        "Clinton (35%) is ahead of Obama (19%) and Edwards (17%) on jobs.",
        "- Jobs: 35% for Clinton, 19% for Obama, and 17% for Edwards",
    ],
)
def test_several_true_values_in_one_sentence(text: str) -> None:
    found = [v for v in verdicts(text, VOTERS) if v.claim.kind == "value"]
    assert len(found) == 3
    assert {v.status for v in found} == {"supported"}
    assert not any(v.status == "contradicted" for v in verdicts(text, VOTERS))


@pytest.mark.parametrize(
    ("text", "wrong", "seen"),
    [
        ("For electability, Clinton leads with 56%, followed by Obama at 26% and Edwards at 12%.", "26%", "16%"),
        ("On Iraq, Clinton and Obama are nearly tied at 31% and 44% respectively.", "44%", "30%"),
        ("On jobs, Clinton stands at 36%.", "36%", "35%"),
    ],
)
def test_the_wrong_value_among_several_is_named_with_what_is_seen(text: str, wrong: str, seen: str) -> None:
    bad = [v for v in verdicts(text, VOTERS) if v.claim.kind == "value" and v.status == "contradicted"]
    assert [v.said for v in bad] == [wrong]
    assert seen in bad[0].seen
    assert bad[0].error_type == "value"
    assert bad[0].gap is not None
    assert bad[0].gap > 1
    assert bad[0].box == BOX


def test_a_list_with_its_units_written_out_is_paired_in_order() -> None:
    text = "Twitter, Reddit and Tumblr have 70 million users, 45 million users and 20 million users, respectively."
    values = [v for v in verdicts(text, USERS) if v.claim.kind == "value"]
    assert [(v.claim.categories, v.status) for v in values] == [
        (("Twitter",), "supported"), (("Reddit",), "supported"), (("Tumblr",), "supported"),
    ]  # fmt: skip


def test_a_number_of_something_else_is_a_label_error() -> None:
    (bad,) = [v for v in verdicts("On jobs, Obama stands at 17%.", VOTERS) if v.status == "contradicted"]
    assert bad.error_type == "label"
    assert "Edwards" in bad.note


def test_a_subject_is_carried_into_the_next_sentence() -> None:
    text = "Obama is considered next. On jobs, he stands at 19%. On Iraq, the figure is 30%."
    values = [v for v in verdicts(text, VOTERS) if v.claim.kind == "value"]
    assert [v.status for v in values] == ["supported", "supported"]


def test_names_of_the_context_are_not_out_of_context() -> None:
    text = "The survey by Harborview Institute covers fatalities in Delhi."
    alone = [v for v in verdicts(text, DELHI) if v.claim.kind == "mention" and v.said == "Harborview Institute"]
    told = [v for v in verdicts(text, DELHI, "Source: Harborview Institute") if v.said == "Harborview Institute"]
    assert [v.status for v in alone] == ["contradicted"]
    assert alone[0].error_type == "out_of_context"
    assert {v.status for v in told} == {"supported"}


def test_a_fraction_axis_and_percentages_meet() -> None:
    index = FigureIndex.of(measured_years([0.40, 0.44, 0.52, 0.55], 2015))
    assert ("value", "supported") in findings("In 2016, the share was about 44%.", index)
    assert ("value", "contradicted") in findings("In 2016, the share was about 60%.", index)


def test_sections_tell_equal_items_apart() -> None:
    index = FigureIndex.of(
        printed(
            {
                "China: Germans": {"Yes": 6, "No": 88},
                "U.S.: Germans": {"Yes": 35, "No": 60},
                "U.S.: Americans": {"Yes": 51, "No": 46},
            }
        )
    )
    text = "For China, 88% of Germans say no. In the U.S., 60% of Germans say no."
    assert {v.status for v in verdicts(text, index) if v.claim.kind == "value"} == {"supported"}


def test_without_a_table_nothing_is_called_wrong_about_values() -> None:
    index = FigureIndex.of(Reading(10, 10))
    text = "Sales rose from 5 to 10 between 2004 and 2008 and peaked in 2008, when China led with 40%."
    assert all(v.status == "unverifiable" for v in verdicts(text, index) if v.claim.kind not in {"mention", "change"})


def test_infinite_and_missing_values_are_left_out() -> None:
    cells = (
        Cell("", "2004", math.nan, x=2004.0),
        Cell("", "2005", math.inf, x=2005.0),
        Cell("", "2006", 3.0, x=2006.0),
    )
    index = FigureIndex.of(Reading(10, 10, cells=cells, category_kind="time"))
    assert [c.category for c in index.cells] == ["2006"]
    verdicts("It rose from 2004 to 2006 and was highest in 2006 at 3.", index)


PIECES = [
    "Clinton", "Obama", "Iraq", "In 2010,", "from 2004 to 2018", "the highest", "lowest", "increased", "fell",
    "by 12%", "56%", "and", ", followed by", "respectively", "than", "twice", "half of", "more than", "190",
    "average", "apart", "peaked", "the chart", "y-axis", "bar chart", "titled", '"Electability"', "stable", "(", ")",
    ".", ";", ":", "\n", "-", "between", "to", "a majority", "blue line", "two of the", "above", "million", "since",
    "$3.4bn", "first", "source:", "January", "top three", "together",
]  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=40), st.sampled_from([DELHI, VOTERS, USERS]))
def test_any_text_gets_one_bounded_verdict_a_claim(pieces: list[str], index: FigureIndex) -> None:
    text = " ".join(pieces)
    spans = split_sentences(text)
    claims = parse_claims(text, spans, index)
    found = check_claims(claims, index, text)
    assert [v.claim for v in found] == claims
    assert check_claims(parse_claims(text, spans, index), index, text) == found
    for v in found:
        assert 0 <= v.claim.start <= v.claim.end <= len(text)
        assert 0.0 <= v.confidence <= 1.0
        assert v.status in {"supported", "contradicted", "unverifiable"}
        assert (v.error_type != "") == (v.status == "contradicted")
        assert v.gap is None or v.gap >= 0.0


@pytest.mark.parametrize(
    "unit", ["Clinton 56% and ", "the highest ", "from 1 to 2 ", "In 2010, ", "A. ", "((", "than ", "increased, "]
)
def test_texts_of_100_kb_are_bounded(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    spans = split_sentences(text)
    claims = parse_claims(text, spans, VOTERS)
    assert len(check_claims(claims, VOTERS, text)) == len(claims)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a movement that is told, against one that is only wished for
        ("Support increased from 2004 to 2018.", ("trend", "contradicted")),
        ("Support has increased from 2004 to 2018.", ("trend", "contradicted")),
        # the axes, with and without the words of their titles
        ("The y-axis represents the number of fatalities.", ("axis", "supported")),
        ("On the y-axis is the number of fatalities.", ("axis", "supported")),
        ("The y-axis goes from 0 to 190.", ("axis", "supported")),
        # a span of which the figure shows most
        ("Fatalities have decreased from 2002 to 2018.", ("trend", "supported")),
        # what the figure is about, and a cause it does not tell
        ("The chart shows the number of cyclist fatalities in Delhi.", ("title", "supported")),
        ("The decline is mostly due to stricter helmet laws.", ("source", "contradicted")),
    ],
)
def test_what_a_figure_over_time_tells(text: str, expected: tuple[str, str]) -> None:
    assert expected in findings(text, DELHI)


def test_a_wish_is_no_trend() -> None:
    assert not any(v.claim.kind == "trend" for v in verdicts("Many favor reducing the number of cars.", DELHI))


def test_the_ends_of_an_axis_are_no_values() -> None:
    found = verdicts("The y-axis goes from 0 to 190.", DELHI)
    assert [v.claim.kind for v in found] == ["axis"]


def test_numbers_of_a_list_are_its_items() -> None:
    text = "Three issues are compared:\n1. Jobs\n2. Iraq\n3. Health care"
    claims = parse_claims(text, [(0, len(text))], VOTERS)
    assert not any(q.text in {"1", "2", "3"} for c in claims for q in c.quantities)


def test_a_row_that_looks_misread_is_doubted_but_exchanged_numbers_are_not() -> None:
    cells = (("Clinton", 16), ("Obama", 56), ("Edwards", 12), ("Richardson", 9))
    index = FigureIndex.of(
        Reading(
            600, 400, chart_type="grouped_bar", chart_confidence=0.8, is_chart=1.0, unit="%", category_kind="category",
            cells=tuple(
                Cell(s, "Jobs", v, origin="label", tolerance=0.5, confidence=0.5, box=BOX) for s, v in cells
            ),
        )
    )  # fmt: skip
    moved = verdicts("On jobs, Clinton has 56% and Obama has 12%.", index)
    assert not any(v.claim.kind == "value" and v.status == "contradicted" for v in moved)
    swapped = verdicts("On jobs, Clinton has 56% and Obama has 16%.", index)
    assert sum(v.claim.kind == "value" and v.error_type == "label" for v in swapped) == 2


def test_a_date_beside_a_figure_without_dates_hides_no_value() -> None:
    found = verdicts("In the November 2007 survey, Obama stands at 19% on jobs.", VOTERS)
    assert [v.status for v in found if v.claim.kind == "value"] == ["supported"]


def test_what_something_is_compared_with_is_no_list() -> None:
    assert ("comparison", "supported") in findings("Compared with Reddit, Twitter has a larger audience.", USERS)
    assert ("comparison", "contradicted") in findings("Compared with Twitter, Reddit has a larger audience.", USERS)
