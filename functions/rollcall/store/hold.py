"""What keeps a run in one process's hands: each save of it is made provided that it still is.

A save writes a page of the run's events, and only while its open page is untouched
(`store/pages.py`): whoever takes the run or its thread over touches or removes that page. Results
of tools are saved without a page, in the document of their step, provided that nobody else has
written it: whoever takes over writes that document as well if a call of it has no result yet.
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
from rollcall.store import paths
from rollcall.store.batches import read_all
from rollcall.store.event_log import EventLog

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    Fill = Callable[[WriteBatch], None]

SAVE_TRIES = 10
PAUSE_S, MOST_PAUSE_S = 0.02, 0.5

log = logging.getLogger("rollcall")


def _lease_end() -> float:
    return time.monotonic() + lease_s()


class NotSaved(Unavailable):
    """The database did not take a save. The run is sound, and can go on elsewhere."""


class Hold(Struct):
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
