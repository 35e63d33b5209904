"""Admission of a run: checks the user's rate and concurrent runs against the user's day, and may
reserve the run's first model call.

Every opening writes the user's day on the condition that it has not changed since it was read. No
opening is missed, so the rate over a sliding minute and the number of concurrent runs are exact. In
the first minutes of a UTC day, yesterday's document still has starts that count. Both documents are
then read, and starts are written to both, so that a run that is opened in yesterday's document by a
process with a late clock is counted, too.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import ResourceExhausted
from rollcall.core.texts import TEXTS
from rollcall.store import paths
from rollcall.store.batches import write_unchanged
from rollcall.store.budgets import (
    NONE,
    Amount,
    Day,
    RunBudget,
    UserLimits,
    reservation,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

    Starts = Mapping[str, dict[str, Any]]

WINDOW_MS = 60_000
REMEMBERED_MS = WINDOW_MS + 180_000
"""How long starts are kept: a minute, plus the most by which the clocks of two processes may
differ. A process whose clock is ahead still finds the key of a run that was just opened."""
BOTH_DAYS_MS = REMEMBERED_MS
"""How long after midnight yesterday's document is read and written, too."""
LOOK_AT = 100
"""The number of entries at which ended runs are removed, for a user whose concurrent runs are not
limited."""


class TooManyRuns(ResourceExhausted):
    """The user has as many concurrent runs as the limit allows.

    Attributes:
        running: The runs, as `{threadId, runId}`; also in the error's details.
    """

    def __init__(self, running: Collection[str], *, most: int) -> None:
        names = ("threadId", "runId")
        self.running = [
            dict(zip(names, path.split("/")[-3::2], strict=True)) for path in sorted(running)
        ]
        super().__init__(
            TEXTS.text("errors.too_many_runs", count=len(running), most=most),
            hint="wait until one of details.running has ended" if most else "you may start no runs",
            retry_after_s=2 if most else None,
        )

    @property
    def details(self) -> dict[str, Any]:
        return {**super().details, "running": self.running}


class Admission(Struct):
    """Admits one run: reads and writes the user's day as part of the run's opening.

    Each attempt at an opening reads `references` together with the thread, sets `snapshots`, lets
    `admit` add its writes to the batch, and calls `admitted` once the batch is committed.

    Attributes:
        now: When the run was requested, UTC.
        limits: How many runs the user may start in a minute, and have under way at once.
        counts: Whether the run counts towards both limits. A run that continues a turn does not: it
            is only recorded.
        budget: The budget of the run, if its first model call is reserved at once.
    """

    db: Client
    uid: str
    now: datetime
    limits: UserLimits
    counts: bool = True
    budget: RunBudget | None = None
    snapshots: Sequence[DocumentSnapshot] = ()
    _id: str = field(default_factory=lambda: f"s{uuid.uuid4().hex[:15]}")

    @property
    def references(self) -> list[DocumentReference]:
        """The documents to read: the user's day, and yesterday's while its starts count."""
        return [paths.user_day(self.db, self.uid, day) for day in self._dates]

    def was_started(self, key: str) -> bool:
        """Whether a run of this key was opened in the last minutes."""
        return any(key in day.starts for day in self._days)

    def admit(self, batch: WriteBatch, run: str, key: str | None) -> None:
        """Check the limits and add the writes, on the condition that the documents are unchanged.

        Args:
            run: The path of the run's document.
            key: The run's key (`store/runs.py`); None for a generated id.
        Raises:
            ResourceExhausted: The user's rate, or the number of runs at once, does not allow it.
        """
        days, now_ms = self._days, int(self.now.timestamp() * 1000)
        starts = {key: each for day in days for key, each in day.starts.items()}
        if self.counts:
            check_rate(starts, self.limits.runs_per_minute, now_ms=now_ms)
        # Other runs of the same thread do not count: they have ended, or this run supersedes them.
        day, thread = days[0], f"{run.rpartition('/')[0]}/"
        for id, entry in list(day.reservations.items()):
            if (entry["run"] or "").startswith(thread) and Amount.of(entry) == NONE:
                del day.reservations[id]
        at_once = self.limits.runs_at_once
        recorded = {each["run"] for day in days for each in day.reservations.values()}
        recorded = {each for each in recorded if each and not each.startswith(thread)}
        if len(recorded) >= (LOOK_AT if at_once is None else at_once):
            live = {run for day in days for run in day.remove_ended_runs(self.db, now=self.now)}
            running = live & recorded
            if self.counts and at_once is not None and len(running) >= at_once:
                raise TooManyRuns(running, most=at_once)
        starts = remembered(starts, now_ms=now_ms)
        starts[key or self._id] = {"atMs": now_ms, "counts": self.counts}
        day.uid = self.uid  # an erasure may have removed it
        day.reservations[self._id] = reservation(NONE, run, self.now)
        if self.budget:
            self.budget.reserve_first(day, batch, self._id)
        for snapshot, each in zip(self.snapshots, days, strict=True):
            each.uid = each.uid if snapshot.exists else self.uid
            each.starts = starts
            write_unchanged(batch, snapshot, each.dump())

    def admitted(self) -> None:
        """Confirm that the batch was committed."""
        if self.budget:
            self.budget.begin(self._id)

    @property
    def _dates(self) -> list[date]:
        now = self.now.astimezone(UTC)
        before = now - timedelta(milliseconds=BOTH_DAYS_MS)
        return list(dict.fromkeys((now.date(), before.date())))

    @property
    def _days(self) -> list[Day]:
        read = zip(self.snapshots, self._dates, strict=True)
        return [Day.of(snapshot.to_dict(), day) for snapshot, day in read]


def remembered(starts: Starts, *, now_ms: int) -> dict[str, dict[str, Any]]:
    """Return the starts that are recent enough to keep, by their runs' keys."""
    return {key: each for key, each in starts.items() if each["atMs"] > now_ms - REMEMBERED_MS}


def check_rate(starts: Starts, most: int | None, *, now_ms: int) -> None:
    """Check that one more run may be started.

    Args:
        starts: Recent starts, each `{atMs, counts}`, in Unix milliseconds.
        most: How many runs may start in a minute; None for no limit.
    Raises:
        ResourceExhausted: The limit is reached.
    """
    since = now_ms - WINDOW_MS
    counted = [each["atMs"] for each in starts.values() if each["counts"] and each["atMs"] > since]
    if most is None or len(counted) < most:
        return
    wait_ms = min(counted, default=now_ms) + WINDOW_MS - now_ms
    raise ResourceExhausted(
        TEXTS.text("errors.too_fast", most=most),
        retry_after_s=max(1, -(-wait_ms // 1000)),
    )
