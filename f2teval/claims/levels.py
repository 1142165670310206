"""The semantic level of each sentence: encodings, statistics, trends, context.

The four levels are those of Lundgard and Satyanarayan ("Accessible Visualization via Natural Language Descriptions",
2022): 1 how the figure is made (type, axes, encodings), 2 numbers and relations (values, extremes, comparisons), 3
trends and patterns, 4 what lies outside the figure (causes, context). A sentence may have several, or none.

The model is a logistic regression a level over features that people can read (:func:`features`) and over single words
and pairs, with the neighbouring sentences' features beside them; its weights are a JSON file of the package, fitted by
:func:`fit_levels`. Level 4 is told by its lexicon alone: the texts people have marked hold next to none.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from f2teval.claims.issues.material import verb_forms
from f2teval.claims.tokens import Span, Words, lexicon
from f2teval.claims.wordset import wordset

LEVELS: Final = (1, 2, 3, 4)
FITTED: Final = (1, 2, 3)

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


@dataclass(frozen=True, slots=True)
class LevelModel:
    """Weights of the model.

    Attributes:
        bias, weights: for each level its intercept, and the weights of :data:`FEATURES` of the sentence itself.
        before, after: the same for the sentences before and after.
        words: word or pair of words → its weights, one a level.
        threshold: for each level the probability from which the level is given.
    """

    bias: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    words: Mapping[str, tuple[float, ...]]
    threshold: tuple[float, ...]

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> LevelModel:
        """Inverse of :meth:`to_dict`.

        Raises:
            ValueError: the file was fitted for other features.
        """
        if list(d["features"]) != list(FEATURES):
            raise ValueError("these level weights were fitted for other features: fit them again")

        def rows(name: str) -> tuple[tuple[float, ...], ...]:
            return tuple(tuple(float(v) for v in row) for row in d[name])

        return cls(
            tuple(d["bias"]), rows("weights"), rows("before"), rows("after"),
            {w: tuple(v) for w, v in d["words"].items()}, tuple(d["threshold"]),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain types only."""
        return {
            "levels": list(FITTED), "features": list(FEATURES), "bias": list(self.bias),
            "weights": [list(r) for r in self.weights], "before": [list(r) for r in self.before],
            "after": [list(r) for r in self.after], "threshold": list(self.threshold),
            "words": {w: list(v) for w, v in sorted(self.words.items())},
        }  # fmt: skip


@cache
def default_model() -> LevelModel:
    """The weights that come with the package."""
    raw = files("f2teval.claims").joinpath("weights", "levels.json").read_text("utf-8")
    return LevelModel.from_dict(json.loads(raw))


def sentence_levels(
    text: str, spans: Sequence[Span], words: Words | None = None, model: LevelModel | None = None
) -> list[tuple[int, ...]]:
    """The levels of each sentence, in rising order; empty where a sentence has none.

    Args:
        text: the text.
        spans: its sentences.
        words: its tokens, if the caller has them already.
        model: other weights than the package's.
    """
    words = words or Words(text, spans)
    found = level_probabilities(words, model)
    limits = (model or default_model()).threshold
    result = []
    for p in found:
        levels = [k for k, value, limit in zip(FITTED, p, limits) if value >= limit]
        if p[3] >= 0.5:
            levels.append(4)
        result.append(tuple(levels))
    return result


def level_probabilities(words: Words, model: LevelModel | None = None) -> list[tuple[float, float, float, float]]:
    """For each sentence the probability of each of the four levels."""
    model = model or default_model()
    rows = all_features(words)
    active = [[(k, v) for k, v in enumerate(row) if v] for row in rows]
    result = []
    none: list[tuple[int, float]] = []
    for n, (i, j) in enumerate(words.sentences):
        scores = list(model.bias)
        before = active[n - 1] if n else none
        after = active[n + 1] if n + 1 < len(active) else none
        for c in range(len(FITTED)):
            w, b, a = model.weights[c], model.before[c], model.after[c]
            s = scores[c]
            for k, v in active[n]:
                s += w[k] * v
            for k, v in before:
                s += b[k] * v
            for k, v in after:
                s += a[k] * v
            scores[c] = s
        grams = word_grams(words.low, i, j)
        if grams:
            scale = 1.0 / math.sqrt(len(grams))
            get = model.words.get
            for g in grams:
                found = get(g)
                if found is not None:
                    for c in range(len(FITTED)):
                        scores[c] += found[c] * scale
        p = [1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, s)))) for s in scores]
        result.append((p[0], p[1], p[2], _context(words, i, j)))
    return result


def _context(words: Words, i: int, j: int) -> float:
    """How much a sentence speaks of what lies outside the figure, 0–1."""
    hits = 0.0
    for hit in lexicon("phrases").find(words.low, i, j):
        if hit.section == "speculation":
            hits += 1.0
        elif hit.section == "cause":
            hits += 0.5
    return min(1.0, hits)


def word_grams(low: Sequence[str], i: int, j: int) -> set[str]:
    """Words and pairs of neighbouring words of a sentence, numbers reduced to their kind."""
    j = min(j, i + _MAX_TOKENS)
    plain = [_plain(t) for t in low[i:j]]
    grams = set(plain)
    if plain:
        grams.add("^ " + plain[0])
        for a, b in itertools.pairwise(plain):
            grams.add(a + " " + b)
    return grams


