"""``f2teval meta`` and ``f2teval compare`` from files to tables: joins, gaps, layouts, formats, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner

from f2teval.cli.compare import compare
from f2teval.cli.meta import meta
from f2teval.errors import F2TEvalError, InputError, RatingsError, UsageError
from f2teval.meta.correlation import kendall_b, pearson
from f2teval.rubric import DIMENSION_NAMES


def jsonl(path, rows):
    path.write_text("\n".join(json.dumps(r) for r in rows) + "\n", encoding="utf-8")
    return str(path)


def run(command, *args):
    """Output on the screen; raises what the command raises."""
    result = CliRunner().invoke(command, [str(a) for a in args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def tables(*args):
    """Tables by key, from the JSON output."""
    return {t["key"]: t for t in json.loads(run(meta, *args, "--format", "json"))["tables"]}


def cell(table, row, column):
    """The cell under ``column`` (its label, or ``group label``)."""
    heads = [f"{c['group']} {c['label']}".strip() for c in table["columns"]]
    found = next(r for r in table["rows"] if r["label"] == row)
    return found["cells"][heads.index(column)]


@pytest.fixture
def five(tmp_path):
    """40 figures × 3 systems, two raters, five dimensions; a good metric with gaps, a one-number metric, a constant."""
    rng = np.random.default_rng(0)
    ratings, good, plain, flat = [], [], [], []
    for f in range(40):
        for s in range(3):
            key = f"{f}-{s}"
            q = rng.normal() + 0.5 * s
            grades = {
                d: [int(np.clip(np.round(1 + q + rng.normal() * 0.3), 0, 2)) for _ in range(2)] for d in DIMENSION_NAMES
            }
            ratings.append({"id": key, "figure": f, "system": f"s{s}", "ratings": grades})
            scores = {d: float(np.clip(1 + 0.8 * q + rng.normal() * 0.4, 0, 2)) for d in DIMENSION_NAMES}
            row = {"id": key, "system": f"s{s}", "metric": "good", "signature": "good|v:1", "status": "ok",
                   "scores": scores, "overall": sum(scores.values()) / 10, "elapsed_ms": 100.0}  # fmt: skip
            if (f, s) in ((0, 0), (1, 1)):
                row = {"id": key, "metric": "good", "signature": "good|v:1", "status": "unscored", "reason": "no image"}
            good.append(row)
            plain.append({"id": key, "score": 30 * rng.normal() + 10 * q})
            flat.append({"id": key, "score": 1.0})
    return {
        "ratings": jsonl(tmp_path / "ratings.jsonl", ratings),
        "good": jsonl(tmp_path / "good.jsonl", good),
        "plain": jsonl(tmp_path / "plain.jsonl", plain),
        "flat": jsonl(tmp_path / "flat.jsonl", flat),
        "rows": (ratings, good, plain),
    }


def test_numbers_in_the_table_are_those_of_the_rows(five):
    ratings, good, _ = five["rows"]
    t = tables(five["good"], "--ratings", five["ratings"], "--rounds", "50")
    scored = {g["id"]: g for g in good if g["status"] == "ok"}
    x = np.array([scored[r["id"]]["overall"] for r in ratings if r["id"] in scored])
    y = np.array([np.mean([np.mean(v) for v in r["ratings"].values()]) / 2 for r in ratings if r["id"] in scored])
    found = cell(t["main"], "good", "PC")
    assert found["value"] == pytest.approx(pearson(x, y).value)
    assert found["low"] < found["value"] < found["high"]
    assert cell(t["main"], "good", "τ-b")["value"] == pytest.approx(kendall_b(x, y).value)
    assert cell(t["main"], "good", "MAE")["value"] == pytest.approx(np.abs(x - y).mean())
    assert set(t) >= {"main", "dimensions", "systems", "agreement", "power", "efficiency", "coverage"}
    faith = cell(t["dimensions"], "good", "faithfulness PC")["value"]
    assert faith > 0.5
    assert cell(t["efficiency"], "good", "RT(s)")["value"] == pytest.approx(11.8)


def test_every_table_counts_what_was_not_scored(five):
    t = tables(five["good"], five["plain"], "--ratings", five["ratings"], "--rounds", "20")
    assert all("118/120" in json.dumps(x) for x in t.values())
    for key in ("main", "dimensions", "systems", "efficiency", "coverage"):
        assert cell(t[key], "good", "scored") == "118/120"
        assert cell(t[key], "plain", "scored") == "120/120"
    assert "118/120" in cell(t["comparisons"], "good − plain", "scored")
    assert "no image" in cell(t["coverage"], "good", "why")
    # Both are compared on the 118 texts that both scored, and the table says so.
    assert cell(t["main"], "plain", "PC")["n"] == 118
    assert any("118 rows" in n for n in t["main"]["notes"])
    own = tables(five["good"], five["plain"], "--ratings", five["ratings"], "--rounds", "20", "--rows", "own")
    assert cell(own["main"], "plain", "PC")["n"] == 120
    assert "comparisons" not in own


def test_undefined_cells_are_marked_with_their_reason(five):
    t = tables(five["flat"], five["plain"], "--ratings", five["ratings"], "--rounds", "20")
    flat = cell(t["main"], "flat", "τ-b")
    assert flat["value"] is None
    assert flat["reason"] == "all scores are equal"
    assert "ratings in 0–1" in cell(t["main"], "plain", "MAE")["reason"]
    text = run(meta, five["flat"], "--ratings", five["ratings"], "--rounds", "20")
    assert "—(1)" in text
    assert "all scores are equal" in text
    assert "nan" not in text.lower()


def test_a_metric_that_scored_nothing_is_shown_not_dropped(five, tmp_path):
    ratings, _, _ = five["rows"]
    none = [{"id": r["id"], "metric": "none", "status": "unscored", "reason": "no model"} for r in ratings]
    path = jsonl(tmp_path / "none.jsonl", none)
    for extra in ([], ["--average", "item"], ["--average", "system"]):
        t = tables(path, "--ratings", five["ratings"], "--rounds", "20", *extra, "--html", tmp_path / "n.html")
        assert cell(t["main"], "none", "scored") == "0/120"
        assert cell(t["main"], "none", "PC")["value"] is None
        assert cell(t["coverage"], "none", "why") == "120 × no model"


def test_only_scored_figures_are_drawn(five, tmp_path):
    _, good, _ = five["rows"]
    some = jsonl(tmp_path / "some.jsonl", good[:30])
    t = tables(some, "--ratings", five["ratings"], "--rounds", "20")
    assert any("20 rounds over 10 scored figures" in n for n in t["main"]["notes"])


def test_people_stand_beside_metrics(five):
    t = tables(five["good"], "--ratings", five["ratings"], "--rounds", "20")
    human = cell(t["main"], "people", "PC")
    assert 0.5 < human["low"] < human["value"] < human["high"] < 1
    assert cell(t["agreement"], "faithfulness", "raters") == 2
    assert cell(t["agreement"], "overall", "Krippendorff α (ordinal)")["value"] > 0.5


def test_people_are_averaged_and_cut_down_as_the_metrics_are(five):
    """By hand: each of the two raters against the other, within each figure, on the texts the metric scored."""
    ratings, good, _ = five["rows"]
    scored = {g["id"] for g in good if g["status"] == "ok"}
    t = tables(
        five["good"], "--ratings", five["ratings"], "--rounds", "0", "--average", "item", "--target", "faithfulness"
    )
    by_figure: dict = {}
    for r in ratings:
        if r["id"] in scored:
            by_figure.setdefault(r["figure"], []).append(r["ratings"]["faithfulness"])
    found = [pearson(*np.array(v, dtype=float).T).value for v in by_figure.values()]
    expected = np.mean([v for v in found if v is not None])
    assert cell(t["main"], "people", "PC")["value"] == pytest.approx(expected)
    assert cell(t["main"], "people", "PC")["n"] == 118


def test_enough_rounds_for_many_metrics(tmp_path):
    """Fifteen metrics are 105 comparisons: at 100 rounds Holm's correction would hide every difference."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    ratings = jsonl(tmp_path / "r.jsonl", [{"id": str(i), "ratings": {"overall": v}} for i, v in enumerate(y)])
    columns = {f"m{k}": y + rng.normal(size=60) * (0.1 if k < 8 else 5) for k in range(15)}
    rows = [{"id": str(i), **{m: float(v[i]) for m, v in columns.items()}} for i in range(60)]
    t = tables(jsonl(tmp_path / "s.jsonl", rows), "--ratings", ratings, "--rounds", "250", "--by", "pearson")
    assert cell(t["comparisons"], "m0 − m14", "p (Holm)")["value"] < 0.05
    assert any("4200 rounds" in n for n in t["comparisons"]["notes"])
    few = tables(tmp_path / "s.jsonl", "--ratings", ratings, "--rounds", "50", "--test", "bootstrap")
    assert any("rounds are few" in n for n in few["coverage"]["notes"])


