"""Opens the run that goes on with a turn whose questions are answered: exactly one for each.

What answers to a turn come to: what they settle, and what is written of it.

Notes answers to a part of what a turn waits for, while other parts are open.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.errors import Aborted, FailedPrecondition
from rollcall.store import audit, migrations, paths
from rollcall.store.admission import Admission
from rollcall.store.approvals import (
    Approval,
    ApprovalDecision,
    ApprovalStatus,
    load_approvals,
    remember_approvals,
)
from rollcall.store.batches import attempts, read_all, try_commit
from rollcall.store.budgets import settlements_of
from rollcall.store.event_log import EventLog
from rollcall.store.leases import find_leased_run, next_lease
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import handle
from rollcall.store.runs import (
    check_found_run,
    is_generated_id,
    next_run_id,
    read_for_opening,
    read_request,
    read_user,
    run_document,
    run_erased,
    run_id_taken,
    run_key,
)
from rollcall.store.window import (
    decisions_at_turn_start,
    decisions_of,
    has_whole_turn,
    read_log,
    read_recent,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


Known = Mapping[str, Any]
"""Snapshots that were read before, by their paths."""


class _Read(Struct, frozen=True):
    """What an opening has read. `run` is what was found of the run that it is to open."""

    thread: DocumentSnapshot
    waiting: DocumentSnapshot
    window: DocumentSnapshot
    run: DocumentSnapshot | None
    admission: Sequence[DocumentSnapshot]

    @property
    def data(self) -> dict[str, Any]:
        """The thread's."""
        return self.thread.to_dict() or {}

    @property
    def before(self) -> dict[str, Any]:
        """The waiting run's."""
        return self.waiting.to_dict() or {}


def open_continuation(
    db: Client,
    thread_id: str,
    waiting_run_id: str,
    continuing: Continuation,
    known: Known | None = None,
) -> OpenRun | StillWaiting | str:
    """Open the run that continues a waiting one: exactly one is ever opened.

    Args:
        known: What was read of the thread a moment ago, its document and its view at one time.
    Returns:
        The open run; what is still open; or the id of the run that continued it before.
    Raises:
        FailedPrecondition: The run waits for nothing (any more).
        AlreadyExists: The run id was used in another thread.
    """
    for _ in attempts():
        opened = _try_continue(db, thread_id, waiting_run_id, continuing, known or {})
        if opened is not None:
            return opened
        known = None  # it has changed since
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def _read(
    db: Client, thread_id: str, waiting_run_id: str, continuing: Continuation, known: Known
) -> _Read:
    """Read what is not known yet. That what is known has not changed is seen when the batch goes
    through: all of it is written, and the thread only as it was."""
    thread, window = paths.thread(db, thread_id), paths.window(db, thread_id)
    waiting, run = (paths.run(db, thread_id, id) for id in (waiting_run_id, continuing.run_id))
    key, admission = continuing.key, continuing.admission
    waits = (known[thread.path].to_dict() or {}).get("waiting") if thread.path in known else None
    if waits and waits["runId"] == waiting_run_id and window.path in known:
        # It waits still, so in this thread no run continues it.
        left = [] if waiting.path in known else [waiting]
        found, admitting, opened = read_for_opening(db, left, key=key, admission=admission)
        before = found[0] if found else known[waiting.path]
        return _Read(known[thread.path], before, known[window.path], opened, admitting)
    found, admitting, opened = read_for_opening(
        db, [thread, waiting, window, run], key=key, admission=admission
    )
    here = found[3] if found[3].exists else opened
    return _Read(found[0], found[1], found[2], here, admitting)


def _try_continue(
    db: Client, thread_id: str, waiting_run_id: str, continuing: Continuation, known: Known
) -> OpenRun | StillWaiting | str | None:
    """One try; None when somebody was faster."""
    read = _read(db, thread_id, waiting_run_id, continuing, known)
    if (opened := _opened_before(db, thread_id, read, continuing)) is not None:
        return opened
    waits = read.data.get("waiting")
    if not waits or waits["runId"] != waiting_run_id:
        raise FailedPrecondition("nothing in this thread waits for this answer", field="resume")
    holder = find_leased_run(db, thread_id, read.data, read.window)
    if is_generated_id(continuing.run_id) and continuing.run_id != next_run_id(waiting_run_id):
        raise run_erased()
    now = datetime.now(UTC)
    asked = load_approvals(db, waits["approvals"], known)
    settled, still_open = settle(asked, continuing, now)
    calls = open_calls(waits, continuing, now)
    if still_open or calls:
        return StillWaiting(still_open, calls, tuple(asked))
    batch = db.batch()
    write_approvals(batch, db, asked, continuing, settled, now)
    for entry in decision_entries(settled, continuing.run_id):
        audit.write(batch, db, entry)
    if holder is not None:
        documents = read_log(db, thread_id).documents
        holder.close(batch, db, token=read.data.get("leaseToken", 0) + 1, documents=documents)
    return _commit_opening(db, batch, read, continuing, settled, now)


