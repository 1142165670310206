"""Pastes what commands really print into the documents: ``python docs/refresh.py``.

A line ``<!-- output: COMMAND -->`` is followed by its output, indented; running this again replaces it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- output: (.*?) -->\n)((?:\n|    .*\n)*?)(?=\n?(?:[^ \n]|\Z))")


def run(command: str, folder: Path) -> str:
    """What a person would see: both streams of a shell that stands in a copy-like folder."""
    env = {**os.environ, "COLUMNS": "110", "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        ["bash", "-c", command.replace("f2teval/examples", str(ROOT / "f2teval/examples"))],
        cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.stdout.replace(str(ROOT) + "/", "")


def refresh(page: Path) -> None:
    """Rewrite one document."""
    with tempfile.TemporaryDirectory() as folder:

        def fill(match: re.Match[str]) -> str:
            lines = run(match[2], Path(folder)).rstrip().splitlines()
            return match[1] + "\n" + "".join(f"    {line}".rstrip() + "\n" for line in lines)

        page.write_text(BLOCK.sub(fill, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(p) for p in sorted((ROOT / "docs").glob("*.md"))]:
        refresh(Path(name))
