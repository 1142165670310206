"""Charts on which the numbers are printed: drawn here, their text given as boxes, their tables known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from f2teval.figure.labelled import LabelledTable, read_labelled
from f2teval.figure.labelled.numbers import is_date, is_year, parse_number, repair_slips, year_of
from f2teval.figure.reading import TextBox

BLUE, GOLD, GREEN, GREY = (31, 73, 125), (209, 169, 51), (148, 157, 72), (160, 160, 160)


class Sheet:
    """A drawing whose texts are known: each is drawn (so that ink and colour are real) and kept as a box."""

    def __init__(self, width: int = 400, height: int = 300, back: tuple[int, int, int] = (255, 255, 255)) -> None:
        self.image = Image.new("RGB", (width, height), back)
        self.draw = ImageDraw.Draw(self.image)
        self.boxes: list[TextBox] = []

    def text(self, x: float, y: float, text: str, ink: tuple[int, int, int] = (0, 0, 0), anchor: str = "l") -> None:
        """Text with its left end, middle or right end at x, its vertical middle at y."""
        w = self.draw.textlength(text)
        x0 = x - {"l": 0.0, "m": w / 2, "r": w}[anchor]
        self.draw.text((x0, y - 6), text, fill=ink)
        self.boxes.append(TextBox(text, (x0 - 1, y - 6, x0 + w + 1, y + 7), 0.99))

    def bar(self, x0: float, y0: float, x1: float, y1: float, colour: tuple[int, int, int]) -> None:
        self.draw.rectangle([x0, y0, x1 - 1, y1 - 1], fill=colour)

    def read(self, **more: object) -> LabelledTable | None:
        return read_labelled(np.array(self.image), self.boxes, **more)  # type: ignore[arg-type]


def table(t: LabelledTable | None) -> dict[tuple[str, str], float]:
    assert t is not None
    return {(c.series, c.category): c.value for c in t.cells}


def horizontal(values: dict[str, int], inside: bool = False) -> Sheet:
    s = Sheet(400, 60 + 34 * len(values) + 40)
    s.text(4, 12, "A title that names the subject of it")
    for k, (name, v) in enumerate(values.items()):
        y = 60 + 34 * k
        s.text(104, y + 9, name, anchor="r")
        s.bar(110, y, 110 + 2.5 * v, y + 18, BLUE)
        if inside:
            s.text(108 + 2.5 * v, y + 9, str(v), (255, 255, 255), "r")
        else:
            s.text(114 + 2.5 * v, y + 9, str(v))
    s.text(4, 60 + 34 * len(values) + 10, "Source: a survey of people, 2019.")
    return s


@pytest.mark.parametrize("inside", [False, True])
def test_horizontal_bars(inside: bool) -> None:
    truth = {"Private practice": 88, "Judge": 69, "Elected office": 58, "Military": 38, "Prosecutor": 23}
    t = horizontal(truth, inside).read()
    assert table(t) == {("", k): v for k, v in truth.items()}
    assert t is not None
    assert t.title == "A title that names the subject of it"
    assert t.source.startswith("Source")
    assert t.chart_type == "horizontal_bar"
    for c in t.cells:
        assert c.origin == "label"
        assert c.tolerance == 0.5
        assert c.box is not None
        assert c.confidence > 0.7


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(12, 99), min_size=3, max_size=7, unique=True))
def test_any_values_come_back(values: list[int]) -> None:
    truth = {f"Group {chr(65 + k)}": v for k, v in enumerate(values)}
    got = table(horizontal(truth).read())
    assert got == {("", k): v for k, v in truth.items()}


def stacked(rows: dict[str, list[int]], names: list[str], legend: bool) -> Sheet:
    s = Sheet(460, 110 + 34 * len(rows))
    colours = [BLUE, GOLD, GREEN][: len(names)]
    s.text(4, 12, "What people say about the economy now")
    if legend:
        for k, (name, c) in enumerate(zip(names, colours)):
            s.bar(120 + 105 * k, 46, 128 + 105 * k, 54, c)
            s.text(132 + 105 * k, 50, name)
    for k, (name, values) in enumerate(rows.items()):
        x, y = 120.0, 74 + 34 * k
        s.text(112, y + 10, name, anchor="r")
        for j, v in enumerate(values):
            s.bar(x, y, x + 3 * v, y + 20, colours[j])
            s.text(x + 1.5 * v, y + 10, str(v), (255, 255, 255) if j == 0 else (0, 0, 0), "m")
            if not legend and k == 0:
                s.text(x + 1.5 * v, 60, names[j], anchor="m")
            x += 3 * v
    return s


@pytest.mark.parametrize("legend", [True, False])
def test_stacked_bars_by_legend_or_headers(legend: bool) -> None:
    rows = {"Germans": [45, 33, 22], "Americans": [60, 21, 19], "Poles": [38, 40, 22]}
    names = ["Good", "Bad", "Neither"]
    t = stacked(rows, names, legend).read()
    assert table(t) == {(n, r): v for r, vs in rows.items() for n, v in zip(names, vs)}
    assert t is not None
    assert t.chart_type == "stacked_bar"
    if legend:
        assert {s.name: s.color_name for s in t.series}["Good"].endswith("blue")


def test_sections_tell_equal_labels_apart() -> None:
    s = Sheet(400, 300)
    s.text(4, 12, "Views of two countries among two peoples")
    truth = {}
    y = 50
    for section, rows in {
        "China": {"Germans": 88, "Americans": 79},
        "Russia": {"Germans": 60, "Americans": 46},
    }.items():
        s.text(10, y + 9, section)
        y += 30
        for name, v in rows.items():
            s.text(110, y + 9, name, anchor="r")
            s.bar(120, y, 120 + 2.4 * v, y + 18, BLUE)
            s.text(116 + 2.4 * v, y + 9, str(v), (255, 255, 255), "r")
            truth["", f"{section}: {name}"] = v
            y += 32
        y += 8
    assert table(s.read()) == truth


def test_grouped_bars_by_legend_on_a_dark_ground() -> None:
    s = Sheet(420, 250, (20, 24, 30))
    white = (240, 240, 240)
    s.text(4, 12, "Should the government do these things", white)
    for k, (name, c) in enumerate((("Yes", GOLD), ("No", (90, 160, 220)))):
        s.bar(150 + 80 * k, 36, 158 + 80 * k, 44, c)
        s.text(162 + 80 * k, 40, name, white)
    truth = {}
    for k, (name, yes, no) in enumerate((("Ban it", 82, 15), ("Tax it", 60, 36), ("Leave it", 28, 64))):
        y = 60 + 58 * k
        s.text(110, y + 18, name, white, "r")
        for j, (v, c) in enumerate(((yes, GOLD), (no, (90, 160, 220)))):
            s.bar(120, y + 18 * j, 120 + 2.6 * v, y + 18 * j + 18, c)
            s.text(124 + 2.6 * v, y + 18 * j + 9, str(v), white)
            truth[("Yes", "No")[j], name] = v
    t = s.read()
    assert table(t) == truth
    assert t is not None
    assert t.chart_type == "grouped_bar"


def test_vertical_columns_and_axis_ticks_apart() -> None:
    s = Sheet(420, 320)
    s.text(4, 12, "Shares in four years as columns show them")
    for v in (0, 20, 40, 60, 80):
        s.text(26, 270 - 2.5 * v, str(v), anchor="r")
    truth = {}
    for k, (year, v) in enumerate((("1968", 56), ("1981", 43), ("2007", 27), ("2012", 72))):
        x = 60 + 80 * k
        s.bar(x, 270 - 2.5 * v, x + 44, 270, GREEN)
        s.text(x + 22, 270 - 2.5 * v - 9, str(v), anchor="m")
        s.text(x + 22, 282, year, anchor="m")
        truth["", year] = v
    t = s.read()
    assert table(t) == truth
    assert t is not None
    assert t.category_kind == "time"
    assert {c.category: c.x for c in t.cells}["2007"] == 2007.0


def test_lines_take_values_in_their_own_ink() -> None:
    s = Sheet(420, 320)
    s.text(4, 12, "Turnout in two groups over four elections")
    years = ["1990", "1998", "2006", "2014"]
    series = {"White": (GOLD, [51, 47, 50, 46]), "Hispanic": (BLUE, [38, 33, 32, 27])}
    xs = [60 + 90 * k for k in range(4)]
    truth = {}
    for name, (c, values) in series.items():
        points = [(x, 290 - 4 * v) for x, v in zip(xs, values)]
        s.draw.line(points, fill=c, width=3)
        for k in (0, 3):
            s.text(xs[k] - 8 if k == 0 else xs[k] + 8, points[k][1], str(values[k]), c, "r" if k == 0 else "l")
            truth[name, years[k]] = values[k]
        s.text(195, points[1][1] - 14, name, c, "m")
    for x, year in zip(xs, years):
        s.text(x, 300, year, anchor="m")
    t = s.read()
    assert table(t) == truth
    assert t is not None
    assert t.chart_type == "multi_line"


def test_pie_shares_with_their_words() -> None:
    s = Sheet(320, 340)
    s.text(4, 12, "Should the Senate hold hearings or not")
    parts = [("Yes", 56, GOLD), ("No", 38, (230, 205, 140)), ("Unsure", 6, GREY)]
    a = -90.0
    for name, v, c in parts:
        b = a + 3.6 * v
        s.draw.pieslice([60, 60, 260, 260], a, b, fill=c)
        mid = np.deg2rad((a + b) / 2)
        x, y = 160 + 62 * np.cos(mid), 160 + 62 * np.sin(mid)
        s.text(x, y - 7, name, anchor="m")
        s.text(x, y + 7, f"{v}%", anchor="m")
        a = b
    t = s.read()
    assert table(t) == {("", n): v for n, v, _ in parts}
    assert t is not None
    assert (t.unit, t.chart_type) == ("%", "pie")


def test_a_wrong_number_is_told_by_its_bar() -> None:
    """A digit lost by OCR must not come out as a confident value."""
    s = horizontal({"A group": 88, "B group": 69, "C group": 58, "D group": 38, "E group": 23})
    s.boxes = [TextBox("6", b.box, 0.99) if b.text == "69" else b for b in s.boxes]
    t = s.read()
    assert t is not None
    assert not any(c.category == "B group" and c.confidence > 0.4 for c in t.cells)
    assert sum(c.confidence > 0.7 for c in t.cells) == 4


def test_missing_labels_are_looked_for_on_their_bars() -> None:
    rows = {"Germans": [45, 33, 22], "Americans": [60, 21, 19], "Poles": [38, 40, 22]}
    names = ["Good", "Bad", "Neither"]
    s = stacked(rows, names, True)
    gone = next(b for b in s.boxes if b.text == "33")
    s.boxes.remove(gone)
    asked: list[tuple[float, float, float, float]] = []

    def look(boxes: list[tuple[float, float, float, float]]) -> list[tuple[str, float]]:
        asked.extend(boxes)
        return [("33", 0.9) for _ in boxes]

    got = table(s.read(look=look))
    assert got["Bad", "Germans"] == 33
    assert len(asked) == 1
    x = (gone.box[0] + gone.box[2]) / 2
    assert asked[0][0] < x < asked[0][2]
    # An answer the bar's length contradicts is not taken.
    assert ("Bad", "Germans") not in table(s.read(look=lambda boxes: [("93", 0.9) for _ in boxes]))


def test_numbers_read_as_one_are_parted_at_the_pieces() -> None:
    rows = {"Germans": [45, 10, 7], "Americans": [60, 8, 9], "Poles": [38, 12, 9]}
    s = stacked(rows, ["Good", "Bad", "Neither"], True)
    a = next(b for b in s.boxes if b.text == "8")
    b = next(b for b in s.boxes if b.text == "9" and abs(b.box[1] - a.box[1]) < 2)
    s.boxes = [x for x in s.boxes if x not in (a, b)]
    s.boxes.append(TextBox("89", (a.box[0], a.box[1], b.box[2], a.box[3]), 0.95))
    got = table(s.read())
    assert (got["Bad", "Americans"], got["Neither", "Americans"]) == (8, 9)


def test_nothing_printed_nothing_read() -> None:
    s = Sheet()
    s.text(4, 12, "A picture of words alone")
    assert s.read() is None
    assert read_labelled(np.zeros((300, 300, 3), np.uint8), []) is None
    assert read_labelled(np.zeros((4, 4, 3), np.uint8), [TextBox("5", (0, 0, 3, 3))]) is None


def test_axis_ticks_alone_make_no_table() -> None:
    s = Sheet(420, 320)
    for v in (0, 20, 40, 60, 80):
        s.text(26, 270 - 2.5 * v, str(v), anchor="r")
    s.draw.line([(40, 200), (140, 120), (240, 150), (400, 90)], fill=BLUE, width=3)
    for k, year in enumerate(("2001", "2004", "2007", "2010")):
        s.text(40 + 120 * k, 285, year, anchor="m")
    assert s.read() is None


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_noise_does_not_raise(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rgb = rng.integers(0, 256, (120, 160, 3)).astype(np.uint8)
    rgb[20:90, 30 : 30 + int(rng.integers(5, 120))] = rng.integers(0, 256, 3)
    words = ["12", "45%", "Yes", "2010", "Source: x", "7 9", "<1", "■", "'07'08", "NET 44%", "a b c d e"]
    boxes = []
    for _ in range(int(rng.integers(1, 14))):
        x, y = rng.uniform(-5, 150), rng.uniform(-5, 115)
        boxes.append(TextBox(str(rng.choice(words)), (x, y, x + rng.uniform(0, 60), y + rng.uniform(0, 20)), 0.9))
    t = read_labelled(rgb, boxes)
    assert t is None or all(0 <= c.confidence <= 1 for c in t.cells)


@pytest.mark.parametrize(
    ("text", "value", "unit", "step"),
    [
        ("24%", 24, "%", 1),
        ("0.69", 0.69, "", 0.01),
        ("$5,415", 5415, "$", 1),
        ("8.5M", 8.5, "", 0.1),
        ("-3", -3, "", 1),
        ("1,200*", 1200, "", 1),
    ],
)
def test_printed_numbers(text: str, value: float, unit: str, step: float) -> None:
    p = parse_number(text)
    assert p is not None
    assert (p.value, p.unit) == (value, unit)
    assert p.step == pytest.approx(step)


def test_words_ranges_and_dates_are_no_numbers() -> None:
    for text in ("18-29", "65+", "N/A", "'94", "Q3", "12 34", "1st", ""):
        assert parse_number(text) is None
    assert parse_number("<1") is not None
    assert parse_number("<1").less  # type: ignore[union-attr]
    assert is_year("2010-12")
    assert not is_year("2,010")
    assert is_date("May '15")
    assert not is_date("Mayor")
    assert year_of("'94") == 1994
    assert year_of("July 2012") == 2012.5
    assert (repair_slips("l3"), repair_slips("4O%"), repair_slips("Yes")) == ("13", "40%", None)
