"""Continues turns without a connected client: the task queue, the trigger on approvals, and the
sweeper, which finds the turns that both missed."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from rollcall.agent.continuation import continue_run
from rollcall.agent.run import QUEUE, function_end
from rollcall.core.context import Platform
from rollcall.core.errors import Unavailable
from rollcall.core.triggers import DocumentEvent, OnDocument, OnSchedule, OnTask, bound
from rollcall.store.approvals import read_decider
from rollcall.store.erasure import resume_erasures
from rollcall.store.recovery import find_unfinished

TASK_S = 1800
SWEEP_S = 540

log = logging.getLogger("rollcall")


@bound(OnTask(timeout_s=TASK_S))
def continuerun(platform: Platform, data: dict[str, Any]) -> None:
    """Continue a run: `{threadId, runId}`. A task that comes twice or too late does nothing."""
    thread_id, run_id = str(data.get("threadId")), str(data.get("runId"))
    if "/" in thread_id + run_id:
        log.error("a task names no run: %r", data)
        return
    done = continue_run(platform, thread_id, run_id, until=function_end(TASK_S))
    log.info("run %s of thread %s: %s", run_id, thread_id, done)


@bound(OnDocument("approvals/{approvalId}", when="written", platform=True))
def approval_written(platform: Platform, event: DocumentEvent) -> None:
    """Notify the decider of a new approval, and continue the turn of a decided one."""
    before, after = event.before, event.after
    if after is None or after["status"] != "pending":
        return
    if before is None:
        platform.notify(read_decider(after), approval_id=event.params["approvalId"])
    elif after["decision"] is not None and before["decision"] is None:
        platform.enqueue(QUEUE, {"threadId": after["threadId"], "runId": after["runId"]})


@bound(OnSchedule("every 1 minutes", timeout_s=SWEEP_S))
def sweep_runs(platform: Platform) -> None:
    """Queue runs whose process died, decisions without a continuation, and expired approvals and
    client calls; continue interrupted erasures."""
    sweep(platform, now=datetime.now(UTC))


def sweep(platform: Platform, *, now: datetime) -> int:
    """Sweep as of `now`; return how many turns were queued."""
    until = function_end(SWEEP_S)
    unfinished = list(find_unfinished(platform.db, now=now, grace=timedelta(seconds=10)))
    for thread_id, run_id in unfinished:
        try:
            platform.enqueue(QUEUE, {"threadId": thread_id, "runId": run_id})
        except Unavailable as error:
            log.warning("%s; the sweeper goes on itself", error.message)
            try:
                continue_run(platform, thread_id, run_id, until=until)
            except Exception:  # one broken run must not stop the others
                log.exception("run %s of thread %s broke off in the sweep", run_id, thread_id)
    return len(unfinished) + resume_erasures(platform)
