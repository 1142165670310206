"""``f2teval ablate``."""

from __future__ import annotations

from typing import Any

import click

from f2teval.cli.train import config_from, read_rated, training_options, watchers

_EPILOG = """\b
Examples
  f2teval ablate ratings.jsonl --out ablation                       the paper's setting: hours on a GPU
  f2teval ablate ratings.jsonl --out ablation --frozen              heads only: minutes on a laptop
  f2teval ablate synth.jsonl --out ablation --encoder random:tiny   a smoke test without any download

\b
Rows: CLIP untouched (CLIPScore), CLIP fine-tuned on the overall rating, without the
dimension-specific experts, without the shared expert, without HSIC, the full model.
Output: OUT/ablation.md, ablation.json, disentanglement.png, metrics.jsonl.
"""


@click.command(epilog=_EPILOG)
@training_options
def ablate(**values: Any) -> None:
    """Train the model and its ablations, and print the table.

    The rows of tables 4 and 5 of the F2TEval paper, on the test figures of your data.
    """
    config = config_from(values)
    from f2teval.training.ablation import ablate as run

    result = run(
        read_rated(values), config, values["out"], resume=values["resume"], download=values["download"],
        watchers=watchers(values),
    )  # fmt: skip
    click.echo(result.table())
    sums = ", ".join(f"{k} {v:.3g}" for k, v in result.hsic.items())
    click.echo(f"HSIC over all pairs of heads: {sums}")
    click.echo(f"written to {values['out']}")
