"""What a tick label says: a number with its unit and multiplier, or a date as fractional years.

OCR leaves marks on labels: a tick mark read as ``-``, ``.`` or ``|``, an O for a 0, an l for a 1, a comma for a point.
These are mended here, and only here.
"""

from __future__ import annotations

import math
import re
from typing import Literal, NamedTuple


class TickValue(NamedTuple):
    """A parsed label. ``value`` includes multipliers ("1.2k" is 1200); ``unit`` is a symbol ("%", "$", "°C") or ""."""

    value: float
    kind: Literal["number", "date"]
    unit: str = ""
    digits: int = 0  # decimals printed
    multiplier: float = 1.0


MONTHS = {
    m: i
    for i, names in enumerate(
        (
            ("jan", "january"),
            ("feb", "february"),
            ("mar", "march"),
            ("apr", "april"),
            ("may",),
            ("jun", "june"),
            ("jul", "july"),
            ("aug", "august"),
            ("sep", "sept", "september"),
            ("oct", "october"),
            ("nov", "november"),
            ("dec", "december"),
        )
    )
    for m in names
}

_MULTIPLIERS = {
    "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "mln": 1e6, "MM": 1e6, "B": 1e9, "b": 1e9, "bn": 1e9, "G": 1e9,
    "T": 1e12, "tn": 1e12, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mil": 1e6, "bil": 1e9,
}  # fmt: skip
_CURRENCY = "$€£¥₹"
_SLIPS = str.maketrans(
    {"O": "0", "o": "0", "Q": "0", "D": "0", "l": "1", "I": "1", "|": "1", "S": "5", "B": "8", "Z": "2"}
)
_NUMBER = re.compile(
    r"^(?P<neg>[-(]?)\s?(?P<cur>(?:US\$|[$€£¥₹])?)\s?(?P<neg2>-?)"
    r"(?P<num>\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?|\d{1,3}(?: \d{3}){1,4}|\d{1,15}(?:\.\d{1,8})?|\.\d{1,8})"
    r"(?:[eE](?P<exp>[-+]?\d{1,2}))?\)?\s?"
    r"(?P<mult>k|K|m|M|mn|mln|MM|B|b|bn|G|T|tn|thousand|million|billion|trillion|mil|bil)?\.?\s?"
    r"(?P<unit>%|‰|°\s?[CF]?|[€£$¥]|percent|pct|years?|yrs?|km|kg|cm|mm|m²|USD|EUR|GBP)?\)?$"
)


def clean_label(text: str) -> str:
    """A label without the tick marks and footnote stars that stick to it."""
    t = text.strip().replace("−", "-").replace("–", "-").replace("—", "-").replace("﹣", "-").replace("’", "'")
    t = t.strip("_|·•、。`~=>< \t")
    t = re.sub(r"(?<=\w)[*†‡]{1,3}$", "", t)
    t = re.sub(r"(?<=[\w)%])\s?[-.,_:;·]{1,2}$", "", t)
    return t.strip()


def parse_tick(text: str) -> TickValue | None:
    """The number or date of a label, or ``None`` when it is neither.

    A lone four-digit number from 1500 to 2200 comes back as a number: only its neighbours tell whether it is a year.
    """
    t = clean_label(text)
    if not t or len(t) > 40:
        return None
    return _parse_number(t) or _parse_date(t)


def _parse_number(t: str) -> TickValue | None:
    m = _NUMBER.match(t)
    if not m:
        # letters for digits, only where most of the label is digits anyway
        body = t.rstrip("%")
        digits = sum(c.isdigit() for c in body)
        if digits * 2 < len(body) or not re.fullmatch(r"[-$]?[\dOoQDlI|SBZ.,]{1,12}", body):
            if body in ("O", "o", "Q", "D"):
                return TickValue(0.0, "number", "%" if t.endswith("%") else "")
            return None
        m = _NUMBER.match(body.translate(_SLIPS) + ("%" if t.endswith("%") else ""))
        if not m:
            return None
    raw = m["num"]
    if re.fullmatch(r"\d{1,3}(?: \d{3})+", raw):
        raw = raw.replace(" ", "")
    raw = raw.replace(",", "")
    value = float(raw)
    if m["exp"]:
        value *= 10.0 ** int(m["exp"])
    multiplier = _MULTIPLIERS.get(m["mult"] or "", 1.0)
    if m["neg"] or m["neg2"]:
        value = -value
    unit = (m["cur"] or "").replace("US$", "$") or (m["unit"] or "").replace(" ", "")
    digits = len(raw.split(".")[1]) if "." in raw else 0
    value *= multiplier
    if not math.isfinite(value):
        return None
    return TickValue(value, "number", unit, digits, multiplier)


