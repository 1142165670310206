"""``f2teval fit``: fit the metric's scorecards on your own ratings."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Fit the evidence metric's scorecards on your own ratings.")
@click.argument("data", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder for the scorecards.")
@click.option("--synthetic", multiple=True, type=click.Path(exists=True, path_type=Path),
              help="A generated set to train on beside yours (f2teval bench synth); repeatable.")  # fmt: skip
@click.option("--jobs", default=2, show_default=True, help="Processes that read new figures.")
@click.option("--seed", default=0, show_default=True)
def fit(data: tuple[Path, ...], output: Path, synthetic: tuple[Path, ...], jobs: int, seed: int) -> None:
    """Fit scorecards on DATA and write them to a folder that ``--metric-option cards=FOLDER`` takes.

    DATA are folders with marked sentences (records.jsonl: id, image, text as a list, errors as a list of lists), or
    sample files whose ``ratings`` hold the five dimensions. Every scorecard comes with its cross-validated figures,
    measured on figures left out, and is a readable JSON file.

    \b
    f2teval fit my-ratings/ -o my-cards
    f2teval fit my-ratings/ --synthetic synth/ -o my-cards
    """
    from f2teval.evidence.fit_all import fit_all

    for line in fit_all(list(data), list(synthetic), output, jobs=jobs, seed=seed):
        click.echo(line)
