"""Fitting the model of semantic levels on texts that people have marked. Needs the extra ``fit``."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.claims.level_features import FEATURES, all_features, word_grams
from f2teval.claims.levels import FITTED, LevelModel
from f2teval.claims.tokens import Words
from f2teval.errors import MissingExtraError

Array = npt.NDArray[np.float64]

NEIGHBOUR: Final = 0.5  # neighbouring sentences' features count half, so they are pulled to zero harder
WORD: Final = 3.0  # word features are small (1/sqrt of their number); this sets how hard they are pulled to zero
STRENGTH: Final = 0.1  # inverse of the ridge penalty
MIN_GROUPS: Final = 3  # a word must occur in that many groups (papers), or it could only be remembered
GRID: Final = tuple(np.round(np.arange(0.35, 0.66, 0.05), 2))
SYNTHETIC: Final = 0.15  # what a generated sentence weighs against one that people marked
SHARE: Final = 0.05  # a word only generated texts hold must occur in that share of their figures
_KEEP: Final = 0.02  # smaller word weights are left out of the file


class Marked(NamedTuple):
    """Marked sentences: their features, words, levels and groups."""

    dense: Array  # sentences × 3 · features: own, before, after
    grams: list[set[str]]
    levels: npt.NDArray[np.int64]  # sentences × fitted levels, 0 or 1
    groups: npt.NDArray[np.int64]


def group_of(records: Sequence[Mapping[str, Any]], reach: int = 3) -> list[int]:
    """A group for each text, so that texts of one paper never stand on both sides of a split.

    A field ``group`` (or ``paper``) is used where there is one. Otherwise texts whose running numbers (the last digits
    of ``id``) lie within ``reach`` of each other are taken for one paper; so are texts that share most of their words.
    A text with neither is a group of its own unless its words tell otherwise.
    """
    parent = list(range(len(records)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    named: dict[Any, int] = {}
    numbered: list[tuple[int, int]] = []
    bags: list[frozenset[str]] = []
    for i, r in enumerate(records):
        key = r.get("group", r.get("paper"))
        if key is not None:
            parent[root(i)] = root(named.setdefault(key, i))
        else:
            digits = re.search(r"(\d+)\D*$", str(r.get("id", "")))
            if digits:
                numbered.append((int(digits.group(1)), i))
        words = " ".join(r["text"]).lower() if key is None else ""
        bags.append(frozenset(re.findall(r"[a-z]{3,}", words)))
    numbered.sort()
    for (a, i), (b, j) in itertools.pairwise(numbered):
        if b - a <= reach:
            parent[root(j)] = root(i)
    for i in range(len(records)):
        for j in range(i):
            both = len(bags[i] & bags[j])
            if both >= 5 and both >= 0.6 * len(bags[i] | bags[j]):
                parent[root(i)] = root(j)
    return [root(i) for i in range(len(records))]


def prepare(records: Sequence[Mapping[str, Any]]) -> Marked:
    """Features and marks of every sentence. Sentences marked −1 (not judged) are features' neighbours, but not rows.

    Args:
        records: ``{"id", "text": [sentence, …], "levels": [[1, 2], …]}`` each.

    Raises:
        ValueError: a text has more or fewer levels than sentences.
    """
    dense: list[list[float]] = []
    grams: list[set[str]] = []
    levels: list[list[int]] = []
    groups: list[int] = []
    for r, group in zip(records, group_of(records)):
        if len(r["text"]) != len(r["levels"]):
            raise ValueError(f"{r.get('id')}: {len(r['text'])} sentences but {len(r['levels'])} levels")
        words = joined(r["text"])
        rows = all_features(words)
        zero = [0.0] * len(FEATURES)
        for n, marks in enumerate(r["levels"]):
            if -1 in marks:
                continue
            before = rows[n - 1] if n else zero
            after = rows[n + 1] if n + 1 < len(rows) else zero
            dense.append(rows[n] + [NEIGHBOUR * v for v in before] + [NEIGHBOUR * v for v in after])
            grams.append(word_grams(words.low, *words.sentences[n]))
            levels.append([int(k in marks) for k in FITTED])
            groups.append(group)
    return Marked(np.array(dense, float), grams, np.array(levels, int), np.array(groups, int))


def joined(sentences: Sequence[str]) -> Words:
    """The tokens of sentences joined by one space."""
    spans = []
    at = 0
    for s in sentences:
        spans.append((at, at + len(s)))
        at += len(s) + 1
    return Words(" ".join(sentences), spans)


def fit_levels(
    records: Sequence[Mapping[str, Any]], generated: Sequence[Mapping[str, Any]] = (), seed: int = 0
) -> LevelModel:
    """Fit the model on marked texts. Deterministic.

    Args:
        records: texts that people marked, as :func:`prepare` wants them.
        generated: texts whose levels are known because they were generated; they count :data:`SYNTHETIC` each. People's
            marks are few and all of one field; generated texts say the same things in other words and about other
            subjects.
        seed: of the inner folds.

    Raises:
        MissingExtraError: scikit-learn is not installed (extra ``fit``).
        ValueError: no sentence, or a level that never or always occurs.
    """
    marked = prepare(records)
    rows = np.arange(len(marked.levels))
    if not len(rows) or not (marked.levels.mean(0) > 0).all() or not (marked.levels.mean(0) < 1).all():
        raise ValueError("every level must occur, and be absent, among the marked sentences")
    return fit_rows(marked, rows, prepare(generated) if generated else None, seed)


def generated_records(lines: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Texts of a generated data set (lines of its ``truth.jsonl``) as :func:`prepare` wants them.

    Only the split "train" is taken. Filler and nonsense are left unjudged: no level is right for them.
    """
    out = []
    for figure in lines:
        if figure.get("split", "train") != "train":
            continue
        for t in figure["graded"]:
            text = [t["text"][s["start"] : s["end"]] for s in t["sentences"]]
            levels = [[-1] if s["role"] in {"nonsense", "filler"} else list(s["levels"]) for s in t["sentences"]]
            out.append({"id": t["id"], "paper": figure["id"], "text": text, "levels": levels})
    return out


