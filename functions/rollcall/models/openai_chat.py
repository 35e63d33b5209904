"""The Chat Completions API, in the dialects of OpenAI and of the many compatible servers.

According to their documentation and to users' reports, the servers differ in where they put
reasoning, how they split calls into pieces, how a reply ends and where they count tokens. Every
dialect is accepted from every server, since few identify themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct, field

from rollcall.core.messages import (
    Json,
    Media,
    Message,
    ModelMessage,
    Part,
    Text,
    ToolMessage,
    UserMessage,
)
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
    finish_reason,
    is_strict,
    own_part,
    result_text,
    unique_id,
)
from rollcall.models.json_stream import DONE, count, mapping, parse_json, sequence, text
from rollcall.models.provider import provider
from rollcall.models.transport import ProviderError, error_of

API = "chat"
PROVIDER = provider("openai")

_KNOWN = {"id", "index", "type", "function"}
_REASONING = ("reasoning_content", "reasoning")
"""Fields that hold a model's reasoning; some servers send a list, `reasoning_details`, instead."""


def body_of(
    request: ModelRequest, model: str, *, is_openai: bool, bound: str = "max_tokens"
) -> bytes:
    """Write a request as the JSON body of `POST /chat/completions`.

    Args:
        request: The request.
        model: The model's name.
        is_openai: Whether the server is OpenAI's own; others support fewer parameters.
        bound: The server's parameter for the most tokens of a reply.
    """
    messages: list[Json] = []
    if request.instructions:
        messages.append({"role": "system", "content": request.instructions})
    places = [i for i, m in enumerate(request.messages) if isinstance(m, UserMessage)]
    for place, message in enumerate(request.messages):
        messages += _messages(message, model, is_current=place > max(places, default=-1))
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
        json_schema = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    nested = (f'{{"type":"function","function":{tool.json_text}}}' for tool in request.tools)
    return encode_body(body, nested)


def _messages(message: Message, model: str, *, is_current: bool) -> list[Json]:
    """Return a message as the API's messages. A reply's reasoning is sent back only in its own turn
    (`is_current`)."""
    if isinstance(message, ToolMessage):
        return [
            {"role": "tool", "tool_call_id": r.call_id, "content": result_text(r)}
            for r in message.results
        ]
    if not isinstance(message, ModelMessage):
        if all(isinstance(part, Text) for part in message.parts):
            return [{"role": "user", "content": message.text}]
        return [{"role": "user", "content": [_content(part) for part in message.parts]}]
    assistant: dict[str, Json] = {"role": "assistant", "content": message.text or None}
    own = own_part(message, PROVIDER.id, API, model)
    extras = sequence(own.get("extras"))
    if len(extras) != len(message.tool_calls):
        extras = [{}] * len(message.tool_calls)
    if message.tool_calls:
        if is_current:
            assistant |= mapping(own.get("reasoning"))
        # Arguments that are not JSON would break the templates of local servers.
        assistant["tool_calls"] = [
            {
                **mapping(extra),
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments or {})},
            }
            for call, extra in zip(message.tool_calls, extras, strict=True)
        ]
    return [assistant] if message.text or message.tool_calls else []


def _content(part: Part) -> Json:
    if not isinstance(part, Media):
        return {"type": "text", "text": part.text}
    if part.type == "image":
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    if (words := document_text(part)) is not None:
        return {"type": "text", "text": words}
    file = {"filename": part.name or "document", "file_data": data_url(part)}
    return {"type": "file", "file": file}


def read(
    events: Iterable[dict[str, Json]], model: str, offered: Collection[str] = ()
) -> Iterator[Delta]:
    """Read a stream of chunks, or the one completion of a server that does not stream.

    Args:
        events: The chunks.
        model: The name of the model that sent them.
        offered: Names of the tools, which distinguish a piece of a name from a name.
    Raises:
        ProviderError: The provider reported a failure.
        BrokenOff: The stream stopped without an end.
    """
    reply = _Reply(offered)
    for event in events:
        if event is DONE:
            reply.is_over = True
            break
        if event.get("error") or event.get("object") == "error":
            raise ProviderError(0, error_of(event))
        yield from reply.read(event)
    yield from reply.finish(model)


class _Call(Struct):
    """One tool call as its pieces arrive."""

    index: Json
    sent_id: str = ""
    id: str = ""
    name: str = ""
    arguments: str = ""
    sent: int = 0
    """The number of characters of the arguments that were yielded."""
    is_over: bool = False
    extras: dict[str, Json] = field(default_factory=dict)


