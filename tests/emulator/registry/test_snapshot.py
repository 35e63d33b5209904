"""What a process reads of the registry: little, seldom, and never a part of a version."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Role
from rollcall.registry import snapshot
from rollcall.registry.access import permission_mask
from rollcall.registry.compiler import compile_registry
from rollcall.registry.documents import with_overrides
from rollcall.registry.index import Index
from tests.emulator.registry.test_compiler import register
from tests.support.firestore_operations import count_operations
from tests.support.registries import reload_registry

AGENT = AgentProfile(id="helper", name={"en": "Helper"}, instructions="Help.", tools=("*",))


@pytest.fixture(autouse=True)
def no_snapshot(db: Client) -> None:
    snapshot.forget()


def grow_old(db: Client) -> None:
    """As if the registry had been read a while ago."""
    from msgspec.structs import replace

    for key, held in list(snapshot._snapshots.items()):
        snapshot._snapshots[key] = replace(held, read_at=held.read_at - snapshot.FRESH_S - 1)


def test_nothing_is_read_while_the_copy_is_fresh_and_then_the_manifest_alone(db: Client) -> None:
    register(db)
    compile_registry(db)
    with count_operations() as cold:
        snapshot.snapshot(db)
    with count_operations() as warm:
        snapshot.snapshot(db)
    grow_old(db)
    with count_operations() as stale:
        snapshot.snapshot(db)
    assert (cold.reads, warm.reads, stale.reads) == (4, 0, 1)


def test_after_a_change_only_what_changed_is_read(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollcall.registry.segments.ENTRIES_PER_SEGMENT", 5)
    for number in range(30):
        register(db, f"tool_{number}")
    compile_registry(db)
    snapshot.snapshot(db)
    register(db, "tool_7", version=2)
    compile_registry(db)
    grow_old(db)
    with count_operations() as after:
        found = snapshot.snapshot(db)
    assert after.reads == 2  # the manifest, and the segment that holds it
    assert found.content.entries["tool_7"].version == 2


def test_an_operators_change_is_seen_when_the_copy_is_old(db: Client) -> None:
    register(db)
    compile_registry(db)
    before = snapshot.snapshot(db)
    db.document("capabilities/find_room").update({"overrides": {"status": "disabled"}})
    compile_registry(db)
    assert snapshot.snapshot(db) is before
    grow_old(db)
    later = snapshot.snapshot(db)
    mask = permission_mask(later.content.access_rows, ("*",), User("u", Role.ADMIN))
    assert list(mask) == [0]


def test_a_registry_that_was_never_published_is_published_by_who_reads_it(db: Client) -> None:
    register(db)
    assert list(snapshot.snapshot(db).content.entries) == ["find_room"]
    assert db.document("registry/manifest").get().exists


def test_a_copy_that_cannot_be_renewed_still_serves(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(db)
    held = snapshot.snapshot(db)

    def fail(*args: Any) -> Any:
        raise ServiceUnavailable("away")

    monkeypatch.setattr(snapshot, "part", fail)
    grow_old(db)
    assert snapshot.snapshot(db).content is held.content
    snapshot.forget()
    with pytest.raises(Unavailable):
        snapshot.snapshot(db)


def test_a_part_that_is_missing_or_damaged_is_no_half_registry(db: Client) -> None:
    register(db)
    compile_registry(db)
    for each in db.collection("registry").stream():
        if each.id.startswith("part-"):
            each.reference.update({"data": b"\x00\x01"})
    with pytest.raises(Unavailable):
        snapshot.snapshot(db)
    for each in db.collection("registry").stream():
        each.reference.delete()
    assert list(snapshot.snapshot(db).content.entries) == ["find_room"]


def test_a_single_missing_part_is_noticed_and_read_when_it_is_back(db: Client) -> None:
    register(db)
    compile_registry(db)
    for segment in (db.document("registry/manifest").get().to_dict() or {})["segments"]:
        snapshot.forget()
        reference = db.document(f"registry/{segment['parts'][0]}")
        held = reference.get().to_dict()
        reference.delete()
        with pytest.raises(Unavailable):
            snapshot.snapshot(db)
        reference.set(held)
        assert list(snapshot.snapshot(db).content.entries) == ["find_room"]


def test_an_index_of_another_version_is_made_anew(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(db)
    compile_registry(db)

    def refuse(data: bytes) -> Index:
        raise ValueError("an index of another version")

    monkeypatch.setattr(Index, "load", refuse)
    found = snapshot.snapshot(db).content
    assert [match.place for match in found.index.search("a free room", limit=3)] == [0]


def test_a_renewal_that_fails_is_not_tried_by_every_request(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(db)
    snapshot.snapshot(db)
    tries = []

    def fail(*args: Any) -> Any:
        tries.append(1)
        raise ServiceUnavailable("away")

    monkeypatch.setattr(snapshot, "part", fail)
    grow_old(db)
    for _ in range(5):
        snapshot.snapshot(db)
    assert len(tries) == 1


def test_others_are_served_the_old_copy_while_one_reads_anew(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(db)
    held = snapshot.snapshot(db)
    grow_old(db)
    begun, go_on = threading.Event(), threading.Event()
    read = snapshot._read

    def slowly(*args: Any) -> Any:
        begun.set()
        assert go_on.wait(60)
        return read(*args)

    monkeypatch.setattr(snapshot, "_read", slowly)
    reader = threading.Thread(target=snapshot.snapshot, args=(db,))
    reader.start()
    assert begun.wait(60)
    assert snapshot.snapshot(db).content is held.content
    go_on.set()
    reader.join()


def test_health_is_read_with_the_manifest(db: Client) -> None:
    register(db)
    compile_registry(db)
    snapshot.snapshot(db)
    db.document("registry/manifest").update({"health": {"find_room": "down"}})
    grow_old(db)
    with count_operations() as read:
        assert snapshot.snapshot(db).down == {"find_room"}
    assert read.reads == 1


def test_one_capability_is_one_read(db: Client) -> None:
    register(db)
    with count_operations() as read:
        found = snapshot.entry(db, "find_room")
        assert found is snapshot.entry(db, "find_room")
    assert (found is not None and found.id, read.reads) == ("find_room", 1)
    assert snapshot.entry(db, "nobody") is None
    register(db, "broken", status=7)
    with pytest.raises(FailedPrecondition, match="status"):
        snapshot.entry(db, "broken")
    db.document("capabilities/other").set(db.document("capabilities/find_room").get().to_dict())
    with pytest.raises(FailedPrecondition, match="its field id is 'find_room'"):
        snapshot.entry(db, "other")


def test_an_agents_overrides_are_read_too(db: Client) -> None:
    db.document("agents/helper").set({"overrides": {"maxSteps": 2, "instructions": "Short."}})
    reload_registry(db)
    changed = with_overrides(AGENT, snapshot.snapshot(db).content.agents["helper"])
    assert (changed.max_steps, changed.instructions) == (2, "Short.")
