"""Statements about single values and their order: values, extremes, ranks, comparisons, differences, ratios, shares."""

from __future__ import annotations

from f2teval.bench.facts.base import Clause, Teller, Wrong, number_slots, stated
from f2teval.bench.speech import SMALL, listing, lower_first, respondents

Pair = tuple[str, float]


def _phrases(t: Teller, high: bool) -> dict[str, str]:
    rng, one = t.rng, t.rng.random()
    if high:
        sup, cmp, end, pos = "highest" if one < 0.7 else rng.choice(("largest", "greatest")), "higher", "top", "first"
    else:
        sup, cmp, end, pos = "lowest" if one < 0.8 else "smallest", "lower", "bottom", "last"
    if t.table.plural and sup in ("largest", "greatest", "smallest"):
        sup = "highest" if high else "lowest"
    pk = rng.choice(
        ("peaked", "peaked", "reached its maximum") if high else ("bottomed out", "hit its low", "reached its minimum")
    )
    return {"sup": sup, "cmp": cmp, "end": end, "pos": pos, "pk": pk}


def survey_slots(t: Teller, series: str, category: str) -> dict[str, str]:
    """Slots of a poll's sentence: the group, the predicate with its answer."""
    table = t.table
    resp = lower_first(series)
    if "{cat}" in table.says:
        says = table.says.replace("{cat}", lower_first(category) if t.rng.random() < 0.7 else f"“{category}”")
        group = t.rng.choice(("respondents", "people", "those surveyed"))
        if table.where:
            group += " " + table.where if t.rng.random() < 0.4 else ""
        out = {"G": group, "says": says}
        return out
    group = respondents(t.rng, category, table)
    says = table.says.replace("{resp}", resp if t.rng.random() < 0.75 or resp in ("favor", "oppose") else f"“{resp}”")
    return {"G": group, "C": category, "says": says, "says0": says, "R": resp, "says_np": f"the share saying “{resp}”"}


def value(t: Teller, wrong: str = "", target: tuple[str, str] | None = None) -> Clause | None:
    """An entity (at a time) has a value."""
    s = target[0] if target else t.pick_series()
    c, v = next((p for p in t.cells(s) if target and p[0] == target[1]), t.rng.choice(t.cells(s)))
    said = t.say(t.wrong(v, s) if wrong else v, s)
    slots = {"M": t.subject(s), "v": said.text, "C": c, "m": t.noun(), **t.verbs(s)}
    slots["a"] = "a" if slots["m"][0] not in "aeiou" else "an"
    if t.table.plural or t.table.short.split()[0] not in ("the",):
        slots["a"] = ""
    if t.table.survey and (t.table.parts or "{cat}" in t.table.says):
        slots |= survey_slots(t, s, c)
        key = "value.survey"
    elif t.ordered:
        slots |= t.times(i=c)
        key = "value.time"
        if len(t.rows()) > 1 and "{" not in slots["M"]:
            slots["M"] = t.subject(s)
    else:
        key = "value.cat"
        if len(t.rows()) > 1:
            slots["C"] = _series_cat(t, s, c)
    if t.ordered and len(t.rows()) > 1 and key == "value.time":
        slots.pop("v1", None)
    true = t.table.at(s, c)
    seen = f"{true:g}"
    errors: list[Wrong] = [("value", ("v",), seen)] if wrong else []
    return t.clause(key, slots, [stated("value", [s], [c], [said.value], "", not wrong, **number_slots(said))], errors)


def _series_cat(t: Teller, series: str, category: str) -> str:
    if t.table.form == "flow":
        return f"the flow from {series} to {category}"
    if series.isdigit():
        return f"{category} in {series}"
    return (
        f"{category} ({series})"
        if t.rng.random() < 0.5
        else f"{series} in {category}"
        if t.table.category_kind == "time"
        else f"{category}, {series}"
    )


