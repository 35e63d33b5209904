"""`registry doctor` on the emulator."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from .conftest import Run


def levels(found: list[dict[str, str]], topic: str) -> list[str]:
    return [each["level"] for each in found if each["topic"] == topic]


def test_a_project_without_a_registry_fails_with_the_command(run: Run, db: Client) -> None:
    done = run("registry", "doctor")
    assert done.code == 1
    assert "it was never compiled: agents have no tools" in done.out
    assert "-m rollcall sync --project" in done.out


def test_after_a_sync_nothing_fails(run: Run, db: Client) -> None:
    run("sync")
    done = run("registry", "doctor", "--json")
    found = done.json["findings"]
    assert (done.code, [each for each in found if each["level"] == "fail"]) == (0, [])
    assert levels(found, "registry") == ["ok", "ok"]
    assert levels(found, "agents") == ["ok", "warn"]


def test_what_only_google_knows_is_skipped_on_the_emulator(run: Run, db: Client) -> None:
    run("sync")
    found = run("registry", "doctor", "--json").json["findings"]
    skipped = {each["topic"] for each in found if each["level"] == "skip"}
    assert {"indexes", "expiry", "rules", "functions", "schedules", "secrets"} <= skipped


def test_refused_documents_and_stale_ones_are_told(run: Run, registry: Client) -> None:
    done = run("registry", "doctor")
    assert done.code == 1
    words = " ".join(done.out.split())
    assert "broken is refused: " in words
    assert "documents are not as this code declares them" in words
    assert "agents/desk (active) finds all its tools" in words


def test_an_emulator_that_does_not_answer_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:9")
    monkeypatch.setattr("rollcall.commands.doctor.firestore._REACH_S", 1)
    done = run("registry", "doctor")
    assert (done.code, "no answer" in done.out) == (1, True)
