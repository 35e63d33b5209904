"""Grades in the spellings of schools, and what is no grade."""

from __future__ import annotations

import pytest

from packs.education.school import read_grade


@pytest.mark.parametrize(
    ("written", "grade"),
    [
        ("ד׳", "ד"), (4, "ד"), ("כיתה ד 2", "ד"), ("ד-2", "ד"), ("4th", "ד"), ("grade: 4", "ד"),
        ('י"ב', "יב"), ("י״א", "יא"), ("12", "יב"), ("11.", "יא"),
    ],
)  # fmt: skip
def test_a_grade_is_read_in_many_spellings(written: object, grade: str) -> None:
    assert read_grade(written) == grade


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("1-2", "א"), ("1.2", "א"), ("1:1", "א"), ("1, 2", "א"), ("4.0", "ד"), ("10-12", "י"),
        ("grades 4-6", "ד"), ("ד-ה", "ד"), ("ד׳-ו׳", "ד"), ("ט-יב", "ט"), ("כיתות ג–ד", "ג"),
        ("גן-חובה", "א"), ("pre-school", "א"), ("יג", "יב"), ("13", "יב"), (0, "א"),
    ],
)  # fmt: skip
def test_what_is_no_one_grade_is_refused_with_the_first_or_nearest(
    written: object, nearest: str
) -> None:
    with pytest.raises(ValueError, match=f"the nearest is '{nearest}'"):
        read_grade(written)


def test_who_writes_no_grade_is_told_so_in_hebrew_too() -> None:
    with pytest.raises(ValueError) as caught:
        read_grade("יח")
    assert caught.value.args[0].say("he").startswith("הכיתה אינה מוכרת; הקרובה ביותר היא")
