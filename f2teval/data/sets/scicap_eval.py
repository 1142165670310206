"""SciCap-Eval (Hsu et al. 2023): six captions a figure, ranked by a PhD student, rated yes / no / unsure by a student.

UNVERIFIED: written from the paper (section 3, appendix B), not from its files. Expected is a table with a row a
caption; fields that are called otherwise are mapped. Rows in which a student marked an extraction error, no line
chart, or a compound figure are left out, as in the paper (3,159 of 3,600 remain), and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from f2teval.data.sets.base import Fields, Rated, RatingSet, native_file, number, rows_of, strings
from f2teval.errors import RatingsError

FEATURES: Final = ("ocr", "visual", "stats", "relation", "takeaway")
ERRORS: Final = ("image_error", "text_error", "not_line_chart", "compound")

DEFAULTS: Final = {
    "figure": "figure_id|figure|figure_file|image",
    "system": "approach|system|model|source",
    "text": "caption|text",
    "context": "paragraphs|paragraph|mention|context",
    "references": "references|author_caption",
    "rank": "phd_rank|rank",
    "helpful": "helpfulness|helpful",
    "group": "domain|group",
    "image_error": "image_error|image_extraction_error",
    "text_error": "text_error|text_extraction_error",
    "not_line_chart": "not_line_chart",
    "compound": "compound|compound_figure",
    **{name: name for name in FEATURES},
}


def load(path: Path, fields: Mapping[str, str]) -> RatingSet:
    """Ratings: ``rank`` 1–6 (1 is best) and ``overall`` = reversed rank; ``helpful`` 1 yes, 0 no or unsure."""
    f = Fields(DEFAULTS, fields)
    rows: list[Rated] = []
    dropped: Counter[str] = Counter()
    for where, row in rows_of(native_file(path, "*scicap*eval*.json*", "*.json", "*.jsonl", "*.csv")):
        marked = [e for e in ERRORS if _yes(f.get(row, e), where, e)]
        if marked:
            dropped["marked as an error by a student"] += 1
            continue
        final: dict[str, float] = {}
        rank = f.get(row, "rank")
        if rank is not None:
            r = number(rank, where, "rank")
            final |= {"rank": r, "overall": 7 - r}
        if f.get(row, "helpful") is not None:
            final["helpful"] = float(_yes(f.get(row, "helpful"), where, "helpful"))
        figure = str(f.need(row, "figure", where))
        system = str(f.need(row, "system", where))
        context = f.get(row, "context", "")
        rows.append(
            Rated(
                id=f"{figure}/{system}",
                figure=figure,
                image=figure,
                text=str(f.need(row, "text", where)),
                context="\n".join(map(str, context)) if isinstance(context, list) else str(context),
                references=strings(f.get(row, "references")),
                system=system,
                group=str(f.get(row, "group", "")),
                final=final,
                features={n: float(_yes(v, where, n)) for n in FEATURES if (v := f.get(row, n)) is not None},
            )
        )
    return RatingSet(
        "scicap-eval",
        rows,
        {"rank": (1, 6), "overall": (1, 6), "helpful": (0, 1)},
        aggregate="final",
        dropped=dict(dropped),
    )


def _yes(value: Any, where: str, what: str) -> bool:
    if value is None:
        return False
    if isinstance(value, (bool, int, float)):
        return bool(value)
    word = str(value).strip().lower()
    if word in ("yes", "y", "true", "1", "1.0"):
        return True
    if word in ("no", "n", "false", "0", "0.0", "unsure", "not sure", ""):
        return False
    raise RatingsError(f"{what} is {value!r}, not yes, no or unsure", where=where)
