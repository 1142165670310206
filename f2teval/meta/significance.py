"""Is one metric's agreement with people really larger than another's?

Three tests of the difference of two agreements with the same ratings:

- PERM-BOTH (Deutsch, Dror and Roth 2021): both metrics are standardised, then for each row a coin decides whether
  their scores are exchanged; p is the share of exchanges with a difference at least as large as the one seen.
- Williams' test (Williams 1959; Graham and Baldwin 2014): a t test for two dependent Pearson correlations.
- Paired bootstrap: where the differences over the same resamples of figures lie relative to zero.

Several comparisons are corrected after Holm (1979) and shown as letters: metrics that share one are not told apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from f2teval.errors import UsageError
from f2teval.meta.contingency import Tables, code_pair, table_matrix
from f2teval.meta.correlation import statistic
from f2teval.meta.values import Floats, Ints

BLOCK: Final = 4_000_000
_RANKS: Final = ("spearman", "kendall_b", "kendall_c", "auc")


class Comparison(NamedTuple):
    """A test of ``agreement(a) - agreement(b)``; ``p`` is two-sided and ``None`` where ``reason`` says why."""

    delta: float | None
    p: float | None
    method: str
    n: int = 0
    reason: str = ""


def perm_both(a: Floats, b: Floats, y: Floats, name: str, *, rounds: int = 1000, seed: int = 0) -> Comparison:
    """PERM-BOTH for the statistic ``name`` of scores ``a`` and ``b``, (n,), against ratings ``y``.

    MAE and MSE are compared on the scores as they are; correlations on standardised scores, since an exchange makes
    sense only on one scale. Ties between drawn and seen count as "at least as large"; p is never below 1/(rounds+1).
    """
    method, n = "PERM-BOTH", len(y)
    sa, sb = statistic(name, a, y), statistic(name, b, y)
    if sa.value is None or sb.value is None:
        return Comparison(None, None, method, n, sa.reason or sb.reason)
    delta = sa.value - sb.value
    if name in ("mae", "mse"):
        drawn = np.concatenate(list(_errors(a, b, y, name, rounds, seed)))
        seen = delta
    else:
        za, zb = _z(a), _z(b)
        if name == "pearson":
            drawn = np.concatenate(list(_pearson_rounds(za, zb, y, rounds, seed)))
            seen = delta
        elif name in _RANKS:
            drawn, seen = _rank_rounds(za, zb, y, name, rounds, seed)
        else:
            raise UsageError(f"PERM-BOTH is not defined here for {name!r}; use the paired bootstrap")
    return Comparison(delta, _p(drawn, seen), method, n)


def perm_inputs(values_a: Floats, values_b: Floats, *, rounds: int = 1000, seed: int = 0) -> Comparison:
    """PERM-INPUTS: exchange whole figures. ``values_*`` hold a statistic for each figure, NaN where undefined."""
    ok = ~(np.isnan(values_a) | np.isnan(values_b))
    d = values_a[ok] - values_b[ok]
    if len(d) < 2:
        return Comparison(None, None, "PERM-INPUTS", len(d), "fewer than 2 figures define both")
    drawn = np.concatenate([(1 - 2 * m) @ d / len(d) for m in _coins(len(d), rounds, seed)])
    delta = float(d.mean())
    return Comparison(delta, _p(drawn, delta), "PERM-INPUTS", len(d))


def williams(r_ay: float, r_by: float, r_ab: float, n: int) -> Comparison:
    """Williams' test that two Pearson correlations with the same ratings are equal (two-sided).

    With K = 1 - r_ay² - r_by² - r_ab² + 2 r_ay r_by r_ab::

        t = (r_ay - r_by) √( (n-1)(1+r_ab) / (2K (n-1)/(n-3) + (r_ay+r_by)²/4 · (1-r_ab)³) ),   n-3 degrees of freedom
    """
    if n <= 3:
        return Comparison(r_ay - r_by, None, "Williams", n, f"{n} rows; Williams' test needs 4")
    k = 1 - r_ay**2 - r_by**2 - r_ab**2 + 2 * r_ay * r_by * r_ab
    bottom = 2 * k * (n - 1) / (n - 3) + (r_ay + r_by) ** 2 / 4 * (1 - r_ab) ** 3
    if bottom <= 1e-15:
        return Comparison(r_ay - r_by, 1.0 if r_ay == r_by else None, "Williams", n,
                          "" if r_ay == r_by else "the two metrics are linear functions of each other")  # fmt: skip
    t = (r_ay - r_by) * math.sqrt((n - 1) * (1 + r_ab) / bottom)
    return Comparison(r_ay - r_by, float(2 * stats.t.sf(abs(t), n - 3)), "Williams", n)


def paired_bootstrap(delta: float, da: Floats, db: Floats, n: int) -> Comparison:
    """Two-sided p from two distributions over the same rounds: twice the smaller share of differences beyond zero."""
    d = da - db
    d = d[~np.isnan(d)]
    if len(d) < 2:
        return Comparison(delta, None, "paired bootstrap", n, "undefined in the resamples")
    below, above = int((d <= 0).sum()), int((d >= 0).sum())
    return Comparison(delta, min(1.0, 2 * (min(below, above) + 1) / (len(d) + 1)), "paired bootstrap", n)


def _p(drawn: Floats, seen: float) -> float:
    ok = drawn[~np.isnan(drawn)]
    return float((1 + np.sum(np.abs(ok) >= abs(seen) - 1e-12)) / (len(ok) + 1))


def _coins(n: int, rounds: int, seed: int) -> Iterator[Floats]:
    rng = np.random.default_rng(seed)
    size = max(1, min(rounds, BLOCK // max(n, 1)))
    for start in range(0, rounds, size):
        b = min(size, rounds - start)
        bits = np.unpackbits(rng.integers(0, 256, (b, (n + 7) // 8), dtype=np.uint8), axis=1)
        yield bits[:, :n].astype(np.float64)


def _z(v: Floats) -> Floats:
    out: Floats = (v - v.mean()) / v.std()
    return out


def _errors(a: Floats, b: Floats, y: Floats, name: str, rounds: int, seed: int) -> Iterator[Floats]:
    ea, eb = (np.abs(a - y), np.abs(b - y)) if name == "mae" else ((a - y) ** 2, (b - y) ** 2)
    d = (ea - eb) / len(y)
    for m in _coins(len(y), rounds, seed):
        yield (1 - 2 * m) @ d


def _pearson_rounds(a: Floats, b: Floats, y: Floats, rounds: int, seed: int) -> Iterator[Floats]:
    n = len(y)
    yc = _z(y)
    base = np.array([(a.sum(), (a * a).sum(), a @ yc), (b.sum(), (b * b).sum(), b @ yc)])
    move = np.stack([b - a, b * b - a * a, (b - a) * yc], axis=1)
    for m in _coins(n, rounds, seed):
        change = m @ move
        r = []
        for sums in (base[0] + change, base[1] - change):
            var = n * sums[:, 1] - sums[:, 0] ** 2
            r.append(np.where(var > 1e-12, n * sums[:, 2] / np.sqrt(np.where(var > 1e-12, var, 1.0) * n * n), np.nan))
        yield r[0] - r[1]


def _rank_rounds(a: Floats, b: Floats, y: Floats, name: str, rounds: int, seed: int) -> tuple[Floats, float]:
    """Differences in each round, and the one seen, both on tables (so that binning affects them alike)."""
    n = len(y)
    both, kx, cy, ky = code_pair(np.concatenate([a, b]), np.concatenate([y, y]))
    rows: Ints = np.arange(n)
    ma = table_matrix(both[:n], cy[:n], (kx, ky), rows, n)
    mb = table_matrix(both[n:], cy[n:], (kx, ky), rows, n)

    def differences(m: Floats) -> Floats:
        keep, swap = np.ascontiguousarray(1 - m.T), np.ascontiguousarray(m.T)
        first = np.asarray(ma @ keep + mb @ swap).T.reshape(-1, kx, ky)
        second = np.asarray(ma @ swap + mb @ keep).T.reshape(-1, kx, ky)
        d: Floats = getattr(Tables(first), name)() - getattr(Tables(second), name)()
        return d

    seen = float(differences(np.zeros((1, n)))[0])
    cap = max(1, BLOCK // (kx * ky))
    drawn = [differences(m[i : i + cap]) for m in _coins(n, rounds, seed) for i in range(0, len(m), cap)]
    return np.concatenate(drawn), seen


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment, in the order given; ``None`` stays ``None`` and is not counted."""
    known = sorted((v, i) for i, v in enumerate(p) if v is not None)
    out: list[float | None] = [None] * len(p)
    worst = 0.0
    for rank, (v, i) in enumerate(known):
        worst = max(worst, min(1.0, v * (len(known) - rank)))
        out[i] = worst
    return out


def letter_groups(order: Sequence[str], different: Mapping[tuple[str, str], bool]) -> dict[str, str]:
    """Compact letters (Piepho 2004): two names share a letter exactly when they are *not* told apart.

    Args:
        order: names, best first; "a" goes to the group of the best.
        different: ``(name, name)`` in either order → told apart; absent pairs are not told apart.
    """

    def apart(p: str, q: str) -> bool:
        return different.get((p, q), different.get((q, p), False))

    groups: list[set[str]] = [set(order)]
    for i, p in enumerate(order):
        for q in order[i + 1 :]:
            if not apart(p, q):
                continue
            split: list[set[str]] = []
            for g in groups:
                split += [g - {p}, g - {q}] if p in g and q in g else [g]
            # absorb: a group inside another says nothing new.
            groups = []
            for g in sorted(split, key=len, reverse=True):
                if g and not any(g <= kept for kept in groups):
                    groups.append(g)
    place = {name: i for i, name in enumerate(order)}
    groups.sort(key=lambda g: sorted(place[n] for n in g))
    return {name: "".join(_letter(i) for i, g in enumerate(groups) if name in g) for name in order}


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"({i + 1})"
