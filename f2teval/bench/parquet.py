"""Parquet export of a data set folder: one file a split, pictures inside, written in row groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from f2teval.bench.dataset import SAMPLES, disk_errors
from f2teval.errors import InputError
from f2teval.rubric import DIMENSION_NAMES

GROUP = 256
"""Rows held in memory at a time."""


def write_parquet(folder: Path) -> dict[Path, int]:
    """Write ``parquet/SPLIT.parquet`` for each split; returns rows a file.

    Columns: the sample's fields, ``image`` as a struct of bytes and path (what Hub viewers and ``f2teval score`` read),
    ``ratings`` as a struct of the dimensions.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("figure", pa.string()),
            ("split", pa.string()),
            ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
            ("text", pa.string()),
            ("caption", pa.string()),
            ("context", pa.string()),
            ("system", pa.string()),
            ("source", pa.string()),
            ("ratings", pa.struct([(d, pa.int8()) for d in DIMENSION_NAMES])),
        ]
    )
    source = folder / SAMPLES
    if not source.exists():
        raise InputError(f"no {SAMPLES} here", where=str(folder), hint="make one with `f2teval bench synth`")
    writers: dict[str, pq.ParquetWriter] = {}
    waiting: dict[str, list[dict[str, Any]]] = {}
    counts: dict[Path, int] = {}
    target = folder / "parquet"

    def flush(split: str) -> None:
        rows = waiting.pop(split, [])
        if not rows:
            return
        path = target / f"{split}.parquet"
        if split not in writers:
            writers[split] = pq.ParquetWriter(path.with_suffix(".parquet.part"), schema, compression="zstd")
            counts[path] = 0
        writers[split].write_table(pa.Table.from_pylist(rows, schema=schema))
        counts[path] += len(rows)

    with disk_errors(folder):
        target.mkdir(exist_ok=True)
        try:
            with source.open("rb") as f:
                for line in f:
                    row = orjson.loads(line)
                    text = row["text"] if isinstance(row["text"], str) else " ".join(row["text"])
                    image = {"bytes": (folder / row["image"]).read_bytes(), "path": Path(row["image"]).name}
                    split = row["split"]
                    waiting.setdefault(split, []).append({**row, "text": text, "image": image})
                    if len(waiting[split]) >= GROUP:
                        flush(split)
            for split in list(waiting):
                flush(split)
        finally:
            for w in writers.values():
                w.close()
    for path in counts:
        path.with_suffix(".parquet.part").replace(path)
    return counts
