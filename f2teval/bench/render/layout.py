"""Layouts that no plotting library gives."""

from __future__ import annotations

from collections.abc import Sequence


def squarify(sizes: Sequence[float], x: float, y: float, w: float, h: float) -> list[tuple[float, float, float, float]]:
    """Rectangles ``(x, y, w, h)`` with areas in proportion to ``sizes`` (descending), as square as a greedy row
    layout makes them (Bruls, Huizing and van Wijk, 2000)."""
    total = sum(sizes)
    areas = [s * w * h / total for s in sizes]
    out: list[tuple[float, float, float, float]] = []
    i = 0
    while i < len(areas):
        side = min(w, h)

        def worst(row: Sequence[float], side: float = side) -> float:
            s = sum(row)
            return max(max(side * side * a / (s * s), s * s / (side * side * a)) for a in row)

        j = i + 1
        while j < len(areas) and worst(areas[i : j + 1]) <= worst(areas[i:j]):
            j += 1
        row, thick = areas[i:j], sum(areas[i:j]) / side
        at = 0.0
        for a in row:
            long = a / thick
            out.append((x, y + at, thick, long) if w >= h else (x + at, y, long, thick))
            at += long
        if w >= h:
            x, w = x + thick, w - thick
        else:
            y, h = y + thick, h - thick
        i = j
    return out
