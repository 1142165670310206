"""The command line: one lazy group. A command's file is imported when it is called, so help is fast and a missing
extra breaks nothing but the command that needs it."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import click

from f2teval import __version__
from f2teval.errors import F2TEvalError


class Entry(NamedTuple):
    """Where a command lives, what it does in a few words, and the heading it stands under."""

    target: str
    help: str
    section: str


COMMANDS: Final[dict[str, Entry]] = {
    "score": Entry("f2teval.cli.score:score", "Score texts about figures, with the evidence.", "Score"),
    "read": Entry("f2teval.cli.read:read", "Read a figure: its table as text, CSV or JSON, and an overlay.", "Score"),
    "report": Entry("f2teval.cli.report:report", "Make the HTML page of scores computed before.", "Score"),
    "compare": Entry(
        "f2teval.cli.compare:compare", "Say which of two systems is better, dimension by dimension.", "Score"
    ),
    "meta": Entry("f2teval.cli.meta:meta", "Measure how well metrics agree with people.", "Measure and train"),
    "bench": Entry("f2teval.cli.bench:bench", "Make figures and texts with known truth.", "Measure and train"),
    "fit": Entry("f2teval.cli.fit:fit", "Fit the evidence metric to your own ratings.", "Measure and train"),
    "train": Entry("f2teval.cli.train:train", "Train the mixture of experts on ratings.", "Measure and train"),
    "ablate": Entry("f2teval.cli.ablate:ablate", "Train its ablations and print the table.", "Measure and train"),
    "model": Entry(
        "f2teval.cli.model:model", "Show a trained model: its size and where it comes from.", "Measure and train"
    ),
    "list": Entry("f2teval.cli.list:list_", "List metrics, rating sets, formats, chart types.", "House"),
    "doctor": Entry("f2teval.cli.doctor:doctor", "Check that this installation works.", "House"),
    "cache": Entry("f2teval.cli.cache:cache", "Show, prune or clear what is cached.", "House"),
}
"""To add a command: a file in ``f2teval/cli/`` and a line here."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        entry = COMMANDS.get(name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from f2teval.errors import UnknownNameError

            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in dict.fromkeys(e.section for e in COMMANDS.values()):
            with formatter.section(section):
                formatter.write_dl([(n, e.help) for n, e in COMMANDS.items() if e.section == section])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: f2teval score --example --report report.html",
)
@click.version_option(__version__, prog_name="f2teval")
def cli() -> None:
    """Is a text about a figure any good, and why?

    Scores captions, summaries and alt text against their figure on five dimensions, offline, and shows the words that
    are wrong and the place in the picture that says so.
    """


def main(args: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 done, 1 below ``--fail-under``, 2 an error (one line on stderr), 3 done but some rows
    unscored, 130 and 143 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.exit(_run(args))


def _run(args: Sequence[str] | None) -> int:
    try:
        result = cli.main(args=list(args) if args is not None else None, prog_name="f2teval", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as e:
        return e.exit_code
    except click.ClickException as e:
        e.show()
        return e.exit_code
    except F2TEvalError as e:
        _say(str(e))
        return e.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        _say("interrupted")
        return 130
    except BrokenPipeError:
        # The reader of our output has gone (… | head); what it wanted, it has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as e:
        if os.environ.get("F2TEVAL_TRACEBACK"):
            raise
        _say(f"{e.filename}: {e.strerror}" if e.filename else str(e))
        return 2
    except MemoryError:
        _say("out of memory; fewer --jobs need less")
        return 2
    except Exception as e:
        if os.environ.get("F2TEVAL_TRACEBACK"):
            raise
        first = (str(e).strip().splitlines() or [""])[0]
        _say(f"internal error: {type(e).__name__}: {first} (a bug; F2TEVAL_TRACEBACK=1 shows where)")
        return 2


def _say(message: str) -> None:
    click.echo(f"f2teval: error: {' '.join(message.split())}", err=True)
