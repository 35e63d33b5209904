"""Infographics: a teacher's figures, and their picture."""

from __future__ import annotations

from typing import get_args

import pytest
from lxml import etree
from pydantic import ValidationError

from packs.education.generation.passages import Passage
from packs.education.infographic import Fact, Style, _fact, passage_facts, picture
from rollcall.core.capability import Capability
from rollcall.render.pages import png, svg
from rollcall.render.sheet import Chart, Figure, Figures, List

LINES = ["71% מכדור הארץ מכוסה מים", "מים מתוקים: 3%"]


@pytest.mark.parametrize("style", get_args(Style))
def test_every_style_is_a_picture_with_title_and_description(style: Style) -> None:
    made = picture("מים", [_fact(line) for line in LINES], style, "he")
    tree = etree.fromstring(svg(made)[0])
    assert (tree.findtext("{*}title"), tree.findtext("{*}desc")) == ("מים", "; ".join(LINES))
    assert len(png(made)) == 1


def test_figures_are_those_of_the_lines_and_of_one_unit_are_compared() -> None:
    blocks = picture("מים", [_fact(line) for line in LINES], "colorful", "he").blocks
    assert Figures([Figure("71%", "מכדור הארץ מכוסה מים"), Figure("3%", "מים מתוקים")]) in blocks
    assert Chart(["מכדור הארץ מכוסה מים", "מים מתוקים"], [71, 3], unit="%") in blocks
    mixed = picture("מים", [_fact(LINES[0]), _fact("100 °C"), _fact("ללא מספר")], "colorful", "he")
    assert not any(isinstance(each, Chart) for each in mixed.blocks)
    assert List(["ללא מספר"]) in mixed.blocks


def test_passages_give_sentences_with_figures_and_their_page() -> None:
    passage = Passage("ספר", "המים חשובים מאוד לכולנו. הים מכסה 71% מן הכדור.", 4, "d")
    (fact,) = passage_facts([passage])
    assert fact == Fact("71%", "הים מכסה 71% מן הכדור.", passage.source("הים מכסה 71% מן הכדור."))
    assert fact.source is not None and fact.source.page == 4


def test_data_points_may_be_objects_and_other_values_are_refused() -> None:
    from packs.education.infographic import generate_infographic

    read = Capability.of(generate_infographic).arguments.model_validate
    given = {"topic": "מים", "gradeLevel": 4, "dataPoints": [{"label": "ים", "value": 71}, "3%"]}
    assert getattr(read(given), "data_points") == ["ים: 71", "3%"]  # noqa: B009
    with pytest.raises(ValidationError):
        read({**given, "dataPoints": [["x"]]})


def test_a_hebrew_prefix_is_no_minus_and_a_formulas_digit_no_figure() -> None:
    assert [_fact(line).figure for line in ("קופאים ב-0 °C", "−5°C בחוץ", "H2O הם מים")] == [
        "0 °C", "−5°C", "",
    ]  # fmt: skip


def test_figures_without_a_unit_are_not_compared() -> None:
    facts = [_fact(line) for line in ("נוסדה בשנת 1948", "9 מחוזות")]
    assert not any(
        isinstance(each, Chart) for each in picture("עיר", facts, "colorful", "he").blocks
    )
