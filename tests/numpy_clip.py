"""The whole model in plain numpy, written from the architecture and from eqs. 1, 3 and 9; one sample at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _linear(s: dict, name: str, x: np.ndarray) -> np.ndarray:
    out = x @ s[f"{name}.weight"].T
    return out + s[f"{name}.bias"] if f"{name}.bias" in s else out


def _norm(s: dict, name: str, x: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * s[f"{name}.weight"] + s[f"{name}.bias"]


def _tower(s: dict, prefix: str, x: np.ndarray, layers: int, heads: int, causal: bool) -> np.ndarray:
    length, width = x.shape
    size = width // heads
    for i in range(layers):
        at = f"{prefix}.encoder.layers.{i}"
        h = _norm(s, f"{at}.layer_norm1", x)
        q, k, v = (_linear(s, f"{at}.self_attn.{p}_proj", h).reshape(length, heads, size) for p in "qkv")
        out = np.zeros((length, heads, size))
        for head in range(heads):
            for t in range(length):
                seen = range(t + 1) if causal else range(length)
                a = np.array([q[t, head] @ k[u, head] / math.sqrt(size) for u in seen])
                a = np.exp(a - a.max())
                a /= a.sum()
                out[t, head] = sum(w * v[u, head] for w, u in zip(a, seen))
        x = x + _linear(s, f"{at}.self_attn.out_proj", out.reshape(length, width))
        h = _linear(s, f"{at}.mlp.fc1", _norm(s, f"{at}.layer_norm2", x))
        x = x + _linear(s, f"{at}.mlp.fc2", h / (1 + np.exp(-1.702 * h)))
    return x


def numpy_text(s: dict, ids: list[int]) -> np.ndarray:
    x = s["text_model.embeddings.token_embedding.weight"][ids]
    x = x + s["text_model.embeddings.position_embedding.weight"][: len(ids)]
    x = _norm(s, "text_model.final_layer_norm", _tower(s, "text_model", x, 2, 2, causal=True))
    return _linear(s, "text_projection", x[-1])


def numpy_image(s: dict, pixels: np.ndarray, patch: int = 16) -> np.ndarray:
    weight = s["vision_model.embeddings.patch_embedding.weight"].reshape(64, -1)
    steps = range(0, pixels.shape[1], patch)
    rows = [weight @ pixels[:, y : y + patch, x : x + patch].reshape(-1) for y in steps for x in steps]
    x = np.stack([s["vision_model.embeddings.class_embedding"], *rows])
    x = x + s["vision_model.embeddings.position_embedding.weight"]
    x = _tower(s, "vision_model", _norm(s, "vision_model.pre_layrnorm", x), 2, 2, causal=False)
    return _linear(s, "visual_projection", _norm(s, "vision_model.post_layernorm", x[0]))


def _state(module: Any) -> dict[str, np.ndarray]:
    return {k: v.double().numpy() for k, v in module.state_dict().items()}


def numpy_forward(model, codec, picture: np.ndarray, context: str, text: str) -> list[float]:
    """Predictions of the whole model for one sample."""
    parts = []
    for encoder in model.encoders:
        s = _state(encoder.model)
        pooled = []
        for words in (context, text):
            coded = codec(words)
            pooled.append(sum(w * numpy_text(s, list(ids)) for w, ids in zip(coded.weights, coded.windows)))
        parts.append((numpy_image(s, picture), *pooled))
    s, out = _state(model.experts), []
    v = np.concatenate(parts[-1 if len(parts) > 1 else 0])
    for d, name in enumerate(model.experts.dimensions):
        image, ctx, summary = parts[d if len(parts) > 1 else 0]
        z = np.maximum(_linear(s, f"heads.{name}.projector.0", np.concatenate([image, ctx])), 0)
        z = _linear(s, f"heads.{name}.projector.2", z)
        cosine = z @ summary / np.linalg.norm(z) / np.linalg.norm(summary)
        specific = s[f"heads.{name}.w"] * cosine + s[f"heads.{name}.b"]
        hidden = np.maximum(s["shared.w1"][d] @ v + s["shared.b1"][d], 0)
        shared = s["shared.w2"][d] @ hidden + s["shared.b2"][d]
        g = 1 / (1 + np.exp(-s["gate.w"][d]))
        out.append(float(g * shared + (1 - g) * specific))
    return out