def extreme(t: Teller, wrong: str = "", high: bool | None = None, with_value: bool | None = None) -> Clause | None:
    """Who or when is highest or lowest."""
    s = t.pick_series()
    cells = sorted(t.cells(s), key=lambda p: -p[1])
    high = t.rng.random() < 0.5 if high is None else high
    if len(cells) < 3:
        return None
    order = cells if high else cells[::-1]
    best, second = order[0], order[1]
    if abs(best[1] - second[1]) < t.margin(s) * 0.8:
        return None
    shown, claim_high = best, high
    if wrong == "label":
        far = [p for p in cells if abs(p[1] - best[1]) > t.margin(s) * 1.3]
        if t.rng.random() < 0.3:
            claim_high = not high
            if abs(cells[0][1] - cells[-1][1]) < 3 * t.margin(s):
                return None
        elif far:
            shown = t.rng.choice(far[: max(2, len(far) // 2)] if t.rng.random() < 0.5 else far)
        else:
            return None
    words = _phrases(t, claim_high)
    c, v = shown
    numbered = (t.rng.random() < 0.4 if with_value is None else with_value) or wrong == "value"
    slots = {"M": t.subject(s), "m": t.noun(), "C": c, "many": t.table.many, "one": t.table.one, **words, **t.verbs(s)}
    claims = [stated("extreme", [s], [c], [], "highest" if claim_high else "lowest", wrong != "label", rank=1)]
    right = best[0] if claim_high == high else order[-1][0]
    errors: list[Wrong] = []
    if wrong == "label":
        flipped = shown == best
        errors.append(
            (
                "label",
                ("sup", "pk", "cmp", "pos", "end") if flipped else ("C", "I", "i"),
                "lowest" if flipped and claim_high else "highest" if flipped else right,
            )
        )
    if t.ordered:
        slots |= t.times(i=c)
        key = "extreme.time"
    else:
        key = "extreme.cat"
        if len(t.rows()) > 1 and not t.table.survey:
            slots["m"] = f"{t.noun()} {'in' if s.isdigit() else 'for'} {s}"
            slots.pop("M")
    if t.table.survey and t.table.parts and t.table.category_kind == "category":
        slots = survey_slots(t, s, c) | words
        return t.clause(
            "extreme.survey", slots, claims, [(e[0], ("G", "sup") if e[1][0] == "C" else e[1], e[2]) for e in errors]
        )
    if numbered:
        said = t.say(t.wrong(v, s) if wrong == "value" else v, s)
        slots["v"] = said.text
        claims.append(stated("value", [s], [c], [said.value], "", wrong != "value", **number_slots(said)))
        if wrong == "value":
            errors.append(("value", ("v",), f"{v:g}"))
        key += ".value"
    if wrong == "label" and shown == best and not any(k in str(key) for k in ("time", "cat")):
        return None
    return t.clause(
        key,
        slots,
        claims,
        errors,
        covers=("max" if high else "min",) if s == t.table.main or len(t.rows()) == 1 else (),
    )


def rank2(t: Teller, wrong: str = "") -> Clause | None:
    """Second highest or lowest."""
    s = t.pick_series()
    high = t.rng.random() < 0.6
    order = sorted(t.cells(s), key=lambda p: -p[1] if high else p[1])
    if len(order) < 4 or t.table.category_kind != "category" or len(t.rows()) > 1:
        return None
    m = t.margin(s)
    if abs(order[0][1] - order[1][1]) < m or abs(order[1][1] - order[2][1]) < m:
        return None
    c = order[1][0]
    if wrong:
        c = t.rng.choice(order[2:])[0]
    words = _phrases(t, high)
    words["sup"] = "highest" if high else "lowest"
    slots = {"C": c, "m": t.noun(), **words}
    return t.clause(
        "rank2",
        slots,
        [stated("extreme", [s], [c], [], words["sup"], not wrong, rank=2)],
        [("label", ("C",), order[1][0])] if wrong else [],
    )


def compare(t: Teller, wrong: str = "") -> Clause | None:
    """One is higher or lower than another."""
    s = t.pick_series()
    cells = t.cells(s)
    if len(cells) < 2:
        return None
    a, b = t.rng.sample(cells, 2)
    if abs(a[1] - b[1]) < t.margin(s):
        return None
    up = (a[1] > b[1]) != bool(wrong)
    cmp = (
        t.rng.choice(("higher", "larger" if not t.table.plural else "higher"))
        if up
        else t.rng.choice(("lower", "smaller" if not t.table.plural else "lower"))
    )
    claim = stated("comparison", [s], [a[0], b[0]], [], "higher" if up else "lower", not wrong)
    errors: list[Wrong] = [("label", ("cmp", "above"), "lower" if up else "higher")] if wrong else []
    slots = {
        "M": t.subject(s),
        "m": t.noun(),
        "C": a[0],
        "D": b[0],
        "cmp": cmp,
        "above": "above" if up else "below",
        **t.verbs(s),
    }
    if t.ordered:
        return t.clause("compare.time", slots | t.times(i=a[0], i2=b[0]), [claim], errors)
    if len(t.rows()) > 1:
        if t.table.survey and t.table.parts:
            slots = {
                "C": respondents(t.rng, a[0], t.table),
                "D": respondents(t.rng, b[0], t.table),
                "cmp": cmp,
                "above": slots["above"],
                "m": f"share of “{s}” answers",
            }
        else:
            slots["m"] = f"{t.noun()} {'in' if s.isdigit() else 'for'} {s}"
            slots.pop("M")
    return t.clause("compare.cat", slots, [claim], errors)


def compare_series(t: Teller, wrong: str = "") -> Clause | None:
    """Two series at one category."""
    if len(t.rows()) < 2 or t.table.form != "series" or t.chart_type == "bar_line":
        return None
    a, b = t.rng.sample(t.rows(), 2)
    c = t.rng.choice(t.table.categories)
    va, vb = t.table.at(a, c), t.table.at(b, c)
    if va is None or vb is None or abs(va - vb) < t.margin(a):
        return None
    up = (va > vb) != bool(wrong)
    slots = {
        "S": _name(t, a),
        "T": _name(t, b),
        "cmp": "higher" if up else "lower",
        "above": "above" if up else "below",
        "I9": _place(t, c),
    }
    return t.clause(
        "compare.series",
        slots,
        [stated("comparison", [a, b], [c], [], slots["cmp"], not wrong, across="series")],
        [("label", ("cmp", "above"), "lower" if up else "higher")] if wrong else [],
    )


def between_series(t: Teller, wrong: str = "") -> Clause | None:
    """Values of two series side by side."""
    if len(t.rows()) < 2 or t.table.form != "series" or t.chart_type == "bar_line":
        return None
    a, b = t.rng.sample(t.rows(), 2)
    c = t.rng.choice(t.table.categories)
    va, vb = t.table.at(a, c), t.table.at(b, c)
    if va is None or vb is None:
        return None
    wa, wb = va, vb
    if wrong:
        if t.rng.random() < 0.4 and abs(va - vb) > t.margin(a) * 3:
            wa, wb = vb, va
        elif t.rng.random() < 0.5:
            wa = t.wrong(va, a)
        else:
            wb = t.wrong(vb, b)
    x, y = t.say(wa, a), t.say(wb, b)
    slots = {"S": _name(t, a), "T": _name(t, b), "v": x.text, "v2": y.text, "I9": _place(t, c), "M9": t.table.short}
    bad = [n for n, u, w in (("v", va, wa), ("v2", vb, wb)) if u != w]
    claims = [
        stated("value", [n], [c], [q.value], "", u == w, **number_slots(q))
        for n, q, u, w in ((a, x, va, wa), (b, y, vb, wb))
    ]
    return t.clause("between.series", slots, claims, [("value", bad, f"{va:g}, {vb:g}")] if bad else [])


def _name(t: Teller, series: str) -> str:
    return f"“{lower_first(series)}”" if t.table.survey and t.table.parts else series


def _place(t: Teller, c: str) -> str:
    if t.table.category_kind == "time":
        return t.times(i=c)["I"]
    if t.table.survey and t.table.parts:
        return f"among {respondents(t.rng, c, t.table)}"
    return t.rng.choice((f"for {c}", f"in the case of {c}"))


def ranking(t: Teller, wrong: str = "") -> Clause | None:
    """The order of the first three."""
    s = t.pick_series()
    if t.table.category_kind != "category" or len(t.rows()) > 1 or t.table.form not in ("series", "boxes"):
        return None
    order = sorted(t.cells(s), key=lambda p: -p[1])
    n = min(3, len(order) - 1)
    if n < 2 or any(order[i][1] - order[i + 1][1] < t.margin(s) for i in range(n)):
        return None
    names = [p[0] for p in order[:n]]
    right = listing(names)
    if wrong:
        if t.rng.random() < 0.5:
            i, j = t.rng.sample(range(n), 2)
            names[i], names[j] = names[j], names[i]
        else:
            names[t.rng.randrange(n)] = t.rng.choice(order[n:])[0]
    claim = stated("ranking", [s], names, [], "highest", not wrong)
    slots = {"L": listing(names), "n": SMALL[n], "many": t.table.many, "m": t.noun()}
    return t.clause("ranking", slots, [claim], [("label", ("L",), right)] if wrong else [], covers=("max",))


def list_values(t: Teller, wrong: str = "") -> Clause | None:
    """ "a, b and c stood at x, y and z, respectively" and other lists of values."""
    across = len(t.rows()) > 1 and t.table.form == "series" and t.chart_type != "bar_line"
    if across:
        c = t.rng.choice(t.table.categories)
        items = [(s, t.table.at(s, c)) for s in t.rng.sample(t.rows(), min(3, len(t.rows())))]
        keys = [([s], [c]) for s, _ in items]
    elif t.table.category_kind == "category" and len(t.table.categories) > 3 and len(t.rows()) == 1:
        s = t.rows()[0]
        items = list(t.rng.sample(t.cells(s), 3 if t.rng.random() < 0.7 else 2))
        keys = [([s], [k]) for k, _ in items]
        c = ""
    else:
        return None
    true = [float(v) for _, v in items if v is not None]
    if len(true) < len(items):
        return None
    claimed = list(true)
    if wrong:
        i, j = t.rng.sample(range(len(true)), 2)
        if t.rng.random() < 0.5 and abs(true[i] - true[j]) > t.margin(keys[i][0][0]) * 3.4:
            claimed[i], claimed[j] = true[j], true[i]
        else:
            claimed[i] = t.wrong(true[i], keys[i][0][0])
    said = [t.say(v, keys[i][0][0]) for i, v in enumerate(claimed)]
    names = [_name(t, k) if across else k for k, _ in items]
    claims = [
        stated("value", k[0], k[1], [q.value], "", a == b, **number_slots(q))
        for k, q, a, b in zip(keys, said, true, claimed)
    ]
    right = listing([f"{v:g}" for v in true])
    errors: list[Wrong] = [("value", ("V", "P"), right)] if wrong else []
    if t.rng.random() < 0.4 and not across:
        pairs = listing(
            [f"{n} ({q.text})" if t.rng.random() < 0.5 else f"{n} at {q.text}" for n, q in zip(names, said)]
        )
        return t.clause("list.pairs", {"P": pairs}, claims, errors)
    slots = {"L": listing(names), "V": listing([q.text for q in said])}
    if across:
        slots["I9"] = _place(t, c)
    return t.clause("list.series" if across else "list.values", slots, claims, errors)
