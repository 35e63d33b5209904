"""Continuations: open the one run that continues a waiting run.

A run that ends with outcome `interrupt` waits for people's decisions and for results of the
client's tools; the thread's field `waiting` lists them. Answers come through `run_agent`, or as
decisions written to approvals. Several processes may race to continue the turn; the batch that
opens the continuing run also settles everything the run waited for. Until all answers are there,
partial ones are stored.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.errors import Aborted, FailedPrecondition
from rollcall.core.texts import TEXTS
from rollcall.store import audit, migrations, paths
from rollcall.store.approvals import (
    Approval,
    ApprovalDecision,
    ApprovalStatus,
    arguments_digest,
    load_approvals,
    remember_approvals,
)
from rollcall.store.batches import attempts, read_all, try_commit, update_unchanged
from rollcall.store.message_log import compact_json, has_whole_turn, read_log, read_recent
from rollcall.store.open_run import OpenRun
from rollcall.store.run_closing import next_lease
from rollcall.store.run_opening import RunOpening
from rollcall.store.runs import (
    check_found_run,
    is_generated_id,
    new_run,
    next_run_id,
    read_for_opening,
    read_request,
    read_user,
    run_erased,
    run_id_taken,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

log = logging.getLogger("rollcall")

Known = Mapping[str, Any]
"""Snapshots that were already read, by their paths."""


class Continuation(RunOpening, frozen=True, kw_only=True):
    """The answers with which a waiting run is continued.

    Attributes:
        decisions: Decisions in this request, by approval id; others are read from their documents.
        edits: Approvals with edited arguments, by the id of the approval that each replaces.
        results: Results of the client's tools, by call id: `{content}` or `{error}`.
        client: Fields that change in the turn's request, if another client has taken its calls
            over.
    """

    decisions: dict[str, ApprovalDecision] = field(default_factory=dict)
    edits: dict[str, Approval] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    client: dict[str, Any] = field(default_factory=dict)


class StillWaiting(Struct, frozen=True):
    """Some approvals or results of the turn are still open.

    Attributes:
        approvals: The approvals that are not decided yet.
        calls: Ids of the calls that the client has not answered yet.
        all_approvals: All approvals that the turn waits for, decided ones included.
    """

    approvals: tuple[Approval, ...]
    calls: tuple[str, ...]
    all_approvals: tuple[Approval, ...]


def open_continuation(
    db: Client,
    thread_id: str,
    waiting_run_id: str,
    continuation: Continuation,
    known: Known | None = None,
) -> OpenRun | StillWaiting | str:
    """Open the run that continues a waiting one. Only one run ever continues it.

    Args:
        known: Snapshots that were just read; the thread and its view in the same read.
    Returns:
        The open run; what is still open; or the id of the run that already continues it.
    Raises:
        FailedPrecondition: The run waits for nothing, or not any more.
        AlreadyExists: The run id was used in another thread.
    """
    for _ in attempts():
        opened = _try_open(db, thread_id, waiting_run_id, continuation, known or {})
        if opened is not None:
            return opened
        known = None  # it has changed since
    raise Aborted(TEXTS.text("errors.thread_busy"), field="threadId", retry_after_s=1)


def _read(
    db: Client, thread_id: str, waiting_run_id: str, continuation: Continuation, known: Known
) -> tuple[DocumentSnapshot, DocumentSnapshot, DocumentSnapshot, DocumentSnapshot | None]:
    """Return the thread, its view, the waiting run and the run to open (None if it does not exist).
    Only documents that are not `known` are read.

    If a known document has changed since, the batch fails: the thread is written on the condition
    that it is unchanged.
    """
    thread, window = paths.thread(db, thread_id), paths.window(db, thread_id)
    waiting, run = (paths.run(db, thread_id, id) for id in (waiting_run_id, continuation.run_id))
    key, admission = continuation.key, continuation.admission
    waits = (known[thread.path].to_dict() or {}).get("waiting") if thread.path in known else None
    if waits and waits["runId"] == waiting_run_id and window.path in known:
        # It still waited then, so no run of this thread continues it.
        unread = [] if waiting.path in known else [waiting]
        read, opened = read_for_opening(db, unread, key=key, admission=admission)
        before = read[0] if read else known[waiting.path]
        return known[thread.path], known[window.path], before, opened
    read, opened = read_for_opening(
        db, [thread, window, waiting, run], key=key, admission=admission
    )
    return read[0], read[1], read[2], read[3] if read[3].exists else opened


def _try_open(
    db: Client, thread_id: str, waiting_run_id: str, continuation: Continuation, known: Known
) -> OpenRun | StillWaiting | str | None:
    """Try once; None if another process was faster."""
    snapshot, view, waiting, run = _read(db, thread_id, waiting_run_id, continuation, known)
    opened = _opened_before(db, thread_id, waiting, run, continuation)
    if opened is not None:
        return opened
    thread = snapshot.to_dict() or {}
    waits = thread.get("waiting")
    if not waits or waits["runId"] != waiting_run_id:
        raise FailedPrecondition(TEXTS.text("errors.nothing_waits"), field="resume")
    if is_generated_id(continuation.run_id) and continuation.run_id != next_run_id(waiting_run_id):
        raise run_erased()
    now = datetime.now(UTC)
    approvals = load_approvals(db, waits["approvals"], known)
    settled, still_open = _settle(approvals, continuation, now)
    is_over = waits["until"] is not None and now >= waits["until"]
    calls: tuple[str, ...] = ()  # unanswered ones, until the client's time is over
    if not (is_over or waits.get("isAnswered") or waits.get("isLate")):
        calls = tuple(call for call in waits["calls"] if call not in continuation.results)
    if still_open or calls:
        return StillWaiting(still_open, calls, tuple(approvals))
    batch = db.batch()
    _write_approvals(batch, db, approvals, settled, continuation.run_id, now)
    return _commit(db, batch, snapshot, view, waiting, continuation, settled)


def _opened_before(
    db: Client,
    thread_id: str,
    waiting: DocumentSnapshot,
    run: DocumentSnapshot | None,
    continuation: Continuation,
) -> OpenRun | str | None:
    """Return the run that already continues the turn. It is an open run if this opening created it
    and only the answer to its batch was lost.

    Raises:
        AlreadyExists: The run id was used for another run.
        NotFound: The id was used in this thread, and its run was erased.
    """
    data = (run.to_dict() or {}) if run is not None else {}
    if (opened := continuation.opened_before(db, thread_id, data)) is not None:
        return opened
    if by := (waiting.to_dict() or {}).get("continuedBy"):
        return str(by)
    if run is None:
        return None
    check_found_run(run, thread_id=thread_id, run_id=continuation.run_id)
    if data["continues"] != waiting.id:
        raise run_id_taken(continuation.run_id)
    return run.id


def _commit(
    db: Client,
    batch: WriteBatch,
    snapshot: DocumentSnapshot,
    view: DocumentSnapshot,
    waiting: DocumentSnapshot,
    continuation: Continuation,
    settled: Sequence[Approval],
) -> OpenRun | None:
    """Give the thread's lease to the continuing run and commit; None if another process was faster.

    Args:
        batch: Settles the approvals.
        snapshot: The thread.
        waiting: The run that waits.
    """
    now, thread_id, run_id = datetime.now(UTC), snapshot.id, continuation.run_id
    thread, before = snapshot.to_dict() or {}, waiting.to_dict() or {}
    recent = read_recent(db, thread_id, thread, view)
    documents = _complete_turn(db, thread_id, recent.documents)
    token, lease = next_lease(thread, run_id)
    allowed = remember_approvals(thread.get("allowed"), settled)
    fields = {**lease, "waiting": None, "allowed": allowed, "updatedAt": now}
    update_unchanged(batch, snapshot, fields)
    batch.update(waiting.reference, {"continuedBy": run_id, "updatedAt": now})
    client = continuation.client
    if "answered" in before:  # stored answers and their client come first
        client = json.loads(before.get("tookOver") or "{}")
    results = {**continuation.results, **json.loads(before.get("answered") or "{}")}
    # Each answer also says why its call was allowed; a call without an answer has expired.
    approved = thread["waiting"].get("approved") or {}
    answers = {
        call: {**results.get(call, {"expired": True}), **approved.get(call, {})}
        for call in thread["waiting"]["calls"]
    }
    run = new_run(
        user=continuation.user or read_user(before),
        agent=before["agent"],
        turn_id=before["turnId"],
        request={**read_request(before), **client},
        token=token,
        continues=waiting.id,
        answers=answers,
    )
    opened = continuation.commit(
        db,
        batch,
        run,
        thread_id=thread_id,
        allowed=allowed,
        view=view,
        documents=documents,
        approvals=settled,
    )
    # The waiting run wrote its last step and the view in one batch. If the step was written since,
    # the first save of a result is refused and reads the step's time again.
    if opened is not None and documents is recent.documents:
        opened.step_time = view.update_time
    return opened


def _complete_turn(
    db: Client, thread_id: str, documents: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the documents of a view with the newest turn complete. The view omits media, and the
    beginning of a turn that is too large; these are read from the log."""
    if not has_whole_turn(documents):
        return read_log(db, thread_id).documents
    for place, document in enumerate(documents):
        if document.get("mediaLeftOut") and document["turnId"] == documents[-1]["turnId"]:
            message = paths.message(db, thread_id, document["n"]).get().to_dict()
            if message is not None:
                documents[place] = migrations.read("message", message)
    return documents


