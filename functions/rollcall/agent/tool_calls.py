"""The tool calls of one step: checked, run side by side, and saved as they end.

`ask_user` is the platform's own tool, with which a model asks the user a question. A call of it
ends the turn with the question as the answer. Other calls of the same reply run first; if one waits
for a person or the client, the question follows once that is settled. A second question in the same
reply is refused.
"""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Annotated, Any

from msgspec import Struct
from pydantic import AfterValidator, Field, StringConstraints

from rollcall.agent import telemetry
from rollcall.agent.dispatch import (
    CallError,
    CallOutcome,
    CallOutput,
    ClientCall,
    NeedsApproval,
    WriteUnknown,
)
from rollcall.agent.tool_results import SizeLimit, render, render_error
from rollcall.agent.turn import Turn, TurnState, WaitingCall, refused_by_bound
from rollcall.agent.workers import workers
from rollcall.core import events, logs
from rollcall.core.errors import (
    Aborted,
    AgentError,
    DeadlineExceeded,
    Internal,
    InvalidArgument,
    NotFound,
    OutcomeUnknown,
    Unavailable,
)
from rollcall.core.events import Event
from rollcall.core.inputs import validate
from rollcall.core.logs import report_incident, set_fields
from rollcall.core.messages import ModelMessage, ToolCall, ToolResult
from rollcall.core.redaction import redacted_json
from rollcall.core.shapes import ASK_USER, Wire
from rollcall.core.texts import TEXTS
from rollcall.core.wire import CallStatus, Display, ToolCallRecord
from rollcall.models.base import ToolSpec
from rollcall.store.message_log import DOCUMENT_BYTES, bytes_per_result

QUESTION_CHARS = 2_000
MAX_REPLIES = 8
REPLY_CHARS = 100
DATA_CHARS = 4_000

_REPLIES = "Up to 8 short answers that the user may tap, in the user's language."
_DATA = "What the user has told so far of what you need, by name: for the app, such as a form."

ASK_USER_SPEC = ToolSpec(
    ASK_USER,
    "Ask the user for what is missing and cannot be found with a tool. It ends your turn; the "
    "user's next message is the answer. Do not repeat the question in your text.",
    {
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "One question, in the user's language."},
            "quickReplies": {
                "type": "array",
                "items": {"type": "string"},
                "description": _REPLIES,
            },
            "collectedData": {"type": "object", "description": _DATA},
        },
        "required": ["question"],
        "additionalProperties": False,
    },
)


def _check_size(data: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(data, ensure_ascii=False)) > DATA_CHARS:
        raise ValueError(f"at most {DATA_CHARS:,} characters of JSON are taken")
    return data


_QuestionText = StringConstraints(strip_whitespace=True, min_length=1, max_length=QUESTION_CHARS)
_QuickReply = StringConstraints(strip_whitespace=True, min_length=1, max_length=REPLY_CHARS)


class Question(Wire):
    """The arguments of `ask_user`."""

    question: Annotated[str, _QuestionText]
    quick_replies: list[Annotated[str, _QuickReply]] = Field(default=[], max_length=MAX_REPLIES)
    collected_data: Annotated[dict[str, Any], AfterValidator(_check_size)] | None = None


def check_question(call: ToolCall, before: Iterable[ToolCall]) -> CallOutcome | AgentError:
    """Return the outcome of a call of `ask_user`.

    Args:
        before: The calls before it in the same reply.
    """
    if any(each.name == ASK_USER for each in before):
        return Aborted("one question is asked at a time, and there is one in this reply already")
    try:
        validate(Question, call.arguments)
    except InvalidArgument as error:
        return error
    return CallOutput({"asked": True})


def find_question(state: TurnState) -> Question | None:
    """Return the newest step's question to the user; None if it asked none."""
    for record in (*state.earlier, *state.records):
        is_newest = record.step == state.step
        if record.tool == ASK_USER and is_newest and record.status is CallStatus.DONE:
            return validate(Question, record.arguments)
    return None


