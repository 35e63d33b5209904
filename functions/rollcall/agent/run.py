"""Drives a run to its end: yields the loop's events, saves its progress, and returns the result.

A run does not depend on its client. When the client leaves, or this process's time is over, the run
is saved and left to the task queue; a repeated request follows it there.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal

from msgspec.structs import asdict, replace

from rollcall.agent.budget import UserBudget
from rollcall.agent.dispatch import ClientCall, NeedsApproval, Permit
from rollcall.agent.history import decision_lines, turn_state
from rollcall.agent.loop import run
from rollcall.agent.router import found_tools
from rollcall.agent.run_setup import (
    RunContext,
    new_context,
    new_turn,
    run_budget,
)
from rollcall.agent.telemetry import observe_run, run_span
from rollcall.agent.turn import Turn, TurnEnd, WaitingCall
from rollcall.core import events
from rollcall.core.context import Platform, User
from rollcall.core.errors import Aborted, AgentError, FailedPrecondition, Unavailable
from rollcall.core.events import Event
from rollcall.core.logs import isolated_context
from rollcall.core.messages import UserMessage, redacted_message
from rollcall.core.profile import MAX_STEPS_CAP
from rollcall.core.shapes import PLATFORM_TOOLS
from rollcall.core.texts import TEXTS
from rollcall.core.wire import (
    REASON_CHARS,
    CallStatus,
    Interrupt,
    Outcome,
    RunResult,
    RunStatus,
    StopReason,
    ToolCallRecord,
)
from rollcall.registry.recorder import by_client, recorder
from rollcall.store.approvals import Approval, approval_id
from rollcall.store.event_log import missing_end_events, read_events
from rollcall.store.open_run import NotSaved, OpenRun

QUEUE = "continuerun"
CLIENT_CALL = timedelta(minutes=10)
"""How long a client has to answer the calls that were left to it."""
MARGIN_S = 30.0
"""How long before its time limit a function hands its run over to the task queue."""
MAX_DEPTH = 2
"""How many levels deep agents may ask agents."""
_RESPONSE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "reason": {"type": "string", "maxLength": REASON_CHARS},
        "editedArguments": {"type": "object"},
    },
    "required": ["approved"],
    "additionalProperties": False,
}
"""The schema of the answer to an approval that covers one call only."""

log = logging.getLogger("rollcall")

RunEvents = Generator[Event | None, None, dict[str, Any]]


def drive(
    context: RunContext,
    opened: OpenRun,
    *,
    until: float,
    streamed: bool = True,
    budget: UserBudget | None = None,
) -> RunEvents:
    """Drive an open run to its end, or until its time in this process is over.

    Args:
        until: The `time.monotonic()` value at which this process hands the run over.
        streamed: Whether the models' replies are shown as they arrive, or each when it is complete.
        budget: The run's budget, if it was opened with one. It is closed at the end.
    Returns:
        The run's result.
    Raises:
        Aborted: The run goes on in the task queue, or another run has taken the thread over.
        Unavailable: The database failed; the run goes on in the task queue.
        AgentError: The run failed; the failure is saved.
    """
    budget = budget or run_budget(context, opened.thread_id, opened.run_id)
    steps = _drive(context, opened, budget, until=until, streamed=streamed)
    return (yield from isolated_context(observe_run(opened, steps)))


def function_end(seconds: float) -> float:
    """Return the `time.monotonic()` value at which a function with this time limit hands its run
    over."""
    return time.monotonic() + seconds - MARGIN_S


def _drive(
    context: RunContext, opened: OpenRun, budget: UserBudget, *, until: float, streamed: bool
) -> RunEvents:
    """Drive the run to its end, and save its failure if it fails. After a transient failure of the
    database the run is left to the task queue."""
    from google.api_core.exceptions import Aborted as Contended
    from google.api_core.exceptions import RetryError, ServerError, TooManyRequests

    opened.budget = budget
    with closing(budget):  # settles what the run's saves have not
        try:
            return (yield from _work(context, opened, budget, until=until, streamed=streamed))
        except NotSaved:
            _leave_to_queue(context.platform, opened)
            raise
        except AgentError as error:
            error.translate(context.locale)
            if not opened.is_closed:
                last = opened.show(events.run_error(message=error.message, code=error.code))
                opened.fail({"message": error.message, **error.details})
                yield last
            raise
        except GeneratorExit:
            _leave_to_queue(context.platform, opened, is_sound=True)
            raise
        except Exception as error:
            log.exception("run %s broke off", opened.run_id)
            if isinstance(error, Contended | RetryError | ServerError | TooManyRequests):
                _leave_to_queue(context.platform, opened)
                raise Unavailable(
                    TEXTS.text("errors.database_slow"),
                    hint="ask again with the same runId to follow it",
                    retry_after_s=2,
                ) from error
            if not opened.is_closed:
                message = TEXTS.say(context.locale, "errors.on_our_side")
                last = opened.show(events.run_error(message=message, code="internal"))
                opened.fail({"code": "internal", "message": message, "type": type(error).__name__})
                yield last
            raise


def _work(
    context: RunContext, opened: OpenRun, budget: UserBudget, *, until: float, streamed: bool
) -> RunEvents:
    """Run the turn's loop, and save its end."""
    health, user = recorder(opened.db.project), context.user
    health.flush(by_client(opened.db))  # earlier runs' observations, while the model is awaited
    shown: list[Event] = []
    if opened.attempt > 1:  # a recovered run repeats its events and ends those that are open
        for _, stored in read_events(opened.db, opened.thread_id, opened.run_id):
            shown.extend(stored)
            yield from stored
    if not shown:
        yield opened.show(events.run_started(thread_id=opened.thread_id, run_id=opened.run_id))
    for end_event in missing_end_events(shown):
        yield opened.show(end_event)

    state = turn_state(opened)
    left_s = max(context.profile.deadline_s - state.before.work_ms / 1000, 0)
    deadline = time.monotonic() + left_s
    agents = partial(
        ask_agent,
        context.platform,
        user,
        deadline=deadline,
        context=context.client_context,
        depth=1,
    )
    turn = new_turn(
        context,
        agents,
        opened=opened,
        deadline=deadline,
        budget=budget,
        state=state,
        streamed=streamed,
    )
    began_at = datetime.now(UTC)
    end: TurnEnd | None = None
    with closing(run(turn)) as steps:
        while True:
            try:
                event = next(steps)
            except StopIteration as stop:
                end = stop.value
                break
            yield opened.show(event) if event is not None else None
            opened.tick()
            if time.monotonic() > until:
                break
    if end is None:  # closing the loop has saved its progress
        _leave_to_queue(context.platform, opened)
        raise Aborted(
            TEXTS.text("errors.takes_longer"),
            hint="ask again with the same runId to follow it",
            retry_after_s=1,
        )
    health.note_calls(end.calls, uid=user.uid, except_for={*PLATFORM_TOOLS, *context.client_tools})
    health.flush(by_client(opened.db))  # beside the commit that ends the run
    return (yield from _end(opened, turn, end, began_at))


