"""``f2teval fit``: every scorecard of the evidence metric from marked sentences and rated texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import spearmanr

from f2teval.errors import InputError, RatingsError, TrainingError
from f2teval.evidence.boost import BoostOptions, calibrate, fit_card, held_out_sums
from f2teval.evidence.card import Array, Scorecard
from f2teval.evidence.dimensions import DIMENSION_FEATURES, dimension_features
from f2teval.evidence.fitting import Marked, fit_sentence_card, load_marked
from f2teval.meta.correlation import auc
from f2teval.rubric import SCALE_MAX, SCALE_MIN
from f2teval.sample import Sample

MIN_ROWS: Final = 30
"""Fewer rated texts than this teach nothing that would hold on others."""

FOLDS: Final = 5


def fit_all(
    data: Sequence[Path], synthetic: Sequence[Path], output: Path, *, jobs: int = 1, seed: int = 0
) -> Iterator[str]:
    """Fit what the data allow, write the cards to ``output``, and yield a line for people on each.

    Raises:
        InputError, RatingsError: data that cannot be used, and where.
        TrainingError: too little to fit anything.
    """
    folders = [p for p in data if p.is_dir() and ((p / "records.jsonl").exists() or (p / "truth.jsonl").exists())]
    files = [p for p in data if p not in folders]
    human = [m for p in folders for m in load_marked(p, jobs=jobs, keep=True)]
    generated = [m for p in synthetic for m in load_marked(p, jobs=jobs, keep=True)]
    output.mkdir(parents=True, exist_ok=True)
    card, held = _sentence_card(human, generated, seed)
    if card is not None:
        yield _write(card, output)
    rated = [(m.analysis, p, m.ratings, m.figure) for m, p in zip([*human, *generated], held) if m.ratings]
    rated += _rated_files(files, card, jobs)
    fitted = 0
    for dimension, signs in DIMENSION_FEATURES.items():
        done = _dimension_card(dimension, signs, rated, seed)
        if isinstance(done, str):
            yield f"{dimension}: not fitted, {done}; the package's own card stays in use"
        else:
            fitted += 1
            yield _write(done, output)
    if card is None and not fitted:
        raise TrainingError(f"nothing to fit: no marked sentences, and fewer than {MIN_ROWS} rated texts")


def _sentence_card(
    human: Sequence[Marked], generated: Sequence[Marked], seed: int
) -> tuple[Scorecard | None, list[Array]]:
    if not human and not generated:
        return None, []
    done = fit_sentence_card(human, generated, options=BoostOptions(seed=seed))
    y = np.concatenate([m.labels for m in [*human, *generated]])
    p = np.concatenate(done.held_out)
    is_human = np.array([k < len(human) for k, m in enumerate([*human, *generated]) for _ in m.labels])
    about: dict[str, Any] = {
        "fitted on": f"{len(human)} texts marked by people ({int(is_human.sum())} sentences), "
        f"{len(generated)} generated ({int((~is_human).sum())} sentences)",
        "AUC on held-out figures": {
            name: round(auc(p[m], y[m]).value or 0.0, 3)
            for name, m in (("people", is_human), ("generated", ~is_human))
            if m.any() and np.ptp(y[m]) > 0
        },
    }
    card = done.card
    return Scorecard(card.target, card.link, card.intercept, card.terms, card.scale, card.shift, about), done.held_out


def _rated_files(files: Sequence[Path], card: Scorecard | None, jobs: int) -> list[tuple[Any, Array, Any, str]]:
    if not files:
        return []
    from f2teval.data import read_samples
    from f2teval.evidence.analysis import analyse_many
    from f2teval.evidence.cards import load

    model = card or load()[0]
    out = []
    for path in files:
        samples = [s for s in read_samples(path) if isinstance(s, Sample)]
        for s, a in zip(samples, analyse_many(samples, jobs=jobs)):
            if not isinstance(a, str) and s.ratings:
                out.append((a, model.predict(model.matrix(a.sentence_features)), s.ratings, str(s.image or s.id)))
    if not out:
        raise InputError("no row has ratings", where=", ".join(map(str, files)), hint="ratings: {faithfulness: 0-2, …}")
    return out


def _dimension_card(
    dimension: str, signs: dict[str, int], rated: Sequence[tuple[Any, Array, Any, str]], seed: int
) -> Scorecard | str:
    rows, y, figures = [], [], []
    for analysis, p, ratings, figure in rated:
        value = ratings.get(dimension)
        if value is None:
            continue
        if not isinstance(value, (int, float)) or not SCALE_MIN <= value <= SCALE_MAX:
            raise RatingsError(f"{dimension} is {value!r}, not a number from 0 to 2", where=analysis.sample.id)
        rows.append(dimension_features(analysis, p))
        y.append(float(value))
        figures.append(figure)
    if len(rows) < MIN_ROWS:
        return f"{len(rows)} rated texts, {MIN_ROWS} needed"
    target = np.array(y)
    if np.ptp(target) == 0:
        return f"every text has the same rating ({target[0]:g})"
    names = list(signs)
    x = np.array([[r.get(n, np.nan) for n in names] for r in rows], dtype=float)
    # Each grade counts the same, or the commonest would be the best guess for everything.
    grades, inverse, count = np.unique(target, return_inverse=True, return_counts=True)
    w = (len(target) / len(grades) / count)[inverse]
    options = BoostOptions(seed=seed, rounds=400)
    held = held_out_sums(dimension, "score", names, x, target, w, signs, options, figures, FOLDS, seed)
    rho = float(spearmanr(held, target).statistic)
    about = {
        "fitted on": f"{len(rows)} rated texts on {len(set(figures))} figures",
        "Spearman on held-out figures": round(rho, 3),
        "mean absolute error on held-out figures": round(float(np.abs(np.clip(held, 0, 2) - target).mean()), 3),
    }
    return calibrate(fit_card(dimension, "score", names, x, target, w, signs, options, about), held, target, w)


def _write(card: Scorecard, folder: Path) -> str:
    path = folder / f"{card.target}.json"
    temporary = path.with_suffix(".json.tmp")
    temporary.write_text(card.to_json(), encoding="utf-8")
    temporary.replace(path)
    figures = "; ".join(f"{k}: {v}" for k, v in card.about.items())
    return f"{card.target}: {path} ({len(card.terms)} features; {figures})"
