"""Legend samples: small blobs in a mark's colour in front of words, wherever OCR drew the words' boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import Palette
from f2teval.figure.labelled.geometry import height, width
from f2teval.score import Box


@dataclass(frozen=True, slots=True)
class Sample:
    """A colour sample: its box, the palette entry it shows."""

    box: Box
    colour: int


def find_samples(
    rgb: NDArray[np.uint8],
    palette: Palette,
    texts: Sequence[Box],
    inks: Sequence[NDArray[np.float64] | None],
    colours: Iterable[int],
) -> list[Sample]:
    """Blobs of the given palette colours, about a letter high and roughly square, inside or just left of texts.

    ``colours`` are those marks are drawn in; small samples are blurred, so nearness is judged loosely.
    """
    wanted = sorted(set(colours))
    if not wanted:
        return []
    back = palette.colours[0]
    wanted = [k for k in wanted if np.linalg.norm(palette.colours[k] - back) >= 30]
    if not wanted:
        return []
    nearest = _nearest(rgb, palette.colours[wanted])
    out: list[Sample] = []
    h, w = rgb.shape[:2]
    for t, ink in zip(texts, inks):
        th = height(t)
        if th < 5 or th > 80 or width(t) > 0.98 * w:
            continue
        x0, x1 = max(0, int(t[0] - 1.7 * th)), min(w, int(t[2]) + 1)
        y0, y1 = max(0, int(t[1] - 0.35 * th)), min(h, int(t[3] + 0.35 * th) + 1)
        near = nearest[y0:y1, x0:x1]
        counts = np.bincount(near.ravel(), minlength=256)
        if not counts[:255].any():
            continue
        crop = rgb[y0:y1, x0:x1].astype(np.float32)
        for k, entry in enumerate(wanted):
            if counts[k] < max(8, 0.05 * th * th):
                continue
            mask = (near == k).astype(np.uint8)
            alike = ink is not None and float(np.linalg.norm(ink - palette.colours[entry])) < 60
            n, _labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
            for i in range(1, n):
                bx, by, bw, bh, area = (int(v) for v in stats[i])
                if not 0.55 <= bw / bh <= 1.8 or not 0.25 * th <= max(bw, bh) <= 1.6 * th or min(bw, bh) < 3:
                    continue
                if area < 0.68 * bw * bh:
                    continue
                rows = crop[by : by + bh]
                # Text in the same colour: only what stands clear before it can be a sample.
                if alike and (bx + bw + x0 > t[0] + 0.15 * th or not _clear(rows, bx + bw, int(0.2 * th) + 1)):
                    continue
                if bx > 2 and not _clear(rows, bx - 2, 1):
                    continue
                box = (float(x0 + bx), float(y0 + by), float(x0 + bx + bw), float(y0 + by + bh))
                if not any(abs(s.box[0] - box[0]) < 3 and abs(s.box[1] - box[1]) < 3 for s in out):
                    out.append(Sample(box, entry))
    return out


def _nearest(rgb: NDArray[np.uint8], tints: NDArray[np.float32]) -> NDArray[np.uint8]:
    """(H, W) index of the tint each pixel is near to, 255 for none; colours are told apart in steps of 8."""
    q = (rgb >> 3).astype(np.int32)
    code = (q[..., 0] << 10) | (q[..., 1] << 5) | q[..., 2]
    seen = np.flatnonzero(np.bincount(code.ravel(), minlength=1 << 15))
    shade = np.stack([seen >> 10, (seen >> 5) & 31, seen & 31], axis=1).astype(np.float32) * 8 + 3.5
    d = np.linalg.norm(shade[:, None] - tints[None], axis=2)
    table = np.full(1 << 15, 255, np.uint8)
    table[seen] = np.where(d.min(1) < 48, d.argmin(1), 255)
    return np.asarray(table[code])


def _clear(crop: NDArray[np.float32], x: int, n: int) -> bool:
    """Are ``n`` columns from ``x`` free of ink (each uniform from top to bottom)?"""
    x = max(0, x)
    cols = crop[:, x : x + n].mean(2)
    return cols.size == 0 or bool((np.ptp(cols, axis=0) < 90).all())
