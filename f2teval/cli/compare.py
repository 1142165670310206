"""``f2teval compare``: which of two systems is better, on each dimension."""

from __future__ import annotations

from pathlib import Path

import click

from f2teval.cli.meta import FORMATS, emit

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(short_help="Which of two systems is better, and where it is worse.")
@click.argument("a", type=_FILE)
@click.argument("b", type=_FILE)
@click.option("--metric", help="Which metric, where the files hold several.")
@click.option("--samples", type=_FILE, help="The scored input: texts about one figure are then kept together.")
@click.option("--worst", type=click.IntRange(0), default=10, show_default=True, help="Regressions to list.")
@click.option("--rounds", type=click.IntRange(0, 1_000_000), default=10_000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True)
@click.option("--format", "fmt", type=click.Choice(FORMATS), default="terminal", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write there, not to the screen.")
def compare(
    a: Path, b: Path, metric: str | None, samples: Path | None, worst: int, rounds: int, seed: int, level: float,
    fmt: str, output: Path | None,
) -> None:  # fmt: skip
    """Compare the scores in A and B, two systems' texts about the same figures under the same ids.

    \b
    f2teval compare old.jsonl new.jsonl
    f2teval compare old.jsonl new.jsonl --format markdown -o change.md

    A difference counts as shown when its Holm-corrected p is below 1 − LEVEL. Texts that one side could not score
    are left out of both and counted.
    """
    from f2teval.meta.compare import compare_files, tables

    figures = _figures(samples) if samples else None
    found = compare_files(a, b, metric=metric, rounds=rounds, seed=seed, level=level, worst=worst, figures=figures)
    shown = tables(found, level=level, rounds=rounds, seed=seed)
    emit(shown, fmt, output, metric=found.metric, a=str(a), b=str(b))


def _figures(samples: Path) -> dict[str, str]:
    from f2teval.data.rows import read_rows

    out = {}
    for raw in read_rows(samples):
        row = raw.fields or {}
        image = row.get("image") or row.get("file_name")
        if row.get("id") is not None and isinstance(image, str):
            out[str(row["id"])] = image
    return out
