"""The look of a figure: theme, fonts, sizes, number formats, labels, ticks. Drawn once, obeyed by every renderer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from f2teval.bench.table import Table

PALETTES: Final[tuple[tuple[str, ...], ...]] = (
    ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b"),
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"),
    ("#0d5c63", "#44a1a0", "#f4a259", "#bc4b51", "#8cb369", "#5b8e7d", "#d9a5b3", "#3d405b"),
    ("#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51", "#8ab17d", "#b56576", "#6d597a"),
    ("#003f5c", "#7a5195", "#ef5675", "#ffa600", "#2f9e8f", "#bc5090", "#ff6361", "#2f4b7c"),
    ("#b58900", "#cb4b16", "#dc322f", "#6c71c4", "#268bd2", "#2aa198", "#859900", "#d33682"),
)
SHADES: Final[tuple[tuple[str, ...], ...]] = (
    ("#2b4c6f", "#5f87ab", "#a5bfd6", "#d5e0ea", "#8a8a8a"),
    ("#6d3743", "#b87884", "#dfc07a", "#c39a1b", "#8a8a8a"),
    ("#2f7d6b", "#9fd0c3", "#d8d3c0", "#8d8565", "#5a5a5a"),
    ("#8a5a00", "#c98f1e", "#e6c679", "#cfcfcf", "#7b7b7b"),
)
SINGLE: Final = (
    "#4c78a8",
    "#1f77b4",
    "#2f7d6b",
    "#c44e52",
    "#e08214",
    "#5e3c99",
    "#3c8d40",
    "#b8860b",
    "#6b6b6b",
    "#2b6cb0",
    "#e45756",
    "#8cb369",
    "#d6618f",
    "#17a2b8",
)
BACKGROUNDS: Final = (
    ("#ffffff", "#000000", "#dddddd"),
    ("#ffffff", "#222222", "#e5e5e5"),
    ("#ffffff", "#888888", "#eeeeee"),
    ("#f7f7f7", "#333333", "#dcdcdc"),
    ("#fdf6e3", "#586e75", "#e7dfc6"),
    ("#333333", "#ffffff", "#777777"),
    ("#000000", "#ffffff", "#666666"),
    ("#1f2430", "#d7dce2", "#444c5c"),
    ("#ececec", "#222222", "#ffffff"),
)
SANS: Final = ("DejaVu Sans", "Liberation Sans", "Liberation Sans Narrow")
SERIF: Final = ("DejaVu Serif", "Liberation Serif")


class AxisPlan(NamedTuple):
    """A numeric axis: its domain, tick values and their printed texts."""

    lo: float
    hi: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Style:
    """Everything visual that varies. Sizes in px at scale 1; ``scale`` is the resolution of the saved picture."""

    width: int
    height: int
    background: str
    ink: str
    grid_color: str
    palette: tuple[str, ...]
    font: str
    serif: str
    font_size: float
    title_size: float
    title_bold: bool
    title_anchor: str
    show_title: bool
    grid: bool
    frame: bool
    tick_angle: int
    labels: bool
    label_inside: bool
    number: str
    direct: bool
    legend_side: str
    axis_titles: bool
    show_source: bool
    band: float
    points: bool
    curve: str
    from_zero: bool
    scale: float
    jpeg: int
    theme: int

    def color(self, i: int) -> str:
        """Colour of the i-th series; behind the palette's end, its colours come again in another shade."""
        turn, k = divmod(i, len(self.palette))
        color = self.palette[k]
        if not turn or len(self.palette) == 1:
            return color
        parts = (int(color[j : j + 2], 16) for j in (1, 3, 5))
        toward = 255 if turn % 2 else 0
        return "#" + "".join(f"{round(v + (toward - v) * 0.45):02x}" for v in parts)


