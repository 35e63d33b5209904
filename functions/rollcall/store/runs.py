"""A run that is going on: what it saves, step by step, and how it ends.

The run's own document is its fence: every save requires that nobody else has written it. Whoever
takes a thread over from a run writes that run's document in the same batch, so the run that lost
can save nothing more.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import Aborted
from rollcall.core.messages import Message, ModelMessage, ToolResult, UserMessage
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import paths
from rollcall.store.log import result_text, step_document, without_media

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

WINDOW_DOCUMENTS = 40
"""How many documents of the log the window view holds."""
WINDOW_BYTES = 400_000

log = logging.getLogger("rollcall")


@dataclass(frozen=True, slots=True)
class Opening:
    """What a run starts from."""

    uid: str
    agent: str
    thread_id: str
    is_new: bool
    run_id: str
    turn_id: str
    request_digest: str
    message: UserMessage
    context: dict[str, Any] | None
    lease_s: int
    supersede: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The run was done before: its stored result."""

    result: dict[str, Any]


@dataclass(slots=True)
class OpenRun:
    """A run that holds its thread's lease, and the only way to save what happens in it."""

    db: Client
    opening: Opening
    history: list[Message]
    next_message: int
    run_time: Any
    documents: list[dict[str, Any]]
    """The log's newest documents, this run's own included."""
    is_closed: bool = False
    """Its end is saved and its lease given back: nothing of it may be written any more."""

    def save_reply(self, step: int, reply: ModelMessage) -> None:
        """Append a model reply to the log, before any of its calls starts."""
        batch = self.db.batch()
        document = self._append(batch, step, reply)
        self._commit(batch, {"step": step})
        self._appended(document)

    def save_result(self, result: ToolResult) -> None:
        """Add a tool's result to the newest reply, before it is shown or sent on."""
        document = self.documents[-1]
        stored = {"name": result.name, "content": result.content, "isError": result.is_error}
        document["results"] = {**document["results"], result.call_id: stored}
        batch = self.db.batch()
        reference = paths.message(self.db, self.opening.thread_id, document["n"])
        batch.update(reference, {"results": document["results"]})
        self._commit(batch, {})

    def finish(self, *, step: int, answer: ModelMessage, result: dict[str, Any]) -> None:
        """Append the answer and close the run with its result, in one batch."""
        batch = self.db.batch()
        document = self._append(batch, step, answer)
        self._release(batch, [*self.documents, document])
        self._commit(
            batch,
            {
                "status": RunStatus.DONE.value,
                "endedAt": datetime.now(UTC),
                "result": result_text(result),
                "stopReason": result.get("stopReason"),
                "usage": result["usage"],
            },
        )
        self.is_closed = True

    def give_up(self, error: str) -> None:
        """Close a run that has no answer; if another run took the thread over, that one cares."""
        if self.is_closed:
            return
        batch = self.db.batch()
        self._release(batch, self.documents)
        failed = {"status": RunStatus.FAILED.value, "error": error[:500]}
        try:
            self._commit(batch, {**failed, "endedAt": datetime.now(UTC)})
        except Aborted:
            log.info("run %s lost its thread before it could be closed", self.opening.run_id)

    def _append(self, batch: WriteBatch, step: int, reply: ModelMessage) -> dict[str, Any]:
        document = step_document(log_stamp(self.opening, self.next_message), step=step, reply=reply)
        batch.create(paths.message(self.db, self.opening.thread_id, self.next_message), document)
        return document

    def _appended(self, document: dict[str, Any]) -> None:
        self.documents.append(document)
        self.next_message += 1

    def _release(self, batch: WriteBatch, documents: Sequence[dict[str, Any]]) -> None:
        """Give the lease back and renew the window view."""
        after = documents[-1]["n"] + 1
        thread = {"lease": None, "updatedAt": datetime.now(UTC), "nextMessage": after}
        batch.update(paths.thread(self.db, self.opening.thread_id), thread)
        view = _view(documents, next_message=after)
        batch.set(paths.window(self.db, self.opening.thread_id), view)

    def _commit(self, batch: WriteBatch, run: dict[str, Any]) -> None:
        """Commit, if this run is still the one that may.

        Raises:
            Aborted: Another run has taken the thread over.
        """
        from google.api_core.exceptions import AlreadyExists, FailedPrecondition, NotFound

        option = self.db.write_option(last_update_time=self.run_time)
        reference = paths.run(self.db, self.opening.thread_id, self.opening.run_id)
        batch.update(reference, {**run, "updatedAt": datetime.now(UTC)}, option=option)
        try:
            written = batch.commit()
        except (AlreadyExists, FailedPrecondition, NotFound) as error:
            raise Aborted("another run has taken this thread over; this one has ended") from error
        self.run_time = written[-1].update_time


def log_stamp(opening: Opening, number: int) -> dict[str, Any]:
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": opening.uid,
        "n": number,
        "runId": opening.run_id,
        "turnId": opening.turn_id,
        "createdAt": datetime.now(UTC),
    }


def _view(documents: Sequence[dict[str, Any]], *, next_message: int) -> dict[str, Any]:
    """The window view: the newest documents that fit."""
    kept: list[dict[str, Any]] = []
    size = 0
    for document in map(without_media, reversed(documents[-WINDOW_DOCUMENTS:])):
        size += len(str(document).encode())
        if size > WINDOW_BYTES:
            break
        kept.append(document)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "nextMessage": next_message,
        "documents": kept[::-1],
    }
