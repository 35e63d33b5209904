"""The tools of one step: checked, run side by side, saved as they end."""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from msgspec import Struct, field

from rollcall.agent import telemetry
from rollcall.agent.dispatch import Answer, Ask, Leave, Unknown, as_told, status_of
from rollcall.agent.tool_results import Limit, render, render_error
from rollcall.agent.turn import Journal, State, Turn, Waiting, refused_by_bounds
from rollcall.core import events, logs
from rollcall.core.errors import (
    Aborted,
    AgentError,
    DeadlineExceeded,
    Internal,
    InvalidArgument,
    NotFound,
    Unavailable,
)
from rollcall.core.events import Event
from rollcall.core.incidents import report
from rollcall.core.log_context import set_fields
from rollcall.core.messages import ModelMessage, ToolCall, ToolResult
from rollcall.core.redaction import redacted_json
from rollcall.core.wire import CallStatus, Display, ToolCallRecord
from rollcall.store.message_log import DOCUMENT_BYTES, reply_bytes_per_result

PARALLEL = 8
IDLE_S = 1.0
FREE_WORDS = 100
"""So often a call may tell how far it is as fast as it likes; then once in `IDLE_S`."""
LEAVE_S = 8.0
"""How long a write that was begun is waited for when the run is left to another process."""
STEP_CHARS = 200_000
"""What the results of one step may have together."""
RECORD_BYTES = 800
"""Kept for a call's record, beside its result."""
log = logging.getLogger("rollcall")

GATHER_S = 0.5
"""So long at most a result waits for the next one. The model waits for all of them anyway."""


class _Done(Struct, frozen=True):
    """How one call ended. `status` is REFUSED where it was never run."""

    place: int
    call: ToolCall
    outcome: Answer | Ask | Leave | AgentError
    status: CallStatus
    ms: int = 0


_Inbox = queue.Queue[Event | _Done]


def run_calls(
    turn: Turn,
    state: State,
    calls: Sequence[ToolCall],
    *,
    answered: Mapping[int, ToolResult] | None = None,
) -> Generator[Event | None, None, list[ToolResult] | None]:
    """Answer every call that has no answer yet; results are shown as they come.

    Args:
        answered: Results by the place of their call, from before.
    Returns:
        The results in the order of the calls; None if some call waits for somebody else
        (`state.waiting` then says which), or if the turn was stopped meanwhile.
    """
    results: dict[int, ToolResult] = dict(answered or {})
    inbox: _Inbox = queue.Queue()
    pool = ThreadPoolExecutor(PARALLEL, thread_name_prefix="tool")
    open_calls: dict[int, ToolCall] = {}
    begun: dict[int, Future[None]] = {}
    gathering = Gathering(turn.journal)
    limit = _limit(turn, state, calls=len(calls))
    began = time.monotonic()
    try:
        for place, call in enumerate(calls):
            if place not in results:
                open_calls[place] = call
                _begin(turn, state, place, call, pool, inbox, begun)
        while open_calls:
            if turn.is_stopped():
                # What only reads is left; a write that was begun is seen to its end.
                _leave_reads(turn, open_calls)
                if not open_calls:
                    break
            if gathering.is_due:
                yield from gathering.saved()
            item = _next(turn, inbox, open_calls, begun, began=began, most_s=gathering.left_s)
            if not isinstance(item, _Done):
                yield item
                continue
            if open_calls.pop(item.place, None) is None:
                continue  # it came after its time was over
            if isinstance(item.outcome, Ask | Leave):
                state.waiting.append(Waiting(item.place, item.call, item.outcome))
                continue
            result, record = _record(turn, state, item, limit=limit)
            gathering.add(item.place, item.call, result, record)
            results[item.place] = result
        yield from gathering.saved()
    except GeneratorExit:  # the client left, or this process's time is over
        _see_writes_off(turn, state, open_calls, inbox, gathering, limit=limit)
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    state.put_in_order(calls)
    if len(results) < len(calls):
        return None
    return [results[place] for place in range(len(calls))]


def _redacted(display: Display | None) -> Display | None:
    return Display.model_validate(redacted_json(display.dump())) if display else None


