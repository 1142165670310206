"""Colours: names for people, distances for machines, and the ground a chart is drawn on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Color = tuple[int, int, int]


def hex_color(color: Color) -> str:
    """``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def distance(a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Perceived distance of colours (last axis RGB), by the "redmean" weighting; 0–765, about 30 is clearly visible."""
    x, y = np.asarray(a, dtype=np.float32), np.asarray(b, dtype=np.float32)
    d = x - y
    r = (x[..., 0] + y[..., 0]) / 2
    out = np.sqrt((2 + r / 256) * d[..., 0] ** 2 + 4 * d[..., 1] ** 2 + (2 + (255 - r) / 256) * d[..., 2] ** 2)
    return np.asarray(out, dtype=np.float32)


def saturation(color: Color) -> float:
    """Chroma in 0–1: the spread of the channels."""
    return (max(color) - min(color)) / 255


def mode_color(pixels: npt.NDArray[np.uint8]) -> Color:
    """The most frequent colour of ``(..., 3)`` pixels (to within 8 levels, then exactly within that bin)."""
    flat = pixels.reshape(-1, 3)
    if len(flat) == 0:
        return (255, 255, 255)
    coarse = (flat >> 3).astype(np.int32)
    keys = (coarse[:, 0] << 10) | (coarse[:, 1] << 5) | coarse[:, 2]
    top = np.bincount(keys, minlength=1 << 15).argmax()
    chosen = flat[keys == top]
    r, g, b = np.median(chosen, axis=0)
    return (int(r), int(g), int(b))


_NAMES: tuple[tuple[str, Color], ...] = (
    ("black", (0, 0, 0)), ("white", (255, 255, 255)), ("gray", (128, 128, 128)), ("light gray", (200, 200, 200)),
    ("dark gray", (70, 70, 70)), ("red", (215, 35, 35)), ("dark red", (130, 15, 20)), ("orange", (245, 140, 25)),
    ("gold", (230, 180, 40)), ("yellow", (250, 225, 50)), ("olive", (130, 130, 30)), ("green", (45, 150, 55)),
    ("light green", (145, 205, 125)), ("dark green", (15, 85, 40)), ("teal", (20, 135, 135)), ("cyan", (40, 195, 220)),
    ("light blue", (150, 195, 230)), ("blue", (40, 100, 200)), ("dark blue", (15, 45, 110)), ("purple", (120, 60, 160)),
    ("light purple", (185, 160, 215)), ("magenta", (215, 45, 170)), ("pink", (245, 160, 190)), ("brown", (135, 80, 45)),
    ("tan", (215, 185, 140)), ("beige", (238, 225, 195)), ("maroon", (110, 25, 55)),
)  # fmt: skip


def color_name(color: Color) -> str:
    """The nearest plain colour name."""
    table = np.array([c for _, c in _NAMES], dtype=np.float32)
    return _NAMES[int(distance(table, np.array(color, dtype=np.float32)).argmin())][0]
