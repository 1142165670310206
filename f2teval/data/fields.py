"""One raw row → one Sample: every form a field comes in, and what cannot be a sample says why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from f2teval.data.images import to_image
from f2teval.data.rows import parse_json
from f2teval.errors import InputError, SampleError, UsageError
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import FIELDS, Sample, join_sentences

_FILE_NAME: Final = "file_name"  # how the Hub's ImageFolder names its pictures


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is no sample: it becomes an unscored row and never stops a run.

    ``torn`` marks a last line that is cut off; it is reported but not written, so that a later ``--resume`` scores it
    once the file is complete.
    """

    id: str
    reason: str
    where: str
    system: str = ""
    torn: bool = False


def parse_mapping(pairs: Mapping[str, str] | None) -> dict[str, str]:
    """Check a field map ``{our field: their field}``. Raises :class:`UsageError` for a field we do not have."""
    for ours in pairs or {}:
        if ours not in FIELDS:
            raise UsageError(f"cannot map {ours!r}: the fields are {', '.join(FIELDS)} (write FIELD=COLUMN)")
    return dict(pairs or {})


def to_sample(
    fields: Mapping[str, Any],
    *,
    number: int = 1,
    base: Path | None = None,
    mapping: Mapping[str, str] | None = None,
    allow_network: bool = False,
) -> Sample:
    """A sample from a raw row.

    Args:
        number: stands in for a missing id, as ``row-NUMBER``.
        base: folder that relative image paths start from (default: the working directory).
        mapping: ``{our field: their field}``; a dotted name reaches into nested objects.

    Raises:
        SampleError: the text is missing or of the wrong type, or the image has a form that cannot be a picture.
    """
    row = _renamed(fields, mapping or {})
    text, sentences = _text(row.get("text"), fields, mapping)
    try:
        image = to_image(row.get("image"), base or Path(), allow_network)
    except InputError as e:
        raise SampleError(str(e)) from e
    known = {*FIELDS, _FILE_NAME, *DIMENSION_NAMES}
    return Sample(
        id=row_id(row, number),
        text=text,
        sentences=sentences,
        image=image,
        caption=_string(row.get("caption"), "caption"),
        context=_string(row.get("context"), "context"),
        references=_references(row.get("references")),
        system=_string(row.get("system"), "system"),
        source=_string(row.get("source"), "source"),
        ratings=_ratings(row),
        extra={k: v for k, v in row.items() if k not in known and not k.startswith("ratings.")},
    )


def row_id(row: Mapping[str, Any], number: int) -> str:
    """The row's id as text, or ``row-NUMBER``."""
    value = row.get("id")
    if isinstance(value, float):
        if math.isnan(value):
            value = None
        elif value.is_integer():
            value = int(value)  # a column of integers with a gap reads as floats
    if value is None or value == "" or isinstance(value, (dict, list)):
        return f"row-{number}"
    return clean(str(value))


def clean(text: str) -> str:
    """Replace lone surrogates, which no output format can carry, by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _broken(text) else text


def _broken(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _renamed(fields: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    row = {k: v for k, v in fields.items() if isinstance(k, str)}
    if _FILE_NAME in row and row.get("image") is None:
        row["image"] = row[_FILE_NAME]
    taken = {theirs: row.get(theirs, _nested(fields, theirs)) for theirs in mapping.values()}
    for theirs in taken:
        row.pop(theirs, None)
    for ours, theirs in mapping.items():
        row[ours] = taken[theirs]
    return row


def _nested(fields: Mapping[str, Any], dotted: str) -> Any:
    value: Any = fields
    for part in dotted.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _text(
    value: Any, fields: Mapping[str, Any], mapping: Mapping[str, str] | None
) -> tuple[str, tuple[tuple[int, int], ...] | None]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        # CSV can hold a list of sentences only as JSON; a text that merely starts with a bracket stays a text.
        value = _json_list(value) or value
    if isinstance(value, str):
        return clean(value), None
    if isinstance(value, (list, tuple)):
        if not all(isinstance(s, str) for s in value):
            raise SampleError("the text is a list, but not one of sentences only")
        return join_sentences([clean(s) for s in value])
    if value is None or value != value:
        name = (mapping or {}).get("text", "text")
        if name in fields:
            raise SampleError(f"no text ({name!r} is empty)")
        near = ", ".join(sorted(str(k) for k in fields)[:8])
        raise SampleError(f"no text: the row has no field {name!r}", hint=f"it has {near}; use --map text=FIELD")
    raise SampleError(f"the text is {type(value).__name__}, not a string or a list of sentences")


def _json_list(text: str) -> list[str] | None:
    try:
        value = parse_json(text.encode())
    except (ValueError, UnicodeEncodeError):
        return None
    return value if isinstance(value, list) and all(isinstance(s, str) for s in value) else None


def _string(value: Any, name: str) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
        return clean("\n".join(value))  # several paragraphs
    if isinstance(value, (int, float)):
        return str(value)
    raise SampleError(f"{name} is {type(value).__name__}, not text")


def _references(value: Any) -> tuple[str, ...]:
    if value is None or value != value:
        return ()
    if isinstance(value, str):
        listed = _json_list(value) if value.lstrip().startswith("[") else None
        value = listed if listed is not None else [value]
    if not isinstance(value, (list, tuple)):
        raise SampleError(f"references is {type(value).__name__}, not a list of texts")
    texts = [" ".join(v) if isinstance(v, list) and all(isinstance(s, str) for s in v) else v for v in value]
    if not all(isinstance(v, str) for v in texts):
        raise SampleError("references must be a list of texts")
    return tuple(clean(v) for v in texts)


def _ratings(row: Mapping[str, Any]) -> dict[str, Any]:
    value = row.get("ratings")
    if isinstance(value, str):
        try:
            value = parse_json(value.encode("utf-8", "replace"))
        except ValueError as e:
            raise SampleError(f"ratings is not valid JSON ({e})") from e
    if isinstance(value, (list, tuple)):
        value = {"raters": list(value)}
    if value is None or value != value:
        value = {}
    if not isinstance(value, Mapping):
        raise SampleError(f"ratings is {type(value).__name__}, not an object of dimension: grade")
    ratings = {str(k): v for k, v in value.items() if v == v}
    # Tables have a column a dimension.
    for name in DIMENSION_NAMES:
        for column in (name, f"ratings.{name}"):
            cell = row.get(column)
            if name not in ratings and cell is not None and cell == cell:
                ratings[name] = _number(cell, column)
    return ratings


def _number(cell: Any, column: str) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return float(cell)
    except ValueError:
        raise SampleError(f"{column} is not a number: {cell[:40]!r}") from None