class _Reply:
    """Reads the chunks of one reply and yields its deltas."""

    def __init__(self, offered: Collection[str]) -> None:
        self.is_over = False
        self._offered = offered
        self._calls: list[_Call] = []
        self._begun: list[_Call] = []
        """Calls that were yielded, in this order; one with earlier arguments begins first."""
        self._why = ""
        self._refused = False
        self._has_text = False
        self._reasoning: dict[str, Json] = {}
        self._thought = _ThoughtFilter()
        self._usage = Usage()

    def read(self, chunk: dict[str, Json]) -> Iterator[Delta]:
        """Read one chunk, or a whole completion.

        Raises:
            ProviderError: The chunk reports a failure.
        """
        choice = mapping(next(iter(sequence(chunk.get("choices"))), None))
        if choice.get("error"):
            raise ProviderError(0, error_of(choice))
        for holder in (chunk, mapping(chunk.get("x_groq")), choice):
            if usage := mapping(holder.get("usage")):
                self._usage = usage_of(usage)
        whole = mapping(choice.get("message"))
        delta = mapping(choice.get("delta")) or whole
        self._keep_reasoning(delta)
        self._refused |= bool(delta.get("refusal"))
        words = self._thought.read(text(delta.get("content"))) + text(delta.get("refusal"))
        yield from self._say(words)
        calls = sequence(delta.get("tool_calls"))
        old = mapping(delta.get("function_call"))  # the API's form before `tool_calls`
        if not calls and (old.get("name") or old.get("arguments")):
            calls = [{"index": 0, "function": old}]
        for place, call in enumerate(calls):
            # In a whole message the place is the index; some servers send 0 with every call.
            yield from self._read_call(mapping(call), place if whole else None)
        self._why = text(choice.get("finish_reason")) or self._why
        self.is_over |= bool(whole)

    def finish(self, model: str) -> Iterator[Delta]:
        """End the reply.

        Raises:
            BrokenOff: The reply has no end, or the server reports a failure.
        """
        yield from self._say(self._thought.finish())
        for call in self._calls:
            yield from self._end(call)
        if not self._why and not self.is_over:
            raise BrokenOff("the model's answer broke off")
        # By place, since the calls may get other ids when the reply is stored.
        extras = [call.extras for call in self._begun]
        parts: dict[str, Json] = {"extras": extras} if any(extras) else {}
        if self._reasoning and extras:
            parts["reasoning"] = self._reasoning
        own = ({"api": API, "model": model, **parts},) if parts else ()
        why = self._why.lower().rpartition(" ")[2]  # "function_call_filter: malformed_…"
        reason = finish_reason(why, PROVIDER, has_calls=bool(self._calls), has_text=self._has_text)
        if self._refused:
            reason = FinishReason.BLOCKED
        elif reason is FinishReason.TOOL_CALLS and any(not call.name for call in self._calls):
            reason = FinishReason.MALFORMED
        detail = "refusal" if self._refused else ""
        if reason not in (FinishReason.STOP, FinishReason.TOOL_CALLS):
            detail = detail or self._why
        yield Finish(reason, self._usage, own, detail=detail)

    def _say(self, words: str) -> Iterator[Delta]:
        if words:
            self._has_text = True
            yield TextDelta(words)

    def _keep_reasoning(self, delta: dict[str, Json]) -> None:
        """Keep the model's reasoning in the form in which the server expects it back."""
        if details := sequence(delta.get("reasoning_details")):
            stored: list[Json] = self._reasoning.setdefault("reasoning_details", [])
            for detail in map(mapping, details):
                _add_detail(stored, detail)
            self._reasoning.pop("reasoning", None)  # has the same text
            return
        for key in _REASONING:
            if (words := text(delta.get(key))) and "reasoning_details" not in self._reasoning:
                self._reasoning[key] = self._reasoning.get(key, "") + words

    def _read_call(self, piece: dict[str, Json], place: int | None) -> Iterator[Delta]:
        function = mapping(piece.get("function"))
        name, arguments = text(function.get("name")), function.get("arguments")
        more = json.dumps(arguments) if isinstance(arguments, dict) else text(arguments)
        index = piece.get("index") if place is None else place
        call = self._find(index, text(piece.get("id")), name, more)
        call.extras.update({k: v for k, v in piece.items() if k not in _KNOWN})
        if call.arguments == "{}" and more.startswith("{"):
            call.arguments = ""  # a placeholder, which some gateways send first
        call.arguments += more
        if call.name and not call.id and call.arguments:
            yield from self._start(call)
        # Arguments that do not begin as an object may still be one in another form: see `_end`.
        if call.id and call.arguments.startswith("{") and call.arguments != "{}":
            yield ArgumentsDelta(call.id, call.arguments[call.sent :])
            call.sent = len(call.arguments)

    def _find(self, index: Json, id: str, name: str, more: str) -> _Call:
        """Return the call that a piece belongs to, by index or id, either of which servers may omit
        or repeat."""
        by_id = [call for call in self._calls if id and call.sent_id == id]
        by_index = [call for call in self._calls if index is not None and call.index == index]
        by_both = [call for call in by_index if id and call.sent_id == id]
        # A name at a new index begins a call; without a name the index cannot be trusted.
        is_new = index is not None and bool(name)
        candidates = by_both or by_index or ([] if is_new else by_id or self._calls)
        latest = candidates[-1] if candidates else None
        if latest is not None and not self._begins(latest, id, name, more):
            if name and name != latest.name and not latest.id:
                latest.name += name  # the name arrives in pieces
            latest.sent_id = latest.sent_id or id
            return latest
        self._calls.append(_Call(index, id, name=name))
        return self._calls[-1]

    def _begins(self, latest: _Call, id: str, name: str, more: str) -> bool:
        """Whether a piece that matches `latest` begins another call nevertheless."""
        if not name:
            return False
        if id and latest.sent_id and id != latest.sent_id:
            return True
        if latest.arguments:
            is_whole = latest.arguments != "{}" and _is_whole(latest.arguments)
            return (is_whole and bool(more)) or name != latest.name
        both = latest.name + name
        is_name = latest.name in self._offered and name in self._offered
        return is_name and both not in self._offered and name != latest.name

    def _start(self, call: _Call) -> Iterator[Delta]:
        call.id = unique_id(call.sent_id, {each.id for each in self._begun})
        for other in self._begun:  # a call with complete arguments gets no more pieces
            if _is_whole(other.arguments):
                yield from self._end(other)
        self._begun.append(call)
        yield CallStart(call.id, call.name)

    def _end(self, call: _Call) -> Iterator[Delta]:
        if call.name and not call.id:
            yield from self._start(call)
        if not call.id or call.is_over:
            return
        call.is_over = True
        if more := (_plain(call.arguments) if not call.sent else call.arguments[call.sent :]):
            yield ArgumentsDelta(call.id, more)
        yield CallEnd(call.id)


