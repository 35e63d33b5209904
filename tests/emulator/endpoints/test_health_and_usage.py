"""The clock's functions, on the registry as it is published."""

from __future__ import annotations

import time
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import Unavailable
from rollcall.endpoints import schedules
from rollcall.endpoints.schedules import check_health, roll_up_usage, watch
from rollcall.registry import snapshot
from rollcall.registry.health import PROBE_MINUTES
from rollcall.registry.recorder import SAMPLES, HealthRecorder
from rollcall.registry.sync import sync
from tests.support.catalogs import catalog
from tests.support.local_functions import LocalPlatform

TOOL = next(each.id for each in catalog.capabilities() if each.mark.runs_on == "server")


@pytest.fixture
def here(db: Client) -> LocalPlatform:
    snapshot.forget()
    sync(db, catalog.capabilities(), catalog.agents().values())
    return LocalPlatform(db)


def tell(db: Client, id: str, *codes: str) -> None:
    witness = HealthRecorder()
    for number, code in enumerate(codes):
        witness.note(id, uid=f"user {number}", ms=5, code=code)
    db.collection(SAMPLES).add(witness.sample())


def health(db: Client) -> dict[str, str]:
    snapshot.forget()
    return snapshot.snapshot(db).health


def test_what_fails_is_down_in_the_registry_that_runs_read(here: LocalPlatform) -> None:
    digest = snapshot.snapshot(here.db).content.digest
    check_health(here)
    assert health(here.db) == {}
    tell(here.db, TOOL, *["unavailable"] * 5)
    check_health(here)
    assert health(here.db) == {TOOL: "down"}
    assert snapshot.snapshot(here.db).content.digest == digest  # nobody has to read its parts again


def test_compiling_keeps_what_is_known_of_health(here: LocalPlatform) -> None:
    tell(here.db, TOOL, *["unavailable"] * 5)
    check_health(here)
    here.db.document("capabilities/pay").set({"source": "app", "status": "disabled"})
    sync(here.db, catalog.capabilities(), catalog.agents().values())
    assert health(here.db) == {TOOL: "down"}


def test_code_that_cannot_be_loaded_is_found_by_the_clock(
    here: LocalPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    def probe(entry: Any, catalog: Any) -> None:
        if entry.id == TOOL:
            raise Unavailable("the code of it cannot be loaded: ModuleNotFoundError")

    monkeypatch.setattr(schedules, "probe", probe)
    began = time.time()
    for minute in range(PROBE_MINUTES + 2):
        watch(here, now=began + 60 * minute)
    assert health(here.db) == {TOOL: "down"}


def test_usage_is_counted_by_the_clock(
    here: LocalPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "rollcall")
    roll_up_usage(here)
    assert "0 entries counted" in caplog.text
