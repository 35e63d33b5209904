"""Reports of a lesson for its teacher: `lesson_report` on all its sessions, `session_report` on
one. Students are named by user id only.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from packs.tutoring.lesson_prompt import Task
from packs.tutoring.missions import MissionId, open_mission
from packs.tutoring.sessions import COMPLETIONS, SESSIONS, SessionId
from packs.tutoring.tools import ITEMS
from packs.tutoring.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import NotFound
from rollcall.core.shapes import Display, Wire
from rollcall.store.batches import where

if TYPE_CHECKING:
    from google.cloud.firestore_v1.base_query import BaseQuery

MAX_SESSIONS = 200
_MAX_MARKS = 2_000


class SessionOverview(Wire):
    """A session in short. `student` is a user id."""

    session_id: str
    student: str
    status: str
    started_at: str
    minutes: int
    items_by_type: dict[str, int]


class SessionResults(SessionOverview):
    """One session of a lesson. `sources` counts errors and completed tasks by where they were
    recorded, "text" or "live"."""

    tasks_done: list[str]
    sources: dict[str, int]
    has_summary: bool


class LessonReport(Wire):
    """What lesson_report returns, newest session first."""

    mission_id: str
    title: str
    tasks: int
    sessions: list[SessionResults]


class ReportedTask(Task):
    """A task of a session. `evidence` and `source` come from its completion."""

    is_done: bool
    evidence: str | None = None
    source: str | None = None


class ReportedItem(Wire):
    """An error that the tutor marked. `count` says how often, in all of the teacher's sessions."""

    item_id: str
    error_type: str
    original: str
    correction: str
    explanation: str | None = None
    severity: int
    count: int
    mastered: bool
    source: str


class ReportedSummary(Wire):
    """The tutor's summary for the student at the end."""

    strengths: list[str]
    improvements: list[str]
    encouragement: str | None = None


class SessionReport(SessionOverview):
    """What session_report returns."""

    mission_id: str
    title: str
    ends_at: str
    tasks: list[ReportedTask]
    items: list[ReportedItem]
    summary: ReportedSummary | None = None


@capability(related=["configure_lesson", "session_report"], min_role="teacher")
def lesson_report(ctx: ToolContext, *, mission_id: MissionId) -> LessonReport:
    """Report how the students did in a lesson: tasks done, errors by kind, minutes.

    Args:
        mission_id: The lesson.
    """
    lesson = open_mission(ctx, mission_id).lesson
    errors: dict[str, Counter[str]] = {}
    tasks: dict[str, set[str]] = {}
    sources: dict[str, Counter[str]] = {}
    items = _own(ctx, ITEMS, ("missionIds", "array_contains", mission_id)).limit(_MAX_MARKS)
    for _, each in _read(items):
        for session_id in each["sessionIds"]:
            errors.setdefault(session_id, Counter())[each["errorType"]] += 1
            sources.setdefault(session_id, Counter())[each["source"]] += 1
    done = _own(ctx, COMPLETIONS, ("missionId", "==", mission_id)).limit(_MAX_MARKS)
    for _, each in _read(done):
        tasks.setdefault(each["sessionId"], set()).add(each["taskId"])
        sources.setdefault(each["sessionId"], Counter())[each["source"]] += 1
    newest = _own(ctx, SESSIONS, ("missionId", "==", mission_id))
    newest = newest.order_by("startedAt", direction="DESCENDING").limit(MAX_SESSIONS)
    sessions = [
        SessionResults(
            **_overview(ctx, id, each),
            tasks_done=sorted(tasks.get(id, ())),
            items_by_type=dict(errors.get(id, {})),
            sources=dict(sources.get(id, {})),
            has_summary=each.get("summary") is not None,
        )
        for id, each in _read(newest)
    ]
    names = TEXTS.data(ctx.locale, "report.columns")
    columns = [names["session"], names["minutes"], names["tasks"], names["items"]]
    rows: list[dict[str, Any]] = []
    for place, shown in enumerate(sessions, 1):
        tasks_done = f"{len(shown.tasks_done)}/{len(lesson.tasks)}"
        values = (place, shown.minutes, tasks_done, sum(shown.items_by_type.values()))
        rows.append(dict(zip(columns, values, strict=True)))
    ctx.show(Display(type="table", title=lesson.title, columns=columns, rows=rows))
    return LessonReport(
        mission_id=mission_id,
        title=lesson.title,
        tasks=len(lesson.tasks),
        sessions=sessions,
    )


@capability(related=["lesson_report"], min_role="teacher")
def session_report(ctx: ToolContext, *, session_id: SessionId) -> SessionReport:
    """Report one session of a student: its tasks with what shows them, the errors, the summary.

    Args:
        session_id: The session, from lesson_report.
    """
    data = ctx.db.collection(SESSIONS).document(session_id).get().to_dict() or {}
    if data.get("teacherUid") != ctx.user.uid:
        raise NotFound(TEXTS.text("errors.not_your_session"), field="sessionId")
    found = _own(ctx, COMPLETIONS, ("sessionId", "==", session_id)).limit(_MAX_MARKS)
    done = {each["taskId"]: each for _, each in _read(found)}
    marked = _own(ctx, ITEMS, ("sessionIds", "array_contains", session_id)).limit(_MAX_MARKS)
    items = [
        ReportedItem.read(each, item_id=id)
        for id, each in sorted(_read(marked), key=lambda one: one[1]["createdAt"])
    ]
    summary = data.get("summary")
    return SessionReport.read(
        data,
        **_overview(ctx, session_id, data),
        title=data["mission"]["title"],
        ends_at=data["endsAt"].isoformat(),
        tasks=[
            ReportedTask.read({**done.get(each["id"], {}), **each}, is_done=each["id"] in done)
            for each in data["mission"]["tasks"]
        ],
        items=items,
        items_by_type=dict(Counter(each.error_type for each in items)),
        summary=ReportedSummary.read(summary) if summary else None,
    )


def _own(ctx: ToolContext, collection: str, test: tuple[str, str, str]) -> BaseQuery:
    own = ctx.db.collection(collection).where(filter=where("teacherUid", "==", ctx.user.uid))
    query: BaseQuery = own.where(filter=where(*test))
    return query


def _read(query: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(each.id, each.to_dict() or {}) for each in query.stream()]


def _overview(ctx: ToolContext, id: str, session: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that all reports of a session have; it ends by itself at its time."""
    is_over = session["status"] != "open" or ctx.now > session["endsAt"]
    end: datetime = session.get("endedAt") or min(ctx.now, session["endsAt"])
    minutes: float = (end - session["startedAt"]).total_seconds() / 60
    return {
        "session_id": id,
        "student": session["uid"],
        "status": "ended" if is_over else "open",
        "started_at": session["startedAt"].isoformat(),
        "minutes": max(0, round(minutes)),
    }
