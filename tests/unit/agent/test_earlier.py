"""The calls before one, as a capability may look at them."""

from __future__ import annotations

import json
from typing import Any

from rollcall.agent.earlier import earlier_calls
from rollcall.core.context import EarlierCall


def step(*calls: tuple[str, Any]) -> dict[str, Any]:
    """A step of the log: tools with what came of them, None for no answer yet."""
    made = [
        {"id": name, "name": name, "arguments": json.dumps({"path": name}), "argumentsText": ""}
        for name, _ in calls
    ]
    results = {
        str(place): {"content": content, "isError": content.startswith('{"error')}
        for place, (_, content) in enumerate(calls)
        if content is not None
    }
    return {"role": "model", "toolCalls": made, "results": results}


def output(value: Any) -> str:
    return json.dumps({"output": value})


def names(documents: list[dict[str, Any]], place: int) -> list[str]:
    return [call.tool for call in earlier_calls(documents, place)]


def test_answered_calls_come_newest_first_and_messages_are_passed_over() -> None:
    documents = [step(("a", output(1)), ("b", output(2))), {"role": "user"}, step(("c", None))]
    assert list(earlier_calls(documents, 0)) == [
        EarlierCall("b", {"path": "b"}, 2),
        EarlierCall("a", {"path": "a"}, 1),
    ]


def test_calls_beside_it_are_open_and_those_after_it_are_not_told() -> None:
    documents = [step(("a", None), ("b", output(2)), ("c", None), ("d", None))]
    found = list(earlier_calls(documents, 2))
    assert [(call.tool, call.is_open) for call in found] == [("b", False), ("a", True)]


def test_a_call_that_was_cut_off_long_ago_is_not_told() -> None:
    assert names([step(("a", None)), step(("b", None))], 0) == []


def test_a_failure_and_what_is_no_json_have_no_result() -> None:
    documents = [step(("a", '{"error": {}}'), ("b", "text"), ("c", "[1]")), step(("d", None))]
    assert [call.result for call in earlier_calls(documents, 0)] == [None, None, None]
