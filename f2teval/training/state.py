"""What must survive a kill: weights, optimiser, position. Plain safetensors and JSON, replaced atomically."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from f2teval.errors import CheckpointError
from f2teval.models.checkpoint import load_exactly, read_tensors


@dataclass(slots=True)
class Position:
    """Where a run stands.

    Attributes:
        stage, epoch, batch: what comes next.
        best, best_epoch, waited: early stopping of the stage.
        loss_sum, loss_count: of the running epoch.
        files: kind ("weights", "optimizer", "best") → file of the running stage; finished stages are under their name.
        metrics_bytes: length of the metrics file at this point; anything behind it is done again.
    """

    stage: int = 0
    epoch: int = 0
    batch: int = 0
    best: float | None = None
    best_epoch: int = -1
    waited: int = 0
    loss_sum: float = 0.0
    loss_count: int = 0
    files: dict[str, str] = field(default_factory=dict)
    done: dict[str, str] = field(default_factory=dict)
    metrics_bytes: int = 0
    finished: bool = False


class StateFolder:
    """The folder of a run's state. ``state.json`` is replaced last and names the files that belong to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> Position | None:
        """Where the run stands, or ``None`` if nothing was saved. Raises :class:`CheckpointError` if unreadable."""
        path = self.folder / "state.json"
        if not path.is_file():
            return None
        try:
            return Position(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as e:
            raise CheckpointError(f"{path}: not a saved state ({e}); start again with another --out") from None

    def write(self, position: Position) -> None:
        """Make ``position`` the one to continue from, then drop files it does not name."""
        _replace(self.folder / "state.json", json.dumps(asdict(position)).encode())
        named = {*position.files.values(), *position.done.values()}
        for file in self.folder.glob("*.safetensors"):
            if file.name not in named:
                file.unlink(missing_ok=True)

    def save_module(self, module: nn.Module, name: str) -> str:
        """Write the weights of a module; returns the file's name."""
        return self.save({k: v.detach().cpu().contiguous().clone() for k, v in module.state_dict().items()}, name)

    def save(self, tensors: Mapping[str, Tensor], name: str) -> str:
        """Write tensors under a new name, complete or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / f".{name}.partial"
        save_file(dict(tensors), partial)
        os.replace(partial, self.folder / f"{name}.safetensors")
        return f"{name}.safetensors"

    def load_module(self, module: nn.Module, file: str) -> None:
        """Inverse of :meth:`save_module`. Raises :class:`CheckpointError`."""
        load_exactly(module, read_tensors(self.folder / file), self.folder / file)

    def save_optimizer(self, optimizer: torch.optim.Optimizer, name: str) -> str:
        """Write the moments of an AdamW."""
        tensors = {
            f"{i}.{key}": value.detach().cpu().contiguous().clone()
            for i, entry in optimizer.state_dict()["state"].items()
            for key, value in entry.items()
        }
        return self.save(tensors, name)

    def load_optimizer(self, optimizer: torch.optim.Optimizer, file: str) -> None:
        """Inverse of :meth:`save_optimizer`."""
        state: dict[int, dict[str, Any]] = {}
        for name, tensor in read_tensors(self.folder / file).items():
            index, _, key = name.partition(".")
            state.setdefault(int(index), {})[key] = tensor
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    with open(partial, "wb") as f:
        f.write(data)
        f.flush()
        os.fsync(f.fileno())
    os.replace(partial, path)
