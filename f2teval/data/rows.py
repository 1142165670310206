"""Raw rows out of files: JSONL, JSON arrays, CSV/TSV and Parquet, one at a time.

A row that cannot be parsed is yielded as a :class:`RawRow` with a ``problem``; only a file that cannot be read at all
raises. Memory does not grow with the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import orjson

from f2teval.errors import InputError
from f2teval.settings import MAX_IMAGE_BYTES

MAX_ROW_BYTES: Final = 2 * MAX_IMAGE_BYTES
"""A longer line is skipped and reported: room for the largest picture in base64 and a long text."""

FORMATS: Final[dict[str, str]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as it stands in the file.

    Attributes:
        number: line number (JSONL, CSV) or row number (Parquet, JSON), from 1.
        where: ``file:number``, for messages.
        fields: the row, or ``None`` if it could not be parsed.
        problem: why not.
        torn: the row is the last one and looks cut off: the file is probably still being written.
    """

    number: int
    where: str
    fields: Mapping[str, Any] | None = None
    problem: str = ""
    torn: bool = False


def file_format(path: Path) -> str:
    """The format by extension (``.gz`` is looked through). Raises :class:`InputError` for an unknown one."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    fmt = FORMATS.get(name.suffix.lower())
    if fmt is None and path.exists() and not path.is_file() and not path.is_dir():
        return "jsonl"  # a pipe, as in f2teval score <(zcat big.jsonl.gz)
    if fmt is None:
        raise InputError(
            f"cannot tell the format of a {name.suffix or 'file without extension'!r} file",
            where=str(path),
            hint=f"known: {', '.join(FORMATS)}, a folder with metadata.jsonl, or --image with --text",
        )
    return fmt


def read_rows(path: Path) -> Iterator[RawRow]:
    """Rows of a file, by its format. Raises :class:`InputError` if the file itself cannot be read."""
    fmt = file_format(path)
    try:
        if fmt == "parquet":
            yield from _parquet(path)
            return
        with _open(path) as f:
            head = _peek_bom(f, path)
            if fmt == "jsonl":
                yield from read_jsonl(f, str(path))
            elif fmt == "json":
                yield from _json_array(f, str(path))
            else:
                yield from _csv(f, str(path), "\t" if ".tsv" in path.name.lower() else None, head)
    except OSError as e:
        raise InputError(e.strerror or str(e), where=str(path)) from e
    except EOFError as e:
        raise InputError("the compressed file is cut off", where=str(path)) from e


def _open(path: Path) -> IO[bytes]:
    if path.suffix.lower() == ".gz":
        return io.BufferedReader(gzip.open(path, "rb"))  # type: ignore[arg-type]
    return path.open("rb")


def _peek_bom(f: IO[bytes], path: Path) -> bytes:
    """Skip a UTF-8 byte order mark; refuse UTF-16, which would otherwise come out as rows of nonsense."""
    head = f.peek(4)[:4] if hasattr(f, "peek") else b""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError("the file is UTF-16", where=str(path), hint="save it as UTF-8")
    if head[:3] == b"\xef\xbb\xbf":
        f.read(3)
    return head


def read_jsonl(f: IO[bytes], name: str) -> Iterator[RawRow]:
    """Rows of an open JSONL stream; blank lines are skipped."""
    number = 0
    while True:
        line = f.readline(MAX_ROW_BYTES)
        if not line:
            return
        number += 1
        where = f"{name}:{number}"
        complete = line.endswith(b"\n")
        if not complete and len(line) == MAX_ROW_BYTES:
            while line and not line.endswith(b"\n"):
                line = f.readline(MAX_ROW_BYTES)
            yield RawRow(number, where, problem=f"the line is longer than {MAX_ROW_BYTES >> 20} MB")
            continue
        if line.strip():
            yield _json_row(line, number, where, complete)


def _json_row(line: bytes, number: int, where: str, complete: bool) -> RawRow:
    try:
        value = parse_json(line)
    except ValueError as e:
        if not complete:
            return RawRow(
                number, where, torn=True, problem="the last line is cut off (is the file still being written?)"
            )
        return RawRow(number, where, problem=str(e))
    if not isinstance(value, dict):
        hint = "; is this a JSON array? then name it .json" if number == 1 and isinstance(value, list) else ""
        return RawRow(number, where, problem=f"a row must be a JSON object, not {_kind(value)}{hint}")
    return RawRow(number, where, value)


def parse_json(data: bytes) -> Any:
    """JSON, and the NaN and Infinity that Python and JavaScript tools write. Raises ``ValueError`` in plain words."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as first:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as e:
            raise ValueError(f"invalid UTF-8 at byte {e.start}") from e
        try:
            return json.loads(text)
        except RecursionError as e:
            raise ValueError("JSON nested too deeply") from e
        except json.JSONDecodeError:
            raise ValueError(f"not valid JSON ({first.msg}, column {first.colno})") from first


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else type(value).__name__)


