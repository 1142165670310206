"""The HTML page of a run: self-contained, no network, one card a text. Built while rows stream by."""

from __future__ import annotations

import base64
import hashlib
import heapq
import tempfile
from collections import Counter
from collections.abc import Iterator
from html import escape
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from f2teval import __version__
from f2teval.data.scores import disk_error
from f2teval.report.pictures import Picture, make_picture
from f2teval.report.rows import bar, card
from f2teval.report.tally import Group, Tally
from f2teval.rubric import DIMENSION_NAMES, DIMENSIONS, ERROR_TYPES, SCALE_MAX
from f2teval.run import Outcome, figure_key
from f2teval.sample import Sample

MAX_ROWS: Final = 1000
"""A page shows at most so many texts, the worst ones; it says so. Browsers get slow beyond that."""


class Page:
    """Collects outcomes and writes the page. A context manager, which reserves the file before anything is scored.

    Memory stays bounded: cards wait in a temporary file, and only those of the ``max_rows`` worst texts are kept.

    Raises:
        F2TEvalError: the file cannot be written.
    """

    def __init__(self, path: str | Path, *, max_rows: int = MAX_ROWS, title: str = "") -> None:
        self.path = Path(path)
        self._title = title or "Texts about figures: scores and evidence"
        self._max = max_rows
        # (goodness, −number): the heap's head is the best text, which gives way first.
        self._kept: list[tuple[float, int, int, int, str]] = []
        self._pictures: dict[Any, Picture] = {}
        self._uses: Counter[str] = Counter()
        self._spool: IO[bytes]
        self._count = 0
        self._signatures: dict[str, str] = {}

    def __enter__(self) -> Page:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab"):
                pass
        except OSError as e:
            raise disk_error(e, self.path) from e
        self._spool = tempfile.TemporaryFile(prefix="f2teval-report-")
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self._spool.close()
        if self.path.exists() and not self.path.stat().st_size:
            self.path.unlink()  # nothing came of it

    def add(self, outcome: Outcome) -> None:
        """Take in one row."""
        self._count += 1
        for score in outcome.scores:
            self._signatures.setdefault(score.metric, score.signature)
        primary = next((s for s in outcome.scores if s.scores), outcome.scores[0])
        goodness = -1.0 if primary.status == "unscored" else (primary.overall if primary.overall is not None else 0.5)
        if len(self._kept) >= self._max and -goodness <= self._kept[0][0]:
            return
        picture = self._picture(outcome.item) if isinstance(outcome.item, Sample) else None
        html = card(self._count, outcome.item, outcome.scores, picture).encode("utf-8", "replace")
        key = picture.key if isinstance(picture, Picture) else ""
        at = self._spool.seek(0, 2)
        self._spool.write(html)
        self._uses[key] += 1
        entry = (-goodness, -self._count, at, len(html), key)
        if len(self._kept) < self._max:
            heapq.heappush(self._kept, entry)
        else:
            self._drop(heapq.heappushpop(self._kept, entry)[-1])

    def _drop(self, key: str) -> None:
        self._uses[key] -= 1
        if key and not self._uses[key]:
            self._pictures = {k: p for k, p in self._pictures.items() if p.key != key}

    def _picture(self, sample: Sample) -> Picture | str | None:
        if sample.image is None:
            return None
        where = figure_key(sample)
        if where in self._pictures:
            return self._pictures[where]
        picture = make_picture(sample.image)
        if isinstance(picture, Picture):
            self._pictures[where] = picture
        return picture

    def finish(self, tally: Tally) -> None:
        """Write the page. Raises :class:`F2TEvalError` if the disk is full."""
        part = self.path.with_name(self.path.name + ".tmp")
        try:
            with part.open("wb") as out:
                for piece in self._html(tally):
                    out.write(piece)
            part.replace(self.path)
        except OSError as e:
            part.unlink(missing_ok=True)
            raise disk_error(e, self.path) from e

    def _html(self, tally: Tally) -> Iterator[bytes]:
        css, js = asset("page.css"), asset("page.js")
        yield head(self._title, css, js).encode()
        yield f"<body>\n<header><h1>{escape(self._title)}</h1>{_facts(tally)}</header>\n<main>".encode()
        yield _systems(tally).encode("utf-8", "replace")
        yield _legend().encode()
        yield _toolbar(tally, self._count, len(self._kept)).encode("utf-8", "replace")
        yield b'<ol class="rows" id="rows">\n'
        for _, _, at, length, _ in sorted(self._kept, key=lambda k: -k[1]):
            self._spool.seek(at)
            yield self._spool.read(length)
        yield b'</ol>\n<p class="empty" id="empty" hidden>No text matches these filters.</p></main>\n'
        yield self._defs()
        yield _footer(self._signatures).encode("utf-8", "replace")
        yield f"<script>{js}</script>\n</body>\n</html>\n".encode()

    def _defs(self) -> bytes:
        """Every figure once; the cards refer to it. All are drawn into a 1000 × 1000 square and stretched back."""
        unique = {p.key: p for p in self._pictures.values()}
        images = "".join(
            f'<image id="{p.key}" href="{p.uri}" width="1000" height="1000" preserveAspectRatio="none"/>'
            for p in unique.values()
        )
        return f'<svg class="defs" aria-hidden="true" width="0" height="0"><defs>{images}</defs></svg>\n'.encode()


def asset(name: str) -> str:
    """Text of a style sheet or script of this package."""
    return resources.files("f2teval.report").joinpath(name).read_text(encoding="utf-8")


