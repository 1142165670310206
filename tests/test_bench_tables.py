"""Tables: plausible, valid, repeatable; empty ones refused."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.bench.render.style import format_number, make_style, plan_axis
from f2teval.bench.table import SPLITS, Table, split_of
from f2teval.bench.tables import TYPE_FORM, make_table
from f2teval.errors import InputError
from f2teval.figure.reading import CHART_TYPES


@given(st.sampled_from(sorted(TYPE_FORM)), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_every_table_is_valid_and_survives_json(chart_type: str, seed: int) -> None:
    table = make_table(Random(seed), chart_type)
    assert Table.from_dict(json.loads(json.dumps(table.to_dict()))) == table
    assert make_table(Random(seed), chart_type).key == table.key
    assert len(set(table.categories)) == len(table.categories)
    for row in (table.row(table.main),) if table.form == "points" else table.values:
        assert all(v is None or v == round(v, table.decimals + 1) for v in row)
    if table.form == "boxes":
        assert all(a <= b for lo, hi in zip(table.values, table.values[1:]) for a, b in zip(lo, hi))  # type: ignore[operator]
    if table.form == "ohlc":
        o, h, low, c = table.values
        assert all(lo <= min(a, b) and max(a, b) <= hi for a, hi, lo, b in zip(o, h, low, c))  # type: ignore[type-var]
    if table.parts and table.survey:
        assert all(sum(r[i] or 0 for r in table.values) <= 101 for i in range(len(table.categories)))
    if TYPE_FORM[chart_type] == "whole" and table.symbol == "%":
        assert sum(v or 0 for v in table.values[0]) == pytest.approx(100, abs=0.2)


def test_types_are_those_of_the_package_and_at_least_18() -> None:
    assert set(TYPE_FORM) <= set(CHART_TYPES)
    assert len(TYPE_FORM) >= 18


def test_trends_go_both_ways_equally_often() -> None:
    signs = []
    for k in range(400):
        row = [v for v in make_table(Random(k), "line").values[0] if v is not None]
        signs.append(row[-1] > row[0])
    assert 0.42 < sum(signs) / len(signs) < 0.58


@pytest.mark.parametrize(
    ("categories", "series", "values"),
    [((), ("a",), ((),)), (("x",), (), ()), (("x",), ("a",), ((None,),)), (("x", "y"), ("a",), ((1.0,),))],
)
def test_empty_and_ragged_tables_are_refused(categories, series, values) -> None:  # type: ignore[no-untyped-def]
    good = make_table(Random(1), "line").to_dict()
    with pytest.raises(InputError):
        Table.from_dict(good | {"categories": categories, "series": series, "values": values, "x": None})


def test_splits_follow_the_pair_and_have_the_wanted_sizes() -> None:
    found = [split_of(f"topic|{k}") for k in range(4000)]
    assert split_of("wine|Chile") == split_of("wine|Chile")
    assert [round(found.count(s) / 4000, 1) for s in SPLITS] == [0.7, 0.1, 0.2] or abs(
        found.count("train") / 4000 - 0.7
    ) < 0.03


@pytest.mark.parametrize(
    ("v", "how", "decimals", "symbol", "text"),
    [
        (1200, "comma", 0, "", "1,200"),
        (1200, "bare", 0, "", "1200"),
        (1200, "si", 0, "", "1.2k"),
        (2.5e6, "si", 0, "", "2.5M"),
        (12, "symbol", 0, "%", "12%"),
        (12, "symbol", 2, "$", "$12.00"),
        (-12, "symbol", 0, "$", "-$12"),
        (-0.0, "comma", 1, "", "0.0"),
    ],
)
def test_number_formats(v: float, how: str, decimals: int, symbol: str, text: str) -> None:
    assert format_number(v, how, decimals, symbol) == text


@given(st.floats(-1e4, 1e4), st.floats(1, 1e6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_axes_hold_their_values_with_even_distinct_ticks(lo: float, width: float, zero: bool) -> None:
    table = make_table(Random(3), "line")
    style = make_style(Random(3), table, "line", "vega")
    plan = plan_axis(lo, lo + width, style, "", zero=zero)
    assert plan.lo <= lo + 1e-6 * width
    assert plan.hi >= lo + width * (1 - 1e-6)
    steps = [b - a for a, b in zip(plan.ticks, plan.ticks[1:])]
    assert max(steps) - min(steps) < 1e-6 * max(steps)
    assert 3 <= len(plan.ticks) <= 14
    assert not zero or (plan.lo <= 0 <= plan.hi)
