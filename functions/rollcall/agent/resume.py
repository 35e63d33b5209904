"""Resumes a waiting run with a request's answers: decisions on approvals, which may edit the
arguments, or results of the client's tools."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from rollcall.agent.approvals import decider_of, new_card
from rollcall.agent.history import earlier_calls
from rollcall.agent.router import Router
from rollcall.agent.run import QUEUE, to_interrupt
from rollcall.agent.run_setup import find_agent, registered_client_tools
from rollcall.agent.targets import local_capability
from rollcall.core.context import Catalog, Platform, ToolContext, User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.texts import TEXTS
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
from rollcall.store.budgets import limits
from rollcall.store.continuations import (
    Continuation,
    Known,
    StillWaiting,
    note_answers,
    open_continuation,
    write_decisions,
)
from rollcall.store.message_log import read_log
from rollcall.store.open_run import OpenRun
from rollcall.store.run_opening import check_thread
from rollcall.store.runs import (
    RunState,
    is_generated_id,
    next_run_id,
    previous_run_id,
    read_request,
    run_state,
    state_for_repeat,
)

ResumedRun = OpenRun | RunState | dict[str, Any]

CONTENT_CHARS = 200_000
"""The longest result of one client tool, as JSON text."""
CONTENTS_BYTES = 600_000
"""The limit for the results of one step's client tools together, as JSON text."""


def resume_run(
    platform: Platform, user: User, request: RunRequest, *, request_digest: str
) -> ResumedRun:
    """Check the answers to a waiting run, and open its continuation.

    Returns:
        The run that continues the turn: open, or its state if another request has opened it. Or a
        result at once, if others have still to decide or the turn is another user's.
    Raises:
        InvalidArgument: An answer is missing, duplicate or wrong; everything stays open.
        NotFound, PermissionDenied, FailedPrecondition: The run cannot be answered, or not by this
            user.
    """
    db, thread_id, run_id = platform.db, request.thread_id, request.run_id
    if thread_id is None:
        raise InvalidArgument(
            "threadId is missing: an answer belongs to a thread", field="threadId"
        )
    references = [paths.thread(db, thread_id), paths.window(db, thread_id)]
    references += [paths.approval(db, each.interrupt_id) for each in request.resume or ()]
    if run_id:  # the waiting run itself, if this id is derived from its id
        references.append(paths.run(db, thread_id, previous_run_id(run_id) or run_id))
    known = {each.reference.path: each for each in db.get_all(references)}
    thread = known[paths.thread(db, thread_id).path]
    data = thread.to_dict() or {}
    resumption = _Resumption(
        platform, user, request, request_digest, thread_id, data.get("waiting"), known
    )
    if (repeated := resumption.repeated()) is not None:
        return repeated
    if request.resume is not None:
        approvals = resumption.approvals()
        if data.get("uid") != user.uid:
            return resumption.decide_for_another(approvals)
        check_thread(thread, uid=user.uid, agent=request.agent, new=False)
        return resumption.decide(approvals)
    check_thread(thread, uid=user.uid, agent=request.agent, new=False)
    return resumption.take_results()


