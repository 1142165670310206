"""Agreement with people on chart captions whose sentences were marked with their factual errors (CHOCOLATE).

    python benchmarks/chocolate.py --data DIR [--leave-out captioner|none] [--add-style] [--synth DIR]

DIR holds ``records.jsonl`` (id, image, text as a list of sentences, system, group, errors a sentence) and ``images/``.
For each captioner and group it prints

* the AUC of a sentence's ``p_error`` against "people marked an error";
* Kendall τ-b of a caption's score against "no sentence has an error" for three scores, the product and the minimum of
  ``1 - p_error`` over its sentences and ``scores.faithfulness``, and of the last against the share of correct sentences.

``--leave-out captioner`` (default) refits the sentence scorecard once a captioner, without its captions *and* without
any caption of its charts, so that each row is scored by a model that saw neither. ``--leave-out none`` scores with the
weights in the package, which were fitted on data like these: use it only on data that fitting did not see.
Published on the whole set: GPT-4o τ .250/.244/.305 (LVLM/LLM/FT), ChartVE .178/.091/.215, Bard FT .291.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from f2teval.evidence import fitting
from f2teval.evidence.card import Scorecard
from f2teval.evidence.faithfulness import caption_faithfulness
from f2teval.meta import correlation


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Area under the ROC curve; NaN with one class."""
    value = correlation.auc(scores, labels).value
    return float("nan") if value is None else value


def tau(a: list[float], b: list[float]) -> float:
    return float(kendalltau(a, b, variant="b").statistic)


def report(table: list[dict[str, Any]], title: str) -> dict[str, dict[str, float]]:
    """Print the table of one set of predictions; return it."""
    by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in table:
        by[row["system"]].append(row)
        by["· " + row["group"]].append(row)
        by["· all"].append(row)
    print(f"\n{title}")
    print(
        f"{'':<14}{'captions':>9}{'factual':>9}{'sent.':>7}{'errors':>8}{'AUC':>7}   {'τ prod':>7}{'τ min':>7}{'τ faith':>8}{'τ share':>8}"
    )
    out = {}
    for name in sorted(by, key=lambda n: (n.startswith("·"), n)):
        rows = by[name]
        p = np.concatenate([r["p"] for r in rows])
        y = np.concatenate([r["y"] for r in rows])
        ok = [float(r["y"].max() == 0) for r in rows]
        right = [float(1 - r["y"].mean()) for r in rows]
        prod = [float(np.prod(1 - r["p"])) for r in rows]
        low = [float(np.min(1 - r["p"])) for r in rows]
        faith = [caption_faithfulness(r["p"]) for r in rows]
        v = dict(auc=auc(p, y), prod=tau(prod, ok), min=tau(low, ok), faith=tau(faith, ok), share=tau(faith, right))
        out[name] = v
        print(
            f"{name:<14}{len(rows):>9}{np.mean(ok):>9.2f}{len(p):>7}{y.mean():>8.2f}{v['auc']:>7.3f}   "
            f"{v['prod']:>7.3f}{v['min']:>7.3f}{v['faith']:>8.3f}{v['share']:>8.3f}"
        )
    within = [v["auc"] for n, v in out.items() if not n.startswith("·")]
    print(f"mean within-captioner sentence AUC {np.mean(within):.3f}")
    return out


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, required=True)
    ap.add_argument("--leave-out", choices=["captioner", "none"], default="captioner")
    ap.add_argument(
        "--add-style",
        action="store_true",
        help="refit with features that see only length and place, which the metric does not use",
    )
    ap.add_argument(
        "--synth",
        type=Path,
        action="append",
        default=[],
        help="a generated set to train on too (f2teval bench synth); repeatable",
    )
    ap.add_argument("--no-human", action="store_true", help="train on the synthetic set alone")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--json", type=Path, help="write the figures here too")
    args = ap.parse_args()

    rows = fitting.load_marked(args.data, jobs=args.jobs)
    extra = [m for folder in args.synth for m in fitting.load_marked(folder, jobs=args.jobs)]
    add = fitting.STYLE_FEATURES if args.add_style else None
    if args.leave_out == "none":
        card = Scorecard.load(fitting.SENTENCE_CARD)
        for r in rows:
            r.p = card.predict(card.matrix(r.features))
        title = f"weights in the package ({card.digest})"
    else:
        for name in sorted({r.system for r in rows}):
            held = [r for r in rows if r.system == name]
            charts = {r.figure for r in held}
            train = [] if args.no_human else [r for r in rows if r.system != name and r.figure not in charts]
            card = fitting.fit_sentence_card(train, extra, add=add).card
            for r in held:
                r.p = card.predict(card.matrix(r.features))
        title = "each captioner and its charts left out" + (", with features of length and place" if add else "")
    table = [dict(system=r.system, group=r.group, p=r.p, y=r.labels) for r in rows]
    result = report(table, title)
    if args.json:
        args.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
