"""`cancel_run`: stops a run for its user."""

from __future__ import annotations

from typing import Any

from rollcall.core.context import Call, Platform
from rollcall.core.inputs import validate
from rollcall.core.triggers import OnCall, bound
from rollcall.core.wire import CancelRequest
from rollcall.store.run_closing import cancel


@bound(OnCall())
def cancel_run(platform: Platform, call: Call) -> dict[str, Any]:
    """Stop a run: `{threadId, runId}`, returning `{threadId, runId, status}`.

    "cancelling": its process is notified, and keeps the text so far. "cancelled": no process worked
    on the run, or it waited for somebody, and it is closed now. Otherwise the status with which the
    run had ended before.
    """
    request = validate(CancelRequest, call.data)
    status = cancel(platform.db, call.user.uid, request.thread_id, request.run_id)
    return {"threadId": request.thread_id, "runId": request.run_id, "status": status}