class _Resumption(Struct, frozen=True):
    """A request that answers a waiting thread, and the documents that were read for it.

    Attributes:
        waiting: The field `waiting` of the thread's document.
        known: The documents that were read, by their paths.
    """

    platform: Platform
    user: User
    request: RunRequest
    digest: str
    thread_id: str
    waiting: dict[str, Any] | None
    known: Known

    def repeated(self) -> RunState | None:
        """Return the state of the run that the request names, if it was opened before.

        An id that is derived from the waiting run's id may be that of a run which somebody else's
        answer has opened: it is this request's own only if the request was the same.
        """
        run_id, uid = self.request.run_id, self.user.uid
        if run_id is None:
            return None
        if self.waiting and previous_run_id(run_id) == self.waiting["runId"]:
            return None  # it would continue the run that still waits
        reference = paths.run(self.platform.db, self.thread_id, run_id)
        run: Any = self.known.get(reference.path) or reference.get()
        data = run.to_dict() if run.exists else None
        if data is None or data["uid"] != uid:
            return None
        if is_generated_id(run_id) and data["requestDigest"] != self.digest:
            return None
        return state_for_repeat(data, run, uid=uid, request_digest=self.digest)

    def approvals(self) -> list[Approval]:
        """Return the approvals that the `resume` entries answer, each checked for this user.

        Raises:
            InvalidArgument: An approval is answered twice, or none is, or they are of several runs.
            NotFound, PermissionDenied: An approval is not there, or somebody else decides it.
        """
        ids = [entry.interrupt_id for entry in self.request.resume or []]
        if not ids or len(set(ids)) < len(ids):
            raise InvalidArgument(
                "resume answers each interrupt once, and at least one", field="resume"
            )
        found = {each.id: each for each in load_approvals(self.platform.db, ids, self.known)}
        for number, id in enumerate(ids):
            field = f"resume.{number}.interruptId"
            approval = found.get(id)
            is_here = approval is not None and approval.thread_id == self.thread_id
            may_decide = approval is not None and approval.may_be_decided_by(self.user)
            if approval is None or not is_here or not (may_decide or approval.uid == self.user.uid):
                raise NotFound(TEXTS.text("errors.nothing_waits_under", id=id), field=field)
            if not may_decide:
                role = approval.decider.role
                message = TEXTS.text("errors.decided_by_role", role=role)
                raise PermissionDenied(message, field=field)
        approvals = [found[id] for id in ids]
        if len({approval.run_id for approval in approvals}) > 1:
            raise InvalidArgument("the interrupts are of more than one run", field="resume")
        return approvals

    def decide(self, approvals: Sequence[Approval]) -> ResumedRun:
        """Continue the turn with these decisions, or store them while others are open."""
        requested = self._requested_decisions()
        _check_decisions(approvals, requested)
        waiting_run = approvals[0].run_id
        continuation = self._continuation(
            waiting_run,
            decisions=self._decisions(approvals, requested),
            edits=edited_approvals(self.platform, self.user, approvals, requested),
        )
        opened = self._open(waiting_run, continuation, self.known)
        if isinstance(opened, StillWaiting):
            left_out = [each.id for each in opened.approvals if each.may_be_decided_by(self.user)]
            if left_out:
                raise InvalidArgument(
                    f"resume must answer all that waits; missing: {', '.join(left_out)}",
                    field="resume",
                )
            if continuation.edits:
                raise FailedPrecondition(
                    TEXTS.text("errors.others_decide_first"),
                    field="resume",
                    hint="send them again then, or say no",
                )
            write_decisions(self.platform.db, approvals, continuation.decisions)
            return self._still_waiting(waiting_run, opened)
        if not isinstance(opened, OpenRun):
            # Another request was faster: its decisions must be the same as these.
            decided = load_approvals(self.platform.db, [each.id for each in approvals])
            _check_decisions(decided, requested)
        return opened

    def decide_for_another(self, approvals: Sequence[Approval]) -> dict[str, Any]:
        """Store decisions on another user's turn; the task queue continues it."""
        requested = self._requested_decisions()
        if any(each.edited_arguments is not None for each in requested.values()):
            # Refused before any preview, which would run with the rights of the user who asked.
            raise PermissionDenied(
                TEXTS.text("errors.only_asker_edits"),
                field="resume",
            )
        _check_decisions(approvals, requested)
        first = approvals[0]
        write_decisions(self.platform.db, approvals, self._decisions(approvals, requested))
        self.platform.enqueue(QUEUE, {"threadId": first.thread_id, "runId": first.run_id})
        return RunResult(
            thread_id=first.thread_id,
            turn_id=first.turn_id,
            run_id=first.run_id,
            agent=first.agent,
            outcome=Outcome(type="success"),
            type="info",
            message=TEXTS.say(self.request.locale or "en", "run.decision_recorded"),
            steps=0,
        ).dump()

    def take_results(self) -> ResumedRun:
        """Continue the turn with the results of the client's tools, or store them while approvals
        are open."""
        request, waiting, platform = self.request, self.waiting, self.platform
        if not waiting or not waiting["calls"]:
            raise FailedPrecondition(
                TEXTS.text("errors.no_call_waits"),
                field="toolResults",
                hint="nothing needs to be sent; the thread's runs say what became of the call",
            )
        results, client = client_results(request, waiting, platform.catalog), dict[str, Any]()
        if request.client_id != waiting["clientId"]:  # this client gets the turn's later calls
            tools = registered_client_tools(snapshot(platform.db), request.client_tools or ())
            client = {"clientId": request.client_id, "clientTools": list(tools)}
        waiting_run = waiting["runId"]
        continuation = self._continuation(waiting_run, results=results, client=client)
        opened = self._open(waiting_run, continuation, self.known)
        if isinstance(opened, StillWaiting):
            note_answers(platform.db, self.thread_id, waiting_run, continuation)
            # The last decision may have come just before the results were stored.
            opened = self._open(waiting_run, continuation)
        if isinstance(opened, StillWaiting):
            return self._still_waiting(waiting_run, opened)
        return opened

    def _continuation(self, waiting_run: str, **answers: Any) -> Continuation:
        """Return the `Continuation` that opens the next run of the turn.

        Args:
            answers: Its other fields.
        """
        db, user, run_id, admission = self.platform.db, self.user, self.request.run_id, None
        if run_id is not None and not is_generated_id(run_id):
            # An id that the client chose is recorded in the user's day, where the user's other
            # openings find it. The rate limit counts turns, not the runs that continue them.
            now, own = datetime.now(UTC), limits(db).of_user(user)
            admission = Admission(db=db, uid=user.uid, now=now, limits=own, counts=False)
        return Continuation(
            run_id=run_id or next_run_id(waiting_run),
            request_digest=self.digest,
            user=user,
            admission=admission,
            **answers,
        )

    def _open(
        self, waiting_run: str, continuation: Continuation, known: Known | None = None
    ) -> OpenRun | StillWaiting | RunState:
        """Open the continuation, or return the state of the one that was opened before."""
        db, thread_id = self.platform.db, self.thread_id
        opened = open_continuation(db, thread_id, waiting_run, continuation, known)
        if not isinstance(opened, str):
            return opened
        run = paths.run(db, thread_id, opened).get().to_dict()
        if run is None:
            raise NotFound(TEXTS.text("errors.answer_erased"), field="threadId")
        return run_state(run, thread_id=thread_id, run_id=opened)

    def _still_waiting(self, waiting_run: str, still: StillWaiting) -> dict[str, Any]:
        """Return the result for a user who has answered, while other answers are still missing."""
        run = paths.run(self.platform.db, self.thread_id, waiting_run).get().to_dict() or {}
        locale = self.request.locale or read_request(run)["locale"]
        summaries = [f"\u2068{approval.summary}\u2069" for approval in still.approvals]
        summaries = summaries or [TEXTS.say(locale, "run.call_of_app")]
        return RunResult(
            thread_id=self.thread_id,
            turn_id=run["turnId"],
            run_id=waiting_run,
            agent=self.request.agent,
            outcome=Outcome(
                type="interrupt",
                interrupts=[to_interrupt(approval) for approval in still.approvals] or None,
                pending_tool_call_ids=list(still.calls) or None,
            ),
            type="info",
            message=TEXTS.say(locale, "run.still_open", summaries=", ".join(summaries)),
            steps=run["step"],
        ).dump()

    def _requested_decisions(self) -> dict[str, Decision]:
        """Return each entry's decision, by approval id; a cancelled entry is a rejection."""
        requested = {}
        for entry in self.request.resume or []:
            payload = entry.payload
            if entry.status != "resolved" or payload is None:
                payload = Decision(approved=False, reason=payload.reason if payload else None)
            requested[entry.interrupt_id] = payload
        return requested

    def _decisions(
        self, approvals: Sequence[Approval], requested: dict[str, Decision]
    ) -> dict[str, ApprovalDecision]:
        """Return the decisions to store, of those approvals that have none yet."""
        now = datetime.now(UTC)
        return {
            approval.id: ApprovalDecision(
                approved=requested[approval.id].approved,
                by=self.user.uid,
                at=now,
                reason=redacted_json(requested[approval.id].reason),
                remember=requested[approval.id].remember,
            )
            for approval in approvals
            if approval.decision is None
        }


