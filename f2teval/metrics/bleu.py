"""BLEU of one text against its references (Papineni et al. 2002), by sacreBLEU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
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
        self._lowercase = lowercase
        self._facts: dict[str, Any] = {
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
        return self._score(self.statistics(sample.text, references(sample)))

    def statistics(self, text: str, refs: Sequence[str]) -> list[int]:
        """What BLEU needs of one text: its length, the closest reference length (the shorter of two equally close), and
        for each order the matched and the total n-grams. Sums over texts give the corpus score."""
        candidate = self._tokens(text)
        order = self._facts["order"]
        counts = Counter(gram for n in range(1, order + 1) for gram in _grams(candidate, n))
        matched: dict[tuple[str, ...], int] = {}
        lengths = []
        for r in refs:
            tokens = self._tokens(r)
            lengths.append(len(tokens))
            # Only what the candidate holds is counted, and no longer n-gram matches where none of this order does.
            for n in range(1, order + 1):
                here = [gram for gram in _grams(tokens, n) if gram in counts]
                if not here:
                    break
                for gram, k in Counter(here).items():
                    if k > matched.get(gram, 0):
                        matched[gram] = k
        closest = min(lengths, key=lambda length: (abs(length - len(candidate)), length))
        correct = [0] * order
        for gram, n in matched.items():
            correct[len(gram) - 1] += min(n, counts[gram])
        total = [max(len(candidate) - n, 0) for n in range(order)]
        return [len(candidate), closest, *correct, *total]

    def corpus(self, samples: Sequence[Sample]) -> float:
        """Corpus BLEU over 100: statistics summed over the samples that have text and references."""
        rows = [(s.text, [r for r in s.references if r.strip()]) for s in samples if s.text.strip()]
        found = [self.statistics(text, refs) for text, refs in rows if refs]
        if not found:
            raise UsageError("no sample has both a text and references")
        return self._score([sum(column) for column in zip(*found)], effective=False)

    def _tokens(self, text: str) -> list[str]:
        text = text.lower() if self._lowercase else text
        tokens: list[str] = self._bleu.tokenizer(text.rstrip()).split()
        return tokens

    def _score(self, statistics: list[int], effective: bool = True) -> float:
        order = self._facts["order"]
        score = self._bleu.compute_bleu(
            correct=statistics[2 : 2 + order],
            total=statistics[2 + order :],
            sys_len=statistics[0],
            ref_len=statistics[1],
            smooth_method=self._facts["smooth"],
            effective_order=effective,
            max_ngram_order=order,
        )
        return min(float(score.score) / 100, 1.0)


def _grams(tokens: list[str], n: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[i:] for i in range(n)))
