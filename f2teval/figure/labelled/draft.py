"""Cells in the making, and the last step common to all layouts: keys made unique, doubtful ones left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from f2teval.figure.labelled.items import Item
from f2teval.figure.reading import Cell

KEEP = 0.35
"""Cells surer than this are reported; a wrong pairing does more harm than a value left unread."""


@dataclass(slots=True)
class Draft:
    """A value with everything that may be needed to name it."""

    item: Item
    series: str = ""
    category: str = ""
    section: str = ""
    panel: str = ""
    sure: float = 1.0
    x: float | None = None
    tint: str = ""


def finish(drafts: Sequence[Draft]) -> tuple[list[Cell], list[Draft]]:
    """Cells with unique (series, category), and the drafts that were too doubtful to keep.

    Sections and panels are named where leaving them out would give two values one name.
    """
    drafts = [d for d in drafts if d.item.number is not None]
    for field, prefix in (("section", "category"), ("panel", "series")):
        clash = [d for g in _clash_groups(drafts) for d in g]
        labels = {getattr(d, prefix) for d in clash}
        for d in drafts:
            more = getattr(d, field)
            base = getattr(d, prefix)
            if base in labels and more and more != base:
                setattr(d, prefix, f"{more}: {base}" if base else more)
    for group in _clash_groups(drafts):
        first, second, *_ = sorted(group, key=lambda d: -d.sure)
        for d in group:
            # Two values for one name: the surer keeps it if it is far surer, else none does.
            d.sure *= 0.95 if d is first and second.sure <= 0.75 * first.sure else 0.25
    out: list[Cell] = []
    lost: list[Draft] = []
    for d in drafts:
        number = d.item.number
        assert number is not None
        sure = round(d.sure * min(1.0, d.item.confidence), 3)
        if sure < KEEP or not (d.category or d.series):
            lost.append(d)
            continue
        out.append(
            Cell(
                series=d.series,
                category=d.category,
                value=number.value,
                x=d.x,
                origin="label",
                tolerance=number.value if number.less else number.step / 2,
                confidence=sure,
                box=d.item.box,
                text=d.item.text,
            )
        )
    return out, lost


def _clash_groups(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Drafts that share (series, category) with another."""
    groups: dict[tuple[str, str], list[Draft]] = defaultdict(list)
    for d in drafts:
        groups[d.series, d.category].append(d)
    return [g for g in groups.values() if len(g) > 1]