def _check_decisions(approvals: Sequence[Approval], requested: dict[str, Decision]) -> None:
    """Check that the approvals are undecided, or were decided in the same way, and that `remember`
    is among what was offered.

    Raises:
        FailedPrecondition: An approval was decided otherwise before, or has expired.
        InvalidArgument: `remember` was not offered, or the arguments were changed with it.
    """
    now = datetime.now(UTC)
    for number, approval in enumerate(approvals):
        field = f"resume.{number}.interruptId"
        status = approval.status_at(now)
        decision = approval.decision
        if status is ApprovalStatus.EXPIRED:
            is_over = approval.expires_at <= now
            raise FailedPrecondition(
                TEXTS.text("errors.approval_over", ends=approval.expires_at)
                if is_over
                else TEXTS.text("errors.approval_closed"),
                field=field,
                hint=TEXTS.text("hints.ask_for_it_again"),
            )
        if status is ApprovalStatus.REPLACED:
            raise FailedPrecondition(TEXTS.text("errors.approved_with_changes"), field=field)
        wanted = requested[approval.id]
        if decision is not None and (
            decision.approved != wanted.approved
            or wanted.edited_arguments is not None
            or wanted.remember not in (None, decision.remember)
        ):
            key = "errors.approved_before" if decision.approved else "errors.rejected_before"
            raise FailedPrecondition(TEXTS.text(key, at=decision.at), field=field)
        if wanted.remember is not None and wanted.edited_arguments is not None:
            raise InvalidArgument(
                "an approval with changed arguments cannot be remembered",
                field=f"resume.{number}.payload.remember",
            )
        if wanted.remember not in (None, *approval.remember):
            offered = ", ".join(map(repr, approval.remember)) or "nothing: leave it out"
            raise InvalidArgument(
                f"this approval cannot be remembered for {wanted.remember!r}; offered: {offered}",
                field=f"resume.{number}.payload.remember",
            )