def _settle(
    approvals: Sequence[Approval], continuation: Continuation, now: datetime
) -> tuple[list[Approval], tuple[Approval, ...]]:
    """Return all approvals with the continuation's decisions applied, and those that are still
    open.

    Raises:
        FailedPrecondition: One was decided differently in the meantime.
    """
    settled: list[Approval] = []
    still_open: list[Approval] = []
    for approval in approvals:
        decision = continuation.decisions.get(approval.id)
        if approval.decision is not None and decision is not None:
            is_edited = approval.id in continuation.edits
            if decision.approved != approval.decision.approved or is_edited:
                raise FailedPrecondition(TEXTS.text("errors.decided_otherwise"), field="resume")
        if approval.id in continuation.edits and approval.decision is None:
            settled.append(continuation.edits[approval.id])
            continue
        if approval.decision is None and approval.status_at(now) is ApprovalStatus.PENDING:
            approval = replace(approval, decision=decision)
        status = approval.status_at(now)
        if status is ApprovalStatus.PENDING:
            still_open.append(approval)
        settled.append(replace(approval, status=status))
    return settled, tuple(still_open)


def _write_approvals(
    batch: WriteBatch,
    db: Client,
    before: Sequence[Approval],
    settled: Sequence[Approval],
    run_id: str,
    now: datetime,
) -> None:
    """Write the outcome of each approval, and an audit entry for each decision that the run acts
    on.

    Args:
        settled: The settled approvals, in the order of `before`.
    """
    for old, new in zip(before, settled, strict=True):
        fields: dict[str, Any] = {"status": new.status.value, "endedAt": now}
        if new.id != old.id:  # the arguments were edited
            batch.create(paths.approval(db, new.id), {**new.document(), "endedAt": now})
            fields = {**fields, "status": ApprovalStatus.REPLACED.value, "replacedBy": new.id}
        fields["decision"] = new.decision.fields() if new.decision else None
        old.update(batch, db, fields)
    for each in settled:
        if each.decision is None or each.status is ApprovalStatus.EXPIRED:
            continue
        entry = audit.entry(
            "decision",
            each.id,
            uid=each.uid,
            at=each.decision.at,
            tool=each.tool,
            threadId=each.thread_id,
            runId=run_id,
            approvalId=each.id,
            argumentsDigest=arguments_digest(each.shown),
            approved=each.decision.approved,
            by=each.decision.by,
            editedFrom=each.edited_from,
        )
        audit.write(batch, db, entry)


