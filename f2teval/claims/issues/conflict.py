"""Sentences of a text that contradict each other: opposite extremes of one thing, opposite trends, two answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from f2teval.claims.claim import Issue
from f2teval.claims.issues.material import Frame, Material
from f2teval.claims.wordset import wordset

_LOOK_BACK: Final = 16  # sentences: people (and models) contradict what they have just said
_OPPOSITE: Final = {"highest": "lowest", "lowest": "highest", "up": "down", "down": "up"}
_CLASH: Final = frozenset(
    {("up", "down"), ("down", "up"), ("up", "flat"), ("flat", "up"), ("down", "flat"), ("flat", "down")}
)
_SOFT: Final = wordset(
    """chart graph figure shows show showing also overall data period time over years year since steadily
    sharply slightly significantly consistently generally slowly rapidly"""
)


def opposite_extremes(m: Material) -> Iterator[Issue]:
    """The same thing said to be the highest and the lowest."""
    yield from _pairs(m, "opposite_extremes", _is_opposite_extreme, 0.75, "the same is said to be both {} and {}")


def opposite_trends(m: Material) -> Iterator[Issue]:
    """The same quantity over the same span said to rise and to fall (or to stay)."""
    yield from _pairs(m, "opposite_trends", _is_opposite_trend, 0.7, "said once to go {} and once {}", 0.5)


def two_answers(m: Material) -> Iterator[Issue]:
    """Two different answers to what has one: "the cheapest … was Bucharest", "the cheapest … was Budapest"."""
    yield from _pairs(m, "two_answers", _is_two_answers, 0.6, "gives another answer than an earlier sentence ({})")


def _pairs(
    m: Material, detector: str, test: object, confidence: float, note: str, earlier: float = 0.8
) -> Iterator[Issue]:
    assert callable(test)
    frames = m.frames
    hit: set[int] = set()
    for n in range(1, len(frames)):
        if not frames[n].directions:
            continue
        for k in range(n - 1, max(-1, n - 1 - _LOOK_BACK), -1):
            if not frames[k].directions or frames[k].key == frames[n].key:
                continue
            found = test(frames[k], frames[n])
            if not found:
                continue
            for this, that in ((n, k), (k, n)):
                if this in hit:
                    continue
                hit.add(this)
                a, b = m.words.spans[that]
                # the later sentence is the one that breaks the text, but either may be the wrong one
                c = confidence if this == n else earlier * confidence
                text = note.format(*found)
                yield m.issue(detector, "contradiction", this, m.whole(this), c, text, m.words.text[a:b])
            break


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    a, b = a - _SOFT, b - _SOFT
    if not a or not b:
        return 0.0
    return len(a & b) / max(len(a), len(b))


def _is_opposite_extreme(a: Frame, b: Frame) -> tuple[str, str] | None:
    ways_a, ways_b = [d for d, _ in a.directions], [d for d, _ in b.directions]
    if len(ways_a) != 1 or len(ways_b) != 1 or ways_a[0] not in {"highest", "lowest"}:
        return None
    if _OPPOSITE[ways_a[0]] != ways_b[0] or a.numbers != b.numbers or len(b.core) < 2:
        return None
    # the answer is among the words, so nothing may differ but soft words
    if (a.core - _SOFT) == (b.core - _SOFT):
        return ways_a[0], ways_b[0]
    return None


def _is_opposite_trend(a: Frame, b: Frame) -> tuple[str, str] | None:
    ways_a = {d for d, _ in a.directions} & {"up", "down", "flat"}
    ways_b = {d for d, _ in b.directions} & {"up", "down", "flat"}
    if len(ways_a) != 1 or len(ways_b) != 1 or len(a.directions) > 2 or len(b.directions) > 2:
        return None
    pair = (next(iter(ways_a)), next(iter(ways_b)))
    if pair not in _CLASH:
        return None
    same_span = a.numbers <= b.numbers or b.numbers <= a.numbers
    if not same_span or _overlap(a.core, b.core) < 0.85:
        return None
    return pair


def _is_two_answers(a: Frame, b: Frame) -> tuple[str] | None:
    ways_a, ways_b = [d for d, _ in a.directions], [d for d, _ in b.directions]
    if len(ways_a) != 1 or ways_a != ways_b or ways_a[0] not in {"highest", "lowest"}:
        return None
    if a.key == b.key or len(a.key) < 6 or len(b.key) < 6:
        return None
    if a.key[-3:] == b.key[-3:]:
        p = s = 0
        limit = min(len(a.key), len(b.key))
        while p < limit and a.key[p] == b.key[p]:
            p += 1
        while s < limit - p and a.key[-1 - s] == b.key[-1 - s]:
            s += 1
    else:
        s = 0
        p = 0
        for x, y in zip(a.key, b.key):
            if x != y:
                break
            p += 1
    left, right = a.key[p : len(a.key) - s], b.key[p : len(b.key) - s]
    # all but one short run of words must be the same, and that run must be the answer: at the start or the end
    if not left or not right or max(len(left), len(right)) > 3 or p + s < 5 or (p and s):
        return None
    if "second" in left or "second" in right or "third" in left or "third" in right:
        return None
    return (" ".join(left),)


def both_ways(m: Material) -> Iterator[Issue]:
    """One sentence that says of the same subject both ways: "have improved …, and they have also declined"."""
    low = m.words.low
    for n, f in enumerate(m.frames):
        ways = [(d, t) for d, t in f.directions if d in {"up", "down"}]
        if len(ways) != 2 or ways[0][0] == ways[1][0] or f.numbers:
            continue
        between = low[ways[0][1] + 1 : ways[1][1]]
        if ("they" in between or "it" in between) and "also" in between and "then" not in between:
            yield m.issue("both_ways", "contradiction", n, (ways[0][1], ways[1][1] + 1), 0.7, "it cannot do both")
