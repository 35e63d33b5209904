"""Drives a run to its end: the loop's events out, its saves in, and what happens on the way.

The run outlives who watches it. When the client leaves, or this process's time is over, the run is
saved and left to the task queue, and whoever asks for it again follows it there.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent import telemetry
from rollcall.agent.attached_files import with_files
from rollcall.agent.budget import FirestorePurse, Purse
from rollcall.agent.compaction import decided
from rollcall.agent.dispatch import Ask, Leave, Permit
from rollcall.agent.loop import Steps, run
from rollcall.agent.run_context import Asked, receive
from rollcall.agent.run_setup import prepare_inner, prepare_run, run_purse
from rollcall.agent.telemetry import observed
from rollcall.agent.turn import Ended, Turn
from rollcall.core import events
from rollcall.core.context import AskAgent, Platform, User
from rollcall.core.errors import Aborted, AgentError, FailedPrecondition, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import ModelMessage, ToolResult, UserMessage
from rollcall.core.redaction import redacted_message
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
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.recorder import by_client, recorder
from rollcall.store import audit
from rollcall.store.approvals import Approval, approval_id
from rollcall.store.event_log import missing_end_events, read_events
from rollcall.store.leases import NotSaved
from rollcall.store.message_log import TurnUsage
from rollcall.store.open_run import OpenRun, RunInterrupt

if TYPE_CHECKING:
    from google.cloud.firestore import WriteBatch


QUEUE = "continuerun"
CLIENT_CALL = timedelta(minutes=10)
"""How long a client has to answer the calls that were left to it."""

log = logging.getLogger("rollcall")

Events = Generator[Event | None, None, dict[str, Any]]

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
"""What answers an approval that nothing more may stand for."""

Beside = Callable[["WriteBatch"], None]

MAX_DEPTH = 2
"""Agents may ask agents, but not without end."""


@observed
def drive(
    platform: Platform,
    asked: Asked,
    opened: OpenRun,
    *,
    until: float,
    streamed: bool = True,
    purse: FirestorePurse | None = None,
) -> Events:
    """Work an open run to its end, or until its time in this process is over.

    Args:
        purse: The run's, if it was opened with one. It is closed at the end, whichever it is.
        until: `time.monotonic()` value at which this process must have let go of it.
        streamed: Whether the models' replies are shown as they come, or each when it is whole.
    Returns:
        The run's result.
    Raises:
        Aborted: It goes on in the task queue, or another run has taken the thread over.
        Unavailable: The database failed; the run goes on in the task queue.
        AgentError: The run failed; that is saved.
    """
    purse = purse or run_purse(asked, opened.thread_id, opened.run_id)
    purse.heed(opened.settlements)
    opened.budget = purse
    with closing(purse):  # what the run's document does not say, this does
        return (yield from _ended(platform, asked, opened, purse, until=until, streamed=streamed))


def _ended(
    platform: Platform,
    asked: Asked,
    opened: OpenRun,
    purse: Purse,
    *,
    until: float,
    streamed: bool,
) -> Events:
    """Work the run to its end, and save whatever end that is."""
    try:
        return (yield from _driven(platform, asked, opened, purse, until=until, streamed=streamed))
    except NotSaved:
        _leave_to_queue(platform, opened)
        raise
    except AgentError as error:
        if not opened.is_closed:
            last = opened.show(events.run_error(message=error.message, code=error.code))
            told = {"message": error.message, **error.details}
            opened.fail(told, beside=trail_of_failure(opened))
            yield last
        raise
    except GeneratorExit:
        _leave_to_queue(platform, opened, is_sound=True)
        raise
    except Exception as error:
        log.exception("run %s broke off", opened.run_id)
        if _passes(error):
            _leave_to_queue(platform, opened)
            raise Unavailable(
                "the database did not answer in time; the run goes on by itself",
                hint="ask again with the same runId to follow it",
                retry_after_s=2,
            ) from error
        told = {"code": "internal", "message": "something went wrong on our side"}
        if not opened.is_closed:
            last = opened.show(events.run_error(**told))
            told["type"] = type(error).__name__
            opened.fail(told, beside=trail_of_failure(opened))
            yield last
        raise


def function_end(seconds: float, *, margin_s: float = 30.0) -> float:
    """When a function that may run so long must have let go of a run, as `time.monotonic()`."""
    return time.monotonic() + seconds - margin_s


def _driven(
    platform: Platform,
    asked: Asked,
    opened: OpenRun,
    purse: Purse,
    *,
    until: float,
    streamed: bool,
) -> Events:
    seeing = recorder(opened.db.project)
    seeing.flush(by_client(opened.db))  # what earlier runs saw, while this one waits for its model
    yield from _begin(opened)
    user = asked.user
    turn = prepare_run(
        asked,
        opened,
        purse=purse,
        agents=lambda deadline: asker(
            platform, user, deadline=deadline, context=asked.context, depth=1
        ),
    )
    turn = replace(
        turn,
        streamed=streamed,
        models=with_files(turn.models, turn.history, db=platform.db, uid=opened.user.uid),
    )
    trail = Trail(opened, turn)
    ended: Ended | None = None
    with closing(run(turn)) as steps:
        is_in_time = True
        while is_in_time:
            try:
                event = next(steps)
            except StopIteration as end:
                ended = end.value
                break
            yield opened.show(event) if event is not None else None
            opened.tick()
            is_in_time = time.monotonic() <= until
    if ended is None:  # what was begun is saved by now
        _leave_to_queue(platform, opened)
        raise Aborted(
            "this takes longer than one call may; the run goes on by itself",
            hint="ask again with the same runId to follow it",
            retry_after_s=1,
        )
    seeing.note_calls(ended.calls, uid=user.uid, except_for={FIND_TOOLS, *asked.client_tools})
    seeing.flush(by_client(opened.db))  # beside the commit that ends the run
    return (yield from _end(opened, ended, trail))


def _begin(opened: OpenRun) -> Generator[Event, None, None]:
    """Show the beginning; of a run that is taken up, what was shown before, brought to an end."""
    if opened.attempt == 1:
        ids = {"thread_id": opened.thread_id, "run_id": opened.run_id}
        yield opened.show(events.run_started(**ids))
        return
    shown: list[Event] = []
    for _, stored in read_events(opened.db, opened.thread_id, opened.run_id):
        shown.extend(stored)
        yield from stored
    if not shown:
        ids = {"thread_id": opened.thread_id, "run_id": opened.run_id}
        yield opened.show(events.run_started(**ids))
    for event in missing_end_events(shown):
        yield opened.show(event)


def _end(opened: OpenRun, ended: Ended, trail: Trail) -> Events:
    approvals = [
        _approval(opened, each.place, each.call.id, each.whom)
        for each in ended.waiting
        if isinstance(each.whom, Ask)
    ]
    result = to_result(
        ended,
        agent=opened.agent,
        thread_id=opened.thread_id,
        turn_id=opened.turn_id,
        run_id=opened.run_id,
        approvals=approvals,
    ).dump()
    opened.decisions = decided(opened.decisions, ended.calls, _asked(opened))
    finished = events.run_finished(thread_id=opened.thread_id, run_id=opened.run_id, result=result)
    last = opened.show(finished)
    try:
        _save_end(opened, ended, trail, result, approvals)
    except Exception:
        opened.withdraw_last_event()
        raise
    yield last
    return result


def _save_end(
    opened: OpenRun,
    ended: Ended,
    trail: Trail,
    result: dict[str, Any],
    approvals: Sequence[Approval],
) -> None:
    if ended.waiting:
        asking = _asking(opened, trail.turn, ended, approvals)
        beside = trail.of(ended, approvals)
        opened.wait(asking, result=result, spent=ended.spent, beside=beside)
    else:
        is_cancelled = ended.stop_reason is StopReason.CANCELLED
        opened.finish(
            step=ended.steps,
            answer=ended.answer,
            spent=ended.spent,
            result=result,
            status=RunStatus.CANCELLED if is_cancelled else RunStatus.DONE,
            beside=trail.of(ended),
        )


def _asking(
    opened: OpenRun, turn: Turn, ended: Ended, approvals: Sequence[Approval]
) -> RunInterrupt:
    left = [each.call for each in ended.waiting if isinstance(each.whom, Leave)]
    given = {each.id: each for each in opened.approvals}
    return RunInterrupt(
        approvals=tuple(approvals),
        calls=tuple(call.id for call in left),
        tools=tuple(call.name for call in left),
        permits={call.id: _permit(turn.dispatch.permit(call), given) for call in left},
        client_id=opened.request.get("clientId"),
        until=datetime.now(UTC) + CLIENT_CALL if left else None,
    )


def _asked(opened: OpenRun) -> dict[str, str]:
    """What people were asked about calls of this run, by call: also of those that were approved
    before and that the client has run since."""
    approved = {call: each["summary"] for call, each in opened.answers.items() if "summary" in each}
    return approved | {approval.call_id: approval.summary for approval in opened.approvals}


def _permit(permit: Permit, given: Mapping[str, Approval]) -> dict[str, Any]:
    if permit.approval_id is not None:
        approval = given[permit.approval_id]
        return {
            "approvalId": approval.id,
            "isEdited": approval.edited_from is not None,
            "summary": approval.summary,
        }
    return {"allowedBy": permit.allowed_by} if permit.allowed_by else {}


def _approval(opened: OpenRun, place: int, call_id: str, ask: Ask) -> Approval:
    now = datetime.now(UTC)
    return Approval(
        id=approval_id(opened.thread_id, opened.run_id, opened.documents[-1]["n"], place),
        uid=opened.user.uid,
        thread_id=opened.thread_id,
        run_id=opened.run_id,
        turn_id=opened.turn_id,
        agent=opened.agent,
        call_id=call_id,
        place=place,
        tool=ask.tool,
        version=ask.version,
        capability_digest=ask.capability_digest,
        arguments=ask.arguments,
        shown=ask.shown,
        summary=ask.summary,
        display=ask.display,
        locale=opened.request["locale"],
        decider=ask.decider,
        created_at=now,
        expires_at=now + timedelta(seconds=ask.expires_s),
        remember=ask.remember,
    )


def _leave_to_queue(platform: Platform, opened: OpenRun, *, is_sound: bool = False) -> None:
    """Save and let go; the sweeper finds the run should the queue not take it.

    Args:
        is_sound: Only its client left: that it has got no further does not count against it.
    """
    from google.api_core.exceptions import GoogleAPIError

    if opened.is_closed:
        return
    try:
        opened.hand_over(is_sound=is_sound)
        platform.enqueue(QUEUE, {"threadId": opened.thread_id, "runId": opened.run_id})
    except (Aborted, Unavailable, GoogleAPIError) as error:
        log.warning("run %s was not handed over: %s", opened.run_id, error)


def _passes(error: Exception) -> bool:
    """Whether it is a failure of the database that is over soon: the run itself is sound."""
    from google.api_core.exceptions import Aborted as Contended
    from google.api_core.exceptions import RetryError, ServerError, TooManyRequests

    return isinstance(error, Contended | RetryError | ServerError | TooManyRequests)


def to_result(
    ended: Ended,
    *,
    agent: str,
    thread_id: str,
    turn_id: str,
    run_id: str,
    approvals: Sequence[Approval] = (),
) -> RunResult:
    """The `RunResult` of a run; `approvals` are what it waits for people to decide."""
    return RunResult(
        thread_id=thread_id,
        turn_id=turn_id,
        run_id=run_id,
        agent=agent,
        outcome=_outcome(ended, approvals),
        stop_reason=ended.stop_reason,
        type=_kind(ended),
        message=ended.text,
        quick_replies=list(ended.quick_replies),
        tool_calls=[*ended.calls, *_open_calls(ended, approvals)],
        citations=ended.citations,
        steps=ended.steps,
        usage=ended.usage,
    )


def to_interrupt(approval: Approval) -> Interrupt:
    """An approval as AG-UI's interrupt."""
    decider = approval.decider
    metadata = {
        "tool": approval.tool,
        "arguments": approval.shown,
        "decider": {"uid": decider.uid} if decider.uid else {"role": decider.role},
        "display": approval.display.dump() if approval.display else None,
        "remember": list(approval.remember) or None,
    }
    return Interrupt(
        id=approval.id,
        message=approval.summary,
        tool_call_id=approval.call_id,
        response_schema=_response_schema(approval),
        expires_at=approval.expires_at.isoformat(),
        metadata={key: value for key, value in metadata.items() if value is not None},
    )


