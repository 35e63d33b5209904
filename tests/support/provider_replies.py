"""Replies in the wire formats of Gemini, OpenAI and Anthropic, for `fake_providers`."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field, replace
from typing import Any

Json = Any

GEMINI_USAGE = {
    "promptTokenCount": 12,
    "cachedContentTokenCount": 4,
    "candidatesTokenCount": 5,
    "thoughtsTokenCount": 3,
    "totalTokenCount": 20,
}
RESPONSES_USAGE = {
    "input_tokens": 12,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 8,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 20,
}
MESSAGES_USAGE = {
    "input_tokens": 6,
    "cache_read_input_tokens": 4,
    "cache_creation_input_tokens": 2,
    "output_tokens": 8,
}
CHAT_USAGE = {
    "prompt_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens": 8,
    "total_tokens": 20,
}


@dataclass(frozen=True)
class Reply:
    """What the server does with one request.

    Args:
        chunks: The body, sent piece by piece.
        status: HTTP status.
        headers: Headers beside the content type.
        content_type: None sends none.
        breaks: Cut the connection after the last chunk instead of ending the body.
        drips_every_s: After the last chunk, send an empty line now and then, for ever.
        stalls: After the last chunk, send nothing more and keep the connection.
        is_mute: Send nothing at all, no headers either, and keep the connection.
        holds: Before the chunk of this number, wait until the event is set.
    """

    chunks: tuple[bytes, ...]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str | None = "text/event-stream"
    breaks: bool = False
    drips_every_s: float | None = None
    stalls: bool = False
    is_mute: bool = False
    holds: tuple[int, threading.Event] | None = None

    def broken(self, *, after: int) -> Reply:
        """The same reply, cut off after some chunks."""
        return replace(self, chunks=self.chunks[:after], breaks=True)

    def ending(self, *, after: int) -> Reply:
        """The same reply, ending properly as HTTP after some chunks."""
        return replace(self, chunks=self.chunks[:after])

    def dripping(self, *, after: int, every_s: float = 0.02) -> Reply:
        """The same reply, never done: empty lines instead of the chunks after some."""
        return replace(self, chunks=self.chunks[:after], drips_every_s=every_s)

    def stalling(self, *, after: int) -> Reply:
        """The same reply, silent but connected after some chunks."""
        return replace(self, chunks=self.chunks[:after], stalls=True)

    def holding(self, until: threading.Event, *, after: int) -> Reply:
        """The same reply, whose chunks after some wait for an event."""
        return replace(self, holds=(after, until))


def sse(*values: Json, named: bool = False, done: bool = False) -> Reply:
    """Server-sent events, one chunk each."""
    chunks = []
    for value in values:
        name = f"event: {value['type']}\n" if named else ""
        chunks.append(f"{name}data: {json.dumps(value)}\n\n".encode())
    return Reply((*chunks, *([b"data: [DONE]\n\n"] if done else [])))


def plain(value: Json, *, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """One JSON body, as of a server that does not stream."""
    body = json.dumps(value).encode()
    return Reply((body,), status, headers or {}, content_type="application/json")


def status(code: int, body: Json = None, *, headers: dict[str, str] | None = None) -> Reply:
    """An HTTP error, by default with a body like OpenAI's."""
    body = body or {"error": {"message": f"problem {code}", "type": "error", "code": None}}
    return plain(body, status=code, headers=headers)


def gemini_error(code: int, state: str, message: str = "", *details: Json) -> Reply:
    """An HTTP error as Google writes it."""
    error = {"code": code, "status": state, "message": message, "details": list(details)}
    return plain({"error": error}, status=code)


def gemini_parts(*chunks: list[Json], finish: str | None = "STOP") -> Reply:
    """A Gemini stream of chunks of parts."""
    values = []
    for place, parts in enumerate(chunks):
        candidate: dict[str, Json] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish and place == len(chunks) - 1:
            candidate["finishReason"] = finish
        values.append({"candidates": [candidate], "usageMetadata": GEMINI_USAGE})
    return sse(*values)


def gemini_text(*pieces: str, finish: str | None = "STOP") -> Reply:
    """A Gemini reply of text, a chunk for each piece."""
    return gemini_parts(*([{"text": piece}] for piece in pieces), finish=finish)


def gemini_call_part(name: str, args: Json, *, id: str = "", signature: str = "") -> Json:
    """One function call of a Gemini reply."""
    call = {"functionCall": {**({"id": id} if id else {}), "name": name, "args": args}}
    return {**call, **({"thoughtSignature": signature} if signature else {})}


def gemini_call(name: str, args: Json, *, id: str = "", signature: str = "") -> Reply:
    """A Gemini reply that is one function call."""
    return gemini_parts([gemini_call_part(name, args, id=id, signature=signature)])


def gemini_blocked(reason: str = "SAFETY") -> Reply:
    """A prompt that Gemini refuses."""
    return sse({"promptFeedback": {"blockReason": reason}, "usageMetadata": GEMINI_USAGE})


def message_item(*pieces: str, id: str = "msg_1") -> Json:
    """A message of a Responses reply."""
    content = [{"type": "output_text", "text": "".join(pieces), "annotations": []}]
    return {"type": "message", "id": id, "role": "assistant", "content": content}


def call_item(name: str, arguments: str, *, call_id: str = "call_1") -> Json:
    """A function call of a Responses reply."""
    named = {"call_id": call_id, "name": name, "arguments": arguments}
    return {"type": "function_call", "id": f"fc_{call_id}", "status": "completed", **named}


