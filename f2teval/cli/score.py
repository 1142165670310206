"""``f2teval score``."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from f2teval.cli.inputs import example_path, input_options, pairs, reader_from
from f2teval.errors import InputError, ThresholdError, UsageError

if TYPE_CHECKING:
    from f2teval.data.samples import SampleReader
    from f2teval.data.scores import ScoreFile
    from f2teval.report.tally import Tally, Threshold
    from f2teval.run import Facts, Outcome

_EPILOG = """\b
Examples
  f2teval score --example --report report.html      the bundled example
  f2teval score texts.jsonl -o scores.jsonl         a row a text, with the evidence
  f2teval score texts.csv --map text=summary --map image=file
  f2teval score --image fig.png --text "Sales doubled from 2010 to 2014."
  model | f2teval score --image fig.png --text -    the text from standard input
  f2teval score texts.jsonl -o scores.jsonl --resume          after a kill
  f2teval score texts.jsonl -o s.jsonl --fail-under faithfulness=1.5    a gate for CI

\b
Input: JSONL, JSON array, CSV, TSV, Parquet, a folder with metadata.jsonl, or
capevalkit's predictions.jsonl beside references.jsonl; "-" is JSONL on stdin.
Fields: id, image, text, caption, context, references, system, source, ratings.
Only text is required; image is a path, data URI, base64, bytes or URL.

