"""The scheduled functions bring a project up to what is deployed, and change nothing twice."""

from __future__ import annotations

from typing import Any

from google.cloud.firestore import Client

from rollcall.endpoints.schedules import seed_reference_data, sync_registry
from tests.support.catalogs import catalog
from tests.support.local_functions import LocalPlatform


def paths(db: Client, collection: str) -> dict[str, Any]:
    return {item.id: item.update_time for item in db.collection(collection).stream()}


def test_the_registry_is_published_by_the_clock(db: Client) -> None:
    sync_registry(LocalPlatform(db))
    first = paths(db, "capabilities")
    sync_registry(LocalPlatform(db))
    assert set(first) == {capability.id for capability in catalog.capabilities()}
    assert paths(db, "capabilities") == first
    assert set(paths(db, "agents")) == set(catalog.agents())


def test_the_clock_never_seeds_sample_data(db: Client) -> None:
    seed_reference_data(LocalPlatform(db))
    assert paths(db, "conversations") == {}
    assert paths(db, "messages") == {}
