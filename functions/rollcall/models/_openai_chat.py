"""The Chat Completions API, as OpenAI and the many servers that imitate it speak it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from uuid import uuid4

from msgspec import Struct, field

from rollcall.core.errors import Unavailable
from rollcall.core.messages import Json, Media, Message, ModelMessage, Part, Text, ToolMessage
from rollcall.models._failures import ProviderError
from rollcall.models._json_stream import DONE, count, mapping, sequence, text
from rollcall.models._openai_content import (
    data_url,
    document_text,
    encoded,
    is_strict,
    kept_parts,
    result_text,
)
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

API = "chat"

_KNOWN = {"id", "index", "type", "function"}


def body_of(request: ModelRequest, model: str, *, is_openai: bool) -> bytes:
    """Write a request as the JSON body of `POST /chat/completions`.

    Args:
        request: What to ask.
        model: Whom to ask.
        is_openai: Whether the server is OpenAI's own; others know fewer parameters.
    """
    messages: list[Json] = []
    if request.instructions:
        messages.append({"role": "system", "content": request.instructions})
    for message in request.messages:
        messages += _messages(message, model)
    bound = "max_completion_tokens" if is_openai else "max_tokens"
    body: dict[str, Json] = {
        "model": model,
        "messages": messages,
        bound: request.max_output_tokens,
    }
    if request.streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if is_openai:
        body["store"] = False
        if request.cache_key:
            body["prompt_cache_key"] = request.cache_key
    if request.tools:
        body["tool_choice"] = request.tool_choice
    if (schema := request.response_schema) is not None:
        named = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    nested = (f'{{"type":"function","function":{tool.json_text}}}' for tool in request.tools)
    return encoded(body, nested)


def _messages(message: Message, model: str) -> list[Json]:
    if isinstance(message, ToolMessage):
        return [
            {"role": "tool", "tool_call_id": r.call_id, "content": result_text(r)}
            for r in message.results
        ]
    if not isinstance(message, ModelMessage):
        if all(isinstance(part, Text) for part in message.parts):
            return [{"role": "user", "content": message.text}]
        return [{"role": "user", "content": [_content(part) for part in message.parts]}]
    written: dict[str, Json] = {"role": "assistant", "content": message.text or None}
    extras = sequence(kept_parts(message, API, model).get("extras"))
    if len(extras) != len(message.tool_calls):
        extras = [{}] * len(message.tool_calls)
    if message.tool_calls:
        # Arguments that are no JSON would break the templates of local servers.
        written["tool_calls"] = [
            {
                **mapping(extra),
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments or {})},
            }
            for call, extra in zip(message.tool_calls, extras, strict=True)
        ]
    return [written] if message.text or message.tool_calls else []


def _content(part: Part) -> Json:
    if not isinstance(part, Media):
        return {"type": "text", "text": part.text}
    if part.type == "image":
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    if (words := document_text(part)) is not None:
        return {"type": "text", "text": words}
    file = {"filename": part.name or "document", "file_data": data_url(part)}
    return {"type": "file", "file": file}


def read(events: Iterable[dict[str, Json]], model: str) -> Iterator[Delta]:
    """Read a stream of chunks, or the one completion of a server that does not stream.

    Raises:
        ProviderError: The provider reported a failure.
        Unavailable: The stream stopped without an end.
    """
    reply = _Reply()
    for event in events:
        if event is DONE:
            reply.is_over = True
            break
        if problem := event.get("error"):
            told = mapping(problem) or {"message": text(problem)}
            code = text(told.get("code")) or text(told.get("type"))
            raise ProviderError(code, text(told.get("message")))
        yield from reply.read(event)
    yield from reply.finish(model)


class _Call(Struct):
    """One tool call as it grows."""

    index: Json
    sent_id: str = ""
    id: str = ""
    name: str = ""
    unsent: str = ""
    is_over: bool = False
    extras: dict[str, Json] = field(default_factory=dict)


class _Reply:
    """Gathers one reply: chunks in, deltas out."""

    def __init__(self) -> None:
        self.is_over = False
        self._calls: list[_Call] = []
        self._open: _Call | None = None
        self._why = ""
        self._refused = False
        self._is_torn = False
        self._usage = Usage()

    def read(self, chunk: dict[str, Json]) -> Iterator[Delta]:
        """Take in one chunk, or a whole completion."""
        if told := mapping(chunk.get("usage")):
            cached = mapping(told.get("prompt_tokens_details")).get("cached_tokens")
            self._usage = Usage(
                count(told.get("prompt_tokens")),
                count(cached),
                count(told.get("completion_tokens")),
            )
        choice = mapping(next(iter(sequence(chunk.get("choices"))), None))
        whole = mapping(choice.get("message"))
        delta = mapping(choice.get("delta")) or whole
        for words in (text(delta.get("content")), text(delta.get("refusal"))):
            if words:
                yield TextDelta(words)
        self._refused |= bool(delta.get("refusal"))
        calls = sequence(delta.get("tool_calls"))
        if delta.get("function_call"):  # before there were tools
            calls = [{"index": 0, "function": delta["function_call"]}]
        for place, call in enumerate(calls):
            # A whole message needs no index; some servers send 0 with each of its calls.
            yield from self._read_call(mapping(call), place if whole else None)
        self._why = text(choice.get("finish_reason")) or self._why
        self.is_over |= bool(whole)

    def finish(self, model: str) -> Iterator[Delta]:
        """End the reply.

        Raises:
            Unavailable: Nothing said that it was over.
        """
        yield from self._close()
        if not self._why and not self.is_over:
            raise Unavailable("the model's answer broke off")
        # By place: whoever keeps the reply may have to give its calls other ids.
        extras = [call.extras for call in self._calls if call.id]
        kept = ({"api": API, "model": model, "extras": extras},) if any(extras) else ()
        reason = self._reason()
        detail = "refusal" if self._refused else ""
        if reason in (FinishReason.LENGTH, FinishReason.BLOCKED, FinishReason.MALFORMED):
            detail = detail or self._why
        yield Finish(reason, self._usage, kept, detail=detail)

    def _reason(self) -> FinishReason:
        if self._refused or self._why == "content_filter":
            return FinishReason.BLOCKED
        if self._why == "length":
            return FinishReason.LENGTH
        if self._is_torn or any(not call.name for call in self._calls):
            return FinishReason.MALFORMED
        # Many servers say "stop" after calls, too.
        return FinishReason.TOOL_CALLS if self._calls else FinishReason.STOP

    def _read_call(self, told: dict[str, Json], place: int | None) -> Iterator[Delta]:
        function = mapping(told.get("function"))
        index = told.get("index") if place is None else place
        call = self._find(index, text(told.get("id")), text(function.get("name")))
        if call is not self._open:
            yield from self._close()
            self._is_torn |= call.is_over
            self._open = call
        if call.is_over:
            return
        call.extras.update({k: v for k, v in told.items() if k not in _KNOWN})
        given = function.get("arguments")
        call.unsent += json.dumps(given) if isinstance(given, dict) else text(given)
        if not call.id and (name := text(function.get("name"))):
            taken = {each.id for each in self._calls}
            fresh = not call.sent_id or call.sent_id in taken
            call.id = f"call_{uuid4().hex[:24]}" if fresh else call.sent_id
            call.name = name
            yield CallStart(call.id, name)
        if call.id and call.unsent:
            yield ArgumentsDelta(call.id, call.unsent)
            call.unsent = ""

    def _find(self, index: Json, id: str, name: str) -> _Call:
        """The call a piece belongs to: by index and, as some leave it out or at 0, by id."""
        same = [call for call in self._calls if call.index == index] if index is not None else []
        latest = (same or (self._calls if index is None else []))[-1:]
        begins = bool(latest and name) and (id != latest[0].sent_id if id else index is None)
        if latest and not begins:
            latest[0].sent_id = latest[0].sent_id or id
            return latest[0]
        self._calls.append(_Call(index, id))
        return self._calls[-1]

    def _close(self) -> Iterator[Delta]:
        if self._open and self._open.id and not self._open.is_over:
            self._open.is_over = True
            yield CallEnd(self._open.id)
        self._open = None
