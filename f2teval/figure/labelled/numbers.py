"""Printed numbers: what a label such as "24%", "$3.4M", "<1" or "1,200*" says, and how finely it is printed."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9}
_NUMBER = re.compile(
    r"(?P<less>[<>≤≥~])?\s?(?P<sign>[-–−+])?\s?(?P<cur>[$€£¥])?\s?(?P<sign2>[-–−])?"
    r"(?P<num>\d{1,3}(?:,\d{3}){1,5}|\d{1,9})(?P<dec>\.\d{1,6})?"
    r"\s?(?P<pct>%|pct\.?|percent)?\s?(?P<scale>[kKMBT]|million|billion|trillion|bn)?(?P<note>[*†‡]{1,3})?"
)
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d(?:\s?[-–/]\s?(?:\d{4}|\d\d))?|['‘’`]\d\d(?:\s?[-–/]\s?['‘’`]?\d\d)?")
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_DATE = re.compile(rf"(?:(?:{_MONTHS})\.?,?\s*)(?:\d{{1,2}},?\s*)?(?:['‘’`]?\d\d|(?:1[5-9]|20|21)\d\d)?", re.I)
_QUARTER = re.compile(r"Q[1-4]\s?['‘’`]?\d{2,4}")
# Characters OCR confuses with digits when a label stands alone (no letters around to tell it otherwise).
_SLIPS = str.maketrans("lIı|iOoQSBгZzб", "11111000582226")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number: ``value`` in the label's own unit; ``step`` is one unit of its last printed digit."""

    value: float
    step: float
    unit: str = ""
    scale: float = 1.0
    less: bool = False
    note: str = ""


def parse_number(text: str) -> Printed | None:
    """The number a whole label says, or ``None`` when it is anything but a number (ranges and years "'94" are not)."""
    t = text.strip()
    if len(t) > 24:
        return None
    m = _NUMBER.fullmatch(t)
    if m is None:
        return None
    digits = m["num"].replace(",", "") + (m["dec"] or "")
    value = float(digits)
    if m["sign"] in {"-", "–", "−"} or m["sign2"]:
        value = -value
    decimals = len(m["dec"]) - 1 if m["dec"] else 0
    unit = "%" if m["pct"] else (m["cur"] or "")
    scale = _SCALES.get((m["scale"] or "").lower(), 1.0)
    return Printed(value, 10.0**-decimals, unit, scale, m["less"] in {"<", "≤"}, m["note"] or "")


def repair_slips(text: str) -> str | None:
    """A short label with a letter in a digit's place ("l3", "4O", "S") as the number it must be, or ``None``."""
    t = text.strip()
    bare = t.rstrip("%*")
    if not 0 < len(bare) <= 4 or bare.isdigit():
        return None
    fixed = bare.translate(_SLIPS)
    if not fixed.isdigit() or (len(bare) == 1 and bare not in "lIı|"):
        return None
    if sum(c.isdigit() for c in bare) == 0 and len(bare) > 2:
        return None
    return fixed + t[len(bare) :]


def is_year(text: str) -> bool:
    """A year or a span of years as axes print them: 1994, '94, 2010-12."""
    return _YEAR.fullmatch(text.strip()) is not None


def is_date(text: str) -> bool:
    """A year, a month with or without one, a quarter."""
    t = text.strip()
    if not t or len(t) > 24:
        return False
    return is_year(t) or _DATE.fullmatch(t) is not None or _QUARTER.fullmatch(t) is not None


def year_of(text: str) -> float | None:
    """The (fractional) year a date label stands for, or ``None`` when it names none."""
    t = text.strip()
    m = re.search(r"(?:1[5-9]|20|21)\d\d", t)
    if m:
        year = float(m[0])
    else:
        m = re.search(r"['‘’`](\d\d)", t)
        if not m:
            return None
        short = int(m[1])
        year = float(short + (2000 if short < 40 else 1900))
    month = re.match(_MONTHS, t, re.I)
    if month:
        names = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
        year += names.index(month[0][:3].lower()) / 12.0
    return year
