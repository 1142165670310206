"""How fast is the default metric, and how far from its floor.

    python benchmarks/speed.py --images DIR [--records FILE] [--figures 24] [--texts 2000]

Prints, in one run on one core:

1. seconds a *new* figure: reading it whole, against plain OCR alone of the same pictures with the same engine
   (the floor: nothing can be read faster than its text), interleaved so that both see the same machine;
2. texts a second for figures already read (claims, checks and scores, everything but the reading);
3. memory (RSS) after 100, 1,000 and 10,000 samples through the run loop: it should be flat.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import time
from pathlib import Path

import numpy as np


def rss() -> float:
    """Resident memory in MB."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def new_figures(images: list[Path]) -> None:
    from f2teval.figure import read_figure
    from f2teval.figure.load import load_image
    from f2teval.figure.ocr import read_plain

    for p in images[:2]:  # engine start-up is not reading
        read_figure(p, cache=False)
        read_plain(load_image(p).rgb)
    whole, plain = [], []
    for p in images:
        t0 = time.perf_counter()
        read_plain(load_image(p).rgb)
        t1 = time.perf_counter()
        read_figure(p, cache=False)
        t2 = time.perf_counter()
        plain.append(t1 - t0)
        whole.append(t2 - t1)
    print(f"new figures: {len(images)}")
    print(f"  OCR alone      {np.mean(plain):7.3f} s a figure (median {np.median(plain):.3f})")
    print(f"  whole reading  {np.mean(whole):7.3f} s a figure (median {np.median(whole):.3f})")
    print(f"  ratio          {np.sum(whole) / np.sum(plain):7.2f}  (bar: at most 1.20)")


def known_figures(samples: list, texts: int) -> None:
    from f2teval.metric import get_metric

    metric = get_metric("evidence")
    some = list(itertools.islice(itertools.cycle(samples), texts))
    metric.score_batch(samples)  # readings into memory
    best = float("inf")
    for _ in range(3):
        t0 = time.perf_counter()
        for i in range(0, len(some), 64):
            metric.score_batch(some[i : i + 64])
        best = min(best, time.perf_counter() - t0)
    words = np.mean([len(s.text.split()) for s in some])
    print(f"figures already read: {len(some)} texts of {words:.0f} words on {len(samples)} figures")
    print(f"  {len(some) / best:7.0f} texts/s on one core  (bar: at least 300)")


def memory(samples: list) -> None:
    from dataclasses import replace

    from f2teval.metric import get_metric

    metric = get_metric("evidence")
    print("memory:")
    done = 0
    for goal in (100, 1000, 10000):
        while done < goal:
            batch = [replace(samples[(done + k) % len(samples)], id=str(done + k)) for k in range(min(50, goal - done))]
            metric.score_batch(batch)
            done += len(batch)
        print(f"  {done:6d} samples  {rss():7.0f} MB")


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--images", type=Path, required=True)
    ap.add_argument("--records", type=Path, help="a records.jsonl beside the pictures' folder, for the texts")
    ap.add_argument("--figures", type=int, default=24)
    ap.add_argument("--texts", type=int, default=2000)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    from f2teval.evidence.analysis import read_all
    from f2teval.sample import Sample

    images = sorted(p for p in args.images.iterdir() if p.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp"))
    random.Random(args.seed).shuffle(images)
    new_figures(images[: args.figures])
    records = args.records or args.images.parent / "records.jsonl"
    rows = [json.loads(line) for line in records.read_text().splitlines() if line.strip()]
    samples = [Sample.from_sentences(r["id"], r["text"], image=records.parent / r["image"]) for r in rows][:200]
    read_all([s.image for s in samples if s.image is not None])
    known_figures(samples, args.texts)
    memory(samples)


if __name__ == "__main__":
    main()