def response_of(items: list[Json], **changes: Json) -> Json:
    """A whole response."""
    base = {"id": "resp_1", "object": "response", "status": "completed", "error": None}
    return {**base, "output": items, "usage": RESPONSES_USAGE, **changes}


def responses(*items: Json, size: int = 6, ends: str = "completed", **changes: Json) -> Reply:
    """A Responses stream that brings these items, texts and arguments in pieces of `size`."""
    began = {"type": "response.created", "response": response_of([], status="in_progress")}
    events: list[Json] = [began]
    for index, item in enumerate(items):
        at = {"output_index": index, "item_id": item.get("id")}
        empty = {**item, "status": "in_progress"}
        empty |= {key: type(item[key])() for key in ("content", "arguments") if key in item}
        events.append({"type": "response.output_item.added", **at, "item": empty})
        if item["type"] == "function_call":
            kind, texts = "function_call_arguments", [item["arguments"]]
        else:
            kind, texts = "output_text", [part["text"] for part in item.get("content", [])]
        for place, whole in enumerate(texts):
            at |= {"content_index": place}
            for start in range(0, len(whole), size):
                delta = whole[start : start + size]
                events.append({"type": f"response.{kind}.delta", **at, "delta": delta})
            ended = {"arguments": whole} if "arguments" in kind else {"text": whole}
            events.append({"type": f"response.{kind}.done", **at, **ended})
        events.append({"type": "response.output_item.done", **at, "item": item})
    final = response_of(list(items), **{"status": ends, **changes})
    events.append({"type": f"response.{ends}", "response": final})
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    return sse(*numbered, named=True)


def responses_text(*pieces: str) -> Reply:
    """A Responses reply of text."""
    return responses(message_item(*pieces))


def responses_call(name: str, arguments: str, *, call_id: str = "call_1") -> Reply:
    """A Responses reply that is one function call."""
    return responses(call_item(name, arguments, call_id=call_id))


def chat(*deltas: Json, finish: str | None = "stop", done: bool = True) -> Reply:
    """A Chat Completions stream of deltas, its usage last."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m"}
    chunks: list[Json] = [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    if finish:
        last = {"index": 0, "delta": {}, "finish_reason": finish}
        chunks += [{**base, "choices": [last]}, {**base, "choices": [], "usage": CHAT_USAGE}]
    return sse(*chunks, done=done)


def chat_text(*pieces: str, finish: str | None = "stop") -> Reply:
    """A Chat Completions reply of text."""
    return chat({"role": "assistant"}, *({"content": piece} for piece in pieces), finish=finish)


def chat_call_delta(
    name: str, arguments: str, *, id: str | None = "call_1", index: int = 0
) -> Json:
    """A whole tool call in one delta."""
    call = {"index": index, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"tool_calls": [{**call, **({"id": id} if id else {})}]}


def chat_more_delta(arguments: str, *, index: int = 0) -> Json:
    """More of a tool call's arguments."""
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def chat_call(name: str, arguments: str, *, id: str = "call_1") -> Reply:
    """A Chat Completions reply that is one tool call, its arguments in two pieces."""
    half = len(arguments) // 2
    first = chat_call_delta(name, arguments[:half], id=id)
    return chat(first, chat_more_delta(arguments[half:]), finish="tool_calls")


def message_of(*blocks: Json, stop: str | None = "end_turn", **changes: Json) -> Json:
    """A whole message of Anthropic's."""
    base = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test"}
    ends = {"stop_reason": stop, "stop_sequence": None, "usage": MESSAGES_USAGE}
    return {**base, "content": list(blocks), **ends, **changes}


def text_block(text: str) -> Json:
    """A text of a message."""
    return {"type": "text", "text": text}


def thinking_block(thinking: str, signature: str) -> Json:
    """What a model thought before it answered."""
    return {"type": "thinking", "thinking": thinking, "signature": signature}


def tool_use_block(name: str, arguments: Json, *, id: str = "toolu_1") -> Json:
    """A call of a tool."""
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def messages(*blocks: Json, stop: str | None = "end_turn", size: int = 6, **changes: Json) -> Reply:
    """An Anthropic stream that brings these blocks, their texts in pieces of `size`."""
    begun = {**message_of(stop=None, **changes), "usage": {**MESSAGES_USAGE, "output_tokens": 1}}
    events: list[Json] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for index, block in enumerate(blocks):
        kind = block["type"]
        empty = {**block, **{key: "" for key in ("text", "thinking", "signature") if key in block}}
        if kind == "tool_use":
            empty["input"] = {}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        whole = block.get(kind, "")
        if kind == "tool_use":
            whole = json.dumps(block["input"], ensure_ascii=False)
        key, told = ("partial_json", "input_json") if kind == "tool_use" else (kind, kind)
        deltas = [
            {"type": f"{told}_delta", key: whole[at : at + size]}
            for at in range(0, len(whole), size)
        ]
        if "signature" in block:
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        events += [
            {"type": "content_block_delta", "index": index, "delta": each} for each in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    ends = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ends, "usage": MESSAGES_USAGE})
    return sse(*events, {"type": "message_stop"}, named=True)


def messages_text(*pieces: str) -> Reply:
    """An Anthropic reply of text."""
    return messages(text_block("".join(pieces)))


def messages_error(kind: str, message: str = "") -> Json:
    """An error as Anthropic writes it."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
