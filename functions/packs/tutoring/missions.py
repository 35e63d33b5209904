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
from packs.tutoring.lesson_prompt import LessonPreview, Task, preview
from packs.tutoring.wording import TEXTS, invalid, summary
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.inputs import NOT_BLANK
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import SETUP_CHARS
from rollcall.core.shapes import Id, Wire

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentSnapshot

    from rollcall.core.context import Catalog

MISSIONS = "missions"
SCHEMA_VERSION = 1
TITLE_CHARS = 200
PROMPT_CHARS = 10_000
TASK_CHARS = 200
MAX_TASKS = 20
MIN_MINUTES, MAX_MINUTES = 5, 90
MAX_LISTED = 100
_MAX_VALUES = 30  # of one query's "in"
DRAFT = ApprovalPolicy(ask="never")
"""A lesson needs no approval: it is the teacher's own draft, without effect until it is started."""

Level = Literal["A1", "A2", "B1", "B2", "C1", "C2"]
MissionId = Id
ConversationPrompt = Annotated[str, Field(max_length=PROMPT_CHARS)]
Minutes = Annotated[int, Field(ge=MIN_MINUTES, le=MAX_MINUTES)]
Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARS, pattern=NOT_BLANK)]
Locale = Literal["en", "he"]


class LessonTask(Wire):
    """Something that the student is to accomplish. Without an id it gets one: task-1, task-2 …"""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")] | None = None
    text: Annotated[str, Field(min_length=1, max_length=TASK_CHARS, pattern=NOT_BLANK)]


Tasks = Annotated[list[LessonTask], Field(max_length=MAX_TASKS)]


class Mission(Struct, frozen=True):
    """A stored lesson."""

    id: str
    teacher_uid: str
    course_id: str | None
    title: str
    conversation_prompt: str
    level: str
    duration_minutes: int
    tasks: tuple[Task, ...]
    lesson_type: str
    locale: str
    configuration: ToolConfiguration


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
    configuration = data.get("toolConfiguration")
    return Mission(
        id=snapshot.id,
        teacher_uid=data["teacherUid"],
        course_id=data.get("courseId"),
        title=data["title"],
        conversation_prompt=data.get("conversationPrompt") or "",
        level=data.get("level") or "A2",
        duration_minutes=data.get("durationMinutes") or 20,
        tasks=tuple(Task(id=each["id"], text=each["text"]) for each in data.get("tasks") or ()),
        lesson_type=data.get("lessonType") or "standard",
        locale=data.get("locale") or "en",
        configuration=legacy_configuration(data)
        if configuration is None
        else read_configuration(configuration),
    )


