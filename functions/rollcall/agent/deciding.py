"""Answers to what a run waits for, sent through `run_agent`: decisions by a person, results of the
client's own tools."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rollcall.agent.admitting import admission
from rollcall.agent.asked import of_clients
from rollcall.agent.client_results import contents_of, takes_over
from rollcall.agent.drive import QUEUE
from rollcall.agent.edits import edits_of
from rollcall.agent.outcome import to_interrupt
from rollcall.core.context import Platform, User
from rollcall.core.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.redaction import redacted_json
from rollcall.core.wire import Decision, Outcome, RunRequest, RunResult
from rollcall.registry.snapshot import snapshot
from rollcall.store import paths
from rollcall.store.admission import Admission
from rollcall.store.approvals import Approval, ApprovalDecision, ApprovalStatus, load_approvals
from rollcall.store.continuations import (
    Continuation,
    Known,
    StillWaiting,
    note_answers,
    open_continuation,
    write_decisions,
)
from rollcall.store.open_run import OpenRun
from rollcall.store.runs import (
    Abandoned,
    Finished,
    Running,
    is_generated_id,
    next_run_id,
    previous_run_id,
    run_key,
    run_state,
    state_for_repeat,
)
from rollcall.store.threads import check_thread

Found = OpenRun | Finished | Running | Abandoned | dict[str, Any]


def decide(platform: Platform, user: User, request: RunRequest, *, request_digest: str) -> Found:
    """Take answers for a waiting run.

    Returns:
        The run that goes on with the turn, open or as somebody else has it; or a result at once,
        where others have still to decide, or where the turn is another user's.
    Raises:
        InvalidArgument: An answer is missing, twice there or wrong; everything stays open.
        NotFound, PermissionDenied, FailedPrecondition: It cannot be answered, or not by this user.
    """
    if request.thread_id is None:
        raise InvalidArgument("threadId is missing: whose answer is this?", field="threadId")
    known = _read(platform, request.thread_id, request)
    thread = known[paths.thread(platform.db, request.thread_id).path]
    run = _named(platform, request.thread_id, request.run_id, known)
    data = (run.to_dict() or {}) if run is not None else {}
    if data.get("uid") == user.uid and _is_asked_again(run.id, data, request_digest):
        return state_for_repeat(data, run, uid=user.uid, request_digest=request_digest)
    if request.resume is not None:
        approvals = _asked_about(platform, user, request, known)
        if (thread.to_dict() or {}).get("uid") != user.uid:
            return _decided_for_another(platform, user, request, approvals)
        check_thread(thread, uid=user.uid, agent=request.agent, new=False)
        return _resume(platform, user, request, approvals, known, request_digest=request_digest)
    check_thread(thread, uid=user.uid, agent=request.agent, new=False)
    return _take_results(platform, user, request, known, request_digest=request_digest)


def _read(platform: Platform, thread_id: str, request: RunRequest) -> Known:
    """What has to be known of a thread and of what it waits for, in one round trip: where the
    request names the next run by the waiting one's id, that one too."""
    db = platform.db
    references = [paths.thread(db, thread_id), paths.window(db, thread_id)]
    references += [paths.approval(db, each.interrupt_id) for each in request.resume or ()]
    if request.run_id:
        before = previous_run_id(request.run_id)
        references.append(paths.run(db, thread_id, before or request.run_id))
    return {each.reference.path: each for each in db.get_all(references)}


def _is_asked_again(run_id: str, run: dict[str, Any], request_digest: str) -> bool:
    """Whether an id of a run says that the same is asked again. One that follows from the waiting
    run's is also that of the run which somebody else's answer has opened."""
    return not is_generated_id(run_id) or bool(run["requestDigest"] == request_digest)


def _named(platform: Platform, thread_id: str, run_id: str | None, known: Known) -> Any:
    """The run that the request names, if it was opened before: not one that continues the run
    which waits still."""
    if run_id is None:
        return None
    waiting = (known[paths.thread(platform.db, thread_id).path].to_dict() or {}).get("waiting")
    if waiting and previous_run_id(run_id) == waiting["runId"]:
        return None
    reference = paths.run(platform.db, thread_id, run_id)
    run = known.get(reference.path) or reference.get()
    return run if run.exists else None


def _asked_about(
    platform: Platform, user: User, request: RunRequest, known: Known
) -> list[Approval]:
    """The approvals that the entries answer, each checked for this user."""
    entries = request.resume or []
    ids = [entry.interrupt_id for entry in entries]
    if not ids or len(set(ids)) < len(ids):
        raise InvalidArgument(
            "resume answers each interrupt once, and at least one", field="resume"
        )
    found = {approval.id: approval for approval in load_approvals(platform.db, ids, known)}
    for number, id in enumerate(ids):
        field = f"resume.{number}.interruptId"
        approval = found.get(id)
        is_known = approval is not None and approval.thread_id == request.thread_id
        if approval is None or not is_known or not _concerns(approval, user):
            raise NotFound(f"nothing in this thread waits under the id {id!r}", field=field)
        if not approval.may_be_decided_by(user):
            role = approval.decider.role
            raise PermissionDenied(f"this is decided by somebody else, of role {role}", field=field)
    approvals = [found[id] for id in ids]
    if len({approval.run_id for approval in approvals}) > 1:
        raise InvalidArgument("the interrupts are of more than one run", field="resume")
    return approvals