def _plain(token: str) -> str:
    if token[0].isdigit():
        if len(token) == 4 and token.isdigit() and "1800" <= token <= "2100":
            return "<year>"
        return "<decimal>" if "." in token else "<number>"
    return token


def all_features(words: Words) -> list[list[float]]:
    """The features of every sentence, each a list as long as :data:`FEATURES`."""
    total = len(words.sentences)
    return [_features(words, n, total) for n in range(total)]


def _features(words: Words, n: int, total: int) -> list[float]:
    i, j = words.sentences[n]
    j = min(j, i + _MAX_TOKENS)
    low, raw = words.low, words.raw
    counts = dict.fromkeys(_SECTIONS, 0)
    first_chart = first_axis = 99
    until = dict.fromkeys(_SECTIONS, i)
    for hit in lexicon("levels").find(low, i, j):
        section = hit.section
        if hit.first < until[section]:
            continue
        until[section] = hit.last
        counts[section] += 1
        if section == "chart" and first_chart == 99:
            first_chart = hit.first - i
        elif section == "axis" and first_axis == 99:
            first_axis = hit.first - i
    verbs = past = third = be = numbers = decimals = percents = years = units = 0
    er_than = superlative = after_be = colon_number = in_row = quotes = parens = semis = people = 0
    showing = than = equals = ranges = 0
    known_verbs = verb_forms()
    previous = ""
    for t in range(i, j):
        w = low[t]
        c = w[0]
        if c.isdigit():
            if len(w) == 4 and "1800" <= w <= "2100" and w.isdigit():
                years += 1
            else:
                numbers += 1
                if "." in w:
                    decimals += 1
                follow = low[t + 1] if t + 1 < j else ""
                if follow in _UNITS:
                    units += 1
                    if follow == "%":
                        percents += 1
                if previous in _BE_AT:
                    after_be += 1
                if previous == ":":
                    colon_number += 1
                if follow == "," or previous == ",":
                    in_row += 1
                if previous in {"to", "-", "–", "and"} and t - 2 >= i and low[t - 2][0].isdigit():
                    ranges += 1
        elif c.isalpha():
            if w in known_verbs:
                verbs += 1
                if w in {"is", "are", "was", "were"}:
                    be += 1
                elif w.endswith("ed"):
                    past += 1
                elif w.endswith("s"):
                    third += 1
            elif w.endswith("ing"):
                showing += w in {
                    "showing",
                    "displaying",
                    "depicting",
                    "presenting",
                    "comparing",
                    "representing",
                    "plotting",
                }
            if w == "than":
                than += 1
                if (
                    previous.endswith("er")
                    or previous in {"more", "less"}
                    or (t >= i + 2 and low[t - 2] in {"more", "less"})
                ):
                    er_than += 1
            elif w.endswith("est") and len(w) > 5 and w not in {"interest", "request", "suggest", "harvest"}:
                superlative += 1
            elif w in {"participants", "participant", "users", "respondents", "students"}:
                people += 1
        elif c == "=":
            equals += 1
        elif c in '"“':
            quotes += 1
        elif c == "(":
            parens += 1
        elif c == ";":
            semis += 1
        previous = w
    size = sum(1 for t in range(i, j) if low[t][0].isalnum())
    head = low[i] if j > i else ""
    second = low[i + 1] if j > i + 1 else ""
    number = numbers > 0
    values = [float(min(1, counts[s])) for s in _SECTIONS]
    values += [float(counts[s] >= 2) for s in _SECTIONS]
    values += [
        float(first_chart <= 4),
        float(head in {"a", "an", "the", "this"} and first_chart <= 4),
        float(head in {"figure", "fig", "table"} and second[:1].isdigit()),
        float(first_axis <= 4),
        float(verbs == 0),
        min(1.0, verbs / 4),
        float(past > 0),
        float(third > 0),
        float(showing > 0),
        float("that" in low[i:j] and counts["represents"] > 0),
        float(be > 0),
        float(number),
        float(numbers >= 2),
        float(numbers >= 4),
        float(decimals > 0),
        float(percents > 0),
        float(years > 0),
        float(units > 0),
        float(equals > 0),
        float(colon_number > 0),
        float(in_row >= 3),
        float(ranges > 0),
        float(than > 0),
        float(er_than > 0),
        float(superlative > 0),
        float("as" in low[i:j] and counts["trend"] > 0),
        float(low[i:j].count(",") >= 3 and not number),
        float(j > i and low[j - 1] == "?"),
        float(quotes > 0),
        float(parens > 0),
        float(semis > 0),
        float(size <= 5),
        float(5 < size <= 14),
        float(14 < size <= 30),
        float(size > 30),
        float(n == 0),
        float(n == 1),
        float(n >= 2),
        float(n == total - 1 and total > 1),
        float(total == 1),
        n / max(1, total - 1),
        float(people > 0),
        float(head == "the"),
        float(head in _PRONOUNS),
        float(head[:1].isdigit()),
        float(j > i and raw[i][0].isupper() and head not in known_verbs and first_chart > 4 and n > 0),
        float(head in {"in", "for", "at", "on", "with", "among"}),
        float(head in _GENERAL),
        float(after_be > 0),
        float(number and counts["trend"] > 0),
        float(number and counts["extreme"] > 0),
        float(not number and counts["comparison"] > 0),
        float(not number and counts["trend"] > 0),
        float(not number and counts["encoding"] > 0),
        float(first_chart <= 4 and verbs == 0),
        float("significant" in low[i:j] or "significantly" in low[i:j]),
    ]
    return values
