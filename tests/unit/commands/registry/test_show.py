"""The rows of `registry show`: each value by its path; what an approval covers, in words."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.commands.registry.show import approval, rows
from rollcall.registry.capabilities import read_document


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


@pytest.mark.parametrize(
    ("policy", "covers"),
    [
        (None, "this call, with the arguments that were shown, until"),
        ({"ask": "once_per_thread"}, "later calls in its thread with any arguments, until"),
        (
            {"ask": "outside", "argument": "path", "matches": "path", "patterns": ["docs/**"]},
            "later calls in its thread that match a pattern which the user adds, until",
        ),
        (
            {"ask": "outside", "argument": "path", "matches": "path", "deciderRole": "admin"},
            "this call, with the arguments that were shown, until",
        ),
    ],
)
def test_what_an_approval_covers_is_said_in_words(
    policy: dict[str, Any] | None, covers: str
) -> None:
    entry = read_document(
        "pay",
        {
            "id": "pay",
            "name": "Pay",
            "description": "Pay an invoice.",
            "category": "money",
            "source": "operator",
            "status": "active",
            "minRole": "user",
            "parameters": [{"name": "path", "type": "string", "description": "A file."}],
            "execution": {"type": "firebase_function", "target": "pay"},
            **({} if policy is None else {"approval": policy}),
        },
    )
    found = approval(entry)
    assert covers in found["covers"]
    assert found["covers"].endswith(f"target or decider changes (digest {entry.digest})")
    assert found["ask"] == (policy or {"ask": "always"})["ask"]
