"""Text of a picture: detection once, then each line cropped along its own direction and recognised.

The detector (PP-OCR through ``rapidocr``; its models ship in the wheel, nothing is downloaded) already outlines turned
text; plain use loses it because a tall crop is turned the wrong way round and dense slanted labels melt together. So:
upright, slanted (by the outline's own angle) and vertical lines (both ways tried on a few of a group, the better
kept) are cropped separately, and where labels of a slanted or vertical row are missing the row is detected again,
turned.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from f2teval.figure import rows, turned
from f2teval.figure.load import Rgb
from f2teval.figure.reading import TextBox

OCR_VERSION = "1"

Quad = npt.NDArray[np.float32]
"""Four corners ``(4, 2)`` in reading order: start-top, end-top, end-bottom, start-bottom."""

TARGET_PIXELS = 1_000_000
"""Pictures are enlarged to about this many pixels (at most twice) before detection, and never shrunk below it."""

MAX_DETECT_PIXELS = 2_500_000
MIN_CONFIDENCE = 0.45
_BATCH = 8
_LINE_HEIGHT = 48  # what the recognition model was trained on
_MIN_WIDTH = 64


class Line(NamedTuple):
    """A recognised crop: text, mean character confidence, and each character's centre along the crop in 0–1.

    ``latin`` is the best reading without Chinese, Japanese and Korean characters where the best one has some.
    """

    text: str
    confidence: float
    centres: tuple[float, ...]
    latin: Line | None = None


@dataclass(slots=True)
class _Engine:
    detector: Any
    session: Any
    characters: list[str]
    cjk: npt.NDArray[np.bool_]


_engine: _Engine | None = None
_lock = threading.Lock()


def threads() -> int:
    """Threads for one picture: ``OMP_NUM_THREADS`` if set, else the cores this process may use, at most 4."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(1, min(4, cores))


def _get_engine() -> _Engine:
    """One engine a process, built at first use."""
    global _engine
    with _lock:
        if _engine is None:
            import cv2
            from rapidocr import RapidOCR

            cv2.setNumThreads(threads())
            ocr: Any = RapidOCR(
                params={
                    "Global.log_level": "critical",
                    "Global.use_cls": False,
                    "EngineConfig.onnxruntime.intra_op_num_threads": threads(),
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                    "EngineConfig.onnxruntime.enable_cpu_mem_arena": True,
                    "Det.limit_side_len": 32,  # the scale is chosen here, not there
                    "Det.limit_type": "min",
                }
            )
            recogniser = ocr._load_rec_model()
            characters = list(recogniser.postprocess_op.character)
            cjk = np.array([any(map(_is_cjk, c)) and len(c) == 1 for c in characters])
            _engine = _Engine(ocr._load_det_model(), recogniser.session, characters, cjk)
        return _engine


def scale_for(width: int, height: int) -> float:
    """Enlargement used before detection: small pictures up to 2x, huge ones shrunk to ``MAX_DETECT_PIXELS``."""
    area = float(width * height)
    if area > MAX_DETECT_PIXELS:
        return float((MAX_DETECT_PIXELS / area) ** 0.5)
    return float(min(2.0, max(1.0, (TARGET_PIXELS / area) ** 0.5)))


def detect(rgb: Rgb, scale: float) -> list[Quad]:
    """Outlines of text lines in original pixels, in reading order of the outline (see :data:`Quad`)."""
    import cv2

    interpolation = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    picture = rgb if scale == 1 else cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=interpolation)
    found = _get_engine().detector(np.ascontiguousarray(picture[:, :, ::-1]))
    if found.boxes is None:
        return []
    return [turned.reading_order(np.asarray(q, dtype=np.float32) / scale) for q in found.boxes]


