"""What is known of a synthetic figure and of the texts about it, and the Reading an ideal reader would give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from f2teval.bench.render.scene import Mark, Scene
from f2teval.bench.table import Table
from f2teval.figure.reading import Axis, Cell, Reading, Series, TextBox, Tick
from f2teval.score import Box


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """One statement that a sentence makes, with the values it states and whether the table agrees.

    Attributes:
        kind: a kind of :data:`f2teval.claims.claim.ClaimKind`, or "context" (a cause or source outside the table).
        start, end: character offsets into the text of the sample.
        series, categories: what it is about (the *stated* names, wrong ones included).
        values: the numbers it states, in the figure's unit (percent changes and multiples as such).
        direction: "up", "down", "flat", "highest", "lowest", "higher", "lower", "strong", …
        slots: whatever else the check needs (rank, precision, operation).
        true: whether it holds.
    """

    kind: str
    start: int
    end: int
    series: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    direction: str = ""
    slots: Mapping[str, Any] = field(default_factory=dict)
    true: bool = True


@dataclass(frozen=True, slots=True)
class StatedError:
    """One error planted in a text: its type (a key of ``ERROR_TYPES``), its words, and what would have been right."""

    type: str
    start: int
    end: int
    said: str
    seen: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SentenceTruth:
    """One sentence: where it stands, why it is there, its claims, its errors, its semantic levels (1–4).

    ``role``: "fact", "insight", "context", "repeat", "filler", "nonsense", "slip" (a wrong connective), "key" (covers
    a key point of the figure); ``covers`` names the key points it tells.
    """

    start: int
    end: int
    role: str
    claims: tuple[StatedClaim, ...] = ()
    errors: tuple[StatedError, ...] = ()
    levels: tuple[int, ...] = ()
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextTruth:
    """One graded text: the sample's id, its style, its grade in each dimension, its sentences in order."""

    id: str
    text: str
    style: str
    ratings: Mapping[str, int]
    sentences: tuple[SentenceTruth, ...]


@dataclass(frozen=True, slots=True)
class FigureTruth:
    """Everything known of one figure. Boxes are in pixels of its picture file."""

    id: str
    split: str
    chart_type: str
    renderer: str
    width: int
    height: int
    background: str
    table: Table
    plot_area: Box | None
    texts: tuple[TextBox, ...]
    axes: tuple[Axis, ...]
    marks: tuple[Mark, ...]
    colors: Mapping[str, str]
    color_names: Mapping[str, str]
    look: Mapping[str, Any]
    context: str = ""
    keys: tuple[str, ...] = ()
    graded: tuple[TextTruth, ...] = ()

    @classmethod
    def of(cls, id: str, split: str, table: Table, scene: Scene, **rest: Any) -> FigureTruth:
        """From a table and the scene drawn of it."""
        return cls(
            id=id,
            split=split,
            chart_type=scene.chart_type,
            renderer=scene.renderer,
            width=scene.width,
            height=scene.height,
            background=scene.background,
            table=table,
            plot_area=scene.plot_area,
            texts=tuple(scene.texts),
            axes=tuple(scene.axes),
            marks=tuple(scene.marks),
            colors=dict(scene.colors),
            **rest,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain types only; coordinates to a tenth of a pixel."""
        d = asdict(self)
        d["table_key"], d["pair"] = self.table.key, self.table.pair
        rounded: dict[str, Any] = _round(d)
        rounded["table"] = self.table.to_dict()
        rounded["graded"] = d["graded"]
        rounded["axes"] = d["axes"]
        return rounded

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> FigureTruth:
        """Inverse of :meth:`to_dict`."""

        def box(b: Any) -> Box | None:
            return (b[0], b[1], b[2], b[3]) if b else None

        data = {k: v for k, v in d.items() if k not in ("table_key", "pair", "image")}
        data["table"] = Table.from_dict(d["table"])
        data["plot_area"] = box(d["plot_area"])
        data["texts"] = tuple(TextBox(**{**t, "box": box(t["box"])}) for t in d["texts"])
        data["axes"] = tuple(
            Axis(**{**a, "ticks": tuple(Tick(**{**t, "box": box(t["box"])}) for t in a["ticks"])}) for a in d["axes"]
        )
        data["marks"] = tuple(Mark(**{**m, "box": box(m["box"])}) for m in d["marks"])
        data["keys"] = tuple(d["keys"])
        data["graded"] = tuple(_graded(t) for t in d["graded"])
        return cls(**data)


def _round(x: Any) -> Any:
    if isinstance(x, float):
        return round(x, 1)
    if isinstance(x, dict):
        return {k: _round(v) if k != "value" else v for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_round(v) for v in x]
    return x


def _graded(d: Mapping[str, Any]) -> TextTruth:
    sentences = tuple(
        SentenceTruth(
            **{
                **s,
                "claims": tuple(
                    StatedClaim(
                        **{
                            **c,
                            "series": tuple(c["series"]),
                            "categories": tuple(c["categories"]),
                            "values": tuple(c["values"]),
                        }
                    )
                    for c in s["claims"]
                ),
                "errors": tuple(StatedError(**e) for e in s["errors"]),
                "levels": tuple(s["levels"]),
                "covers": tuple(s["covers"]),
            }
        )
        for s in d["sentences"]
    )
    return TextTruth(d["id"], d["text"], d["style"], dict(d["ratings"]), sentences)


def truth_reading(truth: FigureTruth) -> Reading:
    """What an ideal reader would read off the figure: the table itself, printed labels exact, the rest measured.

    A measured cell's tolerance is 1 % of its axis; a printed one's half its last digit. Cells follow the table's order
    of series, then categories.
    """
    t = truth.table
    axis = next((a for a in truth.axes if a.kind == "numeric" and a.side in ("y", "x")), None)
    span = axis.span if axis else None
    width = (span[1] - span[0]) * 0.01 if span else 0.0
    by_name = {(m.series, m.category): m for m in truth.marks}
    cells = []
    for s in t.series:
        for i, c in enumerate(t.categories):
            v = t.at(s, c)
            if v is None:
                continue
            m = by_name.get((s, c))
            label = m.label if m else ""
            cells.append(
                Cell(
                    series=s,
                    category=c,
                    value=v,
                    x=t.x[i] if t.x else None,
                    origin="label" if label else "measured",
                    tolerance=0.5 * 10.0**-t.decimals if label else width,
                    confidence=1.0,
                    box=m.box if m else None,
                    text=label,
                )
            )
    named = {
        b.text.replace("\n", " "): b.box for b in truth.texts if b.role in ("legend", "series_label", "column_header")
    }

    def words(role: str) -> str:
        return " ".join(b.text.replace("\n", " ") for b in truth.texts if b.role == role)

    return Reading(
        width=truth.width,
        height=truth.height,
        texts=truth.texts,
        chart_type=truth.chart_type,
        chart_confidence=1.0,
        is_chart=1.0,
        title=words("title"),
        subtitle=words("subtitle"),
        source=words("source"),
        notes=words("note"),
        plot_area=truth.plot_area,
        axes=truth.axes,
        series=tuple(Series(s, truth.colors.get(s, ""), "", named.get(s)) for s in t.series),
        categories=t.categories,
        category_kind=t.category_kind,
        category_title=t.category_title,
        cells=tuple(cells),
        unit=t.symbol or t.unit,
        scale=t.scale,
        background=truth.background,
        reader="truth",
    )
