"""Relations: comparisons, differences, ratios, sums, shares, counts."""

from __future__ import annotations

import re
from typing import Final

from f2teval.claims.claim import Claim, Quantity
from f2teval.claims.index import FigureIndex
from f2teval.claims.parsing.frame import Frame, mentions_of, names_of
from f2teval.claims.view import Group, Segment, View

_HIGHER = (
    r"higher|more|greater|larger|bigger|above|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|outpac(?:es|ed|ing)|ahead\sof"
    r"|longer|taller|outnumber(?:s|ed|ing)?|overtakes?|overtook|outperform(?:s|ed|ing)?|better|stronger|older|faster"
)
_LOWER = r"lower|less|fewer|smaller|below|behind|trail(?:s|ed|ing)?|shorter|weaker|slower|lag(?:s|ged|ging)?"
_EQUAL = (
    r"equal(?:ly|s|ed)?|the\ssame|identical|tied?|similar(?:ly)?|comparable|match(?:es|ed|ing)?|on\spar|nearly\stied"
    r"|level"
    r"|equivalent|close(?:ly)?\smatched"
)
_COMPARE = re.compile(rf"\b(?:(?P<higher>{_HIGHER})|(?P<lower>{_LOWER})|(?P<equal>{_EQUAL}))\b", re.I)
_THAN = re.compile(r"\b(?:than|compared\s(?:to|with)|over|to|versus|vs\.?|relative\sto|as)\b", re.I)
_NEEDS_NO_THAN: Final = (
    "exceed",
    "surpass",
    "outpac",
    "outnumber",
    "overtak",
    "overtook",
    "outperform",
    "trail",
    "above",
    "below",
    "ahead",
    "behind",
    "lag",
)
_THAN_WORD = re.compile(r"\b(?:than|compared\s(?:to|with)|versus|vs\.?|relative\sto)\b", re.I)
_AGAINST = re.compile(r"\b(?:as\sagainst|against|compared\s(?:to|with)|relative\sto|unlike|in\scontrast\sto)\s", re.I)
_VERY = re.compile(r"\b(?:far|much|significantly|considerably|substantially|markedly|notably|well|vastly)\s$", re.I)
_COUNT = re.compile(
    r"[-\s](?:(?P<adj>\w+|different\s\w+)\s)?(?P<noun>countries|nations|categories|groups|states|regions|cities"
    r"|companies|bars"
    r"|lines|years|months|decades|age\sgroups|series|segments|sectors|brands|sports|teams|players|products|types"
    r"|sources"
    r"|platforms|languages|candidates|parties|generations|topics|issues|continents|industries|provinces|websites|apps"
    r"|items|stages|columns|slices)\b", re.I,
)  # fmt: skip
_SHARE = re.compile(
    r"\b(?P<most>(?:a|the|an?\s\w+|narrow|slim|clear|large|overwhelming|vast|solid|strong|small)\s(?:\w+\s)?majority"
    r"|majorities|most"
    r"(?=\s(?:of\s)?(?:the\s|u\.?s\.?\s|american|adults|people|respondents|voters|public|\w+s\b))|more\sthan\shalf)\b"
    r"|\b(?P<few>(?:a|an?\s\w+)\sminority|minorities|few(?:er)?\sthan\shalf|less\sthan\shalf)\b", re.I,
)  # fmt: skip
_GAP_AFTER = re.compile(
    r"[-\s](?:percentage[-\s])?(?:points?|pp|%|percent)?[-\s]?(?P<word>higher|lower|more|less|fewer|above|below"
    r"|difference|gap|lead"
    r"|increase|decrease|rise|decline|drop|fall|jump|gain|margin|advantage)\b", re.I,
)  # fmt: skip
_GAP_BEFORE = re.compile(
    r"\b(?:(?:a|an)\s(?:\w+\s)?(?:difference|gap|lead|increase|decrease|rise|decline|drop|fall|jump|gain|margin"
    r"|change)\sof|by)\s"
    r"(?:\w+\s){0,3}$", re.I,
)  # fmt: skip
_SHOWN_BY = re.compile(
    r"\b(?:shown|represented|indicated|denoted|marked|depicted|evidenced|illustrated|reflected|followed|reported|held"
    r"|given|seen|cited|named|chosen)\s(?:\w+\s)?by\s(?:\w+\s){0,3}$",
    re.I,
)
_TOGETHER = re.compile(
    r"\b(?:combined|together|joint(?:ly)?|in\stotal|total(?:ing|ling|s|ed)?|sum|add(?:s|ed|ing)?\sup"
    r"|collectively)\b",
    re.I,
)
_MORE_THAN = re.compile(
    r"(?:\s[\w.]+){0,5}?\s(?:(?P<word>more|higher|less|lower|fewer|larger|greater)\s(?:\w+\s){0,3}than|above|below"
    r"|ahead\sof|behind)\s",
    re.I,
)
_PART_OF = re.compile(
    r"\s(?:the\s(?:one|figure|value|level|number|share|size|amount|rate|total|height)\s(?:of|for|in)"
    r"|(?:of\s)?that\s(?:of|for|in)|as\s(?:much|many"
    r"|high|large|big))\b", re.I,
)  # fmt: skip
_AGES = re.compile(r"\d\s?[-–]\s?$|\bto\s$|\baged?\s$", re.I)
_IS_EQUAL = re.compile(r"\b(?:is|are|was|were|have|has|had|shows?|remains?|with|at|both|hold)\s(?:\w+\s){0,2}$", re.I)
_MAX_GAP: Final = 90


