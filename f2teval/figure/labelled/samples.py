"""Legend samples: small blobs in a mark's colour in front of words, wherever OCR drew the words' boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from f2teval.figure.labelled.colours import Palette, text_colour
from f2teval.figure.labelled.geometry import height, width
from f2teval.score import Box


@dataclass(frozen=True, slots=True)
class Sample:
    """A colour sample: its box, the palette entry it shows."""

    box: Box
    colour: int


def find_samples(
    rgb: NDArray[np.uint8], palette: Palette, texts: Sequence[Box], colours: Iterable[int]
) -> list[Sample]:
    """Blobs of the given palette colours, about a letter high and roughly square, inside or just left of texts.

    ``colours`` are those marks are drawn in; small samples are blurred, so nearness is judged loosely.
    """
    wanted = sorted(set(colours))
    if not wanted:
        return []
    tint = palette.colours[wanted].astype(np.float32)
    back = palette.colours[0]
    out: list[Sample] = []
    h, w = rgb.shape[:2]
    for t in texts:
        th = height(t)
        if th < 5 or th > 80 or width(t) > 0.98 * w:
            continue
        x0, x1 = max(0, int(t[0] - 1.7 * th)), min(w, int(t[2]) + 1)
        y0, y1 = max(0, int(t[1] - 0.35 * th)), min(h, int(t[3] + 0.35 * th) + 1)
        crop = rgb[y0:y1, x0:x1].astype(np.float32)
        if crop.size == 0:
            continue
        d = np.linalg.norm(crop[:, :, None, :] - tint, axis=3)
        best = d.argmin(2)
        near = d.min(2) < 48
        if not near.any():
            continue
        ink = text_colour(rgb, t)
        for k, entry in enumerate(wanted):
            if np.linalg.norm(palette.colours[entry] - back) < 30:
                continue
            mask = (near & (best == k)).astype(np.uint8)
            if int(mask.sum()) < max(8, 0.05 * th * th):
                continue
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


def _clear(crop: NDArray[np.float32], x: int, n: int) -> bool:
    """Are ``n`` columns from ``x`` free of ink (each uniform from top to bottom)?"""
    x = max(0, x)
    cols = crop[:, x : x + n].mean(2)
    return cols.size == 0 or bool((np.ptp(cols, axis=0) < 90).all())
