"""One reply of a model: tried, paid for, and passed on as events while it comes."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec import Struct

from rollcall.agent import telemetry
from rollcall.agent.attached_files import file_tokens
from rollcall.agent.budget import FirestorePurse, Purse, Reservation
from rollcall.agent.history import estimate_tokens
from rollcall.agent.reply_stream import Intake, Reply, pumped
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
    Usage,
)
from rollcall.models.base import TextDelta as TextDelta

if TYPE_CHECKING:
    from google.cloud.firestore import Client


_BYTES_PER_TOKEN = 3
"""Low, so that an estimate is high: English has four, Hebrew and JSON have fewer."""
log = logging.getLogger("rollcall")

TRIES = 3
"""Calls of one model before the next one is tried."""
MAX_WAIT_S = 20.0
MARGIN_S = 2.0
"""Kept back from the request's time: a call that begins later would have no time to answer."""
_BASE_S = 0.5


class Patience(Struct, frozen=True):
    """The clock that waits are measured by, and the dice that spread them.

    Args:
        idle_s: How often somebody who waits is given a chance to do something else, in seconds.
    """

    idle_s: float = 1.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def wait_s(self, error: AgentError, *, tries: int, deadline: float | None) -> float | None:
        """Seconds to wait before the same model is called again; None if it should not be.

        Exponential backoff with full jitter, on top of what the provider asks for.

        Args:
            tries: How often it was called already.
            deadline: Value of `clock` by which the answer must be there.
        """
        passes = isinstance(error, Unavailable | ResourceExhausted)
        if not passes or isinstance(error, QuotaExhausted) or tries >= TRIES:
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


PATIENCE = Patience()


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
            with telemetry.of_reply(model.id, streamed=request.streamed) as span:
                reply = yield from _ask(asked, model)
                telemetry.told_reply(span, reply)
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


def paid_by(
    text_model: TextModel | None, db: Client, user: User, *, allow_unpriced: bool = False
) -> TextModel | None:
    """The platform's text model, paid out of a user's budget."""
    from rollcall.models.structured import StructuredText

    if not isinstance(text_model, StructuredText):
        return text_model
    return text_model.over(lambda model: Metered(model, db, user, allow_unpriced=allow_unpriced))


class Metered:
    """The same model, paid out of a user's and the tenant's budget of the day. Any thread may use
    it: every call has a purse of its own, of one read and two writes."""

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
        tokens = estimate(request)
        purse = FirestorePurse(self._db, self._user, allow_unpriced=self._allow_unpriced)
        with closing(purse), telemetry.of_reply(self.id, streamed=request.streamed) as span:
            reservation = purse.reserve(
                self.id, input_tokens=tokens, output_tokens=request.max_output_tokens
            )
            said, arrived = Usage(), 0
            try:
                for delta in self._model.stream(request):
                    arrived += _bytes_of(delta)
                    if isinstance(delta, Finish):
                        said = delta.usage
                    yield delta
            finally:  # also when the reader went away
                used = said if said != Usage() else _arrived(tokens, arrived)
                purse.settle(reservation, used)
                telemetry.told_usage(span, used or Usage())


def _bytes_of(delta: Delta) -> int:
    return len(delta.text.encode(errors="replace")) if isinstance(delta, _TEXTS) else 0


_TEXTS = (TextDelta, ArgumentsDelta)


def _arrived(input_tokens: int, size: int) -> Usage | None:
    """What a call used of which the provider did not say it; None if it never began to answer."""
    if size == 0:
        return None
    return Usage(input_tokens=input_tokens, output_tokens=-(-size // _BYTES_PER_TOKEN))
