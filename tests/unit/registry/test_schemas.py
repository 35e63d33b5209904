"""A foreign schema can refuse arguments, and do nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from rollcall.agent.targets import Target, registered_target
from rollcall.core.errors import InvalidArgument
from rollcall.registry.capabilities import read_capability
from rollcall.registry.schemas import MAX_CHARS, MAX_DEPTH, check_schema, errors
from tests.support.for_every import for_every


def target(schema: dict[str, Any]) -> Target:
    document = {
        "id": "find_room",
        "name": "Rooms",
        "description": "Find a room.",
        "category": "office",
        "minRole": "user",
        "status": "active",
        "effect": "read",
        "jsonSchema": schema,
        "source": "operator",
        "execution": {"type": "firebase_function", "target": "findRoom"},
    }
    return registered_target(read_capability(document), lambda ctx, arguments: None)


def of(**item: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": item}}


@pytest.fixture
def schema_server() -> Iterator[tuple[str, list[str]]]:
    """A server that would answer with a schema, and what it was asked for."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "integer"}')

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/latest/meta-data", seen
    server.shutdown()
    server.server_close()


def nested_schema(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


def doubling(levels: int, *, times: int = 2) -> dict[str, Any]:
    """Each definition asks for the next one twice."""
    pairs = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * times} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**pairs, f"d{levels}": {"type": "integer"}}}


def test_nothing_is_fetched(schema_server: tuple[str, list[str]]) -> None:
    url, seen = schema_server
    for schema in (of(**{"$ref": url}), of(**{"$dynamicRef": url}), {"$id": url, **of()}):
        with pytest.raises(ValueError, match="is not taken"):
            target(schema)
    try:
        found = errors(of(**{"$ref": url}), {"a": "x"})  # even one that was never checked
    except Exception as error:
        found = [((), type(error).__name__)]
    assert found == [((), "_WrappedReferencingError")]
    assert seen == []


@for_every(
    ("schema", "why"),
    [
        ({"$ref": "#"}, "\\$ref"),
        (doubling(40), "deeper"),
        (doubling(5, times=6), "\\$ref"),
        (of(**{"$ref": "file:///etc/passwd"}), "\\$ref"),
        ({"patternProperties": {"^(a+)+$": {}}}, "patternProperties"),
        ({"allOf": [{"unevaluatedProperties": False}]}, "unevaluatedProperties"),
        (of(pattern="("), "pattern"),
        (of(pattern="(?=a)a"), "pattern"),
        (of(pattern="(a)\\1"), "pattern"),
        ({"type": 5}, "must describe an object"),
        (of(type=5), "is not a JSON schema"),
        (of(type="text"), "is not a JSON schema"),
        (nested_schema(MAX_DEPTH + 1), "nested deeper"),
        (nested_schema(400), "nested deeper"),
        (of(enum=["x" * MAX_CHARS]), "more than"),
    ],
)
def test_a_document_with_a_dangerous_or_broken_schema_is_left_out(
    schema: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        target(schema)


def test_no_pattern_takes_long() -> None:
    started = time.process_time()
    with pytest.raises(InvalidArgument, match="does not match"):
        target(of(type="string", pattern="^(a+)+$")).frozen({"a": "a" * 5_000 + "!"})
    assert time.process_time() - started < 1


def test_an_ordinary_schema_is_taken_and_checked() -> None:
    schema = of(type="string", pattern="^[A-Z]{2}\\d+$", description="A room.")
    schema["properties"]["ref"] = {"enum": [{"$ref": "x"}]}  # a value, and no reference
    room = target({**schema, "required": ["a"], "additionalProperties": False})
    assert room.frozen({"a": "AB12"}) == {"a": "AB12"}
    for wrong in ({"a": "ab12"}, {}, {"a": "AB12", "b": 1}, {"a": 5}):
        with pytest.raises(InvalidArgument):
            room.frozen(wrong)
    with pytest.raises(InvalidArgument) as refused:
        room.frozen({"a": "x"}, field="resume.0")
    assert refused.value.field == "resume.0.a"


def test_patterns_are_looked_for_anywhere_as_json_schema_has_it() -> None:
    check_schema(of(pattern="b"))
    assert errors(of(pattern="b"), {"a": "abc"}) == []
    assert errors(of(pattern="b"), {"a": 7}) == []


def test_an_argument_that_the_schema_does_not_name_is_not_smuggled_past_a_policy() -> None:
    amount = {"amountUsd": {"type": "number"}}
    for smuggled in ("amount_usd", "AmountUsd", "amountusd", "amountUsd\u200b", "approved"):
        with pytest.raises(InvalidArgument):
            target({"properties": amount}).frozen({"amountUsd": 5, smuggled: 900})
    for said in ({"additionalProperties": True}, {"allOf": [{"properties": {"b": {}}}]}):
        assert target({"properties": amount, **said}).frozen({"b": 1}) == {"b": 1}
