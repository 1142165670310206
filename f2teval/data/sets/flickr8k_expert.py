"""Flickr8k-Expert (Hodosh, Young and Hockenmaier 2013) in the JSON form CLIPScore made common.

An object ``image id → {image_path, ground_truth, human_judgement: [{caption, rating}, …]}``; each caption is listed
once a rater. Published τ-c on this set counts every single rating (aggregate "none").
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, json_of, native_file, number, strings
from f2teval.errors import InputError

DEFAULTS: Final = {
    "judgements": "human_judgement",
    "references": "ground_truth",
    "image": "image_path",
    "caption": "caption",
    "rating": "rating",
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``overall`` 1–4, a value a rater."""
    file = native_file(path, "flickr8k.json", "*flickr8k*.json")
    return load_flickr(file, fields, "flickr8k-expert", (1, 4), "none", "kendall_c")


def load_flickr(
    file: Path, fields: Mapping[str, str], name: str, scale: tuple[float, float], aggregate: str, published: str
) -> RatingSet:
    """The shared form of the two Flickr8k sets; captions are numbered within their image in the order of the file."""
    f = Fields(DEFAULTS, fields)
    data = json_of(file)
    if not isinstance(data, dict):
        raise InputError("expected an object with an entry an image", where=str(file))
    rows = []
    for image, entry in data.items():
        where = f"{file}:{image}"
        if not isinstance(entry, dict):
            raise InputError("expected an object", where=where)
        grades: dict[str, list[float]] = {}
        judgements = f.need(entry, "judgements", where)
        if not isinstance(judgements, list):
            raise InputError("the judgements are not a list", where=where)
        for j in judgements:
            caption = str(f.need(j, "caption", where))
            grades.setdefault(caption, []).append(number(f.need(j, "rating", where), where, "rating"))
        for i, (caption, values) in enumerate(grades.items()):
            rows.append(
                Rated(
                    id=f"{image}#{i}",
                    figure=str(image),
                    text=caption,
                    image=str(f.get(entry, "image", "")),
                    references=strings(f.get(entry, "references")),
                    ratings={"overall": tuple(values)},
                )
            )
    return RatingSet(name, rows, {"overall": scale}, aggregate=aggregate, published=published)
