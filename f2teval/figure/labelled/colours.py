"""Flat colours: the few colours a drawn graphic is made of, where each lies, and what they are called."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from f2teval.score import Box

Rgb = tuple[int, int, int]
_BITS = 4  # of 8 dropped before counting: 16 levels a channel
_NONE = 255


@dataclass(frozen=True, slots=True)
class Palette:
    """The picture's flat colours.

    Attributes:
        colours: (K, 3) mean colour of each entry, most frequent first; entry 0 is the background.
        index: (H, W) uint8, the entry each pixel belongs to, 255 where none is near (antialiased edges).
    """

    colours: NDArray[np.float32]
    index: NDArray[np.uint8]


def flat_palette(rgb: NDArray[np.uint8], most: int = 28, near: float = 30.0) -> Palette:
    """Find the flat colours of a picture (H, W, 3): frequent bins of a colour histogram, none closer than ``near``.

    Each pixel goes to its nearest entry if that is within ``near`` (Euclidean, 0–255 channels).
    """
    q = (rgb >> _BITS).astype(np.int32)
    code = (q[..., 0] << 8) | (q[..., 1] << 4) | q[..., 2]
    flat = code.ravel()
    counts = np.bincount(flat, minlength=4096)
    order = np.argsort(-counts)
    least = max(24, int(0.00025 * flat.size))
    used = order[: int((counts[order] >= least).sum())][:160]
    means = np.zeros((4096, 3))
    for c in range(3):
        means[:, c] = np.bincount(flat, weights=rgb[..., c].ravel(), minlength=4096) / np.maximum(counts, 1)
    chosen: list[NDArray[np.float64]] = []
    for b in used:
        if all(np.linalg.norm(means[b] - k) >= near * 0.8 for k in chosen):
            chosen.append(means[b])
        if len(chosen) >= most:
            break
    if not chosen:
        chosen = [means[order[0]]]
    colours = np.array(chosen)
    nearest = np.full(4096, _NONE, np.uint8)
    seen = np.flatnonzero(counts)
    d = np.linalg.norm(means[seen][:, None, :] - colours[None], axis=2)
    best = d.argmin(1)
    nearest[seen] = np.where(d[np.arange(len(seen)), best] <= near, best, _NONE)
    return Palette(colours.astype(np.float32), nearest[code])


def hex_of(c: NDArray[np.floating] | Rgb) -> str:
    """``#rrggbb``."""
    r, g, b = (round(float(v)) for v in c)
    return f"#{r:02x}{g:02x}{b:02x}"


def name_of(c: NDArray[np.floating] | Rgb) -> str:
    """A plain English colour name, with "light" or "dark" where it helps to tell shades apart."""
    r, g, b = (float(v) / 255 for v in c)
    h, light, _s = colorsys.rgb_to_hls(r, g, b)
    chroma = max(r, g, b) - min(r, g, b)
    if chroma < 0.09:
        for limit, name in ((0.14, "black"), (0.42, "dark gray"), (0.72, "gray"), (0.93, "light gray")):
            if light < limit:
                return name
        return "white"
    deg = h * 360
    hues = ((14, "red"), (40, "orange"), (66, "yellow"), (165, "green"), (195, "teal"), (255, "blue"),
            (290, "purple"), (340, "pink"), (361, "red"))  # fmt: skip
    hue = next(n for limit, n in hues if deg < limit)
    if hue == "orange" and light < 0.42:
        hue = "brown"
    if hue == "yellow" and light < 0.3:
        hue = "olive"
    prefix = "dark " if light < 0.27 else "light " if light > 0.72 else ""
    return prefix + hue


def text_colour(rgb: NDArray[np.uint8], box: Box) -> NDArray[np.float64] | None:
    """Colour of the ink inside a text box: the pixels farthest from the box's own most frequent colour."""
    crop = _crop(rgb, box)
    if crop.size == 0 or crop.shape[0] < 3 or crop.shape[1] < 2:
        return None
    if crop.shape[0] * crop.shape[1] > 3000:
        crop = crop[:, ::2]
    flat = crop.reshape(-1, 3)
    q = (flat >> 4).astype(np.int32)
    code = (q[:, 0] << 8) | (q[:, 1] << 4) | q[:, 2]
    back = flat[code == np.bincount(code).argmax()].mean(0)
    off = flat.astype(np.float32) - back.astype(np.float32)
    d = np.einsum("ij,ij->i", off, off)
    top = float(d.max())
    if top < 40.0**2:
        return None
    return np.asarray(np.median(flat[d >= 0.64 * top], axis=0))


def _crop(rgb: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    h, w = rgb.shape[:2]
    x0, y0 = max(0, int(box[0])), max(0, int(box[1]))
    x1, y1 = min(w, int(np.ceil(box[2]))), min(h, int(np.ceil(box[3])))
    return rgb[y0:y1, x0:x1]


def ink_columns(rgb: NDArray[np.uint8], box: Box) -> NDArray[np.bool_]:
    """Which pixel columns of a box hold ink: columns that vary from top to bottom.

    Works on coloured marks too, where a plain threshold would not: a bar is uniform down a column, a glyph is not.
    """
    crop = _crop(rgb, box).astype(np.float32)
    if crop.size == 0:
        return np.zeros(0, bool)
    grey = crop.mean(2)
    # The middle of the box: rows above and below may touch the edge of a bar.
    pad = max(1, int(0.15 * grey.shape[0]))
    mid = grey[pad:-pad] if grey.shape[0] > 4 * pad else grey
    return np.asarray(mid.max(0) - mid.min(0) > 45)
