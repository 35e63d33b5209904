"""Model calls: replies streamed to the user, and their cost.

Each call is reserved in the budget before it and settled after it, however it ends. A model that
fails in a way that may pass is called again, then the next model is; both only before the first
chunk of a reply.

`threaded_stream` reads a model's deltas in a thread, and `ReplyBuilder` makes AG-UI events and a
`Reply` of them. Providers send a few bytes at a time, and an event for each would cost more than
what it says, in the stream, in Firestore and in the client. So the first delta of a text goes out
at once and later ones together, after a moment that grows a little with the text. Everything that
leaves here can be stored and sent on: halves of characters and NULs are marked, call ids are
unique, and what a provider wants back is JSON.
"""

from __future__ import annotations

import json
import logging
import math
import queue
import random
import re
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache, partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent import telemetry
from rollcall.agent.attached_files import file_tokens
from rollcall.agent.budget import Budget, Reservation, UserBudget
from rollcall.agent.history import fitted
from rollcall.agent.workers import workers
from rollcall.core import events
from rollcall.core.context import Embedder, TextModel, User
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.events import Event
from rollcall.core.logs import fields
from rollcall.core.messages import Json, ModelMessage, ToolCall
from rollcall.core.text import BYTES_PER_TOKEN, RESERVE_FACTOR, text_tokens
from rollcall.models.base import (
    CURRENT,
    ArgumentsDelta,
    BrokenOff,
    CallStart,
    Cancellation,
    Clock,
    ContextExceeded,
    Delta,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    QuotaExhausted,
    TextDelta,
    Usage,
    context_window,
)
from rollcall.models.structured import StructuredText
from rollcall.store.message_log import CALL_BYTES, REPLY_DOCUMENT_BYTES, reply_bytes

if TYPE_CHECKING:
    from google.cloud.firestore import Client


TRIES = 3
"""Calls of one model before the next one is tried."""
MAX_WAIT_S = 20.0
MARGIN_S = 2.0
"""Kept back from the request's time: a call that begins later would have no time to answer."""
_BASE_S = 0.5
_LARGE_TOKENS = 3_000
"""A request with fewer fits into any model's window."""
_FULL = 0.9
"""The share of a window that a request and its reply may fill; its tokens are estimated."""
INPUT_MARGIN, MORE_INPUT = 1.25, 1_000
"""A call is reserved, and its provider's count believed, up to so many times the estimate, which is
high already, and so much for what providers add of their own."""
OUTPUT_MARGIN = 1.25
"""The same of `max_output_tokens`: providers stop near it."""
CUT_BYTES_PER_TOKEN = 6
"""More than texts have: English, Hebrew and code have about four. A reply of a provider that does
not stop at `max_output_tokens` is cut there."""

log = logging.getLogger("rollcall")


class RetryPolicy(Struct, frozen=True):
    """When a model that failed is called again: exponential backoff with full jitter, on top of
    what its provider asks for.

    Attributes:
        idle_s: How often a waiting caller gets a chance to do something else, in seconds.
    """

    idle_s: float = 1.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def wait_s(self, error: AgentError, *, tries: int, deadline: float | None) -> float | None:
        """Return the seconds to wait before the same model is called again; None if it is not.

        Args:
            tries: How often it was called already.
            deadline: Value of `clock` by which the answer must be there.
        """
        is_transient = isinstance(error, Unavailable | ResourceExhausted)
        if not is_transient or isinstance(error, QuotaExhausted) or tries >= TRIES:
            return None
        wait_s = (error.retry_after_s or 0.0) + self.random() * _BASE_S * (1 << tries)
        if wait_s > MAX_WAIT_S:
            return None
        if deadline is not None and self.clock() + wait_s > deadline - MARGIN_S:
            return None
        return wait_s

    def wait(self, wait_s: float, is_stopped: Callable[[], bool]) -> Generator[None, None, None]:
        """Wait, yielding every `idle_s` seconds, until the time is over or it was stopped."""
        ends = self.clock() + wait_s
        while (left_s := ends - self.clock()) > 0 and not is_stopped():
            self.sleep(min(left_s, self.idle_s))
            if left_s > self.idle_s:
                yield None


