"""read, list, doctor, cache, report: as a user meets them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

import f2teval
from f2teval.cli.main import COMMANDS, _run, cli
from f2teval.figure import cache as readings
from f2teval.figure.reading import Cell, Reading
from f2teval.metric import names

FIGURES = Path(f2teval.__file__).parent / "examples" / "figures"


def call(*args: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(a) for a in args], standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert (result.return_value or 0) == code, result.output
    return result


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("F2TEVAL_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_read_gives_the_table_as_csv_json_and_picture(tmp_path: Path) -> None:
    figure = FIGURES / "horizontal_bar.png"
    rows = list(csv.DictReader(io.StringIO(call("read", figure, "--format", "csv").stdout)))
    assert {r["category"]: float(r["value"]) for r in rows}["Too much advertising"] == 17
    reading = Reading.from_dict(json.loads(call("read", figure, "--format", "json").stdout))
    assert reading.title == "Why readers cancel their newspaper"
    assert "46" in call("read", figure, "--overlay", tmp_path / "o.png").output
    with Image.open(tmp_path / "o.png") as overlay, Image.open(figure) as original:
        assert overlay.width / overlay.height == pytest.approx(original.width / original.height, rel=0.01)


@pytest.mark.parametrize(
    ("make", "said"),
    [(None, "no"), (b"", "empty"), (b"not a picture at all", "not"), (b"\x89PNG\r\n\x1a\n torn", "")],
)
def test_read_says_what_is_wrong_with_a_picture(
    tmp_path: Path, make: bytes | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.png"
    if make is not None:
        path.write_bytes(make)
    assert _run(["read", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("f2teval: error: ")
    assert err.count("\n") == 1
    assert said in err.lower()


def test_csv_cells_cannot_become_formulas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cell = Cell("=cmd()", "@sum", 1.0)
    monkeypatch.setattr("f2teval.figure.reader.read_figure", lambda *a, **k: Reading(9, 9, cells=(cell,)))
    out = call("read", "x.png", "--format", "csv").stdout
    assert "'=cmd(),'@sum,1" in out


def test_list_knows_every_metric_and_is_json_on_request() -> None:
    everything = json.loads(call("list", "--json").stdout)
    assert [m["metric"] for m in everything["metrics"]] == names()
    assert not [m for m in everything["metrics"] if m["what"].startswith("cannot be loaded")]
    assert {d["dimension"] for d in everything["dimensions"]} == {"faithfulness", "completeness", "conciseness",
                                                                  "logicity", "analysis"}  # fmt: skip
    assert everything["sets"]
    assert "metrics" in call("list").output


def test_doctor_reads_a_chart() -> None:
    out = call("doctor").output
    assert "a drawn chart was read right" in out
    assert "all is well" in out


def test_doctor_bears_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("F2TEVAL_HOME", str(tmp_path / "file" / "home"))
    assert "set F2TEVAL_HOME" in call("doctor").output


def test_cache_counts_prunes_and_clears(home: Path) -> None:
    import os

    for n in range(3):
        assert readings.save(f"{n:064x}", "v", Reading(1, 1))
    assert "3 readings" in call("cache").output
    old = readings.path_of(f"{0:064x}", "v")
    os.utime(old, (0, 0))
    assert "deleted 1 readings unused for 30 days" in call("cache", "--prune", 30).output
    assert "deleted 2 readings" in call("cache", "--clear").output
    assert readings.size() == (0, 0)


def test_a_figure_is_read_once_ever(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figure = FIGURES / "pie.png"
    first = call("read", figure, "--format", "json").stdout
    monkeypatch.setattr("f2teval.figure.reader.read_image", None)  # a second reading would fail
    copy = tmp_path / "renamed.png"
    copy.write_bytes(figure.read_bytes())
    assert call("read", copy, "--format", "json").stdout == first


def test_report_of_scores_computed_before(tmp_path: Path) -> None:
    src, out = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    src.write_text("".join(json.dumps({"id": str(i), "text": "wrong" if i else "fine"}) + "\n" for i in range(3)))
    stub = ("-m", "stubs:WordMetric", "-j", 0)
    call("score", src, "-o", out, *stub)
    page = tmp_path / "r.html"
    assert "(3 texts)" in call("report", src, "--scores", out, "-o", page, "--title", "A <title>").output
    assert "A &lt;title&gt;" in page.read_text()
    direct = tmp_path / "d.html"
    call("score", src, "-o", tmp_path / "p.jsonl", *stub, "--report", direct)
    assert direct.read_text().count('<li class="row"') == page.read_text().count('<li class="row"') == 3
    src.write_text('{"id": "other", "text": "t"}\n')
    with pytest.raises(f2teval.errors.UsageError, match="not of this input"):  # type: ignore[attr-defined]
        call("report", src, "--scores", out, "-o", page)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_helps(name: str) -> None:
    out = call(name, "--help").output
    assert out.startswith("Usage:")
    assert len(out) > 120
