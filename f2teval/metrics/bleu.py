"""BLEU of one text against its references (Papineni et al. 2002), by sacreBLEU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from f2teval.errors import MissingExtraError, UsageError
from f2teval.metric import MetricInfo
from f2teval.metrics.single import SingleNumberMetric, references
from f2teval.sample import Sample
from f2teval.score import make_signature


class Bleu(SingleNumberMetric):
    """Sentence BLEU divided by 100, in [0, 1].

    Effective order is on (orders longer than the text do not zero it) and case is ignored, as caption evaluation does;
    smoothing and tokenisation are sacreBLEU's. :meth:`corpus` gives the corpus score, which is not the mean of these.

    Args:
        order: longest n-gram, 1 to 4 in the literature.
        tokenize: one of sacreBLEU's tokenizers that need no download ("13a", "intl", "char", "zh", "none").
        lowercase: ignore case.
        smooth: sacreBLEU's smoothing ("exp", "floor", "add-k", "none").
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        name="bleu",
        needs=frozenset({"references"}),
        bounds=(0.0, 1.0),
        description="sentence BLEU-4 of sacreBLEU, lower case, effective order, over 100",
        citation="Papineni et al. 2002; Post 2018",
        extra="overlap",
    )

    def __init__(self, order: int = 4, tokenize: str = "13a", lowercase: bool = True, smooth: str = "exp") -> None:
        try:
            import sacrebleu
            from sacrebleu.metrics.bleu import BLEU
        except ImportError as e:
            raise MissingExtraError("BLEU", "overlap") from e
        if tokenize not in ("13a", "intl", "char", "zh", "none"):
            raise UsageError(f"no tokenizer {tokenize!r} here; known: 13a, intl, char, zh, none")
        try:
            self._bleu: Any = BLEU(
                max_ngram_order=order,
                tokenize=tokenize,
                lowercase=lowercase,
                smooth_method=smooth,
                effective_order=True,
            )
        except (AssertionError, ValueError) as e:
            raise UsageError(f"sacreBLEU does not take these options: {e}") from e
        self._facts = {
            "order": order,
            "tok": tokenize,
            "case": "lc" if lowercase else "mixed",
            "smooth": smooth,
            "eff": "yes",
            "sacrebleu": sacrebleu.__version__,
        }

    @property
    def signature(self) -> str:
        return make_signature("bleu", **self._facts)

    def value(self, sample: Sample) -> float:
        return min(float(self._bleu.sentence_score(sample.text, references(sample)).score) / 100, 1.0)

    def corpus(self, samples: Sequence[Sample]) -> float:
        """Corpus BLEU over 100: n-gram counts summed over the samples that have text and references."""
        rows = [(s.text, [r for r in s.references if r.strip()]) for s in samples if s.text.strip()]
        rows = [(text, refs) for text, refs in rows if refs]
        if not rows:
            raise UsageError("no sample has both a text and references")
        width = max(len(refs) for _, refs in rows)
        streams = [[refs[i] if i < len(refs) else None for _, refs in rows] for i in range(width)]
        return float(self._bleu.corpus_score([text for text, _ in rows], streams).score) / 100
