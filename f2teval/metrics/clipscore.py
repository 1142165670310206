"""CLIPScore and RefCLIPScore (Hessel et al. 2021), on any CLIP-like encoder.

``CLIPScore = 2.5 · max(cos(image, text), 0)`` for each sample; ``RefCLIPScore`` is its harmonic mean with the largest
``max(cos(text, reference), 0)``. Cosines are taken in single precision whatever the encoder runs in. Texts longer than
the encoder reads (77 tokens for CLIP) go in windows whose features are averaged by length, or are cut with the end
token kept; what was not read is a warning on the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from f2teval.errors import F2TEvalError, MissingExtraError, UsageError
from f2teval.metric import MetricInfo
from f2teval.metrics.single import CannotScoreError, references
from f2teval.sample import Sample
from f2teval.score import Score, make_signature

WEIGHT: Final = 2.5
_BATCH: Final = 16


class ClipScore:
    """CLIPScore in [0, 2.5].

    Args:
        encoder: a folder or hub id of a CLIP or SigLIP, or an ``EncoderBundle``.
        text: "windows" (read everything) or "truncate" (what the original does).
        prefix: put before each text; the original's is "A photo depicts ", which suits no figure but is what published
            numbers have.
        download: allow fetching the encoder from the hub.
        device: "auto", "cpu", "cuda" …

    Raises:
        MissingExtraError: without the extra "clip".
        CheckpointError: the encoder is not there; says how to get it.
        UsageError: an unknown text mode.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        name="clipscore",
        needs=frozenset({"image"}),
        bounds=(0.0, WEIGHT),
        description="2.5 · max(cosine of picture and text, 0)",
        citation="Hessel et al. 2021",
        extra="clip",
    )
    with_references: ClassVar[bool] = False

    def __init__(
        self, encoder: Any = None, text: str = "windows", prefix: str = "A photo depicts ", download: bool = False,
        device: str = "auto",
    ) -> None:  # fmt: skip
        try:
            import torch
        except ImportError as e:
            raise MissingExtraError("CLIPScore", "clip") from e
        from f2teval.models.encoder import DEFAULT_ENCODER, EncoderBundle, load_encoder
        from f2teval.models.engine import choose_device
        from f2teval.models.windows import TEXT_MODES, TextCodec

        if text not in TEXT_MODES:
            raise UsageError(f"text is {' or '.join(TEXT_MODES)}, not {text!r}")
        bundle = encoder if isinstance(encoder, EncoderBundle) else load_encoder(encoder or DEFAULT_ENCODER,
                                                                                download=download)  # fmt: skip
        self._torch = torch
        self._device = choose_device(device)
        self._encoder = bundle.encoder.float().eval().to(self._device)
        self._codec = TextCodec(bundle.tokenizer, bundle.vocabulary, text)  # type: ignore[arg-type]
        self._pad = bundle.vocabulary.pad
        self._picture = bundle.picture
        self._prefix = prefix
        self._facts = {"enc": bundle.origin, "text": text, "prefix": prefix, "pic": repr(bundle.picture), "w": WEIGHT}

    @property
    def signature(self) -> str:
        return make_signature(self.info.name, **self._facts)

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        out: list[Score] = []
        for start in range(0, len(samples), _BATCH):
            out += self._some(samples[start : start + _BATCH])
        return out

    def _some(self, samples: Sequence[Sample]) -> list[Score]:
        reasons: dict[int, str] = {}
        squares: list[Any] = []
        texts: list[str] = []
        place: dict[int, tuple[int, int, int]] = {}
        for i, s in enumerate(samples):
            try:
                refs = references(s) if self.with_references else []
                squares.append(self._square(s))
            except (CannotScoreError, F2TEvalError) as e:
                reasons[i] = str(e)
                continue
            place[i] = (len(squares) - 1, len(texts), len(refs))
            texts += [s.text, *refs]
        if place:
            pictures = self._pictures(squares)
            features, notes = self._texts(texts)
        signature, name = self.signature, self.info.name
        out = []
        for i, s in enumerate(samples):
            if i in reasons:
                out.append(Score.unscored(s.id, name, signature, reasons[i], system=s.system))
                continue
            picture, first, n_refs = place[i]
            value = WEIGHT * max(float(pictures[picture] @ features[first]), 0.0)
            warnings = [n for n in notes[first : first + 1 + n_refs] if n]
            if self.with_references:
                best = max(float(features[first] @ features[first + 1 + k]) for k in range(n_refs))
                best = max(best, 0.0)
                value = 2 * value * best / (value + best) if value + best > 0 else 0.0
            value = min(value, self.info.bounds[1])
            out.append(Score(s.id, name, signature, system=s.system, value=value, warnings=tuple(warnings)))
        return out

    def _square(self, s: Sample) -> Any:
        from f2teval.figure.load import load_image
        from f2teval.models.pictures import fit_square

        if not s.text.strip():
            raise CannotScoreError("the text is empty")
        if s.image is None:
            raise CannotScoreError("no image")
        return fit_square(load_image(s.image).rgb, self._picture).square

    def _pictures(self, squares: list[Any]) -> Any:
        import numpy as np

        from f2teval.models.pictures import normalise

        pixels = self._torch.from_numpy(normalise(np.stack(squares), self._picture)).to(self._device)
        with self._torch.inference_mode():
            return self._unit(self._encoder.images(pixels))

    def _texts(self, texts: list[str]) -> tuple[Any, list[str | None]]:
        """Unit features (texts, F), and what was not read of each text."""
        from f2teval.models.encoder import pad_windows

        coded = [self._codec(self._prefix + t) for t in texts]
        windows = [w for c in coded for w in c.windows]
        ids = pad_windows(windows, self._pad, self._encoder.pad_to()).to(self._device)
        with self._torch.inference_mode():
            features = self._encoder.texts(ids).float()
            rows, at = [], 0
            for c in coded:
                weight = self._torch.tensor(c.weights, device=self._device)
                rows.append((features[at : at + len(c.windows)] * weight[:, None]).sum(dim=0))
                at += len(c.windows)
            unit = self._unit(self._torch.stack(rows))
        return unit, [c.note("the text (with its prefix)") for c in coded]

    def _unit(self, features: Any) -> Any:
        return self._torch.nn.functional.normalize(features.float(), dim=-1).cpu()


class RefClipScore(ClipScore):
    """RefCLIPScore: harmonic mean of CLIPScore and the best cosine with a reference, in [0, 1.43]."""

    info: ClassVar[MetricInfo] = MetricInfo(
        name="refclipscore",
        needs=frozenset({"image", "references"}),
        # The harmonic mean of at most 2.5 and at most 1.
        bounds=(0.0, 2 * WEIGHT / (WEIGHT + 1)),
        description="harmonic mean of CLIPScore and the best cosine with a reference",
        citation="Hessel et al. 2021",
        extra="clip",
    )
    with_references: ClassVar[bool] = True
