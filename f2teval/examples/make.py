"""Draws the bundled figures and writes the texts about them: ``python -m f2teval.examples.make`` (needs matplotlib).

All data and names are invented. Each text says which of its sentences are wrong and how, under ``ratings.errors``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from f2teval.examples.texts import TEXTS

HERE = Path(__file__).parent
FIGURES = HERE / "figures"

YEARS = list(range(2012, 2025))
POWER = {
    "Coal": [41, 40, 38, 35, 31, 28, 25, 21, 17, 15, 12, 9, 7],
    "Gas": [22, 23, 23, 24, 26, 27, 27, 28, 28, 27, 26, 25, 23],
    "Wind": [8, 9, 11, 14, 16, 19, 21, 24, 28, 29, 32, 35, 38],
    "Solar": [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 20, 23],
}
LAKE = [4.1, 4.3, 4.2, 4.6, 4.8, 4.5, 4.0, 3.7, 3.4, 3.1, 2.6, 2.9, 3.3]
TRIPS = {"Old Town": 18.4, "Harbour": 14.9, "University": 22.7, "Station": 16.2, "Hillside": 6.1, "Airport": 3.3}
REASONS = {
    "Too expensive": 46,
    "Not enough time to read": 31,
    "News is free elsewhere": 28,
    "Too much advertising": 17,
    "Moved house": 9,
    "Poor delivery": 6,
}
ROUTES = {"Train": 38, "Bus": 24, "Car": 21, "Bicycle": 11, "On foot": 6}
PASSES = {"2022": [71, 64, 82, 58], "2024": [78, 61, 85, 69]}
SCHOOLS = ["Northgate", "Elmwood", "St Anne", "Riverside"]
WASTE = {
    "Paper": [210, 195, 180, 160, 150],
    "Glass": [90, 95, 92, 96, 98],
    "Organic": [120, 150, 190, 230, 260],
    "Residual": [410, 380, 340, 300, 265],
}
WASTE_YEARS = ["2016", "2018", "2020", "2022", "2024"]


def _axes(title: str, width: float = 6.4, height: float = 4.2) -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(width, height), dpi=110)
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", pad=12)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def vertical_bar() -> Any:
    figure, axes = _axes("Bicycle trips a day in Marlow Bay, 2024")
    axes.bar(list(TRIPS), list(TRIPS.values()), color="#2f6f9f", width=0.62)
    axes.set_ylabel("Trips (thousands)")
    axes.set_xlabel("District")
    axes.set_ylim(0, 25)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    return figure


def horizontal_bar() -> Any:
    figure, axes = _axes("Why readers cancel their newspaper")
    bars = axes.barh(list(REASONS)[::-1], list(REASONS.values())[::-1], color="#b5543a", height=0.6)
    axes.bar_label(bars, fmt="%d%%", padding=4)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(left=False)
    axes.set_xlim(0, 54)
    return figure


def line() -> Any:
    figure, axes = _axes("Water level of Lake Orsen")
    axes.plot(YEARS, LAKE, color="#1c7c6e", linewidth=2.2, marker="o", markersize=4)
    axes.set_ylabel("Metres above datum")
    axes.set_ylim(0, 6)
    axes.set_xticks(YEARS[::2])
    axes.grid(axis="y", color="#e2e2e2")
    return figure


def multi_line() -> Any:
    figure, axes = _axes("Electricity in Norland by source")
    for (name, values), color in zip(POWER.items(), ("#444444", "#c77f1a", "#2a78b8", "#c23b4b")):
        axes.plot(YEARS, values, label=name, color=color, linewidth=2)
    axes.set_ylabel("Terawatt-hours")
    axes.set_ylim(0, 50)
    axes.set_xticks(YEARS[::2])
    axes.grid(axis="y", color="#e2e2e2")
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.02))
    return figure


def pie() -> Any:
    figure, axes = _axes("How visitors reach the Harbour Museum", 5.6, 4.4)
    axes.pie(
        list(ROUTES.values()),
        labels=list(ROUTES),
        autopct="%d%%",
        startangle=90,
        counterclock=False,
        colors=["#3b6ea5", "#7fb069", "#e6aa68", "#ca3c25", "#8d6a9f"],
        textprops={"fontsize": 10},
    )
    return figure


def grouped_bar() -> Any:
    figure, axes = _axes("Pass rate in the final exam")
    at = np.arange(len(SCHOOLS))
    for offset, (year, values), color in zip((-0.2, 0.2), PASSES.items(), ("#9aa9b8", "#1f5f8b")):
        axes.bar(at + offset, values, 0.38, label=year, color=color)
    axes.set_xticks(at, SCHOOLS)
    axes.set_ylabel("Pupils who passed (%)")
    axes.set_ylim(0, 100)
    axes.grid(axis="y", color="#e2e2e2")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, ncols=2, loc="upper right")
    return figure


def stacked_bar() -> Any:
    figure, axes = _axes("Household waste in Tarn County")
    bottom = np.zeros(len(WASTE_YEARS))
    for (name, values), color in zip(WASTE.items(), ("#6b8fb3", "#8fc1a9", "#c9b458", "#8a8a8a")):
        axes.bar(WASTE_YEARS, values, 0.6, bottom=bottom, label=name, color=color)
        bottom += values
    axes.set_ylabel("Kilotonnes")
    axes.set_ylim(0, 1000)
    axes.legend(frameon=False, ncols=4, loc="upper center")
    return figure


def scatter() -> Any:
    figure, axes = _axes("Sleep and reaction time, 40 drivers")
    rng = np.random.default_rng(7)
    sleep = np.clip(rng.normal(6.8, 1.2, 40), 4.1, 9.4)
    axes.scatter(sleep, 470 - 27 * sleep + rng.normal(0, 14, 40), s=26, color="#6a4c93", alpha=0.8)
    axes.set_xlabel("Hours of sleep")
    axes.set_ylabel("Reaction time (ms)")
    axes.set_xlim(4, 10)
    axes.set_ylim(180, 380)
    axes.grid(color="#e8e8e8")
    axes.set_axisbelow(True)
    return figure


DRAW: dict[str, Callable[[], Any]] = {
    f.__name__: f for f in (vertical_bar, horizontal_bar, line, multi_line, pie, grouped_bar, stacked_bar, scatter)
}


def main() -> None:
    """Draw every figure and write ``samples.jsonl``."""
    import matplotlib.pyplot as plt

    FIGURES.mkdir(exist_ok=True)
    for name, draw in DRAW.items():
        figure = draw()
        figure.tight_layout()
        figure.savefig(FIGURES / f"{name}.png", metadata={"Software": None})
        plt.close(figure)
    with (HERE / "samples.jsonl").open("wb") as out:
        for t in TEXTS:
            row = {
                "id": f"{t.figure}-{t.system}",
                "image": f"figures/{t.figure}.png",
                "text": [s for s, _ in t.sentences],
                "system": t.system,
                "source": "f2teval examples (invented data)",
                "ratings": {**t.ratings(), "errors": [list(errors) for _, errors in t.sentences]},
            }
            out.write(orjson.dumps(row) + b"\n")


if __name__ == "__main__":
    main()