def _opened_before(
    db: Client, thread_id: str, read: _Read, continuing: Continuation
) -> OpenRun | str | None:
    """The run that continues the turn already, or this very one, whose batch lost its answer.

    Raises:
        AlreadyExists: The run id was used for another run.
        NotFound: It was used in this thread, and its run was erased.
    """
    run = (read.run.to_dict() or {}) if read.run is not None else {}
    if run.get("opener") == continuing.opener:
        if continuing.admission:
            continuing.admission.admitted(None)
        return _reopened(db, thread_id, read.run, read.data)
    if by := read.before.get("continuedBy"):
        return str(by)
    if read.run is None:
        return None
    check_found_run(read.run, thread_id=thread_id, run_id=continuing.run_id)
    if run["continues"] != read.waiting.id:
        raise run_id_taken(continuing.run_id)
    return str(read.run.id)


def _commit_opening(
    db: Client,
    batch: WriteBatch,
    read: _Read,
    continuing: Continuation,
    settled: Sequence[Approval],
    now: datetime,
) -> OpenRun | None:
    """Take the thread for the continuing run, in the batch that settles what it waited for."""
    thread_id, found, before = read.thread.id, read.data, read.before
    log = read_recent(db, thread_id, found, read.window)
    documents = _whole(db, thread_id, log.documents)
    token, taken = next_lease(found, continuing.run_id)
    allowed = remember_approvals(found.get("allowed"), settled)
    batch.update(
        read.thread.reference,
        {**taken, "waiting": None, "allowed": allowed, "updatedAt": now},
        option=db.write_option(last_update_time=read.thread.update_time),
    )
    batch.update(read.waiting.reference, {"continuedBy": continuing.run_id, "updatedAt": now})
    if continuing.admission:
        continuing.admission.admit(batch, read.admission, settlements_of(read.window))
    user = continuing.user or read_user(before)
    document = run_document(
        user=user,
        agent=before["agent"],
        turn_id=before["turnId"],
        request={**read_request(before), **_client(before, continuing)},
        token=token,
        digest=continuing.request_digest,
        opener=continuing.opener,
        key=continuing.key,
        first_message=documents[-1]["n"] + 1,
        reached=documents[-1]["n"] + 1,
        continues=read.waiting.id,
        approvals=[approval.id for approval in settled],
        answers=answers_of(
            found["waiting"], continuing, json.loads(before.get("answered") or "{}")
        ),
    )
    batch.create(paths.run(db, thread_id, continuing.run_id), document)
    events = EventLog(user.uid, thread_id, continuing.run_id, hand=continuing.opener)
    events.open_page(batch, db, 0)
    written = try_commit(batch)
    if written is None:
        return None
    events.page_time = written[-1].update_time
    if continuing.admission:
        continuing.admission.admitted(events.page_time)
    opened = handle(
        db,
        document,
        thread={**found, "allowed": allowed},
        documents=documents,
        token=token,
        events=events,
        approvals=settled,
        decisions=log.decisions,
        told_decisions=decisions_at_turn_start(read.window, before["turnId"]),
    )
    opened.settlements = settlements_of(read.window)
    # The run that waits wrote its last step and the view in one batch. Should the step have been
    # written since, the first save of a result is refused, and looks.
    opened.hold.step_time = read.window.update_time if documents is log.documents else None
    return opened


def _client(before: dict[str, Any], continuing: Continuation) -> dict[str, Any]:
    """Fields of the turn's request where another client has taken its calls over: the one whose
    answers count."""
    if "answered" not in before:
        return continuing.client
    taken_over: dict[str, Any] = json.loads(before.get("tookOver") or "{}")
    return taken_over


