"""The scheduled functions bring a project up to what is deployed, and change nothing twice."""

from __future__ import annotations

from typing import Any

from google.cloud.firestore import Client

from rollcall.endpoints.schedules import seed_reference_data, sync_registry
from tests.support.calling import Here
from tests.support.catalogs import catalog


def paths(db: Client, collection: str) -> dict[str, Any]:
    return {item.id: item.update_time for item in db.collection(collection).stream()}


def test_the_registry_is_published_by_the_clock(db: Client) -> None:
    sync_registry(Here(db))
    first = paths(db, "capabilities")
    sync_registry(Here(db))
    assert set(first) == {capability.id for capability in catalog.capabilities()}
    assert paths(db, "capabilities") == first
    assert set(paths(db, "agents")) == set(catalog.agents())


def test_the_clock_never_seeds_sample_data(db: Client) -> None:
    seed_reference_data(Here(db))
    assert paths(db, "conversations") == {}
    assert paths(db, "messages") == {}
