"""Which course a call is about, and who may use it."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from packs.education.courses import open_course, student_ids
from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.core.shapes import Role
from tests.support.packs.education.classroom import add_course, context


def test_the_argument_wins_over_the_place_and_the_only_course(school: Client) -> None:
    add_course(school, "math5", ["ada"])
    assert open_course(context(school, courseId="math5"), "math4").id == "math4"
    found = open_course(context(school, courseId="math5"))
    assert (found.id, found.role) == ("math5", "teacher")
    with pytest.raises(InvalidArgument, match="which course"):
        open_course(context(school))
    assert open_course(context(school, "ben")).id == "other"


def test_a_pupil_opens_the_own_course_and_not_as_a_teacher(school: Client) -> None:
    pupil = context(school, "math4-1", role=Role.STUDENT)
    assert open_course(pupil, role="student").id == "math4"
    with pytest.raises(PermissionDenied, match="only a teacher"):
        open_course(pupil, "math4")
    with pytest.raises(InvalidArgument, match="no course yet"):
        open_course(context(school, "nobody"), role="student")


def test_anothers_course_and_none_are_told_alike(school: Client) -> None:
    for uid in ("ben", "other-1", "nobody"):
        messages = []
        for id in ("math4", "matha"):
            with pytest.raises(PermissionDenied) as refused:
                open_course(context(school, uid), id, role="student")
            messages.append(refused.value.message.replace(id, "…"))
        assert messages[0] == messages[1]


@pytest.mark.parametrize("id", ["a/b", "..", "__x__", "", "x" * 65])
def test_what_cannot_be_an_id_is_refused(school: Client, id: str) -> None:
    with pytest.raises(InvalidArgument):
        open_course(context(school), id)
    with pytest.raises(InvalidArgument, match="must be a text"):
        open_course(context(school, courseId=5))


def test_pupils_are_known_by_id(school: Client) -> None:
    assert student_ids(context(school), "math4") == {f"math4-{n}" for n in range(1, 7)}
