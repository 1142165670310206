"""One text as a card of the page. All that comes from the data is escaped; positions and sizes are numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from f2teval.data.fields import BadRow
from f2teval.report.marks import Mark, marked_html
from f2teval.report.pictures import Picture
from f2teval.rubric import DIMENSION_NAMES, SCALE_MAX
from f2teval.sample import Sample
from f2teval.score import Box, Score, SentenceScore

MAX_CHARS: Final = 8000
_EXCERPT: Final = 220
FORM_ERRORS: Final = frozenset({"nonsense", "grammatical", "contradiction", "redundancy"})
"""Error types that show in the text alone; the others are told by the figure."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or a confirmed statement, with its key within the card."""

    key: str
    kind: str
    label: str
    said: str
    seen: str
    note: str
    start: int
    end: int
    box: Box | None
    confidence: float


def findings_of(score: Score) -> list[Finding]:
    """Errors first, then what the figure confirms; statements that could not be checked are only counted."""
    errors, confirmed = [], []
    for s in score.sentences:
        for e in s.errors:
            kind = "form" if e.type in FORM_ERRORS else "bad"
            errors.append((kind, e.type, e.said, e.seen, e.note, e.start, e.end, e.box, e.confidence))
        for v in s.verdicts:
            if v.get("status") == "supported":
                confirmed.append(
                    ("good", str(v.get("claim", "")), str(v.get("said") or ""), str(v.get("seen") or ""), "",
                     int(v.get("start", 0)), int(v.get("end", 0)), _box(v.get("box")), float(v.get("confidence", 1)))
                )  # fmt: skip
    return [Finding(f"k{i}", *parts) for i, parts in enumerate([*errors, *confirmed])]


def _box(value: Any) -> Box | None:
    return (float(value[0]), float(value[1]), float(value[2]), float(value[3])) if value else None


def card(number: int, item: Sample | BadRow, scores: tuple[Score, ...], picture: Picture | str | None) -> str:
    """The card of one text, as HTML."""
    score = next((s for s in scores if s.scores), scores[0])
    found = findings_of(score)
    text = item.text if isinstance(item, Sample) else ""
    types = sorted({e.type for s in score.sentences for e in s.errors})
    numbers = {d: score.scores.get(d) for d in DIMENSION_NAMES}
    attributes = {
        "data-n": str(number),
        "data-system": score.system,
        "data-types": " ".join(types),
        "data-status": score.status,
        "data-overall": _plain(score.overall),
        **{f"data-{d}": _plain(v) for d, v in numbers.items()},
    }
    head = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return (
        f'<li class="row"{head}><details><summary>{_summary(text, score, found)}</summary>'
        f'<div class="body">{_figure(score, found, picture, item)}{_right(text, item, score, scores, found)}</div>'
        "</details></li>\n"
    )


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _summary(text: str, score: Score, found: list[Finding]) -> str:
    marks = _marks(found)
    excerpt = marked_html(text, 0, min(len(text), _EXCERPT), marks, live=False) + ("…" if len(text) > _EXCERPT else "")
    if score.status == "unscored":
        excerpt = f'<span class="tag warn">not scored</span> {escape(_cut(score.reason or "", 300))} {excerpt}'
    system = f'<span class="system">{escape(_cut(score.system, 60))}</span>' if score.system else ""
    wrong = sum(f.kind != "good" for f in found)
    count = f'<span class="tag bad">{wrong} {"error" if wrong == 1 else "errors"}</span>' if wrong else ""
    cells = "".join(_cell(name, score.scores.get(name)) for name in DIMENSION_NAMES) if score.scores else ""
    if score.overall is None:
        total = '<span class="total none"><span class="vh">overall: not scored</span>–</span>'
    else:
        total = f'<span class="total"><span class="vh">overall </span>{score.overall:.2f}</span>'
    return (
        f'<span class="what"><span class="meta">{system}<span class="id">{escape(_cut(score.id, 80))}</span>{count}'
        f'</span><span class="excerpt">{excerpt}</span></span><span class="cells">{cells}</span>{total}'
    )


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return f'<span class="cell"><span class="name">{name}</span> <span class="value none">–</span></span>'
    return (
        f'<span class="cell"><span class="name">{name}</span> <span class="value">{value:.2f}</span>'
        f"{bar(value / SCALE_MAX)}</span>"
    )


