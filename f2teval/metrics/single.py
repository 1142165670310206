"""What metrics with one number share: the loop over a batch, and what makes a sample unfit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from f2teval.metric import MetricInfo
from f2teval.sample import Sample
from f2teval.score import Score


class CannotScoreError(Exception):
    """Raised by :meth:`SingleNumberMetric.value`; its text becomes the reason of the unscored row."""


class SingleNumberMetric:
    """A metric with one number a sample. Subclasses give ``info``, ``signature`` and :meth:`value`."""

    info: ClassVar[MetricInfo]

    @property
    def signature(self) -> str:
        raise NotImplementedError

    def value(self, sample: Sample) -> float:
        """The number for one sample. Raises :class:`CannotScoreError` with the reason."""
        raise NotImplementedError

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        signature = self.signature
        out = []
        for s in samples:
            try:
                if not s.text.strip():
                    raise CannotScoreError("the text is empty")
                value = self.value(s)
            except CannotScoreError as e:
                out.append(Score.unscored(s.id, self.info.name, signature, str(e), system=s.system))
            else:
                out.append(Score(s.id, self.info.name, signature, system=s.system, value=value))
        return out


def references(sample: Sample) -> list[str]:
    """The sample's references that hold any text. Raises :class:`CannotScoreError` when there is none."""
    found = [r for r in sample.references if r.strip()]
    if not found:
        raise CannotScoreError("no references")
    return found
