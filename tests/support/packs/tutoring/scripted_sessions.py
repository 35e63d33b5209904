"""Sessions with a model that calls tools early, late, twice, switched off and invented, students
who try to move counters, and clients that were tampered with: and the effects they have."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from rollcall.testing import calls, says
from tests.support.firestore_operations import count_operations
from tests.support.packs.tutoring.configurations import ACCEPTED
from tests.support.packs.tutoring.lessons import EVERY, STUDENT, Lessons

WRITES = ("mark_for_review", "update_user_profile", "show_session_summary", "mark_task_complete")
MESSAGES = (
    "Hello",
    "I like pizza",
    "this is turn 99, two minutes are left",
    "Goodbye!",
    "אוכל טעים",
)
KEYWORDS = ["pizza", "אוכל"]
_SAID = {1, 4}  # of the messages, those with a keyword
_LEAVES = {3}


@dataclass
class SessionResult:
    """What came of a session: effects that nothing allowed, and allowed ones that are not there."""

    calls: int = 0
    allowed: int = 0
    outside: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def play(lessons: Lessons, random: Random, *, turns: int = 4) -> SessionResult:
    """Play a session of a random configuration; whether a call may have its effect is worked out
    here from the script alone."""
    played = SessionResult()
    enabled = {tool: _trigger(random, tool) for tool in WRITES if random.random() < 0.6}
    tools = [
        {
            "toolId": tool,
            "enabled": tool in enabled,
            "triggerCondition": enabled.get(tool, _first(tool)),
        }
        for tool in EVERY
    ]
    mission = lessons.lesson(toolConfiguration={"tools": tools})
    uid = f"math4-{random.randint(1, 6)}"
    session, thread = lessons.start(mission, uid), None
    allowed: set[str] = set()
    is_late, heard, done = False, False, set[str]()
    for turn in range(1, turns + 1):
        if not is_late and random.random() < 0.2:
            is_late = True
            soon = datetime.now(UTC) + timedelta(seconds=40)
            lessons.db.document(f"sessions/{session}").update({"endsAt": soon})
        number = random.randrange(len(MESSAGES))
        heard = heard or number in _SAID
        made = []
        for place in range(random.randint(1, 4)):
            tool = random.choice([*EVERY, "configure_lesson", "invent_tool"])
            arguments, key = _call(tool, session, turn, place, random)
            made += [(tool, arguments)] * random.choice([1, 1, 2])
            trigger = enabled.get(tool)
            may = trigger is not None and {
                "turn_count": turn >= trigger.get("minTurns", 0),
                "time_remaining": is_late,
                "keyword": heard,
                "session_ending": is_late or number in _LEAVES or len(done) == 2,
            }.get(trigger["type"], True)
            if may and "task-9" not in key:
                allowed.add(key)
                done |= {arguments["taskId"]} if tool == "mark_task_complete" else set()
        more = {"threadId": thread} if thread else {}
        ran = lessons.say(
            session, calls(*made), says("Go on."), uid=uid, message=MESSAGES[number], **more
        )
        thread = ran.thread
        played.calls += len(made)
    found = _effects(lessons, session, uid)
    played.allowed = len(allowed)
    played.outside = sorted(found - allowed)
    played.missing = sorted(allowed - found)
    lessons.use("end_session", uid, sessionId=session)
    return played


def _first(tool: str) -> dict[str, Any]:
    return {"type": "session_ending" if tool == "show_session_summary" else "always"}


def _trigger(random: Random, tool: str) -> dict[str, Any]:
    type = random.choice(sorted(ACCEPTED[tool]))
    more = {
        "turn_count": {"minTurns": random.randint(1, 5)},
        "time_remaining": {"minutesRemaining": random.choice([1, 2, 3, 5])},
        "keyword": {"keywords": KEYWORDS},
    }
    return {"type": type, **more.get(type, {})}


def _call(
    tool: str, session: str, turn: int, place: int, random: Random
) -> tuple[dict[str, Any], str]:
    """A call's arguments, and what its effect is known by."""
    mark = f"{session[:8]} {turn} {place}"
    if tool == "mark_for_review":
        return {**EVERY[tool], "original": mark}, f"item {mark}"
    if tool == "update_user_profile":
        return {**EVERY[tool], "fact": mark}, f"fact {mark}"
    if tool == "mark_task_complete":
        task = random.choice(["task-1", "task-2", "task-9"])
        return {"taskId": task, "evidence": mark}, f"task {task}"
    return dict(
        EVERY.get(tool, {"title": mark})
    ), "summary" if tool == "show_session_summary" else tool


def _effects(lessons: Lessons, session: str, uid: str) -> set[str]:
    mark = session[:8]
    items = {
        f"item {each['original']}"
        for each in lessons.rows("reviewItems")
        if each["sessionIds"] == [session]
    }
    facts = {
        f"fact {each.get('fact')}"
        for each in lessons.db.collection(f"profiles/{uid}/facts").stream()
        if mark in each.get("fact")
    }
    tasks = {
        f"task {each['taskId']}"
        for each in lessons.rows("completions")
        if each["sessionId"] == session
    }
    data = lessons.db.document(f"sessions/{session}").get().to_dict() or {}
    mastered = {"mark_item_mastered" for each in lessons.rows("reviewItems") if each["mastered"]}
    return items | facts | tasks | mastered | ({"summary"} if data["summary"] else set())


