"""Statements about two things together: one above the other, crossings, gaps, correlations."""

from __future__ import annotations

from f2teval.bench.facts.base import Clause, Teller, number_slots, stated
from f2teval.bench.facts.course import move, timed
from f2teval.bench.speech import Said


def always(t: Teller, wrong: str = "") -> Clause | None:
    """One series above another throughout."""
    if len(t.rows()) < 2 or t.table.form != "series" or t.chart_type == "bar_line" or len(t.table.categories) < 3:
        return None
    pairs = [(a, b) for a in t.rows() for b in t.rows() if a != b]
    t.rng.shuffle(pairs)
    for a, b in pairs:
        gaps = [x - y for x, y in zip(t.table.row(a), t.table.row(b)) if x is not None and y is not None]
        over = all(g > 0 for g in gaps)
        if wrong:
            clear = sum(g < -t.margin(a) for g in gaps)
            if clear < max(2, len(gaps) // 3):
                continue
        elif not (over and min(gaps) > t.margin(a) * 0.5):
            continue
        up = t.rng.random() < 0.5
        if wrong and not up:
            a, b = b, a
            if all(x <= y for x, y in zip(t.table.row(a), t.table.row(b)) if x is not None and y is not None):
                up = True
        if not wrong and not up:
            a, b = b, a
        slots = {
            "S": a,
            "T": b,
            "above": "above" if up else "below",
            "cmp": "higher" if up else "lower",
            "one": t.table.one,
            "many": t.table.many,
        }
        claim = stated("comparison", [a, b], [], [], slots["cmp"], not wrong, always=True)
        return t.clause(
            "always.series",
            slots,
            [claim],
            [("label", ("above", "cmp"), "not in every case")] if wrong else [],
            levels=(2, 3),
            role="insight",
        )
    return None


def cross(t: Teller, wrong: str = "") -> Clause | None:
    """One series overtakes another between two neighbouring times."""
    if len(t.rows()) < 2 or not timed(t) or t.chart_type in ("stacked_area", "stacked_bar", "bar_line"):
        return None
    found = []
    for a in t.rows():
        for b in t.rows():
            if a == b:
                continue
            g = [(x or 0) - (y or 0) for x, y in zip(t.table.row(a), t.table.row(b))]
            for k in range(len(g) - 1):
                if g[k] < -t.margin(a) * 0.7 and g[k + 1] > t.margin(a) * 0.7:
                    found.append((a, b, k))
    if not found:
        return None
    a, b, k = t.rng.choice(found)
    if wrong:
        a, b = b, a
    c, d = t.table.categories[k], t.table.categories[k + 1]
    claim = stated("comparison", [a, b], [c, d], [], "overtakes", not wrong)
    return t.clause(
        "cross.series",
        {"S": a, "T": b, **t.times(i=c, i2=d)},
        [claim],
        [("label", ("S", "T"), f"{b} overtakes {a}")] if wrong else [],
        levels=(2, 3),
        role="insight",
    )


def gap(t: Teller, wrong: str = "") -> Clause | None:
    """The gap between two series widens or narrows."""
    if len(t.rows()) < 2 or not timed(t) or t.chart_type == "bar_line":
        return None
    a, b = t.rng.sample(t.rows(), 2)
    c, d = t.table.categories[0], t.table.categories[-1]
    ends = [t.table.at(a, c), t.table.at(b, c), t.table.at(a, d), t.table.at(b, d)]
    if None in ends:
        return None
    p, q, r, s = (float(x or 0) for x in ends)
    g0, g1 = abs(p - q), abs(r - s)
    big = max(t.span(a) * 0.12, 3 * 10.0**-t.table.decimals)
    if abs(g0 - g1) < big or min(g0, g1) < 10.0**-t.table.decimals * 2:
        return None
    wide = g1 > g0
    dec = t.table.decimals
    x, y = t.say(round(g0, dec), a), t.say(round(g1, dec), a)
    if x.value == y.value or (x.value < y.value) != wide:
        return None

    def pts(v: Said) -> str:
        return v.text.replace("%", " percentage points") if v.text.endswith("%") else v.text

    said = wide != bool(wrong)
    slots = {
        "S": a,
        "T": b,
        "v": pts(x),
        "v2": pts(y),
        "widened": t.rng.choice(("widened", "grew")) if said else t.rng.choice(("narrowed", "shrank")),
        **t.times(i=c, i2=d),
    }
    claims = [
        stated(
            "difference",
            [a, b],
            [c, d],
            [x.value, y.value],
            "widened" if said else "narrowed",
            not wrong,
            gap=True,
            **number_slots(x, y),
        )
    ]
    return t.clause(
        "gap.series",
        slots,
        claims,
        [("trend", ("widened",), "widened" if wide else "narrowed")] if wrong else [],
        levels=(2, 3),
        role="insight",
    )


def correlation(t: Teller, wrong: str = "") -> Clause | None:
    """How two measures go together (scatter plots)."""
    if t.table.form != "points":
        return None
    xs, ys = [[float(v or 0) for v in t.table.row(n)] for n in ("x", "y")]
    r = pearson(xs, ys)
    if abs(r) < 0.7:
        return None
    up = (r > 0) != bool(wrong)
    slots = {
        "X": t.table.series_many,
        "Y": t.table.measure,
        "corr": t.rng.choice(("positive", "positive")) if up else t.rng.choice(("negative", "inverse")),
        "corrly": "positively" if up else "negatively",
        "hl": "higher" if up else "lower",
        **move(t, "up" if up else "down"),
    }
    slots["rise0"] = "rise" if up else "fall"
    slots["rises"] = t.rng.choice(("rises", "increases")) if up else t.rng.choice(("falls", "decreases"))
    claim = stated("trend", ["y"], [], [], "up" if up else "down", not wrong, correlation=True)
    return t.clause(
        "correlation",
        slots,
        [claim],
        [("trend", ("corr", "corrly", "hl", "rise0", "rises"), "positive" if r > 0 else "negative")] if wrong else [],
        levels=(2, 3),
        covers=("trend",),
    )


def pearson(xs: list[float], ys: list[float]) -> float:
    """Pearson's correlation."""
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    sxy = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    sxx, syy = sum((x - mx) ** 2 for x in xs), sum((y - my) ** 2 for y in ys)
    return float(sxy / (sxx * syy) ** 0.5) if sxx > 0 and syy > 0 else 0.0
