"""The data set folder: ``samples.jsonl``, ``truth.jsonl``, ``figures/``, ``card.md``; streamed, resumable, exact.

A figure is committed by its line in ``truth.jsonl``, written last. After a kill, ``resume`` drops what was begun and
not committed (a torn line, samples without their truth) and goes on: no figure is lost, doubled or torn.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from f2teval.bench.synth import Figure, Options, make_figure
from f2teval.errors import InputError, UsageError
from f2teval.sample import Sample

SAMPLES: Final = "samples.jsonl"
TRUTH: Final = "truth.jsonl"
RUN: Final = "run.json"
CHUNK: Final = 8


def write_dataset(
    out: Path,
    n: int,
    options: Options,
    *,
    resume: bool = False,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write figures ``0 … n - 1`` into ``out``; returns how many were made now (the rest was there already).

    Raises :class:`UsageError` when the folder holds something else, :class:`InputError` when the disk is full (what was
    written stays, ``resume`` goes on).
    """
    if n < 1:
        raise UsageError(f"the number of figures must be at least 1, not {n}")
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}")
    pairs = options.pairs()
    with disk_errors(out):
        done = _open_folder(out, options, resume)
        with (out / SAMPLES).open("ab") as samples, (out / TRUTH).open("ab") as truth:
            for i, figure in enumerate(_figures(range(done, n), options, pairs, jobs), done):
                _commit(out, figure, samples, truth)
                if progress:
                    progress(i + 1)
    return max(0, n - done)


@contextmanager
def disk_errors(out: Path) -> Iterator[None]:
    """A full disk, or a folder that cannot be written, as one clear line."""
    try:
        yield
    except OSError as e:
        if e.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InputError(
                "no space left on the disk", where=str(out), hint="free some space and run again with --resume"
            ) from e
        if e.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise InputError("the folder cannot be written", where=str(out), hint="choose another --out") from e
        if e.errno in (errno.ENOTDIR, errno.EEXIST):
            raise InputError("is not a folder", where=str(out), hint="choose another --out") from e
        raise


def _figures(indices: range, options: Options, pairs: list[tuple[str, str]], jobs: int) -> Iterator[Figure]:
    if jobs == 1:
        for i in indices:
            yield make_figure(i, options, pairs)
        return
    with ProcessPoolExecutor(jobs) as pool:
        window: list[Any] = []
        chunks = iter([indices[k : k + CHUNK] for k in range(0, len(indices), CHUNK)])
        for chunk in chunks:
            window.append(pool.submit(_chunk, list(chunk), options, pairs))
            if len(window) > 2 * jobs:
                yield from window.pop(0).result()
        for w in window:
            yield from w.result()


def _chunk(indices: list[int], options: Options, pairs: list[tuple[str, str]]) -> list[Figure]:
    return [make_figure(i, options, pairs) for i in indices]


def _commit(out: Path, figure: Figure, samples: BinaryIO, truth: BinaryIO) -> None:
    name = f"figures/{figure.truth.id}.{figure.suffix}"
    part = out / (name + ".part")
    part.write_bytes(figure.data)
    os.replace(part, out / name)
    for s in figure.samples:
        samples.write(orjson.dumps(sample_row(s, name), option=orjson.OPT_APPEND_NEWLINE))
    samples.flush()
    row = figure.truth.to_dict()
    row["image"] = name
    truth.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    truth.flush()


def sample_row(s: Sample, image: str) -> dict[str, Any]:
    """A sample as a row of the project's input format; a text whose sentences are joined by spaces goes as a list."""
    text: str | list[str] = s.text
    if s.sentences:
        parts = [s.text[a:b] for a, b in s.sentences]
        if " ".join(parts) == s.text:
            text = parts
    row: dict[str, Any] = {"id": s.id, "image": image, "text": text}
    for key in ("caption", "context", "system", "source"):
        if getattr(s, key):
            row[key] = getattr(s, key)
    return {**row, "ratings": dict(s.ratings), **s.extra}


def _open_folder(out: Path, options: Options, resume: bool) -> int:
    """Prepare the folder; returns how many figures are committed in it."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "figures").mkdir(exist_ok=True)
    run = out / RUN
    wanted: Mapping[str, Any] = orjson.loads(orjson.dumps(asdict(options)))
    if run.exists():
        if not resume:
            raise UsageError(f"{out} holds a data set already: go on with --resume, or choose another --out")
        try:
            held = orjson.loads(run.read_bytes())
        except orjson.JSONDecodeError as e:
            raise InputError("not readable", where=str(run), hint="start again in a new folder") from e
        if held != wanted:
            changed = sorted(k for k in wanted if held.get(k) != wanted[k])
            raise UsageError(f"{out} was begun with other options ({', '.join(changed)}): --resume needs the same ones")
    else:
        if any((out / name).exists() for name in (SAMPLES, TRUTH)):
            raise UsageError(f"{out} holds other files named {SAMPLES} or {TRUTH}: choose another --out")
        part = out / (RUN + ".part")
        part.write_bytes(orjson.dumps(wanted))
        os.replace(part, run)
    told, written = _ends(out / TRUTH, 1), _ends(out / SAMPLES, options.texts)
    done = min(len(told), len(written)) - 1
    for path, ends in ((out / TRUTH, told), (out / SAMPLES, written)):
        if path.exists():
            os.truncate(path, ends[done])
    return done


def _ends(path: Path, rows: int) -> list[int]:
    """Byte offsets after 0, 1, 2, … whole figures of ``rows`` good lines each; a torn line ends the count."""
    ends = [0]
    if not path.exists():
        return ends
    at = count = 0
    with path.open("rb") as f:
        for line in f:
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                break
            if not line.endswith(b"\n") or not isinstance(row, dict) or "id" not in row:
                break
            at += len(line)
            count += 1
            if count % rows == 0:
                ends.append(at)
    return ends


def read_truth(folder: Path) -> Iterator[dict[str, Any]]:
    """Rows of ``truth.jsonl`` one by one (for :meth:`FigureTruth.from_dict` without the key "image")."""
    path = folder / TRUTH
    if not path.exists():
        raise InputError(f"no {TRUTH} here", where=str(folder), hint="make one with `f2teval bench synth`")
    with path.open("rb") as f:
        for k, line in enumerate(f, 1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as e:
                raise InputError("not a JSON line", where=f"{path}:{k}", hint="complete it with --resume") from e
