"""What a thread has decided, in lines that follow from what was recorded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rollcall.agent.decisions import LINE_CHARS, MAX_LINES, decided
from rollcall.core.wire import CallStatus, ToolCallRecord


def record(id: str = "c1", **changes: Any) -> ToolCallRecord:
    fields = {"id": id, "tool": "pay", "arguments": {}, "status": CallStatus.DONE}
    return ToolCallRecord(**{**fields, "step": 1, "ms": 1, **changes})


def approval(call_id: str = "c1", summary: str = "Pay $5 to bob") -> Any:
    return SimpleNamespace(call_id=call_id, summary=summary)


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (CallStatus.DONE, "Pay $5 to bob (done)"),
        (CallStatus.REJECTED, "Pay $5 to bob (rejected)"),
        (CallStatus.EXPIRED, "Pay $5 to bob (not decided in time)"),
        (CallStatus.UNKNOWN, "Pay $5 to bob (outcome unknown)"),
    ],
)
def test_a_write_that_people_were_asked_about_is_a_decision(status: CallStatus, line: str) -> None:
    assert decided([], [record(status=status)], [approval()]) == [line]


def test_a_write_that_still_waits_is_none() -> None:
    assert decided([], [record(status=CallStatus.WAITING)], [approval()]) == []


def test_a_write_that_a_policy_let_through_is_one_too() -> None:
    call = record(undo={"tool": "refund", "arguments": {}}, result={"done": "Paid bob"})
    assert decided([], [call], []) == ["Paid bob (done)"]


def test_a_recommendation_is_kept_and_other_results_are_not() -> None:
    calls = [
        record("a", tool="check", result={"recommendation": "use AWG 6"}),
        record("b", tool="check", result={"recommendation": None, "answer": 5}),
        record("c", tool="check", result="text"),
    ]
    assert decided([], calls, []) == ["check recommended: use AWG 6"]


def test_the_newest_lines_are_kept_each_once_and_short() -> None:
    before = [f"line {n}" for n in range(MAX_LINES)]
    long = record(result={"recommendation": "x" * 1_000})
    lines = decided(before, [long, long], [])
    assert len(lines) == MAX_LINES
    assert lines[0] == "line 1"
    assert len(lines[-1]) <= LINE_CHARS


def test_credentials_are_kept_out() -> None:
    call = record(result={"recommendation": "use the key sk-proj-" + "a1B2" * 12})
    (line,) = decided([], [call], [])
    assert "a1B2a1B2" not in line