RETRIES = RetryPolicy()


def stream_reply(
    models: Sequence[Model],
    request: ModelRequest,
    *,
    message_id: str,
    budget: Budget,
    is_stopped: Callable[[], bool],
    retries: RetryPolicy = RETRIES,
) -> Generator[Event | None, None, Reply]:
    """Yield the events of the first model's reply that begins, and None for each second without
    any; return the reply.

    Args:
        is_stopped: Whether nobody wants the rest. The reply is then broken off where it is:
            `stopped`, with what was shown of its text, and without calls.
    Raises:
        BudgetExhausted: No model may be called now.
        AgentError: Of the last model tried, or of one that failed half-way.
    """
    call = _Call(request, message_id, budget, is_stopped, retries)
    failure: AgentError | None = None
    for model in models:
        try:
            with telemetry.reply_span(model.id, streamed=request.streamed) as span:
                reply = yield from _try_model(call, model, request)
                telemetry.record_usage(span, reply.usage, reason=reply.reason)
                return reply
        except _ModelFailed as failed:
            failure = failed.error
            told = fields("model_gave_up", model=model.id, code=failure.code)
            log.warning("%s gave no reply: %s", model.id, failure.code, extra=told)
    raise failure or Unavailable("no language model is configured for this agent")


def request_tokens(request: ModelRequest) -> int:
    """Estimate the tokens of a request, on the high side."""
    total = _fixed_tokens(request)
    for message in request.messages:
        tokens = message.tokens
        if isinstance(message, ModelMessage) and message.provider_parts:
            tokens = max(tokens, len(message.parts_json) // BYTES_PER_TOKEN)
        total += tokens
    return round(total * RESERVE_FACTOR) + file_tokens(request.messages) + 16


def _fixed_tokens(request: ModelRequest) -> int:
    """Tokens of a request without its messages."""
    schema = json.dumps(request.response_schema) if request.response_schema else ""
    tools = sum(tool.tokens for tool in request.tools)
    return _instruction_tokens(request.instructions) + text_tokens(schema) + tools


_instruction_tokens = lru_cache(maxsize=32)(text_tokens)
"""Those of a turn are the same in each of its steps."""


def fit_window(request: ModelRequest, window: int) -> ModelRequest:
    """Return the request such that it and its reply fit into a model's context window."""
    output = min(request.max_output_tokens, window // 4)
    room = int(window * _FULL) - output - _fixed_tokens(request) - file_tokens(request.messages)
    messages = request.messages
    if sum(message.tokens for message in messages) > room:
        # Not to the brim, so that the next step need not begin anew.
        messages = fitted(messages, max(int(room * 0.8), 0))
    return replace(request, messages=messages, max_output_tokens=output)


class _Call(Struct):
    """What is asked of whichever model answers, and what it has cost so far."""

    request: ModelRequest
    message_id: str
    budget: Budget
    is_stopped: Callable[[], bool]
    retries: RetryPolicy
    input_tokens: int = 0
    cost_usd: float | None = 0.0

    def ask(self, request: ModelRequest) -> None:
        """Have the next call send this request."""
        self.request, self.input_tokens = request, request_tokens(request)


class _ModelFailed(Exception):
    """A model failed for good before its first chunk; the next one may be tried."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.message)
        self.error, self.code = error, error.code


def _try_model(
    call: _Call, model: Model, request: ModelRequest
) -> Generator[Event | None, None, Reply]:
    """Call one model until it begins to answer or there is no point in it.

    Raises:
        _ModelFailed: There is no point.
        AgentError: No other model is to be tried either.
    """
    tries = 0
    call.ask(request)
    if call.input_tokens > _LARGE_TOKENS and (window := context_window(model.id)):
        call.ask(fit_window(request, window))
    is_compacted = False
    while not call.is_stopped():
        Clock(call.request.deadline).left_s(at_most=1.0)
        reply = Reply(model.id)
        tries += 1
        try:
            yield from _stream_once(call, model, reply)
            reply.cost_usd = call.cost_usd
            return reply
        except ContextExceeded as error:
            if reply.started or is_compacted:
                raise
            is_compacted = True
            # The server knows its window, and we did not: half of what was sent is tried.
            window = call.input_tokens // 2 + request.max_output_tokens
            shorter = fit_window(call.request, window)
            if shorter.messages == call.request.messages:
                raise
            call.ask(shorter)
            told = fields("context_full", model=model.id, tokens=call.input_tokens)
            log.warning("%s: %s It is asked again with less.", model.id, error, extra=told)
            continue
        except (DeadlineExceeded, InvalidArgument):
            raise
        except AgentError as error:
            if reply.started:
                raise
            wait_s = call.retries.wait_s(error, tries=tries, deadline=call.request.deadline)
            if wait_s is None:
                raise _ModelFailed(error) from error
            told = fields("model_retried", model=model.id, code=error.code, tries=tries)
            log.info("%s is asked again after %.1f s", model.id, wait_s, extra=told)
        yield from call.retries.wait(wait_s, call.is_stopped)
    return Reply(model.id, stopped=True, cost_usd=call.cost_usd)


def _stream_once(call: _Call, model: Model, reply: Reply) -> Generator[Event | None, None, None]:
    """Make one call of a model: reserve its cost, stream it into the reply, and settle."""
    request = call.request
    try:
        reservation = call.budget.reserve(
            model.id,
            input_tokens=max_input(call.input_tokens),
            output_tokens=max_output(request.max_output_tokens),
        )
    except FailedPrecondition as error:
        raise _ModelFailed(error) from error
    builder = ReplyBuilder(reply, request=request, message_id=call.message_id)
    wait_s = partial(builder.wait_s, at_most=call.retries.idle_s)
    is_refused = is_final = False
    try:
        with closing(threaded_stream(model, request, wait_s=wait_s)) as deltas:
            for delta in deltas:
                if call.is_stopped():
                    reply.stopped = True
                    break
                if delta is None:
                    due = list(builder.due())
                    yield from due or (None,)
                else:
                    yield from builder.take(delta)
                    is_final = is_final or isinstance(delta, Finish)
                if builder.is_full:
                    reply.reason, reply.ended = FinishReason.LENGTH, True
                    break
        if not reply.ended and not reply.stopped:
            raise BrokenOff(f"the stream of {model.id} broke off")
        yield from builder.close()
    except AgentError as error:
        is_refused = not reply.started and _is_refusal(error)
        yield from builder.close()
        raise
    finally:  # also when the reader went away
        builder.settle()
        if not is_refused:
            texts = [reply.text, *(name + text for name, text in reply.calls.values())]
            told = reply.usage if is_final else None
            reply.usage = _counted(told, call.input_tokens, "".join(texts), reservation)
        cost = call.budget.settle(reservation, None if is_refused else reply.usage)
        known = cost is not None and call.cost_usd is not None
        call.cost_usd = (call.cost_usd or 0.0) + (cost or 0.0) if known else None
        if reply.stopped:
            reply.calls, reply.provider_parts = {}, ()


def max_input(estimate: int) -> int:
    """Return the most tokens that a request of this estimate can have."""
    return math.ceil(estimate * INPUT_MARGIN) + MORE_INPUT


def max_output(max_output_tokens: int) -> int:
    """Return the most tokens that a reply can have that was to have so many at most."""
    return math.ceil(max_output_tokens * OUTPUT_MARGIN)


def max_bytes(max_output_tokens: int) -> int:
    """Return how long a reply may be, in UTF-8, that is to have so many tokens at most. Somewhat
    longer than these, for the sake of the shortest."""
    return max_output_tokens * CUT_BYTES_PER_TOKEN + 4 * CALL_BYTES


def _counted(said: Usage | None, input_tokens: int, text: str, reserved: Reservation) -> Usage:
    """Return what counts as used by a call that its provider did not refuse: what the provider
    says, as far as that can be. A count that is missing or below 0 is estimated, one above what was
    reserved is that; either is logged, and marked.

    Args:
        said: The provider's count at the end of its reply. None if that never came: the model may
            have thought, unseen, as long as it was allowed to, so all output that was reserved
            counts.
        input_tokens: The estimate of the request.
        text: What came of the reply.
    """
    told, output = said or Usage(), reserved.output_tokens
    if said is not None:
        output = said.output_tokens if said.output_tokens > 0 else text_tokens(text)
    input_tokens = min(
        told.input_tokens if told.input_tokens > 0 else input_tokens, reserved.input_tokens
    )
    cached = min(max(told.cached_input_tokens, 0), input_tokens)
    written = min(max(told.cache_write_tokens, 0), input_tokens - cached)
    found = Usage(
        input_tokens=input_tokens,
        cached_input_tokens=cached,
        output_tokens=min(output, reserved.output_tokens),
        cache_write_tokens=written,
        long_cache_write_tokens=min(max(told.long_cache_write_tokens, 0), written),
    )
    if found == told:
        return told
    if told != Usage():  # most that say nothing were cut off
        model = reserved.model_id
        extra = fields("usage_estimated", model=model)
        log.warning("%s says it used %s, counted as %s", model, told, found, extra=extra)
    return replace(found, is_estimated=True)


def _is_refusal(error: AgentError) -> bool:
    """Whether a call that failed without an answer has not been worked on by its provider."""
    return not isinstance(error, DeadlineExceeded | BrokenOff)


def metered(
    text_model: TextModel | None, db: Client, user: User, *, allow_unpriced: bool = False
) -> TextModel | None:
    """Return the platform's text model, paid from the user's budget."""
    if not isinstance(text_model, StructuredText):
        return text_model
    return text_model.over(
        lambda model: MeteredModel(model, db, user, allow_unpriced=allow_unpriced)
    )


class MeteredModel:
    """A model for work outside a turn's loop, paid from the user's and tenant's budget of the day.

    Any thread may use it: every call has a reservation of its own, of one read and two writes.
    """

    def __init__(
        self, model: Model, db: Client, user: User, *, allow_unpriced: bool = False
    ) -> None:
        self.id = model.id
        self._model, self._db, self._user = model, db, user
        self._allow_unpriced = allow_unpriced

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model, and count what it used.

        Raises:
            BudgetExhausted: The budget does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            AgentError: Whatever the model raises.
        """
        tokens = request_tokens(request)
        budget = UserBudget(self._db, self._user, allow_unpriced=self._allow_unpriced)
        with closing(budget), telemetry.reply_span(self.id, streamed=request.streamed) as span:
            reservation = budget.reserve(
                self.id,
                input_tokens=max_input(tokens),
                output_tokens=max_output(request.max_output_tokens),
            )
            told: Usage | None = None
            written, size = list[str](), 0
            is_started = is_refused = False
            try:
                for delta in self._model.stream(request):
                    is_started = True
                    if isinstance(delta, TextDelta | ArgumentsDelta):
                        written.append(delta.text)
                        size += len(delta.text.encode(errors="replace"))
                    elif isinstance(delta, Finish):
                        told = delta.usage
                    yield delta
                    if size > max_bytes(request.max_output_tokens):
                        break
            except AgentError as error:
                is_refused = not is_started and _is_refusal(error)
                raise
            finally:  # also when the reader went away
                used = None if is_refused else _counted(told, tokens, "".join(written), reservation)
                budget.settle(reservation, used)
                telemetry.record_usage(span, used or Usage())


class MeteredEmbedder:
    """An embedder for work outside a turn's loop, paid like a `MeteredModel`. Tokens are estimated,
    and of one without a price they alone are counted."""

    def __init__(self, embedder: Embedder, db: Client, user: User) -> None:
        self.id, self.dimensions = embedder.id, embedder.dimensions
        self._embedder, self._db, self._user = embedder, db, user

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        """Embed texts, and count their tokens.

        Raises:
            BudgetExhausted: The budget does not allow it.
            AgentError: Whatever the embedder raises.
        """
        tokens = sum(map(text_tokens, texts))
        with closing(UserBudget(self._db, self._user, allow_unpriced=True)) as budget:
            reservation = budget.reserve(self.id, input_tokens=max_input(tokens), output_tokens=0)
            used: Usage | None = Usage(input_tokens=tokens, is_estimated=True)
            try:
                return self._embedder.embed(texts, task=task)
            except AgentError as error:
                used = None if _is_refusal(error) else used
                raise
            finally:
                budget.settle(reservation, used)


REPLY_CHARS = 150_000
"""The longest reply that is accepted: at most 600,000 bytes of its document."""
NAME_CHARS = 100
"""The most of a tool's name that is read; no tool has one as long as this."""
MAX_PART_DEPTH = 64
SHORTEST_S, LONGEST_S = 0.03, 0.15
"""How long a delta is held back at least, and at most."""
LONG_CHARS = 10_000
"""From this length on a text's deltas are held back longest."""
QUEUE_DELTAS = 256
"""Deltas that the reader thread may be ahead of who takes them; with so many it waits `FULL_S`."""
FULL_S = 0.01
JOIN_S = 0.5
"""How long a cut stream may take to end before its thread is left to itself."""
_GOOD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,63}")


class Reply(Struct):
    """A model's reply, as far as it has arrived.

    Attributes:
        calls: The tool's name and the JSON text of its arguments, by call id.
        cost_usd: The cost of every attempt at this reply; None if one of them has no price.
        started: Whether anything of it has come.
        stopped: Whether it was broken off because nobody wants the rest; it then calls nothing.
    """

    model: str
    text: str = ""
    calls: dict[str, tuple[str, str]] = field(default_factory=dict)
    reason: FinishReason = FinishReason.STOP
    usage: Usage = field(default_factory=Usage)
    provider_parts: tuple[Json, ...] = ()
    quick_replies: tuple[str, ...] = ()
    cost_usd: float | None = 0.0
    started: bool = False
    ended: bool = False
    stopped: bool = False

    @property
    def message(self) -> ModelMessage:
        """The reply as a message. Without its provider's parts where both are too large for one
        document: some of the parts alone would say something else."""
        message = ModelMessage(
            text=self.text,
            tool_calls=tuple(
                ToolCall.parse(id=id, name=name, text=text)
                for id, (name, text) in self.calls.items()
            ),
            provider=self.model.partition(":")[0],
            provider_parts=self.provider_parts,
        )
        if not self.provider_parts or reply_bytes(message) <= REPLY_DOCUMENT_BYTES:
            return message
        log.warning("the parts of a reply of %s are too large to be kept", self.model)
        return replace(message, provider_parts=())


class DeltaBuffer(Struct):
    """A streamed text and how much of it was sent on. Adding takes constant time.

    Attributes:
        chars: The text's length.
        sent_at: When some of it was sent on last, by the caller's clock; None before.
    """

    chars: int = 0
    sent_at: float | None = None
    _deltas: list[str] = field(default_factory=list)
    _sent: int = 0

    def add(self, delta: str) -> None:
        if delta:
            self._deltas.append(delta)
            self.chars += len(delta)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._deltas)

    def due_at(self) -> float:
        """When what is held back has to be sent on; infinity if nothing is held back."""
        if self._sent == len(self._deltas):
            return math.inf
        if self.sent_at is None:
            return 0.0
        share = min(self.chars / LONG_CHARS, 1.0)
        return self.sent_at + SHORTEST_S + share * (LONGEST_S - SHORTEST_S)

    def take(self, now: float) -> str:
        """Return what is held back, and count it as sent on."""
        held = "".join(self._deltas[self._sent :])
        self._sent, self.sent_at = len(self._deltas), now
        return held


