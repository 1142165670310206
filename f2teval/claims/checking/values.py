"""Checks of values, changes from one value to another, ranges, sums, differences and ratios."""

from __future__ import annotations

from dataclasses import replace

from f2teval.claims.checking.base import certainty, contradicted, supported, unverifiable, where
from f2teval.claims.checking.dated import check_dated_change
from f2teval.claims.claim import Claim, Quantity, Verdict
from f2teval.claims.compare import Fit, against, fit, senses, support
from f2teval.claims.index import FigureIndex
from f2teval.figure.reading import Cell


def fit_cell(q: Quantity, cell: Cell, index: FigureIndex) -> Fit:
    """How a number fits one cell."""
    return fit(q, cell.value, cell.tolerance, index, printed=cell.origin == "label")


def check_value(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """An entity (at a time) has a value.

    The cells the claim names are tried first; where a name was not the claim's own but carried over, the other cells of
    the row or column it does name; then the rows and columns of everything the sentence names. Each step proves less.
    """
    if not index.cells:
        return unverifiable(claim, "no values could be read")
    q = claim.quantities[0]
    if claim.slots.get("unknown_time"):
        return unverifiable(claim, "the figure does not show that time")
    named = index.select(claim.series, claim.categories)
    specific = bool(named) and bool(claim.series or claim.categories)
    if not named:
        named = index.select(claim.series) or index.select((), claim.categories)
    extreme = claim.slots.get("extreme")
    if extreme and len(named) > 1:
        named = [(max if extreme == "high" else min)(named, key=lambda c: c.value)]
    if claim.slots.get("roughly") and index.is_time and len(claim.categories) == 1:
        named = named + _neighbours(claim, index)
    if not named:
        return unverifiable(claim)
    said = text[q.start : q.end]
    best, cell = _best(q, named, index)
    if best.gap <= 1.0:
        return _fits(claim, best, cell, len(named), said, index, 1.0)
    for weight, cells in _wider(claim, index):
        other, at = _best(q, cells, index)
        if other.gap <= 1.0:
            return _fits(claim, other, at, len(cells), said, index, weight)
    return _misfit(claim, q, best, cell, named, specific, said, index)


def _best(q: Quantity, cells: list[Cell], index: FigureIndex) -> tuple[Fit, Cell]:
    fits = [(fit_cell(q, c, index), c) for c in cells[:400]]
    return min(fits, key=lambda f: f[0].gap)


def _wider(claim: Claim, index: FigureIndex) -> list[tuple[float, list[Cell]]]:
    """Larger sets of cells the number may be from, with what a fit there is worth; only where values are exact."""
    slots = claim.slots
    found: list[tuple[float, list[Cell]]] = []
    if not index.labelled or (slots.get("explicit") and not slots.get("repeat") and certainty(claim) >= 0.85):
        return found
    soft = bool(slots.get("repeat") or slots.get("stranger"))
    free_series = (soft or not slots.get("own_series")) and len(index.series) > 1
    free_categories = (soft or not slots.get("own_categories")) and len(index.categories) > 1
    if claim.categories and free_series:
        found.append((0.7, index.select((), claim.categories)))
    if claim.series and free_categories:
        found.append((0.6, index.select(claim.series)))
    series, categories = slots.get("near_series") or (), slots.get("near_categories") or ()
    if series and categories:
        found.append((0.5, index.select(series, categories)))
    if categories:
        found.append((0.4, index.select((), categories)))
    if series and len(index.series) > 1:
        found.append((0.35, index.select(series)))
    return [(w, cells) for w, cells in found if cells]


def _fits(claim: Claim, f: Fit, cell: Cell, n: int, said: str, index: FigureIndex, weight: float) -> Verdict:
    confidence = (
        weight * certainty(claim) * cell.confidence * support(f.gap) * f.sense.trust * (1 - _chance(f, n, index))
    )
    seen = f"{where(cell)}: {index.shown(cell.value)}"
    return supported(claim, confidence, cell, seen=seen, said=said, gap=round(f.gap, 3))


def _neighbours(claim: Claim, index: FigureIndex) -> list[Cell]:
    at = index.order.get(claim.categories[0])
    if at is None:
        return []
    names = [index.categories[i] for i in (at - 1, at + 1) if 0 <= i < len(index.categories)]
    return index.select(claim.series, names)


def _misfit(
    claim: Claim, q: Quantity, best: Fit, cell: Cell, named: list[Cell], specific: bool, said: str, index: FigureIndex
) -> Verdict:
    """No cell that the claim may be about has the value."""
    seen = f"{where(cell)}: {index.shown(cell.value)}"
    gap = round(min(best.gap, 99.0), 3)
    open_verdict = replace(unverifiable(claim), gap=gap, seen=seen, said=said, box=cell.box)
    if best.gap <= 1.5:
        return replace(open_verdict, note="close to what can be measured")
    slots = claim.slots
    n = len(named)
    own = bool(slots.get("own_series")) or len(index.series) == 1
    placed = bool(slots.get("own_categories")) or len(index.categories) == 1
    understood = not (slots.get("repeat") or slots.get("stranger") or slots.get("soft"))
    confidence = certainty(claim) * cell.confidence * against(best.gap)
    other = _holder(q, index, named)
    if other is not None:
        # The number is that of something else: a mix-up, or a subject that was not understood.
        if not (n == 1 and own and placed and understood and certainty(claim) >= 0.85):
            return open_verdict
        doubt = 0.75 if certainty(claim) >= 0.9 or other.category not in (slots.get("near_categories") or ()) else 0.5
        return contradicted(claim, "label", doubt * confidence, cell, seen=seen, said=said, gap=gap,
                            note=f"{said} belongs to {where(other)}")  # fmt: skip
    if index.labelled:
        if _printed(q, index):
            return open_verdict
        if not slots.get("explicit") and _is_sum(q, named, index):
            return replace(open_verdict, note="a sum of printed values")
    elif not specific and not _beyond(q, index):
        return open_verdict
    if not understood:
        confidence *= 0.6 if index.labelled else 0.4
    if n > 1:
        confidence *= 0.8 if specific else 0.55
    return contradicted(claim, "value", confidence, cell, seen=seen, said=said, gap=gap,
                        note=f"the figure shows {index.shown(cell.value)}")  # fmt: skip


def doubt_shifts(verdicts: list[Verdict]) -> list[Verdict]:
    """Takes back mix-ups that look like a misread row rather than like an error of the text.

    Two numbers of one sentence that both belong elsewhere in the table are a mix-up where they changed places; where
    they did not, it is likelier that the columns of the figure or the subjects of the sentence were not understood.
    """
    mixed: dict[int, list[int]] = {}
    for i, v in enumerate(verdicts):
        if v.claim.kind == "value" and v.status == "contradicted" and v.error_type == "label":
            mixed.setdefault(v.claim.sentence, []).append(i)
    for found in mixed.values():
        if len(found) < 2 or max(verdicts[i].confidence for i in found) >= 0.55:
            continue  # one alone, or labels that were read beyond doubt
        said = sorted(_digits(verdicts[i].said) for i in found)
        seen = sorted(_digits(verdicts[i].seen.rpartition(": ")[2]) for i in found)
        if said == seen:
            continue
        for i in found:
            verdicts[i] = replace(verdicts[i], status="unverifiable", confidence=0.3, error_type="", note="")
    return verdicts


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit() or c in ".-")


