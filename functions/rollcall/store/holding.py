"""Who holds a thread, and how it is taken from a run that does not go on.

A thread's lease names the run that took it last. Whether that run still holds it stands elsewhere:
in the view that it leaves when it ends, or in its own document, with the time of its lease.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import Aborted
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.pages import Page, find_page
from rollcall.store.window import has_ended

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


class Holder(Struct, frozen=True):
    """A run that a thread's lease names and that has not ended, as it was read."""

    run: DocumentSnapshot
    page: Page

    def close(
        self, batch: WriteBatch, db: Client, *, token: int, documents: Sequence[dict[str, Any]]
    ) -> None:
        """Close the run: it can save nothing after this batch.

        Args:
            documents: The newest of its thread.
        """
        from rollcall.store.closed_runs import write_end  # seldom needed

        now = datetime.now(UTC)
        ended = {
            "status": RunStatus.FAILED.value,
            "error": {"code": "aborted", "message": "another run has taken this thread over"},
            "token": token,
            "leaseUntil": None,
            "endedAt": now,
            "updatedAt": now,
        }
        option = db.write_option(last_update_time=self.run.update_time)
        batch.update(self.run.reference, ended, option=option)
        self.page.remove(batch, db)
        thread_id = self.run.reference.parent.parent.id
        write_end(batch, db, self.run, thread_id=thread_id, documents=documents)


def find_holder(
    db: Client,
    thread_id: str,
    thread: dict[str, Any],
    view: DocumentSnapshot,
    *,
    supersede: bool = False,
) -> Holder | None:
    """The run that holds a thread and is gone; None where it has ended.

    Args:
        thread: The thread's data, and `view` its window, as read at one time.
        supersede: It may be alive.
    Raises:
        Aborted: It is alive, or is kept for the task queue.
    """
    lease = thread.get("lease")
    if not lease or has_ended(thread, view):
        return None
    run = paths.run(db, thread_id, lease["runId"]).get()
    data = run.to_dict() or {}
    if data.get("status") != RunStatus.RUNNING:
        return None
    if is_alive(data) and not supersede:
        raise Aborted(
            f"run {run.id} is still answering in this thread",
            field="threadId",
            hint='wait for it, or send whenBusy: "supersede" to take over',
            retry_after_s=2,
        )
    return Holder(run, find_page(db, thread_id, lease["runId"]))


def is_alive(run: dict[str, Any]) -> bool:
    """Whether somebody is on a run, or it is kept for the task queue."""
    until = max(filter(None, (run.get("leaseUntil"), run.get("keptUntil"))), default=None)
    running = run.get("status") == RunStatus.RUNNING
    return bool(running and until and until > datetime.now(UTC))


def check_not_erased(thread: dict[str, Any]) -> None:
    """Refuse to open a run, by any means, in a thread that is being erased.

    Raises:
        Aborted: It is.
    """
    if thread.get("erasing"):
        raise Aborted("this thread is being erased", field="threadId", retry_after_s=5)


def take_lease(thread: dict[str, Any], run_id: str) -> tuple[int, dict[str, Any]]:
    """The next lease token of a thread, and the fields that take the lease."""
    token = thread.get("leaseToken", 0) + 1
    return token, {"lease": {"runId": run_id, "token": token}, "leaseToken": token}
