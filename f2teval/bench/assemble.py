"""Clauses into sentences, sentences into a text, every span moved to its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from random import Random

from f2teval.bench import flaws
from f2teval.bench.facts.base import Clause
from f2teval.bench.truth import SentenceTruth, TextTruth
from f2teval.rubric import DIMENSION_NAMES

LEADS = ("Therefore", "As a con", "Because of", "In contrast", "Nevertheless", "For this")


def lead_in(c: Clause, lead: str) -> None:
    flaws.edit(c, 0, 0, lead)
    k = len(lead)
    c.claims = [replace(x, start=x.start if x.start else k, end=x.end) for x in c.claims]
    c.errors = [replace(e, start=e.start if e.start else k) for e in c.errors]


def is_wrong(c: Clause) -> bool:
    return any(not x.true for x in c.claims)


def count_wrong(rng: Random, grade: int, n: int) -> tuple[int, int]:
    if grade == 2:
        return 0, n
    if grade == 1:
        return rng.randint(1, max(1, n // 4)), n
    return max(1, rng.randint(math.ceil(n / 2), max(math.ceil(n / 2), math.ceil(n * 0.85)))), n


def _capital(text: str) -> str:
    return text[0].upper() + text[1:] if text else text


def assemble(id: str, style: str, grades: Mapping[str, int], sentences: list[list[tuple[str, Clause]]]) -> TextTruth:
    """Put sentences into one text, moving every span to its place in it."""
    text, out = "", []
    for k, parts in enumerate(sentences):
        sep = "" if not text else "\n" if style == "markdown" else " "
        bullet = "- " if style == "markdown" and k else ""
        start = len(text) + len(sep)
        body, claims, errors = bullet, [], []
        levels: set[int] = set()
        covers: set[str] = set()
        for glue, c in parts:
            body += glue
            at = start + len(body)
            piece = c.text
            if body == bullet:
                piece = _capital(piece)
            claims += [replace(x, start=x.start + at, end=x.end + at) for x in c.claims]
            errors += [replace(e, start=e.start + at, end=e.end + at) for e in c.errors]
            levels |= set(c.levels)
            covers |= set(c.covers)
            body += piece
        stop = "" if style == "alt" and len(sentences) == 1 else "."
        if body.endswith("."):
            stop = ""
        body += stop
        text += sep + body
        role = parts[0][1].role
        fixed = tuple(replace(e, said=text[e.start : e.end]) for e in errors)
        out.append(
            SentenceTruth(start, len(text), role, tuple(claims), fixed, tuple(sorted(levels)), tuple(sorted(covers)))
        )
    return TextTruth(id, text, style, {d: int(grades[d]) for d in DIMENSION_NAMES}, tuple(out))
