"""Labels OCR ran together with what stands beside them: "Democrat 61", "461" for 46 and a bar's edge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from f2teval.figure.labelled.attach import fit
from f2teval.figure.labelled.bars import Bars, Row, Segment
from f2teval.figure.labelled.geometry import cy, height, overlap, width
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


def split_across(bars: Bars, items: Sequence[Item]) -> list[Item]:
    """Cut digits that OCR read as one number though they lie on different pieces of a stack ("510" on 5 and 10).

    Only where the pieces' lengths agree better with the parts than any one piece does with the whole.
    """
    out: list[Item] = []
    for item in items:
        parts = _parts(bars, item) if bars.scale else []
        out += parts or [item]
    return out


def _parts(bars: Bars, item: Item) -> list[Item]:
    digits = item.text
    if item.number is None or not digits.isdigit() or not 2 <= len(digits) <= 5:
        return []
    b = item.box
    pieces: list[Segment] = []
    for row in bars.rows:
        if abs(cy(b) - row.y) <= 0.4 * bars.thickness:
            touched = [s for s in row.segments if overlap(b[0], b[2], s.rect.box[0], s.rect.box[2]) >= 2]
            pieces = max(pieces, touched, key=len)
    if not 2 <= len(pieces) <= len(digits):
        return []
    whole = min(abs(s.length / bars.scale - item.number.value) for s in pieces)
    best: list[Item] = []
    # Every way to cut the digits into as many parts as pieces; at most C(4, 2) of them.
    for cuts in combinations(range(1, len(digits)), len(pieces) - 1):
        ends = (0, *cuts, len(digits))
        texts = [digits[i:j] for i, j in pairwise(ends)]
        if any(len(t) > 1 and t[0] == "0" for t in texts):
            continue
        off = max(abs(s.length / bars.scale - int(t)) for s, t in zip(pieces, texts))
        if off < min(whole, 0.75 + 3.0 / bars.scale):
            whole = off
            best = [
                replace(
                    item,
                    text=t,
                    box=(max(s.rect.box[0], b[0]), b[1], min(s.rect.box[2], b[2]), b[3]),
                    number=parse_number(t),
                    confidence=item.confidence * 0.85,
                )
                for s, t in zip(pieces, texts)
            ]
    return best


def mend_percents(bars: Bars) -> None:
    """A percent sign read as digits ("3996", "119"): cut it off where the bar's length says so."""
    labelled = [s for r in bars.rows for s in r.segments if s.label is not None and s.label.number is not None]
    signs = sum(bool(s.label and s.label.number and s.label.number.unit == "%") for s in labelled)
    if not bars.scale or 2 * signs < len(labelled):
        return
    for s in labelled:
        item = s.label
        if item is None or item.number is None or item.number.unit or fit(bars, s) >= 0.8:
            continue
        for sign in ("96", "9", "6", "8"):
            if item.text.endswith(sign) and len(item.text) > len(sign):
                number = parse_number(item.text[: -len(sign)] + "%")
                s.label = replace(item, number=number, text=item.text[: -len(sign)] + "%")
                if number is not None and fit(bars, s) == 1.0:
                    s.sure = 0.85
                    break
                s.label = item