def year_of(two: str) -> int:
    """A two-digit year: '00–'39 are 2000s, the rest 1900s."""
    y = int(two)
    return 2000 + y if y < 40 else 1900 + y


_Y4 = r"(?P<y>(?:1[5-9]|20|21)\d\d)"
_DATES = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"^{_Y4}$",
        r"^'(?P<yy>\d\d)$",
        rf"^(?P<mon>[a-z]{{3,9}})\.?\s?,?\s?(?:(?P<d>\d{{1,2}})\s?,\s?)?{_Y4}$",
        r"^(?P<mon>[a-z]{3,9})\.?\s?[-']{1,2}\s?(?P<yy>\d\d)$",
        rf"^{_Y4}[-/ ](?P<m>\d{{1,2}})(?:[-/](?P<d>\d{{1,2}}))?$",
        rf"^(?P<m>\d{{1,2}})[/.-]{_Y4}$",
        rf"^(?P<d>\d{{1,2}})\s(?P<mon>[a-z]{{3,9}})\.?\s{_Y4}$",
        rf"^(?:q(?P<q>[1-4])|(?P<q2>[1-4])q)\s?'?\s?{_Y4}$",
        r"^(?:q(?P<q>[1-4])|(?P<q2>[1-4])q)\s?'?\s?(?P<yy>\d\d)$",
        rf"^{_Y4}\s?[-,]?\s?q(?P<q>[1-4])$",
        rf"^{_Y4}\s?[/-]\s?\d{{2}}$",
        rf"^{_Y4}\s?[/-]\s?(?:19|20)\d\d$",
        rf"^(?:fy|in|mid)\s?{_Y4}$",
        rf"^{_Y4}\s?[a-z]{{1,3}}$",
    )
)


def _parse_date(t: str) -> TickValue | None:
    for pattern in _DATES:
        m = pattern.match(t)
        if not m:
            continue
        g = m.groupdict()
        year = float(g["y"]) if g.get("y") else float(year_of(g["yy"]))
        if g.get("mon"):
            month = MONTHS.get(g["mon"].lower())
            if month is None:
                continue
            return TickValue(year + month / 12 + (int(g["d"]) - 1) / 365 if g.get("d") else year + month / 12, "date")
        if g.get("m"):
            month = int(g["m"])
            if not g.get("d") and month == (year + 1) % 100:
                return TickValue(year, "date")  # a season or fiscal year, 2008/09
            if not 1 <= month <= 12:
                continue
            return TickValue(year + (month - 1) / 12, "date")
        quarter = g.get("q") or g.get("q2")
        if quarter:
            return TickValue(year + (int(quarter) - 1) / 4, "date")
        return TickValue(year, "date")
    return None


def looks_like_years(values: list[float]) -> bool:
    """Whether plain numbers are years: all whole, within 1500–2200, spread over less than 400."""
    return bool(values) and all(1500 <= v <= 2200 and v == int(v) for v in values) and max(values) - min(values) < 400


_SCALES = (
    (re.compile(r"\bin (?:[\w.$€£]{1,12} ){0,3}?trillions?\b|\(?\btrillions?\b", re.I), 1e12, "trillion"),
    (re.compile(r"\bbillions?\b|\bbn\b", re.I), 1e9, "billion"),
    (re.compile(r"\bmillions?\b|\bmn\b|\bmln\b", re.I), 1e6, "million"),
    (re.compile(r"\bthousands?\b|\b1[, ]?000s\b|\b000s\b|\(000\)", re.I), 1e3, "thousand"),
)


_JOINED = re.compile(r"\bin(?=(?:thousand|million|billion|trillion)s?\b)", re.I)


def scale_of(text: str) -> tuple[float, str]:
    """What "in millions" and its kin multiply by, and the word; ``(1.0, "")`` when nothing of the kind is said.

    In running text (titles) only the forms "in … millions" and "(… million …)" count: "500 million users" does not.
    """
    text = _JOINED.sub("in ", text)
    for pattern, scale, word in _SCALES:
        for m in pattern.finditer(text):
            before = text[: m.start()]
            if re.search(r"\d\s*$", before):
                continue
            if len(text) > 40 and not (re.search(r"\bin (?:[\w.$€£/]{1,15} ){0,4}$", before) or "in " in m.group(0)):
                opened = before.rfind("(") > before.rfind(")")
                if not opened:
                    continue
            return scale, word
    return 1.0, ""