def _response_schema(approval: Approval) -> dict[str, Any]:
    if not approval.remember:
        return _RESPONSE_SCHEMA
    remember = {"type": "string", "enum": list(approval.remember)}
    properties = {**_RESPONSE_SCHEMA["properties"], "remember": remember}
    return {**_RESPONSE_SCHEMA, "properties": properties}


def _outcome(ended: Ended, approvals: Sequence[Approval]) -> Outcome:
    pending = [each.call.id for each in ended.waiting if not isinstance(each.whom, Ask)]
    kind: Literal["success", "interrupt", "cancelled"] = "success"
    if approvals:
        kind = "interrupt"
    elif ended.stop_reason:
        kind = "cancelled"
    return Outcome(
        type=kind,
        interrupts=[to_interrupt(approval) for approval in approvals] or None,
        pending_tool_call_ids=pending or None,
    )


def _open_calls(ended: Ended, approvals: Sequence[Approval]) -> list[ToolCallRecord]:
    """What waits, as records: with the arguments that are asked about or left to the client."""
    by_place = {approval.place: approval.id for approval in approvals}
    return [
        ToolCallRecord(
            id=each.call.id,
            tool=each.call.name,
            arguments=each.whom.shown,
            status=CallStatus.WAITING if isinstance(each.whom, Ask) else CallStatus.CLIENT,
            approval_id=by_place.get(each.place),
            step=ended.steps,
            ms=0,
        )
        for each in ended.waiting
    ]


