"""The only loop over samples: chunks, processes, order, resume. Every row that goes in comes out, in the same order."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from f2teval.data.fields import BadRow
from f2teval.data.samples import DUPLICATE_OF
from f2teval.errors import F2TEvalError, InputError, UsageError
from f2teval.metric import Metric, as_metric, names, unknown
from f2teval.sample import Sample
from f2teval.score import Score

_CHUNK_S: Final = 0.5
"""Chunks are sized to take about this long: short enough that a kill costs little, long enough to hide the overhead."""

_MAX_CHUNK: Final = 256
_TOGETHER: Final = 8
"""A chunk may grow to so many times its size rather than part texts about one figure."""

_MAX_CHUNK_BYTES: Final = 32 * 1024 * 1024


class Outcome(NamedTuple):
    """One row of a run: what came in, a score from each metric, and whether it was computed now."""

    item: Sample | BadRow
    scores: tuple[Score, ...]
    fresh: bool = True


class Done(NamedTuple):
    """What a run before has done: how many rows, and their scores in order, each with :func:`input_key`."""

    rows: int
    scores: Iterator[tuple[Score, str]]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """How to build a metric, here or in a worker: a name with options, or the object or callable itself."""

    metric: str | Metric | Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Metric:
        return as_metric(self.metric, **self.options)


class Facts(NamedTuple):
    """What the loop must know of a metric without holding it."""

    name: str
    signature: str
    corpus: bool = False
    batch_size: int = 0


def facts(metric: Metric) -> Facts:
    """The facts of a metric; ``batch_size`` is its own wish, 0 for none."""
    corpus = "corpus" in metric.info.needs
    return Facts(metric.info.name, metric.signature, corpus, int(getattr(metric, "batch_size", 0)))


class Engine:
    """Scores chunks in this process. :class:`f2teval.pool.Pool` is the same over worker processes."""

    def __init__(self, specs: Sequence[MetricSpec]) -> None:
        self._metrics = [spec.build() for spec in specs]
        self.facts = [facts(m) for m in self._metrics]

    def prepare(self, samples: Sequence[Sample]) -> None:
        """Show the corpus to the metrics that need it."""
        for metric in self._metrics:
            if hasattr(metric, "prepare"):
                metric.prepare(samples)

    def run(self, chunks: Iterable[list[Sample]]) -> Iterator[list[tuple[Score, ...]]]:
        """Scores of each chunk, in order."""
        for chunk in chunks:
            yield score_chunk(self._metrics, chunk)

    def close(self) -> None: ...


def run(
    items: Iterable[Sample | BadRow],
    metrics: Sequence[MetricSpec],
    *,
    jobs: int = 0,
    done: Callable[[list[Facts]], Done] | None = None,
) -> Iterator[Outcome]:
    """Score every item; yields one :class:`Outcome` an item, in input order, holding only a few chunks in memory.

    Args:
        items: iterated twice (so: a list or a :class:`~f2teval.data.SampleReader`) if a metric needs the corpus.
        metrics: at least one.
        jobs: worker processes. A row that crashes its worker becomes unscored and the run goes on; 0 scores in this
            process, without that safety. Metrics that need the whole corpus are always scored in this process.
        done: called once with the metrics' facts, returns what was done before; those rows are checked against the
            input and passed through.

    Raises:
        UsageError: no metric, a metric that cannot be built or sent to a worker, or ``done`` does not fit the input.
    """
    if not metrics:
        raise UsageError("no metric given")
    if jobs < 0:
        raise UsageError("jobs must not be negative")
    engine = _engine(metrics, jobs)
    try:
        known = [f for f in engine.facts if f.corpus]
        if known:
            engine.prepare([_light(s) for s in items if isinstance(s, Sample) and s.text.strip()])
        before = done(engine.facts) if done else Done(0, iter(()))
        yield from _loop(items, engine, before)
    finally:
        engine.close()


def _engine(metrics: Sequence[MetricSpec], jobs: int) -> Engine:
    for spec in metrics:
        if isinstance(spec.metric, str) and ":" not in spec.metric and spec.metric not in names():
            raise unknown(spec.metric)
    if jobs == 0 or any(_is_function(spec.metric) for spec in metrics):
        return Engine(metrics)
    from f2teval.pool import Pool

    # Built there and not here: importing a metric costs more time and memory than all the rest of this process.
    pool = Pool(metrics, jobs)
    if not any(f.corpus for f in pool.facts):
        return pool
    pool.close()
    return Engine(metrics)


def _is_function(metric: object) -> bool:
    return not isinstance(metric, str) and not hasattr(metric, "score_batch")


def _light(sample: Sample) -> Sample:
    """A sample without the bytes of its picture, for corpora held in memory."""
    return replace(sample, image=None) if isinstance(sample.image, bytes) else sample


def _loop(items: Iterable[Sample | BadRow], engine: Engine, before: Done) -> Iterator[Outcome]:
    chunker = _Chunker(engine.facts)
    source = iter(items)
    yield from _replay(source, before, engine.facts)
    # Rows that need no metric ride along with the chunk before them, so that the order stays.
    waiting: list[list[Sample | BadRow]] = []

    def chunks() -> Iterator[list[Sample]]:
        for rows in chunker.split(source):
            waiting.append(rows)
            yield [r for r in rows if _scorable(r)]  # type: ignore[misc]

    for scores in engine.run(chunks()):
        rows = waiting.pop(0)
        chunker.learn(scores)
        given = iter(scores)
        for row in rows:
            yield Outcome(row, next(given) if _scorable(row) else _unscored(row, engine.facts))


def _replay(source: Iterator[Sample | BadRow], before: Done, known: list[Facts]) -> Iterator[Outcome]:
    """Pass on the rows that are done, checking that they are the rows of this input."""
    for number in range(1, before.rows + 1):
        item = next(source, None)
        old = [next(before.scores) for _ in known]
        if item is None:
            raise UsageError(f"cannot resume: the output has {before.rows} rows, the input only {number - 1}")
        if any(score.id != item.id or key != input_key(item) for score, key in old):
            where = f"row {number} (id {item.id!r}, in the output {old[0][0].id!r})"
            raise UsageError(f"cannot resume: the input has changed at {where}; choose another -o, or --overwrite")
        yield Outcome(item, tuple(score for score, _ in old), fresh=False)


def input_key(item: Sample | BadRow) -> str:
    """A hash of what a score depends on besides the metric and the picture's pixels (hex, 16 characters)."""
    if isinstance(item, BadRow):
        return ""
    image = item.image
    if isinstance(image, bytes):
        picture = hashlib.blake2b(image, digest_size=8).hexdigest()
    else:
        picture = image.name if image else ""  # the name alone: a folder may move between runs
    parts = f"{item.text_key()}\0{picture}\0{item.system}".encode("utf-8", "replace")
    return hashlib.blake2b(parts, digest_size=8).hexdigest()


