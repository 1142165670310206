"""BLEU, ROUGE-L and CIDEr against the COCO caption evaluation: same agreement with people, less time?

    python benchmarks/overlap.py --data nebula_test.json

The file is a list of ``{"mt", "refs", "score"}`` (the native form of Nebula). Prints Kendall's τ-b and τ-c (× 100) with
the ratings and seconds for tokenising and scoring everything, for this package and, when pycocoevalcap and Java are
installed, for that peer in the same run: then also how many texts get the same tokens and how the CIDEr numbers
correlate.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import time
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, pearsonr

from f2teval.metric import get_metric
from f2teval.metrics.ptb import PUNCTUATION, words
from f2teval.sample import Sample


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="JSON list of {mt, refs, score}")
    args = parser.parse_args()
    rows = json.loads(args.data.read_text(encoding="utf-8"))
    human = np.array([r["score"] for r in rows])
    samples = [Sample(id=str(i), text=r["mt"], references=tuple(r["refs"])) for i, r in enumerate(rows)]

    ours: dict[str, np.ndarray] = {}
    spent: dict[str, float] = {}
    for name in ("bleu", "rougeL", "cider"):
        metric = get_metric(name)
        start = time.perf_counter()
        if hasattr(metric, "prepare"):
            metric.prepare(samples)
        scores = metric.score_batch(samples)
        spent[name] = time.perf_counter() - start
        ours[name] = np.array([s.value for s in scores], dtype=float)
    report("f2teval", ours, human, spent)

    if importlib.util.find_spec("pycocoevalcap") is None or shutil.which("java") is None:
        print("peer: not run (needs pycocoevalcap and Java)")
        return
    theirs, spent, tokens = peer(rows)
    report("pycocoevalcap", theirs, human, spent)
    for a, b in (("bleu", "bleu"), ("rougeL", "rougeL"), ("cider", "cider")):
        print(f"Pearson r of the two {a:8} {pearsonr(ours[a], theirs[b]).statistic:.6f}")
    texts = [t for r in rows for t in (r["mt"], *r["refs"])]
    same = sum(words(t) == [w for w in other if w not in PUNCTUATION] for t, other in zip(texts, tokens))
    print(f"texts with the same tokens: {same} of {len(texts)}")


def report(who: str, scores: dict[str, np.ndarray], human: np.ndarray, spent: dict[str, float]) -> None:
    print(f"{who} ({len(human)} samples)")
    for name, values in scores.items():
        b, c = (100 * kendalltau(values, human, variant=v).statistic for v in "bc")
        print(f"  {name:8} τ-b {b:5.2f}  τ-c {c:5.2f}")
    parts = ", ".join(f"{k} {v:.2f}" for k, v in spent.items())
    print(f"  seconds  {sum(spent.values()):.2f}  ({parts})")


def peer(rows: list[dict]) -> tuple[dict[str, np.ndarray], dict[str, float], list[list[str]]]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    start = time.perf_counter()
    tokenizer = PTBTokenizer()
    gold = tokenizer.tokenize({i: [{"caption": t} for t in r["refs"]] for i, r in enumerate(rows)})
    test = tokenizer.tokenize({i: [{"caption": r["mt"]}] for i, r in enumerate(rows)})
    spent = {"tokenise": time.perf_counter() - start}
    scores: dict[str, np.ndarray] = {}
    for name, scorer in (("bleu", Bleu(4)), ("rougeL", Rouge()), ("cider", Cider())):
        start = time.perf_counter()
        kwargs = {"verbose": 0} if name == "bleu" else {}
        values = scorer.compute_score(gold, test, **kwargs)[1]
        scores[name] = np.array(values[3] if name == "bleu" else values)
        spent[name] = time.perf_counter() - start
    tokens = [t.split() for i in range(len(rows)) for t in (*test[i], *gold[i])]
    return scores, spent, tokens


if __name__ == "__main__":
    main()
