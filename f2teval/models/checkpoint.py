"""Checkpoints: a folder with ``config.json``, safetensors, the tokenizer and a model card. Loading needs nothing else.

::

    config.json                     format, architecture, hashes, where the weights came from, how they were trained
    experts.safetensors             heads, shared heads, gate
    encoder-<name>.safetensors      one an encoder: the five dimensions and "shared", or the single "frozen"
    tokenizer.json                  as the encoder's
    README.md                       the model card

The same layout can be uploaded to a hub as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from f2teval import __version__
from f2teval.errors import CheckpointError, F2TEvalError
from f2teval.models.encoder import Encoder, weights_hash
from f2teval.models.moe import Experts, F2TEvalModel, ModelConfig, ParameterCount, count_parameters
from f2teval.models.windows import TextCodec

FORMAT: Final = 1
_MAX_CONFIG_BYTES: Final = 4 * 1024 * 1024


def save_checkpoint(
    model: F2TEvalModel, tokenizer: Tokenizer, folder: Path, *, info: Mapping[str, Any], card: str
) -> str:
    """Write a checkpoint folder; an existing one is replaced only when the new one is complete.

    Args:
        info: what to keep about origin and training, plain data; ``info["origin"]`` says where the encoder came from.
        card: the model card, Markdown.

    Returns:
        The hash of all weights.
    """
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        hashes = {}
        parts: dict[str, nn.Module] = {"experts": model.experts}
        for name, encoder in zip(model.encoder_names(), model.encoders):
            parts[f"encoder-{name}"] = encoder
        for name, module in parts.items():
            state = {k: v.detach().cpu().contiguous() for k, v in module.state_dict().items()}
            path = new / f"{name}.safetensors"
            save_file(state, path, metadata={"format": "pt"})
            path.chmod(0o644)
            hashes[f"{name}.safetensors"] = weights_hash(state)
        total = _join_hashes(hashes)
        config = {
            "model_type": "f2teval",
            "format": FORMAT,
            "package_version": __version__,
            "weights": total,
            "files": hashes,
            "model": model.config.to_dict(),
            **info,
        }
        (new / "config.json").write_text(json.dumps(config, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        tokenizer.save(str(new / "tokenizer.json"))
        (new / "README.md").write_text(card, encoding="utf-8")
        new.chmod(0o755)
        _swap(new, folder)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return total


def _swap(new: Path, folder: Path) -> None:
    if not folder.exists():
        os.replace(new, folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
    os.replace(folder, old / "x")
    os.replace(new, folder)
    shutil.rmtree(old, ignore_errors=True)


def _join_hashes(hashes: Mapping[str, str]) -> str:
    import hashlib

    text = "|".join(f"{k}:{hashes[k]}" for k in sorted(hashes))
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


class Checkpoint:
    """An opened checkpoint folder. Weights are read, checked against their hashes and given out one part at a time.

    Raises:
        CheckpointError: no such folder, another format version, a file missing, truncated or altered, foreign keys.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / "config.json"
        if not path.is_file():
            what = "no config.json in this folder" if self.folder.is_dir() else "no such folder"
            raise CheckpointError(f"{self.folder}: {what}; a checkpoint is the folder that 'f2teval train' writes")
        try:
            if path.stat().st_size > _MAX_CONFIG_BYTES:
                raise ValueError("it is too large")
            self.info: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(self.info, dict):
                raise ValueError("it is not an object")
        except ValueError as e:
            raise CheckpointError(f"{path}: cannot be read: {e}") from None
        if self.info.get("model_type") != "f2teval":
            kind = self.info.get("model_type")
            raise CheckpointError(f"{self.folder}: this is a {kind!r} model, not an f2teval checkpoint")
        version = self.info.get("format")
        if version != FORMAT:
            raise CheckpointError(
                f"{self.folder}: checkpoint format {version}, this package reads format {FORMAT} "
                f"(written by f2teval {self.info.get('package_version')}, this is {__version__})"
            )
        try:
            self.config = ModelConfig.from_dict(self.info["model"])
            self.hashes: dict[str, str] = dict(self.info["files"])
        except (KeyError, TypeError, ValueError, F2TEvalError) as e:
            raise CheckpointError(f"{path}: not a usable description of a model ({type(e).__name__}: {e})") from None

    @property
    def weights(self) -> str:
        """Hash of all weights, for signatures."""
        return _join_hashes(self.hashes)

    @property
    def origin(self) -> str:
        """Where the encoder's weights came from, in words."""
        return str(self.info.get("origin", "unknown"))

    @property
    def encoder_names(self) -> list[str]:
        """Names of the encoders in order."""
        return ["frozen"] if self.config.frozen else [*self.config.dimensions, "shared"]

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        path = self.folder / "tokenizer.json"
        try:
            return Tokenizer.from_file(str(path))
        except Exception as e:  # tokenizers raises plain Exception
            raise CheckpointError(f"{path}: cannot be read: {e}") from None

    def codec(self) -> TextCodec:
        """Texts to windows as this model reads them."""
        return TextCodec(self.tokenizer, self.config.vocabulary, self.config.text_mode)

    def experts(self) -> Experts:
        """Heads, shared heads and gate, float32, in evaluation mode."""
        with torch.random.fork_rng(devices=[]):
            module = Experts(_feature_width(self.config.encoder), self.config.hidden, self.config.dimensions)
        self._fill(module, "experts")
        return module.eval()

    def encoder(self, name: str) -> Encoder:
        """One encoder by its name, float32, in evaluation mode."""
        with torch.random.fork_rng(devices=[]):
            encoder = Encoder(self.config.encoder)
        self._fill(encoder, f"encoder-{name}")
        return encoder.eval()

    def encoders(self) -> Iterator[Encoder]:
        """The encoders in order, one at a time."""
        for name in self.encoder_names:
            yield self.encoder(name)

    def parameter_count(self) -> ParameterCount:
        """Total and active parameters, from the configuration alone: no weights are read."""
        with torch.device("meta"), torch.random.fork_rng(devices=[]):
            size = sum(p.numel() for p in Encoder(self.config.encoder).parameters())
            experts = Experts(_feature_width(self.config.encoder), self.config.hidden, self.config.dimensions)
        n = len(self.encoder_names)
        return count_parameters(n * size, n, experts)

    def model(self) -> F2TEvalModel:
        """The whole model, float32, in evaluation mode."""
        model = F2TEvalModel(self.config, list(self.encoders()))
        model.experts.load_state_dict(self.experts().state_dict())
        return model.eval()

    def _fill(self, module: nn.Module, part: str) -> None:
        file = f"{part}.safetensors"
        state = read_tensors(self.folder / file)
        load_exactly(module, state, self.folder / file)
        if self.hashes.get(file) != weights_hash(state):
            raise CheckpointError(f"{self.folder / file}: the weights are not those config.json names (altered file)")


