"""Recovery: finds runs and turns that no process works on, and reopens the run of a dead process.

A run is recovered from what it saved: its history may end with calls that have no result yet, and
its events continue after the last stored page.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.options import collection_id, lease_s
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.batches import read_all, try_commit, update_unchanged, where
from rollcall.store.event_log import EventLog, find_open_page
from rollcall.store.message_log import read_log, unanswered_places
from rollcall.store.open_run import OpenRun
from rollcall.store.run_closing import next_lease
from rollcall.store.runs import LEASE_SHARDS

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MAX_FRUITLESS = 5
"""A run that was recovered this often without making progress is closed: it may be the run that
kills its processes."""
AT_ONCE = 200
"""The most results of each query in one sweep."""


def recover_run(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
    """Reopen a run whose process is gone, after its last saved step.

    Returns:
        The open run. None if the run has ended, a process works on it, or another process was
        faster (which may be the run's own, if it is alive after all); also if the run was recovered
        so often without progress that it is closed now.
    """
    thread, run, view = read_all(
        db,
        paths.thread(db, thread_id),
        paths.run(db, thread_id, run_id),
        paths.window(db, thread_id),
    )
    if not (thread.exists and run.exists):
        return None
    data, holder = run.to_dict() or {}, thread.to_dict() or {}
    until, now = data.get("leaseUntil"), datetime.now(UTC)
    is_abandoned = until is not None and until <= now
    lease = holder.get("lease") or {}
    if data["status"] != RunStatus.RUNNING or not is_abandoned or lease.get("runId") != run_id:
        return None
    page, recent = find_open_page(db, thread_id, run_id), read_log(db, thread_id)
    token, lease = next_lease(holder, run_id)
    has_progressed = recent.next_message > data.get("reached", recent.next_message)
    claim = {
        "token": token,
        "attempt": data["attempt"] + 1,
        "fruitless": 1 if has_progressed else data["fruitless"] + 1,
        "reached": recent.next_message,
        "leaseUntil": now + timedelta(seconds=lease_s()),
        "updatedAt": now,
    }
    events = EventLog(
        data["uid"],
        thread_id,
        run_id,
        writer=uuid.uuid4().hex,
        attempt=claim["attempt"],
        page=page.number,
        count=page.first,
    )
    batch = db.batch()
    update_unchanged(batch, thread, lease)
    update_unchanged(batch, run, claim)
    newest = recent.documents[-1]
    if unanswered_places(newest):
        # The run's former process may be about to save results there.
        option = db.write_option(last_update_time=recent.time)
        reference = paths.message(db, thread_id, newest["n"])
        batch.update(reference, {"savedBy": events.writer}, option=option)
    page.take(batch, db, events)
    written = try_commit(batch)
    if written is None:
        return None
    events.page_time = written[-1].update_time
    opened = OpenRun.of(
        db,
        {**data, **claim},
        events,
        allowed=holder.get("allowed"),
        view=view,
        documents=recent.documents,
    )
    if opened.fruitless <= MAX_FRUITLESS:
        return opened
    message = f"this was tried {MAX_FRUITLESS} times and broke off each time"
    opened.fail({"code": "internal", "message": message})
    return None


def find_unfinished(db: Client, *, now: datetime, grace: timedelta) -> Iterator[tuple[str, str]]:
    """Find runs with an expired lease, and waiting runs with decided or expired approvals or with
    expired client calls.

    Args:
        grace: The age at which a decision counts as missed by its trigger.
    Yields:
        Distinct pairs of a thread's and a run's id.
    """
    runs = db.collection_group(collection_id("runs"))
    approvals = db.collection(collection_id("approvals"))
    threads = db.collection(collection_id("threads"))
    pending = approvals.where(filter=where("status", "==", "pending"))
    # Only a running run has a lease.
    leased = runs.where(filter=where("leaseShard", "in", list(range(LEASE_SHARDS))))

    def approval_ids(approval: Any) -> tuple[str, str]:
        return approval.get("threadId"), approval.get("runId")

    queries: tuple[tuple[Any, Callable[[Any], tuple[str, str]]], ...] = (
        (
            leased.where(filter=where("leaseUntil", "<=", now)),
            lambda run: (run.reference.parent.parent.id, run.id),
        ),
        (pending.where(filter=where("decision.at", "<=", now - grace)), approval_ids),
        (pending.where(filter=where("expiresAt", "<=", now)), approval_ids),
        (
            threads.where(filter=where("waiting.until", "<=", now)),  # no answer from the client
            lambda thread: (thread.id, thread.get("waiting.runId")),
        ),
    )
    found: set[tuple[str, str]] = set()
    for query, ids in queries:
        for snapshot in query.limit(AT_ONCE).stream():
            if (each := ids(snapshot)) not in found:
                found.add(each)
                yield each