def test_letters_and_tests_tell_a_good_metric_from_noise(five):
    for extra in ([], ["--test", "bootstrap"], ["--test", "williams", "--by", "pearson"], ["--average", "item"]):
        t = tables(five["good"], five["plain"], "--ratings", five["ratings"], "--rounds", "200", *extra)
        assert cell(t["main"], "good", "letters") == "a", extra
        assert cell(t["main"], "plain", "letters") == "b", extra
        assert cell(t["comparisons"], "good − plain", "p (Holm)")["value"] < 0.05


def test_averaging_and_aggregation_change_numbers_and_are_printed(five):
    values = {}
    for average in ("none", "item", "system"):
        t = tables(five["good"], "--ratings", five["ratings"], "--rounds", "20", "--average", average)
        values[average] = cell(t["main"], "good", "τ-b")["value"]
        assert any(n.startswith(f"averaging {'by ' * (average != 'none')}{average}") for n in t["main"]["notes"])
    assert len({round(v, 6) for v in values.values()}) == 3
    t = tables(
        five["good"], "--ratings", five["ratings"], "--rounds", "20", "--aggregate", "none", "--target", "faithfulness"
    )
    assert cell(t["main"], "good", "PC")["n"] == 236
    assert any("unaggregated" in n for n in t["main"]["notes"])


