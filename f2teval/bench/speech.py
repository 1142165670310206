"""How writers say numbers, categories and subjects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Final

from f2teval.bench.table import Table

MONTH_NAMES: Final = {
    "Jan": "January",
    "Feb": "February",
    "Mar": "March",
    "Apr": "April",
    "May": "May",
    "Jun": "June",
    "Jul": "July",
    "Aug": "August",
    "Sep": "September",
    "Oct": "October",
    "Nov": "November",
    "Dec": "December",
}
GROUPS: Final = {
    "Men": "men",
    "Women": "women",
    "Republican": "Republicans",
    "Democrat": "Democrats",
    "Independent": "independents",
    "Urban": "urban residents",
    "Suburban": "suburban residents",
    "Rural": "rural residents",
    "Postgrad": "those with a postgrad degree",
    "College grad": "college grads",
    "Some college": "those with some college",
    "HS or less": "those with HS or less",
    "Ages 18-29": "adults ages 18-29",
    "30-49": "those ages 30-49",
    "50-64": "those ages 50-64",
    "65+": "those 65+",
}
SMALL: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


@dataclass(frozen=True, slots=True)
class Said:
    """A number as written: its words, the value they state (in the figure's unit), half of the last written digit,
    and whether they are hedged, with the direction of the hedge."""

    text: str
    value: float
    precision: float
    approx: bool = False
    bound: str = ""


def spread(values: list[float]) -> float:
    """The extent that differences are judged by: the range, at least a seventh of the largest magnitude."""
    return max(max(values) - min(values), max(abs(v) for v in values) / 7, 1e-9)


def say(rng: Random, v: float, table: Table, *, exact: bool, span: float) -> Said:
    """Put a value into words: as printed when ``exact``, else rounded to what can be read, mostly hedged."""
    if exact and rng.random() < 0.9:
        return _format(rng, v, table, table.decimals, "", False, "")
    step = _step(span * rng.choice((0.02, 0.05, 0.08)))
    step = max(step, 10.0**-table.decimals)
    near = round(v / step) * step
    if abs(near) < step / 2 and v != 0:
        near = v
    dec = max(0, -math.floor(math.log10(step) + 1e-9))
    if near == v:  # too small for the step: all its digits, lest rounding pass the bound that a hedge sets
        dec = max(dec, table.decimals)
    if rng.random() < 0.22:
        return _format(rng, near, table, dec, "", True, "")
    if near >= v and rng.random() < 0.5:
        hedge, bound = rng.choice(("nearly", "almost", "just under", "close to", "slightly below")), "upper"
    elif near <= v and rng.random() < 0.5:
        hedge, bound = rng.choice(("over", "just over", "slightly above", "a little more than", "more than")), "lower"
    else:
        hedge, bound = rng.choice(("about", "around", "approximately", "roughly")), ""
    if hedge == "close to":
        bound = ""
    return _format(rng, near, table, dec, hedge + " ", True, bound)


def _step(x: float) -> float:
    mag = 10.0 ** math.floor(math.log10(x))
    return mag * (5 if x / mag >= 5 else 2 if x / mag >= 2 else 1)


def _format(rng: Random, v: float, table: Table, dec: int, hedge: str, approx: bool, bound: str) -> Said:
    v = round(v, dec) + 0.0
    digits = f"{v:,.{dec}f}"
    half = 0.5 * 10.0**-dec
    unit = table.unit
    if dec > table.decimals:
        half = 0.5 * 10.0**-table.decimals
    if table.symbol == "%":
        text = digits + rng.choice(("%", "%", "%", " percent"))
    elif unit == "fraction":
        if rng.random() < 0.45:
            text = f"{v * 100:.{max(0, dec - 2)}f}%"
            if dec < 2:
                half = 0.005
        else:
            text = digits
    elif table.symbol == "$":
        word = unit.split(" U.S.")[0] if unit.startswith(("million", "billion", "thousand")) else ""
        if word:
            text = rng.choice((f"${digits} {word}", f"{digits} {word} U.S. dollars", f"{digits} {word} dollars"))
        else:
            tail = unit.removeprefix("U.S. dollars")
            text = rng.choice((f"${digits}{tail}", f"{digits} U.S. dollars{tail}", f"${digits}"))
        text = text.replace("$-", "-$")
    elif not unit:
        text = digits if rng.random() < 0.85 else digits.replace(",", "")
    elif unit in ("million", "thousand", "billion"):
        text = f"{digits} {unit}"
    else:
        text = f"{digits} {unit}" if rng.random() < 0.8 else digits
    return Said(hedge + text, v, half, approx, bound)


def when(table: Table, category: str, rng: Random) -> tuple[str, str]:
    """A time category with its preposition and bare: "in 2014", "2014"."""
    name = category
    if category in MONTH_NAMES:
        name = MONTH_NAMES[category] if rng.random() < 0.7 else category
    elif category.split(" ")[0] in MONTH_NAMES and table.form == "ohlc":
        month, day = category.split(" ")
        name = f"{MONTH_NAMES[month]} {day}" if rng.random() < 0.6 else category
        return f"on {name}", name
    if table.category_kind == "numeric":
        return f"in the {name} bin", f"the {name} bin"
    return f"in {name}", name


def listing(items: list[str]) -> str:
    """ "a, b and c"."""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def respondents(rng: Random, category: str, table: Table) -> str:
    """A group of a poll as a noun phrase."""
    if category in GROUPS:
        return GROUPS[category]
    if table.category_kind == "time":
        return rng.choice((f"respondents in {category}", f"those asked in {category}", f"adults in {category}"))
    if category.startswith(("$", "Less")):
        return f"those earning {category[0].lower() + category[1:] if category[0] == 'L' else category}"
    return rng.choice((f"people in {category}", f"respondents in {category}", f"adults in {category}"))


def lower_first(text: str) -> str:
    """Lower the first letter unless the word is an acronym or a name in capitals."""
    return text[0].lower() + text[1:] if len(text) > 1 and text[1].islower() else text
