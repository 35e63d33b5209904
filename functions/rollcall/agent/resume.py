"""Answers to what a run waits for, sent through `run_agent`: decisions by a person, results of the
client's own tools."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from rollcall.agent.approvals import check_askable, decider_of
from rollcall.agent.history import earlier_calls
from rollcall.agent.router import Router
from rollcall.agent.run import QUEUE, to_interrupt
from rollcall.agent.run_context import Asker, of_clients, profile_of
from rollcall.agent.run_setup import admission
from rollcall.agent.tool_results import bounded
from rollcall.core.context import Catalog, Platform, ToolContext, User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.policy import combined
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.wire import ClientToolResult, Decision, Outcome, RunRequest, RunResult
from rollcall.registry.snapshot import entry as entry_of
from rollcall.registry.snapshot import snapshot
from rollcall.store import paths
from rollcall.store.admission import Admission
from rollcall.store.approvals import (
    Approval,
    ApprovalDecision,
    ApprovalStatus,
    canonical_json,
    load_approvals,
)
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
    read_request,
    run_key,
    run_state,
    state_for_repeat,
)
from rollcall.store.threads import check_thread
from rollcall.store.window import read_log

Found = OpenRun | Finished | Running | Abandoned | dict[str, Any]

CONTENT_CHARS = 200_000
"""The longest result of one client tool, as JSON text."""
CONTENTS_BYTES = 600_000
"""What the results of one step's client tools may have together, as JSON text."""


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
        verdict = approval.status_at(now)
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


def edits_of(
    platform: Platform,
    user: User,
    approvals: Sequence[Approval],
    said: dict[str, Decision],
) -> dict[str, Approval]:
    """New approvals for those whose arguments the decider changed, by the first's id.

    Args:
        approvals: In the order of the `resume` entries that answer them.
    Raises:
        InvalidArgument: Changed arguments are wrong or cannot be kept; everything stays open.
        PermissionDenied: Somebody else decides this by now.
    """
    edits = {}
    for number, approval in enumerate(approvals):
        given = said[approval.id]
        if given.edited_arguments is None:
            continue
        field = f"resume.{number}.payload.editedArguments"
        if not given.approved:
            raise InvalidArgument("a no takes no changed arguments", field=field)
        if redacted_json(given.edited_arguments) != given.edited_arguments:
            raise InvalidArgument(
                "the changed arguments hold what looks like a key or a token, which is not kept",
                field=field,
            )
        edits[approval.id] = _edited(
            platform,
            user,
            approval,
            given.edited_arguments,
            field,
            context=_context(platform, approval),
        )
    return edits


def _context(platform: Platform, approval: Approval) -> dict[str, Any]:
    """Where the user was when the turn was asked: what an edit leaves out is meant there."""
    run = paths.run(platform.db, approval.thread_id, approval.run_id).get().to_dict()
    return (read_request(run)["context"] or {}) if run else {}


def _edited(
    platform: Platform,
    user: User,
    approval: Approval,
    arguments: dict[str, Any],
    field: str,
    *,
    context: dict[str, Any],
) -> Approval:
    owner = user if user.uid == approval.uid else platform.find_user(approval.uid)
    if owner is None:
        raise FailedPrecondition("the account that asked for this is gone", field=field)
    router = _router(platform, owner, approval)
    target = router.target(approval.tool)
    frozen = target.frozen(arguments, field=field)
    policy = combined(*filter(None, (router.policies.get(approval.tool), target.policy)))
    if decider_of(policy, owner) != approval.decider:
        raise PermissionDenied("who decides this has changed; ask for it again", field=field)
    ctx = ToolContext(
        user=owner,
        platform=platform,
        locale=approval.locale,
        context=context,
        earlier=lambda: earlier_calls(
            read_log(platform.db, approval.thread_id).documents, approval.place
        ),
    )
    try:
        preview = target.preview(ctx, frozen)
    except AgentError as error:
        raise InvalidArgument(error.message, field=field, hint=error.hint) from error
    if preview is not None and preview.arguments is not None:
        frozen = target.frozen(preview.arguments, field=field)
    shown = target.shown(frozen)
    check_askable(frozen, shown, field=field)
    edited = approval.edited(
        frozen,
        shown=shown,
        summary=target.summary(frozen, approval.locale),
        by=user,
        now=datetime.now(UTC),
    )
    return replace(edited, display=bounded(preview.display) if preview else None)