class _ThoughtFilter:
    """Removes `<think>…</think>` from the beginning of a reply's text."""

    def __init__(self) -> None:
        self._buffer = ""
        self._state = "start"

    def read(self, piece: str) -> str:
        """Take the next piece; return the text of the answer that is now certain."""
        if self._state == "answer":
            return piece
        self._buffer += piece
        if self._state == "start":
            start = self._buffer.lstrip()
            if start.startswith("<think>"):
                self._state = "thought"
            elif "<think>".startswith(start):
                return ""
            else:
                return self.finish()
        _, end, after = self._buffer.partition("</think>")
        if not end:
            return ""
        self._state, self._buffer = ("start" if not after.strip() else "answer"), ""
        return self.read(after.lstrip()) if after.strip() else ""

    def finish(self) -> str:
        """Return the buffered text; a thought without an end is not part of the answer."""
        rest = "" if self._state == "thought" else self._buffer
        self._state, self._buffer = "answer", ""
        return rest


def usage_of(usage: dict[str, Json]) -> Usage:
    """Return the tokens of a reply. Some servers count reasoning only in the total, not in the
    output."""
    details = mapping(usage.get("prompt_tokens_details"))
    cached = max(
        0,
        count(details.get("cached_tokens")),
        count(usage.get("prompt_cache_hit_tokens")),
        count(usage.get("cached_tokens")),
    )
    prompt = max(count(usage.get("prompt_tokens")), 0)
    output = max(
        count(usage.get("completion_tokens")), count(usage.get("total_tokens")) - prompt, 0
    )
    cache_write = max(count(details.get("cache_write_tokens")), 0)
    return Usage(prompt, min(cached, prompt), output, cache_write)


def _add_detail(details: list[Json], detail: dict[str, Json]) -> None:
    """Add a piece of a reasoning part to the part that it continues, or as a part of its own."""
    last = mapping(details[-1]) if details else {}
    same = ("type", "index")
    if not last or any(last.get(key) != detail.get(key) for key in same) or not detail.get("type"):
        details.append(detail)
        return
    joined = {key: value for key, value in detail.items() if value is not None}
    for key in ("text", "summary", "data"):
        if isinstance(last.get(key), str) and isinstance(joined.get(key), str):
            joined[key] = last[key] + joined[key]
    details[-1] = {**last, **joined}


def _is_whole(arguments: str) -> bool:
    return bool(re.search(r"\}\s*$", arguments)) and isinstance(parse_json(arguments), dict)


def _plain(arguments: str) -> str:
    """Return arguments that did not begin as an object as JSON text: they may be empty, null, or an
    object encoded twice."""
    value: Json = arguments.strip()
    for _ in range(3):
        value = parse_json(value, arguments) if isinstance(value, str) and value.strip() else value
    if value in (None, ""):
        return "{}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else arguments
