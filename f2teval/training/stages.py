"""What is trained, one thing at a time: a dimension-specific expert, the shared expert with the gate, plain CLIP."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn

from f2teval.models.encoder import Encoder
from f2teval.models.experts import COSINE_EPS, DimensionHead, Gate, SharedHeads
from f2teval.models.hsic import Bandwidth, hsic_loss
from f2teval.rubric import DIMENSION_NAMES
from f2teval.training.dataset import Batch
from f2teval.training.losses import dimension_loss, mse_loss


class Stage(Protocol):
    """One training: a module, the columns it predicts, and its loss."""

    columns: tuple[str, ...]

    def __call__(self, batch: Batch) -> Tensor: ...

    def targets(self, batch_targets: Tensor) -> Tensor:
        """``(B, D)`` → ``(B, len(columns))``."""
        ...

    def loss(self, predicted: Tensor, batch: Batch) -> Tensor: ...


class _Encoding(nn.Module):
    """Features of a batch from an own encoder that is trained, or from the batch (frozen encoder)."""

    def __init__(self, encoder: Encoder | None) -> None:
        super().__init__()
        self.encoder = encoder

    def features(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        if self.encoder is None:
            assert batch.features is not None
            return batch.features.of(0)
        assert batch.inputs is not None
        return batch.inputs.encode(self.encoder)


class DimensionStage(_Encoding):
    """Stage one for one dimension (F2TEval, section 3.1): encoder, projector, w and b, with the loss of eq. 2."""

    def __init__(self, dimension: str, head: DimensionHead, encoder: Encoder | None, lambda_ali: float) -> None:
        super().__init__(encoder)
        self.head, self.lambda_ali = head, lambda_ali
        self.columns = (dimension,)
        self._index = DIMENSION_NAMES.index(dimension)

    def forward(self, batch: Batch) -> Tensor:
        out: Tensor = self.head(*self.features(batch))
        return out.unsqueeze(1)

    def targets(self, batch_targets: Tensor) -> Tensor:
        return batch_targets[:, self._index : self._index + 1]

    def loss(self, predicted: Tensor, batch: Batch) -> Tensor:
        return dimension_loss(predicted[:, 0], self.targets(batch.targets)[:, 0], self.lambda_ali)


class SharedStage(_Encoding):
    """Stage two (sections 3.2 and 3.3): the shared expert and the gate; the specific experts are frozen.

    The squared error is that of the gated prediction (eq. 9): only so does the gate learn. Because frozen experts
    always say the same of a sample, their predictions are computed once and given as ``specific`` ``(N, D)``, indexed
    by row. Without ``gate`` the shared expert is trained on its own.
    """

    def __init__(
        self,
        shared: SharedHeads,
        gate: Gate | None,
        encoder: Encoder | None,
        specific: Tensor | None,
        *,
        lambda_hsic: float,
        sigma: Bandwidth,
    ) -> None:
        super().__init__(encoder)
        self.shared, self.gate = shared, gate
        self.lambda_hsic, self.sigma = lambda_hsic, sigma
        self.columns = DIMENSION_NAMES
        self.register_buffer("specific", specific, persistent=False)

    def forward(self, batch: Batch) -> Tensor:
        shared: Tensor = self.shared(*self.features(batch))
        if self.gate is None:
            return shared
        specific = self.specific
        assert isinstance(specific, Tensor)
        out: Tensor = self.gate(shared, specific[batch.rows])
        return out

    def targets(self, batch_targets: Tensor) -> Tensor:
        return batch_targets

    def loss(self, predicted: Tensor, batch: Batch) -> Tensor:
        loss = mse_loss(predicted, batch.targets)
        if self.lambda_hsic:
            loss = loss + self.lambda_hsic * hsic_loss(self.shared.w1.float(), self.sigma)
        return loss


class OverallStage(_Encoding):
    """Plain CLIP fine-tuned (table 5): ``w · cos(v_img, v_summary) + b`` against the overall rating, squared error."""

    columns = ("overall",)

    def __init__(self, encoder: Encoder | None) -> None:
        super().__init__(encoder)
        self.w = nn.Parameter(torch.ones(()))
        self.b = nn.Parameter(torch.zeros(()))

    def forward(self, batch: Batch) -> Tensor:
        image, _, summary = self.features(batch)
        cosine = nn.functional.cosine_similarity(image, summary, dim=1, eps=COSINE_EPS)
        return (self.w * cosine + self.b).unsqueeze(1)

    def targets(self, batch_targets: Tensor) -> Tensor:
        # NaN where a dimension is missing: a mean over fewer dimensions is another quantity.
        return batch_targets.mean(dim=1, keepdim=True)

    def loss(self, predicted: Tensor, batch: Batch) -> Tensor:
        return mse_loss(predicted, self.targets(batch.targets))
