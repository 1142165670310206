"""Negatives on disk: ``samples.jsonl`` and the edited figures, streamed; a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from f2teval.bench.dataset import SAMPLES, disk_errors
from f2teval.bench.negatives import Negative
from f2teval.errors import InputError, UsageError
from f2teval.sample import Sample

RUN: Final = "negatives.json"


class Begun(NamedTuple):
    """Where a folder stands.

    Attributes:
        start: id of the sample to go on with ("": the first one); its rows were dropped, in case some were missing.
        counts: rows of each kind that are kept.
        done: the folder is complete.
    """

    start: str
    counts: Counter[str]
    done: bool


def open_negatives(out: Path, options: Mapping[str, Any], *, resume: bool = False) -> Begun:
    """Prepare a folder for negatives made with these options.

    Raises :class:`UsageError` when it holds something and ``resume`` is not set, or was begun with other options.
    """
    counts: Counter[str] = Counter()
    with disk_errors(out):
        (out / "figures").mkdir(parents=True, exist_ok=True)
        run, target, part = out / RUN, out / SAMPLES, out / (SAMPLES + ".part")
        wanted = orjson.loads(orjson.dumps(dict(options)))
        if not run.exists():
            if target.exists() or part.exists():
                raise UsageError(f"{out} holds other files named {SAMPLES}: choose another --out")
            fresh = out / (RUN + ".part")
            fresh.write_bytes(orjson.dumps(wanted))
            os.replace(fresh, run)
            return Begun("", counts, False)
        if not resume:
            raise UsageError(f"{out} holds negatives already: go on with --resume, or choose another --out")
        try:
            held = orjson.loads(run.read_bytes())
        except orjson.JSONDecodeError as e:
            raise InputError("not readable", where=str(run), hint="start again in a new folder") from e
        if not isinstance(held, dict) or held != wanted:
            changed = sorted(k for k in wanted if not isinstance(held, dict) or held.get(k) != wanted[k])
            raise UsageError(f"{out} was begun with other options ({', '.join(changed)}): --resume needs the same ones")
        if target.exists():
            return Begun("", Counter(kind for _, kind, _ in _rows(target)), True)
        last, first = "", 0
        at = 0
        since: Counter[str] = Counter()
        for of, kind, end in _rows(part) if part.exists() else ():
            if of != last:
                last, first = of, at
                since = Counter()
            counts[kind] += 1
            since[kind] += 1
            at = end
        if part.exists():
            os.truncate(part, first)
        return Begun(last, counts - since, False)


def _rows(path: Path) -> Iterator[tuple[str, str, int]]:
    """(positive's id, kind, byte offset behind the row) of the whole rows of a file; a torn one ends it."""
    at = 0
    with path.open("rb") as f:
        for line in f:
            try:
                what = orjson.loads(line)["negative"]
                of, kind = str(what["of"]), str(what["kind"])
            except (orjson.JSONDecodeError, KeyError, TypeError):
                return
            if not line.endswith(b"\n"):
                return
            at += len(line)
            yield of, kind, at


def write_negatives(
    out: Path,
    negatives: Iterable[Negative],
    *,
    counts: Counter[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Counter[str]:
    """Append negatives to the folder's rows and close it; returns how many of each kind (``counts``: those before)."""
    counts = Counter(counts or ())
    with disk_errors(out):
        (out / "figures").mkdir(parents=True, exist_ok=True)
        part = out / (SAMPLES + ".part")
        with part.open("ab") as f:
            for n in negatives:
                f.write(orjson.dumps(_row(out, n), option=orjson.OPT_APPEND_NEWLINE))
                counts[n.kind] += 1
                if progress:
                    progress(counts.total())
        os.replace(part, out / SAMPLES)
    return counts


def picture_on_disk(out: Path, s: Sample) -> Sample:
    """The sample with its picture in a file of the folder where it came as bytes, so that memory holds none."""
    if not isinstance(s.image, bytes):
        return s
    with disk_errors(out):
        path = out / "figures" / (hashlib.blake2b(s.image, digest_size=12).hexdigest() + _suffix(s.image))
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(s.image)
            os.replace(part, path)
    return replace(s, image=path)


def _suffix(picture: bytes) -> str:
    return ".jpg" if picture[:2] == b"\xff\xd8" else ".png"


def _row(out: Path, n: Negative) -> dict[str, Any]:
    s = n.sample
    image: str | None = str(s.image.resolve()) if isinstance(s.image, Path) else None
    if isinstance(s.image, bytes):
        name = "figures/" + re.sub(r"[^\w.~-]", "_", s.id)[:120] + _suffix(s.image)
        (out / name).write_bytes(s.image)
        image = name
    row: dict[str, Any] = {"id": s.id, "image": image, "text": s.text}
    for key in ("caption", "context", "system", "source"):
        if getattr(s, key):
            row[key] = getattr(s, key)
    row["negative"] = {
        "of": n.of,
        "kind": n.kind,
        "category": n.category,
        "diff": n.diff,
        "start": n.start,
        "end": n.end,
    }
    if n.similarity is not None:
        row["negative"]["similarity"] = n.similarity
    return {**row, **{k: v for k, v in s.extra.items() if k not in row}}
