"""Sessions of a student in a lesson, whose configuration is frozen when the session begins.

    sessions/{s}  uid, missionId, teacherUid, courseId, mission (as configured), prompt,
                  promptDigest, threadId, liveTokens, status, startedAt, endsAt, endedAt, summary,
                  schemaVersion

A session's thread is that of its first message; its tools work in no other. Completions record
which tasks are done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from msgspec import Struct

from packs.education.courses import checked_id
from packs.tutoring.lesson_prompt import Lesson, Task
from packs.tutoring.missions import MissionId, open_mission, preview_of, read_lesson
from packs.tutoring.triggers import check_trigger
from packs.tutoring.wording import TEXTS, summary
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import Aborted, FailedPrecondition, InvalidArgument, NotFound
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import TurnSetup
from rollcall.core.shapes import Id, Wire
from rollcall.store import paths
from rollcall.store.batches import where

SESSIONS = "sessions"
SCHEMA_VERSION = 1
GRACE = timedelta(minutes=5)
"""How long a lesson's tools still work after its end, for calls that are under way."""
COMPLETIONS = "completions"
MAX_CLAIMED_TURNS = 10_000
HEARD_CHARS = 500

SessionId = Id
F = TypeVar("F", bound=Callable[..., Any])


def student_write(argument: str, *related: str) -> Callable[[F], F]:
    """Declare a write to a student's own documents. It needs no approval: the teacher chose the
    tools, and they work only in an open session.

    Args:
        argument: The argument that its summary names.
    """

    def declare(function: F) -> F:
        return capability(
            related=related,
            min_role="student",
            effect="write",
            atomic=True,
            approval=ApprovalPolicy(ask="never"),
            summary=summary(function.__name__, argument),
        )(function)

    return declare


