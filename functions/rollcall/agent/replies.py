"""One reply of a model: tried, paid for, and passed on as events while it comes."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from msgspec import Struct

from rollcall.agent import spans
from rollcall.agent.attached import file_tokens
from rollcall.agent.intake import Intake, Reply
from rollcall.agent.patience import PATIENCE, Patience
from rollcall.agent.pump import pumped
from rollcall.agent.purse import Purse, Reservation
from rollcall.agent.window import estimate_tokens
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    Unavailable,
)
from rollcall.core.events import Event
from rollcall.core.logs import fields
from rollcall.core.messages import ModelMessage
from rollcall.models.base import BrokenOff, Clock, FinishReason, Model, ModelRequest, Usage

_BYTES_PER_TOKEN = 3
"""Low, so that an estimate is high: English has four, Hebrew and JSON have fewer."""
log = logging.getLogger("rollcall")


def stream_reply(
    models: Sequence[Model],
    request: ModelRequest,
    *,
    message_id: str,
    purse: Purse,
    is_stopped: Callable[[], bool],
    patience: Patience = PATIENCE,
) -> Generator[Event | None, None, Reply]:
    """Pass on the first model's reply that begins, and None for each second without anything.

    A model that fails in a way that may pass is called again, and then the next one is tried;
    both only before the first chunk. Each call is reserved before it and settled after it,
    however it ends.

    Args:
        is_stopped: Whether the reader wants no more. The reply is then broken off where it is:
            `stopped`, with what was shown of its text, and without calls.
    Raises:
        BudgetExhausted: No model may be called now.
        AgentError: Of the last model tried, or of one that failed half-way.
    """
    asked = _Asked(request, message_id, purse, is_stopped, patience, estimate(request))
    failure: AgentError = Unavailable("no language model is configured for this agent")
    for model in models:
        try:
            with spans.of_reply(model.id, streamed=request.streamed) as span:
                reply = yield from _ask(asked, model)
                spans.told_reply(span, reply)
                return reply
        except _Failed as failed:
            failure = failed.error
            told = fields("model_gave_up", model=model.id, code=failure.code)
            log.warning("%s gave no reply: %s", model.id, failure.code, extra=told)
    raise failure


def estimate(request: ModelRequest) -> int:
    """Tokens of a request, on the high side."""
    tools = (tool.json_text for tool in request.tools)
    texts = [request.instructions, *tools, _json(request.response_schema or "")]
    fixed = sum(len(text.encode(errors="replace")) for text in texts) // _BYTES_PER_TOKEN
    messages = 0
    for message in request.messages:
        parts = message.provider_parts if isinstance(message, ModelMessage) else ()
        kept = len(_json(parts)) // _BYTES_PER_TOKEN if parts else 0
        messages += max(estimate_tokens(message) * 4 // _BYTES_PER_TOKEN, kept)
    return fixed + messages + file_tokens(request.messages) + 16


class _Asked(Struct):
    """What is wanted of whichever model answers, and what it has cost so far."""

    request: ModelRequest
    message_id: str
    purse: Purse
    is_stopped: Callable[[], bool]
    patience: Patience
    input_tokens: int
    cost_usd: float | None = 0.0

    def reserve(self, model: Model) -> Reservation:
        return self.purse.reserve(
            model.id,
            input_tokens=self.input_tokens,
            output_tokens=self.request.max_output_tokens,
        )

    def settle(self, reservation: Reservation, usage: Usage | None) -> None:
        cost = self.purse.settle(reservation, usage)
        unknown = cost is None or self.cost_usd is None
        self.cost_usd = None if unknown else (self.cost_usd or 0.0) + (cost or 0.0)


class _Failed(Exception):
    """A model failed for good before its first chunk; the next one may be tried."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.message)
        self.error, self.code = error, error.code


def _ask(asked: _Asked, model: Model) -> Generator[Event | None, None, Reply]:
    """Call one model until it begins to answer or there is no point in it.

    Raises:
        _Failed: There is no point.
        AgentError: The search is over.
    """
    tries = 0
    while not asked.is_stopped():
        Clock(asked.request.deadline).left_s(at_most=1.0)
        try:
            reservation = asked.reserve(model)
        except FailedPrecondition as error:
            raise _Failed(error) from error
        reply = Reply(model.id)
        tries += 1
        try:
            yield from _attempt(asked, model, reply, reservation)
            reply.cost_usd = asked.cost_usd
            return reply
        except (DeadlineExceeded, InvalidArgument):
            raise
        except AgentError as error:
            if reply.started:
                raise
            wait_s = asked.patience.wait_s(error, tries=tries, deadline=asked.request.deadline)
            if wait_s is None:
                raise _Failed(error) from error
            told = fields("model_retried", model=model.id, code=error.code, tries=tries)
            log.info("%s is asked again after %.1f s", model.id, wait_s, extra=told)
        yield from asked.patience.wait(wait_s, asked.is_stopped)
    return Reply(model.id, stopped=True, cost_usd=asked.cost_usd)


def _attempt(
    asked: _Asked, model: Model, reply: Reply, reservation: Reservation
) -> Generator[Event | None, None, None]:
    """One call of a model, from the first byte to the bill."""
    intake = Intake(reply, request=asked.request, message_id=asked.message_id)
    refused = False
    try:
        yield from _pass_on(asked, model, reply, intake)
        yield from intake.close()
    except AgentError as error:
        refused = not reply.started and not isinstance(error, DeadlineExceeded | BrokenOff)
        yield from intake.close()
        raise
    finally:  # also when the reader went away
        intake.settle()
        if refused:
            asked.settle(reservation, None)
        else:
            if reply.usage == Usage():
                reply.usage = _used(asked, reply)
            asked.settle(reservation, reply.usage)
            if reply.stopped:
                reply.calls, reply.provider_parts = {}, ()


def _pass_on(
    asked: _Asked, model: Model, reply: Reply, intake: Intake
) -> Generator[Event | None, None, None]:
    def wait_s() -> float:
        return intake.wait_s(at_most=asked.patience.idle_s)

    with closing(pumped(model, asked.request, wait_s=wait_s)) as deltas:
        for delta in deltas:
            if asked.is_stopped():
                reply.stopped = True
                return
            if delta is None:
                due = list(intake.due())
                yield from due or (None,)
            else:
                yield from intake.take(delta)
            if intake.is_full:
                reply.reason, reply.ended = FinishReason.LENGTH, True
                return
    if not reply.ended:
        raise Unavailable(f"the stream of {model.id} broke off")


def _used(asked: _Asked, reply: Reply) -> Usage:
    """What a reply has used of which the provider did not say it: it was broken off, or never."""
    texts = [reply.text, *(name + text for name, text in reply.calls.values())]
    written = sum(len(text.encode()) for text in texts)
    return Usage(input_tokens=asked.input_tokens, output_tokens=-(-written // _BYTES_PER_TOKEN))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
