"""Figures: what is recorded is what was drawn, checked against the pixels themselves."""

from __future__ import annotations

import importlib
import io
import math

import numpy as np
import pytest

pytest.importorskip("vl_convert", reason="drawing figures needs f2teval[bench]")
pytest.importorskip("matplotlib", reason="drawing figures needs f2teval[bench]")
pytest.importorskip("pygal", reason="drawing figures needs f2teval[bench]")
from PIL import Image

from f2teval.bench.render.fonts import text_width
from f2teval.bench.render.layout import squarify
from f2teval.bench.synth import RENDERERS, Figure, Options, generate, make_figure
from f2teval.bench.truth import FigureTruth, truth_reading
from f2teval.figure.reading import Reading

PAIRS = [(r, t) for r in RENDERERS for t in importlib.import_module(RENDERERS[r]).TYPES]
_CACHE: dict[tuple[str, str], Figure] = {}


def figure(renderer: str, chart_type: str) -> Figure:
    key = renderer, chart_type
    if key not in _CACHE:
        _CACHE[key] = make_figure(3, Options(seed=8, types=(chart_type,), renderers=(renderer,), texts=1))
    return _CACHE[key]


@pytest.mark.parametrize(("renderer", "chart_type"), PAIRS)
def test_marks_lie_in_the_picture_one_for_each_value(renderer: str, chart_type: str) -> None:
    f = figure(renderer, chart_type)
    t = f.truth
    with Image.open(io.BytesIO(f.data)) as im:
        assert im.size == (t.width, t.height)
    rows = [t.table.main] if t.table.form in ("boxes", "ohlc", "points") else t.table.series
    wanted = {(s, c) for s in rows for c in t.table.categories if t.table.at(s, c) is not None}
    assert {(m.series, m.category) for m in t.marks} == wanted
    for m in t.marks:
        assert m.value == t.table.at(m.series, m.category)
        assert -4 <= m.box[0] <= m.box[2] <= t.width + 4
        assert -4 <= m.box[1] <= m.box[3] <= t.height + 4
    for x in t.texts:
        assert x.box[2] > x.box[0]
        assert -25 <= x.box[0] <= t.width
        assert -25 <= x.box[1] <= t.height


@pytest.mark.parametrize(("renderer", "chart_type"), PAIRS)
def test_axes_and_marks_agree(renderer: str, chart_type: str) -> None:
    """The value read back from a mark's edge through the recorded calibration is the table's value."""
    t = figure(renderer, chart_type).truth
    stacked = "stacked" in chart_type or chart_type in (
        "waterfall",
        "funnel",
        "radar",
        "bar_line",
        "box",
        "violin",
        "candlestick",
    )
    if stacked or not t.marks or t.marks[0].kind not in ("bar", "point"):
        return
    axis = next((a for a in t.axes if a.kind == "numeric" and a.side == "y"), None) or next(
        (a for a in t.axes if a.kind == "numeric"), None
    )
    if axis is None or not axis.slope:
        assert t.look["labels"]
        return
    unit = abs(axis.slope)
    for m in t.marks:
        if m.kind == "point":
            pixel = (m.box[0] + m.box[2]) / 2 if axis.side == "x" else (m.box[1] + m.box[3]) / 2
        elif axis.side == "x":
            pixel = m.box[2] if m.value >= 0 else m.box[0]
        else:
            pixel = m.box[1] if m.value >= 0 else m.box[3]
        assert axis.value_at(pixel) == pytest.approx(m.value, abs=2.2 * unit)
    for tick in axis.ticks:
        assert tick.value is not None
        assert axis.value_at(tick.pixel) == pytest.approx(tick.value, abs=1.2 * unit)


