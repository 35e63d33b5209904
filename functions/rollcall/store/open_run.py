"""An open run: what its process saves of it, step by step, and how it ends.

A reply is one document of the message log, and the results of its calls are added to it. The run's
own document is written when it opens, when its lease is renewed, and when it ends. What keeps two
processes from saving the same run is the lease (`leases`).
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from rollcall.core.context import User
from rollcall.core.errors import Aborted
from rollcall.core.events import Event
from rollcall.core.messages import Message, ModelMessage, ToolResult
from rollcall.core.redaction import json_redactor, redacted_json
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import paths
from rollcall.store.approvals import Approval, RememberedApproval, read_remembered
from rollcall.store.budgets import Settlements
from rollcall.store.event_log import EventLog
from rollcall.store.leases import RunLease
from rollcall.store.message_log import (
    TurnUsage,
    bytes_per_result,
    read_history,
    result_fields,
    step_document,
    usage_fields,
)
from rollcall.store.runs import ended_fields, read_request, read_user
from rollcall.store.window import window_document

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    Beside = Callable[[WriteBatch], None]

FLUSH_S = 1.0
"""Events are stored with each reply and at the end, and in between at most this often; in a run
that goes on for long half as often."""
FLUSH_BYTES = 300_000
LOOK_S = 2.0
"""How often a quiet run looks whether it was cancelled or taken over."""
HANDOVER_S = 60.0
"""How long a thread is kept for a run that was left to the task queue."""

log = logging.getLogger("rollcall")

Answered = tuple[ToolResult, dict[str, Any]]
"""A call's result, and its record for the user."""


class RunInterrupt(Struct, frozen=True):
    """What a run waits for when it ends with outcome `interrupt`.

    Attributes:
        approvals: What people are to decide.
        calls: Ids of the calls that are left to the client.
        tools: The tools that these call, in the same order.
        permits: Why each of these may happen, by call id: `{approvalId, isEdited, summary}`,
            `{allowedBy}` or `{}`.
        client_id: The client that they are left to.
        until: When the client's time for them is over.
    """

    approvals: tuple[Approval, ...] = ()
    calls: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    permits: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    client_id: str | None = None
    until: datetime | None = None


class Budget(Protocol):
    """The budget that a run spends from, as the run's end needs it."""

    def settlement(self) -> Settlements:
        """Return what the run's document is to say was spent."""

    def settled(self) -> None:
        """Note that this is saved."""


