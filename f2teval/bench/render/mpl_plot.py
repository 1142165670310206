"""A matplotlib figure while it is being drawn: its look, its axes, the marks and texts to report."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from f2teval.bench.render.style import Style, plan_axis
from f2teval.bench.table import Table
from f2teval.errors import MissingExtraError
from f2teval.figure.reading import TextRole

DPI: Final = 72.0


Box = tuple[float, float, float, float]


class Plot:
    """One matplotlib figure while it is being drawn."""

    def __init__(self, table: Table, chart_type: str, style: Style, rng: Random) -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError as e:
            raise MissingExtraError("drawing figures with matplotlib", "bench") from e
        self.table, self.kind, self.style, self.rng = table, chart_type, style, rng
        width, height = style.width + 110, style.height + 120
        self.fig = Figure(figsize=(width / DPI, height / DPI), dpi=DPI * style.scale, facecolor=style.background)
        self.canvas = FigureCanvasAgg(self.fig)
        self.ax: Any = self.fig.add_subplot(projection="polar" if chart_type == "radar" else None)
        self.marks: list[tuple[str, str, float, Callable[[], Box], str, str, str]] = []
        self.roles: list[tuple[Any, TextRole]] = []
        self.numeric: dict[str, tuple[Any, str]] = {}
        self.dress()

    def renderer(self) -> Any:
        """Agg's renderer."""
        canvas: Any = self.canvas
        return canvas.get_renderer()

    def dress(self) -> None:
        st, ax = self.style, self.ax
        ax.set_facecolor(st.background)
        for side, spine in ax.spines.items():
            spine.set_color(st.ink)
            if side in ("top", "right") and not st.frame and self.kind != "radar":
                spine.set_visible(False)
        ax.tick_params(colors=st.ink, labelsize=st.font_size, length=3)
        if st.grid and self.kind not in ("heatmap", "pie", "donut", "treemap", "funnel"):
            ax.grid(
                True,
                axis="both"
                if self.kind in ("scatter", "bubble", "radar")
                else "x"
                if self.kind == "horizontal_bar"
                else "y",
                color=st.grid_color,
                linewidth=0.7,
            )
            ax.set_axisbelow(True)

    def text(self, x: float, y: float, s: str, role: TextRole, **kw: Any) -> Any:
        t = self.ax.text(
            x, y, s, **{"fontsize": self.style.font_size - 1, "color": self.style.ink, "clip_on": False, **kw}
        )
        self.roles.append((t, role))
        return t

    def mark(
        self, series: str, category: str, value: float, box: Callable[[], Box], kind: str, color: str, label: str = ""
    ) -> None:
        self.marks.append((series, category, value, box, kind, color, label))

    # --------------------------------------------------------------------------------------------------------- boxes

    def flip(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """A box from display coordinates (origin at the bottom) to pixels (origin at the top)."""
        h = float(self.fig.bbox.height)
        x0, y0, x1, y1 = float(x0), float(y0), float(x1), float(y1)
        return (min(x0, x1), h - max(y0, y1), max(x0, x1), h - min(y0, y1))

    def at(self, x: float, y: float, r: float = 3.0, ax: Any = None) -> Callable[[], Box]:
        def box() -> Box:
            px, py = (ax or self.ax).transData.transform((x, y))
            k = r * self.style.scale
            return self.flip(px - k, py - k, px + k, py + k)

        return box

    def patch(self, p: Any) -> Callable[[], Box]:
        def box() -> Box:
            e = p.get_window_extent(self.renderer())
            return self.flip(e.x0, e.y0, e.x1, e.y1)

        return box

    def area(self, x0: float, y0: float, x1: float, y1: float) -> Callable[[], Box]:
        def box() -> Box:
            (a, b), (c, d) = self.ax.transData.transform([(x0, y0), (x1, y1)])
            return self.flip(a, b, c, d)

        return box

    # ---------------------------------------------------------------------------------------------------------- axes

    def categories(self, side: str = "x", names: tuple[str, ...] = (), positions: list[float] | None = None) -> None:
        names = names or self.table.categories
        pos = positions or [float(i) for i in range(len(names))]
        axis = self.ax.xaxis if side == "x" else self.ax.yaxis
        axis.set_ticks(pos)
        crowded = max(len(n) for n in names) * self.style.font_size * 0.6 > self.style.width / len(names)
        angle = -self.style.tick_angle if side == "x" else 0
        if side == "x" and crowded and angle == 0:
            angle = 45
        kw: dict[str, Any] = {"rotation": angle}
        if angle not in (0, 90):
            kw |= {"ha": "right" if angle > 0 else "left", "rotation_mode": "anchor"}
        elif angle == 90:
            kw |= {"ha": "center"}
        axis.set_ticklabels(names, **kw)

    def numbers(
        self, lo: float, hi: float, *, zero: bool, side: str = "y", ax: Any = None, symbol: str | None = None
    ) -> None:
        plan = plan_axis(
            lo,
            hi,
            self.style,
            self.table.symbol if symbol is None else symbol,
            zero=zero,
            target=self.rng.choice((4, 5, 6)),
        )
        ax = ax or self.ax
        axis = ax.xaxis if side == "x" else ax.yaxis
        (ax.set_xlim if side == "x" else ax.set_ylim)(plan.lo, plan.hi)
        axis.set_ticks(list(plan.ticks))
        axis.set_ticklabels(plan.labels)
        self.numeric["y2" if ax is not self.ax else side] = (ax, side)

    def titles(self, x: str, y: str) -> None:
        if self.style.axis_titles:
            kw = {"fontsize": self.style.font_size + 0.5, "color": self.style.ink}
            self.ax.set_xlabel(x, **kw)
            self.ax.set_ylabel(y, **kw)

    def legend(self, handles: Any = None, names: Any = None) -> None:
        st = self.style
        places: dict[str, dict[str, Any]] = {
            "right": {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)},
            "top": {"loc": "upper right"},
            "bottom": {"loc": "upper center", "bbox_to_anchor": (0.5, -0.22), "ncol": 3},
        }
        where = places[st.legend_side]
        args: tuple[Any, ...] = (handles, names) if handles is not None else ()
        leg = self.ax.legend(
            *args,
            fontsize=st.font_size - 1,
            labelcolor=st.ink,
            facecolor=st.background,
            framealpha=0.7 if st.frame else 0.0,
            **where,
        )
        for t in leg.get_texts():
            self.roles.append((t, "legend"))
