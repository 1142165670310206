"""Everything found about one sample, before any number is made of it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from f2teval.claims.check import check_claims
from f2teval.claims.claim import Claim, Issue, Verdict
from f2teval.claims.coverage import CoverageResult, measure_coverage
from f2teval.claims.index import FigureIndex
from f2teval.claims.language import detect
from f2teval.claims.levels import sentence_levels
from f2teval.claims.numbers import find_quantities
from f2teval.claims.parse import parse_claims
from f2teval.claims.sentences import split_sentences
from f2teval.claims.text_issues import find_issues
from f2teval.claims.tokens import Words
from f2teval.errors import F2TEvalError, SampleError
from f2teval.evidence.features import sentence_features
from f2teval.evidence.numbers import number_features
from f2teval.figure.reading import Reading
from f2teval.sample import Sample
from f2teval.settings import MAX_TEXT_CHARS

_DEAR: Final = ("number.", "style.")


@dataclass
class Analysis:
    """What was found about a sample: its sentences, what each claims, what the figure says of it, what is flawed.

    ``reading`` and ``index`` are ``None`` for a sample without a picture.
    """

    sample: Sample
    text: str
    spans: tuple[tuple[int, int], ...]
    reading: Reading | None
    index: FigureIndex | None
    words: Words
    claims: Sequence[Claim] = ()
    verdicts: Sequence[Verdict] = ()
    issues: Sequence[Issue] = ()
    levels: Sequence[tuple[int, ...]] = ()
    coverage: CoverageResult | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def sentence_features(self) -> list[dict[str, float]]:
        """Features of each sentence, all there are; see :mod:`f2teval.evidence.features`."""
        rows = self.finding_features
        if self.index is not None:
            for row, more in zip(rows, number_features(len(self.spans), self.claims, self.index)):
                row.update(more)
        for n, (row, (start, end)) in enumerate(zip(rows, self.spans)):
            row["style.words"] = float(self.text.count(" ", start, end) + 1)
            row["style.position"] = float(n)
            row["style.count"] = float(len(rows))
        return rows

    @property
    def finding_features(self) -> list[dict[str, float]]:
        """Those made of verdicts and issues alone: cheap, and all that most scorecards read."""
        return sentence_features(len(self.spans), self.verdicts, self.issues)

    def features_for(self, names: Sequence[str]) -> list[dict[str, float]]:
        """The cheapest rows that hold all of ``names``."""
        return self.sentence_features if any(n.startswith(_DEAR) for n in names) else self.finding_features


class Readings:
    """Readings and their indexes, in memory for the figures at hand; the disk cache stands behind.

    ``capacity`` figures are kept, least recently used out first, so memory stays flat however many are scored.
    """

    def __init__(self, capacity: int = 256, cache: bool = True) -> None:
        self._kept: OrderedDict[Any, tuple[Reading, FigureIndex] | F2TEvalError] = OrderedDict()
        self._capacity = capacity
        self._cache = cache
        self._lock = threading.Lock()

    def get(self, image: Path | bytes) -> tuple[Reading, FigureIndex]:
        """The reading of a picture and its index.

        Raises:
            ImageError: the picture cannot be read (the same error again for the same picture, without reading twice).
        """
        key = _identity(image)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        if found is None:
            from f2teval.figure import read_figure

            try:
                reading = read_figure(image, cache=self._cache)
                found = (reading, FigureIndex.of(reading))
            except F2TEvalError as e:
                found = e
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > self._capacity:
                    self._kept.popitem(last=False)
        if isinstance(found, F2TEvalError):
            raise found
        return found


def _identity(image: Path | bytes) -> Any:
    """A key that changes when the file does, without hashing its bytes for every text about it."""
    if isinstance(image, bytes):
        return image
    try:
        stat = image.stat()
    except OSError:
        return str(image)
    return (str(image), stat.st_size, stat.st_mtime_ns, stat.st_ino)


_READINGS: Final = Readings()


def analyse(sample: Sample, readings: Readings | None = None) -> Analysis:
    """Find everything there is to say of one sample.

    Raises:
        SampleError: the text is empty, or not English prose that can be judged.
        ImageError: the sample has a picture, and it cannot be read.
    """
    warnings: list[str] = []
    text = sample.text
    if not text.strip():
        raise SampleError("the text is empty", where=sample.id)
    if len(text) > MAX_TEXT_CHARS:
        warnings.append(f"only the first {MAX_TEXT_CHARS:,} of {len(text):,} characters were judged")
        text = text[:MAX_TEXT_CHARS]
    language = detect(text)
    if not language.english:
        raise SampleError(language.reason, where=sample.id)
    spans = _spans(sample, text)
    if not spans:
        raise SampleError("the text has no sentence", where=sample.id)
    reading, index = None, None
    if sample.image is not None:
        reading, index = (readings or _READINGS).get(sample.image)
    context = "\n".join(part for part in (sample.caption, sample.context) if part)
    claims: Sequence[Claim] = ()
    verdicts: Sequence[Verdict] = ()
    quantities = find_quantities(text)
    if index is not None:
        claims = parse_claims(text, spans, index, context, quantities)
        verdicts = check_claims(claims, index, text, context)
    words = Words(text, spans)
    issues = find_issues(text, spans, reading.words if reading else "", context, quantities, words)
    levels = sentence_levels(text, spans, words)
    coverage = measure_coverage(text, index, verdicts, spans, words) if index is not None else None
    return Analysis(sample, text, spans, reading, index, words, claims, verdicts, issues, levels, coverage, warnings)


def _spans(sample: Sample, text: str) -> tuple[tuple[int, int], ...]:
    if sample.sentences is None:
        return tuple(split_sentences(text))
    # Sentences given by the caller are kept one for one, so that an output lines up with its input.
    return tuple((s, min(e, len(text))) for s, e in sample.sentences if s < len(text))


def _read_one(image: Path | bytes) -> None:
    from f2teval.figure import read_figure

    with suppress(F2TEvalError):  # analysing the sample will say so
        read_figure(image)


def read_all(images: Iterable[Path | bytes], jobs: int = 1) -> None:
    """Read pictures into the disk cache, several processes at once; those already there cost nothing."""
    unique = list(dict.fromkeys(images))
    if jobs <= 1 or len(unique) < 4:
        for image in unique:
            _read_one(image)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        list(pool.map(_read_one, unique, chunksize=4))


def analyse_many(samples: Sequence[Sample], jobs: int = 1) -> list[Analysis | str]:
    """Analyse every sample in order; where one cannot be, the reason stands in its place."""
    read_all((s.image for s in samples if s.image is not None), jobs)
    readings = Readings()
    out: list[Analysis | str] = []
    for sample in samples:
        try:
            out.append(analyse(sample, readings))
        except F2TEvalError as e:
            out.append(str(e))
    return out
