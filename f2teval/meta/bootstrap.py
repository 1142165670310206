"""Seeded bootstrap over figures.

Texts about one figure are not independent, so whole figures are drawn, not rows. A round is a vector of weights over
figures; what a statistic needs of a figure (sums for Pearson, MAE and MSE; counts of cells for rank statistics) is
collected once, so a block of rounds is a matrix product. The same rounds serve every metric, which makes differences
between metrics paired. Intervals are percentile intervals, shifted by the distance between the exact point estimate
and the value of the same formula on binned levels (zero wherever nothing had to be binned).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

import numpy as np

from f2teval.meta import pairwise
from f2teval.meta.contingency import code_pair, resampled_tables, table_matrix
from f2teval.meta.correlation import statistic
from f2teval.meta.values import Cell, Floats, Ints, Stat

BLOCK: Final = 4_000_000
"""Weights held at once; bounds memory whatever the number of figures and rounds."""

PAIRS_IN_ROUNDS: Final = 20_000
"""Pairs used for the interval of the pairwise accuracy when rows are pooled (all of them up to 200 rows)."""


def resample_weights(clusters: int, rounds: int, seed: int) -> Iterator[Floats]:
    """Blocks (rounds_in_block, clusters) of how often each figure was drawn."""
    rng = np.random.default_rng(seed)
    size = max(1, min(rounds, BLOCK // max(clusters, 1), 256))
    for start in range(0, rounds, size):
        b = min(size, rounds - start)
        drawn = rng.integers(0, clusters, (b, clusters), dtype=np.int32).astype(np.int64)
        drawn += np.arange(b)[:, None] * clusters
        yield np.bincount(drawn.ravel(), minlength=b * clusters).reshape(b, clusters).astype(np.float64)


class Column(Protocol):
    """One metric on one dimension: point estimates, and the same statistics for blocks of resamples."""

    n: int

    def point(self, name: str) -> Stat: ...

    def resample(self, names: Sequence[str], weights: Floats) -> dict[str, Floats]: ...


class Pooled:
    """All rows together (averaging "none").

    Args:
        x, y: scores and ratings, (n,), finite.
        cluster: (n,) codes below ``clusters``.
        scale_reason: set when scores are not on the scale of the ratings: MAE and MSE are then undefined.
    """

    def __init__(
        self, x: Floats, y: Floats, cluster: Ints, clusters: int, *, scale_reason: str = "", seed: int = 0
    ) -> None:
        self.x, self.y, self.cluster, self.clusters = x, y, cluster, clusters
        self.n = len(x)
        self.scale_reason, self.seed = scale_reason, seed
        self._stats: dict[str, Stat] = {}
        self._sums: Floats | None = None
        self._tables: tuple | None = None
        self._pairs: tuple | None = None
        self.epsilon: float | None = None

    def point(self, name: str) -> Stat:
        if name not in self._stats:
            self._stats[name] = self._point(name)
        return self._stats[name]

    def _point(self, name: str) -> Stat:
        if name in ("mae", "mse") and self.scale_reason:
            return Stat(None, self.scale_reason)
        if name == "accuracy":
            if self.n < 2:
                return Stat(None, "no pairs to compare")
            found = pairwise.tie_calibrated(self.x, self.y, pairwise.all_pairs(self.n, seed=self.seed))
            self.epsilon = found.epsilon
            return found.stat
        return statistic(name, self.x, self.y)

    def resample(self, names: Sequence[str], weights: Floats) -> dict[str, Floats]:
        out: dict[str, Floats] = {}
        wanted = [n for n in names if self.point(n).value is not None]
        if {"pearson", "mae", "mse"} & set(wanted):
            out |= self._from_sums(weights)
        if {"spearman", "kendall_b", "kendall_c", "auc"} & set(wanted):
            matrix, shape, offset = self._table_parts(wanted)
            tables = resampled_tables(matrix, weights, shape)
            for name in offset:
                out[name] = getattr(tables, name)() + offset[name]
        if "accuracy" in wanted:
            out["accuracy"] = self._accuracy(weights)
        nan = np.full(len(weights), np.nan)
        return {name: out[name] if name in wanted else nan for name in names}

    def _from_sums(self, weights: Floats) -> dict[str, Floats]:
        if self._sums is None:
            # Centred and scaled first: sums of squares of raw values lose digits when the mean is far from 0.
            x, y = _scaled(self.x), _scaled(self.y)
            d = self.x - self.y
            parts = (np.ones(self.n), x, y, x * x, y * y, x * y, np.abs(d), d * d)
            self._sums = np.stack([np.bincount(self.cluster, p, self.clusters) for p in parts], axis=1)
        n, sx, sy, sxx, syy, sxy, sa, sd = (weights @ self._sums).T
        with np.errstate(divide="ignore", invalid="ignore"):
            vx, vy = n * sxx - sx * sx, n * syy - sy * sy
            flat = (vx <= 1e-12 * n * sxx) | (vy <= 1e-12 * n * syy) | (n < 1)
            r = np.where(flat, np.nan, (n * sxy - sx * sy) / np.sqrt(np.where(flat, 1.0, vx * vy)))
            return {"pearson": r, "mae": sa / n, "mse": sd / n}

    def _table_parts(self, wanted: Sequence[str]) -> tuple:
        if self._tables is None:
            cx, kx, cy, ky = code_pair(self.x, self.y)
            matrix = table_matrix(cx, cy, (kx, ky), self.cluster, self.clusters)
            whole = resampled_tables(matrix, np.ones((1, self.clusters)), (kx, ky))
            offset = {}
            for name in ("spearman", "kendall_b", "kendall_c", "auc"):
                exact = self.point(name).value if name in wanted else None
                if exact is not None:
                    offset[name] = exact - float(getattr(whole, name)()[0])
            self._tables = (matrix, (kx, ky), offset)
        return self._tables

    def _accuracy(self, weights: Floats) -> Floats:
        exact = self.point("accuracy").value
        if self._pairs is None:
            pairs = pairwise.all_pairs(self.n, PAIRS_IN_ROUNDS, self.seed + 1)
            found = pairwise.tie_calibrated(self.x, self.y, pairs, self.epsilon)
            ci, cj = self.cluster[pairs.i], self.cluster[pairs.j]
            self._pairs = (ci, cj, found.right.astype(np.float64), (exact or 0.0) - float(found.right.mean()))
        ci, cj, right, offset = self._pairs
        # Figures first: a pair then reads two runs of memory instead of two scattered values a round.
        by_figure = np.ascontiguousarray(weights.T)
        w = by_figure[ci] * by_figure[cj]
        total = w.sum(axis=0)
        shares: Floats = np.where(total > 0, right @ w / np.where(total > 0, total, 1), np.nan) + offset
        return shares


def _scaled(v: Floats) -> Floats:
    c: Floats = v - v.mean()
    top = float(np.max(np.abs(c))) if len(c) else 0.0
    return c / top if top > 0 else c


class Averaged:
    """The mean of a statistic over parts, each computed on its own; parts where it is undefined are left out.

    "By system" has a :class:`Pooled` column a system. People have a column a rater, weighted by how much each rated.
    """

    def __init__(self, parts: Sequence[Column], what: str, *, weighted: bool = False) -> None:
        self.parts, self.what = list(parts), what
        self.n = sum(p.n for p in self.parts)
        self._weights = np.array([float(p.n) if weighted else 1.0 for p in self.parts])

    def point(self, name: str) -> Stat:
        found = [p.point(name) for p in self.parts]
        known = [(s.value, w) for s, w in zip(found, self._weights) if s.value is not None]
        if not known:
            reasons = sorted({s.reason for s in found})
            return Stat(None, f"undefined in every {self.what}: {reasons[0] if reasons else 'no rows'}")
        return Stat(float(np.average([v for v, _ in known], weights=[w for _, w in known])))

    def resample(self, names: Sequence[str], weights: Floats) -> dict[str, Floats]:
        blocks = [p.resample(names, weights) for p in self.parts]
        if not blocks:
            return {name: np.full(len(weights), np.nan) for name in names}
        return {name: _nanmean(np.stack([b[name] for b in blocks]), self._weights) for name in names}


class ByItem:
    """The mean over figures of a statistic computed among each figure's texts.

    Figures with the same number of texts are computed together, so thousands of small figures cost a few array
    operations. A resample is a weighted mean of the figures' values.
    """

    def __init__(
        self, x: Floats, y: Floats, cluster: Ints, clusters: int, *, scale_reason: str = "", seed: int = 0
    ) -> None:
        from f2teval.meta.grouped import grouped_statistics

        self.n = len(x)
        self.clusters = clusters
        self._values, self.epsilon = grouped_statistics(x, y, cluster, clusters)
        if scale_reason:
            self._values["mae"] = self._values["mse"] = np.full(clusters, np.nan)
        self._scale_reason = scale_reason

    def point(self, name: str) -> Stat:
        v = self._values[name]
        defined = v[~np.isnan(v)]
        if len(defined):
            return Stat(float(defined.mean()))
        if name in ("mae", "mse") and self._scale_reason:
            return Stat(None, self._scale_reason)
        return Stat(None, "undefined in every figure: too few texts about one figure, or all tied")

    def values(self, name: str) -> Floats:
        """The statistic in each figure, NaN where undefined."""
        return self._values[name]

    def resample(self, names: Sequence[str], weights: Floats) -> dict[str, Floats]:
        out = {}
        for name in names:
            v = self._values[name]
            ok = ~np.isnan(v)
            total = weights @ ok.astype(np.float64)
            top = weights @ np.where(ok, v, 0.0)
            out[name] = np.where(total > 0, top / np.where(total > 0, total, 1), np.nan)
        return out


def _nanmean(a: Floats, weights: Floats) -> Floats:
    ok = ~np.isnan(a)
    total = weights @ ok.astype(np.float64)
    mean: Floats = np.where(total > 0, weights @ np.where(ok, a, 0.0) / np.where(total > 0, total, 1.0), np.nan)
    return mean


def distributions(
    columns: Mapping[str, Column], names: Sequence[str], clusters: int, *, rounds: int, seed: int
) -> dict[str, dict[str, Floats]]:
    """column → statistic → its value in each round, (rounds,); the rounds are the same for all columns."""
    blocks: dict[str, dict[str, list[Floats]]] = {c: {n: [] for n in names} for c in columns}
    for weights in resample_weights(clusters, rounds, seed):
        for key, column in columns.items():
            for name, values in column.resample(names, weights).items():
                blocks[key][name].append(values)
    empty = np.empty(0)
    return {c: {n: np.concatenate(v) if v else empty for n, v in by.items()} for c, by in blocks.items()}


def interval(values: Floats, level: float = 0.95) -> tuple[float | None, float | None]:
    """Percentile interval of a bootstrap distribution; ``(None, None)`` when over half of the rounds are undefined."""
    ok = values[~np.isnan(values)]
    if len(ok) < 2 or len(ok) * 2 < len(values):
        return None, None
    low, high = np.quantile(ok, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def cell(stat: Stat, n: int, values: Floats | None = None, *, level: float = 0.95) -> Cell:
    """A table cell of a point estimate and its bootstrap distribution."""
    if stat.value is None:
        return Cell(None, n=n, reason=stat.reason)
    low, high = interval(values, level) if values is not None else (None, None)
    return Cell(stat.value, low, high, n)
