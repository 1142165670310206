"""The options that say what to read, shared by the commands that read samples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from f2teval.errors import InputError, UsageError

if TYPE_CHECKING:
    from f2teval.data import BadRow, SampleReader
    from f2teval.sample import Sample

F = TypeVar("F", bound=Callable[..., Any])


def input_options(command: F) -> F:
    """Add INPUT and the options that :func:`reader_from` takes."""
    for decorate in reversed(
        [
            click.argument("input", required=False),
            click.option("--image", help="One figure: its file."),
            click.option("--text", help="One figure: the text about it ('-' reads standard input)."),
            click.option("--caption", help="One figure: its own caption, known to be true of it."),
            click.option("--context", help="One figure: other text known to be true of it."),
            click.option("--example", is_flag=True, help="Use the bundled example."),
            click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN",
                         help="Read a field from another column. Repeatable."),
            click.option("--image-dir", metavar="DIR", help="Folder that image paths start from."),
            click.option("--allow-network", is_flag=True, help="Fetch images given as URLs."),
            click.option("--limit", type=click.IntRange(0), metavar="N", help="At most N samples."),
            click.option("--sample-id", "ids", multiple=True, metavar="ID", help="Only this sample. Repeatable."),
        ]
    ):  # fmt: skip
        command = decorate(command)
    return command


def reader_from(options: dict[str, Any]) -> SampleReader | list[Sample | BadRow]:
    """Samples from the options of :func:`input_options`. Raises :class:`UsageError` for what does not go together."""
    from f2teval.data import read_samples

    single = options.get("image") is not None or options.get("text") is not None
    chosen = [bool(options.get("input")), single, bool(options.get("example"))]
    if sum(chosen) != 1:
        raise UsageError(
            "say what to score: a file or folder, or --image with --text, or --example"
            + ("" if sum(chosen) == 0 else " (one of them)")
        )
    if single:
        return [_single(options)]
    return read_samples(
        str(example_path()) if options.get("example") else options["input"],
        image_dir=options.get("image_dir"),
        mapping=pairs(options.get("mapping") or (), "--map"),
        allow_network=bool(options.get("allow_network")),
        limit=options.get("limit"),
        ids=options.get("ids") or None,
    )


def _single(options: dict[str, Any]) -> Sample:
    from f2teval.data import to_sample
    from f2teval.data.rows import MAX_ROW_BYTES

    text, image = options.get("text"), options.get("image")
    if text is None:
        raise UsageError("--image needs --text (or --text - to read it from standard input)")
    if text == "-":
        text = sys.stdin.buffer.read(MAX_ROW_BYTES).decode("utf-8", "replace").strip()
    if image is not None and "://" not in image and not image.startswith("data:"):
        path = Path(image)
        if not path.is_file():
            raise InputError("no such picture" if not path.is_dir() else "a folder, not a picture", where=image)
    fields = {"id": Path(image).name if image and len(image) < 256 else "text", "image": image, "text": text}
    fields |= {name: options.get(name) for name in ("caption", "context")}
    if options.get("image_dir"):
        raise UsageError("--image-dir goes with a file of samples, not with --image")
    return to_sample(fields, allow_network=bool(options.get("allow_network")))


def pairs(values: Sequence[str], option: str) -> dict[str, str]:
    """``KEY=VALUE`` options as a dict. Raises :class:`UsageError`."""
    result = {}
    for value in values:
        key, sign, right = value.partition("=")
        if not sign or not key.strip() or not right.strip():
            raise UsageError(f"{option} takes NAME=VALUE, got {value!r}")
        result[key.strip()] = right.strip()
    return result


def example_path() -> Path:
    """The bundled example."""
    return Path(__file__).resolve().parent.parent / "examples" / "samples.jsonl"
