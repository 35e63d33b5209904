"""Leases: which process may save a run, and which run holds a thread.

A process holds a run as long as nobody else has touched the run's open page (`event_log`): each of
its saves fills that page, provided that it is as the process left it. Whoever takes the run or its
thread over touches or deletes the page, so a late save fails as a whole. Results of tools are saved
without a page, in their step's document, provided that nobody else has written that: whoever takes
over writes it as well if a call of it has no result yet.

A thread's lease names the run that was opened in it last. Whether that run still holds the thread
stands elsewhere: in the view that it leaves when it ends, or in its own document, with the time
until which its process counts as alive.
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
from rollcall.store.batches import read_all, update_unchanged
from rollcall.store.event_log import EventLog, OpenPage, find_open_page
from rollcall.store.run_closing import write_run_entry
from rollcall.store.window import run_has_ended

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    Fill = Callable[[WriteBatch], None]
    DocumentSnapshot = _Snapshot[Any]

SAVE_TRIES = 10
PAUSE_S, MOST_PAUSE_S = 0.02, 0.5

log = logging.getLogger("rollcall")


def _lease_end() -> float:
    return time.monotonic() + lease_s()


class NotSaved(Unavailable):
    """The database did not take a save. The run is sound, and can continue in another process."""


class RunLease(Struct):
    """A process's lease of a run, and the only way to save the run.

    Times without another unit are those of `time.monotonic()`.

    Attributes:
        events: The run's events; each save stores what they have buffered.
        step_time: When the last step's document was written, as Firestore says; None if not known.
        checked_at: When this process last made sure that it holds the run.
        flushed_at: When events were stored last.
        is_lost: The run has ended or is held by another process: nothing of it may be saved.
    """

    db: Client
    events: EventLog
    step_time: Any = None
    checked_at: float = field(default_factory=time.monotonic)
    flushed_at: float = field(default_factory=time.monotonic)
    is_cancelled: bool = False
    is_lost: bool = False
    _until: float = field(default_factory=_lease_end)

    @property
    def needs_renewal(self) -> bool:
        """Whether half of the lease's time is over; the next save renews it."""
        return time.monotonic() > self._until - lease_s() / 2

    def save(
        self,
        fill: Fill | None = None,
        run: dict[str, Any] | None = None,
        *,
        is_last: bool = False,
    ) -> Sequence[Any]:
        """Commit what `fill` adds to a batch, together with the buffered events.

        Args:
            run: Fields of the run's own document.
            is_last: This process saves nothing of the run after this.
        Returns:
            What was written, in the order of the batch; nothing where the answer was lost.
        Raises:
            Aborted: Another run has taken the thread over.
            NotSaved: The database took it at none of `SAVE_TRIES` tries.
        """
        now = datetime.now(UTC)
        renews = self.needs_renewal and not is_last
        lease = {"leaseUntil": now + timedelta(seconds=lease_s())} if renews else {}
        fields = {**lease, **(run or {})}
        save = self._new_save()

        def attempt() -> Sequence[Any]:
            if self.events.page_time is None and self.check(save):
                return ()  # it was stored, and only the answer to it was lost
            batch = self.db.batch()
            if fill is not None:
                fill(batch)
            if fields:
                reference = paths.run(self.db, self.events.thread_id, self.events.run_id)
                batch.update(reference, {**fields, "updatedAt": now})
            self.events.write(batch, self.db, save=save, is_last=is_last)
            self.events.page_time = None  # until it is known what became of this
            return tuple(batch.commit())

        written = self._try(attempt)
        self.events.mark_stored(written[-1].update_time if written else None)
        self.checked_at = self.flushed_at = time.monotonic()
        if renews:
            self._until = _lease_end()
        self.is_lost = self.is_lost or is_last
        return written

    def save_in_step(self, number: int, fields: dict[str, Any]) -> None:
        """Write fields of the last step's document.

        Args:
            number: The document's number in the log.
        Raises:
            Aborted, NotSaved: As `save`.
        """
        reference = paths.message(self.db, self.events.thread_id, number)
        save = self._new_save()

        def attempt() -> Sequence[Any]:
            if self.step_time is None:
                page, step = read_all(self.db, self._page(), reference)
                self._check_page(page, "")  # as of a time at which this process held the run
                self.step_time = step.update_time
                if (step.to_dict() or {}).get("savedBy") == save:
                    return ()
            batch = self.db.batch()
            option = self.db.write_option(last_update_time=self.step_time)
            batch.update(reference, {**fields, "savedBy": save}, option=option)
            self.step_time = None
            written = tuple(batch.commit())
            self.step_time = written[0].update_time
            return written

        self._try(attempt)

    def check(self, save: str = "") -> bool:
        """Read the open page: that this process holds the run, and whether to cancel it.

        Returns:
            Whether `save` has filled the page.
        Raises:
            Aborted: Another process holds the run, or nobody may any more.
        """
        return self._check_page(self._page().get(), save)

    def _check_page(self, page: Any, save: str) -> bool:
        data = page.to_dict() or {}
        if "n" in data and data["by"] == save:
            return True
        if data.get("by") != self.events.writer:  # or by an earlier save of ours that came late
            self.is_lost = True
            raise Aborted("another run has taken this thread over; this one has ended")
        self.events.page_time = page.update_time
        self.is_cancelled = self.is_cancelled or bool(data.get("cancelRequested"))
        return False

    def _page(self) -> Any:
        events = self.events
        return paths.event_page(self.db, events.thread_id, events.run_id, events.page)

    def _new_save(self) -> str:
        """Return what tells a save, and all tries of it, from any other."""
        return f"{self.events.writer}.{uuid.uuid4().hex[:8]}"

    def _try(self, attempt: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """Make an attempt again while the database fails, or while the document that it insists on
        was touched; each first looks what became of the one before."""
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
                log.info("run %s: a save was not taken: %r", self.events.run_id, error)
                if number:  # the first time it is enough to look what became of it
                    time.sleep(min(PAUSE_S * 2**number, MOST_PAUSE_S))
        raise NotSaved("the database did not take what this run has to save", retry_after_s=2)


class LeasedRun(Struct, frozen=True):
    """The run that a thread's lease names, as it was read, while it has not ended."""

    run: DocumentSnapshot
    page: OpenPage

    def close(
        self, batch: WriteBatch, db: Client, *, token: int, documents: Sequence[dict[str, Any]]
    ) -> None:
        """Close the run in a batch that takes its thread over: it can save nothing after that.

        Args:
            documents: The newest of its thread.
        """
        now = datetime.now(UTC)
        ended = {
            "status": RunStatus.FAILED.value,
            "error": {"code": "aborted", "message": "another run has taken this thread over"},
            "token": token,
            "leaseUntil": None,
            "endedAt": now,
            "updatedAt": now,
        }
        update_unchanged(batch, self.run, ended)
        self.page.delete(batch, db)
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
    """Find the run that holds a thread although its process is gone; None if none does.

    Args:
        thread: The thread's data, and `view` its window, as read at one time.
        supersede: The run may be taken over while its process is alive.
    Raises:
        Aborted: The run's process is alive, or the thread is kept for the task queue.
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
    """Whether a process works on a run, or it is kept for the task queue."""
    until = max(filter(None, (run.get("leaseUntil"), run.get("keptUntil"))), default=None)
    running = run.get("status") == RunStatus.RUNNING
    return bool(running and until and until > datetime.now(UTC))