def _concerns(approval: Approval, user: User) -> bool:
    return approval.uid == user.uid or approval.may_be_decided_by(user)


def _resume(
    platform: Platform,
    user: User,
    request: RunRequest,
    approvals: Sequence[Approval],
    known: Known,
    *,
    request_digest: str,
) -> Found:
    thread_id, waiting_run = approvals[0].thread_id, approvals[0].run_id
    said = _said(request)
    _check_open(platform, approvals, said)
    _check_remembered(approvals, said)
    continuing = Continuation(
        run_id=request.run_id or next_run_id(waiting_run),
        request_digest=request_digest,
        decisions=_given(approvals, said, user),
        edits=edits_of(platform, user, approvals, said),
        user=user,
        admission=_admission(platform, user, request),
    )
    opened = _open(platform, thread_id, waiting_run, continuing, known)
    if isinstance(opened, StillWaiting):
        _check_complete(opened, user, said)
        if continuing.edits:
            raise FailedPrecondition(
                "changed arguments are taken when nobody else has to decide any more",
                field="resume",
                hint="send them again then, or say no",
            )
        write_decisions(platform.db, approvals, continuing.decisions)
        return _still_waiting(platform, request, waiting_run, opened)
    if not isinstance(opened, OpenRun):
        # Somebody else was faster: this answer must be theirs too.
        _check_open(platform, load_approvals(platform.db, [each.id for each in approvals]), said)
    return opened


def _admission(platform: Platform, user: User, request: RunRequest) -> Admission | None:
    """Has the user's other openings know of a run whose id the client chose. The rate counts turns
    and not the runs that go on with them."""
    if request.run_id is None or is_generated_id(request.run_id):
        return None
    key = run_key(user.uid, request.run_id)
    return admission(platform.db, user, datetime.now(UTC), run_key=key, counts=False)


def _open(
    platform: Platform,
    thread_id: str,
    waiting_run: str,
    continuing: Continuation,
    known: Known | None = None,
) -> OpenRun | StillWaiting | Finished | Running | Abandoned:
    """Open the continuation, or find the one that was opened before."""
    opened = open_continuation(platform.db, thread_id, waiting_run, continuing, known)
    if not isinstance(opened, str):
        return opened
    run = paths.run(platform.db, thread_id, opened).get().to_dict()
    if run is None:
        raise NotFound("what this answer led to was erased", field="threadId")
    return run_state(run, thread_id=thread_id, run_id=opened)


def _said(request: RunRequest) -> dict[str, Decision]:
    """What each entry says; one that is cancelled is a no."""
    return {
        entry.interrupt_id: entry.payload
        if entry.status == "resolved" and entry.payload
        else Decision(approved=False, reason=entry.payload.reason if entry.payload else None)
        for entry in request.resume or []
    }


def _check_open(
    platform: Platform, approvals: Sequence[Approval], said: dict[str, Decision]
) -> None:
    """
    Raises:
        FailedPrecondition: One was decided otherwise before, or its time is over.
    """
    now = datetime.now(UTC)
    for number, approval in enumerate(approvals):
        field = f"resume.{number}.interruptId"
        verdict = approval.verdict(now)
        decision = approval.decision
        if verdict is ApprovalStatus.EXPIRED:
            raise FailedPrecondition(
                f"the time to decide this ended at {approval.expires_at:%Y-%m-%d %H:%M} UTC, or "
                "the user went on with another message",
                field=field,
                hint="ask for it again",
            )
        if verdict is ApprovalStatus.REPLACED:
            raise FailedPrecondition("this was approved with changed arguments", field=field)
        given = said[approval.id]
        if decision is not None and (
            decision.approved != given.approved
            or given.edited_arguments is not None
            or given.remember not in (None, decision.remember)
        ):
            was = "approved" if decision.approved else "rejected"
            raise FailedPrecondition(
                f"this was {was} before, at {decision.at:%Y-%m-%d %H:%M} UTC", field=field
            )


def _check_remembered(approvals: Sequence[Approval], said: dict[str, Decision]) -> None:
    """
    Raises:
        InvalidArgument: A yes is to stand for what was not offered, or for a changed call.
    """
    for number, approval in enumerate(approvals):
        given = said[approval.id]
        if given.remember is None:
            continue
        field = f"resume.{number}.payload.remember"
        if given.edited_arguments is not None:
            raise InvalidArgument("a yes with changed arguments stands for itself", field=field)
        if given.remember not in approval.remember:
            offered = ", ".join(map(repr, approval.remember)) or "nothing: leave it out"
            raise InvalidArgument(
                f"this yes cannot stand for {given.remember!r}; offered: {offered}", field=field
            )


