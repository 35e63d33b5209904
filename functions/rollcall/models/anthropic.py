"""Anthropic's models, `anthropic:<model>`, through the Messages API.

`ANTHROPIC_API_KEY` holds the key, and `ANTHROPIC_BASE_URL` may name another URL. The model decides
whether it thinks. Its thinking is sent back unchanged, since the API refuses a tool's result
without the thinking that led to the call. Nothing is retried here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from rollcall.core.messages import Json, Media, Message, ModelMessage, Part, ToolMessage
from rollcall.models.base import (
    ArgumentsDelta,
    BrokenOff,
    CallEnd,
    CallStart,
    Clock,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.models.content import document_text, encode_body, finish_reason, own_part, unique_id
from rollcall.models.failures import translate_failures
from rollcall.models.json_stream import count, mapping, parse_json, sequence, text
from rollcall.models.provider import provider
from rollcall.models.transport import ProviderError, error_of, post

PROVIDER = provider("anthropic")
API = "messages"
API_VERSION = "2023-06-01"
PAUSES = 3
"""How often a reply that the API paused is continued."""

_CACHED: dict[str, Json] = {"type": "ephemeral"}
_NO_SCHEMA_WORDS = {
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
    "uniqueItems",
}
"""Schema keywords that structured output refuses; the caller validates the result anyway."""


class Model:
    """A Claude model that streams text and calls tools."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER.id}:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once; see `rollcall.models.base`."""
        clock = Clock(request.deadline)
        key = PROVIDER.needed_key() if PROVIDER.is_own() else PROVIDER.key()
        deltas = self._stream(request, clock, key)
        yield from translate_failures(deltas, self.id, clock)

    def _stream(self, request: ModelRequest, clock: Clock, key: str) -> Iterator[Delta]:
        headers = {"anthropic-version": API_VERSION, **({"x-api-key": key} if key else {})}
        reply = _Reply(self.name)
        for left in range(PAUSES, -1, -1):
            body = body_of(request, self.name, so_far=reply.content())
            with post(f"{PROVIDER.base_url()}/v1/{API}", body, headers, clock) as response:
                yield from reply.read(response.events())
                response.drain()
            if reply.reason != "pause_turn" or not left:
                break
        yield from reply.finish()


def parts_fit(parts: Sequence[dict[str, Json]], reply: ModelMessage) -> bool:
    """Whether provider parts hold a reply's calls, by their order, since ids may have been
    replaced."""
    blocks = [mapping(each) for part in parts for each in sequence(part.get("content"))]
    calls = [block.get("name") for block in blocks if block.get("type") == "tool_use"]
    return not parts or calls == [call.name for call in reply.tool_calls]


def body_of(request: ModelRequest, model: str, *, so_far: Iterable[Json] = ()) -> bytes:
    """Write a request as the JSON body of `POST /v1/messages`.

    The cache has a breakpoint at the end of the instructions, which covers the tools as well, and
    one at the end of the last message, so that the turn's next step reads this whole request from
    the cache.

    Args:
        request: The request.
        model: The model's name.
        so_far: Content of a reply that was paused.
    """
    messages: list[dict[str, Json]] = [
        {"role": "assistant" if isinstance(each, ModelMessage) else "user", "content": content}
        for each in request.messages
        if (content := _content(each, model))
    ]
    if messages and (blocks := messages[-1]["content"]):
        messages[-1]["content"] = [*blocks[:-1], {**mapping(blocks[-1]), "cache_control": _CACHED}]
    if paused := list(so_far):
        messages.append({"role": "assistant", "content": paused})
    body: dict[str, Json] = {
        "model": model,
        "max_tokens": request.max_output_tokens,
        "messages": messages,
    }
    instructions = request.instructions
    if (schema := request.response_schema) is not None:
        if (closed := _closed(schema)) is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": closed}}
        else:
            wanted = json.dumps(schema, ensure_ascii=False)
            instructions += f"\n\nAnswer with one JSON object alone, which fits the schema {wanted}"
    if instructions.strip():
        body["system"] = [{"type": "text", "text": instructions, "cache_control": _CACHED}]
    if request.streamed:
        body["stream"] = True
    if request.tools:
        body["tool_choice"] = {"type": request.tool_choice}
    return encode_body(body, (tool.json_form("input_schema") for tool in request.tools))


