"""An open run: saves a run step by step while this process holds its lease, and ends it.

A reply is one document of the message log, to which the results of its calls are added. The run's
own document is written when it opens, when its lease is renewed, and when it ends.

**The lease.** A process holds a run as long as no other process has touched the run's open page
(`event_log`): each save fills that page, on the condition that it is unchanged. A process that
takes over the run or its thread touches or deletes the page, so a late save fails as a whole.
Results of tools are saved without a page, in their step's document, on the condition that it is
unchanged: a process that takes over also writes that document if one of its calls has no result.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field, to_builtins

from rollcall.core.context import User
from rollcall.core.errors import Aborted, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import ModelMessage, ToolCall, ToolResult
from rollcall.core.options import lease_s
from rollcall.core.redaction import json_redactor, redacted_json
from rollcall.core.texts import TEXTS
from rollcall.core.wire import RunStatus
from rollcall.store import audit, paths
from rollcall.store.approvals import Approval, RememberedApproval, load_approvals, read_remembered
from rollcall.store.batches import read_all
from rollcall.store.budgets import RunBudget
from rollcall.store.event_log import EventLog
from rollcall.store.message_log import (
    TurnUsage,
    bytes_per_result,
    new_stamp,
    read_reply,
    result_fields,
    step_document,
    window_document,
)
from rollcall.store.run_closing import saved_part
from rollcall.store.runs import ended_fields, read_request, read_user

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.batches import DocumentSnapshot


SAVE_TRIES = 10
PAUSE_S, MAX_PAUSE_S = 0.02, 0.5
FLUSH_S = 1.0
"""Events are stored with each reply and at the end, and in between at most this often; in a long
run half as often."""
FLUSH_BYTES = 300_000
LOOK_S = 2.0
"""How often a run without events checks whether it was cancelled or taken over."""
HANDOVER_S = 60.0
"""How long a thread is reserved for a run that was left to the task queue."""

log = logging.getLogger("rollcall")

T = TypeVar("T")
Answered = tuple[ToolResult, dict[str, Any]]
"""A call's result, and its record for the user."""


class NotSaved(Unavailable):
    """The database did not accept a save. The run can continue in another process."""