def _begin(
    turn: Turn,
    state: State,
    place: int,
    call: ToolCall,
    pool: ThreadPoolExecutor,
    inbox: _Inbox,
    begun: dict[int, Future[None]],
) -> None:
    refusal = _refusal(turn, state, call, place)
    if refusal is not None:
        inbox.put(_Done(place, call, refusal, CallStatus.REFUSED))
        return
    state.count(call)
    begun[place] = pool.submit(copy_context().run, _work, turn, place, call, inbox)


def _refusal(turn: Turn, state: State, call: ToolCall, number: int) -> AgentError | None:
    """Why this call is not run at all, if so."""
    if turn.dispatch.is_decided(call):
        return None  # it was checked before somebody was asked
    offered = [tool.name for tool in state.tools]
    if call.name not in offered:
        return NotFound(f"there is no tool {call.name!r}", hint=f"offered: {', '.join(offered)}")
    if call.arguments is None:
        return InvalidArgument(
            f"the arguments are not a JSON object; they end after "
            f"{len(call.arguments_text):,} characters: {call.arguments_text[:200]}",
            hint="send one JSON object; a long one is cut off, so write what is long in parts",
        )
    return refused_by_bounds(turn, state, call, number=number)


def _work(turn: Turn, place: int, call: ToolCall, inbox: _Inbox) -> None:
    set_fields(tool=call.name)
    started = told = time.monotonic()
    words = 0

    def progress(text: str, *, done: int | None = None, total: int | None = None) -> None:
        nonlocal told, words
        if words >= FREE_WORDS and time.monotonic() - told < IDLE_S:
            return
        told, words = time.monotonic(), words + 1
        inbox.put(events.progress(call_id=call.id, text=text, done=done, total=total))

    try:
        with telemetry.of_call(call) as span:
            answer = turn.dispatch(place, call, progress)
            outcome: Answer | Ask | Leave | AgentError = telemetry.told_outcome(span, answer)
        status = CallStatus.DONE
    except AgentError as error:
        outcome, status = as_told(error), status_of(error)
    except BaseException as error:  # SystemExit too: nobody waits in vain for this call's end
        incident = report(error, f"the tool {call.name} failed")
        outcome = _broken(turn, call, error, incident)
        status = status_of(outcome)
    inbox.put(_Done(place, call, outcome, status, round((time.monotonic() - started) * 1000)))


def _broken(turn: Turn, call: ToolCall, error: BaseException, incident: str) -> AgentError:
    """What is told of a call that ended by no error of ours. The ledger turns an exception into
    one; what went past it may have written."""
    message = f"{call.name} failed on our side (incident {incident})"
    if not isinstance(error, Exception) and turn.dispatch.writes(call):
        return Unknown(message)
    return Internal(message)


def _next(
    turn: Turn,
    inbox: _Inbox,
    open_calls: dict[int, ToolCall],
    begun: Mapping[int, Future[None]],
    *,
    began: float,
    most_s: float | None,
) -> Event | _Done | None:
    """The next thing that happens; None after a second of nothing, or after `most_s`; or the
    deadline's passing for one of the calls."""
    left_s = turn.deadline - time.monotonic()
    try:
        if left_s > 0:
            return inbox.get(timeout=min(left_s, IDLE_S if most_s is None else most_s))
        for _ in range(inbox.qsize()):
            item = inbox.get_nowait()
            if isinstance(item, _Done):  # how far a call is, which may be told on and on, is not
                return item
    except queue.Empty:
        if time.monotonic() < turn.deadline:
            return None
    place, call = next(iter(open_calls.items()))
    ms = round((time.monotonic() - began) * 1000)
    if place in begun and begun[place].cancel():  # it was waiting for one of the others to end
        late = DeadlineExceeded(f"there was no time left to begin {call.name}")
        return _Done(place, call, late, CallStatus.FAILED)
    if turn.dispatch.writes(call):
        unknown = Unknown(f"{call.name} was still writing when this turn's time was over")
        return _Done(place, call, unknown, unknown.status, ms)
    late = DeadlineExceeded(f"{call.name} took longer than this turn may")
    return _Done(place, call, late, CallStatus.FAILED, ms)


