"""Problems of mathematics: right, of their grade, and about their topic."""

from __future__ import annotations

import re
from random import Random
from typing import Any, get_args

import pytest

from packs.education.answers import check_answer
from packs.education.arithmetic import schoolbook_notation
from packs.education.blocks import Item, Level
from packs.education.key_check import check_problem
from packs.education.mathematics import fractions, numbers
from packs.education.mathematics.family import Draw, Family, row_question
from packs.education.mathematics.problems import (
    GRADES,
    all_families,
    families_for,
    is_mathematics,
    make_problem,
    make_problems,
)
from tests.evals.packs.education.mathematics import draw_items, problems_of
from tests.support.full_form import amount

SEEDS = range(amount(1, full=3))


def family_of(id: str) -> Family:
    [family] = [each for each in all_families() if each.id == id]
    return family


def test_problems_of_every_family_are_right_when_solved_by_other_code() -> None:
    for family, grade, item in draw_items(5 * len(all_families()), "7"):
        assert problems_of(family, grade, item) == [], (family.id, grade, item)


def right_answer(item: Item) -> Any:
    """What a pupil sends who is right, and writes the unit."""
    block, key = item.block, item.key
    return {
        "choice": key.correct[:1] and key.correct[0],
        "multi_choice": key.correct,
        "order": key.correct,
        "true_false": key.truth,
        "match": key.pairs,
        "cloze": {gap: texts[0] for gap, texts in key.gaps.items()},
        "numeric": f"{key.value} {block.unit or ''}",
    }[block.kind]


@pytest.mark.long
@pytest.mark.parametrize("locale", ["he", "en"])
def test_the_key_of_every_problem_follows_from_its_check_and_is_a_right_answer(locale: str) -> None:
    for family in all_families():
        for grade in family.grades:
            for level in get_args(Level):
                for seed in SEEDS:
                    random = Random(f"{family.id}{seed}")
                    item = make_problem(family, Draw(random, grade, locale, level))
                    about = (family.id, grade, level, seed, item)
                    assert check_problem(item) is None, about
                    assert check_answer(item.block, item.key, right_answer(item)).correct, about
                    assert item.block.level == level, about


@pytest.mark.parametrize(
    ("draw", "drawn"),
    [
        ({"a": {"3": "7", "4": "8"}}, {7}),
        ({"a": [2, 4]}, {2, 4}),
        ({"b": "2 .. 3", "a": "{b} * 10 .. {b} * 10 + 1"}, {20, 21, 30, 31}),
        ({"a b": "1 .. 2"}, {1, 2}),
    ],
)
def test_a_row_draws_what_it_says(draw: dict[str, Any], drawn: set[int]) -> None:
    family = Family((3,), frozenset(), draw, check="{a}", stem="compute")
    made = [row_question(family, Draw(Random(n), 3, "en", "enrichment")) for n in range(40)]
    assert {int(item.key.value or "") for item in made} == drawn


def test_a_row_writes_decimals_where_it_says_so() -> None:
    draw, check = {"a": "3 / 10", "b": "{a} + 0.2"}, "{a} + {b}"
    family = Family((3,), frozenset(), draw, check=check, decimal=True, stem="compute")
    item = row_question(family, Draw(Random(1), 3, "en", "enrichment"))
    assert (item.key.check, item.key.value) == ("0.3 + 0.5", "0.8")


def test_names_that_are_drawn_together_get_different_numbers() -> None:
    family = Family((3,), frozenset(), {"a b": "1 .. 3"}, check="{a} - {b}", stem="compute")
    made = [row_question(family, Draw(Random(n), 3, "en", "enrichment")) for n in range(40)]
    assert "0" not in {item.key.value for item in made}


def test_a_row_offers_its_slips_and_only_whole_ones_where_it_says_so() -> None:
    slips = ("{a} / 3", "{a} + 7")
    for whole_slips, offered in ((False, {"10", "17", "10/3", "3 1/3"}), (True, {"10", "17"})):
        family = Family(
            (3,), frozenset(), {"a": "10"}, "{a}", slips, whole_slips=whole_slips, stem="compute"
        )
        item = row_question(family, Draw(Random(1), 3, "en", "support"))
        texts = {option.text for option in item.block.options}
        assert {"10", "17"} <= texts and ("3 1/3" in texts) is not whole_slips
        assert texts - {"9", "11", "12"} <= offered


