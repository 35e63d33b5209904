"""The documents of a thread's log, and the history they make.

What a model or a tool wrote is kept as JSON text: Firestore refuses lists inside lists, and what a
provider needs back must return byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

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

_UNANSWERED = json.dumps(
    {"error": {"code": "aborted", "message": "this call was cut off; it may be made again"}}
)
RESULT_BYTES = 700_000
"""The largest stored result of a run; above it the tools' results are left out."""


def user_document(stamp: dict[str, Any], message: UserMessage) -> dict[str, Any]:
    """A user's message as a document of the log."""
    return {**stamp, "role": "user", "parts": [_part(part) for part in message.parts]}


def step_document(stamp: dict[str, Any], *, step: int, reply: ModelMessage) -> dict[str, Any]:
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
                "arguments": json.dumps(call.arguments, ensure_ascii=False)
                if call.arguments is not None
                else None,
                "argumentsText": "" if call.arguments is not None else call.arguments_text,
            }
            for call in reply.tool_calls
        ],
        "results": {},
        "provider": reply.provider,
        "providerParts": json.dumps(reply.provider_parts, ensure_ascii=False),
    }


def from_documents(documents: Sequence[dict[str, Any]]) -> list[Message]:
    """The valid history that these documents tell: a call that was cut off is answered as such."""
    history: list[Message] = []
    for document in documents:
        if document["role"] == "user":
            parts = tuple(_read_part(part) for part in document["parts"])
            history.append(UserMessage(parts))
            continue
        reply = _read_reply(document)
        history.append(reply)
        if reply.tool_calls:
            results = document["results"]
            history.append(
                ToolMessage(tuple(_read_result(call, results) for call in reply.tool_calls))
            )
    return history


def without_media(document: dict[str, Any]) -> dict[str, Any]:
    """A document of the log as the window view keeps it: media by name only."""
    if document["role"] != "user":
        return document
    parts = [
        part
        if part["type"] == "text"
        else {"type": "text", "text": f"[{part['type']}: {part['name'] or part['mediaType']}]"}
        for part in document["parts"]
    ]
    return {**document, "parts": parts}


def result_text(result: dict[str, Any]) -> str:
    """A run's result as the text its document keeps."""
    text = json.dumps(result, ensure_ascii=False)
    if len(text.encode()) <= RESULT_BYTES:
        return text
    calls = [
        {key: value for key, value in call.items() if key not in {"result", "display"}}
        for call in result["toolCalls"]
    ]
    return json.dumps({**result, "toolCalls": calls}, ensure_ascii=False)


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {
        "type": part.type,
        "mediaType": part.media_type,
        "data": part.data,
        "name": part.name,
    }


def _read_part(part: dict[str, Any]) -> Part:
    if part["type"] == "text":
        return Text(part["text"])
    return Media(part["type"], part["mediaType"], part["data"], part["name"])


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


def _read_result(call: ToolCall, results: dict[str, dict[str, Any]]) -> ToolResult:
    found = results.get(call.id)
    if found is None:
        return ToolResult(call.id, call.name, _UNANSWERED, is_error=True)
    return ToolResult(call.id, found["name"], found["content"], found["isError"])
