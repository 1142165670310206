"""The mixture against a plain numpy re-implementation; windows; pictures; parameter counts."""

# ruff: noqa: E402
from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import clip_world as world
from numpy_clip import numpy_forward

from f2teval.errors import CheckpointError, UsageError
from f2teval.models.encoder import Encoder, load_encoder, pad_windows
from f2teval.models.moe import Features
from f2teval.models.packed import PackedClip
from f2teval.models.pictures import PictureSpec, fit_square, normalise
from f2teval.models.prefixes import PrefixTree
from f2teval.models.windows import TextCodec


@pytest.mark.parametrize("frozen", [False, True])
def test_whole_forward_pass_equals_numpy(frozen: bool) -> None:
    model = world.model(frozen=frozen)
    codec = TextCodec(world.bundle().tokenizer, world.bundle().vocabulary)
    rng = random.Random(2)
    pixels = normalise(np.random.default_rng(0).integers(0, 256, (1, 64, 64, 3), dtype=np.uint8), PictureSpec(size=64))
    context, text = world.sentence(rng), " ".join(world.sentence(rng) for _ in range(6))
    coded = codec(text)
    assert len(coded.windows) > 1
    vocabulary = world.bundle().vocabulary
    with torch.no_grad():
        rows = []
        for encoder in model.encoders:
            texts = [
                (encoder.texts(pad_windows(c.windows, vocabulary.pad)) * torch.tensor(c.weights)[:, None]).sum(0)
                for c in (codec(context), coded)
            ]
            rows.append((encoder.images(torch.from_numpy(pixels))[0], *texts))
        found = model.experts(Features(*(torch.stack(x)[:, None] for x in zip(*rows)))).mixed[0]
    expected = numpy_forward(model, codec, pixels[0].astype(np.float64), context, text)
    np.testing.assert_allclose(found.numpy(), expected, atol=2e-5)


# --- the packed encoder


def _windows(n: int, seed: int = 0) -> list[list[int]]:
    rng = random.Random(seed)
    v = world.bundle().vocabulary
    out = [[v.begin, *rng.choices(range(10, 300), k=rng.randint(0, 75)), v.end] for _ in range(n)]
    # Shared beginnings, a whole text that begins another, the same text twice.
    return out + [[*w[: rng.randint(1, len(w) - 1)], 11, v.end][:77] for w in out[:5] if len(w) < 70] + out[:2]


