"""Tests of differences: exhaustive enumeration, other implementations, and how often they are wrong."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from f2teval.meta import power
from f2teval.meta.bootstrap import Pooled, distributions
from f2teval.meta.correlation import statistic
from f2teval.meta.ranks import (
    context_ablation,
    feature_helpfulness,
    reciprocal_rank,
    reversed_rank,
    reversed_reciprocal_rank,
)
from f2teval.meta.significance import (
    holm,
    letter_groups,
    paired_bootstrap,
    perm_both,
    perm_inputs,
    williams,
)

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_b", "kendall_c", "mae"])
def test_perm_both_equals_trying_every_exchange(name):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 4, 9).astype(float)
    a, b = y + rng.normal(size=9), rng.normal(size=9) + 0.5 * y
    za, zb = ((v - v.mean()) / v.std() for v in (a, b)) if name != "mae" else (a, b)
    seen = statistic(name, a, y).value - statistic(name, b, y).value
    hits = 0
    for coins in product([False, True], repeat=9):
        m = np.array(coins)
        one, two = np.where(m, zb, za), np.where(m, za, zb)
        hits += abs(statistic(name, one, y).value - statistic(name, two, y).value) >= abs(seen) - 1e-12
    found = perm_both(a, b, y, name, rounds=20_000, seed=1)
    assert found.delta == pytest.approx(seen)
    assert found.p == pytest.approx(hits / 512, abs=0.012)


@pytest.mark.parametrize("which", ["perm", "williams"])
def test_without_a_difference_five_percent_are_found(which):
    rng = np.random.default_rng(7)
    wrong = 0
    for k in range(200):
        y = rng.normal(size=60)
        shared = rng.normal(size=60)
        a, b = (0.5 * y + 0.5 * shared + 0.7 * rng.normal(size=60) for _ in range(2))
        if which == "perm":
            p = perm_both(a, b, y, "pearson", rounds=200, seed=k).p
        else:
            r = np.corrcoef([a, b, y])
            p = williams(r[0, 2], r[1, 2], r[0, 1], 60).p
        wrong += p < 0.05
    assert wrong / 200 < 0.105  # four standard errors above 5 %
    assert wrong > 0


def test_a_real_difference_is_found_by_all():
    rng = np.random.default_rng(8)
    y = rng.normal(size=400)
    a, b = y + 0.5 * rng.normal(size=400), y + 2 * rng.normal(size=400)
    assert perm_both(a, b, y, "pearson").p < 0.01
    r = np.corrcoef([a, b, y])
    assert williams(r[0, 2], r[1, 2], r[0, 1], 400).p < 0.01
    columns = {k: Pooled(v, y, np.arange(400), 400) for k, v in (("a", a), ("b", b))}
    d = distributions(columns, ["pearson"], 400, rounds=500, seed=0)
    assert paired_bootstrap(0.3, d["a"]["pearson"], d["b"]["pearson"], 400).p < 0.01


def test_williams_small_and_degenerate():
    assert williams(0.5, 0.4, 0.3, 3).p is None
    assert williams(0.5, 0.5, 1.0, 50).p == 1.0


def test_williams_published():
    g = GOLDEN["williams"]
    found = williams(0.4, 0.5, 0.1, 103)
    assert found.p == pytest.approx(g["p"], abs=0.006)
    assert -stats.t.isf(found.p / 2, 100) == pytest.approx(g["t"], abs=0.005)


def test_perm_inputs_is_the_paired_sign_test():
    d = np.array([0.3, 0.2, 0.5, -0.1, 0.4, 0.2, 0.1, 0.6])
    exact = np.mean([abs(np.dot(s, d)) >= abs(d.sum()) - 1e-12 for s in product([-1, 1], repeat=8)])
    assert perm_inputs(d, np.zeros(8), rounds=20_000).p == pytest.approx(exact, abs=0.01)
    assert "figures" in perm_inputs(np.array([1.0, np.nan]), np.array([0.0, 1.0])).reason


def test_constant_scores_are_not_tested_but_named():
    y = np.arange(10.0)
    found = perm_both(np.ones(10), y, y, "kendall_b")
    assert found.p is None
    assert "equal" in found.reason


def test_holm():
    # Holm (1979): sorted .01 .013 .03 .04 × 4 3 2 1, made monotone.
    assert holm([0.04, 0.01, None, 0.03, 0.013]) == [
        pytest.approx(v) if v else None for v in (0.06, 0.04, None, 0.06, 0.04)
    ]
    multi = pytest.importorskip("statsmodels.stats.multitest")
    p = [0.2, 0.001, 0.04, 0.03, 0.9]
    np.testing.assert_allclose(holm(p), multi.multipletests(p, method="holm")[1])


@given(st.integers(2, 7), st.data())
@settings(max_examples=80, deadline=None)
def test_letters_say_exactly_what_the_tests_say(n, data):
    names = [f"m{i}" for i in range(n)]
    apart = {(a, b): data.draw(st.booleans()) for a, b in combinations(names, 2)}
    letters = letter_groups(names, apart)
    for (a, b), different in apart.items():
        assert bool(set(letters[a]) & set(letters[b])) is not different
    assert all(letters.values())
    assert "a" in letters[names[0]]


def test_power_estimate_against_simulation():
    rng = np.random.default_rng(9)

    def draw(n):
        y = rng.normal(size=n)
        return y, y + rng.normal(size=n), y + rng.normal(size=n)

    y, a, b = draw(1000)
    columns = {k: Pooled(v, y, np.arange(1000), 1000) for k, v in (("a", a), ("b", b))}
    d = distributions(columns, ["kendall_b"], 1000, rounds=300, seed=0)
    found = power.estimate("kendall_b", [d["a"]["kendall_b"], d["b"]["kendall_b"]], 1000)
    differences = []
    for _ in range(300):
        y, a, b = draw(200)
        differences.append(statistic("kendall_b", a, y).value - statistic("kendall_b", b, y).value)
    expected = (1.96 + 0.8416) * np.std(differences)
    assert found.detectable(200) == pytest.approx(expected, rel=0.15)
    assert found.needed(found.detectable(200)) == pytest.approx(200, abs=1)


def test_rank_conversions():
    rank = np.array([1.0, 2, 6])
    np.testing.assert_allclose(reversed_rank(rank, 6), [6, 5, 1])
    np.testing.assert_allclose(reciprocal_rank(rank), [1, 1 / 2, 1 / 6])
    np.testing.assert_allclose(reversed_reciprocal_rank(rank, 6), [1 / 6, 1 / 5, 1])


def test_context_ablation_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30) + 0.4, rng.normal(size=30)
    a[3] = np.nan
    ok = ~np.isnan(a)
    found, other = context_ablation(a, b), stats.ttest_rel(a[ok], b[ok])
    assert (found.n, found.t, found.p) == (29, pytest.approx(other.statistic), pytest.approx(other.pvalue))
    assert context_ablation(np.ones(5), np.zeros(5)).t is None


def test_feature_helpfulness_is_point_biserial():
    f, y = np.array([1.0, 0, 1, 0, 1, np.nan]), np.array([3.0, 1, 2, 2, 3, 9])
    found = feature_helpfulness({"takeaway": f}, {"rank": y})["takeaway"]["rank"]
    assert found.value == pytest.approx(stats.pointbiserialr(f[:5], y[:5]).statistic)
