"""Wrong arithmetic inside a text: changes, shares, majorities, differences and counts that do not add up.

Only what the text itself states is used; a tolerance follows how each number is written.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from f2teval.claims.claim import Issue, Quantity
from f2teval.claims.issues.material import Material

_TIME: Final = frozenset({"year", "date"})
_PEOPLE: Final = (
    r"people|adults|americans|respondents|participants|voters|users|women|men|students|households|population|workers"
    r"|democrats|republicans|independents|whites|blacks|hispanics|latinos|residents|citizens|teens|parents|children"
    r"|those|the public|the population|countries|states|households|patients|companies|consumers"
)
_OF_PEOPLE: Final = re.compile(rf"\s(?:of|among)\s(?:(?:all|the|these|u\.s\.|american|our)\s)?(?:{_PEOPLE})\b", re.I)


def _slack(q: Quantity) -> float:
    """How far the true value may lie from the written one."""
    if q.approximate:
        return max(2 * q.precision, 0.05 * abs(q.value))
    return q.precision


def from_to(m: Material) -> Iterator[Issue]:
    """ "increased from 15 … to 15 …", "up from 58% to 38%": the two ends do not go that way."""
    text = m.words.text
    for n, quantities in enumerate(m.quantities):
        plain = [q for q in quantities if q.kind == "number"]
        if len(plain) < 2:
            continue
        for a, b in itertools.pairwise(plain):
            if not _is_from_to(text, a, b, m.words.spans[n][0]):
                continue
            if a.unit != b.unit or (a.scale != b.scale and max(a.value, b.value) < 1000):
                continue
            way = _way_before(m, n, a.start)
            if not way:
                continue
            first, second = m.words.text[a.start : a.end], text[b.start : b.end]
            if a.value == b.value and a.bound == b.bound:
                note = f"from {first} to {second} is no change"
                yield _over(m, "from_to", "contradiction", n, a.start, b.end, 0.9, note)
                break
            down = b.value < a.value - 1e-12
            if (way == "up") == down and abs(b.value - a.value) > 0.5 * (_slack(a) + _slack(b)):
                note = f"from {first} to {second} is {'a fall' if down else 'a rise'}"
                yield _over(m, "from_to", "contradiction", n, a.start, b.end, 0.85, note)
                break


_FROM: Final = re.compile(r"\bfrom\s(?:(?!to\s)[^\d\s]{1,12}\s){0,4}$")
_TO: Final = re.compile(r"[^.;]{0,60}?\bto\s(?:\S{1,12}\s){0,3}$")


def _is_from_to(text: str, a: Quantity, b: Quantity, start: int) -> bool:
    before = text[max(start, a.start - 40) : a.start]
    between = text[a.end : b.start]
    return bool(_FROM.search(before)) and len(between) < 80 and bool(_TO.match(between)) and " from " not in between


def _way_before(m: Material, n: int, at: int) -> str:
    """The last direction stated before an offset in the sentence, if it is one only."""
    ways = [(d, m.words.start[t]) for d, t in m.frames[n].directions if d in {"up", "down"} and m.words.start[t] < at]
    if not ways:
        return ""
    last = ways[-1]
    return last[0] if at - last[1] < 120 else ""


def change_size(m: Material) -> Iterator[Issue]:
    """ "from 10 to 15, an increase of 20%": the size of the change does not follow from its ends."""
    text = m.words.text
    for n, quantities in enumerate(m.quantities):
        plain = [q for q in quantities if q.kind in {"number", "multiplier", "fraction"}]
        if len(plain) < 3:
            continue
        for k in range(len(plain) - 2):
            a, b, d = plain[k], plain[k + 1], plain[k + 2]
            if not _is_from_to(text, a, b, m.words.spans[n][0]) or a.unit != b.unit or a.value == 0:
                continue
            between = text[b.end : d.start].lower()
            if not re.search(
                r"\b(?:increase|decrease|rise|drop|decline|growth|gain|fall|reduction|jump|change)\b", between
            ):
                continue
            if not re.search(r"\b(?:of|by)\s(?:\S{1,14}\s){0,2}$", between) and "a " not in between:
                continue
            points = abs(b.value - a.value)
            percent = 100 * points / abs(a.value)
            slack = _slack(a) + _slack(b) + _slack(d)
            if d.unit == "%":
                ok = abs(percent - abs(d.value)) <= 1 + slack * 100 / abs(a.value) + 0.05 * percent
                ok = ok or (a.unit == "%" and abs(points - abs(d.value)) <= 1 + slack)
            elif d.unit == "pp":
                ok = abs(points - abs(d.value)) <= 0.51 + slack
            elif d.kind == "number" and d.unit == a.unit and d.scale == a.scale:
                ok = abs(points - abs(d.value)) <= slack + 0.02 * points
            else:
                continue
            if not ok:
                right = f"{points:g}" if d.unit in {"pp", a.unit} and d.unit != "%" else f"{percent:.0f}%"
                note = f"the change is {right}" + (f" ({points:g} points)" if a.unit == "%" and d.unit == "%" else "")
                yield _over(m, "change_size", "magnitude", n, d.start, d.end, 0.8, note)


# "about a quarter (24%)": the words and the number in brackets must agree
_PORTIONS: Final[tuple[tuple[re.Pattern[str], float, float], ...]] = tuple(
    (re.compile(p, re.I), lo, hi)
    for p, lo, hi in (
        (r"\b(?:more than|over) half\b", 49.5, 75),
        (r"\b(?:less than|fewer than|under) half\b", 20, 50.5),
        (r"\b(?:nearly|almost|just under) half\b", 42, 50.5),
        (r"\b(?:about|roughly|around) half\b(?! as)", 44, 56),
        (r"\b(?:vast|overwhelming|large|strong|solid|clear) majorit(?:y|ies)\b", 55, 100),
        (r"\bmajorit(?:y|ies)\b", 49.5, 100),
        (r"\bmost (?!of the time)", 49.5, 100),
        (r"\b(?:two[- ]thirds)\b", 60, 73),
        (r"\b(?:a|one)[- ]third\b", 28, 39),
        (r"\b(?:three[- ]quarters)\b", 70, 80),
        (r"\b(?:a|one)[- ]quarter\b", 20, 30),
        (r"\bone[- ]in[- ]ten\b", 6, 14.5),
        (r"\b(?:one[- ]in[- ]five)\b", 16, 24),
        (r"\btwo[- ]in[- ]ten\b", 15.5, 24.5),
        (r"\bthree[- ]in[- ]ten\b", 25.5, 34.5),
        (r"\bfour[- ]in[- ]ten\b", 35.5, 44.5),
        (r"\bsix[- ]in[- ]ten\b", 55.5, 64.5),
        (r"\bseven[- ]in[- ]ten\b", 65.5, 74.5),
        (r"\beight[- ]in[- ]ten\b", 75.5, 84.5),
        (r"\bnine[- ]in[- ]ten\b", 85.5, 94.5),
    )
)
_PERCENT_MAJORITY: Final = re.compile(r"\b(?:a|an)\s(\d{1,3}(?:\.\d+)?)%\smajority\b", re.I)
_BRACKET: Final = re.compile(r"\(\s?(\d{1,3}(?:\.\d+)?)\s?%\)")


def portion(m: Material) -> Iterator[Issue]:
    """ "a majority (41%)", "about a third (52%)": the words and the percentage in brackets disagree."""
    text = m.words.text
    if "%" not in m.vocabulary or m.vocabulary.isdisjoint({"(", "majority"}):
        return
    for n, (start, end) in enumerate(m.words.spans):
        for b in _BRACKET.finditer(text, start, end):
            window = text[max(start, b.start() - 70) : b.start()]
            window = window[max(window.rfind(")"), window.rfind(";")) + 1 :]
            found = _portion_in(window)
            if found is None:
                continue
            phrase, lo, hi = found
            value = float(b.group(1))
            if not lo <= value <= hi:
                note = f"“{phrase}” is not {b.group(1)}%"
                off = min(abs(value - lo), abs(value - hi))
                yield _over(m, "portion", "contradiction", n, b.start(), b.end(), min(0.95, 0.6 + off / 30), note)
        q = _PERCENT_MAJORITY.search(text, start, end)
        if q and float(q.group(1)) < 49.5:
            yield _over(m, "portion", "contradiction", n, q.start(), q.end(), 0.9, f"{q.group(1)}% is no majority")


def _portion_in(window: str) -> tuple[str, float, float] | None:
    """The portion named last in a window, the more telling reading first."""
    best: tuple[int, int, tuple[str, float, float]] | None = None
    for k, (p, lo, hi) in enumerate(_PORTIONS):
        for hit in p.finditer(window):
            before = window[: hit.start()].lower()
            if re.search(r"(?:more|fewer|less) than (?:an? )?$|(?:over|under|above|below) (?:an? )?$", before):
                rising = bool(re.search(r"(?:more than|over|above) (?:an? )?$", before))
                lo, hi = (lo, min(100.0, hi + 15)) if rising else (max(0.0, lo - 15), hi)
            at = hit.end()
            if best is None or at > best[0]:
                best = (at, -k, (hit.group().strip(), lo, hi))
    return best[2] if best else None


_VERSUS: Final = re.compile(
    r"\(\s?(\d{1,3}(?:\.\d+)?)%?\s(?:vs\.?|versus|to|compared (?:to|with))\s(\d{1,3}(?:\.\d+)?)%"
)
_POINTS: Final = re.compile(
    r"\b(\d{1,3}(?:\.\d+)?)[ -](?:percentage[ -])?points?\s(more|less|higher|lower|fewer|greater)", re.I
)


def versus(m: Material) -> Iterator[Issue]:
    """ "more likely than … (48% vs. 53%)": the pair in brackets goes the other way or differs by another size."""
    text = m.words.text
    for n, (start, end) in enumerate(m.words.spans):
        for v in _VERSUS.finditer(text, start, end):
            a, b = float(v.group(1)), float(v.group(2))
            window = text[max(start, v.start() - 160) : v.start()]
            points = list(_POINTS.finditer(window))
            if points and abs(abs(a - b) - float(points[-1].group(1))) > 1.01:
                note = f"{v.group(1)} and {v.group(2)} differ by {abs(a - b):g}"
                yield _over(m, "versus", "contradiction", n, v.start(), v.end(), 0.85, note)
                continue
            more = re.search(r"\b(?:more likely|higher|more|larger|greater)\b[^()]{0,120}\bthan\b", window, re.I)
            less = re.search(r"\b(?:less likely|lower|fewer|less|smaller)\b[^()]{0,120}\bthan\b", window, re.I)
            if bool(more) == bool(less):
                continue
            if (more and a < b) or (less and a > b):
                note = f"{v.group(1)} is {'less' if a < b else 'more'} than {v.group(2)}"
                yield _over(m, "versus", "contradiction", n, v.start(), v.end(), 0.6, note)


_UP_FROM: Final = re.compile(
    r"[\s,]{1,2}(?:which (?:is|was)\s)?(up|down|an? increase|an? decrease)\sfrom\s(?:about\s|just\s)?$"
)


def up_from(m: Material) -> Iterator[Issue]:
    """ "58%, down from 58% in 2006", "38%, up from 44%"."""
    text = m.words.text
    for n, quantities in enumerate(m.quantities):
        plain = [q for q in quantities if q.kind == "number"]
        for a, b in itertools.pairwise(plain):
            if a.unit != b.unit or b.start - a.end > 60 or a.scale != b.scale:
                continue
            between = text[a.end : b.start]
            hit = _UP_FROM.search(between)
            if not hit or ")" in between[: hit.start()][1:]:
                continue
            up = hit.group(1) in {"up", "an increase", "a increase"}
            if a.value == b.value or (up and a.value < b.value) or (not up and a.value > b.value):
                note = f"{text[a.start : a.end]} is not {'up' if up else 'down'} from {text[b.start : b.end]}"
                yield _over(m, "up_from", "contradiction", n, a.start, b.end, 0.85, note)
                break


_N_OF_M: Final = re.compile(r"\b(all\s|all but\s)?(\d{1,3}) (?:out )?of (?:the |these )?(\d{1,3}) [a-z]", re.I)


def counts(m: Material) -> Iterator[Issue]:
    """ "all 13 of 14 countries", "15 of 12", a share of people over 100%."""
    text = m.words.text
    low = m.words.low
    counted = any(low[t] == "of" and low[t - 1][0].isdigit() for t in range(1, len(low)))
    counted = counted or any(low[t] == "of" and low[t - 1] == "out" for t in range(1, len(low)))
    for n, (start, end) in enumerate(m.words.spans):
        for c in _N_OF_M.finditer(text, start, end) if counted else ():
            some, total = int(c.group(2)), int(c.group(3))
            whole = (c.group(1) or "").strip().lower() == "all"
            if some > total or (whole and some != total):
                note = f"{some} of {total}" + (" is not all" if whole and some < total else " cannot be")
                yield _over(m, "counts", "nonsense", n, c.start(), c.end() - 2, 0.8, note)
        for q in m.quantities[n]:
            if q.unit == "%" and q.value > 100.5 and _OF_PEOPLE.match(text, q.end):
                yield _over(m, "counts", "magnitude", n, q.start, q.end, 0.85, "a share cannot exceed 100%")


def spans_of_time(m: Material) -> Iterator[Issue]:
    """ "over the 5-year period from 2000 to 2010", "from 2014 to 2014", "between 2019 and 2010"."""
    text = m.words.text
    for n, quantities in enumerate(m.quantities):
        years = [q for q in quantities if q.kind == "year"]
        for a, b in itertools.pairwise(years):
            between = text[a.end : b.start]
            before = text[max(0, a.start - 12) : a.start].lower()
            if not re.fullmatch(r"\s?(?:to|through|until|and|-|–|—)\s?", between):
                if not re.search(r"\bto\s(?:\S+\s)?\S*\sin\s$", between):
                    continue
                if (
                    b.value == a.value
                    and re.search(r"\bin $", before)
                    and re.search(r"\bfrom\b", text[m.words.spans[n][0] : a.start])
                ):
                    yield _over(
                        m, "spans_of_time", "contradiction", n, a.start, b.end, 0.7, "begins and ends in the same year"
                    )
                continue
            joined = "and" not in between or "between" in before
            if not joined or not re.search(r"(?:from|between|in)\s$", before):
                continue
            if a.value == b.value:
                yield _over(
                    m, "spans_of_time", "contradiction", n, a.start, b.end, 0.7, "begins and ends in the same year"
                )
                break
            if b.value < a.value and "from" in before and a.value - b.value < 200:
                yield _over(m, "spans_of_time", "contradiction", n, a.start, b.end, 0.35, "ends before it begins")
                break
            sentence = text[m.words.spans[n][0] : m.words.spans[n][1]]
            size = re.search(r"\b(\d{1,3})[- ]year (?:period|span|time|stretch|interval|range)", sentence)
            length = b.value - a.value
            if size and abs(float(size.group(1)) - length) > 1.01:
                at = m.words.spans[n][0] + size.start()
                note = f"{text[a.start : a.end]} to {text[b.start : b.end]} is {length:g} years"
                yield _over(m, "spans_of_time", "contradiction", n, at, at + len(size.group()), 0.75, note)
                break


def sums(m: Material) -> Iterator[Issue]:
    """Parts of one whole that add up to far more than 100%."""
    text = m.words.text
    for n, (start, end) in enumerate(m.words.spans):
        parts = [q for q in m.quantities[n] if q.unit == "%" and q.kind == "number" and q.value > 0]
        if len(parts) < 3:
            continue
        total = sum(q.value for q in parts)
        sentence = text[start:end].lower()
        if total > 112 and re.search(r"\b(?:remaining|the rest)\b", sentence):
            yield _over(
                m, "sums", "contradiction", n, parts[0].start, parts[-1].end, 0.6, f"the parts add up to {total:g}%"
            )


def followed_by(m: Material) -> Iterator[Issue]:
    """ "highest is A at 45%, followed by B at 50%": the order the words give is not that of the numbers."""
    text = m.words.text
    for n, quantities in enumerate(m.quantities):
        plain = [q for q in quantities if q.kind == "number"]
        ways = {d for d, _ in m.frames[n].directions}
        for a, b in itertools.pairwise(plain):
            if a.unit != b.unit or a.scale != b.scale:
                continue
            between = text[a.end : b.start].lower()
            if not re.search(r"\bfollowed (?:closely )?by\b", between) or between.count(",") > 2:
                continue
            if "lowest" in ways or not ways & {"highest", "up", "higher"}:
                continue
            if b.value > a.value + _slack(a) + _slack(b):
                note = f"{text[b.start : b.end]} is more than {text[a.start : a.end]}"
                yield _over(m, "followed_by", "contradiction", n, a.start, b.end, 0.6, note)


_SAME_ENDS: Final = re.compile(r"(?<![\d.,])(\d{2,4})-? to (\d{2,4})-[a-z]")


def same_ends(m: Material) -> Iterator[Issue]:
    """ "34- to 34-year-olds": a range that begins and ends in the same number."""
    if "to" not in m.vocabulary or "-" not in m.vocabulary:
        return
    for n, (start, end) in enumerate(m.words.spans):
        for r in _SAME_ENDS.finditer(m.words.text, start, end):
            if r.group(1) == r.group(2):
                yield _over(m, "same_ends", "nonsense", n, r.start(), r.end() - 2, 0.75, "begins and ends alike")


def same_said_twice(m: Material) -> Iterator[Issue]:
    """ "55% say it has been good, while 33% say it has been good": two numbers for one answer."""
    low, start = m.words.low, m.words.start
    if "%" not in m.vocabulary:
        return
    for n, (i, j) in enumerate(m.words.sentences):
        marks = [t for t in range(i, j - 4) if low[t] == "%" and low[t - 1][0].isdigit()]
        for a, b in itertools.pairwise(marks):
            same = 0
            while same < 12 and b + 1 + same < j and low[a + 1 + same] == low[b + 1 + same] and a + 1 + same < b - 1:
                same += 1
            free = low[b - 2] in {"and", "while", "but", ",", "whereas"}
            words = [w for w in low[a + 1 : a + 1 + same] if w[0].isalpha()]
            if free and len(words) >= 6 and low[a - 1] != low[b - 1]:
                yield _over(
                    m, "same_said_twice", "contradiction", n, start[b - 1], m.words.end[b + same], 0.7,
                    f"{low[a - 1]}% and {low[b - 1]}% are said to say the same",
                )  # fmt: skip
                break


def _over(m: Material, detector: str, kind: str, n: int, start: int, end: int, confidence: float, note: str) -> Issue:
    return Issue(kind, n, start, end, m.words.text[start:end][:200], "", note, confidence, detector)
