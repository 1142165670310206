"""Rank statistics of many resamples at once, from tables of counts.

A resample is a vector of weights over rows. Every rank statistic depends on a resample only through the table of
counts *score level × rating level*, so one sparse product turns a block of resamples into a block of tables, and the
statistics of all of them are a few array operations. Exact when both vectors have few distinct values; otherwise
levels are merged into quantile bins so that a table keeps at most :data:`MAX_CELLS` cells, and whoever uses the result
recentres it on the exact point estimate (:mod:`f2teval.meta.bootstrap`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import sparse

from f2teval.meta.values import Floats, Ints

MAX_CELLS: Final = 8192
"""Cells of a table. Five rating levels leave some 1,600 score levels, two continuous vectors 90 × 90."""


def level_codes(v: Floats, most: int) -> tuple[Ints, int]:
    """Codes ``0 … k-1`` in order of value; neighbours share a bin of about equal count when there are over ``most``."""
    values, code, count = np.unique(v, return_inverse=True, return_counts=True)
    code = code.reshape(-1).astype(np.int64)
    if len(values) <= most:
        return code, len(values)
    middle = np.cumsum(count) - count / 2
    bins = np.minimum((middle / len(v) * most).astype(np.int64), most - 1)
    _, bins = np.unique(bins, return_inverse=True)
    bins = bins.reshape(-1)
    return bins[code].astype(np.int64), int(bins[-1]) + 1


def code_pair(x: Floats, y: Floats, cells: int = MAX_CELLS) -> tuple[Ints, int, Ints, int]:
    """Codes of both vectors such that the numbers of levels multiply to at most ``cells``: ``(cx, kx, cy, ky)``."""
    side = int(np.sqrt(cells))
    kx, ky = len(np.unique(x)), len(np.unique(y))
    if kx * ky <= cells:
        most_x, most_y = kx, ky
    elif ky <= side:
        most_x, most_y = cells // ky, ky
    elif kx <= side:
        most_x, most_y = kx, cells // kx
    else:
        most_x = most_y = side
    cx, nx = level_codes(x, most_x)
    cy, ny = level_codes(y, most_y)
    return cx, nx, cy, ny


def table_matrix(cx: Ints, cy: Ints, shape: tuple[int, int], cluster: Ints, clusters: int) -> sparse.csr_matrix:
    """Sparse (kx·ky, clusters): column c holds the table of cluster c's rows."""
    cell = cx * shape[1] + cy
    return sparse.csr_matrix((np.ones(len(cell)), (cell, cluster)), shape=(shape[0] * shape[1], clusters))


class Tables:
    """Tables of counts ``(rounds, kx, ky)``, and the statistics of each; NaN marks an undefined one."""

    def __init__(self, counts: Floats) -> None:
        self.counts = counts
        self.px: Floats = counts.sum(axis=2)
        self.py: Floats = counts.sum(axis=1)
        self.n: Floats = self.px.sum(axis=1)
        self._s: Floats | None = None

    def concordance(self) -> Floats:
        """Concordant minus discordant pairs, (rounds,)."""
        if self._s is None:
            # below[k, l]: how many rows lie in strictly lower score levels, by rating level.
            below = np.cumsum(self.counts, axis=1) - self.counts
            left = np.cumsum(below, axis=2)
            total = left[:, :, -1:]
            # concordant partners: strictly lower in both; discordant: lower in score, strictly higher in rating.
            balance = (left - below) - (total - left)
            self._s = np.einsum("rkl,rkl->r", self.counts, balance)
        return self._s

    def kendall_b(self) -> Floats:
        """τ-b, (rounds,)."""
        pairs = self.n * (self.n - 1) / 2
        tx = (self.px * (self.px - 1)).sum(axis=1) / 2
        ty = (self.py * (self.py - 1)).sum(axis=1) / 2
        return _ratio(self.concordance(), np.sqrt(np.maximum(pairs - tx, 0)) * np.sqrt(np.maximum(pairs - ty, 0)))

    def kendall_c(self) -> Floats:
        """τ-c, (rounds,)."""
        m = np.minimum((self.px > 0).sum(axis=1), (self.py > 0).sum(axis=1)).astype(np.float64)
        return _ratio(2 * m * self.concordance(), self.n**2 * (m - 1))

    def spearman(self) -> Floats:
        """ρ on midranks, (rounds,)."""
        rx, ry = _midranks(self.px), _midranks(self.py)
        rx -= (self.n[:, None] + 1) / 2
        ry -= (self.n[:, None] + 1) / 2
        cov = np.einsum("rk,rkl,rl->r", rx, self.counts, ry, optimize=True)
        vx, vy = (self.px * rx**2).sum(axis=1), (self.py * ry**2).sum(axis=1)
        return _ratio(cov, np.sqrt(vx) * np.sqrt(vy))

    def auc(self) -> Floats:
        """AUC, (rounds,); the tables must have two rating levels."""
        if self.counts.shape[2] != 2:
            return np.full(len(self.n), np.nan)
        return (_ratio(self.concordance(), self.py[:, 0] * self.py[:, 1]) + 1) / 2


def resampled_tables(matrix: sparse.csr_matrix, weights: Floats, shape: tuple[int, int]) -> Tables:
    """Tables of a block of resamples; ``weights`` is (rounds, clusters)."""
    flat = np.asarray(matrix @ np.ascontiguousarray(weights.T))
    return Tables(np.ascontiguousarray(flat.T).reshape(len(weights), *shape))


def _midranks(marginal: Floats) -> Floats:
    return np.cumsum(marginal, axis=1) - marginal + (marginal + 1) / 2


def _ratio(top: Floats, bottom: Floats) -> Floats:
    out = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return out
