"""How well the semantic level of a sentence is told, next to TF-IDF with logistic regression on the same folds.

    python benchmarks/levels.py --data FILE.jsonl [--generated truth.jsonl] [--seeds 5] [--write]

FILE holds one text a line: ``{"id", "text": [sentence, …], "levels": [[1, 2], …]}`` (−1: not judged). Texts of one
paper stay on one side of every split; thresholds are chosen inside the training part. ``--write`` fits on all texts and
writes the weights of the package.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from f2teval.claims import levels_fit
from f2teval.claims.levels import FITTED, default_model, level_probabilities


def baseline(texts: list[str], marks: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """TF-IDF of words and pairs, balanced logistic regression."""
    vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    x = vectors.fit_transform([texts[i] for i in train])
    z = vectors.transform([texts[i] for i in test])
    said = np.zeros((len(test), len(FITTED)), bool)
    for c in range(len(FITTED)):
        model = LogisticRegression(C=3, class_weight="balanced", max_iter=1000).fit(x, marks[train, c])
        said[:, c] = model.predict(z) == 1
    return said


def _generated(path: Path) -> list[dict[str, Any]]:
    """Generated texts of the train split, two a figure."""
    seen: Counter[str] = Counter()
    kept = []
    with path.open(encoding="utf-8") as lines:
        for r in levels_fit.generated_records(map(json.loads, lines)):
            seen[r["paper"]] += 1
            if seen[r["paper"]] <= 2:
                kept.append(r)
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--generated", type=Path, help="truth.jsonl of a data set made by `f2teval bench synth`")
    parser.add_argument("--write", action="store_true", help="fit on all texts and write the package's weights")
    args = parser.parse_args()
    records = [json.loads(line) for line in args.data.read_text("utf-8").splitlines() if line.strip()]
    marked = levels_fit.prepare(records)
    texts = [s for r in records for s, m in zip(r["text"], r["levels"]) if -1 not in m]
    print(f"{len(records)} texts, {len(texts)} sentences judged, {len(set(marked.groups))} groups held together")
    generated = _generated(args.generated) if args.generated else []
    extra = levels_fit.prepare(generated) if generated else None
    ours, theirs = [], []
    for seed in range(args.seeds):
        said = np.zeros(marked.levels.shape, bool)
        base = np.zeros(marked.levels.shape, bool)
        for train, test in levels_fit.folds(marked.groups, 5, seed):
            model = levels_fit.fit_rows(marked, train, extra, seed)
            said[test] = levels_fit.predict(marked, test, model) >= np.array(model.threshold)
            base[test] = baseline(texts, marked.levels, train, test)
        ours.append([levels_fit.f1(marked.levels[:, c], said[:, c]) for c in range(len(FITTED))])
        theirs.append([levels_fit.f1(marked.levels[:, c], base[:, c]) for c in range(len(FITTED))])
    print(f"F1 on papers held out, 5 folds, mean of {args.seeds} seeds (and their spread)")
    print(f"{'':22}" + "".join(f"level {k}{'':8}" for k in FITTED))
    for name, found in (("f2teval", ours), ("TF-IDF + logistic", theirs)):
        mean, spread = np.mean(found, 0), np.std(found, 0)
        print(f"{name:22}" + "".join(f"{m:.3f} ±{s:.3f}   " for m, s in zip(mean, spread)))
    if args.write:
        path = Path(levels_fit.__file__).parent / "weights" / "levels.json"
        model = levels_fit.fit_levels(records, generated)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(model.to_dict(), indent=0, ensure_ascii=False) + "\n", "utf-8")
        default_model.cache_clear()
        print(f"wrote {path} ({len(model.words)} words and pairs, thresholds {model.threshold})")
    words = [levels_fit.joined(r["text"]) for r in records]
    start = time.perf_counter()
    for w in words:
        level_probabilities(w)
    print(f"{1e3 * (time.perf_counter() - start) / len(texts):.3f} ms a sentence, tokens made before")


if __name__ == "__main__":
    main()
