"""Pascal-50S (Vedantam et al. 2015): which of two captions do people find closer to the image?

An object ``HC | HI | HM | MM → [{image, captions: [two], label: 0 | 1, references}]``; the label is the index of the
preferred caption.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from f2teval.data.sets.base import Fields, Pair, Rated, RatingSet, json_of, native_file, strings
from f2teval.errors import InputError, RatingsError

DEFAULTS: Final = {"image": "image", "captions": "captions", "label": "label", "references": "references"}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Pairs; the texts carry no rating of their own. Ids are ``KIND-number/0`` and ``/1``."""
    f = Fields(DEFAULTS, fields)
    file = native_file(path, "pascal_50s*.json", "*pascal*.json", "*.json")
    data = json_of(file)
    if not isinstance(data, dict):
        raise InputError("expected an object with a list a kind (HC, HI, HM, MM)", where=str(file))
    rows, pairs = [], []
    for kind, entries in data.items():
        if not isinstance(entries, list):
            raise InputError(f"expected a list of pairs under {kind!r}", where=str(file))
        for i, entry in enumerate(entries):
            where = f"{file}:{kind}[{i}]"
            captions, label = f.need(entry, "captions", where), f.need(entry, "label", where)
            if not isinstance(captions, list) or len(captions) != 2 or label not in (0, 1):
                raise RatingsError("expected two captions and a label 0 or 1", where=where)
            image = str(f.get(entry, "image", ""))
            ids = [f"{kind}-{i}/{k}" for k in (0, 1)]
            for key, caption in zip(ids, captions):
                rows.append(
                    Rated(
                        id=key,
                        figure=image or f"{kind}-{i}",
                        text=str(caption),
                        group=kind,
                        image=image,
                        references=strings(f.get(entry, "references")),
                    )
                )
            pairs.append(Pair(ids[label], ids[1 - label], kind))
    return RatingSet("pascal-50s", rows, {}, pairs)
