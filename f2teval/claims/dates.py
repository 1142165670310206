"""Years, dates, quarters and seasons in a text, as positions in fractional years."""

from __future__ import annotations

import re
from typing import Final

from f2teval.claims.claim import Quantity

MONTHS: Final[dict[str, int]] = {
    name: i + 1
    for i, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sept", "sep"), ("october", "oct"), ("november", "nov"),
            ("december", "dec"),
        )
    )
    for name in names
}  # fmt: skip

_MONTH = "(?:" + "|".join(sorted((m.capitalize() for m in MONTHS), key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:1[5-9]\d\d|20\d\d|21[0-4]\d)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?!\d|,\d{3}|%|\.\d|\spercent)"
_DATE = re.compile(
    rf"(?<![\w$€£])(?:(?P<day0>{_DAY})(?:\s?[-–]\s?{_DAY})?\s(?:of\s)?)?(?P<month>{_MONTH})"
    rf"(?:[\s-]{{0,2}}(?P<day>{_DAY})(?!\s?%)(?:\s?[-–—]\s?(?:{_MONTH}\s?)?{_DAY})?)?"
    rf"(?:,?\s?(?:of\s)?(?P<year>{_YEAR})\b|[-\s]?['’](?P<yy>\d\d)\b|-(?P<yy2>\d\d)\b)?"
)
_QUARTER = re.compile(
    rf"(?<!\w)(?:(?P<q>Q[1-4]|[1-4]Q|H[12])[\s-]?(?:of\s)?(?:['’]?(?P<yy>\d\d)\b(?!\d)|(?P<year>{_YEAR})\b)"
    rf"|(?P<year2>{_YEAR})[\s-]?(?P<q2>Q[1-4]|H[12])\b"
    rf"|(?P<nth>first|second|third|fourth|last)\s(?P<part>quarter|half)\s(?:of\s)?(?:the\s(?:fiscal\s)?year\s)?"
    rf"(?P<year3>{_YEAR})\b)", re.I,
)  # fmt: skip
_YEARS = re.compile(
    rf"(?<![\w.,$€£#])(?P<fy>FY\s?)?(?P<a>{_YEAR})"
    r"(?:(?P<slash>[/⁄](?:\d{4}|\d{2}))|(?P<dash>[-–](?P<b>\d\d))(?![\d%]|[-–.,]\d)|(?P<decade>['’]?s))?"
    r"(?![\w%]|[.,]\d)"
)
_SHORT_YEAR = re.compile(r"(?<![\w'’])['’](?P<yy>\d\d)(?P<decade>['’]?s)?(?![\w%])")
_COUNTED = re.compile(
    r"[\s-]{1,2}(?:people|persons|units|users|respondents|adults|dollars|euros|tons?|tonnes|metric|kilo\w*|km|miles"
    r"|hours"
    r"|voters|employees|students|cases|deaths|million|billion|thousand|hundred|participants|points|pounds|percent"
    r"|per)\b"
    r"|\s?%", re.I,
)  # fmt: skip
_SIZE_BEFORE = re.compile(
    r"(?:\bover|\bmore\sthan|\bless\sthan|\bfewer\sthan|\bexceeding|\bexceeds|\bat\sleast|\bup\sto|\btotal\sof"
    r"|[$€£])\s?$",
    re.I,
)
_ORDINAL = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}


def find_dates(text: str) -> list[Quantity]:
    """Years ("2014", "'94", "2005/06", "1990s"), months, full dates and quarters of ``text``, in order."""
    found: list[Quantity] = []
    found.extend(_quarter(m) for m in _QUARTER.finditer(text))
    taken = _Taken(found)
    found.extend(d for m in _DATE.finditer(text) if taken.free(*m.span()) and (d := _date(text, m)))
    taken = _Taken(found)
    for m in _YEARS.finditer(text):
        if taken.free(*m.span()):
            found.extend(_years(text, m))
    for m in _SHORT_YEAR.finditer(text):
        if taken.free(*m.span()) and not m.group(0).endswith(("'", "’")):
            found.append(_short_year(text, m))
    found.sort(key=lambda q: q.start)
    return found


