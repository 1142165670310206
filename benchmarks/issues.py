"""How often each detector of text flaws is right, by captioner, and how often it disturbs sound texts.

    python benchmarks/issues.py --data DIR [--sound FILE.jsonl] [--no-figures] [--show DETECTOR]

DIR holds ``records.jsonl`` with ``{"image", "text": [sentence, …], "system", "errors": [[type, …], …]}``: a detector is
right about a sentence when people found an error in it. FILE holds texts ``{"text": [sentence, …]}`` by people, nearly
all of them sound. With ``--no-figures`` the pictures are not read, and names and years are not looked up in them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

from f2teval.claims.claim import Issue
from f2teval.claims.text_issues import DETECTORS, find_issues

MIN_CONFIDENCE = 0.3


def spans_of(sentences: list[str]) -> tuple[str, list[tuple[int, int]]]:
    """The sentences joined by one space, and their offsets."""
    spans = []
    at = 0
    for s in sentences:
        spans.append((at, at + len(s)))
        at += len(s) + 1
    return " ".join(sentences), spans


def figure_words(image: Path) -> str:
    """The words of a picture as the package reads them (cached)."""
    from f2teval.figure import read_figure

    return read_figure(image).words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sound", type=Path)
    parser.add_argument("--no-figures", action="store_true")
    parser.add_argument("--show", action="append", default=[], help="print what this detector says")
    args = parser.parse_args()
    records = [json.loads(line) for line in (args.data / "records.jsonl").read_text("utf-8").splitlines()]
    systems = sorted({r["system"] for r in records})
    right: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    told: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    base: dict[str, list[int]] = {s: [0, 0] for s in systems}
    broken: dict[str, list[int]] = {s: [0, 0] for s in systems}
    spent = 0.0
    for r in records:
        text, spans = spans_of(r["text"])
        words = "" if args.no_figures else figure_words(args.data / r["image"])
        start = time.process_time()
        issues = find_issues(text, spans, words, "")
        spent += time.process_time() - start
        by_sentence: dict[int, list[Issue]] = defaultdict(list)
        for i in issues:
            if i.confidence >= MIN_CONFIDENCE:
                by_sentence[i.sentence].append(i)
        for n, errors in enumerate(r["errors"]):
            base[r["system"]][0] += bool(errors)
            base[r["system"]][1] += 1
            found = {i.detector for i in by_sentence[n]}
            if {"nonsense_error", "grammatical_error"} & set(errors):
                broken[r["system"]][1] += 1
                broken[r["system"]][0] += bool(found - {"filler", "speculation", "inference", "repeated_sentence"})
            for d in found:
                told[d][r["system"]] += 1
                right[d][r["system"]] += bool(errors)
                if d in args.show:
                    note = next(i.note for i in by_sentence[n] if i.detector == d)
                    print("  right" if errors else "  WRONG", r["system"], r["text"][n][:200], "|", note)
    sound = _sound(args.sound) if args.sound else {}
    print(f"{'detector':22}" + "".join(f"{s:>14}" for s in systems) + f"{'sound texts':>14}")
    print(f"{'(any sentence)':22}" + "".join(f"{base[s][0]}/{base[s][1]}".rjust(14) for s in systems))
    for d in sorted([*DETECTORS, "inference"], key=lambda d: -sum(told[d].values())):
        row = "".join((f"{right[d][s]}/{told[d][s]}" if told[d][s] else "–").rjust(14) for s in systems)
        print(f"{d:22}" + row + f"{sound.get(d, 0):>14}")
    print(f"{'of broken sentences':22}" + "".join(f"{broken[s][0]}/{broken[s][1]}".rjust(14) for s in systems))
    print(f"{1e3 * spent / len(records):.2f} ms a text, numbers and tokens included")


def _sound(path: Path) -> dict[str, int]:
    """How often each detector speaks about texts that are sound, or nearly."""
    count: dict[str, int] = defaultdict(int)
    for line in path.read_text("utf-8").splitlines():
        text, spans = spans_of(json.loads(line)["text"])
        for d in {(i.detector, i.sentence) for i in find_issues(text, spans) if i.confidence >= MIN_CONFIDENCE}:
            count[d[0]] += 1
    return count


if __name__ == "__main__":
    main()