def _kind(ended: Ended) -> Literal["info", "question", "result", "action"]:
    if any(isinstance(each.whom, Ask) for each in ended.waiting):
        return "question"
    done = [each for each in ended.calls if each.status is CallStatus.DONE]
    if any(each.approval_id or each.undo for each in done):
        return "action"
    if ended.text.rstrip().endswith("?") and not ended.stop_reason:
        return "question"
    return "result" if ended.calls else "info"


class Trail(Struct, frozen=True):
    """A run as the audit tells it."""

    opened: OpenRun
    turn: Turn
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def of(self, ended: Ended, asked: Sequence[Approval] = ()) -> Beside:
        """Write the run's entry; `asked` are the approvals that it ends with."""
        kind = "cancelled" if ended.stop_reason else "interrupt" if ended.waiting else "success"
        spent = ended.spent.micro_usd - self.turn.before.spent.micro_usd
        entry = audit.run_entry(
            user=self.opened.user,
            thread_id=self.opened.thread_id,
            turn_id=self.opened.turn_id,
            run_id=self.opened.run_id,
            agent=self.opened.agent,
            models=[model.id for model in self.turn.models],
            request=self.opened.request,
            found=_found(ended.calls),
            calls=ended.calls,
            approvals=[*self.opened.approvals, *asked],
            outcome=kind,
            stop_reason=ended.stop_reason,
            steps=ended.steps,
            attempt=self.opened.attempt,
            usage=ended.usage,
            micro_usd=spent,
            began_at=self.began_at,
            at=datetime.now(UTC),
        )
        return lambda batch: audit.write(batch, self.opened.db, entry)


