"""Broken grammar that can be told by closed word classes alone; what needs real parsing is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from f2teval.claims.claim import Issue
from f2teval.claims.issues.material import Material, function_words, past_forms, third_person, word_class
from f2teval.claims.wordset import wordset

_FINITE_BE_HAVE: Final = frozenset({"is", "are", "was", "were", "has", "have", "had"})
_BE: Final = frozenset({"is", "are", "was", "were"})
_NEVER_AFTER_ARTICLE: Final = frozenset({"of", "for", "from", "with", "among", "between", "during", "because", "than"})
_NEVER_BEFORE_BE: Final = frozenset({"between", "among", "during", "per", "the", "a", "an"})
_NEVER_BEFORE_COMMA: Final = frozenset({"the", "an", "their", "of", "among", "between", "than", "from"})
_PLURAL_PRON: Final = frozenset({"these", "those", "they", "we"})
_SINGULAR_PRON: Final = frozenset({"this", "it", "he", "she"})
_OPENERS: Final = frozenset({"now", "generally", "currently", "recently", "additionally", "overall", "similarly"})
_CLOSERS: Final = frozenset({".", "!", "?", "…", "...", "。"})
_QUOTES: Final = frozenset({'"', "”", "’", "'", ")", "]", "*", "**", "_"})
# vowel letter but consonant sound, and the reverse
_A_BEFORE_VOWEL: Final = ("uni", "use", "usa", "eu", "one", "once", "ubi", "uk", "usu", "uto", "ura", "uti", "ufo")
_AN_BEFORE_CONSONANT: Final = ("hour", "honest", "honor", "honour", "heir", "herb")
# bases that are nouns or adjectives as well, so that a form of "be" may stand before them
_PURE_VERBS: Final = wordset(
    """align agree believe say indicate remain begin continue provide include contain suggest depict illustrate
    reveal consist represent describe demonstrate occur belong happen depend differ involve reflect relate
    disagree consider participate respond exceed surpass receive produce improve deteriorate comprise
    constitute correspond compare"""
)


def word_order(m: Material) -> Iterator[Issue]:
    """Two closed-class words that cannot stand side by side ("the a", "is are", "will has", "have more likely")."""
    low, raw, start, end = m.words.low, m.words.raw, m.words.start, m.words.end
    det, modal = word_class("det"), word_class("modal")
    done = -1
    for t in [t for t in range(1, len(low)) if low[t - 1] in _INTERESTING]:
        n = m.words.of[t]
        if n == m.words.of[t - 1] and n != done:
            j = m.words.sentences[n][1]
            a, b = low[t - 1], low[t]
            if start[t] - end[t - 1] != 1 and b != ",":
                continue
            if not raw[t][0].islower() and b != ",":
                continue  # titles and names ("The No campaign")
            why = ""
            confidence = 0.8
            if a in {"the", "a", "an"}:
                if b in det and b not in {"no", "any", "this", "that", "every", "some"}:
                    why = f"“{a} {b}”: two articles or determiners"
                elif b in _NEVER_AFTER_ARTICLE or b in _FINITE_BE_HAVE:
                    why, confidence = f"“{a} {b}”: the noun is missing", 0.7
                elif b == "," and a != "a":
                    why = "the noun is missing"
            elif a in _BE and b in _BE:
                why, confidence = f"“{a} {b}”: two verbs", 0.8
            elif a in modal and (b in modal or b in {"is", "are", "was", "were", "has", "had", "been"}):
                why = f"“{a} {b}”: not a verb form"
            elif a in {"have", "has"} and b in {"more", "less", "far", "much", "equally"} and _likely(low, t, j):
                why = f"“{a} {b} … likely”: the verb should be a form of “be”"
            elif a in {"more", "most", "less"} and b in {"higher", "lower", "highest", "lowest", "larger", "smaller"}:
                why = f"“{a} {b}”: double comparison"
            elif b in _FINITE_BE_HAVE and a in _NEVER_BEFORE_BE:
                why, confidence = f"“{a} {b}”: a word is missing", 0.6
            elif b == "," and a in _NEVER_BEFORE_COMMA:
                why, confidence = f"“{a},”: a word is missing", 0.45 if a == "of" else 0.6
            elif a == "in" and b in _OPENERS and t - 1 == m.words.sentences[n][0]:
                why, confidence = f"“{a} {b}”: not English", 0.7
            if why:
                yield m.issue("word_order", "grammatical", n, (t - 1, t + 1), confidence, why)
                done = n


_INTERESTING: Final = frozenset(
    {"the", "a", "an", "have", "has", "more", "most", "less", "in", "their", "of", "than", "from"}
) | _BE | _NEVER_BEFORE_BE | wordset(
    """can could will would may might shall should must cannot"""
)  # fmt: skip


def _noun(low: str, raw: str) -> bool:
    """Whether a word may follow "a" as its noun or adjective: "lines a and b" name lines."""
    return raw.islower() and low not in function_words()


def _likely(low: list[str], t: int, j: int) -> bool:
    return "likely" in low[t : min(j, t + 3)] and not {"than", "to"}.isdisjoint(low[t : min(j, t + 5)])


def agreement(m: Material) -> Iterator[Issue]:
    """Subject and verb, article and noun, auxiliary and verb form that do not agree ("these is", "a increase")."""
    low, raw, start, end = m.words.low, m.words.raw, m.words.start, m.words.end
    wrong_after_do, wrong_after_modal = _verb_traps()
    done = -1
    for t in [t for t in range(1, len(low)) if low[t - 1] in _AGREEING]:
        n = m.words.of[t]
        if n == m.words.of[t - 1] and n != done:
            i = m.words.sentences[n][0]
            a, b = low[t - 1], low[t]
            if start[t] - end[t - 1] != 1:
                continue
            why = ""
            confidence = 0.75
            before = low[t - 2] if t - 2 >= i else ""
            if a in _PLURAL_PRON and b in {"is", "was", "has"}:
                free = before not in word_class("prep") and before not in {"and", "or", "which"}
                if free and (a in {"they", "we"} or b != "has"):
                    why = f"“{a} {b}”: number does not agree"
            elif (a in _SINGULAR_PRON and b in {"are", "have"}) or (a == "this" and b == "were"):
                if before not in {"and", "with", "of", "if", "that", "do", "does", "did", "can", "should", "would"}:
                    why = f"“{a} {b}”: number does not agree"
            elif a == "a" and b[0] in "aeiou" and len(b) > 2 and _noun(b, raw[t]) and not b.startswith(_A_BEFORE_VOWEL):
                why = f"“a {raw[t]}” should be “an {raw[t]}”"
            elif a == "an" and b[0] in "bcdfgjkpqtvwxz" and raw[t].islower() and len(b) > 2:
                why = f"“an {raw[t]}” should be “a {raw[t]}”"
            elif a == "a" and b[0].isdigit() and (b[0] == "8" or b in {"11", "18"}) and "," not in b:
                why, confidence = f"“a {b}” should be “an {b}”", 0.5
            elif a in _DO and b in wrong_after_do:
                why = f"“{a} {b}”: the base form of the verb is wanted"
            elif a == "not" and before in _DO and b in wrong_after_do:
                why = f"“{before} not {b}”: the base form of the verb is wanted"
            elif a in _MODALS and b in wrong_after_modal:
                why = f"“{a} {b}”: the base form of the verb is wanted"
            elif b in _PURE_VERBS and (a in _BE or (a == "not" and before in _BE)):
                why = f"“{before + ' ' if a == 'not' else ''}{a} {b}”: not a verb form"
            if why:
                yield m.issue("agreement", "grammatical", n, (t - 1, t + 1), confidence, why)
                done = n


_DO: Final = frozenset({"do", "does", "did"})
_MODALS: Final = frozenset({"can", "could", "will", "would", "might", "shall", "should", "must", "cannot"})
_AGREEING: Final = _PLURAL_PRON | _SINGULAR_PRON | _BE | _DO | _MODALS | {"a", "an", "not"}
_TRAPS: tuple[frozenset[str], frozenset[str]] | None = None


def _verb_traps() -> tuple[frozenset[str], frozenset[str]]:
    """Forms that cannot follow "did" and forms that cannot follow "will"."""
    global _TRAPS
    if _TRAPS is None:
        bases = word_class("verbs")
        past = {f for b in bases for f in past_forms(b) if f not in bases}
        third = {third_person(b) for b in bases} - bases
        # plural nouns ("what do shares …", "did responses …") open questions and inversions: only past forms after "do"
        _TRAPS = frozenset(past), frozenset(past | {t for t in third if t[:-1] in _PURE_VERBS})
    return _TRAPS


def doubled_word(m: Material) -> Iterator[Issue]:
    """ "the the", "has has"."""
    low, raw, start, end = m.words.low, m.words.raw, m.words.start, m.words.end
    may = word_class("may_double")
    done = -1
    for t in [t for t in range(1, len(low)) if low[t] == low[t - 1]]:
        n = m.words.of[t]
        if n == m.words.of[t - 1] and n != done:
            i, j = m.words.sentences[n]
            if low[t][0].isalpha() and low[t] not in may and 0 < start[t] - end[t - 1] <= 2:
                if raw[t][0].isupper() and raw[t - 1][0].isupper() and t < j - 1 and t - 1 > i:
                    continue  # names: "Bora Bora", "Walla Walla"
                if t + 1 < j and low[t + 1] == low[t]:
                    continue  # a loop, told elsewhere
                yield m.issue("doubled_word", "grammatical", n, (t - 1, t + 1), 0.8, f"“{raw[t]}” is written twice")
                done = n


def cut_off(m: Material) -> Iterator[Issue]:
    """A sentence that breaks off: "The price of heating oil in the US has"."""
    low, raw = m.words.low, m.words.raw
    dangling = word_class("dangling")
    closed = sum(1 for i, j in m.words.sentences if j > i and _closed(raw, i, j))
    for n, (i, j) in enumerate(m.words.sentences):
        words, verb = m.shape[n]
        if words < 3:
            continue
        t = j - 1
        while t > i and raw[t] in _QUOTES:
            t -= 1
        ends_closed = raw[t] in _CLOSERS
        while t > i and raw[t] in _CLOSERS:
            t -= 1
        word = low[t]
        if not ends_closed and word == "(" and t > i and raw[t - 1] in _CLOSERS:
            continue  # the bracket opens the next sentence
        if not ends_closed and word in {",", "(", "-", "–", "—", "/", "&"}:
            yield m.issue("cut_off", "nonsense", n, (t, t + 1), 0.8, "the sentence breaks off")
        elif word in dangling and raw[t].islower() and not (ends_closed and word in _MAY_CLOSE):
            confidence = 0.6 if ends_closed else 0.9
            yield m.issue("cut_off", "nonsense", n, (t, t + 1), confidence, f"the sentence breaks off after “{raw[t]}”")
        elif (
            not ends_closed and closed and n == len(m.words.sentences) - 1 and words >= 5 and raw[t] not in {":", ";"}
            and not verb and sum(1 for w in low[i:j] if w[0].isdigit() or w == ":") < 3
        ):  # fmt: skip
            note = "the last sentence has neither a verb nor an end"
            yield m.issue("cut_off", "nonsense", n, (i, j), 0.7, note)


_MAY_CLOSE: Final = wordset(
    """to from for by in most more less least not are is was were have has had do can could would should will
    that this these those her be been which who if very but as compared"""
)  # "… than women are.", "the country they come from."


def _closed(raw: list[str], i: int, j: int) -> bool:
    t = j - 1
    while t > i and raw[t] in _QUOTES:
        t -= 1
    return raw[t] in _CLOSERS


def no_verb(m: Material) -> Iterator[Issue]:
    """A sentence-like run of words without a verb. Phrases that name a figure ("Bar chart of …") need none."""
    low, raw = m.words.low, m.words.raw
    nouns = word_class("figure_nouns")
    for n, (i, j) in enumerate(m.words.sentences):
        size, verb = m.shape[n]
        if size < 7 or verb:
            continue
        words = [t for t in range(i, j) if low[t][0].isalpha()]
        if any(low[t] in nouns for t in words[:8]) or any(raw[t] in {":", ";", "="} for t in range(i, j)):
            continue
        if sum(1 for t in range(i, j) if raw[t] == "," or raw[t][0].isdigit()) > 3:
            continue  # a list
        if low[words[0]].endswith("ing") or raw[i] in {"-", "•", "*", "–"}:
            continue  # an item of a list
        if any(low[t].endswith("ed") and len(low[t]) > 4 for t in words):
            continue
        yield m.issue("no_verb", "nonsense", n, (i, j), 0.35 if n == 0 else 0.45, "the sentence has no verb")


def unbalanced(m: Material) -> Iterator[Issue]:
    """A bracket or quotation mark without its partner, in the text as a whole."""
    if m.vocabulary.isdisjoint({"(", ")", "[", "]", "“", "”"}):
        return
    raw, start, end = m.words.raw, m.words.start, m.words.end
    opened: list[tuple[str, int, int]] = []
    pairs = {")": "(", "]": "[", "”": "“"}
    for n, (i, j) in enumerate(m.words.sentences):
        for t in range(i, j):
            sign = raw[t]
            if sign in {"(", "[", "“"}:
                opened.append((sign, n, t))
            elif sign in pairs:
                if opened and opened[-1][0] == pairs[sign]:
                    opened.pop()
                elif sign == ")" and t > i and (t - i <= 2 or (start[t] == end[t - 1] and len(raw[t - 1]) <= 2)):
                    continue  # "a) …", "1) …"
                elif opened and any(o[0] == pairs[sign] for o in opened):
                    while opened[-1][0] != pairs[sign]:
                        opened.pop()
                    opened.pop()
                else:
                    yield m.issue("unbalanced", "grammatical", n, (t, t + 1), 0.3, f"“{sign}” closes nothing")
    for sign, n, t in opened[:3]:
        yield m.issue("unbalanced", "grammatical", n, (t, t + 1), 0.3, f"“{sign}” is never closed")


def extreme_twice(m: Material) -> Iterator[Issue]:
    """ "The lowest sales … were at their lowest", "the boat with the most days … has the least days"."""
    low = m.words.low
    for n, hits in enumerate(m.words.found("directions")):
        i = m.words.sentences[n][0]
        first: dict[tuple[str, ...], int] = {}
        at = [h.first for h in hits if h.section in {"highest", "lowest"}]
        for t in at if len(at) > 1 else ():
            w = low[t]
            of_itself = t - i > 3 and low[t - 1] in {"its", "their"} and low[t - 2] in {"at", "reached", "hit"}
            if of_itself and w in low[i : i + 4]:
                note = f"the {w} cannot be at its {w}"
                yield m.issue("extreme_twice", "nonsense", n, (t - 2, t + 1), 0.75, note)
                break
            what = tuple(low[t + 1 : t + 3])
            if low[t - 1 if t > i else t] != "the" or len(what) < 2 or not (what[0][0] + what[1][0]).isalpha():
                continue
            if what in first and not _joined(low, first[what], t):
                yield m.issue("extreme_twice", "nonsense", n, (t, t + 3), 0.6, "the same extreme is spoken of twice")
                break
            first.setdefault(what, t)


def _joined(low: list[str], i: int, j: int) -> bool:
    """Whether two statements are set side by side ("the highest rate was A and the lowest rate was B")."""
    return any(w in {"and", "while", "but", ",", ";", "whereas", "or", "to", "than", "between"} for w in low[i:j])


def lower_start(m: Material) -> Iterator[Issue]:
    """A sentence that begins in lower case: the rest of one torn apart. Weak: many write lists and notes so."""
    raw = m.words.raw
    text = m.words.text
    if text[:1].islower() and sum(1 for i, j in m.words.sentences if j > i and raw[i][0].islower()) * 2 > len(
        m.words.sentences
    ):
        return  # the writer's habit
    for n, (i, j) in enumerate(m.words.sentences):
        if j - i < 3 or not raw[i][0].islower() or raw[i][1:] != raw[i][1:].lower():
            continue
        before = text[: m.words.spans[n][0]].rstrip()[-1:]
        if before in {":", ";", ",", "-", "•", "*"} or (j > i + 1 and raw[i + 1] in {".", ")", "-"}):
            continue
        yield m.issue("lower_start", "grammatical", n, (i, i + 1), 0.35, "the sentence has no beginning")