def test_packed_encoder_gives_the_numbers_of_hugging_face_one_text_at_a_time() -> None:
    encoder = world.model().encoder_of("shared")
    packed = PackedClip(encoder.model)
    windows = _windows(30)
    pixels = torch.randn(5, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        texts = torch.cat([encoder.texts(torch.tensor([w])) for w in windows])
        images = encoder.images(pixels)
    torch.testing.assert_close(packed.texts(windows), texts, atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(packed.images(pixels), images, atol=2e-5, rtol=1e-4)


def test_packed_encoder_gives_the_same_whatever_stands_beside_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = PackedClip(world.model().encoder_of("shared").model)
    windows = _windows(20)
    together = packed.texts(windows)
    alone = torch.cat([packed.texts([w]) for w in windows])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)
    monkeypatch.setattr("f2teval.models.packed.CHUNK_TOKENS", 64)
    torch.testing.assert_close(together, packed.texts(windows), atol=1e-5, rtol=1e-5)


def test_bf16_is_near_float32() -> None:
    model = world.model().encoder_of("shared").model
    exact, rounded = (PackedClip(model, d).texts(_windows(10)) for d in (torch.float32, torch.bfloat16))
    assert torch.nn.functional.cosine_similarity(exact, rounded).min() > 0.999


def test_only_useful_work_is_counted() -> None:
    encoder = world.model().encoder_of("shared")
    packed = PackedClip(encoder.model)
    packed.texts([[1, 20, 30, 2]])
    once = packed.meter.flops
    packed.texts([[1, 20, 30, 2]] * 5)
    width, heads = 64, encoder.model.config.text_config.num_attention_heads
    layer = 2 * 12 * width**2
    # One whole layer for four tokens, whose 10 pairs meet; the last for one token, each head over four whole states.
    assert once == 4 * layer + 4 * width * 10 + layer + 4 * width * heads * 4
    assert packed.meter.tokens == 4 + 4  # the five equal texts are one path of the tree


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_prefix_tree_gives_back_every_window(windows: list[list[int]]) -> None:
    tree = PrefixTree.build(windows)
    starts = np.cumsum([0, *(length for n, length in tree.groups for _ in range(n))])
    for window, place in zip(windows, tree.where):
        rows = tree.rows[starts[place] : starts[place] + tree.lengths[place]]
        assert tree.ids[rows].tolist() == window
        assert tree.positions[rows].tolist() == list(range(len(window)))
        assert tree.ends[place] == rows[-1]
    assert len(tree.ids) == len({tuple(w[: i + 1]) for w in windows for i in range(len(w))})
    assert (tree.rows[tree.first] == np.arange(len(tree.ids))).all()


# --- windows


def _codec(mode: str = "windows") -> TextCodec:
    return TextCodec(world.bundle().tokenizer, world.bundle().vocabulary, mode)  # type: ignore[arg-type]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_windows_hold_every_token_once_in_order_and_keep_the_end_token(lengths: list[int]) -> None:
    text = " ".join("Sales " + " ".join(["rose"] * n) + "." for n in lengths)
    codec, v = _codec(), world.bundle().vocabulary
    coded = codec(text)
    assert [t for w in coded.windows for t in w[1:-1]] == codec.tokenizer.encode(text, add_special_tokens=False).ids
    assert all(w[0] == v.begin and w[-1] == v.end and len(w) <= v.limit for w in coded.windows)
    assert sum(coded.weights) == pytest.approx(1)
    assert coded.unread is None


def test_windows_begin_at_sentences_where_sentences_fit() -> None:
    rng = random.Random(0)
    sentences = [world.sentence(rng) for _ in range(12)]
    codec = _codec()
    coded = codec(" ".join(sentences))
    first = {codec.tokenizer.encode(s, add_special_tokens=False).ids[0] for s in sentences}
    assert len(coded.windows) > 2
    assert all(w[1] in first for w in coded.windows)


def test_truncation_keeps_the_end_token_and_says_what_was_not_read() -> None:
    rng = random.Random(0)
    text = " ".join(world.sentence(rng) for _ in range(12))
    coded = _codec("truncate")(text)
    (window,) = coded.windows
    assert len(window) == 77
    assert window[-1] == world.bundle().vocabulary.end
    assert coded.unread is not None
    assert coded.unread[1] == len(text)
    assert "not read" in str(coded.note("text"))
    kept = _codec().tokenizer.encode(text[: coded.unread[0]], add_special_tokens=False).ids
    assert tuple(kept) == window[1:-1]


def test_a_text_beyond_all_limits_is_read_as_far_as_allowed_and_says_so() -> None:
    coded = _codec()("Sales rose. " * 20_000)
    assert coded.unread is not None
    assert coded.unread[0] <= 20_000
    assert coded.unread[1] == 240_000


def test_special_tokens_written_in_a_text_do_not_end_it() -> None:
    v = world.bundle().vocabulary
    (window,) = _codec()("Sales rose <|endoftext|> and fell <|startoftext|>.").windows
    assert window.count(v.end) == window.count(v.begin) == 1


def test_an_empty_text_is_one_window_of_begin_and_end() -> None:
    v = world.bundle().vocabulary
    assert _codec()("").windows == ((v.begin, v.end),)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="text mode"):
        _codec("stretch")


# --- pictures


@pytest.mark.parametrize("shape", [(480, 640), (640, 480), (100, 37), (64, 64)])
def test_pictures_equal_the_processor_of_transformers(shape: tuple[int, int]) -> None:
    pil = pytest.importorskip("transformers.models.clip.image_processing_pil_clip")
    rgb = np.random.default_rng(1).integers(0, 256, (*shape, 3), dtype=np.uint8)
    spec = PictureSpec()
    found = normalise(fit_square(rgb, spec).square[None], spec)
    expected = pil.CLIPImageProcessorPil()(images=rgb, return_tensors="np")["pixel_values"]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_padding_keeps_the_whole_picture_and_cropping_says_what_it_lost() -> None:
    rgb = np.zeros((100, 300, 3), dtype=np.uint8)
    padded = fit_square(rgb, PictureSpec(size=60, fit="pad"))
    assert padded.lost == 0
    assert (padded.square[0] == 255).all()
    assert (padded.square[30] == 0).all()
    assert fit_square(rgb, PictureSpec(size=60)).lost == pytest.approx(2 / 3, abs=0.01)


