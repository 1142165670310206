"""CIDEr and CIDEr-D (Vedantam, Zitnick and Parikh 2015), without Java.

N-grams are weighted by how rare they are among the reference sets of the corpus, so a number means nothing without
that corpus: document frequencies come from the samples given to :meth:`prepare` or from a frozen file, and the
signature names them.

One name is used for two formulas in the literature. The paper's CIDEr is a mean of cosines; CIDEr-D clips counts and
punishes a difference in length, and the COCO evaluation code prints *CIDEr-D* under the name CIDEr. Here ``cider`` is
what that code prints (so that it can be compared with published tables), ``cider-d`` is the same number under its own
name, and ``cider-cosine`` is the formula of the paper.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, OrderedDict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from f2teval.errors import InputError
from f2teval.metric import MetricInfo
from f2teval.metrics.ptb import words
from f2teval.metrics.single import CannotScoreError, SingleNumberMetric, references
from f2teval.sample import Sample
from f2teval.score import make_signature

ORDERS: Final = 4
SIGMA: Final = 6.0
_KEEP: Final = 20_000
"""Reference sets whose counts are kept; texts by several systems about one figure share theirs."""

Gram = str
"""Words joined by single spaces: strings keep their hash, and the garbage collector does not visit them."""


class _Counts(NamedTuple):
    """N-gram counts of one text, shorter orders first; where in them each order ends; and the text's length as the COCO
    code takes it (number of bigrams)."""

    grams: dict[Gram, int]
    ends: tuple[int, ...]
    length: int


def _count(text: str) -> _Counts:
    one = words(text)
    two = [a + " " + b for a, b in pairwise(one)]
    three = [a + " " + b for a, b in zip(two, one[2:])]
    four = [a + " " + b for a, b in zip(three, one[3:])]
    every = [*one, *two, *three, *four]
    # Most captions repeat nothing, and then counting is not needed.
    grams = dict.fromkeys(every, 1)
    sizes = [len(one), len(two), len(three), len(four)]
    if len(grams) < len(every):
        grams = dict(Counter(every))
        sizes = [len(set(order)) for order in (one, two, three, four)]
    return _Counts(grams, tuple(accumulate(sizes)), len(two))


class Frequencies(NamedTuple):
    """In how many of ``documents`` reference sets each n-gram occurs; ``key`` identifies them in signatures."""

    documents: int
    of: dict[Gram, int]
    key: str

    @classmethod
    def read(cls, path: Path) -> Frequencies:
        """From a file written by :meth:`write`. Raises :class:`InputError`."""
        try:
            data = path.read_bytes()
            content: Any = orjson.loads(data)
            of = {str(gram): int(n) for gram, n in content["df"].items()}
            documents = int(content["documents"])
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as e:
            raise InputError(
                f"no document frequencies: {e}",
                where=str(path),
                hint='expected {"documents": N, "df": {"two words": n}}; Cider.frequencies.write makes one',
            ) from e
        return cls(documents, of, f"{path.stem}-{hashlib.blake2b(data, digest_size=4).hexdigest()}")

    def write(self, path: Path) -> None:
        """As JSON, n-grams in alphabetical order."""
        path.write_bytes(orjson.dumps({"documents": self.documents, "df": dict(sorted(self.of.items()))}))


class Cider(SingleNumberMetric):
    """CIDEr as the COCO evaluation prints it (the formula of CIDEr-D), in [0, 10].

    Args:
        df: a file of frozen document frequencies (:meth:`Frequencies.write`); without it they come from the references
            of all samples given to :meth:`prepare`, each distinct reference set counting once.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        name="cider",
        needs=frozenset({"references", "corpus"}),
        bounds=(0.0, 10.0),
        description="what COCO evaluation prints as CIDEr (the CIDEr-D formula)",
        citation="Vedantam et al. 2015",
    )
    clip: ClassVar[bool] = True

    def __init__(self, df: str | Path | None = None) -> None:
        self._frozen = df is not None
        self.frequencies: Frequencies | None = Frequencies.read(Path(df)) if df is not None else None
        self._known: OrderedDict[tuple[str, ...], list[_Counts]] = OrderedDict()
        self._idf: dict[Gram, float] | None = None

    @property
    def signature(self) -> str:
        f = self.frequencies
        return make_signature(
            self.info.name,
            n=ORDERS,
            sigma=SIGMA if self.clip else "none",
            tok="ptb",
            df=f.key if f else "none",
            docs=f.documents if f else 0,
        )

    def prepare(self, samples: Sequence[Sample]) -> None:
        """Count document frequencies over the distinct reference sets of ``samples`` (nothing to do when frozen)."""
        if self._frozen:
            return
        of: Counter[Gram] = Counter()
        seen: set[bytes] = set()
        for s in samples:
            refs = tuple(r for r in s.references if r.strip())
            key = hashlib.blake2b("\x00".join(refs).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if not refs or key in seen:
                continue
            seen.add(key)
            of.update({gram for counts in self._references(refs) for gram in counts.grams})
        digest = hashlib.blake2b(b"".join(sorted(seen)), digest_size=6).hexdigest()
        self.frequencies = Frequencies(len(seen), of, f"corpus-{digest}")
        self._idf = None

    def _references(self, refs: tuple[str, ...]) -> list[_Counts]:
        found = self._known.get(refs)
        if found is None:
            found = self._known[refs] = [_count(r) for r in refs]
            if len(self._known) > _KEEP:
                self._known.popitem(last=False)
        return found

    def value(self, sample: Sample) -> float:
        refs = tuple(references(sample))
        f = self.frequencies
        if f is None:
            raise CannotScoreError("no document frequencies: call prepare with all samples, or give df=FILE")
        if f.documents < 2:
            raise CannotScoreError(
                "CIDEr weighs n-grams by how many figures' references hold them and needs at least two figures; "
                "give frozen document frequencies (df=FILE) to score one alone"
            )
        if self._idf is None:
            top = math.log(f.documents)
            self._idf = {gram: top - math.log(max(n, 1)) for gram, n in f.of.items()}
        unseen = math.log(f.documents)
        counts = _count(sample.text)
        candidate = {gram: n * self._idf.get(gram, unseen) for gram, n in counts.grams.items()}
        norms = _norms(counts, self._idf, unseen)
        total = 0.0
        for ref in self._references(refs):
            dots = [0.0] * ORDERS
            for gram in candidate.keys() & ref.grams.keys():
                w, r = candidate[gram], ref.grams[gram] * self._idf.get(gram, unseen)
                dots[gram.count(" ")] += (min(w, r) if self.clip else w) * r
            if not any(dots):
                continue
            scales = _norms(ref, self._idf, unseen)
            cosine = sum(d / (a * b) for d, a, b in zip(dots, norms, scales) if d)
            if self.clip:
                cosine *= math.exp(-((counts.length - ref.length) ** 2) / (2 * SIGMA**2))
            total += cosine / ORDERS
        return total / len(refs) * 10


class CiderD(Cider):
    __doc__ = Cider.__doc__
    info: ClassVar[MetricInfo] = MetricInfo(
        name="cider-d",
        needs=frozenset({"references", "corpus"}),
        bounds=(0.0, 10.0),
        description="CIDEr-D: clipped counts, length penalty; the same number as cider",
        citation="Vedantam et al. 2015",
    )


class CiderCosine(Cider):
    """CIDEr as the paper defines it: mean cosine of TF-IDF vectors over orders and references, times 10, in [0, 10]."""

    info: ClassVar[MetricInfo] = MetricInfo(
        name="cider-cosine",
        needs=frozenset({"references", "corpus"}),
        bounds=(0.0, 10.0),
        description="CIDEr by the formula of its paper: mean cosine, no clipping, no length penalty",
        citation="Vedantam et al. 2015",
    )
    clip: ClassVar[bool] = False


def _norms(counts: _Counts, idf: dict[Gram, float], unseen: float) -> list[float]:
    """Euclidean norm of the TF-IDF vector of each order."""
    squares = [(n * idf.get(gram, unseen)) ** 2 for gram, n in counts.grams.items()]
    starts = (0, *counts.ends)
    return [math.sqrt(sum(squares[a:b])) for a, b in pairwise(starts)]
