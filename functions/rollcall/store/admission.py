"""An opening's write of its user's day: it counts the start, and may take the run's first slice.

In the first minutes of a UTC day the starts that count are in yesterday's document, too. Then both
are read, and both are written: so nobody whose clock is late opens in yesterday's unseen.

A user's openings, one after the other within a process.

All of them write the user's day (`store/day_admission.py`). At once they would only make each other
try again; between processes the database decides.
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

from rollcall.store.budgets import Day, Known, Settlements, read, settle_said, user_day
from rollcall.store.limits import REMEMBERED_MS, Start, check_rate, remembered

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


class Admission(Struct):
    """What an opening reads and writes beside its thread, so that its user's runs are counted.

    Each of its tries reads `references` together with the thread, asks `admit` for its writes, and
    tells `admitted` when its batch has gone through.

    Attributes:
        now: When the opening was asked for, UTC.
        run_key: What the user's other openings know the run by; None for an id that was made here.
        most: How many runs the user may start in a minute; None for any number.
        counts: Whether the rate counts this one.
        take: Takes the run's first slice of the day, once for each try.
        taken: Is told the day as it is in the database, once the run is open.
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
        starts = _starts(snapshots)
        if self.counts:
            check_rate(starts, self.most, now_ms=self._now_ms)
        starts[self.run_key or self._made_key] = Start(self._now_ms, self.counts)
        starts = remembered(starts, now_ms=self._now_ms)
        today, before = snapshots[0], snapshots[1:]
        day = Day.of(today.to_dict(), uid=self.uid, day=self._days[0])
        day.starts = starts
        settle_said(day, said)
        if self.take:
            self.take(day)
        self._written = day.dump()
        _write(batch, self.db, today, self._written)
        for snapshot in before:
            data = Day(self.uid, self._days[1], starts=starts).dump()
            if snapshot.exists:
                data = {"starts": data["starts"]}
            _write(batch, self.db, snapshot, data)

    def admitted(self, time: Any) -> None:
        """The batch is written. `time` is the update time of its documents; None where the answer
        to it was lost."""
        if self.taken is None:
            return
        if time is None:  # which try it was that went through is not known
            self.taken(read(self.references[0]))
        else:
            self.taken(Known(self._written, time))

    @property
    def _now_ms(self) -> int:
        return int(self.now.timestamp() * 1000)

    @property
    def _days(self) -> list[date]:
        now = self.now.astimezone(UTC)
        before = (now - timedelta(milliseconds=REMEMBERED_MS)).date()
        return list(dict.fromkeys((now.date(), before)))


def _starts(snapshots: Sequence[DocumentSnapshot]) -> dict[str, Start]:
    found = [(snapshot.to_dict() or {}).get("starts", {}) for snapshot in snapshots]
    return {key: Start.of(each) for day in found for key, each in day.items()}


def _write(batch: WriteBatch, db: Client, snapshot: DocumentSnapshot, data: dict[str, Any]) -> None:
    """Write a document provided that it is as it was read."""
    if snapshot.exists:
        option = db.write_option(last_update_time=snapshot.update_time)
        batch.update(snapshot.reference, data, option=option)
    else:
        batch.create(snapshot.reference, data)


WAIT_S = 5.0
"""Who waited so long for the others goes on beside them: they may have a database that hangs."""

_lines: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_guard = threading.Lock()


@contextmanager
def one_at_a_time(uid: str) -> Iterator[None]:
    """Wait for this process's other openings of the user."""
    with _guard:
        line = _lines.get(uid) or threading.Lock()
        _lines[uid] = line
    is_ours = line.acquire(timeout=WAIT_S)
    try:
        yield
    finally:
        if is_ours:
            line.release()