def _see_writes_off(
    turn: Turn,
    state: State,
    open_calls: dict[int, ToolCall],
    inbox: _Inbox,
    gathering: Gathering,
    *,
    limit: Limit,
) -> None:
    """Save what is there and how the writes end that were begun: whoever goes on with the turn
    would not know."""
    _leave_reads(turn, open_calls)
    ends = min(time.monotonic() + LEAVE_S, turn.deadline)
    while open_calls and time.monotonic() < ends:
        try:
            item = inbox.get(timeout=0.2)
        except queue.Empty:
            continue
        if not isinstance(item, _Done) or open_calls.pop(item.place, None) is None:
            continue
        if isinstance(item.outcome, Ask | Leave):
            continue
        gathering.add(item.place, item.call, *_record(turn, state, item, limit=limit))
    try:
        gathering.save()
    except AgentError as error:  # nobody is there to be told, and the ledger knows the writes' ends
        log.warning("the ends of calls could not be saved: %s", error.message)


def _leave_reads(turn: Turn, open_calls: dict[int, ToolCall]) -> None:
    for place, call in list(open_calls.items()):
        if not turn.dispatch.writes(call):
            del open_calls[place]


def _limit(turn: Turn, state: State, *, calls: int) -> Limit:
    """How long each result of the newest reply's calls may be."""
    reply = state.history[-1]
    room = reply_bytes_per_result(reply) if isinstance(reply, ModelMessage) else DOCUMENT_BYTES
    chars = min(turn.limits.result_chars, STEP_CHARS // max(calls, 1))
    return Limit(chars, room - RECORD_BYTES)


def _record(
    turn: Turn, state: State, done: _Done, *, limit: Limit
) -> tuple[ToolResult, ToolCallRecord]:
    """Note the call in the turn's records; return what the model is told, and the record."""
    call, outcome = done.call, done.outcome
    permit = turn.dispatch.permit(call)
    fields: dict[str, Any] = {
        "id": call.id,
        "tool": call.name,
        "arguments": turn.dispatch.shown(call),
        "status": done.status,
        "approval_id": permit.approval_id,
        "allowed_by": permit.allowed_by,
        "step": state.step,
        "ms": done.ms,
    }
    if isinstance(outcome, AgentError):
        if isinstance(outcome, Unavailable | Aborted) and done.status is CallStatus.FAILED:
            state.allow_again(call)
        told = logs.fields(
            "call_failed", tool=call.name, code=outcome.code, status=done.status.value
        )
        log.info("call of %s: %s", call.name, done.status.value, extra=told)
        content, fields["error"] = render_error(outcome, limit=limit)
        record = ToolCallRecord(**fields)
        state.records.append(record)
        return ToolResult(call.id, call.name, content, is_error=True), record
    assert isinstance(outcome, Answer)  # who waits is not recorded
    state.offer(outcome.offers)
    citations = state.sources.number(outcome.citations)
    content, output = render(outcome.output, citations, limit=limit)
    fields |= {
        "arguments": outcome.arguments if outcome.arguments is not None else fields["arguments"],
        "result": output,
        "display": _redacted(outcome.display),
        "undo": outcome.undo,
    }
    record = ToolCallRecord(**fields)
    state.records.append(record)
    return ToolResult(call.id, call.name, content), record


class Gathering(Struct):
    """Results that are there and not saved yet, by the places of their calls."""

    journal: Journal
    _ready: dict[int, tuple[ToolCall, ToolResult, ToolCallRecord]] = field(default_factory=dict)
    _since: float = 0.0

    def add(self, place: int, call: ToolCall, result: ToolResult, record: ToolCallRecord) -> None:
        """Keep a result until it is saved with others."""
        if not self._ready:
            self._since = time.monotonic()
        self._ready[place] = (call, result, record)

    @property
    def left_s(self) -> float | None:
        """For how many seconds more may be waited for; None while there is nothing to save."""
        if not self._ready:
            return None
        return max(self._since + GATHER_S - time.monotonic(), 0.0)

    @property
    def is_due(self) -> bool:
        return self.left_s == 0.0

    def save(self) -> None:
        """Save what is there, in one write."""
        found = self._ready.items()
        if self._ready:
            self.journal.save_results(
                {place: (result, record.dump()) for place, (_, result, record) in found}
            )
        self._ready = {}

    def saved(self) -> Iterator[Event]:
        """Save what is there, and then show it."""
        ready = self._ready
        self.save()
        for call, result, _ in ready.values():
            yield events.call_result(
                call_id=call.id, message_id=f"{call.id}-result", content=result.content
            )