def _end(opened: OpenRun, turn: Turn, end: TurnEnd, began_at: datetime) -> RunEvents:
    """Save and show the run's end."""
    approvals = [
        _new_approval(opened, each, each.needs)
        for each in end.waiting
        if isinstance(each.needs, NeedsApproval)
    ]
    result = to_result(
        end,
        agent=opened.agent,
        thread_id=opened.thread_id,
        turn_id=opened.turn_id,
        run_id=opened.run_id,
        approvals=approvals,
    ).dump()
    # Including calls that were approved earlier and that the client has run since.
    summaries = {
        call: each["summary"] for call, each in opened.answers.items() if "summary" in each
    }
    summaries |= {approval.call_id: approval.summary for approval in opened.approvals}
    opened.decisions = decision_lines(opened.decisions, end.calls, summaries)
    outcome = "cancelled" if end.stop_reason else "interrupt" if end.waiting else "success"
    entry = opened.audit_entry(
        approvals=approvals,
        models=[model.id for model in turn.models],
        found=found_tools(end.calls),
        calls=end.calls,
        outcome=outcome,
        stop_reason=end.stop_reason,
        steps=end.steps,
        usage=end.usage,
        micro_usd=turn.state.micro_usd,
        began_at=began_at,
    )
    finished = events.run_finished(thread_id=opened.thread_id, run_id=opened.run_id, result=result)
    last = opened.show(finished)
    try:
        if end.waiting:
            left = [each.call for each in end.waiting if isinstance(each.needs, ClientCall)]
            opened.wait(
                approvals=approvals,
                calls=left,
                permits={call.id: _permit(opened, turn.dispatch.permit(call)) for call in left},
                until=datetime.now(UTC) + CLIENT_CALL if left else None,
                spent=end.spent,
                result=result,
                audit_entry=entry,
            )
        else:
            is_cancelled = end.stop_reason is StopReason.CANCELLED
            opened.finish(
                step=end.steps,
                answer=end.answer,
                spent=end.spent,
                result=result,
                status=RunStatus.CANCELLED if is_cancelled else RunStatus.DONE,
                audit_entry=entry,
            )
    except Exception:
        opened.events.withdraw_last()
        raise
    yield last
    return result


