"""Pies and donuts: each slice's share of the disc, named by legend or by the label nearest along its direction."""

from __future__ import annotations

import re

import numpy as np

from f2teval.figure.color import color_name
from f2teval.figure.layout import Plot
from f2teval.figure.marks import Layer
from f2teval.figure.reading import Cell, Series, TextBox
from f2teval.figure.table import Table, tidy


def find_disc(layers: list[Layer]) -> tuple[float, float, float, bool] | None:
    """Centre, radius and whether there is a hole, when the layers together fill a disc or a ring; else ``None``."""
    import cv2

    if len(layers) < 2:
        return None
    union = np.zeros(layers[0].mask.shape, dtype=np.uint8)
    for layer in layers:
        union |= layer.mask.astype(np.uint8)
    closed = cv2.morphologyEx(union, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    if count < 2:
        return None
    k = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    x, y, w, h, area = (int(v) for v in stats[k])
    if min(w, h) < 40 or not 0.9 < w / h < 1.1:
        return None
    cx, cy, r = x + (w - 1) / 2, y + (h - 1) / 2, (w + h) / 4
    ring = [
        (int(cx + 0.93 * r * np.cos(t)), int(cy + 0.93 * r * np.sin(t))) for t in np.linspace(0, 2 * np.pi, 120, False)
    ]
    around = np.mean([labels[py, px] == k for px, py in ring])
    corners = [(int(cx + 1.12 * r * a), int(cy + 1.12 * r * b)) for a in (-0.75, 0.75) for b in (-0.75, 0.75)]
    inside = [0 <= py < labels.shape[0] and 0 <= px < labels.shape[1] and labels[py, px] == k for px, py in corners]
    if around < 0.88 or any(inside):
        return None
    hole = labels[int(cy), int(cx)] != k and area < 0.9 * np.pi * r * r
    if not hole and not 0.85 < area / (np.pi * r * r) < 1.05:
        return None
    return cx, cy, r, bool(hole)


def pie_table(layers: list[Layer], boxes: list[TextBox], used: set[int], plot: Plot) -> Table | None:
    """Shares in percent, measured round the ring; ``None`` when the layers make no disc."""
    from scipy.optimize import linear_sum_assignment

    disc = find_disc(layers)
    if disc is None:
        return None
    cx, cy, r, hole = disc
    ys, xs = np.mgrid[0 : layers[0].mask.shape[0], 0 : layers[0].mask.shape[1]]
    far = np.hypot(xs - cx, ys - cy)
    band = (far < 0.95 * r) & (far > (0.75 if hole else 0.3) * r)
    counts = np.array([int((x.mask & band).sum()) for x in layers], dtype=float)
    kept = [i for i in range(len(layers)) if counts[i] > 0.004 * counts.sum()]
    total = float(counts[kept].sum())
    middles = []
    for i in kept:
        py, px = np.nonzero(layers[i].mask & band)
        middles.append(float(np.arctan2((py - cy).mean(), (px - cx).mean())))
    names = [layers[i].name for i in kept]
    if not all(names):
        words = [t for t, b in enumerate(boxes) if t not in used and re.search(r"[A-Za-z]{2}", b.text)]
        spots = [((boxes[t].box[0] + boxes[t].box[2]) / 2, (boxes[t].box[1] + boxes[t].box[3]) / 2) for t in words]
        cost = np.full((len(kept), len(words)), 99.0)
        for a, m in enumerate(middles):
            for b, (x, y) in enumerate(spots):
                reach = float(np.hypot(x - cx, y - cy)) / r
                if not names[a] and 0.4 < reach < 2.2:
                    turn = abs((np.arctan2(y - cy, x - cx) - m + np.pi) % (2 * np.pi) - np.pi)
                    cost[a, b] = turn + 0.2 * max(0.0, reach - 1.2)
        if words:
            for a, b in zip(*linear_sum_assignment(cost)):
                if cost[a, b] < 0.6:
                    names[a] = re.sub(r"[\s,:;]*\(?\d[\d.,]*\s?%?\)?$", "", boxes[words[b]].text).strip()
    shares = [100 * float(counts[i]) / total for i in kept]
    printed = _printed_shares(shares, middles, boxes, (cx, cy))
    cells = []
    order = sorted(range(len(kept)), key=lambda a: (middles[a] + np.pi / 2) % (2 * np.pi))
    for a in order:
        layer = layers[kept[a]]
        share = shares[a]
        name = names[a] or color_name(layer.color)
        x, y = cx + 0.65 * r * np.cos(middles[a]), cy + 0.65 * r * np.sin(middles[a])
        sure = 0.85 if names[a] else 0.5
        t = printed.get(a)
        if t is not None:
            value, half = _percent(boxes[t].text)
            cells.append(Cell("", name, value, None, "label", half, round(sure + 0.08, 3), boxes[t].box, boxes[t].text))
            continue
        box = (float(x - 8), float(y - 8), float(x + 8), float(y + 8))
        cells.append(Cell("", name, tidy(share, 0.7), None, "measured", 0.7, sure, box))
    return Table(cells, [Series("")], [c.category for c in cells], "category", "donut" if hole else "pie", 0.9)


_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.(\d{1,3}))?)\s?%")


def _percent(text: str) -> tuple[float, float]:
    """A printed share and half its last digit."""
    m = _PERCENT.search(text)
    if m is None:
        return float("nan"), float("inf")
    return float(m[1]), 0.5 * 10.0 ** -len(m[2] or "")


def _printed_shares(
    shares: list[float], middles: list[float], boxes: list[TextBox], centre: tuple[float, float]
) -> dict[int, int]:
    """Percentages printed in or beside slices, by slice: those that say what the slice measures, in its direction."""
    from scipy.optimize import linear_sum_assignment

    texts = [t for t, b in enumerate(boxes) if len(b.text) <= 60 and _PERCENT.search(b.text)]
    if not texts:
        return {}
    cost = np.full((len(shares), len(texts)), 99.0)
    for a, (share, middle) in enumerate(zip(shares, middles)):
        for b, t in enumerate(texts):
            x0, y0, x1, y1 = boxes[t].box
            aim = np.arctan2((y0 + y1) / 2 - centre[1], (x0 + x1) / 2 - centre[0])
            turn = abs((aim - middle + np.pi) % (2 * np.pi) - np.pi)
            off = abs(_percent(boxes[t].text)[0] - share)
            if off <= 1.5 and turn < max(0.35, np.pi * share / 100):
                cost[a, b] = off + turn
    return {int(a): texts[b] for a, b in zip(*linear_sum_assignment(cost)) if cost[a, b] < 99}
