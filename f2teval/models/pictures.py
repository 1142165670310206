"""Pictures as the encoder wants them: resized, cut or padded to a square, normalised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from f2teval.errors import CheckpointError, UsageError

Fit = Literal["crop", "pad", "squash"]
FITS: Final[tuple[str, ...]] = ("crop", "pad", "squash")
_WHITE = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class PictureSpec:
    """How a picture becomes an input.

    Attributes:
        size: side of the square in pixels.
        fit: "crop" the middle of the resized picture (what CLIP does, and so the paper), "pad" the whole picture with
            white, or "squash" it to a square (SigLIP).
        resample: Pillow's filter (2 bilinear, 3 bicubic).
        mean, std: a channel each, of values in [0, 1].
    """

    size: int = 224
    fit: Fit = "crop"
    resample: int = 3
    mean: tuple[float, float, float] = (0.48145466, 0.4578275, 0.40821073)
    std: tuple[float, float, float] = (0.26862954, 0.26130258, 0.27577711)

    def __post_init__(self) -> None:
        if self.fit not in FITS:
            raise UsageError(f"a picture is fitted by {', '.join(FITS)}; not {self.fit!r}")

    @classmethod
    def from_processor(cls, config: Mapping[str, Any], size: int) -> PictureSpec:
        """From a Hugging Face ``preprocessor_config.json`` for an encoder that takes pictures of side ``size``.

        Raises :class:`CheckpointError` where the two do not fit.
        """
        default = cls()
        if not config.get("do_normalize", True) or not config.get("do_rescale", True):
            raise CheckpointError("this encoder's picture processor does not normalise; it is not one we can follow")
        given = config.get("crop_size") if config.get("do_center_crop", False) else config.get("size")
        side = given.get("height", given.get("shortest_edge")) if isinstance(given, Mapping) else given
        if side is not None and int(side) != size:
            raise CheckpointError(f"the picture processor gives {side} pixels, the encoder takes {size}")
        mean, std = config.get("image_mean") or default.mean, config.get("image_std") or default.std
        return cls(
            size=size,
            fit="crop" if config.get("do_center_crop", False) else "squash",
            resample=int(config.get("resample", default.resample)),
            mean=(float(mean[0]), float(mean[1]), float(mean[2])),
            std=(float(std[0]), float(std[1]), float(std[2])),
        )


class Prepared(NamedTuple):
    """``square`` is ``(S, S, 3)`` uint8; ``lost`` the share of the picture's area that was cut off."""

    square: npt.NDArray[np.uint8]
    lost: float


def fit_square(rgb: npt.NDArray[np.uint8], spec: PictureSpec) -> Prepared:
    """A picture ``(H, W, 3)`` as a square of ``spec.size``."""
    picture = Image.fromarray(rgb)
    size, (width, height) = spec.size, picture.size
    filter_ = Image.Resampling(spec.resample)
    if spec.fit == "squash":
        return Prepared(np.asarray(picture.resize((size, size), filter_)), 0.0)
    if spec.fit == "pad":
        scale = size / max(width, height)
        inner = (max(1, round(width * scale)), max(1, round(height * scale)))
        canvas = Image.new("RGB", (size, size), _WHITE)
        canvas.paste(picture.resize(inner, filter_), ((size - inner[0]) // 2, (size - inner[1]) // 2))
        return Prepared(np.asarray(canvas), 0.0)
    short = min(width, height)
    # The part outside the middle square is never computed on very long pictures: it would only be cut off.
    outer = (size, int(size * height / short)) if width <= height else (int(size * width / short), size)
    left, top = (outer[0] - size) // 2, (outer[1] - size) // 2
    if max(outer) > 16 * size:
        span = short / size
        box = (left * span, top * span, (left + size) * span, (top + size) * span)
        square = picture.resize((size, size), filter_, box=box)
    else:
        square = picture.resize(outer, filter_).crop((left, top, left + size, top + size))
    return Prepared(np.asarray(square), 1.0 - size * size / (outer[0] * outer[1]))


def normalise(squares: npt.NDArray[np.uint8], spec: PictureSpec) -> npt.NDArray[np.float32]:
    """``(B, S, S, 3)`` uint8 → ``(B, 3, S, S)`` float32."""
    mean = np.asarray(spec.mean, dtype=np.float32)
    std = np.asarray(spec.std, dtype=np.float32)
    scaled = (squares.astype(np.float32) * np.float32(1 / 255) - mean) / std
    return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))
