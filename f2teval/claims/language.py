"""Is this text English prose that can be judged at all?

A text that cannot be judged is *unscored with a reason*, never a poor text. The test is cheap and offline: scripts of
the letters, and very frequent words of eighteen languages. It is built to accept when in doubt: a short caption full of
names ("GDP of Egypt, 2009–2019") has few frequent words in any language, and passes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final, NamedTuple

from f2teval.claims.tokens import lexicon

_LOOK_AT: Final = 20_000  # characters: enough to tell a language, and 100 KB texts stay cheap
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAMES: Final = {
    "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "sv": "Swedish", "da": "Danish or Norwegian", "pl": "Polish", "cs": "Czech", "tr": "Turkish", "ro": "Romanian",
    "id": "Indonesian", "vi": "Vietnamese", "fi": "Finnish", "hu": "Hungarian",
}  # fmt: skip
_SCRIPTS: Final = {
    "CYRILLIC": "Cyrillic", "GREEK": "Greek", "ARABIC": "Arabic", "HEBREW": "Hebrew", "CJK": "Chinese",
    "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean", "DEVANAGARI": "Devanagari", "THAI": "Thai",
    "BENGALI": "Bengali", "TAMIL": "Tamil", "ARMENIAN": "Armenian", "GEORGIAN": "Georgian",
}  # fmt: skip


_ODD = re.compile(r"[\ufffd\x00-\x08\x0e-\x1f\x7f-\x9f]")


class LanguageVerdict(NamedTuple):
    """Whether a text can be judged.

    Attributes:
        english: the text can be judged.
        language: "en", another ISO 639-1 code, or "und" when it is no language or cannot be told.
        confidence: 0–1 that ``english`` is right.
        reason: one line for people, empty when the text can be judged.
    """

    english: bool
    language: str
    confidence: float
    reason: str = ""


def detect(text: str) -> LanguageVerdict:
    """Tell whether a text is English prose; never raises."""
    if not text.strip():
        return LanguageVerdict(False, "und", 1.0, "the text is empty")
    sample = text[:_LOOK_AT]
    odd = len(_ODD.findall(sample))
    if odd > 0.02 * len(sample) + 1:
        return LanguageVerdict(False, "und", 0.99, "the text is not text: control or undecodable characters")
    letters = sum(map(str.isalpha, sample))
    if letters == 0:
        return LanguageVerdict(False, "und", 0.99, "the text has no words")
    foreign = _script(sample, letters)
    if foreign:
        return LanguageVerdict(False, "und", 0.99, f"the text is not English: mostly {foreign} script")
    words = _WORD.findall(sample)
    longest = max(map(len, words))
    if longest > 40 and longest > 0.5 * letters:
        return LanguageVerdict(False, "und", 0.9, "the text is not prose: one unbroken string of characters")
    return _by_words(words, sample)


def _script(sample: str, letters: int) -> str:
    """Name of the script other than Latin that holds most letters, or ""."""
    if sample.isascii():
        return ""
    count: dict[str, int] = {}
    for c in sample:
        if c > "\u036f" and c.isalpha():
            # names begin with the script ("CYRILLIC SMALL LETTER A"); Latin Extended Additional stays Latin
            first = unicodedata.name(c, "").split(" ", 1)[0].split("-", 1)[0]
            if first and first != "LATIN":
                count[first] = count.get(first, 0) + 1
    if not count:
        return ""
    name, n = max(count.items(), key=lambda item: item[1])
    if sum(count.values()) > 0.5 * letters and n > 1:
        return _SCRIPTS.get(name, name.capitalize())
    return ""


@cache
def _speaks() -> dict[str, tuple[str, ...]]:
    """Word → the languages it is frequent in."""
    found: dict[str, list[str]] = {}
    for code, known in lexicon("languages").sections.items():
        for w in known:
            found.setdefault(w, []).append(code)
    return {w: tuple(codes) for w, codes in found.items()}


def _by_words(written: list[str], sample: str) -> LanguageVerdict:
    lists = lexicon("languages").sections
    words = [w.lower().replace("’", "'") for w in written]
    # capitalised words inside a text are names ("Los Angeles, Las Vegas, El Paso"): they speak for no language
    plain = words if sample.isupper() else words[:1] + [w for w in written[1:] if w[0].islower()]
    score = dict.fromkeys(lists, 0)
    speaks = _speaks()
    for w in plain:
        for code in speaks.get(w, ()):
            score[code] += 1
    english = score.pop("en")
    code, other = max(score.items(), key=lambda item: item[1])
    # A name or two ("Rio de Janeiro", "Côte d'Ivoire") must not turn an English caption away: two more hits than
    # English are asked for, spread over different words, unless accents or a long text settle it.
    distinct = len({w for w in plain if w in lists[code]} - lists["en"])
    accents = sum(1 for c in sample if c > "\x7f" and c.isalpha())
    share = other / len(words)
    settled = distinct >= 3 or (distinct >= 2 and (accents > 0 or len(words) <= 8)) or (distinct >= 1 and accents >= 3)
    if other > english + 1 and settled and share > 0.12:
        confidence = min(0.99, 0.6 + 0.1 * (other - english))
        return LanguageVerdict(False, code, confidence, f"the text is not English: it looks {_NAMES[code]}")
    share = english / len(words)
    return LanguageVerdict(True, "en", min(0.99, 0.5 + share * 1.5))
