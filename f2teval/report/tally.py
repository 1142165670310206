"""Means by system, counts, and the worst texts, gathered while rows stream by. Memory does not grow with the rows."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from f2teval.errors import UsageError
from f2teval.rubric import DIMENSION_NAMES, SCALE_MAX
from f2teval.run import Outcome
from f2teval.sample import Sample
from f2teval.score import Score

_MAX_SYSTEMS: Final = 10_000
_OTHERS: Final = "(more systems)"


@dataclass(slots=True)
class Mean:
    """A running mean."""

    n: int = 0
    total: float = 0.0

    def add(self, value: float) -> None:
        self.n += 1
        self.total += value

    @property
    def value(self) -> float | None:
        return self.total / self.n if self.n else None


@dataclass(slots=True)
class Group:
    """One system under one metric: how many rows, how many scored, a mean for each number."""

    total: int = 0
    scored: int = 0
    means: dict[str, Mean] = field(default_factory=dict)

    def add(self, score: Score) -> None:
        self.total += 1
        if score.status == "ok":
            self.scored += 1
            for name, value in values_of(score):
                self.means.setdefault(name, Mean()).add(value)

    def mean(self, name: str) -> float | None:
        return self.means[name].value if name in self.means else None


class Bad(NamedTuple):
    """One of the worst texts."""

    item: Sample
    score: Score
    badness: float


class Tally:
    """Gathers outcomes.

    Attributes:
        groups: ``(metric, system)`` → :class:`Group`, in order of appearance.
        reasons: why rows are unscored → how many rows.
        warnings: what scored rows warn of → how many rows.
        errors: error type → how many were found.
    """

    def __init__(self, worst: int = 3) -> None:
        self.groups: dict[tuple[str, str], Group] = {}
        self.reasons: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.samples = self.torn = self.unscored = 0
        self._worst: list[tuple[float, int, Bad]] = []
        self._keep = worst

    def add(self, outcome: Outcome) -> None:
        self.samples += 1
        self.unscored += any(score.status == "unscored" for score in outcome.scores)
        for score in outcome.scores:
            key = (score.metric, score.system)
            if key not in self.groups and len(self.groups) >= _MAX_SYSTEMS:
                key = (score.metric, _OTHERS)
            self.groups.setdefault(key, Group()).add(score)
            if score.status == "unscored":
                self._count(self.reasons, _general(score.reason or "no reason given"))
            for warning in score.warnings:
                self._count(self.warnings, warning)
            for sentence in score.sentences:
                self.errors.update(e.type for e in sentence.errors)
        if isinstance(outcome.item, Sample):
            self._rank(outcome.item, outcome.scores[0])

    def _count(self, counter: Counter[str], text: str) -> None:
        counter[text if text in counter or len(counter) < 200 else "other"] += 1

    def _rank(self, item: Sample, score: Score) -> None:
        goodness = _goodness(score)
        if goodness is None or not self._keep:
            return
        light = replace(item, image=None) if isinstance(item.image, bytes) else item
        entry = (-goodness, -self.samples, Bad(light, score, -goodness))
        if len(self._worst) < self._keep:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)

    def worst(self) -> list[Bad]:
        """The worst texts of the first metric, worst first."""
        return [bad for _, _, bad in sorted(self._worst, key=lambda e: (-e[0], -e[1]))]

    def metrics(self) -> list[str]:
        """Names of the metrics, in order."""
        return list(dict.fromkeys(metric for metric, _ in self.groups))

    def of(self, metric: str) -> Iterator[tuple[str, Group]]:
        """Systems of a metric."""
        return ((system, group) for (name, system), group in self.groups.items() if name == metric)

    def overall(self, metric: str) -> Group:
        """All systems of a metric together (means over rows, not over systems)."""
        result = Group()
        for _, group in self.of(metric):
            result.total += group.total
            result.scored += group.scored
            for name, mean in group.means.items():
                kept = result.means.setdefault(name, Mean())
                kept.n += mean.n
                kept.total += mean.total
        return result


def values_of(score: Score) -> Iterator[tuple[str, float]]:
    """The numbers of a scored row: its dimensions, "overall" where all five are there, or "value"."""
    for name in DIMENSION_NAMES:
        value = score.scores.get(name)
        if value is not None:
            yield name, value
    if score.scores:
        if score.overall is not None:
            yield "overall", score.overall
    elif score.value is not None:
        yield "value", score.value


def _goodness(score: Score) -> float | None:
    """For ranking only: the overall score, or the mean of the dimensions there are, or the metric's value."""
    numbers = dict(values_of(score))
    for name in ("overall", "value"):
        if name in numbers:
            return numbers[name]
    return sum(numbers.values()) / len(numbers) / SCALE_MAX if numbers else None


def _general(reason: str) -> str:
    """A reason without the place it happened at, so that equal ones are counted together."""
    head, colon, tail = reason.partition(": ")
    return tail if colon and any(c.isdigit() for c in head) and " " not in head.strip() else reason


class Threshold(NamedTuple):
    """``--fail-under``: a number that must not fall below ``limit``; of one metric, or of all that have it."""

    name: str
    limit: float
    metric: str = ""

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """From ``faithfulness=1.5`` or ``metric.faithfulness=1.5``. Raises :class:`UsageError`."""
        left, _, right = text.partition("=")
        metric, _, name = left.strip().rpartition(".")
        known = (*DIMENSION_NAMES, "overall", "value")
        try:
            limit = float(right)
        except ValueError:
            limit = float("nan")
        if name not in known or limit != limit:
            raise UsageError(f"--fail-under takes NAME=NUMBER with NAME one of {', '.join(known)}; got {text!r}")
        top = SCALE_MAX if name in DIMENSION_NAMES else 1.0
        if name != "value" and not 0 <= limit <= top:
            raise UsageError(f"{name} is between 0 and {top:g}; --fail-under {text} can never be met or missed")
        return cls(name, limit, metric)

    def applies(self, metric: str) -> bool:
        return self.metric in ("", metric)


def check_means(tally: Tally, thresholds: list[Threshold]) -> list[str]:
    """What falls short, one line each; a number that no row has falls short too: a gate must not open on nothing."""
    short = []
    for t in thresholds:
        found = [(m, g) for m in tally.metrics() if t.applies(m) and (g := tally.overall(m).means.get(t.name))]
        if not found:
            short.append(f"{t.name} was never scored, so {t.name} >= {t.limit:g} cannot be shown")
        for metric, mean in found:
            value = mean.value
            assert value is not None
            if value < t.limit:
                short.append(f"mean {t.name} {value:.3f} < {t.limit:g} ({metric}, {mean.n} texts)")
    return short


def check_each(outcome: Outcome, thresholds: list[Threshold]) -> list[str]:
    """The same for a single text."""
    short = []
    for score in outcome.scores:
        numbers = dict(values_of(score))
        short += [
            f"{score.id}: {t.name} {numbers[t.name]:.3f} < {t.limit:g}"
            for t in thresholds
            if t.applies(score.metric) and t.name in numbers and numbers[t.name] < t.limit
        ]
    return short
