"""Event log of a run: pages of stored events, the open one of which is the run's lock.

    threads/{t}/runs/{r}/events/{n}   uid, n, first, count, attempt, events, by, expiresAt

Another tab, or a client that lost the stream, reads a run's events from here. A page holds several
events: `first` and `count` say which, and `attempt` says which attempt wrote it. A recovered run
continues after the last stored event; whatever a client saw of the dead attempt beyond that is
replaced by the next attempt's pages.

**The open page is the run's lock.** A run in progress always has one open page. It has no number
`n` yet, so no query finds it. Each save of the run fills the open page and opens the next one, in
one batch, on the condition that nobody has touched the page since. To take a run from a process
that may still be alive, however long it has been stalled, touch its open page (to continue the run)
or delete it (to end the run): the next save of that process then fails as a whole. A request to
cancel is also written to the open page, where the process finds it with its next save.
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
from rollcall.core.texts import TEXTS
from rollcall.store import paths
from rollcall.store.batches import attempts, update_unchanged, where
from rollcall.store.message_log import utf8_bytes

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

DOCUMENT_BYTES = 250_000
"""The bytes of events in one page. A larger event has a page of its own: the text of a reply in
which every letter is escaped can take 900,000."""
RETENTION = timedelta(days=7)
_ENDS: dict[str, tuple[str, str]] = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
}
"""The event that ends each starting event, and the field with the id that both share."""


class EventLog(Struct):
    """Events of one attempt at a run, buffered until the next save.

    Attributes:
        writer: Random text that distinguishes this attempt's open page from another's.
        page: The open page's number, which is also the number of stored pages.
        page_time: The open page's update time in Firestore; None if not known.
        count: The number of events, including buffered ones.
        buffered_bytes: The size of the buffered events.
    """

    uid: str
    thread_id: str
    run_id: str
    writer: str
    attempt: int = 1
    page: int = 0
    page_time: Any = None
    count: int = 0
    buffered_bytes: int = 0
    _texts: list[str] = field(default_factory=list)
    _taken: int = 0
    _next_page: int = 0

    def add(self, event: Event) -> Event:
        """Number an event and buffer it; return the numbered event."""
        numbered = {**event, "metadata": {**event.get("metadata", {}), "n": self.count}}
        self.count += 1
        stored = numbered
        if event["type"] == "RUN_FINISHED":
            result = json.dumps(event["result"], ensure_ascii=False)
            if utf8_bytes(result) > DOCUMENT_BYTES:  # it is read from the run's document
                stored = {key: value for key, value in numbered.items() if key != "result"}
        self._texts.append(json.dumps(stored, ensure_ascii=False))
        self.buffered_bytes += utf8_bytes(self._texts[-1])
        return numbered

    def withdraw_last(self) -> None:
        """Remove the newest event from the buffer, unless it is stored."""
        if self._texts:
            self.buffered_bytes -= utf8_bytes(self._texts.pop())
            self.count -= 1

    def write(self, batch: WriteBatch, db: Client, *, save: str, is_last: bool) -> None:
        """Fill the open page with the buffered events, and open the next one unless the run ends.
        These must be the last writes of the batch; call `mark_stored` once it is committed.

        Args:
            save: A unique id of this save.
        """
        first = self.count - len(self._texts)
        number = self.page
        for texts in _chunks(self._texts):
            reference = paths.event_page(db, self.thread_id, self.run_id, number)
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
        self._taken, self._next_page = len(self._texts), number

    def open_page(self, batch: WriteBatch, db: Client, number: int) -> None:
        """Create the open page of a run that has none."""
        reference = paths.event_page(db, self.thread_id, self.run_id, number)
        batch.create(reference, self._blank())

    def mark_stored(self, page_time: Any) -> None:
        """Drop from the buffer the events that the last `write` stored."""
        self.page, self.page_time = self._next_page, page_time
        self.buffered_bytes -= sum(map(utf8_bytes, self._texts[: self._taken]))
        del self._texts[: self._taken]
        self._taken = 0

    def _blank(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.uid,
            "by": self.writer,
            "expiresAt": datetime.now(UTC) + RETENTION,
        }


class OpenPage(Struct, frozen=True):
    """A snapshot of a run's open page, which is missing after a handover.

    Attributes:
        number: The page's number.
        first: The number of the next event.
    """

    number: int
    first: int
    snapshot: Any

    @property
    def is_there(self) -> bool:
        return bool(self.snapshot.exists)

    def take(self, batch: WriteBatch, db: Client, events: EventLog) -> None:
        """Hand the page over to the process that writes `events`."""
        if self.is_there:
            update_unchanged(batch, self.snapshot, {"by": events.writer})
        else:
            events.open_page(batch, db, self.number)

    def delete(self, batch: WriteBatch, db: Client) -> None:
        """Delete the page, which ends the run: no process can save it any more."""
        if self.is_there:
            option = db.write_option(last_update_time=self.snapshot.update_time)
            batch.delete(self.snapshot.reference, option=option)

    def request_cancel(self, batch: WriteBatch) -> None:
        """Ask the process that fills the page next to cancel the run."""
        if self.is_there:
            update_unchanged(batch, self.snapshot, {"cancelRequested": True})


def find_open_page(db: Client, thread_id: str, run_id: str) -> OpenPage:
    """Find the open page of a run.

    Raises:
        Aborted: The run writes pages faster than they can be read.
    """
    events = paths.run(db, thread_id, run_id).collection(collection_id("events"))
    for _ in attempts():
        written = list(events.order_by("n", direction="DESCENDING").limit(1).stream())
        newest = (written[0].to_dict() or {}) if written else {"n": -1, "first": 0, "count": 0}
        number, first = newest["n"] + 1, newest["first"] + newest["count"]
        page = paths.event_page(db, thread_id, run_id, number).get()
        if "n" not in (page.to_dict() or {}):
            return OpenPage(number, first, page)
    raise Aborted(TEXTS.text("errors.run_changing"), retry_after_s=1)


def read_events(db: Client, thread_id: str, run_id: str, *, after: int = -1) -> Iterator[Any]:
    """Yield the stored pages of a run's events past page `after`, in order: `(n, events)`."""
    pages = paths.run(db, thread_id, run_id).collection(collection_id("events"))
    for snapshot in pages.where(filter=where("n", ">", after)).order_by("n").stream():
        data = snapshot.to_dict() or {}
        yield data["n"], json.loads(data["events"])


def missing_end_events(shown: Iterable[Event]) -> list[Event]:
    """Return the events that end whatever started and has not ended, the last started first."""
    ends: dict[tuple[str, str], Event] = {}
    for event in shown:
        kind = str(event["type"])
        if kind in _ENDS:
            end, key = _ENDS[kind]
            ends[end, event[key]] = {"type": end, key: event[key]}
        else:
            for end, key in _ENDS.values():
                if kind == end:
                    ends.pop((end, event[key]), None)
    return list(ends.values())[::-1]


def _chunks(texts: list[str]) -> Iterator[list[str]]:
    """Split events into pages; yield at least one, which may be empty."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        if chunk and size + utf8_bytes(text) > DOCUMENT_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += utf8_bytes(text)
    yield chunk