def _printed(q: Quantity, index: FigureIndex) -> bool:
    """Whether the number stands in the figure outside the table (a note, a title)."""
    return any(p.kind == "number" and abs(p.value - q.value) <= q.precision for p in index.printed)


def _chance(best: Fit, n: int, index: FigureIndex) -> float:
    """How likely one of ``n`` cells fits by chance."""
    extent = (index.span[1] - index.span[0]) if index.span else 0.0
    share = min(1.0, 2 * best.tolerance / extent) if extent > 0 else 0.5
    return min(0.7, (n - 1) * share)


def _holder(q: Quantity, index: FigureIndex, candidates: list[Cell]) -> Cell | None:
    """Another cell that has exactly this value, among printed ones."""
    if not index.labelled:
        return None
    taken = {id(c) for c in candidates}
    for c in index.cells[:600]:
        if id(c) not in taken and fit_cell(q, c, index).gap <= 1.0:
            return c
    return None


def _is_sum(q: Quantity, candidates: list[Cell], index: FigureIndex) -> bool:
    """Whether a number is the sum of two printed values of one row ("63 % (38 % definitely and 25 % probably)")."""
    target = senses(q, index)[0].value
    for category in {c.category for c in candidates[:12]}:
        values = [c.value for c in index.by_category.get(category, [])]
        if len(values) > 8:
            continue
        if any(abs(target - v - u) <= 1.01 for k, v in enumerate(values) for u in values[k + 1 :]):
            return True
    return False


def _beyond(q: Quantity, index: FigureIndex) -> bool:
    """Whether a number lies clearly outside everything the figure shows, whatever its unit."""
    if index.span is None:
        return False
    lo, hi = index.span
    margin = 0.15 * (hi - lo)
    return all(not lo - margin <= s.value <= hi + margin for s in senses(q, index) if s.trust >= 0.5)


