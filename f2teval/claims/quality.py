"""Features of a text's conciseness, logicity and analysis: few, bounded, and each with a meaning people can check.

:data:`QUALITY_FEATURES` says of each what it counts and which way is better; a model on top of them can therefore be
held monotone, and what it takes off points at words in the text. None of them sees who wrote the text, and none is the
bare length: length counts only against the information it carries.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from f2teval.claims.claim import Issue, Verdict
from f2teval.claims.issues.material import function_words
from f2teval.claims.tokens import Words, lexicon
from f2teval.claims.wordset import wordset

_INSIGHT: Final = frozenset(
    {"trend", "change", "comparison", "difference", "ratio", "ranking", "extreme", "sum", "range"}
)
_DEEP: Final = frozenset({"change", "comparison", "difference", "ratio", "ranking", "sum", "share", "count"})
_FRAME: Final = frozenset({"chart_type", "title", "axis", "color", "source", "mention"})
_OPENERS: Final = wordset(
    """however additionally furthermore moreover also similarly likewise conversely meanwhile finally lastly therefore
    thus nevertheless then next secondly consequently hence besides instead"""
)
_BACKWARD: Final = frozenset({"it", "they", "this", "these", "those", "its", "their", "such", "both"})
_ORDINALS: Final = {
    "first": 1,
    "firstly": 1,
    "second": 2,
    "secondly": 2,
    "third": 3,
    "thirdly": 3,
    "fourth": 4,
    "fifth": 5,
}
_CLOSING: Final = frozenset({"in conclusion", "in summary", "to conclude", "to sum up", "to summarize", "all in all"})
_GRAMMAR: Final = frozenset({"grammatical"})


class Meaning(NamedTuple):
    """What a feature counts, whether more of it is better (+1) or worse (−1), and the dimension it speaks for."""

    text: str
    sign: int
    dimension: str


QUALITY_FEATURES: Final[dict[str, Meaning]] = {
    "concise.repeated": Meaning("share of the words in sentences said before", -1, "conciseness"),
    "concise.filler": Meaning("share of the words that can be left out without loss", -1, "conciseness"),
    "concise.filler_count": Meaning("phrases that can be left out, 1 from five on", -1, "conciseness"),
    "concise.ballast": Meaning("share of words that only blow up (very, clearly, notably …)", -1, "conciseness"),
    "concise.empty": Meaning("share of sentences that state nothing about the figure", -1, "conciseness"),
    "concise.words_per_fact": Meaning(
        "words for each thing stated, 0 at eight or fewer, 1 at forty", -1, "conciseness"
    ),
    "concise.same_pairs": Meaning("share of word pairs that were used before", -1, "conciseness"),
    "concise.compressible": Meaning(
        "how much better it compresses than ordinary prose of its length", -1, "conciseness"
    ),
    "concise.loops": Meaning("share of the words inside loops", -1, "conciseness"),
    "logic.contradictions": Meaning("statements that contradict each other or their own arithmetic", -1, "logicity"),
    "logic.grammar": Meaning("sentences with broken grammar, as a share", -1, "logicity"),
    "logic.nonsense": Meaning("sentences that make no sense, as a share", -1, "logicity"),
    "logic.any_flaw": Meaning("flaws of grammar, sense or agreement in all, 1 from three on", -1, "logicity"),
    "logic.overview_late": Meaning("what the figure shows is said only after details, 0–1 by how late", -1, "logicity"),
    "logic.disorder": Meaning(
        "pairs of neighbouring sentences that step back from reading to describing", -1, "logicity"
    ),
    "logic.dangling_start": Meaning("begins with a word that refers back (However, It, These …)", -1, "logicity"),
    "logic.early_conclusion": Meaning("concludes before the end, or counts out of order", -1, "logicity"),
    "logic.false_contrast": Meaning("However between statements that agree", -1, "logicity"),
    "logic.linked": Meaning(
        "share of neighbouring sentences with a link (a connective, a pronoun, a shared name)", +1, "logicity"
    ),
    "analysis.levels": Meaning("levels reached of description, statistics and trends, a third each", +1, "analysis"),
    "analysis.insights": Meaning(
        "right statements beyond single values (trend, comparison, ratio …), 1 from four on", +1, "analysis"
    ),
    "analysis.deep": Meaning("right differences, ratios, changes, rankings, sums, 1 from three on", +1, "analysis"),
    "analysis.claimed": Meaning(
        "statements beyond single values that are not known to be wrong, 1 from five on", +1, "analysis"
    ),
    "analysis.share": Meaning("share of statements that are insight", +1, "analysis"),
    "analysis.wrong": Meaning("wrong insights against all insights", -1, "analysis"),
    "analysis.trend_level": Meaning("share of sentences that speak of trends and patterns", +1, "analysis"),
    "analysis.contrast": Meaning("words that set things against each other, 1 from three on", +1, "analysis"),
    "analysis.speculation": Meaning("guesses at causes, meanings and futures, 1 from three on", -1, "analysis"),
    "analysis.listing": Meaning("share of statements that are single values, beyond the half", -1, "analysis"),
}
"""Every feature lies in [0, 1]."""


def quality_features(
    words: Words,
    verdicts: Sequence[Verdict] = (),
    issues: Sequence[Issue] = (),
    levels: Sequence[tuple[int, ...]] = (),
) -> dict[str, float]:
    """Features of a text for conciseness, logicity and analysis.

    Args:
        words: the text's tokens.
        verdicts: what the figure says of its claims (empty without a figure).
        issues: the text's flaws.
        levels: the level of each sentence.

    Returns:
        The names of :data:`QUALITY_FEATURES` with values in [0, 1].
    """
    total = max(1, len([t for t in words.low if t[0].isalpha()]))
    count = max(1, sum(1 for i, j in words.sentences if j > i))
    out = _concise(words, verdicts, issues, levels, total, count)
    out |= _logic(words, issues, levels, count)
    out |= _analysis(words, verdicts, issues, levels, count)
    return out


def _share(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole else 0.0


def _concise(
    words: Words,
    verdicts: Sequence[Verdict],
    issues: Sequence[Issue],
    levels: Sequence[tuple[int, ...]],
    total: int,
    count: int,
) -> dict[str, float]:
    repeated = _words_under(words, [i for i in issues if i.detector in {"repeated_sentence", "cut_repeat"}])
    loops = _words_under(words, [i for i in issues if i.detector in {"loop", "runs_of_signs", "list_with_doubles"}])
    filler = [i for i in issues if i.detector == "filler"]
    ballast = lexicon("phrases")["ballast"]
    facts = _facts(words, verdicts, levels)
    stating = {v.claim.sentence for v in verdicts if v.claim.kind != "mention"}
    fillers = {i.sentence for i in filler}
    empty = sum(
        1
        for n, (i, j) in enumerate(words.sentences)
        if j > i and n not in stating and (n in fillers or not _states_something(words, n, levels))
    )
    per_fact = total / max(1.0, facts)
    plain = [[t for t in words.low[i:j] if t[0].isalnum()] for i, j in words.sentences]
    small = function_words()
    found = [p for tokens in plain for p in itertools.pairwise(tokens) if p[0] not in small or p[1] not in small]
    return {
        "concise.repeated": _share(repeated, total),
        "concise.filler": _share(_words_under(words, filler), total),
        "concise.filler_count": _share(len(filler), 5),
        "concise.ballast": _share(sum(1 for t in words.low if t in ballast), total),
        "concise.empty": _share(empty, count),
        "concise.words_per_fact": min(1.0, max(0.0, (per_fact - 8) / 32)),
        "concise.same_pairs": _share(len(found) - len(set(found)), len(found)),
        "concise.compressible": _compressible(words.text),
        "concise.loops": _share(loops, total),
    }


def _words_under(words: Words, issues: Sequence[Issue]) -> int:
    """Words that lie inside the spans of issues."""
    if not issues:
        return 0
    spans = sorted((i.start, i.end) for i in issues)
    n = k = 0
    reach = 0
    for t, at in zip(words.low, words.start):
        while k < len(spans) and spans[k][0] <= at:
            reach = max(reach, spans[k][1])
            k += 1
        n += at < reach and t[0].isalpha()
    return n


def _facts(words: Words, verdicts: Sequence[Verdict], levels: Sequence[tuple[int, ...]]) -> float:
    """Different things stated: claims of another kind, about another thing, or with another number."""
    different = {
        (
            v.claim.kind, v.claim.series, v.claim.categories, v.claim.direction,
            tuple(q.value for q in v.claim.quantities) if not v.claim.categories else (),
        )
        for v in verdicts
        if v.claim.kind != "mention"
    }  # fmt: skip
    numbers = {t for t in words.low if t[0].isdigit()}
    leveled = sum(1 for one in levels if one)
    return float(max(len(different), 0.7 * len(numbers), leveled))


def _states_something(words: Words, n: int, levels: Sequence[tuple[int, ...]]) -> bool:
    i, j = words.sentences[n]
    if any(t[0].isdigit() for t in words.low[i:j]):
        return True
    return bool(levels[n]) if n < len(levels) else True


def _compressible(text: str) -> float:
    """zlib against what plain prose of that length reaches (about 0.95 at 200 characters, 0.5 at 2,000)."""
    data = text[:20_000].encode("utf-8", "replace")
    if len(data) < 120:
        return 0.0
    ratio = len(zlib.compress(data, 6)) / len(data)
    usual: float = min(0.95, max(0.42, 0.42 + 7.1 / math.sqrt(len(data))))
    return min(1.0, max(0.0, (usual - ratio) / usual * 1.5))


def _logic(words: Words, issues: Sequence[Issue], levels: Sequence[tuple[int, ...]], count: int) -> dict[str, float]:
    contradictions = sum(i.confidence for i in issues if i.type == "contradiction")
    grammar: dict[int, float] = {}
    nonsense: dict[int, float] = {}
    for i in issues:
        if i.type in _GRAMMAR:
            grammar[i.sentence] = max(grammar.get(i.sentence, 0.0), i.confidence)
        elif i.type == "nonsense":
            nonsense[i.sentence] = max(nonsense.get(i.sentence, 0.0), i.confidence)
    bad_grammar, bad_sense = sum(grammar.values()), sum(nonsense.values())
    order = [_rank(lv) for lv in levels]
    steps_back = sum(1 for a, b in itertools.pairwise(order) if a >= 2 and b == 1)
    return {
        "logic.contradictions": _share(contradictions, 2),
        "logic.grammar": _share(bad_grammar, count),
        "logic.nonsense": _share(bad_sense, count),
        "logic.any_flaw": _share(contradictions + bad_grammar + bad_sense, 3),
        "logic.overview_late": _overview_late(order),
        "logic.disorder": _share(steps_back, max(1, len(order) - 1)),
        "logic.dangling_start": _dangling_start(words),
        "logic.early_conclusion": _early_conclusion(words),
        "logic.false_contrast": _false_contrast(words),
        "logic.linked": _linked(words),
    }


def _rank(levels: tuple[int, ...]) -> int:
    """1 for a sentence that only describes the figure, 2 for one that reads it, 0 for one that does neither."""
    if not levels:
        return 0
    return 1 if levels == (1,) else 2


def _overview_late(order: Sequence[int]) -> float:
    first = next((n for n, r in enumerate(order) if r == 1), None)
    details = sum(1 for r in order[: first or 0] if r == 2)
    return _share(details, max(2, len(order) - 1)) if first else 0.0


def _dangling_start(words: Words) -> float:
    if not words.sentences or words.sentences[0][0] == words.sentences[0][1]:
        return 0.0
    i, j = words.sentences[0]
    first = words.low[i]
    if first in _OPENERS or " ".join(words.low[i : i + 4]) in {"on the other hand"}:
        return 1.0
    if first in _BACKWARD and j > i + 1:
        after = words.low[i + 1]
        return (
            1.0
            if after in {"is", "was", "are", "were", "has", "had", "have", "also", "then"} and first != "this"
            else 0.0
        )
    return 0.0


def _early_conclusion(words: Words) -> float:
    wrong = 0
    last_ordinal = 0
    total = len(words.sentences)
    for n, (i, j) in enumerate(words.sentences):
        if j <= i:
            continue
        head = words.low[i : i + 3]
        if (" ".join(head[:2]) in _CLOSING or " ".join(head) in _CLOSING) and n < total - 2:
            wrong += 1
        ordinal = _ORDINALS.get(head[0], 0) if len(head) > 1 and head[1] == "," else 0
        if ordinal:
            wrong += ordinal < last_ordinal or (ordinal > 1 and last_ordinal == 0)
            last_ordinal = ordinal
        if head[0] in {"finally", "lastly"} and n < total - 2:
            wrong += 1
    return _share(wrong, 2)


_AGAINST: Final = frozenset({"however", "conversely", "nevertheless", "nonetheless"})


def _false_contrast(words: Words) -> float:
    """ "However" where both sentences go the same way, with the same words."""
    ways = words.found("directions")
    found = 0
    for n, (i, j) in enumerate(words.sentences):
        if not n or j <= i or words.low[i] not in _AGAINST:
            continue
        before = {h.section for h in ways[n - 1]}
        after = {h.section for h in ways[n]}
        found += bool(before) and before == after and len(before) == 1
    return _share(found, 2)


def _linked(words: Words) -> float:
    """Neighbouring sentences held together by a connective, a pronoun or a word they share."""
    small = function_words()
    bags = [frozenset(t for t in words.low[i:j] if t[0].isalnum() and t not in small) for i, j in words.sentences]
    pairs = linked = 0
    for n in range(1, len(bags)):
        if not bags[n]:
            continue
        pairs += 1
        i, _ = words.sentences[n]
        linked += (
            words.low[i] in _BACKWARD
            or not bags[n].isdisjoint(bags[n - 1])
            or any(h.section in {"connective", "contrast"} and h.first < i + 8 for h in words.found("phrases")[n])
        )
    return _share(linked, pairs) if pairs else 1.0


def _analysis(
    words: Words, verdicts: Sequence[Verdict], issues: Sequence[Issue], levels: Sequence[tuple[int, ...]], count: int
) -> dict[str, float]:
    stated = [v for v in verdicts if v.claim.kind not in _FRAME]
    insight = [v for v in stated if v.claim.kind in _INSIGHT or v.claim.kind in _DEEP]
    right = _distinct([v for v in insight if v.status == "supported"])
    open_ = _distinct([v for v in insight if v.status != "contradicted"])
    wrong = _distinct([v for v in insight if v.status == "contradicted"])
    deep = _distinct([v for v in insight if v.status == "supported" and v.claim.kind in _DEEP])
    values = sum(1 for v in stated if v.claim.kind == "value")
    reached = {k for lv in levels for k in lv}
    trends = sum(1 for lv in levels if 3 in lv)
    contrasts = sum(1 for hits in words.found("phrases") for h in hits if h.section == "contrast")
    guesses = sum(2 * i.confidence for i in issues if i.detector in {"speculation", "inference"})
    return {
        "analysis.levels": len(reached & {1, 2, 3}) / 3,
        "analysis.insights": _share(right, 4),
        "analysis.deep": _share(deep, 3),
        "analysis.claimed": _share(open_, 5),
        "analysis.share": _share(len(insight), len(stated)),
        "analysis.wrong": _share(wrong, wrong + open_),
        "analysis.trend_level": _share(trends, count),
        "analysis.contrast": _share(contrasts, 3),
        "analysis.speculation": _share(guesses, 3),
        "analysis.listing": max(0.0, 2 * _share(values, len(stated)) - 1) if len(stated) >= 3 else 0.0,
    }


def _distinct(verdicts: Sequence[Verdict]) -> int:
    return len({(v.claim.kind, v.claim.series, v.claim.categories, v.claim.direction, v.claim.rank) for v in verdicts})
