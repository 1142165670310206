"""Two-stage training from scratch on synthetic figures: does the machinery learn, and what?

    python benchmarks/f2teval_synthetic.py [--figures 300] [--epochs 5] [--out DIR] [--data samples.jsonl] [--no-ablate]

Makes synthetic figures with graded texts (``f2teval.bench``; or takes ``--data``), trains the mixture with a tiny CLIP
of random weights on the CPU, and prints agreement on held-out figures for each dimension beside the mean predictor,
then the ablation table. Everything is seeded.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path


def read(args: argparse.Namespace) -> list:
    if args.data:
        from f2teval.data import read_samples

        return list(read_samples(args.data))
    from f2teval.bench.synth import generate

    return [s for figure in generate(args.figures, seed=args.seed) for s in figure.samples]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--data", type=Path, help="samples with ratings instead of generated ones")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--no-ablate", action="store_true", help="only the full model")
    args = parser.parse_args()
    import torch

    from f2teval.training.ablation import ablate
    from f2teval.training.config import TrainConfig
    from f2teval.training.fit import train

    if args.threads:
        torch.set_num_threads(args.threads)
    start = time.perf_counter()
    samples = read(args)
    print(f"{len(samples)} rated texts ({time.perf_counter() - start:.0f} s to make or read)")
    # Larger steps and batches than the paper's: nothing is pre-trained here.
    config = TrainConfig(
        encoder="random:tiny", epochs=args.epochs, lr=1e-3, batch_size=32, hidden=64, precision="fp32",
        val_fraction=0.15, test_fraction=0.2, fit="pad",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as tmp:
        out = args.out or Path(tmp)
        start = time.perf_counter()
        done = train(samples, config, out / "full", data_name="synthetic figures")
        print(f"\ntwo-stage training: {time.perf_counter() - start:.0f} s on {torch.get_num_threads()} threads")
        print(f"{done.results.rows} texts about {done.results.figures} held-out figures\n\n{done.results.table()}")
        if not args.no_ablate:
            start = time.perf_counter()
            result = ablate(samples, config, out / "ablation")
            print(f"\nablation: {time.perf_counter() - start:.0f} s\n\n{result.table()}")
            print("HSIC over all pairs of heads: " + ", ".join(f"{k} {v:.3g}" for k, v in result.hsic.items()))


if __name__ == "__main__":
    main()
