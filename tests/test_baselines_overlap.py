"""BLEU, ROUGE and CIDEr against the implementations people quote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from f2teval.errors import InputError, UsageError
from f2teval.metric import get_metric
from f2teval.metrics.ptb import tokenize, words
from f2teval.run import score as run_score
from f2teval.sample import Sample

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
NAMES = ("bleu", "rouge1", "rouge2", "rougeL", "rougeLsum", "cider", "cider-d", "cider-cosine")
TEXTS = (
    ("The sales rose to 42 in 2014.", ("Sales rose to 42 in 2014.", "In 2014 sales were at their highest.")),
    ("A red line falls.\nIt then rises.", ("It rises again.\nFirst a red line falls.", "Nothing.")),
    ("Überraschung: the bar is 3.5% higher", ("the bar is 3.5% higher than before",)),
    ("one two one two one", ("one one one two", "two two")),
)


def samples():
    return [Sample(id=str(i), text=t, references=r) for i, (t, r) in enumerate(TEXTS)]


def scores(name, rows, **options):
    metric = get_metric(name, **options)
    if hasattr(metric, "prepare"):
        metric.prepare(rows)
    return metric.score_batch(rows)


@pytest.mark.parametrize("lowercase", [True, False])
def test_bleu_is_sacrebleus(lowercase):
    sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu")
    other = sacrebleu.BLEU(effective_order=True, lowercase=lowercase)
    for s, score in zip(samples(), scores("bleu", samples(), lowercase=lowercase)):
        assert score.value * 100 == pytest.approx(other.sentence_score(s.text, list(s.references)).score)
    metric = get_metric("bleu", lowercase=lowercase)
    padded = [[s.references[i] if i < len(s.references) else None for s in samples()] for i in range(2)]
    whole = other.corpus_score([s.text for s in samples()], padded).score
    assert metric.corpus(samples()) * 100 == pytest.approx(whole)


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_rouge_is_rouge_scores(name, stem):
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer([name], use_stemmer=stem)
    for s, score in zip(samples(), scores(name, samples(), stem=stem)):
        assert score.value == scorer.score_multi(s.references, s.text)[name].fmeasure  # to the last bit: same ties


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=8).map(" ".join), min_size=2, max_size=5))
def test_rouge_on_any_lines(lines):
    rouge = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL", "rougeLsum"])
    text, reference = "\n".join(lines[: len(lines) // 2]), "\n".join(lines[len(lines) // 2 :])
    other = rouge.score(reference, text)
    for name in ("rougeL", "rougeLsum"):
        mine = scores(name, [Sample(id="1", text=text, references=(reference,))])[0].value
        assert mine == pytest.approx(other[name].fmeasure)


def test_rouge_lsum_takes_the_sentences_a_sample_has():
    given_ = Sample.from_sentences("1", ["c d.", "a b."], references=("a b c d.",))
    joined = Sample(id="1", text="c d. a b.", references=("a b c d.",))
    assert scores("rougeLsum", [given_])[0].value == 1.0
    assert scores("rougeLsum", [joined])[0].value < 1.0


def test_cider_published_by_pycocoevalcap():
    g = GOLDEN["cider_three_figures"]
    rows = [Sample(id=str(i), text=s["text"], references=tuple(s["references"])) for i, s in enumerate(g["samples"])]
    for name in ("cider", "cider-d"):
        assert [s.value for s in scores(name, rows)] == pytest.approx(g["values"], abs=1e-7)


def test_cider_cosine_by_hand():
    # Two figures, one reference each, no n-gram in both: every weight is its count times log 2, which cancels.
    rows = [
        Sample(id="1", text="a b", references=("a b c",)),
        Sample(id="2", text="x", references=("y z",)),
    ]
    unigrams, bigrams = 2 / np.sqrt(2 * 3), 1 / np.sqrt(1 * 2)
    found = scores("cider-cosine", rows)
    assert found[0].value == pytest.approx(10 * (unigrams + bigrams) / 4)
    assert found[1].value == 0.0
    # Its own text is a perfect match in both formulas, for the orders it has.
    same = [Sample(id="1", text="a b c d", references=("a b c d",)), rows[1]]
    assert scores("cider-cosine", same)[0].value == pytest.approx(10)
    assert scores("cider", same)[0].value == pytest.approx(10)


def test_cider_of_one_figure_alone_is_unscored_with_the_reason():
    one = samples()[:1]
    found = scores("cider", one)[0]
    assert (found.status, found.value) == ("unscored", None)
    assert "two figures" in found.reason
    assert "prepare" in get_metric("cider").score_batch(one)[0].reason
    # Two texts about one figure are still one figure.
    twice = [one[0], Sample(id="b", text="Another.", references=one[0].references)]
    assert all(s.status == "unscored" for s in scores("cider", twice))


def test_cider_with_frozen_frequencies(tmp_path):
    full = get_metric("cider")
    full.prepare(samples())
    full.frequencies.write(tmp_path / "charts.json")
    frozen = get_metric("cider", df=tmp_path / "charts.json")
    assert frozen.score_batch(samples()[:1])[0].value == pytest.approx(full.score_batch(samples()[:1])[0].value)
    assert "charts" in frozen.signature
    frozen.prepare(samples()[:2])  # changes nothing
    assert frozen.frequencies.documents == 4
    (tmp_path / "bad.json").write_text('{"df": 3}')
    with pytest.raises(InputError, match=r"bad\.json"):
        get_metric("cider", df=tmp_path / "bad.json")


def test_cider_signature_follows_the_corpus_not_its_order():
    a, b, c = get_metric("cider"), get_metric("cider"), get_metric("cider")
    a.prepare(samples())
    b.prepare(samples()[::-1])
    c.prepare(samples()[:3])
    assert a.signature == b.signature != c.signature


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_scored_says_why(name):
    rows = [*samples(), Sample(id="no", text="x y"), Sample(id="empty", text=" ", references=("a",)),
            Sample(id="blank", text="x y", references=(" ",))]  # fmt: skip
    found = {s.id: s for s in scores(name, rows)}
    assert found["no"].reason == found["blank"].reason == "no references"
    assert found["empty"].reason == "the text is empty"
    low, high = get_metric(name).info.bounds
    assert all(low <= s.value <= high for s in found.values() if s.status == "ok")
    assert sum(s.status == "ok" for s in found.values()) == len(TEXTS)


@pytest.mark.parametrize("name", [n for n in NAMES if "cider" not in n])  # CIDEr is a mean, not the best
def test_more_references_are_used_each_sample_its_own(name):
    first = [Sample(id=s.id, text=s.text, references=s.references[:1]) for s in samples()]
    both = scores(name, samples())
    for one, more in zip(scores(name, first), both):
        assert more.value >= one.value - 1e-12
    assert [s.value for s in both] == [scores(name, [s])[0].value for s in samples()]


@pytest.mark.parametrize("name", ["meteor", "METEOR"])
def test_meteor_says_why_it_is_not_there(name):
    with pytest.raises(UsageError, match=r"WordNet.*Java.*downloads"):
        get_metric(name)
    with pytest.raises(UsageError, match="WordNet"):
        list(run_score([Sample(id="1", text="a")], metric=name))


def test_options_that_do_not_exist():
    with pytest.raises(UsageError, match="tokenizer"):
        get_metric("bleu", tokenize="flores200")
    with pytest.raises(UsageError, match="options"):
        get_metric("bleu", ordr=3)


@pytest.mark.parametrize(("text", "tokens"), GOLDEN["treebank"]["tokens"])
def test_treebank_tokens(text, tokens):
    assert " ".join(words(text)) == tokens


@given(st.text(max_size=200))
def test_tokens_never_fail_and_lose_no_word(text):
    found = tokenize(text)
    assert all(found)
    assert all(" " not in t for t in words(text))


@pytest.mark.parametrize("unit", ["a", "'", "a.", "1-", "a'", "<a", "a@", "-", "n't", "1.", "http://", "a-", "+."])
def test_tokenising_a_hostile_text_is_linear(unit):
    def seconds(n):
        start = time.perf_counter()
        words(unit * n)
        return time.perf_counter() - start

    seconds(100)
    # Quadratic time would take minutes here, not the seconds that even a busy machine needs.
    assert seconds(100_000 // len(unit)) < 10


def test_registered_metrics_import_nothing_heavy():
    code = ("import sys; from f2teval import metric; m = metric.get_metric('rougeL'); "
            "assert not {'torch', 'transformers', 'sacrebleu', 'nltk'} & set(sys.modules)")  # fmt: skip
    subprocess.run([sys.executable, "-c", code], check=True)


DATA = os.environ.get("F2TEVAL_TEST_DATA", "")


@pytest.mark.skipif(not DATA, reason="F2TEVAL_TEST_DATA names no folder of real rating sets")
def test_agreement_on_nebula_is_the_coco_toolkits():
    g = GOLDEN["nebula_test"]
    rows = json.loads((Path(DATA) / "nebula_test.json").read_text(encoding="utf-8"))
    human = [r["score"] for r in rows]
    many = [Sample(id=str(i), text=r["mt"], references=tuple(r["refs"])) for i, r in enumerate(rows)]
    for name in ("bleu", "rougeL", "cider"):
        values = [s.value for s in scores(name, many)]
        for variant in "bc":
            tau = 100 * kendalltau(values, human, variant=variant).statistic
            assert abs(tau - g[name][f"tau_{variant}"]) <= g["within"], (name, variant, tau)