def trail_of_failure(opened: OpenRun) -> Beside:
    """Write the entry of a run that ended without an answer, with what was saved of it."""
    from rollcall.store.run_closing import SavedRun

    now = datetime.now(UTC)
    saved = SavedRun.of(opened.documents, run_id=opened.run_id, turn_id=opened.turn_id)
    entry = audit.run_entry(
        user=opened.user,
        thread_id=opened.thread_id,
        turn_id=opened.turn_id,
        run_id=opened.run_id,
        agent=opened.agent,
        request=opened.request,
        calls=saved.calls,
        approvals=opened.approvals,
        outcome="failed",
        steps=saved.steps,
        attempt=opened.attempt,
        micro_usd=saved.micro_usd,
        began_at=now,
        at=now,
    )
    return lambda batch: audit.write(batch, opened.db, entry)


def _found(calls: Sequence[ToolCallRecord]) -> list[str]:
    """Tools that the model asked for, since those it had did not do."""
    results = [call.result for call in calls if call.tool in audit.PLATFORM_TOOLS]
    lists = [result.get("tools", ()) for result in results if isinstance(result, dict)]
    return [str(tool["name"]) for tools in lists for tool in tools]


class Unsaved:
    """The journal of a run that is part of another one's tool call."""

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        """Kept by the caller, as the tool's result."""

    def save_results(self, results: Mapping[int, tuple[ToolResult, dict[str, Any]]]) -> None:
        """Kept by the caller, as the tool's result."""


def asker(
    platform: Platform,
    user: User,
    *,
    deadline: float,
    context: Mapping[str, Any] | None = None,
    depth: int = 0,
) -> AskAgent:
    """Make the `agents` of a `ToolContext`; they must have answered by `deadline`, and are told the
    same `context` as who asks them."""

    def ask(agent_id: str, message: str, *, max_steps: int | None = None) -> dict[str, Any]:
        if depth >= MAX_DEPTH:
            raise FailedPrecondition(f"agents ask each other at most {MAX_DEPTH} levels deep")
        said = redacted_message(UserMessage.of(message))
        known = dict(context) if context else None
        asked = receive(platform, user=user, agent_id=agent_id, message=said, context=known)
        asked = asked.offering(asked.choose([]))
        run_id = uuid.uuid4().hex[:20]
        turn = prepare_inner(
            asked,
            said,
            run_id=run_id,
            journal=Unsaved(),
            agents=asker(platform, user, deadline=deadline, context=context, depth=depth + 1),
            max_steps=max_steps,
            deadline=deadline,
        )
        try:
            with telemetry.of_asked(agent_id):
                ended = _drained(run(replace(turn, streamed=False)))
        finally:
            turn.purse.close()
        seeing = recorder(platform.db.project)
        seeing.note_calls(ended.calls, uid=user.uid, except_for={FIND_TOOLS})
        result = to_result(ended, agent=agent_id, thread_id="", turn_id=run_id, run_id=run_id)
        return result.dump()

    return ask


def _drained(steps: Steps) -> Ended:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            ended: Ended = end.value
            return ended
