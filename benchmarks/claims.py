"""How good are the verdicts on claims? Two measurements, both printed by one run.

``--data DIR``: a folder of ``records.jsonl`` (``image``, ``text`` as a list of sentences, ``errors`` as a list a sentence,
``system``, ``source``): for each captioner and source the share of sentences with a grounded claim, how often a sentence
with and without a human-marked error has a contradicted claim, P(error | contradicted) and P(no error | all supported).

``--synthetic N``: figures of the package's own making (exact tables, sentences with their claims and errors), with the
Reading an ideal reader would give, so that parsing and checking are measured apart from reading; by kind of claim.

    python benchmarks/claims.py --data ../data/chocolate-dev [--kinds] [--show matcha:contradicted:ok:20]
    python benchmarks/claims.py --synthetic 200 [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from f2teval.claims.check import check_claims
from f2teval.claims.claim import Verdict
from f2teval.claims.index import FigureIndex
from f2teval.claims.parse import parse_claims

GROUNDED = {
    "value", "extreme", "ranking", "trend", "change", "comparison", "difference", "ratio", "sum", "range",
}  # fmt: skip
"""Kinds that need the figure's values; the others are about its words and its form."""


ALIKE = {
    "value": ("value", "range"), "extreme": ("extreme", "ranking"), "ranking": ("extreme", "ranking"), "trend": ("trend", "change"),
    "change": ("change", "trend", "range", "difference", "ratio", "value"), "title": ("title", "mention"), "source": ("source", "mention"),
    "mention": ("mention",), "sum": ("sum", "value"), "range": ("range", "value"), "difference": ("difference", "value"),
}  # fmt: skip
"""Kinds of our claims that may state what a stated claim of this kind says."""
FACTUAL = {"value", "label", "trend", "magnitude", "out_of_context", "contradiction", "nonsense"}
"""Planted errors that the figure can tell."""


class Row(NamedTuple):
    """One sentence with its verdicts and whether people found an error in it."""

    group: str
    sentence: str
    wrong: bool
    errors: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    id: str


def joined(sentences: list[str]) -> tuple[str, list[tuple[int, int]]]:
    """Sentences joined by one space, and their offsets."""
    spans, at = [], 0
    for s in sentences:
        spans.append((at, at + len(s)))
        at += len(s) + 1
    return " ".join(sentences), spans


def rows_of_folder(folder: Path, limit: int) -> Iterator[Row]:
    """Rows of a records folder; figures are read (or taken from the cache)."""
    from f2teval.figure.reader import read_figure

    indices: dict[str, FigureIndex] = {}
    with (folder / "records.jsonl").open() as f:
        records = [json.loads(line) for line in f][: limit or None]
    for r in records:
        index = indices.get(r["image"])
        if index is None:
            index = indices[r["image"]] = FigureIndex.of(read_figure(folder / r["image"]))
        text, spans = joined(r["text"])
        verdicts = check_claims(parse_claims(text, spans, index), index, text)
        by_sentence: dict[int, list[Verdict]] = defaultdict(list)
        for v in verdicts:
            by_sentence[v.claim.sentence].append(v)
        for i, (s, errors) in enumerate(zip(r["text"], r["errors"])):
            group = f"{r['system']} {r['source'].split('/')[-1]}"
            yield Row(group, s, bool(errors), tuple(errors), tuple(by_sentence[i]), r["id"])


def rows_of_truth(n: int, seed: int) -> tuple[list[Row], str]:
    """Rows of synthetic figures with their ideal Readings, and the table by kind of stated claim."""
    from f2teval.bench.synth import generate
    from f2teval.bench.truth import truth_reading

    rows: list[Row] = []
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for figure in generate(n, seed=seed):
        truth = figure.truth
        index = FigureIndex.of(truth_reading(truth))
        for graded in truth.graded:
            spans = [(s.start, s.end) for s in graded.sentences]
            verdicts = check_claims(
                parse_claims(graded.text, spans, index, truth.context), index, graded.text, truth.context
            )
            for k, s in enumerate(graded.sentences):
                mine = tuple(v for v in verdicts if v.claim.sentence == k)
                types = tuple(e.type for e in s.errors)
                wrong = any(t in FACTUAL for t in types)
                rows.append(Row(f"{truth.chart_type}", graded.text[s.start : s.end], wrong, types, mine, graded.id))
                for c in s.claims:
                    near = {
                        v.status
                        for v in mine
                        if v.claim.kind in ALIKE.get(c.kind, (c.kind,))
                        and v.claim.start < c.end
                        and c.start < v.claim.end
                    }
                    status = "con" if "contradicted" in near else "sup" if "supported" in near else "none"
                    found[c.kind][("true-" if c.true else "false-") + status] += 1
    lines = [
        f"{'stated claim':<14}{'true':>6}{'sup':>8}{'con':>8}{'none':>8} | {'false':>6}{'con':>8}{'sup':>8}{'none':>8}"
    ]
    for kind, c in sorted(found.items(), key=lambda k: -sum(k[1].values())):
        t = sum(c[f"true-{s}"] for s in ("sup", "con", "none"))
        f = sum(c[f"false-{s}"] for s in ("sup", "con", "none"))
        lines.append(
            f"{kind:<14}{t:>6}" + "".join(f"{c[f'true-{s}'] / t if t else 0:>8.3f}" for s in ("sup", "con", "none"))
            + f" | {f:>6}" + "".join(f"{c[f'false-{s}'] / f if f else 0:>8.3f}" for s in ("con", "sup", "none"))
        )  # fmt: skip
    return rows, "\n".join(lines)


