"""Names of a figure found in a text: series, categories and their loose spellings.

:class:`NameTable` is made once a figure; looking a text up costs time in its length. A name is found by its tokens:
words few names share weigh more than common ones, so "Compact" is not taken for "Compact SUV & crossover",
and "Republicans" is found in "Rep/Lean Rep".
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

from f2teval.claims.wordforms import STOP, Token, fold, tokens

_MEMO_LIMIT: Final = 4096
_GAP: Final = 3  # tokens a name may be interrupted by
_MIN_COVER: Final = 0.55
_ASIDE = re.compile(r"\([^()]{0,80}\)|\*")
_MAX_NAMES: Final = 400
_GENERIC: Final = frozenset(
    {"year", "month", "date", "number", "value", "%", "total", "other", "all", "net", "yes", "no"}
)


class Name(NamedTuple):
    """A name of the figure: its role, what it stands for and its folded tokens."""

    role: str
    targets: tuple[str, ...]
    folds: tuple[str, ...]


class Hit(NamedTuple):
    """A span of the text that names something of the figure. ``first``/``last`` are token positions, inclusive.

    ``targets`` are the names it may stand for (one unless the span is ambiguous); ``similarity`` is 0–1.
    """

    start: int
    end: int
    first: int
    last: int
    role: str
    targets: tuple[str, ...]
    similarity: float


class NameTable:
    """Names by their tokens, with fuzzy lookup of words the figure spells otherwise."""

    def __init__(self, names: Iterable[tuple[str, str, tuple[str, ...]]]) -> None:
        """Names as (role, text, what it stands for)."""
        self.names: list[Name] = []
        aside: list[frozenset[str]] = []
        torn: list[list[tuple[str, tuple[str, str]]]] = []
        seen: set[tuple[str, str]] = set()
        for role, text, targets in names:
            if (role, text) in seen or len(self.names) >= _MAX_NAMES:
                continue
            seen.add((role, text))
            folds = tuple(dict.fromkeys(t.fold for t in tokens(text[:200])))
            if any((not f.isdigit() and len(f) > 1) or len(f) > 2 for f in folds):
                self.names.append(Name(role, targets, folds))
                main = {t.fold for t in tokens(_ASIDE.sub(" ", text[:200]))}
                aside.append(frozenset(folds) - main if main else frozenset())
                torn.append(_torn(text[:200]))
        frequency: dict[str, Counter[str]] = {}
        for name in self.names:
            frequency.setdefault(name.role, Counter()).update(set(name.folds))
        self.postings: dict[str, list[int]] = {}
        self.weights: list[dict[str, float]] = []
        self.total: list[float] = []
        for i, name in enumerate(self.names):
            counts = frequency[name.role]
            plain = [f for f in name.folds if f not in STOP]
            weight = {f: (1.0 if f in plain else 0.15) / counts[f] ** 0.5 for f in name.folds}
            if not plain:
                weight = dict.fromkeys(name.folds, 1.0)
            self.weights.append(weight)
            self.total.append(sum(weight.values()))
            for joined, parts in torn[i]:  # "Hispa nics": text recognition tears words
                weight[joined] = sum(weight[p] for p in parts)
            for f in weight:
                self.postings.setdefault(f, []).append(i)
        self._long = sorted(f for f in self.postings if len(f) >= 4 and not f[0].isdigit())
        self._short = [f for f in self.postings if 4 <= len(f) <= 6 and f.isalpha()]
        self._memo: dict[str, tuple[str, float] | None] = {}

    def word(self, folded: str) -> tuple[str, float] | None:
        """The figure's token that a text's token stands for and how well, or ``None``."""
        if folded in self.postings:
            return folded, 1.0
        if len(folded) < 4 or folded in STOP or folded[0].isdigit():
            return None
        if folded in self._memo:
            return self._memo[folded]
        if len(self._memo) > _MEMO_LIMIT:
            self._memo.clear()
        found = self._fuzzy(folded)
        self._memo[folded] = found
        return found

    def _fuzzy(self, folded: str) -> tuple[str, float] | None:
        best: tuple[str, float] | None = None
        for known in self._long:
            score = alike(folded, known)
            if score > (best[1] if best else 0.0):
                best = (known, score)
        if best is None:
            for known in self._short:  # "Conserv" and "Mod" are cut words in figures
                if len(known) <= len(folded) - 2 and folded.startswith(known):
                    return known, 0.75
        return best

    def find(self, words: Sequence[Token], blocked: frozenset[int] | set[int] = frozenset()) -> list[Hit]:
        """Non-overlapping hits in text order (overlap is allowed between different roles only for the same words).

        ``blocked`` are token positions that are taken (numbers, dates).
        """
        where: dict[int, list[tuple[int, str, float]]] = {}
        for i, token in enumerate(words):
            if i in blocked:
                continue
            known = self.word(token.fold)
            if known is not None:
                for n in self.postings[known[0]]:
                    where.setdefault(n, []).append((i, known[0], known[1]))
        candidates: list[tuple[float, float, int, int, int]] = []
        for n, spots in where.items():
            candidates.extend(self._windows(n, spots, words))
        return self._choose(candidates, words)

    def _windows(
        self, n: int, spots: list[tuple[int, str, float]], words: Sequence[Token]
    ) -> list[tuple[float, float, int, int, int]]:
        """Runs of tokens that cover enough of name ``n``: (score, cover, first, last, n)."""
        found: list[tuple[float, float, int, int, int]] = []
        weight = self.weights[n]
        run: list[tuple[int, str, float]] = []

        def close() -> None:
            while run and run[-1][1] in STOP and len(weight) > 1:
                run.pop()
            while run and run[0][1] in STOP and len(weight) > 1:
                run.pop(0)
            if not run:
                return
            cover = sum(weight[f] * max(s for _, g, s in run if g == f) for f in {f for _, f, _ in run}) / self.total[n]
            if cover >= _MIN_COVER and self._speaks(n, run, cover, words):
                loose = run[-1][0] - run[0][0] + 1 - len(run)
                score = cover * (1 + 0.3 * len(run)) * (1 - 0.08 * min(loose, 6))
                before = words[run[0][0] - 1] if run[0][0] else None
                if (
                    (
                        cover < 0.99
                        and before
                        and before.text[:1].isupper()
                        and run[0][0] - 1 > 0
                        and before.fold not in STOP
                    )
                    and words[run[0][0]].start - before.end == 1
                    and before.fold not in self.names[n].folds
                ):
                    cover, score = 0.6 * cover, 0.6 * score  # "Democratic-leaning" is not "Republican-leaning"
                    if cover < _MIN_COVER:
                        return
                found.append((score, min(1.0, cover), run[0][0], run[-1][0], n))

        for spot in spots:
            if run and spot[0] - run[-1][0] > _GAP:
                close()
                run = []
            repeated = next((k for k, (_, f, _) in enumerate(run) if f == spot[1]), None)
            if repeated is not None:
                rest = run[repeated + 1 :]
                close()
                run = rest
            run.append(spot)
        close()
        return found

    def _speaks(self, n: int, run: list[tuple[int, str, float]], cover: float, words: Sequence[Token]) -> bool:
        """Whether the words found say the name, and not only a common word of it."""
        name = self.names[n]
        folds = {f for _, f, _ in run}
        if folds <= STOP or folds <= _GENERIC:
            # "Other", "Yes", "Neither": only capitalised inside a sentence or in quotes.
            first = words[run[0][0]]
            return cover > 0.9 and (first.text[:1].isupper() and run[0][0] > 0 and first.text != "I")
        if len(folds) == 1 and len(name.folds) > 1:
            f = next(iter(folds))
            return len(f) >= 3 or f in {"us", "uk", "eu", "x", "z"}
        return True

    def _choose(self, candidates: list[tuple[float, float, int, int, int]], words: Sequence[Token]) -> list[Hit]:
        candidates.sort(key=lambda c: (-c[0], c[2]))
        taken: dict[int, tuple[str, int, int]] = {}
        hits: dict[tuple[str, int, int], tuple[list[str], float, float]] = {}
        for score, cover, first, last, n in candidates:
            role, names = self.names[n].role, self.names[n].targets
            key = (role, first, last)
            if key in hits:
                targets, best, _ = hits[key]
                if score >= 0.97 * best and len(targets) < 6:
                    targets.extend(t for t in names if t not in targets)
                continue
            clash = False
            for i in range(first, last + 1):
                if i in taken and taken[i][1:] != (first, last):
                    clash = True
                    break
            if clash:
                continue
            # The same words as another role: keep it only where it fits about as well.
            other = next((hits[k][1] for k in hits if k[1:] == (first, last)), None)
            if other is not None and score < 0.9 * other:
                continue
            hits[key] = (list(names), score, cover)
            for i in range(first, last + 1):
                taken[i] = key
        found = [
            Hit(words[first].start, words[last].end, first, last, role, tuple(targets), cover)
            for (role, first, last), (targets, _, cover) in hits.items()
        ]
        found.sort(key=lambda h: (h.start, h.role))
        return found


def _torn(text: str) -> list[tuple[str, tuple[str, str]]]:
    """Pairs of neighbouring words that may be one word torn in two: the fold of the whole, and those of the parts."""
    found = []
    words = tokens(text)
    for a, b in itertools.pairwise(words):
        if b.start - a.end == 1 and b.text.isalpha() and b.text.islower() and a.text.isalpha() and b.fold not in STOP:
            whole = fold(a.text + b.text)
            if whole and a.fold not in STOP and min(len(a.text), len(b.text)) <= 5:
                found.append((whole, (a.fold, b.fold)))
    return found


def alike(a: str, b: str) -> float:
    """Similarity of two folded words: misspellings (OCR) and one word's other endings; 0 when they are not alike."""
    la, lb = len(a), len(b)
    if a[0] == b[0]:
        shared = 0
        for x, y in zip(a, b):
            if x != y:
                break
            shared += 1
        shorter = min(la, lb)
        if shared >= 5 and shared >= shorter - 1 and abs(la - lb) <= 4:
            return 0.85
        if shared >= 4 and shared == shorter and abs(la - lb) <= 3:
            return 0.8
    if abs(la - lb) <= 2 and la >= 5 and lb >= 5:
        distance = OSA.distance(a, b, score_cutoff=2)
        if distance <= (1 if min(la, lb) < 8 else 2):
            return 1.0 - distance / max(la, lb)
    return 0.0


def find_folds(text: str) -> set[str]:
    """The folded tokens of a text, as a set."""
    return {t.fold for t in tokens(text)}


__all__ = ["Hit", "Name", "NameTable", "find_folds", "fold"]