class OpenRun(Struct):
    """A run that this process holds, and the only way to save what happens in it.

    Attributes:
        user: Who sent the request, as known when the turn began; who continues it looks again.
        request: The turn's request: locale, context, offered tools, client.
        documents: The log's newest documents, this run's own included.
        approvals: Decisions on calls of the last step.
        answers: Results from outside for calls of the last step, by call id.
        remembered: What approvals in this thread cover beyond their call, by tool.
        attempt: 1, and one more for each time the run was recovered.
        fruitless: How often it was recovered since it last made progress.
        decisions: What was decided in the thread, in lines; the run's end leaves them to the next.
        decisions_at_start: Those that were there when the turn began.
        budget: What the run spends from, once a process works on it.
        settlements: What the thread's run before has said it spent; from its own end on, this one.
        redact: Removes credentials from events.
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
    lease: RunLease
    approvals: Sequence[Approval] = ()
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    remembered: dict[str, RememberedApproval] = field(default_factory=dict)
    attempt: int = 1
    fruitless: int = 0
    decisions: list[str] = field(default_factory=list)
    decisions_at_start: list[str] = field(default_factory=list)
    budget: Budget | None = None
    settlements: Settlements = field(default_factory=dict)
    redact: Callable[[Any], Any] = field(default_factory=json_redactor)

    @classmethod
    def of(
        cls,
        db: Client,
        run: dict[str, Any],
        events: EventLog,
        *,
        thread: dict[str, Any],
        documents: list[dict[str, Any]],
        decisions: list[str],
        decisions_at_start: list[str],
        approvals: Sequence[Approval] = (),
    ) -> OpenRun:
        """Return the open run of a document; its history may end with calls without a result.

        Args:
            run: The run's document, and `thread` the thread's.
            events: The run's, with its open page.
            approvals: Decisions on calls without a result.
        """
        return cls(
            db=db,
            user=read_user(run),
            agent=run["agent"],
            thread_id=events.thread_id,
            run_id=events.run_id,
            turn_id=run["turnId"],
            request=read_request(run),
            token=run["token"],
            history=read_history(documents, leaves_last_open=True),
            documents=documents,
            next_message=documents[-1]["n"] + 1,
            lease=RunLease(db, events, is_cancelled=bool(run.get("cancelRequested"))),
            approvals=approvals,
            answers=json.loads(run["answers"]),
            remembered=read_remembered(thread.get("allowed")),
            attempt=run["attempt"],
            fruitless=run["fruitless"],
            decisions=decisions,
            decisions_at_start=decisions_at_start,
        )

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody has asked that it stops."""
        return self.lease.is_cancelled

    @property
    def is_closed(self) -> bool:
        """Whether nothing of it may be saved any more: its end is, or another process holds it."""
        return self.lease.is_lost

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        """Append a model reply to the log, before any of its calls starts."""
        document = step_document(self._stamp(), step=step, reply=reply, spent=spent)
        written = self.lease.save(lambda batch: self._append(batch, document))
        self.lease.step_time = written[0].update_time if written else None
        self.documents.append(document)
        self.next_message += 1

    def save_results(self, results: Mapping[int, Answered]) -> None:
        """Add results of tools to the newest reply, by the places of their calls, before they are
        shown or sent on.

        Raises:
            Aborted: Another run has taken the thread over.
            Unavailable: The database did not take it.
        """
        from google.cloud.firestore_v1.field_path import FieldPath

        document = self.documents[-1]
        room = bytes_per_result(document)
        stored = {
            str(place): result_fields(result, record=record, run_id=self.run_id, room=room)
            for place, (result, record) in results.items()
        }
        fields = {FieldPath("results", at).to_api_repr(): each for at, each in stored.items()}
        self.lease.save_in_step(document["n"], fields)
        document["results"] = {**document["results"], **stored}

    def show(self, event: Event) -> Event:
        """Number an event, and buffer it for those who follow from Firestore."""
        return self.lease.events.add(self.redact(event))

    def withdraw_last_event(self) -> None:
        """Leave out the newest event, unless it is stored: what it tells was not saved."""
        self.lease.events.withdraw_last()

    def tick(self) -> None:
        """Store buffered events, keep the lease, and look whether the run was cancelled.

        To be called between any two events, and at least each second while there are none.

        Raises:
            Aborted: Another run has taken the thread over.
        """
        now, lease = time.monotonic(), self.lease
        often_s = min(FLUSH_S * (1 + lease.events.page / 10), LOOK_S)
        has_news = now - lease.flushed_at > often_s and not lease.events.is_empty
        if has_news or lease.needs_renewal or lease.events.buffered_bytes > FLUSH_BYTES:
            lease.save()
        elif now - lease.checked_at > LOOK_S:
            lease.check()
            lease.checked_at = now

    def finish(
        self,
        *,
        step: int,
        answer: ModelMessage,
        spent: TurnUsage,
        result: dict[str, Any],
        status: RunStatus = RunStatus.DONE,
        beside: Beside | None = None,
    ) -> None:
        """Append the answer and close the run with its result, in one batch.

        Args:
            beside: Adds what else belongs into that batch, such as the run's audit entry.
        """
        document = step_document(self._stamp(), step=step, reply=answer, spent=spent)

        def fill(batch: WriteBatch) -> None:
            self._append(batch, document)
            self._leave_view(batch, [*self.documents, document])

        self._close(fill, beside, ended_fields(status, result, step))

    def wait(
        self,
        interrupt: RunInterrupt,
        *,
        spent: TurnUsage,
        result: dict[str, Any],
        beside: Beside | None = None,
    ) -> None:
        """Close the run with what it waits for: its last calls stay unanswered in the log."""
        last = self.documents[-1]
        last["spent"] = usage_fields(spent)
        waiting = {
            "runId": self.run_id,
            "approvals": [approval.id for approval in interrupt.approvals],
            "calls": list(interrupt.calls),
            "tools": list(interrupt.tools),
            "approved": {call: permit for call, permit in interrupt.permits.items() if permit},
            "clientId": interrupt.client_id,
            "until": interrupt.until,
        }
        thread = {
            "lease": None,
            "waiting": waiting,
            "nextMessage": self.next_message,
            "updatedAt": datetime.now(UTC),
        }

        def fill(batch: WriteBatch) -> None:
            message = paths.message(self.db, self.thread_id, last["n"])
            batch.update(message, {"spent": last["spent"]})
            for approval in interrupt.approvals:
                batch.create(paths.approval(self.db, approval.id), approval.document())
            batch.update(paths.thread(self.db, self.thread_id), thread)
            self._leave_view(batch, self.documents)

        self._close(fill, beside, ended_fields(RunStatus.DONE, result, last["step"]))

    def fail(self, error: dict[str, Any], *, beside: Beside | None = None) -> None:
        """Close a run that has no answer; one that another process holds is left to that."""
        if self.is_closed:
            return
        fields = {
            "status": RunStatus.FAILED.value,
            "error": redacted_json(error),
            "endedAt": datetime.now(UTC),
            "leaseUntil": None,
        }
        try:
            self._close(lambda batch: self._leave_view(batch, self.documents), beside, fields)
        except Aborted:
            log.info("run %s lost its thread before it could be closed", self.run_id)

    def hand_over(self, *, is_sound: bool = True) -> None:
        """Leave the run to the task queue, which may recover it at once; the thread is kept for it
        a while.

        Args:
            is_sound: It would have gone on here: recovering it counts as no failed attempt.
        """
        now = datetime.now(UTC)
        kept = now + timedelta(seconds=HANDOVER_S)
        tries = {"fruitless": 0} if is_sound else {}
        self._close(None, None, {"leaseUntil": now, "keptUntil": kept, **tries})

    def _close(self, fill: Beside | None, beside: Beside | None, fields: dict[str, Any]) -> None:
        def fill_all(batch: WriteBatch) -> None:
            for each in (fill, beside):
                if each:
                    each(batch)

        said = self.settlements = self.budget.settlement() if self.budget else {}
        own = {f"settlements.{slice_id}": each for slice_id, each in said.items()}
        self.lease.save(fill_all, {**fields, **own}, is_last=True)
        if self.budget and said:
            self.budget.settled()

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

    def _leave_view(self, batch: WriteBatch, documents: Sequence[dict[str, Any]]) -> None:
        """Write the window view. Its token says that the lease is over."""
        view = window_document(
            documents,
            uid=self.user.uid,
            token=self.token,
            next_message=max(self.next_message, documents[-1]["n"] + 1),
            decisions=self.decisions,
            told=self.decisions_at_start,
            settlements=self.settlements,
        )
        batch.set(paths.window(self.db, self.thread_id), view)
