"""Tables of results as terminal, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any, Final

import orjson

from f2teval.meta.table import Column, Table, Value
from f2teval.meta.values import Cell

UNDEFINED: Final = "—"


class Footnotes:
    """Numbers reasons in the order they first occur."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, reason: str) -> int:
        if reason not in self.texts:
            self.texts.append(reason)
        return self.texts.index(reason) + 1


def text_of(value: Value, column: Column, *, intervals: bool = True, notes: Footnotes | None = None) -> str:
    """A value in plain text; an undefined one is a dash with the number of its footnote."""
    if value is None:
        return ""
    if not isinstance(value, Cell):
        return str(value)
    if value.value is None:
        return UNDEFINED + (f"({notes.mark(value.reason)})" if notes and value.reason else "")
    shown = f"{value.value:.{column.digits}f}"
    if column.bound and value.value < 0.5 * 10**-column.digits:
        return f"<{10**-column.digits:.{column.digits}f}"
    if intervals and value.low is not None and value.high is not None:
        d = min(column.digits, 3)
        shown += f" [{value.low:.{d}f}, {value.high:.{d}f}]"
    return shown


def _is_best(table: Table, row_aside: bool, value: Value, column: int) -> bool:
    best = table.best(column)
    return not row_aside and best is not None and isinstance(value, Cell) and value.value == best


def _heads(table: Table) -> list[str]:
    return [f"{c.group} {c.label}".strip() for c in table.columns]


