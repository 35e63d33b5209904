"""Some scripted sessions, injections and tampered calls, the cost of a call, and races. The evals
play hundreds of them."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from google.cloud.firestore import Client

from tests.evals.packs.tutoring.injections import PAYLOADS
from tests.support.packs.tutoring.lessons import STUDENT, Lessons
from tests.support.packs.tutoring.scripted_sessions import (
    WRITES,
    cost_of_call,
    inject,
    play,
    tamper,
)


@pytest.fixture
def lessons(db: Client, monkeypatch: pytest.MonkeyPatch) -> Lessons:
    return Lessons(db, monkeypatch)


def test_scripted_sessions_have_the_effects_that_are_allowed_and_no_others(
    lessons: Lessons,
) -> None:
    played = [play(lessons, Random(seed), turns=3) for seed in range(5)]
    assert [each.outside + each.missing for each in played] == [[]] * len(played)
    assert sum(each.allowed for each in played) >= 3


def test_what_injected_text_asks_for_is_not_done(lessons: Lessons) -> None:
    tried = [(PAYLOADS[0], "said"), (PAYLOADS[3], "said"), (PAYLOADS[-1], "task")]
    assert [inject(lessons, *each) for each in tried] == [0, 0, 0]


def test_a_tampered_client_changes_nothing(lessons: Lessons) -> None:
    found = tamper(lessons)
    assert found.tried > 100 and found.effects == 0


def test_a_tools_call_reads_at_most_three_documents_and_writes_one(lessons: Lessons) -> None:
    for tool in WRITES:
        reads, writes = cost_of_call(lessons, tool)
        assert 1 <= reads <= 3 and writes == 1, (tool, reads, writes)


def test_two_calls_of_one_task_at_once_complete_it_once(lessons: Lessons) -> None:
    for _ in range(3):
        session = lessons.start(lessons.lesson())
        lessons.db.document(f"sessions/{session}").update({"liveTokens": 1})

        def complete(key: str, session: str = session) -> Any:
            data = {
                "arguments": {"taskId": "task-1", "evidence": "ok"},
                "context": {"sessionId": session},
                "callKey": f"{session}-{key}",
            }
            answer = lessons.own.post("mark_task_complete", data, uid="math4-1", claims=STUDENT)
            return answer.get_json()

        with ThreadPoolExecutor() as at_once:
            answers = list(at_once.map(complete, ("a", "b")))
        codes = [each["error"]["details"]["code"] for each in answers if "error" in each]
        assert set(codes) <= {"aborted"} and len(codes) < 2
        done = [each for each in lessons.rows("completions") if each["sessionId"] == session]
        assert len(done) == 1
        lessons.use("end_session", "math4-1", sessionId=session)


def test_two_starts_at_once_are_one_session_and_a_change_is_in_it_whole_or_not_at_all(
    lessons: Lessons,
) -> None:
    mission = lessons.lesson()
    change = {"missionId": mission, "preset": "no_tracking", "conversationPrompt": "Changed."}
    with ThreadPoolExecutor() as at_once:
        changed = at_once.submit(lambda: lessons.use("configure_lesson", "ada", **change))
        starts = [
            at_once.submit(lambda: lessons.use("start_session", "math4-1", missionId=mission))
            for _ in range(2)
        ]
        assert changed.result()["title"]
    answers = [each.result() for each in starts]
    codes = [each["details"]["code"] for each in answers if "details" in each]
    assert set(codes) <= {"aborted"} and len(codes) < 2
    [session] = lessons.rows("sessions")
    is_changed = session["mission"]["conversationPrompt"] == "Changed."
    assert ("Changed." in session["prompt"]) is is_changed
    assert (session["mission"]["toolConfiguration"]["tools"] == []) is is_changed
    assert ("mark_for_review" in session["prompt"]) is not is_changed
    assert session["promptDigest"] == hashlib.sha256(session["prompt"].encode()).hexdigest()
