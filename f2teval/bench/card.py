"""``card.md``: what a synthetic data set holds, counted, with pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from f2teval.bench.dataset import RUN, disk_errors, read_truth
from f2teval.rubric import DIMENSION_NAMES

SHEET = "card.jpg"
TILES, TILE = 24, 260


def write_card(folder: Path) -> Path:
    """Count what ``truth.jsonl`` holds, and write ``card.md`` and a sheet of pictures, one of each chart type first."""
    types: Counter[str] = Counter()
    renderers: Counter[str] = Counter()
    splits: Counter[str] = Counter()
    pairs: dict[str, set[str]] = {}
    styles: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    claims: Counter[str] = Counter()
    grades: dict[str, Counter[int]] = {d: Counter() for d in DIMENSION_NAMES}
    figures = texts = sentences = wrong = 0
    shown: dict[str, str] = {}
    rest: list[tuple[str, str]] = []
    for d in read_truth(folder):
        figures += 1
        types[d["chart_type"]] += 1
        renderers[d["renderer"]] += 1
        splits[d["split"]] += 1
        pairs.setdefault(d["split"], set()).add(d["pair"])
        if d["chart_type"] not in shown:
            shown[d["chart_type"]] = d["image"]
        elif len(rest) < TILES:
            rest.append((d["chart_type"], d["image"]))
        for t in d["graded"]:
            texts += 1
            styles[t["style"]] += 1
            for name in DIMENSION_NAMES:
                grades[name][t["ratings"][name]] += 1
            for s in t["sentences"]:
                sentences += 1
                wrong += bool(s["errors"])
                errors.update(e["type"] for e in s["errors"])
                claims.update(c["kind"] for c in s["claims"])
    shared = set.intersection(*pairs.values()) if len(pairs) > 1 else set()
    lines = [
        "# Synthetic figures with graded texts",
        "",
        f"{figures} figures, {texts} texts, {sentences} sentences ({wrong} with an error).",
        f"Options: `{(folder / RUN).read_text()}`",
        "",
        f"![figures]({SHEET})",
        "",
        "Every figure is drawn from a table made by chance; every text states facts computed from it, right or made",
        "wrong on purpose. `samples.jsonl` holds the texts with their grades (0 poor, 1 acceptable, 2 perfect),",
        "`truth.jsonl` the table, the marks' boxes, the axes, and each sentence's claims and errors. Tables, topics",
        "with their places, and phrasings do not cross splits.",
        "",
        *_table("Split", ("figures", "topic-entity pairs"), [(s, splits[s], len(pairs[s])) for s in sorted(splits)]),
        f"Pairs in more than one split: {len(shared)}",
        "",
        *_table("Chart type", ("figures",), types.most_common()),
        *_table("Renderer", ("figures",), renderers.most_common()),
        *_table("Text style", ("texts",), styles.most_common()),
        *_table("Grade", ("0", "1", "2"), [(n, *(grades[n][k] for k in range(3))) for n in DIMENSION_NAMES]),
        *_table("Error", ("sentences’ errors",), errors.most_common()),
        *_table("Claim", ("claims",), claims.most_common()),
    ]
    with disk_errors(folder):
        path = folder / "card.md"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        _sheet(folder, [*((t, i) for t, i in sorted(shown.items())), *rest][:TILES])
    return path


def _table(name: str, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[str]:
    head = f"| {name} | " + " | ".join(columns) + " |"
    rule = "|---|" + "---:|" * len(columns)
    return [head, rule, *("| " + " | ".join(str(v) for v in r) + " |" for r in rows), ""]


def _sheet(folder: Path, pictures: list[tuple[str, str]]) -> None:
    from PIL import Image, ImageDraw

    columns = 6
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * TILE, max(1, rows) * (TILE + 16)), "#b8b8b8")
    pen = ImageDraw.Draw(sheet)
    for k, (name, path) in enumerate(pictures):
        x, y = (k % columns) * TILE, (k // columns) * (TILE + 16)
        with Image.open(folder / path) as im:
            small = im.convert("RGB")
            small.thumbnail((TILE - 6, TILE - 4))
            sheet.paste(small, (x + 3, y + 14))
        pen.text((x + 4, y + 1), name, fill="#000000")
    sheet.save(folder / SHEET, quality=82)
