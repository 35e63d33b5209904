"""Sessions: a student in a lesson. What the teacher chose is frozen when one begins.

    sessions/{s}  uid, missionId, teacherUid, courseId, mission (as configured), prompt,
                  promptDigest, threadId, doneTasks, status, startedAt, endsAt, endedAt, summary,
                  schemaVersion

The thread of a session is the first in which one of its tools worked; tools work in no other.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Annotated, Any

from msgspec import Struct
from pydantic import Field

from packs.tutoring.configuration import ToolConfiguration, ToolSetting, read_configuration
from packs.tutoring.lesson_prompt import Task
from packs.tutoring.missions import MissionId, open_mission, preview_of, stored
from packs.tutoring.triggers import check_trigger
from packs.tutoring.wording import TEXTS, summary
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, InvalidArgument, NotFound
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import TurnSetup
from rollcall.core.shapes import Wire

SESSIONS = "sessions"
SCHEMA_VERSION = 1
GRACE = timedelta(minutes=5)
"""So long after its end a lesson's tools still work, for what was under way."""
OWN = ApprovalPolicy(ask="never")
"""The lesson that a teacher configured is the consent, and an open session the gate."""
_MAX_STARTED = 200

SessionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]


class Session(Struct, frozen=True):
    """A session, with what was frozen for it."""

    id: str
    uid: str
    mission_id: str
    teacher_uid: str
    course_id: str | None
    title: str
    locale: str
    tasks: tuple[Task, ...]
    configuration: ToolConfiguration
    prompt: str
    thread_id: str | None
    done_tasks: tuple[str, ...]
    is_open: bool
    ends_at: datetime
    read_at: Any


class SessionStarted(Wire):
    """What start_session returns. Messages to the agent `tutor` carry `context: {sessionId}`."""

    session_id: str
    mission_id: str
    title: str
    tasks: list[Task]
    tools: list[str]
    ends_at: str
    continued: bool


class SessionEnded(Wire):
    """What end_session returns."""

    done: str
    session_id: str
    tasks_done: list[str]


def open_session(ctx: ToolContext, session_id: str | None = None) -> Session:
    """Return a session of the user's own: the argument's, or `context.sessionId`.

    Raises:
        InvalidArgument: None is named.
        NotFound: The user has no such session.
    """
    id = session_id if session_id is not None else ctx.context.get("sessionId")
    if not isinstance(id, str) or not id or "/" in id or len(id) > 64:
        raise InvalidArgument(
            "say which lesson: its session's id", field="context.sessionId", hint="start_session"
        )
    snapshot = ctx.db.collection(SESSIONS).document(id).get()
    data = snapshot.to_dict() or {}
    if data.get("uid") != ctx.user.uid:
        raise NotFound("you have no such session", field="context.sessionId")
    mission = data["mission"]
    return Session(
        id=id,
        uid=data["uid"],
        mission_id=data["missionId"],
        teacher_uid=data["teacherUid"],
        course_id=data.get("courseId"),
        title=mission["title"],
        locale=mission["locale"],
        tasks=tuple(Task(id=each["id"], text=each["text"]) for each in mission["tasks"]),
        configuration=read_configuration(mission["toolConfiguration"]),
        prompt=data["prompt"],
        thread_id=data.get("threadId"),
        done_tasks=tuple(data.get("doneTasks") or ()),
        is_open=data["status"] == "open",
        ends_at=data["endsAt"],
        read_at=snapshot.update_time,
    )


@capability(
    category="tutoring",
    related=["end_session", "list_lessons"],
    min_role="student",
    effect="write",
    atomic=True,
    approval=OWN,
    summary=summary("start_session", "missionId"),
)
def start_session(ctx: ToolContext, *, mission_id: MissionId) -> SessionStarted:
    """Start a lesson with a tutor. One that was started and is not over goes on.

    Args:
        mission_id: The lesson; its id comes from list_lessons.
    """
    from google.cloud.firestore import FieldFilter

    mission = open_mission(ctx, mission_id, to_learn=True)
    sessions = ctx.db.collection(SESSIONS)
    query = sessions.where(filter=FieldFilter("uid", "==", ctx.user.uid))
    query = query.where(filter=FieldFilter("missionId", "==", mission_id)).limit(_MAX_STARTED)
    earlier = list(query.stream())
    for each in earlier:
        if each.get("status") == "open" and each.get("endsAt") + GRACE > ctx.now:
            return _started(open_session(ctx, each.id), continued=True)
    # The same id for everybody who starts the same one at the same time: one of them is made.
    text = "\0".join([ctx.user.uid, mission_id, str(len(earlier))])
    id = hashlib.sha256(text.encode()).hexdigest()[:32]
    ends_at = ctx.now + timedelta(minutes=mission.duration_minutes)
    prompt = preview_of(ctx, mission).system_prompt
    ctx.batch.create(
        sessions.document(id),
        {
            "uid": ctx.user.uid,
            "missionId": mission_id,
            "teacherUid": mission.teacher_uid,
            "courseId": mission.course_id,
            "mission": stored(mission),
            "prompt": prompt,
            "promptDigest": hashlib.sha256(prompt.encode()).hexdigest(),
            "threadId": None,
            "doneTasks": [],
            "status": "open",
            "startedAt": ctx.now,
            "endsAt": ends_at,
            "endedAt": None,
            "summary": None,
            "schemaVersion": SCHEMA_VERSION,
        },
    )
    return SessionStarted(
        session_id=id,
        mission_id=mission_id,
        title=mission.title,
        tasks=list(mission.tasks),
        tools=sorted(mission.configuration.enabled),
        ends_at=ends_at.isoformat(),
        continued=False,
    )


