"""A run's result as its document keeps it: whole, or without what the log has as well."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from rollcall.core.shapes import CallStatus
from rollcall.store.room import begun, utf8

RESULT_BYTES = 400_000
"""The largest stored result of a run. The run's document has room beside it for what a client
answers while a person has still to decide."""
_LEAST_BYTES = 100_000
_LEAST_CALLS = 100


def result_text(result: dict[str, Any]) -> str:
    """The result as JSON text of at most `RESULT_BYTES`."""
    for shorter in _ever_shorter(result):
        text = json.dumps(shorter, ensure_ascii=False)
        if utf8(text) <= RESULT_BYTES:
            break
    return text


def _ever_shorter(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The result; without the tools' results; without what an approval has of its call as well;
    with the arguments of those calls alone that the client has still to run; and the least."""
    yield result
    calls = [_without(call, {"result", "display"}) for call in result["toolCalls"]]
    result = {**result, "toolCalls": calls}
    yield result
    result = {**result, "outcome": _without_details(result["outcome"])}
    yield result
    calls = [
        call
        if call["status"] == CallStatus.CLIENT
        else {**_without(call, {"undo", "error"}), "arguments": {}}
        for call in calls
    ]
    yield {**result, "toolCalls": calls, "citations": []}
    calls = [{**_without(call, {"undo", "error"}), "arguments": {}} for call in calls]
    message = result["message"]
    said = message if utf8(message) <= _LEAST_BYTES else f"{begun(message, _LEAST_BYTES)}…"
    least = {"message": said, "toolCalls": calls[-_LEAST_CALLS:], "citations": []}
    yield {**result, **least, "quickReplies": []}


def _without_details(outcome: dict[str, Any]) -> dict[str, Any]:
    """An outcome without what would be done: the calls have their arguments themselves."""
    if not outcome.get("interrupts"):
        return outcome
    large = {"arguments", "display"}
    interrupts = [
        {**each, "metadata": _without(each["metadata"], large)} for each in outcome["interrupts"]
    ]
    return {**outcome, "interrupts": interrupts}


def _without(value: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in keys}