def recognise(rgb: Rgb, quads: list[Quad]) -> list[Line]:
    """Text of each outline, in order. Nearly plain crops (a bar's face) come back empty without being run."""
    engine = _get_engine()
    crops = [turned.crop(rgb, q, _LINE_HEIGHT) for q in quads]
    order = sorted((i for i, c in enumerate(crops) if _has_ink(c)), key=lambda i: crops[i].shape[1])
    lines = [Line("", 0.0, ())] * len(quads)
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        width = max(_MIN_WIDTH, max(crops[i].shape[1] for i in batch))
        x = np.zeros((len(batch), 3, _LINE_HEIGHT, width), dtype=np.float32)
        for row, i in enumerate(batch):
            bgr = crops[i][:, :, ::-1].astype(np.float32)
            x[row, :, :, : bgr.shape[1]] = bgr.transpose(2, 0, 1) / 127.5 - 1
        scores = engine.session(x)
        for row, i in enumerate(batch):
            lines[i] = _decode(scores[row], engine.characters, crops[i].shape[1] / width, engine.cjk)
    return lines


def _has_ink(crop: Rgb) -> bool:
    return crop.size > 0 and float(crop.astype(np.float32).std(axis=(0, 1)).max()) > 4


def _is_cjk(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" or "\uff00" <= char <= "\uffef"


def _decode(scores: np.ndarray, characters: list[str], used: float, cjk: npt.NDArray[np.bool_]) -> Line:
    """Greedy CTC decoding: repeats merged, blanks dropped, positions kept."""
    line = _greedy(scores, characters, used)
    if any(map(_is_cjk, line.text)):
        return line._replace(latin=_greedy(np.where(cjk[None, :], 0.0, scores), characters, used))
    return line


def _greedy(scores: np.ndarray, characters: list[str], used: float) -> Line:
    best = scores.argmax(axis=1)
    keep = (best != 0) & np.concatenate([[True], best[1:] != best[:-1]])
    at = np.flatnonzero(keep)
    if not len(at):
        return Line("", 0.0, ())
    text = "".join(characters[best[t]] for t in at)
    centres = tuple(float(c) for c in np.minimum((at + 0.5) / len(best) / max(used, 1e-6), 1.0))
    return Line(text, float(scores[at, best[at]].mean()), centres)


def _one_script(lines: list[Line]) -> list[Line]:
    """In a figure that is not written in Chinese, Japanese or Korean a stray such character is a misread Latin one."""
    text = "".join(line.text for line in lines)
    if sum(map(_is_cjk, text)) > 0.2 * len(text):
        return lines
    return [line.latin if line.latin is not None else line for line in lines]


def read_text(rgb: Rgb) -> list[TextBox]:
    """All text of a picture, upright or turned.

    Args:
        rgb: ``(H, W, 3)`` uint8.

    Returns:
        Boxes in original pixels from top to bottom, roles not yet assigned; ``angle`` is the reading direction in
        degrees clockwise (−90: from bottom to top).
    """
    height, width = rgb.shape[:2]
    if min(height, width) < 8:
        return []
    scale = scale_for(width, height)
    quads = detect(rgb, scale)
    quads = _retake_torn(rgb, quads, scale)
    quads = rows.complete(rgb, rows.join_pieces(quads))
    quads, known = _settle_vertical(rgb, quads)
    todo = [i for i in range(len(quads)) if i not in known]
    known.update(zip(todo, recognise(rgb, [quads[i] for i in todo])))
    lines = _one_script([known[i] for i in range(len(quads))])
    boxes: list[TextBox] = []
    for quad, line in zip(quads, lines):
        if line.confidence < MIN_CONFIDENCE or not line.text.strip():
            continue
        if len(line.text.strip()) <= 2 and turned.length(quad) > 2.6 * len(line.text.strip()) * turned.thickness(quad):
            continue  # a bar or a rule taken for a letter
        boxes.extend(_split(quad, line))
    return sorted(boxes, key=lambda b: (round((b.box[1] + b.box[3]) / 16), b.box[0]))


def read_plain(rgb: Rgb) -> list[TextBox]:
    """Plain OCR with the same engine and scale: detection and recognition, nothing looked for twice, nothing split.

    What reading a figure costs at the very least; :func:`read_text` is measured against it.
    """
    height, width = rgb.shape[:2]
    quads = detect(rgb, scale_for(width, height))
    lines = zip(quads, recognise(rgb, quads))
    return [TextBox(x.text, turned.bounds(q), round(x.confidence, 3), "other", turned.angle(q)) for q, x in lines]


def _retake_torn(rgb: Rgb, quads: list[Quad], scale: float) -> list[Quad]:
    """Detect slanted labels again, turned upright, where the first pass left many of their letters outside."""
    for row in rows.torn_rows(rgb, quads)[:1]:
        patch, back = rows.upright_patch(rgb, row)
        limit = (1.5 * MAX_DETECT_PIXELS / max(1, patch.shape[0] * patch.shape[1])) ** 0.5
        again = [q for q in detect(patch, min(scale, limit)) if turned.angle(q) == 0]
        again = [turned.map_quad(q, back) for q in again]
        if len(again) < len(row.members):
            continue
        rest = [q for i, q in enumerate(quads) if i not in row.members]
        other = [q for q in rest if not turned.same_direction(q, row.angle)]
        new = [a for a in again if not any(turned.inside(a, q) or turned.inside(q, a) for q in other)]
        quads = [q for q in rest if not any(turned.inside(q, a) for a in new)] + new
    return quads


def _settle_vertical(rgb: Rgb, quads: list[Quad]) -> tuple[list[Quad], dict[int, Line]]:
    """Turn vertical lines the way they read, upwards or downwards, a group at a time; also what was read on the way.

    The longest two of a group are read upwards; where that is not plainly text, downwards as well.
    """
    quads = list(quads)
    groups = rows.vertical_groups(quads)
    trial = [sorted(g, key=lambda i: -turned.length(quads[i]))[:2] for g in groups]
    flat = [i for t in trial for i in t]
    up = dict(zip(flat, recognise(rgb, [quads[i] for i in flat])))
    doubtful = [i for t in trial for i in t if not all(_plain_words(up[j]) for j in t)]
    down = dict(zip(doubtful, recognise(rgb, [turned.flip(quads[i]) for i in doubtful])))
    known: dict[int, Line] = {}
    for group, tried in zip(groups, trial):
        if all(i in down for i in tried) and sum(_plausible(down[i]) for i in tried) > sum(
            _plausible(up[i]) for i in tried
        ):
            for i in group:
                quads[i] = turned.flip(quads[i])
            known.update({i: down[i] for i in tried})
        else:
            known.update({i: up[i] for i in tried})
    return quads, known


def _plain_words(line: Line) -> bool:
    letters = sum(c.isalpha() for c in line.text)
    return line.confidence > 0.95 and letters >= 4 and letters > 0.6 * len(line.text)


def _plausible(line: Line) -> float:
    """How much a line looks like text the right way up; digits survive turning, so years count extra."""
    text = line.text.strip()
    score = line.confidence * min(len(text), 12)
    if text.isdigit() and len(text) == 4:
        score += 2.0 if text[:2] in ("19", "20") else -1.0
    elif text[:1] == "0" and text.isdigit() and len(text) > 1:
        score -= 1.0
    return score


def _split(quad: Quad, line: Line) -> list[TextBox]:
    """One box a line, except where several labels of a row were outlined as one: these are cut apart."""
    pieces = turned.cut_points(line.text, line.centres, turned.length(quad), turned.thickness(quad))
    whole = TextBox(line.text.strip(), turned.bounds(quad), round(line.confidence, 3), "other", turned.angle(quad))
    if len(pieces) < 2:
        return [whole]
    out = []
    for text, start, end in pieces:
        part = turned.slice_quad(quad, start, end)
        out.append(replace(whole, text=text, box=turned.bounds(part)))
    return out
