"""The semantic level of each sentence: encodings, statistics, trends, context.

The four levels are those of Lundgard and Satyanarayan ("Accessible Visualization via Natural Language Descriptions",
2022): 1 how the figure is made (type, axes, encodings), 2 numbers and relations (values, extremes, comparisons), 3
trends and patterns, 4 what lies outside the figure (causes, context). A sentence may have several, or none.

The model is a logistic regression a level over features that people can read
(:mod:`f2teval.claims.level_features`), those of the neighbouring sentences, and single words and pairs. Its weights
are a JSON file of the package, fitted by :func:`f2teval.claims.levels_fit.fit_levels`. Level 4 is told by its lexicon
alone: the texts that people have marked hold next to none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from f2teval.claims.level_features import FEATURES, all_features, word_grams
from f2teval.claims.tokens import Span, Words

LEVELS: Final = (1, 2, 3, 4)
FITTED: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class LevelModel:
    """Weights of the model.

    Attributes:
        bias, weights: for each level its intercept, and the weights of :data:`FEATURES` of the sentence itself.
        before, after: the same for the sentences before and after.
        words: word or pair of words → its weights, one a level.
        threshold: for each level the probability from which the level is given.
        turned: ``weights``, ``before`` and ``after`` as one matrix, features × 9, as inference wants them.
    """

    bias: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    words: Mapping[str, tuple[float, ...]]
    threshold: tuple[float, ...]
    turned: npt.NDArray[np.float64] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        blocks = (self.weights, self.before, self.after)
        width = {len(row) for rows in blocks for row in rows}
        sizes = {len(self.bias), len(self.threshold), *map(len, blocks)}
        if width != {len(FEATURES)} or sizes != {len(FITTED)}:
            raise ValueError("level weights of the wrong shape")
        object.__setattr__(self, "turned", np.array([row for rows in blocks for row in rows]).T)

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
    if not rows:
        return []
    # sentences × (own, before, after) · levels; a sentence takes the second block of the sentence before it
    blocks = np.array(rows) @ model.turned
    size = len(FITTED)
    scores = blocks[:, :size] + np.array(model.bias)
    scores[1:] += blocks[:-1, size : 2 * size]
    scores[:-1] += blocks[1:, 2 * size :]
    result = []
    known = model.words
    for n, (i, j) in enumerate(words.sentences):
        a, b, c = scores[n].tolist()
        grams = word_grams(words.low, i, j)
        if grams:
            scale = 1.0 / math.sqrt(len(grams))
            for x, y, z in [known[g] for g in grams if g in known]:
                a += x * scale
                b += y * scale
                c += z * scale
        result.append((_logistic(a), _logistic(b), _logistic(c), _context(words, n)))
    return result


def _logistic(s: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, s))))


def _context(words: Words, n: int) -> float:
    """How much a sentence speaks of what lies outside the figure, 0–1."""
    hits = 0.0
    for hit in words.found("phrases")[n]:
        if hit.section == "speculation":
            hits += 1.0
        elif hit.section == "cause":
            hits += 0.5
    return min(1.0, hits)
