"""Missions, the lessons that teachers configure: `configure_lesson`, `get_lesson` and
`preview_lesson`, and `list_lessons` for their students.

missions/{m}  teacherUid, courseId, title, conversationPrompt, level, durationMinutes, tasks,
              lessonType, locale, toolConfiguration, updatedAt, schemaVersion

A course offers the lessons of its current teachers; those of a former teacher are only theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from packs.education.courses import open_course, own_courses
from packs.tutoring import configuration as lesson_tools
from packs.tutoring.catalogue import TOOLS
from packs.tutoring.configuration import (
    LessonType,
    Preset,
    ToolConfiguration,
    check_plain,
    legacy_configuration,
    read_configuration,
    with_defaults,
)
from packs.tutoring.lesson_prompt import Lesson, LessonPreview, Task, preview
from packs.tutoring.wording import TEXTS, invalid, summary
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.inputs import NOT_BLANK
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import SETUP_CHARS
from rollcall.core.shapes import Id, Locale, Wire
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot

MISSIONS = "missions"
SCHEMA_VERSION = 1
TITLE_CHARS = 200
PROMPT_CHARS = 10_000
TASK_CHARS = 200
MAX_TASKS = 20
MIN_MINUTES, MAX_MINUTES = 5, 90
MAX_LISTED = 100
_MAX_VALUES = 30  # of one query's "in"
_DEFAULTS: dict[str, Any] = {"level": "A2", "durationMinutes": 20}
"""The fields of a stored lesson that its teacher did not say."""
DRAFT = ApprovalPolicy(ask="never")
"""A lesson needs no approval: it is the teacher's own draft, without effect until it is started."""

Level = Literal["A1", "A2", "B1", "B2", "C1", "C2"]
MissionId = Id
ConversationPrompt = Annotated[str, Field(max_length=PROMPT_CHARS)]
Minutes = Annotated[int, Field(ge=MIN_MINUTES, le=MAX_MINUTES)]
Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARS, pattern=NOT_BLANK)]


class LessonTask(Wire):
    """Something that the student is to accomplish. Without an id it gets one: task-1, task-2 …"""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")] | None = None
    text: Annotated[str, Field(min_length=1, max_length=TASK_CHARS, pattern=NOT_BLANK)]


Tasks = Annotated[list[LessonTask], Field(max_length=MAX_TASKS)]


class Mission(Struct, frozen=True):
    """A stored lesson, with its teacher and course."""

    id: str
    teacher_uid: str
    course_id: str | None
    lesson: Lesson


class LessonConfigured(Wire):
    """What configure_lesson returns. `changes` says in words which tools were switched on
    automatically."""

    done: str
    mission_id: str
    title: str
    updated_at: str
    tool_configuration: ToolConfiguration
    changes: list[str]
    preview: LessonPreview


class LessonDetails(Wire):
    """A lesson with the fields that configure_lesson accepts."""

    mission_id: str
    title: str
    conversation_prompt: str
    course_id: str | None
    level: str
    duration_minutes: int
    tasks: list[Task]
    lesson_type: str
    lesson_locale: str
    tool_configuration: ToolConfiguration


class PreviewedLesson(LessonPreview):
    """What preview_lesson returns. `tool_configuration` is what configure_lesson would save, and
    `changes` says in words which tools it would switch on automatically."""

    tool_configuration: ToolConfiguration
    changes: list[str]


class ListedLesson(Wire):
    """A lesson as its students see it, without the teacher's instructions."""

    mission_id: str
    course: str
    title: str
    level: str
    duration_minutes: int
    tasks: list[Task]


class Lessons(Wire):
    """What list_lessons returns."""

    lessons: list[ListedLesson]


def open_mission(ctx: ToolContext, mission_id: str, *, to_learn: bool = False) -> Mission:
    """Return a lesson of the teacher's own or, where `to_learn`, one that a course of the user's
    offers.

    Raises:
        NotFound: The user may not open it, or it does not exist; the error does not say which.
    """
    snapshot = ctx.db.collection(MISSIONS).document(mission_id).get()
    data = snapshot.to_dict() or {}
    if data.get("teacherUid") == ctx.user.uid or (to_learn and _is_offered(ctx, data)):
        return _read(snapshot)
    raise NotFound(TEXTS.text("errors.no_lesson", id=mission_id[:64]), field="missionId")


def _is_offered(ctx: ToolContext, mission: dict[str, Any]) -> bool:
    """Tell whether a course that the user is in offers this lesson."""
    if not mission.get("courseId"):
        return False
    try:
        course = open_course(ctx, mission["courseId"], role="student")
    except PermissionDenied:
        return False
    return mission["teacherUid"] in course.teacher_ids


def _read(snapshot: DocumentSnapshot[Any]) -> Mission:
    data = snapshot.to_dict() or {}
    return Mission(snapshot.id, data["teacherUid"], data.get("courseId"), read_lesson(data))