def edited_approvals(
    platform: Platform,
    user: User,
    approvals: Sequence[Approval],
    requested: dict[str, Decision],
) -> dict[str, Approval]:
    """Return a new approval for each one whose arguments the decider changed, by the old one's id.

    Args:
        approvals: In the order of the `resume` entries that answer them.
    Raises:
        InvalidArgument: Changed arguments are wrong or cannot be stored; everything stays open.
        PermissionDenied: Another decider has to approve the call by now.
    """
    edits = {}
    for number, approval in enumerate(approvals):
        decision = requested[approval.id]
        if decision.edited_arguments is None:
            continue
        field = f"resume.{number}.payload.editedArguments"
        if not decision.approved:
            raise InvalidArgument("a rejection cannot change arguments", field=field)
        if redacted_json(decision.edited_arguments) != decision.edited_arguments:
            raise InvalidArgument(
                TEXTS.text("errors.secret_in_arguments"),
                field=field,
            )
        edits[approval.id] = _edit(platform, user, approval, decision.edited_arguments, field)
    return edits


def _edit(
    platform: Platform, user: User, approval: Approval, arguments: dict[str, Any], field: str
) -> Approval:
    """Return an approval with changed arguments, which are validated and previewed anew."""
    db, now = platform.db, datetime.now(UTC)
    run = paths.run(db, approval.thread_id, approval.run_id).get().to_dict()
    owner = user if user.uid == approval.uid else platform.find_user(approval.uid)
    if owner is None:
        raise FailedPrecondition(TEXTS.text("errors.asker_gone"), field=field)
    profile = find_agent(platform, approval.agent, user=owner)
    entry = entry_of(db, approval.tool)
    ctx = ToolContext(
        user=owner,
        platform=platform,
        locale=approval.locale,
        # The context of the turn's request, which completes what the edit leaves out.
        context=(read_request(run)["context"] or {}) if run else {},
        earlier=lambda: earlier_calls(read_log(db, approval.thread_id).documents, approval.place),
    )
    router = Router(
        platform=platform,
        ctx=ctx,
        deadline=time.monotonic() + 60,
        entries={entry.id: entry} if entry else {},
        policies=dict(profile.approvals),
    )
    target = router.target(approval.tool)
    frozen = target.frozen(arguments, field=field)
    if decider_of(router.policy(approval.tool, target), owner) != approval.decider:
        raise PermissionDenied(TEXTS.text("errors.decider_changed"), field=field)
    try:
        preview = target.preview(ctx, frozen)
    except AgentError as error:
        raise InvalidArgument(error.text, field=field, hint=error.hint_text) from error
    if preview is not None and preview.arguments is not None:
        frozen = target.frozen(preview.arguments, field=field)
    card = new_card(ctx, target, frozen, preview, field=field)
    return approval.edited(card, by=user, now=now)


