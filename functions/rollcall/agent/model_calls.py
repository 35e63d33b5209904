"""Model calls: which model is called, how often, and with how much of the history.

After a transient failure the same model is called again, then the next model; both only before the
first chunk of a reply.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent import telemetry
from rollcall.agent.attached_files import file_tokens
from rollcall.agent.budget import Budget
from rollcall.agent.history import fit_messages
from rollcall.agent.paid_calls import PaidCall, fixed_tokens, request_tokens
from rollcall.agent.reply import Reply, ReplyBuilder, threaded_stream
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.events import Event
from rollcall.core.logs import fields
from rollcall.core.texts import TEXTS
from rollcall.models.base import (
    BrokenOff,
    Clock,
    ContextExceeded,
    FinishReason,
    Model,
    ModelRequest,
    QuotaExhausted,
    context_window,
)

TRIES = 3
"""Calls of one model before the next one is tried."""
MAX_WAIT_S = 20.0
MARGIN_S = 2.0
"""No call begins so close to the request's deadline: it would have no time to answer."""
_BASE_S = 0.5
_LARGE_TOKENS = 3_000
"""A request with fewer fits into any model's window."""
_FULL = 0.9
"""The share of a window that a request and its reply may fill, since tokens are estimated."""

log = logging.getLogger("rollcall")


class RetryPolicy(Struct, frozen=True):
    """When a model that failed is called again: exponential backoff with full jitter, added to the
    wait that its provider asks for.

    Attributes:
        idle_s: The seconds after which a wait yields, so that the caller can do something else.
    """

    idle_s: float = 1.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def wait_s(self, error: AgentError, *, tries: int, deadline: float | None) -> float | None:
        """Return the seconds to wait before the same model is called again; None if it is not.

        Args:
            tries: How often the model was called so far.
            deadline: The value of `clock` by which the answer must be there.
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
        """Wait, yielding every `idle_s` seconds, until the time is over or the run was stopped."""
        end = self.clock() + wait_s
        while (left_s := end - self.clock()) > 0 and not is_stopped():
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
    """Call the models in order until one begins to reply. Yield the events of its reply, and None
    for each second without any; return the reply.

    Args:
        is_stopped: Returns whether the run was stopped. The reply is then cut off: `stopped`, with
            the text that was shown, and without calls.
    Raises:
        BudgetExhausted: No model may be called now.
        AgentError: The error of the last model tried, or of one that failed during its reply.
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
            extra = fields("model_gave_up", model=model.id, code=failure.code)
            log.warning("%s gave no reply: %s", model.id, failure.code, extra=extra)
    raise failure or Unavailable(TEXTS.text("errors.no_model"))


def fit_window(request: ModelRequest, window: int) -> ModelRequest:
    """Return the request, shortened so that it and its reply fit into a model's context window."""
    output = min(request.max_output_tokens, window // 4)
    room = int(window * _FULL) - output - fixed_tokens(request) - file_tokens(request.messages)
    messages = request.messages
    if sum(message.tokens for message in messages) > room:
        # Some room is left, so that the next step need not shorten the history again.
        messages = fit_messages(messages, max(int(room * 0.8), 0))
    return replace(request, messages=messages, max_output_tokens=output)


class _Call(Struct):
    """The request for one reply, from whichever model gives it, and its cost so far."""

    request: ModelRequest
    message_id: str
    budget: Budget
    is_stopped: Callable[[], bool]
    retries: RetryPolicy
    input_tokens: int = 0
    cost_usd: float | None = 0.0

    def set_request(self, request: ModelRequest) -> None:
        """Set the request that the next call sends."""
        self.request, self.input_tokens = request, request_tokens(request)


class _ModelFailed(Exception):
    """A model gave up before its first chunk; the next one may be tried."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.message)
        self.error, self.code = error, error.code


def _try_model(
    call: _Call, model: Model, request: ModelRequest
) -> Generator[Event | None, None, Reply]:
    """Call one model until it begins to reply or another try would not help.

    Raises:
        _ModelFailed: Another try of this model would not help.
        AgentError: No other model is to be tried either.
    """
    tries = 0
    call.set_request(request)
    if call.input_tokens > _LARGE_TOKENS and (window := context_window(model.id)):
        call.set_request(fit_window(request, window))
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
            # The window is smaller than we knew, so half of the request is tried.
            window = call.input_tokens // 2 + request.max_output_tokens
            shorter = fit_window(call.request, window)
            if shorter.messages == call.request.messages:
                raise
            call.set_request(shorter)
            extra = fields("context_full", model=model.id, tokens=call.input_tokens)
            log.warning("%s: %s It is asked again with less.", model.id, error, extra=extra)
            continue
        except (DeadlineExceeded, InvalidArgument):
            raise
        except AgentError as error:
            if reply.started:
                raise
            wait_s = call.retries.wait_s(error, tries=tries, deadline=call.request.deadline)
            if wait_s is None:
                raise _ModelFailed(error) from error
            extra = fields("model_retried", model=model.id, code=error.code, tries=tries)
            log.info("%s is asked again after %.1f s", model.id, wait_s, extra=extra)
        yield from call.retries.wait(wait_s, call.is_stopped)
    return Reply(model.id, stopped=True, cost_usd=call.cost_usd)


def _stream_once(call: _Call, model: Model, reply: Reply) -> Generator[Event | None, None, None]:
    """Make one call of a model, paid from the budget, and stream it into the reply."""
    request = call.request
    paid = PaidCall(
        budget=call.budget,
        model_id=model.id,
        input_tokens=call.input_tokens,
        max_output_tokens=request.max_output_tokens,
    )
    builder = ReplyBuilder(reply, request=request, message_id=call.message_id)
    wait_s = partial(builder.wait_s, at_most=call.retries.idle_s)
    try:
        with paid, closing(threaded_stream(model, request, wait_s=wait_s)) as deltas:
            for delta in deltas:
                if call.is_stopped():
                    reply.stopped = True
                    break
                if delta is None:
                    due = list(builder.due())
                    yield from due or (None,)
                else:
                    paid.note(delta)
                    yield from builder.take(delta)
                if builder.is_full:
                    reply.reason, reply.ended = FinishReason.LENGTH, True
                    break
            if not reply.ended and not reply.stopped:
                raise BrokenOff(f"the stream of {model.id} broke off")
        yield from builder.close()
    except AgentError:
        yield from builder.close()
        raise
    finally:  # also when the caller closed the stream
        known = call.cost_usd is not None and paid.cost_usd is not None
        call.cost_usd = (call.cost_usd or 0.0) + (paid.cost_usd or 0.0) if known else None
    reply.usage = paid.usage
    if reply.stopped:
        reply.calls, reply.provider_parts = {}, ()
