"""Takes a run up again whose process died, from what it saved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.context import User
from rollcall.core.options import lease_s
from rollcall.core.wire import Role, RunStatus
from rollcall.store import paths
from rollcall.store.approvals import Approval, load_approvals
from rollcall.store.batches import committed, read_all
from rollcall.store.event_log import EventLog, resume_log
from rollcall.store.log import from_documents
from rollcall.store.runs import OpenRun
from rollcall.store.threads import take_lease, window_documents

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MAX_FRUITLESS = 5
"""A run that was taken up as often as this without getting any further is closed: it may be what
kills its processes."""


def take_up(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
    """Go on with a run whose process is gone, from the last saved step.

    Returns:
        None if the run has ended, is in somebody's hands, or somebody else was faster.
    """
    thread, run = read_all(db, paths.thread(db, thread_id), paths.run(db, thread_id, run_id))
    if not (thread.exists and run.exists):
        return None
    data, found = run.to_dict() or {}, thread.to_dict() or {}
    lease = found.get("lease") or {}
    until = data.get("leaseUntil")
    is_stale = until is not None and until <= datetime.now(UTC)
    if data["status"] != RunStatus.RUNNING or not is_stale or lease.get("runId") != run_id:
        return None
    token, taken = take_lease(found, run_id)
    attempt = data["attempt"] + 1
    batch = db.batch()
    option = db.write_option(last_update_time=thread.update_time)
    batch.update(thread.reference, taken, option=option)
    now = datetime.now(UTC)
    fruitless = data["fruitless"] + 1
    claim = {
        "token": token,
        "attempt": attempt,
        "fruitless": fruitless,
        "leaseUntil": _lease_end(now),
        "updatedAt": now,
    }
    batch.update(run.reference, claim, option=db.write_option(last_update_time=run.update_time))
    written = committed(batch)
    if written is None:
        return None
    approvals = load_approvals(db, data["approvals"])
    opened = handle(
        db,
        data,
        thread_id=thread_id,
        run_id=run_id,
        thread=found,
        documents=window_documents(db, thread_id, {**found, "lease": lease}, None),
        token=token,
        run_time=written[-1].update_time,
        events=resume_log(db, uid=data["uid"], thread_id=thread_id, run_id=run_id, attempt=attempt),
        approvals=approvals,
    )
    opened.attempt = attempt
    opened.fruitless = fruitless
    opened.seq = data["seq"]
    opened.is_cancelled = bool(data.get("cancelRequested"))
    return opened


def handle(
    db: Client,
    run: dict[str, Any],
    *,
    thread_id: str,
    run_id: str,
    thread: dict[str, Any],
    documents: list[dict[str, Any]],
    token: int,
    run_time: Any,
    events: EventLog,
    approvals: Sequence[Approval],
) -> OpenRun:
    """An open run whose history may end with calls that have no result yet.

    Args:
        run: The run's document, and `thread` the thread's.
        approvals: Decisions on those calls.
    """
    return OpenRun(
        db=db,
        user=user_of(run),
        agent=run["agent"],
        thread_id=thread_id,
        run_id=run_id,
        turn_id=run["turnId"],
        request=json.loads(run["request"]),
        token=token,
        history=from_documents(documents, leaves_last_open=True),
        documents=documents,
        next_message=documents[-1]["n"] + 1,
        run_time=run_time,
        events=events,
        approvals=tuple(approvals),
        answers=json.loads(run["answers"]),
        allowed=thread.get("allowed") or {},
    )


def user_of(run: dict[str, Any]) -> User:
    """Who asked, as a run's document has it."""
    found = run["user"]
    return User(
        uid=run["uid"], role=Role(found["role"]), tenant=found["tenant"], name=found["name"]
    )


def _lease_end(now: datetime) -> datetime:
    return now + timedelta(seconds=lease_s())
