"""What the level model reads of a sentence: features people can read, and its words and pairs of words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from f2teval.claims.issues.material import verb_forms
from f2teval.claims.tokens import Words
from f2teval.claims.wordset import wordset

_SECTIONS: Final = (
    "chart", "axis", "encoding", "represents", "statistic", "extreme", "comparison", "trend", "pattern", "context",
    "pointer",
)  # fmt: skip
_MAX_TOKENS: Final = 400  # of one sentence; a data table in an alt text may run to thousands

FEATURES: Final[tuple[str, ...]] = (
    *(f"{s}" for s in _SECTIONS),
    *(f"{s}_2" for s in _SECTIONS),
    "chart_at_start", "starts_with_article_chart", "figure_number_start", "axis_at_start", "no_verb", "verbs", "past",
    "present_third", "showing", "shows_that", "be_verb", "number", "numbers_2", "numbers_4", "decimal", "percent",
    "year", "number_with_unit", "equals", "colon_number", "list_of_numbers", "range_of_numbers", "than", "er_than",
    "superlative", "as_increases", "conditions_list", "question", "quotes", "parenthesis", "semicolon",
    "short", "medium", "long", "very_long", "first", "second", "third_on", "last", "only", "relative_place",
    "names_participants", "starts_the", "starts_pronoun", "starts_number", "starts_condition", "starts_in",
    "starts_overall", "number_after_be", "trend_and_number", "extreme_and_number", "comparison_no_number",
    "trend_no_number", "encoding_no_number", "chart_no_verb", "significance",
)  # fmt: skip
"""Names of the features of a sentence, in the order of their weights; values lie in [0, 1]."""

_PRONOUNS: Final = frozenset({"it", "they", "this", "these", "those", "both", "each", "all"})
_GENERAL: Final = frozenset({"overall", "generally", "most", "many", "for", "within", "while", "however", "but", "and"})
_BE_AT: Final = frozenset(
    {"is", "was", "are", "were", "had", "has", "at", "of", "from", "to", "averaged", "scored", "=", ":"}
)
_UNITS: Final = wordset(
    """% percent percentage ms seconds second minutes minute hours days points participants users people apps times
    mm cm m words meters metres degrees years respondents votes items degree hz db fps s min steps students
    responses"""
)
_SHOWING: Final = wordset("showing displaying depicting presenting comparing representing plotting")
_PEOPLE: Final = wordset("participants participant users respondents students")
_NO_SUPERLATIVE: Final = wordset("interest request suggest harvest latest forest west east test rest invest")


def word_grams(low: Sequence[str], i: int, j: int) -> set[str]:
    """Words and pairs of neighbouring words of a sentence, numbers reduced to their kind."""
    j = min(j, i + _MAX_TOKENS)
    plain = [_number(t) if t[0].isdigit() else t for t in low[i:j]]
    if not plain:
        return set()
    return {*plain, "^ " + plain[0], *map(" ".join, itertools.pairwise(plain))}


def _number(token: str) -> str:
    if _is_year(token):
        return "<year>"
    return "<decimal>" if "." in token else "<number>"


def _is_year(token: str) -> bool:
    return len(token) == 4 and "1800" <= token <= "2100" and token.isdigit()


def all_features(words: Words) -> list[list[float]]:
    """The features of every sentence, each a list as long as :data:`FEATURES`."""
    total = len(words.sentences)
    return [_features(words, n, total) for n in range(total)]


def _features(words: Words, n: int, total: int) -> list[float]:
    i, j = words.sentences[n]
    j = min(j, i + _MAX_TOKENS)
    tokens = words.low[i:j]
    bag = set(tokens)
    counts, first_chart, first_axis = _sections(words, n, i, j)
    known = verb_forms()
    verbs = [w for w in tokens if w in known]
    numbers = _numbers(tokens)
    number = numbers["numbers"] > 0
    than = [t for t, w in enumerate(tokens) if w == "than"] if "than" in bag else []
    size = len([w for w in tokens if w[0].isalnum()])
    head = tokens[0] if tokens else ""
    second = tokens[1] if len(tokens) > 1 else ""
    shows = counts["represents"] > 0
    trend, comparison, encoding = counts["trend"] > 0, counts["comparison"] > 0, counts["encoding"] > 0
    flags = (
        first_chart <= 4,
        first_chart <= 4 and head in {"a", "an", "the", "this"},
        head in {"figure", "fig", "table"} and second[:1].isdigit(),
        first_axis <= 4,
        not verbs,
        min(1.0, len(verbs) / 4),
        any(w.endswith("ed") for w in verbs),
        any(w.endswith("s") and w not in {"is", "was"} for w in verbs),
        not bag.isdisjoint(_SHOWING),
        shows and "that" in bag,
        not bag.isdisjoint({"is", "are", "was", "were"}),
        number,
        numbers["numbers"] >= 2,
        numbers["numbers"] >= 4,
        numbers["decimals"] > 0,
        numbers["percents"] > 0,
        numbers["years"] > 0,
        numbers["units"] > 0,
        "=" in bag,
        numbers["colons"] > 0,
        numbers["in_row"] >= 3,
        numbers["ranges"] > 0,
        bool(than),
        any(_compares(tokens, t) for t in than),
        any(w.endswith("est") and len(w) > 5 and w not in _NO_SUPERLATIVE for w in bag),
        trend and "as" in bag,
        not number and tokens.count(",") >= 3,
        tokens[-1:] == ["?"],
        '"' in bag or "“" in bag,
        "(" in bag,
        ";" in bag,
        size <= 5,
        5 < size <= 14,
        14 < size <= 30,
        size > 30,
        n == 0,
        n == 1,
        n >= 2,
        n == total - 1 and total > 1,
        total == 1,
        n / max(1, total - 1),
        not bag.isdisjoint(_PEOPLE),
        head == "the",
        head in _PRONOUNS,
        head[:1].isdigit(),
        n > 0 and first_chart > 4 and bool(tokens) and words.raw[i][0].isupper() and head not in known,
        head in {"in", "for", "at", "on", "with", "among"},
        head in _GENERAL,
        numbers["after_be"] > 0,
        number and trend,
        number and counts["extreme"] > 0,
        comparison and not number,
        trend and not number,
        encoding and not number,
        first_chart <= 4 and not verbs,
        "significant" in bag or "significantly" in bag,
    )
    values = [1.0 if counts[s] else 0.0 for s in _SECTIONS]
    values += [1.0 if counts[s] >= 2 else 0.0 for s in _SECTIONS]
    values += map(float, flags)
    return values


def _sections(words: Words, n: int, i: int, j: int) -> tuple[dict[str, int], int, int]:
    """How often each section of the lexicon occurs, and where the first figure noun and axis stand (99: nowhere)."""
    counts = dict.fromkeys(_SECTIONS, 0)
    until = dict.fromkeys(_SECTIONS, i)
    place = {"chart": 99, "axis": 99}
    for section, first, last in words.found("levels")[n]:
        if first < until[section] or last > j:
            continue
        until[section] = last
        counts[section] += 1
        if section in place and place[section] == 99:
            place[section] = first - i
    return counts, place["chart"], place["axis"]


_COUNTED: Final = ("numbers", "years", "decimals", "percents", "units", "after_be", "colons", "in_row", "ranges")


def _numbers(tokens: Sequence[str]) -> dict[str, int]:
    """The numbers of a sentence: how many, of which kinds, and what stands beside them."""
    out = dict.fromkeys(
        ("numbers", "years", "decimals", "percents", "units", "after_be", "colons", "in_row", "ranges"), 0
    )
    last = len(tokens) - 1
    for t, w in enumerate(tokens):
        if not w[0].isdigit():
            continue
        if _is_year(w):
            out["years"] += 1
            continue
        before = tokens[t - 1] if t else ""
        after = tokens[t + 1] if t < last else ""
        out["numbers"] += 1
        out["decimals"] += "." in w
        out["units"] += after in _UNITS
        out["percents"] += after == "%"
        out["after_be"] += before in _BE_AT
        out["colons"] += before == ":"
        out["in_row"] += after == "," or before == ","
        out["ranges"] += t > 1 and before in {"to", "-", "–", "and"} and tokens[t - 2][0].isdigit()
    return out


def _compares(tokens: Sequence[str], t: int) -> bool:
    """Whether the "than" at ``t`` follows a comparative."""
    before = tokens[t - 1] if t else ""
    return before.endswith("er") or before in {"more", "less"} or (t > 1 and tokens[t - 2] in {"more", "less"})
