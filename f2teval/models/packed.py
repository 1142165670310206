"""A CLIP encoder for inference that computes nothing it does not need.

Same numbers as the Hugging Face modules (up to rounding), arranged for speed:

- *No padding.* Tokens of all texts lie behind each other; only attention looks at texts one by one, in groups of equal
  length, so that every group is one call without a mask.
- *Shared beginnings are encoded once.* Attention is causal: texts that begin alike have equal states there. Tokens are
  nodes of a prefix tree; each node goes through the linear layers once.
- *The last layer only where it is read.* The feature is taken at one position, so the last layer runs on that position
  alone. With one query a head, keys and values need not be formed either: ``q·(W_k x) = (W_kᵀ q)·x`` and
  ``Σ a (W_v x) = W_v (Σ a x)``, and what the keys' bias adds is the same for all positions.
- *Few passes over memory.* The patch embedding is a matrix product; on x86 the linear layers are oneDNN kernels with
  weights packed once, which add the bias, apply the activation and add the residual before they write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import torch
from torch import Tensor, nn

from f2teval.models.prefixes import PrefixTree

F = nn.functional

CHUNK_TOKENS: Final = 4096
"""Tokens that go through a layer together: enough for efficient products, few enough to stay in a shared cache."""
ATTENTION_TOKENS: Final = 1280
"""Tokens of one attention call, so that its scores stay in the cache."""

_QUICK_GELU = 1.702


@dataclass(slots=True)
class Meter:
    """Useful work done by an encoder: tokens it encoded and floating-point operations (a multiply-add is 2)."""

    tokens: int = 0
    flops: int = 0


class _Linear:
    """``x Wᵀ + b`` with an optional activation or residual fused, packed for oneDNN where that exists."""

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype, activation: str = "none") -> None:
        scale = 1.0
        if activation == "quick_gelu":  # x·σ(1.702x) is swish(1.702x) / 1.702; the caller undoes the division
            scale, activation = _QUICK_GELU, "swish"
        self.weight = (weight.detach().float() * scale).to(dtype).contiguous()
        self.bias = None if bias is None else (bias.detach().float() * scale).to(dtype).contiguous()
        self.activation = activation
        self.out_features = weight.shape[0]
        self._packed: Tensor | None = None
        if self.weight.device.type == "cpu" and dtype == torch.bfloat16 and has_fast_bf16():
            self._packed = torch.ops.mkldnn._reorder_linear_weight(self.weight, CHUNK_TOKENS)
            self.weight = torch.empty(0)

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        if self._packed is not None:
            fused = torch.ops.mkldnn._linear_pointwise
            if residual is not None:
                out: Tensor = fused.binary(x, residual, self._packed, self.bias, "add")
                return out
            kind, algorithm = _ONEDNN_ACTIVATIONS[self.activation]
            out = fused(x, self._packed, self.bias, kind, [], algorithm)
            return out
        out = _ACTIVATIONS[self.activation](F.linear(x, self.weight, self.bias))
        return out if residual is None else out.add_(residual)


_ONEDNN_ACTIVATIONS: Final = {
    "none": ("none", ""),
    "swish": ("swish", ""),
    "gelu": ("gelu", "none"),
    "gelu_pytorch_tanh": ("gelu", "tanh"),
    "relu": ("relu", ""),
}
_ACTIVATIONS: Final[dict[str, Callable[[Tensor], Tensor]]] = {
    "none": lambda x: x,
    "swish": lambda x: F.silu(x, inplace=True),
    "gelu": F.gelu,
    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
}
SUPPORTED_ACTIVATIONS: Final = frozenset(_ACTIVATIONS) | {"quick_gelu"}


def has_fast_bf16() -> bool:
    """Whether this CPU multiplies bf16 natively (AVX512-BF16 or AMX) and PyTorch has the kernels for it."""
    return bool(
        torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and torch.ops.mkldnn._is_mkldnn_bf16_supported()
        and getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()
    )


class _Block:
    """What every pre-norm transformer layer has besides its attention."""

    def __init__(self, layer: Any, heads: int, dtype: torch.dtype) -> None:
        attention, mlp = layer.self_attn, layer.mlp
        self.heads = heads
        self.norm1 = _norm(layer.layer_norm1, dtype)
        self.norm2 = _norm(layer.layer_norm2, dtype)
        self.out = _Linear(attention.out_proj.weight, attention.out_proj.bias, dtype)
        activation = mlp.config.hidden_act
        self.fc1 = _Linear(mlp.fc1.weight, mlp.fc1.bias, dtype, activation)
        undo = 1.0 / _QUICK_GELU if activation == "quick_gelu" else 1.0
        self.fc2 = _Linear(mlp.fc2.weight.detach() * undo, mlp.fc2.bias, dtype)

    def finish(self, hidden: Tensor, attended: Tensor) -> Tensor:
        """Everything after attention."""
        hidden = self.out(attended, hidden)
        return self.fc2(self.fc1(self.norm2(hidden)), hidden)


class _Layer(_Block):
    """A layer of which every position is read."""

    def __init__(self, layer: Any, heads: int, dtype: torch.dtype) -> None:
        super().__init__(layer, heads, dtype)
        (q, bias_q), (k, bias_k), (v, bias_v) = _projections(layer.self_attn, heads)
        self.qkv = _Linear(torch.cat((q, k, v)), torch.cat((bias_q, bias_k, bias_v)), dtype)


class _LastLayer(_Block):
    """A layer of which one position is read."""

    def __init__(self, layer: Any, heads: int, dtype: torch.dtype) -> None:
        super().__init__(layer, heads, dtype)
        (q, bias_q), (k, _), (v, bias_v) = _projections(layer.self_attn, heads)
        width = q.shape[1]
        self.q = _Linear(q, bias_q, dtype)
        self.keys = k.view(heads, -1, width).to(dtype)  # (heads, size, width)
        self.values = v.view(heads, -1, width).transpose(1, 2).to(dtype).contiguous()  # (heads, width, size)
        self.bias_v = bias_v.view(heads, 1, -1).to(dtype)

    def queries(self, x: Tensor) -> Tensor:
        """Normed states ``(W, width)`` of the positions read → queries for normed states, ``(W, heads, width)``."""
        q = self.q(x).view(len(x), self.heads, -1).transpose(0, 1)
        return torch.bmm(q, self.keys).transpose(0, 1)

    def look(self, queries: Tensor, x: Tensor, hidden: Tensor | None = None) -> Tensor:
        """Mean state under each head's attention: ``(n, heads, width)`` and ``(n, length, width)`` → as the queries.

        ``hidden (n, 1, length)`` is true where nothing is to be seen.
        """
        scores = torch.bmm(queries, x.transpose(1, 2))
        if hidden is not None:
            scores = scores.masked_fill_(hidden, float("-inf"))
        return torch.bmm(scores.softmax(dim=-1), x)

    def attended(self, states: Tensor) -> Tensor:
        """Mean states ``(W, heads, width)`` → what attention gives, ``(W, width)``."""
        out = torch.baddbmm(self.bias_v, states.transpose(0, 1), self.values)
        return out.transpose(0, 1).reshape(len(states), -1)


def _projections(attention: Any, heads: int) -> list[tuple[Tensor, Tensor]]:
    """Weight and bias of queries, keys and values. The 1/sqrt(size) of attention lives in the queries'."""
    scale = (attention.q_proj.weight.shape[0] // heads) ** -0.5
    parts = zip((attention.q_proj, attention.k_proj, attention.v_proj), (scale, 1.0, 1.0))
    return [(p.weight.detach() * f, p.bias.detach() * f) for p, f in parts]


def _layers(layers: Any, heads: int, dtype: torch.dtype) -> tuple[list[_Layer], _LastLayer]:
    *body, last = layers
    return [_Layer(x, heads, dtype) for x in body], _LastLayer(last, heads, dtype)


def _norm(module: Any, dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    weight, bias, eps = module.weight.detach().to(dtype), module.bias.detach().to(dtype), module.eps
    shape = tuple(weight.shape)
    return lambda x: F.layer_norm(x, shape, weight, bias, eps)


def _flops_per_token(width: int, inner: int) -> int:
    """Of the linear layers of one transformer layer."""
    return 2 * (4 * width * width + 2 * width * inner)


class PackedClip:
    """Features of pictures and texts with the weights of a Hugging Face ``CLIPModel``.

    The weights are copied (and rounded to ``dtype``); the module may be dropped afterwards. Outputs are float32.
    Not for training.
    """

    def __init__(self, model: Any, dtype: torch.dtype = torch.float32) -> None:
        self.dtype = dtype
        self.device = model.visual_projection.weight.device
        self.meter = Meter()
        text, vision = model.text_model, model.vision_model
        self._text_layers, self._text_last = _layers(text.encoder.layers, text.config.num_attention_heads, dtype)
        self._vision_layers, self._vision_last = _layers(
            vision.encoder.layers, vision.config.num_attention_heads, dtype
        )
        self._tokens = text.embeddings.token_embedding.weight.detach().to(dtype)
        self._positions = text.embeddings.position_embedding.weight.detach().to(dtype)
        self._text_norm = _norm(text.final_layer_norm, dtype)
        self._text_projection = _Linear(model.text_projection.weight, None, dtype)
        emb = vision.embeddings
        self._patch = emb.patch_size
        self._patches = _Linear(emb.patch_embedding.weight.flatten(1), None, dtype)
        positions = emb.position_embedding.weight.detach()
        self._class = (emb.class_embedding.detach() + positions[0]).to(dtype)
        self._patch_positions = positions[1:].to(dtype)
        self._pre_norm = _norm(vision.pre_layrnorm, dtype)
        self._vision_norm = _norm(vision.post_layernorm, dtype)
        self._vision_projection = _Linear(model.visual_projection.weight, None, dtype)
        self._vision_width = vision.config.hidden_size

    @torch.inference_mode()
    def images(self, pixels: Tensor) -> Tensor:
        """Preprocessed pictures ``(B, 3, S, S)`` → features ``(B, F)``, float32."""
        per_image = len(self._patch_positions) + 1
        step = max(1, CHUNK_TOKENS // per_image)
        parts = [self._images(pixels[i : i + step]) for i in range(0, len(pixels), step)]
        return torch.cat(parts) if parts else torch.empty(0, self._vision_projection.out_features)

    def _images(self, pixels: Tensor) -> Tensor:
        batch, channels, height, width = pixels.shape
        p = self._patch
        patches = pixels.to(self.device, self.dtype).view(batch, channels, height // p, p, width // p, p)
        patches = patches.permute(0, 2, 4, 1, 3, 5).reshape(batch, -1, channels * p * p)
        embedded = self._patches(patches.flatten(0, 1)).view(batch, -1, self._vision_width)
        tokens = embedded.shape[1] + 1
        hidden = torch.empty(batch, tokens, self._vision_width, dtype=self.dtype, device=self.device)
        hidden[:, 0] = self._class
        torch.add(embedded, self._patch_positions, out=hidden[:, 1:])
        hidden = self._pre_norm(hidden.view(batch * tokens, -1))
        for layer in self._vision_layers:
            q, k, v = layer.qkv(layer.norm1(hidden)).view(batch, tokens, 3, layer.heads, -1).permute(2, 0, 3, 1, 4)
            step = max(1, ATTENTION_TOKENS // tokens)
            blocks = zip(q.split(step), k.split(step), v.split(step))
            attended = torch.cat([_attention(*block, mask=None).transpose(1, 2) for block in blocks])
            hidden = layer.finish(hidden, attended.reshape(-1, self._vision_width))
        last = self._vision_last
        x = last.norm1(hidden).view(batch, tokens, -1)
        states = last.look(last.queries(x[:, 0]), x)
        hidden = last.finish(hidden.view(batch, tokens, -1)[:, 0].contiguous(), last.attended(states))
        self._count(last, len(self._vision_layers), batch * tokens, batch, batch * tokens * tokens, batch * tokens)
        self.meter.flops += 2 * batch * (tokens - 1) * channels * p * p * self._vision_width
        return self._vision_projection(self._vision_norm(hidden)).float()

    @torch.inference_mode()
    def texts(self, windows: Sequence[Sequence[int]]) -> Tensor:
        """Token windows (begin and end tokens included, no padding) → features ``(len(windows), F)``, float32.

        The feature is the state at the last token of each window, which is its end token.
        """
        out = torch.empty(len(windows), self._text_projection.out_features, device=self.device)
        # In dictionary order equal beginnings meet in one chunk.
        order = sorted(range(len(windows)), key=lambda i: tuple(windows[i]))
        at = 0
        while at < len(order):
            chunk: list[int] = []
            total = 0
            while at < len(order) and (not chunk or total + len(windows[order[at]]) <= 2 * CHUNK_TOKENS):
                chunk.append(order[at])
                total += len(windows[order[at]])
                at += 1
            out[torch.tensor(chunk, device=self.device)] = self._texts([windows[i] for i in chunk])
        return out

    def _texts(self, windows: list[Sequence[int]]) -> Tensor:
        tree = PrefixTree.build(windows)
        device = self.device
        rows = torch.from_numpy(tree.rows).to(device)
        first = torch.from_numpy(tree.first).to(device)
        ends = torch.from_numpy(tree.ends).to(device)
        ids, positions = torch.from_numpy(tree.ids).to(device), torch.from_numpy(tree.positions).to(device)
        hidden = self._tokens[ids] + self._positions[positions]
        for layer in self._text_layers:
            attended = _causal_attention(layer.qkv(layer.norm1(hidden)), rows, tree.groups, layer.heads)
            hidden = layer.finish(hidden, attended.index_select(0, first))
        last = self._text_last
        x = last.norm1(hidden)
        states = _end_states(last, last.queries(x.index_select(0, ends)), x, rows, tree)
        hidden = last.finish(hidden.index_select(0, ends), last.attended(states))
        lengths = tree.lengths
        self._count(self._text_last, len(self._text_layers), len(tree.ids), len(windows),
                    int((lengths * (lengths + 1) // 2).sum()), int(lengths.sum()))  # fmt: skip
        features = self._text_projection(self._text_norm(hidden)).float()
        return features[torch.from_numpy(tree.where).to(device)]

    def _count(self, last: _LastLayer, layers: int, tokens: int, pooled: int, pairs: int, read: int) -> None:
        """Add the work of one pass as it is computed: ``layers`` whole ones and the last one.

        ``pairs`` of tokens meet in a layer's attention, ``pooled`` positions are read and look at ``read`` tokens.
        """
        width, inner = last.q.out_features, last.fc1.out_features
        self.meter.tokens += tokens
        self.meter.flops += layers * (tokens * _flops_per_token(width, inner) + 4 * width * pairs)
        # Queries, queries for states, values and output are width² each; each head looks at whole states.
        self.meter.flops += pooled * _flops_per_token(width, inner) + 4 * width * last.heads * read


def _causal_attention(qkv: Tensor, rows: Tensor, groups: Sequence[tuple[int, int]], heads: int) -> Tensor:
    """Attention within each text: nodes ``(N, 3 * width)`` → tokens ``(T, width)``.

    ``rows`` and ``groups`` as in the tree. The queries come scaled. Padding stands behind its text, where a causal
    mask never looks.
    """
    out = torch.empty(len(rows), qkv.shape[1] // 3, dtype=qkv.dtype, device=qkv.device)
    at = 0
    for many, length in groups:
        mask = _causal_mask(length, qkv.dtype, qkv.device)
        step = max(1, ATTENTION_TOKENS // length)
        for start in range(0, many, step):
            n = min(step, many - start)
            block = slice(at, at + n * length)
            # Gathered block by block: it is still in the cache when it is multiplied.
            tokens = qkv.index_select(0, rows[block])
            q, k, v = tokens.view(n, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
            out[block].view(n, length, heads, -1).copy_(_attention(q, k, v, mask).transpose(1, 2))
            at += n * length
    return out


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """``(n, heads, length, size)`` each → the same shape. ``mask`` is the causal one or ``None``."""
    if q.device.type != "cpu" or q.dtype != torch.bfloat16:
        return F.scaled_dot_product_attention(q, k, v, is_causal=mask is not None, scale=1.0)
    # At these lengths three oneDNN products beat the flash kernel of the CPU by a third.
    n, heads, length, size = q.shape
    flat = [x.reshape(n * heads, length, size) for x in (q, k, v)]
    scores = (
        torch.bmm(flat[0], flat[1].transpose(1, 2))
        if mask is None
        else torch.baddbmm(mask, flat[0], flat[1].transpose(1, 2))
    )
    return torch.bmm(scores.softmax(dim=-1), flat[2]).view(n, heads, length, size)


@lru_cache(maxsize=256)
def _causal_mask(length: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.full((length, length), float("-inf"), dtype=dtype, device=device).triu(1)


def _end_states(last: _LastLayer, queries: Tensor, x: Tensor, rows: Tensor, tree: PrefixTree) -> Tensor:
    """Mean states that each text's last token looks at: ``(W, heads, width)`` and nodes ``(N, width)`` → as queries."""
    parts = []
    at = done = 0
    for many, length in tree.groups:
        block = x.index_select(0, rows[at : at + many * length]).view(many, length, -1)
        real = torch.from_numpy(tree.lengths[done : done + many]).to(x.device)
        padding = torch.arange(length, device=x.device)[None, :] >= real[:, None]
        parts.append(last.look(queries[done : done + many], block, padding[:, None, :]))
        at += many * length
        done += many
    return torch.cat(parts)
