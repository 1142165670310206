"""How well figures are read: synthetic figures of every kind, drawn with known tables, read back and compared.

    python benchmarks/reading.py --n 300                 # with OCR: what a user gets
    python benchmarks/reading.py --n 300 --texts truth   # texts given: what layout, axes and marks alone achieve

Printed for each chart type (and for printed and unprinted values apart):

- type: share of figures whose chart type is named right;
- cells: share of the truth's cells that are read with the right series and category and a value within 5 % of the
  axis' range (a printed value: within 1 % of itself);
- precision: share of the cells read that are right in the same sense;
- names: share of the truth's category names found (fuzzy, 90 %).

``--markdown`` prints the support matrix of docs/reading.md. Seconds are per figure, OCR included unless texts are given.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import defaultdict

from rapidfuzz import fuzz

from f2teval.bench.synth import generate
from f2teval.bench.truth import truth_reading
from f2teval.figure.load import load_image
from f2teval.figure.reader import read_image
from f2teval.figure.reading import Cell, Reading

TWINS = {
    frozenset(p)
    for p in (
        ("histogram", "vertical_bar"),
        ("bubble", "scatter"),
        ("pie", "donut"),
        ("waterfall", "vertical_bar"),
        ("funnel", "horizontal_bar"),
        ("error_bar", "vertical_bar"),
        ("line", "multi_line"),
    )
}
"""Pairs that serve a check of claims equally well; counted in brackets, not as right."""


def plain(text: str) -> str:
    """Letters and digits only, for comparing names."""
    return re.sub(r"[^0-9a-z]+", "", text.lower())


def same_name(a: str, b: str) -> bool:
    """Whether two names are the same but for a slip of the OCR or a cut tail."""
    x, y = plain(a), plain(b)
    if not x or not y:
        return x == y
    if x.isdigit() or y.isdigit():
        return x == y
    tail = min(len(x), len(y))
    return fuzz.ratio(x, y) >= 85 or (tail >= 10 and x[:tail] == y[:tail])


def span_of(truth: Reading) -> float:
    """Range of the value axis, else of the values."""
    values = [c.value for c in truth.cells]
    for axis in truth.axes:
        if axis.kind == "numeric" and axis.side in ("y", "x") and axis.span:
            low, high = axis.span
            if low - (high - low) <= min(values) and max(values) <= high + (high - low):
                return high - low
    return (max(values) - min(min(values), 0.0)) or 1.0


def right(truth: Cell, read: Cell, span: float, series: bool) -> bool:
    """Whether a cell read is this cell of the truth."""
    if not same_name(truth.category, read.category):
        return False
    if series and not same_name(truth.series, read.series):
        return False
    return abs(truth.value - read.value) <= 0.05 * span


def compare(truth: Reading, read: Reading) -> dict[str, float]:
    """Shares for one figure."""
    span = span_of(truth)
    series = len({c.series for c in truth.cells}) > 1
    hit = sum(any(right(t, r, span, series) for r in read.cells) for t in truth.cells)
    good = sum(any(right(t, r, span, series) for t in truth.cells) for r in read.cells)
    names = sum(any(same_name(t, r) for r in read.categories) for t in truth.categories)
    return {
        "type": float(truth.chart_type == read.chart_type),
        "twin": float(frozenset((truth.chart_type, read.chart_type)) in TWINS),
        "cells": hit / max(len(truth.cells), 1),
        "precision": good / len(read.cells) if read.cells else float("nan"),
        "names": names / max(len(truth.categories), 1),
        "read": float(len(read.cells) > 0),
    }


def mean(values: list[float]) -> float:
    """Mean without NaN."""
    kept = [v for v in values if v == v]
    return sum(kept) / len(kept) if kept else float("nan")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--types", nargs="*", default=[])
    parser.add_argument("--renderers", nargs="*", default=[])
    parser.add_argument("--texts", choices=("ocr", "truth"), default="ocr")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--list", type=int, default=0, help="name this many of the worst figures of each type")
    args = parser.parse_args()

    rows: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    worst: dict[str, list[tuple[float, str]]] = defaultdict(list)
    start, spent = time.perf_counter(), 0.0
    options = {"types": tuple(args.types), "renderers": tuple(args.renderers), "texts": 1}
    for k, figure in enumerate(generate(args.n, args.seed, **options)):
        truth = truth_reading(figure.truth)
        image = load_image(figure.data)
        t = time.perf_counter()
        read = read_image(image, list(truth.texts) if args.texts == "truth" else None)
        spent += time.perf_counter() - t
        shares = compare(truth, read)
        printed = "printed" if figure.truth.look.get("exact") else "drawn"
        rows[truth.chart_type, printed].append(shares)
        worst[truth.chart_type].append(
            (shares["cells"], f"{figure.truth.id} ({figure.truth.renderer}, {read.chart_type})")
        )
        if sys.stderr.isatty():
            print(f"\r{k + 1}/{args.n}", end="", file=sys.stderr)
    report(rows, args.markdown)
    n = sum(map(len, rows.values()))
    print(f"\n{n} figures, seed {args.seed}, texts from {args.texts}; {spent / max(n, 1):.2f} s a figure read, "
          f"{time.perf_counter() - start:.0f} s in all")  # fmt: skip
    for kind in sorted(worst) if args.list else ():
        print(kind, [f"{s:.2f} {name}" for s, name in sorted(worst[kind])[: args.list]])


def report(rows: dict[tuple[str, str], list[dict[str, float]]], markdown: bool) -> None:
    """Print the matrix."""
    head = ("chart type", "values", "figures", "type right", "cells right", "precision", "names")
    if markdown:
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    else:
        print(f"{head[0]:<18}{head[1]:<9}" + "".join(f"{h:>12}" for h in head[2:]))
    totals: list[dict[str, float]] = []
    for (kind, printed), shares in [*sorted(rows.items()), (("all", ""), [])]:
        if kind == "all":
            shares = totals
        else:
            totals += shares
        type_right = f"{mean([s['type'] for s in shares]):.2f}"
        twin = mean([s["twin"] for s in shares])
        if twin > 0.005:
            type_right += f" (+{twin:.2f})"
        cells = [kind, printed, str(len(shares)), type_right]
        cells += [f"{mean([s[k] for s in shares]):.2f}" for k in ("cells", "precision", "names")]
        if markdown:
            print("| " + " | ".join(cells) + " |")
        else:
            print(f"{cells[0]:<18}{cells[1]:<9}" + "".join(f"{c:>12}" for c in cells[2:]))


if __name__ == "__main__":
    main()
