"""``f2teval read``."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from f2teval.errors import F2TEvalError, UsageError

if TYPE_CHECKING:
    from f2teval.figure.reading import Cell, Reading

_EPILOG = """\b
Examples
  f2teval read fig.png                        title, axes and the table
  f2teval read fig.png --format csv > fig.csv
  f2teval read fig.png --overlay seen.png     what was seen, drawn over the figure
"""


@click.command(epilog=_EPILOG)
@click.argument("figure")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--overlay", metavar="PNG", help="Draw what was read over the figure.")
@click.option("--no-cache", is_flag=True, help="Read again even if this figure was read before.")
def read(figure: str, form: str, overlay: str | None, no_cache: bool) -> None:
    """Read a figure: its table as text, CSV or JSON.

    FIGURE is PNG, JPEG, WebP, GIF, TIFF or BMP; SVG and PDF with their extras.
    """
    from f2teval.figure import read_figure

    reading = read_figure(Path(figure), cache=not no_cache)
    if form == "json":
        import orjson

        sys.stdout.buffer.write(orjson.dumps(reading.to_dict(), option=orjson.OPT_INDENT_2) + b"\n")
        sys.stdout.flush()
    elif form == "csv":
        _csv(reading)
    else:
        _table(reading)
    if overlay:
        _overlay(figure, reading, Path(overlay))


def _overlay(figure: str, reading: Reading, target: Path) -> None:
    from f2teval.data.scores import disk_error
    from f2teval.figure import draw_overlay
    from f2teval.figure.load import load_image

    if target.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
        raise UsageError("--overlay takes a .png, .jpg or .webp file")
    picture = draw_overlay(load_image(Path(figure)).rgb, reading)
    try:
        picture.save(target)
    except OSError as e:
        raise disk_error(e, target) from e
    click.echo(f"overlay: {target}", err=True)


def _csv(reading: Reading) -> None:
    """Tidy: a row a value, with where it came from and how sure it is."""
    import csv

    if not reading.cells:
        raise F2TEvalError("no values could be read off this figure; --format table shows what could")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["series", "category", "value", "unit", "origin", "tolerance", "confidence"])
    for c in reading.cells:
        number = f"{c.value:.6g}"
        out.writerow([_safe(c.series), _safe(c.category), number, _safe(reading.unit), c.origin,
                      f"{c.tolerance:.3g}", f"{c.confidence:.2f}"])  # fmt: skip


def _safe(text: str) -> str:
    """A cell that a spreadsheet would run as a formula is made a text."""
    return "'" + text if text[:1] in ("=", "+", "@", "\t", "\r") else text


def _table(reading: Reading) -> None:
    from rich.table import Table
    from rich.text import Text

    from f2teval.report.terminal import console

    to = console()
    kind = reading.chart_type.replace("_", " ")
    facts = [("chart", f"{kind} ({reading.chart_confidence:.0%} sure)" if kind != "unknown" else "unknown kind")]
    facts += [(name, text) for name, text in (("title", reading.title), ("subtitle", reading.subtitle)) if text]
    for axis in reading.axes:
        span = axis.span
        limits = f", {span[0]:g} to {span[1]:g}" if span else ""
        facts.append((f"{axis.side} axis", f"{axis.title or '–'} ({axis.kind}{limits})"))
    unit = " ".join(x for x in (reading.unit, f"× {reading.scale:g}" if reading.scale != 1 else "") if x)
    facts += [(n, t) for n, t in (("unit", unit), ("source", reading.source), ("notes", reading.notes)) if t]
    for name, text in facts:
        to.print(Text.assemble((f"{name:>9}  ", "dim"), text))
    if reading.is_chart < 0.35:
        to.print(Text("this does not look like a chart", style="yellow"))
    if reading.cells:
        to.print(_grid(reading, Table(header_style="bold")))
        to.print(Text("≈ measured off the axis, otherwise printed in the figure; ? less than half sure", style="dim"))
    for text in reading.unread:
        to.print(Text(f"not read: {text}", style="yellow"))


def _grid(reading: Reading, table: object) -> object:
    """Categories down, series across; long tables are told to be long."""
    from rich.table import Table
    from rich.text import Text

    assert isinstance(table, Table)
    series = list(dict.fromkeys(c.series for c in reading.cells))
    at: dict[tuple[str, str], Cell] = {(c.category, c.series): c for c in reading.cells}
    categories = list(dict.fromkeys(c.category for c in reading.cells))
    table.add_column(Text(reading.category_title or "category"), overflow="fold")
    for name in series[:12]:
        table.add_column(Text(name or "value"), justify="right", overflow="fold")
    for category in categories[:200]:
        cells = (at.get((category, name)) for name in series[:12])
        table.add_row(Text(category), *(Text(_shown(c)) for c in cells))
    left = [f"{len(categories) - 200} more rows" if len(categories) > 200 else "",
            f"{len(series) - 12} more series" if len(series) > 12 else ""]  # fmt: skip
    if any(left):
        table.caption = "… and " + " and ".join(x for x in left if x) + " (--format csv has all)"
    return table


def _rounded(value: float, tolerance: float) -> str:
    """No more digits than were measured."""
    if not tolerance > 0:
        return f"{value:.4g}"
    places = -math.floor(math.log10(tolerance))
    return f"{round(value, places):,.{max(places, 0)}f}"


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    number = cell.text or _rounded(cell.value, cell.tolerance)
    return ("≈ " if cell.origin == "measured" else "") + number + (" ?" if cell.confidence < 0.5 else "")
