"""The training loop: stages one after the other, early stopping, a state that survives a kill.

A run that was killed and resumed ends with the same weights as one that was not: the order of the rows and every random
number depend only on seed, stage, epoch and batch, and the saved state holds everything else.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from f2teval.errors import MissingExtraError, TrainingError, UsageError
from f2teval.meta.correlation import mae, mse, pearson, spearman
from f2teval.models.engine import choose_precision
from f2teval.training.config import TrainConfig
from f2teval.training.dataset import Batch, RatedData
from f2teval.training.stages import Stage
from f2teval.training.state import Position, StateFolder

_SEED_SPACE = 2**63


class Watcher(Protocol):
    """Told of every step and epoch (progress bars, TensorBoard, tests)."""

    def __call__(self, event: dict[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """A stage by name; ``build`` is called when its turn has come, and ``finish`` with the module as trained."""

    name: str
    build: Callable[[], nn.Module]


class Loop:
    """Runs plans in order over one data set into one folder.

    Args:
        out: gets ``metrics.jsonl`` and ``state/``.
        resume: continue what is in ``out``; without it a folder that holds a state is refused.
        identity: what must be the same for a resumed run, plain data.
        watchers: told of every event.

    Raises:
        UsageError: ``out`` holds another run, or ``resume`` does not fit.
        MissingExtraError: without the ``train`` extra.
    """

    def __init__(
        self,
        config: TrainConfig,
        data: RatedData,
        out: Path,
        *,
        resume: bool = False,
        identity: dict[str, Any] | None = None,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        try:
            from accelerate import Accelerator
        except ImportError:
            raise MissingExtraError("training", "train") from None
        self.config, self.data, self.out = config, data, out
        self.watchers = watchers
        self.state = StateFolder(out / "state")
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        bf16 = choose_precision(config.precision, device) == torch.bfloat16
        self.accelerator = Accelerator(mixed_precision="bf16" if bf16 else "no")
        self._start(resume, json.loads(json.dumps(identity or {})))
        if self.accelerator.num_processes > 1:
            data.drop_unreadable()

    def _start(self, resume: bool, identity: dict[str, Any]) -> None:
        position = self.state.read()
        path = self.out / "run.json"
        if position is not None and not resume:
            raise UsageError(f"{self.out} holds a training run; --resume continues it, or choose another --out")
        if position is not None:
            before = json.loads(path.read_text(encoding="utf-8"))
            for key in sorted(before.keys() | identity.keys()):
                if before.get(key) != identity.get(key):
                    was, now = before.get(key), identity.get(key)
                    raise UsageError(f"cannot resume {self.out}: {key} has changed (was {was!r}, is {now!r})")
        elif self.main:
            self.out.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(identity, indent=1) + "\n", encoding="utf-8")
        self.position = position or Position()
        self.accelerator.wait_for_everyone()
        if self.main:
            with open(self.out / "metrics.jsonl", "ab") as f:
                f.truncate(self.position.metrics_bytes)

    def run(self, plans: Sequence[Plan]) -> dict[str, nn.Module]:
        """Train what is not trained yet. Returns each plan's module with its best weights, in evaluation mode."""
        trained: dict[str, nn.Module] = {}
        for number, plan in enumerate(plans):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self._seed(number, 0, 0))
                module = plan.build()
            if number < self.position.stage:
                self.state.load_module(module, self.position.done[plan.name])
            else:
                self._stage(number, plan.name, module)
            trained[plan.name] = module.to(self.accelerator.device).eval()
        return trained

    def _seed(self, *where: int) -> int:
        mixed = np.random.SeedSequence([self.config.seed, *where]).generate_state(2, np.uint32)
        return (int(mixed[0]) << 32 | int(mixed[1])) % _SEED_SPACE

    def _stage(self, number: int, name: str, module: nn.Module) -> None:
        config, position = self.config, self.position
        parameters = [p for p in module.parameters() if p.requires_grad]
        if position.files:
            self.state.load_module(module, position.files["weights"])
        optimizer: Any = torch.optim.AdamW(parameters, lr=config.lr, weight_decay=config.weight_decay)
        if position.files:
            self.state.load_optimizer(optimizer, position.files["optimizer"])
        model, optimizer = self.accelerator.prepare(module, optimizer)
        stage: Any = module
        while position.epoch < config.epochs and position.waited < config.patience:
            started = time.perf_counter()
            loss = self._epoch(number, name, model, stage, optimizer, parameters)
            self._validate(name, stage, loss, time.perf_counter() - started)
            position.epoch, position.batch = position.epoch + 1, 0
            self._save(stage, optimizer)
        if "best" in position.files:
            self.state.load_module(module, position.files["best"])
            self.accelerator.wait_for_everyone()  # before the main process drops the file
        file = self.state.save_module(module, f"done-{name}") if self.main else ""
        done = {**position.done, name: file}
        self.position = Position(stage=number + 1, done=done, metrics_bytes=position.metrics_bytes)
        self._write_position()
        self.accelerator.free_memory()

    def _rows(self, stage: Any) -> npt.NDArray[np.int64]:
        """Training rows that have a target of this stage."""
        rows = self.data.rows("train")
        targets = stage.targets(torch.from_numpy(self.data.targets[rows]))
        there: npt.NDArray[np.int64] = rows[(~torch.isnan(targets)).any(dim=1).numpy()]
        return there

    def _epoch(
        self, number: int, name: str, model: Any, stage: Any, optimizer: Any, parameters: list[nn.Parameter]
    ) -> float:
        """Train from where the position is to the end of the epoch; returns its mean loss."""
        config, position, rank = self.config, self.position, self.accelerator.process_index
        order = np.random.default_rng([config.seed, number, position.epoch]).permutation(self._rows(stage))
        size = config.batch_size * self.accelerator.num_processes
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        if self.accelerator.num_processes > 1 and len(batches) > 1 and len(batches[-1]) < size:
            batches.pop()  # every process needs rows in every batch
        model.train()
        if position.batch == 0:
            position.loss_sum, position.loss_count = 0.0, 0
        for i in range(position.batch, len(batches)):
            rows = batches[i][rank * config.batch_size : (rank + 1) * config.batch_size]
            batch = self.data.batch([int(r) for r in rows])
            if batch is not None:
                torch.manual_seed(self._seed(number, position.epoch + 1, i, rank))
                loss = self._loss(name, model, stage, batch, i)
                self.accelerator.backward(loss / config.accumulate)
                position.loss_sum += float(loss.detach())
                position.loss_count += 1
            if (i + 1) % config.accumulate and i + 1 < len(batches):
                continue
            if config.clip:
                self.accelerator.clip_grad_norm_(parameters, config.clip)
            optimizer.step()
            optimizer.zero_grad()
            position.batch = i + 1
            if (i + 1) % config.save_every == 0 and i + 1 < len(batches):
                self._save(stage, optimizer)
            self._tell({"event": "step", "stage": name, "epoch": position.epoch, "batch": i + 1, "of": len(batches),
                        "loss": position.loss_sum / max(position.loss_count, 1)})  # fmt: skip
        return position.loss_sum / position.loss_count if position.loss_count else math.nan

    def _loss(self, name: str, model: Any, stage: Any, batch: Batch, i: int) -> Tensor:
        batch = batch.to(self.accelerator.device)
        loss: Tensor = stage.loss(model(batch).float(), batch)
        if not bool(torch.isfinite(loss)):
            raise TrainingError(
                f"the loss of {name} became {loss.item()} in epoch {self.position.epoch + 1}, batch {i + 1}; what was "
                f"trained up to the last saved state is in {self.state.folder}. A smaller lr or clip usually mends it "
                f"(lr is {self.config.lr:g}, clip {self.config.clip:g})"
            )
        return loss

    @property
    def main(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return bool(self.accelerator.is_main_process)

    @torch.no_grad()
    def predict(self, module: nn.Module, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Predictions ``(len(rows), columns)`` of a stage's module; NaN where the picture cannot be read."""
        module.eval()
        stage: Any = module
        columns, world = len(stage.columns), self.accelerator.num_processes
        out = torch.zeros(len(rows), columns, device=self.accelerator.device)
        seen = torch.zeros(len(rows), device=self.accelerator.device)
        place = {int(r): i for i, r in enumerate(rows)}
        with self.accelerator.autocast():
            for batch in self.data.batches(rows[self.accelerator.process_index :: world], 4 * self.config.batch_size):
                where = torch.tensor([place[int(r)] for r in batch.rows], device=out.device)
                out[where] = stage(batch.to(out.device)).float()
                seen[where] = 1.0
        if world > 1:
            out, seen = self.accelerator.reduce(out, "sum"), self.accelerator.reduce(seen, "sum")
        out[seen == 0] = math.nan
        return out.cpu().numpy().astype(np.float64)

    def _validate(self, name: str, stage: Any, loss: float, seconds: float) -> None:
        position = self.position
        rows = self.data.rows("val")
        predicted = self.predict(stage, rows)
        target = stage.targets(torch.from_numpy(self.data.targets[rows])).numpy().astype(np.float64)
        by_column = {c: agreement(predicted[:, i], target[:, i]) for i, c in enumerate(stage.columns)}
        correlations = [m["pearson"] for m in by_column.values() if m["pearson"] is not None]
        errors = [m["mse"] for m in by_column.values() if m["mse"] is not None]
        # Without a correlation (constant ratings in a tiny validation set) the error decides, always behind any.
        score = float(np.mean(correlations)) if correlations else -1.0 - float(np.mean(errors)) if errors else -math.inf
        if position.best is None or score > position.best:
            position.best, position.best_epoch, position.waited = score, position.epoch, 0
            if self.main:
                position.files["best"] = self.state.save_module(stage, f"best-{name}-{position.epoch}")
            else:
                position.files["best"] = f"best-{name}-{position.epoch}.safetensors"
        else:
            position.waited += 1
        row = {"event": "epoch", "stage": name, "epoch": position.epoch, "loss": _number(loss), "validation": by_column,
               "score": _number(score), "best": position.best_epoch, "seconds": round(seconds, 3)}  # fmt: skip
        self._log(row)
        self._tell(row)

    def _log(self, row: dict[str, Any]) -> None:
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        self.position.metrics_bytes += len(line)
        if self.main:
            with open(self.out / "metrics.jsonl", "ab") as f:
                f.write(line)

    def _tell(self, event: dict[str, Any]) -> None:
        if self.main:
            for watcher in self.watchers:
                watcher(event)

    def _save(self, module: nn.Module, optimizer: Any) -> None:
        position = self.position
        tag = f"{position.stage}-{position.epoch}-{position.batch}"
        if self.main:
            inner = getattr(optimizer, "optimizer", optimizer)
            position.files["weights"] = self.state.save_module(module, f"weights-{tag}")
            position.files["optimizer"] = self.state.save_optimizer(inner, f"optimizer-{tag}")
        self._write_position()

    def _write_position(self) -> None:
        if self.main:
            self.state.write(self.position)
        self.accelerator.wait_for_everyone()


def agreement(predicted: npt.NDArray[np.float64], target: npt.NDArray[np.float64]) -> dict[str, float | None]:
    """Pearson, Spearman, MAE and MSE over the rows where both exist; ``None`` where a statistic does not."""
    there = ~(np.isnan(predicted) | np.isnan(target))
    x, y = predicted[there], target[there]
    return {
        "pearson": pearson(x, y).value,
        "spearman": spearman(x, y).value,
        "mae": mae(x, y).value,
        "mse": mse(x, y).value,
    }


def _number(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None


__all__ = ["Loop", "Plan", "Stage", "agreement"]