@capability(
    category="tutoring",
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
    own = chosen or (before.configuration if before else lesson_tools.preset("standard_lesson"))
    chosen_tasks = _tasks_with_ids(tasks) if tasks is not None else (before.tasks if before else ())
    kind = lesson_type or (before.lesson_type if before else "standard")
    configuration = with_defaults(own, has_tasks=bool(chosen_tasks), is_review=kind == "review")
    if conversation_prompt is None:
        conversation_prompt = before.conversation_prompt if before else ""
    mission = Mission(
        id=before.id if before else f"m{ctx.effect_key or ''}"[:33],
        teacher_uid=ctx.user.uid,
        course_id=course_id or (before.course_id if before else None),
        title=" ".join(title.split()) if title else (before.title if before else ""),
        conversation_prompt=conversation_prompt,
        level=level or (before.level if before else "A2"),
        duration_minutes=duration_minutes or (before.duration_minutes if before else 20),
        tasks=chosen_tasks,
        lesson_type=kind,
        locale=lesson_locale or (before.locale if before else ctx.locale),
        configuration=configuration,
    )
    shown = preview_of(ctx, mission)
    if (chars := len(shown.system_prompt)) > SETUP_CHARS:
        raise invalid(
            "conversationPrompt",
            "lesson_too_long",
            "at_most_together",
            chars=chars,
            setup_chars=SETUP_CHARS,
        )
    ctx.batch.set(
        ctx.db.collection(MISSIONS).document(mission.id),
        {
            **frozen_fields(mission),
            "teacherUid": mission.teacher_uid,
            "courseId": mission.course_id,
            "updatedAt": ctx.now,
            "schemaVersion": SCHEMA_VERSION,
        },
    )
    return LessonConfigured(
        done=TEXTS.say(ctx.locale, "configure.done", title=mission.title),
        mission_id=mission.id,
        title=mission.title,
        updated_at=ctx.now.isoformat(),
        tool_configuration=configuration,
        changes=_changes(ctx, own, configuration),
        preview=shown,
    )


def _changes(ctx: ToolContext, before: ToolConfiguration, after: ToolConfiguration) -> list[str]:
    return [
        TEXTS.say(ctx.locale, "configure.switched_on", tool=tool_name(id, ctx.locale))
        for id in after.enabled
        if id not in before.enabled
    ]


@capability(category="tutoring", related=["configure_lesson", "preview_lesson"], min_role="teacher")
def get_lesson(ctx: ToolContext, *, mission_id: MissionId) -> LessonDetails:
    """Get one of the teacher's own lessons whole, to look at it or to change it.

    Args:
        mission_id: The lesson.
    """
    mission = open_mission(ctx, mission_id)
    return LessonDetails(
        mission_id=mission.id,
        title=mission.title,
        conversation_prompt=mission.conversation_prompt,
        course_id=mission.course_id,
        level=mission.level,
        duration_minutes=mission.duration_minutes,
        tasks=list(mission.tasks),
        lesson_type=mission.lesson_type,
        lesson_locale=mission.locale,
        tool_configuration=mission.configuration,
    )


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


def frozen_fields(mission: Mission) -> dict[str, Any]:
    """Return the stored fields of a lesson that a session freezes."""
    return {
        "title": mission.title,
        "conversationPrompt": mission.conversation_prompt,
        "level": mission.level,
        "durationMinutes": mission.duration_minutes,
        "tasks": [each.dump() for each in mission.tasks],
        "lessonType": mission.lesson_type,
        "locale": mission.locale,
        "toolConfiguration": mission.configuration.dump(),
    }


def _catalog(ctx: ToolContext) -> Catalog:
    if ctx.platform is None:
        raise FailedPrecondition("this call was given no catalogue of tools")
    return ctx.platform.catalog


def preview_of(ctx: ToolContext, mission: Mission) -> LessonPreview:
    """Return the prompt and tools that the model of a lesson gets."""
    return preview(
        mission.conversation_prompt,
        mission.configuration,
        catalog=_catalog(ctx),
        tasks=mission.tasks,
        duration_minutes=mission.duration_minutes,
        level=mission.level,
        locale=mission.locale,
        reader_locale=ctx.locale,
    )


def tool_name(id: str, locale: str) -> str:
    """Return the display name of a tool of the catalogue."""
    return TEXTS.say(locale, f"catalogue.{id}.name") if id in TOOLS else id


@capability(category="tutoring", related=["configure_lesson"], min_role="teacher")
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
    own = _chosen_configuration(preset, tool_configuration) or lesson_tools.preset(
        "standard_lesson"
    )
    check_plain(conversation_prompt, "conversationPrompt")
    chosen_tasks = _tasks_with_ids(tasks or [])
    configuration = with_defaults(
        own, has_tasks=bool(chosen_tasks), is_review=lesson_type == "review"
    )
    shown = preview(
        conversation_prompt,
        configuration,
        catalog=_catalog(ctx),
        tasks=chosen_tasks,
        duration_minutes=duration_minutes,
        level=target_level,
        locale=lesson_locale or ctx.locale,
        reader_locale=ctx.locale,
        aggressive=aggressive,
    )
    return PreviewedLesson(
        **dict(shown),
        tool_configuration=configuration,
        changes=_changes(ctx, own, configuration),
    )


@capability(category="tutoring", related=["start_session"], min_role="student")
def list_lessons(ctx: ToolContext, *, course_id: MissionId | None = None) -> Lessons:
    """List the lessons with a tutor that courses offer their students.

    Args:
        course_id: The course; leave out for the one at hand or, without one, for all of the user's.
    """
    from google.cloud.firestore import FieldFilter

    if course_id is None and ctx.context.get("courseId") is None:
        courses = own_courses(ctx, role="student")
    else:
        course = open_course(ctx, course_id, role="student")
        courses = {course.id: course}
    found: list[DocumentSnapshot[Any]] = []
    ids = list(courses)
    for start in range(0, len(ids), _MAX_VALUES):
        of_courses = FieldFilter("courseId", "in", ids[start : start + _MAX_VALUES])
        query = ctx.db.collection(MISSIONS).where(filter=of_courses)
        found += query.limit(MAX_LISTED).stream()
    lessons = [
        ListedLesson(
            mission_id=each.id,
            course=courses[each.course_id or ""].name,
            title=each.title,
            level=each.level,
            duration_minutes=each.duration_minutes,
            tasks=list(each.tasks),
        )
        for each in map(_read, found[:MAX_LISTED])
        if each.teacher_uid in courses[each.course_id or ""].teacher_ids
    ]
    return Lessons(lessons=sorted(lessons, key=lambda each: each.title))
