"""``f2teval score`` as a user meets it: outputs, exit codes, gates, and what survives a kill."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from f2teval.data.scores import ScoreFile, read_scores
from f2teval.errors import InputError, UsageError
from f2teval.score import Score, SentenceScore

HERE = Path(__file__).parent
RUN = [sys.executable, "-m", "f2teval"]


def cli(*args: object, code: int = 0, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own; stubs are importable there."""
    command = [*RUN, *(str(a) for a in args)]
    done = subprocess.run(command, cwd=HERE, input=stdin, capture_output=True, timeout=120, **options)
    assert done.returncode == code, (done.returncode, done.stdout[-800:], done.stderr[-800:])
    return done


def score(*args: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return cli("score", "-m", "stubs:WordMetric", "-j", 0, *args, **options)


def make(path: Path, n: int, text: Callable[[int], str] = lambda i: f"text {i}") -> Path:
    rows = ({"id": str(i), "text": text(i), "system": f"s{i % 2}"} for i in range(n))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def error(done: subprocess.CompletedProcess[bytes]) -> str:
    """The last line of stderr; errors are one line."""
    line = done.stderr.decode().strip().splitlines()[-1]
    assert line.startswith("f2teval: error: ")
    assert b"Traceback" not in done.stderr
    return line


def test_table_rows_and_worst_texts(tmp_path: Path) -> None:
    src = make(tmp_path / "in.jsonl", 4, lambda i: "This is wrong." if i == 3 else "Fine.")
    done = score(src, "-o", tmp_path / "out.jsonl")
    text = done.stdout.decode()
    assert "⟦wrong⟧" in text
    assert "said “wrong”, seen “right”" in text
    assert "2/2" in text
    got = rows(tmp_path / "out.jsonl")
    assert [r["id"] for r in got] == ["0", "1", "2", "3"]
    assert got[3]["overall"] == pytest.approx((0.5 + 4) / 10)
    assert got[3]["sentences"][0]["errors"][0]["box"] == [10.0, 10.0, 60.0, 40.0]
    assert set(got[0]) >= {"id", "system", "metric", "signature", "status", "reason", "scores", "overall", "sentences",
                           "coverage", "warnings", "elapsed_ms"}  # fmt: skip


def test_piped_stdout_gets_rows_and_stderr_the_table(tmp_path: Path) -> None:
    done = score("-", stdin=b'{"id":"a","text":"fine"}\n{"id":"b","text":"wrong"}\n')
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "b"]
    assert "means by system" in done.stderr.decode()


def test_one_text_from_stdin() -> None:
    done = score("--text", "-", stdin=b"This is wrong.\n")
    (row,) = (json.loads(line) for line in done.stdout.splitlines())
    assert row["scores"]["faithfulness"] == 0.5


def test_exit_codes(tmp_path: Path) -> None:
    src = make(tmp_path / "in.jsonl", 4, lambda i: "wrong" if i == 3 else "fine")
    out = ("-o", tmp_path / "o.jsonl", "--overwrite")
    score(src, *out, "--fail-under", "faithfulness=1.6", "--fail-under", "overall=0.3")
    done = score(src, *out, "--fail-under", "faithfulness=1.7", code=1)
    assert "mean faithfulness 1.625 < 1.7 (words, 4 texts)" in error(done)
    done = score(src, *out, "--fail-under-each", "faithfulness=1.6", code=1)
    assert "3: faithfulness 0.500 < 1.6" in error(done)
    assert len(rows(tmp_path / "o.jsonl")) == 4  # a gate loses nothing
    score(src, *out, "--fail-under", "value=3", code=1)  # a gate on what was never scored stays shut
    make(src, 2, lambda i: "boom" if i else "fine")
    score(src, *out, code=3)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--fail-under", "faith=1"], "NAME=NUMBER"),
        (["--fail-under", "faithfulness=x"], "NAME=NUMBER"),
        (["--fail-under", "faithfulness=20"], "between 0 and 2"),
        (["-o", "x.txt"], ".jsonl or .parquet"),
        (["--resume"], "needs -o"),
        (["--map", "text"], "NAME=VALUE"),
        (["--sample-id", "nope"], "no sample with id 'nope'"),
        (["--metric", "stubs:WordMetric"], "given twice"),
        (["--image", "x.png"], "one of them"),
        (["--report", "/proc/no/report.html"], "cannot write"),
        (["-o", "/proc/no/out.jsonl"], "cannot write"),
    ],
)
def test_wrong_options_are_one_line(tmp_path: Path, args: list[str], said: str) -> None:
    done = score(make(tmp_path / "in.jsonl", 1), *args, code=2)
    assert said in error(done)


