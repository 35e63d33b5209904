"""What a thread has decided, in lines that follow from what was recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.agent.decisions import LINE_CHARS, MAX_LINES, decided, done_by
from rollcall.core.wire import CallStatus, ToolCallRecord


def record(id: str = "c1", **changes: Any) -> ToolCallRecord:
    fields = {"id": id, "tool": "pay", "arguments": {}, "status": CallStatus.DONE}
    return ToolCallRecord(**{**fields, "step": 1, "ms": 1, **changes})


ASKED = {"c1": "Pay $5 to bob"}


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (CallStatus.DONE, "Pay $5 to bob (done)"),
        (CallStatus.REJECTED, "Pay $5 to bob (rejected)"),
        (CallStatus.EXPIRED, "Pay $5 to bob (the request expired unanswered; nothing was written)"),
        (CallStatus.UNKNOWN, "Pay $5 to bob (outcome unknown)"),
    ],
)
def test_a_write_that_people_were_asked_about_is_a_decision(status: CallStatus, line: str) -> None:
    assert decided([], [record(status=status)], ASKED) == [line]


def test_of_what_a_client_was_to_do_after_a_yes_it_is_not_said_that_nobody_answered() -> None:
    error = {"code": "unknown", "message": "the client did not answer"}
    unheard = record(status=CallStatus.EXPIRED, error=error)
    assert decided([], [unheard], ASKED) == ["Pay $5 to bob (outcome unknown)"]


def test_a_write_that_still_waits_is_none() -> None:
    assert decided([], [record(status=CallStatus.WAITING)], ASKED) == []


def test_a_write_that_a_policy_let_through_is_one_too() -> None:
    call = record(undo={"tool": "refund", "arguments": {}}, result={"done": "Paid bob"})
    assert decided([], [call], {}) == ["Paid bob (done)"]


def test_a_recommendation_is_kept_and_other_results_are_not() -> None:
    calls = [
        record("a", tool="check", result={"recommendation": "use AWG 6"}),
        record("b", tool="check", result={"recommendation": None, "answer": 5}),
        record("c", tool="check", result="text"),
    ]
    assert decided([], calls, {}) == ["check recommended: use AWG 6"]


def test_the_newest_lines_are_kept_each_once_and_short() -> None:
    before = [f"line {n}" for n in range(MAX_LINES)]
    long = record(result={"recommendation": "x" * 1_000})
    lines = decided(before, [long, long], {})
    assert len(lines) == MAX_LINES
    assert lines[0] == "line 1"
    assert len(lines[-1]) <= LINE_CHARS


def test_credentials_are_kept_out() -> None:
    call = record(result={"recommendation": "use the key sk-proj-" + "a1B2" * 12})
    (line,) = decided([], [call], {})
    assert "a1B2a1B2" not in line


def step(*results: dict[str, Any] | None) -> dict[str, Any]:
    """A step's document with a call for each result."""
    arguments = '{"to": "bob"}'
    calls = [
        {"id": f"c{n}", "name": "pay", "arguments": arguments, "argumentsText": ""}
        for n in range(len(results))
    ]
    stored = {str(n): each for n, each in enumerate(results) if each is not None}
    return {"role": "model", "toolCalls": calls, "results": stored}


def stored(content: dict[str, Any], record: dict[str, Any] | None = None) -> dict[str, Any]:
    text = json.dumps(record) if record else ""
    is_error = "error" in content
    return {"name": "pay", "content": json.dumps(content), "isError": is_error, "record": text}


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (stored({"output": 1}), 'pay {"to": "bob"} (done)'),
        (stored({"output": 1}, {"arguments": {"to": "eve"}}), 'pay {"to": "eve"} (done)'),
        (
            stored({"error": {"code": "unknown"}}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (
            stored({"error": {"code": "aborted"}}, {"status": "unknown"}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (stored({"error": {"code": "rejected"}}, {"status": "rejected"}), None),
        (stored({"error": {"code": "expired"}}), None),
        (  # left to a client that was not heard of
            stored({"error": {"code": "unknown"}}, {"status": "expired"}),
            'pay {"to": "bob"} (begun; nobody knows whether it happened)',
        ),
        (stored({"error": "a plain text"}), None),
        (None, None),
    ],
)
def test_of_a_turn_what_lasts_is_told(result: dict[str, Any] | None, told: str | None) -> None:
    turn = [{"role": "user"}, step(result)]
    assert done_by(turn, writes=lambda tool: tool == "pay") == ([told] if told else [])
    assert done_by(turn, writes=lambda tool: False) == []


def test_the_same_write_is_told_once_and_a_long_one_is_cut() -> None:
    twice = step(stored({"output": 1}), stored({"output": 1}))
    assert len(done_by([twice], writes=lambda tool: True)) == 1
    long = stored({"output": 1}, {"arguments": {"text": "x" * 5_000, "path": "a.txt"}})
    told = done_by([step(long)], writes=lambda tool: True)[0]
    assert len(told) < LINE_CHARS + 10
    assert '"path": "a.txt"' in told
