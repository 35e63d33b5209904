"""Registry sync on the emulator: it writes only what changed, and never an operator's overrides."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext
from rollcall.core.profile import AgentProfile
from rollcall.registry.sync import sync

AGENT = AgentProfile(id="helper", name={"en": "Helper"}, instructions="Help.", tools=("look_up",))


def look_up_as(description: str, **options: Any) -> Capability:
    def look_up(ctx: ToolContext, *, query: str) -> str:
        return query

    look_up.__doc__ = description
    return Capability.of(capability(name={"en": "Look up"}, category="test", **options)(look_up))


def read_capability(db: Client, id: str = "look_up") -> dict[str, Any]:
    return db.document(f"capabilities/{id}").get().to_dict() or {}


def test_code_becomes_documents_with_all_fields_of_the_schema(db: Client) -> None:
    report = sync(db, [look_up_as("Look it up.")], [AGENT])
    document = read_capability(db)
    assert report.written == ["capabilities/look_up", "agents/helper"]
    assert document["execution"] == {
        "type": "internal_service",
        "target": "look_up",
        "method": "POST",
        "requiresAuth": True,
    }
    assert document["parameters"] == [
        {"name": "query", "type": "string", "required": True, "description": ""}
    ]
    assert (document["status"], document["minRole"]) == ("active", "user")
    assert document["lastUpdated"]


def test_a_second_sync_writes_nothing(db: Client) -> None:
    sync(db, [look_up_as("Look it up.")], [AGENT])
    before = db.document("capabilities/look_up").get().update_time
    report = sync(db, [look_up_as("Look it up.")], [AGENT])
    assert (report.written, len(report.unchanged)) == ([], 2)
    assert db.document("capabilities/look_up").get().update_time == before


def test_a_changed_description_is_written_and_an_operators_word_is_kept(db: Client) -> None:
    sync(db, [look_up_as("Look it up.")], [])
    db.document("capabilities/look_up").update(
        {"overrides": {"status": "disabled", "keywords": ["mine"]}}
    )
    sync(db, [look_up_as("Look it up well.")], [])
    document = read_capability(db)
    assert document["description"] == "Look it up well."
    assert document["overrides"] == {"status": "disabled", "keywords": ["mine"]}


def test_a_status_that_an_operator_set_directly_is_kept(db: Client) -> None:
    sync(db, [look_up_as("Look it up.")], [])
    db.document("capabilities/look_up").update({"status": "disabled"})
    sync(db, [look_up_as("Look it up well.", status="beta")], [])
    assert read_capability(db)["status"] == "disabled"


def test_the_codes_own_status_is_followed(db: Client) -> None:
    sync(db, [look_up_as("Look it up.")], [])
    sync(db, [look_up_as("Look it up.", status="beta")], [])
    assert read_capability(db)["status"] == "beta"


def test_code_that_is_gone_is_withdrawn_and_comes_back_with_its_code(db: Client) -> None:
    sync(db, [look_up_as("Look it up.")], [])
    assert sync(db, [], []).withdrawn == ["capabilities/look_up"]
    assert read_capability(db)["status"] == "disabled"
    assert sync(db, [], []).withdrawn == []
    sync(db, [look_up_as("Look it up.")], [])
    assert read_capability(db)["status"] == "active"


def test_what_another_codebase_registered_is_not_touched(db: Client) -> None:
    other = {"id": "theirs", "source": "document", "status": "active"}
    db.document("capabilities/theirs").set(other)
    sync(db, [look_up_as("Look it up.")], [])
    assert read_capability(db, "theirs") == other


def test_another_codebase_keeps_what_it_declares(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_CODEBASE", "school")
    sync(db, [look_up_as("Theirs.")], [])
    monkeypatch.delenv("ROLLCALL_CODEBASE")
    report = sync(db, [look_up_as("Ours.")], [])
    assert (list(report.taken), report.written) == (["capabilities/look_up"], [])
    assert sync(db, [], []).withdrawn == []
    assert (read_capability(db)["description"], read_capability(db)["codebase"]) == (
        "Theirs.",
        "school",
    )


def test_an_id_that_one_codebase_gave_up_is_free_for_another(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_CODEBASE", "school")
    sync(db, [look_up_as("Theirs.")], [])
    monkeypatch.delenv("ROLLCALL_CODEBASE")
    report = sync(db, [look_up_as("Ours.")], [])
    assert report.taken == {"capabilities/look_up": "codebase 'school'"}
    monkeypatch.setenv("ROLLCALL_CODEBASE", "school")
    assert sync(db, [], []).withdrawn == ["capabilities/look_up"]
    monkeypatch.delenv("ROLLCALL_CODEBASE")
    assert sync(db, [look_up_as("Ours.")], []).written == ["capabilities/look_up"]
    assert (read_capability(db)["codebase"], read_capability(db)["status"]) == ("default", "active")
    assert sync(db, [look_up_as("Ours.")], []).unchanged == ["capabilities/look_up"]


def test_what_an_operator_wrote_before_the_first_sync_counts(db: Client) -> None:
    db.document("capabilities/look_up").set({"overrides": {"minRole": "admin"}})
    assert sync(db, [look_up_as("Look it up.")], []).written == ["capabilities/look_up"]
    assert (read_capability(db)["source"], read_capability(db)["overrides"]) == (
        "code",
        {"minRole": "admin"},
    )


def test_a_sync_publishes_what_processes_read(db: Client) -> None:
    compiled = sync(db, [look_up_as("Look it up.")], [AGENT]).compiled
    assert compiled is not None
    assert (compiled.count, compiled.refused) == (1, {})
    again = sync(db, [look_up_as("Look it up.")], [AGENT]).compiled
    assert again is not None
    assert (again.digest, again.written) == (compiled.digest, 0)
