"""What looks after the registry by the clock: the health of capabilities, and how they are used."""

from __future__ import annotations

import logging
import time
from functools import partial

from rollcall.agent.targets import probe
from rollcall.core.context import Platform
from rollcall.core.triggers import OnSchedule, bound
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.health import check
from rollcall.registry.snapshot import snapshot
from rollcall.registry.usage import roll_up

log = logging.getLogger("rollcall")


@bound(OnSchedule("every 1 minutes", timeout_s=120))
def check_health(platform: Platform) -> None:
    """Fold what processes saw of capabilities, look for some of them, and take what does not work
    out of what is offered, or back in."""
    watch(platform, now=time.time())


def watch(platform: Platform, *, now: float) -> None:
    """One check as of `now`, seconds since 1970."""
    entries = snapshot(platform.db).content.entries
    look = partial(probe, catalog=platform.catalog)
    checked = check(platform.db, entries, probe=look, now=now)
    log.info(
        "health: %d samples, %d checked, %d changed, %d not well",
        checked.samples,
        checked.probed,
        len(checked.changed),
        len(checked.states),
    )


@bound(OnSchedule("every 10 minutes"))
def roll_up_usage(platform: Platform) -> None:
    """Count the runs and ratings that the audit has had since the last time."""
    known = {*snapshot(platform.db).content.entries, FIND_TOOLS}
    counted = roll_up(platform.db, known)
    log.info("usage: %d entries counted", counted)
