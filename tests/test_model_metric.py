"""The f2teval metric and its checkpoints: numbers, evidence, batches, streams, bad input."""

# ruff: noqa: E402
from __future__ import annotations

import io
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import clip_world as world
from numpy_clip import numpy_forward

from f2teval.errors import CheckpointError
from f2teval.figure.load import load_image
from f2teval.metric import get_metric
from f2teval.metrics.f2teval import F2TEvalMetric
from f2teval.models.checkpoint import Checkpoint
from f2teval.models.pictures import fit_square, normalise
from f2teval.models.windows import context_text
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample
from f2teval.score import Score


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.checkpoint(tmp_path_factory.mktemp("model") / "checkpoint")


@pytest.fixture(scope="module")
def metric(folder: Path) -> F2TEvalMetric:
    return F2TEvalMetric(folder, precision="fp32")


def values(scores: list[Score]) -> np.ndarray:
    return np.array([[s.scores[d] for d in DIMENSION_NAMES] for s in scores], dtype=np.float64)


def test_scores_are_those_of_the_numpy_model_times_two(metric: F2TEvalMetric) -> None:
    sample = world.samples(1, 1)[0]
    model = world.model()
    codec, spec = metric._codec, model.config.picture
    assert isinstance(sample.image, bytes)
    pixels = normalise(fit_square(load_image(sample.image).rgb, spec).square[None], spec)[0]
    expected = numpy_forward(model, codec, pixels.astype(np.float64), context_text(sample), sample.text)
    found = metric.score_batch([sample])[0]
    np.testing.assert_allclose(list(found.scores.values()), np.clip(np.array(expected) * 2, 0, 2), atol=1e-4)
    for name, raw in zip(DIMENSION_NAMES, expected):
        parts = found.explain[name]
        assert sum(parts.values()) == pytest.approx(found.scores[name], abs=1e-5)
        assert parts["dimension-specific expert"] + parts["shared expert"] == pytest.approx(2 * raw, abs=1e-4)


def test_batches_order_repetition_and_memory_do_not_change_a_score(folder: Path, metric: F2TEvalMetric) -> None:
    samples = world.samples(6, 5)
    reference = values(metric.score_batch(samples))
    shuffled = list(range(len(samples)))
    random.Random(0).shuffle(shuffled)
    forgetful = F2TEvalMetric(folder, precision="fp32", remember=1)
    one_by_one = [forgetful.score_batch([samples[i]])[0] for i in shuffled]
    assert [s.id for s in one_by_one] == [samples[i].id for i in shuffled]
    np.testing.assert_allclose(values(one_by_one), reference[shuffled], atol=1e-5)
    assert {s.signature for s in one_by_one} == {metric.signature}


def test_each_picture_and_context_is_encoded_once_an_expert(folder: Path) -> None:
    metric = F2TEvalMetric(folder, precision="fp32")
    samples = world.samples(3, 6)
    seen: list[int] = []
    images = type(metric.engine).images

    def counted(self, squares):
        seen.append(len(squares))
        return images(self, squares)

    metric.engine.images = counted.__get__(metric.engine)  # type: ignore[method-assign]
    metric.score_batch(samples[:7])
    before = metric.engine.encoders[0].meter.tokens
    metric.score_batch([replace(s, text="Sales rose.") for s in samples[:6]])
    assert sum(seen) == 2
    added = metric.engine.encoders[0].meter.tokens - before
    assert added == len(metric._codec("Sales rose.").windows[0])  # one new text; picture and context are known


def test_a_stream_holds_one_chunk_and_keeps_the_order(folder: Path) -> None:
    metric = F2TEvalMetric(folder, precision="fp32", remember=4)
    taken = 0

    def endless():
        nonlocal taken
        base = world.samples(1, 1)[0]
        while True:
            taken += 1
            yield replace(base, id=str(taken), context=f"Number {taken}.")

    stream = metric.stream(endless())
    ids = [next(stream).id for _ in range(metric.batch_size + 1)]
    assert ids == [str(i + 1) for i in range(metric.batch_size + 1)]
    assert taken == 2 * metric.batch_size
    assert len(metric._contexts._kept) <= 4


def test_bf16_stays_within_a_hundredth(folder: Path, metric: F2TEvalMetric) -> None:
    samples = world.samples(4, 3)
    rounded = F2TEvalMetric(folder, precision="bf16")
    assert np.abs(values(rounded.score_batch(samples)) - values(metric.score_batch(samples))).max() < 1e-2
    assert rounded.signature != metric.signature


def test_what_was_not_read_is_said(tmp_path: Path) -> None:
    metric = F2TEvalMetric(world.checkpoint(tmp_path / "c", text_mode="truncate"), precision="fp32")
    sample = world.samples(1, 1)[0]
    wide = replace(sample, text="Sales rose to 17 in 2014. " * 30, image=world.png(random.Random(0), (400, 100)))
    short, long = metric.score_batch(
        [replace(sample, text="Sales rose.", image=world.png(random.Random(0), (90, 90))), wide]
    )
    assert short.warnings == ()
    assert any("text" in w and "not read" in w for w in long.warnings)
    assert any("75%" in w for w in long.warnings)


def test_bad_rows_are_unscored_with_a_reason_beside_good_ones(metric: F2TEvalMetric, tmp_path: Path) -> None:
    good = world.samples(1, 1)[0]
    assert isinstance(good.image, bytes)
    rows = [
        good,
        replace(good, id="torn", image=good.image[:60]),
        replace(good, id="gone", image=tmp_path / "no.png"),
        Sample("blind", "Sales rose."),
        replace(good, id="mute", text=" \n"),
        replace(good, id="bare", caption="", context=""),
        replace(good, id="odd", text="\ud800 \x00 <|endoftext|> " + "x" * 30_000),
    ]
    scores = {s.id: s for s in metric.score_batch(rows)}
    for name, why in {"torn": "corrupt", "gone": "no such picture", "blind": "no image", "mute": "empty"}.items():
        assert scores[name].status == "unscored"
        assert why in str(scores[name].reason)
    for name in (good.id, "bare", "odd"):
        assert scores[name].status == "ok"
        scores[name].to_row()
    np.testing.assert_allclose(values([scores[good.id]]), values(metric.score_batch([good])), atol=1e-5)


