"""A run that is going on: what it saves, step by step, and how it ends.

A reply is one document of the log, and the results of its calls are added to it. The run's own
document is written when it opens, when its lease is renewed, and when it ends. What keeps two
processes from saving the same run is `store/hold.py`.
"""

from __future__ import annotations

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
from rollcall.store.approvals import Approval
from rollcall.store.budgets import Settlements
from rollcall.store.leases import RunLease
from rollcall.store.message_log import (
    TurnUsage,
    bytes_per_result,
    result_fields,
    step_document,
    usage_fields,
)
from rollcall.store.runs import ended_fields
from rollcall.store.window import window_document

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

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
    """What a run ends with when it waits.

    Attributes:
        approvals: What people are to decide.
        calls: Ids of the calls that are left to the client.
        tools: What they call, in the same order.
        permits: Why each may happen, by call id: `{approvalId, isEdited, summary}`,
            `{allowedBy}` or `{}`.
        client_id: Whose client they are left to.
        until: When the client's time for them is over.
    """

    approvals: tuple[Approval, ...] = ()
    calls: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    permits: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    client_id: str | None = None
    until: datetime | None = None


class Settling(Protocol):
    """What a run spends from, as its end knows it."""

    def settlement(self) -> Settlements:
        """What the run's document is to say was spent."""

    def settled(self) -> None:
        """They are saved."""


class OpenRun(Struct):
    """A run that holds its thread's lease, and the only way to save what happens in it.

    Attributes:
        user: Who asked, as known when the turn began; whoever continues it looks again.
        request: What the turn was asked with: locale, context, offered tools, client.
        documents: The log's newest documents, this run's own included.
        hold: What is saved, and whether this process may; `show` gathers events for it.
        answers: Decisions and results from outside for the last step's calls, by place.
        attempt: 1, and one more for each time the run was taken up.
        fruitless: How often it was taken up since it last got any further.
        decisions: What was decided in the thread, in lines; whoever ends leaves them to the next.
        told_decisions: Those that were there when the turn began.
        settling: What the run spends from, once somebody works on it.
        settlements: What the thread's run before has said it spent; from its own end on, this one.
        redact: Takes credentials out of events.
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
    hold: RunLease
    approvals: tuple[Approval, ...] = ()
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    allowed: dict[str, Any] = field(default_factory=dict)
    attempt: int = 1
    fruitless: int = 0
    decisions: list[str] = field(default_factory=list)
    told_decisions: list[str] = field(default_factory=list)
    settling: Settling | None = None
    settlements: Settlements = field(default_factory=dict)
    redact: Callable[[Any], Any] = field(default_factory=json_redactor)

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody wishes that it stops."""
        return self.hold.is_cancelled

    @property
    def is_closed(self) -> bool:
        """Its end is saved and its lease given back, or it was taken over: nothing of it may be
        written any more."""
        return self.hold.is_lost

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        """Append a model reply to the log, before any of its calls starts."""
        document = step_document(self._stamp(), step=step, reply=reply, spent=spent)
        written = self.hold.save(lambda batch: self._append(batch, document))
        self.hold.step_time = written[0].update_time if written else None
        self.documents.append(document)
        self.next_message += 1

    def save_results(self, results: Mapping[int, Answered]) -> None:
        """Add results of tools, by the places of their calls, to the newest reply, before they are
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
        self.hold.save_in_step(document["n"], fields)
        document["results"] = {**document["results"], **stored}

    def show(self, event: Event) -> Event:
        """Number an event and gather it for those who follow from Firestore."""
        return self.hold.events.add(self.redact(event))

    def tick(self) -> None:
        """Store gathered events, keep the lease, and look whether the run was cancelled.

        To be called between any two events, and at least each second while there are none.

        Raises:
            Aborted: Another run has taken the thread over.
        """
        now, hold = time.monotonic(), self.hold
        often_s = min(FLUSH_S * (1 + hold.events.page / 10), LOOK_S)
        has_news = now - hold.flushed_at > often_s and not hold.events.is_empty
        if has_news or hold.is_ending or hold.events.gathered_bytes > FLUSH_BYTES:
            hold.save(_nothing_else)
        elif now - hold.touched_at > LOOK_S:
            hold.look()
            hold.touched_at = now

    def finish(
        self,
        *,
        step: int,
        answer: ModelMessage,
        spent: TurnUsage,
        result: dict[str, Any],
        status: RunStatus = RunStatus.DONE,
        beside: Callable[[WriteBatch], None] | None = None,
    ) -> None:
        """Append the answer and close the run with its result, in one batch."""
        document = step_document(self._stamp(), step=step, reply=answer, spent=spent)

        def fill(batch: WriteBatch) -> None:
            self._append(batch, document)
            self._leave_view(batch, [*self.documents, document])

        self._close(fill, beside, ended_fields(status, result, step))

    def wait(
        self,
        asking: RunInterrupt,
        *,
        spent: TurnUsage,
        result: dict[str, Any],
        beside: Callable[[WriteBatch], None] | None = None,
    ) -> None:
        """Close the run with questions: its last calls stay unanswered in the log."""
        last = self.documents[-1]
        last["spent"] = usage_fields(spent)
        waiting = {
            "runId": self.run_id,
            "approvals": [approval.id for approval in asking.approvals],
            "calls": list(asking.calls),
            "tools": list(asking.tools),
            "approved": {call: permit for call, permit in asking.permits.items() if permit},
            "clientId": asking.client_id,
            "until": asking.until,
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
            for approval in asking.approvals:
                batch.create(paths.approval(self.db, approval.id), approval.document())
            batch.update(paths.thread(self.db, self.thread_id), thread)
            self._leave_view(batch, self.documents)

        self._close(fill, beside, ended_fields(RunStatus.DONE, result, last["step"]))

    def give_up(
        self, error: dict[str, Any], *, beside: Callable[[WriteBatch], None] | None = None
    ) -> None:
        """Close a run that has no answer; if another run took the thread over, that one cares."""
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
        """Leave the run to the task queue: whoever comes may take it up at once, and the thread
        is kept for it a while.

        Args:
            is_sound: It would have gone on here: taking it up is no further try.
        """
        now = datetime.now(UTC)
        kept = now + timedelta(seconds=HANDOVER_S)
        tries = {"fruitless": 0} if is_sound else {}
        self._close(_nothing_else, None, {"leaseUntil": now, "keptUntil": kept, **tries})

    def _close(
        self,
        fill: Callable[[WriteBatch], None],
        beside: Callable[[WriteBatch], None] | None,
        fields: dict[str, Any],
    ) -> None:
        def fill_all(batch: WriteBatch) -> None:
            fill(batch)
            if beside:
                beside(batch)

        said = self.settlements = self.settling.settlement() if self.settling else {}
        own = {f"settlements.{slice_id}": each for slice_id, each in said.items()}
        self.hold.save(fill_all, {**fields, **own}, is_last=True)
        if self.settling and said:
            self.settling.settled()

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
        """Renew the window view. Its token says that the lease is over."""
        after = max(self.next_message, documents[-1]["n"] + 1)
        view = window_document(
            documents,
            uid=self.user.uid,
            token=self.token,
            next_message=after,
            decisions=self.decisions,
            told=self.told_decisions,
            settlements=self.settlements,
        )
        batch.set(paths.window(self.db, self.thread_id), view)


def _nothing_else(batch: WriteBatch) -> None:
    """The run's events, and perhaps fields of its document, are all there is to save."""
