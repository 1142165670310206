"""A number of a text against a value of the figure: units, scales, hedges and how exactly the value can be known."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from f2teval.claims.claim import Quantity
from f2teval.claims.index import FigureIndex

_AXIS_SHARE: Final = 0.008  # of the value axis: how well people read a value that is not printed
_HEDGE_SHARE: Final = 0.05  # of a hedged number: how far "about 50" reaches


class Sense(NamedTuple):
    """One meaning of a number in the figure's own unit. ``factor`` turns the written value into it; ``trust`` is how
    likely that meaning is."""

    value: float
    factor: float
    trust: float


class Fit(NamedTuple):
    """How a number fits a value: ``gap`` in tolerances (0 = on it, > 1 = outside), the sense that fits best."""

    gap: float
    sense: Sense
    tolerance: float


def senses(q: Quantity, index: FigureIndex) -> list[Sense]:
    """What a written number may mean in the figure's unit, likeliest first."""
    v = q.value
    scale = index.reading.scale or 1.0
    if q.kind == "fraction":
        if index.fraction:
            return [Sense(v, 1.0, 0.9)]
        return [Sense(100 * v, 100.0, 0.9 if index.percent else 0.6)]
    if q.unit in {"%", "pp"}:
        if index.fraction:
            found = [Sense(v / 100, 0.01, 0.9)]
            if abs(v) <= 1.6:
                found.append(Sense(v, 1.0, 0.6))
            return found
        return [Sense(v, 1.0, 1.0 if index.percent or not index.reading.unit else 0.7)]
    found = [Sense(v / scale, 1.0 / scale, 1.0)]
    if scale != 1.0 and q.scale == 1.0:
        found.append(Sense(v, 1.0, 0.8))
    if index.fraction and 1.6 < abs(v) <= 100 and q.scale == 1.0:
        found.append(Sense(v / 100, 0.01, 0.7))
    if index.percent and 0 < abs(v) < 1 and q.scale == 1.0:
        found.append(Sense(v * 100, 100.0, 0.8))
    if scale == 1.0 and q.scale > 1.0:
        found.append(Sense(v / q.scale, 1.0 / q.scale, 0.8 if _says_scale(index) else 0.6))
    if scale == 1.0 and q.scale == 1.0 and abs(v) >= 10_000 and index.span and index.span[1] < 0.01 * abs(v):
        # The axis may count in thousands or millions without our having read so.
        found += [Sense(v / k, 1 / k, 0.4) for k in (1e3, 1e6, 1e9) if abs(v) >= k]
    if scale > 1.0 and 1.0 < q.scale != scale:
        found.append(Sense(v / q.scale, 1.0 / q.scale, 0.4))
    return found


def _says_scale(index: FigureIndex) -> bool:
    return bool(index.words & {"million", "billion", "thousand", "trillion", "bn", "mn"})


def rounding(q: Quantity) -> float:
    """Half of the place a number is rounded to: 2,200,000 → 50,000; 48.5 → 0.05; at most a tenth of it."""
    mantissa = abs(q.value / q.scale)
    if mantissa != int(mantissa) or mantissa < 10:
        return q.precision
    place = 1.0
    m = int(mantissa)
    while m % 10 == 0 and m:
        m //= 10
        place *= 10
    return max(q.precision, min(0.5 * place * q.scale, 0.1 * abs(q.value)))


def fit(q: Quantity, seen: float, tolerance: float, index: FigureIndex, *, printed: bool) -> Fit:
    """The best fit of ``q`` to a value ``seen`` known to within ``tolerance`` (in the figure's unit)."""
    best: Fit | None = None
    for sense in senses(q, index):
        f = _fit_one(q, sense, seen, tolerance, index, printed)
        # A less likely meaning has to fit clearly better.
        if best is None or f.gap * (2 - sense.trust) < best.gap * (2 - best.sense.trust):
            best = f
    assert best is not None
    return best


def _fit_one(q: Quantity, sense: Sense, seen: float, tolerance: float, index: FigureIndex, printed: bool) -> Fit:
    factor = abs(sense.factor)
    size = abs(sense.value)
    extent = (index.span[1] - index.span[0]) if index.span else abs(seen)
    if printed:
        tol = max(tolerance, q.precision * factor)
        hedge = max(_HEDGE_SHARE * size, rounding(q) * factor) if q.approximate else 0.0
    else:
        # What no label prints is read by eye: within the measure, the place it is rounded to, a sliver of the axis.
        tol = max(tolerance, _AXIS_SHARE * extent) + min(0.5 * max(rounding(q), q.precision) * factor, 0.04 * size)
        hedge = 0.035 * size + 0.5 * _AXIS_SHARE * extent if q.approximate else 0.0
    if q.kind == "fraction":
        tol = max(tol, 3.0 if factor == 100.0 else 0.03)
    tol = max(tol, 1e-12, 1e-9 * abs(seen))
    distance = seen - sense.value
    if not q.bound:
        tol += hedge
        return Fit(abs(distance) / tol, sense, tol)
    outward = distance if q.bound == "lower" else -distance
    if outward < 0:
        tol += 0.3 * hedge if q.near else 0.0
        return Fit(-outward / tol, sense, tol)
    if q.near or sense.trust < 0.5:
        return Fit(max(0.0, outward - tol) / (hedge + 0.5 * tol), sense, tol + hedge)
    # "over 50": true of anything above; of a value far off it is true and says little, so that is no finding.
    far = outward / max(size, 0.1 * extent, 1e-12)
    return Fit(min(1.4, 0.8 * far), sense, tol)


def support(gap: float) -> float:
    """How sure a fit is: 1 on the value, 0.45 at the edge of the tolerance."""
    return max(0.0, 1.0 - 0.55 * gap) if gap <= 1.0 else 0.0


def against(gap: float) -> float:
    """How sure a misfit is: 0 up to one and a half tolerances, towards 1 far outside."""
    return 0.0 if gap <= 1.5 else 1.0 - 0.6 * math.exp(-(gap - 1.5) / 1.5)
