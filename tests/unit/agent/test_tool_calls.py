"""Tool calls that fail on their own: no end, no answer, too much output."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.agent import tool_calls
from rollcall.agent.dispatch import CallOutput
from rollcall.agent.loop import run
from rollcall.agent.reply import REPLY_CHARS
from rollcall.agent.tool_calls import StepCalls
from rollcall.agent.turn import Turn
from rollcall.core import logs
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.core.events import PROGRESS_CHARS, Event
from rollcall.core.logs import log_fields
from rollcall.core.messages import ModelMessage, ToolResult
from rollcall.core.texts import TEXTS
from rollcall.core.wire import CallStatus, StopReason
from rollcall.models.base import ToolSpec
from rollcall.store.message_log import CALL_BYTES, TurnUsage
from rollcall.testing import ScriptedModel, calls, says
from tests.support.scripted_turn import MemoryJournal, ToolTable, turn
from tests.unit.agent.test_loop import play, play_past_deadline


def activity_events(events: list[Event]) -> list[Event]:
    return [event for event in events if event["type"] == "ACTIVITY_SNAPSHOT"]


def test_a_tool_that_ends_its_thread_does_not_keep_the_step_waiting() -> None:
    def leaving(progress: Any) -> str:
        raise SystemExit(3)

    began = time.monotonic()
    _, ended = play(turn(ScriptedModel([calls(("a", {})), says("Ok.")]), {"a": leaving}))
    assert (ended.calls[0].status, ended.answer.text) == (CallStatus.FAILED, "Ok.")
    assert time.monotonic() - began < 30


def test_of_a_write_that_ends_its_thread_nobody_knows_whether_it_happened() -> None:
    def leaving(progress: Any) -> str:
        raise SystemExit(3)

    tools = {"a": leaving}
    dispatch = ToolTable(tools, writing=frozenset({"a"}))
    model = ScriptedModel([calls(("a", {})), says("Ok.")])
    _, ended = play(turn(model, tools, dispatch=dispatch))
    assert ended.calls[0].status is CallStatus.UNKNOWN


def test_a_tool_that_tells_on_and_on_how_far_it_is_ends_with_the_turns_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tool_calls, "FREE_REPORTS", 10**9)
    begins, is_over = threading.Event(), threading.Event()

    def talking(progress: Any) -> str:
        begins.set()
        while not is_over.is_set():
            progress("still at it")
        return "x"

    def work(deadline: float) -> Turn:
        return turn(ScriptedModel([calls(("a", {}))]), {"a": talking}, deadline=deadline)

    ended = play_past_deadline(begins, work)  # or never
    is_over.set()
    assert (ended.calls[0].status, ended.stop_reason) == (CallStatus.FAILED, StopReason.DEADLINE)


def test_a_tool_that_says_too_much_is_heard_now_and_then() -> None:
    def talking(progress: Any) -> str:
        for _ in range(tool_calls.FREE_REPORTS * 3):
            progress("x" * 2 * PROGRESS_CHARS)
        return "x"

    events, ended = play(turn(ScriptedModel([calls(("a", {})), says("Ok.")]), {"a": talking}))
    assert ended.answer.text == "Ok."
    assert tool_calls.FREE_REPORTS <= len(activity_events(events)) < tool_calls.FREE_REPORTS + 5
    assert {len(event["content"]["text"]) for event in activity_events(events)} == {PROGRESS_CHARS}


class Leaving:
    """A journal that cannot be written any more."""

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        """The reply is saved."""

    def save_results(self, results: Mapping[int, tuple[ToolResult, dict[str, Any]]]) -> None:
        raise Unavailable("the database did not take it")


def test_who_leaves_while_a_write_ends_that_cannot_be_saved_leaves_all_the_same() -> None:
    has_begun, may_end = threading.Event(), threading.Event()
    tools = {"a": lambda progress: has_begun.set() or may_end.wait(60)}
    dispatch = ToolTable(tools, writing=frozenset({"a"}))
    model = ScriptedModel([calls(("a", {})), says("Ok.")])
    steps = run(turn(model, tools, dispatch=dispatch, journal=Leaving()))
    while next(steps) is not None or not has_begun.is_set():
        pass
    may_end.set()
    steps.close()


def test_a_reply_that_calls_without_end_is_cut_off() -> None:
    number = 3 * REPLY_CHARS // CALL_BYTES
    endless = calls(*((f"a{n}", {}) for n in range(number)))
    _, ended = play(turn(ScriptedModel([endless, says("Ok.")]), {}))
    assert ended.answer.text == "Ok."
    assert 16 < len(ended.calls) <= REPLY_CHARS // CALL_BYTES


def test_a_tools_answer_may_bring_tools_that_the_next_reply_can_call() -> None:
    found = ToolSpec("b", "The other.", {"type": "object", "properties": {}})
    tools = {
        "a": lambda progress: CallOutput("b is there", offers=(found, found)),
        "b": lambda progress: 2,
    }
    model = ScriptedModel([calls(("a", {})), calls(("b", {})), says("Two.")])
    work = turn(model, tools)
    offered = tuple(tool for tool in work.request.tools if tool.name == "a")
    work = replace(work, request=replace(work.request, tools=offered))
    _, ended = play(work)
    assert [record.status for record in ended.calls] == [CallStatus.DONE, CallStatus.DONE]
    assert [[tool.name for tool in request.tools] for request in model.requests] == [
        ["a"],
        ["a", "b"],
        ["a", "b"],
    ]


def test_a_tool_that_is_called_in_the_step_that_finds_it_is_refused() -> None:
    found = ToolSpec("b", "The other.", {"type": "object", "properties": {}})
    tools = {
        "a": lambda progress: CallOutput("b is there", offers=(found,)),
        "b": lambda progress: 2,
    }
    work = turn(ScriptedModel([calls(("a", {}), ("b", {})), says("Two.")]), tools)
    offered = tuple(tool for tool in work.request.tools if tool.name == "a")
    work = replace(work, request=replace(work.request, tools=offered))
    _, ended = play(work)
    assert [record.status for record in ended.calls] == [CallStatus.DONE, CallStatus.REFUSED]


def test_a_call_that_was_never_begun_is_not_blamed_for_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tool_calls, "PARALLEL", 1)
    begins, is_over = threading.Event(), threading.Event()
    slow_and_quick = {
        "slow": lambda progress: begins.set() or is_over.wait(60),
        "quick": lambda progress: 1,
    }

    def work(deadline: float) -> Turn:
        model = ScriptedModel([calls(("slow", {}), ("quick", {}))])
        return turn(model, slow_and_quick, deadline=deadline)

    ended = play_past_deadline(begins, work)
    is_over.set()
    slow, quick = ended.calls
    assert (slow.status, quick.status) == (CallStatus.FAILED, CallStatus.FAILED)
    assert slow.ms > 0
    assert (quick.ms, "no time left to begin" in str(quick.error)) == (0, True)


def test_an_async_capability_is_a_tool_of_the_loop_and_knows_its_call() -> None:
    @capability(name="Ping")
    async def ping(ctx: ToolContext) -> str | None:
        """Answer."""
        await asyncio.sleep(0)
        return log_fields().get("tool")

    tools = {"ping": lambda progress: Capability.of(ping).call(ToolContext(user=User("ann")), {})}
    _, ended = play(turn(ScriptedModel([calls(("ping", {})), says("Ok.")]), tools))
    assert (ended.calls[0].status, ended.calls[0].result) == (CallStatus.DONE, "ping")


@pytest.mark.parametrize(("locale", "why"), [("en", "the message is empty"), ("he", "ההודעה ריקה")])
def test_a_failed_call_says_why_in_the_users_language(locale: str, why: str) -> None:
    def refusing(progress: Any) -> str:
        raise InvalidArgument(TEXTS.text("errors.empty_message"), field="content")

    model = ScriptedModel([calls(("a", {})), says("Ok.")])
    asked = turn(model, {"a": refusing})
    _, ended = play(replace(asked, request=replace(asked.request, locale=locale)))
    error = {"message": why, "code": "invalid-argument", "field": "content"}
    assert ended.calls[0].error == error
    told = model.requests[-1].messages[-1]
    assert json.loads(told.results[0].content)["error"] == error


def test_what_breaks_off_in_a_tool_is_told_to_the_developer_and_not_to_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FUNCTIONS_EMULATOR", "true")

    def broken(progress: Any) -> str:
        raise KeyError("people_of_the_office")

    model = ScriptedModel([calls(("a", {})), says("Ok.")])

    def played() -> tuple[dict[str, Any], Any]:
        logs.collect_incidents()
        _, ended = play(turn(model, {"a": broken}))
        return logs.incidents_of_request(), ended

    told, ended = copy_context().run(played)
    (incident,) = told["incidents"]
    assert "in broken" in incident["traceback"]
    assert "people_of_the_office" in incident["traceback"]
    assert incident["id"] in ended.calls[0].error["message"]
    assert "people_of_the_office" not in repr((ended, model.requests))


@dataclass
class Saves(MemoryJournal):
    """A journal that remembers which results came in one save."""

    saves: list[list[int]] = field(default_factory=list)

    def save_results(self, results: Any) -> None:
        super().save_results(results)
        self.saves.append(sorted(results))


def saves_of(tools: dict[str, Callable[..., Any]], *wanted: str) -> tuple[list[list[int]], Any]:
    model = ScriptedModel([calls(*[(name, {"n": n}) for n, name in enumerate(wanted)]), says("Ok")])
    journal = Saves()
    work = turn(model, tools)
    events, ended = play(_with(work, journal))
    assert ended.answer.text == "Ok"
    return journal.saves, events


def _with(work: Any, journal: Saves) -> Any:
    return replace(work, journal=journal)


def test_results_that_come_close_together_are_one_save(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_calls, "BATCH_S", 60)  # however busy the machine is
    tools = {"a": lambda progress, **_: 1, "b": lambda progress, **_: time.sleep(0.05)}
    saves, events = saves_of(tools, "a", "b", "a")
    assert saves == [[0, 1, 2]]
    assert sum(event["type"] == "TOOL_CALL_RESULT" for event in events) == 3


def test_a_result_is_not_held_back_for_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_calls, "BATCH_S", 0.05)
    may_end = threading.Event()
    tools = {"a": lambda progress, **_: 1, "b": lambda progress, **_: may_end.wait(60)}
    model = ScriptedModel([calls(("a", {}), ("b", {})), says("Ok")])
    journal = Saves()
    steps = run(_with(turn(model, tools), journal))
    shown = next(e for e in steps if e is not None and e["type"] == "TOOL_CALL_RESULT")
    assert (json.loads(shown["content"]), journal.saves) == ({"output": 1}, [[0]])
    may_end.set()
    list(steps)
    assert journal.saves == [[0], [1]]


def test_what_is_gathered_is_saved_when_the_client_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end, end, gathered = threading.Event(), StepCalls.end, []

    def note(self: StepCalls, ended: Any) -> None:
        end(self, ended)
        gathered.append(ended.place)

    monkeypatch.setattr(StepCalls, "end", note)
    tools = {"a": lambda progress, **_: 1, "b": lambda progress, **_: may_end.wait(60)}
    model = ScriptedModel([calls(("a", {}), ("b", {})), says("Ok")])
    journal = Saves()
    steps = run(_with(turn(model, tools), journal))
    while next(steps) is not None or not gathered:
        pass
    steps.close()
    may_end.set()
    assert journal.saves == [[0]]


def test_nothing_is_shown_before_it_is_saved() -> None:
    lines: list[str] = []

    class Journal(MemoryJournal):
        def save_results(self, results: Any) -> None:
            lines.append("saved")

    model = ScriptedModel([calls(("a", {})), says("Ok")])
    for event in run(turn(model, {"a": lambda progress, **_: 1}, journal=Journal())):
        if event is not None and event["type"] == "TOOL_CALL_RESULT":
            lines.append("shown")
    assert lines == ["saved", "shown"]
