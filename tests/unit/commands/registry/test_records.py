from __future__ import annotations

from typing import Any

import pytest

from rollcall.commands.registry.records import Agent, Record, agents_of, path_of, record_of
from rollcall.core.errors import Problem

DOCUMENT: dict[str, Any] = {
    "id": "find_room",
    "name": "Rooms",
    "description": "Find a free room.",
    "category": "office",
    "minRole": "user",
    "status": "active",
    "effect": "read",
    "source": "operator",
    "jsonSchema": {"type": "object", "properties": {"seats": {"type": "integer"}}},
    "execution": {"type": "firebase_function", "target": "findRoom"},
}


def record(changes: dict[str, Any] | None = None, **told: Any) -> Record:
    given = {"health": {}, "refused": {}, **told}
    return record_of("find_room", {**DOCUMENT, **(changes or {})}, **given)


def test_a_record_says_how_it_counts_now() -> None:
    found = record({"overrides": {"status": "beta"}}, health={"find_room": "degraded"})
    assert (found.status, found.health) == ("beta", "degraded")


def test_what_cannot_be_read_is_refused_with_the_reason() -> None:
    found = record({"minRole": "king"})
    assert (found.status, found.entry) == ("refused", None)
    assert found.reason and found.reason.startswith("minRole: ")


def test_what_calls_itself_otherwise_is_refused() -> None:
    assert record({"id": "find_rooms"}).reason == "its field id is 'find_rooms'"


def test_whatever_goes_wrong_with_a_document_it_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(schema: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("rollcall.registry.capabilities.normalise", fail)
    assert record().reason == "RecursionError: too deep"


def test_what_the_last_compilation_refused_is_refused() -> None:
    found = record(refused={"find_room": "it is findRoom, a write, under another name"})
    assert found.status == "refused"


def test_overrides_of_the_wrong_kind_are_none() -> None:
    assert record({"overrides": "disabled"}).overrides == {}


def test_agents_name_capabilities_by_id_category_or_all() -> None:
    agents = [
        Agent("one", {"tools": ["find_room"]}),
        Agent("two", {"tools": ["category:office", "find_room"]}),
        Agent("three", {"tools": ["*"]}),
        Agent("four", {"tools": ["category:messaging"]}),
        Agent("five", {"tools": ["send"], "overrides": {"tools": ["*"]}}),
        Agent("six", {"tools": None}),
    ]
    words = {agent.id: word for agent, word in agents_of(record(), agents)}
    assert words == {"one": "find_room", "two": "find_room", "three": "*", "five": "*"}


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({}, "active"),
        ({"status": "beta"}, "beta"),
        ({"status": "beta", "overrides": {"status": "disabled"}}, "disabled"),
        ({"overrides": {"status": "off"}}, "disabled"),
        ({"overrides": {"status": ["beta"]}}, "disabled"),
        ({"overrides": "off"}, "disabled"),
    ],
)
def test_an_agent_whose_status_cannot_be_read_is_disabled(
    document: dict[str, Any], status: str
) -> None:
    assert Agent("desk", document).status == status


@pytest.mark.parametrize("id", ["", "agents/", "a/b", "..", "agents/..", "__all__", "x/y/z"])
def test_what_can_be_no_document_is_no_id(id: str) -> None:
    with pytest.raises(Problem, match="neither a capability's id nor agents/<id>"):
        path_of(id)


def test_whatever_was_registered_under_an_odd_id_can_be_asked_for() -> None:
    for id in ("find_room", "BadId", "a.b", "with space", "חדר"):
        assert path_of(id) == path_of(f"capabilities/{id}") == f"capabilities/{id}"
