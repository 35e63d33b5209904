"""Notes answers to a part of what a turn waits for, while other parts are open."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted, FailedPrecondition
from rollcall.store import paths
from rollcall.store.approvals import Approval, ApprovalStatus, Given
from rollcall.store.batches import committed, read_all
from rollcall.store.settling import Continuing

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

log = logging.getLogger("rollcall")


def mark_settled(db: Client, approvals: Sequence[Approval]) -> None:
    """Note in their documents what is decided or over, while others of the step are open, so
    that the sweeper does not find the same ones again and again."""
    from google.api_core.exceptions import FailedPrecondition as Moved

    now = datetime.now(UTC)
    for approval in approvals:
        verdict = approval.verdict(now)
        if approval.status is ApprovalStatus.PENDING and verdict is not ApprovalStatus.PENDING:
            option = db.write_option(last_update_time=approval.update_time)
            try:
                paths.approval(db, approval.id).update({"status": verdict.value}, option=option)
            except Moved:
                log.info("approval %s was written meanwhile", approval.id)


def note_answers(db: Client, thread_id: str, waiting_run_id: str, continuing: Continuing) -> None:
    """Keep what the client's tools answered while people have still to decide: by then its time
    may be over. The first answer stands, and with it the client that gave it.

    Raises:
        FailedPrecondition: The client's time was over before.
        Aborted: Somebody was faster.
    """
    thread, waiting = read_all(
        db, paths.thread(db, thread_id), paths.run(db, thread_id, waiting_run_id)
    )
    waits = (thread.to_dict() or {}).get("waiting") or {}
    if waits.get("isLate"):
        raise FailedPrecondition("the time to answer these calls is over", field="toolResults")
    if waits.get("isAnswered"):
        return
    batch = db.batch()
    if waits.get("runId") == waiting_run_id:
        _await_no_client(batch, db, thread, {"isAnswered": True})
        # Without spaces, as its size was checked: the document holds the run's result as well.
        answered = json.dumps(continuing.results, ensure_ascii=False, separators=(",", ":"))
        client = json.dumps(continuing.client, ensure_ascii=False)
        batch.update(waiting.reference, {"answered": answered, "tookOver": client})
    if waits.get("runId") != waiting_run_id or committed(batch) is None:
        raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def mark_late(db: Client, thread_id: str, waiting_run_id: str) -> None:
    """Note that the client's time is over, while approvals of the step are open, so that the
    sweeper does not find the same thread again and again."""
    thread = paths.thread(db, thread_id).get()
    waits = (thread.to_dict() or {}).get("waiting") or {}
    until = waits.get("until")
    if waits.get("runId") != waiting_run_id or until is None or until > datetime.now(UTC):
        return
    batch = db.batch()
    _await_no_client(batch, db, thread, {"isLate": True})
    if committed(batch) is None:
        log.info("thread %s was written meanwhile", thread_id)


def _await_no_client(batch: WriteBatch, db: Client, thread: Any, why: dict[str, bool]) -> None:
    waits = {**(thread.to_dict() or {})["waiting"], "until": None, **why}
    option = db.write_option(last_update_time=thread.update_time)
    batch.update(thread.reference, {"waiting": waits}, option=option)


def write_decisions(
    db: Client, approvals: Sequence[Approval], decisions: Mapping[str, Given]
) -> None:
    """Note decisions, by approval, in their documents: all or none, continuing nothing.

    Raises:
        Aborted: One was decided meanwhile.
    """
    batch = db.batch()
    for approval in approvals:
        given = decisions.get(approval.id)
        if given is not None:
            option = db.write_option(last_update_time=approval.update_time)
            reference = paths.approval(db, approval.id)
            batch.update(reference, {"decision": given.fields()}, option=option)
    if committed(batch) is None:
        raise Aborted("one of these was decided meanwhile; look again", field="resume")
