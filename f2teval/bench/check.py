"""An independent check: does a stated claim hold for the table?

This module knows nothing of how statements are made; it reads the claim's stated names and numbers and recomputes the
truth. A hedged number ("about 40") holds within 4.5 % of the extent of the values, a plain one within its last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from f2teval.bench.facts.base import series_spread
from f2teval.bench.table import Table
from f2teval.bench.truth import StatedClaim

HEDGE = 0.045


def holds(
    claim: StatedClaim,
    table: Table,
    *,
    chart_type: str = "",
    context: str = "",
    colors: Mapping[str, str] | None = None,
) -> bool:
    """Whether a claim agrees with the table (and, for frames and causes, with the figure and its context).

    Raises ``ValueError`` for a claim kind it does not know.
    """
    try:
        test = _TESTS[claim.kind]
    except KeyError:
        raise ValueError(f"no check for claims of kind {claim.kind!r}") from None
    return bool(test(claim, table, chart_type, context, colors or {}))


def _near(claim: StatedClaim, k: int, true: float, span: float) -> bool:
    said = claim.values[k]
    s = claim.slots
    gap = abs(said - true)
    if not s["approx"][k]:
        return bool(gap <= s["precision"][k] * 1.001 + 1e-9)
    if (s["bound"][k] == "lower" and true < said - 1e-9) or (s["bound"][k] == "upper" and true > said + 1e-9):
        return False
    return gap <= HEDGE * span + 1e-9


def _cells(table: Table, series: str) -> dict[str, float]:
    return {c: v for c, v in zip(table.categories, table.row(series)) if v is not None}


def _between(table: Table, series: str, a: str, b: str) -> list[float]:
    i, j = table.categories.index(a), table.categories.index(b)
    return [v for v in table.row(series)[i : j + 1] if v is not None]


def _value(c: StatedClaim, t: Table, *_: object) -> bool:
    true = t.at(c.series[0], c.categories[0])
    return true is not None and _near(c, 0, true, series_spread(t, c.series[0]))


def _extreme(c: StatedClaim, t: Table, *_: object) -> bool:
    cells = _cells(t, c.series[0])
    if c.categories[0] not in cells:
        return False
    mine = cells[c.categories[0]]
    beyond = sum(v > mine if c.direction == "highest" else v < mine for v in cells.values())
    ties = sum(v == mine for v in cells.values())
    return beyond == c.slots["rank"] - 1 and ties == 1


def _trend(c: StatedClaim, t: Table, *_: object) -> bool:
    if c.slots.get("correlation"):
        xs, ys = t.row("x"), t.row("y")
        n = len(xs)
        mx, my = sum(v or 0 for v in xs) / n, sum(v or 0 for v in ys) / n
        up = sum(((x or 0) - mx) * ((y or 0) - my) for x, y in zip(xs, ys)) > 0
        return up == (c.direction == "up")
    vs, span = _between(t, c.series[0], *c.categories), series_spread(t, c.series[0])
    rise = vs[-1] - vs[0]
    if c.direction == "flat":
        return max(vs) - min(vs) <= 0.1 * span + 1e-9
    return abs(rise) >= 0.15 * span and (rise > 0) == (c.direction == "up")


def _change(c: StatedClaim, t: Table, *_: object) -> bool:
    s = c.series[0]
    if c.slots.get("half"):
        a, m, b = (float(t.at(s, k) or 0) for k in c.categories)
        return (abs(m - a) > abs(b - m)) == (c.direction == "first")
    a, b = (float(t.at(s, k) or 0) for k in c.categories)
    if a == b or (b > a) != (c.direction == "up"):
        return False
    k = abs(b - a) / a if a else 0.0
    if c.slots.get("percent"):
        return abs(100 * k - c.values[0]) <= max(2.6, 6 * k)
    size = c.slots.get("strength")
    return size is None or (k >= 0.5 if size == "strong" else k <= 0.125)


def _comparison(c: StatedClaim, t: Table, *_: object) -> bool:
    if c.slots.get("always"):
        pairs = [(x, y) for x, y in zip(t.row(c.series[0]), t.row(c.series[1])) if x is not None and y is not None]
        return all(x > y if c.direction == "higher" else x < y for x, y in pairs)
    if c.direction == "overtakes":
        a, b = c.series
        u, v = c.categories
        return (t.at(a, u) or 0) < (t.at(b, u) or 0) and (t.at(a, v) or 0) > (t.at(b, v) or 0)
    if c.slots.get("across") == "series":
        x, y = (t.at(s, c.categories[0]) for s in c.series)
    else:
        x, y = (t.at(c.series[0], k) for k in c.categories)
    return x is not None and y is not None and (x > y if c.direction == "higher" else x < y)


def _difference(c: StatedClaim, t: Table, *_: object) -> bool:
    span = series_spread(t, c.series[0])
    if c.slots.get("gap"):
        g = [abs((t.at(c.series[0], k) or 0) - (t.at(c.series[1], k) or 0)) for k in c.categories]
        right = (g[1] > g[0]) == (c.direction == "widened")
        return right and all(_near(c, i, g[i], span) for i in range(2))
    x, y = (float(t.at(c.series[0], k) or 0) for k in c.categories)
    return _near(c, 0, x - y, span)


def _ratio(c: StatedClaim, t: Table, *_: object) -> bool:
    x, y = (float(t.at(c.series[0], k) or 0) for k in c.categories)
    return y != 0 and abs(x / y / c.values[0] - 1) <= 0.1


def _ranking(c: StatedClaim, t: Table, *_: object) -> bool:
    order = sorted(_cells(t, c.series[0]).items(), key=lambda p: -p[1])
    return [k for k, _ in order[: len(c.categories)]] == list(c.categories)


def _count(c: StatedClaim, t: Table, *_: object) -> bool:
    if len(c.values) == 1:
        return len(t.categories) == c.values[0]
    vs = _cells(t, c.series[0]).values()
    return sum(v > c.values[1] if c.direction == "over" else v < c.values[1] for v in vs) == c.values[0]


def _share(c: StatedClaim, t: Table, *_: object) -> bool:
    vs = sorted(_cells(t, c.series[0]).values(), reverse=True)
    return abs(100 * sum(vs[: c.slots["top"]]) / sum(vs) - c.values[0]) <= 1


def _sum(c: StatedClaim, t: Table, *_: object) -> bool:
    cells, span = _cells(t, c.series[0]), series_spread(t, c.series[0])
    if c.slots.get("mean"):
        return bool(abs(sum(cells.values()) / len(cells) - c.values[0]) <= HEDGE * span + c.slots["precision"][0])
    return _near(c, 0, sum(cells[k] for k in c.categories), span)


def _range(c: StatedClaim, t: Table, *_: object) -> bool:
    if c.direction == "period":
        return (t.categories[0], t.categories[-1]) == c.categories
    vs: Sequence[float] = list(_cells(t, c.series[0]).values())
    span = series_spread(t, c.series[0])
    return _near(c, 0, min(vs), span) and _near(c, 1, max(vs), span)


def _title(c: StatedClaim, t: Table, *_: object) -> bool:
    s = c.slots
    period = (s["first"], s["last"]) in (("", ""), (t.categories[0], t.categories[-1]))
    by = s["by"] in ("", t.one) or (t.form == "flow" and s["by"] == t.many)
    return (
        s["where"] == t.where and s["measure"] == t.measure and period and by and s["count"] in (0, len(t.categories))
    )


def _axis(c: StatedClaim, t: Table, *_: object) -> bool:
    x = t.series_many if t.form == "points" else t.category_title
    return bool(c.slots["x"].lower() == x.lower() and c.slots["y"].lower() == t.value_title.lower())


def _source(c: StatedClaim, t: Table, chart_type: object, context: object, *_: object) -> bool:
    return c.direction in (str(context) if c.slots.get("cause") else t.source)


_TESTS: Final[dict[str, Callable[..., bool]]] = {
    "value": _value,
    "extreme": _extreme,
    "trend": _trend,
    "change": _change,
    "comparison": _comparison,
    "difference": _difference,
    "ratio": _ratio,
    "ranking": _ranking,
    "count": _count,
    "share": _share,
    "sum": _sum,
    "range": _range,
    "title": _title,
    "axis": _axis,
    "chart_type": lambda c, t, ct, *_: c.direction == ct,
    "mention": lambda c, t, *_: set(c.series) <= set(t.series),
    "color": lambda c, t, ct, cx, colors: colors.get(c.series[0]) == c.direction,
    "source": _source,
}
