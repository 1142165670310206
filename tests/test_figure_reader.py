"""Whole figures: drawn here with known tables, read with the texts given; two of them through the OCR as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from f2teval.figure import cache
from f2teval.figure.load import load_image
from f2teval.figure.overlay import draw_overlay
from f2teval.figure.reader import READER_VERSION, read_figure, read_image
from f2teval.figure.reading import Reading, TextBox

FONT = ImageFont.load_default(size=16)
VALUES = {"Austria": 30.0, "Belgium": 75.0, "Cyprus": 12.0, "Denmark": 90.0, "Estonia": 48.0}


class Sketch:
    """A picture and the texts on it."""

    def __init__(self, width: int, height: int, ground: str = "white", ink: str = "black") -> None:
        self.image = Image.new("RGB", (width, height), ground)
        self.draw = ImageDraw.Draw(self.image)
        self.texts: list[TextBox] = []
        self.ink = ink

    def write(self, text: str, cx: float, cy: float, anchor: str = "mm") -> None:
        self.draw.text((cx, cy), text, fill=self.ink, font=FONT, anchor=anchor)
        box = self.draw.textbbox((cx, cy), text, font=FONT, anchor=anchor)
        self.texts.append(TextBox(text, (box[0] - 3.0, box[1] - 3.0, box[2] + 3.0, box[3] + 3.0)))

    def read(self) -> Reading:
        return read_image(load_image(self.image), self.texts)


def frame(s: Sketch, top: float = 100.0, unit: str = "", gridline: str = "#dddddd") -> None:
    """y axis from 0 to ``top`` over pixels 360 to 60, plot from x = 80 to 580."""
    for k in range(6):
        y = 360 - 60 * k
        s.draw.line((80, y, 580, y), fill=gridline)
        s.write(f"{top * k / 5:g}{unit}", 72, y, "rm")
    s.draw.line((80, 360, 580, 360), fill="#888888")


def bars(ground: str = "white", ink: str = "black", color: str = "#4682b4") -> Sketch:
    s = Sketch(620, 440, ground, ink)
    s.write("Visitors by country (in millions)", 300, 20)
    frame(s, gridline="#dddddd" if ground == "white" else "#555555")
    for k, (name, v) in enumerate(VALUES.items()):
        x = 100 + 95 * k
        s.draw.rectangle((x, 360 - 3 * v, x + 60, 360), fill=color)
        s.write(name, x + 30, 380)
    return s


def values(r: Reading, series: str = "") -> dict[str, float]:
    return {c.category: c.value for c in r.cells_of(series)}


@pytest.mark.parametrize(("ground", "ink"), [("white", "black"), ("#333333", "white"), ("#e8e8e8", "black")])
def test_vertical_bars_on_any_ground(ground: str, ink: str) -> None:
    r = bars(ground, ink).read()
    assert r.chart_type == "vertical_bar"
    assert values(r) == pytest.approx(VALUES, abs=1.0)
    assert r.scale == 1e6
    assert r.is_chart > 0.8
    for cell in r.cells:
        assert cell.origin == "measured"
        assert abs(cell.value - VALUES[cell.category]) <= max(cell.tolerance, 1.0)


def test_horizontal_bars() -> None:
    s = Sketch(700, 360)
    for k in range(5):
        s.draw.line((140 + 120 * k, 30, 140 + 120 * k, 300), fill="#dddddd")
        s.write(str(25 * k), 140 + 120 * k, 318)
    for k, (name, v) in enumerate(VALUES.items()):
        y = 40 + 52 * k
        s.draw.rectangle((140, y, 140 + 4.8 * v, y + 30), fill="#c0392b")
        s.write(name, 130, y + 15, "rm")
    r = s.read()
    assert r.chart_type == "horizontal_bar"
    assert values(r) == pytest.approx(VALUES, abs=1.0)


def test_grouped_bars_take_their_names_from_the_legend() -> None:
    s = Sketch(640, 440)
    frame(s)
    truth = {"Men": [20.0, 45.0, 80.0], "Women": [35.0, 60.0, 10.0]}
    for j, (name, color) in enumerate((("Men", "#1f77b4"), ("Women", "#ff7f0e"))):
        s.draw.rectangle((200 + 120 * j, 20, 212 + 120 * j, 32), fill=color)
        s.write(name, 220 + 120 * j, 26, "lm")
        for k, v in enumerate(truth[name]):
            x = 110 + 150 * k + 45 * j
            s.draw.rectangle((x, 360 - 3 * v, x + 40, 359), fill=color)
    for k, year in enumerate(("2010", "2015", "2020")):
        s.write(year, 152 + 150 * k, 380)
    r = s.read()
    assert r.chart_type == "grouped_bar"
    for name, expected in truth.items():
        assert values(r, name) == pytest.approx(dict(zip(("2010", "2015", "2020"), expected)), abs=1.0)
    assert {x.name: x.color for x in r.series} == {"Men": "#1f77b4", "Women": "#ff7f0e"}


@pytest.mark.parametrize("filled", [False, True])
def test_years_between_thinned_labels_are_read_too(filled: bool) -> None:
    s = Sketch(640, 440)
    frame(s, 10.0)
    truth = {2010 + k: v for k, v in enumerate((2.0, 3.5, 3.0, 6.0, 8.5, 7.0, 4.0, 4.5, 9.0))}
    points = [(90 + 60 * k, 360 - 30 * v) for k, v in enumerate(truth.values())]
    if filled:
        s.draw.polygon([(90, 360), *points, (570, 360)], fill="#e6a817")
    else:
        s.draw.line(points, fill="#7b3fa0", width=3)
    for k in range(0, 9, 2):
        s.write(str(2010 + k), 90 + 60 * k, 380)
    r = s.read()
    assert r.chart_type == ("area" if filled else "line")
    assert r.category_kind == "time"
    assert values(r) == pytest.approx({str(y): v for y, v in truth.items()}, abs=0.12)
    assert [c.x for c in r.cells] == list(truth)


def test_a_pie_gives_shares() -> None:
    s = Sketch(500, 400)
    start = -90.0
    shares = {"Coal": 45.0, "Wind": 30.0, "Sun": 25.0}
    for (name, share), color in zip(shares.items(), ("#1f77b4", "#ff7f0e", "#2ca02c")):
        s.draw.pieslice((60, 60, 340, 340), start, start + 3.6 * share, fill=color)
        middle = np.deg2rad(start + 1.8 * share)
        s.write(name, 200 + 180 * np.cos(middle), 200 + 165 * np.sin(middle))
        start += 3.6 * share
    r = s.read()
    assert r.chart_type == "pie"
    assert values(r) == pytest.approx(shares, abs=1.0)


def test_a_photo_is_no_chart() -> None:
    rng = np.random.default_rng(0)
    small = rng.integers(0, 255, (12, 16, 3), dtype=np.uint8)
    photo = Image.fromarray(small).resize((640, 480), Image.Resampling.BICUBIC)
    r = read_image(load_image(photo), [])
    assert r.is_chart < 0.3
    assert r.unread
    assert read_image(load_image(Image.new("RGB", (300, 200))), []).is_chart < 0.2


def test_ocr_reads_turned_labels_and_everything_together() -> None:
    pytest.importorskip("matplotlib")
    import io

    from matplotlib.figure import Figure

    names = ["Netherlands", "Switzerland", "Luxembourg", "Great Britain", "South Africa"]
    heights = [310.0, 120.0, 480.0, 45.0, 260.0]
    figure = Figure(figsize=(6.4, 4.8), dpi=100)
    ax = figure.subplots()
    ax.bar(names, heights, color="#2a7f62")
    ax.set_title("Exports by country")
    ax.set_ylabel("Exports (in thousand tons)")
    ax.tick_params(axis="x", labelrotation=60)
    figure.tight_layout()
    out = io.BytesIO()
    figure.savefig(out, format="png")
    r = read_figure(out.getvalue(), cache=False)
    assert r.title == "Exports by country"
    assert r.chart_type == "vertical_bar"
    assert values(r) == pytest.approx(dict(zip(names, heights)), abs=5.0)
    assert r.scale == 1e3
    drawn = draw_overlay(load_image(out.getvalue()).rgb, r)
    assert drawn.width >= 640


def test_reading_survives_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("F2TEVAL_HOME", str(tmp_path))
    r = bars().read()
    assert cache.load("ab" * 16, READER_VERSION) is None
    assert cache.save("ab" * 16, READER_VERSION, r)
    assert cache.load("ab" * 16, READER_VERSION) == r
    assert cache.load("ab" * 16, "another version") is None
    assert cache.size()[0] == 1
    path = cache.path_of("ab" * 16, READER_VERSION)
    whole = path.read_bytes()
    for torn in (b"", whole[: len(whole) // 2], b"\x80\x04pickle", whole[:-4] + b"abcd"):
        path.write_bytes(torn)
        assert cache.load("ab" * 16, READER_VERSION) is None
    assert cache.save("ab" * 16, READER_VERSION, r)
    assert cache.load("ab" * 16, READER_VERSION) == r
    assert not list(path.parent.glob(".new-*"))
    assert cache.clear() == 1


def test_a_cache_that_cannot_be_written_costs_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("F2TEVAL_HOME", str(tmp_path / "file"))
    assert cache.save("cd" * 16, READER_VERSION, bars().read()) is False


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, f2teval.figure as f; f.__all__; "
        "print([m for m in ('cv2', 'onnxruntime', 'rapidocr', 'scipy', 'torch') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=True)
    assert out.stdout.strip() == "[]"


def test_axis_lines_with_soft_edges_are_no_series() -> None:
    """Black axes drawn with a grey edge to either side, beside a coloured line: one series, read where it runs."""
    s = Sketch(620, 440)
    for k in range(6):
        s.draw.line((80, 360 - 60 * k, 580, 360 - 60 * k), fill="#e2e2e2")
        s.write(f"{20 * k}", 72, 360 - 60 * k, "rm")
    for k in range(6):
        s.write(str(2012 + 2 * k), 100 + 90 * k, 382)
    s.draw.line([(100 + 45 * k, 300 - 20 * (k % 3) - 12 * k) for k in range(11)], fill="#1c7c6e", width=3)
    for offset, tone in ((-1, "#e3e3e3"), (1, "#e3e3e3"), (0, "#000000")):
        s.draw.line((80 + offset, 60, 80 + offset, 360), fill=tone)
        s.draw.line((80, 360 + offset, 580, 360 + offset), fill=tone)
    reading = s.read()
    assert reading.chart_type == "line"
    assert {c.series for c in reading.cells} == {""}
    first = next(c for c in reading.cells if c.category == "2012")
    assert first.value == pytest.approx(20.0, abs=1.0)


def test_ticks_in_thousands_stand_for_thousands() -> None:
    s = bars()
    s.texts = [TextBox("Visitors by country (in 1,000s)", t.box) if "millions" in t.text else t for t in s.texts]
    assert s.read().scale == 1000.0


def test_bars_that_hang_in_the_air_give_no_values() -> None:
    """Candles and boxes are not measured: no value is better than the wrong end of a bar."""
    s = Sketch(620, 440)
    frame(s)
    for k in range(9):
        low = 20 + 7 * ((k * 5) % 9)
        s.draw.rectangle((100 + 50 * k, 360 - 3 * (low + 8 + k), 125 + 50 * k, 360 - 3 * low), fill="#4682b4")
        s.write("ABCDEFGHI"[k] * 3, 112 + 50 * k, 380)
    assert s.read().cells == ()
