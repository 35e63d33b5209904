"""Compiling the registry: valid documents are published, the others refused with their reason."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import Unavailable
from rollcall.registry import compiler as compiling
from rollcall.registry.compiler import compile_after, compile_registry
from rollcall.registry.segments import PART_BYTES
from rollcall.registry.snapshot import snapshot
from tests.support.full_form import amount
from tests.support.registries import reload_registry

ROOM = {
    "id": "find_room",
    "name": "Rooms",
    "description": "Find a free room.",
    "category": "office",
    "status": "active",
    "effect": "read",
    "jsonSchema": {"type": "object", "properties": {"seats": {"type": "integer"}}},
    "source": "operator",
    "execution": {"type": "firebase_function", "target": "findRoom"},
}


def register(db: Client, id: str = "find_room", **fields: Any) -> None:
    db.document(f"capabilities/{id}").set({**ROOM, "id": id, **fields})


def manifest(db: Client) -> dict[str, Any]:
    return db.document("registry/manifest").get().to_dict() or {}


def test_what_cannot_be_used_is_refused_with_its_reason_and_the_rest_goes_in(db: Client) -> None:
    register(db)
    register(db, "no_status", status="on")
    db.document("capabilities/other_id").set(ROOM)
    register(db, "find_tools")
    register(db, "loops", jsonSchema={"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})
    register(db, "bad_name", jsonSchema={"properties": {"שם": {"type": "string"}}})
    register(db, "nowhere", execution={"type": "api_endpoint", "target": "http://example.com"})
    db.document("capabilities/empty").set({})
    register(db, "odd_type", jsonSchema=None, parameters=[{"name": "a", "type": ["string"]}])
    register(db, "a_time", jsonSchema={"properties": {"a": {"default": datetime.now(UTC)}}})
    register(db, "not_a_number", jsonSchema={"properties": {"a": {"default": float("nan")}}})
    register(db, "long_name", names={"en": "x" * 300})
    compiled = compile_registry(db)
    reasons = {
        "no_status": "status: input should be 'active'",
        "other_id": "its field id is 'find_room'",
        "find_tools": "the name of a platform tool",
        "loops": "refers to itself",
        "bad_name": "providers take",
        "nowhere": "no target",
        "empty": "id is missing",
        "odd_type": "has the type",
        "a_time": "no JSON",
        "not_a_number": "no JSON",
        "long_name": "names",
    }
    assert compiled.count == 1
    assert compiled.refused.keys() == reasons.keys() == manifest(db)["refused"].keys()
    for id, reason in reasons.items():
        assert reason in compiled.refused[id]
    reload_registry(db)
    assert list(snapshot(db).content.entries) == ["find_room"]


def test_a_document_in_the_seeds_own_form_is_enough(db: Client) -> None:
    listed = [{"name": "topic", "type": "string", "required": True, "description": "נושא"}]
    db.document("capabilities/make_sheet").set(
        {
            "id": "make_sheet",
            "name": "דף עבודה",
            "description": "יצירת דף עבודה",
            "category": "content",
            "execution": {"type": "firebase_function", "target": "makeSheet", "requiresAuth": True},
            "parameters": listed,
            "keywords": ["דף עבודה"],
            "minRole": "teacher",
            "status": "active",
        }
    )
    assert compile_registry(db).refused == {}
    reload_registry(db)
    entry = snapshot(db).content.entries["make_sheet"]
    assert entry.spec.parameters["required"] == ["topic"]
    assert entry.spec.writes  # what does not say that it only reads is taken to write


def test_the_same_documents_give_the_same_digest_and_write_nothing(db: Client) -> None:
    register(db)
    first, second = compile_registry(db), compile_registry(db)
    assert (first.digest, second.written) == (second.digest, 0)
    register(db, lastUpdated=datetime.now(UTC))
    assert compile_registry(db).digest == first.digest


@pytest.mark.parametrize(
    "overrides",
    [
        {"status": "beta"},
        {"minRole": "teacher"},
        {"tenants": ["north"]},
        {"keywords": ["chamber"]},
        {"phrases": {"he": ["איפה יש חדר"]}},
        {"approval": {"ask": "always"}},
    ],
)
def test_an_operators_change_moves_the_digest(db: Client, overrides: dict[str, Any]) -> None:
    register(db)
    before = compile_registry(db).digest
    db.document("capabilities/find_room").update({"overrides": overrides})
    assert compile_registry(db).digest != before


def test_of_a_change_only_the_segments_it_is_in_are_written_anew(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollcall.registry.segments.ENTRIES_PER_SEGMENT", 5)
    for number in range(30):
        register(db, f"tool_{number}")
    assert compile_registry(db).written == 8  # the head, the index and six segments
    register(db, "tool_7", version=2)
    assert compile_registry(db).written == 1
    reload_registry(db)
    entries = snapshot(db).content.entries
    assert [entries[id].version for id in ("tool_6", "tool_7")] == [1, 2]


def test_what_outlived_two_publications_is_deleted(db: Client) -> None:
    def parts() -> set[str]:
        return {each.id for each in db.collection("registry").stream()} - {"manifest"}

    register(db)
    compile_registry(db)
    first = parts()
    register(db, version=2)
    compile_registry(db)
    assert first < parts()  # who reads slowly may still need them
    register(db, version=3)
    compile_registry(db)
    assert len(parts() & first) < len(first)


def test_a_segment_too_large_for_a_document_lies_in_several(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollcall.registry.segments.PART_BYTES", 100)
    for number in range(20):
        register(db, f"tool_{number}")
    compile_registry(db)
    reload_registry(db)
    assert len(snapshot(db).content.entries["tool_3"].spec.parameters["properties"]) == 1
    assert PART_BYTES < 1_000_000


def test_who_publishes_older_documents_than_another_starts_over(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(db)
    compile_registry(db)
    documents: Callable[..., Any] = compiling._documents
    slow = []

    def read(database: Client, collection: str) -> Any:
        found = documents(database, collection)
        if collection == "capabilities" and not slow:
            slow.append(True)
            register(db, version=2)
            assert compiling._compile_once(db, None)  # another, meanwhile
        return found

    monkeypatch.setattr(compiling, "_documents", read)
    compile_registry(db)
    reload_registry(db)
    assert snapshot(db).content.entries["find_room"].version == 2


def test_of_many_changes_at_once_all_are_in_and_few_compile(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_registry(db)
    times = []
    compile_once = compiling._compile_once
    monkeypatch.setattr(
        compiling, "_compile_once", lambda *args: times.append(1) or compile_once(*args)
    )

    def change(number: int) -> None:
        register(db, f"tool_{number}")
        at = db.document(f"capabilities/tool_{number}").get().update_time
        compile_after(db, at)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert manifest(db)["count"] == 12
    assert len(times) < 12


def published_by_a_process(project: str, mine: int) -> list[str]:
    """Change documents of its own in several threads, and have each change compiled, by turns as
    the command does it and as a trigger does; what failed."""
    failed: list[str] = []
    db = Client(project=project)

    def change(id: str) -> None:
        try:
            for version in range(1, 5):
                register(db, id, version=version)
                if version % 2:
                    compile_registry(db)
                else:
                    compile_after(db, db.document(f"capabilities/{id}").get().update_time)
        except Exception as error:
            failed.append(repr(error))

    threads = [
        threading.Thread(target=change, args=(f"tool_{mine}_{number}",)) for number in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


@pytest.mark.long
def test_of_processes_that_publish_at_once_each_gets_its_turn_and_the_last_change_is_in(
    db: Client,
) -> None:
    processes = amount(2, full=3)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        failed = list(pool.map(published_by_a_process, [db.project] * processes, range(processes)))
    assert failed == [[]] * processes
    reload_registry(db)
    entries = snapshot(db).content.entries
    assert {id: entries[id].version for id in entries} == {
        f"tool_{mine}_{number}": 4 for mine in range(processes) for number in range(3)
    }
    assert not db.document("registry/compiling").get().exists


def test_who_publishes_waits_for_who_is_at_it(db: Client) -> None:
    register(db)
    done: list[int] = []
    thread = threading.Thread(target=lambda: done.append(compile_registry(db).count))
    with compiling._compile_claim(db) as is_mine:
        assert is_mine
        thread.start()
        thread.join(timeout=1)
        assert thread.is_alive()
        assert not manifest(db)
    thread.join(timeout=20)
    assert (done, manifest(db)["count"]) == ([1], 1)


def test_who_waited_long_enough_for_one_that_died_goes_on_without_the_claim(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "TURN_S", 0.2)
    until = datetime.now(UTC) + timedelta(minutes=9)
    db.document("registry/compiling").set({"until": until})
    register(db)
    assert compile_registry(db).count == 1
    assert db.document("registry/compiling").get().exists  # it is not this one's to give back


def test_who_loses_every_race_says_so_and_what_to_do(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "attempts", lambda **limits: range(3))
    documents: Callable[..., Any] = compiling._documents
    lost = []

    def read(database: Client, collection: str) -> Any:
        lost.append(collection)
        db.document("registry/manifest").set({"by": len(lost)}, merge=True)
        return documents(database, collection)

    monkeypatch.setattr(compiling, "_documents", read)
    with pytest.raises(Unavailable, match=r"run `python -m rollcall sync` in a minute"):
        compile_registry(db)
    assert len(lost) > 2  # both collections, more than once
    assert not db.document("registry/compiling").get().exists


def test_a_change_that_is_in_already_compiles_nothing(db: Client) -> None:
    register(db)
    compile_registry(db)
    changed = db.document("capabilities/find_room").get().update_time
    assert compile_after(db, changed) is False
    assert compile_after(db, datetime.now(UTC) + timedelta(seconds=30)) is True


def test_a_compiler_that_died_keeps_nobody_waiting_for_ever(db: Client) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    db.document("registry/compiling").set({"until": past})
    register(db)
    assert compile_after(db, datetime.now(UTC)) is True
    assert not db.document("registry/compiling").get().exists


def test_a_part_that_is_gone_is_written_again(db: Client) -> None:
    register(db)
    compile_registry(db)
    gone = next(each for each in db.collection("registry").stream() if each.id != "manifest")
    gone.reference.delete()
    assert compile_registry(db).written == 1
    assert gone.reference.get().exists


def test_who_is_late_deletes_nothing_that_another_has_published(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(version: int) -> None:
        register(db, version=version)
        compile_registry(db)

    change(1)
    change(2)
    publish = compiling._publish
    late: list[bool] = []

    def slowly(*args: Any, **options: Any) -> bool:
        if not late:
            late.append(True)
            register(db, version=1)  # another takes a change back: the first parts are the newest
            assert compiling._compile_once(db, None)
        return publish(*args, **options)

    monkeypatch.setattr(compiling, "_publish", slowly)
    register(db, version=3)
    compile_registry(db)
    named = {part for segment in manifest(db)["segments"] for part in segment["parts"]}
    assert named <= {each.id for each in db.collection("registry").stream()}


def test_a_claim_that_another_took_over_is_not_given_back(db: Client) -> None:
    with compiling._compile_claim(db) as is_mine:
        assert is_mine
        db.document("registry/compiling").update({"by": "another"})
    assert db.document("registry/compiling").get().exists
    with compiling._compile_claim(db) as is_mine:
        assert not is_mine


def test_health_that_was_noted_stays(db: Client) -> None:
    register(db)
    compile_registry(db)
    db.document("registry/manifest").update({"health": {"find_room": "down"}})
    register(db, version=2)
    compile_registry(db)
    assert manifest(db)["health"] == {"find_room": "down"}
