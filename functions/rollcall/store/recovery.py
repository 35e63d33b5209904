"""Takes a run up again whose process died, from what it saved.

Finds turns that have stopped where nobody looks.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.options import collection_id, lease_s
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.approvals import Approval, load_approvals
from rollcall.store.batches import read_all, try_commit
from rollcall.store.event_log import EventLog, find_open_page
from rollcall.store.leases import RunLease, next_lease
from rollcall.store.message_log import read_history, unanswered_places
from rollcall.store.open_run import OpenRun
from rollcall.store.runs import read_request, read_user
from rollcall.store.window import RecentLog, decisions_at_turn_start, decisions_of, read_log

if TYPE_CHECKING:
    from google.cloud.firestore import Client


MAX_FRUITLESS = 5
"""A run that was taken up as often as this without getting any further is closed: it may be what
kills its processes."""


def recover_run(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
    """Go on with a run whose process is gone, from the last saved step.

    Returns:
        None if the run has ended, is in somebody's hands, or somebody else was faster: who had it,
        perhaps, and is not gone.
    """
    thread, run, view = read_all(
        db,
        paths.thread(db, thread_id),
        paths.run(db, thread_id, run_id),
        paths.window(db, thread_id),
    )
    if not (thread.exists and run.exists):
        return None
    data, found = run.to_dict() or {}, thread.to_dict() or {}
    lease = found.get("lease") or {}
    until = data.get("leaseUntil")
    is_stale = until is not None and until <= datetime.now(UTC)
    if data["status"] != RunStatus.RUNNING or not is_stale or lease.get("runId") != run_id:
        return None
    page, log = find_open_page(db, thread_id, run_id), read_log(db, thread_id)
    token, taken = next_lease(found, run_id)
    claim = _claim(data, token, log)
    events = EventLog(
        data["uid"],
        thread_id,
        run_id,
        hand=uuid.uuid4().hex,
        attempt=claim["attempt"],
        page=page.number,
        count=page.first,
    )
    batch = db.batch()
    option = db.write_option(last_update_time=thread.update_time)
    batch.update(thread.reference, taken, option=option)
    batch.update(run.reference, claim, option=db.write_option(last_update_time=run.update_time))
    newest = log.documents[-1]
    if unanswered_places(newest):
        # Whoever had the run may be about to save results there.
        option = db.write_option(last_update_time=log.time)
        reference = paths.message(db, thread_id, newest["n"])
        batch.update(reference, {"savedBy": events.hand}, option=option)
    page.take(batch, db, events)
    written = try_commit(batch)
    if written is None:
        return None
    events.page_time = written[-1].update_time
    opened = handle(
        db,
        data,
        thread=found,
        documents=log.documents,
        token=token,
        events=events,
        approvals=load_approvals(db, data["approvals"]),
        decisions=decisions_of(view),
        told_decisions=decisions_at_turn_start(view, data["turnId"]),
    )
    opened.attempt = claim["attempt"]
    opened.fruitless = claim["fruitless"]
    opened.hold.is_cancelled = bool(data.get("cancelRequested"))
    return opened


def _claim(run: dict[str, Any], token: int, log: RecentLog) -> dict[str, Any]:
    """The fields of a run that is taken up."""
    now = datetime.now(UTC)
    # A run that version 2 began has noted itself that it got further.
    got_further = log.next_message > run.get("reached", log.next_message)
    return {
        "token": token,
        "attempt": run["attempt"] + 1,
        "fruitless": 1 if got_further else run["fruitless"] + 1,
        "reached": log.next_message,
        "leaseUntil": now + timedelta(seconds=lease_s()),
        "updatedAt": now,
    }


def handle(
    db: Client,
    run: dict[str, Any],
    *,
    thread: dict[str, Any],
    documents: list[dict[str, Any]],
    token: int,
    events: EventLog,
    approvals: Sequence[Approval],
    decisions: Sequence[str],
    told_decisions: Sequence[str],
) -> OpenRun:
    """An open run whose history may end with calls that have no result yet.

    Args:
        run: The run's document, and `thread` the thread's.
        events: The run's, with its open page.
        approvals: Decisions on those calls.
        decisions: What was decided in the thread before, and `told_decisions` what of it the turn
            was told when it began.
    """
    return OpenRun(
        db=db,
        user=read_user(run),
        agent=run["agent"],
        thread_id=events.thread_id,
        run_id=events.run_id,
        turn_id=run["turnId"],
        request=read_request(run),
        token=token,
        history=read_history(documents, leaves_last_open=True),
        documents=documents,
        next_message=documents[-1]["n"] + 1,
        hold=RunLease(db, events.thread_id, events.run_id, events),
        approvals=tuple(approvals),
        answers=json.loads(run["answers"]),
        allowed=thread.get("allowed") or {},
        decisions=list(decisions),
        told_decisions=list(told_decisions),
    )


AT_ONCE = 200
"""How many of each kind one sweep hands on."""


def find_unfinished(db: Client, *, now: datetime, grace: timedelta) -> Iterator[tuple[str, str]]:
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
