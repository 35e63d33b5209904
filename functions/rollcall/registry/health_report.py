"""The health of capabilities, as operators read it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from rollcall.registry.breaker import State
from rollcall.registry.counters import Counters
from rollcall.registry.health import NAME
from rollcall.registry.seen import Failure
from rollcall.registry.window import Window

if TYPE_CHECKING:
    from google.cloud.firestore import Client


class Health(Struct, frozen=True):
    """One capability's.

    Attributes:
        since: When this state began; None where it was never another.
        again_at: When what is down is tried again.
        ok, failed: Calls of the last ten minutes; on trial, since that began.
        p50_ms, p95_ms: Within how many ms half, and 95 % of the calls of the last ten to twenty
            minutes ended; None without calls.
        today_ok, today_failed: Calls of the current UTC day.
        failure: The last failure of its own.
    """

    id: str
    state: State
    on_trial: bool
    since: datetime | None
    again_at: datetime | None
    ok: int
    failed: int
    p50_ms: int | None
    p95_ms: int | None
    today_ok: int
    today_failed: int
    failure: Failure | None

    @property
    def success(self) -> float | None:
        """The share of the last ten minutes' calls that came to a result; None without calls."""
        return self.ok / (self.ok + self.failed) if self.ok + self.failed else None


def health(db: Client, *, now: datetime | None = None) -> dict[str, Health]:
    """The health of every capability that was used today or is not well, by id.

    One read, or a few where there are thousands.
    """
    at = (now or datetime.now(UTC)).timestamp()
    records = Counters.load(db, NAME).records
    return {id: _of(id, Window.of(record), at) for id, record in sorted(records.items())}


def _of(id: str, window: Window, now: float) -> Health:
    breaker, (ok, failed) = window.breaker, window.calls(now)
    is_today = window.day == datetime.fromtimestamp(now, UTC).date().isoformat()
    return Health(
        id=id,
        state=breaker.state,
        on_trial=breaker.on_trial,
        since=datetime.fromtimestamp(breaker.since, UTC) if breaker.since else None,
        again_at=(datetime.fromtimestamp(breaker.until, UTC) if breaker.state == "down" else None),
        ok=ok,
        failed=failed,
        p50_ms=window.latency(0.5, now),
        p95_ms=window.latency(0.95, now),
        today_ok=window.day_ok if is_today else 0,
        today_failed=window.day_failed if is_today else 0,
        failure=window.failure,
    )
