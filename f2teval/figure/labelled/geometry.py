"""Small geometry on boxes, shared by everything that pairs text with marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from f2teval.score import Box

T = TypeVar("T")


def cx(b: Box) -> float:
    """Horizontal centre."""
    return (b[0] + b[2]) / 2


def cy(b: Box) -> float:
    """Vertical centre."""
    return (b[1] + b[3]) / 2


def width(b: Box) -> float:
    """Width in pixels."""
    return b[2] - b[0]


def height(b: Box) -> float:
    """Height in pixels."""
    return b[3] - b[1]


def overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    """Length shared by two intervals (negative: the gap between them)."""
    return min(a1, b1) - max(a0, b0)


def x_overlap(a: Box, b: Box) -> float:
    """Shared horizontal extent."""
    return overlap(a[0], a[2], b[0], b[2])


def y_overlap(a: Box, b: Box) -> float:
    """Shared vertical extent."""
    return overlap(a[1], a[3], b[1], b[3])


def inside(b: Box, outer: Box, pad: float = 0.0) -> bool:
    """Is the centre of ``b`` inside ``outer``?"""
    return outer[0] - pad <= cx(b) <= outer[2] + pad and outer[1] - pad <= cy(b) <= outer[3] + pad


def union(boxes: Sequence[Box]) -> Box:
    """The box around boxes."""
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def swap(b: Box) -> Box:
    """Mirror at the diagonal: x and y change places. Its own inverse."""
    return (b[1], b[0], b[3], b[2])


def cluster(items: Sequence[T], key: Callable[[T], float], gap: float) -> list[list[T]]:
    """Groups of items whose keys, sorted, are nowhere more than ``gap`` apart from the next."""
    out: list[list[T]] = []
    last = 0.0
    for item in sorted(items, key=key):
        k = key(item)
        if out and k - last <= gap:
            out[-1].append(item)
        else:
            out.append([item])
        last = k
    return out
