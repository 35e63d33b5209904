"""Stops a run, wherever it is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted, NotFound, PermissionDenied
from rollcall.core.wire import Outcome, RunResult, RunStatus, StopReason
from rollcall.store import paths
from rollcall.store.closed_runs import write_end
from rollcall.store.closing import closing_of_cut_off, closing_of_waiting
from rollcall.store.pages import Page, find_page
from rollcall.store.window import read_log

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

TRIES = 5
CANCELLING = "cancelling"


def cancel(db: Client, uid: str, thread_id: str, run_id: str) -> str:
    """Tell a live run to stop, or close one that nobody is on or that waits.

    Returns:
        "cancelling", or the status the run has now.
    Raises:
        NotFound: There is no such run.
        PermissionDenied: It is another user's.
    """
    for _ in range(TRIES):
        status = _try(db, uid, thread_id, run_id)
        if status is not None:
            return status
    raise Aborted("this run is changing; try again", retry_after_s=1)


def _try(db: Client, uid: str, thread_id: str, run_id: str) -> str | None:
    references = [paths.thread(db, thread_id), paths.run(db, thread_id, run_id)]
    found = {each.reference.path: each for each in db.get_all(references)}
    thread, run = (found[reference.path] for reference in references)
    if not run.exists:
        raise NotFound(f"there is no run {run_id!r} in this thread", field="runId")
    data, holder = run.to_dict() or {}, thread.to_dict() or {}
    if data["uid"] != uid:
        raise PermissionDenied("this run belongs to someone else", field="runId")
    if (holder.get("waiting") or {}).get("runId") == run_id:
        return _close(db, thread, holder, run, waits=True)
    if data["status"] != RunStatus.RUNNING:
        return str(data["status"])
    if data["leaseUntil"] > datetime.now(UTC):
        return _tell(db, run, find_page(db, thread_id, run_id))
    return _close(db, thread, holder, run, waits=False)


def _tell(db: Client, run: Any, page: Page) -> str | None:
    """Note the wish on the run's open page, where whoever is on it reads it within seconds, and
    in its document for whoever takes it up."""
    fields = {"cancelRequested": True, "updatedAt": datetime.now(UTC)}
    option = db.write_option(last_update_time=run.update_time)
    batch = db.batch()
    batch.update(run.reference, fields, option=option)
    page.ask_to_stop(batch, db)
    return _committed(batch, CANCELLING)


def _close(db: Client, thread: Any, holder: dict[str, Any], run: Any, *, waits: bool) -> str | None:
    """Close a run that no process is on, and the calls that it leaves.

    Raises:
        Aborted: What it waited for is decided, and about to be carried out.
    """
    data = run.to_dict() or {}
    # Before the log: what the run saves after this makes the batch fail.
    page = None if waits else find_page(db, thread.id, run.id)
    log = read_log(db, thread.id)
    if waits:
        closing = closing_of_waiting(db, thread.id, holder["waiting"], log, {})
    else:
        closing = closing_of_cut_off(db, thread.id, log)
    token = holder.get("leaseToken", 0) + 1
    now = datetime.now(UTC)
    batch = db.batch()
    closing.write(batch, db, thread.id)
    if page is not None:
        page.remove(batch, db)
    # What the run has written since it began stands in the log only.
    batch.delete(paths.window(db, thread.id))
    batch.update(
        thread.reference,
        {"lease": None, "waiting": None, "leaseToken": token, "updatedAt": now},
        option=db.write_option(last_update_time=thread.update_time),
    )
    ended = {
        "status": RunStatus.CANCELLED.value,
        "token": token,
        "leaseUntil": None,
        "cancelRequested": True,
        "stopReason": StopReason.CANCELLED.value,
        "endedAt": now,
        "updatedAt": now,
    }
    steps = [each["step"] for each in log.documents if each["runId"] == run.id and "step" in each]
    if data.get("result") is None:
        result = _result(data, thread.id, run.id, steps=max(steps, default=data["step"])).dump()
        ended |= {"result": json.dumps(result, ensure_ascii=False), "outcome": "cancelled"}
    option = db.write_option(last_update_time=run.update_time)
    batch.update(run.reference, ended, option=option)
    stopped = StopReason.CANCELLED
    write_end(batch, db, run, thread_id=thread.id, documents=log.documents, stop_reason=stopped)
    return _committed(batch, RunStatus.CANCELLED.value)


def _result(run: dict[str, Any], thread_id: str, run_id: str, *, steps: int) -> RunResult:
    return RunResult(
        thread_id=thread_id,
        turn_id=run["turnId"],
        run_id=run_id,
        agent=run["agent"],
        outcome=Outcome(type="cancelled"),
        stop_reason=StopReason.CANCELLED,
        type="info",
        message="",
        steps=steps,
    )


def _committed(batch: WriteBatch, status: str) -> str | None:
    """The status; None if something was written meanwhile."""
    from google.api_core.exceptions import Conflict, FailedPrecondition
    from google.api_core.exceptions import NotFound as Gone

    try:
        batch.commit()
    except (Conflict, FailedPrecondition, Gone):
        return None
    return status