def test_the_same_seed_gives_the_same_file(five, tmp_path):
    for name in ("a", "b"):
        run(meta, five["good"], five["plain"], "--ratings", five["ratings"], "--rounds", "50", "--html",
            tmp_path / f"{name}.html", "--format", "csv", "-o", tmp_path / f"{name}.csv")  # fmt: skip
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_formats(five, tmp_path):
    args = (five["good"], five["plain"], "--ratings", five["ratings"], "--rounds", "20")
    markdown = run(meta, *args, "--format", "markdown")
    lines = [x for x in markdown.splitlines() if x.startswith("|")]
    assert "**" in markdown
    assert all(len(re.findall(r"(?<!\\)\|", x)) >= 3 for x in lines)
    latex = run(meta, *args, "--format", "latex")
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") >= 5
    assert r"\multicolumn{2}{c}{faithfulness}" in latex
    for block in re.findall(r"\\begin\{tabular\}\{(l(?:r+))\}(.*?)\\end\{tabular\}", latex, re.S):
        last = [x for x in block[1].splitlines() if x.endswith(r"\\")][-1]
        assert len(re.split(r"(?<!\\)&", last)) == len(block[0])
    rows = list(csv.DictReader(io.StringIO(run(meta, *args, "--format", "csv"))))
    pc = next(r for r in rows if (r["table"], r["row"], r["column"]) == ("main", "good", "PC"))
    assert float(pc["low"]) < float(pc["value"]) < float(pc["high"])


