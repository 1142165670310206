"""The default metric: read the figure, check each claim of the text against it, and show what was found.

Offline, reference-free, on five dimensions. Faithfulness comes from the sentences' error probabilities
(:func:`f2teval.evidence.faithfulness.caption_faithfulness`); the other four from small scorecards over interpretable
features. Every number is a sum of named parts, given in ``explain`` (and in each sentence's ``why``).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from f2teval.claims.claim import Verdict
from f2teval.errors import F2TEvalError
from f2teval.evidence import cards as card_files
from f2teval.evidence.analysis import Analysis, Readings, analyse
from f2teval.evidence.card import Scorecard
from f2teval.evidence.cards import LEARNT
from f2teval.evidence.dimensions import dimension_features
from f2teval.evidence.faithfulness import caption_faithfulness
from f2teval.metric import MetricInfo
from f2teval.rubric import DIMENSION_NAMES, DIMENSIONS
from f2teval.sample import Sample
from f2teval.score import Box, Coverage, ErrorSpan, Score, SentenceScore, make_signature

MIN_CONFIDENCE: Final = 0.35
"""Findings less sure than this move ``p_error`` but are not shown to people as an error."""

NOT_A_CHART: Final = 0.35


class EvidenceMetric:
    """Scores a text against what can be read off its figure.

    Args:
        cards: folder with scorecards (``p_error.json`` and one a learnt dimension) made by ``f2teval fit``; the
            package's own by default. A card missing there is taken from the package.
        cache: keep readings on disk, so that a figure is read once, ever.

    Raises:
        CheckpointError: a scorecard that cannot be used.
    """

    info = MetricInfo(
        name="evidence",
        needs=frozenset(),
        dimensions=DIMENSION_NAMES,
        bounds=(0.0, 2.0),
        description="reads the figure, checks every claim, shows the evidence; offline",
        citation="f2teval",
    )

    def __init__(self, cards: str | Path | None = None, cache: bool = True) -> None:
        self._p_error, self._dims = card_files.load(Path(cards) if cards is not None else None)
        self._readings = Readings(cache=cache)
        from f2teval.figure import READER_VERSION

        digests = ".".join([self._p_error.digest, *(self._dims[d].digest for d in LEARNT)])
        self._signature = make_signature("evidence", cards=digests, reader=READER_VERSION)

    @property
    def signature(self) -> str:
        """Package version, reader version and the digests of the scorecards."""
        return self._signature

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        """One score a sample, in order; a sample that cannot be judged is unscored with the reason."""
        started = time.perf_counter()
        found: list[Analysis | str] = []
        for s in samples:
            try:
                found.append(analyse(s, self._readings))
            except F2TEvalError as e:
                found.append(getattr(e, "message", None) or str(e))
        scores = self._score_all(samples, found)
        each = (time.perf_counter() - started) * 1000 / max(len(samples), 1)
        for score in scores:
            object.__setattr__(score, "elapsed_ms", each)
        return scores

    def _score_all(self, samples: Sequence[Sample], found: Sequence[Analysis | str]) -> list[Score]:
        good = [a for a in found if isinstance(a, Analysis)]
        # One matrix for the sentences of all samples: the tables are looked up once a batch, not once a sentence.
        names = self._p_error.features
        rows = [row for a in good for row in a.features_for(names)]
        x = self._p_error.matrix(rows)
        p_all = self._p_error.predict(x)
        why_all = self._p_error.contributions(x) if rows else x
        dims: list[dict[str, float]] = []
        at = 0
        parts: list[slice] = []
        for a in good:
            part = slice(at, at + len(a.spans))
            at = part.stop
            parts.append(part)
            dims.append(dimension_features(a, p_all[part]))
        tables = {}
        for d in LEARNT:
            matrix = self._dims[d].matrix(dims)
            tables[d] = (self._dims[d].predict(matrix), self._dims[d].contributions(matrix) if dims else matrix)
        out: list[Score] = []
        n = 0
        for sample, one in zip(samples, found):
            if not isinstance(one, Analysis):
                out.append(Score.unscored(sample.id, "evidence", self.signature, one, system=sample.system))
                continue
            learnt = {d: (float(tables[d][0][n]), tables[d][1][n]) for d in LEARNT}
            out.append(self._one(one, p_all[parts[n]], why_all[parts[n]], learnt))
            n += 1
        return out

    def _one(self, a: Analysis, p: Any, why: Any, learnt: Mapping[str, tuple[float, Any]]) -> Score:
        names = self._p_error.features
        seen = a.reading is not None
        scores: dict[str, float | None] = {}
        explain: dict[str, dict[str, float]] = {}
        reasons: dict[str, str] = {}
        for d in DIMENSION_NAMES:
            if DIMENSIONS[d].needs_image and not seen:
                scores[d] = None
                reasons[d] = "the sample has no picture, and this dimension cannot be judged without"
            elif d == "faithfulness":
                scores[d] = caption_faithfulness(p)
                explain[d] = {f"sentence {i + 1}": -round(float(v), 4) for i, v in enumerate(p)}
            else:
                value, parts = learnt[d]
                scores[d] = value
                explain[d] = _named(self._dims[d], parts)
        sentences = tuple(
            self._sentence(a, i, float(p[i]) if seen else None, names, why[i]) for i in range(len(a.spans))
        )
        warnings = list(a.warnings)
        if a.reading is not None and a.reading.is_chart < NOT_A_CHART:
            warnings.append("the picture does not look like a chart; little of it could be checked")
        elif a.reading is not None and not a.reading.cells:
            warnings.append("no values could be read off the figure; statements about values were not checked")
        return Score(
            a.sample.id,
            "evidence",
            self.signature,
            system=a.sample.system,
            scores=scores,
            sentences=sentences,
            coverage=_coverage(a),
            reasons=reasons,
            explain=explain,
            warnings=tuple(warnings),
        )

    def _sentence(self, a: Analysis, i: int, p: float | None, names: Sequence[str], why: Any) -> SentenceScore:
        start, end = a.spans[i]
        verdicts = [v for v in a.verdicts if v.claim.sentence == i]
        errors = [_contradiction(v) for v in verdicts if v.status == "contradicted" and v.confidence >= MIN_CONFIDENCE]
        errors += [
            ErrorSpan(f.type, f.start, f.end, f.said, f.seen, None, f.note, round(f.confidence, 3))
            for f in a.issues
            if f.sentence == i and f.confidence >= MIN_CONFIDENCE and f.type
        ]
        return SentenceScore(
            text=a.text[start:end],
            start=start,
            end=end,
            p_error=p,
            errors=tuple(sorted(errors, key=lambda e: (e.start, e.end))),
            verdicts=tuple(_verdict_row(v) for v in verdicts),
            levels=a.levels[i] if a.levels else (),
            why={} if p is None else {n: round(c, 3) for n, c in zip(names, why.tolist()) if abs(c) >= 0.05},
        )


def _contradiction(v: Verdict) -> ErrorSpan:
    c = v.claim
    box = _pixels(v.box)
    return ErrorSpan(
        v.error_type or "value", c.start, c.end, v.said, v.seen, box, v.note, round(float(v.confidence), 3)
    )


def _pixels(box: Box | None) -> Box | None:
    """A box to a tenth of a pixel, as plain floats."""
    return (
        (round(float(box[0]), 1), round(float(box[1]), 1), round(float(box[2]), 1), round(float(box[3]), 1))
        if box
        else None
    )


def _verdict_row(v: Verdict) -> dict[str, Any]:
    return {
        "claim": v.claim.kind,
        "start": v.claim.start,
        "end": v.claim.end,
        "status": v.status,
        "confidence": round(float(v.confidence), 3),
        "said": v.said,
        "seen": v.seen,
        "box": _pixels(v.box),
    }


def _named(card: Scorecard, parts: Any) -> dict[str, float]:
    out = {"base": round(card.base, 3)}
    out.update({n: round(c, 3) for n, c in zip(card.features, np.asarray(parts).tolist()) if abs(c) >= 0.005})
    return out


def _coverage(a: Analysis) -> Coverage | None:
    return Coverage(tuple(a.coverage.mentioned), tuple(a.coverage.missing)) if a.coverage is not None else None
