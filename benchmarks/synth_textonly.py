"""How much of a synthetic text's grade can be guessed without its figure? (It should be little, for faithfulness.)

Composes figures and texts without drawing them, fits logistic regressions on the text alone (bag of words and bigrams;
length; both) and prints, for each dimension, the AUC of "perfect" (grade 2) and of "poor" (grade 0) on figures held
out, and the same for sentences ("holds a factual error"). Chance is 0.5. Needs ``f2teval[fit]``.

    python benchmarks/synth_textonly.py --figures 2000 --seed 0
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from f2teval.bench.synth import Options, compose
from f2teval.rubric import DIMENSION_NAMES

FACTUAL = {"value", "label", "trend", "magnitude", "out_of_context"}


def features(texts: list[str], what: str) -> csr_matrix:
    """Bag of words and bigrams, length, or both."""
    words = CountVectorizer(ngram_range=(1, 2), min_df=3, token_pattern=r"(?u)\b\w+\b|[%$|]").fit_transform(texts)
    length = csr_matrix([[len(t), len(t.split()), t.count("."), np.log1p(len(t))] for t in texts], dtype=float)
    return {"words": words, "length": length, "both": hstack([words, length]).tocsr()}[what]


def auc(x: csr_matrix, y: np.ndarray, groups: list[str]) -> float:
    """AUC of a logistic regression on groups held out (5 folds)."""
    model = make_pipeline(MaxAbsScaler(), LogisticRegression(C=0.1, max_iter=300))
    p = cross_val_predict(model, x, y, groups=groups, cv=GroupKFold(5), method="predict_proba")[:, 1]
    return float(roc_auc_score(y, p))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--top", type=int, default=0, help="print the most telling words of sentences")
    args = parser.parse_args()
    options = Options(seed=args.seed)
    pairs = options.pairs()
    texts, groups, grades, styles = [], [], [], []
    sentences, s_groups, s_wrong = [], [], []
    for i in range(args.figures):
        d = compose(i, options, pairs)
        for t in d.texts:
            texts.append(t.text)
            groups.append(d.table.pair)
            grades.append([t.ratings[n] for n in DIMENSION_NAMES])
            styles.append(t.style)
            for s in t.sentences:
                if s.claims:
                    sentences.append(t.text[s.start : s.end])
                    s_groups.append(d.table.pair)
                    s_wrong.append(any(e.type in FACTUAL for e in s.errors))
    y = np.array(grades)
    print(f"{args.figures} figures, {len(texts)} texts, {len(set(groups))} topic-entity pairs, seed {args.seed}")
    print(f"{'dimension':14s} {'':8s} {'words':>7s} {'length':>7s} {'both':>7s}   (AUC, figures held out)")
    sets = {w: features(texts, w) for w in ("words", "length", "both")}
    for k, name in enumerate(DIMENSION_NAMES):
        for label, target in (("perfect", y[:, k] == 2), ("poor", y[:, k] == 0)):
            print(f"{name:14s} {label:8s} " + " ".join(f"{auc(x, target, groups):7.3f}" for x in sets.values()))
    wrong = np.array(s_wrong)
    row = " ".join(f"{auc(features(sentences, w), wrong, s_groups):7.3f}" for w in ("words", "length", "both"))
    print(f"{'sentence wrong':23s} {row}   ({len(sentences)} sentences, {wrong.mean():.1%} wrong)")
    table = {s: np.mean([g[0] == 2 for g, t in zip(grades, styles) if t == s]) for s in sorted(set(styles))}
    print("share of perfectly faithful texts by style: " + ", ".join(f"{s} {v:.2f}" for s, v in table.items()))
    if args.top:
        vec = CountVectorizer(ngram_range=(1, 2), min_df=20, binary=True, token_pattern=r"(?u)\b\w+\b|[%$|]")
        x = vec.fit_transform(sentences)
        model = LogisticRegression(C=0.1, max_iter=300).fit(x, wrong)
        order = np.argsort(model.coef_[0])
        names = vec.get_feature_names_out()
        rate = np.asarray(x.multiply(wrong[:, None]).sum(0)).ravel() / np.asarray(x.sum(0)).ravel()
        for part in (order[: args.top], order[::-1][: args.top]):
            print(", ".join(f"{names[j]} ({rate[j]:.2f})" for j in part))


if __name__ == "__main__":
    main()