def _new_approval(opened: OpenRun, waiting: WaitingCall, needs: NeedsApproval) -> Approval:
    now = datetime.now(UTC)
    number = opened.documents[-1]["n"]
    card = asdict(needs)  # the approval has the same fields, but a time instead of `expires_s`
    expires_at = now + timedelta(seconds=card.pop("expires_s"))
    return Approval(
        id=approval_id(opened.thread_id, opened.run_id, number, waiting.place),
        uid=opened.user.uid,
        thread_id=opened.thread_id,
        run_id=opened.run_id,
        turn_id=opened.turn_id,
        agent=opened.agent,
        call_id=waiting.call.id,
        place=waiting.place,
        locale=opened.request["locale"],
        created_at=now,
        expires_at=expires_at,
        **card,
    )


def _permit(opened: OpenRun, permit: Permit) -> dict[str, Any]:
    """Return the permit of a call that is left to the client, as the thread stores it."""
    if permit.approval_id is None:
        return {"allowedBy": permit.allowed_by} if permit.allowed_by else {}
    approval = {each.id: each for each in opened.approvals}[permit.approval_id]
    return {
        "approvalId": approval.id,
        "isEdited": approval.edited_from is not None,
        "summary": approval.summary,
    }


def _leave_to_queue(platform: Platform, opened: OpenRun, *, is_sound: bool = False) -> None:
    """Save the run and queue it; the sweeper finds it if the queue refuses the task.

    Args:
        is_sound: Whether only its client left: the attempt then does not count as a failed one.
    """
    from google.api_core.exceptions import GoogleAPIError

    if opened.is_closed:
        return
    try:
        opened.hand_over(is_sound=is_sound)
        platform.enqueue(QUEUE, {"threadId": opened.thread_id, "runId": opened.run_id})
    except (Aborted, Unavailable, GoogleAPIError) as error:
        log.warning("run %s was not handed over: %s", opened.run_id, error)


