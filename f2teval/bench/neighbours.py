"""Nearest texts by vector search: TF-IDF of words, word pairs and character trigrams, hashed to a fixed width.

Needs no download. The search is exact (inner product of unit vectors): faiss where it is installed, numpy otherwise,
with the same neighbours.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

WIDTH = 2048
_TOKEN = re.compile(r"\w+")


def vectors(texts: Sequence[str], width: int = WIDTH) -> npt.NDArray[np.float32]:
    """Unit vectors ``(len(texts), width)``; a text without words is all zeros."""
    out = np.zeros((len(texts), width), np.float32)
    for row, text in zip(out, texts):
        words = _TOKEN.findall(text[:20_000].lower())
        grams = [*words, *(f"{a} {b}" for a, b in pairwise(words))]
        grams += [f"#{w[i : i + 3]}" for w in words for i in range(len(w) - 2)]
        for g in grams:
            h = zlib.crc32(g.encode())
            row[h % width] += 1.0 if h & 0x80000000 else -1.0
    np.sign(out, out=out, where=np.abs(out) <= 1)
    out = np.sign(out) * np.log1p(np.abs(out))
    df = (out != 0).sum(0)
    out *= np.log((1 + len(texts)) / (1 + df)).astype(np.float32) + 1
    norm = np.linalg.norm(out, axis=1, keepdims=True)
    return (out / np.where(norm > 0, norm, 1)).astype(np.float32)


def nearest(base: npt.NDArray[np.float32], k: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """For each row its ``k`` most similar rows (itself among them): similarities and indices, best first."""
    k = min(k, len(base))
    try:
        import faiss

        index = faiss.IndexFlatIP(base.shape[1])
        index.add(np.ascontiguousarray(base))
        sims, ids = index.search(np.ascontiguousarray(base), k)
        return sims, ids.astype(np.int64)
    except ImportError:
        return _blocks(base, k)


def _blocks(base: npt.NDArray[np.float32], k: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    sims = np.empty((len(base), k), np.float32)
    ids = np.empty((len(base), k), np.int64)
    for a in range(0, len(base), 512):
        block = base[a : a + 512] @ base.T
        top = np.argsort(-block, axis=1, kind="stable")[:, :k]
        ids[a : a + 512] = top
        sims[a : a + 512] = np.take_along_axis(block, top, 1)
    return sims, ids
