"""What every detector works on: the tokens, the numbers, and each sentence's frame, each computed once a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from f2teval.claims.claim import Issue, Quantity
from f2teval.claims.tokens import Words, lexicon


@cache
def word_class(name: str) -> frozenset[str]:
    """A section of the grammar lexicon."""
    return lexicon("grammar")[name]


@cache
def function_words() -> frozenset[str]:
    """Words of the closed classes, without the nouns and verbs of content."""
    g = lexicon("grammar")
    names = ("det", "prep", "conj", "pron", "be", "have", "do", "modal", "contracted", "adverb", "dangling")
    return frozenset().union(*(g[n] for n in names)) | {"been", "being", "there", "s", "so", "such", "own"}


@cache
def verb_forms() -> frozenset[str]:
    """Forms that may be the finite verb of a sentence."""
    g = lexicon("grammar")
    forms = set(g["irregular"]) | set(g["be"]) | set(g["have"]) | set(g["do"]) | set(g["modal"]) | set(g["contracted"])
    for base in g["verbs"]:
        forms.add(base)
        forms.add(third_person(base))
        forms.update(past_forms(base))
    return frozenset(forms)


def third_person(base: str) -> str:
    """says, goes, tries."""
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def past_forms(base: str) -> tuple[str, ...]:
    """used, tried, dropped (and "droped", which harms nothing)."""
    if base.endswith("e"):
        return (base + "d",)
    if base.endswith("y") and base[-2] not in "aeiou":
        return (base[:-1] + "ied",)
    if base[-1] not in "aeiouwxy" and len(base) > 2 and base[-2] in "aeiou" and base[-3] not in "aeiou":
        return (base + base[-1] + "ed", base + "ed")
    return (base + "ed",)


@dataclass(slots=True)
class Frame:
    """A sentence reduced to what it states.

    Attributes:
        key: its words and numbers in order, lower case.
        core: its content words without the words of direction, as a set.
        numbers: its numbers as written, as a set.
        directions: sections of the lexicon of directions found in it, with their token index, in order.
    """

    key: tuple[str, ...]
    core: frozenset[str]
    numbers: frozenset[str]
    directions: tuple[tuple[str, int], ...]


class Material:
    """A text ready for the detectors.

    ``figure_words`` are the words read off the picture (one line a box), ``context`` is whatever else is known (the
    figure's own caption, the paragraph around it); either may be empty.
    """

    def __init__(
        self, words: Words, figure_words: str = "", context: str = "", quantities: Sequence[Quantity] | None = None
    ) -> None:
        self.words = words
        self.figure_words = figure_words
        self.context = context
        self._quantities = quantities

    @cached_property
    def quantities(self) -> list[list[Quantity]]:
        """The numbers of each sentence."""
        found = self._quantities
        if found is None:
            from f2teval.claims.numbers import find_quantities

            found = find_quantities(self.words.text)
        per: list[list[Quantity]] = [[] for _ in self.words.spans]
        k = 0
        for q in sorted(found, key=lambda q: q.start):
            while k < len(per) and self.words.spans[k][1] <= q.start:
                k += 1
            if k == len(per):
                break
            if q.start >= self.words.spans[k][0]:
                per[k].append(q)
        return per

    @cached_property
    def frames(self) -> list[Frame]:
        """The frame of each sentence."""
        words, small = self.words, function_words()
        low = words.low
        frames = []
        for (i, j), found in zip(words.sentences, words.found("directions")):
            hits = [h for h in found if not _no_direction(low, h.section, h.first, h.last, j)]
            tokens = low[i:j]
            taken = {low[t] for h in hits for t in range(h.first, h.last)}
            key = tuple([t for t in tokens if t[0].isalnum()])
            numbers = frozenset([t for t in key if t[0].isdigit()])
            core = frozenset(key) - small - taken - numbers
            frames.append(Frame(key, core, numbers, tuple([(h.section, h.first) for h in hits])))
        return frames

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All tokens of the text in lower case: most detectors have nothing to do, and see it here."""
        return frozenset(self.words.low)

    @cached_property
    def shape(self) -> list[tuple[int, bool]]:
        """For each sentence the number of its words, and whether one of them may be a verb."""
        verbs = verb_forms()
        low = self.words.low
        return [
            (len([t for t in low[i:j] if t[0].isalpha()]), not verbs.isdisjoint(low[i:j]))
            for i, j in self.words.sentences
        ]

    @cached_property
    def touching(self) -> list[int]:
        """Tokens that begin where the one before ends, in the same sentence."""
        w = self.words
        return [t for t in range(1, len(w.low)) if w.start[t] == w.end[t - 1] and w.of[t] == w.of[t - 1]]

    def issue(
        self,
        detector: str,
        kind: str,
        sentence: int,
        tokens: tuple[int, int],
        confidence: float,
        note: str,
        seen: str = "",
    ) -> Issue:
        """An issue over a token range."""
        i, j = tokens
        start, end = self.words.start[i], self.words.end[j - 1]
        return Issue(
            kind, sentence, start, end, self.words.text[start:end][:200], seen[:200], note, confidence, detector
        )

    def whole(self, sentence: int) -> tuple[int, int]:
        """The token range of a sentence."""
        return self.words.sentences[sentence]


def _no_direction(low: list[str], section: str, first: int, last: int, stop: int) -> bool:
    """ "most of", "at least", "at most", "more than 5": no extreme and no comparison of two things."""
    before = low[first - 1] if first else ""
    after = low[last] if last < stop else ""
    if section in {"highest", "lowest"}:
        return (
            before == "at"
            or (low[first] in {"most", "least"} and after in {"of", ""})
            or (low[first] == "most" and before != "the")
        )
    if section in {"higher", "lower"} and after == "than" and last + 1 < stop:
        return low[last + 1][0].isdigit() or low[last + 1] in {"half", "a"}
    return False