def fit_rows(marked: Marked, rows: npt.NDArray[np.int64], generated: Marked | None = None, seed: int = 0) -> LevelModel:
    """Fit on some of the sentences; thresholds are chosen on folds inside of them."""
    inner = np.zeros((len(rows), len(FITTED)))
    splits = list(folds(marked.groups[rows], 4, seed))
    for train, _ in splits:
        share = marked.levels[rows[train]].mean(0) if len(train) else np.zeros(1)
        if not ((share > 0) & (share < 1)).all():
            return _fit(marked, rows, generated, (0.5,) * len(FITTED))  # too little to choose thresholds on
    for train, test in splits:
        model = _fit(marked, rows[train], generated, (0.5,) * len(FITTED))
        inner[test] = predict(marked, rows[test], model)
    threshold = []
    for c in range(len(FITTED)):
        truth = marked.levels[rows, c]
        scores = [(f1(truth, inner[:, c] >= t), -abs(t - 0.5), float(t)) for t in GRID]
        # the neighbours' scores are averaged in, so that one lucky point does not decide
        smooth = [
            (np.mean([s[0] for s in scores[max(0, k - 1) : k + 2]]), scores[k][1], scores[k][2])
            for k in range(len(scores))
        ]
        threshold.append(max(smooth)[2])
    return _fit(marked, rows, generated, tuple(threshold))


