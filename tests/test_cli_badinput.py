"""The default metric on input that should never have reached it: one line or one unscored row each, nothing lost."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import f2teval

FIGURE = Path(f2teval.__file__).parent / "examples" / "figures" / "horizontal_bar.png"
TEXT = "Price is the main reason: 46% say it is too expensive."


def bomb() -> bytes:
    """A PNG of a few hundred bytes that claims 20,000 × 20,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def photo() -> bytes:
    """Something with the statistics of a photograph and no words in it: smooth, coloured noise."""
    rng = np.random.default_rng(3)
    small = rng.integers(0, 255, (12, 16, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(small).resize((640, 480), Image.Resampling.BICUBIC).save(out, "JPEG")
    return out.getvalue()


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """One run of the command line over all of it; rows by id."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "good.png").write_bytes(FIGURE.read_bytes())
    (folder / "bomb.png").write_bytes(bomb())
    (folder / "photo.jpg").write_bytes(photo())
    (folder / "cut.png").write_bytes(FIGURE.read_bytes()[:5000])
    (folder / "empty.png").write_bytes(b"")
    (folder / "words.png").write_text("this is no picture")
    (folder / "dir.png").mkdir()
    items: list[dict[str, Any]] = [
        *({"id": n, "image": f"{n}.png", "text": TEXT} for n in ("bomb", "cut", "empty", "words", "dir", "gone")),
        {"id": "photo", "image": "photo.jpg", "text": TEXT},
        {"id": "no image", "text": TEXT},
        {"id": "no text", "image": "good.png", "text": ""},
        {"id": "long", "image": "good.png", "text": (TEXT + " ") * 1900},
        {"id": "no spaces", "image": "good.png", "text": "a" * 100_000},
        {"id": "digits", "image": "good.png", "text": "1,1." * 25_000},
        {"id": "german", "image": "good.png", "text": "Der Preis ist der wichtigste Grund, den 46% nennen. "
         "Danach folgen die fehlende Zeit und die Nachrichten, die es auch anderswo gibt."},
        {"id": "chinese", "image": "good.png", "text": "价格是读者取消订阅报纸的主要原因。"},
        {"id": "control", "image": "good.png", "text": "\x00\x07\u202e\ufeff46% \x1b[31m"},
        {"id": "good", "image": "good.png", "text": TEXT},
    ]  # fmt: skip
    source, out = folder / "in.jsonl", folder / "out.jsonl"
    source.write_text("".join(json.dumps(i) + "\n" for i in items))
    command = [sys.executable, "-m", "f2teval", "score", source, "-o", out, "--report", folder / "r.html"]
    done = subprocess.run(command, capture_output=True, timeout=240)
    assert done.returncode == 3, done.stderr[-2000:]
    assert b"Traceback" not in done.stderr + done.stdout
    assert (folder / "r.html").read_text().count('<li class="row"') == len(items)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [r["id"] for r in found] == [i["id"] for i in items]
    return {r["id"]: r for r in found}


@pytest.mark.parametrize("name", ["bomb", "cut", "empty", "words", "dir", "gone", "no text", "german", "chinese"])
def test_unscored_with_a_reason(rows: dict[str, dict[str, Any]], name: str) -> None:
    row = rows[name]
    assert row["status"] == "unscored", row["scores"]
    assert row["overall"] is None
    assert not any(v is not None for v in row["scores"].values())
    assert row["reason"]
    assert "internal error" not in row["reason"]
    assert "crashed" not in row["reason"]
    assert "\n" not in row["reason"]


def test_a_good_row_between_bad_ones(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["good"]
    assert row["status"] == "ok"
    assert row["overall"] is not None
    assert any(v["status"] == "supported" for s in row["sentences"] for v in s["verdicts"])


def test_a_photo_is_scored_with_a_warning(rows: dict[str, dict[str, Any]]) -> None:
    assert rows["photo"]["status"] == "ok"
    assert any("not look like a chart" in w for w in rows["photo"]["warnings"])


def test_without_a_picture_some_dimensions_remain(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["no image"]
    given = {d for d, v in row["scores"].items() if v is not None}
    assert given == {"conciseness", "logicity"}
    assert set(row["reasons"]) == {"faithfulness", "completeness", "analysis"}
    assert row["overall"] is None


@pytest.mark.parametrize("name", ["long", "no spaces", "digits", "control"])
def test_strange_texts_are_bounded(rows: dict[str, dict[str, Any]], name: str) -> None:
    """Scored or not, but never by accident."""
    row = rows[name]
    assert row["reason"] is None or "internal error" not in row["reason"]
    if name == "long":
        assert any("characters" in w for w in row["warnings"])
