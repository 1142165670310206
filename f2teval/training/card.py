"""The model card of a checkpoint."""

from __future__ import annotations

import numpy as np

from f2teval import __version__
from f2teval.models.moe import F2TEvalModel
from f2teval.rubric import DIMENSION_NAMES
from f2teval.training.config import TrainConfig
from f2teval.training.dataset import SPLITS, RatedData
from f2teval.training.results import Results

_CARD = """---
library_name: f2teval
tags: [figure-to-text, evaluation, chart-captioning]
license: other
---

# {title}

Scores a text about a figure on faithfulness, completeness, conciseness, logicity and analysis (0 poor … 2 perfect),
with the figure, its caption and its context, without references. A mixture of CLIP experts after Yue et al. (2025):
{kind}.

- Parameters: {total:.1f} M in all, {active:.1f} M for one dimension's score.
- Weights started from: {origin}.
- Texts: {text_mode}. Pictures: {size} x {size}, {fit}.
- Written by f2teval {version}.

## Use

    f2teval score texts.jsonl -m f2teval -M checkpoint=THIS_FOLDER -o scores.jsonl

## Data

{data}. {rows} rated texts about {figures} figures, split by figure (seed {seed}): {splits}. Left out: {skipped} rows.

| | {dims} |
|---|{rule}
| rated texts | {counts} |
| mean rating | {means} |

## Agreement with people

On the {split} figures, ratings and scores divided by 2; 95 % intervals by resampling figures. "MSE of the mean" is what
always saying the mean training rating would give: a model that does not beat it has learnt nothing for that dimension.

{table}

## Limits

The numbers hold for figures and systems like those above. The encoder sees one small picture ({size} pixels a side), in
which most values of a figure cannot be read: what it knows of faithfulness is statistical. Scores of texts longer than
the encoder reads at once carry a warning where anything was left out.

## Training

{options}

## Cite

Yue, Mao, Song, Hu, Zhao (2025): F2TEval: Human-Aligned Multi-Dimensional Evaluation for Figure-to-Text Task. Also name
f2teval {version} and the weights hash in `config.json`.
"""


def model_card(
    model: F2TEvalModel, origin: str, config: TrainConfig, data: RatedData, results: Results, data_name: str
) -> str:
    """Markdown with front matter: data, split, correlations with intervals, how to cite."""
    count = model.parameter_count()
    splits = ", ".join(f"{s} {len(np.unique(data.figures[data.rows(s)]))} figures" for s in SPLITS)
    targets = data.targets.astype(np.float64)
    frozen = "one untouched encoder shared by five specific experts and a shared one"
    tuned = "five dimension-specific experts and a shared one, each with its own fine-tuned encoder"
    return _CARD.format(
        title=f"f2teval model on {data_name}" if data_name else "f2teval model",
        kind=frozen if config.frozen else tuned,
        total=count.total / 1e6,
        active=count.active / 1e6,
        origin=origin,
        text_mode=f"{config.text_mode} of {model.config.vocabulary.limit} tokens",
        size=model.config.picture.size,
        fit=model.config.picture.fit,
        version=__version__,
        data=data_name or "Unnamed ratings",
        rows=len(data),
        figures=len(np.unique(data.figures)),
        seed=config.seed,
        splits=splits,
        skipped=len(data.skipped),
        dims=" | ".join(DIMENSION_NAMES),
        rule="---|" * len(DIMENSION_NAMES),
        counts=" | ".join(str(int(np.isfinite(targets[:, i]).sum())) for i in range(len(DIMENSION_NAMES))),
        means=" | ".join(f"{2 * np.nanmean(targets[:, i]):.2f}" for i in range(len(DIMENSION_NAMES))),
        split=results.split,
        table=results.table(),
        options="\n".join(f"- {k}: {v}" for k, v in config.to_dict().items()),
    )
