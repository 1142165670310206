"""Newsroom charts other than rows of bars: columns and lines, pies, funnels, treemaps, flows."""

from __future__ import annotations

import math
from random import Random

from f2teval.bench.render.fonts import text_width
from f2teval.bench.render.page import Page, contrast, legend, printed
from f2teval.bench.render.scene import Mark, Scene, calibration
from f2teval.bench.render.style import Style, plan_axis, value_label
from f2teval.bench.table import Table
from f2teval.figure.reading import Axis, Tick


def columns(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    """Vertical bars, lines: values printed on them, or an axis."""
    kind, k, n = scene.chart_type, len(table.series), len(table.categories)
    is_line = "line" in kind
    flat = [v for r in table.values for v in r if v is not None]
    if k > 1 and not (is_line and st.direct):
        y = legend(page, table.series, st, 8, y)
    height = float(rng.randint(130, 240))
    right = (
        max((text_width(s, st.font_size, st.font) for s in table.series), default=0) + 12
        if is_line and st.direct and k > 1
        else 10
    )
    axis = not st.labels or rng.random() < 0.3
    plan = plan_axis(min(flat), max(flat), st, table.symbol, zero=not is_line or st.from_zero, target=4)
    left = (max(text_width(t, st.font_size - 1, st.font) for t in plan.labels) + 10) if axis else 12.0
    widest = max(text_width(c, st.font_size - 1, st.font) for c in table.categories)
    if widest > 0.9 * (page.width - left - right) / n:  # labels will lean: the first one needs room on its left
        left = max(left, 0.71 * text_width(table.categories[0], st.font_size - 1, st.font) - 4)
    x0, x1 = left, page.width - right - 6
    top, bottom = y + 14, y + 14 + height
    lo, hi = (
        (plan.lo, plan.hi)
        if axis
        else (min(0.0, min(flat)) if not is_line or st.from_zero else plan.lo, max(flat) if max(flat) > 0 else 0.0)
    )
    slope = -(bottom - top) / ((hi - lo) or 1)
    icpt = bottom - slope * lo
    ticks = []
    if axis:
        for v, t in zip(plan.ticks, plan.labels):
            py = slope * v + icpt
            if st.grid:
                page.path(f"M{x0:.1f},{py:.1f}H{x1:.1f}", stroke=st.grid_color, width=0.7)
            page.text(x0 - 5, py + st.font_size * 0.33, t, "tick", anchor="end", size=st.font_size - 1)
            ticks.append(Tick(t, v, py, page.texts[-1].box))
        scene.axes.append(
            Axis("y", "numeric", tuple(ticks), "", table.unit, "linear", *calibration(slope, icpt), 0.0, 1.0)
        )
    step = (x1 - x0) / (n if not is_line else max(1, n - 0.4))
    centre = [x0 + step * (i + 0.5) if not is_line else x0 + 8 + step * i for i in range(n)]
    scene.plot_area = (x0, top, x1, bottom)
    zero_y = min(bottom, max(top, icpt)) if not is_line else bottom
    wanted = max(text_width(c, st.font_size - 1, st.font) for c in table.categories)
    skip = is_line and table.category_kind == "time" and n > 4 and rng.random() < 0.5
    for s, name in enumerate(table.series):
        color = st.color(s)
        pts = []
        for c, cat in enumerate(table.categories):
            cell = table.values[s][c]
            if cell is None:
                continue
            v = cell
            py, label = slope * v + icpt, ""
            if is_line:
                box = (centre[c] - 3, py - 3, centre[c] + 3, py + 3)
                pts.append((centre[c], py))
                ends = c in (0, n - 1)
                if st.labels and (ends or (n <= 12 and k <= 2)):
                    label = printed(table, st, v, c == 0)
                    page.text(
                        centre[c],
                        py + st.font_size + 3 if _hollow(table, s, c) else py - 6,
                        label,
                        "value_label",
                        size=st.font_size - 1,
                        anchor="middle",
                        color=color if k > 1 else "",
                        bold=ends,
                    )
            else:
                w = step * st.band / k
                bx = centre[c] - step * st.band / 2 + s * w
                box = (bx, min(py, zero_y), bx + w - (1 if k > 1 else 0), max(py, zero_y))
                page.rect(box[0], box[1], box[2] - box[0], box[3] - box[1], color)
                if st.labels:
                    label = printed(table, st, v, c == 0)
                    if text_width(label, st.font_size - 1, st.font) > w + 8:
                        label = (
                            f"{v:,.0f}"
                            if table.decimals
                            and text_width(f"{v:,.0f}", st.font_size - 1, st.font) < w + 8
                            and abs(v) >= 10
                            else label
                        )
                    tall = box[3] - box[1] > st.font_size + 6
                    if st.label_inside and tall:
                        page.text(
                            (box[0] + box[2]) / 2,
                            (box[1] if v >= 0 else box[3] - st.font_size - 3) + st.font_size + 1,
                            label,
                            "value_label",
                            size=st.font_size - 1,
                            anchor="middle",
                            color=contrast(color),
                        )
                    else:
                        page.text(
                            (box[0] + box[2]) / 2,
                            box[1] - 4 if v >= 0 else box[3] + st.font_size,
                            label,
                            "value_label",
                            size=st.font_size - 1,
                            anchor="middle",
                        )
            scene.marks.append(Mark(name, cat, v, box, "point" if is_line else "bar", color, label))
        if is_line:
            page.path("M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in pts), stroke=color, width=2.2)
            if st.points:
                for a, b in pts:
                    page.path(
                        f"M{a - 3:.1f},{b:.1f}a3,3 0 1,0 6,0a3,3 0 1,0 -6,0",
                        fill=st.background,
                        stroke=color,
                        width=1.5,
                    )
        scene.colors[name] = color
    if is_line and k > 1 and st.direct:
        order = sorted((slope * (r[-1] or 0) + icpt, s) for s, r in enumerate(table.values))
        at = -1e9
        for py, s in order:
            at = max(py, at + st.font_size + 2)
            page.text(x1 + 4, at + st.font_size * 0.33, table.series[s], "series_label", color=st.color(s), bold=True)
    page.path(f"M{x0:.1f},{zero_y:.1f}H{x1:.1f}", stroke=st.ink, width=0.8)
    angle = 0 if wanted < step * 0.95 or skip else -45
    labels = []
    for c, cat in enumerate(table.categories):
        if skip and c not in (0, n - 1, n // 2):
            continue
        if angle == 0:
            page.text(
                centre[c],
                bottom + st.font_size + 4,
                cat,
                "category" if not cat.isdigit() else "tick",
                anchor="middle",
                size=st.font_size - 1,
            )
        else:
            page.text(
                centre[c] + 3,
                bottom + st.font_size + 2,
                cat,
                "category",
                anchor="end",
                size=st.font_size - 1,
                angle=angle,
            )
        labels.append(
            Tick(
                cat,
                float(cat) if cat.isdigit() and table.category_kind == "time" else None,
                centre[c],
                page.texts[-1].box,
            )
        )
    time = table.category_kind == "time" and labels[0].value is not None and len(labels) > 1 and table.x is not None
    a = (labels[-1].pixel - labels[0].pixel) / ((labels[-1].value or 1) - (labels[0].value or 0)) if time else 0.0
    scene.axes.append(
        Axis(
            "x",
            "time" if time else "category",
            tuple(labels),
            "",
            "",
            "linear",
            *calibration(a, labels[0].pixel - a * (labels[0].value or 0)),
            0.0,
            1.0,
        )
    )
    low = [slope * v + icpt for v in flat if v < 0] or [bottom]
    return max(
        bottom + st.font_size + 6 + (abs(math.sin(math.radians(angle))) * wanted if angle else 0),
        max(low) + st.font_size,
    )


def _hollow(table: Table, series: int, c: int) -> bool:
    """Whether a line dips at a point, so that a label above it would stand on the line."""
    row = table.values[series]
    here = row[c] or 0.0
    around = [row[k] or 0.0 for k in (c - 1, c + 1) if 0 <= k < len(row)]
    return sum(around) / len(around) > here if around else False


def pie(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    r = min(page.width * 0.3, 110.0)
    cx, cy, at = page.width / 2, y + r + 16, 0.0
    inner = r * 0.55 if scene.chart_type == "donut" else 0.0
    total = sum(abs(v or 0) for v in table.values[0])
    outside = st.direct or not st.labels
    if outside:  # names stand beside the slices and need room
        widest = max(text_width(c, st.font_size - 1, st.font) for c in table.categories)
        r = max(45.0, min(r, page.width / 2 - widest - 12))
        cy = y + r + 16
    if not outside:
        y = legend(page, table.categories, st, 8, y)
        cy = y + r + 8
    for i, c in enumerate(table.categories):
        v = float(table.values[0][i] or 0)
        a0, a1 = at, at + 2 * math.pi * v / total
        at = a1
        big = 1 if a1 - a0 > math.pi else 0

        def p(a: float, q: float) -> str:
            return f"{cx + q * math.sin(a):.2f},{cy - q * math.cos(a):.2f}"

        d = f"M{p(a0, r)}A{r},{r} 0 {big} 1 {p(a1, r)}" + (
            f"L{p(a1, inner)}A{inner},{inner} 0 {big} 0 {p(a0, inner)}Z" if inner else f"L{cx},{cy}Z"
        )
        page.path(d, fill=st.color(i), stroke=st.background, width=1.5)
        steps = [a0 + (a1 - a0) * k / 16 for k in range(17)]
        pts = [(cx + q * math.sin(a), cy - q * math.cos(a)) for a in steps for q in (r, inner)]
        box = (min(t[0] for t in pts), min(t[1] for t in pts), max(t[0] for t in pts), max(t[1] for t in pts))
        mid, label = (a0 + a1) / 2, ""
        if st.labels and a1 - a0 > 0.25:
            label = value_label(v, table, st)
            q = (r + inner) / 2 if inner else r * 0.65
            page.text(
                cx + q * math.sin(mid),
                cy - q * math.cos(mid) + 3,
                label,
                "value_label",
                anchor="middle",
                color=contrast(st.color(i)),
            )
        if outside:
            right = math.sin(mid) >= 0
            page.text(
                cx + (r + 7) * math.sin(mid),
                cy - (r + 7) * math.cos(mid) + 3,
                c,
                "category",
                anchor="start" if right else "end",
                size=st.font_size - 1,
            )
        scene.marks.append(Mark("", c, v, box, "slice", st.color(i), label))
        scene.colors[c] = st.color(i)
    scene.plot_area = (cx - r, cy - r, cx + r, cy + r)
    return cy + r + 14


def funnel(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    top = max(v or 0 for v in table.values[0])
    left = max(text_width(c, st.font_size, st.font) for c in table.categories) + 14
    room, h = page.width - left - 12, float(rng.randint(24, 38))
    start = y
    for i, c in enumerate(table.categories):
        v = float(table.values[0][i] or 0)
        w = room * v / top
        box = (left + (room - w) / 2, y, left + (room + w) / 2, y + h - 3)
        page.rect(box[0], box[1], w, h - 3, st.color(0 if len(st.palette) < 3 or st.direct else i))
        page.text(left - 6, y + h / 2 + 3, c, "category", anchor="end")
        label = value_label(v, table, st)
        wide = text_width(label, st.font_size, st.font) < w - 6
        page.text(
            left + room / 2 if wide else box[2] + 4,
            y + h / 2 + 3,
            label,
            "value_label",
            anchor="middle" if wide else "start",
            color=contrast(st.color(0 if len(st.palette) < 3 or st.direct else i)) if wide else "",
        )
        scene.marks.append(Mark("", c, v, box, "bar", st.color(0), label))
        y += h
    scene.plot_area = (left, start, page.width - 6, y)
    return y


def treemap(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    from f2teval.bench.render.layout import squarify

    w, h = page.width - 12, float(rng.randint(170, 300))
    items = sorted(((float(v or 0), c) for v, c in zip(table.values[0], table.categories)), reverse=True)
    for i, ((v, c), (x, yy, bw, bh)) in enumerate(zip(items, squarify([v for v, _ in items], 6, y, w, h))):
        page.rect(x, yy, bw, bh, st.color(i), stroke=st.background)
        label, ink = "", contrast(st.color(i))
        if text_width(c, st.font_size, st.font) < bw - 6 and bh > st.font_size * 1.4:
            page.text(x + 4, yy + st.font_size + 2, c, "category", color=ink)
        elif bh > st.font_size * 1.4:
            page.lines(x + 4, yy, c, bw - 6, "category", size=st.font_size - 2, color=ink)
        if bh > st.font_size * 2.8 and st.labels:
            label = value_label(v, table, st)
            page.text(x + 4, yy + bh - 5, label, "value_label", color=ink)
        scene.marks.append(Mark("", c, v, (x, yy, x + bw, yy + bh), "cell", st.color(i), label))
        scene.colors[c] = st.color(i)
    scene.plot_area = (6, y, 6 + w, y + h)
    return y + h


def sankey(rng: Random, page: Page, scene: Scene, table: Table, st: Style, y: float) -> float:
    total = sum(v or 0 for r in table.values for v in r)
    h, gap, node = float(rng.randint(180, 280)), 14.0, 12.0
    left = max(text_width(s, st.font_size, st.font) for s in table.series) + 14
    right = page.width - max(text_width(c, st.font_size, st.font) for c in table.categories) - 14
    unit = (h - gap * max(len(table.series), len(table.categories))) / total
    src, dst = {}, {}
    at = y + 4
    for i, s in enumerate(table.series):
        size = sum(v or 0 for v in table.values[i]) * unit
        page.rect(left, at, node, size, st.color(i))
        page.text(left - 5, at + size / 2 + 3, s, "series_label", anchor="end")
        src[s] = at
        at += size + gap
        scene.colors[s] = st.color(i)
    at = y + 4
    for c in table.categories:
        size = sum(table.at(s, c) or 0 for s in table.series) * unit
        page.rect(right - node, at, node, size, st.ink)
        page.text(right + 5, at + size / 2 + 3, c, "category")
        dst[c] = at
        at += size + gap
    mid = (left + right) / 2
    for i, s in enumerate(table.series):
        for c in table.categories:
            v = float(table.at(s, c) or 0)
            w, a, b = v * unit, src[s], dst[c]
            xa, xb = left + node, right - node
            page.path(
                f"M{xa:.1f},{a:.1f}C{mid:.1f},{a:.1f} {mid:.1f},{b:.1f} {xb:.1f},{b:.1f}V{b + w:.1f}"
                f"C{mid:.1f},{b + w:.1f} {mid:.1f},{a + w:.1f} {xa:.1f},{a + w:.1f}Z",
                fill=st.color(i),
                opacity=0.4,
            )
            label = ""
            if st.labels and w > st.font_size * 0.9:
                label = value_label(v, table, st)
                page.text(xa + 5, a + w / 2 + 3, label, "value_label", size=st.font_size - 1)
            scene.marks.append(Mark(s, c, v, (xa, min(a, b), xb, max(a, b) + w), "link", st.color(i), label))
            src[s] += w
            dst[c] += w
    scene.plot_area = (left, y, right, y + h)
    return y + h
