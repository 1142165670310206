"""Seeded tables with plausible topics, units, magnitudes and shapes.

Directions and ranks are drawn evenly (a series rises as often as it falls), so that a text-only model cannot guess a
statement's truth from what usually happens.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import resources
from random import Random
from typing import Any, Final, Literal

from f2teval.bench.table import Table

MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SHAPES: Final = ("up", "down", "peak", "valley", "flat", "wander", "wander", "step_up", "step_down", "outlier")

TYPE_FORM: Final[dict[str, str]] = {
    "vertical_bar": "single",
    "horizontal_bar": "category",
    "grouped_bar": "multi",
    "stacked_bar": "parts",
    "line": "time",
    "multi_line": "multi_time",
    "area": "time",
    "stacked_area": "parts_time",
    "pie": "whole",
    "donut": "whole",
    "scatter": "points",
    "bubble": "bubbles",
    "histogram": "bins",
    "box": "boxes",
    "violin": "boxes",
    "heatmap": "matrix",
    "radar": "matrix",
    "funnel": "stages",
    "treemap": "whole",
    "candlestick": "ohlc",
    "error_bar": "errors",
    "bar_line": "two",
    "waterfall": "bridge",
    "sankey": "flow",
}
"""chart type → the kind of table it is drawn from."""


@lru_cache(maxsize=1)
def library() -> dict[str, Any]:
    """Topics, pools of names, surveys, sources, causes."""
    text = resources.files("f2teval.bench").joinpath("data/topics.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def make_table(rng: Random, chart_type: str) -> Table:
    """A table fit for a chart type (a key of :data:`TYPE_FORM`)."""
    return _MAKERS[TYPE_FORM[chart_type]](rng)


def shape_values(rng: Random, n: int, lo: float, hi: float, shape: str) -> list[float]:
    """``n`` values in ``[lo, hi]`` of a shape of :data:`SHAPES` or "seasonal"."""
    span = hi - lo
    t = [i / max(1, n - 1) for i in range(n)]
    bend = rng.choice((0.6, 1.0, 1.0, 1.7, 2.6))
    mid = rng.uniform(0.25, 0.75)
    a, b = sorted((rng.uniform(0.02, 0.4), rng.uniform(0.6, 1.0)))
    if shape in ("up", "down"):
        base = [a + (b - a) * u**bend for u in t]
    elif shape in ("peak", "valley"):
        width = rng.uniform(0.15, 0.4)
        base = [a + (b - a) * math.exp(-(((u - mid) / width) ** 2)) for u in t]
    elif shape in ("step_up", "step_down"):
        base = [a + (b - a) / (1 + math.exp(-(u - mid) * 22)) for u in t]
    elif shape == "seasonal":
        phase = rng.uniform(0, 2 * math.pi)
        base = [(a + b) / 2 + (b - a) / 2 * math.sin(2 * math.pi * u + phase) for u in t]
    elif shape in ("flat", "outlier"):
        level = rng.uniform(0.25, 0.8)
        base = [level] * n
    else:
        level, base = rng.uniform(0.3, 0.7), []
        for _ in t:
            level = min(0.98, max(0.03, level + rng.gauss(0, 0.13)))
            base.append(level)
    if shape in ("down", "valley", "step_down"):
        base = [a + b - v for v in base]
    noise = rng.choice((0.004, 0.015, 0.04)) * (0.5 if shape == "flat" else 1.0)
    base = [v + rng.gauss(0, noise) for v in base]
    if shape == "outlier":
        k = rng.randrange(n)
        base[k] += rng.choice((-1, 1)) * rng.uniform(0.25, 0.45)
    return [lo + span * min(1.0, max(0.0, v)) for v in base]


def _window(rng: Random, t: dict[str, Any]) -> tuple[float, float]:
    """A sub-range of a topic's magnitudes: two entities rarely share the same axis."""
    lo, hi = float(t["lo"]), float(t["hi"])
    if t.get("signed"):
        mid = rng.uniform(0.3, 1.0)
        return lo * rng.uniform(0.2, 1.0), hi * mid
    top = math.exp(rng.uniform(math.log(lo + (hi - lo) * 0.08), math.log(hi)))
    return max(lo * 0.4, top * rng.uniform(0.02, 0.5)), top


