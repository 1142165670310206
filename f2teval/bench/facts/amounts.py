"""Statements about amounts: differences, ratios, shares, sums, means, ranges, counts."""

from __future__ import annotations

from itertools import pairwise

from f2teval.bench.facts.base import Clause, Teller, number_slots, stated
from f2teval.bench.speech import SMALL, listing


def difference(t: Teller, wrong: str = "") -> Clause | None:
    """One exceeds another by so much."""
    s = t.pick_series()
    if t.table.category_kind != "category" or len(t.rows()) > 1:
        return None
    cells = sorted(t.cells(s), key=lambda p: -p[1])
    if len(cells) < 2:
        return None
    i, j = sorted(t.rng.sample(range(len(cells)), 2))
    (a, va), (b, vb) = cells[i], cells[j]
    d = va - vb
    if d < t.margin(s) * 2:
        return None
    w = d
    if wrong:
        w = max(d * t.rng.choice((0.45, 0.55, 1.5, 1.8, 2.2)), 10.0**-t.table.decimals)
        if abs(w - d) < max(t.span(s) * (0.06 if t.exact else 0.16), 2.5 * 10.0**-t.table.decimals):
            return None
    said = t.say(round(w, t.table.decimals), s)
    unit = (
        said.text.replace("%", " percentage points") if t.table.symbol == "%" and said.text.endswith("%") else said.text
    )
    more = "more"
    claim = stated("difference", [s], [a, b], [said.value], "higher", not wrong, **number_slots(said))
    return t.clause(
        "difference",
        {"C": a, "D": b, "v": unit, "more": more},
        [claim],
        [("value", ("v",), f"{d:g}")] if wrong else [],
        levels=(2,),
        role="insight",
    )


_TIMES = (
    (2.0, ("twice", "double")),
    (3.0, ("three times", "triple")),
    (4.0, ("four times",)),
    (5.0, ("five times",)),
    (1.5, ("one and a half times",)),
    (0.5, ("half",)),
)


def ratio(t: Teller, wrong: str = "") -> Clause | None:
    """One is so many times another."""
    s = t.pick_series()
    if t.table.category_kind != "category" or len(t.rows()) > 1 or t.table.form not in ("series", "boxes"):
        return None
    cells = [p for p in t.cells(s) if p[1] > 0]
    options = []
    for a, va in cells:
        for b, vb in cells:
            for k, words in _TIMES:
                if a != b and abs(va / vb - k) < 0.07 * k:
                    options.append((a, b, k, words))
    if not options:
        return None
    a, b, k, _ = t.rng.choice(options)
    claimed = (
        t.rng.choice([o for o in _TIMES if abs(o[0] - k) > 0.45 * max(k, o[0])])
        if wrong
        else next(o for o in _TIMES if o[0] == k)
    )
    times = t.rng.choice(("about ", "roughly ", "approximately ")) + t.rng.choice(claimed[1])
    claim = stated("ratio", [s], [a, b], [claimed[0]], "", not wrong)
    return t.clause(
        "ratio",
        {"C": a, "D": b, "k": times, "m": t.noun(), "M": t.table.short},
        [claim],
        [("magnitude", ("k",), f"{k:g} times")] if wrong else [],
        levels=(2,),
        role="insight",
    )


def share(t: Teller, wrong: str = "") -> Clause | None:
    """A part of the whole (figures in percent that add up)."""
    if not t.table.parts or t.table.survey or len(t.rows()) > 1 or t.table.category_kind != "category":
        return None
    s = t.rows()[0]
    c, v = t.rng.choice(t.cells(s))
    said = t.say(t.wrong(v, s) if wrong else v, s)
    claim = stated("value", [s], [c], [said.value], "", not wrong, **number_slots(said))
    return t.clause("share", {"C": c, "v": said.text}, [claim], [("value", ("v",), f"{v:g}")] if wrong else [])


def total(t: Teller, wrong: str = "") -> Clause | None:
    """Two or three together."""
    if not t.table.additive or len(t.rows()) > 1 or t.table.category_kind != "category" or t.table.form != "series":
        return None
    s = t.rows()[0]
    cells = t.cells(s)
    if len(cells) < 4:
        return None
    chosen = t.rng.sample(cells, 2)
    true = sum(v for _, v in chosen)
    gap = max(t.span(s) * (0.08 if t.exact else 0.2), 3 * 10.0**-t.table.decimals)
    w = round(true + t.rng.choice((-1, 1)) * t.rng.uniform(gap, gap * 4), t.table.decimals) if wrong else true
    if w <= 0:
        return None
    said = t.say(round(w, t.table.decimals), s)
    claim = stated("sum", [s], [c for c, _ in chosen], [said.value], "", not wrong, **number_slots(said))
    return t.clause(
        "sum",
        {"L": listing([c for c, _ in chosen]), "v": said.text},
        [claim],
        [("value", ("v",), f"{true:g}")] if wrong else [],
        levels=(2,),
        role="insight",
    )


def concentrate(t: Teller, wrong: str = "") -> Clause | None:
    """The share of the total that the first few make up."""
    if not t.table.additive or len(t.rows()) > 1 or t.table.category_kind != "category" or t.table.form != "series":
        return None
    s = t.rows()[0]
    order = sorted((v for _, v in t.cells(s)), reverse=True)
    n = t.rng.choice((2, 3))
    if len(order) < n + 2 or order[-1] < 0:
        return None
    p = 100 * sum(order[:n]) / sum(order)
    w = p
    if wrong:
        options = [q for q in (p - 32, p - 22, p + 18, p + 28) if 8 < q < 99]
        if not options:
            return None
        w = t.rng.choice(options)
    claim = stated("share", [s], [], [round(w)], "", not wrong, top=n)
    slots = {"n": SMALL[n], "many": t.table.many, "p": f"{round(w)}{t.rng.choice(('%', '%', ' percent'))}"}
    return t.clause(
        "concentrate", slots, [claim], [("value", ("p",), f"{p:.0f}%")] if wrong else [], levels=(2, 3), role="insight"
    )