def _given(
    approvals: Sequence[Approval], said: dict[str, Decision], user: User
) -> dict[str, ApprovalDecision]:
    now = datetime.now(UTC)
    return {
        approval.id: ApprovalDecision(
            approved=said[approval.id].approved,
            by=user.uid,
            at=now,
            reason=redacted_json(said[approval.id].reason),
            remember=said[approval.id].remember,
        )
        for approval in approvals
        if approval.decision is None
    }


def _check_complete(still_open: StillWaiting, user: User, said: dict[str, Decision]) -> None:
    """
    Raises:
        InvalidArgument: The user left out one that is theirs to decide.
    """
    left_out = [each.id for each in still_open.approvals if each.may_be_decided_by(user)]
    if left_out:
        raise InvalidArgument(
            f"resume must answer all that waits; missing: {', '.join(left_out)}", field="resume"
        )


def _still_waiting(
    platform: Platform, request: RunRequest, waiting_run: str, still_open: StillWaiting
) -> dict[str, Any]:
    """What is told to who decided their part, while others' parts are open."""
    run = paths.run(platform.db, request.thread_id or "", waiting_run).get().to_dict() or {}
    names = ", ".join(approval.summary for approval in still_open.approvals)
    return RunResult(
        thread_id=request.thread_id or "",
        turn_id=run["turnId"],
        run_id=waiting_run,
        agent=request.agent,
        outcome=Outcome(
            type="interrupt",
            interrupts=[to_interrupt(approval) for approval in still_open.approvals] or None,
            pending_tool_call_ids=list(still_open.calls) or None,
        ),
        type="info",
        message=f"Noted. Still open: {names or 'what your app was asked to do'}",
        steps=run["step"],
    ).dump()


def _decided_for_another(
    platform: Platform, user: User, request: RunRequest, approvals: Sequence[Approval]
) -> dict[str, Any]:
    """Note the decisions of somebody whose thread this is not; the turn goes on without them."""
    said = _said(request)
    if any(each.edited_arguments is not None for each in said.values()):
        # Before they are looked at: a preview would be made with the asker's rights.
        raise PermissionDenied(
            "only the one who asked may change the arguments; say no with a reason instead",
            field="resume",
        )
    _check_open(platform, approvals, said)
    _check_remembered(approvals, said)
    first = approvals[0]
    continuing = Continuation(
        run_id=next_run_id(first.run_id),
        request_digest="",
        decisions=_given(approvals, said, user),
    )
    write_decisions(platform.db, approvals, continuing.decisions)
    platform.enqueue(QUEUE, {"threadId": first.thread_id, "runId": first.run_id})
    return RunResult(
        thread_id=first.thread_id,
        turn_id=first.turn_id,
        run_id=first.run_id,
        agent=first.agent,
        outcome=Outcome(type="success"),
        type="info",
        message="Noted. The one who asked is told.",
        steps=0,
    ).dump()


def _new_client(platform: Platform, request: RunRequest) -> dict[str, Any]:
    """The client that the turn goes on with: its later calls are left to this one."""
    tools = of_clients(snapshot(platform.db), request.client_tools or ())
    return {"clientId": request.client_id, "clientTools": list(tools)}


def _take_results(
    platform: Platform,
    user: User,
    request: RunRequest,
    known: Known,
    *,
    request_digest: str,
) -> Found:
    thread_id = request.thread_id or ""
    thread = known[paths.thread(platform.db, thread_id).path].to_dict() or {}
    waiting = thread.get("waiting")
    if not waiting or not waiting["calls"]:
        raise FailedPrecondition(
            "no call of this thread waits for a client's result (any more): it was answered, its "
            "time was over, or the user went on",
            field="toolResults",
            hint="nothing needs to be sent; the thread's runs say what became of the call",
        )
    continuing = Continuation(
        run_id=request.run_id or next_run_id(waiting["runId"]),
        request_digest=request_digest,
        results=contents_of(request, waiting, platform.catalog),
        client=_new_client(platform, request) if takes_over(request, waiting) else {},
        user=user,
        admission=_admission(platform, user, request),
    )
    opened = _open(platform, thread_id, waiting["runId"], continuing, known)
    if isinstance(opened, StillWaiting):
        note_answers(platform.db, thread_id, waiting["runId"], continuing)
        # The last decision may have come before that was noted.
        opened = _open(platform, thread_id, waiting["runId"], continuing)
    if isinstance(opened, StillWaiting):
        return _still_waiting(platform, request, waiting["runId"], opened)
    return opened
