"""`sync`, `registry disable` and `registry enable` on the emulator."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.registry.snapshot import forget, snapshot
from tests.support.catalogs import catalog

from .conftest import Run


def read(db: Client, path: str) -> dict[str, Any]:
    return db.document(path).get().to_dict() or {}


def statuses(db: Client) -> dict[str, str]:
    forget()
    return {id: entry.status.value for id, entry in snapshot(db).content.entries.items()}


def test_sync_publishes_and_says_what_it_did(run: Run, db: Client) -> None:
    done = run("sync")
    assert done.code == 0
    assert done.out.startswith(f"Writing to project {db.project} · the emulator at ")
    assert done.out.count("\nwritten    capabilities/") == len(catalog.capabilities())
    assert f"compiled {len(catalog.capabilities())} capabilities, digest " in done.out
    assert all(f"written    agents/{id}" in done.out for id in catalog.agents())


def test_a_second_sync_writes_nothing(run: Run, db: Client) -> None:
    run("sync")
    done = run("sync")
    assert "written    " not in done.out
    unchanged = len(catalog.capabilities()) + len(catalog.agents())
    assert f"\n{unchanged} unchanged\n" in done.out


def test_a_dry_run_only_tells(run: Run, db: Client) -> None:
    done = run("sync", "--dry-run")
    assert f"would be written    capabilities/{catalog.capabilities()[0].id}" in done.out
    assert "nothing was written" in done.out
    assert done.out.startswith("Reading ")
    assert not list(db.collection("capabilities").limit(1).stream())


def test_sync_tells_what_was_refused(run: Run, registry: Client) -> None:
    done = run("sync")
    assert "refused    capabilities/broken: " in done.out
    assert done.code == 0


def test_sync_warns_of_tools_that_neither_code_nor_the_registry_has(
    run: Run, registry: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = ("find_room", "find_rom", "category:money", "category:moneys", "no/id")
    undeclared = [(each, f"agents.py:3, DESK: `{each}`") for each in named]
    monkeypatch.setattr("rollcall.catalog.Catalog.undeclared_tools", lambda self: undeclared)
    done = run("sync")
    assert done.code == 0
    unknown = ("find_rom", "category:moneys", "no/id")
    told = [f"agents.py:3, DESK: `{each}`" for each in unknown]
    warnings = [line for line in done.out.splitlines() if line.startswith("warning")]
    assert warnings == [f"warning    {each}" for each in told]


def test_disable_takes_a_capability_out_of_what_runs_read(run: Run, registry: Client) -> None:
    before = read(registry, "registry/manifest")["digest"]
    done = run("registry", "disable", "find_room", "--reason", "renovation")
    assert done.code == 0
    assert "capabilities/find_room: active → disabled" in done.out
    assert "at the latest 30 s from now" in done.out
    assert read(registry, "registry/manifest")["digest"] != before
    assert statuses(registry)["find_room"] == "disabled"


def test_disable_keeps_other_overrides_and_says_who_and_why(run: Run, registry: Client) -> None:
    registry.document("capabilities/find_room").update({"overrides": {"keywords": ["hall"]}})
    run("registry", "disable", "find_room", "--reason", "renovation")
    overrides = read(registry, "capabilities/find_room")["overrides"]
    assert (overrides["keywords"], overrides["status"]) == (["hall"], "disabled")
    assert overrides["note"]["text"] == "renovation"
    assert overrides["note"]["by"] and overrides["note"]["at"]
    assert "renovation" in run("registry", "show", "find_room").out


def test_disable_works_for_a_user_without_a_name(
    run: Run, registry: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)

    def nobody(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert run("registry", "disable", "find_room").code == 0
    assert read(registry, "capabilities/find_room")["overrides"]["note"]["by"] == "unknown"


def test_enable_takes_the_override_back(run: Run, registry: Client) -> None:
    run("registry", "disable", "find_room")
    done = run("registry", "enable", "find_room")
    assert "capabilities/find_room: disabled → active" in done.out
    assert read(registry, "capabilities/find_room")["overrides"] == {}
    assert statuses(registry)["find_room"] == "active"


def test_enable_can_set_another_status(run: Run, registry: Client) -> None:
    run("registry", "enable", "find_room", "--status", "beta")
    assert statuses(registry)["find_room"] == "beta"


def test_enable_says_so_where_the_document_itself_is_disabled(run: Run, registry: Client) -> None:
    registry.document("capabilities/find_room").update({"status": "disabled"})
    done = run("registry", "enable", "find_room")
    assert "it is still disabled: its document says so itself" in done.out
    assert "registry enable find_room --status active" in done.out


def test_an_agent_is_disabled_like_a_capability(run: Run, registry: Client) -> None:
    done = run("registry", "disable", "agents/desk", "--reason", "nobody there")
    assert "agents/desk: active → disabled" in done.out
    forget()
    told = snapshot(registry).content.agents["desk"]["overrides"]
    assert told["status"] == "disabled"
    run("registry", "enable", "agents/desk")
    assert "status" not in read(registry, "agents/desk")["overrides"]


def test_an_agent_is_not_said_to_be_refused_with_the_capability_of_its_id(
    run: Run, registry: Client
) -> None:
    registry.document("agents/broken").set({**read(registry, "agents/desk"), "id": "broken"})
    assert "it is refused all the same" in run("registry", "enable", "broken").out
    assert "refused" not in run("registry", "enable", "agents/broken").out


@pytest.mark.parametrize("command", ["disable", "enable"])
def test_what_there_is_not_is_neither_made_nor_changed(
    run: Run, registry: Client, command: str
) -> None:
    done = run("registry", command, "nothing")
    assert (done.code, "no capabilities/nothing" in done.err) == (1, True)
    assert not registry.document("capabilities/nothing").get().exists


@pytest.mark.parametrize("id", ["threads/t1", "a/b/c", "", "agents/"])
def test_what_is_no_id_is_wrong_usage(run: Run, db: Client, id: str) -> None:
    for command in ("show", "disable", "enable"):
        done = run("registry", command, id)
        assert (done.code, "neither a capability's id" in done.err) == (2, True)
