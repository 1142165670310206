"""Tokens and their folded forms, so that "Republicans", "Rep." and "REPUBLICAN" meet.

A fold is lower case without accents, possessives, plurals and the commonest verb endings; aliases bring country names,
party names and months to one form. Light on purpose: entity matching looks at every token of a text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from f2teval.claims.wordset import wordset

_TOKEN = re.compile(
    r"\d+(?:[.,/]\d+)*(?:(?:\s?[-–]\s?|\sto\s)\d+(?:[.,]\d+)*(?![\d%]))?\+?|(?:[A-Za-z]\.){2,8}"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*|[&@]"
)

STOP: Final = wordset(
    """a an the of in on at for to from by with and or as is are was were be been being has have had do does did
    it its they their them this that these those he she his her we our you your i who whom whose which what when
    where while how than then so if but not no nor about into over under between among across per vs each all any
    some such more most less least very much many few other others one two also only just there here up down out
    off s t can could will would should may might must both either neither same own during before after since
    until through within without against toward towards because due via & say says said saying"""
)
"""Words that carry no name: never matched alone."""

_ALIASES: Final[dict[str, str]] = {
    "u.s": "us", "u.s.a": "us", "usa": "us", "american": "us", "america": "us", "u.k": "uk", "britain": "uk",
    "british": "uk", "briton": "uk", "e.u": "eu", "u.n": "un", "u.a.e": "uae", "french": "france",
    "dutch": "netherland",
    "spanish": "spain", "spaniard": "spain", "swedish": "sweden", "swede": "sweden", "polish": "poland",
    "danish": "denmark", "turkish": "turkey", "greek": "greece", "swiss": "switzerland", "irish": "ireland",
    "welsh": "wales", "scottish": "scotland", "finnish": "finland", "finn": "finland", "dane": "denmark",
    "chinese": "china", "japanese": "japan", "british's": "uk", "hispanic": "latino", "hispanics": "latino",
    "latinos": "latino", "gop": "republican", "rep": "republican", "reps": "republican", "repub": "republican",
    "dem": "democrat", "dems": "democrat", "democratic": "democrat", "ind": "independent", "indep": "independent",
    "gen": "generation", "xer": "x", "xers": "x", "boomer": "boomer", "african-american": "black", "men's": "man",
    "men": "man", "women": "woman", "women's": "woman", "male": "man", "female": "woman", "males": "man",
    "females": "woman", "children": "child", "people": "person", "percent": "%", "percentage": "%", "pct": "%",
    "grad": "graduate", "hs": "highschool", "tv": "television", "no.": "number", "overall": "total", "dk": "don'tknow",
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august",
    "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december",
    "govt": "government",
    "intl": "international", "dept": "department", "univ": "university", "corp": "corporation", "inc": "",
    "ltd": "", "llc": "", "plc": "", "st": "saint", "mt": "mount", "gov't": "government", "favour": "favor",
    "postgrad": "postgraduate", "vs": "", "sq": "square", "avg": "average",
}  # fmt: skip
_PAIRS: Final[dict[tuple[str, str], str]] = {
    ("unit", "stat"): "us", ("unit", "state"): "us", ("unit", "kingdom"): "uk", ("great", "uk"): "uk",
    ("high", "school"): "highschool", ("european", "union"): "eu", ("unit", "nation"): "un",
    ("don't", "know"): "don'tknow", ("south", "korean"): "southkorea", ("south", "korea"): "southkorea",
    ("north", "korea"): "northkorea", ("new", "zealand"): "newzealand", ("saudi", "arabia"): "saudiarabia",
    ("czech", "republic"): "czechia",
}  # fmt: skip


_PAIR_OPENERS: Final = frozenset(first for first, _ in _PAIRS)


class Token(NamedTuple):
    """A word of a text: offsets, as written, its fold, and how many source words it stands for."""

    start: int
    end: int
    text: str
    fold: str


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """The folded form of one word ("" for words that carry nothing)."""
    w = word.lower().replace("’", "'").rstrip(".")
    if not w.isascii():
        w = "".join(c for c in unicodedata.normalize("NFKD", w) if not unicodedata.combining(c))
    if w in _ALIASES:
        return _ALIASES[w]
    if w[:1].isdigit():
        return re.sub(r"\s?[-–]\s?|\sto\s", "-", w)
    if w.endswith("'s"):
        w = w[:-2]
    elif w.endswith("s'"):
        w = w[:-1]
    if len(w) > 3:
        if w.endswith("ies") and len(w) > 4:
            w = w[:-3] + "y"
        elif w.endswith(("sses", "shes", "ches", "xes")):
            w = w[:-2]
        elif w.endswith("s") and not w.endswith(("ss", "us", "is")):
            w = w[:-1]
    if w in _ALIASES:
        return _ALIASES[w]
    if len(w) > 5:
        if w.endswith("ing"):
            w = w[:-3]
        elif w.endswith("ed"):
            w = w[:-2]
        if len(w) > 4 and w[-1] == w[-2] and w[-1] not in "lsz":
            w = w[:-1]
    if len(w) > 4 and w.endswith("e"):
        w = w[:-1]
    return _ALIASES.get(w, w)


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Tokens of ``text[start:end]`` with offsets into ``text``; two-word names with one fold become one token."""
    found: list[Token] = []
    last = ""
    for m in _TOKEN.finditer(text, start, len(text) if end is None else end):
        word = m.group()
        folded = fold(word) if len(word) <= 40 else ""
        if not folded:
            continue
        a, b = m.span()
        if last in _PAIR_OPENERS and (pair := _PAIRS.get((last, folded))) is not None and a - found[-1].end <= 2:
            found[-1] = Token(found[-1].start, b, text[found[-1].start : b], pair)
            last = pair
            continue
        found.append(Token(a, b, word, folded))
        last = folded
    return found
