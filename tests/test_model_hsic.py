"""HSIC against forms written independently of the package: element-wise sums, triple loops, autograd."""

# ruff: noqa: E402
from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from f2teval.errors import UsageError
from f2teval.models import hsic


def gram(w: np.ndarray, sigma: float) -> np.ndarray:
    n = len(w)
    k = np.empty((n, n))
    for p in range(n):
        for q in range(n):
            k[p, q] = np.exp(-np.sum((w[p] - w[q]) ** 2) / (2 * sigma**2))
    return k


def loops(k: np.ndarray, m: np.ndarray) -> float:
    """Eq. 17, one multiplication at a time."""
    n = len(k)
    joint = sum(k[p, q] * m[p, q] for p in range(n) for q in range(n))
    cross = sum(k[p, r] * m[q, r] for p in range(n) for q in range(n) for r in range(n))
    every = sum(k[p, r] * m[q, s] for p in range(n) for q in range(n) for r in range(n) for s in range(n))
    return (joint - 2 / n * cross + every / n**2) / (n - 1) ** 2


def elementwise(k: np.ndarray, m: np.ndarray) -> float:
    """Eq. 17 with numpy sums."""
    n = len(k)
    joint, cross, every = (k * m).sum(), (k.sum(0) * m.sum(0)).sum(), k.sum() * m.sum()
    return (joint - 2 / n * cross + every / n**2) / (n - 1) ** 2


def trace(k: np.ndarray, m: np.ndarray) -> float:
    """Eq. 15."""
    n = len(k)
    h = np.eye(n) - 1 / n
    return float(np.trace(k @ h @ m @ h) / (n - 1) ** 2)


@pytest.fixture
def weights() -> torch.Tensor:
    return torch.randn(5, 7, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


def test_every_pair_equals_the_loops_the_sums_and_the_trace(weights: torch.Tensor) -> None:
    sigma = 1.3
    found = hsic.hsic_matrix(weights, sigma).numpy()
    grams = [gram(w, sigma) for w in weights.numpy()]
    for i in range(5):
        for j in range(5):
            assert found[i, j] == pytest.approx(loops(grams[i], grams[j]), rel=1e-10)
            assert found[i, j] == pytest.approx(elementwise(grams[i], grams[j]), rel=1e-10)
            assert found[i, j] == pytest.approx(trace(grams[i], grams[j]), rel=1e-10)


def test_loss_is_the_sum_over_the_ten_unordered_pairs(weights: torch.Tensor) -> None:
    grams = [gram(w, 0.8) for w in weights.numpy()]
    expected = sum(elementwise(grams[i], grams[j]) for i in range(5) for j in range(i + 1, 5))
    assert float(hsic.hsic_loss(weights, 0.8)) == pytest.approx(expected, rel=1e-10)


def test_median_heuristic_is_the_median_distance_of_each_head(weights: torch.Tensor) -> None:
    found = hsic.gram_matrices(weights, "median")
    for w, k in zip(weights.numpy(), found.numpy()):
        distances = [np.linalg.norm(w[p] - w[q]) for p in range(7) for q in range(p + 1, 7)]
        np.testing.assert_allclose(k, gram(w, float(np.median(distances))), rtol=1e-10)


@pytest.mark.parametrize("sigma", [0.7, "median"])
def test_printed_gradient_agrees_with_autograd(weights: torch.Tensor, sigma: float | str) -> None:
    w = weights.clone().requires_grad_()
    hsic.hsic_loss(w, sigma).backward()
    assert w.grad is not None
    torch.testing.assert_close(hsic.hsic_gradient(weights, sigma), w.grad, rtol=1e-9, atol=1e-14)


def test_printed_gradient_of_one_pair_written_out(weights: torch.Tensor) -> None:
    """Eq. 8 as printed, factor and sign included, against finite differences."""
    sigma, n = 0.9, 7
    a, b = weights[0].numpy(), weights[1].numpy()
    h = np.eye(n) - 1 / n
    k, centred = gram(a, sigma), h @ gram(b, sigma) @ h
    for p in range(n):
        printed = -2 / ((n - 1) ** 2 * sigma**2) * sum(centred[p, q] * k[p, q] * (a[p] - a[q]) for q in range(n))
        for c in range(4):
            up, down = a.copy(), a.copy()
            up[p, c] += 1e-6
            down[p, c] -= 1e-6
            slope = (trace(gram(up, sigma), gram(b, sigma)) - trace(gram(down, sigma), gram(b, sigma))) / 2e-6
            assert printed[c] == pytest.approx(slope, abs=1e-8)


def test_dependent_heads_score_higher_than_independent_ones() -> None:
    g = torch.Generator().manual_seed(0)
    a, b = torch.randn(2, 200, 3, generator=g, dtype=torch.float64)
    pair = hsic.hsic_matrix(torch.stack([a, b, a.square()]))
    assert pair[0, 2] > 3 * pair[0, 1]
    assert pair.min() >= 0


def test_far_from_the_origin_float32_keeps_its_digits() -> None:
    w = torch.randn(2, 30, 5, generator=torch.Generator().manual_seed(1))
    near, far = hsic.hsic_loss(w.double(), 1.0), hsic.hsic_loss(w + 100.0, 1.0)
    assert float(far) == pytest.approx(float(near), rel=1e-3)


def test_equal_rows_give_zero_and_a_finite_gradient() -> None:
    w = torch.ones(2, 6, 3, requires_grad=True)
    loss = hsic.hsic_loss(w, "median")
    loss.backward()
    assert loss.item() == 0.0
    assert w.grad is not None
    assert torch.isfinite(w.grad).all()


@pytest.mark.parametrize("sigma", [0.0, -1.0, "mean"])
def test_a_bandwidth_that_cannot_be_is_refused(sigma: float | str) -> None:
    with pytest.raises(UsageError, match="bandwidth"):
        hsic.hsic_loss(torch.zeros(2, 3, 4), sigma)  # type: ignore[arg-type]


def test_one_row_is_refused() -> None:
    with pytest.raises(UsageError, match="rows"):
        hsic.hsic_loss(torch.zeros(2, 1, 4))