def _round(values: Sequence[float], dec: int) -> list[float]:
    return [round(v, dec) if dec else float(round(v)) for v in values]


def _distinct(rng: Random, values: list[float], dec: int) -> list[float]:
    """Mostly without ties (an "at its highest in" needs one answer), sometimes with a wanted one."""
    step = 10.0**-dec
    seen: set[float] = set()
    out = []
    for v in values:
        v = round(v, dec)
        while v in seen:
            v = round(v + step, dec)
        seen.add(v)
        out.append(v)
    if len(out) > 4 and rng.random() < 0.06:
        order = sorted(range(len(out)), key=lambda i: out[i])
        i, j = order[len(out) // 2], order[len(out) // 2 - 1]
        out[j] = out[i]
    return out


def _years(rng: Random, n: int) -> list[int]:
    step = rng.choice((1, 1, 1, 1, 1, 2, 5)) if n < 14 else 1
    first = rng.randint(1985, 2021 - step * (n - 1)) if 2021 - step * (n - 1) > 1985 else 2021 - step * (n - 1)
    return [first + step * i for i in range(n)]


def _time(rng: Random, t: dict[str, Any], n: int | None = None) -> tuple[list[str], list[float], str, str, str]:
    """Labels, positions, axis title, span words and the plural noun of a time axis."""
    if t.get("months") or rng.random() < 0.05:
        year = rng.randint(2008, 2021)
        return list(MONTHS), [year + i / 12 for i in range(12)], "Month", f"in {year}", "months"
    years = _years(rng, n or rng.choice((5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 20)))
    if rng.random() < 0.06 and years[1] - years[0] == 1:
        labels = [f"{y}/{(y + 1) % 100:02d}" for y in years]
        return labels, [float(y) for y in years], "Season", f"from {labels[0]} to {labels[-1]}", "seasons"
    return [str(y) for y in years], [float(y) for y in years], "Year", f"from {years[0]} to {years[-1]}", "years"


def _topic(rng: Random, want: Callable[[dict[str, Any]], bool] = lambda t: True) -> dict[str, Any]:
    topics = [t for t in library()["topics"] if want(t)]
    chosen: dict[str, Any] = rng.choice(topics)
    return chosen


def _place(rng: Random, t: dict[str, Any], pool: str) -> str:
    """An entity for a topic whose categories are not places: "in Norway"; for places a time."""
    where = t.get("place") if pool not in ("countries", "states", "cities") else None
    items = library()["pools"].get(where or "", {}).get("items")
    return rng.choice(items) if items else ""


def _unit_words(rng: Random, t: dict[str, Any]) -> str:
    unit = t["unit"]
    if not unit or unit == "percent":
        return ""
    if unit in ("million", "thousand", "billion"):
        return f" (in {unit}s)"
    return f" (in {unit})" if rng.random() < 0.75 else ""


def _common(rng: Random, t: dict[str, Any]) -> dict[str, Any]:
    lib = library()
    return {
        "topic": t["id"],
        "measure": t["np"],
        "short": t["short"],
        "unit": t["unit"],
        "symbol": t.get("sym", ""),
        "scale": float(t.get("scale", 1.0)),
        "decimals": t["dec"],
        "value_title": t["y"],
        "plural": t.get("plural", False),
        "domain": t["domain"],
        "additive": t.get("additive", False),
        "survey": t.get("survey", False),
        "says": t.get("says", ""),
        "source": rng.choice(lib["sources"]) if rng.random() < 0.5 else "",
        "note": rng.choice(lib["notes"][2:]) if rng.random() < 0.2 else "",
    }


def _values(
    rng: Random, t: dict[str, Any], n: int, *, time: bool, window: tuple[float, float] | None = None
) -> list[float]:
    lo, hi = window or _window(rng, t)
    if time:
        shape = "seasonal" if t.get("months") and rng.random() < 0.7 else rng.choice(SHAPES)
        vs = shape_values(rng, n, lo, hi, shape)
    else:
        skew = rng.choice((0.7, 1.0, 1.0, 1.8, 3.0))
        vs = [lo + (hi - lo) * rng.random() ** skew for _ in range(n)]
        if rng.random() < 0.15:
            vs[rng.randrange(n)] = hi * rng.uniform(1.3, 2.0) if t["unit"] != "percent" else hi
    dec = t["dec"] if hi - lo > 4 * 10.0 ** -t["dec"] * n else t["dec"] + 1
    return _distinct(rng, vs, dec)


def _pick(rng: Random, pool: str, n: int) -> list[str]:
    items = library()["pools"][pool]["items"]
    if library()["pools"][pool].get("ordered"):
        return list(items)
    return rng.sample(items, min(n, len(items)))


def _arrange(rng: Random, cats: list[str], values: list[float], ordered: bool) -> tuple[list[str], list[float]]:
    if ordered:
        return cats, values
    how = rng.random()
    pairs = list(zip(cats, values))
    if how < 0.35:
        pairs.sort(key=lambda p: -p[1])
    elif how < 0.45:
        pairs.sort(key=lambda p: p[1])
    elif how < 0.7:
        pairs.sort()
    return [p[0] for p in pairs], [p[1] for p in pairs]


def _title(rng: Random, t: dict[str, Any], entity: str, span: str, by: str) -> str:
    head, unit = t["head"], _unit_words(rng, t)
    place = f" in {entity}" if entity else ""
    if by and rng.random() < 0.75:
        return rng.choice((f"{head}{place} {span}, by {by}{unit}", f"{head} by {by}{place} {span}{unit}"))
    return rng.choice(
        (f"{head}{place} {span}{unit}", f"{head}{place} {span}{unit}", f"{entity}: {head.lower()} {span}{unit}")
        if entity
        else (f"{head} {span}{unit}", f"{head} {span}{unit}")
    )


def time_table(rng: Random) -> Table:
    """One series over time."""
    t = _topic(rng, lambda t: t.get("place") != "materials_free" and not t.get("survey"))
    pool = rng.choice(t["pools"])
    entity = rng.choice(library()["pools"][pool]["items"])
    cats, x, title, span, many = _time(rng, t)
    common = _common(rng, t)
    dec, vs = _fit(_values(rng, t, len(cats), time=True), t["dec"])
    common["decimals"] = dec
    where = _where(pool, entity)
    head = _title(rng, t, entity if where.startswith("in ") else "", span, "")
    if not where.startswith("in "):
        head = rng.choice((f"{entity}: {head}", f"{head} - {entity}"))
    return Table(
        form="series",
        entity=entity,
        title=head,
        subtitle="",
        where=where,
        category_title=title,
        category_kind="time",
        categories=tuple(cats),
        series=("",),
        values=(tuple(vs),),
        one=title.lower(),
        many=many,
        x=tuple(x),
        **common,
    )


def _fit(values: list[float], dec: int) -> tuple[int, list[float]]:
    """The decimals the values were rounded to (``_values`` adds one on narrow ranges)."""
    return (dec if all(v == round(v, dec) for v in values) else dec + 1), values


def _where(pool: str, entity: str) -> str:
    return {
        "countries": f"in {entity}",
        "states": f"in {entity}",
        "cities": f"in {entity}",
        "companies": f"at {entity}",
    }.get(
        pool,
        f"for {entity[0].lower() + entity[1:] if not entity.isupper() and pool not in ('languages', 'methods') else entity}",
    )


def category_table(
    rng: Random, topics: Callable[[dict[str, Any]], bool] = lambda t: True, n: int | None = None
) -> Table:
    """One value a category."""
    t = _topic(rng, topics)
    pool = rng.choice(t["pools"])
    info = library()["pools"][pool]
    cats = _pick(rng, pool, n or rng.choice((3, 4, 5, 6, 7, 8, 9, 10, 12, 14)))
    place, year = _place(rng, t, pool), rng.randint(2004, 2021)
    vs = _values(rng, t, len(cats), time=False)
    common = _common(rng, t)
    common["decimals"], vs = _fit(vs, t["dec"])
    cats, vs = _arrange(rng, cats, vs, bool(info.get("ordered")))
    if t.get("science"):
        setting = rng.choice(("test set A", "test set B", "batch 3", "pilot study", "field trial", "holdout data"))
        title, where, entity = f"{t['head']} by {info['one']} ({setting})", f"on the {setting}", f"{pool}:{setting}"
        if setting.startswith("batch"):
            where = f"in {setting}"
    else:
        title = _title(rng, t, place, f"in {year}", info["one"])
        where = f"in {place}" if place else ""
        entity = f"{place or pool}:{year}"
    return Table(
        form="series",
        entity=entity,
        title=title,
        subtitle="",
        where=where,
        category_title=info["title"],
        category_kind="category",
        categories=tuple(cats),
        series=("",),
        values=(tuple(vs),),
        one=info["one"],
        many=info["many"],
        ordered=bool(info.get("ordered")),
        **common,
    )


def single_table(rng: Random) -> Table:
    """One series, over time or over categories."""
    return time_table(rng) if rng.random() < 0.5 else category_table(rng)


def multi_table(rng: Random, *, time: bool | None = None, same_sign: bool = False) -> Table:
    """Several series over time or categories."""
    time = rng.random() < 0.4 if time is None else time
    if not time and rng.random() < 0.4:
        return survey_table(rng)
    t = _topic(
        rng,
        lambda t: not t.get("survey") and not (same_sign and t.get("signed")) and (not time or not t.get("science")),
    )
    pool = rng.choice(t["pools"])
    info = library()["pools"][pool]
    place = _place(rng, t, pool)
    common = _common(rng, t)
    window = _window(rng, t)
    k = rng.choice((2, 2, 3, 3, 4, 5)) if time else rng.choice((2, 2, 3))
    if time:
        cats, x, ctitle, span, many = _time(rng, t, rng.choice((3, 4, 5, 6, 7, 8, 10, 12)))
        series = _pick(rng, pool, k)
        one, kind = ctitle.lower(), "time"
        by, series_many = info["one"], info["many"]
    else:
        cats = _pick(rng, pool, rng.choice((3, 4, 5, 6, 7)))
        first = rng.randint(1995, 2016)
        series = [str(first + 5 * i if k < 3 else first + i) for i in range(k)]
        series_many, x, ctitle, many, one, kind = "years", None, info["title"], info["many"], info["one"], "category"
        if rng.random() < 0.4 and not t.get("science"):
            other = rng.choice(("sexes", "community", "ages"))
            series, series_many = list(library()["pools"][other]["items"])[:k], library()["pools"][other]["many"]
            span = f"in {rng.randint(2004, 2021)}"
        else:
            span = f"in {', '.join(series[:-1])} and {series[-1]}"
        by = info["one"]
    lo, hi = window
    rows = []
    for _ in series:
        a, b = sorted((rng.uniform(0, 0.75), rng.uniform(0.35, 1)))
        b = max(b, a + 0.2)
        rows.append(_values(rng, t, len(cats), time=time, window=(lo + (hi - lo) * a, lo + (hi - lo) * b)))
    dec = max(_fit(r, t["dec"])[0] for r in rows)
    common["decimals"] = dec
    title = _title(rng, t, place, span, by)
    return Table(
        form="series",
        entity=f"{place or pool}:{'|'.join(sorted(series))[:40]}",
        title=title,
        subtitle="",
        where=f"in {place}" if place else "",
        category_title=ctitle,
        category_kind=kind,  # type: ignore[arg-type]
        categories=tuple(cats),
        series=tuple(series),
        values=tuple(tuple(r) for r in rows),
        one=one,
        many=many,
        series_many=series_many,
        x=tuple(x) if x else None,
        **common,
    )


def survey_table(rng: Random) -> Table:
    """Responses (series, shares of 100 %) by group or year, as polls print them."""
    lib = library()
    s = rng.choice(lib["surveys"])
    place = rng.choice(lib["pools"]["countries"]["items"])
    kind: Literal["category", "time"]
    if rng.random() < 0.3:
        cats = [str(y) for y in _years(rng, rng.choice((2, 3, 4, 5, 6)))]
        one, many, ctitle, kind, x, sections = "year", "years", "Year", "time", tuple(float(c) for c in cats), ()
        ordered = True
    elif rng.random() < 0.4:
        pools = rng.sample(["sexes", "ages", "education", "parties", "community", "incomes"], rng.choice((2, 3)))
        cats, secs = [], []
        for p in pools:
            for c in lib["pools"][p]["items"]:
                cats.append(c)
                secs.append(lib["pools"][p]["title"])
        one, many, ctitle, kind, x, sections = "group", "groups", "Group", "category", None, tuple(secs)
        ordered = True
    else:
        pool = rng.choice(("countries", "countries", "ages", "education", "parties", "community", "states"))
        cats = _pick(rng, pool, rng.choice((3, 4, 5, 6, 8, 10)))
        info = lib["pools"][pool]
        one, many, ctitle, kind, x, sections = info["one"], info["many"], info["title"], "category", None, ()
        ordered = bool(info.get("ordered"))
    weights = [rng.uniform(0.4, 3) for _ in s["responses"]]
    cols = []
    for _ in cats:
        w = [max(0.05, u * math.exp(rng.gauss(0, 0.35))) for u in weights]
        total = rng.choice((100, 100, 99, 97, 95))
        share = [max(1, round(total * u / sum(w))) for u in w]
        share[share.index(max(share))] -= max(0, sum(share) - 100)
        cols.append([float(v) for v in share])
    rows = tuple(tuple(col[i] for col in cols) for i in range(len(s["responses"])))
    return Table(
        form="series",
        topic=s["id"],
        entity=place,
        title=f"{s['head']} in {place}",
        subtitle=s["q"],
        measure=s["np"],
        short="the share",
        where=f"in {place}",
        unit="percent",
        symbol="%",
        scale=1.0,
        decimals=0,
        value_title="% of respondents",
        category_title=ctitle,
        category_kind=kind,
        categories=tuple(cats),
        series=tuple(s["responses"]),
        values=rows,
        one=one,
        many=many,
        series_many="answers",
        x=x,
        source=f"Survey conducted by {rng.choice(lib['sources'])}, {rng.choice(MONTHS)}. {rng.randint(2008, 2021)}"
        if rng.random() < 0.85
        else "",
        note=rng.choice(lib["notes"]) if rng.random() < 0.6 else "",
        domain=s["domain"],
        parts=True,
        additive=False,
        survey=True,
        says=s["verb"],
        sections=sections,
        ordered=ordered,
    )


def parts_table(rng: Random) -> Table:
    """For stacked bars: a poll, or additive series."""
    return survey_table(rng) if rng.random() < 0.6 else _additive(rng, rng.random() < 0.5)


def _additive(rng: Random, time: bool) -> Table:
    while True:
        table = multi_table(rng, time=time, same_sign=True)
        if (table.additive or table.parts) and len(table.series) > 1:
            return table


def whole_table(rng: Random) -> Table:
    """Shares of a whole for pies, donuts, treemaps."""
    t = _topic(rng, lambda t: bool(t.get("parts")) or (bool(t.get("additive")) and not t.get("signed")))
    n = rng.choice((3, 4, 5, 6, 7))
    table = category_table(rng, lambda u: u["id"] == t["id"], n)
    raw = [abs(float(v or 0)) + 1e-9 for v in table.values[0]]
    floor = max(raw) * 0.08
    raw = [v + floor for v in raw]
    if t.get("parts") or rng.random() < 0.5:
        scale = 100 / sum(raw)
        shares = _distinct(Random(0), [v * scale for v in raw], 1)
        shares[shares.index(max(shares))] += 100 - sum(shares)
        shares = [round(v, 1) for v in shares]
        head = t["head"] if t.get("parts") else f"Distribution of {t['np'].removeprefix('the ')}"
        tail = (
            table.title[len(t["head"]) :]
            if table.title.startswith(t["head"])
            else f" {table.entity.replace(':', ', ')}"
        )
        d = table.to_dict() | {
            "values": [shares],
            "unit": "percent",
            "symbol": "%",
            "decimals": 1,
            "scale": 1.0,
            "parts": True,
            "additive": True,
            "value_title": "Share",
            "title": head + tail.split(" (in ")[0],
            "measure": t["np"] if t.get("parts") else f"the share of {t['np'].removeprefix('the ')}",
            "short": "the share",
            "plural": False,
        }
        return Table.from_dict(d)
    values = _round(raw, table.decimals)
    return Table.from_dict(table.to_dict() | {"values": [values], "additive": True})


def stages_table(rng: Random) -> Table:
    """Descending stages for a funnel."""
    stages = rng.choice(
        (
            ("Site visits", "Product views", "Added to cart", "Checkout", "Purchases"),
            ("Applications", "Screenings", "Interviews", "Offers", "Hires"),
            ("Leads", "Contacts", "Demos", "Proposals", "Contracts"),
            ("Samples received", "Quality passed", "Sequenced", "Aligned", "Reported"),
        )
    )
    company = rng.choice(library()["pools"]["companies"]["items"])
    year, v = rng.randint(2010, 2021), float(rng.randint(1800, 96000))
    values = []
    for _ in stages:
        values.append(float(round(v)))
        v *= rng.uniform(0.3, 0.85)
    return Table(
        form="series",
        topic="funnel_" + stages[0].lower().replace(" ", "_"),
        entity=f"{company}:{year}",
        title=rng.choice(
            (
                f"From {stages[0].lower()} to {stages[-1].lower()} at {company}, {year}",
                f"{company} {year}: conversion by stage",
            )
        ),
        subtitle="",
        measure="the number of cases",
        short="the number",
        where=f"at {company}",
        unit="",
        symbol="",
        scale=1.0,
        decimals=0,
        value_title="Number",
        category_title="Stage",
        category_kind="category",
        categories=stages,
        series=("",),
        values=(tuple(values),),
        one="stage",
        many="stages",
        ordered=True,
        domain="business",
        source=rng.choice(library()["sources"]) if rng.random() < 0.4 else "",
    )


def errors_table(rng: Random) -> Table:
    """Means with error bars."""
    table = category_table(rng, lambda t: not t.get("signed") and not t.get("survey"), rng.choice((3, 4, 5, 6)))
    vs = [float(v or 0) for v in table.values[0]]
    half = [round(max(abs(v), max(vs) * 0.1) * rng.uniform(0.03, 0.18), table.decimals + 1) for v in vs]
    return Table.from_dict(table.to_dict() | {"errors": [half]})


def matrix_table(rng: Random) -> Table:
    """A small matrix for heatmaps and radars: at least three categories, two to five series."""
    while True:
        table = multi_table(rng, time=False) if rng.random() < 0.6 else multi_table(rng, time=True)
        if 3 <= len(table.categories) <= 12 and not table.sections:
            return table


def points_table(rng: Random, *, sized: bool = False) -> Table:
    """Named points with x, y and perhaps a size."""
    topics = library()["topics"]
    pool = rng.choice(("countries", "cities", "companies", "methods"))
    fit = [t for t in topics if pool in t["pools"] and not t.get("months")]
    tx, ty = rng.sample(fit, 2)
    n = rng.choice((8, 10, 12, 15, 20)) if pool in ("countries", "cities") else 8
    cats = _pick(rng, pool, n)
    rho = rng.choice((-1, -1, 0, 1, 1)) * rng.uniform(0.85, 0.99)
    z = [rng.gauss(0, 1) for _ in cats]
    w = [rho * u + math.sqrt(1 - rho * rho) * rng.gauss(0, 1) for u in z]

    def spread(u: list[float], t: dict[str, Any]) -> list[float]:
        lo, hi = _window(rng, t)
        a, b = min(u), max(u)
        return _distinct(Random(0), [lo + (hi - lo) * (v - a) / (b - a) for v in u], t["dec"])

    info = library()["pools"][pool]
    common = _common(rng, ty)
    year = rng.randint(2004, 2021)
    rows: list[tuple[float, ...]] = [tuple(spread(z, tx)), tuple(spread(w, ty))]
    names = ["x", "y"]
    if sized:
        names.append("size")
        rows.append(tuple(float(round(math.exp(rng.uniform(1, 5)))) for _ in cats))
    common["additive"] = False
    return Table(
        form="points",
        entity=f"{pool}:{tx['id']}:{year}",
        title=rng.choice(
            (
                f"{ty['head']} against {tx['head'].lower()}, {year}",
                f"{tx['head']} and {ty['head'].lower()} of {len(cats)} {info['many']}, {year}",
            )
        ),
        subtitle="",
        where="",
        category_title=tx["y"],
        category_kind="numeric",
        categories=tuple(cats),
        series=tuple(names),
        values=tuple(rows),
        one=info["one"],
        many=info["many"],
        series_many=tx["np"],
        **common,
    )


def bins_table(rng: Random) -> Table:
    """Counts in equal bins for a histogram."""
    what, unit, lo, step = rng.choice(
        (
            ("the age of participants", "years", 15, 5),
            ("the commuting time", "minutes", 0, 10),
            ("the exam score", "points", 40, 5),
            ("the tree height", "meters", 2, 2),
            ("the response time", "ms", 100, 50),
            ("the parcel weight", "kilograms", 0, 2),
        )
    )
    n = rng.choice((6, 7, 8, 9, 10, 12))
    mid, width = rng.uniform(0.2, 0.8) * n, rng.uniform(0.15, 0.3) * n
    total = rng.randint(80, 900)
    raw = [math.exp(-(((i + 0.5 - mid) / width) ** 2) / 2) + rng.uniform(0, 0.06) for i in range(n)]
    counts = _distinct(rng, [total * v / sum(raw) + 1 for v in raw], 0)
    place = rng.choice(library()["pools"]["cities"]["items"])
    cats = tuple(f"{lo + step * i}-{lo + step * (i + 1)}" for i in range(n))
    return Table(
        form="series",
        topic="hist_" + what.split()[1],
        entity=place,
        title=rng.choice(
            (
                f"Distribution of {what.removeprefix('the ')} in {place}",
                f"{what.removeprefix('the ').capitalize()} ({place} study)",
            )
        ),
        subtitle="",
        measure="the number of observations",
        short="the count",
        where=f"in {place}",
        unit="",
        symbol="",
        scale=1.0,
        decimals=0,
        value_title=rng.choice(("Frequency", "Count", "Number of observations")),
        category_title=f"{what.removeprefix('the ').capitalize()} ({unit})",
        category_kind="numeric",
        categories=cats,
        series=("",),
        values=(tuple(counts),),
        one="bin",
        many="bins",
        ordered=True,
        additive=True,
        domain="science",
        x=tuple(float(lo + step * i) for i in range(n + 1))[:n],
    )


def boxes_table(rng: Random) -> Table:
    """Five-number summaries by category."""
    table = category_table(rng, lambda t: not t.get("survey") and not t.get("signed"), rng.choice((3, 4, 5, 6)))
    dec = table.decimals
    med = [float(v or 0) for v in table.values[0]]
    unit = max(med) * 0.12
    low = [round(m - unit * rng.uniform(0.3, 1.2), dec) for m in med]
    high = [round(m + unit * rng.uniform(0.3, 1.2), dec) for m in med]
    least = [round(q - unit * rng.uniform(0.5, 1.8), dec) for q in low]
    most = [round(q + unit * rng.uniform(0.5, 1.8), dec) for q in high]
    return Table.from_dict(
        table.to_dict()
        | {
            "form": "boxes",
            "series": ["minimum", "lower quartile", "median", "upper quartile", "maximum"],
            "values": [least, low, med, high, most],
            "additive": False,
            "parts": False,
        }
    )


def ohlc_table(rng: Random) -> Table:
    """Daily open, high, low, close."""
    company = rng.choice(library()["pools"]["companies"]["items"])
    n, month, year = rng.choice((10, 12, 15, 20)), rng.choice(MONTHS), rng.randint(2012, 2021)
    drift = rng.choice((-1, 1)) * rng.uniform(0.002, 0.02)
    close = rng.uniform(15, 220)
    rows: list[list[float]] = [[], [], [], []]
    for _ in range(n):
        start = close * (1 + rng.gauss(0, 0.004))
        close = start * (1 + drift + rng.gauss(0, 0.02))
        rows[0].append(round(start, 2))
        rows[1].append(round(max(start, close) * (1 + abs(rng.gauss(0, 0.01))), 2))
        rows[2].append(round(min(start, close) * (1 - abs(rng.gauss(0, 0.01))), 2))
        rows[3].append(round(close, 2))
    rows[3] = _distinct(Random(0), rows[3], 2)
    rows[1] = [max(r) for r in zip(*rows)]
    return Table(
        form="ohlc",
        topic="shareprice",
        entity=company,
        title=f"Share price of {company}, {month} {year}",
        subtitle="",
        measure="the share price",
        short="the price",
        where=f"of {company}",
        unit="U.S. dollars",
        symbol="$",
        scale=1.0,
        decimals=2,
        value_title="Price in U.S. dollars",
        category_title="Trading day",
        category_kind="time",
        categories=tuple(f"{month} {i + 1}" for i in range(n)),
        series=("open", "high", "low", "close"),
        values=tuple(tuple(r) for r in rows),
        one="day",
        many="days",
        x=tuple(float(i) for i in range(n)),
        domain="business",
        source=rng.choice(library()["sources"]) if rng.random() < 0.4 else "",
    )


def two_table(rng: Random) -> Table:
    """A count and its rate on a second axis, for bars with a line."""
    table = time_table(rng)
    while table.unit == "percent" or min(v or 0 for v in table.values[0]) < 0 or len(table.categories) > 12:
        table = time_table(rng)
    rate = _distinct(Random(0), shape_values(rng, len(table.categories), 1, rng.uniform(8, 60), rng.choice(SHAPES)), 1)
    name = table.short.removeprefix("the ").capitalize()
    return Table.from_dict(
        table.to_dict()
        | {
            "series": [name, rng.choice(("Target reached (%)", "Capacity used (%)", "Share of budget (%)"))],
            "values": [table.values[0], rate],
            "series_many": "measures",
            "additive": False,
        }
    )


def bridge_table(rng: Random) -> Table:
    """Signed steps for a waterfall."""
    company = rng.choice(library()["pools"]["companies"]["items"])
    year = rng.randint(2008, 2021)
    steps = rng.sample(
        ("Sales", "Services", "Licences", "Materials", "Wages", "Logistics", "Marketing", "Taxes", "Energy", "Refunds"),
        rng.choice((4, 5, 6)),
    )
    signs = [rng.choice((-1, 1)) for _ in steps]
    signs[0] = 1
    values = [float(s * rng.randint(12, 160)) for s in signs]
    values[0] = float(rng.randint(180, 400))
    return Table(
        form="series",
        topic="bridge",
        entity=f"{company}:{year}",
        title=f"Cash bridge of {company}, {year} (in million euros)",
        subtitle="",
        measure="the contribution to cash",
        short="the contribution",
        where=f"at {company}",
        unit="million euros",
        symbol="",
        scale=1e6,
        decimals=0,
        value_title="Million euros",
        category_title="Item",
        category_kind="category",
        categories=tuple(steps),
        series=("",),
        values=(tuple(_distinct(Random(0), values, 0)),),
        one="item",
        many="items",
        ordered=True,
        domain="business",
        additive=True,
    )


def flow_table(rng: Random) -> Table:
    """Flows between sources and targets."""
    lib = library()["pools"]
    a, b = rng.choice((("energy", "sectors"), ("states", "cities"), ("departments", "reasons")))
    src, dst = rng.sample(lib[a]["items"], rng.choice((2, 3))), rng.sample(lib[b]["items"], rng.choice((2, 3, 4)))
    values = tuple(tuple(float(rng.randint(5, 95)) for _ in dst) for _ in src)
    place = rng.choice(lib["countries"]["items"])
    head = {"energy": "Use of energy", "states": "Moves", "departments": "Transfers"}[a]
    return Table(
        form="flow",
        topic="flow_" + a,
        entity=place,
        title=f"{head} in {place}: from {lib[a]['one']} to {lib[b]['one']}",
        subtitle="",
        measure="the flow",
        short="the flow",
        where=f"in {place}",
        unit="thousand",
        symbol="",
        scale=1e3,
        decimals=0,
        value_title="Thousand",
        category_title=lib[b]["title"],
        category_kind="category",
        categories=tuple(dst),
        series=tuple(src),
        values=values,
        one=lib[b]["one"],
        many=lib[b]["many"],
        series_many=lib[a]["many"],
        additive=True,
        domain="economy",
    )


_MAKERS: Final[dict[str, Callable[[Random], Table]]] = {
    "single": single_table,
    "category": category_table,
    "multi": multi_table,
    "parts": parts_table,
    "time": time_table,
    "multi_time": lambda r: multi_table(r, time=True),
    "parts_time": lambda r: _additive(r, True),
    "whole": whole_table,
    "points": points_table,
    "bubbles": lambda r: points_table(r, sized=True),
    "bins": bins_table,
    "boxes": boxes_table,
    "matrix": matrix_table,
    "stages": stages_table,
    "ohlc": ohlc_table,
    "errors": errors_table,
    "two": two_table,
    "bridge": bridge_table,
    "flow": flow_table,
}
