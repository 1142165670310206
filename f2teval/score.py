"""Score: what a metric says of a sample, with the evidence and a signature."""

from __future__ import annotations

import hashlib
import json
import math
import sys
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from f2teval.rubric import DIMENSION_NAMES, overall

Box = tuple[float, float, float, float]
"""``x0, y0, x1, y1`` in pixels of the original picture, origin at the top left."""

Status = Literal["ok", "unscored"]


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """One error found in a text: the evidence for a lower score.

    Attributes:
        type: a key of :data:`f2teval.rubric.ERROR_TYPES`.
        start, end: character offsets into the sample's text.
        said: what the text says there.
        seen: what the figure (or the other sentence) shows; empty when nothing can be shown.
        box: where in the picture, or ``None``.
        note: one short sentence for people.
        confidence: 0–1, how sure the check is.
    """

    type: str
    start: int
    end: int
    said: str = ""
    seen: str = ""
    box: Box | None = None
    note: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """One sentence: where it stands, how likely it holds a factual error (0–1, ``None`` if not judged), which errors.

    ``verdicts`` lists what was checked as plain dicts (claim kind, span, status, said, seen, box); ``levels`` the
    semantic levels it reaches (1 encoding, 2 statistics, 3 trends, 4 context); ``why`` the parts that add up to
    ``p_error`` (feature → log-odds).
    """

    text: str
    start: int
    end: int
    p_error: float | None = None
    errors: tuple[ErrorSpan, ...] = ()
    verdicts: tuple[Mapping[str, Any], ...] = ()
    levels: tuple[int, ...] = ()
    why: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the text mentions of what the figure holds, and what it leaves out (short names for people)."""

    mentioned: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """What a metric says of one sample.

    Attributes:
        scores: dimension → value in [0, 2], or ``None`` where this metric cannot say (``reasons`` says why).
            A metric that is not on the five dimensions (BLEU, CLIPScore …) leaves this empty and sets ``value``.
        value: the metric's own number on its own scale, for metrics with a single number.
        status: "unscored" with a ``reason`` when nothing could be said. An unscored row is never a 0.
        reasons: dimension → why it is ``None``.
        explain: what went into each dimension (feature → contribution in score points), for people and reports.
    """

    id: str
    metric: str
    signature: str
    system: str = ""
    status: Status = "ok"
    reason: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    value: float | None = None
    sentences: tuple[SentenceScore, ...] = ()
    coverage: Coverage | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    explain: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    elapsed_ms: float = 0.0

    @property
    def overall(self) -> float | None:
        """Mean of the five dimensions over 2 in [0, 1]; for a single-number metric its value; ``None`` if unscored."""
        if self.status == "unscored":
            return None
        if self.scores:
            return overall(dict(self.scores))
        return self.value

    @classmethod
    def unscored(cls, id: str, metric: str, signature: str, reason: str, **fields: Any) -> Score:
        """A row that could not be scored, and why."""
        return cls(id=id, metric=metric, signature=signature, status="unscored", reason=reason, **fields)

    def to_row(self) -> dict[str, Any]:
        """The row written to JSONL/Parquet: plain types only, NaN never (raises ``ValueError`` on one)."""
        row: dict[str, Any] = {
            "id": self.id,
            "system": self.system,
            "metric": self.metric,
            "signature": self.signature,
            "status": self.status,
            "reason": self.reason,
            "scores": {d: _finite(self.scores[d]) for d in DIMENSION_NAMES if d in self.scores},
            "overall": _finite(self.overall),
            "value": _finite(self.value),
            "sentences": [asdict(s) for s in self.sentences],
            "coverage": asdict(self.coverage) if self.coverage else None,
            "reasons": dict(self.reasons),
            "explain": {k: dict(v) for k, v in self.explain.items()},
            "warnings": list(self.warnings),
            "elapsed_ms": round(self.elapsed_ms, 3),
        }
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Score:
        """Inverse of :meth:`to_row`; unknown keys are ignored, missing ones take their defaults."""
        sentences = tuple(
            SentenceScore(
                text=s["text"],
                start=s["start"],
                end=s["end"],
                p_error=s.get("p_error"),
                errors=tuple(_error(e) for e in s.get("errors") or ()),
                verdicts=tuple(s.get("verdicts") or ()),
                levels=tuple(s.get("levels") or ()),
                why=dict(s.get("why") or {}),
            )
            for s in row.get("sentences") or ()
        )
        cov = row.get("coverage")
        return cls(
            id=str(row["id"]),
            metric=row["metric"],
            signature=row.get("signature", ""),
            system=row.get("system") or "",
            status=row.get("status", "ok"),
            reason=row.get("reason"),
            scores=dict(row.get("scores") or {}),
            value=row.get("value"),
            sentences=sentences,
            coverage=Coverage(tuple(cov["mentioned"]), tuple(cov["missing"])) if cov else None,
            reasons=dict(row.get("reasons") or {}),
            explain=dict(row.get("explain") or {}),
            warnings=tuple(row.get("warnings") or ()),
            elapsed_ms=row.get("elapsed_ms", 0.0),
        )


def _error(e: Mapping[str, Any]) -> ErrorSpan:
    box = e.get("box")
    return ErrorSpan(
        type=e["type"],
        start=e["start"],
        end=e["end"],
        said=e.get("said", ""),
        seen=e.get("seen", ""),
        box=(box[0], box[1], box[2], box[3]) if box else None,
        note=e.get("note", ""),
        confidence=e.get("confidence", 1.0),
    )


def _finite(x: float | None) -> float | None:
    if x is None:
        return None
    if not math.isfinite(x):
        raise ValueError("a score must be finite; report what cannot be scored as unscored")
    return float(x)


def make_signature(metric: str, **facts: Any) -> str:
    """A short, stable signature of everything that determines a metric's numbers.

    ``metric|key:value|…|v:VERSION``, keys sorted; values longer than 24 characters are replaced by a hash. Two equal
    signatures on the same input give the same numbers.
    """
    from f2teval import __version__

    parts = [metric]
    for key in sorted(facts):
        value = facts[key]
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
        if len(text) > 24:
            text = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        parts.append(f"{key}:{text}")
    parts.append(f"v:{__version__}")
    return "|".join(parts)


class _CallableModule(types.ModuleType):
    """``f2teval.score`` is this module and, for users, the function: importing the one must not hide the other."""

    def __call__(self, *args: Any, **options: Any) -> list[Score]:
        from f2teval.run import score

        return score(*args, **options)


sys.modules[__name__].__class__ = _CallableModule
