"""Texts of known quality about a figure: each dimension's grade is set on its own, sentence by sentence.

- faithfulness 2: every claim holds; 1: a quarter of the claims' sentences or fewer are wrong; 0: half or more.
- completeness 2: all key points told; 1: about half; 0: at most one.
- conciseness 2: no ballast; 1: a sentence or two of it; 0: about as much ballast and repetition as content.
- logicity 2: ordered and fluent; 1: one flaw (order, grammar, connective); 0: three or more, nonsense among them.
- analysis 2: two or more correct insights beyond listing; 1: one; 0: none, or only wrong ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from f2teval.bench import flaws
from f2teval.bench.assemble import LEADS, assemble, count_wrong, is_wrong, lead_in
from f2teval.bench.facts import amounts, course, frame, points, together
from f2teval.bench.facts.base import Clause, Teller
from f2teval.bench.truth import StatedError, TextTruth

STYLES: Final = ("terse", "model", "newspaper", "paper", "alt", "markdown")
Maker = Callable[..., Clause | None]

DETAILS: Final[tuple[tuple[Maker, tuple[str, ...], float], ...]] = (
    (points.value, ("value",), 3.0),
    (points.extreme, ("label", "label", "value"), 3.0),
    (points.rank2, ("label",), 1.0),
    (points.compare, ("label",), 2.0),
    (points.compare_series, ("label",), 1.5),
    (points.between_series, ("value",), 1.5),
    (points.list_values, ("value",), 2.0),
    (amounts.share, ("value",), 1.0),
    (amounts.span_of_values, ("value",), 0.7),
    (points.ranking, ("label",), 0.8),
    (course.trend, ("trend",), 3.0),
    (course.change, ("value", "trend"), 2.0),
    (course.magnitude, ("magnitude",), 1.8),
    (frame.count, ("value",), 0.5),
    (frame.period, ("label",), 0.4),
    (frame.axis, ("label",), 0.5),
    (frame.color, ("label",), 0.7),
    (frame.stranger, ("out_of_context",), 0.7),
    (frame.kind, ("label",), 0.3),
)
"""Makers of plain facts: the errors they can carry, how often they are used."""

INSIGHTS: Final[tuple[tuple[Maker, tuple[str, ...], float], ...]] = (
    (amounts.difference, ("value",), 1.0),
    (amounts.ratio, ("magnitude",), 1.5),
    (amounts.total, ("value",), 1.0),
    (amounts.concentrate, ("value",), 1.5),
    (amounts.spread_cat, ("value",), 1.0),
    (amounts.mean, ("value",), 1.0),
    (amounts.count_over, ("value",), 1.0),
    (course.percent, ("magnitude",), 1.5),
    (course.multiple, ("magnitude",), 1.5),
    (course.turn, ("trend",), 1.5),
    (course.halves, ("trend",), 1.2),
    (together.always, ("label",), 1.2),
    (together.cross, ("label",), 1.5),
    (together.gap, ("trend",), 1.5),
    (course.magnitude, ("magnitude",), 0.8),
)
CONTEXT: Final[tuple[tuple[Maker, tuple[str, ...], float], ...]] = (
    (frame.cause, ("out_of_context",), 1.0),
    (frame.source, ("out_of_context",), 0.6),
)


def _high(t: Teller, wrong: str = "") -> Clause | None:
    return points.extreme(t, wrong, high=True)


def _low(t: Teller, wrong: str = "") -> Clause | None:
    return points.extreme(t, wrong, high=False)


def _whole(t: Teller, wrong: str = "") -> Clause | None:
    return course.trend(t, wrong, whole=1.0)


KEYS: Final[dict[str, tuple[tuple[Maker, tuple[str, ...], float], ...]]] = {
    "about": ((frame.about, ("label",), 1.0),),
    "max": ((_high, ("label", "value"), 3.0), (points.ranking, ("label",), 1.0)),
    "min": ((_low, ("label", "value"), 1.0),),
    "trend": ((_whole, ("trend",), 1.0), (together.correlation, ("trend",), 1.0)),
    "series": ((frame.legend, ("out_of_context",), 1.0),),
    "compare": (
        (together.always, ("label",), 1.0),
        (points.between_series, ("value",), 1.0),
        (points.compare_series, ("label",), 1.0),
    ),
}
"""Key points of a figure and the makers that tell them."""


def key_points(t: Teller) -> list[str]:
    """The key points this figure has (those that can be put into words beyond doubt)."""
    wanted = ["about"]
    if len(t.rows()) == 1:
        wanted += ["trend"] if t.table.category_kind == "time" or t.table.form == "points" else []
        wanted += ["max", "min"]
    else:
        wanted += ["series", "compare"] + (["trend"] if t.table.category_kind == "time" else ["max"])
    return [k for k in wanted if _try(t, KEYS[k], False, k) is not None]


def _try(
    t: Teller, makers: tuple[tuple[Maker, tuple[str, ...], float], ...], wrong: bool, key: str = ""
) -> Clause | None:
    """A clause by one of the makers (weighted), right or wrong; ``None`` when none of them fits."""
    left = list(makers)
    while left:
        maker, kinds, _ = t.rng.choices(left, [m[2] for m in left])[0]
        for _ in range(3 if wrong else 2):
            made = maker(t, t.rng.choice(kinds) if wrong else "")
            if made is not None and (not wrong or made.errors):
                if key:
                    made.covers = tuple({*made.covers, key})
                return made
        left = [m for m in left if m[0] is not maker]
    return None


class Writer:
    """Writes the texts about one figure."""

    def __init__(self, teller: Teller) -> None:
        self.t = teller
        self.keys = key_points(teller)

    def write(self, id: str, style: str, grades: Mapping[str, int]) -> TextTruth:
        """One text of a style with a grade in each dimension."""
        t, rng = self.t, self.t.rng
        frame_, body, insights, extra = self._plan(style, grades)
        n_wrong, n_all = count_wrong(rng, grades["faithfulness"], len(frame_) + len(body) + len(insights) + len(extra))
        body = self._spoil(frame_, body, insights, extra, n_wrong, n_all, grades)
        content = frame_ + body + insights + extra
        if grades["analysis"] == 2 and rng.random() < 0.5:
            hedge = t.clause(
                "insight.hedge", {"many": t.table.many, "one": t.table.one}, [], levels=(4,), role="insight"
            )
            if hedge:
                content.insert(len(frame_) + len(body) + len(insights), hedge)
        content = self._ballast(content, grades["conciseness"], grades["faithfulness"])
        content = self._unsettle(content, grades["logicity"])
        sentences = self._join(content, style, fluent=grades["logicity"] == 2)
        return assemble(id, style, grades, sentences)

    # ------------------------------------------------------------------------------------------------------- content

    def _plan(
        self, style: str, grades: Mapping[str, int]
    ) -> tuple[list[Clause], list[Clause], list[Clause], list[Clause]]:
        """Right clauses: frame, facts, insights, context."""
        t, rng = self.t, self.t.rng
        level = grades["completeness"]
        keys = list(self.keys)
        n = len(keys)
        take = n if level == 2 else max(1, round(n * 0.5)) if level == 1 else rng.choice((0, 1)) if n > 1 else 0
        if level < 2:
            first = ["about"] if "about" in keys and take and rng.random() < 0.6 else []
            rest = [k for k in keys if k not in first]
            keys = first + rng.sample(rest, min(len(rest), take - len(first)))
            keys.sort(key=self.keys.index)
        frame_: list[Clause] = []
        body: list[Clause] = []
        for k in keys:
            made = next((m for m in (_try(t, KEYS[k], False, k) for _ in range(12)) if m), None)
            if made:
                (frame_ if k in ("about", "series") else body).append(made)
                t.pronoun = True
        most = {"terse": 2, "alt": 2, "paper": 3}.get(style, 5)
        want = rng.randint(0, most)
        if level == 0:
            want = max(want, 1 if style == "terse" else 2)
        tries = 0
        while want > 0 and tries < 20:
            tries += 1
            made = _try(t, DETAILS, False)
            if (
                made is None
                or (level < 2 and (set(made.covers) - set(keys)) & set(self.keys))
                or self._told(made, body)
            ):
                continue
            body.append(made)
            want -= 1
        insights: list[Clause] = []
        for _ in range(8):
            if (
                len(insights)
                >= {2: 2 + (style in ("model", "newspaper", "markdown") and rng.random() < 0.5), 1: 1, 0: 0}[
                    grades["analysis"]
                ]
            ):
                break
            made = _try(t, INSIGHTS, False)
            if made and not self._told(made, insights):
                made.role = "insight"
                insights.append(made)
        extra: list[Clause] = []
        if rng.random() < 0.28:
            made = _try(t, CONTEXT, False)
            if made:
                extra.append(made)
        least = 3 if grades["faithfulness"] == 1 else 1  # one wrong statement of one or two is not "mostly right"
        for _ in range(20):
            if len(frame_) + len(body) + len(insights) >= least:
                break
            made = _try(t, DETAILS, False)
            if made and not self._told(made, body) and not (level < 2 and set(made.covers) & set(self.keys)):
                body.append(made)
        return frame_, body, insights, extra

    @staticmethod
    def _told(made: Clause, others: list[Clause]) -> bool:
        """Whether the same claims were made already."""
        mine = {(c.kind, c.series, c.categories, c.direction) for c in made.claims}
        return any(mine & {(c.kind, c.series, c.categories, c.direction) for c in o.claims} for o in others)

    def _spoil(
        self,
        frame_: list[Clause],
        body: list[Clause],
        insights: list[Clause],
        extra: list[Clause],
        n_wrong: int,
        n_all: int,
        grades: Mapping[str, int],
    ) -> list[Clause]:
        """Replace right clauses by wrong ones of the same kind until enough are wrong."""
        t, rng = self.t, self.t.rng
        slots = [(body, i) for i in range(len(body))] + [(extra, i) for i in range(len(extra))]
        slots += [(frame_, i) for i in range(len(frame_))]
        rng.shuffle(slots)
        if grades["analysis"] < 2:
            slots += [(insights, i) for i in range(len(insights))]
            rng.shuffle(slots)
        done = 0
        for where, i in slots:
            if done >= n_wrong:
                break
            old = where[i]
            key = next((k for k in old.covers if k in KEYS), "")
            pool = (
                KEYS[key] if key else CONTEXT if old.role == "context" else INSIGHTS if where is insights else DETAILS
            )
            made = _try(t, pool, True, key)
            if made is None or (not key and where is body and (set(made.covers) & set(self.keys))):
                continue
            made.role = old.role
            where[i] = made
            done += 1
            if where is insights and grades["analysis"] == 1:
                made.role = "fact"
        tries = 0
        while (
            done < n_wrong
            or (grades["faithfulness"] == 0 and done * 2 < len(frame_) + len(body) + len(insights) + len(extra))
        ) and tries < 12:
            tries += 1
            made = _try(t, DETAILS, True)
            if made is None or set(made.covers) & set(self.keys):
                continue
            body.insert(rng.randint(0, len(body)), made)
            done += 1
        if done > 1 and rng.random() < 0.15 and grades["logicity"] < 2:
            self._contradict(body)
        return body

    def _contradict(self, body: list[Clause]) -> None:
        """Two clauses that cannot both hold: the wrong twin of a trend or extreme already told."""
        for c in list(body):
            kind = next((k.kind for k in c.claims if k.kind in ("trend",) and k.true), None)
            if kind is None:
                continue
            twin = course.trend(self.t, "trend", whole=1.0)
            full = (self.t.table.categories[0], self.t.table.categories[-1])
            if twin and any(
                k.kind == "trend" and k.categories == full and k.series == twin.claims[0].series for k in c.claims
            ):
                twin.errors.append(StatedError("contradiction", 0, len(twin.text), twin.text, c.text))
                body.append(twin)
                return

    def _ballast(self, content: list[Clause], grade: int, faithfulness: int) -> list[Clause]:
        """Filler and repetition."""
        t, rng = self.t, self.t.rng
        if grade == 2 or not content:
            return content
        n = (
            rng.randint(1, max(1, len(content) // 4))
            if grade == 1
            else max(2, math.ceil(len(content) * rng.uniform(0.7, 1.1)))
        )
        facts = [c for c in content if c.claims and (faithfulness == 2 or is_wrong(c) == (faithfulness == 0))]
        for _ in range(n):
            made: Clause | None
            if facts and rng.random() < 0.5:
                old = rng.choice(facts)
                made = replace(
                    old,
                    claims=list(old.claims),
                    role="repeat",
                    covers=(),
                    errors=[*old.errors, StatedError("redundancy", 0, len(old.text), old.text)],
                )
                at = rng.randint(content.index(old) + 1, len(content)) if old in content else len(content)
            else:
                made = t.clause("filler", {}, [], levels=(), role="filler")
                at = rng.randint(0, len(content))
            if made:
                content.insert(at, made)
        return content

    def _unsettle(self, content: list[Clause], grade: int) -> list[Clause]:
        """Flaws of order, grammar and connection."""
        t, rng = self.t, self.t.rng
        if grade == 2:
            return content
        want = 1 if grade == 1 else max(3, round(len(content) * 0.5))
        done = 0
        kinds = (
            ["grammar", "grammar", "order", "slip"]
            if grade == 1
            else ["nonsense", "order", "grammar", "slip", "grammar", "nonsense", "grammar"]
        )
        if grade == 1:
            rng.shuffle(kinds)
        while done < want:
            kind = kinds[done % len(kinds)]
            if kind == "order" and len(content) > 2:
                rng.shuffle(content)
            elif kind == "nonsense":
                content.insert(rng.randint(0, len(content)), flaws.nonsense(t))
            elif kind == "slip" and len(content) > 1:
                c = rng.choice(content[1:])
                lead = rng.choice(
                    (
                        "Therefore, ",
                        "As a consequence, ",
                        "Because of this, ",
                        "In contrast, ",
                        "Nevertheless, ",
                        "For this reason, ",
                    )
                )
                lead_in(c, lead)
                c.errors.append(StatedError("nonsense", 0, len(lead) - 2, lead[:-2], note="connective without a link"))
            else:
                c = rng.choice(content)
                if not flaws.break_grammar(rng, c) and kind != "grammar":
                    pass
            done += 1
        return content

    # -------------------------------------------------------------------------------------------------------- joining

    def _join(self, content: list[Clause], style: str, *, fluent: bool) -> list[list[tuple[str, Clause]]]:
        """Clauses into sentences: each a list of (glue before, clause)."""
        rng = self.t.rng
        out: list[list[tuple[str, Clause]]] = []
        pair = {"terse": 0.08, "model": 0.35, "newspaper": 0.35, "paper": 0.25, "alt": 0.3, "markdown": 0.15}[style]
        for c in content:
            plain = c.role in ("fact", "insight") and c.levels != (1,) and not c.text.startswith(LEADS)
            if (
                out
                and plain
                and len(out[-1]) == 1
                and out[-1][0][1].role in ("fact", "insight")
                and rng.random() < pair
            ):
                before = out[-1][0][1]
                if (
                    not (is_wrong(before) and is_wrong(c))
                    and before.levels != (1,)
                    and len(before.text) + len(c.text) < 190
                    and ";" not in before.text + c.text
                ):
                    glue = rng.choice((", while ", ", and ", "; ", ", whereas ", ", and "))
                    out[-1].append((glue, c))
                    continue
            lead = ""
            if fluent and out and plain and style in ("model", "newspaper", "markdown") and rng.random() < 0.22:
                lead = rng.choice(
                    (
                        "In addition, ",
                        "Moreover, ",
                        "Furthermore, ",
                        "At the same time, ",
                        "Notably, ",
                        "Also, ",
                        "It is also visible that ",
                        "Additionally, ",
                    )
                )
            out.append([(lead, c)])
        return out
