"""The mixture of experts as the paper describes it (F2TEval, section 3): encoders, heads and gate in one module."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from f2teval.errors import UsageError
from f2teval.models.encoder import Encoder, EncoderBundle
from f2teval.models.experts import DimensionHead, Gate, SharedHeads
from f2teval.models.hsic import Bandwidth
from f2teval.models.pictures import PictureSpec
from f2teval.models.windows import TextMode, Vocabulary
from f2teval.rubric import DIMENSION_NAMES

SHARED = "shared"


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Everything that fixes the architecture and what it reads.

    Attributes:
        encoder: the ``transformers`` config of one encoder, plain data; all encoders are alike.
        frozen: all experts share one untouched encoder.
        hidden: width ``n`` of the shared expert's heads.
        sigma: bandwidth of HSIC.
    """

    encoder: Mapping[str, Any]
    vocabulary: Vocabulary
    picture: PictureSpec = field(default_factory=PictureSpec)
    dimensions: tuple[str, ...] = DIMENSION_NAMES
    frozen: bool = False
    hidden: int = 512
    text_mode: TextMode = "windows"
    sigma: Bandwidth = "median"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ModelConfig:
        """Inverse of :meth:`to_dict` (after JSON too). Raises ``TypeError`` or ``KeyError`` on foreign data."""
        d = dict(data)
        picture = dict(d["picture"])
        picture["mean"], picture["std"] = tuple(picture["mean"]), tuple(picture["std"])
        d["picture"], d["vocabulary"] = PictureSpec(**picture), Vocabulary(**d["vocabulary"])
        d["dimensions"] = tuple(d["dimensions"])
        return cls(**d)


class Features(NamedTuple):
    """Features of ``B`` samples from ``E`` encoders, each ``(E, B, F)``; with a frozen encoder ``E`` is 1."""

    image: Tensor
    text: Tensor
    summary: Tensor

    def of(self, encoder: int) -> tuple[Tensor, Tensor, Tensor]:
        """The three of one encoder, ``(B, F)`` each."""
        i = encoder if len(self.image) > 1 else 0
        return self.image[i], self.text[i], self.summary[i]


class Prediction(NamedTuple):
    """Predictions ``(B, D)`` on the scale of rating / 2: after the gate, of the specific experts, of the shared one."""

    mixed: Tensor
    specific: Tensor
    shared: Tensor


class ParameterCount(NamedTuple):
    """Parameters in all, and those one dimension's score needs (its expert, the shared expert with its head, gate)."""

    total: int
    active: int


class Experts(nn.Module):
    """Everything above the encoders; ``forward`` takes :class:`Features`."""

    def __init__(self, features: int, hidden: int, dimensions: tuple[str, ...]) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.heads = nn.ModuleDict({d: DimensionHead(features) for d in dimensions})
        self.shared = SharedHeads(len(dimensions), features, hidden)
        self.gate = Gate(len(dimensions))

    def forward(self, features: Features) -> Prediction:
        specific = torch.stack([self.heads[d](*features.of(i)) for i, d in enumerate(self.dimensions)], dim=1)
        shared = self.shared(*features.of(len(self.dimensions)))
        return Prediction(self.gate(shared, specific), specific, shared)


class F2TEvalModel(nn.Module):
    """Encoders and experts. ``encoders`` are in the order of the dimensions, then the shared one; one if frozen."""

    def __init__(self, config: ModelConfig, encoders: list[Encoder]) -> None:
        super().__init__()
        expected = 1 if config.frozen else len(config.dimensions) + 1
        if len(encoders) != expected:
            raise UsageError(f"{expected} encoders are needed, not {len(encoders)}")
        self.config = config
        self.encoders = nn.ModuleList(encoders)
        self.experts = Experts(encoders[0].features, config.hidden, config.dimensions)
        if config.frozen:
            self.encoders.requires_grad_(False)

    def encoder_names(self) -> list[str]:
        """Names of the encoders in order."""
        return ["frozen"] if self.config.frozen else [*self.config.dimensions, SHARED]

    def encoder_of(self, name: str) -> Encoder:
        """The encoder of a dimension or of :data:`SHARED`."""
        encoder = self.encoders[0 if self.config.frozen else self.encoder_names().index(name)]
        assert isinstance(encoder, Encoder)
        return encoder

    def parameter_count(self) -> ParameterCount:
        """Total and active parameters (0.9 B and 0.3 B for six ViT-B/32)."""
        encoders = sum(p.numel() for p in self.encoders.parameters())
        return count_parameters(encoders, len(self.encoders), self.experts)


def count_parameters(in_encoders: int, encoders: int, experts: Experts) -> ParameterCount:
    """Count from the size of all encoders together, how many they are, and the experts on top."""

    def size(module: nn.Module) -> int:
        return sum(p.numel() for p in module.parameters())

    dimensions = len(experts.dimensions)
    own_parts = size(experts.heads) // dimensions + size(experts.shared) // dimensions + 1
    active = in_encoders // encoders * min(2, encoders)
    return ParameterCount(in_encoders + size(experts), active + own_parts)


def build_model(bundle: EncoderBundle, *, seed: int = 42, **options: Any) -> F2TEvalModel:
    """A model with six copies of an encoder (one if ``frozen=True``) and fresh heads.

    ``options`` are fields of :class:`ModelConfig`; ``fit="pad"`` changes how pictures are fitted.
    """
    fit = options.pop("fit", None)
    picture = bundle.picture
    if fit is not None:
        picture = PictureSpec(picture.size, fit, picture.resample, picture.mean, picture.std)
    config = ModelConfig(encoder=bundle.encoder.config, vocabulary=bundle.vocabulary, picture=picture, **options)
    copies = 1 if config.frozen else len(config.dimensions) + 1
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return F2TEvalModel(config, [deepcopy(bundle.encoder) for _ in range(copies)])
