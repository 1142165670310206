"""Rating sets in their native forms: small files written here, and the full files where FIGURE data are at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from f2teval.data.sets import SETS, describe_sets, find_set, load_set
from f2teval.data.sets.f2tbenchmark import majority
from f2teval.data.sets.sniff import sniff
from f2teval.errors import F2TEvalError, InputError, RatingsError, UnknownNameError, UsageError


def write(path: Path, content) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(r) for r in content) + "\n", encoding="utf-8")
    elif path.suffix == ".csv":
        path.write_text(content, encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


FLICKR = {
    "img1": {
        "image_path": "Flickr8k/img1.jpg",
        "ground_truth": ["a dog runs", "the dog"],
        "human_judgement": [
            {"image_id": "img1", "caption": c, "rating": r}
            for c, grades in (("a dog", (4, 3, 4)), ("a cat", (1, 1, 2)))
            for r in grades
        ],
    }
}
REST = {"completeness": 1, "conciseness": 2, "analysis": 0}
NATIVE = {
    "chocolate": [
        {
            "sentences": ["Up in 2014.", "Down in 2006."],
            "labels": [[], ["label_error"]],
            "model": "bard",
            "dataset": "pew",
            "image_path": "http://x/1.png",
            "_id": "7",
        },
        {
            "sentences": ["Right."],
            "labels": [[]],
            "model": "deplot_gpt4",
            "dataset": "vistext",
            "image_path": "2.png",
            "_id": "8",
        },
    ],
    "flickr8k-expert": FLICKR,
    "flickr8k-cf": {"i": {"human_judgement": [{"caption": "x", "rating": 0.3}, {"caption": "y", "rating": 1.0}]}},
    "pascal-50s": {
        "HM": [{"image": "a.jpg", "captions": ["good", "bad"], "label": 0, "references": ["r"]}],
        "MM": [{"image": "a.jpg", "captions": ["bad", "good"], "label": 1}],
    },
    "nebula": [{"imgid": "q", "mt": "a bus", "refs": ["bus", "red bus"], "score": 0.75}],
    "polaris": [{"id": "v1", "imgid": "q", "mt": "a bus", "score": 0.5, "count": 2, "explanation": {"fluency": "ok"}}],
    "composite": [{"image_id": "1", "caption": "c", "rating": 4, "references": ["r"], "dataset": "coco"}],
    "f2tbenchmark": [
        {
            "id": "f1",
            "image": "1.png",
            "summary": "Rises.",
            "model": "gpt-4o",
            "annotations": [
                {"annotator": "a", "faithfulness": 2, "logicality": 2, **REST},
                {"annotator": "b", "faithfulness": 1, "logicity": 2, **REST},
            ],
            "adjudicated": {"faithfulness": 1},
        }
    ],
    "scicap-eval": [
        {"figure_id": "f", "approach": "author", "caption": "c", "phd_rank": 1, "helpfulness": "Yes", "ocr": "Yes"},
        {"figure_id": "f", "approach": "trocr", "caption": "d", "phd_rank": 6, "helpfulness": "Unsure", "ocr": "No"},
        {"figure_id": "f", "approach": "bad", "caption": "e", "phd_rank": 2, "image_error": "Yes"},
    ],
    "scieval-bench": [{"id": "1", "image": "i", "caption": "c", "task": "IC", "domain": "Bio", "relevance": [5, 4, 4],
                       "accuracy": [3, None, 2]}],
    "paraeval": [{"image": "i", "positive": "two cats", "negative": "two dogs", "type": "object"}],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(NATIVE))
def test_native_form_loads_and_gives_samples_under_the_same_ids(name, tmp_path):
    loaded = load_set(name, write(tmp_path / "native.json", NATIVE[name]))
    samples = list(loaded.samples())
    assert [s.id for s in samples] == [r.id for r in loaded.rows]
    assert all(s.text for s in samples)


@pytest.mark.parametrize(("name", "text"), [("nebula", "mt"), ("polaris", "cand")])
def test_the_hubs_parquet_is_known_and_loads(name, text, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    picture = "image" if name == "nebula" else "img"
    rows = [{text: f"t{i}", "refs": ["r"], picture: {"bytes": b"x%d" % (i // 2), "path": None}, "human_score": 0.5}
            for i in range(4)]  # fmt: skip
    file = tmp_path / "test.parquet"
    pq.write_table(pa.Table.from_pylist([{**r, "file_name": ""} if name == "nebula" else r for r in rows]), file)
    assert sniff(file) == name
    loaded = load_set(name, file).rows
    assert [r.text for r in loaded] == ["t0", "t1", "t2", "t3"]
    assert [r.figure == loaded[0].figure for r in loaded] == [True, True, False, False]


def test_chocolate_counts_as_its_authors_do(tmp_path):
    rows = load_set("chocolate", write(tmp_path / "c.json", NATIVE["chocolate"])).rows
    assert (rows[0].final["factual"], rows[0].final["correct"], rows[0].wrong) == (0.0, 0.5, (False, True))
    assert [r.group for r in rows] == ["LVLM", "LLM"]
    assert rows[0].text == "Up in 2014. Down in 2006."


def test_flickr_keeps_every_rater_and_its_references(tmp_path):
    loaded = load_set("flickr8k-expert", write(tmp_path / "f.json", FLICKR))
    assert [r.ratings["overall"] for r in loaded.rows] == [(4, 3, 4), (1, 1, 2)]
    assert loaded.rows[0].references == ("a dog runs", "the dog")
    assert loaded.aggregate == "none"


def test_pairs_point_at_the_preferred_text(tmp_path):
    loaded = load_set("pascal-50s", write(tmp_path / "p.json", NATIVE["pascal-50s"]))
    text = {r.id: r.text for r in loaded.rows}
    assert [(text[p.better], text[p.worse], p.group) for p in loaded.pairs] == [
        ("good", "bad", "HM"),
        ("good", "bad", "MM"),
    ]


def test_f2tbenchmark_takes_the_adjudicated_grade_then_the_majority(tmp_path):
    row = load_set("f2tbenchmark", write(tmp_path / "b.json", NATIVE["f2tbenchmark"])).rows[0]
    assert row.final == {"faithfulness": 1, "completeness": 1, "conciseness": 2, "logicity": 2, "analysis": 0}
    assert row.ratings["faithfulness"] == (2, 1)
    assert [majority(g) for g in ([2, 2, 0], [0, 2], [0, 1, 2], [0, 0, 2, 2, 1])] == [2, 0, 1, 0]


def test_scicap_drops_marked_rows_and_says_so(tmp_path):
    loaded = load_set("scicap-eval", write(tmp_path / "s.json", NATIVE["scicap-eval"]))
    assert [r.final for r in loaded.rows] == [
        {"rank": 1, "overall": 6, "helpful": 1},
        {"rank": 6, "overall": 1, "helpful": 0},
    ]
    assert sum(loaded.dropped.values()) == 1


def test_thumb_turns_negative_zero_and_splits_people_from_machines(tmp_path):
    row = {
        "SYS": "Human",
        "seg_id": "9",
        "hyp": "h",
        "P": 5.0,
        "R": 4,
        "Fl": -0.0,
        "Inc": 0,
        "Con": 0,
        "human_score": 4.5,
    }
    loaded = load_set("thumb", write(tmp_path / "t.jsonl", [row, {**row, "SYS": "Up-Down"}]))
    assert [r.group for r in loaded.rows] == ["human", "machine"]
    assert str(loaded.rows[0].final["fluency"]) == "0.0"


def test_csv_references_are_literals_and_never_run(tmp_path):
    bad = "imgid,cand,refs,score\nq,a,\"[__import__('os').system('true')]\",0.5\n"
    with pytest.raises(RatingsError, match="refs"):
        load_set("polaris", write(tmp_path / "x.csv", bad))
    good = "imgid,cand,refs,score\nq,a,\"['one', 'two']\",0.5\n"
    assert load_set("polaris", write(tmp_path / "y.csv", good)).rows[0].references == ("one", "two")


@pytest.mark.parametrize(
    "name", ["chocolate", "flickr8k-expert", "flickr8k-cf", "pascal-50s", "nebula", "polaris", "f2tbenchmark"]
)
def test_the_form_is_recognised(name, tmp_path):
    found = sniff(write(tmp_path / "native.json", NATIVE[name]))
    assert found == ("nebula" if name == "polaris" else name)  # the two share a form


def test_table_takes_every_way_to_write_ratings(tmp_path):
    rows = [
        {"id": "a", "figure": 1, "ratings": {"faithfulness": 2, "logicity": [1, 2, None]}},
        {"id": "b", "figure": 1, "ratings": {"faithfulness": {"0": 1, "1": 0}}},
        {"id": "c", "figure": 2, "faithfulness": "1"},
    ]
    loaded = load_set("table", write(tmp_path / "r.jsonl", rows))
    assert loaded.rows[0].ratings == {"faithfulness": (2, None), "logicity": (1, 2)}
    assert loaded.rows[1].ratings["faithfulness"] == (1, 0)
    assert loaded.rows[2].ratings["faithfulness"] == (1, None)


def test_table_long_form_has_a_row_a_rater(tmp_path):
    text = "id,rater,faithfulness\na,ann,2\na,bob,1\nb,bob,0\n"
    loaded = load_set("table", write(tmp_path / "r.csv", text))
    assert loaded.rater_names == ("ann", "bob")
    assert [r.ratings["faithfulness"] for r in loaded.rows] == [(2, 1), (None, 0)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a", "ratings": {"faithfulness": 2}}, {"id": "a", "ratings": {"faithfulness": 1}}], "twice"),
        ([{"id": c, "ratings": {"faithfulness": 5}} for c in "abcd"], r"4 ratings are off.*a: faithfulness 5, b"),
        ([{"id": "a", "ratings": {"faithfulness": "good"}}], "not a number"),
        ([{"id": "a", "ratings": {"faithfulness": True}}], "not a number"),
        ([{"text": "no id"}], "no field 'id'"),
        ([{"id": "a", "text": "no ratings"}], "no ratings"),
        ([{"id": "a", "text": ["x", "y"], "errors": [[]]}], "2 sentences but 1"),
    ],
)
def test_bad_ratings_are_one_clear_line(rows, message, tmp_path):
    with pytest.raises(RatingsError, match=message) as e:
        load_set("table", write(tmp_path / "r.jsonl", rows))
    assert "\n" not in str(e.value)


def test_fields_can_be_mapped_and_unknown_ones_are_refused(tmp_path):
    path = write(tmp_path / "n.json", [{"picture": "q", "mt": "a bus", "grade": 0.75}])
    loaded = load_set("nebula", path, {"figure": "picture", "rating": "grade"})
    assert loaded.rows[0].final == {"overall": 0.75}
    with pytest.raises(RatingsError, match="--field"):
        load_set("nebula", path)
    with pytest.raises(UsageError, match="figrue"):
        load_set("nebula", path, {"figrue": "picture"})


@pytest.mark.parametrize("content", ["", "[", "{}", "[]", "[1, 2]", '{"a": 3}', '{"HI": [{"captions": ["one"]}]}'])
@pytest.mark.parametrize("name", sorted(SETS))
def test_no_broken_file_gets_past_with_a_traceback(name, content, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(F2TEvalError):
        load_set(name, path)


def test_list_says_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setenv("F2TEVAL_HOME", str(tmp_path))
    assert find_set("nebula") is None
    with pytest.raises(InputError, match="huggingface"):
        load_set("nebula")
    (tmp_path / "sets").mkdir()
    write(tmp_path / "sets" / "nebula.json", NATIVE["nebula"])
    rows = {r["name"]: r for r in describe_sets()}
    assert rows["nebula"]["present"].endswith("nebula.json")
    assert rows["thumb"]["present"] == "no"
    assert "unverified" in rows["scicap-eval"]["loader"]
    assert all(r["licence"] and r["get it"] and r["size"] for r in rows.values())
    assert len(load_set("nebula").rows) == 1
    with pytest.raises(UnknownNameError, match="did you mean 'nebula'"):
        load_set("nebulla")


DATA = os.environ.get("F2TEVAL_TEST_DATA", "")


@pytest.mark.skipif(not DATA, reason="F2TEVAL_TEST_DATA names no folder of real rating sets")
@pytest.mark.parametrize(
    ("path", "name", "texts"),
    [
        ("nebula_test.json", "nebula", 3298),
        ("chocolate-dev", "chocolate", 378),
        ("formats/flickr8k.sample.json", "flickr8k-expert", 31),
        ("formats/pascal_50s.sample.json", "pascal-50s", 24),
        ("formats/polaris_exp.sample.json", "nebula", 5),
        ("formats/thumb.sample.jsonl", "thumb", 5),
    ],
)
def test_real_files(path, name, texts):
    where = Path(DATA) / path
    assert sniff(where) == name
    assert len(load_set(name, where).rows) == texts
