"""A deployment of the tutoring pack, with a course, its teacher and its students."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec.structs import replace

from packs.tutoring.agents import TUTOR
from rollcall.core.capability import Capability
from rollcall.core.profile import AgentProfile
from tests.support.catalogs import catalog
from tests.support.local_functions import Callables, Functions
from tests.support.office import Office, RunResponse
from tests.support.packs.education.classroom import add_course

NAMES = (
    "configure_lesson",
    "get_lesson",
    "list_lessons",
    "start_session",
    "end_session",
    "review_item",
    "list_review_items",
    "lesson_report",
    "session_report",
    "create_live_session",
    *TUTOR.tools,
)
TEACHER, STUDENT = {"role": "teacher"}, {"role": "student"}
ERROR = {"errorType": "grammar", "original": "I goed", "correction": "I went", "severity": 4}
EVERY = {
    "mark_for_review": ERROR,
    "update_user_profile": {"category": "interest", "fact": "keeps two rabbits"},
    "show_session_summary": {"strengths": ["words"], "improvements": ["tenses"]},
    "mark_task_complete": {"taskId": "task-1", "evidence": "She ordered soup."},
    "mark_item_mastered": {"itemId": "i1"},
}


def code(error: Any) -> str:
    return str(error["details"]["code"])


class Lessons(Office):
    """A deployment of the tutoring pack alone."""

    by_hand = ()

    def __init__(self, db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(db, monkeypatch)
        self.write_documents()
        add_course(db, "math4", ["ada"])
        known = {name: catalog.find_capability(name).function for name in NAMES}
        self.own = Functions(Callables(known, lambda: self.platform))

    def pack(
        self, profile: AgentProfile | None = None, **changes: Any
    ) -> tuple[dict[str, Capability], AgentProfile]:
        known = {name: catalog.find_capability(name) for name in NAMES}
        usual = {"models": ("scripted:office",), "allow_unpriced": True}
        return known, replace(profile or TUTOR, **{**usual, **changes})

    def use(self, name: str, uid: str, **arguments: Any) -> Any:
        claims = TEACHER if uid == "ada" or uid == "ben" else STUDENT
        answer = self.own.post(name, {"arguments": arguments}, uid=uid, claims=claims).get_json()
        return answer.get("result") or answer["error"]

    def lesson(self, **changes: Any) -> str:
        given = {
            "title": "Ordering food",
            "conversationPrompt": "Talk about ordering food.",
            "courseId": "math4",
            "tasks": [{"text": "Order soup"}, {"text": "Ask for the bill"}],
            **changes,
        }
        return str(self.use("configure_lesson", "ada", **given)["missionId"])

    def start(self, mission: str, uid: str = "math4-1") -> str:
        return str(self.use("start_session", uid, missionId=mission)["sessionId"])

    def say(self, session: Any, *replies: Any, uid: str = "math4-1", **more: Any) -> RunResponse:
        data = {"agent": "tutor", "message": "Hello", "context": {"sessionId": session}, **more}
        return self.send(data, *replies, uid=uid, claims=STUDENT)

    def rows(self, collection: str) -> list[dict[str, Any]]:
        return [each.to_dict() or {} for each in self.db.collection(collection).stream()]

    def facts(self) -> list[Any]:
        return list(self.db.collection_group("facts").stream())

    def effects_of_tools(self) -> int:
        summaries = sum(each["summary"] is not None for each in self.rows("sessions"))
        return len(self.rows("reviewItems") + self.rows("completions") + self.facts()) + summaries
