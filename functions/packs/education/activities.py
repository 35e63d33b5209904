"""The capabilities `list_activities` and `get_activity_image`: material to answer, its pictures."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, Literal

from packs.education.attempts import Attempt, AttemptId, attempt_id_of, attempt_of
from packs.education.contents import (
    ATTEMPTS,
    CONTENTS,
    Content,
    ContentKind,
    open_block,
    own_contents,
)
from packs.education.courses import CourseRole, own_courses
from packs.education.school import SubjectId
from packs.education.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound
from rollcall.core.shapes import Wire
from rollcall.store.batches import where
from rollcall.store.files import FileStore

MAX_LISTED = 100
MAX_OF_COURSES = 500
"""Most published contents that are read for every 30 courses."""
_COURSES_AT_ONCE = 30
"""Most values of an `in` filter of Firestore."""
PLAYED: tuple[ContentKind, ...] = ("activity", "exam", "lesson", "worksheet", "test")
"""Kinds that pupils answer; others are for the teacher, or are listened to."""
MAX_IMAGE_BYTES = 5_000_000
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")


class ListedCourse(Wire):
    """One of the user's courses."""

    course_id: str
    name: str
    role: CourseRole


class ListedActivity(Wire):
    """Material that can be opened with get_activity.

    Attributes:
        blocks: The number of its blocks, questions and others.
        attempt: The user's progress in its current version.
    """

    content_id: str
    title: str
    kind: ContentKind
    topic: str
    subject: SubjectId | None = None
    grade: str | None = None
    status: Literal["draft", "published"]
    course_id: str | None = None
    blocks: int
    updated_at: str
    attempt: Attempt | None = None


class Activities(Wire):
    """What list_activities returns, newest first; `is_all` is False if some may be left out."""

    courses: list[ListedCourse]
    activities: list[ListedActivity]
    is_all: bool


class ActivityImage(Wire):
    """What get_activity_image returns; the content is base64."""

    block_id: str
    content_type: str
    content: str


@capability(related=["get_activity"], min_role="student")
def list_activities(ctx: ToolContext) -> Activities:
    """List the material that is published to the user's courses, with how far the user is in it,
    and a teacher's own drafts."""
    courses = own_courses(ctx, role="student")
    found, is_all = _published(ctx, list(courses))
    if not courses or any(each.role == "teacher" for each in courses.values()):
        own = own_contents(ctx, MAX_LISTED)
        is_all = is_all and len(own) < MAX_LISTED
        for opened in own:
            if opened.content.status == "draft" and opened.content.kind in PLAYED:
                found[opened.id] = (opened.content, opened.snapshot.get("updatedAt"))
    newest = sorted(found.items(), key=lambda each: each[1][1], reverse=True)
    listed = newest[:MAX_LISTED]
    attempts = _attempts(ctx, {id: content for id, (content, _) in listed})
    return Activities(
        courses=[
            ListedCourse(course_id=each.id, name=each.name, role=each.role)
            for each in courses.values()
        ],
        activities=[
            ListedActivity.read(
                dict(content),
                content_id=id,
                blocks=content.block_count,
                updated_at=updated_at.isoformat(),
                attempt=attempts.get(id),
            )
            for id, (content, updated_at) in listed
        ],
        is_all=is_all and len(listed) == len(found),
    )


@capability(related=["get_activity"], min_role="student")
def get_activity_image(ctx: ToolContext, *, block_id: AttemptId) -> ActivityImage:
    """Read the picture of a block of material that the user may open.

    Args:
        block_id: The block, from get_activity.
    """
    opened, item = open_block(ctx, block_id, reader="student")
    if item.block.image is None:
        raise NotFound(TEXTS.text("errors.no_picture"), field="blockId")
    store = FileStore(ctx.db)
    file = store.find_own(opened.content.uid, item.block.image.file_id)
    if file.content_type not in IMAGE_TYPES or file.bytes > MAX_IMAGE_BYTES:
        raise FailedPrecondition(
            TEXTS.text(
                "errors.not_a_picture",
                content_type=file.content_type,
                bytes=file.bytes,
                types=", ".join(IMAGE_TYPES),
                most=MAX_IMAGE_BYTES,
            ),
            field="blockId",
        )
    content = base64.b64encode(b"".join(store.open(file))).decode()
    return ActivityImage(block_id=block_id, content_type=file.content_type, content=content)


def _published(
    ctx: ToolContext, course_ids: list[str]
) -> tuple[dict[str, tuple[Content, Any]], bool]:
    """Return the contents published to these courses with their last change, by content id; and
    whether these are all."""
    found, is_all = {}, True
    for start in range(0, len(course_ids), _COURSES_AT_ONCE):
        at_once = course_ids[start : start + _COURSES_AT_ONCE]
        query = ctx.db.collection(CONTENTS).where(filter=where("courseId", "in", at_once))
        published = query.where(filter=where("status", "==", "published"))
        read = list(published.limit(MAX_OF_COURSES).stream())
        is_all = is_all and len(read) < MAX_OF_COURSES
        for each in read:
            found[each.id] = (Content.read(each.to_dict() or {}), each.get("updatedAt"))
    return found, is_all


def _attempts(ctx: ToolContext, contents: dict[str, Content]) -> dict[str, Attempt]:
    """Return the user's attempts at these contents, by content id."""
    uid, place = ctx.user.uid, ctx.db.collection(ATTEMPTS)
    ids = [attempt_id_of(uid, id, content.version) for id, content in contents.items()]
    found: Iterable[Any] = ctx.db.get_all([place.document(id) for id in ids]) if ids else ()
    attempts = [attempt_of(each.id, each.to_dict() or {}) for each in found if each.exists]
    return {each.content_id: each for each in attempts}
