"""Paid model calls: each is reserved in a budget before it and settled after it.

A provider's count of tokens is used where it is plausible; a missing count is estimated.
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
"""The most input that a call reserves, and that its provider may count: so many times the estimate,
which is high already, plus so many tokens that providers add themselves."""
OUTPUT_MARGIN = 1.25
"""The same factor for `max_output_tokens`: providers stop near it, not at it."""
CUT_BYTES_PER_TOKEN = 6
"""Where a reply is cut if its provider does not stop at `max_output_tokens`. Real texts have less:
English, Hebrew and code about four bytes per token."""

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
    """Estimate the tokens of a request without its messages."""
    schema = json.dumps(request.response_schema) if request.response_schema else ""
    tools = sum(tool.tokens for tool in request.tools)
    return _instruction_tokens(request.instructions) + text_tokens(schema) + tools


_instruction_tokens = lru_cache(maxsize=32)(text_tokens)
"""Cached, since the instructions are the same in each step of a turn."""


def max_input(estimate: int) -> int:
    """Return the most tokens that a request with this estimate can have."""
    return math.ceil(estimate * INPUT_MARGIN) + MORE_INPUT


def max_output(max_output_tokens: int) -> int:
    """Return the most tokens that a reply can have if the provider is asked for so many."""
    return math.ceil(max_output_tokens * OUTPUT_MARGIN)


def max_bytes(max_output_tokens: int) -> int:
    """Return the most bytes of UTF-8 that a reply may have if the provider is asked for so many
    tokens, with some added for the calls of a short reply."""
    return max_output_tokens * CUT_BYTES_PER_TOKEN + 4 * CALL_BYTES


class PaidCall(Struct, kw_only=True):
    """Pays for one call of a model or embedder: reserves its worst case before it, and settles its
    usage after it, however it ends.

    Attributes:
        budget: The budget that pays.
        input_tokens: The estimate of the request.
        max_output_tokens: The limit that the provider was given for the reply.
        usage: What counts as used, once the call is over; empty for a call that was refused.
        cost_usd: The cost of that usage; None without a price.
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
    _reported: Usage | None = None
    """The usage that the provider reports at the end of its reply."""

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
            self._reported = delta.usage

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Settle the usage that the provider reports, as far as it is plausible. A count that is
        missing or below 0 is estimated, one above the reservation is lowered to it; both are logged
        and marked."""
        reserved = self._reserved
        assert reserved is not None
        is_cut_off = isinstance(error, DeadlineExceeded | BrokenOff)  # it may have been worked on
        if isinstance(error, AgentError) and not is_cut_off and not self._has_begun:
            self.cost_usd = self.budget.settle(reserved, None)  # it was refused
            return
        # Without a report the model may have used hidden reasoning up to its limit, so all output
        # that was reserved counts.
        reported, output = self._reported or Usage(), reserved.output_tokens
        if self._reported is not None:
            output = reported.output_tokens
            output = output if output > 0 else text_tokens("".join(self._texts))
        input_tokens = reported.input_tokens if reported.input_tokens > 0 else self.input_tokens
        input_tokens = min(input_tokens, reserved.input_tokens)
        cached = min(max(reported.cached_input_tokens, 0), input_tokens)
        written = min(max(reported.cache_write_tokens, 0), input_tokens - cached)
        self.usage = Usage(
            input_tokens=input_tokens,
            cached_input_tokens=cached,
            output_tokens=min(output, reserved.output_tokens),
            cache_write_tokens=written,
            long_cache_write_tokens=min(max(reported.long_cache_write_tokens, 0), written),
            is_estimated=reported.is_estimated,
        )
        if self.usage != reported:
            if reported != Usage():  # most calls without a report were cut off
                extra = fields("usage_estimated", model=self.model_id)
                text = "%s says it used %s, counted as %s"
                log.warning(text, self.model_id, reported, self.usage, extra=extra)
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

    It is safe to use from any thread: each call has its own reservation, which takes one read and
    two writes.
    """

    def __init__(
        self, model: Model, db: Client, user: User, *, allow_unpriced: bool = False
    ) -> None:
        self.id = model.id
        self._model, self._db, self._user = model, db, user
        self._allow_unpriced = allow_unpriced

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model, and count its usage.

        Raises:
            BudgetExhausted: The budget does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            AgentError: The model's own error.
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
            finally:  # also when the caller closed the stream
                telemetry.record_usage(span, call.usage)


class MeteredEmbedder:
    """An embedder for work outside a turn's loop, paid like a `MeteredModel`. Tokens are estimated;
    an embedder without a price counts tokens only."""

    def __init__(self, embedder: Embedder, db: Client, user: User) -> None:
        self.id, self.dimensions = embedder.id, embedder.dimensions
        self._embedder, self._db, self._user = embedder, db, user

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        """Embed texts, and count their tokens.

        Raises:
            BudgetExhausted: The budget does not allow it.
            AgentError: The embedder's own error.
        """
        tokens = sum(map(text_tokens, texts))
        with (
            closing(UserBudget(self._db, self._user, allow_unpriced=True)) as budget,
            PaidCall(
                budget=budget, model_id=self.id, input_tokens=tokens, max_output_tokens=0
            ) as call,
        ):
            vectors = self._embedder.embed(texts, task=task)
            call.note(Finish(FinishReason.STOP))
        return vectors
