"""A run that is going on: what it saves, step by step, and how it ends.

The run's own document is its fence: every save requires that nobody else has written it. Whoever
takes a thread or a run over writes that document with a new lease token in the same batch, so the
one that lost can save nothing more. A write that leaves the token alone (a request to cancel) is
read and heeded, and the save is made again.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.context import User
from rollcall.core.errors import Aborted, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import Message, ModelMessage, ToolResult
from rollcall.core.options import lease_s
from rollcall.core.redaction import redacted_json
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import paths
from rollcall.store.approvals import Approval
from rollcall.store.event_log import EventLog
from rollcall.store.log import (
    Spent,
    result_fields,
    result_text,
    spent_fields,
    step_document,
    without_media,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

WINDOW_DOCUMENTS = 40
"""How many documents of the log the window view holds."""
WINDOW_BYTES = 400_000
FLUSH_S = 1.0
"""Events are stored with each reply and at the end, and in between at most this often."""
FLUSH_CHARS = 300_000
LOOK_S = 2.0
"""How often a quiet run looks whether it was cancelled or taken over."""
SAVE_TRIES = 10
HANDOVER_S = 60.0
"""How long a thread is kept for a run that was left to the task queue."""

log = logging.getLogger("rollcall")


@dataclass(frozen=True, slots=True)
class Finished:
    """The run was done before: its stored result, or the error it ended with."""

    result: dict[str, Any] | None
    error: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class GoingOn:
    """Somebody else is on this run at present."""

    thread_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Asking:
    """What a run ends with when it waits.

    Attributes:
        approvals: What people are to decide.
        calls: Ids of the calls that are left to the client.
        client_id: Whose client they are left to.
        until: When the client's time for them is over.
    """

    approvals: tuple[Approval, ...] = ()
    calls: tuple[str, ...] = ()
    client_id: str | None = None
    until: datetime | None = None


@dataclass(slots=True)
class OpenRun:
    """A run that holds its thread's lease, and the only way to save what happens in it.

    Attributes:
        user: Who asked, as known when the turn began; whoever continues it looks again.
        request: What the turn was asked with: locale, context, offered tools, client.
        documents: The log's newest documents, this run's own included.
        events: What is stored for other tabs; `show` numbers and gathers them.
        answers: Decisions and results from outside for the last step's calls, by place.
        attempt: 1, and one more for each time the run was taken up.
        fruitless: How often it was taken up since it last got any further.
    """

    db: Client
    user: User
    agent: str
    thread_id: str
    run_id: str
    turn_id: str
    request: dict[str, Any]
    token: int
    history: list[Message]
    documents: list[dict[str, Any]]
    next_message: int
    run_time: Any
    events: EventLog
    approvals: tuple[Approval, ...] = ()
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    allowed: dict[str, str] = field(default_factory=dict)
    attempt: int = 1
    fruitless: int = 0
    seq: int = 0
    is_cancelled: bool = False
    is_closed: bool = False
    """Its end is saved and its lease given back: nothing of it may be written any more."""
    _lease_until: float = field(default_factory=lambda: time.monotonic() + lease_s())
    _touched: float = field(default_factory=time.monotonic)
    _flushed: float = field(default_factory=time.monotonic)

    def save_reply(self, step: int, reply: ModelMessage, spent: Spent) -> None:
        """Append a model reply to the log, before any of its calls starts."""
        document = step_document(self._stamp(), step=step, reply=reply, spent=spent)
        made = {"step": step, "fruitless": 0}
        self._save(lambda batch: self._append(batch, document), made)
        self._appended(document)

    def save_result(self, place: int, result: ToolResult, record: dict[str, Any]) -> None:
        """Add a tool's result to the newest reply, before it is shown or sent on."""
        from google.cloud.firestore_v1.field_path import FieldPath

        document = self.documents[-1]
        stored = result_fields(result, record=record, run_id=self.run_id)
        reference = paths.message(self.db, self.thread_id, document["n"])
        name = FieldPath("results", str(place)).to_api_repr()
        late = time.monotonic() - self._flushed > FLUSH_S
        self._save(lambda batch: batch.update(reference, {name: stored}), {}, with_events=late)
        document["results"] = {**document["results"], str(place): stored}

    def show(self, event: Event) -> Event:
        """Number an event and gather it for those who follow from Firestore."""
        return self.events.add(redacted_json(event))

    def tick(self) -> None:
        """Store gathered events, keep the lease, and look whether the run was cancelled.

        To be called between any two events, and at least each second while there are none.

        Raises:
            Aborted: Another run has taken the thread over.
        """
        now = time.monotonic()
        has_news = now - self._flushed > FLUSH_S and not self.events.is_empty
        is_ending = now > self._lease_until - lease_s() / 2
        if has_news or is_ending or self.events.gathered_chars > FLUSH_CHARS:
            self._save(_nothing_else, {})
        elif now - self._touched > LOOK_S:
            self._touched = now
            self._look()

    def finish(
        self,
        *,
        step: int,
        answer: ModelMessage,
        spent: Spent,
        result: dict[str, Any],
        status: RunStatus = RunStatus.DONE,
        beside: Callable[[WriteBatch], None] | None = None,
    ) -> None:
        """Append the answer and close the run with its result, in one batch."""
        document = step_document(self._stamp(), step=step, reply=answer, spent=spent)

        def fill(batch: WriteBatch) -> None:
            self._append(batch, document)
            self._release(batch, [*self.documents, document], waiting=None)
            if beside:
                beside(batch)

        self._close(fill, result, status)

    def wait(
        self,
        asking: Asking,
        *,
        spent: Spent,
        result: dict[str, Any],
        beside: Callable[[WriteBatch], None] | None = None,
    ) -> None:
        """Close the run with questions: its last calls stay unanswered in the log."""
        last = self.documents[-1]
        last["spent"] = spent_fields(spent)
        waiting = {
            "runId": self.run_id,
            "approvals": [approval.id for approval in asking.approvals],
            "calls": list(asking.calls),
            "clientId": asking.client_id,
            "until": asking.until,
        }

        def fill(batch: WriteBatch) -> None:
            message = paths.message(self.db, self.thread_id, last["n"])
            batch.update(message, {"spent": last["spent"]})
            for approval in asking.approvals:
                batch.create(paths.approval(self.db, approval.id), approval.document())
            self._release(batch, self.documents, waiting=waiting)
            if beside:
                beside(batch)

        self._close(fill, result, RunStatus.DONE)

    def give_up(
        self, error: dict[str, Any], *, beside: Callable[[WriteBatch], None] | None = None
    ) -> None:
        """Close a run that has no answer; if another run took the thread over, that one cares."""
        if self.is_closed:
            return

        def fill(batch: WriteBatch) -> None:
            self._release(batch, self.documents, waiting=None)
            if beside:
                beside(batch)

        fields = {
            "status": RunStatus.FAILED.value,
            "error": redacted_json(error),
            "endedAt": datetime.now(UTC),
            "leaseUntil": None,
        }
        try:
            self._save(fill, fields)
        except Aborted:
            log.info("run %s lost its thread before it could be closed", self.run_id)
        self.is_closed = True

    def hand_over(self, *, is_sound: bool = True) -> None:
        """Leave the run to the task queue: whoever comes may take it up at once, and the thread
        is kept for it a while.

        Args:
            is_sound: It would have gone on here: taking it up is no further try.
        """
        now = datetime.now(UTC)
        kept = now + timedelta(seconds=HANDOVER_S)
        tries = {"fruitless": 0} if is_sound else {}
        self._save(_nothing_else, {"leaseUntil": now, "keptUntil": kept, **tries})
        self.is_closed = True

    def _close(
        self, fill: Callable[[WriteBatch], None], result: dict[str, Any], status: RunStatus
    ) -> None:
        fields = {
            "status": status.value,
            "endedAt": datetime.now(UTC),
            "leaseUntil": None,
            "answers": "{}",  # they are in the log now, and the document has to hold the result
            "result": result_text(redacted_json(result)),
            "outcome": result["outcome"]["type"],
            "stopReason": result.get("stopReason"),
            "usage": result["usage"],
        }
        self._save(fill, fields)
        self.is_closed = True

    def _stamp(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.user.uid,
            "n": self.next_message,
            "runId": self.run_id,
            "turnId": self.turn_id,
            "createdAt": datetime.now(UTC),
        }

    def _append(self, batch: WriteBatch, document: dict[str, Any]) -> None:
        batch.create(paths.message(self.db, self.thread_id, document["n"]), document)

    def _appended(self, document: dict[str, Any]) -> None:
        self.documents.append(document)
        self.next_message += 1

    def _release(
        self,
        batch: WriteBatch,
        documents: Sequence[dict[str, Any]],
        *,
        waiting: dict[str, Any] | None,
    ) -> None:
        """Give the lease back and renew the window view."""
        after = documents[-1]["n"] + 1
        thread = {
            "lease": None,
            "waiting": waiting,
            "updatedAt": datetime.now(UTC),
            "nextMessage": after,
        }
        batch.update(paths.thread(self.db, self.thread_id), thread)
        view = _view(documents, next_message=after, uid=self.user.uid)
        batch.set(paths.window(self.db, self.thread_id), view)

    def _save(
        self,
        fill: Callable[[WriteBatch], None],
        run: dict[str, Any],
        *,
        with_events: bool = True,
    ) -> None:
        """Commit, with the events gathered so far, if this run is still the one that may.

        Raises:
            Aborted: Another run has taken the thread over.
            Unavailable: The database took it at none of `SAVE_TRIES` tries.
        """
        from google.api_core.exceptions import (
            Conflict,
            FailedPrecondition,
            NotFound,
            RetryError,
            ServerError,
        )

        reference = paths.run(self.db, self.thread_id, self.run_id)
        until = datetime.now(UTC) + timedelta(seconds=lease_s())
        fields = {"leaseUntil": until, **run, "seq": self.seq + 1, "updatedAt": datetime.now(UTC)}
        for _ in range(SAVE_TRIES):
            batch = self.db.batch()
            fill(batch)
            if with_events:
                self.events.write(batch, self.db)
            option = self.db.write_option(last_update_time=self.run_time)
            batch.update(reference, fields, option=option)
            try:
                self.run_time = batch.commit()[-1].update_time
                break
            except (Conflict, FailedPrecondition, NotFound, ServerError, RetryError) as error:
                log.info("run %s: a save was not taken: %r", self.run_id, error)
                if self._look() > self.seq:
                    break  # it was stored, and only the answer to it was lost
        else:
            raise Unavailable("the database did not take what this run has to save")
        self.seq += 1
        self._touched = time.monotonic()
        if with_events:
            self.events.committed()
            self._flushed = self._touched
        self._lease_until = self._touched + lease_s()

    def _look(self) -> int:
        """Read the run anew: heed a request to cancel; return how often it was saved.

        Raises:
            Aborted: It is no longer this process's.
        """
        snapshot = paths.run(self.db, self.thread_id, self.run_id).get()
        data = snapshot.to_dict() or {}
        is_mine = data.get("token") == self.token
        is_saved = is_mine and data["seq"] > self.seq  # its end, perhaps
        if not is_saved and (not is_mine or data["status"] != RunStatus.RUNNING):
            self.is_closed = True
            raise Aborted("another run has taken this thread over; this one has ended")
        self.run_time = snapshot.update_time
        self.is_cancelled = self.is_cancelled or bool(data.get("cancelRequested"))
        return int(data["seq"])


