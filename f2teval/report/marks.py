"""A text with its findings marked: overlapping spans cut into pieces, everything escaped."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Mark(NamedTuple):
    """A span of the text and what it belongs to.

    ``key`` links the words to their box and their line in the list; ``kind`` is "bad" (contradicted), "form" (flaws
    that need no picture) or "good" (confirmed).
    """

    start: int
    end: int
    key: str
    kind: str
    title: str = ""


_RANK = {"bad": 0, "form": 1, "good": 2}


def marked_html(text: str, start: int, end: int, marks: Sequence[Mark], live: bool = True) -> str:
    """HTML of ``text[start:end]`` with the marks that touch it.

    Args:
        live: make marks focusable and linked; otherwise only coloured (for excerpts).
    """
    inside = [(max(m.start, start), min(m.end, end), m) for m in marks if m.start < end and m.end > start]
    cuts = sorted({start, end, *(a for a, _, _ in inside), *(b for _, b, _ in inside)})
    out = []
    opened: set[str] = set()
    for a, b in itertools.pairwise(cuts):
        covering = [m for lo, hi, m in inside if lo <= a and b <= hi]
        piece = escape(text[a:b])
        if not covering:
            out.append(piece)
            continue
        top = min(covering, key=lambda m: (_RANK.get(m.kind, 3), m.end - m.start))
        if not live:
            out.append(piece if top.kind == "good" else f'<mark class="{top.kind}">{piece}</mark>')
            continue
        keys = " ".join(dict.fromkeys(m.key for m in covering))
        # One stop for the keyboard a finding, however many pieces it is cut into.
        focus = "" if top.key in opened else ' tabindex="0"'
        opened.add(top.key)
        said = f'<span class="vh"> ({escape(top.title)})</span>' if focus and top.title else ""
        out.append(f'<mark class="{top.kind}" data-k="{keys}"{focus}>{piece}{said}</mark>')
    return "".join(out)
