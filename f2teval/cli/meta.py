"""``f2teval meta``: scores beside human ratings, as tables with their uncertainty."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from f2teval.errors import InputError, UsageError

if TYPE_CHECKING:
    from f2teval.data.sets.base import RatingSet
    from f2teval.meta.table import Table

FORMATS = ("terminal", "markdown", "latex", "csv", "json")


@click.command(short_help="Which metric agrees with people, and by how much.")
@click.argument("scores", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ratings", "where", required=True, help="Ratings: a file or folder, or the name of a set at hand.")
@click.option("--set", "set_name", help="What the ratings are (f2teval list sets); told by their form if left out.")
@click.option("--field", "fields", multiple=True, metavar="OURS=THEIRS", help="What a field is called in the ratings.")
@click.option("--scale", "scales", multiple=True, metavar="[DIM=]LOW:HIGH", help="The range of the grades.")
@click.option("--aggregate", type=click.Choice(["final", "mean", "majority", "none"]),
              help="How several raters become one number; default is the set's own habit, printed.")  # fmt: skip
@click.option("--average", type=click.Choice(["none", "item", "system"]), default="none", show_default=True,
              help="Pool all texts, or average over figures or systems.")  # fmt: skip
@click.option("--target", "targets", multiple=True, help="A dimension of the ratings; repeatable, default all.")
@click.option("--column", "columns", multiple=True, metavar="[TARGET=]NAME",
              help="The score that answers to a rating the metric has no dimension for: a dimension, overall, "
                   "sentence_product, sentence_min; repeatable. Default: as the set says, else overall.")  # fmt: skip
@click.option("--statistic", "statistics", multiple=True,
              help="pearson, spearman, kendall_b, kendall_c, accuracy, auc, mae, mse; repeatable.")  # fmt: skip
@click.option("--by", help="The statistic that metrics are tested on; default what is published on the set, "
                           "else kendall_b.")  # fmt: skip
@click.option("--test", type=click.Choice(["perm", "williams", "bootstrap"]), default="perm", show_default=True)
@click.option("--rows", type=click.Choice(["common", "own"]), default="common", show_default=True,
              help="Compare on the rows all metrics scored, or show each on its own.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(0, 100_000), default=1000, show_default=True,
              help="Bootstrap and permutation rounds; 0 leaves intervals and tests out.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True)
@click.option("--ablate", "ablations", multiple=True, metavar="WITH=WITHOUT",
              help="t test of a metric's scores with an input against those without it.")  # fmt: skip
@click.option(
    "--parameters", multiple=True, metavar="METRIC=SIZE", help="What to print under TP(AP), e.g. '0.9B (0.3B)'."
)
@click.option("--table", "keys", multiple=True, help="Only these tables (main, dimensions, groups, …); repeatable.")
@click.option("--format", "fmt", type=click.Choice(FORMATS), default="terminal", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write there, not to the screen.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Also write a page with plots.")
@click.option("--samples-out", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the rated texts as samples for f2teval score; needs no SCORES.")  # fmt: skip
@click.option(
    "--image-dir",
    type=click.Path(path_type=Path),
    help="Folder of the pictures, for --samples-out; default that of the ratings.",
)
def meta(
    scores: tuple[Path, ...], where: str, set_name: str | None, fields: tuple[str, ...], scales: tuple[str, ...],
    aggregate: str | None, average: str, targets: tuple[str, ...], columns: tuple[str, ...],
    statistics: tuple[str, ...], by: str | None,
    test: str, rows: str, rounds: int, seed: int, level: float, ablations: tuple[str, ...],
    parameters: tuple[str, ...], keys: tuple[str, ...], fmt: str, output: Path | None, html: Path | None,
    samples_out: Path | None, image_dir: Path | None,
) -> None:  # fmt: skip
    """Put SCORES (JSONL of f2teval score, or any table with an id and numbers) beside human ratings.

    \b
    f2teval meta bleu.jsonl evidence.jsonl --ratings ratings.jsonl
    f2teval meta evidence.jsonl --ratings chocolate/ --target factual --column sentence_product
    f2teval meta *.jsonl --ratings flickr8k.json --by kendall_c --format latex -o table.tex --html page.html

    Every table says how many texts each metric scored, how raters and texts were averaged, and what the intervals
    are. A number that does not exist is a dash with the reason below.
    """
    ratings = _ratings(where, set_name, fields, scales)
    if samples_out is not None:
        _write_samples(ratings, samples_out, image_dir or _pictures_of(Path(where)))
    if not scores:
        if samples_out is None:
            raise UsageError("give one or more files of SCORES, or --samples-out")
        return
    from f2teval.meta.evaluate import Options, evaluate
    from f2teval.meta.joined import join
    from f2teval.meta.layouts import tables
    from f2teval.meta.scores import read_metrics

    metrics = read_metrics(list(scores))
    answers = dict(_pair(c, "--column") if "=" in c else ("", c) for c in columns)
    joined = join(ratings, metrics, aggregate=aggregate, targets=targets, columns=answers)
    given: dict[str, Any] = {"statistics": statistics} if statistics else {}
    by = by or _default_statistic(ratings.published, test)
    options = Options(by=by, average=average, test=test, rows=rows, rounds=rounds, seed=seed, level=level, **given)  # type: ignore[arg-type]
    result = evaluate(joined, options)
    seconds = {m.name: m.seconds for m in metrics}
    sizes = dict(_pair(p, "--parameters") for p in parameters)
    found = tables(result, parameters=sizes, seconds=seconds)
    if ablations:
        from f2teval.meta.layouts import ablation

        found.append(ablation(result, [_pair(a, "--ablate") for a in ablations]))
    if html is not None:
        from f2teval.report.meta_page import page

        _write(html, page(result, found, {m.name: m.signature for m in metrics}))
    emit(_chosen(found, keys), fmt, output, ratings=ratings.name, aggregate=joined.aggregate, average=average,
         signatures={m.name: m.signature for m in metrics})  # fmt: skip


def _ratings(where: str, set_name: str | None, fields: Sequence[str], scales: Sequence[str]) -> RatingSet:
    from f2teval.data.sets import SETS, load_set
    from f2teval.data.sets.sniff import sniff

    path = Path(where)
    mapping = dict(_pair(f, "--field") for f in fields)
    if not path.exists():
        if where not in SETS:
            raise InputError("no such file, folder or rating set", where=where, hint="f2teval list sets")
        return load_set(where, None, mapping)
    loaded = load_set(set_name or sniff(path), path, mapping)
    for s in scales:
        dimension, _, span = s.rpartition("=")
        low, colon, high = span.partition(":")
        try:
            loaded.scales[dimension or "overall"] = (float(low), float(high))
        except ValueError:
            raise UsageError(f"--scale is [DIMENSION=]LOW:HIGH, not {s!r}") from None
        if not colon or float(low) >= float(high):
            raise UsageError(f"--scale is [DIMENSION=]LOW:HIGH with LOW below HIGH, not {s!r}")
    return loaded.check()


def _default_statistic(published: str, test: str) -> str:
    return "pearson" if test == "williams" else published or "kendall_b"


def _pair(text: str, option: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not equals or not left or not right:
        raise UsageError(f"{option} is written NAME=VALUE, not {text!r}")
    return left, right


def _pictures_of(place: Path) -> Path | None:
    """The folder of the ratings, which is where the pictures of most sets lie."""
    return (place if place.is_dir() else place.parent).resolve() if place.exists() else None


def _write_samples(ratings: RatingSet, path: Path, image_dir: Path | None) -> None:
    import orjson

    lines = []
    for s in ratings.samples(image_dir):
        text: Any = [s.text[a:b] for a, b in s.sentences] if s.sentences else s.text
        row = {
            "id": s.id,
            "image": str(s.image) if s.image else None,
            "text": text,
            "caption": s.caption,
            "context": s.context,
            "references": list(s.references),
            "system": s.system,
            "source": s.source,
        }
        lines.append(orjson.dumps({k: v for k, v in row.items() if v}) + b"\n")
    _write(path, b"".join(lines))
    click.echo(f"{len(lines)} samples written to {path}", err=True)


def _chosen(found: list[Table], keys: Sequence[str]) -> list[Table]:
    names = [t.key for t in found]
    for k in keys:
        if k not in names:
            raise UsageError(f"no table {k!r} for these data; there are {', '.join(names)}")
    return [t for t in found if not keys or t.key in keys]


def emit(found: Sequence[Table], fmt: str, output: Path | None, **facts: Any) -> None:
    """Write tables in a format to a file, or to the screen."""
    from f2teval.report import meta_tables as render

    on_screen = output is None and sys.stdout.isatty()
    if fmt == "terminal":
        text = render.terminal(found, width=None if on_screen else 200, color=on_screen)
    elif fmt == "json":
        text = render.json_text(found, **facts)
    else:
        makers: dict[str, Callable[[Sequence[Table]], str]] = {
            "markdown": render.markdown,
            "latex": render.latex,
            "csv": render.csv_text,
        }
        text = makers[fmt](found)
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        _write(output, text)


def _write(path: Path, content: str | bytes) -> None:
    try:
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as e:
        raise UsageError(f"cannot write {path}: {e.strerror or e}") from e
