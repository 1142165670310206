"""Matplotlib bodies: each chart type drawn into a Plot, with its marks."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Final

from f2teval.bench.render.layout import squarify
from f2teval.bench.render.mpl_plot import Plot
from f2teval.bench.render.style import plan_axis, value_label
from f2teval.bench.table import Table


def _flat(table: Table) -> list[float]:
    return [v for r in table.values for v in r if v is not None]


def bars(p: Plot) -> None:
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
    t = p.table
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


DRAW: Final[dict[str, Callable[[Plot], None]]] = {
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
