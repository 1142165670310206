"""Scorecard: an additive model one can read, as a lookup table a feature.

``raw(x) = intercept + Σ_j points_j[bin_j(x_j)]`` with ``bin_j`` given by sorted edges (a value on an edge falls to the
right) and a point of its own for a missing value (NaN). ``raw`` goes through a calibration ``a·raw + b`` and a link:
logistic for a probability, clipped identity for a score in [0, 2]. Every prediction is therefore a sum of named parts,
which is what an output shows when it says why.

Stored as JSON that people can read and edit; nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from f2teval.errors import CheckpointError

FORMAT = 1
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """One feature's table: ``len(points) == len(edges) + 1``; ``missing`` is used for NaN.

    ``sign`` is the monotone direction it was fitted under (+1, -1, or 0 for none).
    """

    feature: str
    edges: tuple[float, ...]
    points: tuple[float, ...]
    missing: float = 0.0
    sign: int = 0


@dataclass(frozen=True)
class Scorecard:
    """An additive model over named features.

    Attributes:
        target: what it predicts ("p_error", "completeness" …).
        link: "logit" gives [0, 1]; "score" is clipped to [0, 2].
        scale, shift: calibration of the raw sum.
        about: how it was fitted: data, rows, date, cross-validated figures. Read by people only.
    """

    target: str
    link: Literal["logit", "score"]
    intercept: float
    terms: tuple[Term, ...]
    scale: float = 1.0
    shift: float = 0.0
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Names of the features it reads."""
        return tuple(t.feature for t in self.terms)

    def contributions(self, x: Array) -> Array:
        """Points of each feature for rows ``x`` of shape (n, len(features)); same shape; calibrated units."""
        out = np.empty(x.shape)
        for j, (edges, points) in enumerate(self._tables()):
            column = x[:, j]
            index = np.searchsorted(edges, column, side="right")
            index[np.isnan(column)] = len(points) - 1
            out[:, j] = points[index]
        return out * self.scale

    def predict(self, x: Array) -> Array:
        """Predictions for rows ``x`` of shape (n, len(features)): (n,), in [0, 1] or [0, 2]."""
        if len(x) == 0:
            return np.zeros(0)
        raw = self.contributions(x).sum(axis=1) + self.base
        if self.link == "logit":
            return np.asarray(1.0 / (1.0 + np.exp(-raw)))
        return np.asarray(np.clip(raw, 0.0, 2.0))

    @property
    def base(self) -> float:
        """What a row with no points at all gets, before the link."""
        return self.intercept * self.scale + self.shift

    def matrix(self, rows: Sequence[Mapping[str, float]]) -> Array:
        """Feature dicts as an (n, F) matrix; a feature a row lacks is missing (NaN)."""
        names = self.features
        nan = float("nan")
        return np.array([[row.get(name, nan) for name in names] for row in rows], dtype=float).reshape(
            len(rows), len(names)
        )

    def _tables(self) -> list[tuple[Array, Array]]:
        tables = self.__dict__.get("_cache")
        if tables is None:
            tables = [
                (np.array(t.edges, dtype=float), np.array([*t.points, t.missing], dtype=float)) for t in self.terms
            ]
            object.__setattr__(self, "_cache", tables)
        return tables  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Readable JSON, stable byte for byte."""
        data = {
            "format": FORMAT,
            "target": self.target,
            "link": self.link,
            "intercept": round(self.intercept, 5),
            "scale": round(self.scale, 5),
            "shift": round(self.shift, 5),
            "about": dict(self.about),
            "terms": [
                {
                    "feature": t.feature,
                    "sign": t.sign,
                    "edges": [round(e, 5) for e in t.edges],
                    "points": [round(p, 5) for p in t.points],
                    "missing": round(t.missing, 5),
                }
                for t in self.terms
            ],
        }
        head = json.dumps({k: v for k, v in data.items() if k != "terms"}, indent=1)
        terms = ",\n  ".join(json.dumps(t) for t in data["terms"])  # type: ignore[attr-defined]
        return head[:-2] + ',\n "terms": [\n  ' + terms + "\n ]\n}\n"

    @classmethod
    def from_json(cls, text: str, where: str = "scorecard") -> Scorecard:
        """Inverse of :meth:`to_json`. Raises :class:`CheckpointError` saying what is wrong with the file."""
        try:
            data = json.loads(text)
            if data.get("format") != FORMAT:
                raise CheckpointError(f"{where}: scorecard format {data.get('format')!r}, this version reads {FORMAT}")
            terms = tuple(
                Term(
                    t["feature"],
                    tuple(map(float, t["edges"])),
                    tuple(map(float, t["points"])),
                    float(t["missing"]),
                    int(t["sign"]),
                )
                for t in data["terms"]
            )
            for t in terms:
                if len(t.points) != len(t.edges) + 1 or list(t.edges) != sorted(t.edges):
                    raise CheckpointError(f"{where}: the table of feature {t.feature!r} is malformed")
            if data["link"] not in ("logit", "score"):
                raise CheckpointError(f"{where}: unknown link {data['link']!r}")
            return cls(
                target=data["target"],
                link=data["link"],
                intercept=float(data["intercept"]),
                terms=terms,
                scale=float(data["scale"]),
                shift=float(data["shift"]),
                about=data.get("about", {}),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            raise CheckpointError(f"{where}: not a scorecard ({type(e).__name__}: {e})") from e

    @classmethod
    def load(cls, path: Path) -> Scorecard:
        """Read a scorecard file."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise CheckpointError(f"{path}: cannot be read ({e})") from e
        return cls.from_json(text, str(path))

    @property
    def digest(self) -> str:
        """Short hash of everything that changes a prediction."""
        body = repr((self.target, self.link, self.intercept, self.scale, self.shift, self.terms))
        return hashlib.blake2b(body.encode(), digest_size=5).hexdigest()