def summary(rows: list[Row], threshold: float) -> str:
    """A table by group."""
    lines = [f"{'group':<18}{'n':>5}{'err':>6} | {'grounded':>8} {'any':>6} | {'con|err':>7} {'con|ok':>7} {'P(err|con)':>10}"
             f" | {'all-sup':>7} {'P(ok|sup)':>9}"]  # fmt: skip
    groups = defaultdict(list)
    for r in rows:
        groups[r.group].append(r)
    for name, members in [*sorted(groups.items()), ("all", rows)]:
        bad, good = [r for r in members if r.wrong], [r for r in members if not r.wrong]
        con = [r for r in members if contradicted(r, threshold)]
        sup = [r for r in members if all_supported(r)]
        rate = lambda a, b: f"{len(a) / len(b):.3f}" if b else "-"  # noqa: E731
        lines.append(
            f"{name:<18}{len(members):>5}{len(bad):>6} | {rate([r for r in members if grounded(r)], members):>8}"
            f" {rate([r for r in members if any(v.status != 'unverifiable' for v in r.verdicts)], members):>6} |"
            f" {rate([r for r in con if r.wrong], bad):>7} {rate([r for r in con if not r.wrong], good):>7}"
            f" {rate([r for r in con if r.wrong], con):>10} | {rate(sup, members):>7} {rate([r for r in sup if not r.wrong], sup):>9}"
        )
    return "\n".join(lines)


def contradicted(r: Row, threshold: float) -> bool:
    """Whether some claim of the sentence is contradicted with this confidence."""
    return any(v.status == "contradicted" and v.confidence >= threshold for v in r.verdicts)


def grounded(r: Row) -> bool:
    """Whether some claim about values got a finding."""
    return any(
        v.claim.kind in GROUNDED and v.status != "unverifiable" and not v.claim.slots.get("period") for v in r.verdicts
    )


def all_supported(r: Row) -> bool:
    """Nothing contradicted, and something about values supported."""
    return grounded(r) and not any(v.status == "contradicted" for v in r.verdicts)


def by_kind(rows: list[Row]) -> str:
    """For each kind of claim: findings, and how often the sentence around them has an error."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for r in rows:
        for v in r.verdicts:
            kind = v.claim.kind
            if kind == "mention":
                kind += ":" + str(v.claim.slots.get("of"))
            if v.claim.slots.get("period"):
                kind = "period"
            c = counts[kind]
            c["n"] += 1
            c[v.status] += 1
            c[v.status + "-err"] += r.wrong
    base = sum(r.wrong for r in rows) / max(1, len(rows))
    lines = [
        f"{'kind':<16}{'n':>6}{'sup':>6}{'P(ok|s)':>9}{'con':>6}{'P(err|c)':>9}{'unv':>6}{'P(err|u)':>9}   base error rate {base:.3f}"
    ]
    for kind, c in sorted(counts.items(), key=lambda k: -k[1]["n"]):
        s, k, u = c["supported"], c["contradicted"], c["unverifiable"]
        lines.append(
            f"{kind:<16}{c['n']:>6}{s:>6}{1 - c['supported-err'] / s if s else 0:>9.3f}{k:>6}"
            f"{c['contradicted-err'] / k if k else 0:>9.3f}{u:>6}{c['unverifiable-err'] / u if u else 0:>9.3f}"
        )
    return "\n".join(lines)


def show(rows: list[Row], spec: str) -> None:
    """Sentences to look at: ``group:status:ok|err:count[:kind]``."""
    group, status, label, count, *kind = spec.split(":")
    n = 0
    for r in rows:
        if group not in r.group or (label == "ok") == r.wrong:
            continue
        picked = [v for v in r.verdicts if v.status == status and (not kind or v.claim.kind == kind[0])]
        if status == "none":
            picked = list(r.verdicts) if not grounded(r) and not contradicted(r, 0.0) else []
        if not picked and not (status == "none" and not grounded(r)):
            continue
        n += 1
        if n > int(count):
            break
        print(f"\n{r.id} [{r.group}] {','.join(r.errors) or 'ok'}\n  {r.sentence}")
        for v in r.verdicts if status == "none" else picked:
            print(f"    {v.status[:4]} {v.confidence:.2f} {v.claim.kind} {v.claim.direction} {v.claim.series}{v.claim.categories}"
                  f" said={v.said!r} seen={v.seen!r} {v.error_type} {v.note} gap={v.gap}")  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with records.jsonl")
    parser.add_argument("--synthetic", type=int, default=0, help="number of figures to make")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--threshold", type=float, default=0.3, help="confidence from which a contradiction counts")
    parser.add_argument("--kinds", action="store_true", help="also by kind of claim")
    parser.add_argument("--show", action="append", default=[], help="group:status:ok|err:count[:kind]")
    args = parser.parse_args()
    if args.synthetic:
        rows, table = rows_of_truth(args.synthetic, args.seed)
        print(summary(rows, args.threshold) + "\n\n" + table)
        if args.kinds:
            print("\n" + by_kind(rows))
        for spec in args.show:
            show(rows, spec)
    if args.data:
        t0 = time.perf_counter()
        rows = list(rows_of_folder(args.data, args.limit))
        print(summary(rows, args.threshold))
        if args.kinds:
            for source in sorted({r.group.split()[-1] for r in rows}):
                print(f"\n{source}\n" + by_kind([r for r in rows if r.group.endswith(source)]))
        for spec in args.show:
            show(rows, spec)
        print(f"\n{len(rows)} sentences in {time.perf_counter() - t0:.1f} s")


if __name__ == "__main__":
    main()
