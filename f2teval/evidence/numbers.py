"""Where the numbers of a sentence stand in the figure, asked loosely: beside a claim's own verdict, and against it.

A claim binds a number to one cell, and may bind it wrongly ("32 % of men, compared to 28 % of women"). These features
ask less: does the number stand in *any* row or column that the sentence names, elsewhere in the figure, or nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import Final

import numpy as np

from f2teval.claims.claim import Claim, Quantity
from f2teval.claims.compare import senses
from f2teval.claims.index import FigureIndex

NUMBER_FEATURES: Final[dict[str, int]] = {
    f"number.{where}.{how}": sign
    for how in ("printed", "measured")
    for where, sign in (("row", -1), ("elsewhere", +1), ("nowhere", +1), ("nowhere.share", +1))
}
_KINDS: Final = frozenset({"number", "fraction"})
_SLACK: Final = 0.02


def number_features(count: int, claims: Sequence[Claim], index: FigureIndex) -> list[dict[str, float]]:
    """Features of each of ``count`` sentences; absent where a sentence states no number or the figure holds none.

    ``row`` is the share of its numbers found in a row or column that it names, ``elsewhere`` and ``nowhere`` count
    (log) those found only in other places or not at all; ``printed`` figures print their values, ``measured`` ones
    are read off an axis, where a number is close to some mark by chance far more easily.
    """
    rows: list[dict[str, float]] = [{} for _ in range(count)]
    if not index.cells and not index.printed:
        return rows
    numbers: list[dict[int, Quantity]] = [{} for _ in range(count)]
    names: list[set[str]] = [set() for _ in range(count)]
    for c in claims:
        names[c.sentence].update(c.series, c.categories, (m.target for m in c.subjects))
        for q in c.quantities:
            if q.kind in _KINDS:
                numbers[c.sentence][q.start] = q
    how = "printed" if index.labelled else "measured"
    values = np.array([c.value for c in index.cells])
    tolerance = np.array([c.tolerance for c in index.cells])
    if not index.labelled and index.span:
        tolerance = tolerance + _SLACK * (index.span[1] - index.span[0])
    printed = np.array([p.value for p in index.printed if p.kind in _KINDS])
    for i, found in enumerate(numbers):
        if not found:
            continue
        # A sentence may go on about what the one before it named.
        named = names[i] | (names[i - 1] if i else set())
        named.discard("")
        at = np.array([c.series in named or c.category in named for c in index.cells], dtype=bool)
        places = [_place(q, values, tolerance, at, printed, index) for q in found.values()]
        n = len(places)
        rows[i] = {
            f"number.row.{how}": places.count("row") / n,
            f"number.elsewhere.{how}": log1p(places.count("elsewhere")),
            f"number.nowhere.{how}": log1p(places.count("nowhere")),
            f"number.nowhere.share.{how}": places.count("nowhere") / n,
        }
    return rows


def _place(
    q: Quantity, values: np.ndarray, tolerance: np.ndarray, at: np.ndarray, printed: np.ndarray, index: FigureIndex
) -> str:
    anywhere = False
    for sense in senses(q, index):
        if len(values):
            near = np.abs(values - sense.value) <= np.maximum(tolerance, q.precision * abs(sense.factor)) + 1e-9
            if near.any():
                if bool((near & at).any()):
                    return "row"
                anywhere = True
    if not anywhere and len(printed):
        anywhere = bool((np.abs(printed - q.value) <= q.precision + 1e-9).any())
    return "elsewhere" if anywhere else "nowhere"
