"""Training from ratings to a checkpoint folder: the two stages of the paper."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from f2teval.data import BadRow
from f2teval.errors import TrainingError
from f2teval.models.checkpoint import save_checkpoint
from f2teval.models.encoder import Encoder, EncoderBundle, load_encoder
from f2teval.models.engine import FeatureEngine, Precision
from f2teval.models.moe import SHARED, F2TEvalModel, build_model
from f2teval.models.tiny import random_encoder
from f2teval.models.windows import TextCodec
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample
from f2teval.training.card import model_card
from f2teval.training.config import TrainConfig
from f2teval.training.dataset import RatedData
from f2teval.training.loop import Loop, Plan, Watcher
from f2teval.training.results import Results, evaluate
from f2teval.training.stages import DimensionStage, SharedStage

_RANDOM = "random:"
_PICTURES = 512


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training gives: the model, its numbers on the test figures, the checkpoint's folder.

    ``main`` is false in all but one process of a distributed run.
    """

    model: F2TEvalModel
    results: Results
    folder: Path
    main: bool = True


@dataclass(slots=True)
class Setup:
    """Data, model and loop of one run."""

    config: TrainConfig
    bundle: EncoderBundle
    model: F2TEvalModel
    data: RatedData
    loop: Loop

    def encoder(self, name: str) -> Encoder | None:
        """The encoder that a stage trains, ``None`` when it is frozen and features take its place."""
        return None if self.config.frozen else self.model.encoder_of(name)

    def dimension_plans(self) -> list[Plan]:
        """Stage one: every dimension's expert alone."""

        def build(name: str) -> nn.Module:
            head: Any = self.model.experts.heads[name]
            return DimensionStage(name, head, self.encoder(name), self.config.lambda_ali)

        return [Plan(f"expert-{d}", lambda d=d: build(d)) for d in DIMENSION_NAMES]  # type: ignore[misc]

    def shared_plan(self) -> Plan:
        """Stage two: the shared expert and the gate, over the frozen experts of stage one."""
        experts = self.model.experts

        def build() -> nn.Module:
            return SharedStage(
                experts.shared,
                experts.gate,
                self.encoder(SHARED),
                self.specific(),
                lambda_hsic=self.config.lambda_hsic,
                sigma=self.config.sigma,
            )

        return Plan(SHARED, build)

    def specific(self) -> Tensor:
        """Predictions of the five frozen experts for every row, ``(N, D)``; call after stage one."""
        rows = np.arange(len(self.data))
        columns = []
        for name in DIMENSION_NAMES:
            head: Any = self.model.experts.heads[name]
            stage = DimensionStage(name, head, self.encoder(name), 0.0).to(self.loop.accelerator.device)
            columns.append(self.loop.predict(stage, rows)[:, 0])
        # Rows without a readable picture are never asked for again.
        return torch.from_numpy(np.nan_to_num(np.stack(columns, axis=1))).float()


def prepare(
    samples: Iterable[Sample | BadRow],
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    download: bool = False,
    watchers: Sequence[Watcher] = (),
) -> Setup:
    """Read the data and the encoder, build the model, open the run. Raises what they raise."""
    listed = list(samples)
    bundle = _bundle(config, listed, download)
    options: dict[str, Any] = {"fit": config.fit} if config.fit else {}
    model = build_model(
        bundle, seed=config.seed, frozen=config.frozen, hidden=config.hidden, text_mode=config.text_mode,
        sigma=config.sigma, **options,
    )  # fmt: skip
    codec = TextCodec(bundle.tokenizer, bundle.vocabulary, config.text_mode)
    data = RatedData(listed, config, codec, model.config.picture)
    identity = {"config": config.to_dict(), "data": data.fingerprint(), "encoder": bundle.origin}
    loop = Loop(config, data, out, resume=resume, identity=identity, watchers=watchers)
    if config.frozen:
        path = _features_file(data, bundle, loop)
        if loop.main:
            _encode_once(data, model, path, config.precision)
        loop.accelerator.wait_for_everyone()
        _use_features(data, path)
    return Setup(config, bundle, model, data, loop)


def _bundle(config: TrainConfig, samples: list[Sample | BadRow], download: bool) -> EncoderBundle:
    if config.encoder.startswith(_RANDOM):
        texts = (t for s in samples if isinstance(s, Sample) for t in (s.text, s.caption, s.context) if t)
        return random_encoder(config.encoder.removeprefix(_RANDOM), texts, seed=config.seed)
    return load_encoder(config.encoder, download=download)


def _features_file(data: RatedData, bundle: EncoderBundle, loop: Loop) -> Path:
    named = f"{data.fingerprint()}|{bundle.origin}|{data.picture}|{loop.config.precision}"
    return loop.out / f"features-{hashlib.blake2b(named.encode(), digest_size=6).hexdigest()}.safetensors"


