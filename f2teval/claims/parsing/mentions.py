"""Mentions: names, years and numbers that a true text could only have from the figure or its context."""

from __future__ import annotations

import re
from typing import Final

from f2teval.claims.claim import Claim, Mention
from f2teval.claims.index import FigureIndex
from f2teval.claims.parsing.values import is_value
from f2teval.claims.view import View
from f2teval.claims.wordforms import STOP, Token
from f2teval.claims.wordset import wordset

_COMMON: Final = wordset(
    """chart graph figure data source note survey overall however additionally conversely specifically notably finally
    meanwhile moreover furthermore respondent key finding summary next together none table image title center report
    study analysis percentage majority january february march april may june july august september october november
    december generally similarly among according compar regard follow on total number share i"""
)
_WITHIN: Final = frozenset({" ", "-", "’s ", "'s ", ". "})
_SMALL: Final = frozenset({"of", "and", "the", "for", "&", "de", "la"})
_MAX_MENTIONS: Final = 40
_QUOTED = re.compile(r"[\"“]([^\"“”]{3,80})[\"”]|(?<![\w])['‘]([A-Z][^'‘’\n]{2,60})['’](?!\w)")


def note_names(view: View, words: list[Token]) -> None:
    """Notes the proper names of the sentence, and those among them that are no names of the figure's table."""
    view.names = _names(view, words)
    inside = [(g.start, g.end) for g in view.groups if g.kind == "name"]
    view.strangers = [(a, b) for a, b in view.names if not any(s < b and a < e for s, e in inside)]


def parse_mentions(view: View, index: FigureIndex) -> list[Claim]:
    """A claim for each name of the sentence (see :func:`note_names`), each date, and each number."""
    claims: list[Claim] = []
    strangers = set(view.strangers)
    for start, end in view.names:
        claims.append(_claim(view, start, end, "name" if (start, end) in strangers else "figure"))
    for g in view.groups:
        for q in g.numbers:
            if g.kind == "time":
                claims.append(Claim("mention", view.number, q.start, q.end, (), (), (), (q,), slots={"of": "time"}))
            elif g.kind == "number" and q.start not in view.derived and q.unit != "pp" and is_value(q, view.text):
                claims.append(Claim("mention", view.number, q.start, q.end, (), (), (), (q,), slots={"of": "number"}))
    return claims[:_MAX_MENTIONS]


def _claim(view: View, start: int, end: int, role: str) -> Claim:
    m = Mention(start, end, view.text[start:end])
    return Claim("mention", view.number, start, end, (m,), slots={"of": role})


def _names(view: View, words: list[Token]) -> list[tuple[int, int]]:
    """Runs of capitalised words (not one at the sentence's start) and quoted phrases."""
    found: list[tuple[int, int]] = []
    quoted = any(view.text.find(mark, view.start, view.end) >= 0 for mark in "\"“'‘")
    for m in _QUOTED.finditer(view.text, view.start, view.end) if quoted else ():
        g = 1 if m.group(1) else 2
        if len(m.group(g).split()) <= 8:
            found.append(m.span(g))
    run: list[Token] = []

    def close() -> None:
        while run and (run[-1].fold in STOP or run[-1].text in {"of", "and", "the", "for", "&"}):
            run.pop()
        if run:
            a, b = run[0].start, run[-1].end
            if not any(s < b and a < e for s, e in found):
                found.append((a, b))
        run.clear()

    for i, w in enumerate(words):
        capital = w.text[0].isupper() and len(w.text) > 1
        if not capital:
            if run:
                if view.text[run[-1].end : w.start] in _WITHIN and w.text in _SMALL:
                    run.append(w)
                else:
                    close()
            continue
        opening = i == 0 or view.text[max(0, w.start - 2) : w.start] in {": ", "- ", "* ", "• ", ". ", "; "}
        beside = i + 1 < len(words) and words[i + 1].text[:1].isupper() and words[i + 1].start - w.end == 1
        if opening and not beside:
            capital = w.text.isupper() and len(w.text) > 2
        joined = not run or view.text[run[-1].end : w.start] in _WITHIN
        if capital and w.fold not in _COMMON and w.fold not in STOP:
            if not joined:
                close()
            run.append(w)
        else:
            close()
    close()
    found.sort()
    return found
