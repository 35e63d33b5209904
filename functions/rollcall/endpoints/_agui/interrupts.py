"""Interrupts and their answers as AG-UI names them: bound to a tool call, and with `editedArgs`."""

from __future__ import annotations

from typing import Any

from rollcall.endpoints._agui.shapes import Answer

_OURS, _THEIRS = "editedArguments", "editedArgs"


def told(interrupt: dict[str, Any]) -> dict[str, Any]:
    """An interrupt of ours, as a front end knows what to show of it."""
    schema = interrupt["responseSchema"]
    properties = {_THEIRS if k == _OURS else k: v for k, v in schema["properties"].items()}
    schema = {**schema, "properties": properties}
    return {**interrupt, "reason": "tool_call", "responseSchema": schema}


def entry(answer: Answer) -> dict[str, Any]:
    """An answer as `run_agent` takes it. One with our own name for changed arguments is taken, too;
    one with both is left as it is, and refused."""
    given = answer.model_dump(by_alias=True)
    payload = given["payload"]
    if isinstance(payload, dict) and _THEIRS in payload and _OURS not in payload:
        given["payload"] = {_OURS if k == _THEIRS else k: v for k, v in payload.items()}
    return given


def renamed(field: str) -> str:
    """What a front end knows a field of an answer as."""
    return field.replace(f".payload.{_OURS}", f".payload.{_THEIRS}")