def bar(share: float) -> str:
    """A bar of ``share`` (0–1), as SVG: a strict content policy forbids style attributes."""
    width = max(0.0, min(1.0, share)) * 100
    return (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="6"/><rect class="fill" width="{width:.1f}" height="6"/></svg>'
    )


def _marks(found: list[Finding]) -> list[Mark]:
    return [Mark(f.start, f.end, f.key, f.kind, _title(f)) for f in found]


def _title(f: Finding) -> str:
    if f.kind == "good":
        return "confirmed"
    return f"{_words(f.label)} error" + (f": seen {_cut(f.seen, 80)}" if f.seen else "")


def _figure(score: Score, found: list[Finding], picture: Picture | str | None, item: Sample | BadRow) -> str:
    if picture is None:
        return '<div class="figure none">no picture</div>'
    if isinstance(picture, str):
        return f'<div class="figure none">{escape(_cut(picture, 300))}</div>'
    w, h = picture.width, picture.height
    boxes = "".join(_rect(f, w, h) for f in reversed(found) if f.box)
    caption = item.caption if isinstance(item, Sample) else ""
    under = f"<figcaption>{escape(_cut(caption, 400))}</figcaption>" if caption else ""
    name = escape(f"figure of {_cut(score.id, 80)}" + (": " + _cut(caption, 200) if caption else ""))
    return (
        f'<figure class="figure"><svg viewBox="0 0 {w} {h}" role="img" aria-label="{name}">'
        f'<use href="#{picture.key}" transform="scale({w / 1000:.6f} {h / 1000:.6f})"/>'
        f'<g class="boxes">{boxes}</g></svg>{under}</figure>'
    )


def _rect(f: Finding, width: int, height: int) -> str:
    assert f.box is not None
    x0, y0, x1, y1 = f.box
    x0, x1 = max(0.0, min(x0, x1)), min(float(width), max(x0, x1))
    y0, y1 = max(0.0, min(y0, y1)), min(float(height), max(y0, y1))
    pad = max(width, height) / 250
    return (
        f'<rect class="{f.kind}" data-k="{f.key}" x="{x0 - pad:.1f}" y="{y0 - pad:.1f}" '
        f'width="{x1 - x0 + 2 * pad:.1f}" height="{y1 - y0 + 2 * pad:.1f}" rx="{pad:.1f}"/>'
    )


def _right(text: str, item: Sample | BadRow, score: Score, scores: tuple[Score, ...], found: list[Finding]) -> str:
    parts = [_text(text, score, found)]
    wrong = [f for f in found if f.kind != "good"]
    good = [f for f in found if f.kind == "good" and f.label != "mention"]
    named = [f for f in found if f.kind == "good" and f.label == "mention"]
    if wrong:
        parts.append(f"<h3>What is wrong</h3><ul class='findings'>{''.join(_finding(f) for f in wrong)}</ul>")
    if good:
        parts.append(
            f"<details class='more' open><summary>Confirmed by the figure ({len(good)})</summary>"
            f"<ul class='findings'>{''.join(_finding(f) for f in good)}</ul></details>"
        )
    if named:
        chips = "".join(
            f'<li class="good" data-k="{f.key}" tabindex="0">{escape(_cut(f.said, 80))}</li>' for f in named
        )
        parts.append(f"<div class='cover named'><h3>Named, and found in the figure</h3><ul>{chips}</ul></div>")
    unknown = sum(v.get("status") == "unverifiable" for s in score.sentences for v in s.verdicts)
    if unknown:
        parts.append(f"<p class='quiet'>{unknown} {_plural(unknown, 'statement')} could not be checked.</p>")
    if score.coverage is not None:
        parts.append(
            _coverage("Told", "told", score.coverage.mentioned)
            + _coverage("Left out", "missing", score.coverage.missing)
        )
    reasons = [f"{name}: {why}" for name, why in score.reasons.items()]
    for line in [*reasons, *score.warnings]:
        parts.append(f"<p class='warning'>{escape(_cut(line, 400))}</p>")
    if isinstance(item, BadRow):
        parts.append(f"<p class='warning'>{escape(_cut(f'{item.where}: {item.reason}', 400))}</p>")
    parts.append(_explain(score))
    others = [s for s in scores if s is not score]
    if others:
        lines = (f"<dt>{escape(s.metric)}</dt><dd>{_number(s)}</dd>" for s in others)
        parts.append(f"<h3>Other metrics</h3><dl class='others'>{''.join(lines)}</dl>")
    return f'<div class="right">{"".join(parts)}</div>'


