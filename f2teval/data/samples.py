"""Samples from any input: a file, a folder, a pair of files, standard input. Streaming, one row at a time."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from f2teval.data import capevalkit
from f2teval.data.fields import BadRow, parse_mapping, row_id, to_sample
from f2teval.data.rows import FORMATS, RawRow, count_rows, file_format, read_rows, stdin_rows
from f2teval.errors import InputError, SampleError, UsageError
from f2teval.sample import Sample

_METADATA: Final = ("metadata.jsonl", "metadata.csv", "metadata.parquet", "samples.jsonl")
DUPLICATE_OF: Final = "duplicate_of"
"""Key in ``Sample.extra`` that keeps the id a row had before it was numbered."""


class SampleReader:
    """Samples and bad rows of one input, in order. Iterating again reads again from the start (not on standard input).

    Two rows with the same id are both kept: the second becomes ``id#2``, and so on, because an id often names the
    figure and several systems wrote about it.

    Attributes:
        notes: what should be said once at the end (unknown fields, numbered duplicates, …) → how many rows.
        missing_ids: the ids asked for that have not turned up (complete once the reader is exhausted).
    """

    def __init__(
        self,
        source: str | Path,
        *,
        image_dir: str | Path | None = None,
        mapping: Mapping[str, str] | None = None,
        allow_network: bool = False,
        limit: int | None = None,
        ids: Collection[str] | None = None,
    ) -> None:
        if limit is not None and limit < 0:
            raise UsageError("the limit must not be negative")
        self.stdin = str(source) == "-"
        self.path = Path(source)
        self.notes: Counter[str] = Counter()
        self.missing_ids: list[str] = []
        self._mapping = parse_mapping(mapping)
        self._network, self._limit = allow_network, limit
        self._ids = None if ids is None else set(ids)
        self._references: Path | None = None
        self._started = False
        if not self.stdin:
            self._resolve()
        folder = Path() if self.stdin else self.path.parent
        self._base = Path(image_dir) if image_dir is not None else folder
        if image_dir is not None and not self._base.is_dir():
            raise InputError("no such folder (--image-dir)", where=str(image_dir))

    def _resolve(self) -> None:
        """Find the file to read. Raises :class:`InputError` before anything is scored."""
        path = self.path
        if path.is_dir():
            path = _in_folder(path)
        if not path.exists():
            raise InputError("no such file or folder", where=str(path), hint=_nearby(path))
        self.path = path
        if path.is_file() or path.suffix:
            file_format(path)
        if path.name == capevalkit.PREDICTIONS:
            self._references = path.with_name(capevalkit.REFERENCES)
            if not self._references.exists():
                self._references = None
            self._mapping = {**capevalkit.FIELDS, **self._mapping}

    def __iter__(self) -> Iterator[Sample | BadRow]:
        if self.stdin and self._started:
            raise InputError("standard input can be read only once", hint="save it to a file first")
        self._started = True
        self.notes.clear()
        wanted = None if self._ids is None else set(self._ids)
        self.missing_ids = sorted(wanted or ())
        given = 0
        if self._limit == 0:
            return
        for item in self._numbered():
            if wanted is not None:
                if item.id not in wanted:
                    continue
                wanted.discard(item.id)
                self.missing_ids = sorted(wanted)
            given += 1
            yield item
            if (wanted is not None and not wanted) or given == self._limit:
                return

    def count(self) -> int | None:
        """How many rows to expect, for a progress bar; ``None`` if that cannot be told cheaply."""
        if self.stdin or not self.path.is_file():
            return None
        rows = count_rows(self.path)
        bounds = [n for n in (rows, self._limit, None if self._ids is None else len(self._ids)) if n is not None]
        return min(bounds) if bounds else None

    def _numbered(self) -> Iterator[Sample | BadRow]:
        seen: set[int] = set()  # hashes, not ids: a million rows cost tens of megabytes, not hundreds
        repeats: Counter[str] = Counter()
        for item in self._rows():
            key = _hash(item.id)
            if key not in seen:
                seen.add(key)
                yield item
                continue
            original, fresh = item.id, item.id
            while _hash(fresh) in seen:
                repeats[original] += 1
                fresh = f"{original}#{repeats[original] + 1}"
            seen.add(_hash(fresh))
            self.notes["the id was given before: numbered id#2, id#3, …"] += 1
            if isinstance(item, Sample):
                item = replace(item, id=fresh, extra={**item.extra, DUPLICATE_OF: original})
            else:
                item = replace(item, id=fresh)
            yield item

    def _rows(self) -> Iterator[Sample | BadRow]:
        raw = stdin_rows() if self.stdin else read_rows(self.path)
        with capevalkit.References(self._references) as references:
            for row in raw:
                yield self._sample(row, references)

    def _sample(self, row: RawRow, references: capevalkit.References) -> Sample | BadRow:
        if row.fields is None:
            return BadRow(f"row-{row.number}", row.problem, row.where, torn=row.torn)
        try:
            sample = to_sample(
                row.fields,
                number=row.number,
                base=self._base,
                mapping=self._mapping,
                allow_network=self._network,
            )
            if not sample.references:
                found = references.get(sample.id)
                sample = replace(sample, references=found) if found else sample
        except SampleError as e:
            system = row.fields.get(self._mapping.get("system", "system"))
            id_field = self._mapping.get("id", "id")
            return BadRow(
                row_id({"id": row.fields.get(id_field)}, row.number),
                str(e),
                row.where,
                system=system if isinstance(system, str) else "",
            )
        for name in sample.extra:
            self._note_unknown(name)
        return sample

    def _note_unknown(self, name: str) -> None:
        from f2teval.sample import FIELDS

        text = f"unknown field {name[:60]!r}: kept, not read"
        if text not in self.notes:
            near = difflib.get_close_matches(name.lower(), FIELDS, n=1, cutoff=0.75)
            if near:
                text += f" (did you mean {near[0]!r}? use --map {near[0]}={name[:60]})"
            elif len(self.notes) > 20:
                text = "more unknown fields: kept, not read"
        self.notes[text] += 1


def read_samples(
    input: str | Path,
    *,
    image_dir: str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    allow_network: bool = False,
    limit: int | None = None,
    ids: Collection[str] | None = None,
) -> SampleReader:
    """Samples of an input, one at a time; see :class:`SampleReader`.

    Args:
        input: JSONL, JSON array, CSV, TSV or Parquet file (``.gz`` allowed for text formats); a folder with
            ``metadata.jsonl`` (or .csv, .parquet), ``samples.jsonl`` or capevalkit's pair; ``predictions.jsonl`` with
            ``references.jsonl`` beside it; ``"-"`` for JSONL on standard input.
        image_dir: folder that relative image paths start from (default: the folder of the file).
        mapping: ``{our field: their field}``.
        allow_network: fetch images given as URLs.
        limit: read at most so many rows.
        ids: only the rows with these ids.

    Raises:
        InputError: the input is missing, empty of rows in any known format, or unreadable as a whole.
        UsageError: a mapping to a field we do not have.
    """
    return SampleReader(input, image_dir=image_dir, mapping=mapping, allow_network=allow_network, limit=limit, ids=ids)


def _in_folder(folder: Path) -> Path:
    for name in (*_METADATA, capevalkit.PREDICTIONS):
        if (folder / name).is_file():
            return folder / name
    files = sorted(p.name for p in folder.iterdir() if p.is_file() and p.suffix.lower() in FORMATS)
    below = sorted(p.parent.name for name in _METADATA for p in folder.glob(f"*/{name}"))
    if files:
        hint = f"score a file in it: {', '.join(files[:5])}"
    elif below:
        hint = f"score a folder in it: {', '.join(below[:5])}"
    else:
        hint = 'one line a picture: {"file_name": "fig.png", "text": "…"}'
    raise InputError("the folder has no metadata.jsonl", where=str(folder), hint=hint)


def _nearby(path: Path) -> str | None:
    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return None
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"did you mean {path.parent / near[0]}?" if near else None


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")
