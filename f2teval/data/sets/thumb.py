"""THumB 1.0 (Kasai et al. 2022): a row a caption with precision, recall, penalties and their total."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, native_file, number, rows_of, strings

DEFAULTS: Final = {
    "figure": "seg_id",
    "system": "SYS",
    "text": "hyp",
    "image": "image",
    "references": "refs|references",
    "precision": "P",
    "recall": "R",
    "fluency": "Fl",
    "conciseness_penalty": "Con",
    "inclusive": "Inc",
    "overall": "human_score",
}
_RATED: Final = ("precision", "recall", "fluency", "conciseness_penalty", "inclusive", "overall")


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``precision`` and ``recall`` 1–5, penalties at most 0, ``overall`` their total.

    ``conciseness_penalty`` is not the dimension *conciseness*: 0 is its best value and it is rarely anything else.
    The group is "human" or "machine", as the paper reports them.
    """
    f = Fields(DEFAULTS, fields)
    rows = []
    for where, row in rows_of(native_file(path, "*THumB*.jsonl", "*thumb*.jsonl", "*.jsonl")):
        system = str(f.need(row, "system", where))
        figure = str(f.need(row, "figure", where))
        final = {
            d: number(v, where, d) + 0.0 for d in _RATED if (v := f.get(row, d)) is not None
        }  # + 0.0 turns -0.0 into 0.0
        rows.append(
            Rated(
                id=f"{figure}/{system}",
                figure=figure,
                text=str(f.need(row, "text", where)),
                system=system,
                group="human" if system.lower() == "human" else "machine",
                image=str(f.get(row, "image", "")),
                references=strings(f.get(row, "references")),
                final=final,
            )
        )
    scales = {"precision": (1.0, 5.0), "recall": (1.0, 5.0)}
    return RatingSet("thumb", rows, scales, aggregate="final", published="pearson",
                     answers={"precision": "faithfulness", "recall": "completeness"})  # fmt: skip
