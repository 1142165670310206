"""What a text says of the figure itself: its type, title, axes, period, colours and source."""

from __future__ import annotations

import re

from f2teval.claims.claim import Claim, Quantity
from f2teval.claims.index import FigureIndex
from f2teval.claims.view import Group, View

_TYPES = (
    ("horizontal_bar", r"horizontal\s(?:stacked\s|grouped\s)?bars?(?:\s(?:chart|graph|plot))?"),
    ("vertical_bar", r"vertical\sbars?(?:\s(?:chart|graph|plot))?|column\s(?:chart|graph|plot)"),
    ("stacked_bar", r"stacked\s(?:bar|column)s?(?:\s(?:chart|graph|plot))?"),
    ("grouped_bar", r"(?:grouped|clustered)\s(?:bar|column)s?(?:\s(?:chart|graph|plot))?"),
    ("bar", r"bar\s?-?(?:chart|graph|plot|diagram)s?|each\sbar|the\sbars"),
    ("line", r"(?:multi-?)?line\s?-?(?:chart|graph|plot|diagram)s?"),
    ("area", r"(?:stacked\s)?area\s(?:chart|graph|plot)s?"),
    ("pie", r"pie\s?-?(?:chart|graph|diagram)s?"),
    ("donut", r"(?:donut|doughnut|ring)\s(?:chart|graph)s?"),
    ("scatter", r"scatter\s?-?(?:plot|chart|graph|gram)s?"),
    ("bubble", r"bubble\s(?:chart|plot)s?"),
    ("histogram", r"histograms?"),
    ("box", r"box\s?-?(?:and-whisker\s)?plots?"),
    ("heatmap", r"heat\s?-?maps?"),
    ("radar", r"(?:radar|spider)\s(?:chart|plot)s?"),
    ("treemap", r"tree\s?-?maps?"),
    ("funnel", r"funnel\s(?:chart|graph)s?"),
    ("map", r"choropleth(?:\smap)?"),
    ("table", r"(?:the|this)\stable(?=\s(?:shows|presents|lists|displays))"),
)
_TYPE = re.compile(r"\b(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _TYPES) + r")\b", re.I)
_TITLED = re.compile(
    r"\b(?:titled|entitled|title(?:\sis|\sof|:|\sreads?|\sstates?)?|headline(?:d|:)?|labell?ed"
    r"|captioned)\b[\s:,]{0,3}(?:that\s)?",
    re.I,
)
_QUOTED = re.compile(r"[\"“‘']([^\"“”]{6,300}?)[\"”’'](?=[\s.,;)]|$)")
_PERIOD_WORDS = re.compile(
    r"\b(?:chart|graph|figure|plot|data|period|years?|span(?:s|ning)?|cover(?:s|ing)?|over|range|timeline"
    r"|time\sframe|shows?|displays?"
    r"|depicts?|presents?|illustrates?)\b", re.I,
)  # fmt: skip
_AXIS = re.compile(r"\b(?P<side>[xy])[-\s]?axis\b|\b(?P<words>horizontal|vertical)\saxis\b", re.I)
_AXIS_RANGE = re.compile(r"\b(?:rang(?:es|ing|e)|from|scaled?|goes|going|up\sto|between|extends?)\b", re.I)
_RANGE_ONLY = re.compile(
    r"[\s,]{0,2}(?:which\s|that\s|is\s|has\sa\s)?(?:rang(?:es|ing|e)|from|scaled?|goes|going|extends?|extending|spans?"
    r"|runs?|starts?|starting)\b",
    re.I,
)
_STEPS = re.compile(r"\b(?:increments?|intervals?|steps?)\b", re.I)
_ON_THE = re.compile(r"\b(?:on|along|by)\s(?:the\s)?$", re.I)
_LAST_CLAUSE = re.compile(r"[,.;]|\band\b")
_CONTENT = re.compile(r"[A-Za-z]{2}")
_CAUSE = re.compile(
    r"\b(?:(?:due|owing|thanks)\sto|because\sof|(?:a\s|the\s)?results?\sof|explained\sby|attribut\w+\sto|driven\sby|caused"
    r"\sby|ascrib\w+\s(?:this|these|it)\sto|behind\s(?:this|these)\s\w+\s(?:is|are|lies?|was|were))\s(?:the\s|an?\s)?"
    r"(?P<said>[^,.;:()]{4,60})",
    re.I,
)
_CAUSE_HINTS = (
    "due ", "owing", "thanks", "because", "result", "explained", "attribut", "driven", "caused", "ascrib", "behind",
)  # fmt: skip
_SHOWS = re.compile(
    r"\W{0,4}(?:the|this|figure|image|it)\s(?:given\s|provided\s|above\s|\w+\s)?(?:chart|graph|figure|plot|image|diagram)?\s?"
    r"(?:shows|presents|displays|depicts|illustrates|represents|compares|gives|reports|visuali[sz]es|is\sabout"
    r"|deals\swith|concerns)\s(?P<said>[^.;:()\"“”]{12,160})",
    re.I,
)
_COLOUR = re.compile(
    r"\b(?:(?:light|dark|bright|pale|deep|navy|sky)[-\s])?(?P<c>blue|red|green|orange|purple|violet|yellow|gr[ae]y"
    r"|black|brown|pink|teal"
    r"|cyan|gold|beige|magenta|maroon|olive|tan|turquoise|navy)\b(?=\s(?:line|bar|area|curve|section|segment|dot"
    r"|point|part|slice"
    r"|column|shad|region|series|color|colour|portion|and\s\w+\s(?:line|bar)))"
    r"|\b(?:in|by|as|colou?red)\s(?:a\s|the\s)?(?:(?:light|dark)\s)?(?P<c2>blue|red|green|orange|purple|yellow"
    r"|gr[ae]y|black|brown|pink"
    r"|teal|gold)\b(?!\s(?:sea|house|cross|party|states?|communit|americans?))", re.I,
)  # fmt: skip
_SOURCE = re.compile(
    r"\b(?:source[sd]?(?:\sof\sthe\sdata)?(?:\sis|\sare|\sfrom|:|\scomes?\sfrom)?|according\sto|conducted\sby"
    r"|data\s(?:is|are|comes?|was|were)"
    r"\s(?:from|collected\sby|gathered\sby|provided\sby|sourced\sfrom)|published\sby|provided\sby|compiled\sby|survey\sby"
    r"|analysis\sby|sourced\sfrom)\s"
    r"(?:a\s|an\s)?(?:the\s)?", re.I,
)  # fmt: skip
_PROPER = re.compile(r"[A-Z][\w.&'’-]*(?:\s(?:[A-Z][\w.&'’-]*|of|for|and|the|on|&)){0,8}")