def _nothing_else(batch: WriteBatch) -> None:
    """The run's own document and its events are all there is to save."""


def run_document(
    *,
    user: User,
    agent: str,
    turn_id: str,
    request: dict[str, Any],
    token: int,
    digest: str,
    opener: str,
    first_message: int,
    continues: str | None = None,
    approvals: Sequence[str] = (),
    answers: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A run as it is created.

    Args:
        opener: A random text: tells a lost answer to one's own opening from another's opening.
        continues: The run of the same turn whose waiting calls this one answers.
        answers: What a client's tools answered, by place: kept with the run until they are in
            the log.
    """
    now = datetime.now(UTC)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": user.uid,
        "user": {"role": user.role.value, "tenant": user.tenant, "name": user.name},
        "agent": agent,
        "turnId": turn_id,
        "status": RunStatus.RUNNING.value,
        "step": 0,
        "seq": 0,
        "attempt": 1,
        "fruitless": 0,
        "token": token,
        "opener": opener,
        "firstMessage": first_message,
        "requestDigest": digest,
        # As text: what a client sends may hold lists inside lists.
        "request": json.dumps(request, ensure_ascii=False),
        "continues": continues,
        "approvals": list(approvals),
        "answers": json.dumps(answers or {}, ensure_ascii=False),
        "createdAt": now,
        "updatedAt": now,
        "leaseUntil": now + timedelta(seconds=lease_s()),
    }


def _view(documents: Sequence[dict[str, Any]], *, next_message: int, uid: str) -> dict[str, Any]:
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
        "uid": uid,
        "nextMessage": next_message,
        "documents": kept[::-1],
    }