def check_change(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Rose or fell from a to b."""
    a, b = claim.quantities
    said = text[claim.start : claim.end]
    if claim.direction in {"up", "down"} and a.unit == b.unit:
        rising = b.value > a.value
        if a.value == b.value and not (a.approximate or b.approximate):
            return contradicted(claim, "value", 0.85, said=said, note="no change between two equal values")
        if a.value != b.value and rising != (claim.direction == "up"):
            return contradicted(claim, "trend", 0.9, said=said, note="the two values go the other way")
    if not index.is_time and len(index.dates_in_series) > 1:
        return check_dated_change(claim, index, text)
    best: Verdict | None = None
    for series in claim.series or tuple(index.series):
        verdict = _change_of(claim, index, text, series, a, b)
        if verdict is not None and (best is None or _rank(verdict) > _rank(best)):
            best = verdict
    return best or unverifiable(claim)


def _rank(v: Verdict) -> tuple[int, float]:
    return ({"supported": 2, "unverifiable": 1, "contradicted": 0}[v.status], -(v.gap or 0.0))


def _change_of(claim: Claim, index: FigureIndex, text: str, series: str, a: Quantity, b: Quantity) -> Verdict | None:
    cells = index.by_series.get(series, [])
    if not cells or not index.is_time:
        return None
    first = index.row.get((series, str(claim.slots.get("start") or cells[0].category)))
    last = index.row.get((series, str(claim.slots.get("end") or cells[-1].category)))
    if first is None or last is None or first is last:
        return None
    fa, fb = fit_cell(a, first, index), fit_cell(b, last, index)
    gap = max(fa.gap, fb.gap)
    sure = certainty(claim) * min(first.confidence, last.confidence)
    seen = f"{where(first)}: {index.shown(first.value)}; {where(last)}: {index.shown(last.value)}"
    said = text[claim.start : claim.end]
    if gap <= 1.0:
        return supported(
            claim,
            sure * support(gap) * min(fa.sense.trust, fb.sense.trust),
            last,
            seen=seen,
            said=said,
            gap=round(gap, 3),
        )
    if gap <= 1.5:
        return replace(unverifiable(claim), gap=round(gap, 3), seen=seen, said=said)
    given = bool(claim.slots.get("start")) + bool(claim.slots.get("end"))
    worse = first if fa.gap >= fb.gap else last
    return contradicted(
        claim,
        "value",
        sure * against(gap) * (0.75, 0.85, 1.0)[given],
        worse,
        seen=seen,
        said=said,
        gap=round(min(gap, 99), 3),
    )


def check_range(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    """Values lie between a and b; or the period covered."""
    if claim.slots.get("period"):
        return _check_period(claim, index, text)
    a, b = claim.quantities
    cells = index.select(claim.series, claim.categories) or index.select(claim.series)
    if not cells:
        return unverifiable(claim)
    low, high = min(cells, key=lambda c: c.value), max(cells, key=lambda c: c.value)
    if len(cells) == 1:
        low = high = cells[0]
    small, large = (a, b) if a.value <= b.value else (b, a)
    fl, fh = fit_cell(small, low, index), fit_cell(large, high, index)
    sure = certainty(claim) * min(low.confidence, high.confidence)
    seen = f"{index.shown(low.value)} to {index.shown(high.value)}"
    said = text[claim.start : claim.end]
    gap = max(fl.gap, fh.gap)
    if gap <= 1.0:
        return supported(claim, 0.9 * sure * support(gap), high, seen=seen, said=said, gap=round(gap, 3))
    # All values inside the stated range is true too, if it is not much wider than they are.
    inside = low.value >= fl.sense.value - fl.tolerance and high.value <= fh.sense.value + fh.tolerance
    if inside:
        return supported(claim, 0.6 * sure, high, seen=seen, said=said, gap=round(min(gap, 1.0), 3))
    own = bool(claim.slots.get("own_series") or claim.slots.get("own_categories"))
    if gap <= 1.5 or not (own or len(index.series) == 1):
        return replace(unverifiable(claim), gap=round(min(gap, 99), 3), seen=seen, said=said)
    return contradicted(
        claim,
        "value",
        0.75 * sure * against(gap),
        low if fl.gap >= fh.gap else high,
        seen=seen,
        said=said,
        gap=round(min(gap, 99), 3),
    )


def _check_period(claim: Claim, index: FigureIndex, text: str) -> Verdict:
    a, b = claim.quantities[:2]
    said = text[claim.start : claim.end]
    if a.value > b.value and a.kind == b.kind == "year":
        return contradicted(claim, "nonsense", 0.6, said=said, note="the period ends before it begins")
    period = index.period()
    printed = {round(p.value, 2) for p in index.printed if p.kind in {"year", "date"}}
    if period is None or a.value < 13.1:
        if round(a.value, 2) in printed and round(b.value, 2) in printed:
            return supported(claim, 0.6, said=said)
        return unverifiable(claim)
    step = max(index.step, 1.0)
    seen = f"{index.times[0][1]} to {index.times[-1][1]}"
    before, beyond = (
        period[0] - a.value,
        b.value - (period[1] + (0.999 if index.step < 0.9 and b.kind == "year" else 0.0)),
    )
    known = round(a.value, 2) in printed and round(b.value, 2) in printed
    excess = max(before, beyond)
    quality = index.quality
    if excess <= 0.51:
        ends = abs(before) <= 0.6 * step + 0.5 and abs(beyond) <= 0.6 * step + 0.5
        if ends or not claim.slots.get("whole"):
            return supported(claim, (0.9 if ends else 0.6) * quality, seen=seen, said=said, gap=0.0)
        return replace(unverifiable(claim, "the figure covers more"), seen=seen, said=said)
    if known:
        return replace(unverifiable(claim), seen=seen, said=said)
    if excess <= step + 0.01:
        return contradicted(claim, "out_of_context", 0.35 * quality, seen=seen, said=said, gap=round(excess / step, 3))
    return contradicted(claim, "out_of_context", 0.75 * quality, seen=seen, said=said, gap=round(excess / step, 3))
