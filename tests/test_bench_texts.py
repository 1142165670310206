"""Texts: every recorded truth is recomputed from the table; grades are independent; spans are exact."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.bench import grammar
from f2teval.bench.check import holds
from f2teval.bench.colors import color_name
from f2teval.bench.grammar import expand, parse
from f2teval.bench.speech import say
from f2teval.bench.synth import Draft, Options, color_words, compose
from f2teval.bench.table import SPLITS, Table
from f2teval.bench.tables import make_table
from f2teval.bench.texts import STYLES
from f2teval.bench.truth import StatedClaim
from f2teval.rubric import DIMENSION_NAMES, ERROR_TYPES

FACTUAL = {"value", "label", "trend", "magnitude", "out_of_context"}
N = 500


@lru_cache(maxsize=1)
def drafts() -> tuple[Draft, ...]:
    options = Options(seed=20)
    pairs = options.pairs()
    return tuple(compose(i, options, pairs) for i in range(N))


def test_every_recorded_truth_agrees_with_the_table() -> None:
    checked, kinds = 0, Counter()
    for d in drafts():
        colors = color_words(d.table, d.style, d.chart_type)
        for t in d.texts:
            for s in t.sentences:
                for c in s.claims:
                    assert holds(c, d.table, chart_type=d.chart_type, context=d.context, colors=colors) == c.true, (
                        t.text[s.start : s.end],
                        c,
                    )
                    checked += 1
                    kinds[c.kind, c.true] += 1
                assert bool({e.type for e in s.errors} & FACTUAL) == any(not c.true for c in s.claims)
    assert checked > 15_000
    assert len({k for k, _ in kinds}) >= 15
    assert {k for k, true in kinds if not true} >= {
        "value",
        "extreme",
        "trend",
        "change",
        "comparison",
        "ratio",
        "title",
        "source",
        "count",
    }


def test_spans_are_exact_and_sentences_cover_the_text() -> None:
    for d in drafts():
        for t in d.texts:
            at = 0
            for s in t.sentences:
                assert t.text[at : s.start].strip() == ""
                at = s.end
                for e in s.errors:
                    assert s.start <= e.start < e.end <= s.end
                    assert t.text[e.start : e.end] == e.said
                    assert e.type in ERROR_TYPES
                for c in s.claims:
                    assert s.start <= c.start < c.end <= s.end
            assert at == len(t.text)


def test_grades_say_what_the_sentences_hold() -> None:
    for d in drafts():
        for t in d.texts:
            told = [s for s in t.sentences if s.claims]
            wrong = sum(any(e.type in FACTUAL for e in s.errors) for s in told)
            grade = t.ratings["faithfulness"]
            assert (wrong == 0) == (grade == 2)
            if grade == 0:
                assert wrong >= 0.4 * len(told)
            elif grade == 1:
                assert wrong <= 0.6 * len(told)
            kinds = {e.type for s in t.sentences for e in s.errors}
            if t.ratings["conciseness"] == 2:
                assert "redundancy" not in kinds
                assert all(s.role != "filler" for s in t.sentences)
            else:
                assert any(s.role in ("filler", "repeat") for s in t.sentences)
            if t.ratings["logicity"] == 2:
                assert not kinds & {"grammatical", "nonsense", "contradiction"}
            covered = {k for s in t.sentences for k in s.covers} & set(d.keys)
            if t.ratings["completeness"] == 2:
                assert covered == set(d.keys)
            elif t.ratings["completeness"] == 0 and len(d.keys) > 2:
                assert len(covered) < len(d.keys)


def test_all_grades_occur_in_every_style_and_dimensions_are_independent() -> None:
    seen = defaultdict(Counter)
    pairs = defaultdict(Counter)
    for d in drafts():
        for t in d.texts:
            for name in DIMENSION_NAMES:
                seen[t.style, name][t.ratings[name]] += 1
            for a in DIMENSION_NAMES:
                for b in DIMENSION_NAMES:
                    if a < b:
                        pairs[a, b][t.ratings[a], t.ratings[b]] += 1
    assert {s for s, _ in seen} == set(STYLES)
    assert all(min(c[g] for g in range(3)) > 0.2 * sum(c.values()) for c in seen.values())
    for table in pairs.values():
        n = sum(table.values())
        assert all(abs(v / n - 1 / 9) < 0.03 for v in table.values())
        assert len(table) == 9


def test_phrasings_and_pairs_do_not_cross_splits() -> None:
    for key in grammar.phrases():
        used = [{id(x) for x in grammar.templates(key, s)} for s in SPLITS]
        assert all(used), f"{key} leaves a split without a template"
        assert sum(map(len, used)) == len(set.union(*used))
    by = defaultdict(set)
    for d in drafts():
        by[d.split].add(d.table.pair)
    assert set(by) == set(SPLITS)
    assert sum(map(len, by.values())) == len(set.union(*by.values()))


def test_same_seed_same_texts_another_seed_others() -> None:
    again = compose(7, Options(seed=20))
    assert again.texts == drafts()[7].texts
    assert again.table == drafts()[7].table
    assert compose(7, Options(seed=21)).texts != again.texts


def small() -> Table:
    base = make_table(Random(0), "line").to_dict()
    return Table.from_dict(
        base
        | {
            "categories": ["2000", "2001", "2002", "2003"],
            "values": [[10.0, 20.0, 40.0, 30.0]],
            "series": [""],
            "x": [2000, 2001, 2002, 2003],
            "decimals": 0,
            "symbol": "",
            "unit": "",
            "where": "in Chile",
        }
    )


EXACT = {"precision": [0.5], "approx": [False], "bound": [""]}
ABOUT = {"precision": [0.5], "approx": [True], "bound": [""]}
OVER = {"precision": [0.5], "approx": [True], "bound": ["lower"]}


@pytest.mark.parametrize(
    ("kind", "categories", "values", "direction", "slots", "truth"),
    [
        ("value", ["2001"], [20.0], "", EXACT, True),
        ("value", ["2001"], [21.0], "", EXACT, False),
        ("value", ["2001"], [21.0], "", ABOUT, True),
        ("value", ["2001"], [24.0], "", ABOUT, False),
        ("value", ["2001"], [19.0], "", OVER, True),
        ("value", ["2001"], [21.0], "", OVER, False),
        ("extreme", ["2002"], [], "highest", {"rank": 1}, True),
        ("extreme", ["2003"], [], "highest", {"rank": 2}, True),
        ("extreme", ["2003"], [], "highest", {"rank": 1}, False),
        ("extreme", ["1999"], [], "highest", {"rank": 1}, False),
        ("trend", ["2000", "2003"], [], "up", {}, True),
        ("trend", ["2002", "2003"], [], "up", {}, False),
        ("trend", ["2000", "2003"], [], "flat", {}, False),
        ("change", ["2000", "2001"], [100.0], "up", {"percent": True}, True),
        ("change", ["2000", "2001"], [50.0], "up", {"percent": True}, False),
        ("change", ["2000", "2001"], [], "up", {"strength": "strong"}, True),
        ("change", ["2000", "2001"], [], "up", {"strength": "weak"}, False),
        ("ratio", ["2002", "2001"], [2.0], "", {}, True),
        ("ratio", ["2002", "2001"], [3.0], "", {}, False),
        ("ranking", ["2002", "2003"], [], "highest", {}, True),
        ("ranking", ["2003", "2002"], [], "highest", {}, False),
        ("share", [], [70.0], "", {"top": 2}, True),
        ("share", [], [60.0], "", {"top": 2}, False),
        ("count", [], [2.0, 25.0], "over", {}, True),
        ("count", [], [3.0, 25.0], "over", {}, False),
        ("sum", ["2000", "2001"], [30.0], "", EXACT, True),
        ("sum", ["2000", "2001"], [40.0], "", EXACT, False),
        ("difference", ["2002", "2000"], [30.0], "higher", EXACT, True),
        ("comparison", ["2000", "2003"], [], "higher", {}, False),
        ("range", ["2000", "2003"], [], "period", {}, True),
        ("range", ["2000", "2005"], [], "period", {}, False),
    ],
)
def test_the_check_itself_on_a_table_done_by_hand(kind, categories, values, direction, slots, truth) -> None:  # type: ignore[no-untyped-def]
    claim = StatedClaim(kind, 0, 1, ("",), tuple(categories), tuple(values), direction, slots)
    assert holds(claim, small()) is truth


def test_the_check_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="no check"):
        holds(StatedClaim("horoscope", 0, 1), small())


def test_an_expansion_keeps_the_place_of_its_slots() -> None:
    nodes = grammar.parse("[in|during] {y}, {M} [was|] {v}")
    for k in range(20):
        made = grammar.expand(Random(k), nodes, {"y": "2014", "M": "it", "v": "12%"})
        assert made is not None
        text, spans = made
        assert [text[a:b] for a, b in (spans["y"], spans["M"], spans["v"])] == ["2014", "it", "12%"]
        assert "  " not in text
    assert grammar.expand(Random(0), nodes, {"y": "2014"}) is None
    with pytest.raises(ValueError, match="unbalanced"):
        grammar.parse("[a|b")


@pytest.mark.parametrize(
    ("code", "name"),
    [("#d62728", "red"), ("#1f77b4", "blue"), ("#2ca02c", "green"), ("#7f7f7f", "gray"), ("#8c564b", "brown")],
)
def test_color_names(code: str, name: str) -> None:
    assert color_name(code) == name


@given(v=st.floats(0.001, 100), seed=st.integers(0, 500), decimals=st.integers(0, 2))
@settings(max_examples=300, deadline=None)
def test_a_hedge_never_says_the_opposite(v: float, seed: int, decimals: int) -> None:
    """ "more than 0.1" is not said of 0.05, also where the extent of the figure would round it to that."""
    v = round(v, decimals)
    said = say(
        Random(seed),
        v,
        replace(make_table(Random(1), "line"), decimals=decimals, unit="", symbol=""),
        exact=False,
        span=60.0,
    )
    if said.bound == "lower":
        assert said.value <= v + 1e-9
    if said.bound == "upper":
        assert said.value >= v - 1e-9


@pytest.mark.parametrize(
    ("template", "said"),
    [("a {x} fell", "an increase fell"), ("such a [increasing|increasing] one", "such an increasing one")],
)
def test_articles_fit_the_word_behind_them(template: str, said: str) -> None:
    text, spans = expand(Random(0), parse(template), {"x": "increase"}) or ("", {})
    assert text == said
    assert all(text[a:b] == "increase" for a, b in spans.values())
