"""What the documents tell people to do exists and works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import f2teval
from f2teval.cli.main import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(page: Path) -> list[str]:
    """Lines that call ``f2teval``, and calls inside running text; comments and output left out."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?:    (?:\$ )?(?:.*[|&] )?|- run: |\$ )(f2teval [a-z]+[^\n#`]*)", text, re.M)
    return [*lines, *re.findall(r"`(f2teval [a-z]+[^`\n]*)`", text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_and_options_exist(page: Path) -> None:
    ctx = click.Context(cli)
    for line in commands(page):
        words = shlex.split(line.replace("…", "").partition("|")[0], posix=True)
        command = cli.get_command(ctx, words[1])
        assert command is not None, line
        while isinstance(command, click.Group) and len(words) > 2:
            words.pop(1)
            command = command.get_command(ctx, words[1])
            assert command is not None, line
        known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
        used = {w.partition("=")[0] for w in words[2:] if re.match(r"--?[A-Za-z]", w)}
        assert used <= known, (line, used - known)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_guide_to_adding_a_metric_works() -> None:
    (code, line) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.S)
    scope: dict[str, object] = {"__name__": "wordcount"}
    exec(compile(code, "CONTRIBUTING.md", "exec"), scope)  # noqa: S102 (our own guide)
    metric = scope["WordCount"]()  # type: ignore[operator]
    two, none = f2teval.score([{"text": "two words"}, {"text": " "}], metric)
    assert (two.value, none.status) == (2.0, "unscored")
    assert metric.signature.startswith("wordcount|v:")
    assert "f2teval.metrics.wordcount:WordCount" in line
