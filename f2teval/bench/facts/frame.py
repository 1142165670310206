"""Statements about the figure itself (kind, subject, axes, legend, colours, source) and about what lies outside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from f2teval.bench.facts.base import Clause, Teller, Wrong, stated
from f2teval.bench.shapes import library
from f2teval.bench.speech import SMALL, listing, lower_first
from f2teval.bench.truth import StatedError

KINDS = {
    "vertical_bar": ("a bar chart", "a vertical bar chart", "a bar graph"),
    "horizontal_bar": ("a horizontal bar chart", "a bar chart"),
    "grouped_bar": ("a grouped bar chart", "a clustered bar chart"),
    "stacked_bar": ("a stacked bar chart",),
    "line": ("a line chart", "a line graph"),
    "multi_line": ("a line chart with several lines", "a multi-line chart"),
    "area": ("an area chart",),
    "stacked_area": ("a stacked area chart",),
    "pie": ("a pie chart",),
    "donut": ("a donut chart", "a doughnut chart"),
    "scatter": ("a scatter plot",),
    "bubble": ("a bubble chart",),
    "histogram": ("a histogram",),
    "box": ("a box plot",),
    "violin": ("a violin plot",),
    "heatmap": ("a heatmap", "a heat map"),
    "radar": ("a radar chart",),
    "funnel": ("a funnel chart",),
    "treemap": ("a treemap",),
    "candlestick": ("a candlestick chart",),
    "error_bar": ("a bar chart with error bars",),
    "bar_line": ("a combined bar and line chart",),
    "waterfall": ("a waterfall chart",),
    "sankey": ("a Sankey diagram",),
}
_OTHER = ("line", "pie", "scatter", "heatmap", "vertical_bar", "area", "radar", "box")


def kind(t: Teller, wrong: str = "") -> Clause | None:
    """It is such a chart."""
    ct = t.chart_type
    if wrong:
        family = {
            "horizontal_bar": "bar",
            "vertical_bar": "bar",
            "grouped_bar": "bar",
            "stacked_bar": "bar",
            "error_bar": "bar",
            "line": "line",
            "multi_line": "line",
            "area": "area",
            "stacked_area": "area",
            "bubble": "scatter",
            "scatter": "scatter",
            "bar_line": "bar",
        }.get(ct, ct)
        ct = t.rng.choice(
            [o for o in _OTHER if family not in o and o not in (ct,) and not (t.chart_type == "violin" and o == "box")]
        )
        if t.chart_type in ("bar_line", "histogram", "waterfall", "funnel", "candlestick") and ct in (
            "line",
            "vertical_bar",
            "area",
        ):
            ct = "pie"
    claim = stated("chart_type", [], [], [], ct, not wrong)
    return t.clause(
        "chart",
        {"kind": t.rng.choice(KINDS[ct])},
        [claim],
        [("label", ("kind",), KINDS[t.chart_type][0])] if wrong else [],
        levels=(1,),
        covers=("kind",),
    )


def entity(t: Teller) -> str:
    """The place or company in the subject, "" where categories carry it."""
    where = t.table.where
    return where.split(" ", 1)[1] if where.startswith(("in ", "at ")) else ""


def about(t: Teller, wrong: str = "") -> Clause | None:
    """What the figure shows: the measure, where, by what, when. Wrong: another place, division, time or measure."""
    table, rng = t.table, t.rng
    n = len(table.categories)
    said: dict[str, Any] = {
        "measure": table.measure,
        "where": table.where,
        "by": "",
        "first": "",
        "last": "",
        "count": 0,
    }
    if table.form == "flow":
        said["by"] = table.many
    elif table.form == "points" or (table.category_kind == "category" and rng.random() < 0.4):
        said["count"] = n
    elif table.category_kind == "time":
        said["first"], said["last"] = table.categories[0], table.categories[-1]
    else:
        said["by"] = table.one
    error: tuple[str, str, str] | None = None
    if wrong:
        error = _mislead(t, said)
        if error is None:
            return None
    text = str(said["measure"])
    if table.form == "boxes":
        text = "the distribution of " + text.removeprefix("the ")
    if table.form == "points":
        text += f" against {table.series_many}"
    if said["where"]:
        text += f" {said['where']}"
    if said["first"]:
        i = t.times(i=str(said["first"]), i2=str(said["last"]))
        text += f" from {i['i']} to {i['i2']}"
        if error and error[1] == "period":
            error = (error[0], f"from {i['i']} to {i['i2']}", error[2])
    elif table.form == "flow":
        text += f" from {table.series_many} to {said['by']}"
    elif said["count"]:
        k = int(str(said["count"]))
        text += f" for {SMALL[k] if k < len(SMALL) else k} {table.many}"
    else:
        text += f" by {said['by']}"
    slots = {"T": text}
    if rng.random() < 0.4:
        slots["kind"] = rng.choice(KINDS[t.chart_type])
    made = t.clause(
        "about", slots, [replace(stated("title", true=not wrong), slots=said)], levels=(1,), covers=("about",)
    )
    if made and "kind" in slots and slots["kind"] in made.text:
        made.covers = ("about", "kind")
        made.claims.append(replace(stated("chart_type", direction=t.chart_type), end=len(made.text)))
    if made and error:
        at = made.text.find(error[1])
        made.errors.append(StatedError(error[0], at, at + len(error[1]), error[1], error[2]))
    return made


def _mislead(t: Teller, said: dict[str, Any]) -> tuple[str, str, str] | None:
    """Make one part of the subject wrong; returns the error's type, its words and what is right."""
    table, rng = t.table, t.rng
    ways = ["measure"] if rng.random() < 0.4 else []
    name = entity(t)
    pool = next((p["items"] for p in library()["pools"].values() if name in p["items"]), None) if name else None
    if pool:
        ways += ["where"] * 3
    if said["by"] and table.form != "flow":
        ways.append("by")
    if said["first"] and str(said["first"]).isdigit():
        ways.append("period")
    ways = ways or ["measure"]
    way = rng.choice(ways)
    if way == "where" and pool:
        said["where"] = table.where.replace(name, rng.choice([x for x in pool if x != name and x not in table.title]))
        return "label", said["where"], table.where
    if way == "by":
        others = sorted({p["one"] for p in library()["pools"].values()} - {table.one})
        said["by"] = rng.choice(others)
        return "label", f"by {said['by']}", f"by {table.one}"
    if way == "period":
        k = rng.choice((2, 3, 5, 10))
        said["first" if rng.random() < 0.5 else "last"] = str(int(said["first"]) - k)
        if int(said["last"]) <= int(said["first"]):
            said["first"], said["last"] = table.categories[0], str(int(table.categories[-1]) + k)
        return "label", "period", f"from {table.categories[0]} to {table.categories[-1]}"
    others = [x["np"] for x in library()["topics"] if x["np"] != table.measure]
    said["measure"] = rng.choice(others)
    return "out_of_context", said["measure"].removeprefix("the "), table.measure


