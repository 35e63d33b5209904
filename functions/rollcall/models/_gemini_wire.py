"""What goes to Gemini and what comes back, as the JSON of its API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

from rollcall.core.errors import Unavailable
from rollcall.core.messages import Json, Media, Message, ModelMessage, ToolMessage, ToolResult
from rollcall.models._gemini_partial import PartialCall
from rollcall.models._json_stream import count, mapping, sequence, text
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    Usage,
)

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
_JOINED = ({"text"}, {"text", "thought"})
"""The keys of parts that are one part in pieces."""


def body_of(request: ModelRequest, model: str) -> dict[str, Json]:
    """Write a request as the JSON body of `:generateContent`."""
    generation: dict[str, Json] = {"maxOutputTokens": request.max_output_tokens}
    if request.response_schema is not None:
        generation["responseMimeType"] = "application/json"
        generation["responseJsonSchema"] = request.response_schema
    body: dict[str, Json] = {
        "contents": contents_of(request.messages, model),
        "generationConfig": generation,
        "store": False,
    }
    if request.instructions:
        body["systemInstruction"] = {"role": "user", "parts": [{"text": request.instructions}]}
    if request.tools:
        declarations = [
            {
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": tool.parameters,
            }
            for tool in request.tools
        ]
        body["tools"] = [{"functionDeclarations": declarations}]
        calling = {"mode": request.tool_choice.upper()}
        body["toolConfig"] = {"functionCallingConfig": calling}
    return body


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
    """Gathers one reply: its chunks, or the whole of it, in; deltas out."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Json]] = []
        self._reason = ""
        self._blocked = ""
        self._usage = Usage()
        self._ids: set[str] = set()
        self._open: PartialCall | None = None

    def read(self, chunk: dict[str, Json]) -> Iterator[Delta]:
        """Take one chunk in.

        Raises:
            Unavailable: It calls a tool without a name.
        """
        feedback = mapping(chunk.get("promptFeedback"))
        self._blocked = text(feedback.get("blockReason")) or self._blocked
        if told := mapping(chunk.get("usageMetadata")):
            self._count(told)
        for candidate in map(mapping, sequence(chunk.get("candidates"))[:1]):
            self._reason = text(candidate.get("finishReason")) or self._reason
            for part in sequence(mapping(candidate.get("content")).get("parts")):
                if part := mapping(part):
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

    def _count(self, told: dict[str, Json]) -> None:
        """Keep the latest of the running totals; not every chunk repeats each."""
        given = count(told.get("promptTokenCount")) + count(told.get("toolUsePromptTokenCount"))
        made = count(told.get("candidatesTokenCount")) + count(told.get("thoughtsTokenCount"))
        self._usage = Usage(
            given or self._usage.input_tokens,
            count(told.get("cachedContentTokenCount")) or self._usage.cached_input_tokens,
            made or self._usage.output_tokens,
        )

    def _read_part(self, part: dict[str, Json]) -> Iterator[Delta]:
        if "functionCall" not in part:
            yield from self._close()
            self._keep(part)
            if (said := text(part.get("text"))) and not part.get("thought"):
                yield TextDelta(said)
            return
        call = mapping(part["functionCall"])
        name = text(call.get("name"))
        if call.get("partialArgs") or call.get("willContinue") or (self._open and not name):
            yield from self._read_partial(part, call)
        elif not name:
            raise Unavailable("Gemini called a tool without a name")
        else:
            yield from self._close()
            self.parts.append(part)
            id = self._new_id(text(call.get("id")))
            yield CallStart(id, name)
            yield ArgumentsDelta(id, json.dumps(call.get("args") or {}, ensure_ascii=False))
            yield CallEnd(id)

    def _keep(self, part: dict[str, Json]) -> None:
        """Keep a part; a text in pieces becomes one again, as in a reply that was not streamed. A
        part with a signature, or with anything else, stays by itself."""
        last = self.parts[-1] if self.parts else {}
        alike = part.keys() == last.keys() and part.get("thought") == last.get("thought")
        if alike and part.keys() in _JOINED:
            self.parts[-1] = {**last, "text": text(last["text"]) + text(part["text"])}
        else:
            self.parts.append(part)

    def _read_partial(self, part: dict[str, Json], call: dict[str, Json]) -> Iterator[Delta]:
        """A call that comes in pieces is kept as the whole call it adds up to."""
        if name := text(call.get("name")):
            yield from self._close()
            id = text(call.get("id"))
            told = {"name": name, **({"id": id} if id else {})}
            self.parts.append({**part, "functionCall": told})
            self._open = PartialCall(self._new_id(id), told, dict(mapping(call.get("args"))))
            yield CallStart(self._open.id, name)
        if self._open:
            for piece in sequence(call.get("partialArgs")):
                self._open.add(mapping(piece))
            if not call.get("willContinue"):
                yield from self._close()

    def _close(self) -> Iterator[Delta]:
        if self._open:
            id, told, arguments = self._open.id, self._open.told, self._open.arguments
            told["args"] = arguments
            yield ArgumentsDelta(id, json.dumps(arguments, ensure_ascii=False))
            yield CallEnd(id)
            self._open = None

    def _new_id(self, id: str) -> str:
        if not id or id in self._ids:
            id = f"call_{uuid4().hex[:24]}"
        self._ids.add(id)
        return id
