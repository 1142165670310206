"""Fit the sentence scorecard: from texts whose sentences people (or a generator) marked, to ``p_error``.

Rows are weighted so that every captioner × source × label cell counts the same: the model then cannot gain by
recognising who wrote a sentence, only by what is wrong with it. System and source are used for these weights and for
leaving out; they are never features.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from f2teval.errors import InputError, RatingsError
from f2teval.evidence.boost import BoostOptions, calibrate, fit_card, held_out_sums
from f2teval.evidence.card import Array, Scorecard
from f2teval.evidence.cards import WEIGHTS
from f2teval.evidence.features import SENTENCE_FEATURES, STYLE_FEATURES
from f2teval.rubric import ERROR_TYPES
from f2teval.sample import Sample

SENTENCE_CARD: Final = WEIGHTS / "p_error.json"
PRIOR: Final = 0.3
"""The share of wrong sentences that ``p_error`` assumes before anything is checked. Captioners err in 20 % (GPT-4V on
figures that print their values) to 90 % (small fine-tuned models) of their sentences, so no share is right for all
texts; this is about that of today's large models. It moves all probabilities up or down together and changes no order.
"""

CHOCOLATE_TYPES: Final = frozenset(ERROR_TYPES) - {"contradiction", "redundancy"}
"""What counts as "the sentence has an error": the seven types people marked."""


@dataclass
class Marked:
    """One text whose sentences are marked: its features (a dict a sentence) and labels (1 = has an error).

    ``p`` is filled in by whoever predicts; ``analysis`` and ``ratings`` are there for the other dimensions.
    """

    id: str
    system: str
    group: str
    source: str
    figure: str
    features: list[dict[str, float]]
    labels: Array
    ratings: Mapping[str, Any] = field(default_factory=dict)
    analysis: Any = None
    p: Array = field(default_factory=lambda: np.zeros(0))


def read_marked(folder: Path) -> list[tuple[Sample, list[int], str]]:
    """Samples, labels a sentence and group, from a folder of marked texts.

    Either ``records.jsonl`` (lines with ``text`` and ``errors`` lists of the same length), or what
    ``f2teval bench synth`` wrote (``samples.jsonl`` and ``truth.jsonl``).

    Raises:
        InputError: neither is there, or a line whose lists do not match.
    """
    if (folder / "truth.jsonl").exists():
        return _read_generated(folder)
    path = folder / "records.jsonl"
    if not path.exists():
        raise InputError(
            "no records.jsonl", where=str(folder), hint="lines of {id, image, text: […], errors: [[…], …]}"
        )
    out = []
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        row = json.loads(line)
        if len(row["text"]) != len(row["errors"]):
            raise RatingsError(f"{len(row['text'])} sentences but errors for {len(row['errors'])}", where=f"{path}:{n}")
        sample = Sample.from_sentences(
            str(row["id"]),
            row["text"],
            image=folder / row["image"] if row.get("image") else None,
            system=row.get("system", ""),
            source=row.get("source", ""),
            caption=row.get("caption", ""),
            context=row.get("context", ""),
        )
        out.append((sample, [int(bool(e)) for e in row["errors"]], row.get("group", "")))
    return out


def _read_generated(folder: Path) -> list[tuple[Sample, list[int], str]]:
    """A generated set: the errors of each sentence stand in ``truth.jsonl``, figure by figure."""
    marks: dict[str, list[int]] = {}
    spans: dict[str, tuple[tuple[int, int], ...]] = {}
    with (folder / "truth.jsonl").open(encoding="utf-8") as f:
        for line in f:
            for text in json.loads(line)["graded"]:
                spans[text["id"]] = tuple((s["start"], s["end"]) for s in text["sentences"])
                marks[text["id"]] = [
                    int(any(e["type"] in CHOCOLATE_TYPES for e in s["errors"])) for s in text["sentences"]
                ]
    out = []
    with (folder / "samples.jsonl").open(encoding="utf-8") as f:
        for line in f:
            row = json.loads(line)
            text = row["text"] if isinstance(row["text"], str) else " ".join(row["text"])
            sample = Sample(
                row["id"],
                text,
                image=folder / row["image"],
                caption=row.get("caption", ""),
                context=row.get("context", ""),
                system=row.get("system", ""),
                source=row.get("source", ""),
                ratings=row.get("ratings", {}),
                sentences=spans[row["id"]],
            )
            out.append((sample, marks[row["id"]], "synthetic"))
    return out


def load_marked(folder: Path, jobs: int = 1, keep: bool = False) -> list[Marked]:
    """Read a marked folder and compute every sentence's features; figures not yet in the cache are read first.

    ``keep`` keeps the analyses too (memory), for fitting the dimensions.
    """
    from f2teval.evidence.analysis import analyse_many

    rows = read_marked(folder)
    analyses = analyse_many([s for s, _, _ in rows], jobs=jobs)
    out = []
    for (sample, labels, group), analysis in zip(rows, analyses):
        if isinstance(analysis, str):
            continue  # unscored (not English, unreadable picture): nothing to learn from
        out.append(
            Marked(
                id=sample.id,
                system=sample.system,
                group=group,
                source=sample.source,
                figure=str(sample.image),
                features=analysis.sentence_features,
                labels=np.array(labels, dtype=float),
                ratings=sample.ratings,
                analysis=analysis if keep else None,
            )
        )
    return out


def balanced_weights(rows: Sequence[Marked]) -> Array:
    """One weight a sentence: every (system, source, label) cell has the same total."""
    keys = [(r.system, r.source, float(y)) for r in rows for y in r.labels]
    count = Counter(keys)
    weights = np.array([1.0 / count[k] for k in keys])
    # A cell of a handful of sentences must not carry as much as one of hundreds: cap at four times the mean.
    weights = np.minimum(weights / weights.mean(), 4.0)
    return np.asarray(weights / weights.mean())


class SentenceFit(NamedTuple):
    """A fitted card, and for every text given (human, then synthetic) its sentences' held-out ``p_error``."""

    card: Scorecard
    held_out: list[Array]