\b
Output: with -o rows go to the file and the table to stdout. Without -o, rows go
to stdout as JSONL when it is not a terminal, and the table to stderr.
Exit: 0 done, 1 below --fail-under, 2 error, 3 done but some rows unscored.
"""


@click.command(epilog=_EPILOG)
@input_options
@click.option("-o", "--output", metavar="OUT", help="Write rows here: .jsonl or .parquet ('-': JSONL on stdout).")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="NAME", help="Default: evidence. Repeatable.")
@click.option(
    "-M", "--metric-option", "options", multiple=True, metavar="KEY=VALUE", help="Passed to the metrics. Repeatable."
)
@click.option("-j", "--jobs", type=click.IntRange(0), default=1, show_default=True,
              help="Worker processes; 0 scores in this one (a crash then ends the run).")  # fmt: skip
@click.option("--resume", is_flag=True, help="Carry on where OUT ends.")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it exists.")
@click.option(
    "--fail-under", multiple=True, metavar="NAME=X", help="Exit 1 if the mean of NAME is below X. Repeatable."
)
@click.option("--fail-under-each", multiple=True, metavar="NAME=X", help="Exit 1 if any text is below X. Repeatable.")
@click.option("--report", metavar="HTML", help="Write a self-contained page for reading and sharing.")
@click.option("--worst", type=click.IntRange(0, 1000), default=3, show_default=True, help="How many texts to print.")
@click.option("-q", "--quiet", is_flag=True, help="No table and no progress.")
def score(
    output: str | None,
    metrics: tuple[str, ...],
    options: tuple[str, ...],
    jobs: int,
    resume: bool,
    overwrite: bool,
    fail_under: tuple[str, ...],
    fail_under_each: tuple[str, ...],
    report: str | None,
    worst: int,
    quiet: bool,
    **source: Any,
) -> int:
    """Score texts about figures, with the evidence.

    INPUT is a file or folder of samples; or give one figure with --image and --text, or --example.
    """
    from f2teval.report.tally import Tally, Threshold, check_means
    from f2teval.run import MetricSpec

    means = [Threshold.parse(t) for t in fail_under]
    each = [Threshold.parse(t) for t in fail_under_each]
    reader = reader_from(source)
    if source.get("example") and not quiet:
        click.echo(f"the bundled example: {example_path()}", err=True)
    if resume and (output is None or output == "-"):
        raise UsageError("--resume needs -o FILE, the output to carry on with")
    if resume and overwrite:
        raise UsageError("--resume and --overwrite exclude each other")
    if any(":" in name for name in metrics):
        sys.path.insert(0, os.getcwd())  # a metric of one's own lies beside the data, as a rule
    specs = [MetricSpec(name, pairs(options, "--metric-option")) for name in metrics or ("evidence",)]
    if len({spec.metric for spec in specs}) < len(specs):
        raise UsageError("a metric is given twice")
    tally = Tally(worst)
    job = _Job(tally, each, reader)
    code = 0
    with contextlib.ExitStack() as stack:
        job.sink = stack.enter_context(_sink(output, resume, overwrite))
        if report is not None:
            from f2teval.report.page import Page

            job.page = stack.enter_context(Page(report))
        job.progress = stack.enter_context(_progress(quiet, reader))
        job.loop(specs, jobs)
    if job.interrupted:
        return job.interrupted
    if not quiet:
        _print(tally, reader, to_stdout=job.sink.to_file)
        if job.page is not None:
            click.echo(f"report: {report}", err=True)
    missing = getattr(reader, "missing_ids", [])
    if missing:
        raise UsageError(f"no sample with id {', '.join(map(repr, missing[:5]))}")
    if tally.samples == 0 and not tally.torn:
        raise InputError("the input has no rows", where=str(source.get("input") or "input"))
    short = check_means(tally, means) + job.short
    if short:
        more = f"; and {len(short) - 5} more" if len(short) > 5 else ""
        raise ThresholdError("below the threshold: " + "; ".join(short[:5]) + more)
    if tally.unscored or tally.torn:
        code = 3
    return code


class _Job:
    """One run of the command: the loop, and what it feeds."""

    def __init__(self, tally: Tally, each: list[Threshold], items: Any) -> None:
        self.tally, self.each, self.items = tally, each, items
        self.short: list[str] = []
        self.sink: _Sink
        self.page: Any = None
        self.progress: Callable[[], None]
        self.interrupted = 0

    def loop(self, specs: Any, jobs: int) -> None:
        from f2teval.run import run

        try:
            with _terminable(), contextlib.closing(run(self.items, specs, jobs=jobs, done=self.sink.done)) as rows:  # type: ignore[type-var]
                for outcome in rows:
                    self._take(outcome)
                self.sink.finish()
        except KeyboardInterrupt as e:
            self.interrupted = 143 if isinstance(e, _Terminated) else 130
            how = f"; --resume carries on ({self.sink.where})" if self.sink.to_file else ""
            click.echo(f"f2teval: interrupted: {self.sink.rows} rows are kept{how}", err=True)
        if self.page is not None and not self.interrupted:
            self.page.finish(self.tally)

    def _take(self, outcome: Outcome) -> None:
        from f2teval.data.fields import BadRow
        from f2teval.report.tally import check_each

        if isinstance(outcome.item, BadRow) and outcome.item.torn:
            self.tally.torn += 1
            click.echo(f"f2teval: {outcome.item.where}: {outcome.item.reason}; not scored", err=True)
            return
        if outcome.fresh:
            self.sink.write(outcome)
        self.tally.add(outcome)
        if self.each and len(self.short) < 1000:
            self.short += check_each(outcome, self.each)
        if self.page is not None:
            self.page.add(outcome)
        self.progress()


class _Sink:
    """Rows to a file, to stdout, or nowhere (a terminal wants the table only)."""

    def __init__(self, file: ScoreFile | None, stdout: bool, resume: bool) -> None:
        self._file, self._stdout, self._resume = file, stdout, resume
        self._count = 0

    @property
    def to_file(self) -> bool:
        return self._file is not None or not self._stdout

    @property
    def rows(self) -> int:
        return self._file.rows if self._file else self._count

    @property
    def where(self) -> str:
        return str(self._file.journal) if self._file else ""

    def done(self, facts: list[Facts]) -> Any:
        from f2teval.run import Done

        if self._file is None or not self._resume:
            return Done(0, iter(()))
        count = self._file.done([(f.name, f.signature) for f in facts])
        return Done(count, self._file.old())

    def write(self, outcome: Outcome) -> None:
        from f2teval.run import input_key

        if self._file is not None:
            key = input_key(outcome.item)
            self._file.write([(s, key) for s in outcome.scores])
        elif self._stdout:
            from f2teval.data.scores import dump_score

            data = b"".join(dump_score(s) + b"\n" for s in outcome.scores)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        self._count += len(outcome.scores)

    def finish(self) -> None:
        if self._file is not None:
            self._file.finish()


@contextlib.contextmanager
def _sink(output: str | None, resume: bool, overwrite: bool) -> Iterator[_Sink]:
    if output in (None, "-"):
        yield _Sink(None, stdout=output == "-" or not sys.stdout.isatty(), resume=False)
        return
    from f2teval.data.scores import ScoreFile

    with ScoreFile(str(output), resume=resume, overwrite=overwrite) as file:
        yield _Sink(file, stdout=False, resume=resume)


@contextlib.contextmanager
def _progress(quiet: bool, items: Any) -> Iterator[Callable[[], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        count = items.count() if hasattr(items, "count") and not isinstance(items, list) else len(items)
        task = bar.add_task("score", total=count)
        yield lambda: bar.advance(task)


class _Terminated(KeyboardInterrupt):
    """SIGTERM, handled as Ctrl-C is."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print(tally: Tally, reader: SampleReader | Any, to_stdout: bool) -> None:
    from f2teval.report.terminal import console, print_summary

    notes = []
    for text, n in getattr(reader, "notes", {}).items():
        notes.append(f"{text} ({n} rows)")
    if tally.samples:
        print_summary(console(sys.stdout if to_stdout else sys.stderr), tally, notes)