def spread_cat(t: Teller, wrong: str = "") -> Clause | None:
    """Distance between highest and lowest."""
    if t.table.category_kind != "category" or len(t.rows()) > 1:
        return None
    s = t.rows()[0]
    order = sorted(t.cells(s), key=lambda p: -p[1])
    d = order[0][1] - order[-1][1]
    if len(order) < 3 or d < 3 * t.margin(s) or order[0][1] == order[1][1] or order[-1][1] == order[-2][1]:
        return None
    w = round(d * t.rng.choice((0.4, 0.6, 1.5, 1.9)), t.table.decimals) if wrong else d
    if wrong and abs(w - d) < max(t.span(s) * 0.16, 2.5 * 10.0**-t.table.decimals):
        return None
    said = t.say(round(w, t.table.decimals), s)
    text = said.text.replace("%", " percentage points") if said.text.endswith("%") else said.text
    claim = stated(
        "difference", [s], [order[0][0], order[-1][0]], [said.value], "higher", not wrong, **number_slots(said)
    )
    return t.clause(
        "spread.cat",
        {"C": order[0][0], "D": order[-1][0], "v": text, "many": t.table.many},
        [claim],
        [("value", ("v",), f"{d:g}")] if wrong else [],
        levels=(2, 3),
        role="insight",
    )


def mean(t: Teller, wrong: str = "") -> Clause | None:
    """The average."""
    s = t.pick_series()
    if (
        len(t.rows()) > 1
        or t.table.parts
        or t.table.form == "flow"
        or t.chart_type in ("histogram", "waterfall", "funnel", "candlestick")
    ):
        return None
    vs = [v for _, v in t.cells(s)]
    if len(vs) < 4:
        return None
    m = sum(vs) / len(vs)
    w = m
    if wrong:
        w = m + t.rng.choice((-1, 1)) * t.span(s) * t.rng.uniform(0.25, 0.5)
        if w < min(vs) or w > max(vs):
            w = m + (m - w)
        if w < min(vs) or w > max(vs):
            return None
    dec = t.table.decimals
    said = t.say(round(w, dec), s)
    words = said.text.split(" ", 1)[1] if said.approx and said.text[0].isalpha() and said.bound == "" else said.text
    above = sum(v > m for v in vs)
    slots = {"many": t.table.many, "v": words}
    if above < len(SMALL) and not wrong:
        slots["nabove"] = SMALL[above]
    claim = stated("sum", [s], [], [said.value], "", not wrong, mean=True, **number_slots(said))
    if said.bound:
        return None
    return t.clause(
        "mean", slots, [claim], [("value", ("v",), f"{m:.{dec}f}")] if wrong else [], levels=(2,), role="insight"
    )


def span_of_values(t: Teller, wrong: str = "") -> Clause | None:
    """Values range from a to b."""
    if len(t.rows()) > 1 or t.chart_type in ("waterfall",):
        return None
    s = t.rows()[0]
    vs = [v for _, v in t.cells(s)]
    lo, hi = min(vs), max(vs)
    if hi - lo < 3 * t.margin(s):
        return None
    a, b = lo, hi
    if wrong:
        if t.rng.random() < 0.5:
            a = t.wrong(lo, s)
        else:
            b = t.wrong(hi, s)
        if a >= b:
            return None
    x, y = t.say(a, s), t.say(b, s)
    claim = stated("range", [s], [], [x.value, y.value], "", not wrong, **number_slots(x, y))
    slots = {"M": t.subject(s), "v": x.text, "v2": y.text, "many": t.table.many}
    return t.clause(
        "range", slots, [claim], [("value", ("v",) if a != lo else ("v2",), f"{lo:g} to {hi:g}")] if wrong else []
    )


def count_over(t: Teller, wrong: str = "") -> Clause | None:
    """How many lie above a threshold."""
    if len(t.rows()) > 1 or t.chart_type in ("waterfall", "histogram", "funnel", "candlestick"):
        return None
    s = t.rows()[0]
    vs = sorted(v for _, v in t.cells(s))
    if len(vs) < 4:
        return None
    gaps = [(b - a, (a + b) / 2) for a, b in pairwise(vs) if b - a > 2 * t.margin(s)]
    if not gaps:
        return None
    cut = t.rng.choice(gaps)[1]
    said = t.say(cut, s)
    if said.approx and said.text[0].isalpha():
        return None
    at = said.value
    near = min(abs(v - at) for v in vs)
    over = t.rng.random() < 0.5
    n = sum(v > at for v in vs) if over else sum(v < at for v in vs)
    if near < t.margin(s) * 0.9 or n < 1 or n >= len(vs):
        return None
    w = n
    if wrong:
        w = t.rng.choice([k for k in range(1, min(len(vs), 12)) if k != n])
    if w < 2 or w > 12:
        return None
    claim = stated("count", [s], [], [float(w), at], "over" if over else "under", not wrong)
    slots = {
        "n": SMALL[w] if t.rng.random() < 0.7 else str(w),
        "v": said.text,
        "many": t.table.many,
        "m": t.noun(),
        "over": "above" if over else "below",
        "over_c": "above" if over else "below",
    }
    return t.clause(
        "count.over",
        slots,
        [claim],
        [("value", ("n",), SMALL[n] if n < 13 else str(n))] if wrong else [],
        role="insight",
    )