def make_style(rng: Random, table: Table, chart_type: str, renderer: str) -> Style:
    """A look for a table. "press" figures follow newsroom habits (printed values, light background)."""
    press = renderer == "press"
    bg, ink, grid = BACKGROUNDS[0] if press and rng.random() < 0.85 else rng.choice(BACKGROUNDS)
    many = len(table.series) > 1 or chart_type in ("pie", "donut", "treemap", "funnel", "sankey")
    if press:
        palette = rng.choice(SHADES + PALETTES[2:4])
    elif many:
        palette = rng.choice(PALETTES)
    else:
        palette = (rng.choice(SINGLE),)
    if bg == "#000000" or bg == "#333333":
        palette = tuple(c for c in palette if c not in ("#264653", "#003f5c", "#3d405b", "#2f4b7c", "#6b6b6b")) or (
            "#999999",
        )
    n = len(table.categories) * (len(table.series) if chart_type == "grouped_bar" else 1)
    wide = chart_type in ("horizontal_bar", "pie", "donut", "treemap", "funnel", "sankey", "radar")
    width = rng.randint(220, 420) if wide else max(rng.randint(210, 460), min(640, 20 * n))
    height = max(rng.randint(170, 340), min(520, 20 * n)) if chart_type == "horizontal_bar" else rng.randint(170, 360)
    label_chance = 0.92 if press else 0.3
    if chart_type in ("pie", "donut", "funnel", "waterfall", "treemap", "heatmap", "sankey"):
        label_chance = 0.85
    size = rng.choice((9.0, 10.0, 10.0, 11.0, 12.0))
    biggest = max((abs(v) for r in table.values for v in r if v is not None), default=1.0)
    numbers = ["comma", "comma", "comma"]
    if biggest >= 2000:
        numbers += ["bare", "si", "si"]
    if table.symbol:
        numbers += ["symbol", "symbol", "symbol"]
    return Style(
        width=width,
        height=height,
        background=bg,
        ink=ink,
        grid_color=grid,
        palette=palette,
        font=rng.choice(SANS[:2] if rng.random() < 0.75 else SANS + SERIF),
        serif=rng.choice(SERIF),
        font_size=size,
        title_size=size * rng.choice((1.2, 1.3, 1.45, 1.6)),
        title_bold=rng.random() < 0.7,
        title_anchor=rng.choice(("start", "middle", "middle")),
        show_title=press or rng.random() < 0.94,
        grid=rng.random() < 0.6,
        frame=rng.random() < 0.35,
        tick_angle=rng.choice((0, -45, -30, -90, 60, 45)),
        labels=rng.random() < label_chance,
        label_inside=rng.random() < 0.4,
        number=rng.choice(numbers),
        direct=rng.random() < (0.7 if press else 0.25),
        legend_side=rng.choice(("right", "right", "top", "bottom")),
        axis_titles=rng.random() < 0.85,
        show_source=rng.random() < 0.9,
        band=rng.uniform(0.5, 0.92),
        points=rng.random() < 0.35,
        curve=rng.choice(("linear", "linear", "linear", "linear", "monotone")),
        from_zero=rng.random() < 0.6,
        scale=rng.choice((1.0, 1.0, 1.5, 1.5, 2.0, 2.0)) if rng.random() < 0.85 else rng.choice((0.75, 0.85)),
        jpeg=rng.choice((40, 60, 75)) if rng.random() < 0.12 else 0,
        theme=rng.randrange(1 << 30),
    )


def format_number(v: float, how: str, decimals: int, symbol: str) -> str:
    """A number as figures print it: "comma" 1,200 · "bare" 1200 · "si" 1.2k · "symbol" 12% or $12."""
    if how == "si" and abs(v) >= 1000:
        for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
            if abs(v) >= size:
                return f"{v / size:.2f}".rstrip("0").rstrip(".") + letter
    text = f"{v:.{decimals}f}" if how == "bare" else f"{v:,.{decimals}f}"
    if text.strip("-0.,") == "":
        text = text.lstrip("-")
    if how == "symbol":
        return text + "%" if symbol == "%" else text.replace("-", "−", 1).replace("−", "-$") if v < 0 else symbol + text
    return text


def plan_axis(lo: float, hi: float, style: Style, symbol: str, *, zero: bool, target: int = 5) -> AxisPlan:
    """A nice axis around ``[lo, hi]``; ``zero`` forces it to include zero."""
    if zero:
        lo, hi = min(lo, 0.0), max(hi, 0.0)
    if hi <= lo:
        hi = lo + (abs(lo) or 1.0)
    raw = (hi - lo) / target
    mag = 10.0 ** math.floor(math.log10(raw))
    step = next(m * mag for m in (1, 2, 2.5, 5, 10) if m * mag >= raw * 0.999)
    first, last = math.floor(lo / step + 1e-9), math.ceil(hi / step - 1e-9)
    ticks = tuple(round(i * step, 10) for i in range(first, last + 1))
    dec = next(d for d in range(12) if abs(round(step, d) - step) < 1e-9 * step)
    labels = tuple(format_number(t, style.number, dec, symbol) for t in ticks)
    return AxisPlan(ticks[0], ticks[-1], ticks, labels)


def value_label(v: float, table: Table, style: Style) -> str:
    """The text printed beside a mark."""
    how = "comma" if style.number == "si" else style.number
    return format_number(v, how, table.decimals, table.symbol)
