"""BERTScore (Zhang et al. 2020): greedy matching of contextual token embeddings.

Recall is the mean over reference tokens of their best cosine with a candidate token, precision the other way round, F1
their harmonic mean; the best reference counts. No IDF weights and no rescaling by a baseline: both depend on files that
are not part of the definition. Special tokens are left out of the means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from f2teval.errors import CheckpointError, MissingExtraError, UsageError
from f2teval.metric import MetricInfo
from f2teval.metrics.single import CannotScoreError, references
from f2teval.sample import Sample
from f2teval.score import Score, make_signature
from f2teval.settings import MAX_TEXT_CHARS

LAYERS: Final[dict[str, int]] = {
    "roberta-large": 17,
    "roberta-base": 10,
    "bert-base-uncased": 9,
    "bert-base-cased": 9,
    "bert-large-uncased": 18,
    "distilbert-base-uncased": 5,
    "microsoft/deberta-xlarge-mnli": 40,
    "microsoft/deberta-large-mnli": 18,
}
"""The layer whose embeddings agree best with people, by model (Zhang et al. 2020, appendix; bert-score's list)."""

_BATCH: Final = 16


class BertScore:
    """BERTScore F1 in [-1, 1], in practice well above 0.

    Args:
        model: a folder or hub id of a model with token embeddings; the bert-score default for English by default.
        layer: which layer's embeddings; known for the models in :data:`LAYERS`, else the last.
        download: allow fetching the model from the hub.
        device: "auto", "cpu", "cuda" …

    Raises:
        MissingExtraError: without the extra "clip" (torch and transformers).
        CheckpointError: the model is not there.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        name="bertscore",
        needs=frozenset({"references"}),
        bounds=(-1.0, 1.0),
        description="F1 of greedily matched contextual embeddings",
        citation="Zhang et al. 2020",
        extra="clip",
    )

    def __init__(
        self, model: str = "roberta-large", layer: int | None = None, download: bool = False, device: str = "auto"
    ) -> None:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError as e:
            raise MissingExtraError("BERTScore", "clip") from e
        from f2teval.models.encoder import quiet_transformers, weights_hash
        from f2teval.models.engine import choose_device

        try:
            with quiet_transformers():
                self._tokenizer: Any = AutoTokenizer.from_pretrained(model, local_files_only=not download)
                net = AutoModel.from_pretrained(model, local_files_only=not download)
        except Exception as e:  # transformers raises OSError, ValueError, hub and safetensors errors
            raise CheckpointError(
                f"{model}: no model for BERTScore here ({str(e).splitlines()[0][:120]}); fetch it once with "
                f"download=True, or give the folder of one"
            ) from None
        depth = int(net.config.num_hidden_layers)
        self._layer = LAYERS.get(model, depth) if layer is None else layer
        if not 0 <= self._layer <= depth:
            raise UsageError(f"{model} has layers 0 to {depth}, not {self._layer}")
        self._torch, self._device = torch, choose_device(device)
        self._net: Any = net.float().eval().to(self._device)
        special = int(self._tokenizer.num_special_tokens_to_add())
        positions = int(getattr(net.config, "max_position_embeddings", 512))
        # RoBERTa numbers positions from its padding token's index on, and has that many fewer.
        if net.config.model_type in ("roberta", "xlm-roberta", "camembert"):
            positions -= int(net.config.pad_token_id) + 1
        self._limit = max(positions, special + 1)
        self._facts = {"model": f"{model} {weights_hash(net.state_dict())}", "layer": self._layer, "idf": "no",
                       "rescale": "no", "multi": "max"}  # fmt: skip

    @property
    def signature(self) -> str:
        return make_signature("bertscore", **self._facts)

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        signature = self.signature
        out: list[Score] = []
        for s in samples:
            try:
                value, warning = self._one(s)
            except CannotScoreError as e:
                out.append(Score.unscored(s.id, "bertscore", signature, str(e), system=s.system))
                continue
            warnings = (warning,) if warning else ()
            out.append(Score(s.id, "bertscore", signature, system=s.system, value=value, warnings=warnings))
        return out

    def _one(self, s: Sample) -> tuple[float, str]:
        if not s.text.strip():
            raise CannotScoreError("the text is empty")
        texts = [s.text, *references(s)]
        embedded: list[Any] = []
        cut = 0
        for start in range(0, len(texts), _BATCH):
            some, lost = self._embed(texts[start : start + _BATCH])
            embedded += some
            cut += lost
        candidate = embedded[0]
        if not len(candidate):
            raise CannotScoreError("the text has no token this model knows")
        best = max((_f1(candidate @ r.T) for r in embedded[1:] if len(r)), default=None)
        if best is None:
            raise CannotScoreError("no reference has a token this model knows")
        note = f"{cut} of {len(texts)} texts were cut at {self._limit} tokens, end token kept" if cut else ""
        return max(-1.0, min(1.0, best)), note

    def _embed(self, texts: Sequence[str]) -> tuple[list[Any], int]:
        """Unit embeddings (tokens, width) of each text without special tokens; how many texts were cut."""
        head = [t[:MAX_TEXT_CHARS].encode("utf-8", "replace").decode("utf-8") for t in texts]
        coded = self._tokenizer(
            head, truncation=True, max_length=self._limit, padding=True, return_tensors="pt",
            return_special_tokens_mask=True, return_attention_mask=True,
        )  # fmt: skip
        whole = self._tokenizer(head, truncation=False)["input_ids"]
        cut = sum(len(ids) > self._limit or len(t) > MAX_TEXT_CHARS for ids, t in zip(whole, texts))
        special = coded.pop("special_tokens_mask")
        with self._torch.inference_mode():
            inputs = {k: v.to(self._device) for k, v in coded.items()}
            hidden = self._net(**inputs, output_hidden_states=True).hidden_states[self._layer]
            unit = self._torch.nn.functional.normalize(hidden.float(), dim=-1).cpu()
        keep = (coded["attention_mask"] == 1) & (special == 0)
        return [unit[i][keep[i]] for i in range(len(texts))], cut


def _f1(similarity: Any) -> float:
    precision = float(similarity.max(dim=1).values.mean())
    recall = float(similarity.max(dim=0).values.mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