def test_the_page_stands_alone_and_escapes(five, tmp_path):
    evil = tmp_path / "evil.jsonl"
    rows = five["rows"][1]
    jsonl(evil, [{**r, "metric": "<script>alert(1)</script>", "reason": "<img src=x>"} for r in rows])
    run(meta, evil, five["plain"], "--ratings", five["ratings"], "--rounds", "20", "--html", tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert not re.search(r"<[^>]*\b(?:src|href)\s*=", page)
    svgs = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(svgs) >= 6  # bars, two scatters, two calibrations, heatmap
    for svg in svgs:
        ET.fromstring(svg)
        assert "nan" not in svg.lower()


def test_ids_that_do_not_join_say_how_many_and_show_three(five, tmp_path):
    other = jsonl(tmp_path / "o.jsonl", [{"id": f"x{i}", "score": i} for i in range(7)])
    with pytest.raises(RatingsError, match=r"7 scores.*120 rated.*x0, x1, x2.*0-0, 0-1, 0-2"):
        run(meta, other, "--ratings", five["ratings"])
    part = jsonl(tmp_path / "part.jsonl", [{"id": f"{f}-0", "score": f} for f in range(40)])
    t = tables(part, "--ratings", five["ratings"], "--rounds", "20")
    assert any("80 rated texts have no score row (e.g. 0-1, 0-2, 1-1)" in n for n in t["coverage"]["notes"])
    assert cell(t["main"], "part", "scored") == "40/120"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "0-0", "score": 1}, {"id": "0-0", "score": 2}], "1 rows repeat an id, e.g. 0-0"),
        ([{"score": 1}], "without an id"),
        ([{"id": "0-0", "note": "x"}], "no scores"),
    ],
)
def test_bad_score_files(five, tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        run(meta, jsonl(tmp_path / "bad.jsonl", rows), "--ratings", five["ratings"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--statistic", "kendal_b"], "did you mean 'kendall_b'"),
        (["--scale", "faithfulness=0:1"], r"off the declared scale"),
        (["--scale", "nonsense"], "LOW:HIGH"),
        (["--target", "taste"], "no ratings of 'taste'"),
        (["--test", "williams", "--by", "kendall_b"], "pearson"),
        (["--by", "accuracy"], "bootstrap"),
        (["--table", "nope"], "no table 'nope'"),
        (["--set", "nebulla"], "did you mean 'nebula'"),
    ],
)
def test_wrong_options_are_one_clear_line(five, args, message):
    with pytest.raises(F2TEvalError, match=message) as e:
        run(meta, five["good"], "--ratings", five["ratings"], "--rounds", "10", *args)
    assert "\n" not in str(e.value)


def test_averaging_by_item_needs_several_texts_a_figure(tmp_path):
    ratings = jsonl(tmp_path / "r.jsonl", [{"id": str(i), "overall": i % 3} for i in range(9)])
    scores = jsonl(tmp_path / "s.jsonl", [{"id": str(i), "score": i} for i in range(9)])
    with pytest.raises(UsageError, match="several texts about one figure"):
        run(meta, scores, "--ratings", ratings, "--average", "item")
    with pytest.raises(UsageError, match="system"):
        run(meta, scores, "--ratings", ratings, "--average", "system")


def test_a_system_with_one_text_is_named(tmp_path):
    rows = [{"id": f"{i}{s}", "figure": i, "system": s, "overall": i % 3} for i in range(5) for s in "ab"]
    rows.append({"id": "lone", "figure": 0, "system": "c", "overall": 1})
    scores = jsonl(tmp_path / "s.jsonl", [{"id": r["id"], "score": k} for k, r in enumerate(rows)])
    t = tables(scores, "--ratings", jsonl(tmp_path / "r.jsonl", rows), "--rounds", "20")
    assert "c has one text only" in cell(t["systems"], "s", "soft pairwise accuracy")["reason"]
    assert any("one text, which no test can place: c" in n for n in t["systems"]["notes"])


def test_chocolate_leaderboard_and_samples(tmp_path):
    rng = np.random.default_rng(1)
    rows, scores = [], []
    for i in range(60):
        system = ("gpt4v", "deplot", "matcha")[i % 3]
        wrong = [bool(rng.integers(0, 2)) for _ in range(3)]
        text = [f"Sentence {k} of {i}." for k in range(3)]
        rows.append({"_id": str(i), "sentences": text, "labels": [["value_error"] * w for w in wrong], "model": system,
                     "image_path": f"{i % 20}.png"})  # fmt: skip
        at, spans = 0, []
        for t, w in zip(text, wrong):
            p = float(np.clip(0.3 + 0.4 * w + 0.2 * rng.normal(), 0, 1))
            spans.append({"text": t, "start": at, "end": at + len(t), "p_error": p, "errors": []})
            at += len(t) + 1
        scores.append({"id": str(i), "metric": "m", "signature": "m", "status": "ok", "scores": {}, "value": 0.0,
                       "sentences": spans})  # fmt: skip
    rows[0]["labels"] = [["grammatical_error"], [], []]  # bad grammar is no factual error
    ratings = tmp_path / "chocolate.json"
    ratings.write_text(json.dumps(rows))
    t = tables(jsonl(tmp_path / "m.jsonl", scores), "--ratings", ratings, "--rounds", "50",
               "--column", "sentence_product", "--target", "factual")  # fmt: skip
    groups = t["groups"]
    assert {c["group"] for c in groups["columns"]} >= {"LVLM", "LLM", "FT", "sentences FT", "sentences"}
    p = np.array([s["p_error"] for r in scores for s in r["sentences"]])
    w = np.array(["value_error" in e for r in rows for e in r["labels"]])
    pairs = (p[w][:, None] > p[~w][None, :]).mean()
    assert cell(groups, "m", "sentences AUC")["value"] == pytest.approx(pairs, abs=1e-9)
    right = np.array([np.prod([1 - s["p_error"] for s in r["sentences"]]) for r in scores])
    factual = np.array([float(not any("value_error" in e for e in r["labels"])) for r in rows])
    assert cell(t["main"], "m", "τ-b")["value"] == pytest.approx(kendall_b(right, factual).value)
    assert {c["label"] for c in groups["columns"]} == {"scored", "τ-c", "AUC"}  # as published
    run(meta, "--ratings", ratings, "--samples-out", tmp_path / "samples.jsonl")
    first = json.loads((tmp_path / "samples.jsonl").read_text().splitlines()[0])
    assert (first["id"], first["text"], first["system"]) == ("0", rows[0]["sentences"], "gpt4v")
    assert first["image"] == str(tmp_path / "0.png")  # beside the ratings


def test_a_rating_is_set_against_the_dimension_that_means_the_same(tmp_path):
    rng = np.random.default_rng(2)
    rows = [{"_id": str(i), "sentences": ["a"], "labels": [["value_error"] * (i % 2)], "image_path": f"{i}.png"}
            for i in range(20)]  # fmt: skip
    scores = [{"id": str(i), "metric": "m", "status": "ok", "value": None, "overall": float(rng.uniform()),
               "scores": {"faithfulness": 2.0 - i % 2, "logicity": float(i % 2)}} for i in range(20)]  # fmt: skip
    ratings = tmp_path / "chocolate.json"
    ratings.write_text(json.dumps(rows))
    path = jsonl(tmp_path / "m.jsonl", scores)
    t = tables(path, "--ratings", ratings, "--rounds", "0")
    assert cell(t["main"], "m", "AUC")["value"] == 1
    assert "factual: set against the faithfulness of m" in t["main"]["notes"]
    t = tables(path, "--ratings", ratings, "--rounds", "0", "--column", "factual=logicity")
    assert cell(t["main"], "m", "AUC")["value"] == 0
    with pytest.raises(F2TEvalError, match="no metric has a column 'x'; there are faithfulness, logicity, overall"):
        run(meta, path, "--ratings", ratings, "--column", "x")


def test_pairs_and_ranks(tmp_path):
    pairs = {"HC": [{"image": f"{i}", "captions": ["a", "b"], "label": i % 2} for i in range(10)]}
    (tmp_path / "p.json").write_text(json.dumps(pairs))
    # Right on the pairs that prefer the first text, wrong on the rest, one tie.
    scores = [{"id": f"HC-{i}/{k}", "score": 1 - k if i else 0} for i in range(10) for k in (0, 1)]
    t = tables(jsonl(tmp_path / "s.jsonl", scores), "--ratings", tmp_path / "p.json", "--rounds", "20")
    assert cell(t["pairs"], "s", "HC")["value"] == pytest.approx(4.5 / 10)
    rows = [
        {"figure_id": f, "approach": s, "caption": "c", "phd_rank": (f + s) % 6 + 1} for f in range(8) for s in range(6)
    ]
    (tmp_path / "r.json").write_text(json.dumps(rows))
    scores = [{"id": f"{r['figure_id']}/{r['approach']}", "score": 7 - r["phd_rank"]} for r in rows]
    path = jsonl(tmp_path / "s2.jsonl", scores)
    t = tables(path, "--ratings", tmp_path / "r.json", "--set", "scicap-eval", "--rounds", "20",
               "--ablate", "s2=s2")  # fmt: skip
    assert cell(t["ranks"], "s2", "reversed rank PC")["value"] == pytest.approx(1)
    assert cell(t["ranks"], "s2", "reversed reciprocal rank PC")["value"] < -0.8
    assert cell(t["ablation"], "s2 | s2", "t")["value"] is None


def test_compare_finds_the_better_system_and_quotes_the_evidence(tmp_path):
    rng = np.random.default_rng(0)
    files, everything = {}, {}
    for name, shift in (("old", 0.0), ("new", 0.35)):
        rows = []
        for i in range(60):
            drop = -1.2 if (name, i) == ("new", 7) else 0.0
            scores = {
                d: float(np.clip(0.9 + shift * (d != "conciseness") + 0.2 * rng.normal() + drop, 0, 2))
                for d in DIMENSION_NAMES
            }
            error = {"type": "value", "start": 0, "end": 2, "said": "42", "seen": "24", "confidence": 0.9}
            rows.append({"id": str(i), "system": name, "metric": "evidence", "signature": "e|1", "status": "ok",
                         "scores": scores, "overall": sum(scores.values()) / 10,
                         "sentences": [{"text": "42", "start": 0, "end": 2, "p_error": 0.9,
                                        "errors": [error] if drop else []}]})  # fmt: skip
        rows[3] = (
            {
                "id": "3",
                "system": name,
                "metric": "evidence",
                "signature": "e|1",
                "status": "unscored",
                "reason": "bad image",
            }
            if name == "old"
            else rows[3]
        )
        everything[name] = rows
        files[name] = jsonl(tmp_path / f"{name}.jsonl", rows)
    out = {t["key"]: t for t in json.loads(run(compare, files["old"], files["new"], "--format", "json"))["tables"]}
    assert cell(out["compare"], "overall", "verdict") == "new is better"
    assert cell(out["compare"], "conciseness", "verdict") == "no difference shown"
    assert cell(out["compare"], "overall", "effect d")["value"] > 1
    assert cell(out["compare"], "overall", "n") == 59
    assert any("A: 1 texts unscored (bad image)" in n for n in out["compare"]["notes"])
    worst = out["regressions"]["rows"][0]
    assert worst["label"] == "7"
    assert "says “42”, figure shows “24”" in worst["cells"][2]
    rows = everything["new"]
    other = jsonl(tmp_path / "other.jsonl", [{**r, "signature": "e|2"} for r in rows])
    with pytest.raises(UsageError, match="different versions"):
        run(compare, files["old"], other)
    moved = jsonl(tmp_path / "moved.jsonl", [{**r, "id": "z" + r["id"]} for r in rows])
    with pytest.raises(InputError, match="no id in common: 60 texts"):
        run(compare, files["old"], moved)