def test_parameters_and_origin_are_reported(metric: F2TEvalMetric) -> None:
    assert metric.parameters == world.model().parameter_count()
    assert metric.parameters.active < metric.parameters.total / 2
    assert "random tiny" in metric.origin


def test_the_model_command_reports_size_and_origin_without_reading_weights(folder: Path) -> None:
    from click.testing import CliRunner

    from f2teval.cli.model import model as command

    result = CliRunner().invoke(command, [str(folder)])
    count = world.model().parameter_count()
    assert Checkpoint(folder).parameter_count() == count
    assert f"{count.total / 1e6:.1f} M in all, {count.active / 1e6:.1f} M active" in result.output
    assert "random tiny" in result.output
    assert CliRunner().invoke(command, [str(folder), "--check"]).exit_code == 0


def test_a_frozen_model_keeps_one_encoder(tmp_path: Path) -> None:
    frozen = F2TEvalMetric(world.checkpoint(tmp_path / "c", frozen=True), precision="fp32")
    assert len(frozen.engine.encoders) == 1
    assert frozen.score_batch(world.samples(1, 2))[1].status == "ok"


def test_without_a_checkpoint_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.delenv("F2TEVAL_CHECKPOINT", raising=False)
    with pytest.raises(CheckpointError, match="f2teval train"):
        get_metric("f2teval")
    monkeypatch.setenv("F2TEVAL_CHECKPOINT", str(folder))
    assert get_metric("f2teval").info.name == "f2teval"


# --- checkpoints


def test_a_checkpoint_gives_back_the_same_weights_and_needs_nothing_else(folder: Path) -> None:
    assert sorted(p.name for p in folder.iterdir() if not p.name.startswith("encoder-")) == [
        "README.md", "config.json", "experts.safetensors", "tokenizer.json",
    ]  # fmt: skip
    loaded, made = Checkpoint(folder).model().state_dict(), world.model().state_dict()
    assert loaded.keys() == made.keys()
    assert all(torch.equal(loaded[k], made[k]) for k in made)


def _copy(folder: Path, to: Path) -> Path:
    to.mkdir()
    for p in folder.iterdir():
        (to / p.name).write_bytes(p.read_bytes())
    return to


def _edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_checkpoints_that_cannot_be_used_say_why(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    def broken(name: str) -> Path:
        return _copy(folder, tmp_path / name)

    with pytest.raises(CheckpointError, match="no such folder"):
        Checkpoint(tmp_path / "nowhere")
    other = broken("version")
    _edit(other / "config.json", format=99)
    with pytest.raises(CheckpointError, match="format 99"):
        Checkpoint(other)
    clip = broken("clip")
    _edit(clip / "config.json", model_type="clip")
    with pytest.raises(CheckpointError, match="'clip' model"):
        Checkpoint(clip)
    described = broken("described")
    _edit(described / "config.json", model={"surprise": 1})
    with pytest.raises(CheckpointError, match="description"):
        Checkpoint(described)
    junk = broken("junk")
    (junk / "config.json").write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read"):
        Checkpoint(junk)

    truncated = broken("truncated")
    part = truncated / "experts.safetensors"
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="truncated or damaged"):
        Checkpoint(truncated).experts()
    missing = broken("missing")
    (missing / "encoder-analysis.safetensors").unlink()
    with pytest.raises(CheckpointError, match="missing"):
        Checkpoint(missing).model()

    def altered(name: str, change) -> Path:
        made = broken(name)
        state = load_file(made / "experts.safetensors")
        change(state)
        save_file(state, made / "experts.safetensors")
        return made

    cases = {
        "foreign": (lambda s: s.update(extra=torch.zeros(1)), "'extra'"),
        "lacking": (lambda s: s.pop("gate.w"), "lacks 'gate.w'"),
        "shaped": (lambda s: s.update({"gate.w": torch.zeros(4)}), "shape"),
        "nan": (lambda s: s["gate.w"].fill_(float("nan")), "NaN"),
        "changed": (lambda s: s["gate.w"].add_(1), "altered"),
    }
    for name, (change, message) in cases.items():
        with pytest.raises(CheckpointError, match=message):
            Checkpoint(altered(name, change)).experts()


def test_saving_over_a_checkpoint_replaces_it_or_leaves_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from f2teval.models import checkpoint

    old = _copy(folder, tmp_path / "c")
    monkeypatch.setattr(checkpoint, "_swap", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        world.checkpoint(old)
    monkeypatch.undo()
    Checkpoint(old).model()
    world.checkpoint(old, frozen=True)
    assert Checkpoint(old).encoder_names == ["frozen"]
    assert [p.name for p in tmp_path.iterdir()] == ["c"]


def test_a_png_and_its_copy_under_another_name_share_features(folder: Path, tmp_path: Path) -> None:
    metric = F2TEvalMetric(folder, precision="fp32")
    sample = world.samples(1, 1)[0]
    assert isinstance(sample.image, bytes)
    (tmp_path / "copy.png").write_bytes(io.BytesIO(sample.image).getvalue())
    metric.score_batch([sample, replace(sample, id="b", image=tmp_path / "copy.png")])
    assert len(metric._pictures._kept) == 1
