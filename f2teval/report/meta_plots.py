"""Plots of agreement as inline SVG: no library, no script, readable in light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from f2teval.meta.values import Cell, Floats, Stat

COLOURS: Final = ("#2f6fde", "#d9633b", "#2a9d74", "#9656c9", "#c2932b", "#d1498b", "#4b8ea8", "#7a7f3b")
"""One a metric, in order, again from the start after eight."""

_POINTS: Final = 1200
"""Points drawn of a scatter; the line and the numbers rest on all."""


def _n(x: float) -> str:
    return f"{x:.1f}".rstrip("0").rstrip(".")


def _svg(width: float, height: float, body: list[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" role="img" aria-label="{escape(label)}">'
        + "".join(body)
        + "</svg>"
    )


def _text(x: float, y: float, s: str, anchor: str = "middle", cls: str = "t") -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" class="{cls}">{escape(s)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, cls: str) -> str:
    return f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" class="{cls}"/>'


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values from ``low`` to ``high``, at most about ``most``."""
    if not high > low:
        return [low]
    raw = (high - low) / most
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 10) for k in range(first, last + 1)]


class _Axes:
    """A plot area with axes; maps data to pixels."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], width: float = 300, height: float = 240) -> None:
        self.x, self.y, self.width, self.height = x, y, width, height
        self.left, self.top, self.right, self.bottom = 48.0, 26.0, width - 12, height - 40

    def px(self, v: float) -> float:
        span = self.x[1] - self.x[0] or 1
        return self.left + (v - self.x[0]) / span * (self.right - self.left)

    def py(self, v: float) -> float:
        span = self.y[1] - self.y[0] or 1
        return self.bottom - (v - self.y[0]) / span * (self.bottom - self.top)

    def frame(self, title: str, xlabel: str, ylabel: str) -> list[str]:
        out = [_text((self.left + self.right) / 2, 15, title, cls="h")]
        for v in nice_ticks(*self.x):
            out.append(_line(self.px(v), self.top, self.px(v), self.bottom, "g"))
            out.append(_text(self.px(v), self.bottom + 14, f"{v:g}"))
        for v in nice_ticks(*self.y):
            out.append(_line(self.left, self.py(v), self.right, self.py(v), "g"))
            out.append(_text(self.left - 5, self.py(v) + 4, f"{v:g}", "end"))
        out.append(_text((self.left + self.right) / 2, self.height - 6, xlabel, cls="l"))
        mid = (self.top + self.bottom) / 2
        out.append(f'<text transform="translate(11 {_n(mid)}) rotate(-90)" text-anchor="middle" class="l">'
                   f"{escape(ylabel)}</text>")  # fmt: skip
        return out


def _span(v: Floats) -> tuple[float, float]:
    low, high = float(v.min()), float(v.max())
    pad = (high - low) * 0.05 or 0.5
    return low - pad, high + pad


def scatter(x: Floats, y: Floats, title: str, colour: str, note: str = "", seed: int = 0) -> str:
    """Scores (up) against ratings (across), jittered where ratings have few levels, with the mean score a level."""
    if len(x) == 0:
        return ""
    rng = np.random.default_rng(seed)
    levels = np.unique(y)
    few = len(levels) <= 12
    gap = float(np.diff(levels).min()) if len(levels) > 1 else 1.0
    low, high = _span(y)
    axes = _Axes((low - 0.3 * gap, high + 0.3 * gap) if few else (low, high), _span(x))
    body = axes.frame(f"{title} · {note}" if note else title, "people", "metric")
    shown = np.arange(len(x)) if len(x) <= _POINTS else np.sort(rng.choice(len(x), _POINTS, replace=False))
    shift = rng.uniform(-0.28, 0.28, len(shown)) * gap if few else np.zeros(len(shown))
    opacity = max(0.12, min(0.6, 60 / max(len(shown), 1) ** 0.75))
    dots = "".join(
        f'<circle cx="{_n(axes.px(y[i] + s))}" cy="{_n(axes.py(x[i]))}" r="2"/>' for i, s in zip(shown, shift)
    )
    body.append(f'<g fill="{colour}" opacity="{opacity:.2f}">{dots}</g>')
    edges = levels if few else np.quantile(y, np.linspace(0, 1, 9))
    means = []
    for i, level in enumerate(edges if few else edges[:-1]):
        mask = (y == level) if few else (y >= level) & (y <= edges[i + 1])
        if mask.any():
            means.append((axes.px(float(y[mask].mean())), axes.py(float(x[mask].mean()))))
    body.append('<polyline class="m" points="' + " ".join(f"{_n(a)},{_n(b)}" for a, b in means) + '"/>')
    body += [f'<circle cx="{_n(a)}" cy="{_n(b)}" r="3.5" class="d"/>' for a, b in means]
    return _svg(axes.width, axes.height, body, f"{title}: scores against ratings")


def calibration(x: Floats, y: Floats, title: str, colour: str, *, same_scale: bool, bins: int = 10,
                xlabel: str = "metric", ylabel: str = "people") -> str:  # fmt: skip
    """Mean rating (up) for tenths of the scores (across), with standard errors; the diagonal where scales agree."""
    if len(x) < bins:
        return ""
    order = np.argsort(x, kind="stable")
    parts = np.array_split(order, bins)
    mx = np.array([x[p].mean() for p in parts])
    my = np.array([y[p].mean() for p in parts])
    se = np.array([y[p].std() / math.sqrt(len(p)) for p in parts])
    both = _span(np.concatenate([mx, my + se, my - se]))
    axes = _Axes(both if same_scale else _span(mx), both if same_scale else _span(np.concatenate([my + se, my - se])))
    body = axes.frame(title, xlabel, ylabel)
    if same_scale:
        body.append(_line(axes.px(both[0]), axes.py(both[0]), axes.px(both[1]), axes.py(both[1]), "i"))
    for a, b, s in zip(mx, my, se):
        body.append(_line(axes.px(a), axes.py(b - s), axes.px(a), axes.py(b + s), "e"))
    points = " ".join(f"{_n(axes.px(a))},{_n(axes.py(b))}" for a, b in zip(mx, my))
    body.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    body += [f'<circle cx="{_n(axes.px(a))}" cy="{_n(axes.py(b))}" r="3.5" fill="{colour}"/>' for a, b in zip(mx, my)]
    return _svg(axes.width, axes.height, body, f"{title}: calibration")


def bars(targets: Sequence[str], metrics: Sequence[str], cells: dict[tuple[str, str], Cell],
         ceiling: dict[str, Cell], label: str) -> str:  # fmt: skip
    """Bars with intervals, grouped by dimension; a dashed line is the human ceiling. An undefined bar is a cross."""
    k = len(metrics)
    bar = max(5.0, min(18.0, 110 / max(k, 1)))
    if (few := 260 / max(len(targets), 1)) > bar * k + 22:
        bar = min((few - 22) / max(k, 1), 48.0)
    group = bar * k + 22
    low = min([0.0, *(c.low if c.low is not None else c.value for c in cells.values() if c.value is not None)])
    values = [c.high if c.high is not None else c.value for c in cells.values() if c.value is not None]
    high = max(
        [0.1, *(v for v in values if v is not None), *(s.value for s in ceiling.values() if s.value is not None)]
    )
    width = max(len(label) * 7.0 + 60, 60 + group * len(targets))
    axes = _Axes((0, 1), (low, high * 1.05), width=width, height=250)
    axes.bottom += 16
    body = []
    for v in nice_ticks(low, high * 1.05):
        body.append(_line(axes.left, axes.py(v), axes.right, axes.py(v), "g"))
        body.append(_text(axes.left - 5, axes.py(v) + 4, f"{v:g}", "end"))
    body.append(_text((axes.left + axes.right) / 2, 15, label, cls="h"))
    for t, target in enumerate(targets):
        x0 = axes.left + 11 + t * group
        for i, m in enumerate(metrics):
            c = cells[m, target]
            x = x0 + i * bar
            if c.value is None:
                body.append(_text(x + bar / 2, axes.py(0) - 3, "×"))
                continue
            top, base = axes.py(max(c.value, 0)), axes.py(min(c.value, 0))
            tip = f"{m}, {target}: {c.value:.3f}"
            body.append(
                f'<rect x="{_n(x + 1)}" y="{_n(top)}" width="{_n(bar - 2)}" height="{_n(max(base - top, 0.5))}" '
                f'fill="{COLOURS[i % len(COLOURS)]}"><title>{escape(tip)}</title></rect>'
            )
            if c.low is not None and c.high is not None:
                body.append(_line(x + bar / 2, axes.py(c.low), x + bar / 2, axes.py(c.high), "e"))
        human = ceiling.get(target)
        if human is not None and human.value is not None:
            body.append(_line(x0 - 4, axes.py(human.value), x0 + k * bar + 4, axes.py(human.value), "c"))
        body.append(_text(x0 + k * bar / 2, axes.bottom + 16, target))
    body.append(_line(axes.left, axes.py(0), axes.right, axes.py(0), "a"))
    return _svg(width, axes.height, body, label)


def legend(metrics: Sequence[str]) -> str:
    """Names beside their colours, as HTML."""
    items = [
        f'<span><i style="background:{COLOURS[i % len(COLOURS)]}"></i>{escape(m)}</span>' for i, m in enumerate(metrics)
    ]
    return f'<p class="legend">{"".join(items)}</p>'


def heatmap(metrics: Sequence[str], between: dict[tuple[str, str], Stat], label: str) -> str:
    """Metric against metric; blue goes together, orange against, a dash is undefined."""
    cell, left, top = 46.0, 130.0, 96.0
    body = [_text(4, 15, label, "start", "h")]
    for i, a in enumerate(metrics):
        body.append(_text(left - 6, top + (i + 0.5) * cell + 4, _short(a), "end"))
        x = left + (i + 0.5) * cell
        body.append(
            f'<text transform="translate({_n(x)} {_n(top - 6)}) rotate(-40)" class="t">{escape(_short(a))}</text>'
        )
        for k, b in enumerate(metrics):
            s = between[a, b]
            value = s.value
            colour = "#2f6fde" if (value or 0) >= 0 else "#d9633b"
            alpha = 0.0 if value is None else min(1.0, abs(value))
            x, y = left + k * cell, top + i * cell
            shown = "—" if value is None else f"{value:.2f}"
            tip = escape(f"{a} and {b}: {s.reason or shown}")
            body.append(
                f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(cell - 2)}" height="{_n(cell - 2)}" fill="{colour}" '
                f'fill-opacity="{alpha:.2f}" class="q"><title>{tip}</title></rect>'
            )
            body.append(_text(x + cell / 2 - 1, y + cell / 2 + 3, shown, cls="w" if alpha > 0.55 else "t"))
    side = cell * len(metrics)
    return _svg(max(left + side + 70, 420), top + side + 6, body, label)


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"