def test_empty_missing_and_foreign_input(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_bytes(b"")
    assert "has no rows" in error(score(tmp_path / "e.jsonl", code=2))
    assert "no such file" in error(score(tmp_path / "x.jsonl", code=2))
    assert "did you mean 'score'" in error(cli("scoer", code=2))
    assert "--image needs --text" in error(cli("score", "--image", "x.png", code=2))
    assert "no such picture" in error(cli("score", "--image", "x.png", "--text", "t", code=2))


def test_an_output_is_not_overwritten_by_accident(tmp_path: Path) -> None:
    src, out = make(tmp_path / "in.jsonl", 2), tmp_path / "o.jsonl"
    score(src, "-o", out)
    assert "--resume carries on, --overwrite starts again" in error(score(src, "-o", out, code=2))
    score(src, "-o", out, "--overwrite")
    assert len(rows(out)) == 2


def test_torn_input_line_is_left_for_a_resume(tmp_path: Path) -> None:
    src, out = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    src.write_text('{"id":"a","text":"fine"}\n{"id":"b","te')
    done = score(src, "-o", out, code=3)
    assert b"in.jsonl:2: the last line is cut off" in done.stderr
    assert [r["id"] for r in rows(out)] == ["a"]
    make(src, 0)
    src.write_text('{"id":"a","text":"fine"}\n{"id":"b","text":"fine"}\n{"id":"c","text":"fine"}\n')
    score(src, "-o", out, "--resume")
    assert [r["id"] for r in rows(out)] == ["a", "b", "c"]


class Barrier:
    """A run that stops by itself after some rows, holding still until the test has done to it what it wants."""

    def __init__(self, tmp_path: Path, n: int, stop_after: int, out: Path, jobs: int) -> None:
        self.log = tmp_path / "log"
        fifo = tmp_path / "log.fifo"
        os.mkfifo(fifo)
        self.options = ["-m", "stubs:WordMetric", "-j", str(jobs), "-M", f"log={self.log}"]
        self.src = make(tmp_path / "in.jsonl", n)
        command = [*RUN, "score", str(self.src), "-o", str(out), *self.options, "-M", f"stop_after={stop_after}"]
        self.process = subprocess.Popen(
            command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        fifo.open("rb").close()  # returns when the run has arrived at the row

    def end(self, number: signal.Signals, group: bool = False) -> tuple[int, bytes]:
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err

    def scored(self) -> list[str]:
        return self.log.read_text().split()


@pytest.mark.parametrize(("suffix", "jobs"), [("jsonl", 0), ("jsonl", 1), ("parquet", 1)])
def test_kill_9_and_resume_lose_and_double_nothing(tmp_path: Path, suffix: str, jobs: int) -> None:
    out = tmp_path / f"o.{suffix}"
    journal = out if suffix == "jsonl" else tmp_path / "o.parquet.part.jsonl"
    run = Barrier(tmp_path, 400, 150, out, jobs)
    run.end(signal.SIGKILL, group=True)
    kept = [r["id"] for r in rows(journal)]
    assert 0 < len(kept) < 400
    assert kept == [str(i) for i in range(len(kept))]
    with journal.open("ab") as f:
        f.write(b'{"id":"' + str(len(kept)).encode() + b'","metric":"wor')  # as a kill in mid-write leaves it
    before = len(run.scored())
    cli("score", run.src, "-o", out, "--resume", *run.options)
    assert [s.id for s in read_scores(out)] == [str(i) for i in range(400)]
    assert run.scored()[before:] == [str(i) for i in range(len(kept), 400)]  # nothing is scored twice
    if suffix == "parquet":
        assert not journal.exists()
        assert pq.read_metadata(out).num_rows == 400


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_runs_say_what_is_kept(tmp_path: Path, number: signal.Signals, code: int) -> None:
    out = tmp_path / "o.jsonl"
    run = Barrier(tmp_path, 300, 100, out, 1)
    returned, err = run.end(number)
    assert returned == code
    assert b"rows are kept; --resume carries on" in err
    assert b"Traceback" not in err
    assert all(r["status"] == "ok" for r in rows(out))
    cli("score", run.src, "-o", out, "--resume", *run.options)
    assert [r["id"] for r in rows(out)] == [str(i) for i in range(300)]


def test_resume_refuses_what_does_not_fit(tmp_path: Path) -> None:
    src, out = make(tmp_path / "in.jsonl", 3), tmp_path / "o.jsonl"
    score(src, "-o", out)
    before = out.read_bytes()
    assert "this run is words (words|tag:b)" in error(score(src, "-o", out, "--resume", "-M", "tag=b", code=2))
    make(src, 5, lambda i: "another text" if i == 1 else f"text {i}")
    assert "the input has changed at row 2" in error(score(src, "-o", out, "--resume", code=2))
    make(src, 2)
    assert "the input only 2" in error(score(src, "-o", out, "--resume", code=2))
    (tmp_path / "x.jsonl").write_text('{"id": "a", "text": "not scores"}\n')
    assert "is no row of scores" in error(score(src, "-o", tmp_path / "x.jsonl", "--resume", code=2))
    assert out.read_bytes() == before


def test_resume_of_a_finished_run_scores_nothing(tmp_path: Path) -> None:
    for name in ("o.jsonl", "o.parquet"):
        src, out, log = make(tmp_path / "in.jsonl", 3), tmp_path / name, tmp_path / "log"
        score(src, "-o", out, "-M", f"log={log}")
        log.unlink()
        done = score(src, "-o", out, "--resume", "-M", f"log={log}")
        assert not log.exists()
        assert "3/3" in done.stdout.decode() or "2/2" in done.stdout.decode()
        assert len(list(read_scores(out))) == 3


def test_full_disk_is_one_line_and_keeps_what_is_written(tmp_path: Path) -> None:
    src, out = make(tmp_path / "in.jsonl", 200), tmp_path / "o.jsonl"

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    done = score(src, "-o", out, code=2, preexec_fn=small_disk)
    assert "rows are kept, --resume carries on" in error(done)
    kept = rows(out)  # every line is whole
    assert 10 < len(kept) < 200
    score(src, "-o", out, "--resume")
    assert [r["id"] for r in rows(out)] == [str(i) for i in range(200)]


def test_two_runs_cannot_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    with ScoreFile(out):
        assert "another run is writing" in error(score(make(tmp_path / "in.jsonl", 1), "-o", out, "--resume", code=2))


def test_several_metrics_write_a_row_each_and_resume_by_sample(tmp_path: Path) -> None:
    src, out = make(tmp_path / "in.jsonl", 5), tmp_path / "o.jsonl"
    both = ("score", src, "-o", out, "-m", "stubs:WordMetric", "-m", "stubs:lengths")
    cli(*both)
    assert [(r["id"], r["metric"]) for r in rows(out)][:3] == [("0", "words"), ("0", "lengths"), ("1", "words")]
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:5]))  # a sample half done
    cli(*both, "--resume")
    assert len(rows(out)) == 10
    assert [r["id"] for r in rows(out)] == [str(i // 2) for i in range(10)]


def test_parquet_holds_what_jsonl_holds(tmp_path: Path) -> None:
    src = make(tmp_path / "in.jsonl", 5, lambda i: ["wrong", "fine", "boom", "a photo", ""][i])
    score(src, "-o", tmp_path / "a.jsonl", code=3)
    score(src, "-o", tmp_path / "a.parquet", code=3)
    a, b = (list(read_scores(tmp_path / name)) for name in ("a.jsonl", "a.parquet"))

    def bare(s: Score) -> dict[str, Any]:
        return {**s.to_row(), "elapsed_ms": 0}

    assert [bare(s) for s in a] == [bare(s) for s in b]


def test_scores_are_read_with_their_faults_named(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text('{"id":"a","metric":"m"}\n{"id":"b","te')
    assert [s.id for s in read_scores(path)] == ["a"]
    path.write_text('{"id":"a","text":"t"}\n')
    with pytest.raises(InputError, match=r"o\.jsonl:1: not a row of scores"):
        list(read_scores(path))
    with pytest.raises(UsageError, match="folder"), ScoreFile(make_dir(tmp_path / "d.jsonl")):
        pass


def test_nothing_in_the_evidence_can_stop_a_run(tmp_path: Path) -> None:
    odd = {"a": np.float64(0.5), "b": np.array([1, 2]), "c": {1, 2}, 4: float("nan"), "e": Path("x")}
    score = Score("a", "m", "m|1", scores={"faithfulness": np.float64(1.5)},
                  sentences=(SentenceScore("t", 0, 1, np.float64(0.25), verdicts=(odd,)),))  # fmt: skip
    torn = replace(score, id="b", sentences=(SentenceScore("t \ud800", 0, 1),))
    with ScoreFile(tmp_path / "o.jsonl") as file:
        file.write([(score, "k"), (torn, "k")])
    a, b = rows(tmp_path / "o.jsonl")
    assert a["scores"]["faithfulness"] == 1.5
    verdict = a["sentences"][0]["verdicts"][0]
    assert (verdict["a"], verdict["b"], verdict["4"], verdict["e"]) == (0.5, [1, 2], None, "x")
    assert b["id"] == "b"


def make_dir(path: Path) -> Path:
    path.mkdir()
    return path


def test_help_is_light_and_teaches() -> None:
    """The help of the group imports neither numpy nor rich; that is what keeps it fast."""
    code = "import sys; from f2teval.cli.main import cli; cli.main(['--help'], standalone_mode=False); " \
           "print([m for m in ('numpy', 'rich', 'pyarrow', 'PIL', 'orjson') if m in sys.modules])"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.decode().splitlines()[-1] == "[]"
    assert "f2teval score texts.jsonl -o scores.jsonl" in cli("score", "--help").stdout.decode()
