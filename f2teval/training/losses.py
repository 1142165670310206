"""The losses of F2TEval, eqs. 2 and 6, over batches in which some ratings are missing."""

from __future__ import annotations

import torch
from torch import Tensor

_EPS = 1e-8


def mse_loss(predicted: Tensor, target: Tensor) -> Tensor:
    """Mean squared error over the targets that are not NaN (eq. 2, first line); 0 if all are. Same shapes."""
    there = ~torch.isnan(target)
    error = torch.where(there, predicted - torch.nan_to_num(target), torch.zeros_like(predicted))
    return error.square().sum() / there.sum().clamp_min(1)


def alignment_loss(predicted: Tensor, target: Tensor) -> Tensor:
    """Negative Pearson correlation of a batch (eq. 2, second line), in [-1, 1]; targets that are NaN are left out.

    With fewer than two targets, or all of them equal, the correlation does not exist; such a batch contributes 0 and
    no gradient. Predictions that are all equal give 0 with a finite gradient.
    """
    there = ~torch.isnan(target)
    x, y = predicted[there], target[there].to(predicted.dtype)
    if len(y) < 2 or bool((y == y[0]).all()):
        return predicted.sum() * 0.0
    x, y = x - x.mean(), y - y.mean()
    spread = (x.square().sum() + _EPS**2).sqrt() * y.square().sum().sqrt()
    return -(x * y).sum() / spread


def dimension_loss(predicted: Tensor, target: Tensor, lambda_ali: float) -> Tensor:
    """Loss of one dimension-specific expert (eq. 2, third line)."""
    return mse_loss(predicted, target) + lambda_ali * alignment_loss(predicted, target)
