"""Events of a run, stored in pages, of which the open one is the run's lock.

    threads/{t}/runs/{r}/events/{n}   uid, n, first, count, attempt, events, by, expiresAt

For another tab, and for a client that lost the stream, a run's events are stored several to a
document. A page says which events of the run it holds (`first`, `count`) and which attempt wrote it
(`attempt`): a recovered run continues behind the last stored event, so what a client saw of a dead
attempt beyond that is replaced by the pages of the next one.

**The open page is the run's lock.** One page always lies open while the run goes on: it has no
number `n` yet, so no query finds it. All that a process saves of the run fills the open page and
opens the next one, in the same batch and provided that nobody has touched the page since. So there
is one way to take a run from a process that may still be alive, however long it stands still: touch
its open page (to continue the run) or delete it (to end the run). What that process saves then
fails as a whole. A request to cancel is put on the open page as well, where the process finds it
with its next save.
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
from rollcall.store.batches import update_unchanged, where
from rollcall.store.message_log import utf8_bytes

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

DOCUMENT_BYTES = 250_000
"""How many bytes of events go into one page. One event that is larger has a page of its own: a
reply's text of which every letter has to be escaped comes to 900,000."""
KEPT = timedelta(days=7)
_TRIES = 5
_ENDS: dict[str, tuple[str, str]] = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
}
"""By which event another one is ended, and the field that both have in common."""


class EventLog(Struct):
    """Events of one try of a run, buffered until the next save.

    Attributes:
        writer: A random text: tells this attempt's open page from another's.
        page: The open page's number: so many are stored.
        page_time: When the open page was last touched, as Firestore says; None if not known.
        count: How many events there are, the buffered ones included.
        buffered_bytes: What the buffered ones come to; 0 without any.
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
        """Number an event and buffer it; return it as it is shown."""
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
        These are the batch's last writes; `mark_stored` follows when it is committed.

        Args:
            save: Tells this save from any other.
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
        """Create an open page, where there is none."""
        reference = paths.event_page(db, self.thread_id, self.run_id, number)
        batch.create(reference, self._blank())

    def mark_stored(self, page_time: Any) -> None:
        """Drop from the buffer what the last `write` took: it is stored."""
        self.page, self.page_time = self._next_page, page_time
        self.buffered_bytes -= sum(map(utf8_bytes, self._texts[: self._taken]))
        del self._texts[: self._taken]
        self._taken = 0

    def _blank(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.uid,
            "by": self.writer,
            "expiresAt": datetime.now(UTC) + KEPT,
        }


class OpenPage(Struct, frozen=True):
    """A run's open page as it was read. It may be missing after a handover, and in versions without
    pages.

    Attributes:
        number: Its number, and `first` that of the event that comes next.
    """

    number: int
    first: int
    snapshot: Any

    @property
    def is_there(self) -> bool:
        return bool(self.snapshot.exists)

    def take(self, batch: WriteBatch, db: Client, events: EventLog) -> None:
        """Make it the open page of another process."""
        if self.is_there:
            update_unchanged(batch, self.snapshot, {"by": events.writer})
        else:
            events.open_page(batch, db, self.number)

    def delete(self, batch: WriteBatch, db: Client) -> None:
        """Delete it, which ends the run: no process can save any more."""
        if self.is_there:
            option = db.write_option(last_update_time=self.snapshot.update_time)
            batch.delete(self.snapshot.reference, option=option)

    def request_cancel(self, batch: WriteBatch) -> None:
        """Ask the process that fills it next to cancel the run."""
        if self.is_there:
            update_unchanged(batch, self.snapshot, {"cancelRequested": True})


def find_open_page(db: Client, thread_id: str, run_id: str) -> OpenPage:
    """Find the open page of a run.

    Raises:
        Aborted: The run writes pages faster than they can be looked at.
    """
    events = paths.run(db, thread_id, run_id).collection(collection_id("events"))
    for _ in range(_TRIES):
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
    """Return the events that end what was begun and not ended, the last begun first."""
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
    """Split events into pages; there is one at least."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        if chunk and size + utf8_bytes(text) > DOCUMENT_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += utf8_bytes(text)
    yield chunk
