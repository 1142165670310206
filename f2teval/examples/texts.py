"""The bundled texts: for each sentence the types of its errors, for each text five grades."""

from __future__ import annotations

from typing import NamedTuple

from f2teval.rubric import DIMENSION_NAMES


class Text(NamedTuple):
    """A text: its sentences with their errors, and its grades in the order of the dimensions."""

    figure: str
    system: str
    grades: tuple[int, int, int, int, int]
    sentences: tuple[tuple[str, tuple[str, ...]], ...]

    def ratings(self) -> dict[str, int]:
        """Grades by dimension."""
        return dict(zip(DIMENSION_NAMES, self.grades))


def _text(figure: str, system: str, grades: tuple[int, int, int, int, int], *parts: str | tuple[str, ...]) -> Text:
    """``parts``: a right sentence is a string; a wrong one a tuple of the sentence and its error types."""
    sentences = tuple((p, ()) if isinstance(p, str) else (p[0], p[1:]) for p in parts)
    return Text(figure, system, grades, sentences)


TEXTS: tuple[Text, ...] = (
    _text(
        "vertical_bar", "editor", (2, 2, 2, 2, 2),
        "The bar chart shows bicycle trips a day in six districts of Marlow Bay in 2024, in thousands.",
        "The University district leads with about 23 thousand trips, followed by Old Town with 18 thousand.",
        "The Airport has the fewest, about 3 thousand, roughly a seventh of the University's.",
    ),
    _text(
        "vertical_bar", "model-a", (1, 1, 2, 2, 1),
        "The chart shows daily bicycle trips by district in Marlow Bay in 2024.",
        ("Old Town has the most trips, with almost 23 thousand a day.", "label", "value"),
        "The Airport has the fewest trips.",
    ),
    _text(
        "vertical_bar", "model-b", (0, 0, 0, 1, 0),
        ("This is a line chart about car traffic.", "label", "out_of_context"),
        ("The Harbour had 30 thousand trips.", "value"),
        ("The Harbour had 30 thousand trips.", "value", "redundancy"),
        ("The new bridge is the reason for the growth.", "out_of_context"),
    ),
    _text(
        "horizontal_bar", "editor", (2, 2, 2, 2, 2),
        "Price is the main reason readers give for cancelling their newspaper: 46% say it is too expensive.",
        "Lack of time follows with 31%, ahead of free news elsewhere with 28%.",
        "Poor delivery is the least common reason, at 6%.",
    ),
    _text(
        "horizontal_bar", "model-a", (1, 1, 2, 2, 1),
        "The chart shows why readers cancel their newspaper.",
        ("More than half say it is too expensive.", "value"),
        "Too much advertising is named by 17%.",
    ),
    _text(
        "horizontal_bar", "model-b", (0, 1, 1, 1, 0),
        ("The most common reason is moved house with 31%.", "label", "value"),
        "Poor delivery stands at 6%.",
        ("Not enough time to read is the least common reason.", "label"),
    ),
    _text(
        "line", "editor", (2, 2, 2, 2, 2),
        "The line chart shows the water level of Lake Orsen from 2012 to 2024, in metres above datum.",
        "It rose to a peak of about 4.8 metres in 2016 and then fell for six years, to 2.6 metres in 2022.",
        "Since then it has partly recovered, to 3.3 metres in 2024.",
    ),
    _text(
        "line", "model-a", (1, 1, 2, 2, 1),
        "The chart shows the water level of Lake Orsen.",
        "The level peaked in 2016.",
        ("After that it rose steadily until 2022.", "trend"),
    ),
    _text(
        "line", "model-b", (0, 0, 1, 1, 0),
        ("The water level of Lake Orsen rose steadily from 2012 to 2024.", "trend"),
        ("It reached its lowest point in 2013 at 1.2 metres.", "value", "label"),
        ("Climate change caused the drought, experts say.", "out_of_context"),
    ),
    _text(
        "multi_line", "editor", (2, 2, 2, 2, 2),
        "The chart follows electricity from coal, gas, wind and solar in Norland from 2012 to 2024.",
        "Coal fell from 41 to 7 terawatt-hours, while wind rose from 8 to 38 and overtook coal in 2019.",
        "Gas stayed between 22 and 28 terawatt-hours, and solar grew to the same level as gas by 2024.",
    ),
    _text(
        "multi_line", "model-a", (1, 1, 2, 2, 1),
        "The chart shows electricity in Norland by source.",
        "Coal declined over the period, while wind increased.",
        ("In 2024, solar was the largest source.", "label"),
        ("Gas doubled between 2012 and 2024.", "magnitude"),
    ),
    _text(
        "multi_line", "model-b", (0, 0, 0, 1, 0),
        ("Coal rose from 7 to 41 terawatt-hours between 2012 and 2024.", "trend"),
        ("Nuclear power is the most important source.", "out_of_context"),
        ("Coal rose from 7 to 41 terawatt-hours between 2012 and 2024.", "trend", "redundancy"),
    ),
    _text(
        "pie", "editor", (2, 2, 2, 2, 2),
        "The pie chart shows how visitors reach the Harbour Museum.",
        "The train is the most common way with 38%, followed by the bus with 24% and the car with 21%.",
        "Together, train and bus bring 62% of the visitors, while only 6% come on foot.",
    ),
    _text(
        "pie", "model-a", (1, 1, 2, 2, 1),
        "The chart shows how visitors get to the Harbour Museum.",
        "Most come by train, with 38%.",
        ("The car is used by 31% of the visitors.", "value"),
    ),
    _text(
        "pie", "model-b", (0, 1, 1, 0, 0),
        ("The bicycle is the most popular way to reach the museum.", "label"),
        ("The bus has a larger share than the train.", "label"),
        "The train has a share of 38%.",
        ("The bicycle is the least popular of all.", "contradiction", "label"),
    ),
    _text(
        "grouped_bar", "editor", (2, 2, 2, 2, 2),
        "The chart compares the share of pupils who passed the final exam at four schools in 2022 and 2024.",
        "St Anne has the highest pass rate in both years, with 82% and 85%.",
        "Riverside gained most, from 58% to 69%, while Elmwood is the only school where the rate fell.",
    ),
    _text(
        "grouped_bar", "model-a", (1, 1, 2, 2, 1),
        "The chart shows exam pass rates at four schools.",
        "St Anne has the highest rate in 2024.",
        ("The rate rose at every school.", "trend"),
    ),
    _text(
        "grouped_bar", "model-b", (0, 0, 1, 1, 0),
        ("Elmwood has the highest pass rate in 2024, with 91%.", "label", "value"),
        ("Northgate fell from 78% to 71%.", "trend"),
        ("Teachers at Elmwood received an award.", "out_of_context"),
    ),
    _text(
        "stacked_bar", "editor", (2, 2, 2, 2, 2),
        "The stacked bars show household waste in Tarn County by kind, from 2016 to 2024, in kilotonnes.",
        "Residual waste fell from 410 to 265 kilotonnes, while organic waste more than doubled from 120 to 260.",
        "The total changed little, from 830 to 773 kilotonnes.",
    ),
    _text(
        "stacked_bar", "model-a", (1, 1, 2, 2, 1),
        "The chart shows household waste in Tarn County.",
        "Residual waste decreased between 2016 and 2024.",
        ("Paper increased over the same period.", "trend"),
    ),
    _text(
        "stacked_bar", "model-b", (0, 0, 1, 1, 0),
        ("Glass is the largest kind of waste in every year.", "label"),
        ("In 2016, organic waste was 500 kilotonnes.", "value"),
        "Paper decreased from 2016 to 2024.",
    ),
    _text(
        "scatter", "editor", (2, 2, 2, 2, 2),
        "The scatter plot sets the hours of sleep of 40 drivers against their reaction time.",
        "Drivers who slept longer reacted faster: the points fall from above 360 milliseconds near 4 hours "
        "to about 250 near 8 hours.",
        "The correlation is strong and negative.",
    ),
    _text(
        "scatter", "model-a", (1, 1, 2, 2, 1),
        "The chart shows sleep and reaction time of 40 drivers.",
        ("More sleep goes with longer reaction times.", "trend"),
    ),
    _text(
        "scatter", "model-b", (0, 0, 1, 1, 0),
        ("The chart shows the reaction time of 200 pilots.", "value", "out_of_context"),
        ("Reaction time does not depend on sleep.", "trend"),
        ("Most drivers slept more than 12 hours.", "value"),
    ),
)  # fmt: skip
