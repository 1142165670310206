"""Composite (Aditya et al. 2018): correctness 1–5 of captions for COCO, Flickr8k and Flickr30k images.

UNVERIFIED: written from the papers that use it, not from its files. Expected is a table (JSON, JSONL or CSV) with a row
a caption; fields that are called otherwise are mapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, native_file, number, rows_of, strings

DEFAULTS: Final = {
    "id": "id",
    "figure": "image_id|image|imgid|image_path",
    "text": "caption|candidate|text|mt",
    "rating": "human_score|rating|score|correctness",
    "references": "references|refs",
    "group": "dataset|group|source",
    "system": "system|model",
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``overall`` 1–5."""
    f = Fields(DEFAULTS, fields)
    rows = []
    for i, (where, row) in enumerate(
        rows_of(native_file(path, "composite*.json*", "composite*.csv", "*.json", "*.csv"))
    ):
        figure = str(f.need(row, "figure", where))
        rows.append(
            Rated(
                id=str(f.get(row, "id", i)),
                figure=figure,
                image=figure,
                text=str(f.need(row, "text", where)),
                system=str(f.get(row, "system", "")),
                group=str(f.get(row, "group", "")),
                references=strings(f.get(row, "references")),
                final={"overall": number(f.need(row, "rating", where), where, "rating")},
            )
        )
    return RatingSet("composite", rows, {"overall": (1, 5)}, aggregate="final", published="kendall_c")
