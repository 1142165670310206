"""Statements about a course in time: trends, their size, changes, turning points; and how two series run together."""

from __future__ import annotations

from f2teval.bench.facts.base import Clause, Teller, Wrong, number_slots, stated

UP = (
    ("rose", "risen", "rising", "rise", "upward", "rise"),
    ("increased", "increased", "increasing", "increase", "increasing", "increase"),
    ("grew", "grown", "growing", "growth", "growing", "grow"),
    ("climbed", "climbed", "climbing", "climb", "rising", "climb"),
    ("went up", "gone up", "going up", "upward movement", "upward", "go up"),
)
DOWN = (
    ("fell", "fallen", "falling", "fall", "downward", "fall"),
    ("decreased", "decreased", "decreasing", "decrease", "decreasing", "decrease"),
    ("declined", "declined", "declining", "decline", "declining", "decline"),
    ("dropped", "dropped", "dropping", "drop", "falling", "drop"),
    ("went down", "gone down", "going down", "downward movement", "downward", "go down"),
)
FLAT = (
    ("remained stable", "remained stable", "stable", "stability", "stable"),
    ("stayed about the same", "stayed about the same", "flat", "stability", "flat"),
    ("hardly changed", "hardly changed", "steady", "stability", "steady"),
)


def move(t: Teller, direction: str) -> dict[str, str]:
    """Words of a direction: {rose}, {risen}, {rising}, {rise}, {trend}, {a_trend}, {a_rise}, {adj}."""
    w = t.rng.choice({"up": UP, "down": DOWN, "flat": FLAT}[direction])
    adj = w[4]
    trend = f"{adj} {t.rng.choice(('trend', 'tendency', 'trend', 'pattern'))}"
    art = "an" if adj[0] in "aeiou" else "a"
    out = {
        "rose": w[0],
        "risen": w[1],
        "rising": w[2],
        "rise": w[3],
        "adj": adj,
        "trend": trend,
        "a_trend": f"{art} {trend}",
    }
    out["a_rise"] = f"{'an' if w[3][0] in 'aeiou' else 'a'} {w[3]}"
    if direction != "flat":
        out["hl"] = t.rng.choice(("higher",) if direction == "up" else ("lower",))
    return out


def _span(t: Teller, a: str, b: str) -> dict[str, str]:
    slots = t.times(i=a, i2=b)
    i, j = slots["i"], slots["i2"]
    whole = (a, b) == (t.table.categories[0], t.table.categories[-1])
    forms = [f"from {i} to {j}", f"from {i} to {j}", f"between {i} and {j}"]
    if whole and t.rng.random() < 0.15:
        forms = ["over the period shown", "over the whole period", f"since {i}"]
    return slots | {"span": t.rng.choice(forms), "span2": f"{i} and {j}"}


def timed(t: Teller) -> bool:
    return t.table.category_kind == "time"


def _ends(t: Teller, s: str, whole: float = 0.6) -> tuple[tuple[str, float], tuple[str, float], list[float]]:
    cells = t.cells(s)
    n = len(cells)
    if n < 4 or t.rng.random() < whole:
        i, j = 0, n - 1
    else:
        i = t.rng.randrange(0, n - 2)
        j = t.rng.randrange(i + 2, n)
    return cells[i], cells[j], [v for _, v in cells[i : j + 1]]


def trend(t: Teller, wrong: str = "", whole: float = 0.65) -> Clause | None:
    """Up, down or flat over a span: the end lies clearly above or below the start, or all values within a tenth of the
    scale."""
    if not timed(t) or (t.chart_type == "candlestick" and len(t.cells("close")) < 3):
        return None
    s = t.pick_series()
    for _ in range(4):
        a, b, vs = _ends(t, s, whole)
        true = direction(vs, t.span(s))
        if true:
            break
    else:
        return None
    said = true
    if wrong:
        said = {"up": "down", "down": "up", "flat": t.rng.choice(("up", "down"))}[true]
        if true != "flat" and t.rng.random() < 0.12:
            said = "flat"
    slots = move(t, said) | _span(t, a[0], b[0]) | {"M": t.subject(s), "m": t.noun(), **t.verbs(s)}
    if len(t.rows()) > 1:
        slots["m"] = slots["M"].removeprefix("the ")
    if t.table.plural and said == "flat" and len(t.rows()) == 1:
        slots["rising"] = "stable"
    claim = stated("trend", [s], [a[0], b[0]], [], said, not wrong)
    errors: list[Wrong] = [("trend", ("rose", "risen", "rising", "trend", "a_trend", "adj"), true)] if wrong else []
    full = (a[0], b[0]) == (t.table.categories[0], t.table.categories[-1])
    return t.clause("trend.time", slots, [claim], errors, levels=(3,), covers=("trend",) if full else ())


