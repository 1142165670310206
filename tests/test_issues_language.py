"""Which texts can be judged at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from f2teval.claims.language import detect

ENGLISH = [
    "GDP of Egypt 2009-2019",
    "No data",
    "Los Angeles, Las Vegas, El Paso and San Jose",
    "Population of Rio de Janeiro",
    "Côte d'Ivoire: cocoa exports",
    "Die Hard box office",
    "The 人口 of Beijing grew in 2010.",
    "SALES ROSE IN 2014",
    "Turkey (Türkiye), Curaçao, São Tomé and Príncipe saw the largest gains.",
    "Bar chart",
]
FOREIGN = [
    ("Die Bevölkerung ist zwischen 2010 und 2020 stark gestiegen.", "de"),
    ("Le nombre de chômeurs a augmenté en France.", "fr"),
    ("La población de España ha aumentado desde 2010.", "es"),
    ("Il numero di turisti è aumentato nel 2019.", "it"),
    ("O número de alunos aumentou em 2019 e a taxa diminuiu.", "pt"),
    ("Het aantal inwoners van Utrecht is in tien jaar gestegen.", "nl"),
    ("Antalet invånare ökade mellan 2010 och 2020.", "sv"),
    ("Liczba ludności wzrosła w latach 2010 i 2020, ale nie na wsi.", "pl"),
    ("Nüfus 2010 ile 2020 arasında çok arttı ve daha yüksek.", "tr"),
]


@pytest.mark.parametrize("text", ENGLISH)
def test_captions_full_of_names_pass(text: str) -> None:
    assert detect(text).english


@pytest.mark.parametrize(("text", "code"), FOREIGN)
def test_other_languages_are_named(text: str, code: str) -> None:
    verdict = detect(text)
    assert (verdict.english, verdict.language) == (False, code)
    assert "not English" in verdict.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("12 13.5% 2014", "no words"),
        ("\x00\x01\x02PNG\x03\x04", "control"),
        ("Число безработных выросло", "Cyrillic"),
        ("人口在2010年增加了", "Chinese"),
        ("عدد السكان في ازدياد", "Arabic"),
        ("x" * 100_000, "unbroken"),
    ],
)
def test_what_is_no_english_text_says_why(text: str, reason: str) -> None:
    verdict = detect(text)
    assert not verdict.english
    assert reason in verdict.reason


def test_a_long_english_text_with_foreign_quotes_passes() -> None:
    text = "The chart shows how many people say “ich bin zufrieden mit der Lage” in each of the countries. " * 50
    assert detect(text).english


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_never_raises_and_a_refusal_has_a_reason(text: str) -> None:
    verdict = detect(text)
    assert verdict.english == (verdict.reason == "")
    assert 0.0 <= verdict.confidence <= 1.0