def _fit(
    marked: Marked, rows: npt.NDArray[np.int64], generated: Marked | None, threshold: tuple[float, ...]
) -> LevelModel:
    try:
        from scipy import sparse
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("fitting the levels", "fit") from error
    frequent = {g for g, found in _places(marked, rows).items() if len(found) >= MIN_GROUPS}
    dense, levels = marked.dense[rows], marked.levels[rows]
    weight = np.ones(len(rows))
    parts = [(marked, rows)]
    if generated is not None:
        all_rows = np.arange(len(generated.levels))
        least = max(MIN_GROUPS, SHARE * len(set(generated.groups)))
        frequent |= {g for g, found in _places(generated, all_rows).items() if len(found) >= least}
        dense, levels = np.vstack([dense, generated.dense]), np.vstack([levels, generated.levels])
        weight = np.concatenate([weight, np.full(len(all_rows), SYNTHETIC)])
        parts.append((generated, all_rows))
    vocabulary = {g: k for k, g in enumerate(sorted(frequent))}
    grams = sparse.vstack([_gram_matrix(part, chosen, vocabulary) for part, chosen in parts])
    x = sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(dense), grams]))
    size = len(FEATURES)
    bias, own, before, after = [], [], [], []
    words: dict[str, list[float]] = {g: [] for g in vocabulary}
    for c in range(len(FITTED)):
        fitted = LogisticRegression(
            C=STRENGTH,
            class_weight="balanced",
            solver="liblinear",
            intercept_scaling=10.0,
            max_iter=500,
            random_state=0,
        )
        there = levels[:, c] == 1
        # both classes weigh the same, whatever their size
        even = np.where(there, 0.5 / weight[there].sum(), 0.5 / weight[~there].sum()) * weight.sum()
        fitted.fit(x, levels[:, c], sample_weight=weight * even)
        w = fitted.coef_[0]
        bias.append(round(float(fitted.intercept_[0]), 4))
        own.append(tuple(round(float(v), 4) for v in w[:size]))
        before.append(tuple(round(float(v) * NEIGHBOUR, 4) for v in w[size : 2 * size]))
        after.append(tuple(round(float(v) * NEIGHBOUR, 4) for v in w[2 * size : 3 * size]))
        for g, k in vocabulary.items():
            words[g].append(round(float(w[3 * size + k]) * WORD, 3))
    kept = {g: tuple(v) for g, v in words.items() if max(abs(a) for a in v) >= _KEEP * WORD}
    return LevelModel(tuple(bias), tuple(own), tuple(before), tuple(after), kept, threshold)


def _places(marked: Marked, rows: npt.NDArray[np.int64]) -> dict[str, set[int]]:
    """The groups that each word or pair occurs in."""
    where: dict[str, set[int]] = defaultdict(set)
    for i in rows:
        for g in marked.grams[i]:
            where[g].add(int(marked.groups[i]))
    return where


def _gram_matrix(marked: Marked, rows: npt.NDArray[np.int64], vocabulary: Mapping[str, int]) -> Any:
    from scipy import sparse

    data, column, start = [], [], [0]
    for i in rows:
        scale = WORD / np.sqrt(max(1, len(marked.grams[i])))
        for g in sorted(marked.grams[i]):
            k = vocabulary.get(g)
            if k is not None:
                column.append(k)
                data.append(scale)
        start.append(len(column))
    return sparse.csr_matrix((data, column, start), shape=(len(rows), len(vocabulary)))


def predict(marked: Marked, rows: npt.NDArray[np.int64], model: LevelModel) -> Array:
    """Probabilities (rows × fitted levels) as :func:`f2teval.claims.levels.level_probabilities` gives them."""
    size = len(FEATURES)
    d = marked.dense[rows]
    weights = np.array(model.weights)
    scores = np.array(model.bias) + d[:, :size] @ weights.T
    scores += (d[:, size : 2 * size] / NEIGHBOUR) @ np.array(model.before).T
    scores += (d[:, 2 * size :] / NEIGHBOUR) @ np.array(model.after).T
    for r, i in enumerate(rows):
        found = [model.words[g] for g in marked.grams[i] if g in model.words]
        if found:
            scores[r] += np.sum(found, axis=0) / np.sqrt(len(marked.grams[i]))
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30))))


def folds(
    groups: npt.NDArray[np.int64], n: int, seed: int
) -> Iterable[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """``n`` splits (train, test) of positions that keep groups whole."""
    names = np.unique(groups)
    order = np.random.default_rng(seed).permutation(len(names))
    fold = dict(zip(names[order], np.arange(len(names)) % n))
    of = np.array([fold[g] for g in groups])
    for k in range(n):
        yield np.flatnonzero(of != k), np.flatnonzero(of == k)


def f1(truth: npt.NDArray[Any], said: npt.NDArray[Any]) -> float:
    """F1 of the positive class; 0 when nothing is found."""
    hit = float(np.sum((truth == 1) & said))
    return 2 * hit / float(np.sum(truth == 1) + np.sum(said)) if hit else 0.0