class ReplyBuilder:
    """Turns a model's deltas into events and a `Reply`.

    Whoever reads the stream waits for the next delta no longer than `wait_s`, and then sends `due`
    on. What was begun in the event stream must be ended, also when the model's stream breaks:
    `close`. The reply has what came once `settle` is called.
    """

    def __init__(
        self,
        reply: Reply,
        *,
        request: ModelRequest,
        message_id: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reply = reply
        self._message_id = message_id
        self._clock = clock
        self._text = DeltaBuffer()
        self._calls: dict[str, DeltaBuffer] = {}
        # Some servers count the ids of calls from the start again in each reply.
        self._ids = {
            call.id
            for message in request.messages
            if isinstance(message, ModelMessage)
            for call in message.tool_calls
        }
        self._open: dict[str, str] = {}
        """Calls that go on, by their provider's ids: our ids."""
        self._halves: dict[str, str] = {}
        self._room = REPLY_CHARS
        self._byte_room = max_bytes(request.max_output_tokens)

    @property
    def is_full(self) -> bool:
        """Whether the reply is as long as it may be: what is still to come is cut off."""
        return self._room <= 0 or self._byte_room <= 0

    def wait_s(self, *, at_most: float) -> float:
        """How long the next delta may be waited for before what is held back is due."""
        due_at = self._text.due_at()
        for id in self._open.values():
            due_at = min(due_at, self._calls[id].due_at())
        return min(max(due_at - self._clock(), 0.0), at_most)

    def take(self, delta: Delta) -> Iterator[Event]:
        """Add a delta, and yield the events that are due.

        Raises:
            Unavailable: It belongs to a call that is not open.
        """
        reply = self._reply
        reply.started = True
        if isinstance(delta, TextDelta):
            self._text.add(self._accepted("", delta.text))
            yield from self._flush(self._text, due_by=self._clock())
        elif isinstance(delta, CallStart):
            yield from self._flush(self._text)
            id = delta.id
            if id in self._ids or not _GOOD_ID.fullmatch(id):
                id = f"call_{uuid.uuid4().hex[:24]}"
            self._ids.add(id)
            self._open[delta.id] = id
            name = storable_text(delta.name)[:NAME_CHARS]
            self._room -= CALL_BYTES
            reply.calls[id], self._calls[id] = (name, ""), DeltaBuffer()
            yield events.call_start(call_id=id, name=name, parent_id=self._message_id)
        elif isinstance(delta, Finish):
            reply.ended = True
            reply.reason = delta.reason
            reply.usage = delta.usage
            reply.provider_parts = storable_parts(delta.provider_parts, model_id=reply.model)
            reply.quick_replies = tuple(storable_text(each) for each in delta.quick_replies)
        elif (open_id := self._open.get(delta.id)) is None:
            raise Unavailable(f"{reply.model} went on with a call that is not open")
        elif isinstance(delta, ArgumentsDelta):
            self._calls[open_id].add(self._accepted(open_id, delta.text))
            yield from self._flush(self._calls[open_id], open_id, due_by=self._clock())
        else:
            yield from self._flush(self._calls[open_id], open_id)
            del self._open[delta.id]
            yield events.call_end(open_id)

    def due(self) -> Iterator[Event]:
        """Yield what was held back long enough."""
        now = self._clock()
        yield from self._flush(self._text, due_by=now)
        for id in self._open.values():
            yield from self._flush(self._calls[id], id, due_by=now)

    def close(self) -> Iterator[Event]:
        """End what is still open."""
        self.settle()
        for id in self._open.values():
            yield from self._flush(self._calls[id], id)
            yield events.call_end(id)
        yield from self._flush(self._text)
        if self._text.sent_at is not None:
            yield events.text_end(self._message_id)

    def settle(self) -> None:
        """Put what came into the reply."""
        reply = self._reply
        reply.text = self._text.text
        reply.calls = {id: (name, self._calls[id].text) for id, (name, _) in reply.calls.items()}

    def _flush(
        self, buffer: DeltaBuffer, id: str = "", *, due_by: float = math.inf
    ) -> Iterator[Event]:
        """Yield what a call's buffer, or the text's, holds back, if it is due by then."""
        due_at = buffer.due_at()
        if due_at == math.inf or due_at > due_by:
            return
        is_first = buffer.sent_at is None
        held = buffer.take(self._clock())
        if id:
            yield events.call_arguments(id, held)
            return
        if is_first:
            yield events.text_start(self._message_id)
        yield events.text_content(self._message_id, held)

    def _accepted(self, id: str, text: str) -> str:
        """The text as far as the reply has room for it. Half a character at its end waits for its
        other half."""
        text = self._halves.pop(id, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[id] = text[-1]
            text = text[:-1]
        encoded = storable_text(text)[: max(self._room, 0)].encode()[: max(self._byte_room, 0)]
        text = encoded.decode(errors="ignore")
        self._room -= len(text)
        # A letter that is cut uses its room up as well.
        self._byte_room -= len(encoded)
        return text


def storable_parts(parts: tuple[Json, ...], *, model_id: str) -> tuple[Json, ...]:
    """Return what a provider wants back with its texts made storable; a part that is not JSON is
    dropped, and that is logged."""
    kept = []
    for part in parts:
        try:
            kept.append(_storable_json(part, 0))
        except ValueError as error:
            log.warning("a part of a reply of %s cannot be kept: %s", model_id, error)
    return tuple(kept)


def _storable_json(value: Json, depth: int) -> Json:
    if depth > MAX_PART_DEPTH:
        raise ValueError(f"it is nested deeper than {MAX_PART_DEPTH} levels")
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(str(k)): _storable_json(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_json(each, depth + 1) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number")
    if value is None or isinstance(value, bool | int | float):
        return value
    raise ValueError(f"a {type(value).__name__} is no JSON")


def storable_text(text: str) -> str:
    """Return the text with a mark for each half of a character and each NUL, which no database
    stores."""
    if text.isascii() and "\0" not in text:
        return text
    return (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    )


class _StreamEnd(Struct, frozen=True):
    """The last item of a reader thread: how the stream ended."""

    error: Exception | None


def threaded_stream(
    model: Model, request: ModelRequest, *, wait_s: Callable[[], float]
) -> Generator[Delta | None, None, None]:
    """Read a model's stream in a thread: yield its deltas, and None whenever none came for
    `wait_s()` seconds, so that the caller can do other things meanwhile.

    Closing this cuts the model's stream: its connection is shut down, also while it waits.

    Raises:
        DeadlineExceeded: The request's deadline passed.
        Exception: Whatever the model raised.
    """
    received: SimpleQueue[Delta | _StreamEnd] = SimpleQueue()
    cancellation = Cancellation()

    def read() -> None:
        CURRENT.set(cancellation)
        error = None
        try:
            clock = Clock(request.deadline)
            stream = model.stream(request)
            try:
                for delta in stream:
                    clock.left_s(at_most=1.0)
                    received.put(delta)
                    while received.qsize() >= QUEUE_DELTAS and not cancellation.is_cancelled:
                        time.sleep(FULL_S)
                    if cancellation.is_cancelled:
                        break
            finally:
                if (close := getattr(stream, "close", None)) is not None:
                    close()  # here, because a generator belongs to the thread that runs it
        except Exception as caught:  # raised by who takes the deltas
            error = caught
        received.put(_StreamEnd(error))

    workers().start(read, name=f"model {model.id}")
    clock = Clock(request.deadline)
    item: Delta | _StreamEnd | None = None
    try:
        while True:
            try:
                item = received.get(timeout=clock.left_s(at_most=wait_s()))
            except queue.Empty:
                yield None
                continue
            if isinstance(item, _StreamEnd):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        cancellation.cancel()
        with suppress(queue.Empty):
            while not isinstance(item, _StreamEnd):
                item = received.get(timeout=JOIN_S)
