"""A run's end as the result that clients are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rollcall.agent.dispatch import Ask
from rollcall.agent.turn import Ended
from rollcall.core.wire import (
    REASON_CHARS,
    CallStatus,
    Interrupt,
    Outcome,
    RunResult,
    ToolCallRecord,
)
from rollcall.store.approvals import Approval

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