# Looked for first: most sentences hold none of them, and a plain search is a hundred times cheaper than the pattern.
_TYPE_HINTS = (
    "bar", "line", "area", "pie", "nut", "ring ", "scatter", "bubble", "histogram", "box", "heat", "radar", "spider",
    "tree",     "funnel", "choropleth", "table", "column",
)  # fmt: skip
_TITLE_HINTS = ("titl", "headline", "label", "caption")
_SOURCE_HINTS = (
    "source",
    "according",
    "conducted",
    "data ",
    "published",
    "provided",
    "compiled",
    "survey by",
    "analysis by",
)
_COLOURS = (
    "blue", "red", "green", "orange", "purple", "violet", "yellow", "gray", "grey", "black", "brown", "pink",
    "teal", "cyan",     "gold", "beige", "magenta", "maroon", "olive", "tan", "turquoise", "navy",
)  # fmt: skip


def parse_structure(view: View, index: FigureIndex) -> list[Claim]:
    """Claims about the figure itself in one sentence."""
    claims: list[Claim] = []
    text, start, end = view.text, view.start, view.end
    low = view.words.lower()

    def says(hints: tuple[str, ...]) -> bool:
        return any(h in low for h in hints)

    m = _TYPE.search(text, start, end) if says(_TYPE_HINTS) else None
    if m:
        claims.append(Claim("chart_type", view.number, m.start(), m.end(), slots={"type": m.lastgroup}))
    t = _TITLED.search(text, start, end) if says(_TITLE_HINTS) else None
    if t:
        q = _QUOTED.search(text, t.end(), end)
        if q and q.start() - t.end() < 24 and len(q.group(1)) >= 8:
            claims.append(Claim("title", view.number, q.start(1), q.end(1), slots={"said": q.group(1)}))
            view.used.update(i.start for g in view.groups for i in g.items if q.start() <= i.start < q.end())
    elif (shown := _SHOWS.match(text, start, end)) is not None and view.number <= 1:
        claims.append(
            Claim("title", view.number, shown.start(), shown.end(), slots={"said": shown.group("said"), "about": True})
        )
    if "axis" in low:
        claims += _axes(view)
    claims += _period(view, index)
    for c in _COLOUR.finditer(text, start, end) if says(_COLOURS) else ():
        claims.append(_colour(view, c))
    s = _SOURCE.search(text, start, end) if says(_SOURCE_HINTS) else None
    if s:
        p = _PROPER.match(text, s.end(), end)
        if p and len(p.group()) > 3 and not p.group().startswith(("The chart", "Chart")):
            claims.append(Claim("source", view.number, p.start(), p.end(), slots={"said": p.group()}))
    cause = _CAUSE.search(text, start, end) if s is None and says(_CAUSE_HINTS) else None
    if cause:
        claims.append(
            Claim("source", view.number, cause.start(), cause.end(), slots={"said": cause.group("said"), "cause": True})
        )
    return claims


