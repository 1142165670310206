"""Controlled edits of a text: one object, attribute or relation swapped, by rules, with what it should have been.

An editor is anything with ``edit(text, kind, rng, names)``; the rule-based one here works offline. An editor that asks
a language model can take its place behind the same protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from random import Random
from typing import Any, Final, Protocol

KINDS: Final = ("object", "attribute", "relation")


@dataclass(frozen=True, slots=True)
class Edit:
    """One swap. ``start``/``end`` are offsets into the *edited* text; ``category`` says what kind of attribute."""

    text: str
    kind: str
    category: str
    start: int
    end: int
    old: str
    new: str

    @property
    def diff(self) -> str:
        """The explanation target: what it should be rather than what the edited text says."""
        return f"should be “{self.old}” rather than “{self.new}”"


class Editor(Protocol):
    """Makes one controlled error in a text, or returns ``None`` where the text offers no place for it."""

    def edit(self, text: str, kind: str, rng: Random, names: Sequence[Sequence[str]] = ()) -> Edit | None: ...


@lru_cache(maxsize=1)
def swaps() -> dict[str, Any]:
    """The lexicon of swaps."""
    raw = resources.files("f2teval.bench").joinpath("data/swaps.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(raw)
    return data


_NUMBER: Final = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\w]|[.,]\d)")
_NAME: Final = re.compile(r"\b[A-Z][\w&'’-]+(?: (?:of |and |& )?[A-Z][\w&'’-]+){0,3}")
_COMMON: Final = frozenset(
    {
        *("the", "in", "a", "an", "this", "that", "these", "those", "it", "its", "they", "from", "between", "overall"),
        *("however", "on", "at", "for", "with", "and", "but", "as", "among", "by", "while", "there", "according"),
        *("figure", "chart", "table", "fig", "after", "before", "of", "to", "no", "not", "most", "some", "all", "each"),
        *("when", "if"),
    }
)
_LONGEST: Final = 20_000


class RuleEditor:
    """Swaps by a lexicon, by the names of the figure, and by changing numbers."""

    def edit(self, text: str, kind: str, rng: Random, names: Sequence[Sequence[str]] = ()) -> Edit | None:
        """One swap of a kind ("object", "attribute", "relation").

        ``names`` are groups of the figure's own words: swapping within them makes the hardest negatives. Texts
        are read up to 20,000 characters.
        """
        head = text[:_LONGEST]
        options = {"object": self._objects, "attribute": self._attributes, "relation": self._relations}[kind](
            head, rng, names
        )
        options = [o for o in options if o[2].lower() != o[3].lower()]
        if not options:
            return None
        category = rng.choice(sorted({o[4] for o in options}))
        a, b, old, new, _ = rng.choice([o for o in options if o[4] == category])
        if old[:1].isupper() and new[:1].islower():
            new = new[0].upper() + new[1:]
        return Edit(text[:a] + new + text[b:], kind, category, a, a + len(new), old, new)

    def _objects(self, text: str, rng: Random, names: Sequence[Sequence[str]]) -> list[tuple[int, int, str, str, str]]:
        out = []
        for group in names:
            known = [n for n in dict.fromkeys(group) if len(n) > 1]
            for n in known:
                others = [o for o in known if o != n]
                if others:
                    out += [(m.start(), m.end(), m[0], rng.choice(others), "name") for m in _word(n).finditer(text)]
        if not out:
            found = [m for m in _NAME.finditer(text) if m[0].lower() not in _COMMON and (m.start() > 0 or " " in m[0])]
            distinct = list(dict.fromkeys(m[0] for m in found))
            if len(distinct) > 1:
                out += [
                    (m.start(), m.end(), m[0], rng.choice([d for d in distinct if d != m[0]]), "name") for m in found
                ]
        for first, *rest in swaps()["object"]:
            out += [(m.start(), m.end(), m[0], rng.choice(rest), "noun") for m in _word(first).finditer(text)]
        return out

    def _attributes(
        self, text: str, rng: Random, names: Sequence[Sequence[str]]
    ) -> list[tuple[int, int, str, str, str]]:
        out = []
        for category, pairs in swaps()["attribute"].items():
            for old, new in pairs:
                out += [(m.start(), m.end(), m[0], new, category) for m in _word(old).finditer(text)]
        taken = {n for group in names for n in group if n.isdigit()}
        for m in _NUMBER.finditer(text):
            year = not m[2] and "," not in m[1] and 1800 <= int(m[1]) <= 2100
            if year:
                pool = [t for t in taken if t != m[1]] or [str(int(m[1]) + rng.choice((-3, -2, -1, 1, 2, 3)))]
                out.append((m.start(), m.end(), m[0], rng.choice(sorted(pool)), "time"))
            else:
                out.append((m.start(), m.end(), m[0], wrong_number(m[0], rng), "number"))
        return out

    def _relations(
        self, text: str, rng: Random, names: Sequence[Sequence[str]]
    ) -> list[tuple[int, int, str, str, str]]:
        out: list[tuple[int, int, str, str, str]] = []
        for old, new in sorted(swaps()["relation"], key=lambda p: -len(p[0])):
            for m in _word(old).finditer(text):
                if not any(a < m.end() and m.start() < b for a, b, *_ in out):
                    out.append((m.start(), m.end(), m[0], new, "relation"))
        return out


@lru_cache(maxsize=4096)
def _word(word: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + re.escape(word) + r"(?!\w)", re.IGNORECASE if word.islower() else 0)


def wrong_number(text: str, rng: Random) -> str:
    """Another number in the same format: shifted by a third to double, or with digits swapped."""
    dec = len(text.split(".")[1]) if "." in text else 0
    v = float(text.replace(",", ""))
    for _ in range(8):
        w = v * rng.choice((0.4, 0.55, 0.7, 1.4, 1.7, 2.2)) if v else float(rng.randint(1, 9))
        new = f"{w:,.{dec}f}" if "," in text or v >= 10_000 else f"{w:.{dec}f}"
        if new != text:
            return new
    return f"{v + 1:.{dec}f}"
