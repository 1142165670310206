"""Scorecards: what is fitted is monotone, additive, survives its file, and learns what there is to learn."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.errors import CheckpointError, TrainingError
from f2teval.evidence.boost import BoostOptions, calibrate, fit_card, raw_sum
from f2teval.evidence.card import Scorecard, Term

NAMES = ["wrong", "right", "noise"]
SIGNS = {"wrong": +1, "right": -1}


def made(n: int = 800, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    x[rng.random(x.shape) < 0.1] = np.nan
    z = 2 * np.nan_to_num(x[:, 0]) - np.nan_to_num(x[:, 1])
    return x, (rng.random(n) < 1 / (1 + np.exp(-z))).astype(float)


def columns(card: Scorecard, x: np.ndarray) -> np.ndarray:
    return x[:, [NAMES.index(f) for f in card.features]]


def auc(score: np.ndarray, label: np.ndarray) -> float:
    return float((score[label == 1][:, None] > score[label == 0][None]).mean())


def test_learns_what_a_logistic_model_would() -> None:
    from scipy.optimize import minimize

    x, y = made()
    new_x, new_y = made(seed=1)
    card = fit_card("p_error", "logit", NAMES, x, y, signs=SIGNS)
    ours = auc(card.predict(columns(card, new_x)), new_y)

    def loss(b: np.ndarray) -> float:
        z = np.nan_to_num(x) @ b
        return float(np.logaddexp(0, -(2 * y - 1) * z).mean())

    peer = auc(np.nan_to_num(new_x) @ minimize(loss, np.zeros(3)).x, new_y)
    assert ours > peer - 0.02


@pytest.mark.parametrize("link", ["logit", "score"])
def test_signs_hold_everywhere_even_against_the_data(link: str) -> None:
    x, y = made()
    for target in (y, 1 - y):  # with the signs, and against them
        card = fit_card("t", link, NAMES, x, target * (1 if link == "logit" else 2), signs=SIGNS)  # type: ignore[arg-type]
        for term in card.terms:
            assert (np.diff(term.points) * SIGNS.get(term.feature, 0) >= -1e-12).all()
    free = fit_card("t", link, NAMES, x, (1 - y) * (1 if link == "logit" else 2))  # type: ignore[arg-type]
    steps = np.diff(next(t for t in free.terms if t.feature == "wrong").points)
    assert steps.sum() < 0  # without the sign it would have learnt the opposite


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.integers(0, 2))
def test_prediction_is_the_sum_of_its_named_parts(row: list[float], missing: int) -> None:
    card = _CARD
    values = np.array([row])
    values[0, missing] = np.nan
    x = columns(card, values)
    raw = card.contributions(x).sum() + card.base
    assert card.predict(x)[0] == pytest.approx(1 / (1 + np.exp(-raw)))


def test_file_round_trip_keeps_every_prediction_and_the_digest() -> None:
    x, _ = made()
    again = Scorecard.from_json(_CARD.to_json())
    np.testing.assert_allclose(again.predict(columns(_CARD, x)), _CARD.predict(columns(_CARD, x)), atol=2e-4)
    assert Scorecard.from_json(again.to_json()).digest == again.digest
    assert again.to_json() == Scorecard.from_json(again.to_json()).to_json()


def test_calibration_meets_the_observed_share_and_keeps_order() -> None:
    new_x, new_y = made(2000, seed=2)
    new_y[: len(new_y) // 3] = 0  # another base rate than the card was fitted on
    done = calibrate(_CARD, raw_sum(_CARD, columns(_CARD, new_x)), new_y)
    p = done.predict(columns(done, new_x))
    assert p.mean() == pytest.approx(new_y.mean(), abs=0.01)
    before = _CARD.predict(columns(_CARD, new_x))
    assert (np.diff(p[np.argsort(before, kind="stable")]) >= -1e-12).all()


def test_same_seed_same_card() -> None:
    x, y = made(300)
    a, b = (fit_card("t", "logit", NAMES, x, y, options=BoostOptions(seed=3)).to_json() for _ in range(2))
    assert a == b


def test_nothing_to_learn_is_said() -> None:
    x, y = made(50)
    with pytest.raises(TrainingError, match="same 'analysis'"):
        fit_card("analysis", "score", NAMES, x, np.ones(50))
    with pytest.raises(TrainingError, match="no rows"):
        fit_card("analysis", "score", NAMES, x[:0], y[:0])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(format=99),
        lambda d: d.update(link="exec"),
        lambda d: d["terms"][0].update(points=[1.0]),
        lambda d: d["terms"][0].update(edges="x"),
        lambda d: d.pop("terms"),
    ],
)
def test_a_broken_card_file_is_refused_with_its_name(spoil: object, tmp_path: object) -> None:
    data = json.loads(_CARD.to_json())
    spoil(data)  # type: ignore[operator]
    path = tmp_path / "p_error.json"  # type: ignore[operator]
    path.write_text(json.dumps(data))
    with pytest.raises(CheckpointError, match=r"p_error\.json"):
        Scorecard.load(path)


def test_value_on_an_edge_falls_right_and_missing_has_its_own_point() -> None:
    card = Scorecard("t", "score", 1.0, (Term("a", (0.5,), (0.0, 0.4), missing=-0.3),))
    np.testing.assert_allclose(card.predict(np.array([[0.4], [0.5], [np.nan]])), [1.0, 1.4, 0.7])
    assert card.matrix([{"a": 1.0}, {"b": 2.0}]).tolist()[0] == [1.0]
    assert np.isnan(card.matrix([{"b": 2.0}])).all()


_CARD = fit_card("p_error", "logit", NAMES, *made(), signs=SIGNS)
