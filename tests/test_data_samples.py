"""Reading samples: every form a row comes in, and every way it can be bad."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from f2teval.data import BadRow, read_samples, to_sample
from f2teval.errors import InputError, SampleError, UsageError
from f2teval.sample import Sample


def png(color: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), color).save(out, "PNG")
    return out.getvalue()


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return path


def ids(path: Path | str, **options: object) -> list[str]:
    return [s.id for s in read_samples(path, **options)]  # type: ignore[arg-type]


def one(path: Path, **options: object) -> Sample:
    (item,) = read_samples(path, **options)  # type: ignore[arg-type]
    assert isinstance(item, Sample), item
    return item


def bad(path: Path, **options: object) -> BadRow:
    (item,) = read_samples(path, **options)  # type: ignore[arg-type]
    assert isinstance(item, BadRow), item
    return item


def test_all_fields(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "image": "figs/a.png",
        "text": ["One.", "Two."],
        "caption": "Figure 1",
        "context": ["A paragraph.", "Another."],
        "references": ["r1", "r2"],
        "system": "m",
        "source": "s",
        "ratings": {"faithfulness": 2, "note": "x", "analysis": math.nan},
        "group": "g",
    }
    s = one(write(tmp_path / "a.jsonl", row))
    assert (s.id, s.text, s.sentences) == ("7", "One. Two.", ((0, 4), (5, 9)))
    assert s.image == tmp_path / "figs/a.png"
    assert (s.caption, s.context, s.references, s.system) == ("Figure 1", "A paragraph.\nAnother.", ("r1", "r2"), "m")
    assert s.ratings == {"faithfulness": 2, "note": "x"}
    assert s.extra == {"group": "g"}


def test_unknown_fields_are_noted_once_with_a_suggestion(tmp_path: Path) -> None:
    reader = read_samples(write(tmp_path / "a.jsonl", *({"text": "t", "referenecs": "x"} for _ in range(5))))
    assert len(list(reader)) == 5
    ((note, n),) = reader.notes.items()
    assert n == 5
    assert "did you mean 'references'" in note


def test_bom_crlf_blank_lines_and_no_final_newline(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id":"a","text":"x"}\r\n\r\n{"id":"b","text":"y"}')
    assert ids(path) == ["a", "b"]


def test_bad_rows_do_not_stop_the_stream_and_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [b'{"id":"a","text":"x"}', b"{oops", b"[1]", b'{"id":"c","text":"\xff"}', b'{"id":"d","text":NaN}',
             b'{"id":"e"}', b'{"id":"f","text":5}', b'{"id":"g","text":["x",1]}', b"[" * 5000,
             b'{"id":"z","text":"z"}']  # fmt: skip
    path.write_bytes(b"\n".join(lines) + b"\n")
    items = list(read_samples(path))
    assert [i.id for i in items] == ["a", "row-2", "row-3", "row-4", "d", "e", "f", "g", "row-9", "z"]
    assert [isinstance(i, Sample) for i in items] == [True, *[False] * 8, True]
    bads = [i for i in items if isinstance(i, BadRow)]
    assert [b.where for b in bads] == [f"{path}:{n}" for n in range(2, 10)]
    reasons = [b.reason for b in bads]
    for word, reason in zip(
        ["not valid JSON", "JSON object", "UTF-8", "empty", "no field 'text'", "int", "sentences", "deep"], reasons
    ):
        assert word in reason


def test_torn_last_line_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id":"a","text":"x"}\n{"id":"b","te')
    *_, last = read_samples(path)
    assert isinstance(last, BadRow)
    assert last.torn
    path.write_bytes(b'{"id":"a","text":"x"}\n{"id":"b","text":"now whole"}\n')
    assert ids(path) == ["a", "b"]


def test_duplicate_ids_are_numbered_and_remembered(tmp_path: Path) -> None:
    reader = read_samples(write(tmp_path / "a.jsonl", *({"id": i, "text": "t"} for i in ["x", "x#2", "x", "x", "y"])))
    items = list(reader)
    assert [i.id for i in items] == ["x", "x#2", "x#3", "x#4", "y"]
    assert items[2].extra == {"duplicate_of": "x"}
    assert sum(reader.notes.values()) == 2
    assert [i.id for i in reader] == ["x", "x#2", "x#3", "x#4", "y"]  # the same when read again


@given(st.lists(st.sampled_from(["a", "b", "a#2", "a#2#2", "b#2"]), max_size=12))
def test_numbered_ids_are_unique(names: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "a.jsonl", *({"id": n, "text": "t"} for n in names))
        got = ids(path)
    assert len(set(got)) == len(names)
    seen: set[str] = set()
    for before, after in zip(names, got):
        assert after == before or before in seen
        seen.update((before, after))


def test_missing_and_odd_ids(tmp_path: Path) -> None:
    rows = [{"text": "t"}, {"id": None, "text": "t"}, {"id": 3.0, "text": "t"}, {"id": "", "text": "t"}]
    assert ids(write(tmp_path / "a.jsonl", *rows)) == ["row-1", "row-2", "3", "row-4"]


def test_map_renames_and_reaches_in(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"summary": "S", "text": "other", "out": {"model": "m"}})
    s = one(path, mapping={"text": "summary", "system": "out.model"})
    assert (s.text, s.system) == ("S", "m")
    with pytest.raises(UsageError, match="cannot map 'txt'"):
        read_samples(path, mapping={"txt": "summary"})
    assert "no field 'summry'" in bad(path, mapping={"text": "summry"}).reason


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as f:
        w = csv.writer(f)
        w.writerow(["id", "text", "references", "faithfulness", "analysis"])
        w.writerow(["a", 'quoted, "text"\nof two lines', '["r1", "r2"]', "1.5", ""])
        w.writerow(["b", '["One.", "Two."]', "plain reference", "", ""])
        w.writerow(["c", "[sic] a bracket", "", "", "high"])
        w.writerow(["d", ""])
    a, b, c, d = read_samples(path)
    assert isinstance(a, Sample)
    assert a.text == 'quoted, "text"\nof two lines'
    assert a.references == ("r1", "r2")
    assert a.ratings == {"faithfulness": 1.5}
    assert isinstance(b, Sample)
    assert (b.text, b.sentences, b.references) == ("One. Two.", ((0, 4), (5, 9)), ("plain reference",))
    assert isinstance(c, BadRow)
    assert "analysis is not a number" in c.reason
    assert isinstance(d, BadRow)
    assert d.where == f"{path}:6"
    assert "2 cells" in d.reason


def test_csv_semicolons_tabs_and_bad_bytes(tmp_path: Path) -> None:
    semi = tmp_path / "s.csv"
    semi.write_text("id;text\na;one, two\n")
    assert one(semi).text == "one, two"
    tabs = tmp_path / "t.tsv"
    tabs.write_text("id\ttext\na\tone, two\n")
    assert one(tabs).text == "one, two"
    raw = tmp_path / "b.csv"
    raw.write_bytes(b"id,text\na,caf\xe9\nb,fine\n")
    first, second = read_samples(raw)
    assert isinstance(first, BadRow)
    assert "UTF-8" in first.reason
    assert second.id == "b"
    doubled = tmp_path / "d.csv"
    doubled.write_text("id,text,text\n")
    with pytest.raises(InputError, match="names a column twice: text"):
        list(read_samples(doubled))


def test_parquet_with_hub_images_and_nan(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table(
        {
            "id": pa.array([1.0, None]),
            "text": ["t", "u"],
            "image": [{"bytes": png(), "path": "x.png"}, {"bytes": None, "path": "y.png"}],
        }
    )
    pq.write_table(table, path)
    a, b = read_samples(path)
    assert isinstance(a, Sample)
    assert isinstance(b, Sample)
    assert (a.id, a.image) == ("1", png())
    assert (b.id, b.image) == ("row-2", tmp_path / "y.png")
    broken = tmp_path / "b.parquet"
    broken.write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError, match="not a readable Parquet"):
        list(read_samples(broken))


def test_json_array_and_gzip(tmp_path: Path) -> None:
    rows = [{"id": f"i{n}", "text": "t" * n} for n in range(300)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows, indent=1))
    assert ids(path) == [r["id"] for r in rows]
    path.write_text(json.dumps(rows)[:-30])
    assert isinstance(list(read_samples(path))[-1], BadRow)
    path.write_text('{"id": 1}')
    with pytest.raises(InputError, match="array"):
        list(read_samples(path))
    zipped = tmp_path / "a.jsonl.gz"
    zipped.write_bytes(gzip.compress(b'{"id":"a","text":"x"}\n'))
    assert ids(zipped) == ["a"]
    zipped.write_bytes(zipped.read_bytes()[:-12])
    with pytest.raises(InputError):
        list(read_samples(zipped))


def test_image_folder_and_capevalkit_pair(tmp_path: Path) -> None:
    folder = tmp_path / "hub"
    folder.mkdir()
    write(folder / "metadata.jsonl", {"file_name": "sub/x.png", "text": "t"})
    assert one(folder).image == folder / "sub/x.png"

    pair = tmp_path / "pair"
    pair.mkdir()
    write(pair / "predictions.jsonl", {"id": "2", "caption": "two", "image": "2.png"}, {"id": "9", "caption": "nine"})
    write(pair / "references.jsonl", {"id": "1", "references": ["a"]}, {"id": 2, "references": ["b", "c"]})
    two, nine = read_samples(pair)
    assert isinstance(two, Sample)
    assert isinstance(nine, Sample)
    assert (two.text, two.caption, two.references, two.image) == ("two", "", ("b", "c"), pair / "2.png")
    assert nine.references == ()
    assert one(pair, ids=["2"], image_dir=folder).image == folder / "2.png"
    write(pair / "references.jsonl", {"id": "1"}, "{torn")
    with pytest.raises(InputError, match=r"references\.jsonl:2"):
        list(read_samples(pair))


@pytest.mark.parametrize(
    "value",
    [
        base64.b64encode(png()).decode(),
        "data:image/png;base64," + base64.b64encode(png()).decode(),
        {"bytes": png()},
        {"base64": base64.b64encode(png()).decode()},
        bytearray(png()),
    ],
)
def test_image_forms(value: object) -> None:
    assert to_sample({"text": "t", "image": value}).image == png()


def test_jpeg_base64_that_looks_like_a_path() -> None:
    out = io.BytesIO()
    Image.new("RGB", (64, 64)).save(out, "JPEG")
    text = base64.b64encode(out.getvalue()).decode()
    assert text.startswith("/9j/")
    assert to_sample({"text": "t", "image": text}).image == out.getvalue()


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("https://example.com/x.png", "--allow-network"),
        ("data:image/png;base64,!!", "base64"),
        ("data:image/png", "without data"),
        (17, "int"),
        ("a\x00b", "neither"),
        ("x" * 5000, "neither"),
    ],
)
def test_images_that_cannot_be(value: object, word: str) -> None:
    with pytest.raises(SampleError, match=word):
        to_sample({"text": "t", "image": value})


@pytest.mark.parametrize("value", [None, math.nan, "", "  ", {}])
def test_no_image(value: object) -> None:
    assert to_sample({"text": "t", "image": value}).image is None


def test_lone_surrogates_do_not_reach_the_output(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id":"\\ud800","text":"a \\udc00 b"}\n')
    s = one(path)
    assert s.text == "a \ufffd b"
    s.id.encode("utf-8")


def test_limit_ids_and_ids_that_are_not_there(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"id": f"{n}", "text": "t"} for n in range(9)))
    assert ids(path, limit=2) == ["0", "1"]
    assert ids(path, limit=0) == []
    reader = read_samples(path, ids=["7", "3", "nope"])
    assert [s.id for s in reader] == ["3", "7"]
    assert reader.missing_ids == ["nope"]


def test_inputs_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_samples(tmp_path / "x.jsonl")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no metadata\.jsonl"):
        read_samples(tmp_path / "empty")
    write(tmp_path / "texts.jsonl", {"text": "t"})
    with pytest.raises(InputError, match=r"did you mean .*texts\.jsonl"):
        read_samples(tmp_path / "text.jsonl")
    with pytest.raises(InputError, match=r"texts\.jsonl"):
        read_samples(tmp_path)
    (tmp_path / "a.docx").write_text("x")
    with pytest.raises(InputError, match="cannot tell the format"):
        read_samples(tmp_path / "a.docx")
    utf16 = tmp_path / "u.csv"
    utf16.write_text("id,text\n", encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16"):
        list(read_samples(utf16))
    (tmp_path / "zero.jsonl").write_bytes(b"")
    assert ids(tmp_path / "zero.jsonl") == []


def test_nothing_is_loaded_whole(tmp_path: Path) -> None:
    """Thirty megabytes of rows go by in a few megabytes of memory."""
    import tracemalloc

    path = tmp_path / "a.jsonl"
    with path.open("w") as f:
        for n in range(3000):
            f.write(json.dumps({"id": str(n), "text": "x" * 10_000}) + "\n")
    tracemalloc.start()
    count = sum(1 for _ in read_samples(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 3000
    assert peak < 6_000_000


@given(
    st.dictionaries(
        st.sampled_from(["id", "text", "image", "references", "ratings", "caption", "system", "odd"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80),
            lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
            max_leaves=6,
        ),
    )
)
def test_any_row_is_a_sample_or_says_why_not(row: dict[str, object]) -> None:
    try:
        s = to_sample(row)
    except SampleError:
        return
    assert s.id
    for text in (s.id, s.text, s.caption, s.context, s.system, *s.references):
        text.encode("utf-8")
    assert all(0 <= a <= b <= len(s.text) for a, b in s.sentences or ())
