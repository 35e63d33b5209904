"""The open page of a run: who has it has the run.

The documents of a run's events are pages (`store/event_log.py`). One of them always lies open
while the run goes on, and all that a process saves of the run writes on it and opens the next, in
the same batch and provided that nobody has touched it since. So there is one way to take a run
from a process that may still be alive, however long it stands still: touch its open page (to go on
with the run), or remove it (to end the run). What that process saves then fails as a whole. It
cannot be kept from it by removing more either, since it writes on a page that must be there.

A wish to stop is put on the open page as well, where the process finds it with its next save.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import Aborted
from rollcall.core.options import collection_id
from rollcall.store import paths
from rollcall.store.event_log import EventLog

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

_TRIES = 5


class Page(Struct, frozen=True):
    """The page that lay open when it was looked for. There is none where the run has let go of
    itself, or was begun by a version without pages.

    Attributes:
        number: Its number, and `first` that of the event that comes next.
    """

    number: int
    first: int
    reference: Any
    time: Any = None

    @property
    def is_there(self) -> bool:
        return self.time is not None

    def take(self, batch: WriteBatch, db: Client, events: EventLog) -> None:
        """Make it the open page of another process."""
        if not self.is_there:
            events.open_page(batch, db, self.number)
            return
        option = db.write_option(last_update_time=self.time)
        batch.update(self.reference, {"by": events.hand}, option=option)

    def remove(self, batch: WriteBatch, db: Client) -> None:
        """Let nobody write on it any more."""
        if self.is_there:
            batch.delete(self.reference, option=db.write_option(last_update_time=self.time))

    def ask_to_stop(self, batch: WriteBatch, db: Client) -> None:
        """Have whoever writes on it next learn that the run is to stop."""
        if self.is_there:
            option = db.write_option(last_update_time=self.time)
            batch.update(self.reference, {"cancelRequested": True}, option=option)


def find_page(db: Client, thread_id: str, run_id: str) -> Page:
    """The open page of a run.

    Raises:
        Aborted: The run writes faster than one can look.
    """
    events = paths.run(db, thread_id, run_id).collection(collection_id("events"))
    for _ in range(_TRIES):
        written = list(events.order_by("n", direction="DESCENDING").limit(1).stream())
        newest = (written[0].to_dict() or {}) if written else {"n": -1, "first": 0, "count": 0}
        number, first = newest["n"] + 1, newest["first"] + newest["count"]
        reference = paths.event_batch(db, thread_id, run_id, number)
        page = reference.get()
        if "n" not in (page.to_dict() or {}):
            return Page(number, first, reference, page.update_time if page.exists else None)
    raise Aborted("this run is changing; try again", retry_after_s=1)
