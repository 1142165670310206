"""Names and topics, and the shapes that values take."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from random import Random
from typing import Any, Final

MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


SHAPES: Final = ("up", "down", "peak", "valley", "flat", "wander", "wander", "step_up", "step_down", "outlier")


@lru_cache(maxsize=1)
def library() -> dict[str, Any]:
    """Topics, pools of names, surveys, sources, causes."""
    text = resources.files("f2teval.bench").joinpath("data/topics.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def shape_values(rng: Random, n: int, lo: float, hi: float, shape: str) -> list[float]:
    """``n`` values in ``[lo, hi]`` of a shape of :data:`SHAPES` or "seasonal"."""
    span = hi - lo
    t = [i / max(1, n - 1) for i in range(n)]
    bend = rng.choice((0.6, 1.0, 1.0, 1.7, 2.6))
    mid = rng.uniform(0.25, 0.75)
    a, b = sorted((rng.uniform(0.02, 0.4), rng.uniform(0.6, 1.0)))
    if shape in ("up", "down"):
        base = [a + (b - a) * u**bend for u in t]
    elif shape in ("peak", "valley"):
        width = rng.uniform(0.15, 0.4)
        base = [a + (b - a) * math.exp(-(((u - mid) / width) ** 2)) for u in t]
    elif shape in ("step_up", "step_down"):
        base = [a + (b - a) / (1 + math.exp(-(u - mid) * 22)) for u in t]
    elif shape == "seasonal":
        phase = rng.uniform(0, 2 * math.pi)
        base = [(a + b) / 2 + (b - a) / 2 * math.sin(2 * math.pi * u + phase) for u in t]
    elif shape in ("flat", "outlier"):
        level = rng.uniform(0.25, 0.8)
        base = [level] * n
    else:
        level, base = rng.uniform(0.3, 0.7), []
        for _ in t:
            level = min(0.98, max(0.03, level + rng.gauss(0, 0.13)))
            base.append(level)
    if shape in ("down", "valley", "step_down"):
        base = [a + b - v for v in base]
    noise = rng.choice((0.004, 0.015, 0.04)) * (0.5 if shape == "flat" else 1.0)
    base = [v + rng.gauss(0, noise) for v in base]
    if shape == "outlier":
        k = rng.randrange(n)
        base[k] += rng.choice((-1, 1)) * rng.uniform(0.25, 0.45)
    return [lo + span * min(1.0, max(0.0, v)) for v in base]


def draw_window(rng: Random, t: dict[str, Any]) -> tuple[float, float]:
    """A sub-range of a topic's magnitudes: two entities rarely share the same axis."""
    lo, hi = float(t["lo"]), float(t["hi"])
    if t.get("signed"):
        mid = rng.uniform(0.3, 1.0)
        return lo * rng.uniform(0.2, 1.0), hi * mid
    top = math.exp(rng.uniform(math.log(lo + (hi - lo) * 0.08), math.log(hi)))
    return max(lo * 0.4, top * rng.uniform(0.02, 0.5)), top


def rounded(values: Sequence[float], dec: int) -> list[float]:
    return [round(v, dec) if dec else float(round(v)) for v in values]


def distinct(rng: Random, values: list[float], dec: int) -> list[float]:
    """Mostly without ties (an "at its highest in" needs one answer), sometimes with a wanted one."""
    step = 10.0**-dec
    seen: set[float] = set()
    out = []
    for v in values:
        v = round(v, dec)
        while v in seen:
            v = round(v + step, dec)
        seen.add(v)
        out.append(v)
    if len(out) > 4 and rng.random() < 0.06:
        order = sorted(range(len(out)), key=lambda i: out[i])
        i, j = order[len(out) // 2], order[len(out) // 2 - 1]
        out[j] = out[i]
    return out


def draw_years(rng: Random, n: int) -> list[int]:
    step = rng.choice((1, 1, 1, 1, 1, 2, 5)) if n < 14 else 1
    first = rng.randint(1985, 2021 - step * (n - 1)) if 2021 - step * (n - 1) > 1985 else 2021 - step * (n - 1)
    return [first + step * i for i in range(n)]


def pick(rng: Random, pool: str, n: int) -> list[str]:
    items = library()["pools"][pool]["items"]
    if library()["pools"][pool].get("ordered"):
        return list(items)
    return rng.sample(items, min(n, len(items)))


def arrange(rng: Random, cats: list[str], values: list[float], ordered: bool) -> tuple[list[str], list[float]]:
    if ordered:
        return cats, values
    how = rng.random()
    pairs = list(zip(cats, values))
    if how < 0.35:
        pairs.sort(key=lambda p: -p[1])
    elif how < 0.45:
        pairs.sort(key=lambda p: p[1])
    elif how < 0.7:
        pairs.sort()
    return [p[0] for p in pairs], [p[1] for p in pairs]