@pytest.mark.parametrize(
    ("renderer", "chart_type"),
    [p for p in PAIRS if p[1] in ("vertical_bar", "horizontal_bar", "stacked_bar", "grouped_bar", "treemap", "funnel")],
)
def test_bars_are_painted_where_they_are_said_to_be(renderer: str, chart_type: str) -> None:
    f = figure(renderer, chart_type)
    with Image.open(io.BytesIO(f.data)) as im:
        pixels = np.asarray(im.convert("RGB")).astype(int)
    ground = np.array([int(f.truth.background[i : i + 2], 16) for i in (1, 3, 5)])
    looked = 0
    for m in f.truth.marks:
        x0, y0, x1, y1 = (round(v) for v in m.box)
        if x1 - x0 < 6 or y1 - y0 < 6:
            continue
        inside = pixels[y0 + 2 : y1 - 2, x0 + 2 : x1 - 2].reshape(-1, 3)
        looked += 1
        assert np.mean(np.abs(inside - ground).sum(1) > 24) > 0.6
    assert looked


def test_a_line_passes_through_its_points() -> None:
    f = figure("vega", "line")
    with Image.open(io.BytesIO(f.data)) as im:
        pixels = np.asarray(im.convert("RGB")).astype(int)
    ground = np.array([int(f.truth.background[i : i + 2], 16) for i in (1, 3, 5)])
    for m in f.truth.marks:
        x, y = (m.box[0] + m.box[2]) / 2, (m.box[1] + m.box[3]) / 2
        near = pixels[max(0, int(y) - 2) : int(y) + 3, max(0, int(x) - 2) : int(x) + 3].reshape(-1, 3)
        assert np.abs(near - ground).sum(1).max() > 60


def test_truth_survives_json_and_gives_the_ideal_reading() -> None:
    import orjson

    for f in generate(6, seed=2):
        again = FigureTruth.from_dict(orjson.loads(orjson.dumps(f.truth.to_dict())))
        assert again.table == f.truth.table
        assert again.graded == f.truth.graded
        reading = truth_reading(again)
        assert Reading.from_dict(orjson.loads(orjson.dumps(reading.to_dict()))) == reading
        values = {(c.series, c.category): c.value for c in reading.cells}
        assert all(values[m.series, m.category] == m.value for m in f.truth.marks)
        assert reading.chart_type == f.truth.chart_type
        assert all((c.origin == "label") == bool(c.text) for c in reading.cells)


def test_looks_vary() -> None:
    seen = {
        (f.truth.renderer, f.truth.background, f.suffix, f.truth.look["labels"])
        for f in generate(40, seed=5, texts=1, types=("vertical_bar", "line"))
    }
    assert {s[0] for s in seen} == set(RENDERERS)
    assert len({s[1] for s in seen}) >= 4
    assert {s[2] for s in seen} == {"png", "jpg"}
    assert {s[3] for s in seen} == {True, False}


def test_treemap_areas_are_in_proportion() -> None:
    sizes = [50.0, 25.0, 15.0, 7.0, 3.0]
    boxes = squarify(sizes, 10, 20, 300, 200)
    assert sum(w * h for _, _, w, h in boxes) == pytest.approx(300 * 200)
    for size, (x, y, w, h) in zip(sizes, boxes):
        assert w * h == pytest.approx(size / 100 * 300 * 200)
        assert x >= 10 - 1e-9
        assert x + w <= 310 + 1e-6
        assert y + h <= 220 + 1e-6
        assert max(w / h, h / w) < 6
    assert math.isclose(boxes[0][0], 10)


def test_every_line_of_a_text_is_drawn_in_its_box() -> None:
    """Letters are drawn by our own outlines: each line of a title must leave ink, none of it outside the box."""
    from f2teval.bench.render.outlines import outline_texts
    from f2teval.bench.render.vega import rasterise

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><rect width="200" height="60" fill="#fff"/>'
        '<text x="20" y="20" font-family="DejaVu Sans" font-size="12px" fill="#000"><tspan>First &amp; line</tspan>'
        '<tspan x="20" dy="20">second</tspan></text></svg>'
    )
    assert "<text" not in outline_texts(svg)
    with Image.open(io.BytesIO(rasterise(outline_texts(svg), 1.0))) as im:
        dark = np.asarray(im.convert("L")) < 128
    for text, y in (("First & line", 20), ("second", 40)):
        rows = dark[y - 12 : y + 4]
        assert rows.any()
        across = np.flatnonzero(rows.any(0))
        assert across[0] >= 19
        assert across[-1] <= 20 + text_width(text, 12, "DejaVu Sans") + 1
        assert across[-1] >= 20 + text_width(text, 12, "DejaVu Sans") - 3
