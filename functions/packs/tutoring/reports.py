"""The capability `lesson_report`: what a lesson's sessions came to, for its teacher."""

from __future__ import annotations

from collections import Counter
from typing import Any

from packs.tutoring.missions import MissionId, open_mission
from packs.tutoring.sessions import SESSIONS
from packs.tutoring.tools import COMPLETIONS, ITEMS
from packs.tutoring.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire

MAX_SESSIONS = 200
_MAX_MARKS = 2_000


class SessionReport(Wire):
    """One session. `student` is the student's user id: no name is told."""

    session_id: str
    student: str
    status: str
    minutes: int
    tasks_done: list[str]
    items_by_type: dict[str, int]
    sources: dict[str, int]
    has_summary: bool


class LessonReport(Wire):
    """What lesson_report returns, newest session first."""

    mission_id: str
    title: str
    tasks: int
    sessions: list[SessionReport]


@capability(category="tutoring", related=["configure_lesson"], min_role="teacher")
def lesson_report(ctx: ToolContext, *, mission_id: MissionId) -> LessonReport:
    """Report how the students did in a lesson: tasks done, errors by kind, minutes.

    Args:
        mission_id: The lesson.
    """
    mission = open_mission(ctx, mission_id)
    marks: dict[str, Counter[str]] = {}
    sources: dict[str, Counter[str]] = {}
    for collection in (ITEMS, COMPLETIONS):
        for each in _of_mission(ctx, collection, mission_id, _MAX_MARKS):
            sources.setdefault(each["sessionId"], Counter())[each["source"]] += 1
            if collection == ITEMS:
                marks.setdefault(each["sessionId"], Counter())[each["errorType"]] += 1
    found = sorted(
        _of_mission(ctx, SESSIONS, mission_id, MAX_SESSIONS),
        key=lambda each: each["startedAt"],
        reverse=True,
    )
    sessions = [
        SessionReport(
            session_id=each["id"],
            student=each["uid"],
            status=each["status"],
            minutes=_minutes(ctx, each),
            tasks_done=sorted(each.get("doneTasks") or ()),
            items_by_type=dict(marks.get(each["id"], {})),
            sources=dict(sources.get(each["id"], {})),
            has_summary=each.get("summary") is not None,
        )
        for each in found
    ]
    names = TEXTS.data(ctx.locale, "report.columns")
    columns = [names["session"], names["minutes"], names["tasks"], names["items"]]
    rows: list[dict[str, Any]] = [
        dict(
            zip(
                columns,
                (
                    place,
                    each.minutes,
                    f"{len(each.tasks_done)}/{len(mission.tasks)}",
                    sum(each.items_by_type.values()),
                ),
                strict=True,
            )
        )
        for place, each in enumerate(sessions, 1)
    ]
    ctx.show(Display(type="table", title=mission.title, columns=columns, rows=rows))
    return LessonReport(
        mission_id=mission_id, title=mission.title, tasks=len(mission.tasks), sessions=sessions
    )


def _of_mission(
    ctx: ToolContext, collection: str, mission_id: str, most: int
) -> list[dict[str, Any]]:
    from google.cloud.firestore import FieldFilter

    wanted = FieldFilter("missionId", "==", mission_id)
    query = ctx.db.collection(collection).where(filter=wanted).limit(most)
    found = [{**(each.to_dict() or {}), "id": each.id} for each in query.stream()]
    return [each for each in found if each["teacherUid"] == ctx.user.uid]


def _minutes(ctx: ToolContext, session: dict[str, Any]) -> int:
    end = session.get("endedAt") or min(ctx.now, session["endsAt"])
    minutes: float = (end - session["startedAt"]).total_seconds() / 60
    return max(0, round(minutes))
