"""Flaws of a text found without the picture: what users would miss if a detector went blind or saw ghosts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.claims.claim import Issue
from f2teval.claims.sentences import split_sentences
from f2teval.claims.text_issues import DETECTORS, find_issues
from f2teval.rubric import ERROR_TYPES


def issues(text: str, figure: str = "", context: str = "") -> list[Issue]:
    return find_issues(text, split_sentences(text), figure, context)


def found(text: str, figure: str = "", context: str = "") -> set[str]:
    return {i.detector for i in issues(text, figure, context)}


BAD = [
    ("repeated_sentence", "Sales rose from 2010 to 2014. Sales rose from 2010 to 2014."),
    ("cut_repeat", "The price of heating oil in the US has increased. The price of heating oil in"),
    ("loop", "It failed because it is too expensive or because it is too expensive or because it is too expensive."),
    ("loop", "Dem Dem Dem Dem Dem Dem"),
    ("runs_of_signs", "The share of adults ||||||||||||||| fell."),
    ("set_beside_itself", "Most fires burned in Alaska and Alaska."),
    ("set_beside_itself", "There is a link between religious beliefs and religious beliefs."),
    ("compared_with_itself", "Hispanic voters are more likely to register than Hispanic voters."),
    ("list_with_doubles", "The highest rates are found in Nepal, Nepal, Bangladesh and South Africa."),
    ("label_dump", "Yes No Prevent misleading 88 food/drug advertising 5 Limit child labor 26 Control profits 64"),
    ("label_dump", "Republicans more likely to agree % of adults who say 56 50 44 2003 2007"),
    ("glued", "The share of women has grown in the2016 election."),
    ("glued", "Most of them say so, compared with from191,000 in 2014."),
    ("no_words", "The chart has two parts. 2."),
    ("foreign_sentence", "The bars rise. Die Bevölkerung ist zwischen den Jahren stark gewachsen."),
    ("salad", "Very important Somewhat important Biden supporters Men Women Liberal Moderate Conservative White Black"),
    ("word_order", "The the a share of adults who agree is are falling."),
    ("word_order", "Democrats have far more likely than Republicans to post links to national stories."),
    ("agreement", "In many countries, views are not align with economic conditions."),
    ("agreement", "The bar shows a increase in sales."),
    ("agreement", "They is the largest group."),
    ("agreement", "The rate did not increased."),
    ("doubled_word", "The number of of farms fell."),
    ("cut_off", "The number of births was at its lowest in"),
    ("extreme_twice", "The lowest monthly sales were at their lowest in March."),
    ("opposite_extremes", "The most popular sight is the Eiffel Tower. The least popular sight is the Eiffel Tower."),
    (
        "opposite_trends",
        "Wine production has increased from 2006 to 2017. Wine production has decreased from 2006 to 2017.",
    ),
    (
        "two_answers",
        "The cheapest European city in 2017 was Bucharest. The cheapest European city in 2017 was Budapest.",
    ),
    ("both_ways", "Ratings have improved over the last year, and they have also declined."),
    ("from_to", "Consumption has increased from 15 cigarettes in 2000 to 15 cigarettes in 2016."),
    ("from_to", "The number has increased from 300,000 in 2014 to 150,000 in 2017."),
    ("from_to", "Arrivals increased from just over 6,000 to just over 6,000."),
    ("change_size", "Sales rose from 10 to 15, an increase of 20%."),
    ("portion", "A majority (41%) say so."),
    ("portion", "About a third (52%) disagree."),
    ("portion", "A 41% majority of the public held that view."),
    ("versus", "Women are more likely than men to say so (48% vs. 53%)."),
    ("versus", "Republicans are 14 points more likely than Democrats to agree (76% vs. 51%)."),
    ("up_from", "Support stands at 38%, up from 44% in 2010."),
    ("counts", "In all 13 of 14 countries, people agree."),
    ("counts", "There, 120% of adults agree."),
    ("spans_of_time", "The rate grew over the 5-year period from 2000 to 2010."),
    ("same_ends", "Earnings of 34- to 34-year-olds rose."),
    ("same_said_twice", "Here 55% say the news has been very good, while 33% say the news has been very good."),
    ("followed_by", "The highest share is coal at 45%, followed by gas at 50%."),
    ("refusal", "As an AI model I cannot view images."),
    ("refusal", "I can't process this file."),
    ("speculation", "The fall may be due to the recession."),
    ("filler", "It is worth noting that sales rose."),
]

GOOD = [
    "The chart shows the GDP of Egypt from 2009 to 2019. It rose from 200 to 300 billion dollars, an increase of 50%.",
    "In 2014, 56% of U.S. adults favored it, up from 44% in 2010; support among Republicans fell from 40% to 35%.",
    "A majority (63%) agree, about a third (32%) disagree and 5% do not know.",
    "Women are more likely than men to say so (58% vs. 43%), a difference of 15 percentage points.",
    "Johnson & Johnson and Procter & Gamble grew again and again. More and more people bought soap.",
    "COVID-19 cases peaked on Jan. 15, 2021. The 2nd wave was higher than the 1st wave.",
    "The highest value is 45 (Norway) and the lowest value is 12 (Chad). Norway is followed by Sweden at 40.",
    "Sales rose from 2001 to 2008. Sales fell from 2008 to 2012.",
    "- Men: 45%\n- Women: 55%\n- Total: 50%",
    "Bar chart of mean task times for the four conditions, with error bars.",
    "A university study found an hour of use per day; a one-time user is an honest outlier.",
    "Adults ages 18 to 29 are most likely to agree, and 12 of the 14 countries surveyed follow that pattern.",
    "The 15-year span from 2004 to 2019 saw steady growth, and in each of these is a small dip.",
]  # fmt: skip


@pytest.mark.parametrize(("detector", "text"), BAD)
def test_a_flaw_is_found(detector: str, text: str) -> None:
    assert detector in found(text)


@pytest.mark.parametrize("text", GOOD)
def test_sound_texts_are_left_alone(text: str) -> None:
    serious = [i for i in issues(text) if i.confidence >= 0.5 and i.detector not in {"filler", "speculation"}]
    assert serious == []


def test_spans_are_exact_and_types_known() -> None:
    for _, text in BAD:
        for i in issues(text):
            spans = split_sentences(text)
            start, end = spans[i.sentence]
            assert start <= i.start < i.end <= end
            assert i.said == text[i.start : i.end][:200]
            assert i.type in ERROR_TYPES
            assert 0.0 < i.confidence <= 1.0
            assert i.note


def test_every_detector_is_exercised_here() -> None:
    listed = {d for d, _ in BAD} | {"no_verb", "unbalanced", "lower_start", "sums", "unknown_name", "unknown_year"}
    assert set(DETECTORS) <= listed


def test_the_rest_of_the_detectors() -> None:
    assert "no_verb" in found("Sales rose. Large numbers of young adults in most of the big Asian countries.")
    assert "unbalanced" in found("The share (in percent fell.")
    torn = "Refusals (DK/Ref.) are similar across all groups."
    assert "lower_start" in {i.detector for i in find_issues(torn, [(0, 18), (19, len(torn))])}
    assert "sums" in found("Men make 60%, women 45% and the remaining 30% are unknown.")


FIGURE = (
    "Unemployment in Germany\n2005\n2010\n2015\n2020\n0\n2\n4\n6\n8\nSource: Federal Statistical Office\nMen\nWomen"
)


def test_names_and_years_the_figure_does_not_hold() -> None:
    said = {
        i.said: i
        for i in issues("In Germany the rate fell, while Brazil and the Pew Center saw it rise in 1987.", FIGURE)
    }
    assert {"Brazil", "Pew Center", "1987"} <= set(said)
    assert said["1987"].type == said["Brazil"].type == "out_of_context"


def test_what_figure_or_context_hold_is_not_foreign() -> None:
    text = "German women saw the rate fall from 2005 to 2013, says the Federal Statistical Office."
    assert not {"unknown_name", "unknown_year"} & found(text, FIGURE)
    assert "unknown_name" not in found("Brazil is next.", FIGURE, context="A comparison of Germany with Brazil.")
    assert "unknown_name" not in found("In Germamy the rate of women fell.", FIGURE)  # one misread letter
    assert "unknown_name" not in found("Among Americans it fell.", "U.S. adults who say\n2010\n2012\nYes\nNo")


def test_nothing_is_foreign_without_a_figure() -> None:
    assert not {"unknown_name", "unknown_year"} & found("Brazil beat Chile in 1987.")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=300))
def test_any_text_is_survived(text: str) -> None:
    spans = split_sentences(text)
    for i in find_issues(text, spans, text[:50], ""):
        assert spans[i.sentence][0] <= i.start < i.end <= spans[i.sentence][1]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from([t for _, t in BAD] + GOOD), min_size=1, max_size=4))
def test_the_same_text_gives_the_same_issues(parts: list[str]) -> None:
    text = " ".join(parts)
    assert issues(text) == issues(text)


@pytest.mark.parametrize(
    "unit",
    ["sales rose from 10 to 15 in 2010 and fell. ", "|", "a", "1 ", "(a, ", "Bali and Bali, ", "x 5% y 6% ", "to "],
)
def test_a_huge_text_is_survived(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    spans = split_sentences(text)
    for i in find_issues(text, spans, FIGURE, ""):
        assert 0 <= i.start < i.end <= len(text)