def test_what_a_pupil_is_told_has_no_function_in_it() -> None:
    for family, grade, item in draw_items(5 * len(all_families()), "8"):
        assert not re.search(r"[a-z]\(", item.key.feedback or ""), (family.id, grade, item)
    assert schoolbook_notation("round(78, 10)") == ""
    assert schoolbook_notation("9 - 2 * (3 + 1) / 4") == "9 − 2 × (3 + 1) : 4"


def test_every_grade_has_at_least_eight_families_and_all_are_at_least_24() -> None:
    assert len(all_families()) == len({family.id for family in all_families()}) >= 24
    in_code = {make.__name__ for make in (*numbers.FAMILIES, *fractions.FAMILIES)}
    assert {family.id for family in all_families() if not family.check} == in_code
    for grade in GRADES:
        assert len([family for family in all_families() if grade in family.grades]) >= 8


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


@pytest.mark.parametrize(
    ("topic", "is_one"),
    [
        ("חזרה על שברים", True),
        ("שטח והיקף", True),
        ("בעיות מילוליות בכפל", True),
        ("חיבור וחיסור עד 100", True),
        ("area and perimeter", True),
        ("זמן עבר ביווני", False),
        ("חזרה על מלחמת העולם השנייה", False),
        ("חידון על ירושלים", False),
        ("תרגול דקדוק", False),
        ("כתיבת חיבור", False),
        ("שוויון בין המינים", False),
        ("שעון", False),
        ("quiz about rivers", False),
    ],
)
def test_mathematics_is_told_from_other_topics(topic: str, is_one: bool) -> None:
    assert is_mathematics(topic) is is_one


def test_a_review_is_of_all_of_a_grade_and_one_of_something_else_of_nothing() -> None:
    assert len(families_for("חזרה", 4)) == len(
        [each for each in all_families() if 4 in each.grades]
    )
    assert families_for("חזרה על מלחמת העולם השנייה", 4) == []


def test_problems_are_all_different_and_the_same_for_one_seed() -> None:
    made = make_problems("שברים", grade=4, count=30, seed="a")
    assert len({repr(item.block) for item in made}) == 30
    stems = [each.block.stem for each in made if each.block.kind != "order"]
    assert len(set(stems)) == len(stems)
    assert made == make_problems("שברים", grade=4, count=30, seed="a")
    assert made != make_problems("שברים", grade=4, count=30, seed="b")


def test_levels_have_equal_parts_and_no_question_of_each_other() -> None:
    for seed in range(10):
        made = make_problems("שברים", grade=4, count=12, seed=str(seed), levels=get_args(Level))
        assert [each.block.level for each in made] == [
            level for level in get_args(Level) for _ in range(4)
        ]
        stems = [each.block.stem for each in made if each.block.kind != "order"]
        assert len(set(stems)) == len(stems)


def test_no_fraction_is_compared_with_itself() -> None:
    family = family_of("compare_fractions")
    for seed in range(60):
        for level in get_args(Level):
            check = make_problem(family, Draw(Random(seed), 4, "he", level)).key.check or ""
            left, right = check.split(" ? ")
            assert left != right


def test_support_offers_options_and_enrichment_does_not() -> None:
    easy = make_problems("כפל", grade=4, count=8, seed="a", levels=("support",))
    hard = make_problems("כפל", grade=4, count=8, seed="a", levels=("enrichment",))
    assert {item.block.kind for item in easy} == {"choice"}
    assert {item.block.kind for item in hard} == {"numeric"}


def test_a_topic_of_ten_thousand_characters_is_read_in_part() -> None:
    assert make_problems("x " * 5_000, grade=4, count=3, seed="a") == []


def test_areas_and_volumes_are_made_with_raised_digits_in_their_units() -> None:
    for topic, grade in (("area", 4), ("area", 5), ("volume", 6)):
        assert len(make_problems(topic, grade=grade, count=5, seed="s", locale="en")) == 5


@pytest.mark.parametrize("id", ["order_numbers", "order_fractions", "fraction_decimal_match"])
def test_a_higher_level_has_more_to_put_in_order(id: str) -> None:
    family = family_of(id)
    made = [
        make_problem(family, Draw(Random(1), family.grades[0], "he", level))
        for level in get_args(Level)
    ]
    assert [len(item.block.options) for item in made] == [3, 4, 5]


def test_equality_with_a_sum_on_both_sides_is_for_enrichment() -> None:
    family = family_of("is_it_equal")
    hard = make_problem(family, Draw(Random(1), 2, "he", "enrichment"))
    core = make_problem(family, Draw(Random(1), 2, "he", "core"))
    assert "+" in hard.block.stem.split("=")[1] and "+" not in core.block.stem.split("=")[1]