def fit_sentence_card(
    human: Sequence[Marked],
    synthetic: Sequence[Marked] = (),
    *,
    synthetic_share: float = 2.0,
    drop: Iterable[str] = (),
    add: Mapping[str, int] | None = None,
    options: BoostOptions | None = None,
    about: Mapping[str, Any] | None = None,
    folds: int = 5,
) -> SentenceFit:
    """Fit ``p_error`` on marked sentences, calibrated on held-out figures.

    Args:
        synthetic_share: total weight of the synthetic sentences relative to the human ones (1 = as much).
        drop: features to leave out.
        add: features to take in beside the usual ones, with their signs (for ablations).
    """
    signs = {f: s for f, s in {**SENTENCE_FEATURES, **(add or {})}.items() if f not in set(drop)}
    names = list(signs)
    rows = [*human, *synthetic]
    x = np.array([[f.get(n, np.nan) for n in names] for r in rows for f in r.features], dtype=float)
    y = np.concatenate([r.labels for r in rows])
    w = np.concatenate([balanced_weights(part) * share for part, share in _parts(human, synthetic, synthetic_share)])
    figure = [r.figure for r in rows for _ in r.labels]
    is_human = np.array([i < len(human) for i, r in enumerate(rows) for _ in r.labels])

    card = fit_card("p_error", "logit", names, x, y, w, signs, options, about)
    held = held_out_sums("p_error", "logit", names, x, y, w, signs, options, figure, folds)
    # Calibrated to one share of wrong sentences. Captioner × source cells count the same among people's marks, and
    # people's marks and generated ones count the same together; then the wrong ones are weighted to PRIOR.
    keys = [(r.system, r.source) for r in rows for _ in r.labels]
    count = Counter(keys)
    natural = np.array([1.0 / count[k] for k in keys])
    for some in (is_human, ~is_human):
        if some.any():
            natural[some] /= natural[some].sum()
    for value, share in ((1.0, PRIOR), (0.0, 1.0 - PRIOR)):
        natural[y == value] *= share / natural[y == value].sum()
    done = calibrate(card, held, y, natural)
    p = 1.0 / (1.0 + np.exp(-(done.scale * held + done.shift)))
    ends = np.cumsum([len(r.labels) for r in rows])
    return SentenceFit(done, [np.asarray(q) for q in np.split(p, ends[:-1])])


def _parts(human: Sequence[Marked], synthetic: Sequence[Marked], share: float) -> list[tuple[Sequence[Marked], float]]:
    parts: list[tuple[Sequence[Marked], float]] = []
    n_human = sum(len(r.labels) for r in human)
    n_synth = sum(len(r.labels) for r in synthetic)
    if human:
        parts.append((human, 1.0))
    if synthetic:
        parts.append((synthetic, share * n_human / n_synth if human else 1.0))
    return parts


__all__ = [
    "SENTENCE_CARD", "STYLE_FEATURES", "Marked", "balanced_weights", "fit_sentence_card", "load_marked",
    "read_marked",
]  # fmt: skip
