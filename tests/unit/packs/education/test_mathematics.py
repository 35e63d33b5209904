"""Problems of mathematics: right, of their grade, and about their topic."""

from __future__ import annotations

import pytest

from packs.education.mathematics.problems import (
    FAMILIES,
    GRADES,
    families_for,
    is_mathematics,
    make_problems,
)
from tests.evals.packs.education.mathematics import draw_items, problems_of


def test_problems_of_every_family_are_right_when_solved_by_other_code() -> None:
    for family, grade, item in draw_items(5 * len(FAMILIES), "7"):
        assert problems_of(family, grade, item) == [], (family.id, grade, item)


def test_every_grade_has_at_least_eight_families_and_all_are_at_least_24() -> None:
    assert len(FAMILIES) == len({family.id for family in FAMILIES}) >= 24
    for grade in GRADES:
        assert len([family for family in FAMILIES if grade in family.grades]) >= 8


@pytest.mark.parametrize(
    ("topic", "grade", "ids"),
    [
        ("חיבור וחיסור שברים", 4, {"fraction_addition", "fraction_subtraction"}),
        ("בעיות מילוליות בכפל", 2, {"story_groups"}),
        ("Percentages", 6, {"percent_of", "discount"}),
        ("שברים עשרוניים", 4, set()),
        ("אחוזים", 3, set()),
        ("המהפכה הצרפתית", 5, set()),
    ],
)
def test_a_topic_names_its_families_in_a_grade(topic: str, grade: int, ids: set[str]) -> None:
    assert {family.id for family in families_for(topic, grade)} == ids


def test_mathematics_is_told_from_other_topics() -> None:
    assert is_mathematics("חזרה על שברים")
    assert not is_mathematics("זמן עבר ביווני")


def test_problems_are_all_different_and_the_same_for_one_seed() -> None:
    made = make_problems("שברים", grade=4, count=30, seed="a")
    assert len({repr(item.block) for item in made}) == 30
    assert made == make_problems("שברים", grade=4, count=30, seed="a")
    assert made != make_problems("שברים", grade=4, count=30, seed="b")


def test_support_offers_options_and_enrichment_does_not() -> None:
    easy = make_problems("כפל", grade=4, count=8, seed="a", level="support")
    hard = make_problems("כפל", grade=4, count=8, seed="a", level="enrichment")
    assert {item.block.kind for item in easy} == {"choice"}
    assert {item.block.kind for item in hard} == {"numeric"}


def test_a_topic_of_ten_thousand_characters_is_read_in_part() -> None:
    assert make_problems("x " * 5_000, grade=4, count=3, seed="a") == []
