"""What runs by the clock: the registry and the reference data, brought up to what is deployed."""

from __future__ import annotations

import logging
from pathlib import Path

from rollcall.core.context import Platform
from rollcall.core.triggers import OnSchedule, bound
from rollcall.registry.sync import sync
from rollcall.store.seeding import seed

log = logging.getLogger("rollcall")


@bound(OnSchedule("every day 03:00"))
def sync_registry(platform: Platform) -> None:
    """Publish what this codebase declares; it writes only what changed."""
    declared = platform.catalog
    report = sync(
        platform.db,
        declared.capabilities(),
        declared.agents().values(),
        embedder=platform.embedder,
    )
    log.info("registry: %d written, %d withdrawn", len(report.written), len(report.withdrawn))


@bound(OnSchedule("every day 03:10"))
def seed_reference_data(platform: Platform) -> None:
    """Bring the reference data sets of the app's folder `seed` to Firestore; sample data is never
    seeded by the clock."""
    folder = Path(platform.catalog.folder, "seed")
    for loaded in seed(platform.db, folder, {"reference"}):
        log.info("%s: %d written, %d removed", loaded.collection, loaded.written, loaded.removed)
