"""Numbers of every spelling: value, unit, kind and hedge, with exact spans."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from f2teval.claims.numbers import find_quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200", [(1200, "")]),
        ("1.2k", [(1200, "")]),
        ("1 200", [(1200, "")]),
        ("12%", [(12, "%")]),
        ("twelve percent", [(12, "%")]),
        ("twenty-five per cent", [(25, "%")]),
        ("5 percentage points", [(5, "pp")]),
        ("a 10-point lead", [(10, "pp")]),
        ("$3.4 billion", [(3.4e9, "$")]),
        ("3.4 billion U.S. dollars", [(3.4e9, "$")]),
        ("15M", [(15e6, "")]),
        (".5 and -3 and −4", [(0.5, ""), (-3, ""), (-4, "")]),
        ("11-12%", [(11, "%"), (12, "%")]),
        ("6.5%-7.2%", [(6.5, "%"), (7.2, "%")]),
        ("from 3 to 5 million", [(3e6, ""), (5e6, "")]),
        ("one hundred and five", [(105, "")]),
        ("two million people", [(2e6, "")]),
        ("one of them", []),
    ],
)
def test_values_and_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(q.value, q.unit) for q in find_quantities(text)] == expected


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("half", "fraction", 1 / 2),
        ("three-quarters", "fraction", 3 / 4),
        ("two-thirds", "fraction", 2 / 3),
        ("a third of them", "fraction", 1 / 3),
        ("one in five", "fraction", 1 / 5),
        ("six-in-ten", "fraction", 6 / 10),
        ("a third peak", "ordinal", 3),
        ("the second", "ordinal", 2),
        ("21st", "ordinal", 21),
        ("doubled", "multiplier", 2),
        ("twice", "multiplier", 2),
        ("three times", "multiplier", 3),
        ("fivefold", "multiplier", 5),
        ("3.5x", "multiplier", 3.5),
        ("halved", "multiplier", 0.5),
        ("in '94", "year", 1994),
        ("the 1990s", "year", 1990),
        ("2005/06", "year", 2005),
        ("March 17-20, 2011", "date", 2011 + 2 / 12 + 16 / 365),
        ("Q3 2014", "date", 2014.5),
        ("the first quarter of 2014", "date", 2014),
        ("in May", "date", 5),
    ],
)
def test_kinds(text: str, kind: str, value: float) -> None:
    (q,) = find_quantities(text)
    assert q.kind == kind
    assert q.value == pytest.approx(value)


@pytest.mark.parametrize("text", ["2010-12", "2010–2012", "2010 to 2012", "between 2010 and 2012"])
def test_year_ranges_are_two_years(text: str) -> None:
    assert [(q.value, q.kind) for q in find_quantities(text)] == [(2010, "year"), (2012, "year")]


@pytest.mark.parametrize("text", ["it may be so", "they march on", "2000 people", "$2000", "No. 2,014", "over 2000"])
def test_what_is_not_a_date(text: str) -> None:
    assert all(q.kind not in {"year", "date"} for q in find_quantities(text))


@pytest.mark.parametrize(
    ("text", "bound", "near", "approximate"),
    [
        ("50", "", False, False),
        ("about 50", "", False, True),
        ("over 50", "lower", False, True),
        ("at least 50%", "lower", False, True),
        ("50 or more", "lower", False, True),
        ("below 50", "upper", False, True),
        ("just over 50", "lower", True, True),
        ("slightly more than 50", "lower", True, True),
        ("nearly 50", "upper", True, True),
        ("just shy of $50 billion", "upper", True, True),
        ("the 50", "", False, False),
    ],
)
def test_hedges(text: str, bound: str, near: bool, approximate: bool) -> None:
    (q,) = find_quantities(text)
    assert (q.bound, q.near, q.approximate) == (bound, near, approximate)


def test_precision_is_half_the_last_written_digit() -> None:
    got = [q.precision for q in find_quantities("12 and 12.5 and 1.25 million and 3%")]
    assert got == pytest.approx([0.5, 0.05, 5000, 0.5])


@given(st.text(alphabet=st.sampled_from(list("0123456789.,-–$%' \nkmoneatw")) | st.characters(), max_size=150))
def test_spans_are_exact_ordered_and_finite(text: str) -> None:
    last = 0
    for q in find_quantities(text):
        assert last <= q.start < q.end <= len(text)
        assert text[q.start : q.end] == q.text
        assert math.isfinite(q.value)
        last = q.end


@given(st.integers(-(10**9), 10**9))
def test_plain_and_grouped_integers_keep_their_value(n: int) -> None:
    for written in (f"{n:,}", f"is {n:,}."):
        assert [q.value for q in find_quantities(written) if q.kind == "number"] in ([n], [])
    if abs(n) > 9999:
        assert [q.value for q in find_quantities(f"is {n:,}")] == [n]


@pytest.mark.parametrize(
    "unit", ["1", "1,", "1 ", "111 ", "half ", "in ", "Jan ", "-", "$", "2010-", "'9", "one in ", "over "]
)
def test_garbage_of_100_kb_is_read(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert all(text[q.start : q.end] == q.text for q in find_quantities(text))
