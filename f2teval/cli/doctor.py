"""``f2teval doctor``: is everything in place, and if not, what to do about it."""

from __future__ import annotations

import importlib
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import click

from f2teval import __version__, settings

_MARKS = {"ok": "✓", "note": "–", "bad": "✗"}


@click.command()
def doctor() -> int:
    """Check that this installation works. Exit 2 if something needed does not."""
    from rich.console import Console
    from rich.text import Text

    to = Console(highlight=False, soft_wrap=True)
    bad = 0
    checks: tuple[Callable[[], list[tuple[str, str, str]]], ...] = (
        _python,
        _needed,
        _extras,
        _cache,
        _threads,
        _fonts,
        _reading,
    )
    for check in checks:
        for state, what, text in check():
            bad += state == "bad"
            color = {"ok": "green", "note": "yellow", "bad": "bold red"}[state]
            to.print(Text.assemble((_MARKS[state], color), f" {what}: {text}"))
    to.print("all is well" if not bad else f"{bad} {'thing needs' if bad == 1 else 'things need'} mending")
    return 2 if bad else 0


def _python() -> list[tuple[str, str, str]]:
    state = "ok" if sys.version_info >= (3, 10) else "bad"
    return [(state, "python", f"{platform.python_version()} on {platform.platform()}"), ("ok", "f2teval", __version__)]


def _requirements() -> list[tuple[str, str | None]]:
    """``(name, extra)`` of what the package declares."""
    found = []
    for line in metadata.requires("f2teval") or []:
        name = re.match(r"[A-Za-z0-9_.-]+", line)
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        if name and name.group() != "f2teval":
            found.append((name.group(), extra.group(1) if extra else None))
    return found


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _needed() -> list[tuple[str, str, str]]:
    names = [name for name, extra in _requirements() if extra is None]
    missing = [n for n in names if _installed(n) is None]
    if missing:
        return [("bad", "packages", f"missing: {', '.join(missing)}; pip install f2teval")]
    return [("ok", "packages", ", ".join(f"{n} {_installed(n)}" for n in names))]


def _extras() -> list[tuple[str, str, str]]:
    extras: dict[str, list[str]] = {}
    for name, extra in _requirements():
        if extra is not None and extra not in ("dev", "all", "test"):
            extras.setdefault(extra, []).append(name)
    have = [e for e, names in extras.items() if all(_installed(n) for n in names)]
    absent = [f"{e} (pip install 'f2teval[{e}]')" for e in extras if e not in have]
    rows = [("ok", "extras", ", ".join(have))] if have else []
    return rows + ([("note", "extras not installed", ", ".join(absent))] if absent else [])


def _cache() -> list[tuple[str, str, str]]:
    home = settings.home()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as e:
        hint = "set F2TEVAL_HOME to a folder that can be written; until then every run reads its figures again"
        return [("note", "cache", f"{home}: {e.strerror}; {hint}")]
    return [("ok", "cache", f"{home} can be written")]


def _threads() -> list[tuple[str, str, str]]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS")
    text = f"{cores} cores" + (f", OMP_NUM_THREADS={limit}" if limit else "")
    return [("ok", "processor", f"{text}; --jobs {cores} scores that many figures at a time")]


def _fonts() -> list[tuple[str, str, str]]:
    """SVG figures are drawn with the fonts of this machine; without any, their words are silently missing."""
    if _installed("resvg-py") is None:
        return []
    from f2teval.figure.load import load_image

    words = b'<text x="5" y="30" font-size="30">AB</text>'
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">' + words + b"</svg>"
    try:
        drawn = load_image(svg).rgb.min() < 128
    except Exception as e:  # as below: the other checks should still be seen
        return [("bad", "SVG", f"{type(e).__name__}: {e}")]
    if not drawn:
        return [
            ("note", "fonts", "none found: words in SVG figures are invisible (try: apt install fonts-dejavu-core)")
        ]
    return [("ok", "fonts", "words in SVG figures are drawn")]


def _reading() -> list[tuple[str, str, str]]:
    """Draw a tiny chart, read it, and look whether the words and values are those drawn."""
    from PIL import Image, ImageDraw, ImageFont

    try:
        image = Image.new("RGB", (480, 320), "white")
        draw = ImageDraw.Draw(image)
        font = ImageFont.load_default(size=20)
        draw.text((150, 10), "Rainfall in April", fill="black", font=font)
        for i, (name, value) in enumerate((("North", 42), ("South", 87), ("West", 61))):
            x = 80 + 130 * i
            draw.rectangle((x, 270 - 2 * value, x + 60, 270), fill=(40, 90, 150))
            draw.text((x + 4, 275), name, fill="black", font=font)
            draw.text((x + 18, 245 - 2 * value), str(value), fill="black", font=font)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "chart.png"
            image.save(path)
            figure = importlib.import_module("f2teval.figure")
            reading = figure.read_figure(path, cache=False)
    except Exception as e:  # whatever is wrong with the engine, the other checks should still be seen
        return [("bad", "reading", f"{type(e).__name__}: {e}; pip install --force-reinstall rapidocr onnxruntime")]
    words = reading.words
    missing = [w for w in ("Rainfall", "North", "South", "West", "42", "87", "61") if w not in words]
    if missing:
        return [("bad", "reading", f"a drawn chart was misread, without {', '.join(missing)}: {words!r}")]
    return [("ok", "reading", "a drawn chart was read right")]