def parse_relations(view: View, segment: Segment, frame: Frame, index: FigureIndex) -> list[Claim]:
    """Claims that set two things, or a thing and a whole, against each other."""
    claims = _counts(view, segment, index)
    claims += _gaps_and_ratios(view, segment, frame, index)
    comparison = _comparison(view, segment, frame, index)
    if comparison is not None:
        claims.append(comparison)
    claims += _shares(view, segment, frame)
    return claims


def _counts(view: View, segment: Segment, index: FigureIndex) -> list[Claim]:
    claims: list[Claim] = []
    for g in segment.of("number"):
        q = g.numbers[-1]
        if q.kind != "number" or q.unit or q.scale != 1.0 or q.value != int(q.value) or not 2 <= q.value <= 200:
            continue
        m = _COUNT.match(view.text, q.end, min(view.end, q.end + 48))
        if not m or _AGES.search(view.text[max(view.start, q.start - 6) : q.start]):
            continue
        view.used.add(q.start)
        view.derived.add(q.start)
        claims.append(
            Claim(
                "count",
                view.number,
                q.start,
                m.end(),
                (),
                (),
                (),
                (q,),
                slots={"noun": m.group("noun").lower(), "of": len(g.numbers) > 1, "certainty": 0.8},
            )
        )
    return claims


def _names(segment: Segment, index: FigureIndex) -> list[Group]:
    """The name groups of the dimension that is compared."""
    series = segment.of("name", "series")
    categories = segment.of("name", "category")
    return categories if len(categories) >= len(series) and len(categories) > 1 else series


def _two_sides(view: View, segment: Segment, index: FigureIndex, at: int) -> tuple[Group, Group] | None:
    """What is compared around a word: "A is higher than B", "higher for A than for B", "against B, A is higher".

    The first group returned is the one said to be higher (lower, …). Dates are compared where a figure runs over time.
    """
    kinds = {"name"} | ({"time"} if index.is_time else set())
    near = [g for g in view.groups if g.kind in kinds and g.joint != "to" and -_MAX_GAP <= g.start - at <= _MAX_GAP]
    than = _THAN_WORD.search(view.text, at, min(view.end, at + _MAX_GAP))
    against = _AGAINST.search(view.text, max(view.start, at - 2 * _MAX_GAP), at)
    if than:
        right = [g for g in near if g.start >= than.end()]
        left = [g for g in near if g.end <= than.start()]
        left.sort(key=lambda g: abs(g.start - at))
        for b in right:
            for a in left:
                if _differ(a, b):
                    return a, b
    elif against:
        right = [g for g in near if against.end() <= g.start < at]
        for b in right[:1]:
            left = [g for g in near if g is not b and _differ(g, b)]
            left.sort(key=lambda g: abs(g.start - at))
            if left:
                return left[0], b
    before = [g for g in near if g.end <= at]
    after = [g for g in near if g.start >= at]
    for a in reversed(before):
        for b in after:
            if _differ(a, b):
                return a, b
    return None


