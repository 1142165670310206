"""Two-stage training from scratch on synthetic figures: does the machinery learn, and what?

    python benchmarks/f2teval_synthetic.py [--figures 300] [--epochs 5] [--out DIR] [--data samples.jsonl] [--no-ablate]

Makes synthetic figures with graded texts (``f2teval.bench``; or takes ``--data``), trains the mixture with a tiny CLIP
of random weights on the CPU, and prints agreement on held-out figures for each dimension beside the mean predictor,
then the ablation table. Everything is seeded.
"""

from __future__ import annotations

import argparse
import sys
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
    stages: dict[str, float] = {}

    def watch(event: dict) -> None:
        if event["event"] == "epoch":
            stages[event["stage"]] = time.perf_counter()
            score = "–" if event["score"] is None else f"{event['score']:.3f}"
            print(f"{event['stage']} epoch {event['epoch'] + 1}: validation {score}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as tmp:
        out = args.out or Path(tmp)
        start = time.perf_counter()
        if args.no_ablate:
            full = train(samples, config, out, data_name="synthetic figures", watchers=[watch]).results
        else:
            # The full model is trained first and exactly as by ``train``; its experts serve the other rows.
            result = ablate(samples, config, out, watchers=[watch])
            full = result.rows["full model"]
        print(f"\ntwo-stage training: {stages['shared'] - start:.0f} s on {torch.get_num_threads()} threads")
        print(f"{full.rows} texts about {full.figures} held-out figures\n\n{full.table()}\n\n{verdict(full)}")
        if not args.no_ablate:
            print(f"\nablation, all in all: {time.perf_counter() - start:.0f} s\n\n{result.table()}")
            print("HSIC over all pairs of heads: " + ", ".join(f"{k} {v:.3g}" for k, v in result.hsic.items()))
            if args.out:
                print(f"disentanglement: {out / 'disentanglement.png'}")


def verdict(full) -> str:
    """Which dimensions beat the mean predictor on held-out figures, and by how much."""
    said = []
    for column, by in full.cells.items():
        mse, mean = by["mse"].value, full.mean_predictor[column]["mse"]
        if mse is not None and mean:
            said.append(f"{column} {1 - mse / mean:+.0%}")
    return "squared error less than the mean predictor's by: " + ", ".join(said)


if __name__ == "__main__":
    main()
