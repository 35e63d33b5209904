"""Lessons through the whole of `run_agent`: the teacher's configuration holds, whatever a model
tries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.firestore import Client

from packs.tutoring import briefing
from packs.tutoring.catalogue import PRESETS
from rollcall.core.context import Call, User
from rollcall.core.shapes import Role
from rollcall.endpoints.my_data import delete_my_data
from rollcall.testing import calls, says
from tests.support.catalogs import catalog
from tests.support.indexes import indexed_times, stored_times
from tests.support.packs.education.classroom import add_course
from tests.support.packs.tutoring.lessons import ERROR, EVERY, STUDENT, Lessons, code


@pytest.fixture
def lessons(db: Client, monkeypatch: pytest.MonkeyPatch) -> Lessons:
    return Lessons(db, monkeypatch)


def test_a_lesson_runs_from_its_start_to_its_summary(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson(lessonLocale="he"))
    first = lessons.say(session, calls(("mark_for_review", ERROR)), says("Say: I went."))
    thread = first.thread
    assert first.statuses() == ["done"]
    assert "Talk about ordering food." in lessons.model.requests[0].instructions
    two = [("mark_task_complete", {"taskId": f"task-{n}", "evidence": "ok"}) for n in (1, 2)]
    assert lessons.say(session, calls(*two), threadId=thread).statuses() == ["done", "done"]
    summary = calls(("show_session_summary", EVERY["show_session_summary"]))
    last = lessons.say(session, summary, threadId=thread)
    assert last.statuses() == ["done"]
    assert last.done["toolCalls"][0]["display"]["title"] == "סיכום: \u2068Ordering food\u2069"
    report = lessons.use("lesson_report", "ada", missionId=lessons.rows("sessions")[0]["missionId"])
    [one] = report["sessions"]
    assert one["tasksDone"] == ["task-1", "task-2"] and one["itemsByType"] == {"grammar": 1}
    assert one["hasSummary"] and "Zipora" not in str(report)
    whole = lessons.use("session_report", "ada", sessionId=session)
    assert [(each["id"], each["evidence"]) for each in whole["tasks"]] == [
        ("task-1", "ok"),
        ("task-2", "ok"),
    ]
    [item] = whole["items"]
    assert (item["original"], item["source"], whole["itemsByType"]) == (
        "I goed",
        "text",
        {"grammar": 1},
    )
    assert whole["summary"]["strengths"] == ["words"] and whole["student"] == "math4-1"
    for uid in ("ben", "math4-1"):
        assert code(lessons.use("session_report", uid, sessionId=session)) in (
            "not-found",
            "permission-denied",
        )
    assert lessons.use("end_session", "math4-1", sessionId=session)["tasksDone"] == [
        "task-1",
        "task-2",
    ]


@pytest.mark.parametrize(
    ("hello", "nobody", "tasks"),
    [
        ("Hello!", "so nobody tutors in the lesson \u2068Ordering food\u2069", "Its tasks:"),
        ("שלום!", "ולכן אף אחד לא מלמד בשיעור \u2068Ordering food\u2069", "המשימות בו:"),
    ],
)
def test_without_a_model_the_first_answer_says_that_nobody_tutors(
    lessons: Lessons, hello: str, nobody: str, tasks: str
) -> None:
    lessons.declare(models=("offline:planner",))
    session = lessons.start(lessons.lesson())
    first = lessons.say(session, message=hello)
    notice, listed = first.done["message"].split("\n\n")[:2]
    assert nobody in notice
    assert listed.replace("\u2068", "").replace("\u2069", "") == (
        f"{tasks}\n- task-1: Order soup\n- task-2: Ask for the bill"
    )
    again = lessons.say(session, message=hello, threadId=first.thread)
    assert again.done["message"] and nobody not in again.done["message"]
    none = lessons.send({"agent": "tutor", "message": hello}, uid="math4-1", claims=STUDENT)
    assert none.done["message"].startswith(("No lesson is open.", "אין שיעור פתוח."))
    other = lessons.start(lessons.lesson(tasks=[]), uid="math4-2")
    plain = lessons.say(other, message=hello, uid="math4-2").done["message"]
    assert nobody in plain and tasks not in plain


def test_without_a_model_a_first_question_and_a_retry_say_so_too(lessons: Lessons) -> None:
    lessons.declare(models=("offline:planner",))
    session = lessons.start(lessons.lesson())
    first = lessons.say(session, message="Mark an error")
    assert first.done["type"] == "question" and "nobody tutors" in first.done["message"]
    retry = {"agent": "tutor", "threadId": first.thread, "retry": first.done["turnId"]}
    again = lessons.send(
        {**retry, "context": {"sessionId": session}}, uid="math4-1", claims=STUDENT
    )
    assert again.done["message"] == first.done["message"]


@pytest.mark.parametrize("done", ["I finished task 2", "סיימתי את task-2"])
def test_without_a_model_a_task_is_marked_when_its_student_says_so(
    lessons: Lessons, done: str
) -> None:
    lessons.declare(models=("offline:planner",))
    session = lessons.start(lessons.lesson())
    asked = lessons.say(session, message=done)
    assert asked.done["type"] == "question" and asked.done["collectedData"] == {"taskId": "task-2"}
    ran = lessons.say(session, message='"The bill, please."', threadId=asked.thread)
    assert ran.statuses() == ["done"]
    [row] = lessons.rows("completions")
    assert (row["taskId"], row["evidence"]) == ("task-2", "The bill, please.")


def test_a_model_says_nothing_of_it(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    ran = lessons.say(session, says("Good evening!"))
    assert ran.done["message"] == "Good evening!"
    assert "nobody tutors" not in lessons.model.requests[0].instructions


def test_times_of_a_session_have_no_index_of_their_own(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    facts = calls(("mark_for_review", ERROR), ("update_user_profile", EVERY["update_user_profile"]))
    assert lessons.say(session, facts).statuses() == ["done", "done"]
    lessons.use("end_session", "math4-1", sessionId=session)
    own = {"sessions", "reviewItems", "facts"}
    assert own <= {group for group, _ in stored_times(lessons.db)}
    assert {each for each in indexed_times(lessons.db) if each[0] in own} == set()


def test_what_was_not_chosen_has_no_effect(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson(preset="no_tracking"))
    ran = lessons.say(session, calls(*EVERY.items(), ("configure_lesson", {"title": "x"})))
    assert set(ran.statuses()) == {"refused"} and lessons.effects_of_tools() == 0
    assert [tool.name for tool in lessons.model.requests[0].tools] == ["ask_user"]


def test_too_early_is_refused_with_what_it_waits_for(lessons: Lessons) -> None:
    late = {"type": "turn_count", "minTurns": 3}
    tool = {"toolId": "mark_for_review", "enabled": True, "triggerCondition": late}
    session = lessons.start(lessons.lesson(toolConfiguration={"tools": [tool]}))
    marks, thread, prompts = calls(("mark_for_review", ERROR)), None, set[str]()
    for turn, expected in ((1, "failed"), (2, "failed"), (3, "done")):
        more = {"threadId": thread} if thread else {}
        ran = lessons.say(session, marks, message="this is turn 99, I said goodbye", **more)
        thread = ran.thread
        assert ran.statuses() == [expected], turn
        if expected == "failed":
            assert f"this is turn {turn}" in ran.done["toolCalls"][0]["error"]["message"]
            assert lessons.effects_of_tools() == 0
        prompts |= {request.instructions for request in lessons.model.requests}
    assert len(prompts) == 1  # the same bytes through the session


def test_the_same_error_twice_is_one_item_with_a_count(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    first = lessons.say(session, calls(("mark_for_review", ERROR)))
    again = {**ERROR, "original": " i GOED!", "severity": 9}
    lessons.say(session, calls(("mark_for_review", again)), threadId=first.thread)
    [item] = lessons.rows("reviewItems")
    assert (item["count"], item["original"], item["uid"]) == (2, "I goed", "math4-1")


def test_a_task_is_done_once_and_only_of_the_lesson(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    task = {"taskId": "task-1", "evidence": "yes"}
    first = lessons.say(session, calls(("mark_task_complete", task)))
    more = calls(
        ("mark_task_complete", {**task, "evidence": "again"}),
        ("mark_task_complete", {**task, "taskId": "task-9"}),
    )
    again = lessons.say(session, more, threadId=first.thread)
    assert again.done["toolCalls"][0]["result"]["repeated"]
    assert again.done["toolCalls"][1]["error"]["hint"] == "it has: task-1, task-2"
    assert len(lessons.rows("completions")) == 1


def test_a_change_of_the_lesson_changes_nothing_in_a_session(lessons: Lessons) -> None:
    mission = lessons.lesson()
    session = lessons.start(mission)
    lessons.use("configure_lesson", "ada", missionId=mission, preset="no_tracking")
    assert lessons.say(session, calls(("mark_for_review", ERROR))).statuses() == ["done"]
    again = lessons.use("start_session", "math4-1", missionId=mission)
    assert again["continued"] and again["sessionId"] == session
    other = lessons.use("start_session", "math4-2", missionId=mission)
    assert other["tools"] == [] and not other["continued"]


def test_nobody_else_has_the_session_and_no_thread_but_its_own(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    lessons.say(session, calls(("mark_for_review", ERROR)))
    assert lessons.say(session, uid="math4-2").code == "not-found"
    assert lessons.say("x" * 32).code == "not-found"
    for id in ("../sessions/x", "..", "__x__", "x" * 65, "", 5):
        assert lessons.say(id).code == "invalid-argument", id
    second = lessons.say(session, calls(("mark_for_review", ERROR)))
    assert second.code == "failed-precondition" and "another thread" in str(second.error)
    thread = lessons.rows("sessions")[0]["threadId"]
    lessons.db.document(f"threads/{thread}").delete()  # its student deleted it
    assert lessons.say(session, says("Hello again.")).done
    assert lessons.rows("sessions")[0]["threadId"] != thread
    none = lessons.send({"agent": "tutor", "message": "Hi"}, uid="math4-1", claims=STUDENT)
    assert "No lesson is open" in lessons.model.requests[-1].instructions and none.done
    for name, arguments in EVERY.items():  # a client by itself is no tutor
        answer = lessons.own.post(
            name,
            {"arguments": arguments, "context": {"sessionId": session}},
            uid="math4-1",
            claims=STUDENT,
        ).get_json()
        assert answer["error"]["details"]["code"] == "failed-precondition", name
    assert lessons.effects_of_tools() == 1


def test_an_ended_session_takes_nothing_more(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    assert code(lessons.use("end_session", "math4-2", sessionId=session)) == "not-found"
    lessons.use("end_session", "math4-1", sessionId=session)
    assert lessons.say(session).code == "failed-precondition"
    other = lessons.start(lessons.lesson())
    past = datetime.now(UTC) - timedelta(minutes=6)
    lessons.db.document(f"sessions/{other}").update({"endsAt": past})
    assert lessons.say(other, calls(("mark_for_review", ERROR))).code == "failed-precondition"
    assert lessons.effects_of_tools() == 0


def test_only_the_course_starts_a_lesson_and_only_its_teacher_reads_of_it(lessons: Lessons) -> None:
    mission = lessons.lesson()
    for uid in ("stranger", "ben"):
        assert code(lessons.use("start_session", uid, missionId=mission)) == "not-found"
    assert code(lessons.use("lesson_report", "ben", missionId=mission)) == "not-found"
    changed = lessons.use("configure_lesson", "ben", missionId=mission, title="Mine")
    assert changed["details"]["code"] == "not-found"
    listed = lessons.use("list_lessons", "math4-1", courseId="math4")["lessons"]
    assert [each["title"] for each in listed] == ["Ordering food"]
    assert "Talk about" not in str(listed)


def test_a_student_of_several_courses_lists_the_lessons_of_all(lessons: Lessons) -> None:
    add_course(lessons.db, "art4", ["ben"], name="Art")
    student = {"uid": "math4-1", "name": "Zipora1 Levi", "schemaVersion": 1}
    lessons.db.document("courses/art4/students/math4-1").set(student)
    lessons.lesson()
    drawing = {"title": "Drawing", "conversationPrompt": "Draw.", "courseId": "art4"}
    lessons.use("configure_lesson", "ben", **drawing)
    listed = lessons.use("list_lessons", "math4-1")["lessons"]
    assert [(each["course"], each["title"]) for each in listed] == [
        ("Art", "Drawing"),
        ("Course math4", "Ordering food"),
    ]
    assert lessons.use("list_lessons", "stranger")["lessons"] == []


def test_a_course_offers_the_lessons_of_who_teaches_it_now(lessons: Lessons) -> None:
    mission = lessons.lesson()
    going_on = lessons.start(mission)
    lessons.db.document("courses/math4").update({"teacherIds": ["ben"]})
    assert lessons.use("list_lessons", "math4-2", courseId="math4")["lessons"] == []
    assert code(lessons.use("start_session", "math4-2", missionId=mission)) == "not-found"
    assert lessons.say(going_on, calls(("mark_for_review", ERROR))).statuses() == ["done"]
    assert lessons.use("get_lesson", "ada", missionId=mission)["title"] == "Ordering food"
    lessons.db.document("courses/math4").update({"teacherIds": ["ben", "ada"]})
    assert lessons.start(mission, "math4-2")


def test_a_teacher_gets_a_lesson_whole_as_it_is_configured(lessons: Lessons) -> None:
    mission = lessons.lesson(level="B1", durationMinutes=30)
    found = lessons.use("get_lesson", "ada", missionId=mission)
    assert (found["level"], found["durationMinutes"], found["courseId"]) == ("B1", 30, "math4")
    again = {name: value for name, value in found.items() if name != "toolConfiguration"}
    same = {**again, "toolConfiguration": found["toolConfiguration"]}
    saved = lessons.use("configure_lesson", "ada", **same)
    assert saved["changes"] == []
    stored = lessons.db.document(f"missions/{mission}").get()
    assert datetime.fromisoformat(saved["updatedAt"]) == stored.get("updatedAt")
    assert lessons.use("get_lesson", "ada", missionId=mission) == found
    assert code(lessons.use("get_lesson", "ben", missionId=mission)) == "not-found"


def test_a_lesson_has_a_title_of_one_line(lessons: Lessons) -> None:
    for title in ("", " ", "\n\t"):
        refused = lessons.use("configure_lesson", "ada", title=title)
        assert refused["details"]["field"] == "arguments.title"
    saved = lessons.use("configure_lesson", "ada", title="  At the\ncafé ")
    assert saved["title"] == "At the café"


def test_a_lesson_that_no_turn_would_take_is_not_saved(lessons: Lessons) -> None:
    words = [f"{n:060}" for n in range(20)]
    tools = [
        {
            "toolId": tool,
            "enabled": True,
            "triggerCondition": {"type": "keyword", "keywords": words},
            "customInstructions": "x" * 500,
        }
        for tool in {*PRESETS["review_lesson"], *PRESETS["standard_lesson"]}
        if tool != "show_session_summary"
    ]
    lesson = {
        "conversationPrompt": "x" * 10_000,
        "tasks": [{"text": f"{n:0200}"} for n in range(20)],
        "toolConfiguration": {"tools": tools, "globalInstructions": "x" * 2_000},
    }
    refused = lessons.use("configure_lesson", "ada", title="Long", **lesson)
    assert refused["details"]["field"] == "conversationPrompt"
    assert refused["details"]["hint"] == "at most 24,000 together"
    assert lessons.rows("missions") == []


def test_an_old_lesson_is_got_with_its_tools(lessons: Lessons) -> None:
    old = {"teacherUid": "ada", "title": "Old", "functionCallingInstructions": "Be slow."}
    lessons.db.document("missions/old").set(old)
    found = lessons.use("get_lesson", "ada", missionId="old")["toolConfiguration"]
    assert len(found["tools"]) == 4 and found["globalInstructions"] == "Be slow."
    lessons.db.document("missions/old").update({"functionCallingEnabled": False})
    found = lessons.use("get_lesson", "ada", missionId="old")["toolConfiguration"]
    assert found["tools"] == []


def test_an_item_is_mastered_when_the_students_own_reviews_show_it(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson(preset="review_lesson", lessonType="review"))
    thread = lessons.say(session, calls(("mark_for_review", ERROR))).thread
    [item] = lessons.use("list_review_items", "math4-1")["items"]
    id = item["itemId"]
    early = lessons.say(session, calls(("mark_item_mastered", {"itemId": id})), threadId=thread)
    assert "0 good reviews" in early.done["toolCalls"][0]["error"]["message"]
    assert code(lessons.use("review_item", "math4-2", itemId=id, rating="easy")) == ("not-found")
    lessons.use("review_item", "math4-1", itemId=id, rating="easy")
    card = lessons.db.document(f"reviewItems/{id}")
    past = (datetime.now(UTC) - timedelta(days=40)).isoformat()
    card.update({"card.last_review": past, "card.due": past})
    found = lessons.use("review_item", "math4-1", itemId=id, rating="easy")
    assert found["item"]["goodReviews"] == 2 and found["item"]["stabilityDays"] > 21
    ok = lessons.say(session, calls(("mark_item_mastered", {"itemId": id})), threadId=thread)
    assert ok.statuses() == ["done"] and card.get().get("mastered")


def test_a_tutor_is_told_what_its_tools_need_of_the_student(lessons: Lessons) -> None:
    """Items with their ids, so that a review lesson can name them; facts, in later lessons."""
    first = lessons.start(lessons.lesson())
    told = [("mark_for_review", ERROR), ("update_user_profile", EVERY["update_user_profile"])]
    lessons.say(first, calls(*told))
    [item] = lessons.db.collection("reviewItems").stream()
    lessons.say(lessons.start(lessons.lesson(preset="review_lesson")))
    prompt = lessons.model.requests[-1].instructions
    assert item.id in prompt and "I goed" in prompt and "keeps two rabbits" not in prompt
    lessons.say(lessons.start(lessons.lesson()))
    prompt = lessons.model.requests[-1].instructions
    assert item.id not in prompt and "keeps two rabbits" in prompt
    lessons.say(lessons.start(lessons.lesson(preset="no_tracking")))
    assert "keeps two rabbits" not in lessons.model.requests[-1].instructions


def test_a_tutor_is_told_nothing_of_another_teachers_lessons(lessons: Lessons) -> None:
    """Ben's lesson could ask the tutor to write down, for him, what it knows of the student."""
    first = lessons.start(lessons.lesson())
    told = [("mark_for_review", ERROR), ("update_user_profile", EVERY["update_user_profile"])]
    lessons.say(first, calls(*told))
    lessons.db.document("courses/math4").update({"teacherIds": ["ada", "ben"]})
    both = [{"toolId": tool, "enabled": True, "triggerCondition": {"type": "always"}}
            for tool in ("mark_item_mastered", "update_user_profile")]  # fmt: skip
    for teacher, is_told in (("ben", False), ("ada", True)):
        given = {"title": "Other", "courseId": "math4", "toolConfiguration": {"tools": both}}
        mission = lessons.use("configure_lesson", teacher, **given)["missionId"]
        lessons.say(lessons.start(mission))
        prompt = lessons.model.requests[-1].instructions
        assert ("I goed" in prompt, "keeps two rabbits" in prompt) == (is_told, is_told)
    fact = calls(("update_user_profile", EVERY["update_user_profile"]))
    mission = lessons.use("configure_lesson", "ben", title="Third", courseId="math4")["missionId"]
    lessons.say(lessons.start(mission), fact)
    assert sorted(each.get("teacherUid") for each in lessons.facts()) == ["ada", "ben"]


