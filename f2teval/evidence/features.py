"""What the sentence scorecard reads of a sentence: verdicts and issues, as numbers that people can follow.

Every feature is a finding about what the sentence says: nothing about who wrote it, where it comes from, how long it is
or where it stands. ``SENTENCE_FEATURES`` gives each feature's monotone sign: +1, more of it can only raise ``p_error``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import Final

from f2teval.claims.claim import Issue, Verdict
from f2teval.claims.text_issues import DETECTORS
from f2teval.evidence.numbers import NUMBER_FEATURES
from f2teval.rubric import ERROR_TYPES

GROUPS: Final[dict[str, str]] = {
    "value": "value",
    "share": "value",
    "extreme": "extreme",
    "trend": "trend",
    "change": "change",
    "comparison": "compare",
    "difference": "compare",
    "ratio": "compare",
    "ranking": "ranking",
    "count": "count",
    "range": "range",
    "sum": "compare",
    "chart_type": "encoding",
    "title": "encoding",
    "axis": "encoding",
    "color": "encoding",
    "source": "source",
    "mention": "mention",
}
"""Claim kind → the group whose verdicts are counted together."""

_GROUP_NAMES: Final = tuple(dict.fromkeys(GROUPS.values()))
_QUIET: Final = frozenset({"filler", "speculation", "inference", "refusal"})

STYLE_FEATURES: Final[dict[str, int]] = {"style.words": 0, "style.position": 0, "style.count": 0}
"""Features that see only length and place. No scorecard uses them; a benchmark adds them to show what they would do."""


def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for g in _GROUP_NAMES:
        table[f"contradicted.{g}"] = +1
        table[f"open.{g}"] = +1
    table |= {
        "contradicted": +1,
        "net": +1,
        "contradicted.label": +1,
        "contradicted.mass": +1,
        "supported": -1,
        "supported.mention": -1,
        "supported.share": -1,
        "gap": +1,
        "nothing_checked": 0,
        "elsewhere.contradicted": +1,
        "elsewhere.issues": +1,
        "elsewhere.supported": -1,
    }
    for name in DETECTORS:
        if name not in _QUIET:
            table[f"issue.{name}"] = +1
    for name in ERROR_TYPES:
        table[f"issue_type.{name}"] = +1
    return table | NUMBER_FEATURES


SENTENCE_FEATURES: Final[dict[str, int]] = _table()


_BLANK: Final[dict[str, float]] = {
    name: 0.0
    for name in SENTENCE_FEATURES
    if name.startswith(("contradicted.", "open.", "issue")) or name == "supported.mention"
}


def sentence_features(count: int, verdicts: Sequence[Verdict], issues: Sequence[Issue]) -> list[dict[str, float]]:
    """Features of each of ``count`` sentences.

    ``contradicted.G`` is the largest confidence among the contradicted claims of group G, ``supported.mention`` the
    same of names and numbers found in the figure, ``open.G`` how many could not be verified (log). ``contradicted`` is
    the probability that at least one claim is (noisy or over all but mentions), ``net`` that less the surest support,
    ``supported.share`` the supported part of all that was decided, ``gap`` the largest distance of a stated number from
    the seen one in tolerances (log), ``elsewhere.*`` the mean of the same over the *other* sentences of the text.
    Features that do not apply are absent.

    Support is counted over all kinds of claims together: which kinds of true things a captioner likes to say is its
    style, and a model given one count a kind learns that style.
    """
    per: list[list[Verdict]] = [[] for _ in range(count)]
    for v in verdicts:
        per[v.claim.sentence].append(v)
    flaws: list[list[Issue]] = [[] for _ in range(count)]
    for i in issues:
        flaws[i.sentence].append(i)
    rows = [_one(v, i) for v, i in zip(per, flaws)]
    if count > 1:
        for key, source in (
            ("elsewhere.contradicted", "contradicted"),
            ("elsewhere.issues", "_issues"),
            ("elsewhere.supported", "supported"),
        ):
            total = sum(r.get(source, 0.0) for r in rows)
            for r in rows:
                r[key] = (total - r.get(source, 0.0)) / (count - 1)
    for r in rows:
        r.pop("_issues", None)
    return rows


def _one(verdicts: Sequence[Verdict], issues: Sequence[Issue]) -> dict[str, float]:
    row = _BLANK.copy()
    clean, label_clean, mass, sup_mass, best, gap = 1.0, 1.0, 0.0, 0.0, 0.0, 0.0
    opened: set[str] = set()
    for v in verdicts:
        group = GROUPS[v.claim.kind]
        if v.gap is not None:
            gap = max(gap, log1p(v.gap))
        if v.status == "contradicted":
            key = f"contradicted.{group}"
            row[key] = max(row[key], v.confidence)
            if group != "mention":
                clean *= 1.0 - v.confidence
                mass += v.confidence
                if v.error_type in ("label", "trend"):
                    label_clean *= 1.0 - v.confidence
        elif v.status == "supported":
            if group == "mention":
                row["supported.mention"] = max(row["supported.mention"], v.confidence)
            else:
                sup_mass += v.confidence
                best = max(best, v.confidence)
        else:
            key = f"open.{group}"
            row[key] += 1.0
            opened.add(key)
    for key in opened:
        row[key] = log1p(row[key])
    row["contradicted"] = 1.0 - clean
    row["net"] = (1.0 - clean) - best
    row["contradicted.label"] = 1.0 - label_clean
    row["contradicted.mass"] = mass
    row["supported"] = log1p(sup_mass)
    if mass + sup_mass > 0:
        row["supported.share"] = sup_mass / (mass + sup_mass)
    row["gap"] = gap
    row["nothing_checked"] = float(mass + sup_mass == 0)
    sound = 1.0
    for i in issues:
        if i.detector in _QUIET:
            continue
        for key in (f"issue.{i.detector}", f"issue_type.{i.type}"):
            row[key] = max(row[key], i.confidence)
        sound *= 1.0 - i.confidence
    row["_issues"] = 1.0 - sound
    return row
