"""The capabilities `publish_content` and `delete_content`, for the owner of a content."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from packs.education.contents import (
    Content,
    ContentKind,
    OpenedContent,
    open_content,
    remove_content,
    retain_files,
    update_content,
)
from packs.education.courses import Course, open_course, student_ids
from packs.education.wording import TEXTS, confirmation
from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import FileRef, Wire
from rollcall.core.texts import isolated

ContentId = Annotated[str, Field(min_length=1, max_length=64)]
CourseId = Annotated[str, Field(min_length=1, max_length=64)]
Tries = Annotated[int, Field(ge=1, le=20)]


class ContentPublished(Wire):
    """What publish_content returns.

    Attributes:
        students: How many pupils can open it now.
        files: Its files that still exist; they stay as long as the content does.
    """

    done: str
    content_id: str
    course_id: str
    title: str
    version: int
    max_tries: int
    students: int
    files: list[FileRef]


class ContentDeleted(Wire):
    """What delete_content returns."""

    done: str
    content_id: str
    title: str


def _publishable(
    ctx: ToolContext, content_id: str, course_id: str | None
) -> tuple[OpenedContent, Course]:
    opened = open_content(ctx, content_id)
    if not opened.content.block_count:
        raise FailedPrecondition(TEXTS.text("errors.nothing_to_publish"), field="contentId")
    return opened, open_course(ctx, course_id or opened.content.course_id)


def _preview_publish(
    ctx: ToolContext, *, content_id: str, course_id: str | None, max_tries: int
) -> Preview:
    opened, course = _publishable(ctx, content_id, course_id)
    content, students = opened.content, len(student_ids(ctx, course.id))
    names = {"title": content.title, "course": course.name}
    values = {"students": students, "blocks": content.block_count, "tries": max_tries}
    arguments = {"contentId": content_id, "courseId": course.id, "maxTries": max_tries}
    return confirmation(ctx, "publish", names, values, shows=arguments, arguments=arguments)


@capability(
    related=["delete_content", "search_user_content"],
    min_role="teacher",
    effect="write",
    atomic=True,
    preview=_preview_publish,
)
def publish_content(
    ctx: ToolContext,
    *,
    content_id: ContentId,
    course_id: CourseId | None = None,
    max_tries: Tries = 1,
) -> ContentPublished:
    """Publish material of the teacher's own to the pupils of a course, so that they can open it.

    Publishing it again makes a new version, which pupils begin anew. Its files are kept until it
    is deleted.

    Args:
        content_id: What to publish; its id comes from search_user_content or from making it.
        course_id: The course; leave out for the one at hand.
        max_tries: How often a pupil may answer each question, 1 to 20.
    """
    opened, course = _publishable(ctx, content_id, course_id)
    before = opened.content
    version = before.version + (before.status == "published")
    kept = retain_files(ctx, opened)
    changes = {
        "files": [each.dump() for each in kept],
        "status": "published",
        "courseId": course.id,
        "version": version,
        "maxTries": max_tries,
    }
    update_content(ctx, opened, changes)
    done = TEXTS.say(
        ctx.locale, "publish.done", title=isolated(before.title), course=isolated(course.name)
    )
    if len(kept) < len(before.files):
        done = f"{done} {TEXTS.say(ctx.locale, 'publish.files_gone')}"
    return ContentPublished(
        done=done,
        content_id=content_id,
        course_id=course.id,
        title=before.title,
        version=version,
        max_tries=max_tries,
        students=len(student_ids(ctx, course.id)),
        files=kept,
    )


def _preview_delete(ctx: ToolContext, *, content_id: str) -> Preview:
    content = open_content(ctx, content_id).content
    kind, status = kind_name(content.kind, ctx.locale), status_name(content, ctx.locale)
    values = {"kind": kind, "blocks": content.block_count, "status": status}
    return confirmation(ctx, "delete", {"title": content.title}, values, shows=["contentId"])


@capability(
    related=["search_user_content"],
    min_role="teacher",
    effect="write",
    atomic=True,
    preview=_preview_delete,
)
def delete_content(ctx: ToolContext, *, content_id: ContentId) -> ContentDeleted:
    """Delete material of the teacher's own, with its questions, keys and files, for good.

    Use it only where the teacher asks for it. What pupils answered stays in the course's figures.

    Args:
        content_id: What to delete; its id comes from search_user_content or from making it.
    """
    opened = open_content(ctx, content_id)
    remove_content(ctx, opened)
    title = opened.content.title
    done = TEXTS.say(ctx.locale, "delete.done", title=isolated(title))
    return ContentDeleted(done=done, content_id=content_id, title=title)


def kind_name(kind: ContentKind, locale: str) -> str:
    """Return the name of a kind of content."""
    return TEXTS.say(locale, f"contents.kinds.{kind}")


def status_name(content: Content, locale: str) -> str:
    """Return the name of a content's status: draft or published."""
    return TEXTS.say(locale, f"contents.statuses.{content.status}")
