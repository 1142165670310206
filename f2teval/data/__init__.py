"""Formats in and out: samples from files, scores to files. Nothing is ever loaded whole."""

from __future__ import annotations

from f2teval.data.fields import BadRow, to_sample
from f2teval.data.samples import SampleReader, read_samples

__all__ = ["BadRow", "SampleReader", "read_samples", "to_sample"]
