"""Messages of a dialogue, as the loop and the models see them.

A history is a sequence of `UserMessage`, `ModelMessage` and `ToolMessage`. It is valid when every
tool call of a model message is answered in the tool message that follows it.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import check_json
from rollcall.core.redaction import json_redactor
from rollcall.core.text import MEDIA_TOKENS, decoded_text, text_tokens

Json = Any
"""Anything that `json.dumps` accepts."""


class Text(Struct, frozen=True):
    """A piece of text."""

    text: str
    type: Literal["text"] = "text"


class Media(Struct, frozen=True):
    """An image or a document, with its media type and base64 data; a video, with its URL.

    Media in the file store have a `file_id` and no data; their data is read for each model call.
    """

    type: Literal["image", "document", "video"]
    media_type: str
    data: str = ""
    name: str | None = None
    file_id: str | None = None
    bytes: int = 0
    """The size of the stored file."""
    url: str | None = None
    """The address of a public video, for models that read it themselves."""

    @property
    def label(self) -> str:
        """The label for people: its name, or else its type."""
        return self.name or self.media_type


Part = Text | Media


class ToolCall(Struct, frozen=True):
    """A tool call that a model requests.

    `arguments` is None if the model's text is not a JSON object, or may be only the beginning of
    one; `arguments_text` keeps the text, to show the model what it sent.
    """

    id: str
    name: str
    arguments: dict[str, Json] | None
    arguments_text: str = ""

    @classmethod
    def parse(cls, *, id: str, name: str, text: str) -> ToolCall:
        """Build a call from the JSON text that a model streamed; empty text means no arguments."""
        try:
            value = json.loads(text) if text.strip() else {}
            check_json(value)
        except (ValueError, RecursionError, InvalidArgument):
            value = None
        return cls(id, name, value if isinstance(value, dict) else None, text)


class ToolResult(Struct, frozen=True):
    """The result of a tool call, as the JSON or text that the model reads."""

    call_id: str
    name: str
    content: str
    is_error: bool = False


MESSAGE_TOKENS = 4
"""Tokens that a message adds to its texts in a request."""


class UserMessage(Struct, frozen=True, dict=True):
    """A message of the user."""

    parts: tuple[Part, ...]
    role: Literal["user"] = "user"

    @classmethod
    def of(cls, text: str) -> UserMessage:
        return cls((Text(text),))

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def files(self) -> list[Media]:
        """Its parts that are in the file store."""
        return [part for part in self.parts if isinstance(part, Media) and part.file_id is not None]

    @cached_property
    def tokens(self) -> int:
        """An estimate of the tokens that it takes in a request."""
        media = sum(isinstance(part, Media) for part in self.parts)
        return MESSAGE_TOKENS + text_tokens(self.text) + MEDIA_TOKENS * media


class ModelMessage(Struct, frozen=True, dict=True):
    """One model reply.

    `provider_parts` are the reply's parts exactly as the provider `provider` sent them (thought
    signatures, reasoning items); they go back unchanged, to the same provider only.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    provider: str | None = None
    provider_parts: tuple[Json, ...] = ()
    role: Literal["model"] = "model"

    @cached_property
    def tokens(self) -> int:
        """An estimate of the tokens of its text and calls in a request."""
        calls = (call.name + call.arguments_text for call in self.tool_calls)
        return MESSAGE_TOKENS + sum(map(text_tokens, (self.text, *calls)))

    @cached_property
    def parts_json(self) -> str:
        """Its provider's parts as JSON text."""
        return json.dumps(self.provider_parts, ensure_ascii=False)


class ToolMessage(Struct, frozen=True, dict=True):
    """The results of one model message's calls, in the order of the calls."""

    results: tuple[ToolResult, ...]
    role: Literal["tool"] = "tool"

    @cached_property
    def tokens(self) -> int:
        """An estimate of the tokens that it takes in a request."""
        return MESSAGE_TOKENS + sum(text_tokens(result.content) for result in self.results)


Message = UserMessage | ModelMessage | ToolMessage


M = TypeVar("M", UserMessage, ModelMessage, ToolMessage)


def redacted_message(message: M) -> M:
    """Return a message without credentials, fit to be stored and sent to a model.

    A reply that held a credential loses its provider's parts: they would repeat it, and no
    provider accepts changed ones.
    """
    clean = json_redactor()
    if isinstance(message, ToolMessage):
        results = [replace(each, content=clean(each.content)) for each in message.results]
        return replace(message, results=tuple(results))
    if isinstance(message, UserMessage):
        parts = [
            replace(part, text=clean(part.text))
            if isinstance(part, Text)
            else _redacted_file(part, clean)
            for part in message.parts
        ]
        return replace(message, parts=tuple(parts))
    everything: list[Json] = [message.text, *message.provider_parts]
    for call in message.tool_calls:
        everything += (call.arguments, call.arguments_text)
    if clean(everything) is everything:
        return message
    calls = tuple(
        replace(call, arguments=clean(call.arguments), arguments_text=clean(call.arguments_text))
        for call in message.tool_calls
    )
    return replace(message, text=clean(message.text), tool_calls=calls, provider_parts=())


def _redacted_file(file: Media, clean: Callable[[str], str]) -> Media:
    """Return a file with its name redacted, and the text of a document that is in the message
    itself, as UTF-8."""
    file = replace(file, name=clean(file.name)) if file.name else file
    if file.type != "document" or file.media_type == "application/pdf":
        return file
    try:
        text = decoded_text(b64decode(file.data, validate=True))
    except binascii.Error:
        return file  # refused when the message is checked
    changed = clean(text)
    return file if changed == text else replace(file, data=b64encode(changed.encode()).decode())
