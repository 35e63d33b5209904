"""A document says where a capability runs; one that says what cannot be is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext
from rollcall.registry.documents import capability_document
from rollcall.registry.entries import Execution
from rollcall.registry.reading import read_capability

URL = "https://api.example.com/rooms"


def document(execution: Any = None, **fields: Any) -> dict[str, Any]:
    """A capability of another codebase, as an operator writes it."""
    given = {
        "id": "find_room",
        "name": "Rooms",
        "description": "Find a free room.",
        "category": "office",
        "minRole": "user",
        "status": "active",
        "effect": "read",
        "jsonSchema": {"type": "object"},
        "source": "operator",
        **fields,
    }
    return given if execution is None else {**given, "execution": execution}


@pytest.mark.parametrize(
    ("runs_on", "type"), [("server", "internal_service"), ("client", "client")]
)
def test_what_code_declares_runs_here_or_on_the_device(runs_on: Any, type: str) -> None:
    @capability(name={"en": "Now"}, category="c", runs_on=runs_on)
    def now(ctx: ToolContext) -> str:
        """Tell the time."""
        return ""

    stored = {**capability_document(Capability.of(now)), "status": "active"}
    expected = Execution(type=type, target="now")  # type: ignore[arg-type]
    assert read_capability(stored).execution == expected
    del stored["execution"]
    assert read_capability(stored).execution == expected


@pytest.mark.parametrize(
    ("execution", "fields"),
    [
        ({"type": "firebase_function", "target": "findRoom"}, {"effect": "write"}),
        ({"type": "firebase_function", "target": "https://us-p.cloudfunctions.net/find"}, {}),
        ({"type": "api_endpoint", "target": URL, "method": "GET"}, {}),
        ({"type": "api_endpoint", "target": URL, "requiresAuth": False}, {"effect": "write"}),
        ({"type": "client", "target": "find_room"}, {"runsOn": "client"}),
    ],
)
def test_other_codebases_are_registered_by_a_document(
    execution: dict[str, Any], fields: dict[str, Any]
) -> None:
    found = read_capability(document(execution, **fields)).execution
    stated = {"method": "POST", "requiresAuth": True, **execution}
    assert (found.type, found.target, found.method, found.requires_auth) == (
        stated["type"],
        stated["target"],
        stated["method"],
        stated["requiresAuth"],
    )


def test_the_documented_document_is_read() -> None:
    guide = (Path(__file__).parents[3] / "docs/dispatch.md").read_text()
    shown = guide.split("```json\n")[1].split("```")[0]
    assert read_capability(json.loads(shown)).execution.target == "findRoom"


@pytest.mark.parametrize(
    ("execution", "fields"),
    [
        (None, {}),
        (None, {"source": ""}),
        ("firebase_function", {}),
        ({}, {}),
        ({"type": "firebase_function"}, {}),
        ({"type": "lambda", "target": "find"}, {}),
        ({"type": "internal_service", "target": "find_room"}, {}),
        ({"type": "internal_service", "target": "find_room"}, {"source": "Code"}),
        ({"type": "internal_service", "target": "other"}, {"source": "code"}),
        ({"type": "api_endpoint", "target": URL}, {"source": "code"}),
        ({"type": "client", "target": "find_room"}, {}),
        ({"type": "client", "target": "other"}, {"runsOn": "client"}),
        ({"type": "api_endpoint", "target": URL}, {"runsOn": "client"}),
        ({"type": "firebase_function", "target": ""}, {}),
        ({"type": "firebase_function", "target": "../other"}, {}),
        ({"type": "firebase_function", "target": "find\n"}, {}),
        ({"type": "firebase_function", "target": "http://x.run.app/find"}, {}),
        ({"type": "firebase_function", "target": "find", "method": "GET"}, {}),
        ({"type": "api_endpoint", "target": "rooms"}, {}),
        ({"type": "api_endpoint", "target": "http://api.example.com/"}, {}),
        ({"type": "api_endpoint", "target": "https://api.example.com/\n"}, {}),
        ({"type": "api_endpoint", "target": URL, "method": "DELETE"}, {}),
        ({"type": "api_endpoint", "target": URL, "method": "get"}, {}),
        ({"type": "api_endpoint", "target": URL, "method": "GET"}, {"effect": "write"}),
        ({"type": "api_endpoint", "target": URL, "requiresAuth": "no"}, {}),
        ({"type": "api_endpoint", "target": URL, "headers": {"X": "y"}}, {}),
        ({"type": "api_endpoint", "target": [URL]}, {}),
    ],
)
def test_a_document_that_runs_nowhere_is_refused(execution: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"(?i)execution|internal_service|code|GET"):
        read_capability(document(execution, **fields))
