"""Finds turns that have stopped where nobody looks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.options import collection_id
from rollcall.core.wire import RunStatus

if TYPE_CHECKING:
    from google.cloud.firestore import Client

AT_ONCE = 200
"""How many of each kind one sweep hands on."""


def left_lying(db: Client, *, now: datetime, grace: timedelta) -> Iterator[tuple[str, str]]:
    """Threads and runs to go on with: those whose lease has ended, and those that wait for what
    is decided or over. Each is named once.

    Args:
        grace: How long a decision may lie before it counts as missed by its trigger.
    """
    seen: set[tuple[str, str]] = set()
    for found in (_dead_runs(db, now), _decided(db, now - grace), _over(db, now), _late(db, now)):
        for each in found:
            if each not in seen:
                seen.add(each)
                yield each


def _dead_runs(db: Client, now: datetime) -> Iterator[tuple[str, str]]:
    query = (
        db.collection_group(collection_id("runs"))
        .where(filter=_where("status", "==", RunStatus.RUNNING.value))
        .where(filter=_where("leaseUntil", "<=", now))
        .limit(AT_ONCE)
    )
    for snapshot in query.stream():
        thread = snapshot.reference.parent.parent
        if thread is not None:
            yield thread.id, snapshot.id


def _decided(db: Client, until: datetime) -> Iterator[tuple[str, str]]:
    """Approvals with a decision that no run has read yet."""
    yield from _approvals(db, "decision.at", until)


def _over(db: Client, now: datetime) -> Iterator[tuple[str, str]]:
    """Approvals that nobody decided in time."""
    yield from _approvals(db, "expiresAt", now)


def _approvals(db: Client, field: str, until: datetime) -> Iterator[tuple[str, str]]:
    query = (
        db.collection(collection_id("approvals"))
        .where(filter=_where("status", "==", "pending"))
        .where(filter=_where(field, "<=", until))
        .limit(AT_ONCE)
    )
    for snapshot in query.stream():
        data = snapshot.to_dict() or {}
        yield data["threadId"], data["runId"]


def _late(db: Client, now: datetime) -> Iterator[tuple[str, str]]:
    """Threads whose client has not answered the calls that were left to it."""
    query = db.collection(collection_id("threads")).where(filter=_where("waiting.until", "<=", now))
    for snapshot in query.limit(AT_ONCE).stream():
        yield snapshot.id, (snapshot.to_dict() or {})["waiting"]["runId"]


def _where(field: str, operator: str, value: Any) -> Any:
    from google.cloud.firestore import FieldFilter

    return FieldFilter(field, operator, value)