def axis(t: Teller, wrong: str = "") -> Clause | None:
    """What the axes show."""
    if t.chart_type in (
        "pie",
        "donut",
        "radar",
        "treemap",
        "funnel",
        "sankey",
        "heatmap",
        "bar_line",
        "candlestick",
        "horizontal_bar",
        "stacked_bar",
        "grouped_bar",
    ):
        return None
    table = t.table
    x, y = lower_first(table.category_title), lower_first(table.value_title)
    if table.form == "points":
        x = table.series_many
    a = t.rng.choice(("the ", "")) + x if not x.startswith("the ") else x
    b = t.rng.choice(("the ", "")) + y
    if a == b:
        return None
    if wrong:
        a, b = b, a
    claim = stated("axis", [], [], [], "", not wrong, x=y if wrong else x, y=x if wrong else y)
    return t.clause(
        "axis",
        {"X": a, "Y": b},
        [claim],
        [("label", ("X", "Y"), f"x: {x}, y: {y}")] if wrong else [],
        levels=(1,),
        covers=("axes",),
    )


def legend(t: Teller, wrong: str = "") -> Clause | None:
    """Which series there are."""
    rows = t.rows()
    if len(rows) < 2:
        return None
    names = list(rows)
    if wrong:
        other = _foreign(t, names)
        if not other:
            return None
        names[t.rng.randrange(len(names))] = other
    claim = stated("mention", names, [], [], "", not wrong)
    slots = {"L": listing(names), "n": SMALL[len(names)], "many2": t.table.series_many}
    return t.clause(
        "legend",
        slots,
        [claim],
        [("out_of_context", ("L",), listing(rows))] if wrong else [],
        levels=(1,),
        covers=("series",),
    )


def _foreign(t: Teller, names: list[str]) -> str:
    """A name of the same pool that is not in the figure."""
    for p in library()["pools"].values():
        if names[0] in p["items"]:
            left = [
                x
                for x in p["items"]
                if x not in t.table.categories and x not in t.table.series and x not in t.table.title
            ]
            return t.rng.choice(left) if left else ""
    return ""


