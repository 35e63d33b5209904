"""Admission of a run: its user's day counts the start and the runs under way, and may reserve the
run's first model call.

Every opening writes the user's day provided that it is as it was read. So no run is opened unseen,
and the rate, a sliding minute's, and the number of runs at once are exact. In the first minutes of
a UTC day what counts is in yesterday's document, too. Then both are read, and the starts written to
both: no process whose clock is late opens a run in yesterday's document unseen.
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
"""How long starts are kept: a minute, and by how much the clocks of two processes may differ. A run
that was just opened is known by its key also to a process whose clock is ahead."""
BOTH_DAYS_MS = REMEMBERED_MS
"""For so long after midnight what counts is in yesterday's document, too."""
LOOK_AT = 100
"""Without a limit of runs at once, at so many entries the ones that are over are taken out."""


class TooManyRuns(ResourceExhausted):
    """As many runs of the user as may be are under way.

    Attributes:
        running: Their threads and ids, as the details have them.
    """

    def __init__(self, running: Collection[str], *, most: int) -> None:
        names = ("threadId", "runId")
        self.running = [
            dict(zip(names, path.split("/")[-3::2], strict=True)) for path in sorted(running)
        ]
        super().__init__(
            f"{len(running)} of your runs are under way, and at most {most} may be at once",
            hint="wait until one of details.running has ended" if most else "none may be for you",
            retry_after_s=2 if most else None,
        )

    @property
    def details(self) -> dict[str, Any]:
        return {**super().details, "running": self.running}


class Admission(Struct):
    """What an opening reads and writes of its user's day.

    Each try of an opening reads `references` together with the thread and sets `snapshots`, has
    `admit` add its writes, and calls `admitted` when its batch is committed.

    Attributes:
        now: When the run was requested, UTC.
        limits: How many runs the user may start in a minute, and have under way at once.
        counts: Whether both limits count this one; one that continues a turn is only entered.
        budget: What the run spends from, where its first call is paid for.
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
        """The user's day, and yesterday while its starts count."""
        return [paths.user_day(self.db, self.uid, day) for day in self._dates]

    def was_started(self, key: str) -> bool:
        """Whether a run of this key was opened in the last minutes."""
        return any(key in day.starts for day in self._days)

    def admit(self, batch: WriteBatch, run: str, key: str | None) -> None:
        """Add the writes, which insist on the documents as they were read.

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
        # Whether one more may be under way. Its thread is free for this run, or taken over by it.
        day, thread = days[0], f"{run.rpartition('/')[0]}/"
        for id, entry in list(day.reservations.items()):
            if (entry["run"] or "").startswith(thread) and Amount.of(entry) == NONE:
                del day.reservations[id]
        at_once = self.limits.runs_at_once
        entered = {each["run"] for day in days for each in day.reservations.values()}
        entered = {each for each in entered if each and not each.startswith(thread)}
        if len(entered) >= (LOOK_AT if at_once is None else at_once):
            running = {each for day in days for each in day.look(self.db, now=self.now)} & entered
            if self.counts and at_once is not None and len(running) >= at_once:
                raise TooManyRuns(running, most=at_once)
        starts = remembered(starts, now_ms=now_ms)
        starts[key or self._id] = {"atMs": now_ms, "counts": self.counts}
        day.uid = self.uid  # also of a day that an erasure had left without a name
        day.reservations[self._id] = reservation(NONE, run, self.now)
        if self.budget:
            self.budget.reserve_first(day, batch, self._id)
        for snapshot, each in zip(self.snapshots, days, strict=True):
            each.uid = each.uid if snapshot.exists else self.uid
            each.starts = starts
            write_unchanged(batch, snapshot, each.dump())

    def admitted(self) -> None:
        """Note that the batch is committed."""
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
    """Return the starts that are kept, by their runs' keys."""
    return {key: each for key, each in starts.items() if each["atMs"] > now_ms - REMEMBERED_MS}


def check_rate(starts: Starts, most: int | None, *, now_ms: int) -> None:
    """Check that one more run may be started.

    Args:
        starts: Those that are remembered: `{atMs, counts}`, in Unix milliseconds.
        most: How many may start in a minute; None for any number.
    Raises:
        ResourceExhausted: One more would be too many.
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