def read_lesson(data: dict[str, Any]) -> Lesson:
    """Return the lesson of a stored mission, or of a session that froze it."""
    stored = {**_DEFAULTS, **{name: value for name, value in data.items() if value is not None}}
    configuration = stored.get("toolConfiguration")
    stored["toolConfiguration"] = (
        legacy_configuration(data) if configuration is None else read_configuration(configuration)
    )
    return Lesson.read(stored)


@capability(
    related=["get_lesson", "preview_lesson", "lesson_report"],
    min_role="teacher",
    effect="write",
    atomic=True,
    approval=DRAFT,
    summary=summary("configure_lesson", "title"),
)
def configure_lesson(
    ctx: ToolContext,
    *,
    title: Title | None = None,
    conversation_prompt: ConversationPrompt | None = None,
    mission_id: MissionId | None = None,
    course_id: MissionId | None = None,
    level: Level | None = None,
    duration_minutes: Minutes | None = None,
    tasks: Tasks | None = None,
    lesson_type: LessonType | None = None,
    lesson_locale: Locale | None = None,
    preset: Preset | None = None,
    tool_configuration: dict[str, Any] | None = None,
) -> LessonConfigured:
    """Make a lesson for a tutor, or change one: what it is about, how long, and which tools it has.

    Sessions that run keep what they began with. Leave out what is to stay as it is.

    Args:
        title: The lesson's name; a new lesson needs one.
        conversation_prompt: What the tutor is to do, in the teacher's own words.
        mission_id: The lesson to change; leave out for a new one.
        course_id: The course whose students may take it.
        level: Of the language, A1 to C2.
        duration_minutes: 5 to 90.
        tasks: What the student is to accomplish, at most 20.
        lesson_type: "standard", "review" or "conversation".
        lesson_locale: The language of the tutor's instructions, "en" or "he".
        preset: A ready choice of tools, instead of tool_configuration.
        tool_configuration: The tools, each with when it may fire.
    """
    chosen = _chosen_configuration(preset, tool_configuration)
    if mission_id is None and title is None:
        raise invalid("title", "no_title", "title_chars", title_chars=TITLE_CHARS)
    before = open_mission(ctx, mission_id) if mission_id else None
    for name, text in (("title", title), ("conversationPrompt", conversation_prompt)):
        check_plain(text or "", name)
    if course_id is not None:
        open_course(ctx, course_id)
    changes = {
        "title": " ".join(title.split()) if title else None,
        "conversation_prompt": conversation_prompt,
        "level": level,
        "duration_minutes": duration_minutes,
        "tasks": _tasks_with_ids(tasks) if tasks is not None else None,
        "lesson_type": lesson_type,
        "locale": lesson_locale,
        "tool_configuration": chosen,
    }
    earlier = before.lesson if before else read_lesson({"locale": ctx.locale})
    asked = earlier.model_copy(update={k: v for k, v in changes.items() if v is not None})
    lesson = _completed(asked)
    shown = preview_of(ctx, lesson)
    if (chars := len(shown.system_prompt)) > SETUP_CHARS:
        raise invalid(
            "conversationPrompt",
            "lesson_too_long",
            "at_most_together",
            chars=chars,
            setup_chars=SETUP_CHARS,
        )
    id = before.id if before else ctx.new_id
    ctx.batch.set(
        ctx.db.collection(MISSIONS).document(id),
        {
            **lesson.dump(),
            "teacherUid": ctx.user.uid,
            "courseId": course_id or (before.course_id if before else None),
            "updatedAt": ctx.now,
            "schemaVersion": SCHEMA_VERSION,
        },
    )
    return LessonConfigured(
        done=TEXTS.say(ctx.locale, "configure.done", title=lesson.title),
        mission_id=id,
        title=lesson.title,
        updated_at=ctx.now.isoformat(),
        tool_configuration=lesson.tool_configuration,
        changes=_changes(ctx, asked, lesson),
        preview=shown,
    )


def _completed(lesson: Lesson) -> Lesson:
    """Return a lesson with the tools that it switches on by itself."""
    configuration = with_defaults(
        lesson.tool_configuration,
        has_tasks=bool(lesson.tasks),
        is_review=lesson.lesson_type == "review",
    )
    return lesson.model_copy(update={"tool_configuration": configuration})


def _changes(ctx: ToolContext, before: Lesson, after: Lesson) -> list[str]:
    """Return in words which tools were switched on."""
    return [
        TEXTS.say(ctx.locale, "configure.switched_on", tool=tool_name(id, ctx.locale))
        for id in after.enabled
        if id not in before.enabled
    ]