def to_result(
    end: TurnEnd,
    *,
    agent: str,
    thread_id: str,
    turn_id: str,
    run_id: str,
    approvals: Sequence[Approval] = (),
) -> RunResult:
    """Return the `RunResult` of a run; `approvals` are those that it waits for."""
    by_place = {approval.place: approval.id for approval in approvals}
    # With the arguments of the approval or of the client's call, which may differ from the model's.
    waiting = [
        ToolCallRecord(
            id=each.call.id,
            tool=each.call.name,
            arguments=each.needs.shown,
            status=CallStatus.CLIENT if isinstance(each.needs, ClientCall) else CallStatus.WAITING,
            approval_id=by_place.get(each.place),
            step=end.steps,
            ms=0,
        )
        for each in end.waiting
    ]
    outcome: Literal["success", "interrupt", "cancelled"] = "success"
    if approvals:
        outcome = "interrupt"
    elif end.stop_reason:
        outcome = "cancelled"
    done = [each for each in end.calls if each.status is CallStatus.DONE]
    kind: Literal["info", "question", "result", "action"] = "result" if end.calls else "info"
    if end.is_question or any(isinstance(each.needs, NeedsApproval) for each in end.waiting):
        kind = "question"
    elif any(each.approval_id or each.undo for each in done):
        kind = "action"
    elif end.answer.text.rstrip().endswith("?") and not end.stop_reason:
        kind = "question"
    return RunResult(
        thread_id=thread_id,
        turn_id=turn_id,
        run_id=run_id,
        agent=agent,
        outcome=Outcome(
            type=outcome,
            interrupts=[to_interrupt(approval) for approval in approvals] or None,
            pending_tool_call_ids=[
                each.call.id for each in end.waiting if isinstance(each.needs, ClientCall)
            ]
            or None,
        ),
        stop_reason=end.stop_reason,
        type=kind,
        message=end.answer.text,
        quick_replies=list(end.quick_replies),
        collected_data=end.collected_data,
        tool_calls=[*end.calls, *waiting],
        citations=end.citations,
        steps=end.steps,
        usage=end.usage,
    )


def to_interrupt(approval: Approval) -> Interrupt:
    """Return an approval as AG-UI's interrupt."""
    decider, schema = approval.decider, _RESPONSE_SCHEMA
    if approval.remember:
        remember = {"type": "string", "enum": list(approval.remember)}
        schema = {**schema, "properties": {**schema["properties"], "remember": remember}}
    metadata = {
        "tool": approval.tool,
        "arguments": approval.shown,
        "decider": {"uid": decider.uid} if decider.uid else {"role": decider.role},
        "display": approval.display.dump() if approval.display else None,
        "complete": approval.complete,
        "remember": list(approval.remember) or None,
    }
    return Interrupt(
        id=approval.id,
        message=approval.summary,
        tool_call_id=approval.call_id,
        response_schema=schema,
        expires_at=approval.expires_at.isoformat(),
        metadata={key: value for key, value in metadata.items() if value is not None},
    )


def ask_agent(
    platform: Platform,
    user: User,
    agent_id: str,
    message: str,
    *,
    deadline: float,
    context: Mapping[str, Any] | None = None,
    depth: int = 0,
    max_steps: int | None = None,
) -> dict[str, Any]:
    """Send a message to an agent for a capability, and return its `RunResult` as JSON. The agent
    runs in the same loop, without a thread of its own.

    Args:
        deadline: The `time.monotonic()` value by which the agent must have answered.
        context: The client's context, which the agent gets too.
        depth: How many agents wait for this one.
    """
    if depth >= MAX_DEPTH:
        raise FailedPrecondition(f"agents ask each other at most {MAX_DEPTH} levels deep")
    question = redacted_message(UserMessage.of(message))
    run_context = new_context(
        platform,
        user=user,
        agent_id=agent_id,
        message=question.text,
        client_context=dict(context) if context else None,
    )
    tools = run_context.choose_tools([], client_context=run_context.client_context)
    run_context = run_context.with_tools(tools)
    profile = run_context.profile
    if max_steps:
        profile = replace(profile, max_steps=min(max_steps, MAX_STEPS_CAP))
        run_context = replace(run_context, profile=profile)
    run_id = uuid.uuid4().hex[:20]
    turn = new_turn(
        run_context,
        partial(ask_agent, platform, user, deadline=deadline, context=context, depth=depth + 1),
        history=[question],
        run_id=run_id,
        deadline=min(deadline, time.monotonic() + profile.deadline_s),
        budget=UserBudget(platform.db, user, allow_unpriced=profile.allow_unpriced),
    )
    with closing(turn.budget), run_span(agent_id):
        steps = run(turn)
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                end: TurnEnd = stop.value
                break
    recorder(platform.db.project).note_calls(end.calls, uid=user.uid, except_for=PLATFORM_TOOLS)
    result = to_result(end, agent=agent_id, thread_id="", turn_id=run_id, run_id=run_id)
    return result.dump()