def _axes(view: View) -> list[Claim]:
    claims: list[Claim] = []
    matches = list(_AXIS.finditer(view.text, view.start, view.end))
    for k, m in enumerate(matches):
        side = (m.group("side") or ("x" if (m.group("words") or "").lower() == "horizontal" else "y")).lower()
        stop = matches[k + 1].start() if k + 1 < len(matches) else view.end
        begin = m.end()
        clause = view.text[begin:stop]
        numbers: tuple[Quantity, ...] = ()
        for g in view.groups:
            between = view.text[begin : g.start]
            if (
                begin <= g.start < stop
                and g.kind != "name"
                and _AXIS_RANGE.search(between)
                and not _STEPS.search(between)
            ):
                numbers += g.numbers
        view.used.update(q.start for q in numbers)
        view.derived.update(q.start for q in numbers)
        if numbers:
            claims.append(
                Claim("axis", view.number, m.start(), numbers[-1].end, (), (), (), numbers[:3], slots={"side": side})
            )
        title = re.sub(r"[,.;].*", "", clause)
        passive = _ON_THE.search(view.text[view.start : m.start()])
        opening = matches[k - 1].end() if k else view.start
        if passive and _CONTENT.search(
            _ON_THE.sub("", _LAST_CLAUSE.split(view.text[opening : m.start()])[-1])
        ):  # "the years are listed on the x axis"
            said = _LAST_CLAUSE.split(view.text[opening : m.start()])[-1].lstrip()
            claims.append(
                Claim("axis", view.number, m.start() - len(said), m.end(), slots={"side": side, "said": said.strip()})
            )
            continue
        if numbers and _RANGE_ONLY.match(clause):
            continue
        claims.append(
            Claim("axis", view.number, m.start(), begin + len(title), slots={"side": side, "said": title.strip()})
        )
    return claims


def _period(view: View, index: FigureIndex) -> list[Claim]:
    """The first "from 2005 to 2019" of a sentence that speaks of the figure or states no trend of its own."""
    spans = [g for g in view.groups if g.kind == "time" and g.joint == "to" and len(g.items) == 2]
    claims = []
    for g in spans[:2]:
        about_all = bool(_PERIOD_WORDS.search(view.text, view.start, g.start)) and view.number == 0
        claims.append(_period_claim(view, g, about_all))
    return claims


def _period_claim(view: View, g: Group, about_all: bool) -> Claim:
    return Claim(
        "range",
        view.number,
        g.start,
        g.end,
        (),
        (),
        (),
        g.numbers,
        slots={"period": True, "whole": about_all, "certainty": 0.9},
    )


def _colour(view: View, m: re.Match[str]) -> Claim:
    colour = (m.group("c") or m.group("c2")).lower().replace("grey", "gray")
    names = [g for g in view.groups if g.kind == "name"]
    near = min(names, key=lambda g: min(abs(g.start - m.end()), abs(m.start() - g.end)), default=None)
    targets: tuple[str, ...] = ()
    if near is not None and min(abs(near.start - m.end()), abs(m.start() - near.end)) <= 40:
        targets = near.hits[0].targets
    series = targets if near is not None and near.role == "series" else ()
    return Claim(
        "color", view.number, m.start(), m.end(), (), series, () if series else targets, slots={"color": colour}
    )