def _whole(db: Client, thread_id: str, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents of a view with the newest turn whole. The view leaves out media, and of a turn
    that is too large the beginning; only the log has them."""
    if not has_whole_turn(documents):
        return read_log(db, thread_id).documents
    for place, document in enumerate(documents):
        if document.get("mediaLeftOut") and document["turnId"] == documents[-1]["turnId"]:
            message = paths.message(db, thread_id, document["n"]).get().to_dict()
            if message is not None:
                documents[place] = migrations.read("message", message)
    return documents


def _reopened(db: Client, thread_id: str, run: Any, thread: dict[str, Any]) -> OpenRun:
    """The run that this very opening made; only the answer to its batch was lost."""
    data = run.to_dict() or {}
    view = paths.window(db, thread_id).get()
    return handle(
        db,
        data,
        thread=thread,
        documents=read_log(db, thread_id).documents,
        token=data["token"],
        events=EventLog(data["uid"], thread_id, run.id, hand=data["opener"]),
        approvals=load_approvals(db, data["approvals"]),
        decisions=decisions_of(view),
        told_decisions=decisions_at_turn_start(view, data["turnId"]),
    )


class Continuation(Struct, frozen=True):
    """What a waiting run is continued with.

    Attributes:
        run_id: The run that is opened for it.
        decisions: What a decider says now, by approval; others are read from their documents.
        edits: Approvals that a decider makes of others, with changed arguments, by the first's id.
        results: What the client's tools answered, by call id: `{content}` or `{error}`.
        client: Fields of the turn's request where another client has taken its calls over.
        user: Who continues it, if that is known from a token.
        admission: What else its opening reads and writes, if anything.
    """

    run_id: str
    request_digest: str
    decisions: dict[str, ApprovalDecision] = field(default_factory=dict)
    edits: dict[str, Approval] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    client: dict[str, Any] = field(default_factory=dict)
    user: User | None = None
    admission: Admission | None = None
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def key(self) -> str | None:
        """By which the run is found in any thread; None where its id was made here."""
        if self.user is None or is_generated_id(self.run_id):
            return None
        return run_key(self.user.uid, self.run_id)


class StillWaiting(Struct, frozen=True):
    """Not everything that the turn waits for is answered.

    Attributes:
        approvals: Those that are still to be decided, of `asked`, all that were asked.
        calls: Those that the client has still to answer.
    """

    approvals: tuple[Approval, ...]
    calls: tuple[str, ...]
    asked: tuple[Approval, ...]


def settle(
    approvals: Sequence[Approval], continuing: Continuation, now: datetime
) -> tuple[list[Approval], tuple[Approval, ...]]:
    """The approvals as they stand with what is said now, and those still open."""
    settled: list[Approval] = []
    still_open: list[Approval] = []
    for approval in approvals:
        _check_not_overtaken(approval, continuing)
        if approval.id in continuing.edits and approval.decision is None:
            settled.append(continuing.edits[approval.id])
            continue
        if approval.decision is None and approval.verdict(now) is ApprovalStatus.PENDING:
            given = continuing.decisions.get(approval.id)
            approval = replace(approval, decision=given)
        verdict = approval.verdict(now)
        if verdict is ApprovalStatus.PENDING:
            still_open.append(approval)
        settled.append(replace(approval, status=verdict))
    return settled, tuple(still_open)


def _check_not_overtaken(approval: Approval, continuing: Continuation) -> None:
    """
    Raises:
        FailedPrecondition: Somebody decided it otherwise since the one who decides now looked.
    """
    given = continuing.decisions.get(approval.id)
    if approval.decision is None or given is None:
        return
    if given.approved != approval.decision.approved or approval.id in continuing.edits:
        raise FailedPrecondition("this was decided otherwise a moment ago", field="resume")


def write_approvals(
    batch: WriteBatch,
    db: Client,
    before: Sequence[Approval],
    continuing: Continuation,
    settled: Sequence[Approval],
    now: datetime,
) -> None:
    """Put into a batch what became of each approval: `settled`, in the order of `before`."""
    for old, new in zip(before, settled, strict=True):
        option = db.write_option(last_update_time=old.update_time)
        decision = new.decision.fields() if new.decision else None
        fields: dict[str, Any] = {"status": new.status.value, "endedAt": now}
        if new.id != old.id:  # a changed one
            batch.create(paths.approval(db, new.id), {**new.document(), "endedAt": now})
            fields = {
                "status": ApprovalStatus.REPLACED.value,
                "replacedBy": new.id,
                "endedAt": now,
            }
        batch.update(paths.approval(db, old.id), {**fields, "decision": decision}, option=option)


def decision_entries(settled: Sequence[Approval], run_id: str) -> list[dict[str, Any]]:
    """What the audit is told of each yes and no that this run acts on."""
    return [
        audit.decision_entry(
            uid=each.uid,
            thread_id=each.thread_id,
            run_id=run_id,
            approval_id=each.id,
            tool=each.tool,
            arguments_digest=audit.arguments_digest(each.shown),
            approved=each.decision.approved,
            by=each.decision.by,
            at=each.decision.at,
            edited_from=each.edited_from,
        )
        for each in settled
        if each.decision is not None and each.status is not ApprovalStatus.EXPIRED
    ]


def open_calls(waits: dict[str, Any], continuing: Continuation, now: datetime) -> tuple[str, ...]:
    """The calls that the client has not answered, while its time for them lasts."""
    is_over = waits["until"] is not None and now >= waits["until"]
    if is_over or waits.get("isAnswered") or waits.get("isLate"):
        return ()
    return tuple(call for call in waits["calls"] if call not in continuing.results)


def answers_of(
    waits: dict[str, Any], continuing: Continuation, noted: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """What the client's tools answered, by call id; a call past its time is answered so.

    Args:
        noted: What they answered before, while people had still to decide.
    """
    results = {**continuing.results, **noted}
    approved = waits.get("approved") or {}
    return {
        call: {**results.get(call, {"expired": True}), **approved.get(call, {})}
        for call in waits["calls"]
    }


log = logging.getLogger("rollcall")


def mark_settled(db: Client, approvals: Sequence[Approval]) -> None:
    """Note in their documents what is decided or over, while others of the step are open, so
    that the sweeper does not find the same ones again and again."""
    from google.api_core.exceptions import FailedPrecondition as Moved

    now = datetime.now(UTC)
    for approval in approvals:
        verdict = approval.verdict(now)
        if approval.status is ApprovalStatus.PENDING and verdict is not ApprovalStatus.PENDING:
            option = db.write_option(last_update_time=approval.update_time)
            try:
                paths.approval(db, approval.id).update({"status": verdict.value}, option=option)
            except Moved:
                log.info("approval %s was written meanwhile", approval.id)


def note_answers(db: Client, thread_id: str, waiting_run_id: str, continuing: Continuation) -> None:
    """Keep what the client's tools answered while people have still to decide: by then its time
    may be over. The first answer stands, and with it the client that gave it.

    Raises:
        FailedPrecondition: The client's time was over before.
        Aborted: Somebody was faster.
    """
    thread, waiting = read_all(
        db, paths.thread(db, thread_id), paths.run(db, thread_id, waiting_run_id)
    )
    waits = (thread.to_dict() or {}).get("waiting") or {}
    if waits.get("isLate"):
        raise FailedPrecondition("the time to answer these calls is over", field="toolResults")
    if waits.get("isAnswered"):
        return
    batch = db.batch()
    if waits.get("runId") == waiting_run_id:
        _await_no_client(batch, db, thread, {"isAnswered": True})
        # Without spaces, as its size was checked: the document holds the run's result as well.
        answered = json.dumps(continuing.results, ensure_ascii=False, separators=(",", ":"))
        client = json.dumps(continuing.client, ensure_ascii=False)
        batch.update(waiting.reference, {"answered": answered, "tookOver": client})
    if waits.get("runId") != waiting_run_id or try_commit(batch) is None:
        raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def mark_late(db: Client, thread_id: str, waiting_run_id: str) -> None:
    """Note that the client's time is over, while approvals of the step are open, so that the
    sweeper does not find the same thread again and again."""
    thread = paths.thread(db, thread_id).get()
    waits = (thread.to_dict() or {}).get("waiting") or {}
    until = waits.get("until")
    if waits.get("runId") != waiting_run_id or until is None or until > datetime.now(UTC):
        return
    batch = db.batch()
    _await_no_client(batch, db, thread, {"isLate": True})
    if try_commit(batch) is None:
        log.info("thread %s was written meanwhile", thread_id)


def _await_no_client(batch: WriteBatch, db: Client, thread: Any, why: dict[str, bool]) -> None:
    waits = {**(thread.to_dict() or {})["waiting"], "until": None, **why}
    option = db.write_option(last_update_time=thread.update_time)
    batch.update(thread.reference, {"waiting": waits}, option=option)


def write_decisions(
    db: Client, approvals: Sequence[Approval], decisions: Mapping[str, ApprovalDecision]
) -> None:
    """Note decisions, by approval, in their documents: all or none, continuing nothing.

    Raises:
        Aborted: One was decided meanwhile.
    """
    batch = db.batch()
    for approval in approvals:
        given = decisions.get(approval.id)
        if given is not None:
            option = db.write_option(last_update_time=approval.update_time)
            reference = paths.approval(db, approval.id)
            batch.update(reference, {"decision": given.fields()}, option=option)
    if try_commit(batch) is None:
        raise Aborted("one of these was decided meanwhile; look again", field="resume")
