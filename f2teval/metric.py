"""The Metric protocol, the facts a metric declares, and the lazy registry.

A metric is any object with ``info`` and ``score_batch``, or a plain callable ``samples → {id: score}``
(:func:`as_metric` wraps it). To add one to the package: write ``f2teval/metrics/NAME.py`` and add one line to
``_BUILTIN``. Other packages register through the entry-point group ``f2teval.metrics``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final, Literal, Protocol, runtime_checkable

from f2teval.errors import UnknownNameError, UsageError
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample
from f2teval.score import Score

Need = Literal["image", "references", "context", "corpus"]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What a metric says of itself.

    Attributes:
        name: its name in the registry and in every row.
        needs: what a sample must have to be scored. "corpus": the batch given to ``prepare`` changes the numbers
            (CIDEr's document frequencies).
        dimensions: those of the five it gives; empty for a metric with one number of its own.
        bounds: of ``value`` (or of each dimension).
        higher_is_better: direction.
        description: one line for ``f2teval list``.
        citation: bibliographic key or short reference.
        extra: the extra to install, or ``None``.
    """

    name: str
    needs: frozenset[Need] = frozenset()
    dimensions: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 2.0)
    higher_is_better: bool = True
    description: str = ""
    citation: str = ""
    extra: str | None = None


@runtime_checkable
class Metric(Protocol):
    """Turns samples into scores.

    ``score_batch`` returns one :class:`Score` a sample, in order; it never raises for one bad sample (that one is
    *unscored*), and its numbers do not depend on how samples are batched. A metric whose numbers depend on the whole
    corpus also has ``prepare(samples)``, which the run loop calls once before the first batch.
    """

    info: MetricInfo

    @property
    def signature(self) -> str:
        """Everything that determines the numbers; see :func:`f2teval.score.make_signature`."""
        ...

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]: ...


class CallableMetric:
    """A plain function ``samples → {id: score}`` as a metric: a missing id is unscored."""

    def __init__(self, fn: Callable[[Sequence[Sample]], Mapping[str, float | None]], name: str | None = None) -> None:
        self._fn = fn
        self.info = MetricInfo(
            name=name or str(getattr(fn, "__name__", "callable")),
            bounds=(float("-inf"), float("inf")),
            description="a user's function",
            needs=frozenset({"corpus"}),
        )

    @property
    def signature(self) -> str:
        return f"{self.info.name}|callable"

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        values = self._fn(samples)
        out = []
        for s in samples:
            value = values.get(s.id)
            if value is None or value != value:
                out.append(Score.unscored(s.id, self.info.name, self.signature, "the function gave no score",
                                          system=s.system))  # fmt: skip
            else:
                out.append(Score(s.id, self.info.name, self.signature, system=s.system, value=float(value)))
        return out


_BUILTIN: Final[dict[str, str]] = {
    "evidence": "f2teval.metrics.evidence:EvidenceMetric",
    "f2teval": "f2teval.metrics.f2teval:F2TEvalMetric",
    "bleu": "f2teval.metrics.bleu:Bleu",
    "rouge1": "f2teval.metrics.rouge:Rouge1",
    "rouge2": "f2teval.metrics.rouge:Rouge2",
    "rougeL": "f2teval.metrics.rouge:RougeL",
    "rougeLsum": "f2teval.metrics.rouge:RougeLsum",
    "cider": "f2teval.metrics.cider:Cider",
    "cider-d": "f2teval.metrics.cider:CiderD",
    "cider-cosine": "f2teval.metrics.cider:CiderCosine",
    "bertscore": "f2teval.metrics.bertscore:BertScore",
    "clipscore": "f2teval.metrics.clipscore:ClipScore",
    "refclipscore": "f2teval.metrics.clipscore:RefClipScore",
}
"""name → ``module:class``; nothing is imported until asked for."""

_ABSENT: Final[dict[str, str]] = {
    "meteor": "METEOR is not offered: it needs WordNet and paraphrase tables, its reference program is Java, and "
    "NLTK's version downloads WordNet when it runs (docs/meta.md); bleu, rougeL, cider and bertscore are",
    "spice": "SPICE is not offered: it needs a Java scene-graph parser and its models; cider and clipscore are",
}
"""Metrics people will ask for that are left out on purpose, and why."""

ENTRY_POINT_GROUP: Final = "f2teval.metrics"


def names() -> list[str]:
    """Names of all metrics, built in and from entry points, sorted. Imports no metric."""
    return sorted({*_BUILTIN, *(e.name for e in metadata.entry_points(group=ENTRY_POINT_GROUP))})


def metric_class(name: str) -> Any:
    """The class behind a name, or behind ``module:attribute``. Raises :class:`UnknownNameError` with a suggestion."""
    if ":" in name:
        return _imported(name)
    target = _BUILTIN.get(name)
    if target is None:
        for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
            if entry.name == name:
                return entry.load()
        raise unknown(name)
    module, _, attr = target.partition(":")
    return getattr(importlib.import_module(module), attr)


def unknown(name: str) -> UsageError:
    """The error for a name that is no metric: why it was left out, or what is nearest."""
    why = _ABSENT.get(name.lower())
    return UsageError(why) if why else UnknownNameError("metric", name, names())


def _imported(path: str) -> Any:
    module, _, attribute = path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as e:
        raise UsageError(f"cannot import the metric {path!r}: {e}") from e


def get_metric(name: str, **options: Any) -> Metric:
    """Build a metric by name. Raises ``UnknownNameError``, ``MissingExtraError``, or ``UsageError`` on bad options."""
    cls = metric_class(name)
    if not isinstance(cls, type) and not options:
        return as_metric(cls)  # module:attribute may name an object or a plain function
    try:
        metric: Metric = cls(**options)
    except TypeError as e:
        raise UsageError(f"metric {name!r} does not take these options: {e}") from e
    return metric


def as_metric(metric: str | Metric | Callable[..., Any], **options: Any) -> Metric:
    """A metric from a name, a metric object, or a callable ``samples → {id: score}``."""
    if isinstance(metric, str):
        return get_metric(metric, **options)
    if hasattr(metric, "score_batch"):
        return metric  # type: ignore[return-value]
    if callable(metric):
        return CallableMetric(metric)
    raise UsageError(f"not a metric: {metric!r} (a name, an object with score_batch, or a callable)")


def infos() -> Iterator[MetricInfo]:
    """The declared facts of every metric. A class keeps them as the class attribute ``info``."""
    for name in names():
        yield metric_class(name).info


def check_dimensions(dimensions: Sequence[str]) -> None:
    """Raise :class:`UnknownNameError` for a name that is no dimension."""
    for d in dimensions:
        if d not in DIMENSION_NAMES:
            raise UnknownNameError("dimension", d, DIMENSION_NAMES)
