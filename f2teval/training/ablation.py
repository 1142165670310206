"""The ablations of F2TEval, tables 4 and 5, from one data set: what each part of the model is worth."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from f2teval.data import BadRow
from f2teval.models.encoder import Encoder
from f2teval.models.experts import SharedHeads
from f2teval.models.hsic import hsic_matrix
from f2teval.models.moe import SHARED
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample
from f2teval.training.config import TrainConfig
from f2teval.training.fit import Setup, drop_features, predict_all, prepare
from f2teval.training.loop import Plan, Watcher
from f2teval.training.results import OVERALL, STATISTICS, Results, evaluate
from f2teval.training.stages import OverallStage, SharedStage

CLIPSCORE_WEIGHT: Final = 2.5
"""Of CLIPScore (Hessel et al. 2021): ``2.5 · max(cos, 0)``. What plain CLIP without fine-tuning says of a pair."""

PAPER: Final = {
    "CLIP, no fine-tuning": (0.2939, 0.2963, 0.5601, 0.4011),
    "CLIP, fine-tuned": (0.4218, 0.3891, 0.3526, 0.2361),
    "no dimension-specific experts": (0.4536, 0.4028, 0.3211, 0.2261),
    "no shared expert": (0.6828, 0.6368, 0.3198, 0.2087),
    "no HSIC": None,
    "full model": (0.7481, 0.7286, 0.1681, 0.0434),
}
"""Rows in order, with PC, SC, MAE and MSE of the paper's tables 4 and 5 (on its own data), where it has them."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """Results by row of the table, and the sum of HSIC over pairs of heads of the full model and of that without."""

    rows: dict[str, Results]
    hsic: dict[str, float]

    def table(self) -> str:
        """Markdown: the overall rating as in the paper, then Pearson by dimension."""
        lines = [
            "| model | PC | SC | MAE | MSE | " + " | ".join(DIMENSION_NAMES) + " | paper's PC |",
            "|---|" + "---|" * (5 + len(DIMENSION_NAMES)),
        ]
        for name, results in self.rows.items():
            overall = [_value(results, OVERALL, s) for s in STATISTICS]
            by_dimension = [_value(results, d, "pearson") for d in DIMENSION_NAMES]
            paper = PAPER[name]
            lines.append(f"| {name} | {' | '.join(overall + by_dimension)} | {f'{paper[0]:.4f}' if paper else '–'} |")
        mean = next(iter(self.rows.values())).mean_predictor[OVERALL]
        if mean["mse"] is not None:
            blanks = " | –" * (len(DIMENSION_NAMES) + 1)
            lines.append(f"| mean of the training ratings | – | – | {mean['mae']:.4f} | {mean['mse']:.4f}{blanks} |")
        return "\n".join(lines)


def _value(results: Results, column: str, statistic: str) -> str:
    found = results.cells.get(column, {}).get(statistic)
    return "–" if found is None or found.value is None else f"{found.value:.4f}"


def ablate(
    samples: Iterable[Sample | BadRow],
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    download: bool = False,
    watchers: Sequence[Watcher] = (),
) -> Ablation:
    """Train the full model and its ablations; write ``ablation.md``, ``ablation.json`` and ``disentanglement.png``.

    The dimension-specific experts are trained once and serve every row that has them. Raises as
    :func:`f2teval.training.fit.train`.
    """
    setup = prepare(samples, config, out, resume=resume, download=download, watchers=watchers)
    before = setup.model.experts.shared.w1.detach().cpu().double().clone()
    at_first = _Other(setup).stage(setup, hsic=0.0, gated=False).to(setup.loop.accelerator.device).eval()
    features = {"head features before training": _head_features(setup, at_first)}
    del at_first
    others = {name: _Other(setup) for name in ("shared-no-hsic", "shared-only")}
    overall_encoder = None if config.frozen else _untrained(setup)
    clip = _clip_score(setup)
    plans = [
        *setup.dimension_plans(),
        setup.shared_plan(),
        Plan("shared-no-hsic", lambda: others["shared-no-hsic"].stage(setup, hsic=0.0, gated=True)),
        Plan("shared-only", lambda: others["shared-only"].stage(setup, hsic=config.lambda_hsic, gated=False)),
        Plan("clip", lambda: OverallStage(overall_encoder)),
    ]
    trained = setup.loop.run(plans)
    everything = np.arange(len(setup.data))
    specific = setup.specific()

    def of(name: str) -> npt.NDArray[np.float64]:
        return setup.loop.predict(trained[name], everything)

    columns = (OVERALL,)
    rows = {
        "CLIP, no fine-tuning": evaluate(setup.data, clip, columns),
        "CLIP, fine-tuned": evaluate(setup.data, of("clip"), columns),
        "no dimension-specific experts": evaluate(setup.data, of("shared-only")),
        "no shared expert": evaluate(setup.data, specific.double().numpy()),
        "no HSIC": evaluate(setup.data, of("shared-no-hsic")),
        "full model": evaluate(setup.data, predict_all(setup, specific)),
    }
    weights = {
        "before": before,
        "after": _first_layer(trained[SHARED]),
        "without": _first_layer(trained["shared-no-hsic"]),
    }
    matrices = {k: hsic_matrix(w, config.sigma).numpy() for k, w in weights.items()}
    result = Ablation(rows, {k: float(np.triu(m, 1).sum()) for k, m in matrices.items()})
    if setup.loop.main:
        features["head features after training"] = _head_features(setup, trained[SHARED])
        features["after, without the HSIC loss"] = _head_features(setup, trained["shared-no-hsic"])
        _write(result, matrices, features, out)
        drop_features(setup)
    return result


