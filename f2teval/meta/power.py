"""How many ratings does it take to tell two metrics apart?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats

from f2teval.meta.values import Floats


class Power(NamedTuple):
    """What a number of rows can tell apart.

    ``spread`` is the standard deviation of the difference of two metrics' agreements at ``n`` rows, ``paired`` whether
    it was measured on two metrics (else it is the bound √2 × one metric's, as if they were unrelated).
    """

    statistic: str
    n: int
    spread: float
    paired: bool
    power: float
    alpha: float

    def detectable(self, n: int) -> float:
        """Smallest true difference found with the stated power at ``n`` rows: (z₁₋α⸝₂ + z_power) · spread · √(n₀/n)."""
        z = float(stats.norm.ppf(1 - self.alpha / 2) + stats.norm.ppf(self.power))
        return z * self.spread * math.sqrt(self.n / n)

    def needed(self, difference: float) -> int:
        """Rows needed to find ``difference`` with the stated power."""
        z = float(stats.norm.ppf(1 - self.alpha / 2) + stats.norm.ppf(self.power))
        return math.ceil(self.n * (z * self.spread / difference) ** 2)


def estimate(
    statistic: str, distributions: list[Floats], n: int, *, power: float = 0.8, alpha: float = 0.05
) -> Power | None:
    """A power estimate from bootstrap distributions over the same rounds, one a metric; ``None`` if none is usable.

    With two or more metrics the spread is the median over pairs of the standard deviation of their difference.
    """
    usable = [d for d in distributions if len(d) and np.isnan(d).mean() < 0.5]
    if not usable or n < 3:
        return None
    if len(usable) == 1:
        spread, paired = math.sqrt(2) * float(np.nanstd(usable[0])), False
    else:
        pairs = [float(np.nanstd(a - b)) for i, a in enumerate(usable) for b in usable[i + 1 :]]
        spread, paired = float(np.median(pairs)), True
    if not spread > 0:
        return None
    return Power(statistic, n, spread, paired, power, alpha)
