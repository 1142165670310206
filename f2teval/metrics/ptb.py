"""Treebank tokens for captions, in pure Python.

Caption metrics are defined on the tokens of a Penn Treebank lexer with punctuation removed, as in the COCO caption
evaluation; that lexer is a Java program. This module states its rules for English captions in one regular expression:
contractions are split, hyphenated words, numbers, abbreviations and addresses stay whole, brackets get names. How
often it gives the same tokens is measured by ``benchmarks/overlap.py``.
"""

from __future__ import annotations

import re
from typing import Final

PUNCTUATION: Final = frozenset(("''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"))
"""Tokens the COCO evaluation drops."""

_NORMAL: Final = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2026": "...",
        "\u2013": "--",
        "\u2014": "--",
        "\u20ac": "$",
        "\u00a3": "#",
        "\u00bd": " 1/2",
        "\u00bc": " 1/4",
        "\u00be": " 3/4",
        "\u00a0": " ",
        "\u00ad": "",
    }
)
_BRACKETS: Final = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}

_ABBREVIATIONS: Final = (
    "mr mrs ms dr prof rev gen col lt sgt capt sen rep gov st jr sr messrs"
    " inc ltd co corp bros dept univ assn bldg ave blvd rd"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
    " vs etc al approx adj mt eq refs vol pp ed eds ext ph.d"
)
# Abbreviations that are also words: whole only where a number follows.
_BEFORE_NUMBER: Final = "no nos p art sec ch fig figs"

_ASSIMILATED: Final = {
    "cannot": ("can", "not"),
    "gonna": ("gon", "na"),
    "wanna": ("wan", "na"),
    "gotta": ("got", "ta"),
    "lemme": ("lem", "me"),
    "gimme": ("gim", "me"),
}

# Every repetition is over one class of characters or bounded, so the time is linear in the length of the text.
_TOKEN: Final = re.compile(
    rf"""
    (?:https?://|www\.)[^\s"<>()]+                                  # addresses
  | [a-z0-9][\w.+-]{{0,63}}@[a-z0-9][\w.-]{{1,64}}
  | </?[a-z][^<>\s]{{0,30}}>                                        # a tag
  | '(?:s|m|d|re|ve|ll)(?![^\W_])                                   # clitics
  | n't(?![^\W_])
  | '\d0s\b
  | (?:[a-z]\.){{2,8}}(?:-[^\W_]+)?(?![^\W_])                       # u.s., u.s.-led
  | (?:{"|".join(map(re.escape, _ABBREVIATIONS.split()))})\.(?=\s|,|$)
  | (?:{"|".join(_BEFORE_NUMBER.split())})\.(?=\s{{0,2}}\.?\d)
  | \d+\.\d+(?=[a-z]{{2}})                                            # 1.84seconds
  | [+-]?(?:\d+|[.,]\d+)(?:[.,:]\d+)*(?:[-/]\d+)*(?!-?[^\W_])       # numbers, ranges, fractions
  | [^\W\d_]+?(?=n't(?![^\W_]))                                     # do|n't
  | [^\W_]+(?:(?:[&_/]|\.(?=[^\W\d_])|-|'(?!(?:s|m|d|re|ve|ll|t)(?![^\W_])))[^\W_]+)*(?:\+\+)?
  | \.\.\.+ | --+ | [!?]+ | \*+ | [#@][a-z]\w*
  | \S
    """,
    re.VERBOSE,
)


def tokenize(text: str) -> list[str]:
    """Lower-case Treebank tokens of one text, punctuation included."""
    text = text.translate(_NORMAL).lower()
    out: list[str] = []
    for token in _TOKEN.findall(text):
        if token in _ASSIMILATED:
            out.extend(_ASSIMILATED[token])
        elif token in _BRACKETS:
            out.append(_BRACKETS[token])
        elif token == '"':
            out.append("''")
        elif token[0] == "." and token.count(".") == len(token) > 1:
            out.append("...")
        elif token[0] == "-" and token.count("-") == len(token) > 1:
            out.append("--")
        else:
            out.append(token)
    return out


def words(text: str) -> list[str]:
    """Lower-case tokens of one text without punctuation: what caption metrics count."""
    return [t for t in tokenize(text) if t not in PUNCTUATION]
