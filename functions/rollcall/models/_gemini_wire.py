"""What goes to Gemini and what comes back, as the JSON of its API."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rollcall.core.errors import Unavailable
from rollcall.core.messages import Json, Media, Message, ModelMessage, ToolMessage, ToolResult
from rollcall.models._gemini_partial import PartialCall
from rollcall.models._json_stream import mapping
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    TextDelta,
    Usage,
)

if TYPE_CHECKING:
    from google.genai import types

PROVIDER = "gemini"

# Gemini 3 refuses a call without the signature of its own thinking; this text, which Google
# documents for calls that another model made, stands in for one.
_FOREIGN_SIGNATURE = "skip_thought_signature_validator"

_MALFORMED = {
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
}
_BLOCKED = {
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_OTHER",
}
_LENGTH = {"MAX_TOKENS", "CONTINUATION"}


def contents_of(messages: Sequence[Message], model: str) -> list[Json]:
    """Write a history as Gemini's `contents`; its own replies go back as they came."""
    contents: list[Json] = []
    its_ids: dict[str, str | None] = {}
    for message in messages:
        if isinstance(message, ModelMessage):
            parts = _model_parts(message, model)
            told = [mapping(part["functionCall"]) for part in parts if "functionCall" in part]
            ids = zip(message.tool_calls, told, strict=True)
            its_ids = {call.id: each.get("id") for call, each in ids}
        elif isinstance(message, ToolMessage):
            parts = [_result_part(r, its_ids.get(r.call_id)) for r in message.results]
        else:
            parts = [_user_part(part) for part in message.parts]
        if parts:
            role = "model" if isinstance(message, ModelMessage) else "user"
            contents.append({"role": role, "parts": parts})
    return contents


def _model_parts(message: ModelMessage, model: str) -> list[dict[str, Json]]:
    parts = list(message.provider_parts) if message.provider == PROVIDER else []
    if sum("functionCall" in part for part in parts) != len(message.tool_calls) or not parts:
        parts = [{"text": message.text}] if message.text else []
        for call in message.tool_calls:
            told = {"id": call.id, "name": call.name, "args": call.arguments or {}}
            parts.append({"functionCall": told})
    first = next((i for i, part in enumerate(parts) if "functionCall" in part), None)
    signed = any("thoughtSignature" in part for part in parts)
    if first is not None and not signed and not re.match(r"(models/)?gemini-[12]\b", model):
        parts[first] = {**parts[first], "thoughtSignature": _FOREIGN_SIGNATURE}
    return parts


def _user_part(part: Any) -> dict[str, Json]:
    if isinstance(part, Media):
        return {"inlineData": {"mimeType": part.media_type, "data": part.data}}
    return {"text": part.text}


def _result_part(result: ToolResult, its_id: str | None) -> dict[str, Json]:
    """A tool's answer, under the call's id as Gemini sent it, if it sent one."""
    told: dict[str, Json] = {"name": result.name, "response": _response(result)}
    return {"functionResponse": {"id": its_id, **told} if its_id else told}


def _response(result: ToolResult) -> dict[str, Json]:
    try:
        value = json.loads(result.content)
    except (ValueError, RecursionError):
        value = result.content
    if isinstance(value, dict) and value.keys() & {"output", "error"}:
        return value
    return {"error" if result.is_error else "output": value}


