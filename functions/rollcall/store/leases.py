"""What keeps a run in one process's hands: each save of it is made provided that it still is.

A save writes a page of the run's events, and only while its open page is untouched
(`store/pages.py`): whoever takes the run or its thread over touches or removes that page. Results
of tools are saved without a page, in the document of their step, provided that nobody else has
written it: whoever takes over writes that document as well if a call of it has no result yet.

Who holds a thread, and how it is taken from a run that does not go on.

A thread's lease names the run that took it last. Whether that run still holds it stands elsewhere:
in the view that it leaves when it ends, or in its own document, with the time of its lease.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted, Unavailable
from rollcall.core.options import lease_s
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.batches import read_all
from rollcall.store.event_log import EventLog, EventPage, find_open_page
from rollcall.store.window import run_has_ended

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    Fill = Callable[[WriteBatch], None]
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


SAVE_TRIES = 10
PAUSE_S, MOST_PAUSE_S = 0.02, 0.5

log = logging.getLogger("rollcall")


def _lease_end() -> float:
    return time.monotonic() + lease_s()


class NotSaved(Unavailable):
    """The database did not take a save. The run is sound, and can go on elsewhere."""


class RunLease(Struct):
    """A process's hold on a run, and its lease, by the clock of `time.monotonic()`.

    Attributes:
        events: What is stored for other tabs; each save takes along what they gathered.
        step_time: When the last step's document was written; None where that is not known.
        touched_at: When this process last made sure that the run is its own.
        flushed_at: When events were stored last.
        is_lost: The run is closed, or in other hands: nothing of it may be written any more.
    """

    db: Client
    thread_id: str
    run_id: str
    events: EventLog
    step_time: Any = None
    touched_at: float = field(default_factory=time.monotonic)
    flushed_at: float = field(default_factory=time.monotonic)
    is_cancelled: bool = False
    is_lost: bool = False
    _lease_until: float = field(default_factory=_lease_end)

    @property
    def is_ending(self) -> bool:
        """Whether the lease has to be renewed; the next save does."""
        return time.monotonic() > self._lease_until - lease_s() / 2

    def save(
        self, fill: Fill, run: dict[str, Any] | None = None, *, is_last: bool = False
    ) -> Sequence[Any]:
        """Commit what `fill` puts into a batch, with the events gathered so far.

        Args:
            run: Fields of the run's own document.
            is_last: Nothing of the run is saved from here after this.
        Returns:
            What was written, in the order of the batch; nothing where the answer was lost.
        Raises:
            Aborted: Another run has taken the thread over.
            NotSaved: The database took it at none of `SAVE_TRIES` tries.
        """
        now = datetime.now(UTC)
        renews = self.is_ending and not is_last
        lease = {"leaseUntil": now + timedelta(seconds=lease_s())} if renews else {}
        fields = {**lease, **(run or {})}
        save = self._new_save()

        def attempt() -> Sequence[Any]:
            if self.events.page_time is None and self.look(save):
                return ()  # it was stored, and only the answer to it was lost
            batch = self.db.batch()
            fill(batch)
            if fields:
                reference = paths.run(self.db, self.thread_id, self.run_id)
                batch.update(reference, {**fields, "updatedAt": now})
            self.events.write(batch, self.db, save=save, is_last=is_last)
            self.events.page_time = None  # until it is known what became of this
            return tuple(batch.commit())

        written = self._tried(attempt)
        self.events.committed(written[-1].update_time if written else None)
        self.touched_at = self.flushed_at = time.monotonic()
        if renews:
            self._lease_until = _lease_end()
        self.is_lost = self.is_lost or is_last
        return written

    def save_in_step(self, number: int, fields: dict[str, Any]) -> None:
        """Write fields of the last step's document, whose number this is.

        Raises:
            Aborted, Unavailable: As `save`.
        """
        reference = paths.message(self.db, self.thread_id, number)
        save = self._new_save()

        def attempt() -> Sequence[Any]:
            if self.step_time is None and self._look_at_step(reference) == save:
                return ()
            batch = self.db.batch()
            option = self.db.write_option(last_update_time=self.step_time)
            batch.update(reference, {**fields, "savedBy": save}, option=option)
            self.step_time = None
            written = tuple(batch.commit())
            self.step_time = written[0].update_time
            return written

        self._tried(attempt)

    def look(self, save: str = "") -> bool:
        """Read the open page anew, and heed a request to cancel; whether `save` has written it.

        Raises:
            Aborted: It is no longer this process's.
        """
        return self._heed(self._page_reference().get(), save)

    def _look_at_step(self, reference: Any) -> str:
        """Read the last step's document as of a time at which the run was this process's; return
        which save wrote it last."""
        page, step = read_all(self.db, self._page_reference(), reference)
        self._heed(page, "")
        self.step_time = step.update_time
        return str((step.to_dict() or {}).get("savedBy"))

    def _heed(self, page: Any, save: str) -> bool:
        data = page.to_dict() or {}
        if "n" in data and data["by"] == save:
            return True
        if data.get("by") != self.events.hand:  # or by an earlier save of ours that came late
            self.is_lost = True
            raise Aborted("another run has taken this thread over; this one has ended")
        self.events.page_time = page.update_time
        self.is_cancelled = self.is_cancelled or bool(data.get("cancelRequested"))
        return False

    def _page_reference(self) -> Any:
        return paths.event_batch(self.db, self.thread_id, self.run_id, self.events.page)

    def _new_save(self) -> str:
        """What tells a save, and all tries of it, from any other."""
        return f"{self.events.hand}.{uuid.uuid4().hex[:8]}"

    def _tried(self, attempt: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """What `attempt` returns; it is made again while the database fails, or while what it
        insists on was touched, and looks first what became of the one before."""
        from google.api_core.exceptions import (
            Conflict,
            FailedPrecondition,
            NotFound,
            RetryError,
            ServerError,
        )

        for number in range(SAVE_TRIES):
            try:
                return attempt()
            except (Conflict, FailedPrecondition, NotFound, ServerError, RetryError) as error:
                log.info("run %s: a save was not taken: %r", self.run_id, error)
                if number:  # the first time it is enough to look what became of it
                    time.sleep(min(PAUSE_S * 2**number, MOST_PAUSE_S))
        raise NotSaved("the database did not take what this run has to save", retry_after_s=2)


class LeasedRun(Struct, frozen=True):
    """A run that a thread's lease names and that has not ended, as it was read."""

    run: DocumentSnapshot
    page: EventPage

    def close(
        self, batch: WriteBatch, db: Client, *, token: int, documents: Sequence[dict[str, Any]]
    ) -> None:
        """Close the run: it can save nothing after this batch.

        Args:
            documents: The newest of its thread.
        """
        from rollcall.store.run_closing import write_run_entry

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
        write_run_entry(batch, db, self.run, thread_id=thread_id, documents=documents)


