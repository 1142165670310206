"""CLIPScore and BERTScore by their definitions, on small random models: real loading, real pictures, no network."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from PIL import Image  # noqa: E402

from f2teval.errors import CheckpointError, UsageError  # noqa: E402
from f2teval.metrics.bertscore import BertScore  # noqa: E402
from f2teval.metrics.clipscore import ClipScore, RefClipScore  # noqa: E402
from f2teval.models.tiny import random_encoder  # noqa: E402
from f2teval.sample import Sample  # noqa: E402

WORDS = ["sales", "rise", "fall", "a", "line", "chart", "of", "two", "years", "##s"]


@pytest.fixture(scope="module")
def bundle():
    return random_encoder("tiny", ["sales rise in a line chart", "two lines fall", "A photo depicts"])


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    for name in "ab":
        Image.fromarray(rng.integers(0, 255, (60, 80, 3), dtype=np.uint8)).save(folder / f"{name}.png")
    return folder


def rows(folder):
    return [
        Sample(id="1", text="sales rise", image=folder / "a.png", references=("sales fall", "two lines")),
        Sample(id="2", text="two lines fall " * 80, image=folder / "b.png", references=("sales",)),
        Sample(id="3", text="sales", references=("sales",)),
        Sample(id="4", text="sales", image=folder / "none.png", references=("sales",)),
        Sample(id="5", text=" ", image=folder / "a.png", references=("sales",)),
    ]


def features(bundle, folder):
    """The cosine of the first sample's picture and text, and of its text and best reference, without our code paths."""
    from f2teval.figure.load import load_image
    from f2teval.models.pictures import fit_square, normalise

    model = bundle.encoder.model
    square = fit_square(load_image(folder / "a.png").rgb, bundle.picture).square
    pixels = torch.from_numpy(normalise(square[None], bundle.picture))

    def text(t):
        v = bundle.vocabulary
        ids = [v.begin, *bundle.tokenizer.encode("A photo depicts " + t, add_special_tokens=False).ids, v.end]
        return bundle.encoder.texts(torch.tensor([ids]))[0]

    cosine = torch.nn.functional.cosine_similarity
    with torch.inference_mode():
        image = bundle.encoder.images(pixels)[0]
        candidate = text("sales rise")
        across = float(cosine(image, candidate, dim=0))
        best = max(float(cosine(candidate, text(r), dim=0)) for r in ("sales fall", "two lines"))
    assert model is bundle.encoder.model
    return across, best


def test_clipscore_and_refclipscore_are_their_formulas(bundle, pictures):
    across, best = features(bundle, pictures)
    clip = 2.5 * max(across, 0)
    assert ClipScore(encoder=bundle).score_batch(rows(pictures))[0].value == pytest.approx(clip, abs=1e-5)
    expected = 2 * clip * max(best, 0) / (clip + max(best, 0)) if clip + max(best, 0) > 0 else 0.0
    assert RefClipScore(encoder=bundle).score_batch(rows(pictures))[0].value == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("metric", [ClipScore, RefClipScore])
def test_bad_rows_are_unscored_and_batches_do_not_matter(metric, bundle, pictures):
    scorer = metric(encoder=bundle)
    together = scorer.score_batch(rows(pictures))
    alone = [scorer.score_batch([s])[0] for s in rows(pictures)]
    assert [s.status for s in together] == ["ok", "ok", "unscored", "unscored", "unscored"]
    assert "no image" in together[2].reason
    assert "none.png" in together[3].reason
    for a, b in zip(together[:2], alone[:2]):
        assert a.value == pytest.approx(b.value, abs=1e-6)
        assert 0 <= a.value <= scorer.info.bounds[1]


def test_long_texts_are_read_in_windows_or_cut_and_reported(bundle, pictures):
    windows = ClipScore(encoder=bundle).score_batch(rows(pictures))[1]
    cut = ClipScore(encoder=bundle, text="truncate").score_batch(rows(pictures))[1]
    assert windows.warnings == ()
    assert "were not read" in cut.warnings[0]
    assert windows.value != pytest.approx(cut.value, abs=1e-9)
    assert ClipScore(encoder=bundle).signature != ClipScore(encoder=bundle, text="truncate").signature
    with pytest.raises(UsageError, match="windows or truncate"):
        ClipScore(encoder=bundle, text="sentences")


def test_missing_models_say_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for metric in (lambda: ClipScore(encoder=str(tmp_path)), lambda: BertScore(model=str(tmp_path / "nothing"))):
        with pytest.raises(CheckpointError):
            metric()


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizer = transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=3, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=24,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["model_type"] == "bert"
    return folder


def embeddings(folder, text, layer):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    net = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        hidden = net(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[layer][0, 1:-1]
    return (hidden / hidden.norm(dim=-1, keepdim=True)).numpy()


def test_bertscore_is_its_formula_with_the_best_reference(bert):
    text, refs = "sales rise", ("two lines fall", "a chart of sales")
    expected = []
    for r in refs:
        s = embeddings(bert, text, 2) @ embeddings(bert, r, 2).T
        p, q = s.max(axis=1).mean(), s.max(axis=0).mean()
        expected.append(2 * p * q / (p + q))
    found = BertScore(model=str(bert), layer=2).score_batch([Sample(id="1", text=text, references=refs)])[0]
    assert found.value == pytest.approx(max(expected), abs=1e-5)
    same = BertScore(model=str(bert), layer=2).score_batch([Sample(id="1", text=text, references=(text,))])[0]
    assert same.value == pytest.approx(1.0, abs=1e-5)


def test_bertscore_cuts_long_texts_and_says_so(bert):
    metric = BertScore(model=str(bert))
    found = metric.score_batch([
        Sample(id="1", text="sales rise " * 30, references=("sales",)),
        Sample(id="2", text="sales"),
        Sample(id="3", text="", references=("sales",)),
    ])  # fmt: skip
    assert "cut at 24 tokens" in found[0].warnings[0]
    assert [s.status for s in found] == ["ok", "unscored", "unscored"]
    assert "layer:3" in metric.signature
    with pytest.raises(UsageError, match="layers 0 to 3"):
        BertScore(model=str(bert), layer=9)