class _Taken:
    """Spans in use; queries must come in order of their start."""

    def __init__(self, quantities: list[Quantity]) -> None:
        self.spans = sorted((q.start, q.end) for q in quantities)
        self.reset = 0
        self.last = -1

    def free(self, start: int, end: int) -> bool:
        if start < self.last:
            self.reset = 0
        self.last = start
        while self.reset < len(self.spans) and self.spans[self.reset][1] <= start:
            self.reset += 1
        return self.reset == len(self.spans) or self.spans[self.reset][0] >= end


def century(yy: int) -> int:
    """The year that two digits stand for: 00–35 in this century, else the last."""
    return 2000 + yy if yy <= 35 else 1900 + yy


def _quarter(m: re.Match[str]) -> Quantity:
    year = m.group("year") or m.group("year2") or m.group("year3")
    y = int(year) if year else century(int(m.group("yy")))
    mark = (m.group("q") or m.group("q2") or "").upper()
    if mark:
        part, n = (4, int(mark.strip("QH"))) if "Q" in mark else (2, int(mark.strip("QH")))
    else:
        part = 4 if m.group("part").lower() == "quarter" else 2
        n = min(_ORDINAL[m.group("nth").lower()], part)
    unit = "quarter" if part == 4 else "half"
    return Quantity(m.start(), m.end(), m.group(), y + (n - 1) / part, unit, 0.5 / part, kind="date")


def _date(text: str, m: re.Match[str]) -> Quantity | None:
    name = m.group("month").rstrip(".")
    month = MONTHS[name.lower()]
    year = m.group("year")
    yy = m.group("yy") or m.group("yy2")
    day = m.group("day") or m.group("day0")
    start, end = m.span()
    end = start + len(m.group().rstrip(" -"))
    if name in {"May", "March", "Mar"} and not (year or yy or day) and not _month_here(text, start):
        return None
    if not year and not yy:
        value = month + (_day(day) - 1) / 31 if day else float(month)
        return Quantity(start, end, text[start:end], value, "day" if day else "month", 0.5, kind="date")
    y = int(year) if year else century(int(yy))
    value = y + (month - 1) / 12 + ((_day(day) - 1) / 365 if day else 0.0)
    return Quantity(start, end, text[start:end], value, "day" if day else "month", 0.5 / 12, kind="date")


def _day(day: str) -> int:
    return int(day.rstrip("stndrh"))


def _month_here(text: str, start: int) -> bool:
    """ "May" and "March" alone are months after a preposition of time."""
    before = text[max(0, start - 9) : start].rstrip().rsplit(None, 1)[-1:]
    return bool(before) and before[0].lower().strip("(,") in {
        "in", "since", "from", "to", "of", "by", "until", "and", "late", "early", "mid", "through", "month", "for",
        "between",
    }  # fmt: skip


def _years(text: str, m: re.Match[str]) -> list[Quantity]:
    start, end = m.span()
    value = float(m.group("a"))
    if m.group("decade"):
        decade = value - value % 10
        return [Quantity(start, end, m.group(), decade, "decade", 5.0, kind="year")] if value % 10 == 0 else []
    if m.group("slash"):
        return [Quantity(start, end, m.group(), value, "season", 0.5, kind="year")]
    if m.group("b"):
        second = 100 * (int(value) // 100) + int(m.group("b"))
        if second < value:
            second += 100
        if 0 < second - value <= 60:
            cut = m.start("b")
            return [
                Quantity(start, m.end("a"), m.group("a"), value, "", 0.5, kind="year"),
                Quantity(cut, end, m.group("b"), float(second), "", 0.5, kind="year"),
            ]
        return []
    if _COUNTED.match(text, end) or _SIZE_BEFORE.search(text[max(0, start - 12) : start]):
        return []
    return [Quantity(start, end, m.group(), value, "", 0.5, kind="year")]


def _short_year(text: str, m: re.Match[str]) -> Quantity:
    value = float(century(int(m.group("yy"))))
    unit = "decade" if m.group("decade") else ""
    return Quantity(m.start(), m.end(), m.group(), value, unit, 5.0 if unit else 0.5, kind="year")
