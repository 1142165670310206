"""Names and years that appear nowhere in the figure or in what is known of it.

World knowledge is no excuse: "according to the Pew Research Center" under a figure that does not say so is made up as
far as the reader can tell. How sure that is depends on how well the figure's words were read, so confidences are low
where the figure holds few words, and near spellings count as present.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from f2teval.claims.claim import Issue
from f2teval.claims.issues.material import Material, function_words
from f2teval.claims.tokens import lexicon
from f2teval.claims.wordset import wordset

_YEAR: Final = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d|2100)(?!\d)")
_SHORT_YEAR: Final = re.compile(r"(?:['’‘]|(?<!\d)(?:19|20)\d\d\s?[-–/])(\d\d)(?!\d)")
_INITIALS: Final = re.compile(r"(?:[A-Za-z]\.){2,}")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
# capitalised words that name nothing: parts of the figure, of time, of order; models write "The Y-axis"
_NO_NAMES: Final = wordset(
    """january february march april may june july august september october november december jan feb mar apr
    jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday spring summer
    autumn fall winter x y i axis axes chart graph figure fig table bar line pie q quarter english no yes
    not other others n a b c d e f g h vs internet web center research survey however overall source note
    title legend data us u s mr mrs dr percent p m positive negative blue red green orange gray grey yellow
    black white purple pink brown dark light none total average don't know"""
)


class FigureVocabulary:
    """The words and years that figure and context hold, with fuzzy lookup."""

    def __init__(self, figure_words: str, context: str) -> None:
        text = f"{figure_words}\n{context}"
        text += " " + " ".join(a.replace(".", "") for a in _INITIALS.findall(text))  # "U.S." is also "US"
        found = [w.lower().replace("’", "'") for w in _WORD.findall(text)]
        self.size = len(found)
        self.known = set(found)
        # glued by the reader of the picture: "PEWRESEARCHCENTER" holds "research"
        self.run = re.sub(r"[\W_]+", "", text).lower()
        self.stems = {w[:5] for w in self.known if len(w) >= 5}
        years = {int(y) for y in _YEAR.findall(text)}
        for short in _SHORT_YEAR.findall(text):
            years.update({1900 + int(short), 2000 + int(short)})
        self.years = years
        self._near: dict[str, bool] = {}
        self.figure_years = {int(y) for y in _YEAR.findall(figure_words)}

    def has(self, word: str) -> bool:
        """Whether a word of the text is there: as it is, as a near form, as another name, or inside a glued run."""
        if word in self.known or word in self.run:
            return True
        base = word[:-2] if word.endswith("'s") else word
        if base in self.run or (len(base) > 4 and base[:5] in self.stems):
            return True
        if base.endswith("ies") and base[:-3] in self.run:
            return True
        if base.endswith("s") and base[:-1] in self.run:
            return True
        return not self.known.isdisjoint(lexicon("other_names").sections.get(base, frozenset()))

    def near(self, word: str) -> bool:
        """Whether a word is there but for one or two letters the reader of the picture may have missed."""
        if len(word) < 4:
            return False
        found = self._near.get(word)
        if found is None:
            if len(self._near) > 4096:
                self._near.clear()
            limit = 1 if len(word) < 8 else 2
            hit = process.extractOne(word, self._candidates, scorer=Levenshtein.distance, score_cutoff=limit)
            found = self._near[word] = hit is not None
        return found

    @cached_property
    def _candidates(self) -> list[str]:
        return [w for w in self.known if len(w) > 3]

    def has_year(self, year: int) -> bool:
        """Whether a year is printed, or lies among those printed on an axis."""
        if year in self.years:
            return True
        printed = self.figure_years or self.years
        return len(printed) >= 2 and min(printed) <= year <= max(printed)


def vocabulary(m: Material) -> FigureVocabulary | None:
    """The figure's vocabulary; ``None`` when nothing is known of the figure."""
    if not (m.figure_words.strip() or m.context.strip()):
        return None
    return _vocabulary(m.figure_words, m.context)


@lru_cache(maxsize=256)
def _vocabulary(figure_words: str, context: str) -> FigureVocabulary:
    """Made once a figure: many texts are scored about the same one."""
    return FigureVocabulary(figure_words, context)


def unknown_names(m: Material) -> Iterator[Issue]:
    """Names (capitalised words, quoted words) that figure and context do not hold."""
    known = vocabulary(m)
    if known is None or known.size < 5:
        return
    low, raw = m.words.low, m.words.raw
    small = function_words()
    # a name is one only if it is not merely the first word of a sentence or of a title in capitals
    for n, (i, j) in enumerate(m.words.sentences):
        if j - i < 4:
            continue
        t = i
        while t < j:
            if not _is_name(raw[t], low[t], t == i or _opens(raw, t), small):
                t += 1
                continue
            s = t
            while t < j:
                joint = low[t] in {"of", "the", "&", "-", "for"} and t + 1 < j
                if not raw[t + joint][0].isupper() or low[t + joint] in small:
                    break
                t += 1
            words = [w for w in low[s:t] if w[0].isalpha() and w not in small and w.strip(".") not in _NO_NAMES]
            if not words:
                continue
            bare = [w.replace(".", "") for w in words]
            missing = [w for w in bare if not known.has(w)]
            missing = [w for w in missing if not known.near(w)]
            if not missing or len(missing) * 2 < len(bare):
                continue
            confidence = 0.35 + 0.15 * (len(missing) == len(bare)) + 0.1 * (len(bare) > 1) + 0.1 * (known.size >= 25)
            note = "is named nowhere in the figure or its context"
            yield m.issue("unknown_name", "out_of_context", n, (s, t), min(0.75, confidence), note)


def _opens(raw: list[str], t: int) -> bool:
    return raw[t - 1] in {":", ".", "“", '"', "-", "*", "**", "(", "•", "‘", "'"} if t else True


def _is_name(raw: str, low: str, opens: bool, small: frozenset[str]) -> bool:
    if not raw[0].isupper() or low in small:
        return False
    if opens and raw[1:].islower():
        return False
    return low.strip(".") not in _NO_NAMES or "." in raw


def unknown_years(m: Material) -> Iterator[Issue]:
    """Years that lie outside everything the figure prints."""
    known = vocabulary(m)
    if known is None or not known.years:
        return
    for n, quantities in enumerate(m.quantities):
        for q in quantities:
            if q.kind != "year" or not q.text[-2:].isdigit() or q.value != int(q.value):
                continue
            if not known.has_year(int(q.value)):
                away = min(abs(int(q.value) - y) for y in known.years)
                confidence = 0.7 if len(known.years) > 1 and away > 1 else 0.5
                a, b = q.start, q.end
                note = "the figure and its context do not reach this year"
                yield Issue("out_of_context", n, a, b, q.text, "", note, confidence, "unknown_year")
