"""How often a user may start a run: a sliding minute, checked in the batch that opens the run.

A user's starts are kept in a few cells, each with its part of the limit, so that runs opened at the
same moment seldom meet in one document; the limit over all cells is exact. They are apart from the
day's spend, which runs write while others open.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import ResourceExhausted
from rollcall.core.wire import SCHEMA_VERSION
from rollcall.store.budgets import key
from rollcall.store.limits import COLLECTION, UserLimits

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]

CELLS = 4
WINDOW_MS = 60_000
_KEPT = timedelta(days=2)


def rate_reference(db: Client, uid: str) -> DocumentReference:
    """The document to read with the others of an opening: one of the user's cells, by chance."""
    return _cell(db, uid, random.randrange(CELLS))


class RateAdmission:
    """The rate's part of an opening."""

    def __init__(self, db: Client, uid: str, limits: UserLimits, now: datetime) -> None:
        self._db, self._uid, self._limits, self._now = db, uid, limits, now
        self._is_limited = limits.runs_per_minute is not None

    @property
    def references(self) -> list[DocumentReference]:
        return [rate_reference(self._db, self._uid)] if self._is_limited else []

    def was_started(self, snapshots: Sequence[DocumentSnapshot]) -> bool:
        return False

    def admit(self, batch: WriteBatch, snapshots: Sequence[DocumentSnapshot]) -> None:
        for snapshot in snapshots:
            admit(batch, self._db, snapshot, uid=self._uid, limits=self._limits, now=self._now)

    def admitted(self, time: Any) -> None:
        """Nobody asks for the cells once the run is open."""


def admit(
    batch: WriteBatch,
    db: Client,
    snapshot: DocumentSnapshot,
    *,
    uid: str,
    limits: UserLimits,
    now: datetime,
) -> None:
    """Add one preconditioned write that counts this start; a lost race fails the whole batch.

    Args:
        snapshot: Of `rate_reference`. Where that cell is full the others are read, too.
    Raises:
        ResourceExhausted: The user has started too many runs in the last minute.
    """
    most = limits.runs_per_minute
    if most is None:
        return
    now_ms = int(now.timestamp() * 1000)
    cells = [snapshot]
    free = _free(cells, most, now_ms)
    if free is None:
        references = (_cell(db, uid, number) for number in range(CELLS))
        cells += db.get_all([cell for cell in references if cell.id != snapshot.id])
        free = _free(cells[1:], most, now_ms)
    if free is None:
        raise _too_many(cells, most, now_ms)
    _count(batch, db, free, uid=uid, now=now)


def _cell(db: Client, uid: str, number: int) -> DocumentReference:
    return db.document(f"{COLLECTION}/r{key(uid)}-{number}")


def _free(cells: list[DocumentSnapshot], most: int, now_ms: int) -> DocumentSnapshot | None:
    for cell in cells:
        number = int(cell.id.rpartition("-")[2])
        capacity = most // CELLS + (number < most % CELLS)
        if len(_recent(cell, now_ms)) < capacity:
            return cell
    return None


def _recent(cell: DocumentSnapshot, now_ms: int) -> list[int]:
    """The starts of the last minute, in Unix milliseconds."""
    starts: list[int] = (cell.to_dict() or {}).get("starts", [])
    return [start for start in starts if start > now_ms - WINDOW_MS]


def _count(
    batch: WriteBatch, db: Client, cell: DocumentSnapshot, *, uid: str, now: datetime
) -> None:
    now_ms = int(now.timestamp() * 1000)
    data = {
        "schemaVersion": SCHEMA_VERSION,
        "uid": uid,
        "starts": [*_recent(cell, now_ms), now_ms],
        "expiresAt": now + _KEPT,
    }
    if cell.exists:
        option = db.write_option(last_update_time=cell.update_time)
        batch.update(cell.reference, data, option=option)
    else:
        batch.create(cell.reference, data)


def _too_many(cells: list[DocumentSnapshot], most: int, now_ms: int) -> ResourceExhausted:
    starts = [start for cell in cells for start in _recent(cell, now_ms)]
    wait_ms = min(starts, default=now_ms) + WINDOW_MS - now_ms
    return ResourceExhausted(
        f"that is too fast: at most {most} messages a minute; wait a moment",
        retry_after_s=max(1, -(-wait_ms // 1000)),
    )
