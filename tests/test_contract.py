"""One contract for every metric of the registry: what the run loop, the tables and the reports rely on."""

from __future__ import annotations

import atexit
import copy
import dataclasses
import functools
import json
import math
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from f2teval import metric as registry
from f2teval.data import read_samples
from f2teval.errors import F2TEvalError
from f2teval.metric import Metric, MetricInfo
from f2teval.rubric import DIMENSION_NAMES, ERROR_TYPES
from f2teval.sample import Sample
from f2teval.score import Score

EXAMPLES = Path(registry.__file__).parent / "examples" / "samples.jsonl"


@functools.cache
def corpus() -> tuple[Sample, ...]:
    """Ordinary texts with everything a metric could need, and odd ones."""
    plain: list[Sample] = []
    for s in read_samples(EXAMPLES, limit=9):
        assert isinstance(s, Sample)
        plain.append(dataclasses.replace(s, ratings={}, references=(f"{s.id}: a chart.", "Words of a person, in all.")))
    image, refs = plain[0].image, ("The chart shows trips.", "University leads, Airport is last.")
    odd = [
        Sample("long", "Trips rose by 3%. " * 400, image=image, references=refs),
        Sample("unicode", "Größer als 5 % – „viel“ 🚲\u200b. Ÿ", image=image, references=refs),
        Sample("symbols", "%%% ((( 1,2,3 ... $", image=image, references=refs),
        Sample("one", "Trips.", image=image, references=refs),
    ]
    return (*plain, *odd)


def trained(name: str) -> dict[str, Any]:
    """Options of a metric that has no weights of its own: a tiny checkpoint made on the spot."""
    if name != "f2teval" or find_spec("torch") is None or find_spec("transformers") is None:
        return {}
    import clip_world

    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {"checkpoint": clip_world.checkpoint(Path(folder)), "precision": "fp32"}


@functools.cache
def build(name: str) -> Metric | str:
    """The metric with its default options, or why it cannot be built here (weights or an extra are missing)."""
    try:
        made = registry.get_metric(name, **trained(name))
    except F2TEvalError as e:
        return str(e)
    if hasattr(made, "prepare"):
        made.prepare(list(corpus()))
    return made


def ready(name: str) -> Metric:
    made = build(name)
    if isinstance(made, str):
        pytest.skip(f"{name} cannot be built here: {made}")
    return made


@functools.cache
def scored(name: str) -> tuple[Score, ...]:
    return tuple(ready(name).score_batch(list(corpus())))


def bare(score: Score) -> dict[str, Any]:
    """A row without what may differ between runs."""
    return {**score.to_row(), "elapsed_ms": 0}


NAMES = pytest.mark.parametrize("name", registry.names())


def test_the_default_metric_is_there() -> None:
    assert isinstance(build("evidence"), Metric), build("evidence")


@NAMES
def test_facts(name: str) -> None:
    info = registry.metric_class(name).info
    assert isinstance(info, MetricInfo)
    assert info.name == name
    assert info.needs <= {"image", "references", "context", "corpus"}
    assert set(info.dimensions) <= set(DIMENSION_NAMES)
    assert info.bounds[0] < info.bounds[1]
    assert info.description


@NAMES
def test_what_cannot_be_built_says_how_to_mend_it(name: str) -> None:
    made = build(name)
    if isinstance(made, str):
        assert len(made) > 20
        assert "\n" not in made


@NAMES
def test_one_score_a_sample_in_order(name: str) -> None:
    signature = ready(name).signature
    assert signature.startswith(name)
    assert "v:" in signature
    for sample, score in zip(corpus(), scored(name), strict=True):
        assert (score.id, score.system, score.metric, score.signature) == (sample.id, sample.system, name, signature)


@NAMES
def test_bounds_and_reasons(name: str) -> None:
    info = ready(name).info
    low, high = info.bounds
    assert any(score.status == "ok" for score in scored(name))
    for score in scored(name):
        if score.status == "unscored":
            assert score.reason
            assert score.overall is None
            continue
        assert set(score.scores) == set(info.dimensions)
        for dimension, value in score.scores.items():
            if value is None:
                assert score.reasons[dimension]
            else:
                assert low <= value <= high
        if not info.dimensions:
            assert score.value is not None
            assert low - 1e-9 <= score.value <= high + 1e-9


@NAMES
def test_rows_survive_json(name: str) -> None:
    for score in scored(name):
        row = score.to_row()
        again = Score.from_row(json.loads(json.dumps(row, allow_nan=False)))
        assert json.dumps(again.to_row(), sort_keys=True) == json.dumps(row, sort_keys=True)


@NAMES
def test_evidence_points_into_the_text(name: str) -> None:
    for sample, score in zip(corpus(), scored(name)):
        for s in score.sentences:
            assert sample.text[s.start : s.end] == s.text
            assert s.p_error is None or 0 <= s.p_error <= 1
            for e in s.errors:
                assert e.type in ERROR_TYPES
                assert 0 <= e.start < e.end <= len(sample.text)
                assert 0 <= e.confidence <= 1
                assert e.box is None or all(math.isfinite(v) for v in e.box)


@NAMES
def test_the_same_again(name: str) -> None:
    """Twice the same input gives the same rows, and scoring changes no sample."""
    samples = list(corpus())
    before = copy.deepcopy(samples)
    again = ready(name).score_batch(samples)
    assert samples == before
    assert [bare(s) for s in again] == [bare(s) for s in scored(name)]


@NAMES
def test_batches_and_order_do_not_matter(name: str) -> None:
    made = ready(name)
    alone = [made.score_batch([s])[0] for s in corpus()]
    backwards = made.score_batch(list(corpus())[::-1])[::-1]
    for together, *others in zip(scored(name), alone, backwards):
        for other in others:
            assert other.status == together.status
            assert _numbers(other) == pytest.approx(_numbers(together), abs=1e-6)


def _numbers(score: Score) -> list[float]:
    values = [score.value, *(score.scores.get(d) for d in DIMENSION_NAMES), *(s.p_error for s in score.sentences)]
    return [-1.0 if v is None else v for v in values]


@NAMES
@pytest.mark.parametrize("lack", ["image", "references", "missing file", "not a picture"])
def test_what_is_missing_is_a_reason_and_never_a_zero(name: str, lack: str) -> None:
    made = ready(name)
    base = corpus()[0]
    image: Any = {"image": None, "missing file": Path("/no/such.png"), "not a picture": b"GIF89a nonsense"}
    references = () if lack == "references" else base.references
    sample = Sample("x", base.text, image=image.get(lack, base.image), references=references)
    (score,) = made.score_batch([sample])
    needed = "references" if lack == "references" else "image"
    if needed in made.info.needs:
        assert score.status == "unscored"
    if score.status == "unscored":
        assert score.reason
        assert score.overall is None
        assert score.value is None
    for dimension, value in score.scores.items():
        assert value is not None or score.reasons[dimension]


@NAMES
def test_no_samples_no_scores(name: str) -> None:
    assert ready(name).score_batch([]) == []
