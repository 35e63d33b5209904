"""The tools of one step: checked, run side by side, saved as they end."""

from __future__ import annotations

import logging
import queue
import time
import uuid
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rollcall.agent.dispatch import Answer
from rollcall.agent.results import render, render_error
from rollcall.agent.turn import State, Turn
from rollcall.core import events
from rollcall.core.errors import (
    Aborted,
    AgentError,
    DeadlineExceeded,
    Internal,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.events import Event
from rollcall.core.messages import ToolCall, ToolResult
from rollcall.core.wire import CallStatus, ToolCallRecord

MAX_CALLS_PER_STEP = 16
PARALLEL = 8
STEP_CHARS = 200_000
"""What the results of one step may have together."""
log = logging.getLogger("rollcall")


@dataclass(frozen=True, slots=True)
class _Done:
    """How one call ended. `status` is REFUSED where it was never run."""

    call: ToolCall
    outcome: Answer | AgentError
    status: CallStatus
    ms: int = 0


_Inbox = queue.Queue[Event | _Done]


def run_calls(
    turn: Turn, state: State, calls: Sequence[ToolCall]
) -> Generator[Event, None, list[ToolResult]]:
    """Answer every call, in the order of the calls; results are shown as they come."""
    results: dict[str, ToolResult] = {}
    inbox: _Inbox = queue.Queue()
    pool = ThreadPoolExecutor(PARALLEL, thread_name_prefix="tool")
    waiting: dict[str, ToolCall] = {}
    try:
        for number, call in enumerate(calls):
            refusal = _refusal(turn, state, call, number)
            if refusal is not None:
                inbox.put(_Done(call, refusal, CallStatus.REFUSED))
            else:
                pool.submit(_work, turn, call, inbox)
            waiting[call.id] = call
        while waiting:
            item = _next(turn, inbox, waiting)
            if isinstance(item, dict):
                yield item
                continue
            if waiting.pop(item.call.id, None) is None:
                continue  # it came after its time was over
            result = _record(turn, state, item, calls=len(calls))
            turn.journal.save_result(result)
            results[item.call.id] = result
            yield events.call_result(
                call_id=item.call.id,
                message_id=f"{item.call.id}-result",
                content=result.content,
            )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [results[call.id] for call in calls]


def _refusal(turn: Turn, state: State, call: ToolCall, number: int) -> AgentError | None:
    """Why this call is not run at all, if so."""
    offered = [tool.name for tool in turn.tools]
    if call.name not in offered:
        return NotFound(f"there is no tool {call.name!r}", hint=f"offered: {', '.join(offered)}")
    if call.arguments is None:
        return InvalidArgument(
            "the arguments are not a JSON object: " + call.arguments_text[:200],
            hint="send one JSON object",
        )
    if number >= MAX_CALLS_PER_STEP:
        return ResourceExhausted(f"at most {MAX_CALLS_PER_STEP} calls are run in one step")
    if state.is_repeated(call):
        return Aborted("this call was made before in this turn; its result stands above")
    return None


def _work(turn: Turn, call: ToolCall, inbox: _Inbox) -> None:
    started = time.monotonic()

    def progress(text: str, *, done: int | None = None, total: int | None = None) -> None:
        inbox.put(events.progress(call_id=call.id, text=text, done=done, total=total))

    try:
        outcome: Answer | AgentError = turn.dispatch(call, progress)
        status = CallStatus.DONE
    except AgentError as error:
        outcome, status = error, CallStatus.FAILED
    except Exception as error:
        incident = uuid.uuid4().hex[:12]
        log.error("incident %s: the tool %s failed", incident, call.name, exc_info=error)
        outcome = Internal(f"{call.name} failed on our side (incident {incident})")
        status = CallStatus.FAILED
    inbox.put(_Done(call, outcome, status, round((time.monotonic() - started) * 1000)))


def _next(turn: Turn, inbox: _Inbox, waiting: dict[str, ToolCall]) -> Event | _Done:
    """The next thing that happens, or the deadline's passing for one of the calls."""
    try:
        return inbox.get(timeout=max(turn.deadline - time.monotonic(), 0.01))
    except queue.Empty:
        call = next(iter(waiting.values()))
        late = DeadlineExceeded(f"{call.name} took longer than this turn may")
        return _Done(call, late, CallStatus.FAILED)


def _record(turn: Turn, state: State, done: _Done, *, calls: int) -> ToolResult:
    """Note the call in the turn's records; return what the model is told."""
    call, outcome = done.call, done.outcome
    fields: dict[str, Any] = {
        "id": call.id,
        "tool": call.name,
        "arguments": call.arguments or {},
        "status": done.status,
        "step": state.step,
        "ms": done.ms,
    }
    if isinstance(outcome, AgentError):
        if isinstance(outcome, Unavailable):
            state.allow_again(call)
        fields["error"] = {"message": outcome.message, **outcome.details}
        state.records.append(ToolCallRecord(**fields))
        return ToolResult(call.id, call.name, render_error(outcome), is_error=True)
    citations = state.sources.number(outcome.citations)
    # All results of a step rest in one document, of at most 1 MiB.
    limit = min(turn.result_chars, STEP_CHARS // calls)
    content, output = render(outcome.output, citations, limit=limit)
    state.records.append(ToolCallRecord(**fields, result=output, display=outcome.display))
    return ToolResult(call.id, call.name, content)