def _feature_width(encoder: Mapping[str, Any]) -> int:
    if encoder.get("model_type") == "clip":
        return int(encoder["projection_dim"])
    return int(encoder["vision_config"]["hidden_size"])


def read_tensors(path: Path) -> dict[str, Tensor]:
    """A safetensors file on the CPU. Raises :class:`CheckpointError` if missing, truncated or not one."""
    if not path.is_file():
        raise CheckpointError(f"{path}: missing from the checkpoint; copy the whole folder again")
    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError) as e:
        raise CheckpointError(f"{path}: truncated or damaged ({e}); copy it again") from None


def load_exactly(module: nn.Module, state: Mapping[str, Tensor], where: Path) -> None:
    """Load a state that must fit name by name and shape by shape. Raises :class:`CheckpointError`."""
    own = module.state_dict()
    foreign, missing = sorted(state.keys() - own.keys()), sorted(own.keys() - state.keys())
    if foreign:
        raise CheckpointError(f"{where}: holds {foreign[0]!r} (and {len(foreign) - 1} more), which this model lacks")
    if missing:
        raise CheckpointError(f"{where}: lacks {missing[0]!r} (and {len(missing) - 1} more) of this model")
    for name, tensor in state.items():
        if tensor.shape != own[name].shape:
            shapes = f"{tuple(tensor.shape)}, not {tuple(own[name].shape)}"
            raise CheckpointError(f"{where}: {name!r} has shape {shapes}")
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f"{where}: {name!r} holds NaN or infinity")
    module.load_state_dict(dict(state))