class Session(Struct, frozen=True):
    """A session, with the lesson as frozen for it."""

    id: str
    uid: str
    mission_id: str
    teacher_uid: str
    course_id: str | None
    lesson: Lesson
    prompt: str
    thread_id: str | None
    live_tokens: int
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
        InvalidArgument: No session is named, or its id is not well formed.
        NotFound: The user has no such session.
    """
    id = session_id if session_id is not None else ctx.context.get("sessionId")
    if not isinstance(id, str):
        raise InvalidArgument(
            TEXTS.text("errors.which_lesson"), field="context.sessionId", hint="start_session"
        )
    checked_id(id, "session", "context.sessionId")
    snapshot = ctx.db.collection(SESSIONS).document(id).get()
    data = snapshot.to_dict() or {}
    if data.get("uid") != ctx.user.uid:
        raise NotFound(TEXTS.text("errors.no_session"), field="context.sessionId")
    return Session(
        id=id,
        uid=data["uid"],
        mission_id=data["missionId"],
        teacher_uid=data["teacherUid"],
        course_id=data.get("courseId"),
        lesson=read_lesson(data["mission"]),
        prompt=data["prompt"],
        thread_id=data.get("threadId"),
        live_tokens=data.get("liveTokens") or 0,
        is_open=data["status"] == "open",
        ends_at=data["endsAt"],
        read_at=snapshot.update_time,
    )


@student_write("missionId", "end_session", "list_lessons")
def start_session(ctx: ToolContext, *, mission_id: MissionId) -> SessionStarted:
    """Start a lesson with a tutor. One that was started and is not over goes on.

    Args:
        mission_id: The lesson; its id comes from list_lessons.
    """
    mission = open_mission(ctx, mission_id, to_learn=True)
    sessions = ctx.db.collection(SESSIONS)
    query = sessions.where(filter=where("uid", "==", ctx.user.uid))
    query = query.where(filter=where("missionId", "==", mission_id))
    earlier = next(query.order_by("startedAt", direction="DESCENDING").limit(1).stream(), None)
    if earlier and earlier.get("status") == "open":
        if earlier.get("endsAt") + GRACE > ctx.now:
            own = open_session(ctx, earlier.id)
            return _session_started(own.id, mission_id, own.lesson, own.ends_at, continued=True)
        over = {"status": "ended", "endedAt": earlier.get("endsAt")}
        ctx.batch.update(earlier.reference, over)
    # Concurrent starts of the same session get the same id, so only one of them is created.
    text = "\0".join([ctx.user.uid, mission_id, earlier.id if earlier else ""])
    id = hashlib.sha256(text.encode()).hexdigest()[:32]
    lesson = mission.lesson
    ends_at = ctx.now + timedelta(minutes=lesson.duration_minutes or 0)
    prompt = preview_of(ctx, lesson).system_prompt
    ctx.batch.create(
        sessions.document(id),
        {
            "uid": ctx.user.uid,
            "missionId": mission_id,
            "teacherUid": mission.teacher_uid,
            "courseId": mission.course_id,
            "mission": lesson.dump(),
            "prompt": prompt,
            "promptDigest": hashlib.sha256(prompt.encode()).hexdigest(),
            "threadId": None,
            "liveTokens": 0,
            "status": "open",
            "startedAt": ctx.now,
            "endsAt": ends_at,
            "endedAt": None,
            "summary": None,
            "schemaVersion": SCHEMA_VERSION,
        },
    )
    return _session_started(id, mission_id, lesson, ends_at, continued=False)


def _session_started(
    id: str, mission_id: str, lesson: Lesson, ends_at: datetime, *, continued: bool
) -> SessionStarted:
    return SessionStarted.read(
        dict(lesson),
        session_id=id,
        mission_id=mission_id,
        tools=sorted(lesson.enabled),
        ends_at=ends_at.isoformat(),
        continued=continued,
    )


@student_write("sessionId", "start_session")
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
        done=TEXTS.say(ctx.locale, "sessions.ended", title=session.lesson.title),
        session_id=session.id,
        tasks_done=sorted(each.get("taskId") for each in _completions(ctx, session).stream()),
    )


def check_open(ctx: ToolContext, session: Session) -> None:
    """Check that a session is open.

    Raises:
        FailedPrecondition: It was ended, or its time is over.
    """
    if not session.is_open or ctx.now > session.ends_at + GRACE:
        raise FailedPrecondition(
            TEXTS.text("errors.lesson_over"),
            field="context.sessionId",
            hint="start it again: start_session",
        )


class ToolUse(Struct, frozen=True):
    """A permitted call of one of a session's tools.

    Attributes:
        source: Where it was made: in the thread, or in a talk by voice.
        claimed: The client's statements about the talk, where the tool's trigger relied on them.
    """

    session: Session
    source: Literal["text", "live"]
    claimed: dict[str, Any] | None = None

    @property
    def origin(self) -> dict[str, Any]:
        """The fields about the call that are stored with its effect."""
        return {"source": self.source, **({"claimed": self.claimed} if self.claimed else {})}


def use_tool(ctx: ToolContext, tool_id: str) -> ToolUse:
    """Return the use of one of a session's tools, if it may fire now.

    Raises:
        InvalidArgument: The client's statements about a talk are malformed.
        NotFound: The user has no such session.
        FailedPrecondition: The session is over, belongs to another thread or does not have the
            tool; the tool's trigger has not fired; or the call is not a tutor's.
    """
    session = open_session(ctx)
    check_open(ctx, session)
    setting = session.lesson.enabled.get(tool_id)
    if setting is None:
        listed = ", ".join(sorted(session.lesson.enabled)) or "none"
        raise FailedPrecondition(
            TEXTS.text("errors.no_tool", tool_id=tool_id),
            hint=TEXTS.text("hints.it_has", listed=listed),
        )
    dialogue, trigger = ctx.dialogue, setting.trigger_condition
    claimed: dict[str, Any] | None = None
    if dialogue.thread_id:
        source: Literal["text", "live"] = "text"
        turns, texts = dialogue.user_turns, dialogue.texts
        if session.thread_id != dialogue.thread_id:
            raise FailedPrecondition(TEXTS.text("errors.other_thread"), field="context.sessionId")
    elif session.live_tokens:
        source = "live"
        turns, texts = _claims(ctx)
        if trigger.type == "turn_count":
            claimed = {"turns": turns}
        elif trigger.type in ("keyword", "session_ending"):
            claimed = {"heard": texts[0]}
    else:
        raise FailedPrecondition(
            TEXTS.text("errors.tutors_tool", tool_id=tool_id),
            hint="send a message to the agent tutor, with context {sessionId}",
        )
    check_trigger(
        tool_id,
        trigger,
        turns=turns,
        texts=texts,
        now=ctx.now,
        ends_at=session.ends_at,
        all_tasks_done=lambda: _all_tasks_done(ctx, session),
    )
    return ToolUse(session, source, claimed)


def _claims(ctx: ToolContext) -> tuple[int, tuple[str, ...]]:
    """Return a client's statements about a talk by voice: the student's turns and last words."""
    turns, heard = ctx.context.get("turns", 0), ctx.context.get("heard", "")
    if not isinstance(turns, int) or isinstance(turns, bool) or not 0 <= turns <= MAX_CLAIMED_TURNS:
        raise InvalidArgument(
            "turns says how often the student spoke",
            field="context.turns",
            hint=f"0 to {MAX_CLAIMED_TURNS:,}",
        )
    if not isinstance(heard, str) or len(heard) > HEARD_CHARS:
        raise InvalidArgument(
            "heard is what the student said last",
            field="context.heard",
            hint=f"a text of at most {HEARD_CHARS:,} characters",
        )
    return turns, (heard,)


def _completions(ctx: ToolContext, session: Session) -> Any:
    own = ctx.db.collection(COMPLETIONS).where(filter=where("uid", "==", session.uid))
    return own.where(filter=where("sessionId", "==", session.id))


def _all_tasks_done(ctx: ToolContext, session: Session) -> bool:
    if not session.lesson.tasks:
        return False
    [[counted]] = _completions(ctx, session).count().get()
    return int(counted.value) >= len(session.lesson.tasks)  # a task is completed once


def turn_setup(ctx: ToolContext) -> TurnSetup:
    """Return the lesson's frozen prompt and tools, and for its first answer the notice that nobody
    tutors without a language model; without a session no tools, and that none is open.

    The session's thread is this one, unless it has another that still exists.

    Raises:
        FailedPrecondition: The session is over, or has another thread.
        Aborted: The session was changed at the same time.
    """
    if ctx.context.get("sessionId") is None:
        none, begin = (TEXTS.say(ctx.locale, f"sessions.{key}") for key in ("none", "begin"))
        return TurnSetup(none, frozenset(), begin)
    session = open_session(ctx)
    check_open(ctx, session)
    thread_id, lesson, notice = ctx.dialogue.thread_id, session.lesson, ""
    is_first = session.thread_id != thread_id or not ctx.dialogue.user_turns
    if session.thread_id != thread_id:
        if session.thread_id and paths.thread(ctx.db, session.thread_id).get([]).exists:
            raise FailedPrecondition(
                TEXTS.text("errors.other_thread"), field="threadId", hint=session.thread_id
            )
        update_session(ctx, session, {"threadId": thread_id})
    if is_first:
        notice = TEXTS.say(ctx.locale, "sessions.no_tutor", title=lesson.title)
        tasks = [TEXTS.say(ctx.locale, "sessions.task", **dict(each)) for each in lesson.tasks]
        if tasks:
            notice = "\n".join([notice, "", TEXTS.say(ctx.locale, "sessions.tasks"), *tasks])
    return TurnSetup(session.prompt, frozenset(lesson.enabled), notice)


def update_session(ctx: ToolContext, session: Session, changes: dict[str, Any]) -> None:
    """Write changes of a session at once, on condition that it has not changed since it was read.

    Raises:
        Aborted: It has.
    """
    from google.api_core.exceptions import FailedPrecondition as ChangedMeanwhile

    reference = ctx.db.collection(SESSIONS).document(session.id)
    unchanged = ctx.db.write_option(last_update_time=session.read_at)
    try:
        reference.update(changes, option=unchanged)
    except ChangedMeanwhile as error:
        raise Aborted(TEXTS.text("errors.lesson_changed"), retry_after_s=1) from error
