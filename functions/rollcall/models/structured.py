"""Structured output: JSON objects from a language model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from rollcall.core.errors import Unavailable
from rollcall.core.messages import Media, Text, UserMessage
from rollcall.core.redaction import redacted
from rollcall.models.base import Finish, FinishReason, Model, ModelRequest, TextDelta
from rollcall.models.provider import media_types

TIMEOUT_S = 60.0
VIDEO_TIMEOUT_S = 240.0
VIDEO = "video/youtube"


class StructuredText:
    """Asks a model for one JSON object.

    The result is an object, but not guaranteed to match the schema: the provider should follow it,
    and the caller has to validate.
    """

    def __init__(self, model: Model) -> None:
        self.id = model.id
        self._model = model

    def over(self, wrap: Callable[[Model], Model]) -> StructuredText:
        """Return a `StructuredText` of the wrapped model."""
        return StructuredText(wrap(self._model))

    @property
    def watches_videos(self) -> bool:
        """Whether the model accepts the URL of a public YouTube video."""
        return VIDEO in media_types(self.id)

    def generate(
        self,
        *,
        instructions: str,
        text: str,
        schema: dict[str, Any],
        video_url: str | None = None,
    ) -> dict[str, Any]:
        """Return an object for `schema`, made from `text`. Credentials in the text are not sent.

        Args:
            video_url: A public YouTube video that goes with the text; see `watches_videos`.

        Raises:
            Unavailable: The reply was cut off, blocked or not a JSON object.
            AgentError: The model failed.
        """
        video = (Media("video", VIDEO, url=video_url),) if video_url is not None else ()
        request = ModelRequest(
            instructions=redacted(instructions),
            messages=(UserMessage((*video, Text(redacted(text)))),),
            response_schema=schema,
            deadline=time.monotonic() + (VIDEO_TIMEOUT_S if video else TIMEOUT_S),
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
