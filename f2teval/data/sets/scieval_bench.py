"""SCIEval-Bench (SCIEval, CVPR 2026): relevance and accuracy of scientific images and captions, three raters, 1–5.

UNVERIFIED: written from a summary of the paper, not from its files. Expected is a table with a row a text–image pair,
where ``relevance`` and ``accuracy`` are lists with one grade a rater (or one number); fields are mapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.data.sets.base import Fields, Rated, Raters, RatingSet, native_file, number, rows_of, strings

DEFAULTS: Final = {
    "id": "id",
    "figure": "image|image_id|image_path",
    "text": "caption|text|prompt",
    "system": "model|system",
    "task": "task",
    "domain": "domain|subject|category",
    "relevance": "relevance",
    "accuracy": "accuracy",
    "references": "references",
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``relevance`` and ``accuracy`` 1–5. Groups are task·domain, e.g. ``IC·CS`` and ``T2I·General``."""
    f = Fields(DEFAULTS, fields)
    rows = []
    for i, (where, row) in enumerate(rows_of(native_file(path, "*scieval*.json*", "*.json", "*.jsonl", "*.csv"))):
        figure = str(f.need(row, "figure", where))
        domain = str(f.get(row, "domain", ""))
        parts = [str(f.get(row, "task", "")), domain if domain in ("", "CS") else "General"]
        rows.append(
            Rated(
                id=str(f.get(row, "id", i)),
                figure=figure,
                image=figure,
                text=str(f.need(row, "text", where)),
                system=str(f.get(row, "system", "")),
                group="·".join(p for p in parts if p),
                references=strings(f.get(row, "references")),
                ratings={d: _grades(f.get(row, d), where, d) for d in ("relevance", "accuracy") if f.get(row, d)},
            )
        )
    return RatingSet("scieval-bench", rows, {"relevance": (1, 5), "accuracy": (1, 5)})


def _grades(value: Any, where: str, what: str) -> Raters:
    values = value if isinstance(value, list) else [value]
    return tuple(None if v is None else number(v, where, what) for v in values)
