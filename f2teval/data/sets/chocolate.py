"""CHOCOLATE (Huang et al. 2024): factual errors in chart captions, sentence by sentence.

Two forms: the native ``chocolate.json`` (``sentences, labels, model, dataset, image_path, _id``, as its
README describes it; the file itself was not seen), and a folder with ``records.jsonl`` (``id, image, text, system,
source, group, errors``). A sentence is wrong when it carries an error label other than bad grammar, and a caption is
factual when none of its sentences is wrong: so the authors count. Their three splits are the groups: LVLM (GPT-4V,
Bard), LLM (DePlot + GPT-4) and FT (ChartT5, MatCha, UniChart); they publish τ-c, against factual, of a caption's score,
which is the smallest of its sentences'.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, native_file, rows_of
from f2teval.errors import RatingsError

DEFAULTS: Final = {
    "id": "_id|id",
    "sentences": "sentences|text",
    "labels": "labels|errors",
    "system": "model|system",
    "source": "dataset|source",
    "image": "image_path|image",
    "group": "group|split",
}


def _group(system: str) -> str:
    name = system.lower().replace("-", "").replace("_", "").replace(" ", "")
    if "deplot" in name:
        return "LLM"
    if any(part in name for part in ("gpt4v", "bard", "lvlm", "gemini")):
        return "LVLM"
    return "FT" if any(part in name for part in ("chartt5", "matcha", "unichart")) else ""


def _factual_error(errors: Any) -> bool:
    return any(not str(e).startswith("gramma") for e in errors) if isinstance(errors, list) else bool(errors)


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``factual`` (1 no sentence wrong, else 0) and ``correct`` (share of right sentences, 0–1)."""
    f = Fields(DEFAULTS, fields)
    file = native_file(path, "chocolate.json", "records.jsonl", "*.json", "*.jsonl")
    rows = []
    for where, row in rows_of(file):
        sentences = f.need(row, "sentences", where)
        labels = f.need(row, "labels", where)
        if not isinstance(sentences, list) or not isinstance(labels, list) or len(sentences) != len(labels):
            raise RatingsError("sentences and labels must be lists of one length", where=where)
        if not sentences:
            raise RatingsError("a caption without sentences", where=where)
        wrong = tuple(_factual_error(errors) for errors in labels)
        image = str(f.get(row, "image", ""))
        system = str(f.get(row, "system", ""))
        key = str(f.need(row, "id", where))
        rows.append(
            Rated(
                id=key,
                figure=image or key,
                text=" ".join(map(str, sentences)),
                sentences=tuple(map(str, sentences)),
                wrong=wrong,
                system=system,
                group=str(f.get(row, "group", "")) or _group(system),
                source=str(f.get(row, "source", "")),
                image=image,
                final={"factual": float(not any(wrong)), "correct": 1 - sum(wrong) / len(wrong)},
            )
        )
    return RatingSet(
        "chocolate",
        rows,
        {"factual": (0, 1), "correct": (0, 1)},
        aggregate="final",
        published="kendall_c",
        answers={"factual": "faithfulness", "correct": "faithfulness"},
    )
