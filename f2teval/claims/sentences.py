"""Sentences of a text with their exact offsets.

Rules rather than a model: every decision looks at a bounded window, so the cost is linear in the text.
A full stop ends a sentence unless it belongs to a number, an abbreviation, initials, an enumerator ("2." in front of an
item) or is followed by a lower-case letter; bullets, numbered items, headings, table rows and blank lines start a new
sentence, a lone line break only does where the line is evidently not wrapped prose.
"""

from __future__ import annotations

import re
from typing import Final

from f2teval.claims.wordset import wordset

# Written before something that belongs to it: the full stop never ends the sentence.
_BOUND: Final = wordset(
    """mr mrs ms dr prof sen rep gov gen col lt sgt capt hon rev fr st mt ft vs v cf approx ca fig figs eq eqs sec ref
    refs tab vol pp p no nos art ch ed eds trans al viz dept univ assn bros gov't
    est max min avg e.g i.e eg ie"""
)
# May well be the last word: ends the sentence only where a usual first word follows.
_OPEN: Final = wordset(
    """u.s u.k u.n e.u d.c u.s.a u.a.e p.m a.m inc corp ltd co cos llc plc jr sr etc jan feb mar apr jun jul aug sep
    sept
    oct nov dec mon tue tues wed thu thur thurs fri sat sun pct mil bil tn bn mn ph.d m.d b.a m.a hrs hr mins secs lbs
    oz ave blvd rd calif mass conn wash minn tenn ind ill dem rep ind"""
)
# "No. 5", "p. 3": bound to a number, but a word of its own otherwise.
_NUMBER_ONLY: Final = wordset("no nos p pp fig figs eq vol sec ch ref art tab v")
_STARTERS: Final = wordset(
    """the a an this these those that in on at for from of by with without as while when where although though since
    after before during between among across over under within however meanwhile moreover furthermore additionally also
    overall finally conversely but and or so yet it its they their he she his her we our you your there here if both
    each every all some most many few several no not only just more less fewer according compared following despite
    because specifically notably similarly interestingly another other others one two three four five nearly almost
    about around roughly respondents people data chart graph figure note source key total to what which who"""
)
_LOOKBACK: Final = 24

_LINE_BREAK = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_ITEM = re.compile(r"[ \t]{0,64}(?:[-*+•‣◦–—·▪►]\s|#{1,6}\s|>\s|\||(?:\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s)")
_RULE_OR_HEADING = re.compile(r"[ \t]{0,64}(?:#{1,6}\s|\||[-=*_]{3,}\s{0,64}$)")
_END = re.compile(r"""(?:[.!?…]{1,64}["'”’)\]»*_]{0,8})|[。！？]{1,8}""")
_ENUMERATOR = re.compile(
    r"\s{0,8}(?:[-*+•‣◦–—·▪►#>]{1,6}\s{1,8})?[*_(]{0,4}(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)][*_]{0,4}"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z.'’]*$")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Offsets ``(start, end)`` of the sentences of ``text``, in order, without the white space around them.

    The spans never overlap and together hold every character that is not white space. Time is linear in ``len(text)``.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        spans.extend(_split_block(text, start, end))
    return spans


def _blocks(text: str) -> list[tuple[int, int]]:
    """Runs of lines that read on, cut before items, headings, table rows and after blank lines."""
    lines: list[tuple[int, int]] = []
    at = 0
    for m in _LINE_BREAK.finditer(text):
        lines.append((at, m.start()))
        at = m.end()
    lines.append((at, len(text)))

    blocks: list[tuple[int, int]] = []
    block: tuple[int, int] | None = None
    last_line = (0, 0)
    for start, end in lines:
        if not text[start:end].strip():
            if block is not None:
                blocks.append(block)
            block = None
            continue
        if block is None:
            block = (start, end)
        elif _starts_anew(text, last_line, (start, end)):
            blocks.append(block)
            block = (start, end)
        else:
            block = (block[0], end)
        last_line = (start, end)
    if block is not None:
        blocks.append(block)
    return blocks


def _starts_anew(text: str, last: tuple[int, int], line: tuple[int, int]) -> bool:
    if (
        _ITEM.match(text, line[0], line[1])
        or _RULE_OR_HEADING.match(text, *last)
        or _RULE_OR_HEADING.match(text, *line)
    ):
        return True
    tail = text[last[0] : last[1]].rstrip()[-3:]
    if tail.rstrip("\"'”’)]*_")[-1:] in {".", "!", "?", ":", "…"}:
        return True
    # A short line before a capital is a label or a heading, not wrapped prose.
    first = text[line[0] : line[1]].lstrip()[:1]
    return last[1] - last[0] < 45 and first.isupper() and tail[-1:] not in {",", ";", "-", "("}


def _split_block(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    at = _skip_space(text, start, end)
    for m in _END.finditer(text, at, end):
        if m.start() < at or not _ends_here(text, at, m, end):
            continue
        spans.append((at, m.end()))
        at = _skip_space(text, m.end(), end)
    tail = end
    while tail > at and text[tail - 1].isspace():
        tail -= 1
    if tail > at:
        spans.append((at, tail))
    return spans


def _skip_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _ends_here(text: str, start: int, m: re.Match[str], end: int) -> bool:
    """Whether the marks matched by ``m`` end the sentence that began at ``start``."""
    at, after = m.start(), m.end()
    mark = text[at]
    if mark in "。！？":
        return True
    if after >= end:
        return True
    if not text[after].isspace():
        return _missing_space(text, at, after, end, m.group())
    follow = _skip_space(text, after, end)
    if follow >= end:
        return True
    first = _first_letter(text, follow, end)
    if first.islower():
        return False
    if m.group().rstrip("\"'”’)]»*_") != ".":
        return True
    if after - start <= 24 and _ENUMERATOR.fullmatch(text, start, after):
        return False
    word_match = _WORD.search(text, max(start, at - _LOOKBACK), at)
    word = word_match.group().lower() if word_match else ""
    if word:
        if word in _NUMBER_ONLY:
            return not text[follow].isdigit()
        if word in _BOUND:
            return False
        initial = len(word) == 1 and text[at - 1].isupper()
        if word in _OPEN or initial or (word.count(".") >= 1 and all(len(p) <= 2 for p in word.split("."))):
            return _next_word(text, follow, end) in _STARTERS
    return True


def _missing_space(text: str, at: int, after: int, end: int, marks: str) -> bool:
    """ "…the years.The next": a stop glued to a capitalised word after a word in lower case."""
    if marks.startswith("..") or after + 1 >= end:
        return False
    left = text[max(0, at - 3) : at]
    return len(left) == 3 and left.isalpha() and left.islower() and text[after].isupper() and text[after + 1].islower()


def _first_letter(text: str, at: int, end: int) -> str:
    for i in range(at, min(end, at + 4)):
        if text[i].isalnum():
            return text[i]
    return ""


def _next_word(text: str, at: int, end: int) -> str:
    stop = at
    while stop < min(end, at + 24) and not text[stop].isspace():
        stop += 1
    return text[at:stop].strip("\"'“”‘’(),;:*_").lower()
