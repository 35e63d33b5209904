"""A run's events in Firestore, for another tab and for a client that lost the stream.

Several events a document, never one growing document. A document says which events it holds by
their numbers in the run (`first`, `count`) and which try of the run wrote it (`attempt`): a run
that was taken up again after a crash goes on behind the last event that was stored, so what a
client saw of a dead try beyond that is replaced by the documents of the next one.

A run's documents are pages. The one that is written next lies open, without a number (`n`), so no
query finds it yet. See `store/pages.py`: who has the open page has the run.

The open page of a run: who has it has the run.

The documents of a run's events are pages (`store/event_log.py`). One of them always lies open
while the run goes on, and all that a process saves of the run writes on it and opens the next, in
the same batch and provided that nobody has touched it since. So there is one way to take a run
from a process that may still be alive, however long it stands still: touch its open page (to go on
with the run), or remove it (to end the run). What that process saves then fails as a whole. It
cannot be kept from it by removing more either, since it writes on a page that must be there.

A wish to stop is put on the open page as well, where the process finds it with its next save.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import Aborted
from rollcall.core.events import Event
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store import paths
from rollcall.store.message_log import utf8_bytes

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch


DOCUMENT_BYTES = 250_000
"""How many bytes of events go into one document. One event that is larger has one of its own: a
reply's text of which every letter has to be escaped comes to 900,000."""
KEPT = timedelta(days=7)


class EventLog(Struct):
    """The events of one try of a run, gathered until the next commit takes them along.

    Attributes:
        hand: A random text: tells this try's open page from another's.
        page: The open page's number: so many are written.
        page_time: When the open page was last touched, as Firestore says.
        count: How many events there are, the gathered ones included.
    """

    uid: str
    thread_id: str
    run_id: str
    hand: str
    attempt: int = 1
    page: int = 0
    page_time: Any = None
    count: int = 0
    _texts: list[str] = field(default_factory=list)
    _taken: int = 0

    def add(self, event: Event) -> Event:
        """Number an event and gather it; return it as it is shown."""
        numbered = {**event, "metadata": {**event.get("metadata", {}), "n": self.count}}
        self.count += 1
        self._texts.append(json.dumps(_bounded(numbered), ensure_ascii=False))
        return numbered

    def take_back(self) -> None:
        """Leave out the newest event, if it is not stored: what it tells was not saved."""
        if self._texts:
            self._texts.pop()
            self.count -= 1

    @property
    def gathered_bytes(self) -> int:
        return sum(map(utf8_bytes, self._texts))

    @property
    def is_empty(self) -> bool:
        return not self._texts

    def write(self, batch: WriteBatch, db: Client, *, save: str, is_last: bool) -> None:
        """Write the gathered events on the open page, and open the next one unless this is the
        run's end; `committed` follows when the batch is through. These are its last writes.

        Args:
            save: Tells this save from any other.
        """
        first = self.count - len(self._texts)
        number = self.page
        for texts in _chunks(self._texts):
            reference = paths.event_batch(db, self.thread_id, self.run_id, number)
            page = {
                **self._blank(),
                "by": save,
                "n": number,
                "first": first,
                "count": len(texts),
                "attempt": self.attempt,
                "events": f"[{','.join(texts)}]",
            }
            if number == self.page:
                option = db.write_option(last_update_time=self.page_time)
                batch.update(reference, page, option=option)
            else:
                batch.create(reference, page)
            first += len(texts)
            number += 1
        if not is_last:
            self.open_page(batch, db, number)
        self._taken = len(self._texts)

    def open_page(self, batch: WriteBatch, db: Client, number: int) -> None:
        """Lay an empty page open, where there is none."""
        reference = paths.event_batch(db, self.thread_id, self.run_id, number)
        batch.create(reference, self._blank())

    def committed(self, page_time: Any) -> None:
        """What the last `write` took is stored."""
        self.page += sum(1 for _ in _chunks(self._texts[: self._taken]))
        self.page_time = page_time
        del self._texts[: self._taken]
        self._taken = 0

    def _blank(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.uid,
            "by": self.hand,
            "expiresAt": datetime.now(UTC) + KEPT,
        }


def read_events(db: Client, thread_id: str, run_id: str, *, after: int = -1) -> Iterator[Any]:
    """The stored documents of a run's events past number `after`, in order: `(n, events)`."""
    from google.cloud.firestore import FieldFilter

    events = paths.run(db, thread_id, run_id).collection(collection_id("events"))
    query = events.where(filter=FieldFilter("n", ">", after)).order_by("n")
    for snapshot in query.stream():
        data = snapshot.to_dict() or {}
        yield data["n"], json.loads(data["events"])


_ENDS: dict[str, tuple[str, str]] = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
}


def missing_end_events(shown: Iterable[Event]) -> list[Event]:
    """The events that end what was begun and not ended, the last begun first."""
    begun: dict[tuple[str, str], Event] = {}
    for event in shown:
        kind = str(event["type"])
        if kind in _ENDS:
            end, key = _ENDS[kind]
            begun[end, event[key]] = {"type": end, key: event[key]}
        else:
            for end, key in _ENDS.values():
                if kind == end:
                    begun.pop((end, event[key]), None)
    return list(begun.values())[::-1]


def _chunks(texts: list[str]) -> Iterator[list[str]]:
    """Runs of events that fit into one document each; one at least."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        if chunk and size + utf8_bytes(text) > DOCUMENT_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += utf8_bytes(text)
    yield chunk


def _bounded(event: Event) -> Event:
    """The event as it is stored: a result that is too large is read from the run's document."""
    if event["type"] != "RUN_FINISHED":
        return event
    if utf8_bytes(json.dumps(event["result"], ensure_ascii=False)) <= DOCUMENT_BYTES:
        return event
    return {key: value for key, value in event.items() if key != "result"}


_TRIES = 5


class EventPage(Struct, frozen=True):
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


def find_open_page(db: Client, thread_id: str, run_id: str) -> EventPage:
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
            return EventPage(number, first, reference, page.update_time if page.exists else None)
    raise Aborted("this run is changing; try again", retry_after_s=1)
