"""The Hilbert–Schmidt Independence Criterion between the first layers of the scoring heads (F2TEval, eqs. 4–8, 13–20).

Every head contributes one ``(n, m)`` weight matrix whose ``n`` rows are the "samples". Because ``H`` is idempotent,
``tr(K H L H) = ⟨HKH, HLH⟩``: centring the Gram matrix of each head once and multiplying the stack of flattened
matrices with its own transpose gives every pair of heads in one matrix product.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from f2teval.errors import UsageError

Bandwidth = float | Literal["median"]
"""σ of the RBF kernel: a positive number, or "median" for the median heuristic (each head its own)."""


def gram_matrices(weights: Tensor, sigma: Bandwidth = "median") -> Tensor:
    """RBF Gram matrices over the rows of each head's weights (eqs. 4, 13, 18, 19).

    Args:
        weights: ``(D, n, m)``, one matrix a head.
        sigma: bandwidth. "median" takes the median distance between two different rows of the same head; it is a
            constant of the step, no gradient flows through it.

    Returns:
        ``(D, n, n)`` with values in (0, 1] and ones on the diagonal.

    Raises:
        UsageError: fewer than two rows, or a bandwidth that is not positive.
    """
    if weights.dim() != 3 or weights.shape[1] < 2:
        raise UsageError(f"HSIC needs weights of shape (heads, rows >= 2, columns), not {tuple(weights.shape)}")
    squared = _squared_distances(weights)
    return torch.exp(squared / (-2.0 * bandwidths(squared.detach(), sigma).square()[:, None, None]))


def _squared_distances(weights: Tensor) -> Tensor:
    # About the mean row, so that a common offset does not eat the digits of the differences.
    rows = weights - weights.mean(dim=1, keepdim=True).detach()
    norms = rows.square().sum(dim=2)
    squared = norms[:, :, None] + norms[:, None, :] - 2.0 * torch.bmm(rows, rows.transpose(1, 2))
    off_diagonal = 1.0 - torch.eye(weights.shape[1], dtype=weights.dtype, device=weights.device)
    return squared.clamp_min(0.0) * off_diagonal


def bandwidths(squared: Tensor, sigma: Bandwidth) -> Tensor:
    """σ of each head, ``(D,)``, from squared distances ``(D, n, n)``. Raises :class:`UsageError` if not positive."""
    heads, n, _ = squared.shape
    if sigma == "median":
        i, j = torch.triu_indices(n, n, offset=1, device=squared.device)
        medians = squared[:, i, j].median(dim=1).values.sqrt()
        # All rows alike: any bandwidth gives the same (constant) kernel.
        return torch.where(medians > 0, medians, torch.ones_like(medians))
    if isinstance(sigma, str) or not sigma > 0:
        raise UsageError(f"the HSIC bandwidth must be 'median' or a positive number, not {sigma!r}")
    return torch.full((heads,), float(sigma), dtype=squared.dtype, device=squared.device)


def centre(gram: Tensor) -> Tensor:
    """``H K H`` with ``H = I - 11ᵀ/n`` (eq. 14), for a stack ``(…, n, n)``, without building ``H``."""
    rows = gram.mean(dim=-1, keepdim=True)
    columns = gram.mean(dim=-2, keepdim=True)
    return gram - rows - columns + rows.mean(dim=-2, keepdim=True)


def hsic_matrix(weights: Tensor, sigma: Bandwidth = "median") -> Tensor:
    """The estimator of eqs. 5 and 15 for every pair of heads: ``(D, D)``, symmetric, non-negative.

    All pairs come from one ``(D, n²) x (n², D)`` product. The diagonal holds each head with itself.
    """
    centred = centre(gram_matrices(weights, sigma)).flatten(1)
    return centred @ centred.T / (weights.shape[1] - 1) ** 2


def hsic_loss(weights: Tensor, sigma: Bandwidth = "median") -> Tensor:
    """Sum over the unordered pairs of heads (eqs. 6 and 20), a scalar."""
    return hsic_matrix(weights, sigma).triu(diagonal=1).sum()


def hsic_gradient(weights: Tensor, sigma: Bandwidth = "median") -> Tensor:
    """∂ :func:`hsic_loss` / ∂ weights in closed form, ``(D, n, m)``.

    This is eq. 8 summed over the partners ``j ≠ i`` of head ``i``, with the sum over ``q`` written as a matrix product:
    with ``A = K ∘ Σ_j H L_j H`` the row ``p`` is ``-2 / ((n-1)² σ²) · (Σ_q A_pq · W[p] - (A W)[p])``.

    Eq. 8 as printed was checked against automatic differentiation and is right, factor 2 and sign included, provided
    that σ is held constant (with the median heuristic it is a constant of the step) and that ``L`` belongs to
    *another* head; the 2 is there because row ``p`` enters both ``K_pq`` and ``K_qp``. Eq. 7 gives the derivative for
    ``q ≠ p`` (at ``q = p`` both sides are 0). Training uses autograd; this form is for whoever wants to look.
    """
    n = weights.shape[1]
    squared = _squared_distances(weights)
    sigmas = bandwidths(squared, sigma)
    gram = torch.exp(squared / (-2.0 * sigmas.square()[:, None, None]))
    centred = centre(gram)
    a = gram * (centred.sum(dim=0, keepdim=True) - centred)
    pulls = a.sum(dim=2, keepdim=True) * weights - torch.bmm(a, weights)
    return pulls * (-2.0 / ((n - 1) ** 2 * sigmas.square()))[:, None, None]