def _number(score: Score) -> str:
    if score.overall is None:
        return f"not scored: {escape(_cut(score.reason or '', 200))}"
    return f"{score.overall:.4g}"


def _text(text: str, score: Score, found: list[Finding]) -> str:
    marks = _marks(found)
    shown = min(len(text), MAX_CHARS)
    parts, at = [], 0
    for s in score.sentences:
        if s.start >= shown or s.start < at:
            continue
        parts.append(escape(text[at : s.start]))
        parts.append(_sentence(text, s, min(s.end, shown), marks))
        at = min(s.end, shown)
    parts.append(marked_html(text, at, shown, marks))
    cut = f"<p class='quiet'>The text goes on for {len(text) - shown:,} characters.</p>" if shown < len(text) else ""
    return f'<p class="text">{"".join(parts)}</p>{cut}'


def _sentence(text: str, s: SentenceScore, end: int, marks: list[Mark]) -> str:
    body = marked_html(text, s.start, end, marks)
    if s.p_error is None:
        return f"<span class='s'>{body}</span>"
    percent = round(100 * s.p_error)
    level = "high" if s.p_error >= 0.5 else "mid" if s.p_error >= 0.25 else "low"
    title = f"chance of a factual error: {percent}%"
    number = f'<sup class="p"><span class="vh">{title}</span>{percent}%</sup>'
    return f'<span class="s {level}" title="{title}">{body}{number}</span>'


def _finding(f: Finding) -> str:
    said = f'<span class="said"><span class="lead">said</span> {escape(_cut(f.said, 160))}</span>' if f.said else ""
    same = f.kind == "good" and _bare(f.seen) == _bare(f.said)
    seen = (
        f'<span class="seen"><span class="lead">seen</span> {escape(_cut(f.seen, 160))}</span>'
        if f.seen and not same
        else ""
    )
    note = f'<span class="note">{escape(_cut(f.note, 240))}</span>' if f.note else ""
    return (
        f'<li class="{f.kind}" data-k="{f.key}" tabindex="0"><span class="type">{escape(_words(f.label))}</span>'
        f"{said}{seen}{note}</li>"
    )


def _bare(text: str) -> str:
    """Letters and digits only."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _coverage(title: str, kind: str, names: Iterable[str]) -> str:
    chips = "".join(f"<li>{escape(_cut(n, 80))}</li>" for n in names)
    return f"<div class='cover {kind}'><h3>{title}</h3><ul>{chips}</ul></div>" if chips else ""


def _explain(score: Score) -> str:
    """What each dimension, and each sentence's chance of an error, is made of; the largest parts first."""
    blocks = [_parts(name, parts) for name, parts in score.explain.items()]
    for number, sentence in enumerate(score.sentences[:20], 1):
        if sentence.p_error is not None:
            blocks.append(_parts(f"sentence {number}: {sentence.p_error:.0%} chance of an error", sentence.why))
    body = "".join(blocks)
    if not body:
        return ""
    note = (
        "<p class='quiet'>Points that move a dimension up or down; for a sentence, log-odds of an error.</p>"
        if any(s.why for s in score.sentences)
        else ""
    )
    return (
        f"<details class='more'><summary>What the scores are made of</summary>{note}"
        f"<div class='explain'>{body}</div></details>"
    )


def _parts(title: str, parts: Mapping[str, float]) -> str:
    largest = sorted(parts.items(), key=lambda kv: -abs(kv[1]))[:8]
    rows = "".join(f"<tr><th scope='row'>{escape(_words(k))}</th><td>{v:+.2f}</td></tr>" for k, v in largest if v)
    return f"<table><caption>{escape(title)}</caption>{rows}</table>" if rows else ""


def _words(name: str) -> str:
    return name.replace("_", " ")


def _plural(n: int, word: str) -> str:
    return word if n == 1 else word + "s"


def _cut(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
