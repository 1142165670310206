"""Training: losses against scipy, what is learnt, resuming to the same weights, missing and bad data."""

# ruff: noqa: E402
from __future__ import annotations

import json
import math
import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")

import clip_world as world

from f2teval.data import BadRow
from f2teval.errors import CheckpointError, F2TEvalError, InputError, RatingsError, TrainingError, UsageError
from f2teval.metrics.f2teval import F2TEvalMetric
from f2teval.models.windows import TextCodec
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample
from f2teval.training.config import TrainConfig, read_config
from f2teval.training.dataset import RatedData
from f2teval.training.fit import train
from f2teval.training.losses import alignment_loss, dimension_loss, mse_loss

NAN = float("nan")


def config(**options: Any) -> TrainConfig:
    base = {"encoder": "random:tiny", "hidden": 8, "epochs": 2, "batch_size": 8, "precision": "fp32", "lr": 1e-3,
            "val_fraction": 0.25, "test_fraction": 0.2, "patience": 2}  # fmt: skip
    return TrainConfig(**{**base, **options})


def data_of(samples: list[Any], **options: Any) -> RatedData:
    made = world.bundle()
    return RatedData(samples, config(**options), TextCodec(made.tokenizer, made.vocabulary), made.picture)


# --- losses


def test_alignment_loss_is_minus_the_pearson_of_scipy() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 16))
    found = alignment_loss(torch.tensor(x), torch.tensor(y))
    assert float(found) == pytest.approx(-stats.pearsonr(x, y).statistic, abs=1e-12)
    holes = y.copy()
    holes[[2, 7]] = NAN
    there = ~np.isnan(holes)
    found = alignment_loss(torch.tensor(x), torch.tensor(holes))
    assert float(found) == pytest.approx(-stats.pearsonr(x[there], y[there]).statistic, abs=1e-12)


