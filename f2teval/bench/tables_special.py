"""Tables for special charts: wholes, stages, distributions, points, prices, bridges, flows."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from f2teval.bench.shapes import MONTHS, SHAPES, distinct, draw_window, library, pick, rounded, shape_values
from f2teval.bench.table import Table
from f2teval.bench.tables_plain import category_table, common_fields, multi_table, time_table, topic


def _bare(phrase: str) -> str:
    """A measure without "the number of": shares are of things, not of numbers of things."""
    return phrase.removeprefix("the ").removeprefix("number of ").removeprefix("total number of ")


def whole_table(rng: Random) -> Table:
    """Shares of a whole for pies, donuts, treemaps."""
    t = topic(rng, lambda t: bool(t.get("parts")) or (bool(t.get("additive")) and not t.get("signed")))
    n = rng.choice((3, 4, 5, 6, 7))
    table = category_table(rng, lambda u: u["id"] == t["id"], n)
    raw = [abs(float(v or 0)) + 1e-9 for v in table.values[0]]
    floor = max(raw) * 0.08
    raw = [v + floor for v in raw]
    if t.get("parts") or rng.random() < 0.5:
        scale = 100 / sum(raw)
        shares = distinct(Random(0), [v * scale for v in raw], 1)
        shares[shares.index(max(shares))] += 100 - sum(shares)
        shares = [round(v, 1) for v in shares]
        head = t["head"] if t.get("parts") else f"Distribution of {_bare(t['np'])}"
        tail = (
            table.title[len(t["head"]) :]
            if table.title.startswith(t["head"])
            else f" in {table.entity.replace(':', ', ')}"
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
            "measure": t["np"] if t.get("parts") else f"the share of {_bare(t['np'])}",
            "short": "the share",
            "plural": False,
        }
        return Table.from_dict(d)
    values = rounded(raw, table.decimals)
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
        low = min(v for r in table.values for v in r if v is not None)
        if 3 <= len(table.categories) <= 12 and not table.sections and low >= 0:
            return table


def points_table(rng: Random, *, sized: bool = False) -> Table:
    """Named points with x, y and perhaps a size."""
    topics = library()["topics"]
    pool = rng.choice(("countries", "cities", "companies", "methods"))
    fit = [t for t in topics if pool in t["pools"] and not t.get("months")]
    tx, ty = rng.sample(fit, 2)
    n = rng.choice((8, 10, 12, 15, 20)) if pool in ("countries", "cities") else 8
    cats = pick(rng, pool, n)
    rho = rng.choice((-1, -1, 0, 1, 1)) * rng.uniform(0.85, 0.99)
    z = [rng.gauss(0, 1) for _ in cats]
    w = [rho * u + math.sqrt(1 - rho * rho) * rng.gauss(0, 1) for u in z]

    def spread(u: list[float], t: dict[str, Any]) -> list[float]:
        lo, hi = draw_window(rng, t)
        a, b = min(u), max(u)
        return distinct(Random(0), [lo + (hi - lo) * (v - a) / (b - a) for v in u], t["dec"])

    info = library()["pools"][pool]
    common = common_fields(rng, ty)
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
    counts = distinct(rng, [total * v / sum(raw) + 1 for v in raw], 0)
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
    unit = [0.12 * m for m in med]  # in proportion, so that no whisker falls below zero
    low = [round(m - u * rng.uniform(0.3, 1.2), dec) for m, u in zip(med, unit)]
    high = [round(m + u * rng.uniform(0.3, 1.2), dec) for m, u in zip(med, unit)]
    least = [round(q - u * rng.uniform(0.5, 1.8), dec) for q, u in zip(low, unit)]
    most = [round(q + u * rng.uniform(0.5, 1.8), dec) for q, u in zip(high, unit)]
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
    rows[3] = distinct(Random(0), rows[3], 2)
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
    rate = distinct(Random(0), shape_values(rng, len(table.categories), 1, rng.uniform(8, 60), rng.choice(SHAPES)), 1)
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
        values=(tuple(distinct(Random(0), values, 0)),),
        one="item",
        many="items",
        ordered=True,
        domain="business",
        additive=True,
    )


def flow_table(rng: Random) -> Table:
    """Flows between sources and targets."""
    lib = library()["pools"]
    a, b = rng.choice((("energy", "sectors"), ("departments", "reasons")))
    src, dst = rng.sample(lib[a]["items"], rng.choice((2, 3))), rng.sample(lib[b]["items"], rng.choice((2, 3, 4)))
    values = tuple(tuple(float(rng.randint(5, 95)) for _ in dst) for _ in src)
    place = rng.choice(lib["countries"]["items"])
    head = {"energy": "Use of energy", "departments": "Transfers"}[a]
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
