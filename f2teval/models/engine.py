"""Features of distinct pictures and texts from all encoders of a model, as fast as the machine allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Final, Literal, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from f2teval.errors import UsageError
from f2teval.models.encoder import Encoder, pad_windows
from f2teval.models.packed import SUPPORTED_ACTIVATIONS, Meter, PackedClip, has_fast_bf16
from f2teval.models.pictures import PictureSpec, normalise
from f2teval.models.windows import TextIds, Vocabulary

Precision = Literal["auto", "fp32", "bf16"]
_IMAGE_BATCH: Final = 128


class FastEncoder(Protocol):
    """What the engine asks of an encoder."""

    meter: Meter

    def images(self, pixels: Tensor) -> Tensor: ...

    def texts(self, windows: Sequence[Sequence[int]]) -> Tensor: ...


class PlainEncoder:
    """The Hugging Face modules, batched by length: for encoders that :class:`PackedClip` does not know."""

    def __init__(self, encoder: Encoder, vocabulary: Vocabulary, dtype: torch.dtype, batch: int = 64) -> None:
        self.meter = Meter()
        # A copy: the caller's weights stay as they are.
        self._encoder = encoder if dtype == torch.float32 else deepcopy(encoder).to(dtype=dtype)
        self._pad, self._dtype, self._batch = vocabulary.pad, dtype, batch
        self._device = next(encoder.parameters()).device

    @torch.inference_mode()
    def images(self, pixels: Tensor) -> Tensor:
        """``(B, 3, S, S)`` → ``(B, F)``, float32."""
        blocks = torch.split(pixels.to(self._device, self._dtype), self._batch)
        return torch.cat([self._encoder.images(b).float() for b in blocks])

    @torch.inference_mode()
    def texts(self, windows: Sequence[Sequence[int]]) -> Tensor:
        """Windows without padding → ``(W, F)``, float32."""
        order = sorted(range(len(windows)), key=lambda i: len(windows[i]))
        out = torch.empty(len(windows), self._encoder.features, device=self._device)
        for at in range(0, len(order), self._batch):
            block = order[at : at + self._batch]
            ids = pad_windows([windows[i] for i in block], self._pad, self._encoder.pad_to())
            out[torch.tensor(block, device=self._device)] = self._encoder.texts(ids.to(self._device)).float()
        return out


def choose_precision(precision: Precision, device: torch.device) -> torch.dtype:
    """bf16 where the hardware multiplies it natively (AVX512-BF16, AMX, a GPU that has it), unless told otherwise."""
    if precision == "fp32":
        return torch.float32
    if precision == "bf16":
        return torch.bfloat16
    if precision != "auto":
        raise UsageError(f"the precision is auto, fp32 or bf16; not {precision!r}")
    native = torch.cuda.is_bf16_supported() if device.type == "cuda" else device.type == "cpu" and has_fast_bf16()
    return torch.bfloat16 if native else torch.float32


def choose_device(device: str = "auto") -> torch.device:
    """The first GPU if there is one, else the CPU; or the one named."""
    if device != "auto":
        try:
            return torch.device(device)
        except RuntimeError as e:
            raise UsageError(f"no device {device!r}: {str(e).splitlines()[0]}") from None
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class FeatureEngine:
    """All encoders of a model, ready for inference.

    Args:
        encoders: in order; taken one at a time, so that the float32 weights of only one are in memory.
        precision: see :func:`choose_precision`.
    """

    def __init__(
        self,
        encoders: Iterable[Encoder],
        picture: PictureSpec,
        vocabulary: Vocabulary,
        *,
        precision: Precision = "auto",
        device: str = "auto",
    ) -> None:
        self.device = choose_device(device)
        self.dtype = choose_precision(precision, self.device)
        self.picture = picture
        self.parameters = 0
        self.encoders: list[FastEncoder] = []
        for encoder in encoders:
            self.parameters += sum(p.numel() for p in encoder.parameters())
            self.encoders.append(self._prepare(encoder.eval().to(self.device), vocabulary))

    def _prepare(self, encoder: Encoder, vocabulary: Vocabulary) -> FastEncoder:
        config = encoder.model.config
        known = (
            {config.text_config.hidden_act, config.vision_config.hidden_act} <= SUPPORTED_ACTIVATIONS
            if encoder.kind == "clip"
            else False
        )
        if known:
            return PackedClip(encoder.model, self.dtype)
        return PlainEncoder(encoder, vocabulary, self.dtype)

    def images(self, squares: Sequence[npt.NDArray[np.uint8]]) -> Tensor:
        """Fitted pictures ``(S, S, 3)`` uint8 → features ``(E, B, F)``, float32 on the CPU."""
        blocks = []
        for at in range(0, len(squares), _IMAGE_BATCH):
            pixels = torch.from_numpy(normalise(np.stack(squares[at : at + _IMAGE_BATCH]), self.picture))
            blocks.append(torch.stack([e.images(pixels).cpu() for e in self.encoders]))
        return torch.cat(blocks, dim=1)

    def texts(self, texts: Sequence[TextIds]) -> Tensor:
        """Texts as windows → features ``(E, n, F)``, float32 on the CPU. A window that occurs twice is encoded once."""
        index: dict[tuple[int, ...], int] = {}
        places = [[index.setdefault(w, len(index)) for w in t.windows] for t in texts]
        rows = torch.tensor([p for ps in places for p in ps])
        owner = torch.tensor([i for i, ps in enumerate(places) for _ in ps])
        weights = torch.tensor([w for t in texts for w in t.weights]).unsqueeze(1)
        windows = list(index)
        out = []
        for encoder in self.encoders:
            features = encoder.texts(windows).cpu()
            pooled = torch.zeros(len(texts), features.shape[1])
            out.append(pooled.index_add_(0, owner, features[rows] * weights))
        return torch.stack(out)

    def flops(self) -> int:
        """Useful floating-point operations so far."""
        return sum(e.meter.flops for e in self.encoders)
