"""Manner: speculation, filler, refusals. Said politely: none of these is an error of fact."""

from __future__ import annotations

from collections.abc import Iterator

from f2teval.claims.claim import Issue
from f2teval.claims.issues.material import Material

_MANNERS = frozenset({"speculation", "inference", "filler", "refusal", "machine"})


def speculation(m: Material) -> Iterator[Issue]:
    """Causes, meanings and futures that no figure shows ("may be due to", "will likely continue")."""
    for n, section, i, j in _phrases(m):
        if section == "speculation":
            note = "a guess: the figure shows no reasons and no future"
            yield m.issue("speculation", "out_of_context", n, (i, j), 0.5, note)
        elif section == "inference":
            stop = m.words.sentences[n][1]
            if stop - j >= 3:
                note = "a conclusion drawn from the figure rather than read off it"
                yield m.issue("inference", "out_of_context", n, (i, j), 0.25, note)


def filler(m: Material) -> Iterator[Issue]:
    """Phrases that carry nothing ("it is worth noting that", "provides a clear visual representation")."""
    for n, section, i, j in _phrases(m):
        if section == "filler":
            yield m.issue("filler", "redundancy", n, (i, j), 0.6, "can be left out without loss")


def refusal(m: Material) -> Iterator[Issue]:
    """The writer says that it cannot see or process the figure."""
    for n, section, i, j in _phrases(m):
        if section in {"refusal", "machine"}:
            yield m.issue("refusal", "nonsense", n, (i, j), 0.95, "a refusal, not a description")


def _phrases(m: Material) -> list[tuple[int, str, int, int]]:
    """Phrases of manner as (sentence, section, first, last), found once a text, none inside a longer one."""
    found: list[tuple[int, str, int, int]] | None = m.__dict__.get("_manner")
    if found is None:
        found = []
        for n, hits in enumerate(m.words.found("phrases")):
            until: dict[str, int] = {}
            for hit in hits:
                if hit.section in _MANNERS and hit.first >= until.get(hit.section, 0):
                    found.append((n, hit.section, hit.first, hit.last))
                    until[hit.section] = hit.last
        m.__dict__["_manner"] = found
    return found
