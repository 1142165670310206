"""Tick labels and axis fits."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from f2teval.figure.fits import fit_values, snap_to_lines
from f2teval.figure.layout import Line
from f2teval.figure.reading import Axis, Tick
from f2teval.figure.ticktext import clean_label, parse_tick, scale_of


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,200", 1200, ""),
        ("1.2k", 1200, ""),
        ("15M", 15e6, ""),
        ("12%", 12, "%"),
        ("$3.4 billion", 3.4e9, "$"),
        ("−40", -40, ""),
        ("–0.5", -0.5, ""),
        ("(25)", -25, ""),
        ("1 000 000", 1e6, ""),
        (".80", 0.8, ""),
        ("2O0", 200, ""),
        ("l0", 10, ""),
        ("200.", 200, ""),
        ("150、", 150, ""),
        ("100-", 100, ""),
        ("|50", 50, ""),
        ("€20", 20, "€"),
        ("1e6", 1e6, ""),
        ("30 °C", 30, "°C"),
    ],
)
def test_numbers_of_tick_labels(text: str, value: float, unit: str) -> None:
    tick = parse_tick(text)
    assert tick is not None
    assert tick.kind == "number"
    assert tick.value == pytest.approx(value)
    assert tick.unit == unit


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Jan 2015", 2015.0),
        ("July 2015", 2015.5),
        ("May '20", 2020 + 4 / 12),
        ("'94", 1994.0),
        ("Q3 2018", 2018.5),
        ("2018 Q3", 2018.5),
        ("2005/06", 2005.0),
        ("2020/21**", 2020.0),
        ("2015-11", 2015 + 10 / 12),
        ("15 Mar 2011", 2011 + 2 / 12 + 14 / 365),
    ],
)
def test_dates_of_tick_labels(text: str, year: float) -> None:
    tick = parse_tick(text)
    assert tick is not None
    assert tick.kind == "date"
    assert tick.value == pytest.approx(year)


@pytest.mark.parametrize(
    "text", ["", "Germany", "Canada.", "United Kingdom", "B", "a" * 10_000, "1" * 10_000, "--", "A1"]
)
def test_words_are_no_ticks(text: str) -> None:
    assert parse_tick(text) is None


def test_marks_stuck_to_labels_are_taken_off() -> None:
    assert clean_label("Canada.") == "Canada"
    assert clean_label("Taiwan·") == "Taiwan"
    assert clean_label("2019***") == "2019"


@given(st.integers(-(10**9), 10**9))
def test_whole_numbers_with_commas_come_back(n: int) -> None:
    tick = parse_tick(f"{n:,}")
    assert tick is not None
    assert tick.value == n


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_tick(text)
    scale_of(text)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Sales (in million U.S. dollars)", 1e6),
        ("Number of visitors in millions", 1e6),
        ("Value in billion euros", 1e9),
        ("Thousand tons", 1e3),
        ("A site with 500 million users worldwide is the largest of them", 1.0),
        ("Share of respondents", 1.0),
    ],
)
def test_scale_words(text: str, scale: float) -> None:
    assert scale_of(text)[0] == scale


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e4),
    st.lists(st.integers(0, 12), min_size=4, max_size=9, unique=True),
    st.integers(0, 3),
)
def test_a_fit_survives_one_wrong_label(start: float, step: float, places: list[int], wrong: int) -> None:
    pixels = [40.0 * k for k in sorted(places)]
    values = [start + step * k for k in sorted(places)]
    spoiled = list(values)
    spoiled[wrong] += 7.3 * step
    assume(abs(start) < 1e5 * step)
    fit = fit_values(pixels, spoiled, 3.0, ("linear",))
    assert fit is not None
    assert wrong not in fit.inliers or len(places) == 4
    if len(places) > 4:
        assert fit.slope == pytest.approx(step / 40, rel=1e-6)


def test_log_scales_are_told_from_linear_ones() -> None:
    fit = fit_values([10, 110, 210, 310], [1000, 100, 10, 1], 3.0)
    assert fit is not None
    assert fit.scale == "log"
    assert fit.slope == pytest.approx(-0.01)
    linear = fit_values([10, 110, 210, 310], [40, 30, 20, 10], 3.0)
    assert linear is not None
    assert linear.scale == "linear"


@given(st.floats(-6, 6), st.floats(0.5, 20))
def test_gridlines_take_out_a_common_offset(offset: float, step: float) -> None:
    ticks = tuple(Tick(str(k), k * step, 300 - 50 * k + offset) for k in range(5))
    axis = Axis("y", "numeric", ticks, slope=-step / 50, intercept=step / 50 * (300 + offset), confidence=0.8)
    lines = [Line(300.0 - 50 * k, 0, 100, (221, 221, 221), 1) for k in range(5)]
    snapped = snap_to_lines(axis, lines)
    assert snapped.value_at(300) == pytest.approx(0, abs=1e-6 * step)
    assert snapped.value_at(100) == pytest.approx(4 * step)
