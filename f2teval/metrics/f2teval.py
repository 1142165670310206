"""The ``f2teval`` metric: the trained mixture of experts (F2TEval, section 3) as a scorer."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from f2teval.errors import CheckpointError, ImageError, MissingExtraError
from f2teval.metric import MetricInfo
from f2teval.rubric import DIMENSION_NAMES, SCALE_MAX, SCALE_MIN
from f2teval.sample import Sample
from f2teval.score import Score, make_signature

if TYPE_CHECKING:
    from torch import Tensor

    from f2teval.models.moe import ParameterCount
    from f2teval.models.windows import TextIds

CHECKPOINT_VARIABLE: Final = "F2TEVAL_CHECKPOINT"
_CROPPED: Final = 0.02
"""Share of a picture's area that may be cut off before the score says so."""


@dataclass(slots=True)
class _Row:
    """A sample on its way through: keys of its picture and context, its text, what must be said of it."""

    sample: Sample
    picture: str = ""
    context: str = ""
    text: TextIds | None = None
    warnings: tuple[str, ...] = ()
    reason: str = ""


class _Recent:
    """The last ``limit`` features by key; old ones fall out, so that memory stays constant over any stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def get(self, key: str) -> Any:
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: str, value: Any) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)


class F2TEvalMetric:
    """Scores on the five dimensions from a trained checkpoint.

    Each distinct picture and context is encoded once a expert while it is remembered; a score is the same whatever it
    is batched with (to float32 rounding; to 1e-2 in bf16).

    Args:
        checkpoint: the folder ``f2teval train`` wrote; default: the environment variable ``F2TEVAL_CHECKPOINT``.
        precision: "bf16", "fp32", or "auto": bf16 where the hardware multiplies it natively.
        device: "auto", "cpu", "cuda", "cuda:1" …
        remember: how many pictures and how many contexts are remembered.

    Raises:
        CheckpointError: none given, or unusable. MissingExtraError: without the ``clip`` extra.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        name="f2teval",
        needs=frozenset({"image"}),
        dimensions=DIMENSION_NAMES,
        bounds=(SCALE_MIN, SCALE_MAX),
        description="mixture of CLIP experts trained on people's ratings (needs a checkpoint)",
        citation="Yue et al. 2025, F2TEval",
        extra="clip",
    )
    batch_size: ClassVar[int] = 256

    def __init__(
        self,
        checkpoint: str | Path | None = None,
        *,
        precision: Literal["auto", "fp32", "bf16"] = "auto",
        device: str = "auto",
        remember: int = 2048,
    ) -> None:
        folder = checkpoint or os.environ.get(CHECKPOINT_VARIABLE)
        if not folder:
            raise CheckpointError(
                "the f2teval metric needs a trained checkpoint: train one with 'f2teval train RATINGS --out DIR' and "
                f"give its folder (-M checkpoint=DIR, or the environment variable {CHECKPOINT_VARIABLE})"
            )
        try:
            from f2teval.models.checkpoint import Checkpoint
            from f2teval.models.engine import FeatureEngine
        except ImportError:
            raise MissingExtraError("the f2teval metric", "clip") from None
        opened = Checkpoint(folder)
        self.origin = opened.origin
        self.config = opened.config
        self._weights = opened.weights
        self._codec = opened.codec()
        self._experts = opened.experts()
        self.engine = FeatureEngine(
            opened.encoders(), self.config.picture, self.config.vocabulary, precision=precision, device=device
        )
        self._pictures, self._contexts = _Recent(int(remember)), _Recent(int(remember))

    @property
    def signature(self) -> str:
        return make_signature(
            self.info.name,
            weights=self._weights,
            text=self.config.text_mode,
            fit=self.config.picture.fit,
            dtype=str(self.engine.dtype).removeprefix("torch."),
        )

    @property
    def parameters(self) -> ParameterCount:
        """Total parameters, and those that one dimension's score needs."""
        from f2teval.models.moe import count_parameters

        return count_parameters(self.engine.parameters, len(self.engine.encoders), self._experts)

    def stream(self, samples: Iterable[Sample]) -> Iterator[Score]:
        """Scores of any number of samples, in order, in constant memory."""
        source = iter(samples)
        while chunk := list(islice(source, self.batch_size)):
            yield from self.score_batch(chunk)

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        out: list[Score] = []
        for at in range(0, len(samples), self.batch_size):
            out += self._score(samples[at : at + self.batch_size])
        return out

    def _score(self, samples: Sequence[Sample]) -> list[Score]:
        squares: dict[str, Any] = {}
        contexts: dict[str, TextIds] = {}
        rows = [self._row(s, squares, contexts) for s in samples]
        good = [r for r in rows if not r.reason]
        scores = dict(zip(map(id, good), self._values(good, squares, contexts))) if good else {}
        return [scores.get(id(r)) or self._unscored(r) for r in rows]

    def _unscored(self, row: _Row) -> Score:
        s = row.sample
        return Score.unscored(s.id, self.info.name, self.signature, row.reason, system=s.system)

    def _row(self, s: Sample, squares: dict[str, Any], contexts: dict[str, TextIds]) -> _Row:
        row = _Row(s)
        if not s.text.strip():
            row.reason = "the text is empty"
            return row
        if s.image is None:
            row.reason = "no image"
            return row
        try:
            lost = self._picture(row, squares)
        except (ImageError, MissingExtraError) as e:
            row.reason = str(e)
            return row
        row.text = self._codec(s.text, s.sentences)
        notes = [row.text.note("text")]
        if lost > _CROPPED:
            notes.append(f"{lost:.0%} of the picture lies outside the square the encoder sees and was not read")
        notes.append(self._context(row, contexts))
        row.warnings = tuple(n for n in notes if n)
        return row

    def _picture(self, row: _Row, squares: dict[str, Any]) -> float:
        """Have the picture ready as features or as a square; returns the share of it that was cut off."""
        from f2teval.figure.load import content_key, load_image
        from f2teval.models.pictures import fit_square

        image = row.sample.image
        assert image is not None
        row.picture = content_key(image)
        known = self._pictures.get(row.picture) or squares.get(row.picture)
        if known is None:
            known = squares[row.picture] = fit_square(load_image(image).rgb, self.config.picture)
        return float(known[1])

    def _context(self, row: _Row, contexts: dict[str, TextIds]) -> str | None:
        from f2teval.models.windows import context_text

        text = context_text(row.sample)
        row.context = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        known = self._contexts.get(row.context)
        if known is None:
            ids = contexts[row.context] = contexts.get(row.context) or self._codec(text)
        else:
            ids = known[1]
        return ids.note("context")

    def _values(self, rows: list[_Row], squares: dict[str, Any], contexts: dict[str, TextIds]) -> list[Score]:
        import torch

        from f2teval.models.moe import Features

        held_pictures, held_contexts = self._held(rows)
        if squares:
            features = self.engine.images([s.square for s in squares.values()])
            for i, (key, square) in enumerate(squares.items()):
                held_pictures[key] = features[:, i].clone()
                self._pictures.put(key, (held_pictures[key], square.lost))
        # Contexts and candidates together: one pass over the text towers.
        texts = [r.text for r in rows if r.text is not None]
        features = self.engine.texts([*texts, *contexts.values()])
        for i, (key, ids) in enumerate(contexts.items()):
            held_contexts[key] = features[:, len(texts) + i].clone()
            self._contexts.put(key, (held_contexts[key], ids._replace(windows=(), weights=())))
        with torch.inference_mode():
            prediction = self._experts(
                Features(
                    torch.stack([held_pictures[r.picture] for r in rows], dim=1),
                    torch.stack([held_contexts[r.context] for r in rows], dim=1),
                    features[:, : len(texts)],
                )
            )
            gate = torch.sigmoid(self._experts.gate.w)
            shared = (gate * prediction.shared * SCALE_MAX).tolist()
            specific = ((1 - gate) * prediction.specific * SCALE_MAX).tolist()
            mixed = (prediction.mixed * SCALE_MAX).tolist()
        return [self._score_of(r, m, sp, sh) for r, m, sp, sh in zip(rows, mixed, specific, shared)]

    def _held(self, rows: list[_Row]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """What is remembered and needed now, before new entries can push it out."""
        pictures = {r.picture: self._pictures.get(r.picture) for r in rows}
        contexts = {r.context: self._contexts.get(r.context) for r in rows}
        return ({k: v[0] for k, v in pictures.items() if v}, {k: v[0] for k, v in contexts.items() if v})

    def _score_of(self, row: _Row, mixed: list[float], specific: list[float], shared: list[float]) -> Score:
        s, names = row.sample, self.config.dimensions
        if any(v != v for v in mixed):
            row.reason = "the model gave NaN for this row"
            return self._unscored(row)
        values = {d: min(max(v, SCALE_MIN), SCALE_MAX) for d, v in zip(names, mixed)}
        explain = {
            d: {"dimension-specific expert": a, "shared expert": b, "clipped to the scale": values[d] - m}
            for d, m, a, b in zip(names, mixed, specific, shared)
        }
        return Score(s.id, self.info.name, self.signature, system=s.system, scores=values, explain=explain,
                     warnings=row.warnings)  # fmt: skip