# ---- Partial answers ----


def mark_settled(db: Client, approvals: Sequence[Approval]) -> None:
    """Mark approvals as decided or expired while others of the step are open, so that the sweep
    does not find them again."""
    now = datetime.now(UTC)
    for approval in approvals:
        status = approval.status_at(now)
        if approval.status is ApprovalStatus.PENDING and status is not ApprovalStatus.PENDING:
            batch = db.batch()
            approval.update(batch, db, {"status": status.value})
            if try_commit(batch) is None:
                log.info("approval %s was written meanwhile", approval.id)


def note_answers(
    db: Client, thread_id: str, waiting_run_id: str, continuation: Continuation
) -> None:
    """Store a client's results while approvals are still open. The first answer counts, and its
    client owns the turn's later calls.

    Raises:
        FailedPrecondition: The client's time is over.
        Aborted: Another answer was faster.
    """
    thread, waiting = read_all(
        db, paths.thread(db, thread_id), paths.run(db, thread_id, waiting_run_id)
    )
    waits = (thread.to_dict() or {}).get("waiting") or {}
    if waits.get("isLate"):
        raise FailedPrecondition(TEXTS.text("errors.calls_over"), field="toolResults")
    if waits.get("isAnswered"):
        return
    batch = db.batch()
    if waits.get("runId") == waiting_run_id:
        update_unchanged(batch, thread, {"waiting": {**waits, "until": None, "isAnswered": True}})
        # Without spaces, as when its size was checked: the document also holds the run's result.
        answered = compact_json(continuation.results)
        client = json.dumps(continuation.client, ensure_ascii=False)
        batch.update(waiting.reference, {"answered": answered, "tookOver": client})
    if waits.get("runId") != waiting_run_id or try_commit(batch) is None:
        raise Aborted(TEXTS.text("errors.thread_busy"), field="threadId", retry_after_s=1)


def mark_late(db: Client, thread_id: str, waiting_run_id: str) -> None:
    """Mark that the client's time is over while approvals are open, so that the sweep does not find
    the thread again."""
    thread = paths.thread(db, thread_id).get()
    waits = (thread.to_dict() or {}).get("waiting") or {}
    until = waits.get("until")
    if waits.get("runId") != waiting_run_id or until is None or until > datetime.now(UTC):
        return
    batch = db.batch()
    update_unchanged(batch, thread, {"waiting": {**waits, "until": None, "isLate": True}})
    if try_commit(batch) is None:
        log.info("thread %s was written meanwhile", thread_id)


def write_decisions(
    db: Client, approvals: Sequence[Approval], decisions: Mapping[str, ApprovalDecision]
) -> None:
    """Write decisions to their approvals, all or none, without continuing the turn.

    Raises:
        Aborted: One of them was decided in the meantime.
    """
    batch = db.batch()
    for approval in approvals:
        if (decision := decisions.get(approval.id)) is not None:
            approval.update(batch, db, {"decision": decision.fields()})
    if try_commit(batch) is None:
        raise Aborted(TEXTS.text("errors.decided_meanwhile"), field="resume")
