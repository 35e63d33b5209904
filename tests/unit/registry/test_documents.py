"""A document says where a capability runs; one with a contradiction is left out."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Role, Status
from rollcall.registry.capabilities import read_capability
from rollcall.registry.documents import capability_document, read_overrides, with_overrides
from rollcall.registry.entries import Entry, Execution
from tests.support.for_every import for_every

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


@for_every(
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
        ({"type": "api_endpoint", "target": "https://10.0.0.1/rooms"}, {}),
        ({"type": "api_endpoint", "target": "https://169.254.169.254/computeMetadata"}, {}),
        ({"type": "api_endpoint", "target": "https://[::1/rooms"}, {}),
        ({"type": "api_endpoint", "target": "https://localhost:8080/rooms"}, {}),
        ({"type": "api_endpoint", "target": "https://me:pw@api.example.com/"}, {}),
        ({"type": "api_endpoint", "target": "https://api.example.com:99999/"}, {}),
        ({"type": "firebase_function", "target": "https://127.1/find"}, {}),
    ],
)
def test_a_document_that_runs_nowhere_is_refused(execution: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"(?i)execution|internal_service|code|GET"):
        read_capability(document(execution, **fields))


THEIRS = {"type": "firebase_function", "target": "findRoom"}


@for_every(
    ("changes", "words"),
    [
        ({"status": None}, "status is missing"),
        (
            {"status": "Active"},
            "status: input should be 'active', 'beta', 'deprecated' or 'disabled' (not 'Active')",
        ),
        ({"name": 5}, "name: input should be a valid string (not 5)"),
        ({"keywords": "room"}, "keywords: input should be a valid tuple (not 'room')"),
        ({"overrides": "off"}, "overrides: input should be a valid dictionary"),
        (
            {"overrides": {"tenants": "acme"}},
            "overrides.tenants: input should be a valid tuple (not 'acme')",
        ),
        (
            {"overrides": {"phrases": {"he": "חדר"}}},
            "overrides.phrases.he: input should be a valid tuple (not 'חדר')",
        ),
        ({"examples": ["a room"]}, "examples.0: input should be a valid dictionary (not 'a room')"),
        ({"version": "x"}, "version: input should be a valid integer"),
        ({"description": "d" * 9_000}, "description: string should have at most 8000 characters"),
        ({"id": "BadId"}, "id: string should match pattern "),
        (
            {"execution": {**THEIRS, "region": "eu"}},
            "execution.region is not known here; leave it out",
        ),
        ({"execution": None}, "execution is missing: "),
        ({"effect": "x" * 99}, "effect: input should be 'read' or 'write' (not 'xxx"),
    ],
)
def test_a_refusal_says_which_field_what_stands_there_and_what_is_taken(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError) as refused:
        read_capability({**document(THEIRS), **changes})
    assert str(refused.value).startswith(words)


def test_null_says_nothing() -> None:
    told = {"keywords": None, "status": "beta", "approval": None}
    empty = {"description": None, "category": None, "enriched": None, "names": None}
    found = read_capability({**document(THEIRS), **empty, "overrides": told})
    assert (found.status, found.spec.keywords, found.policy) == ("beta", (), None)
    assert read_capability({**document(THEIRS), "overrides": None}).status == "active"


def test_a_tool_without_words_of_its_own_is_told_by_its_id() -> None:
    assert read_capability(document(THEIRS, name="", description=" ")).spec.description == (
        "find room"
    )


def test_a_name_in_one_language_only_is_its_name_in_all() -> None:
    found = read_capability(document(THEIRS, name="חדרים", names={"he": "חדרים"}))
    assert found.name("en") == found.name("he") == "חדרים"


@pytest.mark.parametrize(
    "schema",
    [{"type": "array"}, {"properties": {}}, {"type": "object", "properties": {"a": True}}],
)
def test_what_says_that_it_is_codes_is_checked_too(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no object of arguments"):
        read_capability(document(source="code", codebase="other", jsonSchema=schema))


def declared_document(**overrides: Any) -> dict[str, Any]:
    """What code declares for teachers, under an operator's overrides."""

    @capability(name={"en": "Now"}, category="c", min_role=Role.TEACHER)
    def now(ctx: ToolContext) -> str:
        """Tell the time."""
        return ""

    stored = capability_document(Capability.of(now))
    return {**stored, "status": "active", "overrides": overrides}


