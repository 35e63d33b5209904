"""The Chat Completions API, as OpenAI and the many servers that imitate it speak it.

What those differ in, by what their documentation says and what people reported of them: where
reasoning stands, how calls are cut into pieces, how a reply ends, where tokens are counted. All of
it is read from any server, since few say which one they are.
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
    encoded,
    finish_reason,
    is_strict,
    kept_parts,
    result_text,
    unique_id,
)
from rollcall.models.json_stream import DONE, count, mapping, parsed, sequence, text
from rollcall.models.provider import provider
from rollcall.models.transport import ProviderError, error_of

API = "chat"
PROVIDER = provider("openai")

_KNOWN = {"id", "index", "type", "function"}
_REASONING = ("reasoning_content", "reasoning")
"""Where servers write what a model thought; `reasoning_details` is a list of such parts."""


def body_of(
    request: ModelRequest, model: str, *, is_openai: bool, bound: str = "max_tokens"
) -> bytes:
    """Write a request as the JSON body of `POST /chat/completions`.

    Args:
        request: What to ask.
        model: Whom to ask.
        is_openai: Whether the server is OpenAI's own; others know fewer parameters.
        bound: What the server calls the bound on a reply's tokens.
    """
    messages: list[Json] = []
    if request.instructions:
        messages.append({"role": "system", "content": request.instructions})
    places = [i for i, m in enumerate(request.messages) if isinstance(m, UserMessage)]
    for place, message in enumerate(request.messages):
        messages += _messages(message, model, thinks_on=place > max(places, default=-1))
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


def _messages(message: Message, model: str, *, thinks_on: bool) -> list[Json]:
    """A message as the API's; a reply's reasoning goes back while its turn lasts (`thinks_on`)."""
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
    kept = kept_parts(message, PROVIDER.id, API, model)
    extras = sequence(kept.get("extras"))
    if len(extras) != len(message.tool_calls):
        extras = [{}] * len(message.tool_calls)
    if message.tool_calls:
        if thinks_on:
            written |= mapping(kept.get("reasoning"))
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


def read(
    events: Iterable[dict[str, Json]], model: str, offered: Collection[str] = ()
) -> Iterator[Delta]:
    """Read a stream of chunks, or the one completion of a server that does not stream.

    Args:
        events: The chunks.
        model: Whom they are of.
        offered: Names of the tools; they tell pieces of a name from names.
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
    """One tool call as it grows."""

    index: Json
    sent_id: str = ""
    id: str = ""
    name: str = ""
    arguments: str = ""
    sent: int = 0
    """Characters of the arguments that were passed on."""
    is_over: bool = False
    extras: dict[str, Json] = field(default_factory=dict)


