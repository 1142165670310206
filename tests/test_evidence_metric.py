"""The default metric end to end on a reading made by hand: no OCR, so that what fails here is the judging."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import f2teval
from f2teval.errors import CheckpointError, ImageError
from f2teval.evidence.analysis import Readings
from f2teval.figure.reading import Axis, Cell, Reading, Series, TextBox, Tick
from f2teval.metrics.evidence import EvidenceMetric
from f2teval.rubric import DIMENSION_NAMES, ERROR_TYPES
from f2teval.sample import Sample

VALUES = {"Norway": 82.0, "Chile": 41.0, "Kenya": 23.0, "Japan": 64.0}


def reading() -> Reading:
    names = list(VALUES)
    texts = [TextBox("Share of electricity from hydropower, 2021", (10, 5, 300, 20), role="title")]
    cells = []
    for k, (name, value) in enumerate(VALUES.items()):
        y = 40.0 + 30 * k
        texts.append(TextBox(name, (10, y, 60, y + 12), role="category"))
        texts.append(TextBox(f"{value:.0f}%", (80 + 2 * value, y, 110 + 2 * value, y + 12), role="value_label"))
        cells.append(
            Cell("", name, value, origin="label", tolerance=0.5, confidence=0.95, box=(70, y, 70 + 2 * value, y + 12))
        )
    return Reading(
        320, 200, tuple(texts), "horizontal_bar", 0.95, 0.98, title=texts[0].text, plot_area=(70, 30, 300, 180),
        axes=(Axis("y", "category", tuple(Tick(n, None, 46.0 + 30 * k) for k, n in enumerate(names))),),
        series=(Series("", "#336699", "blue"),), categories=tuple(names), category_kind="category",
        cells=tuple(cells), unit="%",
    )  # fmt: skip


RIGHT = "Norway has the highest share at 82%, followed by Japan at 64%. Kenya has the lowest share, 23%."
WRONG = "Kenya has the highest share at 82%, followed by Japan at 31%. Norway has the lowest share, 23%."


@pytest.fixture
def metric(monkeypatch: pytest.MonkeyPatch) -> EvidenceMetric:
    import f2teval.figure.reader as reader

    def read(image: object, *, cache: bool = True) -> Reading:
        if image == Path("missing.png"):
            raise ImageError("no such file", where="missing.png")
        return reading()

    monkeypatch.setattr(reader, "read_figure", read)
    return EvidenceMetric(cache=False)


def one(metric: EvidenceMetric, text: str, image: Path | None = Path("x.png"), **fields: object):
    return metric.score_batch([Sample("a", text, image, **fields)])[0]  # type: ignore[arg-type]


def test_wrong_numbers_and_swapped_names_cost_faithfulness_and_are_shown(metric: EvidenceMetric) -> None:
    right, wrong = one(metric, RIGHT), one(metric, WRONG)
    assert right.scores["faithfulness"] > wrong.scores["faithfulness"] + 0.5
    assert not [e for s in right.sentences for e in s.errors]
    said = [(e.type, e.said, e.seen) for s in wrong.sentences for e in s.errors]
    assert any("31" in said_ and "64" in seen for _, said_, seen in said)
    assert any(kind == "label" for kind, _, _ in said)
    for s in wrong.sentences:
        assert WRONG[s.start : s.end] == s.text
        for e in s.errors:
            assert e.type in ERROR_TYPES
            assert s.start <= e.start < e.end <= s.end
    assert any(e.box for s in wrong.sentences for e in s.errors)


def test_every_score_is_the_sum_of_what_explain_shows(metric: EvidenceMetric) -> None:
    for text in (RIGHT, WRONG):
        score = one(metric, text)
        for d in ("completeness", "conciseness", "logicity", "analysis"):
            total = sum(score.explain[d].values())
            assert score.scores[d] == pytest.approx(min(2.0, max(0.0, total)), abs=0.08)
        p = [s.p_error for s in score.sentences]
        worst, mean = 1 - max(p), sum(1 - q for q in p) / len(p)
        assert score.scores["faithfulness"] == pytest.approx(1.5 * worst + 0.5 * mean)


def test_without_a_picture_only_what_needs_none_is_judged(metric: EvidenceMetric) -> None:
    score = one(metric, RIGHT, None)
    assert score.status == "ok"
    assert {d for d in DIMENSION_NAMES if score.scores[d] is None} == {"faithfulness", "completeness", "analysis"}
    assert set(score.reasons) == {"faithfulness", "completeness", "analysis"}
    assert score.overall is None
    assert all(s.p_error is None for s in score.sentences)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("Das Diagramm zeigt, dass der Umsatz in den Jahren von 2010 bis 2020 deutlich gestiegen ist.", "English"),
        ("图表显示了2010年至2020年的销售额。", "English"),
    ],
)
def test_what_cannot_be_judged_is_unscored_with_the_reason(metric: EvidenceMetric, text: str, reason: str) -> None:
    score = one(metric, text)
    assert score.status == "unscored"
    assert reason in (score.reason or "")
    assert score.scores == {}
    assert score.overall is None


def test_one_bad_picture_does_not_stop_the_batch(metric: EvidenceMetric) -> None:
    rows = metric.score_batch([Sample("a", RIGHT, Path("missing.png")), Sample("b", RIGHT, Path("x.png"))])
    assert [r.status for r in rows] == ["unscored", "ok"]
    assert "no such file" in (rows[0].reason or "")


def test_numbers_do_not_depend_on_the_batch(metric: EvidenceMetric) -> None:
    samples = [Sample(str(k), t, Path("x.png")) for k, t in enumerate([RIGHT, WRONG, RIGHT + " " + WRONG])]
    together = metric.score_batch(samples)
    alone = [metric.score_batch([s])[0] for s in samples]
    for a, b in zip(together, alone):
        assert a.scores == b.scores
        assert [s.p_error for s in a.sentences] == [s.p_error for s in b.sentences]


def test_given_sentences_are_kept_one_for_one(metric: EvidenceMetric) -> None:
    sample = Sample.from_sentences("a", ["Norway leads with 82%.", "", "1.", "Kenya is last."], image=Path("x.png"))
    score = metric.score_batch([sample])[0]
    assert [s.text for s in score.sentences] == ["Norway leads with 82%.", "", "1.", "Kenya is last."]


def test_saying_more_of_the_figure_is_more_complete_and_repeating_less_concise(metric: EvidenceMetric) -> None:
    short = one(metric, "Chile is at 41%.")
    full = one(metric, "The bar chart shows the share of electricity from hydropower in 2021. " + RIGHT)
    twice = one(metric, RIGHT + " " + RIGHT)
    assert full.scores["completeness"] > short.scores["completeness"]
    assert len(full.coverage.missing) < len(short.coverage.missing)
    assert one(metric, RIGHT).scores["conciseness"] > twice.scores["conciseness"]


def test_a_very_long_text_is_cut_with_a_warning(metric: EvidenceMetric) -> None:
    score = one(metric, RIGHT + " " + "Japan is at 64%. " * 6000)
    assert score.status == "ok"
    assert any("characters were judged" in w for w in score.warnings)


def test_readings_stay_few_and_notice_a_changed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import f2teval.figure.reader as reader

    calls: list[object] = []
    monkeypatch.setattr(reader, "read_figure", lambda image, *, cache=True: (calls.append(image), reading())[1])
    readings = Readings(capacity=2)
    paths = [tmp_path / f"{k}.png" for k in range(3)]
    for p in paths:
        p.write_bytes(b"x")
    for p in [*paths, paths[2], paths[1]]:
        readings.get(p)
    assert len(calls) == 3  # the two last are still there
    readings.get(paths[0])  # was pushed out
    assert len(calls) == 4
    paths[0].write_bytes(b"another picture")
    readings.get(paths[0])
    assert len(calls) == 5


def test_cards_of_ones_own_change_the_signature_and_bad_folders_are_refused(tmp_path: Path) -> None:
    from f2teval.evidence.cards import WEIGHTS

    card = json.loads((WEIGHTS / "conciseness.json").read_text())
    (tmp_path / "conciseness.json").write_text(json.dumps({**card, "intercept": card["intercept"] + 0.1}))
    assert EvidenceMetric(cards=tmp_path).signature != EvidenceMetric().signature
    with pytest.raises(CheckpointError, match="no such folder"):
        EvidenceMetric(cards=tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="holds no scorecard"):
        EvidenceMetric(cards=tmp_path / "empty")


def test_python_api(metric: EvidenceMetric) -> None:
    scores = f2teval.score([Sample("a", RIGHT, Path("x.png"))], metric=metric)
    assert next(iter(scores)).scores["faithfulness"] > 1.0
