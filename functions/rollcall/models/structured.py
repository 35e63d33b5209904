"""A language model as a filler of JSON schemas."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from rollcall.core.errors import Unavailable
from rollcall.core.messages import UserMessage
from rollcall.core.redaction import redacted
from rollcall.models.base import Finish, FinishReason, Model, ModelRequest, TextDelta

TIMEOUT_S = 60.0


class StructuredText:
    """Asks a model for one JSON object.

    The schema is the provider's to follow and the caller's to check: what comes back is an object,
    and nothing more is promised of it.
    """

    def __init__(self, model: Model) -> None:
        self.id = model.id
        self._model = model

    def over(self, wrap: Callable[[Model], Model]) -> StructuredText:
        """The same, on `wrap` of its model."""
        return StructuredText(wrap(self._model))

    def generate(self, *, instructions: str, text: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Fill `schema` from `text`; the model is sent no credential that stands there.

        Raises:
            Unavailable: The reply was cut off, blocked or not a JSON object.
            AgentError: Whatever the model raises.
        """
        request = ModelRequest(
            instructions=redacted(instructions),
            messages=(UserMessage.of(redacted(text)),),
            response_schema=schema,
            deadline=time.monotonic() + TIMEOUT_S,
            streamed=False,
        )
        reply, reason = "", FinishReason.STOP
        for delta in self._model.stream(request):
            if isinstance(delta, TextDelta):
                reply += delta.text
            elif isinstance(delta, Finish):
                reason = delta.reason
        try:
            value = json.loads(reply)
        except ValueError as error:
            raise Unavailable(f"{self.id} sent no JSON (it ended with {reason})") from error
        if not isinstance(value, dict):
            raise Unavailable(f"{self.id} sent JSON that is not an object")
        return value
