"""A turn's end as the result that clients are given."""

from __future__ import annotations

from typing import Literal

from rollcall.agent.turn import Ended
from rollcall.core.wire import Outcome, RunResult


def to_result(ended: Ended, *, agent: str, thread_id: str, turn_id: str, run_id: str) -> RunResult:
    """The `RunResult` of a turn that ended in one run."""
    return RunResult(
        thread_id=thread_id,
        turn_id=turn_id,
        run_id=run_id,
        agent=agent,
        outcome=Outcome(type="cancelled" if ended.stop_reason else "success"),
        stop_reason=ended.stop_reason,
        type=_kind(ended),
        message=ended.text,
        quick_replies=list(ended.quick_replies),
        tool_calls=ended.calls,
        citations=ended.citations,
        steps=ended.steps,
        usage=ended.usage,
    )


def _kind(ended: Ended) -> Literal["info", "question", "result"]:
    if ended.text.rstrip().endswith("?") and not ended.stop_reason:
        return "question"
    return "result" if ended.calls else "info"
