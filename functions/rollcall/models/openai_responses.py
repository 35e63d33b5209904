"""OpenAI's Responses API: writes requests and reads replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from rollcall.core.messages import Json, Media, Message, ModelMessage, Part, ToolMessage
from rollcall.models.base import (
    ArgumentsDelta,
    BrokenOff,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.models.content import (
    data_url,
    document_text,
    encode_body,
    is_strict,
    own_part,
    result_text,
    unique_id,
)
from rollcall.models.json_stream import count, mapping, rest_of, sequence, text
from rollcall.models.transport import ProviderError, error_of

API = "responses"
PROVIDER = "openai"

_CALL_INPUTS = {"function_call": "arguments", "custom_tool_call": "input"}
_ENDS = {"response.completed", "response.incomplete", "response.failed", "response.cancelled"}


def body_of(request: ModelRequest, model: str) -> bytes:
    """Write a request as the JSON body of `POST /responses`."""
    body: dict[str, Json] = {
        "model": model,
        "input": [item for m in request.messages for item in _items(m, model)],
        "max_output_tokens": request.max_output_tokens,
        "store": False,
    }
    if request.instructions:
        body["instructions"] = request.instructions
    if not re.search(r"gpt-[34]|chat", model):
        # Needed to send reasoning back while nothing is stored; other models refuse the parameter.
        body["include"] = ["reasoning.encrypted_content"]
    if request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    if request.streamed:
        body["stream"] = True
    if request.tools:
        body["tool_choice"] = request.tool_choice
        body["parallel_tool_calls"] = True
    if (schema := request.response_schema) is not None:
        json_schema = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
        body["text"] = {"format": {"type": "json_schema", **json_schema}}
    flat = ('{"type":"function","strict":false,' + tool.json_text[1:] for tool in request.tools)
    return encode_body(body, flat)


def items_fit(items: Json, reply: ModelMessage) -> bool:
    """Whether stored items hold exactly a reply's calls, by their ids or, since ids may have been
    replaced, by their order. Calls of OpenAI's own tools do not count."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return False
    own = [item for item in items if item.get("type") in _CALL_INPUTS]
    ids = [str(item.get("call_id")) for item in own]
    if len(ids) == len(reply.tool_calls) and {*ids} == {call.id for call in reply.tool_calls}:
        return True
    return [item.get("name") for item in own] == [call.name for call in reply.tool_calls]


def _items(message: Message, model: str) -> list[Json]:
    """Return a message as input items. A reply of this model is sent back as it came, but with the
    current ids of its calls."""
    if isinstance(message, ToolMessage):
        # Results of custom tools have another type, but we offer none: all calls are functions.
        return [
            {"type": "function_call_output", "call_id": r.call_id, "output": result_text(r)}
            for r in message.results
        ]
    if not isinstance(message, ModelMessage):
        return [{"role": "user", "content": [_content(part) for part in message.parts]}]
    own = [mapping(i) for i in sequence(own_part(message, PROVIDER, API, model).get("items"))]
    if own and items_fit(own, message):
        places = [i for i, item in enumerate(own) if item.get("type") in _CALL_INPUTS]
        if {own[i].get("call_id") for i in places} != {call.id for call in message.tool_calls}:
            for i, call in zip(places, message.tool_calls, strict=True):
                own[i] = {**own[i], "call_id": call.id}
        return own
    items: list[Json] = [{"role": "assistant", "content": message.text}] if message.text else []
    for call in message.tool_calls:
        arguments = call.arguments_text if call.arguments is None else json.dumps(call.arguments)
        head = {"type": "function_call", "call_id": call.id, "name": call.name}
        items.append({**head, "arguments": arguments})
    return items


