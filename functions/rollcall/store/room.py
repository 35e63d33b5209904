"""What fits into one document: Firestore takes 1 MiB, and counts UTF-8, not characters.

A step's document holds a reply, what its provider wants back, and the results of its calls.
"""

from __future__ import annotations

import json

from rollcall.core.messages import ModelMessage, ToolCall

DOCUMENT_BYTES = 1_000_000
"""What a document may have beside the names of its fields."""
REPLY_DOCUMENT_BYTES = 660_000
"""What of it a reply may take: the rest is for the results of its calls."""
CALL_BYTES = 1_000
"""What a call counts as beside its arguments: its name, its id, and that it was answered."""


def utf8(text: str) -> int:
    """How many bytes Firestore counts."""
    return len(text) if text.isascii() else len(text.encode())


def begun(text: str, most: int) -> str:
    """The longest beginning of a text that has at most so many bytes."""
    if utf8(text) <= most:
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
    return sum(map(utf8, (*texts, parts))) + CALL_BYTES * len(reply.tool_calls)


def result_room(reply: ModelMessage) -> int:
    """What each call's result may take of the step's document, together with its record."""
    left = DOCUMENT_BYTES - reply_bytes(reply)
    return max(left // max(len(reply.tool_calls), 1), CALL_BYTES)
