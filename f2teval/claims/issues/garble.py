"""Words that make no text: labels of a figure strung together, glued tokens, code, foreign sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from f2teval.claims.claim import Issue
from f2teval.claims.issues.material import Material, function_words, verb_forms
from f2teval.claims.wordset import wordset

_MONTHS: Final = wordset(
    """january february march april may june july august september october november december jan feb mar apr jun
    jul aug sept sep oct nov dec"""
)
# words after which a bare number is ordinary English
_COUNTS: Final = wordset(
    """age ages aged figure fig table year years wave study experiment group day week month step level section
    chapter number no page version type phase question condition task tasks model round block participant
    scale category top part q graph chart panel rank ranks ranked session sessions row column size score
    scores dataset class grade task covid cop g world war area sector hypothesis trial item quarter bin case
    sd se ci std mean median m n p r f t then next plus only"""
)


_BEFORE_PERCENT: Final = wordset("high low higher lower large small total average mean great median this as in")
_DUMPED: Final = frozenset({"%", "source", "note", "net"})


def label_dump(m: Material) -> Iterator[Issue]:
    """Labels and numbers of the figure strung together: "Yes No Prevent misleading 88 food/drug advertising 5"."""
    low, raw, start, end, text = m.words.low, m.words.raw, m.words.start, m.words.end, m.words.text
    small, verbs = function_words(), verb_forms()
    suspects: dict[int, list[int]] = {}
    of = m.words.of
    for t in [t for t in range(1, len(low)) if low[t][0].isdigit() or low[t] in _DUMPED]:
        if of[t] == of[t - 1]:
            suspects.setdefault(of[t], []).append(t)
    for n, (i, j) in enumerate(m.words.sentences):
        if j - i < 4 or (n not in suspects and low[i] != "%"):
            continue
        clashes = 0
        first = last = -1
        if low[i] == "%" and low[i + 1] in {"of", "who", "saying", "with"}:
            clashes, first, last = 2, i, i + 1  # a subtitle of a chart taken for a sentence
        bare = 0
        for t in suspects.get(n, ()):
            a, b = low[t - 1], low[t]
            if start[t] - end[t - 1] != 1 or text[end[t - 1]] in "\t\n\r":
                continue  # touching, or columns of a table
            number_a, number_b = a[0].isdigit(), b[0].isdigit()
            if number_a and number_b:
                clash = 2  # "56 50": two numbers and nothing between them
            elif a == "%" and number_b:
                clash = 2  # "65% 7%"
            elif raw[t] in {"Source", "Note", "NET"} and a[0].isalnum() and t + 2 < j:
                clash = 1
            elif b == "%" and a[0].isalpha():
                follow = low[t + 1] if t + 1 < j else ""
                clash = (
                    2 if follow in {"of", "who"} and a not in small and a not in _BEFORE_PERCENT else 0
                )  # "... amid COVID-19 % of adults who": a subtitle glued to a title
            elif number_b and a[0].isalpha() and a not in small and a not in _COUNTS and a not in verbs:
                # "misleading 88 food": a number between two labels
                after = low[t + 1] if t + 1 < j else ""
                free = start[t + 1] > end[t] if after else True
                word_after = after[:1].isalpha() and after not in small
                clash = 1 if (word_after or not after) and free and a not in _MONTHS and not _year(b) else 0
                bare += clash
            else:
                clash = 0
            if clash:
                clashes += clash
                last = t
                if first < 0:
                    first = t - 1
        if clashes < 2:
            continue
        words = sum(1 for t in range(i, j) if low[t][0].isalpha())
        density = clashes / max(6, words)
        confidence = min(0.97, 0.55 + 1.2 * density + 0.05 * clashes)
        yield m.issue(
            "label_dump", "nonsense", n, (first, min(j, last + 2)), confidence, "labels strung together, not a sentence"
        )


def _year(token: str) -> bool:
    return len(token) == 4 and token.isdigit() and "1800" <= token <= "2100"


# A word of the language with digits stuck to it ("the2016", "where37", "from191,000", "on0%"). Names may carry digits
# (COVID19, iPad2), so lower-case words of the closed classes and verbs are asked for, or a percentage behind.
_STUCK_AFTER: Final = re.compile(r"\.{1,2}$|^[,;:]\.$|^[,;]$")


def glued(m: Material) -> Iterator[Issue]:
    """Digits, signs and words that touch where no writer lets them: "the2016", "on0%", "contrast,.9%"."""
    low, raw, start, end = m.words.low, m.words.raw, m.words.start, m.words.end
    small, verbs = function_words(), verb_forms()
    touching: dict[int, list[int]] = {}
    for t in m.touching:
        if low[t][0].isdigit() or low[t - 1][0].isdigit():
            touching.setdefault(m.words.of[t], []).append(t)
    has_odd = not m.vocabulary.isdisjoint(_ODD)
    for n, (i, j) in enumerate(m.words.sentences):
        if n not in touching and not has_odd:
            continue
        found: list[int] = []
        weak: list[int] = []  # "research8", "women65": a footnote mark at best
        for t in touching.get(n, ()):
            a, b = raw[t - 1], raw[t]
            if b[0].isdigit():
                if a.isalpha() and (t < 2 or start[t - 1] != end[t - 2]):
                    percent = t + 1 < j and raw[t + 1] == "%"
                    common = low[t - 1] in small or (low[t - 1] in verbs and len(a) > 3)
                    long = len(a) > 3 and a.islower() and low[t - 1] not in _CARRY_DIGITS
                    if (common and len(a) > 1) or (percent and len(a) > 2 and a[1:].islower()):
                        found.append(t)
                    elif long:
                        weak.append(t)
                elif a == "." and t - 2 >= i and end[t - 2] == start[t - 1] and raw[t - 2] in {",", "be", "the"}:
                    found.append(t)  # "contrast,.9"
                elif (
                    t - 2 >= i
                    and end[t - 2] == start[t - 1]
                    and ((a in {",.", "..", "."} and _plain(raw[t - 2])) or (a == "," and low[t - 2] in _LEADING))
                ):
                    found.append(t)  # "the.100", "contrast,.9" and "a,66%"
                elif a[0] == "|" or (a in {"<", ">"} and t + 1 < j and raw[t + 1] == "%"):
                    found.append(t)
            elif b[0].isalpha() and a[0].isdigit() and len(b) > 3 and b[0].isupper() and b[1:].islower():
                found.append(t)  # "2Barack"
        odd = [t for t in range(i, j) if low[t] in _ODD] if has_odd else []
        marks = sorted({*found, *odd})
        if weak and not marks:
            t = weak[0]
            note = "a word and a number run together"
            yield m.issue("glued", "nonsense", n, (t - 1, t + 1), 0.55, note)
        if marks:
            t = marks[0]
            lo = t - 1 if t in found else t
            confidence = min(0.95, 0.7 + 0.1 * len(marks))
            yield m.issue("glued", "nonsense", n, (lo, t + 1), confidence, "characters run together without sense")


_LEADING: Final = frozenset({"a", "an", "the", "of", "but", "and", "or"})
_ODD: Final = frozenset({"|", "><", "||", "xmlschema", "img", "xmlschemas"})
_CARRY_DIGITS: Final = wordset(
    """covid iphone ipad windows python group table figure version model wave phase task session subject
    participant user day week study condition class intel chart panel item level node type"""
)


def _plain(token: str) -> bool:
    return len(token) > 3 and token[0].islower()


def no_words(m: Material) -> Iterator[Issue]:
    """A sentence without a word: a list number on its own, a lone quotation mark, a row of digits."""
    low = m.words.low
    for n, (i, j) in enumerate(m.words.sentences):
        if j > i and not m.shape[n][0]:
            digits = sum(1 for t in low[i:j] if t[0].isdigit())
            yield m.issue("no_words", "nonsense", n, (i, j), 0.9 if digits < 2 else 0.6, "there is no word in it")


_FOREIGN: Final = wordset("""de fr es it pt nl sv da pl cs tr ro id vi fi hu""")


def foreign_sentence(m: Material) -> Iterator[Issue]:
    """A sentence in another language inside an English text."""
    from f2teval.claims.language import detect

    small = function_words()
    low = m.words.low
    for n, (i, j) in enumerate(m.words.sentences):
        if j - i < 4 or any(t in small for t in low[i:j] if len(t) > 2):
            continue  # one ordinary English word is enough to spare the sentence the costlier look
        a, b = m.words.spans[n]
        verdict = detect(m.words.text[a:b])
        if not verdict.english and (verdict.language in _FOREIGN or "script" in verdict.reason):
            yield m.issue("foreign_sentence", "nonsense", n, (i, j), 0.8 * verdict.confidence, verdict.reason)


def salad(m: Material) -> Iterator[Issue]:
    """Many words, hardly one that binds them, no list: words that do not make a sentence."""
    low = m.words.low
    small = function_words()
    for n, (i, j) in enumerate(m.words.sentences):
        size, verb = m.shape[n]
        if size < 9 or verb:
            continue
        words = [t for t in low[i:j] if t[0].isalpha()]
        binding = sum(1 for t in words if t in small)
        commas = sum(1 for t in low[i:j] if t in {",", ";", ":", "(", "|", "\t"})
        share = binding / len(words)
        if share < 0.17 and commas * 5 < len(words):
            confidence = 0.55 + min(0.35, (0.17 - share) * 2)
            yield m.issue("salad", "nonsense", n, (i, j), confidence, "words that do not make a sentence")
