"""Figures by matplotlib (Agg, no pyplot state), with the truth from the artists' own transforms."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from random import Random
from typing import Any, Final

from f2teval.bench.render.fonts import wrap
from f2teval.bench.render.layout import squarify
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import Style, plan_axis, value_label
from f2teval.bench.render.vega import png_size
from f2teval.bench.table import Table
from f2teval.errors import MissingExtraError
from f2teval.figure.reading import Axis, TextBox, TextRole, Tick

TYPES: Final = (
    "vertical_bar",
    "horizontal_bar",
    "grouped_bar",
    "stacked_bar",
    "line",
    "multi_line",
    "area",
    "stacked_area",
    "pie",
    "donut",
    "scatter",
    "bubble",
    "histogram",
    "box",
    "violin",
    "heatmap",
    "radar",
    "funnel",
    "treemap",
    "candlestick",
    "error_bar",
    "bar_line",
    "waterfall",
)
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
            e = p.get_window_extent(self.canvas.get_renderer())
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
        where = {
            "right": {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)},
            "top": {"loc": "upper right"},
            "bottom": {"loc": "upper center", "bbox_to_anchor": (0.5, -0.22), "ncol": 3},
        }[st.legend_side]
        args = (handles, names) if handles is not None else ()
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


def render(rng: Random, table: Table, chart_type: str, style: Style) -> Scene:
    """Draw a table. Boxes in the scene are in pixels of the returned PNG."""
    import matplotlib

    with matplotlib.rc_context(
        {"font.family": [style.font, "DejaVu Sans"], "axes.unicode_minus": False, "svg.fonttype": "none"}
    ):
        p = Plot(table, chart_type, style, rng)
        _DRAW.get(chart_type, _bars)(p)
        if style.show_title:
            lines = "\n".join(wrap(table.title, style.width + 60, style.title_size, style.font, style.title_bold))
            loc = {"start": "left", "middle": "center"}[style.title_anchor]
            p.ax.set_title(
                lines,
                fontsize=style.title_size,
                fontweight="bold" if style.title_bold else "normal",
                color=style.ink,
                loc=loc,
                pad=22 if chart_type == "radar" else 8,
            )
        out = io.BytesIO()
        extra = [p.ax.get_legend()] if p.ax.get_legend() else []
        p.fig.canvas.draw()
        renderer = p.canvas.get_renderer()
        if style.show_source and (table.source or table.note):
            _source(p, renderer, [*p.fig.get_default_bbox_extra_artists(), *extra])
        tight = p.fig.get_tightbbox(renderer, bbox_extra_artists=[*p.fig.get_default_bbox_extra_artists(), *extra])
        pad = 0.08
        scene = _scene(p, table, chart_type, style)
        p.fig.savefig(out, format="png", bbox_inches=tight.padded(pad), facecolor=style.background)
        scene.png = out.getvalue()
        dpi = p.fig.dpi
        _shift(scene, -float((tight.x0 - pad) * dpi), -float(p.fig.bbox.height - (tight.y1 + pad) * dpi))
        scene.width, scene.height = png_size(scene.png)
        return scene


def _source(p: Plot, renderer: Any, artists: list[Any]) -> None:
    """Note and source below everything else."""
    st, table = p.style, p.table
    low = p.fig.get_tightbbox(renderer, bbox_extra_artists=artists)
    words = "; ".join(
        s for s in (table.note and f"Note: {table.note}", table.source and f"Source: {table.source}") if s
    )
    lines = "\n".join(wrap(words, st.width + 60, st.font_size - 1.5, st.font))
    t = p.fig.text(
        (low.x0 * p.fig.dpi + 4) / p.fig.bbox.width,
        (low.y0 * p.fig.dpi - 7 * st.scale) / p.fig.bbox.height,
        lines,
        va="top",
        fontsize=st.font_size - 1.5,
        color=st.ink,
        alpha=0.8,
    )
    p.roles.append((t, "source" if table.source else "note"))


def _shift(scene: Scene, dx: float, dy: float) -> None:
    from dataclasses import replace

    def s(b: Box | None) -> Box | None:
        return None if b is None else (b[0] + dx, b[1] + dy, b[2] + dx, b[3] + dy)

    scene.texts = [replace(t, box=s(t.box) or t.box) for t in scene.texts]
    scene.marks = [replace(m, box=s(m.box) or m.box) for m in scene.marks]
    scene.plot_area = s(scene.plot_area)
    scene.axes = [
        replace(
            a,
            intercept=a.intercept - a.slope * (dx if a.side.startswith("x") else dy),
            ticks=tuple(
                replace(t, pixel=t.pixel + (dx if a.side.startswith("x") else dy), box=s(t.box)) for t in a.ticks
            ),
        )
        for a in scene.axes
    ]


def _scene(p: Plot, table: Table, chart_type: str, st: Style) -> Scene:
    scene = Scene(0, 0, chart_type, "matplotlib", st.background)
    e = p.ax.get_window_extent()
    scene.plot_area = p.flip(e.x0, e.y0, e.x1, e.y1)
    r = p.canvas.get_renderer()

    def put(t: Any, role: TextRole) -> Box | None:
        if not t.get_text().strip() or not t.get_visible():
            return None
        b = t.get_window_extent(r)
        box = p.flip(b.x0, b.y0, b.x1, b.y1)
        scene.texts.append(
            TextBox(
                t.get_text(),
                box,
                1.0,
                role,
                -float(t.get_rotation()) if t.get_rotation() <= 180 else 360 - float(t.get_rotation()),
            )
        )
        return box

    for t in (p.ax.title, p.ax._left_title):
        put(t, "title")
    put(p.ax.xaxis.label, "x_title")
    put(p.ax.yaxis.label, "y_title")
    for t, role in p.roles:
        put(t, role)
    for side in ("x", "y", "y2"):
        ax = p.numeric[side][0] if side in p.numeric else p.ax
        if side == "y2" and side not in p.numeric:
            continue
        axis = ax.xaxis if side == "x" else ax.yaxis
        if not axis.get_visible() or not ax.axison or (chart_type in ("radar",) and side == "y"):
            continue
        if side == "y2":
            put(ax.yaxis.label, "y_title")
        ticks = []
        number = side in p.numeric
        lo, hi = sorted(ax.get_xlim() if side == "x" else ax.get_ylim())
        for v, t in zip(axis.get_majorticklocs(), axis.get_ticklabels()):
            if not t.get_text() or not (lo - 1e-9 <= v <= hi + 1e-9):
                continue
            box = put(t, "tick" if number or t.get_text().isdigit() else "category")
            if chart_type == "radar":
                px = 0.0
            elif side == "x":
                px = float(ax.transData.transform((v, 0))[0])
            else:
                px = float(p.fig.bbox.height) - float(ax.transData.transform((0, v))[1])
            value = (
                float(v)
                if number
                else float(t.get_text())
                if t.get_text().isdigit() and table.category_kind == "time"
                else None
            )
            ticks.append(Tick(t.get_text(), value, px, box))
        if not ticks:
            continue
        kind = "numeric" if number else "time" if ticks[0].value is not None else "category"
        slope = icpt = 0.0
        if kind != "category" and len(ticks) > 1 and ticks[-1].value != ticks[0].value:
            slope = (ticks[-1].pixel - ticks[0].pixel) / ((ticks[-1].value or 0) - (ticks[0].value or 0))
            icpt = ticks[0].pixel - slope * (ticks[0].value or 0)
        label = ax.get_xlabel() if side == "x" else ax.get_ylabel()
        scene.axes.append(
            Axis(
                side,
                kind,
                tuple(ticks),
                label,
                table.unit if number else "",
                "linear",
                *calibration(slope, icpt),
                0.0,
                1.0,
            )
        )  # type: ignore[arg-type]
    for series, cat, value, box_of, mk, color, printed in p.marks:
        scene.marks.append(Mark(series, cat, value, box_of(), mk, color, printed))
        if mk in ("bar", "point"):
            scene.colors.setdefault(series, color)
        elif mk == "slice":
            scene.colors[cat] = color
    return scene


# ----------------------------------------------------------------------------------------------------------------- bodies


def _flat(table: Table) -> list[float]:
    return [v for r in table.values for v in r if v is not None]


def _bars(p: Plot) -> None:
    t, st, kind = p.table, p.style, p.kind
    horizontal = kind == "horizontal_bar" or (kind in ("grouped_bar", "stacked_bar") and p.rng.random() < 0.25)
    k, n = len(t.series), len(t.categories)
    base = [0.0] * n
    width = st.band / (k if kind == "grouped_bar" else 1)
    tops = _flat(t)
    if kind == "stacked_bar":
        tops = [sum(r[c] or 0 for r in t.values) for c in range(n)]
    if t.errors and kind == "error_bar":
        tops = [v + e for v, e in zip(tops, t.errors[0])]
    edge = {"edgecolor": st.background, "linewidth": 1} if kind == "histogram" else {}
    if kind == "histogram":
        width = 1.0
    show = st.labels and kind not in ("stacked_bar", "error_bar")
    for s, name in enumerate(t.series):
        for c, cat in enumerate(t.categories):
            v = t.values[s][c]
            if v is None:
                continue
            x = c + (s - (k - 1) / 2) * width if kind == "grouped_bar" else float(c)
            bar = (
                (p.ax.barh if horizontal else p.ax.bar)(
                    x, v, width, left=base[c], color=st.color(s), label=name if c == 0 else None, **edge
                )
                if horizontal
                else p.ax.bar(x, v, width, bottom=base[c], color=st.color(s), label=name if c == 0 else None, **edge)
            )
            label = value_label(v, t, st) if show else ""
            if label:
                off = 3 if v >= 0 else -3
                ann = p.ax.annotate(
                    label,
                    (v, x) if horizontal else (x, v),
                    (off, 0) if horizontal else (0, off),
                    textcoords="offset points",
                    ha="center" if not horizontal else "left" if v >= 0 else "right",
                    va="center" if horizontal else "bottom" if v >= 0 else "top",
                    fontsize=st.font_size - 1.5,
                    color=st.ink,
                )
                p.roles.append((ann, "value_label"))
            p.mark(name, cat, v, p.patch(bar.patches[0]), "bar", st.color(s), label)
            if kind == "stacked_bar":
                base[c] += v
            if kind == "error_bar" and t.errors:
                p.ax.errorbar(x, v, yerr=t.errors[0][c], color=st.ink, capsize=4, linewidth=1.2)
    p.categories("y" if horizontal else "x")
    p.numbers(min(tops), max(tops) * (1.06 if show else 1.0), zero=True, side="x" if horizontal else "y")
    if horizontal:
        p.ax.invert_yaxis()
        p.titles(t.value_title, t.category_title)
    else:
        p.titles(t.category_title, t.value_title)
    if k > 1:
        p.legend()


def _lines(p: Plot) -> None:
    t, st, kind = p.table, p.style, p.kind
    yearly = t.category_kind == "time" and t.x is not None and t.categories[0].isdigit()
    xs = list(t.x or ()) if yearly else [float(i) for i in range(len(t.categories))]
    stacked = kind == "stacked_area"
    base = [0.0] * len(xs)
    for s, name in enumerate(t.series):
        ys = [float(v or 0) for v in t.values[s]]
        color = st.color(s)
        if stacked:
            top = [a + b for a, b in zip(base, ys)]
            p.ax.fill_between(xs, base, top, color=color, label=name, linewidth=0)
        else:
            top = ys
            p.ax.plot(
                xs,
                ys,
                color=color,
                linewidth=p.rng.choice((1.5, 2.0, 2.5)),
                label=name or None,
                marker=("o", "s", "^", "D", "v")[s % 5] if st.points else None,
                markersize=4,
                linestyle=("-", "--", "-.", ":")[s % 4] if st.theme % 4 == 0 else "-",
            )
            if kind == "area":
                p.ax.fill_between(xs, ys, 0, color=color, alpha=0.75, linewidth=0)
        for i, c in enumerate(t.categories):
            p.mark(name, c, ys[i], p.at(xs[i], top[i]), "point", color)
        if not stacked and len(t.series) > 1 and st.direct:
            p.text(xs[-1], ys[-1], " " + name, "series_label", color=color, va="center")
        base = top if stacked else base
    totals = [sum(r[i] or 0 for r in t.values) for i in range(len(xs))] if stacked else _flat(t)
    p.numbers(min(totals), max(totals), zero=st.from_zero or "area" in kind)
    if yearly:
        step = max(1, len(xs) // p.rng.choice((4, 6, 8)))
        p.categories("x", t.categories[::step], xs[::step])
    else:
        p.categories()
    if "area" in kind:
        p.ax.set_xlim(xs[0], xs[-1])
    p.titles(t.category_title, t.value_title)
    if len(t.series) > 1 and (stacked or not st.direct):
        p.legend()


def _pie(p: Plot) -> None:
    t, st = p.table, p.style
    vs = [abs(float(v or 0)) for v in t.values[0]]
    colors = [st.color(i) for i in range(len(vs))]
    named = st.direct or not st.labels
    wedges, texts = p.ax.pie(
        vs,
        colors=colors,
        labels=t.categories if named else None,
        startangle=90,
        counterclock=False,
        textprops={"fontsize": st.font_size, "color": st.ink},
        wedgeprops={"edgecolor": st.background, "width": 0.45 if p.kind == "donut" else None},
    )[:2]
    if named:
        p.roles += [(x, "category") for x in texts]
    total = sum(vs)
    at = 0.0
    for w, c, v, col in zip(wedges, t.categories, vs, colors):
        mid = 2 * math.pi * (at + v / 2) / total
        at += v
        label = ""
        if st.labels and v / total > 0.04:
            label = value_label(v, t, st)
            q = 0.78 if p.kind == "donut" else 0.65
            p.text(
                q * math.sin(mid),
                q * math.cos(mid),
                label,
                "value_label",
                ha="center",
                va="center",
                color="white" if _dark(col) else "black",
            )
        p.mark("", c, v, p.patch(w), "slice", col, label)
    if not named:
        p.legend(wedges, t.categories)
    p.ax.set_axis_off()


def _dark(color: str) -> bool:
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return 0.3 * r + 0.59 * g + 0.11 * b < 150


def _points(p: Plot) -> None:
    t, st = p.table, p.style
    xs, ys = [float(v or 0) for v in t.row("x")], [float(v or 0) for v in t.row("y")]
    sizes = [float(v or 1) for v in t.row("size")] if "size" in t.series and p.kind == "bubble" else []
    top = max(sizes) if sizes else 1
    area = [30 + 500 * v / top for v in sizes] or [30.0] * len(xs)
    p.ax.scatter(
        xs,
        ys,
        s=area,
        color=st.color(0),
        alpha=0.6 if sizes else 0.9,
        edgecolors=st.ink if sizes else "none",
        linewidths=0.5,
    )
    p.numbers(min(xs), max(xs), zero=False, side="x", symbol="")
    p.numbers(min(ys), max(ys), zero=False)
    for i, c in enumerate(t.categories):
        p.mark("y", c, ys[i], p.at(xs[i], ys[i], math.sqrt(area[i] / math.pi)), "point", st.color(0))
        if st.direct or p.kind == "bubble":
            a = p.ax.annotate(
                c,
                (xs[i], ys[i]),
                (0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=st.font_size - 2,
                color=st.ink,
            )
            p.roles.append((a, "annotation"))
    p.titles(t.category_title, t.value_title)


def _boxes(p: Plot) -> None:
    t, st = p.table, p.style
    for i, c in enumerate(t.categories):
        least, q1, m, q3, most = (float(t.at(n, c) or 0) for n in t.series)
        if p.kind == "violin":
            rnd = Random(f"{t.key}{c}")
            half = [rnd.gauss(0, 1) for _ in range(60)]
            points = sorted(
                [least, q1, m, q3, most] * 3 + [min(most, max(least, m + h * (q3 - q1) / 1.35)) for h in half]
            )
            body = p.ax.violinplot([points], [i], widths=0.8, showextrema=False)["bodies"][0]
            body.set_facecolor(st.color(i) if len(st.palette) > 1 else st.color(0))
            body.set_alpha(0.8)
            p.ax.plot([i, i], [q1, q3], color=st.ink, linewidth=4, solid_capstyle="butt")
            p.ax.plot([i], [m], "o", color="white", markersize=4, markeredgecolor=st.ink)
            p.mark("median", c, m, p.area(i - 0.4, least, i + 0.4, most), "box", st.color(0))
        else:
            p.ax.bxp(
                [{"med": m, "q1": q1, "q3": q3, "whislo": least, "whishi": most, "fliers": []}],
                positions=[i],
                widths=0.6,
                patch_artist=True,
                boxprops={"facecolor": st.color(0), "edgecolor": st.ink},
                medianprops={"color": st.ink, "linewidth": 1.8},
                whiskerprops={"color": st.ink},
                capprops={"color": st.ink},
                manage_ticks=False,
            )
            p.mark("median", c, m, p.area(i - 0.3, q1, i + 0.3, q3), "box", st.color(0))
    p.ax.set_xlim(-0.6, len(t.categories) - 0.4)
    vs = _flat(t)
    p.numbers(min(vs), max(vs), zero=False)
    p.categories()
    p.titles(t.category_title, t.value_title)


def _heatmap(p: Plot) -> None:
    t, st = p.table, p.style
    cmap = p.rng.choice(("Blues", "Greens", "viridis", "YlOrRd", "magma"))
    data = [[float("nan") if v is None else v for v in r] for r in t.values]
    img = p.ax.imshow(data, cmap=cmap, aspect="auto")
    for s, name in enumerate(t.series):
        for c, cat in enumerate(t.categories):
            v = t.values[s][c]
            if v is None:
                continue
            label = value_label(v, t, st) if st.labels else ""
            if label:
                r, g, b, _ = img.cmap(img.norm(v))
                p.text(
                    c,
                    s,
                    label,
                    "value_label",
                    ha="center",
                    va="center",
                    color="white" if 0.3 * r + 0.59 * g + 0.11 * b < 0.55 else "black",
                )
            p.mark(name, cat, v, p.area(c - 0.5, s - 0.5, c + 0.5, s + 0.5), "cell", "", label)
    p.categories("x")
    p.categories("y", t.series)
    bar = p.fig.colorbar(img, ax=p.ax)
    bar.ax.tick_params(colors=st.ink, labelsize=st.font_size - 1)
    bar.outline.set_visible(False)


def _radar(p: Plot) -> None:
    t, st = p.table, p.style
    n = len(t.categories)
    angles = [2 * math.pi * i / n for i in range(n)]
    p.ax.set_theta_offset(math.pi / 2)
    p.ax.set_theta_direction(-1)
    for s, name in enumerate(t.series):
        ys = [float(v or 0) for v in t.values[s]]
        p.ax.plot([*angles, angles[0]], [*ys, ys[0]], color=st.color(s), linewidth=2, label=name)
        p.ax.fill([*angles, angles[0]], [*ys, ys[0]], color=st.color(s), alpha=0.15)
        for i, c in enumerate(t.categories):
            p.mark(name, c, ys[i], p.at(angles[i], ys[i]), "point", st.color(s))
    p.ax.set_xticks(angles, t.categories, fontsize=st.font_size)
    p.ax.tick_params(axis="x", pad=8)
    plan = plan_axis(0, max(_flat(t)), st, t.symbol, zero=True, target=4)
    p.ax.set_ylim(min(0, plan.lo), plan.hi)
    p.ax.set_yticks(list(plan.ticks[1:]), plan.labels[1:], fontsize=st.font_size - 2)
    for label in p.ax.get_yticklabels():
        p.roles.append((label, "tick"))
    p.legend()


def _funnel(p: Plot) -> None:
    t, st = p.table, p.style
    top = max(float(v or 0) for v in t.values[0])
    for i, c in enumerate(t.categories):
        v = float(t.values[0][i] or 0)
        bar = p.ax.barh(i, v, 0.85, left=(top - v) / 2, color=st.color(i))
        label = value_label(v, t, st)
        wide = v / top > 0.25
        p.text(
            top / 2 if wide else (top + v) / 2 + top * 0.02,
            i,
            label,
            "value_label",
            ha="center" if wide else "left",
            va="center",
            color=("white" if _dark(st.color(i)) else "black") if wide else st.ink,
        )
        p.mark("", c, v, p.patch(bar.patches[0]), "bar", st.color(i), label)
    p.categories("y")
    p.ax.invert_yaxis()
    p.ax.set_xticks([])
    for s in p.ax.spines.values():
        s.set_visible(False)


def _treemap(p: Plot) -> None:
    from matplotlib.patches import Rectangle

    t, st = p.table, p.style
    items = sorted(((float(v or 0), c) for v, c in zip(t.values[0], t.categories)), reverse=True)
    for i, ((v, c), (x, y, w, h)) in enumerate(zip(items, squarify([v for v, _ in items], 0, 0, 1.6, 1.0))):
        p.ax.add_patch(Rectangle((x, y), w, h, facecolor=st.color(i), edgecolor=st.background, linewidth=2))
        ink = "white" if _dark(st.color(i)) else "black"
        label = value_label(v, t, st) if st.labels else ""
        size = min(st.font_size, w / 1.6 * (st.width + 110) * 0.75 / max(4.0, len(c) * 0.62))
        p.text(
            x + w / 2,
            y + h * (0.42 if label else 0.5),
            c,
            "category",
            ha="center",
            va="center",
            color=ink,
            fontsize=max(5.0, size),
        )
        if label:
            p.text(x + w / 2, y + h * 0.68, label, "value_label", ha="center", va="center", color=ink)
        p.mark("", c, v, p.area(x, y, x + w, y + h), "slice", st.color(i), label)
    p.ax.set_xlim(0, 1.6)
    p.ax.set_ylim(1.0, 0)
    p.ax.set_axis_off()


def _candles(p: Plot) -> None:
    t, st = p.table, p.style
    for i, c in enumerate(t.categories):
        o, h, low, close = (float(t.at(n, c) or 0) for n in ("open", "high", "low", "close"))
        col = "#2a9d8f" if close >= o else "#d1495b"
        p.ax.plot([i, i], [low, h], color=col, linewidth=1)
        bar = p.ax.bar(i, close - o or 0.01, 0.6, bottom=o, color=col)
        p.mark("close", c, close, p.patch(bar.patches[0]), "box", col)
    vs = _flat(t)
    p.numbers(min(vs), max(vs), zero=False)
    p.categories()
    p.titles(t.category_title, t.value_title)


def _combined(p: Plot) -> None:
    t, st = p.table, p.style
    first = [float(v or 0) for v in t.values[0]]
    second = [float(v or 0) for v in t.values[1]]
    bars = p.ax.bar(range(len(first)), first, st.band, color=st.color(0), label=t.series[0])
    ax2 = p.ax.twinx()
    line = ax2.plot(
        range(len(second)),
        second,
        color=st.color(1),
        linewidth=2.2,
        marker="o" if st.points else None,
        label=t.series[1],
    )
    for i, c in enumerate(t.categories):
        p.mark(t.series[0], c, first[i], p.patch(bars.patches[i]), "bar", st.color(0))
        p.mark(t.series[1], c, second[i], p.at(i, second[i], ax=ax2), "point", st.color(1))
    p.numbers(0, max(first), zero=True)
    p.numbers(0, max(second), zero=True, ax=ax2, symbol="%")
    ax2.tick_params(colors=st.ink, labelsize=st.font_size)
    ax2.set_ylabel(t.series[1], fontsize=st.font_size, color=st.ink)
    for side, s in ax2.spines.items():
        s.set_visible(side == "right")
        s.set_color(st.ink)
    p.categories()
    p.titles(t.category_title, t.value_title)
    st_side = p.ax.legend(
        [bars, line[0]],
        t.series,
        fontsize=st.font_size - 1,
        labelcolor=st.ink,
        facecolor=st.background,
        framealpha=0.0,
        loc="lower center",
        bbox_to_anchor=(0.5, -0.42),
        ncol=2,
    )
    for x in st_side.get_texts():
        p.roles.append((x, "legend"))


def _bridge(p: Plot) -> None:
    t, st = p.table, p.style
    at, ends = 0.0, [0.0]
    for i, c in enumerate(t.categories):
        v = float(t.values[0][i] or 0)
        col = "#3a7d44" if v >= 0 else "#b23a48"
        bar = p.ax.bar(i, v, 0.65, bottom=at, color=col)
        if i:
            p.ax.plot([i - 1 + 0.325, i - 0.325], [at, at], color=st.ink, linewidth=0.7)
        label = value_label(v, t, st) if st.labels else ""
        if label:
            a = p.ax.annotate(
                label,
                (i, max(at, at + v)),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=st.font_size - 1,
                color=st.ink,
            )
            p.roles.append((a, "value_label"))
        p.mark("", c, v, p.patch(bar.patches[0]), "bar", col, label)
        at += v
        ends.append(at)
    p.numbers(min(ends), max(ends) * 1.06, zero=True)
    p.categories()
    p.titles(t.category_title, t.value_title)


_DRAW: Final[dict[str, Callable[[Plot], None]]] = {
    "line": _lines,
    "multi_line": _lines,
    "area": _lines,
    "stacked_area": _lines,
    "pie": _pie,
    "donut": _pie,
    "scatter": _points,
    "bubble": _points,
    "box": _boxes,
    "violin": _boxes,
    "heatmap": _heatmap,
    "radar": _radar,
    "funnel": _funnel,
    "treemap": _treemap,
    "candlestick": _candles,
    "bar_line": _combined,
    "waterfall": _bridge,
}
