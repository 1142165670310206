"""Rated samples ready for training: checked ratings, figures split apart, batches without repeated work."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from f2teval.data import BadRow
from f2teval.errors import F2TEvalError, ImageError, InputError, RatingsError, TrainingError
from f2teval.figure.load import content_key, load_image
from f2teval.models.encoder import Encoder, pad_windows
from f2teval.models.moe import Features
from f2teval.models.pictures import PictureSpec, fit_square, normalise
from f2teval.models.windows import TextCodec, TextIds, context_text
from f2teval.rubric import DIMENSION_NAMES, SCALE_MAX, SCALE_MIN
from f2teval.sample import Sample
from f2teval.training.config import TrainConfig

SPLITS: Final = ("train", "val", "test")
_SQUARES: Final = 2048
"""Fitted pictures kept in memory (150 KB each at 224 pixels)."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Pictures and texts of ``B`` rows, each distinct one once: ``P`` pictures, ``W`` token windows, ``T`` texts.

    ``pixels (P, 3, S, S)``, ``picture_of (B,)``; ``ids (W, L)``; ``window_of``, ``owner`` and ``weights`` say which
    window belongs to which text with which weight; ``context_of`` and ``text_of`` ``(B,)`` are rows' texts.
    """

    pixels: Tensor
    picture_of: Tensor
    ids: Tensor
    window_of: Tensor
    owner: Tensor
    weights: Tensor
    context_of: Tensor
    text_of: Tensor

    def encode(self, encoder: Encoder) -> tuple[Tensor, Tensor, Tensor]:
        """Features of picture, contextual text and summary, ``(B, F)`` each, with gradients."""
        images = encoder.images(self.pixels)
        windows = encoder.texts(self.ids)[self.window_of] * self.weights
        texts = torch.zeros(int(self.owner.max()) + 1, windows.shape[1], dtype=windows.dtype, device=windows.device)
        texts = texts.index_add(0, self.owner, windows)
        return images[self.picture_of], texts[self.context_of], texts[self.text_of]


@dataclass(frozen=True, slots=True)
class Batch:
    """``B`` rows: their numbers, ``targets (B, D)`` = rating / 2 with NaN where there is none, and inputs or features.

    Features take the place of inputs when the encoder is frozen.
    """

    rows: Tensor
    targets: Tensor
    inputs: Inputs | None = None
    features: Features | None = None

    def to(self, device: torch.device) -> Batch:
        """The same on another device."""
        if device.type == "cpu":
            return self
        inputs = self.inputs and Inputs(*(getattr(self.inputs, f.name).to(device) for f in fields(Inputs)))
        features = self.features and Features(*(f.to(device) for f in self.features))
        return Batch(self.rows.to(device), self.targets.to(device), inputs, features)


class Skipped(NamedTuple):
    """A row that training leaves out, and why."""

    id: str
    reason: str


class RatedData:
    """Rated samples, tokenised, with their figures split into train, val and test.

    Args:
        samples: rows without any rating of a dimension are left out, like rows that cannot be read.

    Attributes:
        targets: ``(N, D)`` rating / 2, NaN where missing.
        split: ``(N,)`` index into :data:`SPLITS`.
        skipped: rows left out, with the reason; pictures that turn out unreadable are added while training runs.

    Raises:
        RatingsError: a rating outside the scale; no row with ratings; a dimension whose ratings are all equal.
        InputError: too few figures to split.
    """

    def __init__(
        self, samples: Iterable[Sample | BadRow], config: TrainConfig, codec: TextCodec, picture: PictureSpec
    ) -> None:
        self.config, self.picture, self.codec = config, picture, codec
        self.ids: list[str] = []
        self.skipped: list[Skipped] = []
        self._images: dict[str, Sample] = {}
        self._keys: list[str] = []
        self._texts: list[TextIds] = []
        self._text_index: dict[str, int] = {}
        self._context_of: list[int] = []
        self._text_of: list[int] = []
        targets: list[list[float]] = []
        for sample in samples:
            target = self._read(sample)
            if target is not None:
                targets.append(target)
        if not targets:
            raise RatingsError(
                "no row has a picture, a text and a rating of one of the dimensions",
                hint=f"ratings: {{dimension: 0–2}}, dimensions: {', '.join(DIMENSION_NAMES)}"
                + (f"; first row left out: {self.skipped[0].id}: {self.skipped[0].reason}" if self.skipped else ""),
            )
        self.targets = np.asarray(targets, dtype=np.float32)
        self.figures = np.unique(self._keys, return_inverse=True)[1].astype(np.int64)
        self.split = self._split()
        self._check_spread()
        self._bad: dict[str, str] = {}
        self._squares: OrderedDict[str, npt.NDArray[np.uint8]] = OrderedDict()
        self._features: Features | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, split: str) -> npt.NDArray[np.int64]:
        """Row numbers of a split."""
        return np.flatnonzero(self.split == SPLITS.index(split))

    def fingerprint(self) -> str:
        """Short hash of everything training reads."""
        h = hashlib.blake2b(digest_size=8)
        for part in zip(self.ids, self._keys, self._context_of, self._text_of):
            h.update(repr(part).encode("utf-8", "backslashreplace"))
        for text in self._texts:
            h.update(repr(text.windows).encode())
        h.update(np.nan_to_num(self.targets, nan=-1.0).tobytes())
        return h.hexdigest()

    def _read(self, sample: Sample | BadRow) -> list[float] | None:
        try:
            if isinstance(sample, BadRow):
                raise InputError(f"{sample.where}: {sample.reason}")
            target = read_ratings(sample)
            if all(np.isnan(target)):
                raise InputError("no rating of any dimension")
            if sample.image is None:
                raise InputError("no image")
            if not sample.text.strip():
                raise InputError("the text is empty")
            key = content_key(sample.image)
        except RatingsError:
            raise
        except F2TEvalError as e:
            self.skipped.append(Skipped(sample.id, str(e)))
            return None
        self._images.setdefault(key, sample)
        self.ids.append(sample.id)
        self._keys.append(key)
        self._context_of.append(self._text(context_text(sample), None))
        self._text_of.append(self._text(sample.text, sample.sentences))
        return target

    def _text(self, text: str, sentences: Sequence[tuple[int, int]] | None) -> int:
        key = f"{sentences!r}{text}" if sentences else text
        if key not in self._text_index:
            self._text_index[key] = len(self._texts)
            self._texts.append(self.codec(text, sentences))
        return self._text_index[key]

    def _split(self) -> npt.NDArray[np.int64]:
        """Figures in the order of a seeded hash: a figure stays in its split when others come or go."""
        names = sorted(set(self._keys), key=lambda k: hashlib.blake2b(f"{self.config.seed}|{k}".encode()).digest())
        val, test = (round(f * len(names)) for f in (self.config.val_fraction, self.config.test_fraction))
        val, test = max(val, 1), max(test, 1) if self.config.test_fraction else 0
        if len(names) - val - test < 1:
            raise InputError(f"only {len(names)} figures with ratings; too few for {', '.join(SPLITS)}")
        where = {k: 2 if i < test else 1 if i < test + val else 0 for i, k in enumerate(names)}
        return np.asarray([where[k] for k in self._keys], dtype=np.int64)

    def _check_spread(self) -> None:
        train = self.targets[self.rows("train")]
        for i, name in enumerate(DIMENSION_NAMES):
            values = train[:, i][~np.isnan(train[:, i])]
            if len(values) == 0:
                raise RatingsError(f"no training row has a rating of {name}", hint="every expert needs its own ratings")
            if np.ptp(values) == 0:
                raise RatingsError(
                    f"all {len(values)} training ratings of {name} are {values[0] * SCALE_MAX:g}; the Pearson "
                    "correlation with a constant does not exist and there is nothing to learn"
                )

    def batches(self, rows: Sequence[int] | npt.NDArray[np.int64], size: int) -> Iterator[Batch]:
        """Batches of ``rows`` in order; rows whose picture cannot be read are left out (and noted)."""
        for at in range(0, len(rows), size):
            batch = self.batch([int(r) for r in rows[at : at + size]])
            if batch is not None:
                yield batch

    def batch(self, rows: list[int]) -> Batch | None:
        """One batch; ``None`` if no picture of it can be read."""
        rows = [r for r in rows if self._features is not None or self.square(self._keys[r]) is not None]
        if not rows:
            return None
        index = torch.tensor(rows)
        targets = torch.from_numpy(self.targets[rows])
        if self._features is not None:
            return Batch(index, targets, features=Features(*(f[:, index] for f in self._features)))
        keys = list(dict.fromkeys(self._keys[r] for r in rows))
        squares = [s for k in keys if (s := self.square(k)) is not None]
        used = list(dict.fromkeys(i for r in rows for i in (self._context_of[r], self._text_of[r])))
        texts = [self._texts[i] for i in used]
        place = {t: i for i, t in enumerate(used)}
        windows: dict[tuple[int, ...], int] = {}
        window_of = [windows.setdefault(w, len(windows)) for t in texts for w in t.windows]
        vocabulary = self.codec.vocabulary
        inputs = Inputs(
            pixels=torch.from_numpy(normalise(np.stack(squares), self.picture)),
            picture_of=torch.tensor([keys.index(self._keys[r]) for r in rows]),
            ids=pad_windows(list(windows), vocabulary.pad, vocabulary.limit if vocabulary.begin is None else None),
            window_of=torch.tensor(window_of),
            owner=torch.tensor([i for i, t in enumerate(texts) for _ in t.windows]),
            weights=torch.tensor([w for t in texts for w in t.weights]).unsqueeze(1),
            context_of=torch.tensor([place[self._context_of[r]] for r in rows]),
            text_of=torch.tensor([place[self._text_of[r]] for r in rows]),
        )
        return Batch(index, targets, inputs=inputs)

    def square(self, key: str) -> npt.NDArray[np.uint8] | None:
        """The fitted picture, or ``None`` if it cannot be read. Raises :class:`TrainingError` when too many cannot."""
        if key in self._bad:
            return None
        square = self._squares.get(key)
        if square is not None:
            self._squares.move_to_end(key)
            return square
        image = self._images[key].image
        assert image is not None
        try:
            square = fit_square(load_image(image).rgb, self.picture).square
        except (ImageError, F2TEvalError) as e:
            self._note_bad(key, str(e))
            return None
        self._squares[key] = square
        while len(self._squares) > _SQUARES:
            self._squares.popitem(last=False)
        return square

    def _note_bad(self, key: str, reason: str) -> None:
        self._bad[key] = reason
        self.skipped += [Skipped(i, reason) for i, k in zip(self.ids, self._keys) if k == key]
        if len(self._bad) > max(1.0, self.config.max_bad * len(self._images)):
            raise TrainingError(
                f"{len(self._bad)} of {len(self._images)} pictures cannot be read, the last: {reason}; mend them, or "
                f"allow more with max_bad"
            )

    def drop_unreadable(self) -> None:
        """Try every picture now and take the rows of those that cannot be read out of all splits."""
        bad = [k for k in self._images if self.square(k) is None]
        self.split = np.where(np.isin(self._keys, bad), -1, self.split)

    def texts_and_pictures(self) -> tuple[list[TextIds], list[str]]:
        """All distinct texts, and the keys of all distinct pictures, for encoding everything once."""
        return self._texts, list(self._images)

    def use_features(self, pictures: dict[str, Tensor], texts: Tensor) -> None:
        """Train on features instead of pictures and tokens: ``(E, F)`` a picture key, ``(E, T, F)`` for the texts.

        Rows whose picture has no features are dropped from all splits.
        """
        kept = np.asarray([k in pictures for k in self._keys])
        blank = torch.zeros_like(next(iter(pictures.values())))
        image = torch.stack([pictures.get(k, blank) for k in self._keys], dim=1)
        self._features = Features(image, texts[:, self._context_of], texts[:, self._text_of])
        self.split = np.where(kept, self.split, -1)


def read_ratings(sample: Sample) -> list[float]:
    """Targets of a sample in the order of the dimensions, rating / 2, NaN where missing.

    Raises :class:`RatingsError` for a rating that is no number in 0–2.
    """
    out = []
    for name in DIMENSION_NAMES:
        value = sample.ratings.get(name)
        if value is None or value == "":
            out.append(float("nan"))
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not SCALE_MIN <= number <= SCALE_MAX:
            raise RatingsError(
                f"rating of {name} is {value!r}, not a number from {SCALE_MIN:g} to {SCALE_MAX:g}", where=sample.id
            )
        out.append(number / SCALE_MAX)
    return out