def stranger(t: Teller, wrong: str = "") -> Clause | None:
    """A name and its place in the figure; wrong: a name that is not there at all."""
    if (
        t.table.category_kind != "category"
        or len(t.rows()) > 1
        or t.table.survey
        or t.table.form not in ("series", "boxes")
    ):
        return None
    s = t.rows()[0]
    order = sorted(t.cells(s), key=lambda p: -p[1])
    if len(order) < 3:
        return None
    high = t.rng.random() < 0.5
    c, v = order[0] if high else order[-1]
    if abs(v - (order[1] if high else order[-2])[1]) < t.margin(s):
        return None
    name = _foreign(t, list(t.table.categories)) if wrong else c
    if not name:
        return None
    slots = {
        "C": name,
        "m": t.noun(),
        "sup": "highest" if high else "lowest",
        "cmp": "higher" if high else "lower",
        "many": t.table.many,
        "one": t.table.one,
        "end": "top" if high else "bottom",
        "pos": "first" if high else "last",
    }
    claim = stated("extreme", [s], [name], [], slots["sup"], not wrong, rank=1)
    errors: list[Wrong] = [("out_of_context", ("C",), c)] if wrong else []
    return t.clause("extreme.cat", slots, [claim], errors, covers=("max" if high else "min",))


def color(t: Teller, wrong: str = "") -> Clause | None:
    """A series and its colour."""
    rows = [r for r in t.rows() if t.color_names.get(r)]
    if len(rows) < 2:
        return None
    s = t.rng.choice(rows)
    true = t.color_names[s]
    named = true
    if wrong:
        others = [c for c in {t.color_names[r] for r in rows} if c != true]
        if not others:
            return None
        named = t.rng.choice(sorted(others))
    claim = stated("color", [s], [], [], named, not wrong)
    return t.clause("color", {"S": s, "col": named}, [claim], [("label", ("col",), true)] if wrong else [], levels=(1,))


def count(t: Teller, wrong: str = "") -> Clause | None:
    """How many categories."""
    n = len(t.table.categories)
    if t.table.category_kind != "category" or n > 11 or t.table.form not in ("series", "boxes") or t.table.sections:
        return None
    w = t.rng.choice([k for k in (n - 2, n - 1, n + 1, n + 2) if k > 1]) if wrong else n
    claim = stated("count", [], [], [float(w)], "", not wrong)
    return t.clause(
        "count.cat",
        {"n": SMALL[w] if w < 13 else str(w), "many": t.table.many},
        [claim],
        [("value", ("n",), SMALL[n])] if wrong else [],
        levels=(1,),
    )


def period(t: Teller, wrong: str = "") -> Clause | None:
    """The time covered."""
    table = t.table
    if (
        table.category_kind != "time"
        or table.x is None
        or not table.categories[0].isdigit()
        or len(table.categories) < 3
    ):
        return None
    a, b = table.categories[0], table.categories[-1]
    if wrong:
        k = t.rng.choice((2, 3, 5, 10))
        if t.rng.random() < 0.5:
            a = str(int(a) - k) if t.rng.random() < 0.6 else str(min(int(a) + k, int(b) - 1))
        else:
            b = str(int(b) + k)
        if a == b or (a, b) == (table.categories[0], table.categories[-1]):
            return None
    claim = stated("range", [], [a, b], [], "period", not wrong)
    return t.clause(
        "period",
        t.times(i=a, i2=b),
        [claim],
        [("label", ("i", "i2", "I", "I2"), f"{table.categories[0]} to {table.categories[-1]}")] if wrong else [],
        levels=(1,),
    )


def source(t: Teller, wrong: str = "") -> Clause | None:
    """Where the data come from: true when the figure prints it."""
    table = t.table
    names = [n for n in library()["sources"] if n in table.source]
    if not wrong and not names:
        return None
    name = names[0] if not wrong else t.rng.choice([n for n in library()["sources"] if n not in table.source])
    art = "" if name.startswith(("Civic", "World", "Harborview")) else "the "
    claim = stated("source", [], [], [], name, not wrong)
    return t.clause(
        "source",
        {"src": art + name},
        [claim],
        [("out_of_context", ("src",), table.source)] if wrong else [],
        levels=(4,),
        role="context",
    )


def cause(t: Teller, wrong: str = "") -> Clause | None:
    """A cause: true when the sample's context says so."""
    true, false = t.causes
    name = false if wrong else true
    if not name:
        return None
    claim = stated("source", [], [], [], name, not wrong, cause=True)
    return t.clause(
        "cause",
        {"cause": name},
        [claim],
        [("out_of_context", (), "nothing in figure or context says so")] if wrong else [],
        levels=(4,),
        role="context",
    )
