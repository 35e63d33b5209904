"""The findings of the quality checks, and sound items that have none."""

from __future__ import annotations

import pytest

from packs.education.blocks import Item, choices, item
from packs.education.generation.quality import ERRORS, find_problems
from tests.evals.packs.education.defects import COUNTS, PLANTED, SOUND, measure


def codes(*items: Item, corpus: list[int] | None = None) -> list[str]:
    by_id = {str(n): each for n, each in enumerate(items)}
    return [each.code for each in find_problems(by_id, corpus=corpus or [])]


def test_planted_defects_are_found_and_sound_items_left_alone() -> None:
    figures = measure("3").figures
    assert figures["planted"] == 60
    assert figures["precision"] >= 0.9 and figures["recall"] >= 0.9


@pytest.mark.parametrize("code", PLANTED)
def test_each_kind_of_defect_is_found_by_its_own_check(code: str) -> None:
    found = [codes(PLANTED[code](n), corpus=[8] * 40) for n in range(COUNTS[code])]  # type: ignore[index]
    assert sum(code in each for each in found) >= len(found) - 1


def test_a_question_asked_twice_names_the_first() -> None:
    [found] = find_problems({"a": SOUND[0], "b": SOUND[1], "c": SOUND[0]})
    assert (found.block_id, found.code, found.about) == ("c", "duplicate_question", "a")


def test_questions_that_differ_in_a_sign_are_two() -> None:
    assert codes(
        item("numeric", "חשבו: 7 + 2 =", key={"value": "9"}),
        item("numeric", "חשבו: 7 − 2 =", key={"value": "5"}),
    ) == []  # fmt: skip


def test_sentences_are_measured_only_beside_enough_of_the_same_grade() -> None:
    long = item("open", "מילה " * 30 + "?", key={"sample": "כן"})
    assert codes(long, corpus=[8] * 29) == []
    assert codes(long, corpus=[8] * 30) == ["long_sentence"]
    assert codes(long, corpus=[25] * 30) == []


def test_a_sources_own_words_are_not_the_teachers() -> None:
    quoted = item("text", "שבטים פרימיטיביים.", source={"title": "ספר"}, basis="cited")
    assert codes(quoted) == []


def test_errors_are_what_makes_an_answer_undecided() -> None:
    both = item(
        "choice", "?", options=choices(["1/2", "0.5", "3"]), key={"correct": ["a"], "check": "1/2"}
    )
    reduced = item("choice", "?", options=choices(["2/4", "1/2", "3/6"]), key={"correct": ["b"]})
    assert codes(reduced) == []
    assert codes(both) == ["two_right"] and "two_right" in ERRORS