def _differ(a: Group, b: Group) -> bool:
    """Whether two groups are of one dimension and name different things."""
    if a.kind != b.kind or a.role != b.role:
        return False
    if a.kind == "time":
        return {q.value for q in a.numbers}.isdisjoint(q.value for q in b.numbers)
    return set(names_of(a)).isdisjoint(names_of(b))


def _comparison(view: View, segment: Segment, frame: Frame, index: FigureIndex) -> Claim | None:
    text = view.text
    end = min(view.end, segment.end + 80)
    for m in _COMPARE.finditer(text, segment.start, segment.end):
        kind = m.lastgroup or ""
        word = m.group().lower()
        if re.match(r"\s(?:than\s)?[\d$€£%]", text[m.end() : m.end() + 8]) or _COUNT.match(text, m.end(), m.end() + 20):
            continue
        sides = None
        if kind == "equal":
            if not _IS_EQUAL.search(text[max(segment.start, m.start() - 30) : m.start()]):
                continue
            together = [
                g for g in segment.groups if g.kind == "name" and len({t for h in g.hits for t in h.targets[:1]}) == 2
            ]
            if together:
                g = together[0]
                return _compare_claim(view, (g,), m.span(), "equal", frame, index)
        elif (
            word.startswith(_NEEDS_NO_THAN)
            or _THAN.search(text, m.end(), min(end, m.end() + 60))
            or _AGAINST.search(text, view.start, m.start())
        ):
            sides = _two_sides(view, segment, index, m.end())
        if sides is None:
            continue
        direction = {"higher": "higher", "lower": "lower", "equal": "equal"}[kind]
        return _compare_claim(
            view, sides, m.span(), direction, frame, index, bool(_VERY.search(text[m.start() - 16 : m.start()]))
        )
    return None


def _compare_claim(
    view: View, sides: tuple[Group, ...], span: tuple[int, int], direction: str, frame: Frame, index: FigureIndex,
    very: bool = False,
) -> Claim:  # fmt: skip
    role = sides[0].role if sides[0].kind == "name" else "time"
    if role == "time":
        left = tuple(c for q in sides[0].numbers for c in index.at(q))
        right = tuple(c for q in sides[-1].numbers for c in index.at(q))
    elif len(sides) == 1:
        left, right = (sides[0].hits[0].targets[0],), (sides[0].hits[-1].targets[0],)
    else:
        left, right = names_of(sides[0]), names_of(sides[1])
    names = left + right
    series = names if role == "series" else tuple(frame.series) if frame.own_series or role == "time" else ()
    categories = names if role != "series" else tuple(frame.categories)
    start, end = min(span[0], *(g.start for g in sides)), max(span[1], *(g.end for g in sides))
    return Claim(
        "comparison",
        view.number,
        start,
        end,
        mentions_of(list(sides), view.text),
        series,
        categories,
        (),
        direction,
        "strong" if very else "",
        slots={
            "role": role,
            "left": left,
            "right": right,
            "certainty": (0.5 if any(len(h.targets) > 1 for g in sides for h in g.hits) else 0.85) * frame.certainty,
            "start": frame.times.start,
            "end": frame.times.end,
        },
    )


