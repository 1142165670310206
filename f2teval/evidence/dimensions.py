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

_TOLD: Final = ("overview", "highest", "lowest", "trend", "span", "comparison", "values")
TOLD_FEATURES: Final[dict[str, int]] = {f"told.{k}": +1 for k in (*_TOLD, "kinds")}
"""Which kinds of things the text tells at all (1 or 0), whether or not the figure could be read well enough to know
that it is *the* highest; a statement known to be wrong tells nothing. ``told.kinds`` is their mean."""


def _told(a: Analysis) -> dict[str, float]:
    found: set[str] = set()
    for v in a.verdicts:
        if v.status == "contradicted" and v.confidence >= 0.5:
            continue
        kind, way = v.claim.kind, v.claim.direction
        if kind in ("extreme", "ranking"):
            found.add("lowest" if way == "lowest" else "highest")
        elif kind in ("trend", "change"):
            found.add("trend")
        elif kind in ("comparison", "difference", "ratio"):
            found.add("comparison")
        elif kind == "range":
            found.add("span")
        elif kind in ("title", "chart_type", "axis"):
            found.add("overview")
        elif kind in ("value", "share"):
            found.add("values")
    if any(1 in levels for levels in a.levels):
        found.add("overview")
    row = {f"told.{k}": float(k in found) for k in _TOLD}
    row["told.kinds"] = len(found) / len(_TOLD)
    return row


def _tables() -> dict[str, dict[str, int]]:
    tables: dict[str, dict[str, int]] = {"completeness": dict.fromkeys(COVERAGE_FEATURES, +1) | TOLD_FEATURES}
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
        row |= a.coverage.features | _told(a)
    if a.reading is not None and len(p_error):
        row["errors.mean"] = float(np.mean(p_error))
        insight = [p for p, levels in zip(p_error, a.levels) if 2 in levels or 3 in levels]
        if insight:
            row["errors.insight"] = float(np.mean(insight))
    return row
