"""The page of a run: safe with hostile texts, complete, linked, and bounded."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from stubs import WordMetric

from f2teval.data import BadRow
from f2teval.errors import F2TEvalError
from f2teval.report.marks import Mark, marked_html
from f2teval.report.page import Page
from f2teval.report.pictures import MAX_SIDE, make_picture
from f2teval.report.tally import Tally, Threshold, check_means
from f2teval.run import MetricSpec, run
from f2teval.sample import Sample

EVIL = "\"><script>alert(1)</script><img src=x onerror=alert(2)> wrong ' & \x00 \u202e ]]> {{x}} </textarea>"


class Elements(HTMLParser):
    """All elements with their attributes, and the text outside scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._skip = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))
        self._skip += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._skip -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        self.words += "" if self._skip else data

    def of(self, tag: str, **attrs: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.all if t == tag and all(a.get(k) == v for k, v in attrs.items())]


def png(color: str, size: tuple[int, int] = (80, 60)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, "PNG")
    return out.getvalue()


def page_of(path: Path, items: Sequence[Sample | BadRow], **options: int) -> str:
    tally = Tally()
    with Page(path, **options) as page:
        for row in run(items, [MetricSpec(WordMetric())]):
            tally.add(row)
            page.add(row)
        page.finish(tally)
    return path.read_text(encoding="utf-8")


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    items = [
        Sample(EVIL, EVIL, image=png("red"), caption=EVIL, system=EVIL),
        BadRow(EVIL, EVIL, EVIL, system=EVIL),
        Sample("svg", "wrong", image=b"<svg onload='alert(3)'/>"),
    ]
    html = page_of(tmp_path / "r.html", items)
    e = Elements(html)
    assert len(e.of("script")) == 1
    assert not e.of("img")
    assert not [a for _, attrs in e.all for a in attrs if a.startswith("on") or a == "style"]
    assert {a["data-system"] for a in e.of("li", **{"class": "row"})} == {EVIL, ""}
    assert "<script>alert(1)</script>" in e.words  # shown, not run


def test_nothing_comes_from_elsewhere_and_the_policy_fits(tmp_path: Path) -> None:
    html = page_of(tmp_path / "r.html", [Sample("a", "wrong http://x.org", image=png("red"))])
    e = Elements(html)
    links = [v for _, attrs in e.all for k, v in attrs.items() if k in ("src", "href", "action")]
    assert links
    assert all(str(v).startswith(("data:image/", "#")) for v in links)
    (policy,) = (a["content"] for a in e.of("meta", **{"http-equiv": "Content-Security-Policy"}))
    assert str(policy).startswith("default-src 'none'")
    for tag in ("script", "style"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in str(policy)


def test_words_box_and_finding_share_a_key(tmp_path: Path) -> None:
    e = Elements(page_of(tmp_path / "r.html", [Sample("a", "This is wrong.", image=png("red"))]))
    (mark,) = (a for a in e.of("mark") if "data-k" in a)
    (rect,) = (a for a in e.of("rect") if "data-k" in a)
    (line,) = (a for a in e.of("li") if "data-k" in a)
    assert mark["data-k"] == rect["data-k"] == line["data-k"]
    assert mark["tabindex"] == line["tabindex"] == "0"
    assert (float(rect["x"] or 0), float(rect["width"] or 0)) == pytest.approx((9.7, 50.6), abs=0.1)


def test_each_figure_is_kept_once_and_small(tmp_path: Path) -> None:
    noise = Image.effect_noise((3000, 2000), 60)
    out = io.BytesIO()
    noise.save(out, "PNG")
    items = [Sample(str(n), "t", image=out.getvalue() if n % 2 else png("blue")) for n in range(6)]
    e = Elements(page_of(tmp_path / "r.html", items))
    assert len(e.of("image")) == 2
    assert len(e.of("use")) == 6
    assert {a["viewbox"] for a in e.of("svg") if a.get("role") == "img"} == {"0 0 3000 2000", "0 0 80 60"}
    big = make_picture(out.getvalue())
    assert not isinstance(big, str)
    data = base64.b64decode(big.uri.partition(",")[2])
    assert max(Image.open(io.BytesIO(data)).size) == MAX_SIDE


def test_a_large_run_shows_the_worst_and_says_so(tmp_path: Path) -> None:
    items = [Sample(str(n), "wrong" if n in (50, 70) else "fine", image=png("red" if n == 50 else "blue"))
             for n in range(90)]  # fmt: skip
    e = Elements(page_of(tmp_path / "r.html", items, max_rows=5))
    shown = [a["data-n"] for a in e.of("li", **{"class": "row"})]
    assert len(shown) == 5
    assert {"51", "71"} <= set(shown)
    assert shown == sorted(shown, key=lambda n: int(str(n)))
    assert "shows the 5 texts with the lowest scores out of 90" in e.words
    assert "90 texts" in e.words


def test_unscored_rows_and_missing_pictures_say_why(tmp_path: Path) -> None:
    items = [
        BadRow("b", "not valid JSON", "f.jsonl:2"),
        Sample("c", "fine", image=tmp_path / "gone.png"),
        Sample("d", "x"),
    ]
    e = Elements(page_of(tmp_path / "r.html", items))
    assert [a["data-status"] for a in e.of("li", **{"class": "row"})] == ["unscored", "ok", "ok"]
    for words in ("f.jsonl:2: not valid JSON", "gone.png", "no picture", "1 not scored"):
        assert words in e.words


def test_a_page_that_cannot_be_written_is_known_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(F2TEvalError, match="cannot write"), Page("/proc/no/r.html"):
        pass
    with pytest.raises(ZeroDivisionError), Page(tmp_path / "r.html"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())  # no empty page is left behind


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.sampled_from(["bad", "good"])), max_size=6)


@given(st.text(max_size=60), SPANS)
def test_marks_keep_every_character(text: str, spans: list[tuple[int, int, str]]) -> None:
    n = len(text)
    marks = [Mark(min(a, b, n), min(max(a, b), n), f"k{i}", k) for i, (a, b, k) in enumerate(spans)]
    html = marked_html(text, 0, n, marks)
    assert Elements(html).words == Elements(marked_html(text, 0, n, [])).words
    covered = {i for m in marks for i in range(m.start, m.end)}
    inside = "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.S))
    assert Elements(inside).words == "".join(text[i] for i in sorted(covered))


def test_means_are_over_scored_rows_only() -> None:
    tally = Tally()
    texts = ["wrong", "fine", "boom"]
    for row in run([Sample(str(i), t, system="s") for i, t in enumerate(texts)], [MetricSpec(WordMetric())]):
        tally.add(row)
    ((system, group),) = tally.of("words")
    assert (system, group.total, group.scored) == ("s", 3, 2)
    assert group.mean("faithfulness") == pytest.approx(1.25)
    assert [b.item.id for b in tally.worst()] == ["0", "1"]
    assert tally.reasons == {"internal error (ValueError: cannot score 2)": 1}
    assert check_means(tally, [Threshold.parse("faithfulness=1.25")]) == []
    assert check_means(tally, [Threshold.parse("words.faithfulness=1.26")])
    assert check_means(tally, [Threshold.parse("bleu.value=0")])  # never scored
