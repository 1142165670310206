"""capevalkit's pair of files: ``predictions.jsonl {id, caption, image}`` and ``references.jsonl {id, references}``.

There ``caption`` is the text under test. References are found by id through an index of offsets, so that the file is
never held in memory and the two files need not be in the same order.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from f2teval.data.rows import MAX_ROW_BYTES, parse_json
from f2teval.errors import InputError, SampleError

PREDICTIONS: Final = "predictions.jsonl"
REFERENCES: Final = "references.jsonl"
_BOM: Final = b"\xef\xbb\xbf"
FIELDS: Final[dict[str, str]] = {"text": "caption"}


class References:
    """References by sample id; empty without a file. Use as a context manager.

    Raises:
        InputError: a line of the file is not ``{"id", "references"}`` (``captions`` is read too); said with its line.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._offsets: dict[int, int] = {}

    def __enter__(self) -> References:
        if self._path is None:
            return self
        try:
            self._file = self._path.open("rb")
        except OSError as e:
            raise InputError(e.strerror or str(e), where=str(self._path)) from e
        number, offset = 0, 0
        while line := self._file.readline(MAX_ROW_BYTES):
            number += 1
            if line.strip():
                self._offsets[_key(self._id(line, number))] = offset
            offset += len(line)
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, id: str) -> tuple[str, ...]:
        """The references of a sample, or ``()``. Raises :class:`SampleError` if they are not texts."""
        offset = self._offsets.get(_key(id))
        if offset is None or self._file is None:
            return ()
        self._file.seek(offset)
        row = parse_json(self._file.readline(MAX_ROW_BYTES).removeprefix(_BOM))
        texts = row.get("references", row.get("captions", []))
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
            raise SampleError("references must be a list of texts", where=str(self._path))
        return tuple(texts)

    def _id(self, line: bytes, number: int) -> str:
        where = f"{self._path}:{number}"
        try:
            row = parse_json(line.removeprefix(_BOM))
        except ValueError as e:
            raise InputError(str(e), where=where) from e
        if not isinstance(row, dict) or "id" not in row:
            raise InputError("a line of references needs an id", where=where)
        return str(row["id"])


def _key(id: str) -> int:
    return int.from_bytes(hashlib.blake2b(id.encode("utf-8", "replace"), digest_size=8).digest(), "little")
