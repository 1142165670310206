"""Second thoughts on a misfit: was the number said of somebody else?

"The bus with 24 % and the car with 21 %": a parser may give the 24 % to the car. Before a misfit is called an error of
the text, the other names of its clause are asked: a number that stands right behind a name and fits it is that name's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from f2teval.claims.checking.values import fit_cell
from f2teval.claims.claim import Verdict
from f2teval.claims.index import FigureIndex
from f2teval.figure.reading import Cell

_SENTENCE: Final = re.compile(r"[.!?;]\s")
_REACH: Final = 120
"""A name further in front of a number than this many characters is not what the number is said of."""


def rebind(verdicts: list[Verdict], index: FigureIndex, text: str) -> list[Verdict]:
    """Take back or turn round contradicted values that fit another name of their own clause.

    * The nearest name in front of the number, in the same sentence, fits it: supported, as that name's value.
    * The name it was given to has its right value elsewhere in the sentence, and the number stands in the figure:
      unverifiable; one of the two was said of a name we did not find.
    """
    right: set[tuple[int, tuple[str, ...], tuple[str, ...]]] = {
        (v.claim.sentence, v.claim.series, v.claim.categories)
        for v in verdicts
        if v.claim.kind == "value" and v.status == "supported"
    }
    lowered = ""
    for i, v in enumerate(verdicts):
        c = v.claim
        if c.kind != "value" or v.status != "contradicted" or not c.quantities or c.quantities[0].kind != "number":
            continue
        lowered = lowered or text.lower()
        q = c.quantities[0]
        names = _names(v)
        nearest = _nearest(lowered, names | {*c.series, *c.categories}, q.start)
        if nearest in names:
            for cell in _cells(nearest, v, index):
                if fit_cell(q, cell, index).gap <= 1.0:
                    verdicts[i] = _turned(v, cell, index)
                    break
        elif (c.sentence, c.series, c.categories) in right and any(
            fit_cell(q, cell, index).gap <= 1.0 for cell in index.cells[:400]
        ):
            verdicts[i] = replace(
                v, status="unverifiable", confidence=0.3, error_type="", note="said of a name that was not found"
            )
    return verdicts


def _names(v: Verdict) -> set[str]:
    """The other names of the claim's clause."""
    slots = v.claim.slots
    near: Sequence[str] = (*slots.get("near_categories", ()), *slots.get("near_series", ()))
    return {n for n in near if n} - {*v.claim.series, *v.claim.categories}


def _nearest(lowered: str, names: set[str], before: int) -> str:
    """Of ``names``, the one that ends last in front of a position of its sentence; "" if there is none."""
    start = max(0, before - _REACH)
    best, at = "", -1
    for name in names:
        if not name:
            continue
        found = lowered.rfind(name.lower(), start, before)
        if found > at and not _SENTENCE.search(lowered, found, before):
            best, at = name, found
    return best


def _cells(name: str, v: Verdict, index: FigureIndex) -> list[Cell]:
    """Cells of another name in the claim's own series or category."""
    c = v.claim
    if name in index.series:
        return index.select((name,), c.categories)
    return index.select(c.series, (name,))


def _turned(v: Verdict, cell: Cell, index: FigureIndex) -> Verdict:
    where = ", ".join(part for part in (cell.series, cell.category) if part)
    return replace(
        v,
        claim=replace(v.claim, series=(cell.series,), categories=(cell.category,)),
        status="supported",
        confidence=0.7 * cell.confidence,
        error_type="",
        seen=f"{where}: {index.shown(cell.value)}",
        gap=0.0,
        box=cell.box,
        note="",
    )