def _gaps_and_ratios(view: View, segment: Segment, frame: Frame, index: FigureIndex) -> list[Claim]:
    claims: list[Claim] = []
    text = view.text
    for g in segment.of("number"):
        q = g.numbers[0]
        if q.start in view.used or len(g.numbers) != 1:
            continue
        if q.kind == "multiplier" or (q.kind == "fraction" and _PART_OF.match(text, q.end, min(view.end, q.end + 40))):
            claim = _ratio(view, segment, frame, index, q)
        else:
            claim = None
            after = _GAP_AFTER.match(text, q.end, min(view.end, q.end + 40)) if q.unit in {"pp", "%", ""} else None
            before = _GAP_BEFORE.search(text[max(segment.start, q.start - 44) : q.start])
            by = before is not None and before.group().lower().startswith("by")
            if by and _SHOWN_BY.search(text, max(segment.start, q.start - 60), q.start):
                before = None  # "represented by just under 0.2"
            if by and not (_moves(segment) or _COMPARE.search(text, max(segment.start, q.start - 60), q.start)):
                before = None  # "seen as a problem by 62%"
            more = _MORE_THAN.match(text, q.end, min(view.end, q.end + 60))
            if more and any(q.end <= g.start < more.end() for g in view.groups if g.kind == "name"):
                more = None
            if more and any(
                g.start - more.end() <= 12 for g in view.groups if g.kind == "name" and g.start >= more.end()
            ):
                after = after or more
            if (
                q.unit == "pp"
                or before
                or more
                or (after and (q.unit or after.group().strip(" -").lower().startswith("point")))
            ):
                claim = _gap(view, segment, frame, index, q, (after.group("word") or "").lower() if after else "")
        if claim is not None:
            view.used.add(q.start)
            view.derived.add(q.start)
            claims.append(claim)
        if _TOGETHER.search(text, max(view.start, q.start - 80), min(view.end, q.end + 30)) and claim is None:
            names = [n for n in segment.of("name") if len(n.items) > 1]
            if names and q.kind == "number":
                view.used.add(q.start)
                view.derived.add(q.start)
                claims.append(
                    Claim(
                        "sum",
                        view.number,
                        min(q.start, names[0].start),
                        max(q.end, names[0].end),
                        mentions_of(names[:1], text),
                        frame.series,
                        frame.categories,
                        (q,),
                        slots={"certainty": 0.8 * frame.certainty, "role": names[0].role, "names": names_of(names[0])},
                    )
                )
    return claims


def _moves(segment: Segment) -> str:
    return next((c.kind for c in segment.cues if c.kind in {"up", "down"}), "")


def _gap(view: View, segment: Segment, frame: Frame, index: FigureIndex, q: Quantity, word: str) -> Claim:
    sides = _two_sides(view, segment, index, q.end)
    moving = _moves(segment)
    slots: dict[str, object] = {"certainty": 0.75 * frame.certainty, "start": frame.times.start, "end": frame.times.end,
                                "points": list(frame.times.points),
        "dates": tuple(frame.times.quantities), "word": word}  # fmt: skip
    if sides is not None and not moving:
        slots |= {"role": sides[0].role, "left": names_of(sides[0]), "right": names_of(sides[1])}
        mentions = mentions_of(list(sides), view.text)
    else:
        mentions = frame.mentions
    return Claim(
        "difference", view.number, q.start, q.end, mentions, frame.series, frame.categories, (q,), moving, slots=slots
    )


def _ratio(view: View, segment: Segment, frame: Frame, index: FigureIndex, q: Quantity) -> Claim:
    sides = _two_sides(view, segment, index, q.end)
    slots: dict[str, object] = {"certainty": 0.75 * frame.certainty, "start": frame.times.start, "end": frame.times.end,
                                "points": list(frame.times.points)}  # fmt: skip
    if sides is not None:
        slots |= {"role": sides[0].role, "left": names_of(sides[0]), "right": names_of(sides[1])}
    return Claim(
        "ratio", view.number, q.start, q.end, frame.mentions, frame.series, frame.categories, (q,), slots=slots
    )


def _shares(view: View, segment: Segment, frame: Frame) -> list[Claim]:
    low = view.text[segment.start : segment.end].lower()
    if "most" not in low and "majorit" not in low and "half" not in low and "minorit" not in low:
        return []
    m = _SHARE.search(view.text, segment.start, segment.end)
    if not m:
        return []
    near = next(
        (q for g in segment.of("number") for q in g.numbers if q.unit == "%" and 0 <= q.start - m.end() <= 60), None
    )
    return [
        Claim("share", view.number, m.start(), m.end(), frame.mentions, frame.series, frame.categories,
              (near,) if near else (), "higher" if m.group("most") else "lower",
              slots={"certainty": 0.8 * frame.certainty, "own": frame.own_series or frame.own_categories})
    ]  # fmt: skip
