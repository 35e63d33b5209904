"""Calls of models: a reply streamed to the user, and what is spent on it.

Each call is reserved in the budget before it and settled after it, however it ends. A model that
fails in a way that may pass is called again, then the next model is; both only before the first
chunk of a reply.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from rollcall.agent import telemetry
from rollcall.agent.attached_files import file_tokens
from rollcall.agent.budget import Budget, UserBudget
from rollcall.agent.history import estimate_tokens
from rollcall.agent.reply_stream import Reply, ReplyBuilder, threaded_stream
from rollcall.core.context import TextModel, User
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
from rollcall.core.messages import ModelMessage
from rollcall.models.base import (
    ArgumentsDelta,
    BrokenOff,
    Clock,
    Delta,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    QuotaExhausted,
    TextDelta,
    Usage,
)
from rollcall.models.structured import StructuredText

if TYPE_CHECKING:
    from google.cloud.firestore import Client

TRIES = 3
"""Calls of one model before the next one is tried."""
MAX_WAIT_S = 20.0
MARGIN_S = 2.0
"""Kept back from the request's time: a call that begins later would have no time to answer."""
_BASE_S = 0.5
_BYTES_PER_TOKEN = 3
"""Low, so that an estimate is high: English has four, Hebrew and JSON have fewer."""

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
    call = _Call(request, message_id, budget, is_stopped, retries, request_tokens(request))
    failure: AgentError = Unavailable("no language model is configured for this agent")
    for model in models:
        try:
            with telemetry.reply_span(model.id, streamed=request.streamed) as span:
                reply = yield from _try_model(call, model)
                telemetry.record_usage(span, reply.usage, reason=reply.reason)
                return reply
        except _ModelFailed as failed:
            failure = failed.error
            told = fields("model_gave_up", model=model.id, code=failure.code)
            log.warning("%s gave no reply: %s", model.id, failure.code, extra=told)
    raise failure


def request_tokens(request: ModelRequest) -> int:
    """Estimate the tokens of a request, on the high side."""
    schema = json.dumps(request.response_schema or "", ensure_ascii=False, default=str)
    texts = [request.instructions, *(tool.json_text for tool in request.tools), schema]
    total = sum(len(text.encode(errors="replace")) for text in texts) // _BYTES_PER_TOKEN
    for message in request.messages:
        tokens = estimate_tokens(message) * 4 // _BYTES_PER_TOKEN
        if isinstance(message, ModelMessage) and message.provider_parts:
            parts = json.dumps(message.provider_parts, ensure_ascii=False, default=str)
            tokens = max(tokens, len(parts) // _BYTES_PER_TOKEN)
        total += tokens
    return total + file_tokens(request.messages) + 16


class _Call(Struct):
    """What is asked of whichever model answers, and what it has cost so far."""

    request: ModelRequest
    message_id: str
    budget: Budget
    is_stopped: Callable[[], bool]
    retries: RetryPolicy
    input_tokens: int
    cost_usd: float | None = 0.0


class _ModelFailed(Exception):
    """A model failed for good before its first chunk; the next one may be tried."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.message)
        self.error, self.code = error, error.code


def _try_model(call: _Call, model: Model) -> Generator[Event | None, None, Reply]:
    """Call one model until it begins to answer or there is no point in it.

    Raises:
        _ModelFailed: There is no point.
        AgentError: No other model is to be tried either.
    """
    tries = 0
    while not call.is_stopped():
        Clock(call.request.deadline).left_s(at_most=1.0)
        reply = Reply(model.id)
        tries += 1
        try:
            yield from _stream_once(call, model, reply)
            reply.cost_usd = call.cost_usd
            return reply
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
            model.id, input_tokens=call.input_tokens, output_tokens=request.max_output_tokens
        )
    except FailedPrecondition as error:
        raise _ModelFailed(error) from error
    builder = ReplyBuilder(reply, request=request, message_id=call.message_id)
    wait_s = partial(builder.wait_s, at_most=call.retries.idle_s)
    is_refused = False
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
                if builder.is_full:
                    reply.reason, reply.ended = FinishReason.LENGTH, True
                    break
        if not reply.ended and not reply.stopped:
            raise Unavailable(f"the stream of {model.id} broke off")
        yield from builder.close()
    except AgentError as error:
        is_refused = not reply.started and not isinstance(error, DeadlineExceeded | BrokenOff)
        yield from builder.close()
        raise
    finally:  # also when the reader went away
        builder.settle()
        if not is_refused and reply.usage == Usage():  # its provider did not say it
            texts = [reply.text, *(name + text for name, text in reply.calls.values())]
            reply.usage = _estimated_usage(call.input_tokens, "".join(texts))
        cost = call.budget.settle(reservation, None if is_refused else reply.usage)
        known = cost is not None and call.cost_usd is not None
        call.cost_usd = (call.cost_usd or 0.0) + (cost or 0.0) if known else None
        if reply.stopped:
            reply.calls, reply.provider_parts = {}, ()


def _estimated_usage(input_tokens: int, written: str) -> Usage:
    size = len(written.encode(errors="replace"))
    return Usage(input_tokens=input_tokens, output_tokens=-(-size // _BYTES_PER_TOKEN))


def metered(
    text_model: TextModel | None, db: Client, user: User, *, allow_unpriced: bool = False
) -> TextModel | None:
    """Return the platform's text model such that the user's budget pays for it."""
    if not isinstance(text_model, StructuredText):
        return text_model
    return text_model.over(
        lambda model: MeteredModel(model, db, user, allow_unpriced=allow_unpriced)
    )


class MeteredModel:
    """A model whose calls are paid out of a user's and the tenant's budget of the day, for work
    outside a turn's loop.

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
                self.id, input_tokens=tokens, output_tokens=request.max_output_tokens
            )
            used: Usage | None = None
            written: list[str] = []
            try:
                for delta in self._model.stream(request):
                    if isinstance(delta, TextDelta | ArgumentsDelta):
                        written.append(delta.text)
                    elif isinstance(delta, Finish) and delta.usage != Usage():
                        used = delta.usage
                    yield delta
            finally:  # also when the reader went away
                if used is None and any(written):  # its provider did not say it
                    used = _estimated_usage(tokens, "".join(written))
                budget.settle(reservation, used)
                telemetry.record_usage(span, used or Usage())