def _content(part: Part) -> Json:
    if not isinstance(part, Media):
        return {"type": "input_text", "text": part.text}
    if part.type == "image":
        return {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
    if (words := document_text(part)) is not None:
        return {"type": "input_text", "text": words}
    return {
        "type": "input_file",
        "filename": part.name or "document",
        "file_data": data_url(part),
    }


def read(events: Iterable[dict[str, Json]], model: str) -> Iterator[Delta]:
    """Read a stream of events, or the one object of a server that does not stream.

    Raises:
        ProviderError: The provider reported a failure.
        BrokenOff: The stream stopped without an end.
    """
    reply = _Reply()
    for event in events:
        kind = text(event.get("type"))
        if not kind and (event.get("object") == "response" or "output" in event):
            kind, event = "response.completed", {"response": event}
        if event.get("error") or kind == "error":
            raise ProviderError(0, error_of(event))
        if kind in _ENDS:
            yield from reply.finish(mapping(event.get("response")), kind, model)
            return
        yield from reply.read(kind, event)
    raise BrokenOff("the model's answer broke off")


class _Item(Struct):
    """One output item, and how much of it was yielded."""

    index: Json
    type: Json
    ids: set[Json]
    sent_id: Json = ""
    call_id: str = ""
    sent: str = ""
    is_over: bool = False
    whole: dict[str, Json] = field(default_factory=dict)
    texts: dict[Json, str] = field(default_factory=dict)


class _Reply:
    """Reads the events of one reply and yields its deltas. Each text is yielded once, although
    deltas, their ends and the final response repeat it."""

    def __init__(self) -> None:
        self._items: list[_Item] = []
        self._refused = False

    def read(self, kind: str, event: dict[str, Json]) -> Iterator[Delta]:
        """Read one event; irrelevant kinds are ignored."""
        data = mapping(event.get("item"))
        if kind == "response.output_item.added":
            yield from self._start(self._item(event, data), data)
        elif kind == "response.output_item.done":
            yield from self._end(self._item(event, data), data)
        name, _, step = kind.rpartition(".")
        if step not in ("delta", "done"):
            return
        if name.endswith(("call_arguments", "tool_call_input")):
            item = self._item(event, data)
            whole = text(event.get("arguments") or event.get("input"))
            more = text(event.get("delta")) or rest_of(whole, item.sent)
            if item.call_id and not item.is_over and more:
                item.sent += more
                yield ArgumentsDelta(item.call_id, more)
        elif name in ("response.output_text", "response.refusal"):
            self._refused |= name == "response.refusal"
            item, place = self._item(event, data), count(event.get("content_index"))
            whole = text(event.get("text") or event.get("refusal"))
            if step == "delta":
                whole = item.texts.get(place, "") + text(event.get("delta"))
            yield from self._say(item, place, whole)

    def finish(self, response: dict[str, Json], kind: str, model: str) -> Iterator[Delta]:
        """End the reply with the content of the final response."""
        if kind == "response.failed" or response.get("status") == "failed":
            raise ProviderError(0, mapping(response.get("error")))
        if kind == "response.cancelled" or response.get("status") == "cancelled":
            raise BrokenOff("the model's answer was cancelled by its server")
        output = [mapping(item) for item in sequence(response.get("output"))]
        for index, data in enumerate(output):
            yield from self._end(self._item({"output_index": index}, data), data)
        for item in self._items:
            yield from self._close(item)
        output = output or [item.whole for item in self._items if item.whole]
        while output and output[-1].get("type") == "reasoning":
            output.pop()  # the API refuses reasoning without the item that follows it
        own = ({"api": API, "model": model, "items": output},) if output else ()
        why = text(mapping(response.get("incomplete_details")).get("reason"))
        if kind == "response.incomplete" or response.get("status") == "incomplete":
            why = why or "incomplete"
        if why == "content_filter" or self._refused:
            reason = FinishReason.BLOCKED
        elif why:
            reason = FinishReason.LENGTH
        else:
            calls = any(item.call_id for item in self._items)
            reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        detail = why or ("refusal" if reason is FinishReason.BLOCKED else "")
        usage = mapping(response.get("usage"))
        details = mapping(usage.get("input_tokens_details"))
        tokens = Usage(
            count(usage.get("input_tokens")),
            count(details.get("cached_tokens")),
            count(usage.get("output_tokens")),
            count(details.get("cache_write_tokens")),
        )
        yield Finish(reason, tokens, own, detail=detail)

    def _item(self, event: dict[str, Json], data: dict[str, Json]) -> _Item:
        """Find or create an item, by its ids or, since some servers change or repeat those, by its
        place."""
        index, type, call_id = event.get("output_index"), data.get("type"), data.get("call_id")
        ids = {data.get("id"), event.get("item_id")} - {None, ""}
        begins = event.get("type") == "response.output_item.added"
        same_id = [item for item in self._items if ids & item.ids]
        placed = [item for item in self._items if index is not None and item.index == index]
        alike = [
            item
            for item in placed
            if (type == item.type or None in (type, item.type))
            and not (call_id and item.sent_id and call_id != item.sent_id)
        ]
        if begins and index is not None:  # the same id at another place belongs to another item
            same_id = [item for item in same_id if item.index in (None, index)]
        same_call = [item for item in self._items if call_id and item.sent_id == call_id]
        same_call = same_call if None in (index, *(item.index for item in same_call)) else []
        # Of several items with an id, the one at this place, or the first that is not done.
        same_id.sort(key=lambda item: (item.index != index, bool(item.whole)))
        if found := next(iter((*same_id, *alike, *same_call)), None):
            found.ids |= ids
            found.index = index if found.index is None else found.index
            return found
        self._items.append(_Item(index, type, ids, call_id or ""))
        return self._items[-1]

    def _start(self, item: _Item, data: dict[str, Json]) -> Iterator[Delta]:
        if data.get("type") in _CALL_INPUTS and not item.call_id:
            taken = {each.call_id for each in self._items}
            item.call_id = unique_id(text(data.get("call_id")), taken)
            yield CallStart(item.call_id, text(data.get("name")))

    def _end(self, item: _Item, data: dict[str, Json]) -> Iterator[Delta]:
        if item.whole or item.is_over or not data:
            return
        item.whole = data
        yield from self._start(item, data)
        if item.call_id:
            arguments = data.get(_CALL_INPUTS.get(text(data.get("type")), ""))
            whole = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
            if more := rest_of(whole, item.sent):
                yield ArgumentsDelta(item.call_id, more)
            yield from self._close(item)
        elif data.get("type") == "message":
            for place, part in enumerate(map(mapping, sequence(data.get("content")))):
                self._refused |= part.get("type") == "refusal"
                whole = text(part.get("text") or part.get("refusal"))
                yield from self._say(item, place, whole)

    def _close(self, item: _Item) -> Iterator[Delta]:
        if item.call_id and not item.is_over:
            item.is_over = True
            yield CallEnd(item.call_id)

    def _say(self, item: _Item, place: Json, whole: str) -> Iterator[Delta]:
        if more := rest_of(whole, item.texts.get(place, "")):
            item.texts[place] = whole
            yield TextDelta(more)
