"""``f2teval bench``: figures and texts with known truth, and controlled negatives of any samples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click


@click.group()
def bench() -> None:
    """Make figures and texts with known truth."""


def _names(value: str | None) -> tuple[str, ...]:
    return tuple(x.strip() for x in (value or "").split(",") if x.strip())


@contextmanager
def _progress(what: str, total: int | None, start: int = 0) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on stderr, none when that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total, completed=start)
        yield lambda n: bar.update(task, completed=n)


@bench.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="Folder to write the data set to.")
@click.option("-n", "--figures", "n", type=int, default=100, show_default=True, help="How many figures.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same tables and texts.")
@click.option("--texts", type=int, default=6, show_default=True, help="Texts a figure.")
@click.option("--types", help="Chart types, separated by commas (default: all; see `f2teval list charts`).")
@click.option("--renderers", help="Of vega, matplotlib, pygal, press, separated by commas (default: all).")
@click.option("--styles", help="Of terse, model, newspaper, paper, alt, markdown, separated by commas (default: all).")
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes.")
@click.option("--resume", is_flag=True, help="Go on with a data set that was begun with the same options.")
@click.option("--parquet", is_flag=True, help="Also write a Parquet file a split, pictures included.")
def synth(
    out: Path,
    n: int,
    seed: int,
    texts: int,
    types: str | None,
    renderers: str | None,
    styles: str | None,
    jobs: int,
    resume: bool,
    parquet: bool,
) -> None:
    """Draw charts from tables made by chance, and write texts of known quality about each.

    Writes samples.jsonl, truth.jsonl, figures/ and card.md. A run that was stopped goes on with --resume.
    """
    from f2teval.bench.card import write_card
    from f2teval.bench.dataset import write_dataset
    from f2teval.bench.synth import Options

    options = Options(seed, _names(types), _names(renderers), texts, _names(styles))
    with _progress("Figures", n) as progress:
        made = write_dataset(out, n, options, resume=resume, jobs=jobs, progress=progress)
    write_card(out)
    click.echo(f"{made} figures made, {n - made} there already: {out}", err=True)
    if parquet:
        from f2teval.bench.parquet import write_parquet

        for path, rows in write_parquet(out).items():
            click.echo(f"{rows} rows: {path}", err=True)


@bench.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="Folder to write to.")
@click.option("--kinds", help="Kinds, separated by commas (default: all).")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--min-similarity",
    type=float,
    default=0.3,
    show_default=True,
    help="Plausible descriptions come from figures at least this similar (cosine of TF-IDF vectors).",
)
@click.option("--limit", type=int, help="Only the first samples.")
@click.option("--image-dir", type=click.Path(path_type=Path), help="Where relative image paths start.")
@click.option("--resume", is_flag=True, help="Go on with a folder that was begun with the same options.")
def negatives(
    source: Path,
    out: Path,
    kinds: str | None,
    seed: int,
    min_similarity: float,
    limit: int | None,
    image_dir: Path | None,
    resume: bool,
) -> None:
    """Make hard negatives of figure-text pairs, each with what should be there instead.

    Kinds: object, attribute, relation (a swap in the text); plausible (the text of a very similar figure);
    relevance_text, relevance_image (the nearest text with this figure, its figure with this text); accuracy_text (an
    edited text), accuracy_image (the edited figure drawn anew, for figures made by `f2teval bench synth`).
    """
    from f2teval.bench.negatives import ALL_KINDS, check_options, make_negatives, synthetic_drafts
    from f2teval.bench.negatives_io import open_negatives, picture_on_disk, write_negatives
    from f2teval.data.samples import SampleReader
    from f2teval.errors import InputError
    from f2teval.sample import Sample

    wanted = _names(kinds) or ALL_KINDS
    check_options(wanted, min_similarity)
    reader = SampleReader(source, image_dir=image_dir, limit=limit)
    used = bad = 0

    def samples() -> Iterator[Sample]:
        nonlocal used, bad
        for row in reader:
            if isinstance(row, Sample):
                used += 1
                yield picture_on_disk(out, row)
            else:
                bad += 1

    first = next((row for row in SampleReader(source, image_dir=image_dir) if isinstance(row, Sample)), None)
    if first is None:
        raise InputError("no usable sample", where=str(source))
    asked = {"source": str(source.resolve()), "kinds": wanted, "seed": seed, "limit": limit}
    begun = open_negatives(out, {**asked, "min_similarity": min_similarity}, resume=resume)
    counts = begun.counts
    if not begun.done:
        folder = source if source.is_dir() else source.parent
        made = make_negatives(
            samples(),
            kinds=wanted,
            seed=seed,
            min_similarity=min_similarity,
            drafts=synthetic_drafts(folder),
            start=begun.start,
        )
        with _progress("Negatives", None) as progress:
            counts = write_negatives(out, made, counts=counts, progress=progress)
    for kind in wanted:
        click.echo(f"{counts[kind]:6d} of {used}  {kind}" if used else f"{counts[kind]:6d}  {kind}")
    if bad:
        click.echo(f"{bad} rows could not be used", err=True)
