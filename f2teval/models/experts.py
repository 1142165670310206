"""The parts of the mixture that sit on top of the encoders: dimension-specific experts, shared expert, gate.

All of them take CLIP features (raw, not normalised) and give predictions on the scale of ``rating / 2``, i.e. [0, 1]
for perfect predictions; nothing clips them.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

COSINE_EPS = 1e-8
"""Norms below this are taken as this, so that an all-zero feature gives similarity 0 and no NaN."""


class DimensionHead(nn.Module):
    """The scoring part of one dimension-specific expert (F2TEval, eq. 1).

    The projector ``D`` (a two-layer MLP, ``2F → F → F``) turns ``[v_img; v_text]`` into a joint vector; the prediction
    is ``w · cos(z, v_summary) + b`` with learnable scalars ``w`` and ``b``.
    """

    def __init__(self, features: int) -> None:
        super().__init__()
        self.projector = nn.Sequential(nn.Linear(2 * features, features), nn.ReLU(), nn.Linear(features, features))
        self.w = nn.Parameter(torch.ones(()))
        self.b = nn.Parameter(torch.zeros(()))

    def forward(self, image: Tensor, text: Tensor, summary: Tensor) -> Tensor:
        """Three tensors ``(B, F)`` → predictions ``(B,)``."""
        joint = self.projector(torch.cat([image, text], dim=1))
        return self.w * nn.functional.cosine_similarity(joint, summary, dim=1, eps=COSINE_EPS) + self.b


class SharedHeads(nn.Module):
    """The five two-layer heads of the shared expert (F2TEval, eq. 3), kept as stacks so that one product serves all.

    ``w1`` is ``(D, n, 3F)``: HSIC reads it as it is.
    """

    def __init__(self, dimensions: int, features: int, hidden: int) -> None:
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(dimensions, hidden, 3 * features))
        self.b1 = nn.Parameter(torch.empty(dimensions, hidden))
        self.w2 = nn.Parameter(torch.empty(dimensions, hidden))
        self.b2 = nn.Parameter(torch.empty(dimensions))
        for weight, bias, fan_in in ((self.w1, self.b1, 3 * features), (self.w2, self.b2, hidden)):
            bound = 1.0 / math.sqrt(fan_in)
            nn.init.uniform_(weight, -bound, bound)
            nn.init.uniform_(bias, -bound, bound)

    def hidden(self, image: Tensor, text: Tensor, summary: Tensor) -> Tensor:
        """Activations of the first layer, ``(B, D, n)``."""
        joint = torch.cat([image, text, summary], dim=1)
        d, n, m = self.w1.shape
        first = nn.functional.linear(joint, self.w1.reshape(d * n, m), self.b1.reshape(-1))
        return nn.functional.relu(first).view(-1, d, n)

    def forward(self, image: Tensor, text: Tensor, summary: Tensor) -> Tensor:
        """Three tensors ``(B, F)`` → predictions ``(B, D)``."""
        return (self.hidden(image, text, summary) * self.w2).sum(dim=2) + self.b2


class Gate(nn.Module):
    """The dynamic weight of each dimension (F2TEval, eq. 9): ``σ(w_d) · shared + (1 - σ(w_d)) · specific``.

    ``w_d`` starts at 0, an even mixture.
    """

    def __init__(self, dimensions: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(dimensions))

    def forward(self, shared: Tensor, specific: Tensor) -> Tensor:
        """Two tensors ``(B, D)`` → ``(B, D)``."""
        weight = torch.sigmoid(self.w)
        return weight * shared + (1.0 - weight) * specific
