"""F2TBenchmark-style JSON: five dimensions, several annotators, adjudicated (F2TEval section 4.3).

UNVERIFIED: the data were not public when this was written; the form is the one an annotation tool for that protocol
exports. A row has ``id, image, caption, context, summary, model``, a list ``annotations`` of
``{annotator, faithfulness, …}`` (at least two), and where they disagreed a senior annotator's ``adjudicated`` object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, native_file, number, rows_of, strings
from f2teval.errors import RatingsError
from f2teval.rubric import DIMENSION_NAMES

DEFAULTS: Final = {
    "id": "id|_id",
    "image": "image|image_path|figure",
    "text": "summary|text|response",
    "caption": "caption",
    "context": "context|paragraph",
    "system": "model|system",
    "source": "dataset|source",
    "group": "chart_type|figure_type|group",
    "annotations": "annotations|ratings",
    "final": "adjudicated|final|scores|label",
    "annotator": "annotator|rater|annotator_id",
    "references": "references|reference",
}
# "Logicality" in the paper's abstract is "Logicity" in its rubric.
_ALIASES: Final = {"logicality": "logicity"}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: the five dimensions, 0–2. Final is the adjudicated grade, else the majority (ties: the median)."""
    f = Fields(DEFAULTS, fields)
    parsed: list[tuple[str, Mapping[str, Any], dict[str, dict[str, float]]]] = []
    names: dict[str, None] = {}
    for where, row in rows_of(native_file(path, "*F2TBenchmark*.json*", "*.json", "*.jsonl")):
        annotations = f.get(row, "annotations") or []
        if isinstance(annotations, Mapping):
            annotations = [{"annotator": k, **v} for k, v in annotations.items() if isinstance(v, Mapping)]
        if not isinstance(annotations, list):
            raise RatingsError("annotations are neither a list nor an object", where=where)
        by_rater: dict[str, dict[str, float]] = {}
        for i, a in enumerate(annotations):
            name = str(f.get(a, "annotator", i))
            by_rater[name] = _dimensions(a, where)
            names[name] = None
        parsed.append((where, row, by_rater))
    rows = [_rated(f, where, row, by_rater, tuple(names)) for where, row, by_rater in parsed]
    return RatingSet(
        "f2tbenchmark",
        rows,
        dict.fromkeys(DIMENSION_NAMES, (0, 2)),
        aggregate="final",
        rater_names=tuple(names),
    )


def _dimensions(values: Any, where: str) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise RatingsError("grades must be an object of dimension: grade", where=where)
    named = {_ALIASES.get(str(k).lower(), str(k).lower()): v for k, v in values.items()}
    return {d: number(named[d], where, d) for d in DIMENSION_NAMES if named.get(d) is not None}


def _rated(
    f: Fields, where: str, row: Mapping[str, Any], by_rater: Mapping[str, Mapping[str, float]], names: tuple[str, ...]
) -> Rated:
    final = _dimensions(f.get(row, "final") or {}, where)
    for d in DIMENSION_NAMES:
        grades = [g[d] for g in by_rater.values() if d in g]
        if d not in final and grades:
            final[d] = majority(grades)
    if not final:
        raise RatingsError("no grade for any dimension", where=where)
    key = str(f.need(row, "id", where))
    image = str(f.get(row, "image", ""))
    return Rated(
        id=key,
        figure=image or key,
        image=image,
        text=str(f.need(row, "text", where)),
        caption=str(f.get(row, "caption", "")),
        context=str(f.get(row, "context", "")),
        system=str(f.get(row, "system", "")),
        source=str(f.get(row, "source", "")),
        group=str(f.get(row, "group", "")),
        references=strings(f.get(row, "references")),
        ratings={
            d: tuple(by_rater.get(n, {}).get(d) for n in names)
            for d in DIMENSION_NAMES
            if any(d in g for g in by_rater.values())
        },
        final=final,
    )


def majority(grades: list[float]) -> float:
    """The most frequent grade; of several equally frequent ones the one nearest to the median, the lower on a tie."""
    counts = Counter(grades)
    top = max(counts.values())
    ordered = sorted(grades)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return min((g for g, n in counts.items() if n == top), key=lambda g: (abs(g - middle), g))