def test_a_very_long_picture_costs_no_more_than_its_middle() -> None:
    rgb = np.tile(np.arange(40_000, dtype=np.uint32)[None, :, None] // 200, (10, 1, 3)).astype(np.uint8)
    square = fit_square(rgb, PictureSpec(size=64)).square
    assert square.shape == (64, 64, 3)
    assert abs(int(square[32, 32, 0]) - 100) <= 1


# --- encoders and counts


def test_six_vit_b_32_have_the_parameters_of_the_paper() -> None:
    from f2teval.models.experts import DimensionHead, SharedHeads
    from f2teval.models.moe import Experts, count_parameters
    from f2teval.rubric import DIMENSION_NAMES

    clip = 151_277_313  # openai/clip-vit-base-patch32
    with torch.device("meta"):
        experts = Experts(512, 512, DIMENSION_NAMES)
        head = sum(p.numel() for p in DimensionHead(512).parameters())
        heads = sum(p.numel() for p in SharedHeads(5, 512, 512).parameters())
    count = count_parameters(6 * clip, 6, experts)
    assert count.total == 6 * clip + 5 * head + heads + 5
    assert round(count.total / 1e9, 1) == 0.9
    assert round(count.active / 1e9, 1) == 0.3


def test_siglip_style_encoders_work() -> None:
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    encoder = Encoder(
        {
            "model_type": "siglip",
            "text_config": {**tower, "vocab_size": 300, "max_position_embeddings": 16},
            "vision_config": {**tower, "image_size": 32, "patch_size": 16},
        }
    ).eval()
    assert encoder.features == 32
    from f2teval.models.engine import PlainEncoder
    from f2teval.models.windows import Vocabulary

    plain = PlainEncoder(encoder, Vocabulary(None, 1, 1, 16), torch.float32, batch=2)
    windows = [(5, 6, 1), (7, 1), (8, 9, 10, 11, 1)]
    with torch.no_grad():
        alone = [encoder.texts(pad_windows([w], 1, 16))[0] for w in windows]
    torch.testing.assert_close(plain.texts(windows), torch.stack(alone), atol=1e-6, rtol=1e-5)
    assert plain.images(torch.zeros(3, 3, 32, 32)).shape == (3, 32)


def test_missing_weights_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(CheckpointError, match=r"hf download nobody/no-such-clip.*HF_HOME.*--download.*local"):
        load_encoder("nobody/no-such-clip")


def test_a_local_encoder_folder_loads_and_a_foreign_or_broken_one_is_refused(tmp_path) -> None:
    from transformers import PreTrainedTokenizerFast

    made = world.bundle()
    made.encoder.model.save_pretrained(tmp_path / "clip")
    PreTrainedTokenizerFast(
        tokenizer_object=made.tokenizer, bos_token="<|startoftext|>", eos_token="<|endoftext|>"
    ).save_pretrained(tmp_path / "clip")
    (tmp_path / "clip" / "preprocessor_config.json").write_text(
        '{"do_center_crop": true, "crop_size": {"height": 64, "width": 64}, "resample": 3}'
    )
    loaded = load_encoder(str(tmp_path / "clip"))
    assert loaded.vocabulary == made.vocabulary
    assert loaded.picture == PictureSpec(size=64)
    for name, tensor in made.encoder.state_dict().items():
        assert torch.equal(tensor, loaded.encoder.state_dict()[name])

    weights = tmp_path / "clip" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        load_encoder(str(tmp_path / "clip"))
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(CheckpointError, match="bert"):
        load_encoder(str(tmp_path / "bert"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"config\.json"):
        load_encoder(str(tmp_path / "empty"))
