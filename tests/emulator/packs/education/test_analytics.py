"""Figures of one's own courses, never of a group of fewer than five pupils."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.analytics import Analytics, get_analytics
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, PermissionDenied
from tests.support.packs.education.classroom import add_attempt, add_course, context


def attempts(db: Client, numbers: range, course: str = "math4", **given: Any) -> None:
    for number in numbers:
        add_attempt(db, f"{course}-{number}", course, **given)


def names(found: Analytics) -> tuple[list[str], list[str]]:
    return [each.name for each in found.by_bloom], [each.name for each in found.by_content]


def test_a_class_is_told_by_level_and_material(school: Client) -> None:
    attempts(school, range(1, 7), answers={"1": ("apply", 1.0), "2": ("remember", 0.5)})
    ctx = context(school)
    found = get_analytics(ctx)
    assert found.total is not None
    assert (found.total.students, found.total.answers, found.total.percent) == (6, 12, 75)
    assert [(each.name, each.percent) for each in found.by_bloom] == [
        ("Remember", 50),
        ("Apply", 100),
    ]
    assert found.suppressed == 0 and found.looked_at_all
    assert ctx.display is not None and ctx.display.chart is not None
    assert ctx.display.rows is not None and len(ctx.display.rows) == 5
    assert "Zipora" not in str(found) + str(ctx.display)
    hebrew = context(school, locale="he")
    assert "6 תלמידים" in get_analytics(hebrew).answer


def test_a_percentage_is_of_the_points_of_all_questions(school: Client) -> None:
    attempts(school, range(1, 7), answers={"1": ("apply", 1.0)}, points=30)
    attempts(school, range(1, 7), answers={"2": ("apply", 0.0)}, points=10)
    found = get_analytics(context(school))
    assert found.total is not None and found.total.percent == 75
    assert [each.percent for each in found.by_bloom] == [75]


def test_two_contents_of_one_title_are_two_figures_and_one_of_two_titles_is_one(
    school: Client,
) -> None:
    for id, score in (("b", 1.0), ("c", 0.0)):
        attempts(school, range(1, 7), answers={"1": ("apply", score)}, content_id=id)
    attempts(
        school, range(1, 7), answers={"1": ("apply", 0.0)}, content_id="b", title="Old", days_ago=9
    )
    found = get_analytics(context(school)).by_content
    assert [(each.name, each.answers, each.percent) for each in found] == [
        ("Fractions", 12, 50),  # what was answered first
        ("Fractions", 6, 0),
    ]


def test_fewer_than_five_pupils_are_not_told(school: Client) -> None:
    attempts(school, range(1, 5), answers={"1": ("apply", 1.0)})
    ctx = context(school)
    found = get_analytics(ctx)
    assert found.total is None and found.by_bloom == [] and ctx.display is None
    assert "so small a group" in found.answer


def test_what_is_left_of_a_total_is_not_told_either(school: Client) -> None:
    attempts(school, range(1, 7), answers={"1": ("apply", 1.0), "2": ("remember", 1.0)})
    attempts(school, range(1, 3), answers={"3": ("create", 0.0)})
    found = get_analytics(context(school))
    # Two pupils are "create"; beside the total, both others would give it.
    assert names(found)[0] in (["Remember"], ["Apply"]) and found.suppressed == 2


def test_a_course_too_small_to_be_told_is_in_no_total(school: Client) -> None:
    add_course(school, "few", ["ada"], pupils=3)
    attempts(school, range(1, 7), answers={"1": ("apply", 1.0)})
    attempts(school, range(1, 4), "few", answers={"1": ("apply", 0.0)})
    found = get_analytics(context(school))
    assert found.total is not None and (found.total.students, found.total.percent) == (6, 100)
    assert found.suppressed == 1
    assert get_analytics(context(school), course_id="few").total is None


def test_a_shorter_time_that_few_pupils_tell_from_a_longer_is_not_told(school: Client) -> None:
    attempts(school, range(1, 7), days_ago=2, answers={"1": ("apply", 1.0)})
    assert get_analytics(context(school), time_range="week").total is not None
    attempts(school, range(1, 2), days_ago=20, answers={"1": ("apply", 0.0)})
    month = get_analytics(context(school), time_range="month")
    assert month.total is not None and month.total.answers == 7
    assert get_analytics(context(school), time_range="week").total is None
    attempts(school, range(2, 6), days_ago=20, answers={"1": ("apply", 0.0)})
    assert get_analytics(context(school), time_range="week").total is not None


def test_one_pupil_is_told_to_the_own_teacher_without_a_name(school: Client) -> None:
    attempts(school, range(1, 7), answers={"1": ("apply", 1.0)})
    found = get_analytics(context(school), student_id="math4-2")
    assert found.answer == "One answer was checked, with 100 % of the points."
    assert found.total is not None and (found.total.students, found.total.percent) == (1, 100)
    assert "Zipora" not in str(found)
    for uid, pupil in (
        ("ada", "other-1"),
        ("ada", "nobody"),
        ("ben", "math4-2"),
        ("ada", "a/b"),
        ("ada", "."),
        ("ada", "__x__"),
    ):
        with pytest.raises(PermissionDenied, match="none of your courses"):
            get_analytics(context(school, uid), student_id=pupil)


@pytest.mark.parametrize("uid", ["ben", "math4-1", "nobody"])
def test_others_get_nothing_of_a_course(school: Client, uid: str) -> None:
    attempts(school, range(1, 7), answers={"1": ("apply", 1.0)})
    for course in ("math4", "none"):
        with pytest.raises(PermissionDenied):
            get_analytics(context(school, uid), course_id=course)
    if uid == "ben":
        found = get_analytics(context(school, uid))
        assert found.total is None and found.course_ids == ["other"]
    else:
        with pytest.raises(InvalidArgument, match="no course"):
            get_analytics(context(school, uid))


def test_an_empty_course_is_said_to_be_so(school: Client) -> None:
    ctx: ToolContext = context(school)
    found = get_analytics(ctx, time_range="year")
    assert found.answer == "Nothing was answered yet." and found.total is None
