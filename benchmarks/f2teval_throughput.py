"""Throughput of the f2teval metric at full size: six ViT-B/32 with random weights (speed does not depend on values).

    python benchmarks/f2teval_throughput.py [--pairs 400] [--rounds 3] [--threads N] [--mode truncate|windows|both]
                                            [--data records.jsonl] [--frozen]

Prints, from one run: a plain per-sample fp32 loop over the Hugging Face modules (one sample at a time, text windows
padded to 77 tokens); the same without padding; ours from files to scores; the ratios; achieved FLOP/s while encoding
over the best bf16 (fp32) matrix product this machine does with the same threads; and the largest difference between the
scores of the two. Both sides are warmed up and measured alternately, the best round counts.

Workload: 10 texts a figure. Lengths are drawn from the deciles of texts about charts written by four systems (a third
each of short, middling and long; ``--data`` takes texts from a JSONL file with ``text`` as string or sentences
instead); a caption of about 20 words and a paragraph of about 90 as context. Words are drawn at random; sentences begin
with stock phrases as often as real ones do. Both ways of reading long texts are measured: ``truncate`` (the paper's:
the first 77 tokens) and ``windows`` (the default: all of a text).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

DECILES = (8, 22, 35, 43, 59, 79, 99, 127, 173, 229, 300)
"""Length in words and marks of 378 texts about charts by MatCha, ChartT5 and GPT-4V (minimum, deciles, cut at 300)."""
TEXTS_A_FIGURE = 10
OPENED = 0.35
"""Share of sentences that begin with one of two dozen stock phrases: texts then share as many beginnings as those 378
texts do (that spares 5 to 7 % of the tokens, there and here)."""


def vocabulary(rng: random.Random) -> list[str]:
    syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "ar", "en", "or")]
    return ["".join(rng.choices(syllables, k=rng.choice((1, 2, 2, 3)))) for _ in range(3000)]


def prose(rng: random.Random, words: list[str], length: int) -> str:
    """About ``length`` words and marks in sentences of 10 to 24 words, word frequencies falling as 1/rank."""
    ranks = [1 / (i + 1) for i in range(len(words))]
    fixed = random.Random(0)
    openers = [fixed.choices(words, ranks, k=fixed.randint(4, 16)) for _ in range(24)]
    out: list[str] = []
    left = length
    while left > 0:
        n = min(left, rng.randint(10, 24))
        sentence = rng.choices(words, ranks, k=max(1, n - 1))
        for _ in range(n // 10):
            sentence[rng.randrange(len(sentence))] = str(rng.randint(1, 99))
        if rng.random() < OPENED:
            opener = rng.choice(openers)
            sentence[: len(opener)] = opener[: len(sentence)]
        out.append(sentence[0].capitalize() + " " + " ".join(sentence[1:]) + ".")
        left -= n
    return " ".join(out)


def lengths(rng: random.Random, n: int) -> list[int]:
    out = []
    for i in range(n):
        at = (i + rng.random()) / n * (len(DECILES) - 1)
        low = int(at)
        out.append(round(DECILES[low] + (at - low) * (DECILES[low + 1] - DECILES[low])))
    rng.shuffle(out)
    return out


def figure_png(rng: random.Random) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (800, 600), "white")
    draw = ImageDraw.Draw(image)
    for i in range(10):
        draw.rectangle((60 + 70 * i, 560 - rng.randint(20, 480), 110 + 70 * i, 560), fill=rng.choice(("#46a", "#c64")))
        draw.text((60 + 70 * i, 575), f"{2010 + i}", fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def workload(pairs: int, data: Path | None, seed: int = 7) -> list:
    from f2teval.sample import Sample

    rng = random.Random(seed)
    words = vocabulary(rng)
    if data is not None:
        rows = [json.loads(line)["text"] for line in data.read_text(encoding="utf-8").splitlines()]
        texts = [t if isinstance(t, str) else " ".join(t) for t in rows]
        texts = [texts[i % len(texts)] for i in range(pairs)]
    else:
        texts = [prose(rng, words, n) for n in lengths(rng, pairs)]
    samples = []
    for i, text in enumerate(texts):
        if i % TEXTS_A_FIGURE == 0:
            png, caption = figure_png(rng), prose(rng, words, rng.randint(12, 28))
            context = prose(rng, words, rng.randint(60, 120))
        samples.append(Sample(str(i), text, image=png, caption=caption, context=context))
    return samples


class PlainLoop:
    """What one writes first: for each sample and each expert, the Hugging Face model on its picture and its texts."""

    def __init__(self, model, codec, padded: bool) -> None:
        self.model, self.codec, self.config = model, codec, model.config
        spec = self.config.picture
        try:
            from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil as Processor
        except ImportError:
            from transformers import CLIPImageProcessor as Processor
        self.processor = Processor(
            size={"shortest_edge": spec.size}, crop_size={"height": spec.size, "width": spec.size}
        )
        self.padded = padded

    def text(self, encoder, text: str):
        import torch

        from f2teval.models.encoder import pad_windows

        coded = self.codec(text)
        limit = self.config.vocabulary.limit if self.padded else None
        ids = pad_windows(coded.windows, self.config.vocabulary.pad, limit)
        features = encoder.texts(ids)
        return (features * torch.tensor(coded.weights)[:, None]).sum(dim=0, keepdim=True)

    def __call__(self, sample) -> list[float]:
        import torch
        from PIL import Image

        from f2teval.models.moe import Features

        with torch.inference_mode():
            image = Image.open(io.BytesIO(sample.image)).convert("RGB")
            pixels = self.processor(images=image, return_tensors="pt")["pixel_values"]
            context = f"{sample.caption}\n{sample.context}"
            rows = [(e.images(pixels), self.text(e, context), self.text(e, sample.text)) for e in self.model.encoders]
            features = Features(*(torch.stack(parts) for parts in zip(*rows)))
            return (self.model.experts(features).mixed[0] * 2).clamp(0, 2).tolist()


def gemm_peak(dtype, seconds: float = 3.0) -> float:
    """Best FLOP/s of ``torch.mm`` over several shapes, each repeated."""
    import torch

    shapes = [(1024,) * 3, (2048,) * 3, (4096,) * 3, (2048, 3072, 768), (4096, 512, 2048), (4096, 2048, 512)]
    best = 0.0
    for m, k, n in shapes:
        a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
        torch.mm(a, b)
        until = time.perf_counter() + seconds / len(shapes)
        while time.perf_counter() < until:
            start = time.perf_counter()
            torch.mm(a, b)
            best = max(best, 2 * m * k * n / (time.perf_counter() - start))
    return best


def encode_rate(metric, samples: list) -> float:
    """FLOP/s while encoding the workload's distinct pictures and texts: useful operations only."""
    from f2teval.figure.load import load_image
    from f2teval.models.pictures import fit_square
    from f2teval.models.windows import context_text

    engine, best = metric.engine, 0.0
    for at in range(0, len(samples), metric.batch_size):
        chunk = samples[at : at + metric.batch_size]
        squares = [fit_square(load_image(x).rgb, engine.picture).square for x in {s.image for s in chunk}]
        texts = [metric._codec(t) for t in {s.text for s in chunk} | {context_text(s) for s in chunk}]
        before, start = engine.flops(), time.perf_counter()
        engine.images(squares)
        engine.texts(texts)
        best = max(best, (engine.flops() - before) / (time.perf_counter() - start))
    return best


