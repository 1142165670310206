"""Tokens of a text with exact offsets, and lexicons of words and phrases to look up in them.

Everything that judges wording works on one :class:`Words`, made once a text: a linear scan, no backtracking, so that a
text of 100 KB costs milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

Span = tuple[int, int]

_TOKEN: Final = re.compile(
    r"(?:[A-Za-z]\.){2,}"  # U.S., e.g.
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*"  # words, don't
    r"|\d+(?:[.,]\d+)*"  # 1,200.5
    r"|([^\w\s]|_)\1*"  # a run of one sign
)


class Words:
    """The tokens of a text.

    Attributes:
        text: the text itself.
        raw: tokens as written. Words, numbers and signs are tokens of their own ("the2016" is two that touch).
        low: the same in lower case with straight apostrophes.
        start, end: offsets of each token into the text.
        of: the sentence of each token.
        sentences: for each sentence the half-open range of its tokens.
        spans: for each sentence its offsets into the text.
    """

    __slots__ = ("_found", "end", "low", "of", "raw", "sentences", "spans", "start", "text")

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self.text = text
        self.spans = list(spans)
        raw: list[str] = []
        start: list[int] = []
        end: list[int] = []
        sentences: list[Span] = []
        of: list[int] = []
        for n, (s, e) in enumerate(self.spans):
            first = len(raw)
            for m in _TOKEN.finditer(text, s, e):
                raw.append(m.group())
                a, b = m.span()
                start.append(a)
                end.append(b)
            sentences.append((first, len(raw)))
            of += [n] * (len(raw) - first)
        self.raw = raw
        lowered = "\n".join(raw).lower().replace("’", "'").split("\n") if raw else []
        # a few letters (İ) lower to two code points but never to a line break, so the count holds
        self.low = lowered
        self.start = start
        self.end = end
        self.sentences = sentences
        self.of = of
        self._found: dict[str, list[list[Hit]]] = {}

    def found(self, name: str) -> list[list[Hit]]:
        """The phrases of a lexicon in each sentence; looked up once a text."""
        hits = self._found.get(name)
        if hits is None:
            find = lexicon(name).find
            hits = self._found[name] = [list(find(self.low, i, j)) for i, j in self.sentences]
        return hits

    def slice(self, i: int, j: int) -> str:
        """The text from token ``i`` up to and without token ``j``."""
        return self.text[self.start[i] : self.end[j - 1]] if j > i else ""


class Hit(NamedTuple):
    """A phrase found: its section, and its half-open token range."""

    section: str
    first: int
    last: int


class Lexicon:
    """Words and phrases in named sections, read from a text file of the package.

    Format: ``[section]`` lines, then entries separated by commas or line ends; ``#`` starts a comment; ``*`` in a
    phrase stands for any one token (not the first two). Entries are lower case.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.sections: dict[str, frozenset[str]] = {}
        # first token -> sections of that word alone, and second token -> [(section, remaining tokens)]
        self._alone: dict[str, list[str]] = {}
        self._phrases: dict[str, dict[str, list[tuple[str, tuple[str, ...]]]]] = {}
        section = ""
        entries: dict[str, set[str]] = {}
        for line in lines:
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            if line.startswith("[") and line.endswith("]"):
                section = line[1:-1]
                entries.setdefault(section, set())
                continue
            entries[section].update(e.strip() for e in line.split(",") if e.strip())
        for name, found in entries.items():
            self.sections[name] = frozenset(found)
            for entry in found:
                first, *rest = [m.group() for m in _TOKEN.finditer(entry)]
                if rest:
                    self._phrases.setdefault(first, {}).setdefault(rest[0], []).append((name, tuple(rest[1:])))
                else:
                    self._alone.setdefault(first, []).append(name)
        for seconds in self._phrases.values():
            for options in seconds.values():
                options.sort(key=lambda o: (-len(o[1]), o))

    def __getitem__(self, section: str) -> frozenset[str]:
        """The entries of a section as written."""
        return self.sections[section]

    def find(self, low: Sequence[str], first: int = 0, last: int | None = None) -> Iterator[Hit]:
        """Every phrase that occurs in ``low[first:last]``; overlapping ones too, longest first at a place."""
        stop = len(low) if last is None else last
        phrases, alone = self._phrases, self._alone
        for i in range(first, stop):
            word = low[i]
            if word in phrases and i + 1 < stop:
                seconds = phrases[word]
                options = seconds.get(low[i + 1])
                if options is not None:
                    for section, rest in options:
                        n = i + 2 + len(rest)
                        if n <= stop and all(w == "*" or w == g for w, g in zip(rest, low[i + 2 : n])):
                            yield Hit(section, i, n)
            if word in alone:
                for section in alone[word]:
                    yield Hit(section, i, i + 1)


@cache
def lexicon(name: str) -> Lexicon:
    """A lexicon of the package by file name without suffix; read once."""
    return Lexicon(files("f2teval.claims").joinpath("lexicons", f"{name}.txt").read_text("utf-8").splitlines())


def is_number(token: str) -> bool:
    """Whether a token is digits."""
    return token[0].isdigit()


def is_word(token: str) -> bool:
    """Whether a token is letters."""
    return token[0].isalpha()
