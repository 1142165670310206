"""``f2teval report``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from f2teval.cli.inputs import input_options, reader_from
from f2teval.errors import InputError, UsageError

if TYPE_CHECKING:
    from f2teval.run import Outcome
    from f2teval.score import Score


@click.command()
@input_options
@click.option("--scores", required=True, metavar="FILE", help="What f2teval score -o wrote for this input.")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="HTML")
@click.option("--max-rows", type=click.IntRange(1), default=None, metavar="N", help="Show at most the N worst texts.")
@click.option("--title", default="", help="Heading of the page.")
def report(scores: str, output: str, max_rows: int | None, title: str, **source: Any) -> None:
    """Make the HTML page of scores computed before.

    INPUT is the input that was scored, for its texts and figures; both are read side by side.

    Example: f2teval report texts.jsonl --scores scores.jsonl -o report.html
    """
    from f2teval.report.page import MAX_ROWS, Page
    from f2teval.report.tally import Tally

    reader = reader_from(source)
    tally = Tally(worst=0)
    with Page(output, max_rows=max_rows or MAX_ROWS, title=title) as page:
        for outcome in _joined(reader, scores):
            tally.add(outcome)
            page.add(outcome)
        if not tally.samples:
            raise InputError("there is nothing to show", where=scores)
        page.finish(tally)
    click.echo(f"report: {output} ({tally.samples} texts)")


def _joined(items: Any, scores: str) -> Iterator[Outcome]:
    """Samples and their scores, in order; samples without scores are left out (a run may have had ``--limit``)."""
    from f2teval.data.scores import read_scores
    from f2teval.run import Outcome

    groups = _groups(read_scores(scores))
    group = next(groups, None)
    shown = 0
    for item in items:
        if group is None:
            return
        if group[0].id == item.id:
            shown += 1
            yield Outcome(item, tuple(group), fresh=False)
            group = next(groups, None)
    if group is not None:
        raise UsageError(
            f"the scores are not of this input: after {shown} texts, no sample has the id {group[0].id!r} "
            "(same file, same order, same --map?)"
        )


def _groups(rows: Iterator[Score]) -> Iterator[list[Score]]:
    """Rows of one sample together: a run with several metrics writes one row a metric."""
    group: list[Score] = []
    for score in rows:
        if group and (score.id != group[0].id or score.metric in {s.metric for s in group}):
            yield group
            group = []
        group.append(score)
    if group:
        yield group
