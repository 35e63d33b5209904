"""A `RunAgentInput` without its messages: which fields count, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument
from rollcall.endpoints.agui_input import client_thread_id, is_same_schema, run_input
from rollcall.store.runs import thread_id_for
from tests.support.for_every import for_every

LEAST = {"threadId": "t", "runId": "r", "messages": []}


def test_what_is_not_known_is_left_alone() -> None:
    given = {**LEAST, "state": {"a": [1] * 99_999}, "parentRunId": 7, "newer": {"x": float("nan")}}
    read = run_input({**given, "forwardedProps": {"uid": "eve", "deep": [[[]]]}})
    assert (read.thread_id, read.run_id, read.tools) == ("t", "r", None)


@pytest.mark.parametrize("props", [None, "text", [1], 7, True])
def test_forwarded_props_may_be_anything(props: Any) -> None:
    assert run_input({**LEAST, "forwardedProps": props}).forwarded_props is None


@pytest.mark.parametrize("thread_id", ["a/b", "שרשור 1", "..", "__x__", "x" * 128])
def test_a_thread_may_be_called_anything(thread_id: str) -> None:
    assert run_input({**LEAST, "threadId": thread_id}).thread_id == thread_id


@for_every(
    ("change", "field"),
    [
        ({"threadId": None}, "threadId"),
        ({"threadId": ""}, "threadId"),
        ({"threadId": "x" * 129}, "threadId"),
        ({"threadId": 7}, "threadId"),
        ({"threadId": "\ud800"}, "threadId"),
        ({"runId": "a/b"}, "runId"),
        ({"runId": "x" * 65}, "runId"),
        ({"runId": "r~1"}, "runId"),
        ({"tools": {}}, "tools"),
        ({"tools": [{"description": "no name"}]}, "tools.0.name"),
        ({"tools": [{"name": "x"}] * 201}, "tools"),
        ({"context": [{"description": "no value"}]}, "context.0.value"),
        ({"context": [{"description": "a", "value": 7}]}, "context.0.value"),
        ({"context": [{"description": "a", "value": "b"}] * 51}, "context"),
        ({"resume": "yes"}, "resume"),
        ({"resume": [{"status": "resolved"}]}, "resume.0.interruptId"),
        ({"resume": [{"interruptId": "a", "payload": {"x": float("inf")}}]}, "resume[0].payload.x"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(change: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        run_input({**LEAST, **change})
    assert refused.value.field == field


SCHEMA = {
    "type": "object",
    "title": "Open",
    "properties": {
        "path": {"type": "string", "maxLength": 100, "description": "Where."},
        "title": {"type": "string", "enum": ["a", "b"]},
    },
    "required": ["path", "title"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        SCHEMA,
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "description": "Anything",
            "properties": {
                "title": {"type": "string", "enum": ["b", "a"], "default": "a"},
                "path": {"type": "string", "maxLength": 100},
            },
            "required": ["title", "path"],
        },
    ],
)
def test_a_schema_is_the_same_in_other_words(given: Any) -> None:
    assert is_same_schema(given, SCHEMA)


@pytest.mark.parametrize(
    "change",
    [
        {"required": ["path"]},
        {"properties": {"path": SCHEMA["properties"]["path"]}},  # type: ignore[index]
        {"properties": {**SCHEMA["properties"], "more": {}}},  # type: ignore[dict-item]
        {"type": "array"},
        {"minProperties": 1},
    ],
)
def test_a_schema_that_takes_something_else_is_another(change: dict[str, Any]) -> None:
    assert not is_same_schema({**SCHEMA, **change}, SCHEMA)


@pytest.mark.parametrize("given", ["x", 7, [], [SCHEMA], True])
def test_what_is_no_schema_is_another(given: Any) -> None:
    assert not is_same_schema(given, SCHEMA)


def test_a_name_leads_each_user_to_a_thread_of_their_own() -> None:
    names = ["a", "b", "a/b", "\u05d0", ""]
    found = {client_thread_id(uid, name) for uid in ("ann", "eve") for name in names}
    assert len(found) == 10
    assert client_thread_id("ann", "a") == client_thread_id("ann", "a")
    assert all(re.fullmatch("[0-9a-f]{20}", id) for id in found)


def test_no_name_leads_to_a_thread_that_another_endpoint_opens() -> None:
    assert client_thread_id("ann", "r1") != thread_id_for("ann", "r1")
    assert client_thread_id("ann", "x") != client_thread_id("an", "nx")