def test_a_tutor_is_told_the_items_that_are_due_first(
    lessons: Lessons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(briefing, "MAX_ITEMS", 2)
    session = lessons.start(lessons.lesson(preset="review_lesson"))
    marks = [("mark_for_review", {**ERROR, "original": f"word{n}"}) for n in range(4)]
    thread = lessons.say(session, calls(*marks)).thread
    for item in lessons.db.collection("reviewItems").stream():
        number = int(item.get("original")[-1])
        item.reference.update({"createdAt": datetime.now(UTC) - timedelta(days=number)})
    lessons.say(session, threadId=thread)
    prompt = lessons.model.requests[-1].instructions
    place = prompt[prompt.index("What is stored") :]
    assert place.index("word3") < place.index("word2")
    assert "word1" not in place and "word0" not in place


def test_an_error_made_in_two_sessions_is_reported_in_both(lessons: Lessons) -> None:
    mission = lessons.lesson()
    first = lessons.start(mission)
    lessons.say(first, calls(("mark_for_review", ERROR)))
    lessons.use("end_session", "math4-1", sessionId=first)
    second = lessons.start(mission)
    assert second != first
    lessons.say(second, calls(("mark_for_review", ERROR)))
    report = lessons.use("lesson_report", "ada", missionId=mission)["sessions"]
    assert [(each["sessionId"], each["itemsByType"]) for each in report] == [
        (second, {"grammar": 1}),
        (first, {"grammar": 1}),
    ]
    assert lessons.use("session_report", "ada", sessionId=second)["items"][0]["count"] == 2


def test_a_session_that_nobody_ended_is_over_when_the_next_begins(lessons: Lessons) -> None:
    mission = lessons.lesson()
    first = lessons.start(mission)
    past = datetime.now(UTC) - timedelta(minutes=6)
    lessons.db.document(f"sessions/{first}").update({"endsAt": past})
    [one] = lessons.use("lesson_report", "ada", missionId=mission)["sessions"]
    assert one["status"] == "ended"
    assert lessons.start(mission) != first
    ended = lessons.db.document(f"sessions/{first}").get().to_dict() or {}
    assert (ended["status"], ended["endedAt"]) == ("ended", past)


def test_erasing_takes_what_is_the_students_and_the_teachers_name(lessons: Lessons) -> None:
    session = lessons.start(lessons.lesson())
    lessons.say(
        session,
        calls(("mark_for_review", ERROR), ("update_user_profile", EVERY["update_user_profile"])),
    )
    lessons.platform.catalog = catalog
    delete_my_data(lessons.platform, Call(User("ada", role=Role.TEACHER), {"confirm": True}))
    assert not lessons.rows("missions")
    assert {each["teacherUid"] for each in lessons.rows("sessions")} == {"erased"}
    assert {each.get("teacherUid") for each in lessons.facts()} == {"erased"}
    delete_my_data(lessons.platform, Call(User("math4-1"), {"confirm": True}))
    assert lessons.effects_of_tools() == 0 and not lessons.rows("sessions")
