"""Flickr8k-CF (CrowdFlower judgements): the share of workers who say that a caption fits.

UNVERIFIED: expected in the same JSON form as :mod:`f2teval.data.sets.flickr8k_expert`, which it is distributed
with; its own file was not seen. Published numbers are τ-b.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from f2teval.data.sets.base import RatingSet, native_file
from f2teval.data.sets.flickr8k_expert import load_flickr


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``overall`` 0–1."""
    file = native_file(path, "crowdflower_flickr8k.json", "*crowdflower*.json", "*cf*.json")
    return load_flickr(file, fields, "flickr8k-cf", (0, 1), "mean", "kendall_b")
