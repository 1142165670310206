"""``f2teval list``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from f2teval.errors import UsageError

_WHAT = ("metrics", "sets", "formats", "charts", "dimensions", "errors")


@click.command("list")
@click.argument("what", type=click.Choice(_WHAT), required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(what: str | None, as_json: bool) -> None:
    """List metrics, rating sets, input formats, chart types, dimensions or error types."""
    makers: dict[str, Callable[[], list[dict[str, str]]]] = {
        "metrics": _metrics, "sets": _sets, "formats": _formats, "charts": _charts,
        "dimensions": _dimensions, "errors": _errors,
    }  # fmt: skip
    if as_json:
        import orjson

        chosen = {name: makers[name]() for name in ([what] if what else _WHAT)}
        sys.stdout.buffer.write(orjson.dumps(chosen, option=orjson.OPT_INDENT_2) + b"\n")
        return
    for name in [what] if what else ("metrics", "formats"):
        _print(name, makers[name]())
    if what is None:
        click.echo("More: f2teval list sets | charts | dimensions | errors")


def _print(title: str, rows: list[dict[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from f2teval.report.terminal import console

    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for column in rows[0] if rows else ():
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(v) for v in row.values()))
    console().print(table)


def _metrics() -> list[dict[str, str]]:
    from f2teval import metric

    rows = []
    for name in metric.names():
        try:
            info = metric.metric_class(name).info
        except Exception as e:  # a third party's metric that cannot be imported must not hide the others
            rows.append({"metric": name, "what": f"cannot be loaded: {e}", "gives": "", "needs": "", "install": ""})
            continue
        low, high = info.bounds
        gives = "the five dimensions" if len(info.dimensions) == 5 else ", ".join(info.dimensions)
        better = "" if info.higher_is_better else ", lower is better"
        extra = info.extra and f"f2teval[{info.extra}]"
        rows.append(
            {
                "metric": name,
                "what": info.description,
                "gives": gives or f"a number, {low:g} to {high:g}{better}",
                "needs": ", ".join(sorted(info.needs)) or "–",
                "install": extra or "–",
            }
        )
    return rows


def _sets() -> list[dict[str, str]]:
    if importlib.util.find_spec("f2teval.data.sets") is None:
        raise UsageError("this installation has no rating sets")
    sets: Any = importlib.import_module("f2teval.data.sets")
    return [{str(k): str(v) for k, v in row.items()} for row in sets.describe_sets()]


def _formats() -> list[dict[str, str]]:
    def rows() -> Iterator[tuple[str, str]]:
        yield "samples.jsonl", "a JSON object a line (.jsonl.gz too)"
        yield "samples.json", "an array of objects"
        yield "samples.csv, .tsv", "a header line; lists as JSON; a column a rating is fine"
        yield "samples.parquet", "images as bytes, the Hub's {bytes, path}, or paths"
        yield "folder/", "metadata.jsonl (.csv, .parquet) with file_name, or samples.jsonl"
        yield "predictions.jsonl", "capevalkit's pair, with references.jsonl beside it"
        yield "--image --text", "one figure and one text (- reads standard input)"
        yield "-", "JSON lines from standard input"
        yield "pictures", "PNG, JPEG, WebP, GIF (first frame), TIFF, BMP; SVG and PDF with the extras svg and pdf"
        yield "-o scores.jsonl", "a row a text as it is scored; resumable"
        yield "-o scores.parquet", "the same when complete"

    return [{"format": a, "what": b} for a, b in rows()]


def _charts() -> list[dict[str, str]]:
    from f2teval.figure.reading import CHART_TYPES

    return [{"chart type": name} for name in CHART_TYPES]


def _dimensions() -> list[dict[str, str]]:
    from f2teval.rubric import DIMENSIONS

    return [
        {"dimension": d.name, "question": d.question, "0": d.grades[0], "1": d.grades[1], "2": d.grades[2],
         "needs": "image" if d.needs_image else "–"}
        for d in DIMENSIONS.values()
    ]  # fmt: skip


def _errors() -> list[dict[str, str]]:
    from f2teval.rubric import ERROR_TYPES

    return [{"error": name, "what": what} for name, what in ERROR_TYPES.items()]
