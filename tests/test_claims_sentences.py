"""Sentences keep every character, in order, and end where a reader would end them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from f2teval.claims.sentences import split_sentences


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in split_sentences(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Sales rose by 3.5 percent in 2014.", "They fell later."],
        ["In the U.S. 45% agree, see Fig. 2 for more.", "The others do not."],
        ["Medtronic Inc. has the highest revenue.", "Cardinal Health follows."],
        ["It was led by J. K. Rowling and Dr. Who vs. Mr. Smith.", "Really?", "Yes!"],
        ["“It fell.”", "He said (in 2010.)", "Nothing more."],
        ["Well... it rose.", "Then it fell…", "Why?!"],
        ["The survey ran Jan. 8-12, 2020.", "About 1.2k people (approx. 12%) took part."],
        ["1. The first point is long.", "2. The second one is not.", "3. The end"],
        ["No. 5 is the best.", "There is no.", "That is all."],
        ["Values are e.g. 5, 6 and 7, i.e. small.", "U.S. exports rose to $3.4 billion."],
        ['He asked: "Did sales rise?"', "They did."],
        ["the growth over the years.", "The chart shows it."],
        ["图表显示上升。", "然后下降！"],
    ],
)
@pytest.mark.parametrize("space", [" ", "\n"])
def test_cuts_between_sentences_only(sentences: list[str], space: str) -> None:
    assert cut(space.join(sentences)) == sentences


def test_a_usual_first_word_after_an_abbreviation_starts_a_sentence() -> None:
    assert cut("Most live in the U.S. The rest do not.") == ["Most live in the U.S.", "The rest do not."]
    assert cut("Most live in the U.S. Virgin Islands.") == ["Most live in the U.S. Virgin Islands."]


def test_markdown_blocks_are_sentences_of_their_own() -> None:
    lines = ["# Key findings", "The chart shows:", "- **China** leads with 5.2 million", "- Japan follows"]
    assert cut("\n".join([lines[0], "", *lines[1:], "", "1. One", "2) Two", "| a | b |", "End"])) == [
        *lines, "1. One", "2) Two", "| a | b |", "End",
    ]  # fmt: skip


def test_wrapped_prose_is_joined() -> None:
    first = "The number of people who moved to the city rose over the\nwhole period and peaked in 2014."
    assert cut(first + "\r\nIt fell later.") == [first, "It fell later."]


@given(st.text(alphabet=st.sampled_from(list("Ab1.!?…\"')( \n\t-*#|。,%$")) | st.characters(), max_size=200))
def test_spans_hold_everything_once_and_in_order(text: str) -> None:
    spans = split_sentences(text)
    last = 0
    for start, end in spans:
        assert last <= start < end
        assert not text[last:start].strip()
        assert text[start:end].strip() == text[start:end]
        last = end
    assert not text[last:].strip()


@pytest.mark.parametrize(
    "unit", [".", "a.", "A. ", "\n", " ", "1.\n", "((((", ". . ", "U.S.", '."', "- ", "…", "word "]
)
def test_garbage_of_100_kb_is_cut_completely(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    spans = split_sentences(text)
    assert "".join(text[a:b] for a, b in spans).replace(" ", "").replace("\n", "") == "".join(text.split())
