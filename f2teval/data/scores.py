"""Scores to and from files: JSONL as it goes, Parquet when done; a run that was killed carries on where it stopped."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

import orjson

from f2teval.data.rows import read_rows
from f2teval.errors import F2TEvalError, InputError, UsageError
from f2teval.score import Score

JOURNAL_SUFFIX: Final = ".part.jsonl"
INPUT_KEY: Final = "input"
"""Field of an output row with a hash of its sample, by which ``--resume`` notices a changed input."""


def read_scores(path: str | Path) -> Iterator[Score]:
    """Scores of a JSONL or Parquet file written by a run. A torn last line is left out.

    Raises:
        InputError: the file is missing, or a row is no score (with its line).
    """
    for row in read_score_rows(path):
        yield Score.from_row(row)


def read_score_rows(path: str | Path) -> Iterator[dict[str, Any]]:
    """As :func:`read_scores`, but the plain rows as they stand in the file."""
    for raw in read_rows(Path(path)):
        if raw.torn:
            return
        if raw.fields is None:
            raise InputError(raw.problem, where=raw.where)
        if "id" not in raw.fields or "metric" not in raw.fields:
            raise InputError("not a row of scores (no id or no metric)", where=raw.where, hint="is this the input?")
        yield _unpack(dict(raw.fields))


class ScoreFile:
    """Where a run puts its scores. A context manager; rows go to disk as they come.

    JSONL is appended to directly. Parquet cannot be appended to, so rows go to ``OUT.part.jsonl`` and become ``OUT``
    at :meth:`finish`; until then the part file is the valid result of what was done.

    Args:
        path: ``….jsonl`` or ``….parquet``.
        resume: keep what is there. Without it an existing file is an error unless ``overwrite`` is given.
    """

    def __init__(self, path: str | Path, *, resume: bool = False, overwrite: bool = False) -> None:
        self.path = Path(path)
        suffix = self.path.suffix.lower()
        if suffix not in (".jsonl", ".ndjson", ".parquet", ".pq"):
            raise UsageError(f"cannot write {suffix or 'a file without extension'!r}: -o takes .jsonl or .parquet")
        self.parquet = suffix in (".parquet", ".pq")
        self.journal = self.path.with_name(self.path.name + JOURNAL_SUFFIX) if self.parquet else self.path
        self.rows = 0
        self._resume, self._overwrite = resume, overwrite
        self._file: IO[bytes] | None = None

    def __enter__(self) -> ScoreFile:
        if self.path.is_dir():
            raise UsageError(f"{self.path} is a folder; -o takes a file")
        try:
            self._open()
        except OSError as e:
            raise disk_error(e, self.journal) from e
        return self

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not self._resume
        used = [p for p in {self.path, self.journal} if p.exists() and p.stat().st_size]
        if fresh and used and not self._overwrite:
            raise UsageError(f"{used[0]} exists: --resume carries on, --overwrite starts again")
        if self._resume and self.parquet and self.path.exists() and not self.journal.exists():
            part = self.journal.with_name(self.journal.name + ".tmp")
            with part.open("wb") as f:
                f.writelines(orjson.dumps(row) + b"\n" for row in read_score_rows(self.path))
            part.replace(self.journal)
        self._file = self.journal.open("r+b" if self.journal.exists() else "w+b", buffering=0)
        if not _lock(self._file):
            raise UsageError(f"another run is writing {self.journal}")
        if fresh:
            self._file.truncate(0)

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def done(self, signatures: Sequence[tuple[str, str]]) -> int:
        """How many samples are done, after cutting off what a kill left unfinished.

        Args:
            signatures: ``(metric, signature)`` of each metric of this run, in order; a sample has a row for each.

        Raises:
            UsageError: the file was written by other metrics or another signature; it is left as it is.
        """
        assert self._file is not None
        rows, position, complete = 0, 0, 0
        with self.journal.open("rb") as f:
            for line in f:
                if not line.endswith(b"\n"):
                    break
                self._check(line, rows, signatures[rows % len(signatures)])
                rows += 1
                position += len(line)
                if rows % len(signatures) == 0:
                    complete = position
        self._file.truncate(complete)
        self._file.seek(complete)
        self.rows = rows - rows % len(signatures)
        return self.rows // len(signatures)

    def _check(self, line: bytes, row_number: int, expected: tuple[str, str]) -> None:
        try:
            row = orjson.loads(line)
            found = (row["metric"], row["signature"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise UsageError(f"{self.journal}:{row_number + 1} is no row of scores; nothing was changed") from None
        if found != expected:
            raise UsageError(
                f"cannot resume {self.path}: row {row_number + 1} was written by {found[0]} ({found[1]}), "
                f"this run is {expected[0]} ({expected[1]}); choose another -o, or --overwrite"
            )

    def old(self) -> Iterator[tuple[Score, str]]:
        """The scores that :meth:`done` counted, each with the key of its sample."""
        with self.journal.open("rb") as f:
            for _ in range(self.rows):
                row = orjson.loads(f.readline())
                yield Score.from_row(row), row.get(INPUT_KEY, "")

    def write(self, scores: Iterable[tuple[Score, str]]) -> None:
        """Append scores, each with the key of its sample: all of them or, if the disk is full, none.

        Raises:
            F2TEvalError: the file cannot be written; what was there before is kept.
        """
        assert self._file is not None
        rows = [dump_score(score, key) for score, key in scores]
        data = b"".join(row + b"\n" for row in rows)
        start = self._file.tell()
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except BaseException as e:  # Ctrl-C too: no torn row is left
            self._file.truncate(start)
            self._file.seek(start)
            if isinstance(e, OSError):
                raise disk_error(e, self.journal, self.rows) from e
            raise
        self.rows += len(rows)

    def finish(self) -> None:
        """The run is complete: turn the journal into Parquet, if that was asked for."""
        if not self.parquet:
            return
        part = self.path.with_name(self.path.name + ".tmp")
        try:
            write_parquet(read_score_rows(self.journal), part)
            part.replace(self.path)
        except OSError as e:
            part.unlink(missing_ok=True)
            raise disk_error(e, part, self.rows) from e
        self.journal.unlink()


def dump_score(score: Score, key: str | None = None) -> bytes:
    """A score as a line of JSON, without the line break. Takes whatever a metric left in the evidence: arrays become
    lists, other foreign types text, NaN null; nothing a metric writes there can stop a run."""
    row = score.to_row()
    if key is not None:
        row[INPUT_KEY] = key
    try:
        return orjson.dumps(row, default=str, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    except TypeError:  # a lone surrogate, which orjson refuses and JSON's \u escapes can carry
        return json.dumps(row, default=str).encode()


def disk_error(e: OSError, path: Path, rows: int = 0) -> F2TEvalError:
    """One line for a file that cannot be written, and what became of the rows."""
    what = "the disk is full" if e.errno in (errno.ENOSPC, errno.EDQUOT) else (e.strerror or str(e))
    kept = f"; {rows} rows are kept, --resume carries on" if rows else ""
    return F2TEvalError(f"cannot write {path}: {what}{kept}")


def _lock(file: IO[bytes]) -> bool:
    """Keep a second run out of the same file, where the system has locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> int:
    """Write rows of scores as Parquet in bounded memory; returns how many. What has no fixed shape goes in as JSON."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from f2teval.rubric import DIMENSION_NAMES

    text, number, position = pa.string(), pa.float64(), pa.int32()
    error = pa.struct(
        [
            ("type", text),
            ("start", position),
            ("end", position),
            ("said", text),
            ("seen", text),
            ("box", pa.list_(number)),
            ("note", text),
            ("confidence", number),
        ]
    )
    sentence = pa.struct(
        [
            ("text", text),
            ("start", position),
            ("end", position),
            ("p_error", number),
            ("errors", pa.list_(error)),
            ("verdicts", text),
            ("why", text),
            ("levels", pa.list_(position)),
        ]
    )
    names = pa.list_(text)
    schema = pa.schema(
        [
            ("id", text),
            ("system", text),
            ("metric", text),
            ("signature", text),
            ("status", text),
            ("reason", text),
            ("scores", pa.struct([(d, number) for d in DIMENSION_NAMES])),
            ("overall", number),
            ("value", number),
            ("sentences", pa.list_(sentence)),
            ("coverage", pa.struct([("mentioned", names), ("missing", names)])),
            ("reasons", text),
            ("explain", text),
            ("warnings", names),
            ("elapsed_ms", number),
            (INPUT_KEY, text),
        ]
    )
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        block: list[dict[str, Any]] = []
        for row in rows:
            block.append(_pack(row))
            count += 1
            if len(block) == 512:
                writer.write_table(pa.Table.from_pylist(block, schema=schema))
                block = []
        if block:
            writer.write_table(pa.Table.from_pylist(block, schema=schema))
    return count


def _pack(row: dict[str, Any]) -> dict[str, Any]:
    sentences = [
        {
            **s,
            "verdicts": orjson.dumps(s.get("verdicts") or []).decode(),
            "why": orjson.dumps(s.get("why") or {}).decode(),
        }
        for s in row.get("sentences") or ()
    ]
    packed = {name: orjson.dumps(row.get(name) or {}).decode() for name in ("reasons", "explain")}
    return {**row, **packed, "sentences": sentences}


def _unpack(row: dict[str, Any]) -> dict[str, Any]:
    """Undo :func:`_pack`; a row from JSONL passes through."""
    packed = isinstance(row.get("reasons"), str)
    for name in ("reasons", "explain"):
        if isinstance(row.get(name), str):
            row[name] = orjson.loads(row[name])
    if packed:
        # A struct has all its columns, so a dimension that the metric does not give reads back as null.
        row["scores"] = {d: v for d, v in (row.get("scores") or {}).items() if v is not None or d in row["reasons"]}
    for s in row.get("sentences") or ():
        for name in ("verdicts", "why"):
            if isinstance(s.get(name), str):
                s[name] = orjson.loads(s[name])
    return row
