"""What model calls cost: each is reserved in a budget before it and settled after it.

A provider's count of tokens is believed as far as it can be true; what it does not count is
estimated.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent import telemetry
from rollcall.agent.attached_files import file_tokens
from rollcall.agent.budget import Budget, Reservation, UserBudget
from rollcall.core.context import Embedder, TextModel, User
from rollcall.core.errors import AgentError, DeadlineExceeded
from rollcall.core.logs import fields
from rollcall.core.messages import ModelMessage
from rollcall.core.text import BYTES_PER_TOKEN, RESERVE_FACTOR, text_tokens
from rollcall.models.base import (
    ArgumentsDelta,
    BrokenOff,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    Model,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.models.structured import StructuredText
from rollcall.store.message_log import CALL_BYTES

if TYPE_CHECKING:
    from google.cloud.firestore import Client

INPUT_MARGIN, MORE_INPUT = 1.25, 1_000
"""A call is reserved, and its provider's count believed, up to so many times the estimate, which is
high already, and so much for what providers add of their own."""
OUTPUT_MARGIN = 1.25
"""The same of `max_output_tokens`: providers stop near it."""
CUT_BYTES_PER_TOKEN = 6
"""More than texts have: English, Hebrew and code have about four. A reply of a provider that does
not stop at `max_output_tokens` is cut there."""

log = logging.getLogger("rollcall")


def request_tokens(request: ModelRequest) -> int:
    """Estimate the tokens of a request, on the high side."""
    total = fixed_tokens(request)
    for message in request.messages:
        tokens = message.tokens
        if isinstance(message, ModelMessage) and message.provider_parts:
            tokens = max(tokens, len(message.parts_json) // BYTES_PER_TOKEN)
        total += tokens
    return round(total * RESERVE_FACTOR) + file_tokens(request.messages) + 16


def fixed_tokens(request: ModelRequest) -> int:
    """Tokens of a request without its messages."""
    schema = json.dumps(request.response_schema) if request.response_schema else ""
    tools = sum(tool.tokens for tool in request.tools)
    return _instruction_tokens(request.instructions) + text_tokens(schema) + tools


_instruction_tokens = lru_cache(maxsize=32)(text_tokens)
"""Those of a turn are the same in each of its steps."""


def max_input(estimate: int) -> int:
    """Return the most tokens that a request of this estimate can have."""
    return math.ceil(estimate * INPUT_MARGIN) + MORE_INPUT


def max_output(max_output_tokens: int) -> int:
    """Return the most tokens that a reply can have where the provider is asked for so many."""
    return math.ceil(max_output_tokens * OUTPUT_MARGIN)


def max_bytes(max_output_tokens: int) -> int:
    """Return the most bytes of UTF-8 that a reply may have where the provider is asked for so many
    tokens. Some bytes are added, so that a short reply has room for its calls."""
    return max_output_tokens * CUT_BYTES_PER_TOKEN + 4 * CALL_BYTES


class PaidCall(Struct, kw_only=True):
    """One call of a model or embedder: its worst case is reserved before it, and what it used is
    settled after it, however it ends.

    Attributes:
        budget: What the call is paid from.
        input_tokens: The estimate of the request.
        max_output_tokens: The most that the reply was to have.
        usage: What counts as used, once the call is over; nothing of one that was refused.
        cost_usd: What that costs; None without a price.
    """

    budget: Budget
    model_id: str
    input_tokens: int
    max_output_tokens: int
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    _reserved: Reservation | None = None
    _texts: list[str] = field(default_factory=list)
    _has_begun: bool = False
    _said: Usage | None = None
    """The provider's count, at the end of its reply."""

    def __enter__(self) -> PaidCall:
        self._reserved = self.budget.reserve(
            self.model_id,
            input_tokens=max_input(self.input_tokens),
            output_tokens=max_output(self.max_output_tokens),
        )
        return self

    def note(self, delta: Delta) -> None:
        """Note a delta of the reply."""
        self._has_begun = True
        if isinstance(delta, TextDelta | ArgumentsDelta):
            self._texts.append(delta.text)
        elif isinstance(delta, CallStart):
            self._texts.append(delta.name)
        elif isinstance(delta, Finish):
            self._said = delta.usage

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Count what the provider says was used, as far as that can be. A count that is missing or
        below 0 is estimated, one above what was reserved is that; either is logged, and marked."""
        reserved, said = self._reserved, self._said
        assert reserved is not None
        is_cut_off = isinstance(error, DeadlineExceeded | BrokenOff)  # it may have been worked on
        if isinstance(error, AgentError) and not is_cut_off and not self._has_begun:
            self.cost_usd = self.budget.settle(reserved, None)  # it was refused
            return
        # Without a count at the end, the model may have thought, unseen, as long as it was allowed
        # to, so all output that was reserved counts.
        told, output = said or Usage(), reserved.output_tokens
        if said is not None:
            output = said.output_tokens
            output = output if output > 0 else text_tokens("".join(self._texts))
        input_tokens = told.input_tokens if told.input_tokens > 0 else self.input_tokens
        input_tokens = min(input_tokens, reserved.input_tokens)
        cached = min(max(told.cached_input_tokens, 0), input_tokens)
        written = min(max(told.cache_write_tokens, 0), input_tokens - cached)
        self.usage = Usage(
            input_tokens=input_tokens,
            cached_input_tokens=cached,
            output_tokens=min(output, reserved.output_tokens),
            cache_write_tokens=written,
            long_cache_write_tokens=min(max(told.long_cache_write_tokens, 0), written),
            is_estimated=told.is_estimated,
        )
        if self.usage != told:
            if told != Usage():  # most that say nothing were cut off
                extra = fields("usage_estimated", model=self.model_id)
                text = "%s says it used %s, counted as %s"
                log.warning(text, self.model_id, told, self.usage, extra=extra)
            self.usage = replace(self.usage, is_estimated=True)
        self.cost_usd = self.budget.settle(reserved, self.usage)


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
        budget = UserBudget(self._db, self._user, allow_unpriced=self._allow_unpriced)
        call = PaidCall(
            budget=budget,
            model_id=self.id,
            input_tokens=request_tokens(request),
            max_output_tokens=request.max_output_tokens,
        )
        size, most = 0, max_bytes(request.max_output_tokens)
        with closing(budget), telemetry.reply_span(self.id, streamed=request.streamed) as span:
            try:
                with call:
                    for delta in self._model.stream(request):
                        call.note(delta)
                        yield delta
                        if isinstance(delta, TextDelta | ArgumentsDelta):
                            size += len(delta.text.encode(errors="replace"))
                        if size > most:
                            break
            finally:  # also when the reader went away
                telemetry.record_usage(span, call.usage)


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
        with (
            closing(UserBudget(self._db, self._user, allow_unpriced=True)) as budget,
            PaidCall(
                budget=budget, model_id=self.id, input_tokens=tokens, max_output_tokens=0
            ) as call,
        ):
            found = self._embedder.embed(texts, task=task)
            call.note(Finish(FinishReason.STOP))
        return found
