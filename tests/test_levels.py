"""Semantic levels of sentences."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.claims.level_features import FEATURES, all_features
from f2teval.claims.levels import LevelModel, default_model, level_probabilities, sentence_levels
from f2teval.claims.sentences import split_sentences
from f2teval.claims.tokens import Words

needs_fit = pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="needs the extra 'fit'")


def levels(text: str) -> list[tuple[int, ...]]:
    return sentence_levels(text, split_sentences(text))


def test_each_level_is_told() -> None:
    text = (
        "A line chart with years on the x-axis and sales in dollars on the y-axis. "
        "The highest value is 45 dollars in 2014 and the lowest is 12 dollars. "
        "Sales steadily increase over time and then plateau. "
        "The rise may be due to the pandemic."
    )
    one, two, three, four = levels(text)
    assert one == (1,)
    assert 2 in two
    assert 3 not in two
    assert 3 in three
    assert 1 not in three
    assert 4 in four


def test_a_trend_with_numbers_has_two_levels() -> None:
    (found,) = levels("Overall, the rate decreased steadily from 45% in 2010 to 20% in 2019.")
    assert {2, 3} <= set(found)


def test_a_sentence_may_have_no_level() -> None:
    assert levels("A bar chart of sales. See section 4.")[1] == ()


def test_no_sentences_no_levels() -> None:
    assert sentence_levels("", []) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_probabilities(text: str) -> None:
    words = Words(text, split_sentences(text))
    for p in level_probabilities(words):
        assert all(0.0 <= v <= 1.0 for v in p)
    assert all(len(row) == len(FEATURES) and min(row) >= 0 and max(row) <= 1 for row in all_features(words))


def test_weights_survive_json() -> None:
    model = default_model()
    again = LevelModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again == model
    assert len(set(FEATURES)) == len(FEATURES)


def test_weights_for_other_features_are_refused() -> None:
    d = default_model().to_dict()
    d["features"] = d["features"][:-1]
    with pytest.raises(ValueError, match="other features"):
        LevelModel.from_dict(d)


def corpus() -> list[dict[str, Any]]:
    """Forty small texts of twenty papers whose levels hang on plain words."""
    shapes = ("bar", "line", "pie", "box", "scatter")
    things = ("sales", "votes", "scores", "times")
    out = []
    for k in range(40):
        shape, thing = shapes[k % 5], things[k % 4]
        text = [
            f"A {shape} chart of {thing} with months on the x axis.",
            f"The highest value is {k + 3} and the mean is {k}.",
            f"Overall, {thing} increase steadily over time.",
        ]
        out.append({"id": f"t-{k}", "paper": k // 2, "text": text, "levels": [[1], [2], [3]]})
    return out


@needs_fit
def test_fitting_learns_and_is_deterministic() -> None:
    from f2teval.claims.levels_fit import fit_levels

    model = fit_levels(corpus())
    assert model == fit_levels(corpus())
    text = (
        "A bar chart of rainfall with years on the x axis. The highest value is 9. Overall, rain increases over time."
    )
    assert sentence_levels(text, split_sentences(text), model=model) == [(1,), (2,), (3,)]


@needs_fit
def test_inference_gives_what_was_fitted() -> None:
    import numpy as np

    from f2teval.claims.levels_fit import joined, predict, prepare

    marked = prepare(corpus())
    rows = np.arange(len(marked.levels))
    inside = predict(marked, rows, default_model())
    outside = [p[:3] for r in corpus() for p in level_probabilities(joined(r["text"]))]
    assert np.allclose(inside, outside, atol=1e-9)


@needs_fit
def test_papers_stay_together() -> None:
    from f2teval.claims.levels_fit import group_of

    texts = ["one two three", "four five six", "seven eight nine", "one two three four five six seven eight nine ten"]
    records = [{"id": f"x-{n}", "text": [t], "levels": [[1]]} for n, t in zip((1, 3, 40, 90), texts)]
    records.append({"id": "x-200", "text": [texts[3]], "levels": [[1]]})
    a, b, c, d, e = group_of(records)
    assert a == b  # neighbours by number
    assert len({a, c, d}) == 3
    assert d == e  # the same words


@needs_fit
def test_bad_marks_are_refused() -> None:
    from f2teval.claims.levels_fit import fit_levels, prepare

    with pytest.raises(ValueError, match="2 sentences but 1 levels"):
        prepare([{"id": "a", "text": ["One.", "Two."], "levels": [[1]]}])
    with pytest.raises(ValueError, match="every level must occur"):
        fit_levels([{"id": "a", "text": ["One."], "levels": [[1]]}])
