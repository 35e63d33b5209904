"""Admission of a run: its user's day counts the start, and may set aside the run's first budget.

Every opening writes the user's day provided that it is as it was read. So no run is opened unseen,
and the rate limit is exact. In the first minutes of a UTC day the starts that count are in
yesterday's document, too. Then both are read, and both are written: no process whose clock is late
opens a run in yesterday's document unseen.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from msgspec import Struct, field

from rollcall.store.batches import write_unchanged
from rollcall.store.budgets import Day, Known, Settlements, read, user_day
from rollcall.store.limits import REMEMBERED_MS, Start, check_rate, remembered

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

WAIT_S = 5.0
"""An opening that has waited so long for the others continues beside them: their database may
hang."""

_locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_guard = threading.Lock()


class Admission(Struct):
    """What an opening reads and writes of its user's day.

    Each try of an opening reads `references` together with the thread, has `admit` add its writes,
    and calls `admitted` when its batch is committed.

    Attributes:
        now: When the run was requested, UTC.
        run_key: The run's key (`store/runs.py`); None for a generated id.
        most: How many runs the user may start in a minute; None for any number.
        counts: Whether the rate counts this one.
        take: Sets the run's first budget aside in the day, once for each try.
        taken: Is given the day as it is in the database, once the run is open.
    """

    db: Client
    uid: str
    now: datetime
    run_key: str | None
    most: int | None
    counts: bool = True
    take: Callable[[Day], None] | None = None
    taken: Callable[[Known], None] | None = None
    _made_key: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    _written: dict[str, Any] = field(default_factory=dict)

    @property
    def references(self) -> Sequence[DocumentReference]:
        """The documents to read, in the order in which the snapshots are to be given: the day's,
        and yesterday's while its starts count."""
        return [user_day(self.db, self.uid, day) for day in self._days]

    def was_started(self, snapshots: Sequence[DocumentSnapshot]) -> bool:
        """Whether a run of this key was opened in the last minutes."""
        return self.run_key is not None and self.run_key in _starts(snapshots)

    def admit(
        self, batch: WriteBatch, snapshots: Sequence[DocumentSnapshot], said: Settlements
    ) -> None:
        """Add the writes, which insist on the documents as they were read.

        Args:
            said: What the thread's last run says it spent.
        Raises:
            ResourceExhausted: The user's rate does not allow it.
        """
        now_ms = int(self.now.timestamp() * 1000)
        starts = _starts(snapshots)
        if self.counts:
            check_rate(starts, self.most, now_ms=now_ms)
        starts[self.run_key or self._made_key] = Start(now_ms, self.counts)
        starts = remembered(starts, now_ms=now_ms)
        today, before = snapshots[0], snapshots[1:]
        day = Day.of(today.to_dict(), uid=self.uid, day=self._days[0])
        day.starts = starts
        day.apply_settlements(said)
        if self.take:
            self.take(day)
        self._written = day.dump()
        write_unchanged(batch, today, self._written)
        for snapshot in before:
            data = Day(self.uid, self._days[1], starts=starts).dump()
            if snapshot.exists:
                data = {"starts": data["starts"]}
            write_unchanged(batch, snapshot, data)

    def admitted(self, time: Any) -> None:
        """Note that the batch is committed.

        Args:
            time: The update time of its documents; None where the answer to it was lost.
        """
        if self.taken is None:
            return
        if time is None:  # which try it was that went through is not known
            self.taken(read(self.references[0]))
        else:
            self.taken(Known(self._written, time))

    @property
    def _days(self) -> list[date]:
        now = self.now.astimezone(UTC)
        before = (now - timedelta(milliseconds=REMEMBERED_MS)).date()
        return list(dict.fromkeys((now.date(), before)))


def _starts(snapshots: Sequence[DocumentSnapshot]) -> dict[str, Start]:
    found = [(snapshot.to_dict() or {}).get("starts", {}) for snapshot in snapshots]
    return {key: Start.of(each) for day in found for key, each in day.items()}


@contextmanager
def one_at_a_time(uid: str) -> Iterator[None]:
    """Wait for this process's other openings of the user: all write the user's day, and would only
    make one another try again. Between processes the database decides."""
    with _guard:
        lock = _locks.get(uid) or threading.Lock()
        _locks[uid] = lock
    is_ours = lock.acquire(timeout=WAIT_S)
    try:
        yield
    finally:
        if is_ours:
            lock.release()