class _Reply:
    """Gathers one reply: chunks in, deltas out."""

    def __init__(self, offered: Collection[str]) -> None:
        self.is_over = False
        self._offered = offered
        self._calls: list[_Call] = []
        self._why = ""
        self._refused = False
        self._has_text = False
        self._reasoning: dict[str, Json] = {}
        self._thought = _ThoughtFilter()
        self._usage = Usage()

    def read(self, chunk: dict[str, Json]) -> Iterator[Delta]:
        """Take in one chunk, or a whole completion.

        Raises:
            ProviderError: It tells of a failure.
        """
        choice = mapping(next(iter(sequence(chunk.get("choices"))), None))
        if choice.get("error"):
            raise ProviderError(0, error_of(choice))
        for told in (chunk, mapping(chunk.get("x_groq")), choice):
            if usage := mapping(told.get("usage")):
                self._usage = usage_of(usage)
        whole = mapping(choice.get("message"))
        delta = mapping(choice.get("delta")) or whole
        self._keep_reasoning(delta)
        self._refused |= bool(delta.get("refusal"))
        words = self._thought.read(text(delta.get("content"))) + text(delta.get("refusal"))
        yield from self._say(words)
        calls = sequence(delta.get("tool_calls"))
        old = mapping(delta.get("function_call"))  # before there were tools
        if not calls and (old.get("name") or old.get("arguments")):
            calls = [{"index": 0, "function": old}]
        for place, call in enumerate(calls):
            # A whole message needs no index; some servers send 0 with each of its calls.
            yield from self._read_call(mapping(call), place if whole else None)
        self._why = text(choice.get("finish_reason")) or self._why
        self.is_over |= bool(whole)

    def finish(self, model: str) -> Iterator[Delta]:
        """End the reply.

        Raises:
            BrokenOff: Nothing said that it was over, or the server says that it failed.
        """
        yield from self._say(self._thought.finish())
        for call in self._calls:
            yield from self._end(call)
        if not self._why and not self.is_over:
            raise BrokenOff("the model's answer broke off")
        # By place: whoever keeps the reply may have to give its calls other ids.
        extras = [call.extras for call in self._calls if call.id]
        parts: dict[str, Json] = {"extras": extras} if any(extras) else {}
        if self._reasoning and extras:
            parts["reasoning"] = self._reasoning
        kept = ({"api": API, "model": model, **parts},) if parts else ()
        why = self._why.lower().rpartition(" ")[2]  # "function_call_filter: malformed_…"
        reason = finish_reason(why, PROVIDER, has_calls=bool(self._calls), has_text=self._has_text)
        if self._refused:
            reason = FinishReason.BLOCKED
        elif reason is FinishReason.TOOL_CALLS and any(not call.name for call in self._calls):
            reason = FinishReason.MALFORMED
        detail = "refusal" if self._refused else ""
        if reason not in (FinishReason.STOP, FinishReason.TOOL_CALLS):
            detail = detail or self._why
        yield Finish(reason, self._usage, kept, detail=detail)

    def _say(self, words: str) -> Iterator[Delta]:
        if words:
            self._has_text = True
            yield TextDelta(words)

    def _keep_reasoning(self, delta: dict[str, Json]) -> None:
        """Keep what the model thought, as the server wants it back."""
        if details := sequence(delta.get("reasoning_details")):
            kept: list[Json] = self._reasoning.setdefault("reasoning_details", [])
            for detail in map(mapping, details):
                _add_detail(kept, detail)
            self._reasoning.pop("reasoning", None)  # says the same
            return
        for key in _REASONING:
            if (words := text(delta.get(key))) and "reasoning_details" not in self._reasoning:
                self._reasoning[key] = self._reasoning.get(key, "") + words

    def _read_call(self, told: dict[str, Json], place: int | None) -> Iterator[Delta]:
        function = mapping(told.get("function"))
        name, given = text(function.get("name")), function.get("arguments")
        more = json.dumps(given) if isinstance(given, dict) else text(given)
        index = told.get("index") if place is None else place
        call = self._find(index, text(told.get("id")), name, more)
        call.extras.update({k: v for k, v in told.items() if k not in _KNOWN})
        if call.arguments == "{}" and more.startswith("{"):
            call.arguments = ""  # a placeholder, which some gateways send first
        call.arguments += more
        if call.name and not call.id and call.arguments:
            yield from self._start(call)
        # What does not begin as an object may be one in another form: see `_end`.
        if call.id and call.arguments.startswith("{") and call.arguments != "{}":
            yield ArgumentsDelta(call.id, call.arguments[call.sent :])
            call.sent = len(call.arguments)

    def _find(self, index: Json, id: str, name: str, more: str) -> _Call:
        """The call that a piece belongs to: by index or id; servers leave out or repeat both."""
        by_id = [call for call in self._calls if id and call.sent_id == id]
        by_index = [call for call in self._calls if index is not None and call.index == index]
        by_both = [call for call in by_index if id and call.sent_id == id]
        # A name at a new index begins a call; without one the index is not to be believed.
        is_new = index is not None and bool(name)
        candidates = by_both or by_index or ([] if is_new else by_id or self._calls)
        latest = candidates[-1] if candidates else None
        if latest is not None and not self._begins(latest, id, name, more):
            if name and name != latest.name and not latest.id:
                latest.name += name  # a name in pieces
            latest.sent_id = latest.sent_id or id
            return latest
        self._calls.append(_Call(index, id, name=name))
        return self._calls[-1]

    def _begins(self, latest: _Call, id: str, name: str, more: str) -> bool:
        """Whether a piece for the place of `latest` is another call nevertheless."""
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
        call.id = unique_id(call.sent_id, {each.id for each in self._calls})
        for other in self._calls:  # one whose arguments are whole gets no more
            if other is not call and other.id and _is_whole(other.arguments):
                yield from self._end(other)
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
    """Takes the `<think>…</think>` that a reply's text begins with out of it."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def read(self, piece: str) -> str:
        """Take a piece in; return what of it is answer."""
        if self._state == "answer":
            return piece
        self._held += piece
        if self._state == "start":
            begins = self._held.lstrip()
            if begins.startswith("<think>"):
                self._state = "thought"
            elif "<think>".startswith(begins):
                return ""
            else:
                return self.finish()
        _, end, after = self._held.partition("</think>")
        if not end:
            return ""
        self._state, self._held = ("start" if not after.strip() else "answer"), ""
        return self.read(after.lstrip()) if after.strip() else ""

    def finish(self) -> str:
        """Return what is left; a thought that has no end is no answer."""
        left = "" if self._state == "thought" else self._held
        self._state, self._held = "answer", ""
        return left


def usage_of(told: dict[str, Json]) -> Usage:
    """Tokens as servers count them: some count reasoning beside the output, and only in the sum."""
    details = mapping(told.get("prompt_tokens_details"))
    places = (
        details.get("cached_tokens"),
        told.get("prompt_cache_hit_tokens"),
        told.get("cached_tokens"),
    )
    given = max(count(told.get("prompt_tokens")), 0)
    made = max(count(told.get("completion_tokens")), count(told.get("total_tokens")) - given, 0)
    cached = max(0, *(count(each) for each in places))
    return Usage(given, min(cached, given), made, max(count(details.get("cache_write_tokens")), 0))


def _add_detail(kept: list[Json], detail: dict[str, Json]) -> None:
    """Add a piece of a reasoning part to the part that it continues, or as a part of its own."""
    last = mapping(kept[-1]) if kept else {}
    same = ("type", "index")
    if not last or any(last.get(key) != detail.get(key) for key in same) or not detail.get("type"):
        kept.append(detail)
        return
    joined = {key: value for key, value in detail.items() if value is not None}
    for key in ("text", "summary", "data"):
        if isinstance(last.get(key), str) and isinstance(joined.get(key), str):
            joined[key] = last[key] + joined[key]
    kept[-1] = {**last, **joined}


def _is_whole(arguments: str) -> bool:
    return bool(re.search(r"\}\s*$", arguments)) and isinstance(parsed(arguments), dict)


def _plain(arguments: str) -> str:
    """Arguments that did not begin as an object: nothing, null, or an object encoded twice."""
    value: Json = arguments.strip()
    for _ in range(3):
        value = parsed(value, arguments) if isinstance(value, str) and value.strip() else value
    if value in (None, ""):
        return "{}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else arguments