def _scorable(item: Sample | BadRow) -> bool:
    return isinstance(item, Sample) and bool(item.text.strip())


def _unscored(item: Sample | BadRow, known: list[Facts]) -> tuple[Score, ...]:
    reason = f"{item.where}: {item.reason}" if isinstance(item, BadRow) else "the text is empty"
    return tuple(Score.unscored(item.id, f.name, f.signature, reason, system=item.system) for f in known)


class _Chunker:
    """Cuts the stream into chunks: texts about one figure together, and as many as take about half a second."""

    def __init__(self, known: list[Facts]) -> None:
        self._fixed = max((f.batch_size for f in known), default=0)
        self._all = any(f.corpus and not f.batch_size for f in known)
        self._size = 1

    def learn(self, scores: list[tuple[Score, ...]]) -> None:
        spent = sum(s.elapsed_ms for row in scores for s in row) / 1000
        if scores:
            each = max(spent / len(scores), 1e-6)
            # Grow slowly: the next figures may be new ones.
            self._size = max(1, min(int(_CHUNK_S / each), 2 * self._size, _MAX_CHUNK))

    def split(self, items: Iterator[Sample | BadRow]) -> Iterator[list[Sample | BadRow]]:
        rows: list[Sample | BadRow] = []
        scorable, size_bytes, figure = 0, 0, None
        for item in items:
            key = figure_key(item)
            full = scorable >= (self._fixed or self._size)
            if full and not self._fixed and key is not None and key == figure:
                full = scorable >= _TOGETHER * self._size
            if rows and not self._all and (full or len(rows) >= _MAX_CHUNK or size_bytes > _MAX_CHUNK_BYTES):
                yield rows
                rows, scorable, size_bytes = [], 0, 0
            rows.append(item)
            figure = key
            if isinstance(item, Sample):
                scorable += _scorable(item)
                size_bytes += len(item.image) if isinstance(item.image, bytes) else 0
        if rows:
            yield rows