def direction(vs: list[float], span: float) -> str:
    """ "up", "down" or "flat" where that is beyond doubt, else ""."""
    rise = vs[-1] - vs[0]
    extent = max(vs) - min(vs)
    if abs(rise) >= 0.2 * span and abs(rise) >= 0.55 * extent:
        return "up" if rise > 0 else "down"
    if extent <= 0.1 * span and extent <= 0.1 * abs(sum(vs) / len(vs)):
        return "flat"
    return ""


_STRONG = (
    ("sharply", "sharp"),
    ("dramatically", "dramatic"),
    ("substantially", "substantial"),
    ("steeply", "steep"),
    ("massively", "massive"),
)
_WEAK = (("slightly", "slight"), ("marginally", "marginal"), ("a little", "small"), ("modestly", "modest"))


def magnitude(t: Teller, wrong: str = "") -> Clause | None:
    """A change called sharp or slight; the word is drawn first, so that neither is right more often."""
    if not timed(t):
        return None
    said = t.rng.choice(("strong", "weak"))
    size = {"strong": "weak", "weak": "strong"}[said] if wrong else said
    for _ in range(8):
        s = t.pick_series()
        a, b, vs = _ends(t, s, 0.4)
        d = direction(vs, t.span(s)) or ("up" if vs[-1] > vs[0] else "down")
        if strength(vs[0], vs[-1]) == size and d != "flat" and abs(vs[-1] - vs[0]) > t.margin(s) * 0.6:
            break
    else:
        return None
    adv, adj = t.rng.choice(_STRONG if said == "strong" else _WEAK)
    slots = (
        move(t, d) | _span(t, a[0], b[0]) | {"M": t.subject(s), "m": t.noun(), "adv": adv, "size": adj, **t.verbs(s)}
    )
    if len(t.rows()) > 1:
        slots["m"] = slots["M"].removeprefix("the ")
    if adv == "a little" or slots["rose"].startswith("went"):
        slots["adv"] = "slightly" if said == "weak" else "sharply"
    claim = stated("change", [s], [a[0], b[0]], [], d, not wrong, strength=said)
    return t.clause(
        "magnitude.time",
        slots,
        [claim],
        [("magnitude", ("adv", "size"), "slight" if size == "weak" else "sharp")] if wrong else [],
        levels=(3,),
    )


def strength(a: float, b: float) -> str:
    """A change of half or more is "strong", of an eighth or less "weak", else (or with a value not positive) ""."""
    if a <= 0 or b <= 0:
        return ""
    k = abs(b - a) / a
    return "strong" if k >= 0.5 else "weak" if 0 < k <= 0.125 else ""


def change(t: Teller, wrong: str = "") -> Clause | None:
    """From one value at one time to another at another."""
    if not timed(t):
        return None
    s = t.pick_series()
    a, b, _ = _ends(t, s)
    if abs(a[1] - b[1]) < 2 * t.margin(s):
        return None
    up = b[1] > a[1]
    wa, wb, said = a[1], b[1], up
    bad: tuple[str, ...] = ()
    if wrong == "value":
        if t.rng.random() < 0.5:
            wa, bad = t.wrong(a[1], s), ("v",)
        else:
            wb, bad = t.wrong(b[1], s), ("v2",)
        if abs(wa - wb) < t.margin(s):
            return None
        said = wb > wa
    elif wrong == "trend":
        said, bad = not up, ("rose", "risen")
    x, y = t.say(wa, s), t.say(wb, s)
    slots = (
        move(t, "up" if said else "down")
        | _span(t, a[0], b[0])
        | {"M": t.subject(s), "v": x.text, "v2": y.text, **t.verbs(s)}
    )
    moved = "up" if said else "down"
    claims = [
        stated("value", [s], [a[0]], [x.value], "", wa == a[1], **number_slots(x)),
        stated("value", [s], [b[0]], [y.value], "", wb == b[1], **number_slots(y)),
        stated("change", [s], [a[0], b[0]], [], moved, said == up),
    ]
    errors: list[Wrong] = []
    if wrong:
        errors.append(
            (
                "trend" if wrong == "trend" else "value",
                bad,
                ("up" if up else "down") if wrong == "trend" else f"{a[1]:g} to {b[1]:g}",
            )
        )
        if wrong == "value" and said != up:
            errors.append(("trend", ("rose", "risen"), "up" if up else "down"))
    if wrong == "trend":
        key = ["{rose}", "{risen}"]
        made = None
        for _ in range(6):
            made = t.clause("change.time", slots, claims, errors, levels=(2, 3))
            if made and (slots["rose"] in made.text or slots["risen"] in made.text):
                return made
        del key
        return None
    made = t.clause("change.time", slots, claims, errors, levels=(2, 3))
    if made and slots["rose"] not in made.text and slots["risen"] not in made.text:
        made.claims = [c for c in made.claims if c.kind != "change"]
        made.errors = [e for e in made.errors if e.type != "trend"]
    return made


