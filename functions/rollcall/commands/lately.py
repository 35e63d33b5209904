"""How a capability did lately: its health, and what was counted of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rollcall.commands.printing import moment
from rollcall.commands.screen import Screen
from rollcall.registry.health_report import Health
from rollcall.registry.usage_report import ToolRow, usage

if TYPE_CHECKING:
    from google.cloud.firestore import Client

USAGE_DAYS = 7


def show_health(screen: Screen, seen: Health | None) -> None:
    """What real calls and the scheduled checks told."""
    if seen is None:
        return
    screen.title("Health")
    tries = f", tried again {moment(seen.again_at)}" if seen.again_at else ""
    since = f" since {moment(seen.since)}" if seen.since else ""
    rows = [("state", f"{seen.state}{' on trial' if seen.on_trial else ''}{since}{tries}")]
    if seen.success is not None:
        times = (
            f", half within {seen.p50_ms:,} ms, 95 % within {seen.p95_ms:,} ms"
            if (seen.p50_ms is not None and seen.p95_ms is not None)
            else ""
        )
        calls = seen.ok + seen.failed
        rows.append(("last 10 min", f"{seen.success:.0%} of {calls:,} calls succeeded{times}"))
    if seen.today_ok or seen.today_failed:
        rows.append(("today", f"{seen.today_ok:,} succeeded, {seen.today_failed:,} failed"))
    if failure := seen.failure:
        at = moment(datetime.fromtimestamp(failure.at, UTC))
        rows.append(("last failure", f"{at}, {failure.code}: {failure.message}"))
    screen.pairs(rows)


def show_usage(screen: Screen, used: ToolRow | None) -> None:
    if used is None:
        return
    counts = used.counts
    screen.title(f"Usage of the last {USAGE_DAYS} days")
    screen.say(
        f"offered {counts.offered:,}, called {counts.called:,} (in {counts.missed:,} runs without "
        f"having been chosen), succeeded {used.success}, rated well {used.rated_well}"
    )


def used(db: Client, id: str) -> ToolRow | None:
    """What was counted of a capability in the last days; None where it was not used."""
    today = datetime.now(UTC).date()
    found = usage(db, today - timedelta(days=USAGE_DAYS - 1), today)
    return next((row for row in found.by_capability() if row.tool == id), None)
