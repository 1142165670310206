"""The data set folder: exact, resumable after a kill, clear when something is wrong."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

pytest.importorskip("vl_convert", reason="drawing figures needs f2teval[bench]")
from click.testing import CliRunner

from f2teval.bench import dataset
from f2teval.bench.card import write_card
from f2teval.bench.dataset import SAMPLES, TRUTH, read_truth, write_dataset
from f2teval.bench.parquet import write_parquet
from f2teval.bench.synth import Options
from f2teval.cli.bench import bench
from f2teval.data.samples import SampleReader
from f2teval.errors import InputError, UnknownNameError, UsageError
from f2teval.sample import Sample

FAST = Options(seed=4, renderers=("press",), texts=2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bench") / "whole"
    assert write_dataset(out, 12, FAST) == 12
    return out


def rows(path: Path) -> list[dict]:  # type: ignore[type-arg]
    return [orjson.loads(x) for x in path.read_bytes().splitlines()]


def test_rows_join_and_read_as_samples(whole: Path) -> None:
    truth = list(read_truth(whole))
    assert len(truth) == 12
    assert len({d["id"] for d in truth}) == 12
    read = [s for s in SampleReader(whole) if isinstance(s, Sample)]
    assert len(read) == 24
    graded = {t["id"]: t for d in truth for t in d["graded"]}
    for s in read:
        assert s.text == graded[s.id]["text"]
        assert dict(s.ratings) == graded[s.id]["ratings"]
        assert isinstance(s.image, Path)
        assert s.image.exists()


def test_same_seed_same_bytes(whole: Path, tmp_path: Path) -> None:
    write_dataset(tmp_path / "again", 12, FAST, jobs=2)
    for name in (SAMPLES, TRUTH):
        assert (tmp_path / "again" / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize("cut", [1, 40, 5000])
def test_resume_mends_torn_rows(whole: Path, tmp_path: Path, cut: int) -> None:
    out = tmp_path / "torn"
    write_dataset(out, 7, FAST)
    for name in (TRUTH, SAMPLES):
        data = (out / name).read_bytes()
        (out / name).write_bytes(data[: -min(cut, len(data) - 1)])
        cut = max(1, cut // 3)
    write_dataset(out, 12, FAST, resume=True)
    assert (out / TRUTH).read_bytes() == (whole / TRUTH).read_bytes()
    ids = [r["id"] for r in rows(out / SAMPLES)]
    assert len(ids) == len(set(ids))
    missing = {r["id"] for r in rows(whole / SAMPLES)} - set(ids)
    assert not missing


def test_a_killed_run_goes_on_where_it_was(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    code = (
        "from pathlib import Path; import sys\n"
        "from f2teval.bench.dataset import write_dataset; from f2teval.bench.synth import Options\n"
        "write_dataset(Path(sys.argv[1]), 4000, Options(seed=4, renderers=('press',), texts=2))"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(out)])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not ((out / TRUTH).exists() and (out / TRUTH).read_bytes().count(b"\n") >= 3):
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    begun = (out / TRUTH).read_bytes().count(b"\n")
    assert begun >= 3
    total = max(12, begun)
    write_dataset(out, total, FAST, resume=True)
    assert (out / TRUTH).read_bytes()[: len((whole / TRUTH).read_bytes())] == (whole / TRUTH).read_bytes()
    ids = [r["id"] for r in rows(out / SAMPLES)]
    assert ids == [f"s4-{i:06d}-t{k}" for i in range(total) for k in range(2)]


def test_a_folder_in_use_and_other_options_are_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--resume"):
        write_dataset(whole, 12, FAST)
    with pytest.raises(UsageError, match="seed"):
        write_dataset(whole, 12, Options(seed=5, renderers=("press",), texts=2), resume=True)
    (tmp_path / SAMPLES).write_text("mine\n")
    with pytest.raises(UsageError, match="other files"):
        write_dataset(tmp_path, 3, FAST)
    assert (tmp_path / SAMPLES).read_text() == "mine\n"


def test_a_full_disk_is_one_line_and_nothing_is_lost(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "full"
    commit, calls = dataset._commit, []

    def fails(*args) -> None:  # type: ignore[no-untyped-def]
        calls.append(1)
        if len(calls) > 5:
            args[2].write(b'{"id": "half a ro')
            raise OSError(errno.ENOSPC, "No space left on device")
        commit(*args)

    monkeypatch.setattr(dataset, "_commit", fails)
    with pytest.raises(InputError, match="no space left") as e:
        write_dataset(out, 12, FAST)
    assert "--resume" in str(e.value)
    monkeypatch.undo()
    assert write_dataset(out, 12, FAST, resume=True) == 7
    assert (out / SAMPLES).read_bytes() == (whole / SAMPLES).read_bytes()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"types": ("vertical_bra",)}, UnknownNameError, "did you mean 'vertical_bar'"),
        ({"renderers": ("vegas",)}, UnknownNameError, "did you mean 'vega'"),
        ({"styles": ("ters",)}, UnknownNameError, "did you mean 'terse'"),
        ({"texts": 0}, UsageError, "between 1 and 50"),
        ({"types": ("map",)}, UnknownNameError, "chart type"),
        ({"types": ("sankey",), "renderers": ("vega",)}, UsageError, "sankey"),
    ],
)
def test_impossible_options(options, error, words, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=words):
        write_dataset(tmp_path / "x", 3, Options(**options))
    assert not (tmp_path / "x" / SAMPLES).exists()


def test_numbers_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        write_dataset(tmp_path / "x", 0, FAST)
    with pytest.raises(UsageError, match="jobs"):
        write_dataset(tmp_path / "x", 3, FAST, jobs=0)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="not a folder"):
        write_dataset(tmp_path / "file", 3, FAST)


def test_card_and_parquet(whole: Path) -> None:
    import pyarrow.parquet as pq

    text = write_card(whole).read_text()
    assert "12 figures, 24 texts" in text
    assert "Pairs in more than one split: 0" in text
    assert (whole / "card.jpg").stat().st_size > 5000
    files = write_parquet(whole)
    assert sum(files.values()) == 24
    seen = [r for path in files for r in pq.read_table(path).to_pylist()]
    by_id = {r["id"]: r for r in seen}
    for r in rows(whole / SAMPLES):
        assert by_id[r["id"]]["image"]["bytes"] == (whole / r["image"]).read_bytes()
        assert by_id[r["id"]]["ratings"] == r["ratings"]
    samples = [s for s in SampleReader(next(iter(files))) if isinstance(s, Sample)]
    assert samples
    assert isinstance(samples[0].image, bytes)


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "set"
    runner = CliRunner()
    args = ["synth", "-o", str(out), "-n", "4", "--renderers", "press", "--texts", "1", "--styles", "terse,alt"]
    done = runner.invoke(bench, args)
    assert done.exit_code == 0, done.output
    assert len(rows(out / SAMPLES)) == 4
    assert {r["system"] for r in rows(out / SAMPLES)} <= {"synthetic-terse", "synthetic-alt"}
    done = runner.invoke(bench, [*args[:4], "6", *args[5:], "--resume"])
    assert done.exit_code == 0, done.output
    assert len(rows(out / SAMPLES)) == 6