def percent(t: Teller, wrong: str = "") -> Clause | None:
    """A change in percent."""
    if not timed(t) or t.table.symbol == "%" or t.table.unit in ("fraction", "degrees Celsius"):
        return None
    s = t.pick_series()
    a, b, _ = _ends(t, s)
    if a[1] <= 0 or b[1] <= 0:
        return None
    p = 100 * (b[1] - a[1]) / a[1]
    if abs(p) < 8 or abs(p) > 900 or abs(b[1] - a[1]) < 2 * t.margin(s):
        return None
    w = abs(p)
    if wrong:
        w = abs(p) * t.rng.choice((0.35, 0.5, 1.7, 2.2))
        if p < 0 and w >= 97:
            w = abs(p) * 0.45
    shown = round(w) if w < 40 else round(w / 5) * 5
    slots = (
        move(t, "up" if p > 0 else "down")
        | _span(t, a[0], b[0])
        | {"M": t.subject(s), "p": f"{shown}{t.rng.choice(('%', '%', ' percent'))}", **t.verbs(s)}
    )
    claim = stated("change", [s], [a[0], b[0]], [float(shown)], "up" if p > 0 else "down", not wrong, percent=True)
    return t.clause(
        "pct.time",
        slots,
        [claim],
        [("magnitude", ("p",), f"{abs(p):.0f}%")] if wrong else [],
        levels=(2, 3),
        role="insight",
    )


_MULTIPLES = ((2.0, "doubled"), (3.0, "tripled"), (4.0, "quadrupled"), (0.5, "halved"))


def multiple(t: Teller, wrong: str = "") -> Clause | None:
    """Doubled, tripled, halved."""
    if not timed(t):
        return None
    s = t.pick_series()
    cells = [p for p in t.cells(s) if p[1] > 0]
    options = [
        (a, b, k, w)
        for i, a in enumerate(cells)
        for b in cells[i + 2 :]
        for k, w in _MULTIPLES
        if abs(b[1] / a[1] - k) < 0.08 * k
    ]
    if not options:
        return None
    a, b, k, word = t.rng.choice(options)
    said = (k, word)
    if wrong:
        said = t.rng.choice([o for o in _MULTIPLES if o[0] != k])
    slots = _span(t, a[0], b[0]) | {"M": t.subject(s), "mult": said[1]}
    claim = stated("ratio", [s], [b[0], a[0]], [said[0]], "", not wrong)
    return t.clause(
        "multiple.time",
        slots,
        [claim],
        [("magnitude", ("mult",), word)] if wrong else [],
        levels=(2, 3),
        role="insight",
    )


def turn(t: Teller, wrong: str = "") -> Clause | None:
    """A peak or low inside the period, and the way from there to its end."""
    if not timed(t):
        return None
    s = t.pick_series()
    cells = t.cells(s)
    vs = [v for _, v in cells]
    high = t.rng.random() < 0.5
    k = vs.index(max(vs) if high else min(vs))
    if not 1 <= k <= len(cells) - 3 or direction(vs[k:], t.span(s)) != ("down" if high else "up"):
        return None
    if sum(abs(v - vs[k]) < t.margin(s) for v in vs) > 1:
        return None
    true = "down" if high else "up"
    said = {"up": "down", "down": "up"}[true] if wrong else true
    word = "peak" if high else "low"
    pk = t.rng.choice(("peaked", "reached its peak") if high else ("reached its low", "bottomed out"))
    slots = (
        move(t, said)
        | _span(t, cells[k][0], cells[-1][0])
        | {"M": t.subject(s), "pk": pk, "pk_np": f"a {word}", "pk_pp": pk, **t.verbs(s)}
    )
    claims = [
        stated("extreme", [s], [cells[k][0]], [], "highest" if high else "lowest", True, rank=1),
        stated("trend", [s], [cells[k][0], cells[-1][0]], [], said, not wrong),
    ]
    return t.clause(
        "turn.time", slots, claims, [("trend", ("rose",), true)] if wrong else [], levels=(3,), role="insight"
    )


def halves(t: Teller, wrong: str = "") -> Clause | None:
    """Which half of the period brought most of the change."""
    if not timed(t):
        return None
    s = t.pick_series()
    cells = t.cells(s)
    vs = [v for _, v in cells]
    d = direction(vs, t.span(s))
    if len(cells) < 6 or d not in ("up", "down"):
        return None
    m = len(cells) // 2
    whole, first = vs[-1] - vs[0], vs[m] - vs[0]
    part = first / whole
    if 0.3 < part < 0.7 or not -0.2 < part < 1.2:
        return None
    early = (part >= 0.7) != bool(wrong)
    mid = t.times(i=cells[m][0])
    slots = move(t, d) | {
        "M": t.subject(s),
        "i": mid["i"],
        "half": "first" if early else "second",
        "side": "before" if early else "after",
        "cmpst": "strongest",
    }
    claim = stated(
        "change",
        [s],
        [cells[0][0], cells[m][0], cells[-1][0]],
        [],
        "first" if early else "second",
        not wrong,
        half=True,
    )
    return t.clause(
        "halves.time",
        slots,
        [claim],
        [("trend", ("half", "side"), "second half" if early else "first half")] if wrong else [],
        levels=(3,),
        role="insight",
    )
