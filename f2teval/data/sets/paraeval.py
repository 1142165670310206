"""ParaEval (HiFi-Score, Yao et al. 2024): a right paragraph against one that is plausible or has a part replaced.

UNVERIFIED: written from the paper's supplement, not from its files. Expected is a table with a row a pair: ``image``,
``positive``, ``negative``, ``type`` (plausible, object, attribute, relation); fields are mapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from f2teval.data.sets.base import Fields, Pair, Rated, RatingSet, native_file, rows_of

DEFAULTS: Final = {
    "figure": "image|image_id",
    "positive": "positive|groundtruth|gt|description",
    "negative": "negative|neg",
    "type": "type|category",
    "source": "source|dataset",
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Pairs by type; ids are ``number/right`` and ``number/wrong``."""
    f = Fields(DEFAULTS, fields)
    rows, pairs = [], []
    for i, (where, row) in enumerate(rows_of(native_file(path, "*paraeval*.json*", "*.json", "*.jsonl", "*.csv"))):
        figure, kind = str(f.need(row, "figure", where)), str(f.get(row, "type", ""))
        for suffix, name in (("right", "positive"), ("wrong", "negative")):
            rows.append(
                Rated(
                    id=f"{i}/{suffix}",
                    figure=figure,
                    image=figure,
                    text=str(f.need(row, name, where)),
                    group=kind,
                    source=str(f.get(row, "source", "")),
                )
            )
        pairs.append(Pair(f"{i}/right", f"{i}/wrong", kind))
    return RatingSet("paraeval", rows, {}, pairs)