class Reply:
    """Gathers one streamed reply: chunks in, deltas out."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Json]] = []
        self._reason = ""
        self._blocked = ""
        self._usage = Usage()
        self._ids: set[str] = set()
        self._open: PartialCall | None = None

    def read(self, chunk: types.GenerateContentResponse) -> Iterator[Delta]:
        """Take one chunk in."""
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            self._blocked = str(chunk.prompt_feedback.block_reason.value)
        if chunk.usage_metadata:
            self._count(chunk.usage_metadata)
        for candidate in (chunk.candidates or [])[:1]:
            if candidate.finish_reason:
                self._reason = str(candidate.finish_reason.value)
            for part in (candidate.content.parts if candidate.content else None) or []:
                yield from self._read_part(part)

    def finish(self) -> Iterator[Delta]:
        """End the reply.

        Raises:
            Unavailable: The stream stopped without saying why.
        """
        yield from self._close()
        if not self._reason and not self._blocked:
            raise Unavailable("Gemini's answer broke off")
        yield Finish(self._finish_reason(), self._usage, tuple(self.parts), detail=self._detail())

    def _finish_reason(self) -> FinishReason:
        if self._blocked or self._reason in _BLOCKED:
            return FinishReason.BLOCKED
        if self._reason in _MALFORMED:
            return FinishReason.MALFORMED
        if self._reason in _LENGTH:
            return FinishReason.LENGTH
        if self._ids:
            return FinishReason.TOOL_CALLS
        # "OTHER" and reasons yet unknown: a reply if there is one.
        said = self._reason == "STOP" or any(part.get("text") for part in self.parts)
        return FinishReason.STOP if said else FinishReason.MALFORMED

    def _detail(self) -> str:
        return self._blocked or (self._reason if self._reason != "STOP" else "")

    def _count(self, told: types.GenerateContentResponseUsageMetadata) -> None:
        """Keep the latest of the running totals; not every chunk repeats each."""
        given = (told.prompt_token_count or 0) + (told.tool_use_prompt_token_count or 0)
        made = (told.candidates_token_count or 0) + (told.thoughts_token_count or 0)
        self._usage = Usage(
            given or self._usage.input_tokens,
            told.cached_content_token_count or self._usage.cached_input_tokens,
            made or self._usage.output_tokens,
        )

    def _read_part(self, part: types.Part) -> Iterator[Delta]:
        call = part.function_call
        if call is None:
            yield from self._close()
            self.parts.append(_wire_part(part))
            if part.text and not part.thought:
                yield TextDelta(part.text)
        elif call.partial_args or call.will_continue or (self._open and not call.name):
            yield from self._read_partial(part, call)
        else:
            yield from self._close()
            self.parts.append(_wire_part(part))
            id = self._new_id(call.id)
            yield CallStart(id, call.name or "")
            yield ArgumentsDelta(id, json.dumps(call.args or {}, ensure_ascii=False))
            yield CallEnd(id)

    def _read_partial(self, part: types.Part, call: types.FunctionCall) -> Iterator[Delta]:
        """A call that comes in pieces is kept as the whole call it adds up to."""
        if call.name:
            yield from self._close()
            wire = _wire_part(part)
            told = {"name": call.name, **({"id": call.id} if call.id else {})}
            self.parts.append({**wire, "functionCall": told})
            self._open = PartialCall(self._new_id(call.id), told, dict(call.args or {}))
            yield CallStart(self._open.id, call.name)
        if self._open:
            for piece in call.partial_args or []:
                self._open.add(piece)
            if not call.will_continue:
                yield from self._close()

    def _close(self) -> Iterator[Delta]:
        if self._open:
            id, told, arguments = self._open.id, self._open.told, self._open.arguments
            told["args"] = arguments
            yield ArgumentsDelta(id, json.dumps(arguments, ensure_ascii=False))
            yield CallEnd(id)
            self._open = None

    def _new_id(self, id: str | None) -> str:
        if not id or id in self._ids:
            id = f"call_{uuid4().hex[:24]}"
        self._ids.add(id)
        return id


def _wire_part(part: types.Part) -> dict[str, Json]:
    """The part as it came; the SDK itself would write bytes in another base64 alphabet."""
    wire: dict[str, Json] = part.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if part.thought_signature is not None:
        wire["thoughtSignature"] = b64encode(part.thought_signature).decode()
    if part.inline_data and part.inline_data.data is not None:
        wire["inlineData"]["data"] = b64encode(part.inline_data.data).decode()
    return wire
