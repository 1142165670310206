"""Numbers of every spelling in a text: digits, words, fractions, multipliers, ordinals, years and dates.

Two passes of regular expressions without nested repetition (linear in the text), then units, scales, hedges ("about",
"just under") and ranges ("11-12%", "from 3 to 5 million") are read off the words around each number.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, Literal

from f2teval.claims.claim import Quantity
from f2teval.claims.dates import find_dates
from f2teval.claims.wordset import wordset

SCALES: Final[dict[str, float]] = {
    "hundred": 1e2, "k": 1e3, "thousand": 1e3, "thousands": 1e3, "lakh": 1e5, "m": 1e6, "mn": 1e6, "mil": 1e6,
    "mln": 1e6, "million": 1e6, "millions": 1e6, "crore": 1e7,
     "b": 1e9, "bn": 1e9, "bln": 1e9, "billion": 1e9, "billions": 1e9,
    "t": 1e12, "tn": 1e12, "trillion": 1e12, "trillions": 1e12,
}  # fmt: skip
"""What a scale word or suffix multiplies by."""

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS: Final[dict[str, int]] = {w: i for i, w in enumerate(_ONES)} | {
    w: 20 + 10 * i for i, w in enumerate(_TENS)
}
_PARTS: Final[dict[str, int]] = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
    "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "tenth": 10,
    "tenths": 10,
}  # fmt: skip
ORDINAL_WORDS: Final[dict[str, int]] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_TIMES: Final[dict[str, float]] = {
    "twice": 2, "thrice": 3, "doubled": 2, "doubles": 2, "doubling": 2, "double": 2, "tripled": 3, "triples": 3,
    "tripling": 3, "triple": 3, "trebled": 3, "quadrupled": 4, "quadruples": 4, "quadrupling": 4, "quadruple": 4,
    "quintupled": 5, "halved": 0.5, "halving": 0.5, "halves": 0.5, "twofold": 2, "threefold": 3, "fourfold": 4,
    "fivefold": 5, "sixfold": 6, "sevenfold": 7, "eightfold": 8, "ninefold": 9, "tenfold": 10,
}  # fmt: skip

_SPACE = "[ \\u00a0\\u202f\\u2009]"
_DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:[\u00a0\u202f\u2009 ]\d{3})+(?![\d.%,]*\d|%)"
    r"|\d+(?:\.\d+)?|\.\d+)"
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−–+](?=[$€£¥.\d]))?(?P<cur>(?:US|A|C|NZ|HK)?[$€£¥₹]{_SPACE}?)?(?P<sign2>[-−](?=[.\d]))?"
    rf"(?P<num>{_DIGITS})"
    rf"(?P<suffix>st\b|nd\b|rd\b|th\b|[-\s]?fold\b|x\b|×|{_SPACE}?%|[kKmMbBtT](?![A-Za-z])|[mb]n\b"
    rf"|(?=[A-Za-z])(?!\d))?",
)
_SCALE_AFTER = re.compile(
    r"[\s-]{1,2}(hundred|thousands?|lakh|crore|millions?|billions?|trillions?|mil|mln|mn|bln|bn|tn)\b\.?(?!-)", re.I
)
_UNIT_AFTER = re.compile(
    r"[\s-]{0,2}(percentage[\s-]points?|percent(?:age)?s?\b|per\s?cent\b|pct\b|%[\s-]points?|%|points?\b|pp\b|ppt\b"
    r"|(?:U\.?S\.?\s)?dollars?\b|euros?\b|USD\b|EUR\b|GBP\b|(?:British\s)?pounds?\s(?:sterling)\b|times\b|fold\b|x\b)",
    re.I,
)
_POINTS = re.compile(r"[\s-]points?\b", re.I)
_WORDS = "|".join(sorted([*_ONES, *_TENS], key=len, reverse=True))
_SMALL = rf"(?:(?:{'|'.join(_TENS)})[-\s](?:{'|'.join(_ONES[1:10])})|{_WORDS})"
_PART = "|".join(sorted(_PARTS, key=len, reverse=True))
_WORD_NUMBER = re.compile(
    rf"\b(?:(?P<n>{_SMALL}|\d{{1,3}})[-\s](?:in|out[-\s]of)[-\s](?:every[-\s])?(?P<m>{_SMALL}|\d{{1,4}})\b(?!\s?%)"
    rf"|(?P<num>{_SMALL}|an?)[-\s](?P<part>{_PART})\b"
    rf"|(?P<mixed>{_SMALL}|an?)\s(?:and\sa\shalf)\s(?P<mixscale>times|million|billion|percent|years)"
    rf"|(?P<big>{_SMALL}|an?|several)[-\s](?P<scale>hundred|thousand|million|billion|trillion|dozen)\b"
    rf"(?:\s(?:and\s)?(?P<rest>{_SMALL})\b)?"
    rf"|(?P<small>{_SMALL})(?:-fold\b)?"
    rf"|(?P<half>half|halves|majority)"
    rf"|(?P<times>{'|'.join(sorted(_TIMES, key=len, reverse=True))})"
    rf"|(?P<ordinal>{'|'.join(ORDINAL_WORDS)})"
    r")\b",
    re.I,
)
_OPENER = re.compile(r"[A-Za-z]+|(?<![\w.,])\d{1,3}(?=[-\s](?:in|out)\b)")
_OPENERS: Final = frozenset(
    [*_ONES, *_TENS, "a", "an", "several", "half", "halves", "majority", *_TIMES, *ORDINAL_WORDS]
)
# The words before a number that widen it. Longest first; the side it is then on, and whether it stays near.
_HEDGES: Final[tuple[tuple[str, str, bool], ...]] = (
    (r"(?:just|slightly|a\slittle|a\sbit|marginally|barely|fractionally)\s(?:over|above|more\sthan|higher\sthan|past"
     r"|exceeding|greater\sthan|north\sof)|upwards?\sof", "lower", True),
    (
        r"(?:just|slightly|a\slittle|a\sbit|marginally|fractionally)\s(?:under|below|less\sthan|lower\sthan|shy\sof"
        r"|short\sof"
     r"|fewer\sthan|beneath|south\sof)|nearly|almost|approaching|nearing|not\squite", "upper", True),
    (r"over|above|more\sthan|higher\sthan|greater\sthan|at\sleast|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beyond|past"
     r"|no\s(?:less|fewer)\sthan|a\sminimum\sof|top(?:s|ped|ping)|north\sof|>", "lower", False),
    (r"under|below|less\sthan|fewer\sthan|lower\sthan|smaller\sthan|at\smost|up\sto|no\smore\sthan|a\smaximum\sof"
     r"|beneath|short\sof|<", "upper", False),
    (r"about|around|approximately|approx\.?|roughly|some|circa|ca\.?|c\.|close\sto|near|nearby|an\sestimated|estimated"
     r"(?:\sat)?|in\sthe\s(?:region|vicinity|neighbou?rhood)\sof|something\slike|somewhere\saround|hovering\saround"
     r"|more\sor\sless|on\sthe\sorder\sof|~|≈|∼", "", True),
)  # fmt: skip
_HEDGE = re.compile(
    r"(?:^|[\s(\[—–,;:\"'“‘/])(?:" + "|".join(f"(?P<h{i}>{p})" for i, (p, _, _) in enumerate(_HEDGES))
    + r")\s?(?:the\s|an?\s|of\s|only\s|just\s)?$", re.I,
)  # fmt: skip
_HEDGE_WINDOW: Final = 36
_PASSED: Final = frozenset({"the", "a", "an", "of", "only", "just"})
_HEDGE_ENDS: Final = wordset(
    """over above than past exceeding of under below shy beneath nearly almost approaching nearing quite least exceed
    exceeds exceeded surpass surpasses surpassed surpassing beyond tops topped topping most to about around
    approximately approx approx. roughly some circa ca ca. c. near nearby estimated at like less more ~ ≈ ∼ < >"""
)
_OR_MORE = re.compile(r"\s?(?:\+|plus\b|or\s(?:more|higher|above|greater)|and\s(?:above|over))", re.I)
_OR_LESS = re.compile(r"\s?or\s(?:less|fewer|lower|below)", re.I)
_RANGE_JOINT = re.compile(r"\s?(?:-|–|—|−|to|and|or|through)\s?", re.I)
_MAX_DIGITS: Final = 24

_Kind = Literal["number", "ordinal", "multiplier", "fraction"]


def find_quantities(text: str) -> list[Quantity]:
    """All numbers of ``text`` in order, non-overlapping, with value, unit, scale, precision and hedge. Linear time."""
    found: list[Quantity] = find_dates(text)
    taken = sorted((q.start, q.end) for q in found)
    found += _outside(taken, _word_numbers(text))
    taken = sorted((q.start, q.end) for q in found)
    found += _outside(taken, _digit_numbers(text))
    found.sort(key=lambda q: q.start)
    return _share_units(text, found)


def _outside(taken: list[tuple[int, int]], candidates: list[Quantity]) -> list[Quantity]:
    """Those candidates (in order) that overlap none of ``taken`` (in order)."""
    kept: list[Quantity] = []
    i = 0
    for q in candidates:
        while i < len(taken) and taken[i][1] <= q.start:
            i += 1
        if i == len(taken) or taken[i][0] >= q.end:
            kept.append(q)
    return kept


def _digit_numbers(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    for m in _NUMBER.finditer(text):
        digits = m.group("num")
        if len(digits) > _MAX_DIGITS:
            continue
        plain = re.sub(r"[,\s]", "", digits)
        value = float(plain)
        precision = 0.5 * 10.0 ** -(len(plain) - plain.index(".") - 1) if "." in plain else 0.5
        suffix = (m.group("suffix") or "").strip().lower()
        end = m.end() if suffix else m.end("num")
        start = m.start("num")
        if m.group("cur"):
            start = m.start("cur")
        if m.group("sign") in {"-", "−", "–"} or m.group("sign2"):
            value = -value
            start = min(start, m.start("sign") if m.group("sign") else start)
        unit = (m.group("cur") or "").strip()
        kind: _Kind = "number"
        scale = 1.0
        if suffix in {"st", "nd", "rd", "th"}:
            found.append(Quantity(start, end, text[start:end], value, kind="ordinal"))
            continue
        if suffix.endswith("fold") or suffix in {"x", "×"}:
            kind = "multiplier"
        elif suffix == "%":
            unit = "%"
        elif suffix:
            scale = SCALES[suffix]
        value, precision, scale, unit, end, kind = _tail(text, end, value, precision, scale, unit, kind)
        found.append(_hedged(text, start, end, value, precision, scale, unit, kind))
    return found


def _tail(
    text: str, end: int, value: float, precision: float, scale: float, unit: str, kind: _Kind
) -> tuple[float, float, float, str, int, _Kind]:
    """Scale words and units written after the number."""
    if unit != "%" and kind == "number":
        m = _SCALE_AFTER.match(text, end)
        if m:
            scale *= SCALES[m.group(1).lower()]
            end = m.end(1)
        m = _UNIT_AFTER.match(text, end)
        if m:
            word = m.group(1).lower()
            if word in {"times", "fold", "x"}:
                kind = "multiplier"
            else:
                unit = _unit_name(word)
            end = m.end()
    elif unit == "%":
        m = _POINTS.match(text, end)
        if m:
            unit, end = "pp", m.end()
    return value * scale, precision * scale, scale, unit, end, kind


def _unit_name(word: str) -> str:
    if "point" in word or word in {"pp", "ppt"}:
        return "pp"
    if word.startswith(("perc", "pct", "%", "per ")) or word == "per cent":
        return "%"
    if "dollar" in word or word == "usd":
        return "$"
    if word.startswith("eur"):
        return "€"
    return "£"


def _word_numbers(text: str) -> list[Quantity]:
    # The long pattern is tried only where a word stands that can open it.
    found: list[Quantity] = []
    end = 0
    for opener in _OPENER.finditer(text):
        start = opener.start()
        if start < end or (opener.group().lower() not in _OPENERS and not opener.group().isdigit()):
            continue
        m = _WORD_NUMBER.match(text, start)
        if m is None:
            continue
        end = m.end()
        q = _word_number(text, m)
        if q is not None:
            found.append(q)
    return found


def _value_of(word: str) -> float:
    w = word.lower()
    if w in {"a", "an"}:
        return 1.0
    if w.isdigit():
        return float(w)
    return float(sum(NUMBER_WORDS[p] for p in re.split(r"[-\s]", w)))


def _word_number(text: str, m: re.Match[str]) -> Quantity | None:
    start, end = m.span()
    if m.group("n"):
        n, total = _value_of(m.group("n")), _value_of(m.group("m"))
        if total <= n or total not in {2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 100, 1000}:
            return None
        return _hedged(text, start, end, n / total, 0.5 / total, 1.0, "", "fraction")
    if m.group("part"):
        part = m.group("part").lower()
        before = m.group("num").lower()
        if part == "quarter" and before in {"one", "a"} and re.match(r"\s(?:of\s)?(?:19|20)\d\d", text[end : end + 8]):
            return None
        if before in {"a", "an"} and part in ORDINAL_WORDS and not _is_share(text, end):
            return Quantity(start, end, text[start:end], float(ORDINAL_WORDS[part]), kind="ordinal")
        n, total = _value_of(before), float(_PARTS[part])
        return _hedged(text, start, end, n / total, 0.02, 1.0, "", "fraction") if n < total else None
    if m.group("mixed"):
        value = _value_of(m.group("mixed")) + 0.5
        word = m.group("mixscale").lower()
        if word == "times":
            return _hedged(text, start, end, value, 0.25, 1.0, "", "multiplier")
        scale = SCALES.get(word, 1.0)
        return _hedged(text, start, end, value * scale, 0.25 * scale, scale, "%" if word == "percent" else "", "number")
    if m.group("big"):
        if m.group("big").lower() == "several":
            return None
        scale = 12.0 if m.group("scale").lower() == "dozen" else SCALES[m.group("scale").lower()]
        value = _value_of(m.group("big")) * scale
        if m.group("rest"):
            value += _value_of(m.group("rest"))
        value, precision, scale, unit, end, _ = _tail(text, end, value, scale / 2, 1.0, "", "number")
        return _hedged(text, start, end, value, precision, scale, unit, "number")
    if m.group("small"):
        if text[m.end("small") : m.end("small") + 5].lower() == "-fold":
            return _hedged(text, start, end, _value_of(m.group("small")), 0.5, 1.0, "", "multiplier")
        value, precision, scale, unit, end, kind = _tail(
            text, m.end("small"), _value_of(m.group("small")), 0.5, 1.0, "", "number"
        )
        if value == 1 and not unit and kind == "number":
            return None  # "one of the countries", "one can see"
        return _hedged(text, start, end, value, precision, scale, unit, kind)
    if m.group("half"):
        if m.group("half").lower() != "half" or re.search(
            r"(?:first|second|latter|former|earlier|later|other|and\sa)\s$", text[max(0, start - 9) : start], re.I
        ):
            return None
        return _hedged(text, start, end, 0.5, 0.02, 1.0, "", "fraction")
    if m.group("times"):
        word = m.group("times").lower()
        if word == "double" and re.match(r"[-\s]digits?", text[end : end + 7]):
            return None
        return _hedged(text, start, end, _TIMES[word], 0.25 * _TIMES[word], 1.0, "", "multiplier")
    word = m.group("ordinal").lower()
    return Quantity(start, end, text[start:end], float(ORDINAL_WORDS[word]), kind="ordinal")


def _is_share(text: str, end: int) -> bool:
    """Whether "a third" is a share ("a third of", "a third say") and not a place in an order ("a third peak")."""
    m = re.match(r"\s([a-z]+)", text[end : end + 16])
    return not m or m.group(1) in {
        "of", "say", "said", "think", "believe", "are", "were", "have", "had", "in", "from", "since", "over", "to",
        "at", "between", "report", "reported", "identify", "feel", "see", "view", "less", "more", "as", "do", "did",
        "who",
    }  # fmt: skip


def _last_word(window: str) -> str:
    """The last word before a number, "the", "a", "of", "only" and "just" passed over."""
    words = window.rsplit(None, 2)[-2:]
    if not words:
        return ""
    last = words[-1].lower()
    if last in _PASSED and len(words) > 1 and last not in _HEDGE_ENDS:
        last = words[0].lower()
    return last.strip("([\"'“‘—–,;:/$€£") if last[-1:] not in "~≈∼<>" else last[-1]


def _hedged(
    text: str, start: int, end: int, value: float, precision: float, scale: float, unit: str, kind: _Kind
) -> Quantity:
    """The quantity with the hedge written around it."""
    bound: Literal["", "lower", "upper"] = ""
    approximate = near = False
    window = text[max(0, start - _HEDGE_WINDOW) : start]
    if _last_word(window) in _HEDGE_ENDS:
        m = _HEDGE.search(window)
        if m:
            i = next(i for i in range(len(_HEDGES)) if m.group(f"h{i}"))
            side, near = _HEDGES[i][1], _HEDGES[i][2]
            bound = "lower" if side == "lower" else "upper" if side == "upper" else ""
            approximate = True
            near = near and bool(bound)
    if not approximate:
        if _OR_MORE.match(text, end):
            approximate, bound = True, "lower"
        elif _OR_LESS.match(text, end):
            approximate, bound = True, "upper"
    return Quantity(start, end, text[start:end], value, unit, precision, approximate, bound, scale, kind, near)


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Gives the first end of a range the unit and scale of the second ("11-12%", "from 3 to 5 million")."""
    for i in range(len(found) - 2, -1, -1):
        a, b = found[i], found[i + 1]
        if a.kind != "number" or b.kind != "number" or b.start - a.end > 5:
            continue
        joined = _RANGE_JOINT.fullmatch(text, a.end, b.start) is not None
        if text[b.start : b.start + 1] in "-−–" and a.end == b.start and b.value < 0:
            # "11-12": the second was read as negative.
            b = replace(b, value=-b.value, start=b.start + 1, text=b.text[1:])
            found[i + 1] = b
            joined = True
        if not joined or a.unit in {"%", "pp"}:
            continue
        listed = text[a.end : b.start].strip().lower() in {"and", "or"}
        if listed and "between" not in text[max(0, a.start - 30) : a.start].lower():
            pass  # "12 and 1.5 million": two numbers, not the ends of a range
        elif a.scale == 1.0 and b.scale > 1.0 and a.value * b.scale <= b.value * 1000 and a.value < 1000:
            a = replace(a, value=a.value * b.scale, precision=a.precision * b.scale, scale=b.scale)
        elif a.scale > 1.0 and b.scale == 1.0 and not b.unit and b.value < 1000:
            b = found[i + 1] = replace(b, value=b.value * a.scale, precision=b.precision * a.scale, scale=a.scale)
        if not a.unit and b.unit:
            a = replace(a, unit=b.unit)
        elif a.unit and not b.unit and a.unit in "$€£":
            found[i + 1] = replace(b, unit=a.unit)
        if a.approximate and not b.approximate and a.bound == "":
            found[i + 1] = replace(found[i + 1], approximate=True)
        found[i] = a
    return found
