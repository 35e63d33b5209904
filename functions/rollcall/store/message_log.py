"""The documents of a thread's log, and the history they make.

What a model or a tool wrote is kept as JSON text: Firestore refuses lists inside lists, and what a
provider needs back must return byte for byte. The results of a step rest in its document, by the
place of their call: a provider chooses the ids of calls, and not every text can be a map's key.

What fits into one document: Firestore takes 1 MiB, and counts UTF-8, not characters.

A step's document holds a reply, what its provider wants back, and the results of its calls.

A step of the log in short: what its calls read and wrote is left out.

The log keeps everything. Short are the documents that a model's history is made of, and those of
the window view, which the next run's history is made of.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from rollcall.core.capability import Recap
from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    Part,
    Text,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)

DOCUMENT_BYTES = 1_000_000
"""What a document may have beside the names of its fields."""
REPLY_DOCUMENT_BYTES = 660_000
"""What of it a reply may take: the rest is for the results of its calls."""
CALL_BYTES = 1_000
"""What a call counts as beside its arguments: its name, its id, and that it was answered."""


def utf8_bytes(text: str) -> int:
    """How many bytes Firestore counts."""
    return len(text) if text.isascii() else len(text.encode())


def truncate_utf8(text: str, most: int) -> str:
    """The longest beginning of a text that has at most so many bytes."""
    if utf8_bytes(text) <= most:
        return text
    return text.encode()[: max(most, 0)].decode(errors="ignore")


def arguments_json(call: ToolCall) -> str:
    """A call's arguments as the log holds them; those that are no JSON, as they came."""
    if call.arguments is None:
        return call.arguments_text
    return json.dumps(call.arguments, ensure_ascii=False)


def reply_bytes(reply: ModelMessage) -> int:
    """What a reply takes of its step's document."""
    texts = [reply.text, *map(arguments_json, reply.tool_calls)]
    parts = json.dumps(reply.provider_parts, ensure_ascii=False)
    return sum(map(utf8_bytes, (*texts, parts))) + CALL_BYTES * len(reply.tool_calls)


