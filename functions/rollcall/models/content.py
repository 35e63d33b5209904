"""Parts of requests and replies that several APIs share: documents, results, provider parts, ids
and finish reasons."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Iterable
from uuid import uuid4

from rollcall.core.errors import InvalidArgument
from rollcall.core.messages import Json, Media, ModelMessage, ToolResult
from rollcall.models.base import BrokenOff, FinishReason
from rollcall.models.provider import Provider


def document_text(media: Media) -> str | None:
    """Return the text of a plain text document; None for other media.

    Raises:
        InvalidArgument: The data is not base64 of UTF-8 text.
    """
    if not media.media_type.startswith("text/"):
        return None
    try:
        text = b64decode(media.data, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidArgument("a text document must be base64 of UTF-8 text") from error
    return f"{media.name or 'document'}:\n{text}"


def data_url(media: Media) -> str:
    """Return the media as a `data:` URL."""
    return f"data:{media.media_type};base64,{media.data}"


def own_part(message: ModelMessage, provider: str, api: str, model: str) -> dict[str, Json]:
    """Return the reply's provider part of this model and API; empty if it has none.

    Another model's reasoning means nothing to this one, and some refuse it.
    """
    for part in message.provider_parts if message.provider == provider else ():
        if part.get("api") == api and part.get("model") == model:
            own: dict[str, Json] = part
            return own
    return {}


def encode_body(body: dict[str, Json], tools: Iterable[str]) -> bytes:
    """Return a request's body as JSON, with its tools, which are already JSON texts.

    Raises:
        UnicodeEncodeError: A text holds an unpaired surrogate.
        ValueError: A number is not finite.
    """
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    listed = ",".join(tools)
    return (f'{text[:-1]},"tools":[{listed}]}}' if listed else text).encode()


def result_text(result: ToolResult) -> str:
    """Return a result's content, marked as an error where it is one: these APIs have no field for
    that."""
    is_marked = not result.is_error or '"error"' in result.content
    return result.content if is_marked else f"error: {result.content}"


def is_strict(schema: Json) -> bool:
    """Whether a schema is in the subset that structured output can guarantee."""
    if isinstance(schema, list):
        return all(is_strict(each) for each in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        closed = schema.get("additionalProperties") is False
        if not closed or set(properties or {}) != set(schema.get("required") or []):
            return False
    return all(is_strict(each) for each in schema.values())


def unique_id(id: str, taken: set[str]) -> str:
    """Return a call's id, or a new one if it is empty or in `taken`; add it to `taken`."""
    if not id or id in taken:
        id = f"call_{uuid4().hex[:24]}"
    taken.add(id)
    return id


def finish_reason(why: str, provider: Provider, *, has_calls: bool, has_text: bool) -> FinishReason:
    """Return how a reply ended, from its provider's finish reason. A reply with text ends normally
    if that reason is unknown or missing.

    Raises:
        BrokenOff: The reason is one of the provider's for a failure.
    """
    kind = provider.ends.get(why)
    if kind == "failed":
        raise BrokenOff(f"the model's server broke the answer off: {why}")
    if kind in ("length", "blocked", "malformed"):
        return FinishReason(kind)
    if has_calls:  # many servers say "stop" after calls, too
        return FinishReason.TOOL_CALLS
    return FinishReason.STOP if has_text or kind or not why else FinishReason.MALFORMED
