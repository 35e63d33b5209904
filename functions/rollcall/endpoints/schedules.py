"""Scheduled functions: publish the registry, seed reference data, check health, count usage."""

from __future__ import annotations

import logging
import time
from functools import partial
from pathlib import Path

from rollcall.agent.targets import probe
from rollcall.core.context import Platform
from rollcall.core.shapes import PLATFORM_TOOLS
from rollcall.core.triggers import OnSchedule, bound
from rollcall.registry.health import check
from rollcall.registry.snapshot import snapshot
from rollcall.registry.sync import sync
from rollcall.registry.usage import roll_up
from rollcall.store.seeding import seed

log = logging.getLogger("rollcall")


@bound(OnSchedule("every day 03:00"))
def sync_registry(platform: Platform) -> None:
    """Publish this codebase's capabilities and agents; only changes are written."""
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
    """Bring the packs' reference data in Firestore up to date, from the app's folder `seed`. Sample
    data is never seeded on a schedule."""
    folder = Path(platform.catalog.folder, "seed")
    for loaded in seed(platform.db, folder, {"reference"}):
        log.info("%s: %d written, %d removed", loaded.collection, loaded.written, loaded.removed)


@bound(OnSchedule("every 1 minutes", timeout_s=120))
def check_health(platform: Platform) -> None:
    """Update the health of capabilities from recorded calls and from probes; a capability that is
    down is no longer offered."""
    watch(platform, now=time.time())


def watch(platform: Platform, *, now: float) -> None:
    """Run one health check as of `now`, seconds since 1970."""
    entries = snapshot(platform.db).content.entries
    check(platform.db, entries, probe=partial(probe, catalog=platform.catalog), now=now)


@bound(OnSchedule("every 10 minutes"))
def roll_up_usage(platform: Platform) -> None:
    """Count the audit log's new runs and ratings by agent, variant, tool and day."""
    known = {*snapshot(platform.db).content.entries, *PLATFORM_TOOLS}
    counted = roll_up(platform.db, known)
    log.info("usage: %d entries counted", counted)
