"""Polaris (Wada et al. 2024), and Polaris-exp: the form of :mod:`f2teval.data.sets.nebula`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from f2teval.data.sets.base import RatingSet, native_file
from f2teval.data.sets.nebula import load_means


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``overall`` 0–1 (the published mean)."""
    return load_means(
        native_file(path, "polaris*.json*", "polaris*.csv", "*.json", "*.csv", "*.parquet"), fields, "polaris"
    )
