"""The rows of `registry show`: each value by its path."""

from __future__ import annotations

from typing import Any

from rollcall.commands.registry.show import rows


def test_a_value_is_shown_by_its_path_and_an_empty_one_is_not() -> None:
    shown = {"id": "pay", "seen": None, "overrides": {}, "agents": [{"id": "desk", "by": "*"}]}
    assert dict(rows({**shown, "writes": False, "keywords": []})) == {
        "id": "pay",
        "agents.0.id": "desk",
        "agents.0.by": "*",
        "writes": "false",
    }


def test_only_a_documents_own_schema_is_left_out() -> None:
    declared: dict[str, Any] = {"jsonSchema": {"type": "object"}, "parameters": [{"name": "seats"}]}
    examples = [{"userRequest": "A room for 4", "parameters": {"seats": 4}}]
    arguments = {"parameters": {"type": "object"}, "offered": {"type": "integer"}}
    shown = {"offered": {"id": "pay"}, "declared": {**declared, "examples": examples}}
    assert dict(rows({**shown, "arguments": arguments})) == {
        "declared.examples.0.userRequest": "A room for 4",
        "declared.examples.0.parameters.seats": "4",
        "arguments.parameters.type": "object",
        "arguments.offered.type": "integer",
    }


def test_items_of_one_name_are_all_shown() -> None:
    variants = [{"name": "short"}, {"name": "short", "maxSteps": 2}]
    assert [value for _, value in rows({"variants": variants})] == ["short", "2", "short"]


def test_fields_within_a_document_come_by_name_and_items_by_number() -> None:
    declared = {"version": 1, "id": "pay", "names": {"he": "תשלום", "en": "Pay"}}
    many = [{"word": f"w{number}"} for number in range(11)]
    paths = [path for path, _ in rows({"status": "active", "declared": declared, "agents": many})]
    assert paths[:5] == [
        *("status", "declared.id", "declared.names.en", "declared.names.he", "declared.version"),
    ]
    assert paths[5:] == [f"agents.{number}.word" for number in range(11)]