def _router(platform: Platform, owner: User, approval: Approval) -> Router:
    profile = profile_of(platform, approval.agent, user=owner)
    entry = entry_of(platform.db, approval.tool)
    now = datetime.now(UTC)
    asker = Asker(user=owner, locale=approval.locale, now=now, deadline=time.monotonic() + 60)
    return Router(
        platform=platform,
        asker=asker,
        entries={entry.id: entry} if entry else {},
        agents=_no_agents,
        policies=dict(profile.approvals),
    )


def _no_agents(agent_id: str, message: str, *, max_steps: int | None = None) -> dict[str, Any]:
    raise FailedPrecondition("no agent is asked while arguments are checked")


def contents_of(
    request: RunRequest, waiting: dict[str, Any], catalog: Catalog
) -> dict[str, dict[str, Any]]:
    """The results by call id, each `{content}` or `{error}`.

    Args:
        waiting: What the thread waits for.
    Raises:
        InvalidArgument: They do not answer each waiting call once, are not what the tool returns,
            or are too large.
        PermissionDenied: The calls were left to another client, and this one cannot run them all.
    """
    _check_client(request, waiting)
    results = request.tool_results or []
    by_call = {result.tool_call_id: result for result in results}
    for number, result in enumerate(results):
        if result.tool_call_id not in waiting["calls"]:
            raise InvalidArgument(
                f"no call {result.tool_call_id!r} waits; waiting: {', '.join(waiting['calls'])}",
                field=f"toolResults.{number}.toolCallId",
            )
    missing = [call for call in waiting["calls"] if call not in by_call]
    if missing or len(by_call) < len(results):
        raise InvalidArgument(
            f"toolResults must answer each waiting call once; missing: {', '.join(missing)}",
            field="toolResults",
        )
    tools = _tools(waiting)
    contents = {
        result.tool_call_id: _content(
            result, tools.get(result.tool_call_id), catalog, field=f"toolResults.{number}"
        )
        for number, result in enumerate(results)
    }
    if len(canonical_json(contents).encode()) > CONTENTS_BYTES:
        raise InvalidArgument(
            f"the results may have {CONTENTS_BYTES:,} bytes of JSON together", field="toolResults"
        )
    return contents


def takes_over(request: RunRequest, waiting: dict[str, Any]) -> bool:
    """Whether another client than the one the calls were left to answers them."""
    return bool(request.client_id != waiting["clientId"])


def _tools(waiting: dict[str, Any]) -> dict[str, str]:
    """The tools that the waiting calls are of, by call id; a thread from before they were noted
    has none."""
    names = waiting.get("tools") or ()
    return dict(zip(waiting["calls"], names, strict=False))


def _check_client(request: RunRequest, waiting: dict[str, Any]) -> None:
    """Another of the user's clients may take the calls over, if it can run every one of them."""
    if not takes_over(request, waiting):
        return
    can_run = request.client_tools or []
    missing = sorted({*_tools(waiting).values()} - {*can_run})
    if not can_run or missing:
        raise PermissionDenied(
            "these calls were left to another of your clients"
            + (f", and this one does not offer {', '.join(missing)}" if can_run else ""),
            field="clientTools" if can_run else "clientId",
            hint="to take them over, send the clientTools that this client can run",
        )


def _content(
    result: ClientToolResult, tool: str | None, catalog: Catalog, *, field: str
) -> dict[str, Any]:
    if result.error is not None:
        return {"error": redacted(result.error)}
    if len(canonical_json({"": result.content})) > CONTENT_CHARS:
        raise InvalidArgument(
            f"the result of one tool may have {CONTENT_CHARS:,} characters of JSON",
            field="toolResults",
        )
    if tool is not None:
        _check_shape(result, tool, catalog, field=f"{field}.content")
    return {"content": redacted_json(result.content)}


def _check_shape(result: ClientToolResult, tool: str, catalog: Catalog, *, field: str) -> None:
    """A tool that only a registry document tells of may return any JSON: no shape is known."""
    try:
        capability = catalog.find_capability(tool)
    except NotFound:
        return
    try:
        capability.check_result(result.content, field=field)
    except InvalidArgument as error:
        raise InvalidArgument(
            error.message,
            field=error.field,
            hint=f"this answers the call {result.tool_call_id} of {tool}; "
            "where the tool failed, send error with the reason instead of content",
        ) from error
