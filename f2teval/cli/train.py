"""``f2teval train``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from f2teval.errors import MissingExtraError, UsageError

_EPILOG = """\b
Examples
  f2teval train ratings.jsonl --out run                       six fine-tuned CLIPs, as in the paper
  f2teval train ratings.jsonl --out run --frozen              one untouched encoder: minutes on a laptop
  f2teval train ratings.jsonl --out run --resume              after a kill, with the same result
  f2teval train ratings.jsonl --out run --encoder DIR --set lr=2e-5 --set epochs=5
  f2teval train synth.jsonl --out run --encoder random:tiny   a smoke test without any download
  accelerate launch --multi_gpu -m f2teval train ratings.jsonl --out run
  f2teval score texts.jsonl -m f2teval -M checkpoint=run/model

\b
Input: samples with ratings {dimension: 0-2}; dimensions may be missing in some rows.
Output: run/model (checkpoint and model card), metrics.jsonl, curves.png,
predictions.jsonl (test figures), skipped.jsonl, state/ (for --resume).
"""


def training_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that ``train`` and ``ablate`` share."""
    options = [
        click.argument("data", type=click.Path(path_type=Path)),
        click.option(
            "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder of the run."
        ),
        click.option("--image-dir", type=click.Path(path_type=Path), help="Where relative image paths start."),
        click.option("--config", "config_file", type=click.Path(path_type=Path), help="YAML with training options."),
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A training option. Repeatable."),
        click.option("--encoder", help="Hub id, local folder, or random:tiny.  [openai/clip-vit-base-patch32]"),
        click.option("--frozen", is_flag=True, default=None, help="One untouched encoder, features computed once."),
        click.option("--download", is_flag=True, help="Allow fetching the encoder from the hub."),
        click.option("--resume", is_flag=True, help="Continue the run in --out."),
        click.option("--tensorboard", is_flag=True, help="Also log to OUT/tensorboard."),
        click.option("-q", "--quiet", is_flag=True, help="No progress."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def config_from(values: dict[str, Any]) -> Any:
    """The training configuration of a command's options."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        raise MissingExtraError("training", "train") from None
    from f2teval.training.config import read_config

    overrides: dict[str, Any] = {}
    for pair in values["settings"]:
        name, sign, value = pair.partition("=")
        if not sign:
            raise UsageError(f"--set takes NAME=VALUE, not {pair!r}")
        overrides[name.strip().replace("-", "_")] = value.strip()
    overrides |= {k: values[k] for k in ("encoder", "frozen") if values[k] is not None}
    return read_config(values["config_file"], overrides)


def watchers(values: dict[str, Any]) -> list[Any]:
    """Progress on stderr, and TensorBoard if asked for."""
    out: list[Any] = []
    if not values["quiet"]:
        out.append(_progress())
    if values["tensorboard"]:
        out.append(_tensorboard(values["out"] / "tensorboard"))
    return out


def _progress() -> Callable[[dict[str, Any]], None]:
    from rich.console import Console

    console = Console(stderr=True, highlight=False)

    def tell(event: dict[str, Any]) -> None:
        at = f"{event['stage']} epoch {event['epoch'] + 1}"
        if event["event"] == "step":
            if console.is_terminal:
                done = int(30 * event["batch"] / event["of"])
                bar = "━" * done + " " * (30 - done)
                console.print(f"{at} {bar} {event['batch']}/{event['of']} loss {event['loss']:.4f}", end="\r")
            return
        best = " (best)" if event["best"] == event["epoch"] else ""
        score = "–" if event["score"] is None else f"{event['score']:.4f}"
        console.print(f"{at}: loss {event['loss']:.4f}, validation {score}{best}, {event['seconds']:.0f} s".ljust(90))

    return tell


def _tensorboard(folder: Path) -> Callable[[dict[str, Any]], None]:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise UsageError("--tensorboard needs TensorBoard: pip install tensorboard") from None
    writer: Any = SummaryWriter(str(folder))  # type: ignore[no-untyped-call]

    def tell(event: dict[str, Any]) -> None:
        if event["event"] == "epoch":
            writer.add_scalar(f"{event['stage']}/loss", event["loss"], event["epoch"])
            if event["score"] is not None:
                writer.add_scalar(f"{event['stage']}/validation", event["score"], event["epoch"])
            writer.flush()

    return tell


def read_rated(values: dict[str, Any]) -> Any:
    """The samples of the command's input."""
    from f2teval.data import read_samples

    return read_samples(values["data"], image_dir=values["image_dir"])


@click.command(epilog=_EPILOG)
@training_options
def train(**values: Any) -> None:
    """Train the mixture of experts on people's ratings.

    Two stages: an expert for each dimension, then the shared expert and the gate over them.
    """
    config = config_from(values)
    from f2teval.training.fit import train as fit

    done = fit(
        read_rated(values), config, values["out"], resume=values["resume"], download=values["download"],
        data_name=values["data"].stem, watchers=watchers(values),
    )  # fmt: skip
    if not done.main:
        return
    count = done.model.parameter_count()
    click.echo(done.results.table())
    click.echo(
        f"{count.total / 1e6:.1f} M parameters, {count.active / 1e6:.1f} M for one dimension; "
        f"{done.results.rows} texts about {done.results.figures} {done.results.split} figures"
    )
    click.echo(f"checkpoint: {done.folder}")
