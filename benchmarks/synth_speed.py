"""Figures with six graded texts each, per second and core, for each renderer; and memory as the number grows.

    python benchmarks/synth_speed.py --seconds 10
    python benchmarks/synth_speed.py --memory 100 2000      # peak resident memory of a run of each size

The clock is this process's CPU time where that is asked for (``--cpu``): on a shared machine the wall clock measures
the neighbours.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from f2teval.bench.synth import RENDERERS, Options, compose, make_figure


def speed(seconds: float, texts: int, cpu: bool) -> None:
    """Print figures per second for each renderer, and for composing alone."""
    clock = time.process_time if cpu else time.perf_counter
    print(
        f"{'renderer':12s} {'figures/s':>10s} {'ms':>8s}   ({texts} texts a figure, one core, {'CPU' if cpu else 'wall'} time)"
    )
    for name in ("(texts only)", *RENDERERS):
        options = Options(seed=1, renderers=() if name.startswith("(") else (name,), texts=texts)
        pairs = options.pairs()
        make = compose if name.startswith("(") else make_figure
        make(0, options, pairs)
        made, start = 0, clock()
        while clock() - start < seconds:
            made += 1
            make(made, options, pairs)
        spent = clock() - start
        print(f"{name:12s} {made / spent:10.1f} {1000 * spent / made:8.1f}", flush=True)


def memory(sizes: list[int], renderers: str) -> None:
    """Print the peak resident memory of ``f2teval bench synth``'s writer for each number of figures."""
    print(f"{'figures':>8s} {'peak MiB':>9s} {'seconds':>8s}")
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, __file__, "--one", str(n), "--out", folder, "--renderers", renderers],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            print(f"{n:8d} {int(done.stdout) / 1024:9.0f} {time.perf_counter() - start:8.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--texts", type=int, default=6)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--memory", type=int, nargs="*")
    parser.add_argument("--renderers", default="vega,press")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        from f2teval.bench.dataset import write_dataset

        write_dataset(args.out / "set", args.one, Options(seed=2, renderers=tuple(args.renderers.split(","))))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    elif args.memory:
        memory(args.memory, args.renderers)
    else:
        speed(args.seconds, args.texts, args.cpu)


if __name__ == "__main__":
    main()
