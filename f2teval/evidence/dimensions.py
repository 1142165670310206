"""Features of completeness, conciseness, logicity and analysis, and the signs they are fitted under."""

from __future__ import annotations

from typing import Final

import numpy as np

from f2teval.claims.coverage import COVERAGE_FEATURES
from f2teval.claims.quality import QUALITY_FEATURES, quality_features
from f2teval.evidence.analysis import Analysis
from f2teval.evidence.card import Array

_FROM_SENTENCES: Final[dict[str, tuple[int, str]]] = {
    "errors.mean": (-1, "mean error probability of the sentences"),
    "errors.insight": (-1, "mean error probability of the sentences about trends and comparisons"),
}


def _tables() -> dict[str, dict[str, int]]:
    tables: dict[str, dict[str, int]] = {"completeness": dict.fromkeys(COVERAGE_FEATURES, +1)}
    for name, meaning in QUALITY_FEATURES.items():
        tables.setdefault(meaning.dimension, {})[name] = meaning.sign
    tables["analysis"] |= {name: sign for name, (sign, _) in _FROM_SENTENCES.items()}
    return tables


DIMENSION_FEATURES: Final[dict[str, dict[str, int]]] = _tables()
"""Dimension → feature → monotone sign."""


def dimension_features(a: Analysis, p_error: Array) -> dict[str, float]:
    """Features of one text for the four learnt dimensions; those that need the picture are absent without one."""
    row = quality_features(a.words, a.verdicts, a.issues, a.levels)
    if a.coverage is not None:
        row |= a.coverage.features
    if a.reading is not None and len(p_error):
        row["errors.mean"] = float(np.mean(p_error))
        insight = [p for p, levels in zip(p_error, a.levels) if 2 in levels or 3 in levels]
        if insight:
            row["errors.insight"] = float(np.mean(insight))
    return row