PARALLEL = 8
IDLE_S = 1.0
FREE_REPORTS = 100
"""How many progress reports of a call are shown at any rate; later ones once in `IDLE_S`."""
LEAVE_S = 8.0
"""How long to wait for writes under way when the run is left to another process."""
BATCH_S = 0.5
"""How long a result waits at most for the next one. The model waits for all of them anyway."""
STEP_CHARS = 200_000
"""The limit for the results of one step together."""
RECORD_BYTES = 800
"""Space reserved in the document for a call's record, beside its result."""

log = logging.getLogger("rollcall")


class _EndedCall(Struct, frozen=True):
    """How one call ended. `status` is REFUSED if it was never run."""

    place: int
    call: ToolCall
    outcome: CallOutcome | AgentError
    status: CallStatus
    ms: int = 0


class StepCalls:
    """The calls of one reply. Worker threads put progress events and ended calls into one queue.
    The results of calls that end close together are saved in one write."""

    def __init__(self, turn: Turn, calls: Sequence[ToolCall]) -> None:
        self.turn, self.state, self.calls = turn, turn.state, calls
        self.results, self.state.answered = self.state.answered, {}
        self.open = {place: call for place, call in enumerate(calls) if place not in self.results}
        self.unstarted: deque[int] = deque()
        self.started_at = time.monotonic()
        self.queue: SimpleQueue[Event | _EndedCall] = SimpleQueue()
        self.unsaved: dict[int, tuple[ToolCall, ToolResult, ToolCallRecord]] = {}
        self.unsaved_since = 0.0
        reply = self.state.history[-1]
        room = DOCUMENT_BYTES
        if isinstance(reply, ModelMessage):
            room = bytes_per_result(reply)
        chars = min(turn.profile.result_chars, STEP_CHARS // max(len(calls), 1))
        self.limit = SizeLimit(chars, room - RECORD_BYTES)

    def run(self) -> Generator[Event | None, None, list[ToolResult] | None]:
        """Answer every call that has no answer yet; yield events as they come, and None after a
        second without any.

        Returns:
            The results in the order of the calls; None if a call waits for a person or the client
            (see the turn's `waiting`), or if the turn was stopped meanwhile.
        """
        turn, state = self.turn, self.state
        try:
            for place, call in self.open.items():
                refusal = self.refusal(place, call)
                if refusal is not None:
                    self.queue.put(_EndedCall(place, call, refusal, CallStatus.REFUSED))
                elif call.name == ASK_USER:
                    state.count(call)
                    outcome = check_question(call, self.calls[:place])
                    is_refused = isinstance(outcome, AgentError)
                    status = CallStatus.REFUSED if is_refused else CallStatus.DONE
                    self.queue.put(_EndedCall(place, call, outcome, status))
                else:
                    state.count(call)
                    self.unstarted.append(place)
            for _ in range(min(PARALLEL, len(self.unstarted))):
                workers().start(self.run_unstarted, name="tool")
            while self.open:
                if turn.is_stopped():
                    # Reads are dropped; writes under way are awaited.
                    self.drop_reads()
                    if not self.open:
                        break
                if self.batch_left_s == 0.0:
                    yield from self.flush()
                item = self.next_item()
                if isinstance(item, _EndedCall):
                    self.end(item)
                else:
                    yield item
            yield from self.flush()
        except GeneratorExit:  # the client left, or this process's time is over
            self.await_writes()
            raise
        finally:
            self.unstarted.clear()
        # They were added in the order in which they ended; sort them in the order of the calls.
        places = {call.id: place for place, call in enumerate(self.calls)}
        state.records.sort(key=lambda record: places.get(record.id, -1))
        state.waiting.sort(key=lambda each: each.place)
        if len(self.results) < len(self.calls):
            return None
        return [self.results[place] for place in range(len(self.calls))]

    def refusal(self, place: int, call: ToolCall) -> AgentError | None:
        """Return why a call may not be run; None if it may."""
        if self.turn.dispatch.is_decided(call):
            return None  # it was checked before a person or the client got it
        offered = [tool.name for tool in self.state.tools]
        if call.name not in offered:
            hint = f"offered: {', '.join(offered)}"
            return NotFound(TEXTS.text("errors.no_tool", name=call.name), hint=hint)
        if call.arguments is None:
            return InvalidArgument(
                f"the arguments were cut off, or are not a JSON object; they end after "
                f"{len(call.arguments_text):,} characters: {call.arguments_text[:200]}",
                hint="send one JSON object; a long one is cut off, so write what is long in parts",
            )
        return refused_by_bound(self.turn, call, number=place)

    def run_unstarted(self) -> None:
        """Run calls in a worker thread, one after the other, until all have started."""
        while True:
            try:
                place = self.unstarted.popleft()
            except IndexError:
                return
            copy_context().run(self.run_call, place, self.calls[place])

    def run_call(self, place: int, call: ToolCall) -> None:
        """Run a call, and put its progress and its end into the queue."""
        set_fields(tool=call.name)
        started = reported = time.monotonic()
        reports = 0

        def progress(text: str, *, done: int | None = None, total: int | None = None) -> None:
            nonlocal reported, reports
            if reports >= FREE_REPORTS and time.monotonic() - reported < IDLE_S:
                return
            reported, reports = time.monotonic(), reports + 1
            self.queue.put(events.progress(call_id=call.id, text=text, done=done, total=total))

        outcome: CallOutcome | AgentError
        try:
            with telemetry.tool_span(call.name, call.id) as span:
                outcome = self.turn.dispatch(place, call, progress)
                if isinstance(outcome, NeedsApproval):
                    span.set({"rollcall.waits_for": "person"})
                elif isinstance(outcome, ClientCall):
                    span.set({"rollcall.waits_for": "client"})
        except OutcomeUnknown as error:
            outcome = WriteUnknown(error.text, hint=error.hint_text)
        except AgentError as error:
            outcome = error
        except BaseException as error:  # SystemExit too, or the run would wait forever for the call
            incident = report_incident(error, f"the tool {call.name} failed")
            message = TEXTS.text("errors.tool_incident", name=call.name, incident=incident)
            # The ledger turns every Exception of a write into an AgentError; after anything else
            # the write may have happened.
            is_unknown = not isinstance(error, Exception) and self.turn.dispatch.writes(call)
            outcome = WriteUnknown(message) if is_unknown else Internal(message)
        status = CallStatus.DONE
        if isinstance(outcome, AgentError):
            status = outcome.status if isinstance(outcome, CallError) else CallStatus.FAILED
        ms = round((time.monotonic() - started) * 1000)
        self.queue.put(_EndedCall(place, call, outcome, status, ms))

    def next_item(self) -> Event | _EndedCall | None:
        """Return the next item of the queue; None after a second without any, or when the batch is
        due. Past the deadline, end a call that is still open and return it."""
        turn = self.turn
        left_s = turn.deadline - time.monotonic()
        batch_s = self.batch_left_s
        try:
            if left_s > 0:
                return self.queue.get(timeout=min(left_s, IDLE_S if batch_s is None else batch_s))
            for _ in range(self.queue.qsize()):
                item = self.queue.get_nowait()
                if isinstance(item, _EndedCall):  # progress, which may never end, is skipped
                    return item
        except Empty:
            if time.monotonic() < turn.deadline:
                return None
        place, call = next(iter(self.open.items()))
        ms = round((time.monotonic() - self.started_at) * 1000)
        with suppress(ValueError):
            self.unstarted.remove(place)  # it was still waiting for a worker
            late = DeadlineExceeded(TEXTS.text("errors.no_time_left", name=call.name))
            return _EndedCall(place, call, late, CallStatus.FAILED)
        if turn.dispatch.writes(call):
            unknown = WriteUnknown(TEXTS.text("errors.still_writing", name=call.name))
            return _EndedCall(place, call, unknown, unknown.status, ms)
        late = DeadlineExceeded(TEXTS.text("errors.too_slow", name=call.name))
        return _EndedCall(place, call, late, CallStatus.FAILED, ms)

    def end(self, ended: _EndedCall) -> None:
        """Add an ended call's record to the turn, and its result to the batch."""
        if self.open.pop(ended.place, None) is None:
            return  # it was ended at the deadline
        turn, state, call, outcome = self.turn, self.state, ended.call, ended.outcome
        if isinstance(outcome, NeedsApproval | ClientCall):
            state.waiting.append(WaitingCall(ended.place, call, outcome))
            return
        permit = turn.dispatch.permit(call)
        fields: dict[str, Any] = {
            "id": call.id,
            "tool": call.name,
            "arguments": turn.dispatch.shown(call),
            "status": ended.status,
            "approval_id": permit.approval_id,
            "allowed_by": permit.allowed_by,
            "step": state.step,
            "ms": ended.ms,
        }
        if isinstance(outcome, AgentError):
            if isinstance(outcome, Unavailable | Aborted) and ended.status is CallStatus.FAILED:
                state.allow_again(call)
            extra = logs.fields(
                "call_failed", tool=call.name, code=outcome.code, status=ended.status.value
            )
            log.info("call of %s: %s", call.name, ended.status.value, extra=extra)
            outcome.translate(turn.request.locale)
            content, fields["error"] = render_error(outcome, limit=self.limit)
        else:
            state.offer(outcome.offers)
            citations = state.sources.number(outcome.citations)
            content, fields["result"] = render(outcome.output, citations, limit=self.limit)
            if outcome.arguments is not None:
                fields["arguments"] = outcome.arguments
            if outcome.display:
                display = redacted_json(outcome.display.dump())
                fields["display"] = Display.model_validate(display)
            fields["undo"] = outcome.undo
            fields["files"] = list(outcome.files) or None
        record = ToolCallRecord(**fields)
        state.records.append(record)
        is_error = isinstance(outcome, AgentError)
        result = ToolResult(call.id, call.name, content, is_error=is_error)
        if not self.unsaved:
            self.unsaved_since = time.monotonic()
        self.unsaved[ended.place] = (call, result, record)
        self.results[ended.place] = result

    @property
    def batch_left_s(self) -> float | None:
        """How many seconds the unsaved results may still wait for more; None without any."""
        left_s = self.unsaved_since + BATCH_S - time.monotonic()
        return max(left_s, 0.0) if self.unsaved else None

    def flush(self) -> list[Event]:
        """Save the unsaved results, in one write, and return the events that show them."""
        unsaved, self.unsaved = self.unsaved, {}
        if unsaved and self.turn.journal is not None:
            self.turn.journal.save_results(
                {place: (result, record.dump()) for place, (_, result, record) in unsaved.items()}
            )
        shown = []
        for call, result, record in unsaved.values():
            shown.append(
                events.call_result(
                    call_id=call.id, message_id=f"{call.id}-result", content=result.content
                )
            )
            if record.files:
                files = [file.dump() for file in record.files]
                shown.append(events.made_files(call_id=call.id, files=files))
        return shown

    def drop_reads(self) -> None:
        """Stop waiting for calls that only read."""
        for place, call in list(self.open.items()):
            if not self.turn.dispatch.writes(call):
                del self.open[place]

    def await_writes(self) -> None:
        """Wait for the writes under way, and save all results: the process that recovers the run
        could not learn them. Calls that wait for somebody are asked about again then."""
        self.drop_reads()
        end = min(time.monotonic() + LEAVE_S, self.turn.deadline)
        while self.open and time.monotonic() < end:
            try:
                item = self.queue.get(timeout=0.2)
            except Empty:
                continue
            if isinstance(item, _EndedCall):
                self.end(item)
        try:
            self.flush()
        except AgentError as error:  # no client is left to report to; the ledger has the writes
            log.warning("the ends of calls could not be saved: %s", error.message)