def build(folder: Path, samples: list, frozen: bool) -> Path:
    import torch

    from f2teval.models.checkpoint import save_checkpoint
    from f2teval.models.moe import build_model
    from f2teval.models.tiny import random_encoder

    bundle = random_encoder("vit-b-32", [s.text for s in samples] + [s.context for s in samples])
    model = build_model(bundle, frozen=frozen)
    torch.manual_seed(1)
    with torch.no_grad():  # six different encoders, as after training, and scores inside the scale
        for encoder in model.encoders:
            for parameter in encoder.parameters():
                if parameter.dim() > 1:
                    parameter.add_(torch.randn_like(parameter) * parameter.std() * 0.1)
        for head in model.experts.heads.values():
            head.w.fill_(0.5)
            head.b.fill_(0.5)
        model.experts.shared.b2.fill_(0.5)
    save_checkpoint(model, bundle.tokenizer, folder / "model", info={"origin": bundle.origin}, card="")
    count = model.parameter_count()
    print(
        f"model: {count.total / 1e9:.2f} B parameters, {count.active / 1e9:.2f} B active a dimension; {bundle.origin}"
    )
    return folder / "model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--plain-pairs", type=int, default=10, help="samples of the plain loop in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="default: all cores")
    parser.add_argument("--mode", choices=("truncate", "windows", "both"), default="both")
    parser.add_argument("--data", type=Path, help="JSONL with texts to draw from")
    parser.add_argument("--frozen", action="store_true", help="the variant with one untouched encoder")
    parser.add_argument("--unpadded", action="store_true", help="also time the plain loop without padding")
    args = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch

    threads = args.threads or len(os.sched_getaffinity(0))
    torch.set_num_threads(threads)
    samples = workload(args.pairs, args.data)
    print(f"torch {torch.__version__}, {threads} threads; {len(samples)} pairs, {TEXTS_A_FIGURE} a figure")
    with tempfile.TemporaryDirectory() as tmp:
        folder = build(Path(tmp), samples, args.frozen)
        for mode in ("truncate", "windows") if args.mode == "both" else (args.mode,):
            config = json.loads((folder / "config.json").read_text())
            config["model"]["text_mode"] = mode
            (folder / "config.json").write_text(json.dumps(config))
            print(f"\n--- {mode}", flush=True)
            measure(args, folder, samples)


