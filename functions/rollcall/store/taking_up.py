"""Takes a run up again whose process died, from what it saved."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.options import lease_s
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.approvals import Approval, load_approvals
from rollcall.store.batches import committed, read_all
from rollcall.store.event_log import EventLog
from rollcall.store.hold import Hold
from rollcall.store.holding import take_lease
from rollcall.store.log import from_documents, unanswered
from rollcall.store.pages import find_page
from rollcall.store.run_documents import request_of, user_of
from rollcall.store.runs import OpenRun
from rollcall.store.window import Newest, decisions_of, read_log, told_decisions_of

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MAX_FRUITLESS = 5
"""A run that was taken up as often as this without getting any further is closed: it may be what
kills its processes."""


def take_up(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
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
    page, log = find_page(db, thread_id, run_id), read_log(db, thread_id)
    token, taken = take_lease(found, run_id)
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
    if unanswered(newest):
        # Whoever had the run may be about to save results there.
        option = db.write_option(last_update_time=log.time)
        reference = paths.message(db, thread_id, newest["n"])
        batch.update(reference, {"savedBy": events.hand}, option=option)
    page.take(batch, db, events)
    written = committed(batch)
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
        told_decisions=told_decisions_of(view, data["turnId"]),
    )
    opened.attempt = claim["attempt"]
    opened.fruitless = claim["fruitless"]
    opened.hold.is_cancelled = bool(data.get("cancelRequested"))
    return opened


def _claim(run: dict[str, Any], token: int, log: Newest) -> dict[str, Any]:
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
        user=user_of(run),
        agent=run["agent"],
        thread_id=events.thread_id,
        run_id=events.run_id,
        turn_id=run["turnId"],
        request=request_of(run),
        token=token,
        history=from_documents(documents, leaves_last_open=True),
        documents=documents,
        next_message=documents[-1]["n"] + 1,
        hold=Hold(db, events.thread_id, events.run_id, events),
        approvals=tuple(approvals),
        answers=json.loads(run["answers"]),
        allowed=thread.get("allowed") or {},
        decisions=list(decisions),
        told_decisions=list(told_decisions),
    )