def _encode_once(data: RatedData, model: F2TEvalModel, path: Path, precision: Precision) -> None:
    """Features of every picture and text from the frozen encoder, kept beside the run for the next start."""
    if path.is_file():
        return
    texts, keys = data.texts_and_pictures()
    encoders = [model.encoder_of(n) for n in model.encoder_names()]
    engine = FeatureEngine(encoders, model.config.picture, model.config.vocabulary, precision=precision)
    tensors: dict[str, Tensor] = {}
    for at in range(0, len(keys), _PICTURES):
        squares = {k: s for k in keys[at : at + _PICTURES] if (s := data.square(k)) is not None}
        if squares:
            features = engine.images(list(squares.values()))
            tensors |= {f"picture.{k}": features[:, i].clone() for i, k in enumerate(squares)}
    if not tensors:
        raise TrainingError("not one picture can be read")
    partial = path.with_suffix(".partial")
    save_file({**tensors, "texts": engine.texts(texts)}, partial)
    partial.replace(path)


def drop_features(setup: Setup) -> None:
    """Remove the cached features of a run that has ended; only one that goes on reads them."""
    for pattern in ("features-*.safetensors", "features-*.partial"):
        for path in setup.loop.out.glob(pattern):
            path.unlink(missing_ok=True)


def _use_features(data: RatedData, path: Path) -> None:
    loaded = load_file(path)
    pictures = {k.removeprefix("picture."): v for k, v in loaded.items() if k.startswith("picture.")}
    data.use_features(pictures, loaded["texts"])


def train(
    samples: Iterable[Sample | BadRow],
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    download: bool = False,
    data_name: str = "",
    watchers: Sequence[Watcher] = (),
) -> Trained:
    """Train in two stages and write a checkpoint to ``out / "model"``.

    Args:
        samples: rows with ratings; rows without are left out and listed in ``out / "skipped.jsonl"``.
        out: folder of the run: ``metrics.jsonl``, ``curves.png``, ``predictions.jsonl``, ``state/``, ``model/``.
        resume: continue a run that was killed; ends with the same weights as one that was not.
        download: allow fetching the encoder from the hub.
        data_name: how the model card calls the data.

    Raises:
        RatingsError, InputError, CheckpointError, UsageError: before anything is trained.
        TrainingError: NaN loss or too many unreadable pictures; the state up to then is kept.
    """
    setup = prepare(samples, config, out, resume=resume, download=download, watchers=watchers)
    setup.loop.run([*setup.dimension_plans(), setup.shared_plan()])
    setup.model.eval()
    predicted = predict_all(setup, setup.specific())
    results = evaluate(setup.data, predicted)
    folder = out / "model"
    if setup.loop.main:
        _write(setup, predicted, results, folder, data_name)
        drop_features(setup)
    return Trained(setup.model, results, folder, setup.loop.main)


def predict_all(setup: Setup, specific: Tensor) -> npt.NDArray[np.float64]:
    """Gated predictions for every row, ``(N, D)``, NaN where the picture cannot be read."""
    experts = setup.model.experts
    stage = SharedStage(
        experts.shared, experts.gate, setup.encoder(SHARED), specific, lambda_hsic=0.0, sigma=setup.config.sigma
    )
    return setup.loop.predict(stage.to(setup.loop.accelerator.device), np.arange(len(setup.data)))


def _write(setup: Setup, predicted: npt.NDArray[np.float64], results: Results, folder: Path, data_name: str) -> None:
    from f2teval.training.plots import curves

    out, data = setup.loop.out, setup.data
    with open(out / "skipped.jsonl", "w", encoding="utf-8") as f:
        f.writelines(json.dumps({"id": s.id, "reason": s.reason}) + "\n" for s in data.skipped)
    with open(out / "predictions.jsonl", "w", encoding="utf-8") as f:
        for row in data.rows("test"):
            values = {d: None if np.isnan(v) else 2 * float(v) for d, v in zip(DIMENSION_NAMES, predicted[row])}
            f.write(json.dumps({"id": data.ids[row], "scores": values}) + "\n")
    info = {
        "origin": setup.bundle.origin,
        "training": {
            "config": setup.config.to_dict(), "data": data_name, "rows": len(data), "skipped": len(data.skipped),
            "results": results.to_dict(),
        },
    }  # fmt: skip
    card = model_card(setup.model, setup.bundle.origin, setup.config, data, results, data_name)
    save_checkpoint(setup.model, setup.bundle.tokenizer, folder, info=info, card=card)
    curves(out / "metrics.jsonl", out / "curves.png")
