"""Takes turns up again: a run that died, and a turn whose questions are answered.

Both end in an `OpenRun` whose history may end with calls that have no result yet; `answers` and
`approvals` say what is known of them.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.context import User
from rollcall.core.errors import Aborted, FailedPrecondition
from rollcall.core.options import lease_s
from rollcall.core.wire import Role, RunStatus
from rollcall.store import audit, paths
from rollcall.store.approvals import Approval, ApprovalStatus, Given, load_approvals
from rollcall.store.event_log import EventLog, resume_log
from rollcall.store.log import from_documents
from rollcall.store.runs import OpenRun, run_document
from rollcall.store.threads import (
    check_free,
    check_key,
    close_holder,
    run_key_for,
    take_lease,
    window_documents,
    write_key,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

MAX_FRUITLESS = 5
"""A run that was taken up as often as this without getting any further is closed: it may be what
kills its processes."""
OPEN_TRIES = 5

log = logging.getLogger("rollcall")


def take_up(db: Client, thread_id: str, run_id: str) -> OpenRun | None:
    """Go on with a run whose process is gone, from the last saved step.

    Returns:
        None if the run has ended, is in somebody's hands, or somebody else was faster.
    """
    thread, run = _get(db, paths.thread(db, thread_id), paths.run(db, thread_id, run_id))
    if not (thread.exists and run.exists):
        return None
    data, found = run.to_dict() or {}, thread.to_dict() or {}
    lease = found.get("lease") or {}
    until = data.get("leaseUntil")
    is_stale = until is not None and until <= datetime.now(UTC)
    if data["status"] != RunStatus.RUNNING or not is_stale or lease.get("runId") != run_id:
        return None
    token, taken = take_lease(found, run_id)
    attempt = data["attempt"] + 1
    batch = db.batch()
    option = db.write_option(last_update_time=thread.update_time)
    batch.update(thread.reference, taken, option=option)
    now = datetime.now(UTC)
    fruitless = data["fruitless"] + 1
    claim = {
        "token": token,
        "attempt": attempt,
        "fruitless": fruitless,
        "leaseUntil": _lease_end(now),
        "updatedAt": now,
    }
    batch.update(run.reference, claim, option=db.write_option(last_update_time=run.update_time))
    written = _commit(batch)
    if written is None:
        return None
    approvals = load_approvals(db, data["approvals"])
    opened = _handle(
        db,
        data,
        thread_id=thread_id,
        run_id=run_id,
        thread=found,
        documents=window_documents(db, thread_id, {**found, "lease": lease}, None),
        token=token,
        run_time=written[-1].update_time,
        events=resume_log(db, uid=data["uid"], thread_id=thread_id, run_id=run_id, attempt=attempt),
        approvals=approvals,
    )
    opened.attempt = attempt
    opened.fruitless = fruitless
    opened.seq = data["seq"]
    opened.is_cancelled = bool(data.get("cancelRequested"))
    return opened


@dataclass(frozen=True, slots=True)
class Continuing:
    """What a waiting run is continued with.

    Attributes:
        run_id: The run that is opened for it.
        decisions: What a decider says now, by approval; others are read from their documents.
        edits: Approvals that a decider makes of others, with changed arguments, by the first's id.
        results: What the client's tools answered, by call id: `{content}` or `{error}`.
        user: Who continues it, if that is known from a token.
    """

    run_id: str
    request_digest: str
    decisions: dict[str, Given] = field(default_factory=dict)
    edits: dict[str, Approval] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    user: User | None = None
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True, slots=True)
class StillOpen:
    """Not everything that the turn waits for is answered.

    Attributes:
        approvals: Those that are still to be decided, of `asked`, all that were asked.
        calls: Those that the client has still to answer.
    """

    approvals: tuple[Approval, ...]
    calls: tuple[str, ...]
    asked: tuple[Approval, ...]


def open_continuation(
    db: Client, thread_id: str, waiting_run_id: str, continuing: Continuing
) -> OpenRun | StillOpen | str:
    """Open the run that continues a waiting one: exactly one is ever opened.

    Returns:
        The open run; what is still open; or the id of the run that continued it before.
    Raises:
        FailedPrecondition: The run waits for nothing (any more).
        AlreadyExists: The run id was used in another thread.
    """
    for _ in range(OPEN_TRIES):
        opened = _try_continue(db, thread_id, waiting_run_id, continuing)
        if opened is not None:
            return opened
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


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


def note_answers(
    db: Client, thread_id: str, waiting_run_id: str, results: dict[str, dict[str, Any]]
) -> None:
    """Keep what the client's tools answered while people have still to decide: by then its time
    may be over. The first answer stands.

    Raises:
        FailedPrecondition: The client's time was over before.
        Aborted: Somebody was faster.
    """
    thread, waiting = _get(
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
        answered = json.dumps(results, ensure_ascii=False)
        batch.update(waiting.reference, {"answered": answered})
    if waits.get("runId") != waiting_run_id or _commit(batch) is None:
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
    if _commit(batch) is None:
        log.info("thread %s was written meanwhile", thread_id)


def _await_no_client(batch: WriteBatch, db: Client, thread: Any, why: dict[str, bool]) -> None:
    waits = {**(thread.to_dict() or {})["waiting"], "until": None, **why}
    option = db.write_option(last_update_time=thread.update_time)
    batch.update(thread.reference, {"waiting": waits}, option=option)


def write_decisions(db: Client, approvals: Sequence[Approval], continuing: Continuing) -> None:
    """Note decisions in their documents, all or none, without continuing anything.

    Raises:
        Aborted: One was decided meanwhile.
    """
    batch = db.batch()
    for approval in approvals:
        given = continuing.decisions.get(approval.id)
        if given is not None:
            option = db.write_option(last_update_time=approval.update_time)
            reference = paths.approval(db, approval.id)
            batch.update(reference, {"decision": given.fields()}, option=option)
    if _commit(batch) is None:
        raise Aborted("one of these was decided meanwhile; look again", field="resume")


def _try_continue(
    db: Client, thread_id: str, waiting_run_id: str, continuing: Continuing
) -> OpenRun | StillOpen | str | None:
    thread, waiting, window, run, key = _get(
        db,
        paths.thread(db, thread_id),
        paths.run(db, thread_id, waiting_run_id),
        paths.window(db, thread_id),
        paths.run(db, thread_id, continuing.run_id),
        paths.run_key(db, run_key_for(_uid(continuing), continuing.run_id)),
    )
    before, found = waiting.to_dict() or {}, thread.to_dict() or {}
    if before.get("continuedBy"):
        ran = run.to_dict() or {}
        if ran.get("opener") != continuing.opener:
            return str(before["continuedBy"])
    waits = found.get("waiting")
    if run.exists:
        ran = run.to_dict() or {}
        if ran.get("opener") != continuing.opener:
            return str(run.id)
        return _reopened(db, thread_id, run, found)
    if not waits or waits["runId"] != waiting_run_id:
        raise FailedPrecondition("nothing in this thread waits for this answer", field="resume")
    check_free(db, thread_id, found.get("lease"))
    check_key(key, thread_id=thread_id, run_id=continuing.run_id)
    approvals = load_approvals(db, waits["approvals"])
    now = datetime.now(UTC)
    documents = window_documents(db, thread_id, found, window)
    if not _holds_a_turn(documents):
        documents = window_documents(db, thread_id, found, None)
    settled, still_open = _settle(approvals, continuing, now)
    calls = _open_calls(waits, continuing, now)
    if still_open or calls:
        return StillOpen(still_open, calls, tuple(approvals))
    batch = db.batch()
    token, taken = take_lease(found, continuing.run_id)
    allowed = _allowed(found, settled)
    batch.update(
        thread.reference,
        {**taken, "waiting": None, "allowed": allowed, "updatedAt": now},
        option=db.write_option(last_update_time=thread.update_time),
    )
    close_holder(batch, db, thread_id, found.get("lease"), token=token)
    _write_approvals(batch, db, approvals, continuing, settled, now)
    batch.update(waiting.reference, {"continuedBy": continuing.run_id, "updatedAt": now})
    if continuing.user is not None and not key.exists:
        write_key(batch, db, _uid(continuing), thread_id, continuing.run_id)
    for entry in _decisions(settled, continuing.run_id):
        audit.write(batch, db, entry)
    user = continuing.user or _user(before)
    document = run_document(
        user=user,
        agent=before["agent"],
        turn_id=before["turnId"],
        request=json.loads(before["request"]),
        token=token,
        digest=continuing.request_digest,
        opener=continuing.opener,
        first_message=documents[-1]["n"] + 1,
        continues=waiting_run_id,
        approvals=[approval.id for approval in settled],
        answers=_answers(waits, continuing, json.loads(before.get("answered") or "{}")),
    )
    batch.create(run.reference, document)
    written = _commit(batch)
    if written is None:
        return None
    return _handle(
        db,
        document,
        thread_id=thread_id,
        run_id=continuing.run_id,
        thread={**found, "allowed": allowed},
        documents=documents,
        token=token,
        run_time=written[-1].update_time,
        events=EventLog(user.uid, thread_id, continuing.run_id),
        approvals=settled,
    )


def _holds_a_turn(documents: Sequence[dict[str, Any]]) -> bool:
    """Whether a view has the newest turn whole. It leaves out images, and of a turn with large
    results the beginning; only the log has them."""
    begins = any(document["role"] == "user" for document in documents)
    return begins and not any(document.get("mediaLeftOut") for document in documents)


def _settle(
    approvals: Sequence[Approval], continuing: Continuing, now: datetime
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


def _check_not_overtaken(approval: Approval, continuing: Continuing) -> None:
    """
    Raises:
        FailedPrecondition: Somebody decided it otherwise since the one who decides now looked.
    """
    given = continuing.decisions.get(approval.id)
    if approval.decision is None or given is None:
        return
    if given.approved != approval.decision.approved or approval.id in continuing.edits:
        raise FailedPrecondition("this was decided otherwise a moment ago", field="resume")


def _write_approvals(
    batch: WriteBatch,
    db: Client,
    before: Sequence[Approval],
    continuing: Continuing,
    settled: Sequence[Approval],
    now: datetime,
) -> None:
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


def _decisions(settled: Sequence[Approval], run_id: str) -> list[dict[str, Any]]:
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


def _allowed(thread: dict[str, Any], settled: Sequence[Approval]) -> dict[str, str]:
    """What a person has said yes to in this thread: capability to its digest at that time."""
    said_yes = {
        approval.tool: approval.capability_digest
        for approval in settled
        if approval.status is ApprovalStatus.APPROVED and approval.edited_from is None
    }
    return {**(thread.get("allowed") or {}), **said_yes}


def _open_calls(waits: dict[str, Any], continuing: Continuing, now: datetime) -> tuple[str, ...]:
    """The calls that the client has not answered, while its time for them lasts."""
    is_over = waits["until"] is not None and now >= waits["until"]
    if is_over or waits.get("isAnswered") or waits.get("isLate"):
        return ()
    return tuple(call for call in waits["calls"] if call not in continuing.results)


def _answers(
    waits: dict[str, Any], continuing: Continuing, noted: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """What the client's tools answered, by call id; a call past its time is answered so.

    Args:
        noted: What they answered before, while people had still to decide.
    """
    results = {**continuing.results, **noted}
    return {call: results.get(call, {"expired": True}) for call in waits["calls"]}


def _reopened(db: Client, thread_id: str, run: Any, thread: dict[str, Any]) -> OpenRun:
    """The run that this very opening made; only the answer to its batch was lost."""
    data = run.to_dict() or {}
    return _handle(
        db,
        data,
        thread_id=thread_id,
        run_id=run.id,
        thread=thread,
        documents=window_documents(db, thread_id, {**thread, "lease": True}, None),
        token=data["token"],
        run_time=run.update_time,
        events=EventLog(data["uid"], thread_id, run.id),
        approvals=load_approvals(db, data["approvals"]),
    )


def _handle(
    db: Client,
    run: dict[str, Any],
    *,
    thread_id: str,
    run_id: str,
    thread: dict[str, Any],
    documents: list[dict[str, Any]],
    token: int,
    run_time: Any,
    events: EventLog,
    approvals: Sequence[Approval],
) -> OpenRun:
    return OpenRun(
        db=db,
        user=_user(run),
        agent=run["agent"],
        thread_id=thread_id,
        run_id=run_id,
        turn_id=run["turnId"],
        request=json.loads(run["request"]),
        token=token,
        history=from_documents(documents, leaves_last_open=True),
        documents=documents,
        next_message=documents[-1]["n"] + 1,
        run_time=run_time,
        events=events,
        approvals=tuple(approvals),
        answers=json.loads(run["answers"]),
        allowed=thread.get("allowed") or {},
    )


def _user(run: dict[str, Any]) -> User:
    found = run["user"]
    return User(
        uid=run["uid"], role=Role(found["role"]), tenant=found["tenant"], name=found["name"]
    )


def _uid(continuing: Continuing) -> str:
    return continuing.user.uid if continuing.user else ""


def _get(db: Client, *references: Any) -> list[Any]:
    found = {snapshot.reference.path: snapshot for snapshot in db.get_all(list(references))}
    return [found[reference.path] for reference in references]


def _commit(batch: WriteBatch) -> Any:
    """What was written; None when somebody was faster."""
    from google.api_core.exceptions import Conflict, FailedPrecondition, NotFound

    try:
        return batch.commit()
    except (Conflict, FailedPrecondition, NotFound):
        return None


def _lease_end(now: datetime) -> datetime:
    return now + timedelta(seconds=lease_s())