class OpenRun(Struct):
    """A run that this process holds, and through which it saves everything about the run.

    Times without another unit are those of `time.monotonic()`.

    Attributes:
        user: The user who sent the request, as known when the turn began; a continuation reads them
            again.
        request: The turn's request: locale, context, offered tools, client.
        documents: The newest documents of the log, including this run's own.
        events: The run's event log; each save stores its buffered events.
        approvals: Approvals for calls of the last step.
        answers: Results of the client's tools for calls of the last step, by call id.
        remembered: What approvals in this thread cover beyond their calls, by tool.
        attempt: 1, and one more for each time the run was recovered.
        fruitless: How often it was recovered since it last made progress.
        decisions: Decisions made in the thread, in lines; the view passes them to the next run.
        decisions_at_start: The decisions that had been made when the turn began.
        budget: The run's budget, once a process works on it.
        redact: Removes credentials from events.
        step_time: The update time of the last step's document in Firestore; None if not known.
        checked_at: When this process last checked that it holds the run.
        flushed_at: When events were last stored.
        renewed_at: When the lease was last renewed.
        is_cancelled: Whether somebody has requested to cancel the run.
        is_closed: Whether the run has ended or another process holds it; nothing may be saved then.
    """

    db: Client
    user: User
    agent: str
    thread_id: str
    run_id: str
    turn_id: str
    request: dict[str, Any]
    token: int
    documents: list[dict[str, Any]]
    next_message: int
    events: EventLog
    approvals: Sequence[Approval] = ()
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    remembered: dict[str, RememberedApproval] = field(default_factory=dict)
    attempt: int = 1
    fruitless: int = 0
    decisions: list[str] = field(default_factory=list)
    decisions_at_start: list[str] = field(default_factory=list)
    budget: RunBudget | None = None
    redact: Callable[[Any], Any] = field(default_factory=json_redactor)
    step_time: Any = None
    checked_at: float = field(default_factory=time.monotonic)
    flushed_at: float = field(default_factory=time.monotonic)
    renewed_at: float = field(default_factory=time.monotonic)
    is_cancelled: bool = False
    is_closed: bool = False

    @classmethod
    def of(
        cls,
        db: Client,
        run: dict[str, Any],
        events: EventLog,
        *,
        allowed: dict[str, Any] | None,
        view: DocumentSnapshot,
        documents: list[dict[str, Any]],
        approvals: Sequence[Approval] | None = None,
    ) -> OpenRun:
        """Return the open run of a document; its last step may have calls without a result.

        Args:
            run: The run's document.
            events: The run's event log, with its open page.
            allowed: The thread's field of that name.
            view: The thread's window view, as the previous run wrote it.
            approvals: Approvals for calls without a result; by default they are read.
        """
        window = view.to_dict() or {}
        decisions = list(window.get("decisions") or ())
        # The prompt keeps the decisions from the start of its turn, so that providers' caches hit.
        at_start = window.get("toldDecisions") if window.get("turnId") == run["turnId"] else None
        return cls(
            db=db,
            user=read_user(run),
            agent=run["agent"],
            thread_id=events.thread_id,
            run_id=events.run_id,
            turn_id=run["turnId"],
            request=read_request(run),
            token=run["token"],
            documents=documents,
            next_message=documents[-1]["n"] + 1,
            events=events,
            is_cancelled=bool(run.get("cancelRequested")),
            approvals=load_approvals(db, run["approvals"]) if approvals is None else approvals,
            answers=json.loads(run["answers"]),
            remembered=read_remembered(allowed),
            attempt=run["attempt"],
            fruitless=run["fruitless"],
            decisions=decisions,
            decisions_at_start=decisions if at_start is None else list(at_start),
        )

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        """Append a model reply to the log, before any of its calls starts."""
        document = self._step_document(step, reply, spent)
        reference = paths.message(self.db, self.thread_id, document["n"])
        written = self.save(lambda batch: batch.create(reference, document))
        self.step_time = written[0].update_time if written else None
        self.documents.append(document)
        self.next_message += 1

    def save_results(self, results: Mapping[int, Answered]) -> None:
        """Add results of tools to the newest reply, before clients or the model get them.

        Args:
            results: Results and records, by the places of their calls.
        Raises:
            Aborted: Another run has taken over the thread.
            Unavailable: The database did not accept the write.
        """
        from google.api_core.exceptions import FailedPrecondition, InvalidArgument
        from google.cloud.firestore_v1.field_path import FieldPath

        document = self.documents[-1]
        reference = paths.message(self.db, self.thread_id, document["n"])
        room = bytes_per_result(read_reply(document))
        stored = {
            str(place): result_fields(result, record=record, run_id=self.run_id, room=room)
            for place, (result, record) in results.items()
        }
        save = f"{self.events.writer}.{uuid.uuid4().hex[:8]}"  # the same for all its attempts
        results_at = {FieldPath("results", at).to_api_repr(): each for at, each in stored.items()}
        fields = {**results_at, "savedBy": save}

        def attempt() -> None:
            if self.step_time is None:
                page, step = read_all(self.db, self._page, reference)
                self._check_page(page, "")  # this process held the run when the step was read
                self.step_time = step.update_time
                if (step.to_dict() or {}).get("savedBy") == save:
                    return
            batch = self.db.batch()
            option = self.db.write_option(last_update_time=self.step_time)
            batch.update(reference, fields, option=option)
            self.step_time = None
            try:
                self.step_time = batch.commit()[0].update_time
            except InvalidArgument as error:
                if "base version" not in str(error):
                    raise
                # The emulator's error if the document is older than the required time.
                raise FailedPrecondition(str(error)) from error  # type: ignore[no-untyped-call]

        self._try(attempt)
        document["results"] = {**document["results"], **stored}

    def show(self, event: Event) -> Event:
        """Number an event and buffer it for clients that follow in Firestore."""
        return self.events.add(self.redact(event))

    def tick(self) -> None:
        """Store buffered events, renew the lease, and check for a cancel.

        Call it between any two events, and at least once a second while there are none.

        Raises:
            Aborted: Another run has taken over the thread.
        """
        now = time.monotonic()
        often_s = min(FLUSH_S * (1 + self.events.page / 10), LOOK_S)
        buffered = self.events.buffered_bytes
        is_due = buffered > (0 if now - self.flushed_at > often_s else FLUSH_BYTES)
        if is_due or self._needs_renewal:
            self.save()
        elif now - self.checked_at > LOOK_S:
            self.check()
            self.checked_at = now

    def finish(
        self,
        *,
        step: int,
        answer: ModelMessage,
        spent: TurnUsage,
        result: dict[str, Any],
        status: RunStatus = RunStatus.DONE,
        audit_entry: dict[str, Any] | None = None,
    ) -> None:
        """Append the answer and close the run with its result, in one batch."""
        document = self._step_document(step, answer, spent)
        reference = paths.message(self.db, self.thread_id, document["n"])
        self._close(
            ended_fields(status, result, step),
            window=[*self.documents, document],
            creates={reference: document},
            audit_entry=audit_entry,
        )

    def wait(
        self,
        *,
        approvals: Sequence[Approval] = (),
        calls: Sequence[ToolCall] = (),
        permits: Mapping[str, dict[str, Any]] | None = None,
        until: datetime | None = None,
        spent: TurnUsage,
        result: dict[str, Any],
        audit_entry: dict[str, Any] | None = None,
    ) -> None:
        """Close the run with outcome `interrupt`; its last calls stay unanswered in the log.

        Args:
            approvals: The approvals that people have to decide.
            calls: The calls that the client has to run.
            permits: Why each of these calls is allowed, by call id: `{approvalId, isEdited,
                summary}`, `{allowedBy}` or `{}`.
            until: When the client's time for these calls is over.
        """
        last = self.documents[-1]
        last["spent"] = to_builtins(spent)
        waiting = {
            "runId": self.run_id,
            "approvals": [approval.id for approval in approvals],
            "calls": [call.id for call in calls],
            "tools": [call.name for call in calls],
            "approved": {call: permit for call, permit in (permits or {}).items() if permit},
            "clientId": self.request.get("clientId"),
            "until": until,
        }
        thread = {
            "lease": None,
            "waiting": waiting,
            "nextMessage": self.next_message,
            "updatedAt": datetime.now(UTC),
        }

        self._close(
            ended_fields(RunStatus.DONE, result, last["step"]),
            window=self.documents,
            creates={paths.approval(self.db, each.id): each.document() for each in approvals},
            updates={
                # A write that changes nothing would keep the step's update time, and whoever
                # continues expects that of the view.
                paths.message(self.db, self.thread_id, last["n"]): {
                    "spent": last["spent"],
                    "savedBy": self.events.writer,
                },
                paths.thread(self.db, self.thread_id): thread,
            },
            audit_entry=audit_entry,
        )

    def fail(self, error: dict[str, Any]) -> None:
        """Close the run with an error, unless another process holds it. Its audit entry has what
        the run saved."""
        if self.is_closed:
            return
        saved = saved_part(self.documents, run_id=self.run_id, turn_id=self.turn_id)
        entry = self.audit_entry(outcome="failed", began_at=datetime.now(UTC), **saved)
        fields = {
            "status": RunStatus.FAILED.value,
            "error": redacted_json(error),
            "endedAt": datetime.now(UTC),
            "leaseUntil": None,
        }
        try:
            self._close(fields, window=self.documents, audit_entry=entry)
        except Aborted:
            log.info("run %s lost its thread before it could be closed", self.run_id)

    def audit_entry(self, *, approvals: Sequence[Approval] = (), **fields: Any) -> dict[str, Any]:
        """Return the run's entry of the audit log, for the batch that closes the run.

        Args:
            approvals: The approvals that the run ends with.
            fields: Further arguments of `audit.run_entry`.
        """
        return audit.run_entry(
            user=self.user,
            thread_id=self.thread_id,
            turn_id=self.turn_id,
            run_id=self.run_id,
            agent=self.agent,
            request=self.request,
            attempt=self.attempt,
            approvals=[*self.approvals, *approvals],
            at=datetime.now(UTC),
            **fields,
        )

    def hand_over(self, *, is_sound: bool = True) -> None:
        """Leave the run to the task queue, which may recover it at once; the thread is reserved for
        it for `HANDOVER_S`.

        Args:
            is_sound: The run did not fail here, so its recovery does not count as fruitless.
        """
        now = datetime.now(UTC)
        kept = now + timedelta(seconds=HANDOVER_S)
        tries = {"fruitless": 0} if is_sound else {}
        fields = {"leaseUntil": now, "keptUntil": kept, **tries}
        self.save(fields=fields, is_last=True, is_over=False)

    def _close(
        self,
        fields: dict[str, Any],
        *,
        window: Sequence[dict[str, Any]],
        creates: Mapping[DocumentReference, dict[str, Any]] | None = None,
        updates: Mapping[DocumentReference, dict[str, Any]] | None = None,
        audit_entry: dict[str, Any] | None,
    ) -> None:
        """End the run, in one batch.

        Args:
            fields: Fields of the run's document.
            window: The documents for the window view.
            creates: Other documents to create.
            updates: Other documents to update, and their fields.
        """

        def fill(batch: WriteBatch) -> None:
            for reference, document in (creates or {}).items():
                batch.create(reference, document)
            for reference, changes in (updates or {}).items():
                batch.update(reference, changes)
            view = window_document(
                window,
                uid=self.user.uid,
                token=self.token,  # says that the lease is over
                next_message=max(self.next_message, window[-1]["n"] + 1),
                decisions=self.decisions,
                decisions_at_start=self.decisions_at_start,
            )
            batch.set(paths.window(self.db, self.thread_id), view)
            if audit_entry:
                audit.write(batch, self.db, audit_entry)

        self.save(fill, fields, is_last=True)

    def save(
        self,
        fill: Callable[[WriteBatch], object] | None = None,
        fields: dict[str, Any] | None = None,
        *,
        is_last: bool = False,
        is_over: bool = True,
    ) -> Sequence[Any]:
        """Commit the writes that `fill` adds to a batch, together with the buffered events. A save
        of a reply or at the end also settles the cost of calls in the budget.

        Args:
            fields: Fields of the run's own document.
            is_last: Whether this is the process's last save of the run.
            is_over: Whether the run has ended after a last save.
        Returns:
            The write results, in the order of the batch; empty if the answer was lost.
        Raises:
            Aborted: Another run has taken over the thread.
            NotSaved: The database accepted none of `SAVE_TRIES` attempts.
        """
        now = datetime.now(UTC)
        renews = self._needs_renewal and not is_last
        lease = {"leaseUntil": now + timedelta(seconds=lease_s())} if renews else {}
        changes = {**lease, **(fields or {})}
        save = f"{self.events.writer}.{uuid.uuid4().hex[:8]}"  # the same for all its attempts
        budget = self.budget if fill is not None or is_last else None

        def attempt() -> Sequence[Any]:
            if self.events.page_time is None and self.check(save):
                return ()  # it was stored, and only the answer to it was lost
            batch = self.db.batch()
            if fill is not None:
                fill(batch)
            if budget is not None:
                budget.write(batch, is_last=is_last, is_over=is_over)
            if changes:
                reference = paths.run(self.db, self.thread_id, self.run_id)
                batch.update(reference, {**changes, "updatedAt": now})
            self.events.write(batch, self.db, save=save, is_last=is_last)
            self.events.page_time = None  # until the outcome is known
            return tuple(batch.commit())

        written = self._try(attempt)
        self.events.mark_stored(written[-1].update_time if written else None)
        self.checked_at = self.flushed_at = time.monotonic()
        if renews:
            self.renewed_at = self.checked_at
        self.is_closed = self.is_closed or is_last
        if budget is not None:
            budget.wrote(written)
        return written

    @property
    def _needs_renewal(self) -> bool:
        """Whether half of the lease's time has passed; the next save then renews it."""
        return time.monotonic() - self.renewed_at > lease_s() / 2

    def check(self, save: str = "") -> bool:
        """Check on the open page that this process still holds the run, and note a cancel request.

        Returns:
            Whether the save with the id `save` has filled the page.
        Raises:
            Aborted: Another process holds the run, or the run was closed.
        """
        return self._check_page(self._page.get(), save)

    def _check_page(self, page: Any, save: str) -> bool:
        data = page.to_dict() or {}
        if "n" in data and data["by"] == save:
            return True
        if data.get("by") != self.events.writer:  # another process, or a late save of our own
            self.is_closed = True
            raise Aborted(TEXTS.text("errors.run_superseded"))
        self.events.page_time = page.update_time
        self.is_cancelled = self.is_cancelled or bool(data.get("cancelRequested"))
        return False

    @property
    def _page(self) -> Any:
        return paths.event_page(self.db, self.thread_id, self.run_id, self.events.page)

    def _try(self, attempt: Callable[[], T]) -> T:
        """Repeat an attempt while the database fails or a precondition does. Each attempt first
        checks the outcome of the one before."""
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
                if number:  # the first time, checking the outcome is enough
                    time.sleep(min(PAUSE_S * 2**number, MAX_PAUSE_S))
        raise NotSaved("the database did not accept this run's saves", retry_after_s=2)

    def _step_document(self, step: int, reply: ModelMessage, spent: TurnUsage) -> dict[str, Any]:
        stamp = new_stamp(
            uid=self.user.uid, number=self.next_message, run_id=self.run_id, turn_id=self.turn_id
        )
        return step_document(stamp, step=step, reply=reply, spent=spent)