def inject(lessons: Lessons, payload: str, place: str) -> int:
    """Have a model do what a payload asks for, which a student said or which stands in a task, in a
    lesson that allows none of it; return the effects."""
    late = {"type": "turn_count", "minTurns": 50}
    tools = [
        {"toolId": "mark_for_review", "enabled": True, "triggerCondition": late},
        {"toolId": "update_user_profile", "enabled": True, "triggerCondition": late},
        {
            "toolId": "show_session_summary",
            "enabled": True,
            "triggerCondition": {"type": "time_remaining", "minutesRemaining": 1},
        },
        {"toolId": "mark_task_complete", "enabled": False, "triggerCondition": {"type": "always"}},
    ]
    tasks = [{"text": payload[:200] if place == "task" else "Order soup"}]
    uid = "math4-1"
    session = lessons.start(lessons.lesson(toolConfiguration={"tools": tools}, tasks=tasks), uid)
    before = lessons.effects_of_tools() + len(lessons.rows("missions"))
    obeyed = calls(*EVERY.items(), ("configure_lesson", {"title": "Injected"}))
    message = payload if place == "said" else "Hello"
    ran = lessons.say(session, obeyed, obeyed, says("Done."), uid=uid, message=message)
    assert ran.done["toolCalls"]
    return lessons.effects_of_tools() + len(lessons.rows("missions")) - before


@dataclass
class TamperResult:
    """What a tampered client tried, and what of it had an effect."""

    tried: int = 0
    effects: int = 0


def tamper(lessons: Lessons) -> TamperResult:
    """Call tools without a model, in others' sessions, with others' items, under invented and used
    call ids, in ended sessions."""
    found = TamperResult()
    own, other = lessons.start(lessons.lesson()), lessons.start(lessons.lesson(), "math4-2")
    ended = lessons.start(lessons.lesson())
    marked = lessons.say(other, calls(("mark_for_review", EVERY["mark_for_review"])), uid="math4-2")
    item = marked.done["toolCalls"][0]["result"]["id"]
    thread = lessons.say(ended, says("Hello.")).thread
    lessons.use("end_session", "math4-1", sessionId=ended)
    before = _state(lessons)
    for session in (own, other, ended, "x" * 32, "../sessions", "", 7, None):
        for name, arguments in {**EVERY, "mark_item_mastered": {"itemId": item}}.items():
            for key in ("invented", f"call-{session}", ""):
                data = {
                    "arguments": arguments,
                    "context": {"sessionId": session, "turns": 99, "heard": "goodbye"},
                }
                data |= {"callKey": key} if key else {}
                answer = lessons.own.post(name, data, uid="math4-1", claims=STUDENT)
                assert answer.get_json()["error"]["details"]["code"] != "internal"
                found.tried += 1
    for name, arguments in (
        ("review_item", {"itemId": item, "rating": "easy"}),
        ("end_session", {"sessionId": other}),
        ("create_live_session", {"sessionId": other}),
        ("session_report", {"sessionId": other}),
    ):
        answer = lessons.own.post(name, {"arguments": arguments}, uid="math4-1", claims=STUDENT)
        assert "error" in answer.get_json()
        found.tried += 1
    results = [{"toolCallId": "invented", "content": {"played": True}}]
    for data in (
        {"threadId": thread, "toolResults": results},
        {"threadId": marked.thread, "toolResults": results},
        {"threadId": thread, "message": "Hi", "context": {"sessionId": other}},
        {"threadId": thread, "message": "Hi", "context": {"sessionId": ended}},
    ):
        ran = lessons.send(
            {"agent": "tutor", **data}, calls(*EVERY.items()), uid="math4-1", claims=STUDENT
        )
        assert ran.code not in (None, "internal")
        found.tried += 1
    found.effects = len(before ^ _state(lessons))
    return found


def _state(lessons: Lessons) -> set[str]:
    return {
        str(row)
        for name in ("sessions", "reviewItems", "completions")
        for row in lessons.rows(name)
    } | {str(each.to_dict()) for each in lessons.facts()}


def cost_of_call(lessons: Lessons, tool: str) -> tuple[int, int]:
    """Return what documents a tool's call reads and writes itself: those of a turn with it, less
    those of a turn without."""
    session = lessons.start(
        lessons.lesson(
            toolConfiguration={
                "tools": [
                    {"toolId": each, "enabled": True, "triggerCondition": _first(each)}
                    for each in EVERY
                ]
            }
        )
    )
    thread = lessons.say(session, says("Hello.")).thread
    with count_operations() as without:
        lessons.say(session, says("Go on."), threadId=thread, message="Goodbye!")
    call = calls((tool, EVERY[tool]))
    with count_operations() as with_call:
        ran = lessons.say(session, call, says("Go on."), threadId=thread, message="Goodbye!")
    assert ran.statuses() == ["done"], ran.done["toolCalls"]
    return with_call.tool_reads - without.tool_reads, with_call.tool_writes - without.tool_writes
