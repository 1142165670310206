"""``f2teval cache``."""

from __future__ import annotations

import time

import click

from f2teval import settings


@click.command()
@click.option("--clear", is_flag=True, help="Delete all readings.")
@click.option("--prune", type=click.FloatRange(0), metavar="DAYS", help="Delete readings unused for so many days.")
def cache(clear: bool, prune: float | None) -> None:
    """Show, prune or clear what is cached.

    A figure is read once; its reading is kept by content and reader version, so that other texts about it, other runs
    and renamed files find it. F2TEVAL_HOME moves the folder. Deleting costs nothing but the time to read again.
    """
    from f2teval.figure import cache as readings

    if clear:
        click.echo(f"deleted {readings.clear()} readings")
    if prune is not None:
        click.echo(f"deleted {_prune(time.time() - prune * 86400)} readings unused for {prune:g} days")
    count, size = readings.size()
    click.echo(f"{readings.folder()}: {count} readings, {_bytes(size)}")
    others = [p for p in settings.home().glob("*") if p != readings.folder()] if settings.home().is_dir() else []
    for path in sorted(others):
        files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
        click.echo(f"{path}: {len(files)} files, {_bytes(sum(p.stat().st_size for p in files))}")


def _prune(before: float) -> int:
    from f2teval.figure import cache as readings

    count = 0
    for path in readings.folder().glob("*/*.json.z"):
        used = path.stat()
        if max(used.st_atime, used.st_mtime) < before:
            path.unlink(missing_ok=True)
            count += 1
    return count


def _bytes(n: float) -> str:
    for unit in ("B", "KB", "MB"):
        if n < 1024:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024
    return f"{n:.1f} GB"