def client_results(
    request: RunRequest,
    waiting: dict[str, Any],
    catalog: Catalog,
    *,
    only: Collection[str] | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the results of a client's tools, by call id, each `{content}` or `{error}`.

    Args:
        waiting: The field `waiting` of the thread's document.
        only: The calls of it that are answered; by default all.
    Raises:
        InvalidArgument: The results do not answer each waiting call once, do not match the tool's
            return type, or are too large.
        PermissionDenied: The calls were left to another client, and this one cannot run them all.
    """
    calls = waiting["calls"] if only is None else only
    tools = dict(zip(waiting["calls"], waiting["tools"], strict=True))
    tools = {call: tools[call] for call in calls}
    if request.client_id != waiting["clientId"]:
        can_run = request.client_tools or []
        unknown = sorted({*tools.values()} - {*can_run})
        if not can_run or unknown:
            raise PermissionDenied(
                TEXTS.text(
                    "errors.other_client_lacks" if can_run else "errors.other_client",
                    tools=", ".join(unknown),
                ),
                field="clientTools" if can_run else "clientId",
                hint="to take them over, send the clientTools that this client can run",
            )
    results = request.tool_results or []
    by_call = {result.tool_call_id: result for result in results}
    for number, result in enumerate(results):
        if result.tool_call_id not in calls:
            raise InvalidArgument(
                f"no call {result.tool_call_id!r} waits; waiting: {', '.join(calls)}",
                field=f"toolResults.{number}.toolCallId",
            )
    missing = [call for call in calls if call not in by_call]
    if missing or len(by_call) < len(results):
        raise InvalidArgument(
            f"toolResults must answer each waiting call once; missing: {', '.join(missing)}",
            field="toolResults",
        )
    contents: dict[str, dict[str, Any]] = {}
    for number, result in enumerate(results):
        if result.error is not None:
            contents[result.tool_call_id] = {"error": redacted(result.error)}
            continue
        if len(canonical_json({"": result.content})) > CONTENT_CHARS:
            raise InvalidArgument(
                f"the result of one tool may have {CONTENT_CHARS:,} characters of JSON",
                field="toolResults",
            )
        tool = tools[result.tool_call_id]
        _check_shape(result, tool, catalog, field=f"toolResults.{number}.content")
        contents[result.tool_call_id] = {"content": redacted_json(result.content)}
    if len(canonical_json(contents).encode()) > CONTENTS_BYTES:
        raise InvalidArgument(
            f"the results may have {CONTENTS_BYTES:,} bytes of JSON together", field="toolResults"
        )
    return contents


def _check_shape(result: ClientToolResult, tool: str, catalog: Catalog, *, field: str) -> None:
    """Check a result against its tool's return type. A tool that is declared only by a registry
    document may return any JSON."""
    capability = local_capability(catalog, tool)
    if capability is None:
        return
    try:
        capability.check_result(result.content, field=field)
    except InvalidArgument as error:
        raise InvalidArgument(
            error.text,
            field=error.field,
            hint=f"this answers the call {result.tool_call_id} of {tool}; "
            "where the tool failed, send error with the reason instead of content",
        ) from error