def find_leased_run(
    db: Client,
    thread_id: str,
    thread: dict[str, Any],
    view: DocumentSnapshot,
    *,
    supersede: bool = False,
) -> LeasedRun | None:
    """The run that holds a thread and is gone; None where it has ended.

    Args:
        thread: The thread's data, and `view` its window, as read at one time.
        supersede: It may be alive.
    Raises:
        Aborted: It is alive, or is kept for the task queue.
    """
    lease = thread.get("lease")
    if not lease or run_has_ended(thread, view):
        return None
    run = paths.run(db, thread_id, lease["runId"]).get()
    data = run.to_dict() or {}
    if data.get("status") != RunStatus.RUNNING:
        return None
    if is_run_alive(data) and not supersede:
        raise Aborted(
            f"run {run.id} is still answering in this thread",
            field="threadId",
            hint='wait for it, or send whenBusy: "supersede" to take over',
            retry_after_s=2,
        )
    return LeasedRun(run, find_open_page(db, thread_id, lease["runId"]))


def is_run_alive(run: dict[str, Any]) -> bool:
    """Whether somebody is on a run, or it is kept for the task queue."""
    until = max(filter(None, (run.get("leaseUntil"), run.get("keptUntil"))), default=None)
    running = run.get("status") == RunStatus.RUNNING
    return bool(running and until and until > datetime.now(UTC))


def check_not_erasing(thread: dict[str, Any]) -> None:
    """Refuse to open a run, by any means, in a thread that is being erased.

    Raises:
        Aborted: It is.
    """
    if thread.get("erasing"):
        raise Aborted("this thread is being erased", field="threadId", retry_after_s=5)


def next_lease(thread: dict[str, Any], run_id: str) -> tuple[int, dict[str, Any]]:
    """The next lease token of a thread, and the fields that take the lease."""
    token = thread.get("leaseToken", 0) + 1
    return token, {"lease": {"runId": run_id, "token": token}, "leaseToken": token}
