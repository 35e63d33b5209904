"""Courses with their teachers and pupils; membership is checked before a course is used.

    courses/{c}               name, subject, grade, teacherIds, createdAt, schemaVersion
    courses/{c}/students/{s}  uid, name, schemaVersion; `s` is the pupil's user id

Teachers write both from the app, as the rules allow. Only the second has a pupil's name, which is
never given to a model. A course whose last teacher was erased keeps an empty `teacherIds`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from packs.education.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, PermissionDenied
from rollcall.core.shapes import ID
from rollcall.core.texts import isolated
from rollcall.store.batches import where

if TYPE_CHECKING:
    from rollcall.store.batches import DocumentSnapshot

COURSES = "courses"
STUDENTS = "students"
SCHEMA_VERSION = 1
MAX_LISTED = 200
"""Most courses of one user that are read."""

CourseRole = Literal["student", "teacher"]
_USER_ID = re.compile(r"(?!\.{1,2}\Z|__.*__\Z)[^/]{1,128}", re.DOTALL)
"""The sign-in chooses a user id, which may be anything that is valid as a document's id."""


class Course(Struct, frozen=True):
    """A course as one user sees it.

    Attributes:
        role: The user's role in it.
    """

    id: str
    name: str
    teacher_ids: tuple[str, ...]
    role: CourseRole


def open_course(
    ctx: ToolContext, course_id: str | None = None, *, role: CourseRole = "teacher"
) -> Course:
    """Return a course that the user teaches, or learns in where `role` is "student".

    It is the argument's, or the one that the client names (`context.courseId`), or the only one
    that the user has.

    Args:
        role: The least role in the course that is needed; a teacher may do all that a pupil may.

    Raises:
        InvalidArgument: No course is named and the user has several, or none.
        PermissionDenied: The course is not the user's or does not exist, where the error does not
            say which; or the user only learns in it.
    """
    id = _named_course_id(ctx, course_id, role)
    snapshot = ctx.db.collection(COURSES).document(id).get()
    user_role: CourseRole = "teacher"
    if ctx.user.uid not in ((snapshot.to_dict() or {}).get("teacherIds") or ()):
        user_role = "student"
        if not snapshot.exists or not is_student(ctx, id, ctx.user.uid):
            raise PermissionDenied(TEXTS.text("errors.no_course", id=id), field="courseId")
    if user_role == "student" and role == "teacher":
        raise PermissionDenied(TEXTS.text("errors.only_teachers"), field="courseId")
    return _course(snapshot, user_role)


def own_courses(ctx: ToolContext, *, role: CourseRole = "teacher") -> dict[str, Course]:
    """Return the courses that the user teaches and, where `role` is "student", those that the user
    learns in, by id."""
    mine = where("teacherIds", "array_contains", ctx.user.uid)
    found = ctx.db.collection(COURSES).where(filter=mine).limit(MAX_LISTED).stream()
    taught = {each.id: _course(each, "teacher") for each in found}
    if role == "teacher":
        return taught
    own = where("uid", "==", ctx.user.uid)
    listed = ctx.db.collection_group(STUDENTS).where(filter=own).limit(MAX_LISTED).stream()
    places = [place for each in listed if (place := each.reference.parent.parent)]
    learned = {
        each.id: _course(each, "student")
        for each in (ctx.db.get_all(places) if places else ())
        if each.exists and each.reference.parent.id == COURSES
    }
    return {**learned, **taught}


def _course(snapshot: DocumentSnapshot, role: CourseRole) -> Course:
    data = snapshot.to_dict() or {}
    return Course(
        id=snapshot.id,
        name=str(data.get("name") or snapshot.id),
        teacher_ids=tuple(data.get("teacherIds") or ()),
        role=role,
    )


def is_student(ctx: ToolContext, course_id: str, uid: str) -> bool:
    """Tell whether somebody learns in a course."""
    if not _USER_ID.fullmatch(uid):
        return False
    place = ctx.db.collection(COURSES).document(course_id)
    return bool(place.collection(STUDENTS).document(uid).get().exists)


def student_ids(ctx: ToolContext, course_id: str) -> set[str]:
    """Return the user ids of a course's pupils, without their names."""
    pupils = ctx.db.collection(COURSES).document(course_id).collection(STUDENTS)
    return {each.id for each in pupils.select([]).stream()}


def checked_id(id: str, what: str, field: str) -> str:
    """Return an id, if it is well formed.

    Args:
        what: The kind of thing that it names, such as "course".

    Raises:
        InvalidArgument: It is not well formed.
    """
    if not ID.fullmatch(id):
        raise InvalidArgument(
            f"{id[:80]!r} is no {what}'s id: letters, digits, - and _, at most 64", field=field
        )
    return id


def _named_course_id(ctx: ToolContext, course_id: str | None, role: CourseRole) -> str:
    if course_id is not None:
        return checked_id(course_id, "course", "courseId")
    from_client = ctx.context.get("courseId")
    if from_client is not None:
        if not isinstance(from_client, str):
            raise InvalidArgument("context.courseId must be a text", field="context.courseId")
        return checked_id(from_client, "course", "context.courseId")
    mine = own_courses(ctx, role=role)
    if len(mine) == 1:
        return next(iter(mine))
    if not mine:
        raise InvalidArgument(TEXTS.text("errors.no_course_yet"), field="courseId")
    names = ", ".join(f"{each.name} ({each.id})" for each in list(mine.values())[:10])
    which = TEXTS.text("errors.which_course", names=isolated(names))
    raise InvalidArgument(which, field="courseId")
