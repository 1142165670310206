"""ROUGE-1, -2, -L and -Lsum (Lin 2004) as F1, with the tokens and the multi-reference rule of the rouge-score package.

Counted here rather than by that package because its longest common subsequence is a Python loop; the tests hold both
to the same numbers. Stemming, which needs its Porter stemmer, goes through it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from rapidfuzz.distance import LCSseq

from f2teval.errors import MissingExtraError
from f2teval.metric import MetricInfo
from f2teval.metrics.single import CannotScoreError, SingleNumberMetric, references
from f2teval.sample import Sample
from f2teval.score import make_signature

Tokens = list[str]

_WORD = re.compile(r"[a-z0-9]+")
_MAX_TOKENS = 4000
"""Longest text whose subsequences are traced sentence by sentence (Lsum); memory grows with the square."""


def _stemmer() -> Callable[[str], Tokens]:
    try:
        from rouge_score.tokenizers import DefaultTokenizer
    except ImportError as e:
        raise MissingExtraError("stemming in ROUGE", "overlap") from e
    tokens: Callable[[str], Tokens] = DefaultTokenizer(use_stemmer=True).tokenize
    return tokens


@lru_cache(maxsize=50_000)
def _plain(text: str) -> Tokens:
    return _WORD.findall(text.lower())


class _Rouge(SingleNumberMetric):
    """F1 in [0, 1], the best over the references.

    Words are runs of a–z and 0–9 after lower-casing, so a text without any is unscored.

    Args:
        stem: reduce words to Porter stems (extra "overlap").
    """

    def __init__(self, stem: bool = False) -> None:
        self._tokens = _stemmer() if stem else _plain
        self._stem = stem

    @property
    def signature(self) -> str:
        return make_signature(self.info.name, stem=self._stem, multi="max", tok="rouge-score")

    def value(self, sample: Sample) -> float:
        candidate = self._tokens(sample.text)
        if not candidate:
            raise CannotScoreError("the text has no word in a-z or 0-9, the only ones ROUGE counts")
        return max(self.f1(candidate, self._tokens(r)) for r in references(sample))

    def f1(self, candidate: Tokens, reference: Tokens) -> float:
        raise NotImplementedError


def _info(name: str, description: str) -> MetricInfo:
    return MetricInfo(
        name=name,
        needs=frozenset({"references"}),
        bounds=(0.0, 1.0),
        description=description,
        citation="Lin 2004",
    )


def _f1(hits: int, candidate: int, reference: int) -> float:
    if not hits:
        return 0.0
    # Written with precision and recall, as rouge-score does: the same rounding, so the same ties.
    precision, recall = hits / candidate, hits / reference
    return 2 * precision * recall / (precision + recall)


def _ngram_f1(candidate: Tokens, reference: Tokens, n: int) -> float:
    a = Counter(zip(*(candidate[i:] for i in range(n))))
    b = Counter(zip(*(reference[i:] for i in range(n))))
    hits = sum(min(count, b[gram]) for gram, count in a.items() if gram in b)
    return _f1(hits, sum(a.values()), sum(b.values()))


class Rouge1(_Rouge):
    __doc__ = _Rouge.__doc__
    info: ClassVar[MetricInfo] = _info("rouge1", "ROUGE-1 F1: shared words")

    def f1(self, candidate: Tokens, reference: Tokens) -> float:
        return _ngram_f1(candidate, reference, 1)


class Rouge2(_Rouge):
    __doc__ = _Rouge.__doc__
    info: ClassVar[MetricInfo] = _info("rouge2", "ROUGE-2 F1: shared pairs of words")

    def f1(self, candidate: Tokens, reference: Tokens) -> float:
        return _ngram_f1(candidate, reference, 2)


class RougeL(_Rouge):
    __doc__ = _Rouge.__doc__
    info: ClassVar[MetricInfo] = _info("rougeL", "ROUGE-L F1: longest common subsequence")

    def f1(self, candidate: Tokens, reference: Tokens) -> float:
        return _f1(LCSseq.similarity(candidate, reference), len(candidate), len(reference))


class RougeLsum(_Rouge):
    """Summary-level ROUGE-L: for each reference sentence the union of its subsequences with all candidate sentences.

    Sentences are those the sample gives, else lines. F1 in [0, 1], the best over the references.
    """

    info: ClassVar[MetricInfo] = _info("rougeLsum", "ROUGE-Lsum F1: union of subsequences, sentence by sentence")

    def value(self, sample: Sample) -> float:
        if sample.sentences:
            lines = [sample.text[a:b] for a, b in sample.sentences]
        else:
            lines = sample.text.split("\n")
        candidate = [t for t in map(self._tokens, lines) if t]
        if not candidate:
            raise CannotScoreError("the text has no word in a-z or 0-9, the only ones ROUGE counts")
        best = 0.0
        for r in references(sample):
            best = max(best, self._one([t for t in map(self._tokens, r.split("\n")) if t], candidate))
        return best

    def _one(self, reference: list[Tokens], candidate: list[Tokens]) -> float:
        m, n = sum(map(len, reference)), sum(map(len, candidate))
        if len(reference) == len(candidate) == 1:
            return _f1(LCSseq.similarity(candidate[0], reference[0]), n, m)
        if max(m, n) > _MAX_TOKENS:
            raise CannotScoreError(f"over {_MAX_TOKENS} words; ROUGE-Lsum is not computed on longer texts")
        left_ref = Counter(t for s in reference for t in s)
        left_cand = Counter(t for s in candidate for t in s)
        hits = 0
        for sentence in reference:
            union: set[int] = set()
            for other in candidate:
                union |= _lcs_positions(sentence, other)
            for at in sorted(union):
                token = sentence[at]
                # A word may be counted no more often than either side holds it.
                if left_cand[token] > 0 and left_ref[token] > 0:
                    hits += 1
                    left_cand[token] -= 1
                    left_ref[token] -= 1
        return _f1(hits, n, m)


def _lcs_positions(reference: Tokens, candidate: Tokens) -> set[int]:
    """Positions in ``reference`` of one longest common subsequence: of several, the one rouge-score takes."""
    rows = [[0] * (len(candidate) + 1)]
    for r in reference:
        above, row = rows[-1], [0]
        for j, c in enumerate(candidate):
            row.append(above[j] + 1 if r == c else max(row[j], above[j + 1]))
        rows.append(row)
    out = set()
    i, j = len(reference), len(candidate)
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            i, j = i - 1, j - 1
            out.add(i)
        elif rows[i][j - 1] > rows[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return out
