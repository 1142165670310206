"""A page of SVG that remembers where it put each text."""

from __future__ import annotations

from xml.sax.saxutils import escape

from f2teval.bench.render.fonts import anchored_box, text_width, wrap
from f2teval.bench.render.style import Style, value_label
from f2teval.bench.table import Table
from f2teval.figure.reading import TextBox, TextRole


class Page:
    """An SVG page that remembers where it put each text."""

    def __init__(self, style: Style, width: float) -> None:
        self.style, self.width, self.height = style, width, 0.0
        self.parts: list[str] = []
        self.texts: list[TextBox] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        role: TextRole,
        *,
        size: float | None = None,
        anchor: str = "start",
        bold: bool = False,
        italic: bool = False,
        color: str = "",
        family: str = "",
        angle: float = 0.0,
    ) -> float:
        """Set a text with its baseline at ``y``; returns its width."""
        size, family = size or self.style.font_size, family or self.style.font
        w = text_width(text, size, family, bold, italic)
        turn = f' transform="rotate({angle} {x:.1f} {y:.1f})"' if angle else ""
        look = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "")
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-family="{family}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{color or self.style.ink}"{look}{turn}>{escape(text)}</text>'
        )
        self.texts.append(TextBox(text, anchored_box(x, y, w, size, anchor, angle), 1.0, role, angle))
        return w

    def lines(
        self,
        x: float,
        y: float,
        text: str,
        width: float,
        role: TextRole,
        *,
        size: float | None = None,
        bold: bool = False,
        italic: bool = False,
        color: str = "",
        family: str = "",
        anchor: str = "start",
    ) -> float:
        """Set a wrapped text from ``y`` (top) down, as one text box; returns the y below it."""
        size, family = size or self.style.font_size, family or self.style.font
        rows = wrap(text, width, size, family, bold)
        first = len(self.texts)
        for row in rows:
            y += size * 1.2
            self.text(x, y, row, role, size=size, bold=bold, italic=italic, color=color, family=family, anchor=anchor)
        boxes = [t.box for t in self.texts[first:]]
        if boxes:
            box = (min(b[0] for b in boxes), boxes[0][1], max(b[2] for b in boxes), boxes[-1][3])
            self.texts[first:] = [TextBox("\n".join(rows), box, 1.0, role)]
        return y + size * 0.3

    def rect(self, x: float, y: float, w: float, h: float, color: str, *, stroke: str = "") -> None:
        edge = f' stroke="{stroke}"' if stroke else ""
        self.parts.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(0, w):.2f}" height="{max(0, h):.2f}" fill="{color}"{edge}/>'
        )

    def path(
        self, d: str, *, fill: str = "none", stroke: str = "none", width: float = 1.0, opacity: float = 1.0
    ) -> None:
        self.parts.append(f'<path d="{d}" fill="{fill}" stroke="{stroke}" stroke-width="{width}" opacity="{opacity}"/>')

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}">'
            f'<rect width="100%" height="100%" fill="{self.style.background}"/>' + "".join(self.parts) + "</svg>"
        )


def contrast(color: str) -> str:
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#ffffff" if 0.3 * r + 0.59 * g + 0.11 * b < 150 else "#000000"


def printed(table: Table, style: Style, v: float, first: bool) -> str:
    """Polls print the sign on the first value only."""
    text = value_label(v, table, style)
    if table.symbol == "%":
        bare = text.rstrip("%")
        return bare + "%" if first and style.theme % 2 else (text if style.theme % 5 == 0 else bare)
    return text


def legend(page: Page, names: tuple[str, ...], st: Style, x: float, y: float) -> float:
    left = x
    for i, s in enumerate(names):
        w = text_width(s, st.font_size - 1, st.font) + 22
        if x + w > page.width - 4 and x > left:
            x, y = left, y + st.font_size + 5
        page.rect(x, y + 2, st.font_size - 2, st.font_size - 2, st.color(i))
        page.text(x + st.font_size + 2, y + st.font_size - 1, s, "legend", size=st.font_size - 1)
        x += w
    return y + st.font_size + 10
