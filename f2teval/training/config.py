"""Hyperparameters: one dataclass. The defaults of F2TEval, table 7, where the paper gives one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from f2teval.errors import UnknownNameError, UsageError
from f2teval.models.hsic import Bandwidth
from f2teval.models.pictures import FITS
from f2teval.models.windows import TEXT_MODES, TextMode


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How to train.

    Attributes:
        encoder: hub id or local folder; ``random:tiny``, ``random:small`` or ``random:vit-b-32`` for random weights.
        frozen: one untouched encoder for all experts, its features computed once (for laptops).
        lr, batch_size, seed, lambda_hsic, lambda_ali, hidden: table 7 (AdamW; η, N, s, λ_hsic, λ_ali, n).
        sigma: bandwidth of HSIC: "median" or a positive number.
        text_mode: "windows", or "truncate" as in the paper.
        fit: how pictures are fitted: "crop" (the paper), "pad", "squash"; ``None`` as the encoder's processor says.
        epochs: at most, a stage. patience: epochs without a better Pearson on the validation figures before a stage
            ends.
        weight_decay, clip: of AdamW; the largest norm of the gradient (0: not clipped).
        accumulate: batches whose gradients make one step.
        val_fraction, test_fraction: shares of the figures (never of the texts) kept for early stopping and for the
            final numbers.
        precision: "auto" (bf16 where the hardware has it), "fp32" or "bf16".
        save_every: steps between two saved states, besides the one at the end of every epoch.
        max_bad: share of pictures that may be unreadable before training refuses to go on.
    """

    encoder: str = "openai/clip-vit-base-patch32"
    frozen: bool = False
    lr: float = 1e-4
    batch_size: int = 16
    seed: int = 42
    lambda_hsic: float = 0.1
    lambda_ali: float = 0.1
    hidden: int = 512
    sigma: Bandwidth = "median"
    text_mode: TextMode = "windows"
    fit: Literal["crop", "pad", "squash"] | None = None
    epochs: int = 20
    patience: int = 3
    weight_decay: float = 0.01
    clip: float = 1.0
    accumulate: int = 1
    val_fraction: float = 0.1
    test_fraction: float = 0.1
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    save_every: int = 500
    max_bad: float = 0.05

    def __post_init__(self) -> None:
        checks = {
            "lr": self.lr > 0,
            "batch_size": self.batch_size >= 2,
            "hidden": self.hidden >= 2,
            "epochs": self.epochs >= 1,
            "patience": self.patience >= 1,
            "accumulate": self.accumulate >= 1,
            "save_every": self.save_every >= 1,
            "lambda_hsic": self.lambda_hsic >= 0,
            "lambda_ali": self.lambda_ali >= 0,
            "val_fraction": 0 < self.val_fraction < 1,
            "test_fraction": self.test_fraction >= 0 and self.test_fraction + self.val_fraction < 1,
            "max_bad": 0 <= self.max_bad < 1,
            "text_mode": self.text_mode in TEXT_MODES,
            "fit": self.fit is None or self.fit in FITS,
            "precision": self.precision in ("auto", "fp32", "bf16"),
            "sigma": self.sigma == "median" or (not isinstance(self.sigma, str) and self.sigma > 0),
        }
        for name, fine in checks.items():
            if not fine:
                raise UsageError(f"training option {name} cannot be {getattr(self, name)!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def read_config(path: Path | None, overrides: Mapping[str, Any]) -> TrainConfig:
    """Defaults, overridden by a YAML file, overridden by ``overrides`` (strings or values).

    Raises:
        UnknownNameError: an option that does not exist. UsageError: a value that does not fit, or unreadable YAML.
    """
    values: dict[str, Any] = {}
    if path is not None:
        import yaml

        try:
            loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError) as e:
            raise UsageError(f"{path}: cannot be read as YAML: {str(e).splitlines()[0]}") from None
        if loaded is not None and not isinstance(loaded, dict):
            raise UsageError(f"{path}: must hold 'option: value' lines")
        values.update(loaded or {})
    values.update(overrides)
    known = {f.name for f in dataclasses.fields(TrainConfig)}
    hints = get_type_hints(TrainConfig)
    for name, value in values.items():
        if name not in known:
            raise UnknownNameError("training option", str(name), known)
        values[name] = _convert(name, value, hints[name])
    return TrainConfig(**values)


def _convert(name: str, value: Any, hint: Any) -> Any:
    try:
        if hint is bool:
            if isinstance(value, bool):
                return value
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[str(value).lower()]
        if hint is int:
            number = float(value)
            if number != int(number):
                raise ValueError("not a whole number")
            return int(number)
        if hint is float:
            return float(value)
        if name == "sigma":
            return value if value == "median" else float(value)
        if value in ("none", "null", None) and type(None) in get_args(hint):
            return None
        return str(value)
    except (KeyError, ValueError, TypeError):
        raise UsageError(f"training option {name} cannot be {value!r}") from None
