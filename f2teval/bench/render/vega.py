"""Figures by Vega-Lite (through vl-convert, no browser), with the truth read back from the SVG that Vega laid out."""

from __future__ import annotations

import math
import os
import re
import tempfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Final

from f2teval.bench.render.fonts import font_folder, text_width, wrap
from f2teval.bench.render.outlines import outline_texts
from f2teval.bench.render.scene import Scene
from f2teval.bench.render.style import AxisPlan, Style
from f2teval.bench.render.vega_charts import BODIES, bars
from f2teval.bench.render.vega_svg import read_svg
from f2teval.bench.table import Table
from f2teval.errors import MissingExtraError

TYPES: Final = (
    "vertical_bar",
    "horizontal_bar",
    "grouped_bar",
    "stacked_bar",
    "line",
    "multi_line",
    "area",
    "stacked_area",
    "pie",
    "donut",
    "scatter",
    "bubble",
    "histogram",
    "box",
    "heatmap",
    "candlestick",
    "error_bar",
    "bar_line",
    "waterfall",
)


MEASURED: Final = "Liberation Sans"
"""The font that Vega measures in: the one vl-convert holds in memory."""


@lru_cache(maxsize=1)
def converter() -> Any:
    """The vl-convert module, knowing only the fonts that figures use.

    It reads its list of fonts once, at first use; for that moment fontconfig is told of no others.
    """
    try:
        import vl_convert
    except ImportError as e:
        raise MissingExtraError("drawing figures with Vega-Lite", "bench") from e
    folder = font_folder()
    before = os.environ.get("FONTCONFIG_FILE")
    with tempfile.TemporaryDirectory() as empty:
        conf = Path(empty) / "fonts.conf"
        conf.write_text(f"<?xml version='1.0'?><fontconfig><dir>{empty}</dir></fontconfig>")
        os.environ["FONTCONFIG_FILE"] = str(conf)
        try:
            vl_convert.register_font_directory(str(folder))
            vl_convert.svg_to_png('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
        finally:
            os.environ.pop("FONTCONFIG_FILE")
            if before is not None:
                os.environ["FONTCONFIG_FILE"] = before
    return vl_convert


def rasterise(svg: str, scale: float) -> bytes:
    """PNG bytes of an SVG at a resolution."""
    png: bytes = converter().svg_to_png(svg, scale=scale)
    return png


def render(rng: Random, table: Table, chart_type: str, style: Style) -> Scene:
    """Draw a table. Boxes in the scene are in pixels of the returned PNG."""
    wider = text_width(_SAMPLE, 1, style.font) / text_width(_SAMPLE, 1, MEASURED)
    spec, plans = build(
        rng,
        table,
        chart_type,
        replace(style, font=MEASURED, font_size=style.font_size * wider, title_size=style.title_size * wider),
    )
    svg = converter().vegalite_to_svg(spec)
    svg = _FONT.sub(lambda m: f'font-family="{style.font}" font-size="{float(m[1]) / wider:.3f}px"', svg)
    scene = read_svg(svg, table, chart_type, style, plans)
    scene.png = rasterise(outline_texts(svg), style.scale)
    scene.scale(style.scale)
    scene.width, scene.height = png_size(scene.png)
    return scene


_SAMPLE: Final = "The quick brown fox jumps over 1,234,567.89 lazy dogs"
_FONT: Final = re.compile(r'font-family="[^"]*" font-size="([\d.]+)px"')


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height from a PNG's header."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


# ---------------------------------------------------------------------------------------------------------------- spec


def build(rng: Random, table: Table, chart_type: str, style: Style) -> tuple[dict[str, Any], dict[str, AxisPlan]]:
    """The Vega-Lite spec and the numeric axes it must show."""
    body, plans = BODIES.get(chart_type, bars)(rng, table, chart_type, style)
    layers = [{**body.pop("base"), **body}] if "base" in body else body["layer"]
    spec: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": style.width,
        "height": style.height,
        "background": style.background,
        "layer": layers,
        "resolve": body.get("resolve", {}) if "base" not in body else {},
        "padding": rng.randint(5, 16),
        "config": _config(rng, style, framed=chart_type not in ("pie", "donut")),
    }
    if style.show_title:
        lines = wrap(table.title, style.width + rng.randint(0, 90), style.title_size, style.font, style.title_bold)
        spec["title"] = {"text": lines, "anchor": style.title_anchor}
        if table.subtitle:
            spec["title"]["subtitle"] = wrap(table.subtitle, style.width + 60, style.font_size, style.font)
    if style.show_source and (table.source or table.note):
        parts = ([f"Note: {table.note}"] if table.note else []) + ([f"Source: {table.source}"] if table.source else [])
        words = [w for p in parts for w in wrap(p, style.width + 40, style.font_size - 1, style.font)]
        longest = max((text_width(c, style.font_size, style.font) for c in table.categories), default=0)
        down = style.height + 48 + longest * abs(math.sin(math.radians(style.tick_angle)))
        if chart_type in ("horizontal_bar", "pie", "donut", "line", "area", "multi_line", "stacked_area", "scatter"):
            down = style.height + 52
        if style.legend_side == "bottom" and len(table.series) > 1:
            down += 2.5 * style.font_size
        spec["layer"] = [
            *layers,
            {
                "data": {"values": [{}]},
                "encoding": {"x": {"value": 0}, "y": {"value": down}},
                "mark": {
                    "type": "text",
                    "text": words,
                    "align": "left",
                    "baseline": "top",
                    "clip": False,
                    "fontSize": style.font_size - 1,
                    "color": style.ink,
                    "opacity": 0.75,
                    "description": "source",
                },
            },
        ]
    return spec, plans


def _config(rng: Random, st: Style, *, framed: bool) -> dict[str, Any]:
    text = {"labelColor": st.ink, "titleColor": st.ink, "labelFont": st.font, "titleFont": st.font}
    return {
        "view": {"stroke": st.grid_color if st.frame and framed else None},
        "axis": {
            **text,
            "grid": st.grid,
            "gridColor": st.grid_color,
            "domainColor": st.ink,
            "tickColor": st.ink,
            "labelFontSize": st.font_size,
            "titleFontSize": st.font_size + rng.choice((0, 1, 2)),
            "titleFontWeight": rng.choice(("bold", "normal")),
            "ticks": rng.random() < 0.8,
            "domain": rng.random() < 0.85,
            "labelLimit": 190,
        },
        "legend": {
            **text,
            "labelFontSize": st.font_size,
            "titleFontSize": st.font_size,
            "orient": st.legend_side,
            "columns": 3 if st.legend_side in ("top", "bottom") else 1,
            "labelLimit": 200,
        },
        "title": {
            "font": st.font,
            "fontSize": st.title_size,
            "color": st.ink,
            "subtitleColor": st.ink,
            "fontWeight": "bold" if st.title_bold else "normal",
            "subtitleFont": st.font,
            "offset": 10,
        },
        "text": {"font": st.font, "color": st.ink},
    }
