"""The activities that pupils and teachers can open, and the pictures in them."""

from __future__ import annotations

import base64
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education import activities
from packs.education.activities import get_activity_image, list_activities
from packs.education.attempts import answer_block, start_attempt
from packs.education.blocks import item
from packs.education.contents import block_id
from rollcall.core.capability import plain
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.shapes import Role
from rollcall.store.files import NewFile
from rollcall.store.made_files import MADE, MADE_ALLOWANCE, MadeFiles
from tests.support.packs.education.classroom import NOW, add_content, context, write

PNG = b"\x89PNG\r\n\x1a\n and so on"


def list_for(db: Client, uid: str, role: Role = Role.STUDENT) -> dict[str, Any]:
    found: dict[str, Any] = plain(list_activities(context(db, uid, role=role)))
    return found


def ids(found: dict[str, Any]) -> set[str]:
    return {each["contentId"] for each in found["activities"]}


def test_a_pupil_is_listed_what_is_published_to_the_own_courses(school: Client) -> None:
    add_content(school, "elsewhere", "ben", status="published", courseId="other")
    found = list_for(school, "math4-1")
    assert ids(found) == {"fractions"} and found["isAll"]
    assert found["courses"] == [{"courseId": "math4", "name": "Course math4", "role": "student"}]
    [activity] = found["activities"]
    assert (activity["title"], activity["blocks"]) == ("Fractions fractions", 5)
    assert "attempt" not in activity
    assert list_for(school, "nobody") == {"courses": [], "activities": [], "isAll": True}


def test_an_activity_is_listed_with_how_far_the_pupil_is(school: Client) -> None:
    pupil = context(school, "math4-1", role=Role.STUDENT, writes=True)
    id = write(pupil, start_attempt, content_id="fractions")["attemptId"]
    pupil = context(school, "math4-1", role=Role.STUDENT, writes=True)
    given = {"attempt_id": id, "block_id": block_id("fractions", 1), "answer": "a"}
    write(pupil, answer_block, **given)
    [activity] = list_for(school, "math4-1")["activities"]
    assert (activity["attempt"]["answered"], activity["attempt"]["points"]) == (1, 10)
    [other] = list_for(school, "math4-2")["activities"]
    assert "attempt" not in other


def test_a_teacher_is_listed_own_drafts_and_what_is_published_to_taught_courses(
    school: Client,
) -> None:
    add_content(school, "letter", "ada", kind="letter")
    assert ids(list_for(school, "ada", Role.TEACHER)) == {"draft", "fractions"}
    assert ids(list_for(school, "dov", Role.TEACHER)) == {"fractions"}
    assert ids(list_for(school, "ben", Role.TEACHER)) == set()


@pytest.mark.parametrize(
    ("most", "fields"),
    [
        ("MAX_LISTED", {"uid": "ada", "kind": "letter"}),
        ("MAX_OF_COURSES", {"uid": "dov", "status": "published", "courseId": "math4"}),
    ],
)
def test_what_was_not_read_is_not_said_to_be_nothing(
    school: Client, monkeypatch: pytest.MonkeyPatch, most: str, fields: dict[str, Any]
) -> None:
    """Ada's newest contents are none to play, or her course has more than is read."""
    assert list_for(school, "ada", Role.TEACHER)["isAll"]
    for number in (1, 2):
        add_content(school, f"new{number}", **fields)
        newer = NOW + timedelta(days=number)
        school.document(f"contents/new{number}").update({"createdAt": newer})
    monkeypatch.setattr(activities, most, 2)
    found = list_for(school, "ada", Role.TEACHER)
    assert len(ids(found)) < 4 and not found["isAll"]


def add_image(db: Client, owner: str, content_type: str = "image/png") -> None:
    """A published activity of Ada's with a picture, whose file is somebody's."""
    new = NewFile(
        uid=owner,
        name="picture",
        content_type=content_type,
        bytes=len(PNG),
        sha256=sha256(PNG).hexdigest(),
        purpose=MADE,
    )
    file = MadeFiles(db).make(new, PNG, MADE_ALLOWANCE, now=NOW)
    image = item("image", "", image={"fileId": file.id, "alt": "A circle"})
    items = [image, item("text", "Look at it.")]
    add_content(db, "pictures", "ada", items, status="published", courseId="math4")


def test_a_pupil_sees_the_pictures_of_what_is_published(school: Client) -> None:
    add_image(school, "ada")
    pupil = context(school, "math4-1", role=Role.STUDENT)
    found = get_activity_image(pupil, block_id=block_id("pictures", 1))
    assert (found.content_type, base64.b64decode(found.content)) == ("image/png", PNG)
    with pytest.raises(NotFound, match="no picture"):
        get_activity_image(pupil, block_id=block_id("pictures", 2))
    for uid in ("other-1", "ben"):
        with pytest.raises(PermissionDenied, match="you have no block"):
            get_activity_image(context(school, uid), block_id=block_id("pictures", 1))


def test_a_picture_is_the_owners_file_and_an_image(school: Client) -> None:
    pupil = context(school, "math4-1", role=Role.STUDENT)
    add_image(school, "ben")
    with pytest.raises(NotFound):
        get_activity_image(pupil, block_id=block_id("pictures", 1))
    add_image(school, "ada", "text/html")
    with pytest.raises(FailedPrecondition, match="text/html"):
        get_activity_image(pupil, block_id=block_id("pictures", 1))