def reply_bytes_per_result(reply: ModelMessage) -> int:
    """What each call's result may take of the step's document, together with its record."""
    left = DOCUMENT_BYTES - reply_bytes(reply)
    return max(left // max(len(reply.tool_calls), 1), CALL_BYTES)


_UNANSWERED = json.dumps(
    {"error": {"code": "aborted", "message": "this call was cut off; it may be made again"}}
)
RECORD_BYTES = 30_000
"""The largest record of one call that is kept beside its content, where there is room."""


def user_document(
    stamp: dict[str, Any],
    message: UserMessage,
    *,
    replaces: str | None = None,
    stays: Sequence[str] = (),
) -> dict[str, Any]:
    """A user's message as a document of the log.

    Args:
        replaces: The turn whose place it takes, as a retry or an edit does.
        stays: What that turn has done and nothing takes back, in lines.
    """
    document = {**stamp, "role": "user", "parts": [_part(part) for part in message.parts]}
    return {**document, "replaces": replaces, "stays": list(stays)} if replaces else document


def without_replaced(
    documents: Sequence[dict[str, Any]], *, without: str | None = None
) -> list[dict[str, Any]]:
    """The documents but those of turns that a later message took the place of.

    Args:
        without: A turn that is about to be replaced.
    """
    replaced = {without, *(each.get("replaces") for each in documents)} - {None}
    return [each for each in documents if each.get("turnId") not in replaced]


def lasting_effects(documents: Sequence[dict[str, Any]]) -> list[str]:
    """What replaced turns have done and nothing takes back, in lines."""
    return list(dict.fromkeys(line for each in documents for line in each.get("stays", ())))


class TurnUsage(Struct, frozen=True):
    """What a turn has used up when a step's reply is there: all its runs together."""

    tokens: int = 0
    micro_usd: int = 0
    work_ms: int = 0


def step_document(
    stamp: dict[str, Any], *, step: int, reply: ModelMessage, spent: TurnUsage
) -> dict[str, Any]:
    """A model's reply as a document; the results of its calls are added as they come."""
    return {
        **stamp,
        "role": "model",
        "step": step,
        "text": reply.text,
        "toolCalls": [
            {
                "id": call.id,
                "name": call.name,
                "arguments": arguments_json(call) if call.arguments is not None else None,
                "argumentsText": "" if call.arguments is not None else call.arguments_text,
            }
            for call in reply.tool_calls
        ],
        "results": {},
        "provider": reply.provider,
        "providerParts": json.dumps(reply.provider_parts, ensure_ascii=False),
        "spent": usage_fields(spent),
    }


def usage_fields(spent: TurnUsage) -> dict[str, int]:
    return {
        "tokens": spent.tokens,
        "microUsd": spent.micro_usd,
        "workMs": spent.work_ms,
    }


def read_usage(document: dict[str, Any]) -> TurnUsage:
    """What the turn had used up at this step; nothing for a document that does not say."""
    found = document.get("spent") or {}
    return TurnUsage(
        tokens=found.get("tokens", 0),
        micro_usd=found.get("microUsd", 0),
        work_ms=found.get("workMs", 0),
    )


def result_fields(
    result: ToolResult, *, record: dict[str, Any], run_id: str, room: int = DOCUMENT_BYTES
) -> dict[str, Any]:
    """One result as its step's document holds it.

    Args:
        record: The call's record for the user. What the content says already is left out.
        run_id: The run that answered the call, which may be a later one than the step's.
        room: Bytes that the content and the record may have together.
    """
    kept = {key: value for key, value in record.items() if key not in {"result", "error"}}
    text = json.dumps(kept, ensure_ascii=False)
    most = min(RECORD_BYTES, room - utf8_bytes(result.content))
    for large in ("display", "arguments", "undo"):  # the call has its arguments itself
        if utf8_bytes(text) > most:
            kept.pop(large, None)
            text = json.dumps(kept, ensure_ascii=False)
    return {
        "name": result.name,
        "content": result.content,
        "isError": result.is_error,
        "record": text,
        "runId": run_id,
    }


def read_record(call: ToolCall, stored: dict[str, Any]) -> dict[str, Any]:
    """The record of an answered call, as `result_fields` kept it."""
    record: dict[str, Any] = json.loads(stored["record"]) if stored.get("record") else {}
    try:
        content = json.loads(stored["content"])
    except ValueError:
        content = {"output": stored["content"]}
    content = content if isinstance(content, dict) else {"output": content}
    key = "error" if stored["isError"] else "output"
    record["error" if stored["isError"] else "result"] = content.get(key)
    return {"id": call.id, "tool": call.name, **record}


def unanswered_places(document: dict[str, Any]) -> list[int]:
    """The places of the calls that have no result yet."""
    if document["role"] == "user":
        return []
    return [
        place
        for place in range(len(document["toolCalls"]))
        if str(place) not in document["results"]
    ]


def bytes_per_result(document: dict[str, Any]) -> int:
    """What each result may take of a step's document, together with its record."""
    return reply_bytes_per_result(_read_reply(document))


def read_calls(document: dict[str, Any]) -> list[ToolCall]:
    """The calls of a step's document, in their order."""
    return [_read_call(call) for call in document["toolCalls"]]


def read_history(
    documents: Sequence[dict[str, Any]], *, leaves_last_open: bool = False
) -> list[Message]:
    """The valid history that these documents tell: a call that was cut off is answered as such.

    Args:
        leaves_last_open: The run goes on with the last document's calls: where one of them has no
            result, the history ends with the reply itself.
    """
    history: list[Message] = []
    for number, document in enumerate(documents, start=1):
        if document["role"] == "user":
            parts = tuple(_read_part(part) for part in document["parts"])
            history.append(UserMessage(parts))
            continue
        reply = _read_reply(document)
        history.append(reply)
        is_open = leaves_last_open and number == len(documents) and unanswered_places(document)
        if reply.tool_calls and not is_open:
            history.append(ToolMessage(tuple(read_results(document))))
    return history


def read_results(document: dict[str, Any]) -> list[ToolResult]:
    """The results of all calls of a step; a call without one was cut off."""
    return [
        _read_result(call, document["results"].get(str(place)))
        for place, call in enumerate(read_calls(document))
    ]


def without_media(document: dict[str, Any]) -> dict[str, Any]:
    """A document of the log as the window view keeps it: media that it holds by name only; what
    rests in the file store is small here."""
    if document["role"] != "user":
        return document
    parts = [
        part
        if "data" not in part
        else {"type": "text", "text": f"[{part['type']}: {part['name'] or part['mediaType']}]"}
        for part in document["parts"]
    ]
    if parts == document["parts"]:
        return document
    return {**document, "parts": parts, "mediaLeftOut": True}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    about = {"type": part.type, "mediaType": part.media_type, "name": part.name}
    if part.file_id is None:
        return {**about, "data": part.data}
    return {**about, "fileId": part.file_id, "bytes": part.bytes}


def _read_part(part: dict[str, Any]) -> Part:
    if part["type"] == "text":
        return Text(part["text"])
    return Media(
        part["type"],
        part["mediaType"],
        part.get("data", ""),
        part["name"],
        file_id=part.get("fileId"),
        bytes=part.get("bytes", 0),
    )


def _read_reply(document: dict[str, Any]) -> ModelMessage:
    return ModelMessage(
        text=document["text"],
        tool_calls=tuple(_read_call(call) for call in document["toolCalls"]),
        provider=document["provider"],
        provider_parts=tuple(json.loads(document["providerParts"])),
    )


def _read_call(call: dict[str, Any]) -> ToolCall:
    if call["arguments"] is None:
        return ToolCall(call["id"], call["name"], None, call["argumentsText"])
    return ToolCall(call["id"], call["name"], json.loads(call["arguments"]), call["arguments"])


def _read_result(call: ToolCall, found: dict[str, Any] | None) -> ToolResult:
    if found is None:
        return ToolResult(call.id, call.name, _UNANSWERED, is_error=True)
    return ToolResult(call.id, found["name"], found["content"], found["isError"])


RECORD_CHARS = 1_000
"""The longest record of a call that a short step keeps whole."""

BROKEN_CHARS = 1_000
"""Of arguments that are no JSON: so much is enough to see what was meant."""

RecapOf = Callable[[ToolCall, Any], Recap | None]
"""How a call is told in short, from it and what it returned; None where it is told as it was."""


class CompactStep(Struct, frozen=True):
    """A step in short.

    Attributes:
        size: Of what a model sees of it, in bytes of UTF-8.
        of: What its calls read and wrote.
    """

    document: dict[str, Any]
    size: int
    of: frozenset[str]


def compact_step(document: dict[str, Any], recap_of: RecapOf) -> CompactStep:
    """A step in short. A short step is as short as it gets.

    A reply whose arguments change goes back to its provider as another provider's would: what the
    provider kept for itself tells of the arguments as they were.
    """
    if document.get("isShort"):
        return CompactStep(document, step_bytes(document), frozenset())
    calls, results, of = list(document["toolCalls"]), dict(document["results"]), set[str]()
    has_changed = False
    for place, call in enumerate(read_calls(document)):
        stored = results.get(str(place))
        content = _content(stored) if stored else {}
        recap = recap_of(call, content.get("output"))
        if call.arguments is None and len(call.arguments_text) > BROKEN_CHARS:
            has_changed = True
            calls[place] = {**calls[place], "argumentsText": _begun(call.arguments_text)}
        if recap is None:
            continue
        of |= {recap.of} if recap.of else set()
        if recap.arguments != call.arguments:
            has_changed = True
            calls[place] = {**calls[place], "arguments": _json(recap.arguments)}
        if stored:
            results[str(place)] = _told(stored, content, recap)
    short = {**document, "toolCalls": calls, "results": results, "isShort": True}
    if has_changed:
        short["providerParts"] = "[]"
    return CompactStep(short, step_bytes(short), frozenset(of))


def step_bytes(document: dict[str, Any]) -> int:
    """Bytes of what a model sees of a step, and of what its provider keeps with it."""
    calls = sum(
        len((each["arguments"] or each["argumentsText"]).encode()) for each in document["toolCalls"]
    )
    said = len(document["text"].encode()) + calls
    kept = len(document["providerParts"].encode())
    return max(said, kept) + sum(len(each["content"].encode()) for each in _results(document))


def _begun(text: str) -> str:
    return f"{text[: BROKEN_CHARS // 2]}… ({len(text):,} characters)"


def _results(document: dict[str, Any]) -> list[dict[str, Any]]:
    return list(document["results"].values())


def _content(stored: dict[str, Any]) -> dict[str, Any]:
    try:
        content = json.loads(stored["content"])
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _told(stored: dict[str, Any], content: dict[str, Any], recap: Recap) -> dict[str, Any]:
    """A result as it is told in short; one of a call that failed stays."""
    told = {**stored, "record": _record(stored, recap)}
    if not stored["isError"] and "output" in content and recap.output != content["output"]:
        told["content"] = _json({**content, "output": recap.output})
    return told


def _record(stored: dict[str, Any], recap: Recap) -> str:
    """The call's record for the user without what is large in it."""
    text: str = stored.get("record") or ""
    if len(text) <= RECORD_CHARS:
        return text
    record = {**json.loads(text), "arguments": recap.arguments}
    return _json({key: record[key] for key in record if key not in ("display", "undo")})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
