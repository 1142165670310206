"""The edited figure I_A: the same look, the table changed so that something the text rightly said is wrong now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from f2teval.bench.check import holds
from f2teval.bench.synth import Draft, color_words, draw
from f2teval.bench.table import Table
from f2teval.bench.truth import StatedClaim


@dataclass(frozen=True, slots=True)
class Redrawn:
    """The picture file, the kind of claim that broke, and what should be rather than what is drawn."""

    data: bytes
    category: str
    diff: str


def redraw(draft: Draft, text_id: str, rng: Random) -> Redrawn | None:
    """Break one true claim of a text by changing the table, and draw it again; ``None`` when none can be broken."""
    text = next((t for t in draft.texts if t.id == text_id), None)
    if text is None or draft.table.form != "series":
        return None
    colors = color_words(draft.table, draft.style, draft.chart_type)
    claims = [
        c
        for s in text.sentences
        for c in s.claims
        if c.true and c.kind in ("value", "extreme", "trend", "comparison", "ranking")
    ]
    rng.shuffle(claims)
    for c in claims:
        table = _break(draft.table, c, rng)
        if table is not None and not holds(c, table, chart_type=draft.chart_type, context=draft.context, colors=colors):
            figure = draw(replace(draft, table=table), Random(f"{draft.id}|redraw"))
            return Redrawn(figure.data, c.kind, _say(c, draft.table, table))
    return None


def _break(t: Table, c: StatedClaim, rng: Random) -> Table | None:
    """A table in which the claim fails, as plausible as the first: two values of a series change places, or a series is
    turned around."""
    if not c.series or c.series[0] not in t.series:
        return None
    s = t.series.index(c.series[0])
    row = list(t.values[s])
    if c.kind == "trend":
        row = row[::-1]
    elif c.slots.get("always") or c.slots.get("across") or c.direction == "overtakes":
        if len(c.series) < 2:
            return None
        rows = list(t.values)
        o = t.series.index(c.series[1])
        rows[s], rows[o] = rows[o], rows[s]
        return replace(t, values=tuple(rows))
    else:
        if not c.categories or c.categories[0] not in t.categories:
            return None
        i = t.categories.index(c.categories[0])
        others = [k for k, v in enumerate(row) if k != i and v is not None and v != row[i]]
        if not others or row[i] is None:
            return None
        if t.parts and len(t.series) > 1:
            j = rng.choice([k for k in range(len(t.series)) if k != s])
            cells = [list(r) for r in t.values]
            cells[s][i], cells[j][i] = cells[j][i], cells[s][i]
            return replace(t, values=tuple(tuple(r) for r in cells))
        far = (
            max(others, key=lambda k: abs((row[k] or 0) - (row[i] or 0))) if rng.random() < 0.5 else rng.choice(others)
        )
        row[i], row[far] = row[far], row[i]
    values = (*t.values[:s], tuple(row), *t.values[s + 1 :])
    return replace(t, values=values)


def _say(c: StatedClaim, old: Table, new: Table) -> str:
    s = c.series[0]
    if c.kind == "trend":
        return f"the figure should show {s or old.measure} going {c.direction} rather than the other way"
    if c.categories and c.categories[0] in old.categories:
        k = c.categories[0]
        return f"{k}{f' ({s})' if s else ''} should be {old.at(s, k):g} rather than {new.at(s, k):g}"
    return "the series should stand the other way round"
