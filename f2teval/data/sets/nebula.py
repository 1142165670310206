"""Nebula (Matsuda, Wada and Sugiura 2024): ``imgid, mt, refs, score``; a score is the mean of several raters, 0–1.

Nebula-exp and Polaris-exp (EXPERT, Kim et al. 2025) are the same rows with ``id``, ``count`` (raters) and an
``explanation`` for fluency, relevance and descriptiveness, which was written by a model and is no rating.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, native_file, number, rows_of, strings
from f2teval.errors import RatingsError

DEFAULTS: Final = {
    "id": "id",
    "figure": "imgid|image_id|file_name|image|img",
    "text": "mt|cand|candidate",
    "references": "refs|references",
    "rating": "score|human_score",
    "system": "system|model",
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``overall`` 0–1 (the published mean)."""
    return load_means(native_file(path, "nebula*.json*", "*.json", "*.jsonl", "*.csv", "*.parquet"), fields, "nebula")


def load_means(file: Path, fields: Mapping[str, str], name: str) -> RatingSet:
    """The shared form of Nebula and Polaris. Rows without an id are numbered from 0, as ``0``, ``1`` …"""
    f = Fields(DEFAULTS, fields)
    rows = []
    for i, (where, row) in enumerate(rows_of(file)):
        picture = _picture(f.need(row, "figure", where))
        rows.append(
            Rated(
                id=str(f.get(row, "id", i)),
                figure=picture,
                text=str(f.need(row, "text", where)),
                image=picture,
                system=str(f.get(row, "system", "")),
                references=_references(f.get(row, "references"), where),
                final={"overall": number(f.need(row, "rating", where), where, "score")},
            )
        )
    return RatingSet(name, rows, {"overall": (0, 1)}, aggregate="final", published="kendall_c")


def _picture(value: Any) -> str:
    """A picture's name; the Hub's Parquet has ``{bytes, path}``, where a nameless picture is known by its bytes."""
    if not isinstance(value, Mapping):
        return str(value)
    data = value.get("bytes")
    return str(
        value.get("path") or hashlib.blake2b(data if isinstance(data, bytes) else b"", digest_size=8).hexdigest()
    )


def _references(value: Any, where: str) -> tuple[str, ...]:
    # The CSV form writes a list as Python does; literal_eval reads literals only and runs nothing.
    if isinstance(value, str) and value.startswith("["):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as e:
            raise RatingsError("refs is not a list of strings", where=where) from e
    return strings(value)