def terminal(tables: Sequence[Table], width: int | None = None, *, color: bool | None = None) -> str:
    """For a terminal; ``color=False`` writes plain text."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=bool(color), no_color=not color, highlight=False)
    for table in tables:
        notes = Footnotes()
        # The interval stands under its value, and a heading in two lines: a table of eight statistics still fits.
        shown = [
            [text_of(v, c, notes=notes).replace(" [", "\n[") for v, c in zip(row.cells, table.columns)]
            for row in table.rows
        ]
        heads = [head.replace(" ", "\n", 1) if len(head) > 8 else head for head in _heads(table)]
        for part, columns in enumerate(_parts(table, heads, shown, console.width)):
            # Not the table's own title, which would be folded to the width of a narrow table.
            console.print(Text(table.title if part == 0 else f"{table.title}, continued", style="bold"))
            rich = RichTable(box=box.SIMPLE_HEAD)
            rich.add_column("", no_wrap=True)
            for i in columns:
                rich.add_column(heads[i], justify="right", overflow="fold")
            for row, texts in zip(table.rows, shown):
                cells = [
                    Text(texts[i], style="bold" if _is_best(table, row.aside, row.cells[i], i) else "") for i in columns
                ]
                rich.add_row(Text(row.label), *cells)
            console.print(rich)
        for line in _note_lines(table, notes):
            console.print(Text("  " + line, style="dim"))
        console.print()
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _parts(table: Table, heads: list[str], shown: list[list[str]], width: int) -> list[list[int]]:
    """Columns in as few runs as fit the width; the count of scored texts leads each run."""
    wide = [max(len(line) for text in (heads[i], *(r[i] for r in shown)) for line in text.split("\n")) + 3
            for i in range(len(heads))]  # fmt: skip
    lead = [i for i, c in enumerate(table.columns) if c.label == "scored"]
    base = max([0, *(len(r.label) for r in table.rows)]) + 5 + sum(wide[i] for i in lead)
    parts: list[list[int]] = [list(lead)]
    used = base
    for i in range(len(heads)):
        if i in lead:
            continue
        if used + wide[i] > width and len(parts[-1]) > len(lead):
            parts.append(list(lead))
            used = base
        parts[-1].append(i)
        used += wide[i]
    return parts


def _note_lines(table: Table, notes: Footnotes) -> list[str]:
    return [*(f"{UNDEFINED}({i}) {t}" for i, t in enumerate(notes.texts, 1)), *table.notes]


def markdown(tables: Sequence[Table], *, intervals: bool = True) -> str:
    """GitHub-flavoured Markdown; the best of a column is bold."""
    parts = []
    for table in tables:
        notes = Footnotes()
        lines = [f"### {table.title}", ""]
        heads = ["", *_heads(table)]
        lines.append("| " + " | ".join(_md(h) for h in heads) + " |")
        lines.append("|---" + "|---:" * len(table.columns) + "|")
        for row in table.rows:
            cells = []
            for i, value in enumerate(row.cells):
                shown = _md(text_of(value, table.columns[i], intervals=intervals, notes=notes))
                cells.append(f"**{shown}**" if _is_best(table, row.aside, value, i) else shown)
            lines.append("| " + " | ".join([_md(row.label), *cells]) + " |")
        lines += ["", *(f"- {_md(n)}" for n in _note_lines(table, notes)), ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _md(text: str) -> str:
    return re.sub(r"([|\\`*_<>])", r"\\\1", text).replace("\n", " ")


_TEX: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "−": r"$-$",
    "–": "--",
    "—": "--",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "ε": r"$\epsilon$",
    "“": "``",
    "”": "''",
    "’": "'",
    "…": r"\ldots{}",
}


_COLUMN_WIDE: Final = 6
"""More columns than this go across both columns of a page."""


def _tex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in text).replace("\n", " ")


def latex(tables: Sequence[Table], *, intervals: bool = False) -> str:
    """booktabs tables; grouped columns share a heading; the best of a column is bold."""
    parts = ["% needs \\usepackage{booktabs}"]
    for table in tables:
        notes = Footnotes()
        wide = "*" if len(table.columns) > _COLUMN_WIDE else ""
        size = r"\centering\small" + (r"\setlength{\tabcolsep}{4pt}" if wide else "")
        lines = [rf"\begin{{table{wide}}}[t]", size, r"\begin{tabular}{l" + "r" * len(table.columns) + "}"]
        lines.append(r"\toprule")
        lines += _tex_groups(table)
        lines.append(" & ".join(["", *(_tex(c.label) + _arrow(c) for c in table.columns)]) + r" \\")
        lines.append(r"\midrule")
        for row in table.rows:
            cells = []
            for i, value in enumerate(row.cells):
                shown = _tex(text_of(value, table.columns[i], intervals=intervals, notes=notes))
                cells.append(rf"\textbf{{{shown}}}" if _is_best(table, row.aside, value, i) else shown)
            lines.append(" & ".join([_tex(row.label), *cells]) + r" \\")
        caption = ". ".join([table.title, *_note_lines(table, notes)])
        lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{_tex(caption)}.}}"]
        lines += [rf"\label{{tab:{table.key}}}", rf"\end{{table{wide}}}", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _arrow(c: Column) -> str:
    return {"max": r"$\uparrow$", "min": r"$\downarrow$", "": ""}[c.best]


def _tex_groups(table: Table) -> list[str]:
    if not any(c.group for c in table.columns):
        return []
    cells, rules, at = [""], [], 2
    i = 0
    while i < len(table.columns):
        group = table.columns[i].group
        span = 1
        while i + span < len(table.columns) and group and table.columns[i + span].group == group:
            span += 1
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{_tex(group)}}}" if group else "")
        if group:
            rules.append(rf"\cmidrule(lr){{{at}-{at + span - 1}}}")
        i, at = i + span, at + span
    return [" & ".join(cells) + r" \\", "".join(rules)]


def csv_text(tables: Sequence[Table]) -> str:
    """Long form: a line a cell (table, row, column, value, low, high, n, note); an undefined value is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["table", "row", "column", "value", "low", "high", "n", "note"])
    for table in tables:
        for row in table.rows:
            for head, value in zip(_heads(table), row.cells):
                if isinstance(value, Cell):
                    rest = [value.value, value.low, value.high, value.n or None, value.reason]
                else:
                    rest = [value, None, None, None, ""]
                writer.writerow([table.key, _safe(row.label), _safe(head), *(_safe(v) for v in rest)])
    return out.getvalue()


def _safe(value: Any) -> Any:
    """A string that a spreadsheet would run as a formula is written with a leading apostrophe."""
    if isinstance(value, str) and value[:1] in ("=", "+", "@", "\t"):
        return "'" + value
    return "" if value is None else value


def json_text(tables: Sequence[Table], **facts: Any) -> str:
    """One object: the facts given, and ``tables``."""
    data = {**facts, "tables": [t.to_json() for t in tables]}
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY).decode() + "\n"