@pytest.mark.parametrize(
    ("overrides", "role"),
    [({}, "teacher"), ({"minRole": "admin"}, "admin"), ({"minRole": "user"}, "teacher")],
)
def test_an_operator_asks_for_a_higher_role_than_code_and_never_for_a_lower_one(
    overrides: dict[str, Any], role: str
) -> None:
    assert read_capability(declared_document(**overrides)).min_role == role
    theirs = {"type": "firebase_function", "target": "findRoom"}
    foreign = document(theirs, minRole="teacher", overrides=overrides)
    assert read_capability(foreign).min_role == overrides.get("minRole", "teacher")


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"status": "off"}, "overrides.status"),
        ({"minRole": "boss"}, "overrides.minRole"),
        ({"tenants": "north"}, "overrides.tenants"),
        ({"phrases": ["hello"]}, "overrides.phrases"),
        ("disabled", "overrides"),
    ],
)
def test_an_override_that_cannot_be_read_closes_the_capability_and_says_why(
    overrides: Any, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        read_capability({**declared_document(), "overrides": overrides})


def test_a_persons_phrases_of_a_language_replace_the_models() -> None:
    enriched = {"digest": "d", "phrases": {"en": ["what time is it"], "he": ["מה השעה"]}}
    entry = read_capability(
        {**declared_document(phrases={"he": ["כמה השעון"]}), "enriched": enriched}
    )
    assert entry.phrases == ("what time is it", "כמה השעון")


def test_only_the_users_of_named_tenants_may_use_it() -> None:
    entry = read_capability(declared_document(tenants=["north"]))
    teacher = User("t", Role.TEACHER)
    assert [entry.permits(replace(teacher, tenant=each)) for each in ("north", "south", None)] == [
        True,
        False,
        False,
    ]


def test_a_compiled_entry_is_the_entry_but_for_what_only_the_index_needs() -> None:
    entry = read_capability(declared_document(tenants=["b", "a"], approval={"ask": "always"}))
    assert Entry.load(json.dumps(entry.record()).encode()) == entry


def test_a_number_that_json_does_not_have_makes_no_compiled_entry_unreadable() -> None:
    asked = {"userRequest": "a room for any number", "parameters": {"people": math.inf}}
    entry = read_capability(
        declared_document(
            examples=[asked],
            approval={"ask": "above", "argument": "people", "threshold": math.inf},
        )
    )
    assert entry.policy and entry.policy.threshold == math.inf
    assert Entry.load(json.dumps(entry.record()).encode()) == entry


def test_what_another_codebase_declares_is_a_function_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = read_capability(declared_document())
    assert (entry.is_foreign, entry.execution.type) == (False, "internal_service")
    monkeypatch.setenv("ROLLCALL_CODEBASE", "school")
    theirs = Entry.load(json.dumps(entry.record()).encode())
    assert (theirs.is_foreign, theirs.execution.type) == (True, "firebase_function")
    assert theirs.execution.target == "now"


DESK = AgentProfile(id="desk", name={"en": "Desk"}, instructions="Help.", tools=("find_room",))


def test_what_is_of_the_right_kind_counts() -> None:
    document = {
        "overrides": {"status": "beta", "tools": ["*"], "maxSteps": 2, "note": {"by": "me"}}
    }
    found = with_overrides(DESK, document)
    assert (found.status, found.tools, found.max_steps) == (Status.BETA, ("*",), 2)
    assert read_overrides(document)[1] == []


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (
            {"maxSteps": 0},
            "overrides.maxSteps: input should be greater than or equal to 1 (not 0)",
        ),
        (
            {"maxSteps": 201},
            "overrides.maxSteps: input should be less than or equal to 200 (not 201)",
        ),
        (
            {"tools": "find_room"},
            "overrides.tools: input should be a valid array (not 'find_room')",
        ),
        (
            {"maxCostUsd": "1"},
            "overrides.maxCostUsd: input should be a valid number (not '1')",
        ),
        (
            {"maxCostUsd": float("inf")},
            "overrides.maxCostUsd: input should be a finite number (not inf)",
        ),
    ],
)
def test_what_is_not_is_told_in_words_and_changes_nothing(
    overrides: dict[str, Any], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "rollcall"):
        assert with_overrides(DESK, {"overrides": overrides}) == DESK
    told = f"agent desk: {words}; the override is left out"
    assert [each.getMessage() for each in caplog.records] == [told]


def test_an_override_of_no_field_is_told() -> None:
    assert read_overrides({"overrides": {"max_steps": 3}}) == (
        {},
        ["overrides.max_steps means nothing"],
    )


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"status": "off"}, "overrides.status is none of active, beta, deprecated, disabled"),
        ({"status": {"x": 1}}, "overrides.status is none of"),
        ("off", "overrides are no object"),
        ({"approvals": "always"}, "overrides.approvals: input should be an object (not 'always')"),
    ],
)
def test_what_was_meant_to_close_an_agent_closes_it_and_says_so(
    overrides: Any, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "rollcall"):
        assert with_overrides(DESK, {"overrides": overrides}).status is Status.DISABLED
    assert any(words in each.getMessage() for each in caplog.records)
