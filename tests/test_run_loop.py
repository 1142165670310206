"""The run loop: order, batches, bad rows, crashes, the Python face."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stubs import WordMetric, lengths

import f2teval
from f2teval.data import BadRow
from f2teval.errors import InputError, UnknownNameError, UsageError
from f2teval.metric import MetricInfo
from f2teval.run import MetricSpec, run
from f2teval.sample import Sample
from f2teval.score import Score

SPEC = [MetricSpec(WordMetric())]


def samples(*texts: str) -> list[Sample]:
    return [Sample(str(n), t) for n, t in enumerate(texts)]


def test_score_is_callable_and_still_a_module() -> None:
    from f2teval.score import Score as same

    assert f2teval.score.Score is same  # type: ignore[attr-defined]
    (a, b) = f2teval.score([{"text": "all right"}, {"id": "x", "text": "wrong"}], WordMetric())
    assert (a.id, a.scores["faithfulness"], b.id, b.scores["faithfulness"]) == ("row-1", 2.0, "x", 0.5)


def test_a_callable_is_a_metric_and_a_missing_id_is_unscored() -> None:
    a, b = f2teval.score([{"id": "a", "text": "four"}, {"id": "b", "text": "x"}], lambda rows: {"a": 4.0})
    assert (a.value, a.status) == (4.0, "ok")
    assert (b.value, b.status) == (None, "unscored")


def test_a_callable_sees_all_samples_at_once() -> None:
    seen = []

    def relative(rows: Sequence[Sample]) -> dict[str, float]:
        seen.append(len(rows))
        return {s.id: 1 / len(rows) for s in rows}

    scores = f2teval.score([{"text": "t"} for _ in range(700)], relative)
    assert seen == [700]
    assert scores[0].value == 1 / 700


def test_options_and_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'evidence'"):
        f2teval.score([], "evidense")
    with pytest.raises(UsageError, match="not a metric"):
        f2teval.score([], 3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cannot import"):
        f2teval.score([], "no_such_module:x")
    with pytest.raises(UsageError):
        list(run([], []))
    with pytest.raises(InputError):
        f2teval.score("/no/such/file.jsonl", WordMetric())


def test_bad_rows_are_unscored_in_place() -> None:
    items = [Sample("a", "fine"), BadRow("b", "broken", "f.jsonl:2"), Sample("c", " \n"), Sample("d", "boom"),
             Sample("e", "nan"), Sample("f", "fine")]  # fmt: skip
    rows = [r.scores[0] for r in run(items, SPEC)]
    assert [r.id for r in rows] == list("abcdef")
    assert [r.status for r in rows] == ["ok", "unscored", "unscored", "unscored", "unscored", "ok"]
    reasons = [r.reason for r in rows]
    assert reasons[1:5] == [
        "f.jsonl:2: broken",
        "the text is empty",
        "internal error (ValueError: cannot score d)",
        "internal error (RuntimeError: the metric gave NaN or infinity)",
    ]
    assert all(r.overall is None and r.signature == "words" for r in rows[1:5])


def test_a_metric_that_drops_or_swaps_rows_is_caught() -> None:
    class Lossy(WordMetric):
        def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
            return super().score_batch(samples)[::-1][1:]

    rows = [r.scores[0] for r in run(samples("a", "b", "c"), [MetricSpec(Lossy())])]
    assert [r.status for r in rows] == ["unscored"] * 3
    assert "one score a sample" in str(rows[0].reason)


class Sizes(WordMetric):
    """Notes the sizes of its batches."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        self.sizes.append(len(samples))
        return super().score_batch(samples)


def test_a_metric_may_ask_for_its_batch_size() -> None:
    metric = Sizes()
    metric.batch_size = 10  # type: ignore[attr-defined]
    rows = list(run(samples(*["t"] * 25), [MetricSpec(metric)]))
    assert len(rows) == 25
    assert metric.sizes == [10, 10, 5]


