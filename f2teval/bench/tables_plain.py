"""Plain tables: one value or several, over time or over categories; polls."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any, Literal

from f2teval.bench.shapes import MONTHS, SHAPES, arrange, distinct, draw_window, draw_years, library, pick, shape_values
from f2teval.bench.table import Table

"""chart type → the kind of table it is drawn from."""


def _time(rng: Random, t: dict[str, Any], n: int | None = None) -> tuple[list[str], list[float], str, str, str]:
    """Labels, positions, axis title, span words and the plural noun of a time axis."""
    if t.get("months") or rng.random() < 0.05:
        year = rng.randint(2008, 2021)
        return list(MONTHS), [year + i / 12 for i in range(12)], "Month", f"in {year}", "months"
    years = draw_years(rng, n or rng.choice((5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 20)))
    if rng.random() < 0.06 and years[1] - years[0] == 1:
        labels = [f"{y}/{(y + 1) % 100:02d}" for y in years]
        return labels, [float(y) for y in years], "Season", f"from {labels[0]} to {labels[-1]}", "seasons"
    return [str(y) for y in years], [float(y) for y in years], "Year", f"from {years[0]} to {years[-1]}", "years"


def topic(rng: Random, want: Callable[[dict[str, Any]], bool] = lambda t: True) -> dict[str, Any]:
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


def common_fields(rng: Random, t: dict[str, Any]) -> dict[str, Any]:
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
    lo, hi = window or draw_window(rng, t)
    if time:
        shape = "seasonal" if t.get("months") and rng.random() < 0.7 else rng.choice(SHAPES)
        vs = shape_values(rng, n, lo, hi, shape)
    else:
        skew = rng.choice((0.7, 1.0, 1.0, 1.8, 3.0))
        vs = [lo + (hi - lo) * rng.random() ** skew for _ in range(n)]
        if rng.random() < 0.15:
            vs[rng.randrange(n)] = hi * rng.uniform(1.3, 2.0) if t["unit"] != "percent" else hi
    dec = t["dec"] if hi - lo > 4 * 10.0 ** -t["dec"] * n else t["dec"] + 1
    return distinct(rng, vs, dec)


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
    t = topic(rng, lambda t: t.get("place") != "materials_free" and not t.get("survey"))
    pool = rng.choice(t["pools"])
    entity = rng.choice(library()["pools"][pool]["items"])
    cats, x, title, span, many = _time(rng, t)
    common = common_fields(rng, t)
    dec, vs = fit(_values(rng, t, len(cats), time=True), t["dec"])
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


def fit(values: list[float], dec: int) -> tuple[int, list[float]]:
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
        f"for {entity if entity.isupper() or pool in ('languages', 'methods') else entity[0].lower() + entity[1:]}",
    )


def category_table(
    rng: Random, topics: Callable[[dict[str, Any]], bool] = lambda t: True, n: int | None = None
) -> Table:
    """One value a category."""
    t = topic(rng, topics)
    pool = rng.choice(t["pools"])
    info = library()["pools"][pool]
    cats = pick(rng, pool, n or rng.choice((3, 4, 5, 6, 7, 8, 9, 10, 12, 14)))
    place, year = _place(rng, t, pool), rng.randint(2004, 2021)
    vs = _values(rng, t, len(cats), time=False)
    common = common_fields(rng, t)
    common["decimals"], vs = fit(vs, t["dec"])
    cats, vs = arrange(rng, cats, vs, bool(info.get("ordered")))
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
    t = topic(
        rng,
        lambda t: not t.get("survey") and not (same_sign and t.get("signed")) and (not time or not t.get("science")),
    )
    pool = rng.choice(t["pools"])
    info = library()["pools"][pool]
    place = _place(rng, t, pool)
    common = common_fields(rng, t)
    window = draw_window(rng, t)
    k = rng.choice((2, 2, 3, 3, 4, 5)) if time else rng.choice((2, 2, 3))
    if time:
        cats, x, ctitle, span, many = _time(rng, t, rng.choice((3, 4, 5, 6, 7, 8, 10, 12)))
        series = pick(rng, pool, k)
        one, kind = ctitle.lower(), "time"
        by, series_many = info["one"], info["many"]
    else:
        cats = pick(rng, pool, rng.choice((3, 4, 5, 6, 7)))
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
    dec = max(fit(r, t["dec"])[0] for r in rows)
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
        cats = [str(y) for y in draw_years(rng, rng.choice((2, 3, 4, 5, 6)))]
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
        cats = pick(rng, pool, rng.choice((3, 4, 5, 6, 8, 10)))
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
    return survey_table(rng) if rng.random() < 0.6 else additive_table(rng, rng.random() < 0.5)


def additive_table(rng: Random, time: bool) -> Table:
    while True:
        table = multi_table(rng, time=time, same_sign=True)
        if (table.additive or table.parts) and len(table.series) > 1:
            return table