class _Other:
    """A second shared expert that starts from the same weights as the first."""

    def __init__(self, setup: Setup) -> None:
        config, model = setup.config, setup.model
        self.encoder = None if config.frozen else _untrained(setup)
        self.heads = SharedHeads(len(DIMENSION_NAMES), setup.bundle.encoder.features, config.hidden)
        self.heads.load_state_dict(model.experts.shared.state_dict())

    def stage(self, setup: Setup, *, hsic: float, gated: bool) -> nn.Module:
        gate = type(setup.model.experts.gate)(len(DIMENSION_NAMES)) if gated else None
        specific = setup.specific() if gated else None
        return SharedStage(
            self.heads, gate, self.encoder, specific, lambda_hsic=hsic, sigma=setup.config.sigma
        )  # fmt: skip


def _untrained(setup: Setup) -> Encoder:
    encoder = Encoder(setup.bundle.encoder.config)
    encoder.load_state_dict(setup.bundle.encoder.state_dict())
    return encoder


def _clip_score(setup: Setup) -> npt.NDArray[np.float64]:
    """CLIPScore of every row with the untouched encoder, ``(N, 1)``."""
    stage = OverallStage(None if setup.config.frozen else _untrained(setup))
    with torch.no_grad():
        stage.w.fill_(1.0)
        stage.b.fill_(0.0)
    cosine = setup.loop.predict(stage.to(setup.loop.accelerator.device), np.arange(len(setup.data)))
    return CLIPSCORE_WEIGHT * np.maximum(cosine, 0.0)


def _first_layer(stage: nn.Module) -> torch.Tensor:
    assert isinstance(stage, SharedStage)
    return stage.shared.w1.detach().cpu().double()


def _write(
    result: Ablation,
    matrices: dict[str, npt.NDArray[np.float64]],
    features: dict[str, npt.NDArray[np.float64]],
    out: Path,
) -> None:
    from f2teval.training.plots import disentanglement

    (out / "ablation.md").write_text(result.table() + "\n", encoding="utf-8")
    data: dict[str, Any] = {
        "rows": {k: r.to_dict() for k, r in result.rows.items()},
        "hsic": {k: m.tolist() for k, m in matrices.items()},
    }
    (out / "ablation.json").write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    disentanglement(matrices["before"], matrices["after"], matrices["without"], features, out / "disentanglement.png")


@torch.no_grad()
def _head_features(setup: Setup, stage: nn.Module, most: int = 200) -> npt.NDArray[np.float64]:
    """Activations of the heads' first layers on held-out rows, ``(D, rows, n)``."""
    assert isinstance(stage, SharedStage)
    split = evaluate_split(setup)
    device = setup.loop.accelerator.device
    blocks = []
    for batch in setup.data.batches(setup.data.rows(split)[:most], 4 * setup.config.batch_size):
        blocks.append(stage.shared.hidden(*stage.features(batch.to(device))).float().cpu())
    return torch.cat(blocks).permute(1, 0, 2).double().numpy()


def evaluate_split(setup: Setup) -> str:
    """The split that results are for."""
    return "test" if len(setup.data.rows("test")) else "val"
