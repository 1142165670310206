"""Labels OCR ran together with what stands beside them: "Democrat 61", "461" for 46 and a bar's edge."""

from __future__ import annotations

import re
from dataclasses import replace

from f2teval.figure.labelled.bars import Bars, Row, Segment, fit
from f2teval.figure.labelled.geometry import cy, height, width
from f2teval.figure.labelled.items import Item
from f2teval.figure.labelled.numbers import is_date, parse_number

_TAIL = re.compile(r"(.*[A-Za-z).,*+])\s*(\d{1,3}(?:\.\d)?\s?%?)")


def cut_tails(bars: Bars, words: list[Item]) -> None:
    """Cut a number off the end of a row's label where the row lacks it and its length agrees; mends ``words``."""
    if not bars.scale:
        return
    for n, w in enumerate(words):
        m = _TAIL.fullmatch(w.text)
        if m is None or is_date(w.text) or len(w.text) > 60:
            continue
        number = parse_number(m[2])
        row = next((r for r in bars.rows if abs(cy(w.box) - r.y) < 0.5 * bars.thickness), None)
        if number is None or row is None or row.box[0] - w.box[2] > 2.2 * height(w.box):
            continue
        x = w.box[0] + width(w.box) * (len(m[1]) + 0.3) / len(w.text)
        item = replace(w, text=m[2], box=(x, w.box[1], w.box[2], w.box[3]), number=number)
        if not _belongs(bars, row, item):
            continue
        words[n] = replace(w, text=m[1].strip(), box=(w.box[0], w.box[1], x, w.box[3]))


def _belongs(bars: Bars, row: Row, item: Item) -> bool:
    """Attach the number to the row's first piece, or as the sum on its left side, if lengths agree."""
    first = row.segments[0]
    if first.label is None:
        first.label = item
        if fit(bars, first) == 1.0:
            first.sure = 0.85
            return True
        first.label = None
    if len(row.segments) > 1 and item.number is not None and not any(s == "left" for _, s in row.totals):
        for k in range(2, len(row.segments) + 1):
            whole = sum(s.length for s in row.segments[:k])
            if abs(whole / bars.scale - item.number.value) <= 1.2:
                row.totals.append((item, "left"))
                return True
    return False


def mend_edges(bars: Bars) -> None:
    """Drop a digit that is a bar's edge, or a whole label that is one, where that makes lengths agree."""
    if not bars.scale:
        return
    for row in bars.rows:
        for item, side in list(row.totals):
            s = row.segments[-1 if side == "right" else 0]
            if s.label is not None and fit(bars, s) >= 0.8:
                continue
            got = _trimmed(bars, s, item, whole=False)
            if got is not None:
                s.label, s.sure = got, 0.85
                row.totals.remove((item, side))
        for s in row.segments:
            if s.label is not None and fit(bars, s) < 0.8:
                got = _trimmed(bars, s, s.label)
                if got is not None:
                    s.label, s.sure = got, 0.8


def _trimmed(bars: Bars, s: Segment, item: Item, whole: bool = True) -> Item | None:
    """The label as read, or less its first or last character if that is a 1, whichever the bar's length bears out."""
    texts = [item.text] if whole else []
    if len(item.text) >= 2:
        texts += [t for t, cut in ((item.text[:-1], item.text[-1]), (item.text[1:], item.text[0])) if cut in "1Il|"]
    before = s.label
    for t in texts:
        number = parse_number(t)
        if number is None:
            continue
        s.label = replace(item, text=t, number=number)
        ok = fit(bars, s) == 1.0
        got, s.label = s.label, before
        if ok:
            return got
    return None
