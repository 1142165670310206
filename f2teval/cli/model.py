"""``f2teval model``."""

from __future__ import annotations

from pathlib import Path

import click

from f2teval.errors import MissingExtraError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Also read all weights and compare them with their hashes.")
def model(folder: Path, check: bool) -> None:
    """Show a trained checkpoint: its size, where its weights came from, how it was trained."""
    try:
        from f2teval.models.checkpoint import Checkpoint
    except ImportError:
        raise MissingExtraError("trained models", "clip") from None
    opened = Checkpoint(folder)
    if check:
        opened.model()
    count = opened.parameter_count()
    click.echo(f"f2teval checkpoint, weights {opened.weights}{' (checked)' if check else ''}")
    click.echo(f"parameters     {_short(count.total)} in all, {_short(count.active)} active for one dimension")
    click.echo(f"started from   {opened.origin}")
    names = opened.encoder_names
    click.echo(f"encoders       {len(names)}: {', '.join(names)}")
    picture, vocabulary = opened.config.picture, opened.config.vocabulary
    click.echo(f"reads          pictures of {picture.size} pixels ({picture.fit}), texts in {opened.config.text_mode} "
               f"of {vocabulary.limit} tokens")  # fmt: skip
    training = opened.info.get("training")
    if isinstance(training, dict):
        click.echo(f"trained on     {training.get('data') or 'unnamed data'}: {training.get('rows')} rated texts")
        click.echo("agreement      see the model card, README.md")


def _short(n: int) -> str:
    return f"{n / 1e9:.2f} B" if n >= 1e8 else f"{n / 1e6:.1f} M"
