"""How long does ``f2teval meta`` take on many rows?

    python benchmarks/meta_speed.py [--rows 100000] [--rounds 1000] [--metrics 1] [--figure-texts 5]

Writes made-up score rows and ratings on all five dimensions, then times the whole command as a user runs it (a fresh
process: reading both files, every statistic, bootstrap intervals, tests). For scale, it also times the plain way on a
twentieth of the rounds: draw rows, call scipy, repeat.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import orjson
from scipy import stats

DIMENSIONS = ("faithfulness", "completeness", "conciseness", "logicity", "analysis")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--metrics", type=int, default=1)
    parser.add_argument("--figure-texts", type=int, default=5, help="texts about one figure")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scores, ratings, x, y = make(Path(folder), args.rows, args.metrics, args.figure_texts)
        command = [sys.executable, "-c", "from f2teval.cli.meta import meta; meta()", *map(str, scores),
                   "--ratings", str(ratings), "--rounds", str(args.rounds), "--format", "json",
                   "-o", str(Path(folder) / "out.json")]  # fmt: skip
        start = time.perf_counter()
        subprocess.run(command, check=True)
        whole = time.perf_counter() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime
        cells = len(DIMENSIONS) + 1
        print(f"f2teval meta: {args.rows} rows, {args.metrics} metric(s), {cells} targets × 7 statistics, "
              f"{args.rounds} rounds: {whole:.1f} s, {cpu:.1f} s of one core, {used.ru_maxrss / 1024:.0f} MB")  # fmt: skip
    some = max(1, args.rounds // 20)
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(some):
        pick = rng.integers(0, len(x), len(x))
        stats.pearsonr(x[pick], y[pick])
        stats.spearmanr(x[pick], y[pick])
        stats.kendalltau(x[pick], y[pick], variant="b")
        stats.kendalltau(x[pick], y[pick], variant="c")
    spent = (time.perf_counter() - start) / some * args.rounds
    print(f"scipy in a loop, one metric, one target, 4 statistics (from {some} rounds): {spent:.1f} s")


def make(folder: Path, rows: int, metrics: int, per_figure: int) -> tuple[list[Path], Path, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    figure = np.arange(rows) // per_figure
    quality = rng.normal(size=figure[-1] + 1)[figure] + rng.normal(size=rows)
    grades = {d: np.clip(np.round(1 + 0.6 * quality + 0.5 * rng.normal(size=rows)), 0, 2) for d in DIMENSIONS}
    paths, x = [], np.zeros(rows)
    for k in range(metrics):
        said = {d: np.clip(1 + 0.4 * quality + (0.5 + 0.1 * k) * rng.normal(size=rows), 0, 2) for d in DIMENSIONS}
        x = np.mean(list(said.values()), axis=0) / 2
        lines = [
            orjson.dumps(
                {
                    "id": str(i),
                    "system": f"s{i % per_figure}",
                    "metric": f"m{k}",
                    "signature": "made-up",
                    "status": "ok",
                    "scores": {d: float(v[i]) for d, v in said.items()},
                    "overall": float(x[i]),
                }
            )
            for i in range(rows)
        ]
        paths.append(folder / f"m{k}.jsonl")
        paths[-1].write_bytes(b"\n".join(lines) + b"\n")
    ratings = folder / "ratings.jsonl"
    lines = [
        orjson.dumps(
            {
                "id": str(i),
                "figure": int(figure[i]),
                "system": f"s{i % per_figure}",
                "ratings": {d: float(g[i]) for d, g in grades.items()},
            }
        )
        for i in range(rows)
    ]
    ratings.write_bytes(b"\n".join(lines) + b"\n")
    return paths, ratings, x, np.mean(list(grades.values()), axis=0) / 2


if __name__ == "__main__":
    main()
