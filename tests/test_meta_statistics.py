"""Statistics of agreement against other implementations, brute force and published values."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from f2teval.meta import agreement as ag
from f2teval.meta import bootstrap, correlation, pairwise
from f2teval.meta.contingency import Tables, code_pair, table_matrix
from f2teval.meta.grouped import grouped_statistics
from f2teval.meta.values import STATISTICS

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))

levels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=3, max_size=40)


def brute_tau(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """τ-b and τ-c straight from their definitions."""
    s = tx = ty = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        s += a * b
        tx += a != 0
        ty += b != 0
    m = min(len(set(x)), len(set(y)))
    return s / np.sqrt(tx * ty), 2 * s * m / (len(x) ** 2 * (m - 1))


@given(levels)
@settings(max_examples=60, deadline=None)
def test_rank_statistics_under_ties_follow_their_definitions(rows):
    x, y = np.array(rows, dtype=float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        for name in ("pearson", "spearman", "kendall_b", "kendall_c"):
            found = correlation.statistic(name, x, y)
            assert found.value is None
            assert "equal" in found.reason
        return
    b, c = brute_tau(x, y)
    assert correlation.kendall_b(x, y).value == pytest.approx(b)
    assert correlation.kendall_c(x, y).value == pytest.approx(c)
    assert correlation.spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert correlation.pearson(x, y).value == pytest.approx(stats.pearsonr(x, y).statistic)
    # Tables of counts are what the bootstrap rests on: on whole data they must give the same numbers.
    cx, kx, cy, ky = code_pair(x, y)
    one = table_matrix(cx, cy, (kx, ky), np.zeros(len(x), int), 1).toarray().T.reshape(1, kx, ky)
    t = Tables(one)
    assert t.kendall_b()[0] == pytest.approx(b)
    assert t.kendall_c()[0] == pytest.approx(c)
    assert t.spearman()[0] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_numbers_by_hand():
    x, y = np.array([0.1, 0.4, 0.35, 0.8]), np.array([0.0, 0.0, 1.0, 1.0])
    assert correlation.auc(x, y).value == 0.75  # the textbook example: 3 of 4 pairs in order
    assert correlation.mae(x, y).value == pytest.approx((0.1 + 0.4 + 0.65 + 0.2) / 4)
    assert correlation.mse(x, y).value == pytest.approx((0.01 + 0.16 + 0.4225 + 0.04) / 4)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_under_three_rows_no_correlation_and_it_says_so(n):
    x, y = np.arange(n, dtype=float), np.arange(n, dtype=float)
    for name in ("pearson", "spearman", "kendall_b", "kendall_c"):
        found = correlation.statistic(name, x, y)
        assert found.value is None
        assert str(n) in found.reason


def test_auc_needs_two_levels():
    assert correlation.auc(np.arange(4.0), np.ones(4)).value is None
    assert "3" in correlation.auc(np.arange(3.0), np.arange(3.0)).reason


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1e200])
def test_pearson_at_the_ends_of_the_number_range(scale):
    x, y = np.array([1.0, 2, 3, 5]), np.array([1.0, 3, 2, 5])
    assert correlation.pearson(x * scale, y).value == pytest.approx(stats.pearsonr(x, y).statistic)


def naive_rounds(name, x, y, figure, weights):
    out = []
    for w in weights:
        rows = np.repeat(np.arange(len(x)), w[figure].astype(int))
        value = correlation.statistic(name, x[rows], y[rows]).value
        out.append(np.nan if value is None else value)
    return np.array(out)


def test_bootstrap_equals_drawing_figures_and_recomputing():
    rng = np.random.default_rng(1)
    figure = rng.integers(0, 60, 200)
    y = rng.integers(0, 5, 200) / 2.0
    x = np.round(y + rng.normal(size=200), 1)
    column = bootstrap.Pooled(x, y, figure, 60)
    names = ["pearson", "spearman", "kendall_b", "kendall_c", "mae", "mse"]
    fast = bootstrap.distributions({"m": column}, names, 60, rounds=40, seed=3)["m"]
    weights = np.concatenate(list(bootstrap.resample_weights(60, 40, 3)))
    assert (weights.sum(axis=1) == 60).all()
    for name in names:
        np.testing.assert_allclose(fast[name], naive_rounds(name, x, y, figure, weights), atol=1e-9)


def test_bootstrap_of_continuous_values_stays_close_to_exact():
    rng = np.random.default_rng(2)
    y = rng.normal(size=800)
    x = y + rng.normal(size=800)
    column = bootstrap.Pooled(x, y, np.arange(800), 800)
    fast = bootstrap.distributions({"m": column}, ["kendall_b", "spearman"], 800, rounds=30, seed=0)["m"]
    weights = np.concatenate(list(bootstrap.resample_weights(800, 30, 0)))
    for name in ("kendall_b", "spearman"):
        exact = naive_rounds(name, x, y, np.arange(800), weights)
        assert np.abs(fast[name] - exact).max() < 0.004
        assert np.abs(fast[name] - exact).max() < 0.25 * exact.std()


def test_bootstrap_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    truth, inside = 0.6, 0
    for _ in range(120):
        y = rng.normal(size=150)
        x = truth * y + np.sqrt(1 - truth**2) * rng.normal(size=150)
        d = bootstrap.distributions({"m": bootstrap.Pooled(x, y, np.arange(150), 150)}, ["pearson"], 150,
                                    rounds=300, seed=1)  # fmt: skip
        low, high = bootstrap.interval(d["m"]["pearson"])
        inside += low <= truth <= high
    assert 0.87 <= inside / 120 <= 0.99


def test_clustering_by_figure_widens_the_interval():
    rng = np.random.default_rng(4)
    figure = np.repeat(np.arange(50), 8)
    y = rng.normal(size=50)[figure] + 0.1 * rng.normal(size=400)
    x = y + rng.normal(size=50)[figure]

    def width(cluster, k):
        d = bootstrap.distributions({"m": bootstrap.Pooled(x, y, cluster, k)}, ["pearson"], k, rounds=400, seed=0)
        low, high = bootstrap.interval(d["m"]["pearson"])
        return high - low

    assert width(figure, 50) > 1.8 * width(np.arange(400), 400)


def test_statistics_within_figures_equal_one_figure_at_a_time():
    rng = np.random.default_rng(5)
    group = np.sort(rng.integers(0, 30, 180))
    group[:70] = 0  # one group above the size that is stacked
    x, y = np.round(rng.normal(size=180), 1), rng.integers(0, 3, 180).astype(float)
    found, epsilon = grouped_statistics(x, y, group, 31)
    for g in range(31):
        rows = group == g
        for name in STATISTICS:
            if name == "accuracy" or not rows.any():
                continue
            value = correlation.statistic(name, x[rows], y[rows]).value
            np.testing.assert_allclose(found[name][g], np.nan if value is None else value, atol=1e-12, err_msg=name)
    pairs = pairwise.pairs_within(group)
    assert all(group[i] == group[j] for i, j in zip(pairs.i, pairs.j))
    assert len(pairs.i) == sum(n * (n - 1) // 2 for n in np.bincount(group))
    assert epsilon >= 0


def test_tie_calibrated_accuracy_by_hand():
    # People tie 0 and 1; the metric puts 0.1 between them and at least 0.5 elsewhere: ε = 0.1 gets all three pairs.
    x, y = np.array([0.0, 0.1, 0.6]), np.array([1.0, 1.0, 2.0])
    found = pairwise.tie_calibrated(x, y, pairwise.all_pairs(3))
    assert found.stat.value == 1.0
    assert found.epsilon == pytest.approx(0.1)
    assert pairwise.tie_calibrated(x, y, pairwise.all_pairs(3), epsilon=0.0).stat.value == pytest.approx(2 / 3)


@given(levels)
@settings(max_examples=40, deadline=None)
def test_calibration_finds_the_best_threshold_there_is(rows):
    x, y = np.array(rows, dtype=float).T
    pairs = pairwise.all_pairs(len(x))
    best = max(pairwise.tie_calibrated(x, y, pairs, e).stat.value for e in (0.0, 1.0, 2.0, 3.0))
    assert pairwise.tie_calibrated(x, y, pairs).stat.value == pytest.approx(best)


def test_the_threshold_makes_the_mean_over_figures_largest():
    # Figure 0: four texts that people tie and the metric spreads (best: call all ties). Figures 1–3: two texts each,
    # which both order the same way, with smaller gaps (best: no ties). Pooled, the six pairs of figure 0 would win.
    x = np.array([0.0, 3, 6, 9, 0, 1, 0, 1, 0, 1])
    y = np.array([1.0, 1, 1, 1, 0, 1, 0, 1, 0, 1])
    figure = np.array([0, 0, 0, 0, 1, 1, 2, 2, 3, 3])
    values, epsilon = grouped_statistics(x, y, figure, 4)
    assert epsilon < 1
    assert values["accuracy"].tolist() == [0, 1, 1, 1]
    assert pairwise.tie_calibrated(x, y, pairwise.pairs_within(figure)).epsilon >= 9


def test_soft_pairwise_accuracy_of_people_with_themselves_and_their_opposite():
    rng = np.random.default_rng(6)
    human = rng.normal(size=(4, 50)) + np.arange(4)[:, None]
    assert pairwise.soft_pairwise_accuracy(human, human).value == 1.0
    assert pairwise.soft_pairwise_accuracy(-human, human).value < 0.05
    assert pairwise.soft_pairwise_accuracy(np.zeros((4, 50)), human).value == pytest.approx(0.5, abs=0.01)
    assert "two" in pairwise.soft_pairwise_accuracy(human[:1], human[:1]).reason


def test_krippendorff_published():
    g = GOLDEN["krippendorff"]
    ratings = np.array([[np.nan if v is None else v for v in r] for r in g["raters"]], dtype=float).T
    for level in ("nominal", "ordinal", "interval"):
        assert ag.krippendorff_alpha(ratings, level).value == pytest.approx(g[level], abs=5e-4)


def test_intraclass_published():
    g = GOLDEN["shrout_fleiss"]
    ratings = np.array(g["items"], dtype=float)
    for form in "123":
        assert ag.intraclass(ratings, form).value == pytest.approx(g[f"icc{form}"], abs=5e-3)


def test_kendall_w_is_friedmans_statistic_rescaled():
    ratings = np.random.default_rng(0).integers(0, 4, (12, 5)).astype(float)
    chi2 = stats.friedmanchisquare(*ratings).statistic  # items are the treatments, raters the blocks
    assert ag.kendall_w(ratings).value == pytest.approx(chi2 / (5 * 11))


def test_kappa_by_hand_and_by_another_implementation():
    # 20 of 25 and 15 of 25 … Cohen's two-way table 20/5/10/15: observed .70, expected .50, κ = .40.
    a = np.repeat([1.0, 1, 0, 0], [20, 5, 10, 15])
    b = np.repeat([1.0, 0, 1, 0], [20, 5, 10, 15])
    assert ag.weighted_kappa(np.stack([a, b], axis=1), "none").value == pytest.approx(0.4)
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    r = rng.integers(0, 3, (200, 2)).astype(float)
    for w in ("linear", "quadratic"):
        other = metrics.cohen_kappa_score(r[:, 0], r[:, 1], weights=w)
        assert ag.weighted_kappa(r, w).value == pytest.approx(other)


def test_agreement_of_one_rater_and_of_constants_is_undefined_with_reasons():
    one = ag.agreement(np.array([[1.0, np.nan], [np.nan, 2.0]]))
    same = ag.agreement(np.ones((5, 3)))
    for a in (one, same):
        for s in a[2:]:
            assert s.value is None
            assert s.reason


def test_people_are_held_against_the_others_only():
    # The second rater is noise: with its own grade in the target it would seem to agree.
    rng = np.random.default_rng(0)
    truth = rng.normal(size=4000)
    ratings = np.stack([truth, rng.normal(size=4000)], axis=1)
    for single in (False, True):
        sides = list(ag.each_against_others(ratings, single=single))
        assert len(sides) == 2
        for items, mine, others in sides:
            assert len(items) == 4000
            assert abs(np.corrcoef(mine, others)[0, 1]) < 0.05
    ratings = np.array([[1.0, 2.0, 4.0], [np.nan, 5.0, np.nan], [3.0, np.nan, 7.0]])
    mean = [(i.tolist(), a.tolist(), b.tolist()) for i, a, b in ag.each_against_others(ratings)]
    assert mean == [([0, 2], [1, 3], [3, 7]), ([0], [2], [2.5]), ([0, 2], [4, 7], [1.5, 3])]
    items, mine, others = next(ag.each_against_others(ratings, single=True))
    assert (items.tolist(), mine.tolist(), others.tolist()) == ([0, 0, 2], [1, 1, 3], [2, 4, 7])
