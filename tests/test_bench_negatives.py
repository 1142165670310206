"""Negatives: one controlled change each, with what should have been there."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import orjson
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.bench import neighbours
from f2teval.bench.edits import KINDS, RuleEditor, wrong_number
from f2teval.bench.negatives import ALL_KINDS, make_negatives, synthetic_drafts
from f2teval.bench.negatives_io import open_negatives, write_negatives
from f2teval.bench.synth import Options, compose
from f2teval.cli.bench import bench
from f2teval.errors import UnknownNameError, UsageError
from f2teval.sample import Sample

PHOTO = "A man in a red shirt is standing to the left of two dogs in front of a large wooden house."
CHART = "Sales in Spain rose sharply from 1,200 in 2010 to 2,450 in 2014, higher than in Italy."


@pytest.mark.parametrize("text", [PHOTO, CHART])
@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_changes_one_place_and_says_which(text: str, kind: str) -> None:
    for k in range(25):
        e = RuleEditor().edit(text, kind, Random(k))
        assert e is not None
        assert e.text != text
        assert e.text[e.start : e.end] == e.new
        assert e.text[: e.start] + e.old + e.text[e.end :] == text
        assert e.diff == f"should be “{e.old}” rather than “{e.new}”"


def test_attributes_of_a_photo_cover_paraevals_classes() -> None:
    found = {RuleEditor().edit(PHOTO, "attribute", Random(k)).category for k in range(80)}  # type: ignore[union-attr]
    assert found >= {"color", "size", "quantity", "position", "material", "action"}


def test_names_are_swapped_within_their_group() -> None:
    for k in range(20):
        e = RuleEditor().edit(
            "Spain leads, ahead of Peru.", "object", Random(k), [["Spain", "Peru", "Chile"], ["2010", "2011"]]
        )
        assert e is not None
        assert {e.old, e.new} <= {"Spain", "Peru", "Chile"}


def test_no_place_no_negative() -> None:
    assert RuleEditor().edit("hm", "relation", Random(0)) is None
    assert list(make_negatives([Sample("a", "hm")], kinds=("object", "relation", "relevance_text"))) == []


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_edited_or_declined(text: str) -> None:
    for kind in KINDS:
        e = RuleEditor().edit(text, kind, Random(0))
        assert e is None or e.text[: e.start] + e.old + e.text[e.end :] == text


def test_a_long_text_takes_no_long_time() -> None:
    text = ("Spain rose from 1,200 in 2010 to 2,450 in 2014. " * 3000)[:100_000]
    assert RuleEditor().edit(text, "attribute", Random(0)) is not None


@given(st.floats(0, 1e7), st.integers(0, 3), st.integers(0, 99))
@settings(max_examples=200, deadline=None)
def test_wrong_numbers_differ_and_keep_their_format(v: float, dec: int, seed: int) -> None:
    text = f"{v:,.{dec}f}"
    new = wrong_number(text, Random(seed))
    assert new != text
    assert len(new.partition(".")[2]) == dec
    assert re.fullmatch(r"\d{1,3}(,?\d{3})*(\.\d+)?", new)


def test_faiss_and_numpy_find_the_same_neighbours() -> None:
    pytest.importorskip("faiss")
    base = neighbours.vectors([t.text for i in range(40) for t in compose(i, Options(seed=1)).texts])
    sims, ids = neighbours.nearest(base, 5)
    again, other = neighbours._blocks(base, 5)
    np.testing.assert_allclose(sims, again, atol=1e-5)
    assert np.mean(ids == other) > 0.98
    assert np.mean(ids[:, 0] == np.arange(len(base))) > 0.95


def test_neighbours_are_about_the_same_thing() -> None:
    texts = [
        "Wine production in Chile rose.",
        "The production of wine fell in Chile.",
        "Most adults trust scientists.",
        "Few adults trust scientists at all.",
    ]
    _, ids = neighbours.nearest(neighbours.vectors(texts), 2)
    assert ids[:, 1].tolist() == [1, 0, 3, 2]


def test_relevance_negatives_go_both_ways_and_plausible_ones_keep_the_threshold() -> None:
    samples = [
        Sample("a", "Wine production in Chile rose.", Path("a.png")),
        Sample("b", "Wine production in Spain rose.", Path("b.png")),
        Sample("c", "Most adults trust scientists.", Path("c.png")),
    ]
    made = {
        (n.of, n.kind): n
        for n in make_negatives(samples, kinds=("plausible", "relevance_text", "relevance_image"), min_similarity=0.3)
    }
    assert made["a", "relevance_text"].sample.text == samples[1].text
    assert made["a", "relevance_text"].sample.image == samples[0].image
    assert made["a", "relevance_image"].sample.image == samples[1].image
    assert made["a", "relevance_image"].sample.text == samples[0].text
    assert made["a", "plausible"].sample.text == samples[1].text
    assert ("c", "plausible") not in made
    assert ("c", "relevance_text") in made


def test_unknown_kinds_and_thresholds() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'relation'"):
        list(make_negatives([Sample("a", "x")], kinds=("relatoin",)))
    with pytest.raises(UsageError, match="between 0 and 1"):
        list(make_negatives([Sample("a", "x")], min_similarity=3))


def test_edited_figures_contradict_the_text_they_are_shown_with(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="drawing figures needs f2teval[bench]")
    out = tmp_path / "set"
    runner = CliRunner()
    made = runner.invoke(
        bench,
        [
            "synth",
            "-o",
            str(out),
            "-n",
            "6",
            "--renderers",
            "press",
            "--texts",
            "2",
            "--types",
            "vertical_bar,line,stacked_bar",
        ],
    )
    assert made.exit_code == 0, made.output
    done = runner.invoke(bench, ["negatives", str(out), "-o", str(tmp_path / "neg")])
    assert done.exit_code == 0, done.output
    rows = [orjson.loads(x) for x in (tmp_path / "neg" / "samples.jsonl").read_bytes().splitlines()]
    assert {r["negative"]["kind"] for r in rows} >= set(ALL_KINDS) - {"plausible"}
    assert len({r["id"] for r in rows}) == len(rows)
    edited = [r for r in rows if r["negative"]["kind"] == "accuracy_image"]
    truth = {d["id"]: d for d in (orjson.loads(x) for x in (out / "truth.jsonl").read_bytes().splitlines())}
    for r in edited:
        picture = (tmp_path / "neg" / r["image"]).read_bytes()
        assert picture != (out / truth[r["figure"]]["image"]).read_bytes()
        assert "rather than" in r["negative"]["diff"] or "should" in r["negative"]["diff"]
    again = runner.invoke(bench, ["negatives", str(out), "-o", str(tmp_path / "neg")])
    assert again.exit_code != 0


def test_a_folder_of_other_making_has_no_drafts(tmp_path: Path) -> None:
    assert synthetic_drafts(tmp_path)("s0-000001") is None
    counts = write_negatives(tmp_path / "out", make_negatives([Sample("x", CHART)]))
    assert counts["object"] == 1
    assert counts["accuracy_image"] == 0


OPTIONS = {"kinds": ("object", "attribute", "relevance_text"), "seed": 3}


@pytest.mark.parametrize("cut", [1, 60, 2500, 10**9])
def test_a_stopped_run_goes_on_without_doubles_or_torn_rows(tmp_path: Path, cut: int) -> None:
    samples = [Sample(t.id, t.text) for i in range(6) for t in compose(i, Options(seed=1, texts=2)).texts]

    def make(start: str = ""):  # type: ignore[no-untyped-def]
        return make_negatives(iter(samples), kinds=OPTIONS["kinds"], seed=3, start=start)  # type: ignore[arg-type]

    open_negatives(tmp_path / "whole", OPTIONS)
    counts = write_negatives(tmp_path / "whole", make())
    data = (tmp_path / "whole" / "samples.jsonl").read_bytes()
    out = tmp_path / "stopped"
    open_negatives(out, OPTIONS)
    (out / "samples.jsonl.part").write_bytes(data[: max(0, len(data) - cut)])
    with pytest.raises(UsageError, match="--resume"):
        open_negatives(out, OPTIONS)
    with pytest.raises(UsageError, match="seed"):
        open_negatives(out, {**OPTIONS, "seed": 4}, resume=True)
    begun = open_negatives(out, OPTIONS, resume=True)
    assert write_negatives(out, make(begun.start), counts=begun.counts) == counts
    assert (out / "samples.jsonl").read_bytes() == data
    assert open_negatives(out, OPTIONS, resume=True) == ("", counts, True)


def test_samples_are_taken_one_by_one_where_no_neighbour_is_needed() -> None:
    taken = []

    def stream():  # type: ignore[no-untyped-def]
        for k in range(50):
            taken.append(k)
            yield Sample(f"x{k}", CHART)

    next(make_negatives(stream(), kinds=("attribute",)))
    assert len(taken) == 1