def test_loss_of_a_dimension_is_eq_2() -> None:
    x, y = torch.tensor([0.2, 0.9, 0.4]), torch.tensor([0.0, 1.0, 0.5])
    expected = float(((x - y) ** 2).mean()) - 0.1 * stats.pearsonr(x, y).statistic
    assert float(dimension_loss(x, y, 0.1)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("target", [[1.0, 1.0, 1.0], [NAN, 1.0, NAN], [NAN, NAN, NAN]])
def test_where_no_correlation_exists_the_loss_and_its_gradient_are_zero(target: list[float]) -> None:
    x = torch.tensor([0.1, 0.5, 0.7], requires_grad=True)
    loss = alignment_loss(x, torch.tensor(target))
    loss.backward()
    assert loss.item() == 0
    assert x.grad is not None
    assert (x.grad == 0).all()


def test_equal_predictions_do_not_break_training() -> None:
    x = torch.full((4,), 0.5, requires_grad=True)
    dimension_loss(x, torch.tensor([0.0, 0.5, 1.0, 1.0]), 0.1).backward()
    assert x.grad is not None
    assert torch.isfinite(x.grad).all()


def test_missing_ratings_do_not_enter_the_squared_error() -> None:
    x = torch.tensor([[0.5, 0.1], [1.0, 0.9]], requires_grad=True)
    loss = mse_loss(x, torch.tensor([[0.0, NAN], [1.0, NAN]]))
    loss.backward()
    assert loss.item() == pytest.approx(0.125)
    assert x.grad is not None
    assert (x.grad[:, 1] == 0).all()


# --- data


def test_defaults_are_those_of_table_7() -> None:
    c = TrainConfig()
    assert (c.lr, c.batch_size, c.seed, c.lambda_hsic, c.lambda_ali, c.hidden) == (1e-4, 16, 42, 0.1, 0.1, 512)


def test_options_come_from_yaml_and_are_overridden(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("lr: 2e-5\nepochs: 3\nfrozen: yes\nsigma: 0.5\n")
    c = read_config(tmp_path / "c.yaml", {"epochs": "7", "fit": "pad"})
    assert (c.lr, c.epochs, c.frozen, c.sigma, c.fit) == (2e-5, 7, True, 0.5, "pad")
    for bad, why in (
        ({"lrr": "1"}, "did you mean 'lr'"),
        ({"lr": "-1"}, "lr cannot be"),
        ({"epochs": "2.5"}, "epochs cannot be"),
        ({"sigma": "mean"}, "sigma cannot be"),
        ({"precision": "fp8"}, "precision cannot be"),
    ):
        with pytest.raises(UsageError, match=why):
            read_config(None, bad)
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(UsageError, match="YAML"):
        read_config(tmp_path / "bad.yaml", {})


def test_figures_never_stand_in_two_splits() -> None:
    data = data_of(world.samples(20, 3))
    by_split = [set(data.figures[data.rows(s)]) for s in ("train", "val", "test")]
    assert [len(s) for s in by_split] == [11, 5, 4]
    assert sum(map(len, by_split)) == len(set.union(*by_split)) == 20


def test_ratings_out_of_range_and_constant_ones_name_the_dimension() -> None:
    samples = world.samples(8, 3)
    bad = [*samples, replace(samples[0], id="x", ratings={"logicity": 3})]
    with pytest.raises(RatingsError, match="x: rating of logicity is 3"):
        data_of(bad)
    with pytest.raises(RatingsError, match="rating of analysis is 'good'"):
        data_of([replace(samples[0], ratings={"analysis": "good"})])
    flat = [replace(s, ratings={**s.ratings, "conciseness": 1}) for s in samples]
    with pytest.raises(RatingsError, match="conciseness are 1; the Pearson"):
        data_of(flat)
    none = [replace(s, ratings={k: v for k, v in s.ratings.items() if k != "analysis"}) for s in samples]
    with pytest.raises(RatingsError, match="no training row has a rating of analysis"):
        data_of(none)
    with pytest.raises(RatingsError, match="no row has"):
        data_of([Sample("a", "Sales rose.")])
    with pytest.raises(InputError, match="too few"):
        data_of(world.samples(1, 4))


def test_rows_that_cannot_be_used_are_left_out_and_listed() -> None:
    samples: list[Any] = world.samples(8, 3)
    samples += [BadRow("torn", "not JSON", "line 9"), replace(samples[0], id="mute", text=" ")]
    samples += [replace(samples[0], id="gone", image=Path("/nowhere.png")), replace(samples[0], id="mum", ratings={})]
    data = data_of(samples)
    assert {s.id for s in data.skipped} == {"torn", "mute", "gone", "mum"}
    assert len(data) == 24


# --- runs


def weights(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted((folder / "model").glob("*.safetensors"))}


class Stop(Exception):
    pass


def stop_after(steps: int):
    seen = 0

    def watch(event: dict[str, Any]) -> None:
        nonlocal seen
        seen += event["event"] == "step"
        if seen == steps:
            raise Stop

    return watch


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "whole"
    train(world.samples(), config(save_every=2), out, data_name="tiny")
    return out


@pytest.mark.parametrize("steps", [4, 23])
def test_a_killed_run_resumes_to_the_same_weights(uninterrupted: Path, tmp_path: Path, steps: int) -> None:
    out = tmp_path / "run"
    with pytest.raises(Stop):
        train(world.samples(), config(save_every=2), out, watchers=[stop_after(steps)])
    train(world.samples(), config(save_every=2), out, resume=True, data_name="tiny")
    assert weights(out) == weights(uninterrupted)
    lines = [[json.loads(x) for x in (d / "metrics.jsonl").read_text().splitlines()] for d in (out, uninterrupted)]
    for a, b in zip(*lines, strict=True):
        assert {k: v for k, v in a.items() if k != "seconds"} == {k: v for k, v in b.items() if k != "seconds"}


def _train_and_die(out: str, steps: int) -> None:
    torch.set_num_threads(1)
    seen = 0

    def watch(event: dict[str, Any]) -> None:
        nonlocal seen
        seen += event["event"] == "step"
        if seen == steps:
            os.kill(os.getpid(), signal.SIGKILL)

    train(world.samples(), config(save_every=2), Path(out), watchers=[watch])


def test_a_run_killed_by_the_system_resumes_to_the_same_weights(uninterrupted: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = multiprocessing.get_context("spawn").Process(target=_train_and_die, args=(str(out), 9))
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    train(world.samples(), config(save_every=2), out, resume=True, data_name="tiny")
    assert weights(out) == weights(uninterrupted)


def test_resuming_another_run_is_refused(uninterrupted: Path) -> None:
    before = weights(uninterrupted)
    with pytest.raises(UsageError, match="--resume"):
        train(world.samples(), config(save_every=2), uninterrupted)
    with pytest.raises(UsageError, match="config has changed"):
        train(world.samples(), config(save_every=2, lr=1e-2), uninterrupted, resume=True)
    with pytest.raises(UsageError, match="data has changed"):
        train(world.samples(seed=9), config(save_every=2), uninterrupted, resume=True)
    assert weights(uninterrupted) == before


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(Stop):
        train(world.samples(), config(save_every=2), out, watchers=[stop_after(4)])
    (out / "state" / "state.json").write_text("{")
    with pytest.raises(CheckpointError, match="not a saved state"):
        train(world.samples(), config(save_every=2), out, resume=True)


def test_a_run_leaves_what_it_promises(uninterrupted: Path) -> None:
    card = (uninterrupted / "model" / "README.md").read_text()
    for word in ("faithfulness", "95 % intervals", "split by figure", "Cite", "random tiny", "lambda_hsic: 0.1"):
        assert word in card
    assert (uninterrupted / "curves.png").stat().st_size > 1000
    stages = {json.loads(x)["stage"] for x in (uninterrupted / "metrics.jsonl").read_text().splitlines()}
    assert stages == {*(f"expert-{d}" for d in DIMENSION_NAMES), "shared"}
    metric = F2TEvalMetric(uninterrupted / "model", precision="fp32")
    rows = [json.loads(x) for x in (uninterrupted / "predictions.jsonl").read_text().splitlines()]
    by_id = {s.id: s for s in world.samples()}
    for row, score in zip(rows, metric.score_batch([by_id[r["id"]] for r in rows])):
        for d in DIMENSION_NAMES:
            assert score.scores[d] == pytest.approx(min(2, max(0, row["scores"][d])), abs=1e-3)


def test_stage_one_experts_stay_frozen_in_stage_two(uninterrupted: Path) -> None:
    """Each finished expert's file of stage one holds the very weights of the final checkpoint."""
    from safetensors.torch import load_file

    final = load_file(uninterrupted / "model" / "experts.safetensors")
    for d in DIMENSION_NAMES:
        alone = load_file(uninterrupted / "state" / f"done-expert-{d}.safetensors")
        assert torch.equal(alone["head.projector.0.weight"], final[f"heads.{d}.projector.0.weight"])
        encoder = load_file(uninterrupted / "model" / f"encoder-{d}.safetensors")
        assert all(torch.equal(v, encoder[k.removeprefix("encoder.")]) for k, v in alone.items() if "encoder." in k)


def test_a_tiny_set_can_be_overfitted(tmp_path: Path) -> None:
    """Proof that gradients reach everything: on its own few training figures the full model fits the ratings."""
    options = {"epochs": 8, "patience": 8, "lr": 3e-3, "val_fraction": 0.2, "test_fraction": 0}
    done = train(world.samples(5, 3), config(**options), tmp_path / "run")
    last = [json.loads(x) for x in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    losses = [r["loss"] for r in last if r["stage"] == "expert-faithfulness"]
    assert min(losses) < losses[0] - 0.1
    assert done.results.split == "val"


def test_missing_dimensions_and_a_frozen_encoder(tmp_path: Path) -> None:
    samples = [
        replace(s, ratings={d: v for k, (d, v) in enumerate(s.ratings.items()) if (i + k) % 4})
        for i, s in enumerate(world.samples(12, 4))
    ]
    done = train(samples, config(frozen=True, epochs=3), tmp_path / "run")
    untouched = world_encoder_of(samples)
    for name, tensor in done.model.encoders[0].state_dict().items():
        assert torch.equal(tensor.cpu(), untouched[name])
    assert done.results.cells["faithfulness"]["mse"].n < done.results.rows
    assert not list((tmp_path / "run").glob("features-*"))


def world_encoder_of(samples: list[Sample]) -> dict[str, Any]:
    from f2teval.models.tiny import random_encoder

    texts = (t for s in samples for t in (s.text, s.caption, s.context))
    return random_encoder("tiny", texts, seed=42).encoder.state_dict()


def test_a_picture_that_breaks_in_an_epoch_costs_its_rows_and_no_more(tmp_path: Path) -> None:
    samples = world.samples()
    assert isinstance(samples[0].image, bytes)
    torn = samples[0].image[:200]
    figure = {s.id for s in samples if s.image == samples[0].image}
    samples = [replace(s, image=torn) if s.id in figure else s for s in samples]
    done = train(samples, config(epochs=1), tmp_path / "run")
    skipped = [json.loads(x) for x in (tmp_path / "run" / "skipped.jsonl").read_text().splitlines()]
    assert {s["id"] for s in skipped} == figure
    assert all("corrupt" in s["reason"] for s in skipped)
    assert done.folder.is_dir()
    broken = [replace(s, image=s.image[:200] + s.id[:2].encode()) for s in world.samples()]  # type: ignore[index]
    with pytest.raises(TrainingError, match="pictures cannot be read"):
        train(broken, config(epochs=1), tmp_path / "all")


def test_nan_loss_stops_with_the_state_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from f2teval.training import stages

    real, calls = stages.dimension_loss, 0

    def sometimes(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return real(*args) * (NAN if calls == 6 else 1.0)

    monkeypatch.setattr(stages, "dimension_loss", sometimes)
    with pytest.raises(TrainingError, match=r"loss of expert-\w+ became nan in epoch \d+, batch \d+.*smaller lr"):
        train(world.samples(8, 3), config(save_every=2), tmp_path / "run")
    monkeypatch.undo()
    train(world.samples(8, 3), config(save_every=2), tmp_path / "run", resume=True)
    assert math.isfinite(json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[-1])["loss"])


def test_the_ablation_prints_the_rows_of_the_paper(tmp_path: Path) -> None:
    from f2teval.training.ablation import PAPER, ablate

    result = ablate(world.samples(), config(epochs=1, frozen=True), tmp_path / "run")
    assert list(result.rows) == list(PAPER)
    table = (tmp_path / "run" / "ablation.md").read_text()
    for name in PAPER:
        assert f"| {name} |" in table
    assert (tmp_path / "run" / "disentanglement.png").stat().st_size > 1000
    saved = json.loads((tmp_path / "run" / "ablation.json").read_text())
    assert np.array(saved["hsic"]["after"]).shape == (5, 5)


def test_the_commands_say_one_line_on_bad_input(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from f2teval.cli.train import train as command

    data = tmp_path / "d.jsonl"
    data.write_text('{"id": "a", "text": "Sales rose.", "ratings": {"faithfulness": 2}}\n')
    for arguments, why in (
        ([str(data), "--out", str(tmp_path / "o"), "--encoder", "random:tiny"], "no row has"),
        ([str(data), "--out", str(tmp_path / "o"), "--set", "lr"], "NAME=VALUE"),
        ([str(data), "--out", str(tmp_path / "o"), "--encoder", str(tmp_path)], "config.json"),
        ([str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "o"), "--encoder", "random:tiny"], "none.jsonl"),
    ):
        result = CliRunner().invoke(command, arguments)
        assert isinstance(result.exception, F2TEvalError)
        assert why in str(result.exception)
        assert "\n" not in str(result.exception)