@capability(related=["configure_lesson", "preview_lesson"], min_role="teacher")
def get_lesson(ctx: ToolContext, *, mission_id: MissionId) -> LessonDetails:
    """Get one of the teacher's own lessons whole, to look at it or to change it.

    Args:
        mission_id: The lesson.
    """
    mission = open_mission(ctx, mission_id)
    ids = {"mission_id": mission.id, "course_id": mission.course_id}
    return LessonDetails.read(dict(mission.lesson), **ids, lesson_locale=mission.lesson.locale)


def _chosen_configuration(
    preset: str | None, tool_configuration: dict[str, Any] | None
) -> ToolConfiguration | None:
    """Return the configuration that a caller chose, as a preset or in full."""
    if preset is not None and tool_configuration is not None:
        raise invalid("preset", "preset_or_configuration", "send_one")
    if tool_configuration is not None:
        return read_configuration(tool_configuration)
    return lesson_tools.preset(preset) if preset is not None else None


def _tasks_with_ids(tasks: list[LessonTask]) -> tuple[Task, ...]:
    found: dict[str, Task] = {}
    for place, each in enumerate(tasks):
        check_plain(each.text, f"tasks.{place}.text")
        id = each.id or f"task-{place + 1}"
        if id in found:
            raise invalid(f"tasks.{place}.id", "two_tasks", "own_id", id=id)
        found[id] = Task(id=id, text=" ".join(each.text.split()))
    return tuple(found.values())


def preview_of(ctx: ToolContext, lesson: Lesson, *, aggressive: bool = False) -> LessonPreview:
    """Return the prompt and tools that the model of a lesson gets."""
    if ctx.platform is None:
        raise FailedPrecondition("this call was given no catalogue of tools")
    catalog = ctx.platform.catalog
    return preview(lesson, catalog=catalog, reader_locale=ctx.locale, aggressive=aggressive)


def tool_name(id: str, locale: str) -> str:
    """Return the display name of a tool of the catalogue."""
    return TEXTS.say(locale, f"catalogue.{id}.name") if id in TOOLS else id


@capability(related=["configure_lesson"], min_role="teacher")
def preview_lesson(
    ctx: ToolContext,
    *,
    conversation_prompt: ConversationPrompt = "",
    tool_configuration: dict[str, Any] | None = None,
    preset: Preset | None = None,
    tasks: Tasks | None = None,
    duration_minutes: Minutes | None = None,
    target_level: Level | None = None,
    lesson_type: LessonType = "standard",
    lesson_locale: Locale | None = None,
    aggressive: bool = False,
) -> PreviewedLesson:
    """Show what a lesson's tutor would be told, with which tools, and how many tokens that is.

    Args:
        conversation_prompt: What the tutor is to do.
        tool_configuration: The tools, each with when it may fire; or a preset.
        preset: A ready choice of tools.
        tasks: What the student is to accomplish.
        duration_minutes: 5 to 90.
        target_level: A1 to C2.
        lesson_type: "standard", "review" or "conversation".
        lesson_locale: The language of the tutor's instructions.
        aggressive: Shorten the prompt further, with headers as plain text.
    """
    chosen = _chosen_configuration(preset, tool_configuration)
    check_plain(conversation_prompt, "conversationPrompt")
    asked = Lesson(
        conversation_prompt=conversation_prompt,
        level=target_level,
        duration_minutes=duration_minutes,
        tasks=_tasks_with_ids(tasks or []),
        lesson_type=lesson_type,
        locale=lesson_locale or ctx.locale,
        tool_configuration=chosen or lesson_tools.preset("standard_lesson"),
    )
    lesson = _completed(asked)
    return PreviewedLesson(
        **dict(preview_of(ctx, lesson, aggressive=aggressive)),
        tool_configuration=lesson.tool_configuration,
        changes=_changes(ctx, asked, lesson),
    )


@capability(related=["start_session"], min_role="student")
def list_lessons(ctx: ToolContext, *, course_id: MissionId | None = None) -> Lessons:
    """List the lessons with a tutor that courses offer their students.

    Args:
        course_id: The course; leave out for the one at hand or, without one, for all of the user's.
    """
    if course_id is None and ctx.context.get("courseId") is None:
        courses = own_courses(ctx, role="student")
    else:
        course = open_course(ctx, course_id, role="student")
        courses = {course.id: course}
    found: list[DocumentSnapshot[Any]] = []
    ids = list(courses)
    for start in range(0, len(ids), _MAX_VALUES):
        of_courses = where("courseId", "in", ids[start : start + _MAX_VALUES])
        query = ctx.db.collection(MISSIONS).where(filter=of_courses)
        found += query.limit(MAX_LISTED).stream()
    lessons = [
        ListedLesson.read(
            dict(each.lesson), mission_id=each.id, course=courses[each.course_id or ""].name
        )
        for each in map(_read, found[:MAX_LISTED])
        if each.teacher_uid in courses[each.course_id or ""].teacher_ids
    ]
    return Lessons(lessons=sorted(lessons, key=lambda each: each.title))