def head(title: str, css: str, js: str) -> str:
    """The head of a page whose policy allows just this style, this script and pictures inside the page."""
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(css)}'; script-src '{_digest(js)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{css}</style>\n</head>\n"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _facts(tally: Tally) -> str:
    wrong = sum(tally.errors.values())
    parts = [f"{tally.samples:,} texts", f"{wrong:,} errors found"]
    if tally.unscored:
        parts.append(f"{tally.unscored:,} not scored")
    if tally.torn:
        parts.append(f"{tally.torn} cut-off line left out")
    return f"<p class='facts'>{' · '.join(parts)}</p>"


def _systems(tally: Tally) -> str:
    return "".join(_system_table(metric, tally) for metric in tally.metrics())


def _system_table(metric: str, tally: Tally) -> str:
    groups = list(tally.of(metric))
    names = [n for n in (*DIMENSION_NAMES, "overall", "value") if any(n in g.means for _, g in groups)]
    top = "".join(f"<th scope='col'>{n}</th>" for n in names)
    shown = groups[:100]
    body = "".join(
        f"<tr><th scope='row'>{escape(system[:80] or '–')}</th><td>{g.scored}/{g.total}</td>{_means(g, names)}</tr>"
        for system, g in shown
    )
    if len(groups) > 1:
        g = tally.overall(metric)
        body += f"<tr class='all'><th scope='row'>all</th><td>{g.scored}/{g.total}</td>{_means(g, names)}</tr>"
    more = f"<p class='quiet'>… and {len(groups) - len(shown)} more systems.</p>" if len(groups) > len(shown) else ""
    return (
        f"<section class='systems' aria-label='Means by system, {escape(metric)}'><h2>Means by system"
        f"<span class='quiet'> {escape(metric)}</span></h2><div class='scroll' tabindex='0' role='region' "
        f"aria-label='table of means'><table><thead><tr><th scope='col'>system</th><th scope='col'>scored</th>{top}"
        f"</tr></thead><tbody>{body}</tbody></table></div>{more}</section>"
    )


def _means(group: Group, names: list[str]) -> str:
    cells = []
    for name in names:
        value = group.mean(name)
        if value is None:
            cells.append("<td class='none'>–</td>")
            continue
        share = value / SCALE_MAX if name in DIMENSION_NAMES else value
        cells.append(f"<td><span class='value'>{value:.2f}</span>{bar(share) if name != 'value' else ''}</td>")
    return "".join(cells)


def _legend() -> str:
    rows = "".join(
        f"<tr><th scope='row'>{d.name}</th><td>{d.question}</td>" + "".join(f"<td>{g}</td>" for g in d.grades) + "</tr>"
        for d in DIMENSIONS.values()
    )
    return (
        "<details class='legend'><summary>What the numbers mean</summary><div class='scroll'><table><thead><tr>"
        "<th scope='col'>dimension</th><th scope='col'>question</th><th scope='col'>0 poor</th>"
        f"<th scope='col'>1 acceptable</th><th scope='col'>2 perfect</th></tr></thead><tbody>{rows}</tbody></table>"
        "</div>"
        "<p>Overall is the mean of the five, from 0 to 1. The small percentage after a sentence is the chance that it "
        "holds a factual error. What the figure confirms is underlined with dots, what it contradicts with a solid "
        "line, flaws that show without the figure with a dashed line. A score is an estimate: look at the evidence "
        "before you act on a single text.</p></details>"
    )


def _toolbar(tally: Tally, total: int, shown: int) -> str:
    systems = sorted({system for _, system in tally.groups})[:500]
    options = "".join(f'<option value="{escape(s)}">{escape(s[:80]) or "(none)"}</option>' for s in systems)
    types = "".join(
        f'<option value="{t}">{t.replace("_", " ")} ({tally.errors[t]})</option>'
        for t in ERROR_TYPES
        if tally.errors[t]
    )
    sorts = "".join(
        f'<option value="{d}">{d}, lowest first</option><option value="-{d}">{d}, highest first</option>'
        for d in ("overall", *DIMENSION_NAMES)
    )
    columns = "".join(
        f'<button type="button" data-sort="{d}" aria-pressed="false">{d}</button>'
        for d in (*DIMENSION_NAMES, "overall")
    )
    note = ""
    if shown < total:
        note = (
            f"<p class='warning'>This page shows the {shown:,} texts with the lowest scores out of {total:,}; "
            "the output file has them all.</p>"
        )
    return (
        f"{note}<section class='tools' role='search' aria-label='Filter and sort'>"
        "<label>Search<input type='search' id='q' autocomplete='off' placeholder='words, ids'></label>"
        f"<label>System<select id='system'><option value='*'>all systems</option>{options}</select></label>"
        f"<label>Errors<select id='type'><option value=''>any</option><option value='*'>with errors</option>"
        f"<option value='-'>without errors</option>{types}<option value='!'>not scored</option></select></label>"
        f"<label>Sort<select id='sort'><option value='n'>as in the input</option>{sorts}</select></label>"
        "<button type='button' id='open'>Open all</button>"
        f"<output id='count' aria-live='polite'>{shown:,} texts</output></section>"
        f"<div class='columns' role='group' aria-label='Sort by'><span></span>{columns}</div>"
    )


def _footer(signatures: dict[str, str]) -> str:
    lines = "".join(f"<li><code>{escape(s)}</code></li>" for s in signatures.values())
    return f"<footer><p>f2teval {__version__}. Equal signatures give equal numbers:</p><ul>{lines}</ul></footer>\n"