def _content(message: Message, model: str) -> list[dict[str, Json]]:
    """Return a message's content blocks. A reply of this model is sent back unchanged."""
    if isinstance(message, ToolMessage):
        return [
            {
                "type": "tool_result",
                "tool_use_id": _id(result.call_id),
                "content": result.content or "(nothing)",
                **({"is_error": True} if result.is_error else {}),
            }
            for result in message.results
        ]
    if not isinstance(message, ModelMessage):
        blocks = [block for part in message.parts if (block := _block(part))]
        return blocks or [{"type": "text", "text": "(nothing)"}]  # an empty message is refused
    own = [mapping(b) for b in sequence(own_part(message, PROVIDER.id, API, model).get("content"))]
    places = [i for i, block in enumerate(own) if block.get("type") == "tool_use"]
    if own and parts_fit(message.provider_parts, message):
        for i, call in zip(places, message.tool_calls, strict=True):
            own[i] = {**own[i], "id": _id(call.id)}
        return own
    content: list[dict[str, Json]] = []
    if message.text.strip():
        content.append({"type": "text", "text": message.text.rstrip()})
    for call in message.tool_calls:
        head = {"type": "tool_use", "id": _id(call.id), "name": call.name}
        content.append({**head, "input": call.arguments or {}})
    return content


def _block(part: Part) -> dict[str, Json] | None:
    if not isinstance(part, Media):
        return {"type": "text", "text": part.text} if part.text.strip() else None
    if part.type == "image":
        return {"type": "image", "source": _source(part)}
    if (words := document_text(part)) is not None:
        return {"type": "text", "text": words}
    title = {"title": part.name} if part.name else {}
    return {"type": "document", "source": _source(part), **title}


def _source(media: Media) -> dict[str, Json]:
    return {"type": "base64", "media_type": media.media_type, "data": media.data}


def _id(id: str) -> str:
    """Return a call's id in the characters that the API allows; other providers use more."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", id)


def _closed(schema: Json) -> Json:
    """Return a schema as structured output accepts it; None if it has objects with arbitrary
    keys."""
    if isinstance(schema, list):
        each = [_closed(value) for value in schema]
        return None if None in each else each
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Json] = {}
    for key, value in schema.items():
        if key in _NO_SCHEMA_WORDS or (key == "minItems" and value not in (0, 1)):
            continue
        if key in ("properties", "$defs", "definitions"):
            found[key] = {name: _closed(each) for name, each in value.items()}
            if None in found[key].values():
                return None
        elif key in ("enum", "const", "default", "examples"):
            found[key] = value
        elif value is not None and (found := {**found, key: _closed(value)})[key] is None:
            return None
    if found.get("type") == "object":
        if "properties" not in found or isinstance(found.get("additionalProperties"), dict):
            return None
        found["additionalProperties"] = False
    return found


class _Block(Struct):
    """A content block as its pieces arrive; `json` is the text of a call's arguments."""

    value: dict[str, Json]
    call_id: str = ""
    json: str = ""


