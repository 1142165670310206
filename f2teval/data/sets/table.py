"""Any table of ratings. A row is one text, or one text by one rater (then a ``rater`` field says who).

``ratings`` is an object ``{dimension: grade}``; a grade is a number, a list with one number a rater, or an object
``{rater: number}``. A table without ``ratings`` has a column a dimension, or ``overall`` / ``score`` / ``rating``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.data.rows import parse_json
from f2teval.data.sets.base import Fields, Rated, Raters, RatingSet, native_file, number, rows_of, strings
from f2teval.errors import RatingsError
from f2teval.rubric import DIMENSION_NAMES

DEFAULTS: Final = {
    "id": "id",
    "figure": "figure|image|imgid|image_id|file_name",
    "text": "text",
    "system": "system|model",
    "group": "group",
    "source": "source",
    "rater": "rater|annotator",
    "ratings": "ratings",
    "final": "final|adjudicated",
    "overall": "overall|score|rating|human_score",
    "errors": "errors",
    "references": "references|refs",
    "caption": "caption",
    "context": "context",
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Load ``path``. Grades of the five dimensions lie in 0–2; the scale of others is what occurs."""
    f = Fields(DEFAULTS, fields)
    file = native_file(path, "ratings.*", "records.jsonl", "metadata.jsonl")
    kept: dict[str, dict[str, Any]] = {}
    by_rater: dict[str, dict[str, dict[str, float]]] = {}
    for where, row in rows_of(file):
        key = str(f.need(row, "id", where))
        rater = f.get(row, "rater")
        grades = _grades(f, row, where)
        if rater is None:
            if key in kept:
                raise RatingsError(
                    f"id {key!r} occurs twice", where=where, hint="rows of several raters need a rater field"
                )
            kept[key] = {"row": row, "where": where, "grades": grades}
            continue
        kept.setdefault(key, {"row": row, "where": where, "grades": {}})
        for dimension, values in grades.items():
            for value in values.values():
                by_rater.setdefault(key, {}).setdefault(dimension, {})[str(rater)] = value
    names = _rater_names(kept, by_rater)
    rows = [_rated(f, key, k, by_rater.get(key), names) for key, k in kept.items()]
    if not any(r.ratings or r.final or r.wrong for r in rows):
        raise RatingsError(
            "no ratings in any row", where=str(file),
            hint="expected ratings: {dimension: grade}, a column a dimension, or --field overall=NAME",
        )  # fmt: skip
    return RatingSet(
        name=str(file),
        rows=rows,
        scales={d: (0.0, 2.0) for d in DIMENSION_NAMES if any(d in r.ratings or d in r.final for r in rows)},
        rater_names=names if by_rater else (),
        aggregate="final" if any(r.final for r in rows) else "mean",
    )


Grades = dict[str, dict[str, float]]
"""dimension → rater → grade; an unnamed rater is called by position."""


def _grades(f: Fields, row: Mapping[str, Any], where: str) -> Grades:
    value = f.get(row, "ratings")
    if isinstance(value, str):
        try:
            value = parse_json(value.encode("utf-8", "replace"))
        except ValueError as e:
            raise RatingsError(f"ratings is not valid JSON ({e})", where=where) from e
    if value is None:
        value = {d: row[d] for d in DIMENSION_NAMES if row.get(d) not in (None, "")}
        overall = f.get(row, "overall")
        if overall is not None:
            value["overall"] = overall
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = {"overall": value}
    if not isinstance(value, Mapping):
        raise RatingsError(f"ratings is {type(value).__name__}, not an object of dimension: grade", where=where)
    return {str(d): _raters(g, where, str(d)) for d, g in value.items() if g is not None}


def _raters(grade: Any, where: str, what: str) -> dict[str, float]:
    if isinstance(grade, Mapping):
        items = [(str(k), v) for k, v in grade.items()]
    elif isinstance(grade, (list, tuple)):
        items = [(str(i), v) for i, v in enumerate(grade)]
    else:
        items = [("0", grade)]
    # null and NaN are the two ways tables say "this rater did not rate it".
    return {k: number(v, where, what) for k, v in items if v is not None and not _nan(v)}


def _nan(v: Any) -> bool:
    return isinstance(v, float) and math.isnan(v)


def _rater_names(
    kept: Mapping[str, Mapping[str, Any]], by_rater: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for k in kept.values():
        for raters in k["grades"].values():
            names.update(dict.fromkeys(raters))
    for dims in by_rater.values():
        for raters in dims.values():
            names.update(dict.fromkeys(raters))
    return tuple(sorted(names))


def _rated(
    f: Fields, key: str, kept: Mapping[str, Any], long: Mapping[str, Mapping[str, float]] | None, names: tuple[str, ...]
) -> Rated:
    row, where = kept["row"], kept["where"]
    grades: Grades = {**kept["grades"], **{d: dict(r) for d, r in (long or {}).items()}}
    ratings: dict[str, Raters] = {d: tuple(r.get(n) for n in names) for d, r in grades.items()}
    final = f.get(row, "final") or {}
    if not isinstance(final, Mapping):
        final = {"overall": final}
    text = f.get(row, "text", "")
    sentences = tuple(map(str, text)) if isinstance(text, (list, tuple)) else ()
    errors = f.get(row, "errors")
    wrong = tuple(bool(e) for e in errors) if sentences and isinstance(errors, list) else ()
    if wrong and len(wrong) != len(sentences):
        raise RatingsError(f"{len(sentences)} sentences but {len(wrong)} lists of errors", where=where)
    return Rated(
        id=key,
        figure=str(f.get(row, "figure", key)) if isinstance(f.get(row, "figure", key), (str, int)) else key,
        text=" ".join(sentences) if sentences else str(text),
        system=str(f.get(row, "system", "")),
        group=str(f.get(row, "group", "")),
        source=str(f.get(row, "source", "")),
        image=row["image"] if isinstance(row.get("image"), str) else "",
        caption=str(f.get(row, "caption", "")),
        context=str(f.get(row, "context", "")),
        references=strings(f.get(row, "references")),
        ratings=ratings,
        final={str(d): number(v, where, f"final {d}") for d, v in final.items()},
        sentences=sentences,
        wrong=wrong,
    )
