"""A run's events in AG-UI."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from ag_ui.core import Event as AgUiEvent
from pydantic import TypeAdapter

from rollcall.core import events
from rollcall.core.errors import Aborted, NotFound
from rollcall.endpoints.agui import EventRenderer

VALID: TypeAdapter[Any] = TypeAdapter(AgUiEvent)
IDS = {"thread_id": "ours", "run_id": "ours-1"}
INTERRUPT = {
    "id": "a",
    "reason": "approval",
    "message": "Pay?",
    "toolCallId": "c",
    "responseSchema": {"type": "object", "properties": {"approved": {}, "editedArguments": {}}},
    "expiresAt": "2026-11-22T00:00:00+00:00",
    "metadata": {},
}
THEIRS = {
    **INTERRUPT,
    "reason": "tool_call",
    "responseSchema": {"type": "object", "properties": {"approved": {}, "editedArgs": {}}},
}


def result(outcome: dict[str, Any], **more: Any) -> dict[str, Any]:
    ids = {"threadId": "ours", "runId": "ours-1"}
    return {**ids, "outcome": outcome, "usage": [], "message": "So far.", **more}


def render_events(stream: Generator[Any, None, Any], **more: Any) -> list[dict[str, Any]]:
    found = [
        each for each in EventRenderer("theirs", "run-9", **more).render(stream) if each is not None
    ]
    for event in found:
        VALID.validate_python(event)
    return found


def run(outcome: dict[str, Any], *between: Any, **more: Any) -> Generator[Any, None, Any]:
    ended = result(outcome, **more)
    yield events.run_started(**IDS)
    yield from between
    yield events.run_finished(**IDS, result=ended)
    return ended


def test_boundaries_carry_the_clients_ids_and_ours_beside_them() -> None:
    first, last = render_events(run({"type": "success"}), notes={"partsLeftOut": ["audio"]})
    assert (first["threadId"], first["runId"]) == ("theirs", "run-9")
    assert (last["threadId"], last["runId"]) == ("theirs", "run-9")
    ours = {"threadId": "ours", "runId": "ours-1", "partsLeftOut": ["audio"]}
    assert first["metadata"] == {"rollcall": ours}
    assert last["result"]["threadId"] == "ours"


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ({"type": "success"}, {"type": "success"}),
        (
            {"type": "success", "pendingToolCallIds": ["c"]},
            {"type": "success", "pendingToolCallIds": ["c"]},
        ),
        (
            {"type": "interrupt", "interrupts": [INTERRUPT], "pendingToolCallIds": ["d"]},
            {"type": "interrupt", "interrupts": [THEIRS]},
        ),
        (
            {"type": "interrupt", "pendingToolCallIds": ["d"]},
            {"type": "success", "pendingToolCallIds": ["d"]},
        ),
    ],
)
def test_an_outcome_is_one_of_the_protocols(
    outcome: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert render_events(run(outcome))[-1]["outcome"] == expected


def test_a_run_that_was_stopped_has_no_result_but_a_reason() -> None:
    last = render_events(run({"type": "cancelled"}, stopReason="max_steps"))[-1]
    assert last["outcome"] == {"type": "cancelled"}
    assert "result" not in last
    ours = {"stopReason": "max_steps", "message": "So far."}
    assert last["metadata"]["rollcall"] == ours


def test_results_that_the_client_gave_itself_are_not_told_it() -> None:
    results = [
        events.call_result(call_id=id, message_id=f"r-{id}", content="{}") for id in ("c", "d")
    ]
    found = render_events(run({"type": "success"}, *results), answered=["c"])
    assert [each["toolCallId"] for each in found if "toolCallId" in each] == ["d"]


def test_a_result_without_events_is_a_whole_run() -> None:
    def noted() -> Generator[Any, None, Any]:
        return result({"type": "success"})
        yield

    assert [each["type"] for each in render_events(noted())] == ["RUN_STARTED", "RUN_FINISHED"]


def test_a_refusal_before_the_first_event_is_raised() -> None:
    def refused() -> Generator[Any, None, Any]:
        raise NotFound("no such agent")
        yield

    with pytest.raises(NotFound):
        render_events(refused())


def test_a_failure_after_it_is_the_last_event() -> None:
    def failing() -> Generator[Any, None, Any]:
        yield events.run_started(**IDS)
        raise Aborted("it goes on by itself", hint="ask again", retry_after_s=1)

    last = render_events(failing())[-1]
    assert (last["type"], last["code"]) == ("RUN_ERROR", "aborted")
    assert last["metadata"]["rollcall"]["retryAfterS"] == 1


def test_a_failure_is_told_once() -> None:
    def failing() -> Generator[Any, None, Any]:
        yield events.run_started(**IDS)
        yield events.run_error(message="no model", code="unavailable")
        raise Aborted("no model")

    assert [each["type"] for each in render_events(failing())] == ["RUN_STARTED", "RUN_ERROR"]


def test_what_nobody_foresaw_is_told_by_an_id_alone(caplog: pytest.LogCaptureFixture) -> None:
    def crashing() -> Generator[Any, None, Any]:
        yield events.run_started(**IDS)
        raise RuntimeError("key=abc123")

    last = render_events(crashing())[-1]
    assert (last["type"], last["code"]) == ("RUN_ERROR", "internal")
    assert "abc123" not in repr(last)
    assert "abc123" in caplog.text


def test_who_leaves_closes_the_run() -> None:
    closed = []

    def endless() -> Generator[Any, None, Any]:
        try:
            yield events.run_started(**IDS)
            while True:
                yield None
        finally:
            closed.append(True)

    telling = EventRenderer("theirs", "run-9").render(endless())
    next(telling)
    telling.close()
    assert closed == [True]