def test_texts_about_one_figure_go_together() -> None:
    metric = Sizes()
    items = [Sample(f"{f}-{n}", "t", image=Path(f"{f}.png")) for f in range(3) for n in range(4)]
    list(run(items, [MetricSpec(metric)]))
    assert sum(metric.sizes) == 12
    assert all(size % 4 == 0 for size in metric.sizes)


def test_several_metrics_give_a_tuple_each() -> None:
    rows = list(run(samples("wrong", "right"), [MetricSpec(WordMetric()), MetricSpec(lengths)]))
    assert [[s.metric for s in r.scores] for r in rows] == [["words", "lengths"]] * 2
    assert [r.scores[1].value for r in rows] == [5.0, 5.0]


def test_prepare_is_called_once_with_the_whole_corpus() -> None:
    class Corpus(WordMetric):
        info = MetricInfo("corpus", needs=frozenset({"corpus"}), dimensions=WordMetric.info.dimensions)
        batch_size = 2

        def __init__(self) -> None:
            super().__init__()
            self.corpora: list[list[str]] = []

        def prepare(self, samples: Sequence[Sample]) -> None:
            self.corpora.append([s.id for s in samples])

    metric = Corpus()
    list(run([*samples("a", "b", "c"), Sample("empty", "")], [MetricSpec(metric)]))
    assert metric.corpora == [["0", "1", "2"]]


def test_the_loop_reads_no_more_than_it_needs() -> None:
    """Rows come out before the input has ended, so memory does not grow with it."""
    pulled = 0

    class Endless:
        def __iter__(self):  # type: ignore[no-untyped-def]
            nonlocal pulled
            while True:
                pulled += 1
                yield Sample(str(pulled), "t")

    for jobs in (0, 1):
        pulled = 0
        rows = run(Endless(), [MetricSpec("stubs:WordMetric")], jobs=jobs)
        first = [next(rows).item.id for _ in range(50)]
        rows.close()  # type: ignore[attr-defined]
        assert first == [str(n) for n in range(1, 51)]
        assert pulled < 2000


@given(st.lists(st.sampled_from(["fine", "wrong", "boom", "", "nan", "BAD"]), max_size=30), st.integers(1, 7))
def test_scores_do_not_depend_on_batches(texts: list[str], size: int) -> None:
    items = [BadRow(str(n), "bad", "f:1") if t == "BAD" else Sample(str(n), t) for n, t in enumerate(texts)]
    metric = WordMetric()
    metric.batch_size = size  # type: ignore[attr-defined]
    together = [r.scores[0] for r in run(items, [MetricSpec(metric)])]
    apart = [next(run([i], SPEC)).scores[0] for i in items]

    def bare(s: Score) -> dict[str, object]:
        return {**s.to_row(), "elapsed_ms": 0}

    assert [bare(s) for s in together] == [bare(s) for s in apart]


def test_a_crash_costs_one_row_and_order_is_kept() -> None:
    texts = [f"text {n}" for n in range(60)]
    texts[7] = texts[31] = "segv"
    items = [Sample(str(n), t, image=Path(f"{n // 5}.png")) for n, t in enumerate(texts)]
    rows = [r.scores[0] for r in run(items, [MetricSpec("stubs:WordMetric")], jobs=2)]
    assert [r.id for r in rows] == [str(n) for n in range(60)]
    assert [n for n, r in enumerate(rows) if r.status == "unscored"] == [7, 31]
    assert "crashed the process (SIGSEGV)" in str(rows[7].reason)


def test_worker_errors_are_told_in_plain_words() -> None:
    with pytest.raises(UsageError, match="cannot be sent"):
        list(run(samples("t"), [MetricSpec(_unpicklable())], jobs=1))
    with pytest.raises(f2teval.errors.F2TEvalError, match="does not take these options"):  # type: ignore[attr-defined]
        list(run(samples("t"), [MetricSpec("stubs:WordMetric", {"nope": 1})], jobs=1))


def _unpicklable() -> WordMetric:
    class Local(WordMetric):
        pass

    return Local()


def test_scores_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "wrong", "system": "S"}) + "\n")
    (row,) = f2teval.score(path, WordMetric())
    assert (row.id, row.system, row.sentences[0].errors[0].said) == ("a", "S", "wrong")
