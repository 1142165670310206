"""Plain names of colours, as people would say them."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping


def color_name(hex_color: str) -> str:
    """A plain name for ``#rrggbb``."""
    r, g, b = (int(hex_color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    h, light, s = colorsys.rgb_to_hls(r, g, b)
    if light > 0.93:
        return "white"
    if light < 0.1:
        return "black"
    if s < 0.14 or (max(r, g, b) - min(r, g, b)) < 0.07:
        return "gray"
    deg = h * 360
    if (15 <= deg < 45 and light < 0.36) or (deg < 30 and light < 0.5 and s < 0.45):
        return "brown"
    for edge, name in (
        (15, "red"),
        (40, "orange"),
        (68, "yellow"),
        (160, "green"),
        (195, "teal"),
        (255, "blue"),
        (295, "purple"),
        (340, "pink"),
    ):
        if deg < edge:
            return name
    return "red"


def distinct_names(colors: Mapping[str, str]) -> dict[str, str]:
    """Series → colour name, only those whose name no other series shares."""
    named = {k: color_name(v) for k, v in colors.items() if v.startswith("#") and len(v) == 7}
    counts = list(named.values())
    return {k: v for k, v in named.items() if counts.count(v) == 1}
