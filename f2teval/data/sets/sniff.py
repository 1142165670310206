"""Which set is this file? Told by the fields of its first row, so that nobody has to name what can be seen."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from f2teval.data.sets.base import json_of, native_file, rows_of
from f2teval.errors import InputError

_SHAPES: tuple[tuple[str, frozenset[str]], ...] = (
    ("chocolate", frozenset({"sentences", "labels", "image_path"})),
    ("chocolate", frozenset({"text", "errors", "group", "system"})),
    ("thumb", frozenset({"SYS", "hyp", "human_score"})),
    ("nebula", frozenset({"imgid", "mt", "score"})),
    ("polaris", frozenset({"imgid", "cand", "score"})),
    ("nebula", frozenset({"file_name", "mt", "human_score"})),
    ("polaris", frozenset({"cand", "refs", "human_score"})),
    ("f2tbenchmark", frozenset({"summary", "annotations"})),
)


def sniff(path: Path) -> str:
    """The name of the set in ``path``, or "table" for anything with an id a row. Raises :class:`InputError`."""
    file = native_file(path, "records.jsonl", "ratings.*", "*.json", "*.jsonl", "*.csv", "*.parquet")
    if file.suffix.lower() == ".json" and _starts_with(file, b"{"):
        return _of_object(json_of(file), file)
    for _, row in islice(rows_of(file), 1):
        for name, keys in _SHAPES:
            if keys <= row.keys():
                return name
        return "table"
    raise InputError("no rows in it", where=str(file))


def _starts_with(file: Path, mark: bytes) -> bool:
    with file.open("rb") as f:
        return f.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(mark)


def _of_object(data: Any, file: Path) -> str:
    first = next(iter(data.values()), None) if isinstance(data, Mapping) else None
    if isinstance(first, list):
        return "pascal-50s"
    if isinstance(first, Mapping) and "human_judgement" in first:
        highest = max(
            (j.get("rating", 0) for e in islice(data.values(), 200) for j in e.get("human_judgement", ())), default=0
        )
        return "flickr8k-cf" if highest <= 1 else "flickr8k-expert"
    raise InputError(
        "not a rating set this program knows by its form", where=str(file), hint="name it with --set; f2teval list sets"
    )
