"""The scheduled functions: they sync the registry, check health and roll up usage."""

from __future__ import annotations

import time
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import Unavailable
from rollcall.endpoints import schedules
from rollcall.endpoints.schedules import (
    check_health,
    roll_up_usage,
    seed_reference_data,
    sync_registry,
    watch,
)
from rollcall.registry import snapshot
from rollcall.registry.health import PROBE_MINUTES
from rollcall.registry.recorder import SAMPLES, HealthRecorder
from rollcall.registry.sync import sync
from tests.support.catalogs import catalog
from tests.support.local_functions import LocalPlatform

TOOL = next(each.id for each in catalog.capabilities() if each.mark.runs_on == "server")


@pytest.fixture
def platform(db: Client) -> LocalPlatform:
    snapshot.forget()
    sync(db, catalog.capabilities(), catalog.agents().values())
    return LocalPlatform(db)


def add_sample(db: Client, id: str, *codes: str) -> None:
    recorder = HealthRecorder()
    for number, code in enumerate(codes):
        error = {"code": code, "message": "the archive is closed"}
        recorder.note(id, uid=f"user {number}", ms=5, error=error, arguments={})
    db.collection(SAMPLES).add(recorder.sample())


def health(db: Client) -> dict[str, str]:
    snapshot.forget()
    return snapshot.snapshot(db).health


def test_what_fails_is_down_in_the_registry_that_runs_read(platform: LocalPlatform) -> None:
    digest = snapshot.snapshot(platform.db).content.digest
    check_health(platform)
    assert health(platform.db) == {}
    add_sample(platform.db, TOOL, *["unavailable"] * 5)
    check_health(platform)
    assert health(platform.db) == {TOOL: "down"}
    assert (
        snapshot.snapshot(platform.db).content.digest == digest
    )  # nobody has to read its parts again


def test_compiling_keeps_what_is_known_of_health(platform: LocalPlatform) -> None:
    add_sample(platform.db, TOOL, *["unavailable"] * 5)
    check_health(platform)
    platform.db.document("capabilities/pay").set({"source": "app", "status": "disabled"})
    sync(platform.db, catalog.capabilities(), catalog.agents().values())
    assert health(platform.db) == {TOOL: "down"}


def test_code_that_cannot_be_loaded_is_found_by_the_clock(
    platform: LocalPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    def probe(entry: Any, catalog: Any) -> None:
        if entry.id == TOOL:
            raise Unavailable("the code of it cannot be loaded: ModuleNotFoundError")

    monkeypatch.setattr(schedules, "probe", probe)
    began = time.time()
    for minute in range(PROBE_MINUTES + 2):
        watch(platform, now=began + 60 * minute)
    assert health(platform.db) == {TOOL: "down"}


def test_usage_is_counted_by_the_clock(
    platform: LocalPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "rollcall")
    roll_up_usage(platform)
    assert "0 entries counted" in caplog.text


def update_times(db: Client, collection: str) -> dict[str, Any]:
    return {item.id: item.update_time for item in db.collection(collection).stream()}


def test_the_registry_is_published_by_the_clock(db: Client) -> None:
    sync_registry(LocalPlatform(db))
    first = update_times(db, "capabilities")
    sync_registry(LocalPlatform(db))
    assert set(first) == {capability.id for capability in catalog.capabilities()}
    assert update_times(db, "capabilities") == first
    assert set(update_times(db, "agents")) == set(catalog.agents())


def test_the_clock_never_seeds_sample_data(db: Client) -> None:
    seed_reference_data(LocalPlatform(db))
    assert update_times(db, "conversations") == {}
    assert update_times(db, "messages") == {}
