"""Scores of any metric as columns: from files of score rows, or any table with an id and numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from f2teval.data.rows import read_rows
from f2teval.errors import InputError
from f2teval.rubric import DIMENSION_NAMES, overall

NO_ROW: Final = "no row in the score file"
_SENTENCES: Final = ("sentence_product", "sentence_min")
"""Columns made from sentences: the product, and the smallest, of the sentences' chances of being right."""


@dataclass(slots=True)
class MetricScores:
    """What one metric said.

    Attributes:
        columns: column → id → number. Columns are dimensions, "overall" (the metric's one number), and where sentences
            were judged ``sentence_product`` and ``sentence_min``.
        unscored: id → reason.
        sentences: id → ``(start, end, p_error)`` of each judged sentence.
        seconds: time the metric spent on its rows, as it says itself.
    """

    name: str
    signature: str = ""
    columns: dict[str, dict[str, float]] = field(default_factory=dict)
    unscored: dict[str, str] = field(default_factory=dict)
    sentences: dict[str, list[tuple[int, int, float]]] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)
    seconds: float | None = None
    seen: set[str] = field(default_factory=set)
    repeated: list[str] = field(default_factory=list)

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in one row as :meth:`f2teval.score.Score.to_row` writes it."""
        key = str(row["id"])
        if key in self.seen:
            self.repeated.append(key)
            return
        self.seen.add(key)
        if row.get("system"):
            self.systems[key] = str(row["system"])
        ms = row.get("elapsed_ms")
        if isinstance(ms, (int, float)):
            self.seconds = (self.seconds or 0.0) + ms / 1000
        if row.get("status", "ok") == "unscored":
            self.unscored[key] = str(row.get("reason") or "unscored")
            return
        scores = row.get("scores") or {}
        for d, v in scores.items():
            self._put(d, key, v)
        whole = row.get("overall")
        if whole is None:
            whole = overall({d: scores.get(d) for d in DIMENSION_NAMES}) if scores else row.get("value")
        if whole is None and not scores:
            self.unscored[key] = "a row without a number"
            return
        self._put("overall", key, whole)
        self._sentences(key, row.get("sentences") or ())

    def _put(self, column: str, key: str, value: Any) -> None:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            self.columns.setdefault(column, {})[key] = float(value)

    def _sentences(self, key: str, sentences: Sequence[Mapping[str, Any]]) -> None:
        judged = [(int(s["start"]), int(s["end"]), float(s["p_error"])) for s in sentences if _judged(s)]
        if not judged:
            return
        self.sentences[key] = judged
        if len(judged) == len(sentences):
            right = [1 - p for _, _, p in judged]
            self._put("sentence_product", key, math.prod(right))
            self._put("sentence_min", key, min(right))


def _judged(s: Mapping[str, Any]) -> bool:
    return s.get("p_error") is not None and "start" in s and "end" in s


def read_metrics(paths: Sequence[Path]) -> list[MetricScores]:
    """Every metric in the files, in order. Two files with one metric are told apart by the files' names.

    Raises:
        InputError: a file that cannot be read, holds no scores, or repeats ids within a metric (says how many).
    """
    out: list[MetricScores] = []
    for path in paths:
        found = _read(path)
        if not found:
            raise InputError("no scores in it", where=str(path), hint="expected id and numbers in each row")
        for m in found:
            if m.repeated:
                raise InputError(
                    f"{m.name}: {len(m.repeated)} rows repeat an id, e.g. {', '.join(m.repeated[:3])}",
                    where=str(path),
                    hint="one row a text and metric; score systems into ids or files of their own",
                )
        taken = {m.name for m in out}
        for m in found:
            if m.name in taken:
                m.name = f"{m.name} ({path.stem})"
            while m.name in taken:
                m.name += "'"
            taken.add(m.name)
            out.append(m)
    return out


def _read(path: Path) -> list[MetricScores]:
    metrics: dict[str, MetricScores] = {}
    for raw in read_rows(path):
        if raw.fields is None:
            if raw.torn:
                break
            raise InputError(raw.problem, where=raw.where)
        row = raw.fields
        if row.get("id") is None:
            raise InputError("a row without an id", where=raw.where)
        if "metric" in row:
            name = str(row["metric"])
            if name not in metrics:
                metrics[name] = MetricScores(name, str(row.get("signature") or ""))
            metrics[name].add(row)
        else:
            _table_row(metrics, row, path.stem)
    return [m for m in metrics.values() if m.seen]


_OWN_NAME: Final = ("score", "value", "overall", "prediction", "pred")
_NO_SCORE: Final = ("id", "system", "figure", "image", "group", "source", "text", "elapsed_ms")


def _table_row(metrics: dict[str, MetricScores], row: Mapping[str, Any], stem: str) -> None:
    """A row of a plain table: every numeric column is a metric; ``score`` and the like are called after the file,
    and the five dimensions, when they are there, belong to that one."""
    key = str(row["id"])
    mine: dict[str, dict[str, Any]] = {}
    scores = row.get("scores")
    if isinstance(scores, Mapping):
        mine[stem] = {"scores": dict(scores)}
    for column, value in row.items():
        if column in _NO_SCORE or column == "scores":
            continue
        x = _number(value)
        known = column in metrics or column in _OWN_NAME or column in DIMENSION_NAMES
        if x is None and not (known and value in (None, "")):
            continue
        if column in DIMENSION_NAMES:
            mine.setdefault(stem, {}).setdefault("scores", {})[column] = x
        elif column in _OWN_NAME:
            mine.setdefault(stem, {})["overall"] = x
        else:
            mine.setdefault(column, {})["value"] = x
    for name, parts in mine.items():
        m = metrics.setdefault(name, MetricScores(name))
        m.add({"id": key, "system": row.get("system"), **parts})


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        x = float(value)
    except (TypeError, ValueError):
        return None
    return x if math.isfinite(x) else None


def reasons(m: MetricScores, ids: Sequence[str]) -> Counter[str]:
    """Why texts of ``ids`` have no score from this metric."""
    return Counter(m.unscored.get(i, NO_ROW) for i in ids if i not in m.seen or i in m.unscored)