def _json_array(f: IO[bytes], name: str) -> Iterator[RawRow]:
    """Objects of a JSON array, decoded one at a time from a sliding buffer."""
    stream = io.TextIOWrapper(f, encoding="utf-8", errors="replace")
    decoder = json.JSONDecoder()
    buffer, number, want = stream.read(1 << 16).lstrip(), 0, 1 << 16
    if not buffer.startswith("["):
        if buffer:
            raise InputError(
                "a .json file must hold an array of objects", where=name, hint="one object a line is .jsonl"
            )
        return
    buffer = buffer[1:]
    while True:
        buffer = buffer.lstrip(" \t\r\n,")
        if buffer.startswith("]"):
            return
        try:
            value, end = decoder.raw_decode(buffer)
            # A number or word at the very end of the buffer may go on in the next chunk; objects cannot.
        except RecursionError:
            raise InputError("JSON nested too deeply", where=f"{name}:{number + 1}") from None
        except json.JSONDecodeError as e:
            more = stream.read(want) if len(buffer) < MAX_ROW_BYTES else ""
            if not more:
                problem = "the array is cut off or broken here"
                yield RawRow(number + 1, f"{name}:{number + 1}", torn=not buffer, problem=f"{problem} ({e.msg})")
                return
            buffer, want = buffer + more, want * 2
            continue
        buffer, want = buffer[end:], 1 << 16
        number += 1
        where = f"{name}:{number}"
        if isinstance(value, dict):
            yield RawRow(number, where, value)
        else:
            yield RawRow(number, where, problem=f"a row must be a JSON object, not {_kind(value)}")


def _csv(f: IO[bytes], name: str, delimiter: str | None, head: bytes) -> Iterator[RawRow]:
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_BYTES))
    # Bytes that are no UTF-8 come in as lone surrogates, so that just their rows can be refused.
    tail = _Tail(io.TextIOWrapper(f, encoding="utf-8", errors="surrogateescape", newline=""))
    first = next(tail, "")
    if not first.strip():
        return
    if delimiter is None:
        delimiter = max(",;\t", key=lambda d: (first.count(d), d == ","))
    header = next(csv.reader([first], delimiter=delimiter))
    names = [h.strip() for h in header]
    doubled = sorted({n for n in names if n and names.count(n) > 1})
    if doubled:
        raise InputError(f"the header names a column twice: {', '.join(doubled)}", where=f"{name}:1")
    reader = csv.reader(tail, delimiter=delimiter)
    while True:
        number = reader.line_num + 2
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as e:
            yield RawRow(number, f"{name}:{number}", problem=f"not valid CSV ({e})")
            continue
        yield from _csv_row(cells, names, number, f"{name}:{number}", torn=tail.ended and not tail.complete)


def _csv_row(cells: list[str], names: list[str], number: int, where: str, torn: bool) -> Iterator[RawRow]:
    if not any(cells):
        return
    if len(cells) != len(names):
        if torn and len(cells) < len(names):
            problem = "the last line is cut off (is the file still being written?)"
            yield RawRow(number, where, problem=problem, torn=True)
        else:
            yield RawRow(number, where, problem=f"{len(cells)} cells where the header has {len(names)}")
        return
    if any("\udc80" <= ch <= "\udcff" for cell in cells for ch in cell if ch > "\ud7ff"):
        yield RawRow(number, where, problem="invalid UTF-8")
        return
    yield RawRow(number, where, {n: c if c != "" else None for n, c in zip(names, cells) if n})


class _Tail:
    """Lines of a text stream, remembering whether the last one ended in a newline."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self._stream, self.complete, self.ended = stream, True, False
        self._next = stream.readline(MAX_ROW_BYTES)

    def __iter__(self) -> _Tail:
        return self

    def __next__(self) -> str:
        line = self._next
        if not line:
            raise StopIteration
        self.complete = line.endswith(("\n", "\r"))
        self._next = self._stream.readline(MAX_ROW_BYTES)
        self.ended = not self._next
        return line


def _parquet(path: Path) -> Iterator[RawRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, pre_buffer=False, memory_map=True) as file:
            number = 0
            # Small batches: a row may hold a picture of many megabytes.
            for batch in file.iter_batches(batch_size=16):
                for fields in batch.to_pylist():
                    number += 1
                    yield RawRow(number, f"{path}:{number}", fields)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as e:
        raise InputError(f"not a readable Parquet file ({str(e).splitlines()[0]})", where=str(path)) from e


def count_rows(path: Path) -> int | None:
    """Rows of a file, quickly and roughly (a cell of CSV may hold a line break); ``None`` if that takes a full read."""
    fmt = file_format(path)
    if path.suffix.lower() == ".gz" or fmt == "json":
        return None
    try:
        if fmt == "parquet":
            import pyarrow.parquet as pq

            return int(pq.read_metadata(path).num_rows)
        with path.open("rb") as f:
            lines = sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))
    except (OSError, ValueError):
        return None
    return max(lines - (fmt == "csv"), 0)


def stdin_rows() -> Iterator[RawRow]:
    """JSONL rows from standard input."""
    yield from read_jsonl(sys.stdin.buffer, "stdin")
