"""The table by system and the worst texts, for a terminal or a log."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from f2teval.report.tally import Bad, Group, Tally
from f2teval.rubric import DIMENSION_NAMES
from f2teval.score import ErrorSpan, Score

_MAX_CHARS: Final = 1200


def console(stream: IO[str] | None = None) -> Console:
    """A console on a stream; wide enough for the table when it goes to a file."""
    stream = stream or sys.stdout
    return Console(file=stream, width=None if stream.isatty() else 110, highlight=False, soft_wrap=False)


def print_summary(to: Console, tally: Tally, notes: Sequence[str] = ()) -> None:
    """Everything a run says at its end."""
    for metric in tally.metrics():
        to.print(_table(metric, tally))
    worst = [bad for bad in tally.worst() if _wrong(bad.score) or len(tally.worst()) == 1]
    if worst:
        single = tally.samples == 1
        to.print(Text("The text" if single else "The worst texts, and what is wrong in them", style="bold"))
        for bad in worst:
            _print_text(to, bad, brief=not single)
    for title, counter in (("Not scored", tally.reasons), ("Warnings", tally.warnings)):
        if counter:
            to.print(Text(f"{title}:", style="bold yellow"))
            for text, n in counter.most_common(6):
                to.print(Text(f"  {n} × {text[:300]}"))
            if len(counter) > 6:
                to.print(f"  … and {len(counter) - 6} other reasons (all are in the output)")
    for note in notes:
        to.print(Text(f"Note: {note}", style="yellow"))


def _table(metric: str, tally: Tally) -> Table:
    table = Table(title=f"{metric}: means by system", title_justify="left", title_style="bold", header_style="bold")
    groups = list(tally.of(metric))
    names = [n for n in (*DIMENSION_NAMES, "overall", "value") if any(n in g.means for _, g in groups)]
    table.add_column("system", overflow="fold")
    table.add_column("scored", justify="right")
    for name in names:
        table.add_column(name, justify="right", style="bold" if name == "overall" else "")
    shown = groups[:50]
    for system, group in shown:
        table.add_row(Text(system or "–"), *_cells(group, names))
    if len(groups) > 1:
        table.add_section()
        table.add_row("all", *_cells(tally.overall(metric), names), style="dim")
    if len(groups) > len(shown):
        table.caption = f"… and {len(groups) - len(shown)} more systems"
    else:
        table.caption = "dimensions 0 poor · 2 perfect, overall 0–1" if "overall" in names else None
    table.caption_justify = "left"
    return table


def _cells(group: Group, names: list[str]) -> list[str]:
    cells = [f"{group.scored}/{group.total}"]
    for name in names:
        value, n = group.mean(name), group.means[name].n if name in group.means else 0
        # A mean over fewer rows than were scored says so.
        cells.append("–" if value is None else f"{value:.2f}" + (f" ({n})" if n < group.scored else ""))
    return cells


def _wrong(score: Score) -> bool:
    return any(s.errors for s in score.sentences)


def _print_text(to: Console, bad: Bad, brief: bool) -> None:
    item, score = bad.item, bad.score
    head = Text("  ")
    head.append(item.id, style="bold cyan")
    if item.system:
        head.append(f"  {item.system}", style="cyan")
    for name in DIMENSION_NAMES:
        value = score.scores.get(name)
        if value is not None:
            head.append(f"  {name[:5]} {value:.2f}", style="dim")
    if score.overall is not None:
        head.append(f"  {'overall' if score.scores else score.metric} {score.overall:.2f}", style="bold")
    to.print(head)
    errors = sorted((e for s in score.sentences for e in s.errors), key=lambda e: (e.start, e.end))
    to.print(Padding(_marked(item.text, errors, to.color_system is not None), (0, 0, 0, 4)))
    for error in errors[: 6 if brief else 50]:
        to.print(Padding(_line(error), (0, 0, 0, 6)))
    if brief and len(errors) > 6:
        to.print(f"      … and {len(errors) - 6} more")
    if score.coverage and score.coverage.missing and not brief:
        to.print(Padding(Text("not mentioned: " + ", ".join(score.coverage.missing), style="dim"), (0, 0, 0, 4)))
    for name, reason in score.reasons.items():
        if not brief:
            to.print(Padding(Text(f"{name}: not scored: {reason}", style="dim"), (0, 0, 0, 4)))
    to.print()


def _line(error: ErrorSpan) -> Text:
    line = Text("✗ ", style="red")
    line.append(error.type.replace("_", " "), style="bold red")
    if error.said:
        line.append(f"  said “{_short(error.said)}”", style="default")
    if error.seen:
        line.append(f", seen “{_short(error.seen)}”", style="green")
    if error.note:
        line.append(f"  {error.note}", style="dim")
    return line


def _short(text: str, limit: int = 120) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _marked(text: str, errors: list[ErrorSpan], color: bool) -> Text:
    """The text with wrong words underlined, or in brackets where there is no colour."""
    spans = _merged(errors, len(text))
    out, at = Text(), 0
    for start, end in spans:
        out.append(text[at:start])
        out.append(text[start:end] if color else f"⟦{text[start:end]}⟧", style="bold red underline")
        at = end
        if len(out) > _MAX_CHARS:
            break
    out.append(text[at:])
    if len(out) > _MAX_CHARS:
        out.truncate(_MAX_CHARS)
        out.append(" … (cut here; the output has it all)", style="dim")
    return out


def _merged(errors: list[ErrorSpan], length: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for e in errors:
        start, end = max(0, e.start), min(length, e.end)
        if start >= end:
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans
