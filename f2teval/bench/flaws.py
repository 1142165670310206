"""Flaws of language: broken grammar, word salad, repetition, as captioning models produce them."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from f2teval.bench.facts.base import Clause, Teller
from f2teval.bench.truth import StatedError

_SWAPS = (
    (r"\bwas\b", ("were", "be", "is was")),
    (r"\bis\b", ("are", "be")),
    (r"\bare\b", ("is",)),
    (r"\bhas\b", ("have", "having")),
    (r"\bhad\b", ("has have",)),
    (r"\bwere\b", ("was",)),
    (r"\bthe\b", ("", "a the")),
    (r"\bin\b", ("at in", "")),
    (r"\bhighest\b", ("most highest", "high")),
    (r"\blowest\b", ("most lowest", "low")),
    (r"\bhigher\b", ("more high",)),
    (r"\bthan\b", ("then", "")),
    (r"\b(rose|fell|grew)\b", ("was rise", "did fell", "have grew")),
    (r"\bof\b", ("",)),
    (r"\bshows\b", ("show", "is show")),
)


def break_grammar(rng: Random, clause: Clause) -> bool:
    """Break one place of a clause, outside the words of its claims' errors; returns whether it could."""
    options = []
    for pattern, subs in _SWAPS:
        for m in re.finditer(pattern, clause.text):
            if not any(e.start < m.end() and m.start() < e.end for e in clause.errors):
                options.append((m.start(), m.end(), rng.choice(subs)))
    words = list(re.finditer(r"\b[a-z]{3,}\b", clause.text))
    if words and rng.random() < 0.3:
        w = rng.choice(words)
        options.append((w.end(), w.end(), " " + w[0]))
    if not options:
        return False
    a, b, new = rng.choice(options)
    old = clause.text[a:b]
    if not new and b < len(clause.text) and clause.text[b] == " ":
        b += 1
    edit(clause, a, b, new)
    end = a + len(new)
    if not new:
        nxt = re.compile(r"\s*\S+").match(clause.text, a)
        end = nxt.end() if nxt else min(len(clause.text), a + 1)
        if end <= a:
            a, end = max(0, len(clause.text) - 1), len(clause.text)
    clause.errors.append(StatedError("grammatical", a, end, clause.text[a:end], old))
    return True


def edit(clause: Clause, a: int, b: int, new: str) -> None:
    """Replace ``text[a:b]``, moving every span behind it."""
    shift = len(new) - (b - a)

    def move(x: int) -> int:
        return x if x <= a else max(a, x + shift) if x >= b else min(x, a + len(new))

    clause.text = clause.text[:a] + new + clause.text[b:]
    clause.claims = [replace(c, start=move(c.start), end=move(c.end)) for c in clause.claims]
    clause.errors = [
        replace(e, start=move(e.start), end=move(e.end), said=clause.text[move(e.start) : move(e.end)])
        for e in clause.errors
    ]


def nonsense(t: Teller) -> Clause:
    """A sentence without meaning, from the figure's own words."""
    rng, table = t.rng, t.table
    cats = list(table.categories)
    c, d = rng.choice(cats), rng.choice(cats)
    m = t.noun()
    how = rng.randrange(9)
    if how == 0:
        text = f"the {m} of the {m} of the {c} and the most of the {rng.choice(table.value_title.split()).lower()}"
    elif how == 1:
        text = " and ".join([c] * rng.randint(3, 7))
    elif how == 2:
        text = f"{c} has a {rng.choice(('higher', 'lower'))} {m} than {c}"
    elif how == 3:
        vals = [f"{v:g}" for r in table.values for v in r if v is not None][: rng.randint(4, 9)]
        text = f"{table.value_title} {' '.join(vals)} {c} {d}"
    elif how == 4:
        text = f"the {m} in {'the ' * rng.randint(2, 5)}{c}".replace("the the", "the the")
    elif how == 5:
        text = f"{m} is the {m} that {rng.choice(('most', 'many', 'some'))} {m} say they {c.lower()}"
    elif how == 6:
        text = f"in {c}, {rng.choice(('|' * rng.randint(6, 30), '% % % %', '000000000'))}"
    elif how == 7:
        words = f"{table.title} {m} {c} {d} the of and in".split()
        rng.shuffle(words)
        text = " ".join(words[: rng.randint(6, 12)])
    else:
        full = f"the {m} {table.where} was at its highest in comparison with the other {table.many}"
        text = full[: rng.randint(14, max(16, len(full) // 2))].rstrip()
    text = " ".join(text.split())
    return Clause(text, [], [StatedError("nonsense", 0, len(text), text)], (), (), "nonsense")