def measure(args, folder: Path, samples: list) -> None:
    import torch

    from f2teval.metrics.f2teval import F2TEvalMetric
    from f2teval.models.checkpoint import Checkpoint

    gpu = torch.cuda.is_available()
    fast = F2TEvalMetric(folder)
    describe(fast, samples)
    some = typical(fast, samples, args.plain_pairs)
    loops = {}
    if not gpu:
        opened = Checkpoint(folder)
        model, codec = opened.model(), opened.codec()
        loops["plain loop, padded to 77"] = PlainLoop(model, codec, True)
        if args.unpadded:
            loops["plain loop, no padding"] = PlainLoop(model, codec, False)
    times: dict[str, list[float]] = {name: [] for name in (*loops, "ours")}
    plain_scores: dict[str, list[float]] = {}
    rate = peak = 0.0
    for loop in loops.values():
        loop(some[0])
    fast.score_batch(samples[:20])
    for _ in range(args.rounds):
        for name, loop in loops.items():
            start = time.perf_counter()
            for s in some:
                plain_scores[s.id] = loop(s)
            times[name].append((time.perf_counter() - start) / len(some))
        fast._pictures._kept.clear()
        fast._contexts._kept.clear()
        start = time.perf_counter()
        scores = list(fast.stream(samples))
        times["ours"].append((time.perf_counter() - start) / len(samples))
        if not gpu:
            peak = max(peak, gemm_peak(fast.engine.dtype))
            rate = max(rate, encode_rate(fast, samples))
            peak = max(peak, gemm_peak(fast.engine.dtype))
    best = {name: min(t) for name, t in times.items()}
    for name, t in best.items():
        spread = ", ".join(f"{x * 1000:.0f}" for x in times[name])
        print(f"{name:26s} {t * 1000:8.1f} ms a pair  {1 / t:8.1f} pairs/s   (rounds: {spread} ms)")
    for name in loops:
        print(f"ratio to {name}: {best[name] / best['ours']:.1f} x")
    if peak:
        print(
            f"encoding {rate / 1e9:.0f} GFLOP/s of {peak / 1e9:.0f} measured {fast.engine.dtype} peak: {rate / peak:.1%}"
        )
    if loops:
        agree(plain_scores, scores, some, folder)


def typical(fast, samples: list, n: int) -> list:
    """``n`` samples that cost the plain loop together what ``n`` of the workload do on average.

    The middles of ``n`` equal parts of the workload in the order of its texts' and contexts' windows.
    """
    from f2teval.models.windows import context_text

    def windows(s) -> tuple[int, int]:
        text, context = fast._codec(s.text), fast._codec(context_text(s))
        return len(text.windows) + len(context.windows), text.read

    ranked = sorted(samples, key=windows)
    some = [ranked[int((i + 0.5) * len(ranked) / n)] for i in range(n)]
    mean, here = (statistics.mean(windows(s)[0] for s in part) for part in (samples, some))
    print(f"plain loop: {n} pairs with {here:.2f} windows each of text and context; the workload has {mean:.2f}")
    return some


def describe(fast, samples: list) -> None:
    from f2teval.models.prefixes import PrefixTree
    from f2teval.models.windows import context_text

    coded = [fast._codec(s.text) for s in samples]
    windows = [w for c in coded for w in c.windows]
    tokens = [c.read for c in coded]
    tree = PrefixTree.build(windows)
    spared = 1 - len(tree.ids) / sum(map(len, windows))
    context = statistics.mean(fast._codec(context_text(s)).read for s in samples)
    print(
        f"texts: {statistics.mean(tokens):.0f} tokens read on average (median {statistics.median(tokens):.0f}), "
        f"{len(windows) / len(coded):.2f} windows each; contexts: {context:.0f} tokens; "
        f"equal beginnings spare {spared:.0%} of the texts' tokens"
    )


def agree(plain: dict[str, list[float]], scores: list, some: list, folder: Path) -> None:
    """Largest difference to the plain loop: what was timed, and fp32."""
    from f2teval.metrics.f2teval import F2TEvalMetric

    def worst(rows: list) -> float:
        return max(abs(a - b) for r in rows if r.id in plain for a, b in zip(plain[r.id], r.scores.values()))

    values = [v for row in plain.values() for v in row]
    print(f"scores of the plain loop: {min(values):.3f} to {max(values):.3f}")
    print(f"largest difference as timed: {worst(scores):.2e}")
    print(f"largest difference in fp32:  {worst(F2TEvalMetric(folder, precision='fp32').score_batch(some)):.2e}")


if __name__ == "__main__":
    sys.exit(main())