def figure_key(item: Sample | BadRow) -> str | int | None:
    """Equal for samples about the same picture in the same form; cheap."""
    image = item.image if isinstance(item, Sample) else None
    if isinstance(image, bytes):
        return hash(image)
    return str(image) if isinstance(image, Path) else None


def score_chunk(metrics: Sequence[Metric], samples: list[Sample]) -> list[tuple[Score, ...]]:
    """Scores of one chunk: a tuple (a score a metric) a sample. Never raises for a sample."""
    if not samples:
        return []
    return list(zip(*(_guarded(metric, samples) for metric in metrics)))


def _guarded(metric: Metric, samples: list[Sample]) -> list[Score]:
    start = time.perf_counter()
    try:
        scores = [_checked(s, x) for s, x in zip(samples, _aligned(metric, samples))]
    except Exception as e:  # whatever a metric throws costs one row, not the run
        if len(samples) > 1:
            return [score for s in samples for score in _guarded(metric, [s])]
        s = samples[0]
        return [Score.unscored(s.id, metric.info.name, metric.signature, _said(e), system=s.system)]
    each = (time.perf_counter() - start) * 1000 / len(samples)
    return [x if x.elapsed_ms else replace(x, elapsed_ms=each) for x in scores]


def _aligned(metric: Metric, samples: list[Sample]) -> list[Score]:
    scores = metric.score_batch(samples)
    if [x.id for x in scores] != [s.id for s in samples]:
        raise RuntimeError(f"metric {metric.info.name!r} did not give one score a sample, in order")
    return scores


def _checked(sample: Sample, score: Score) -> Score:
    """Refuse NaN, and say what the input's reader did to the row."""
    values = [*score.scores.values(), score.value]
    if any(v is not None and not math.isfinite(v) for v in values):
        raise RuntimeError("the metric gave NaN or infinity")
    if DUPLICATE_OF in sample.extra:
        warning = f"the id {str(sample.extra[DUPLICATE_OF])[:80]!r} was given before; this row is numbered"
        return replace(score, warnings=(*score.warnings, warning))
    return score


def _said(e: Exception) -> str:
    if isinstance(e, F2TEvalError):
        return str(e)
    if isinstance(e, MemoryError):
        return "out of memory on this row"
    lines = str(e).strip().splitlines()
    return f"internal error ({type(e).__name__}{': ' + lines[0][:200] if lines else ''})"


def score(
    samples: str | Path | Iterable[Sample | Mapping[str, Any] | BadRow],
    metric: str | Metric | Callable[..., Any] = "evidence",
    *,
    jobs: int = 0,
    **options: Any,
) -> list[Score]:
    """Score samples; the Python face of ``f2teval score``.

    Args:
        samples: an input file or folder (see :func:`f2teval.data.read_samples`), or samples, or plain dicts with the
            same fields.
        metric: a name of ``f2teval list metrics``, an object with ``info`` and ``score_batch``, or a callable
            ``samples → {id: score}``.
        jobs: worker processes; 0 scores in this one.
        options: passed to the metric's constructor.

    Returns:
        one score a sample, in order; bad ones are unscored with a reason.

    Raises:
        InputError: the input as a whole cannot be read. UsageError: no such metric or option.
    """
    items = _items(samples)
    return [row.scores[0] for row in run(items, [MetricSpec(metric, options)], jobs=jobs)]


def _items(samples: str | Path | Iterable[Sample | Mapping[str, Any] | BadRow]) -> Iterable[Sample | BadRow]:
    from f2teval.data import read_samples, to_sample

    if isinstance(samples, (str, Path)):
        return read_samples(samples)
    items: list[Sample | BadRow] = []
    for number, item in enumerate(samples, 1):
        if isinstance(item, (Sample, BadRow)):
            items.append(item)
            continue
        try:
            items.append(to_sample(item, number=number))
        except InputError as e:
            items.append(BadRow(str(item.get("id") or f"row-{number}"), str(e), f"sample {number}"))
    return items
