"""Token windows with equal beginnings merged: attention is causal, so their states there are equal too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

LENGTH_STEP: Final = 8


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """Token windows with equal beginnings merged. ``N`` nodes, ``W`` windows, ``T`` tokens with padding.

    Windows are ordered by length inside. ``groups`` lists ``(how many, length)``: for attention, and only there,
    lengths are rounded up to a multiple of :data:`LENGTH_STEP`.

    Attributes:
        ids, positions: ``(N,)`` of each node.
        rows: ``(T,)`` node of each token, windows behind each other; padding points at any node.
        first: ``(N,)`` a token that stands for the node (index into ``rows``).
        ends: ``(W,)`` node of each window's last token.
        lengths: ``(W,)`` without padding.
        where: ``(W,)`` for each window as given, its place in the inner order.
    """

    ids: np.ndarray
    positions: np.ndarray
    rows: np.ndarray
    first: np.ndarray
    ends: np.ndarray
    lengths: np.ndarray
    where: np.ndarray
    groups: tuple[tuple[int, int], ...]

    @classmethod
    def build(cls, windows: Sequence[Sequence[int]]) -> PrefixTree:
        """Merge. Time is linear in the number of tokens."""
        order = sorted(range(len(windows)), key=lambda i: len(windows[i]))
        where = [0] * len(windows)
        children: dict[tuple[int, int], int] = {}
        ids: list[int] = []
        positions: list[int] = []
        rows: list[int] = []
        first: list[int] = []
        ends: list[int] = []
        groups: list[list[int]] = []
        for place, i in enumerate(order):
            where[i] = place
            window = windows[i]
            node = -1
            for position, token in enumerate(window):
                key = (node, int(token))
                child = children.get(key)
                if child is None:
                    child = children[key] = len(ids)
                    ids.append(int(token))
                    positions.append(position)
                    first.append(len(rows))
                rows.append(child)
                node = child
            ends.append(node)
            padded = -(-len(window) // LENGTH_STEP) * LENGTH_STEP
            rows.extend([node] * (padded - len(window)))
            if groups and groups[-1][1] == padded:
                groups[-1][0] += 1
            else:
                groups.append([1, padded])
        lengths = [len(windows[i]) for i in order]
        arrays = [np.asarray(x, dtype=np.int64) for x in (ids, positions, rows, first, ends, lengths, where)]
        merged = tuple((n, length) for n, length in groups)
        return cls(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5], arrays[6], merged)
