"""What runs by the clock: the registry and the reference data, brought up to what is deployed."""

from __future__ import annotations

import logging
from pathlib import Path

from rollcall.core.context import Platform
from rollcall.core.triggers import OnSchedule, bound
from rollcall.registry.sync import sync
from rollcall.store.seeding import seed

SEED = Path(__file__).parents[2] / "seed"
"""A link to the repository's `seed/`, which deploy and the emulator follow."""

log = logging.getLogger("rollcall")


@bound(OnSchedule("every day 03:00"))
def sync_registry(platform: Platform) -> None:
    """Publish what this codebase declares; it writes only what changed."""
    from rollcall.catalog import agents, capabilities

    report = sync(platform.db, capabilities(), agents().values(), embedder=platform.embedder)
    log.info("registry: %d written, %d withdrawn", len(report.written), len(report.withdrawn))


@bound(OnSchedule("every day 03:10"))
def seed_reference_data(platform: Platform) -> None:
    """Bring the reference data sets to Firestore; sample data is never seeded by the clock."""
    for loaded in seed(platform.db, SEED, {"reference"}):
        log.info("%s: %d written, %d removed", loaded.collection, loaded.written, loaded.removed)