class _Reply:
    """Reads the events of one reply, over all its pauses, and yields its deltas."""

    def __init__(self, model: str) -> None:
        self.reason = ""
        self._model = model
        self._detail = ""
        self._ids: set[str] = set()
        self._blocks: list[_Block] = []
        self._places: dict[Json, _Block] = {}
        self._counted: list[dict[str, Json]] = []
        """The counts of each part of the reply, up to a pause or its end."""

    def read(self, events: Iterable[dict[str, Json]]) -> Iterator[Delta]:
        """Read a stream of events, or the single message of a request without streaming.

        Raises:
            ProviderError: The provider reported a failure.
            BrokenOff: The stream stopped without an end.
        """
        self.reason, self._places = "", {}
        self._counted.append({})
        is_over = False
        for event in events:
            kind = event.get("type")
            if kind == "error" or event.get("error"):
                raise ProviderError(0, error_of(event))
            if kind == "message":
                yield from self._whole(event)
                is_over = True
            elif kind == "message_start":
                self._count(mapping(event.get("message")))
            elif kind == "content_block_start":
                yield from self._start(event.get("index"), mapping(event.get("content_block")))
            elif kind == "content_block_delta":
                yield from self._add(event.get("index"), mapping(event.get("delta")))
            elif kind == "content_block_stop":
                yield from self._end(event.get("index"))
            elif kind == "message_delta":
                self._stop(mapping(event.get("delta")))
                self._count(event)
            elif kind == "message_stop":
                is_over = True
            if is_over:
                break
        for index in list(self._places):
            yield from self._end(index)
        if not is_over or not self.reason:
            raise BrokenOff("Anthropic's answer broke off")

    def content(self) -> list[Json]:
        """Return the blocks so far, as they are sent back: with calls' arguments, without empty
        texts."""
        content: list[Json] = []
        for block in self._blocks:
            value = block.value
            if block.call_id:
                arguments = mapping(parse_json(block.json))
                content.append({**value, "id": block.call_id, "input": arguments})
            elif value.get("type") != "text":
                content.append(value)
            elif text(value.get("text")).strip():
                content.append({"type": "text", "text": value["text"]})
        return content

    def finish(self) -> Iterator[Delta]:
        """End the reply."""
        content = self.content()
        while content and content[-1].get("type") in ("thinking", "redacted_thinking"):
            content.pop()  # the API refuses thinking without the block that follows it
        parts = ({"api": API, "model": self._model, "content": content},) if content else ()
        reason = finish_reason(
            self.reason,
            PROVIDER,
            has_calls=any(block.call_id for block in self._blocks),
            has_text=any(block.value.get("text") for block in self._blocks),
        )
        is_plain = reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)
        yield Finish(reason, _usage(self._counted), parts, detail="" if is_plain else self._detail)

    def _whole(self, message: dict[str, Json]) -> Iterator[Delta]:
        for index, block in enumerate(map(mapping, sequence(message.get("content")))):
            yield from self._start(index, {**block, "text": ""} if "text" in block else block)
            if words := text(block.get("text")):
                yield from self._add(index, {"type": "text_delta", "text": words})
            yield from self._end(index)
        self._stop(message)
        self._count(message)

    def _start(self, index: Json, value: dict[str, Json]) -> Iterator[Delta]:
        yield from self._end(index)
        block = self._places[index] = _Block(value)
        self._blocks.append(block)
        if value.get("type") == "tool_use":
            block.call_id = unique_id(text(value.get("id")), self._ids)
            yield CallStart(block.call_id, text(value.get("name")))
        elif words := text(value.get("text")):
            yield TextDelta(words)

    def _add(self, index: Json, delta: dict[str, Json]) -> Iterator[Delta]:
        block = self._places.get(index)
        if block is None:
            raise BrokenOff("Anthropic sent more of a block that had not begun")
        kind = delta.get("type")
        if kind == "input_json_delta":
            more = text(delta.get("partial_json"))
            block.json += more
            if block.call_id and more:
                yield ArgumentsDelta(block.call_id, more)
            return
        for key in ("text", "thinking", "signature"):
            if kind == f"{key}_delta":
                more = text(delta.get(key))
                block.value = {**block.value, key: text(block.value.get(key)) + more}
                if key == "text" and more:
                    yield TextDelta(more)

    def _end(self, index: Json) -> Iterator[Delta]:
        block = self._places.pop(index, None)
        if block is None or not block.call_id:
            return
        if not block.json:
            block.json = json.dumps(mapping(block.value.get("input")), ensure_ascii=False)
            yield ArgumentsDelta(block.call_id, block.json)
        yield CallEnd(block.call_id)

    def _stop(self, message: dict[str, Json]) -> None:
        self.reason = text(message.get("stop_reason")) or self.reason
        why = text(mapping(message.get("stop_details")).get("category"))
        self._detail = f"{self.reason}: {why}" if why else self.reason

    def _count(self, message: dict[str, Json]) -> None:
        """Keep the latest running totals; an event need not have all of them."""
        usage = mapping(message.get("usage"))
        self._counted[-1] |= {key: value for key, value in usage.items() if value is not None}


def _usage(counted: list[dict[str, Json]]) -> Usage:
    """Return the tokens of a reply; the API counts cached ones separately from other input."""
    cached = sum(count(each.get("cache_read_input_tokens")) for each in counted)
    written = sum(count(each.get("cache_creation_input_tokens")) for each in counted)
    caches = [mapping(each.get("cache_creation")) for each in counted]
    long = sum(count(cache.get("ephemeral_1h_input_tokens")) for cache in caches)
    total = sum(count(each.get("input_tokens")) for each in counted) + cached + written
    output = sum(count(each.get("output_tokens")) for each in counted)
    return Usage(total, cached, output, written, min(long, written))