def _started(session: Session, *, continued: bool) -> SessionStarted:
    return SessionStarted(
        session_id=session.id,
        mission_id=session.mission_id,
        title=session.title,
        tasks=list(session.tasks),
        tools=sorted(session.configuration.enabled),
        ends_at=session.ends_at.isoformat(),
        continued=continued,
    )


@capability(
    category="tutoring",
    related=["start_session"],
    min_role="student",
    effect="write",
    atomic=True,
    approval=OWN,
    summary=summary("end_session", "sessionId"),
)
def end_session(ctx: ToolContext, *, session_id: SessionId) -> SessionEnded:
    """End a lesson of one's own. Its tools work no more.

    Args:
        session_id: The session, from start_session.
    """
    session = open_session(ctx, session_id)
    if session.is_open:
        reference = ctx.db.collection(SESSIONS).document(session.id)
        ctx.batch.update(reference, {"status": "ended", "endedAt": ctx.now})
    return SessionEnded(
        done=TEXTS.say(ctx.locale, "sessions.ended", title=session.title),
        session_id=session.id,
        tasks_done=list(session.done_tasks),
    )


def check_open(ctx: ToolContext, session: Session) -> None:
    """Check that a session goes on.

    Raises:
        FailedPrecondition: It was ended, or its time is over.
    """
    if not session.is_open or ctx.now > session.ends_at + GRACE:
        raise FailedPrecondition(
            "this lesson is over", field="context.sessionId", hint="start it again: start_session"
        )


def use_tool(ctx: ToolContext, tool_id: str) -> tuple[Session, ToolSetting]:
    """Return the open session for a call of one of its tools, if that may fire now.

    Raises:
        NotFound: The user has no such session.
        FailedPrecondition: It is over, is another thread's, does not have the tool, or the tool's
            trigger has not come; or the call is not a tutor's.
    """
    session = open_session(ctx)
    check_open(ctx, session)
    setting = session.configuration.enabled.get(tool_id)
    if setting is None:
        listed = ", ".join(sorted(session.configuration.enabled)) or "none"
        raise FailedPrecondition(
            f"this lesson does not have {tool_id}; nothing was written", hint=f"it has: {listed}"
        )
    dialogue = ctx.dialogue
    if not dialogue.thread_id:
        raise FailedPrecondition(
            f"{tool_id} is the tutor's, and is called in the lesson's dialogue",
            hint="send a message to the agent tutor, with context {sessionId}",
        )
    if session.thread_id not in (None, dialogue.thread_id):
        raise FailedPrecondition("this lesson goes on in another thread", field="context.sessionId")
    check_trigger(
        tool_id,
        setting.trigger_condition,
        turns=dialogue.user_turns,
        texts=dialogue.texts,
        now=ctx.now,
        ends_at=session.ends_at,
        all_tasks_done=bool(session.tasks)
        and {each.id for each in session.tasks} <= set(session.done_tasks),
    )
    return session, setting


def note_use(ctx: ToolContext, session: Session, **changes: Any) -> None:
    """Add to the batch what a tool's call changes in its session; the first one's thread is the
    session's. A call that changes nothing there writes nothing there, so that calls made side by
    side do not hinder one another."""
    if session.thread_id is None:
        changes["threadId"] = ctx.dialogue.thread_id
    if changes:
        ctx.batch.update(ctx.db.collection(SESSIONS).document(session.id), changes)


def turn_setup(ctx: ToolContext) -> TurnSetup:
    """Give the tutor the lesson's frozen prompt and its tools; without a session, neither."""
    if ctx.context.get("sessionId") is None:
        return TurnSetup(TEXTS.say(ctx.locale, "sessions.none"), frozenset())
    session = open_session(ctx)
    check_open(ctx, session)
    if session.thread_id not in (None, ctx.dialogue.thread_id):
        raise FailedPrecondition("this lesson goes on in another thread", field="threadId")
    return TurnSetup(session.prompt, frozenset(session.configuration.enabled))
