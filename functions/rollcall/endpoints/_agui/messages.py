"""Which of an AG-UI client's messages count.

Such a client sends the whole dialogue as it knows it. Our log is the record of it, so that only
what the user said last is taken from there, and what tools answered that this thread waits for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import check_json, validate
from rollcall.endpoints._agui.shapes import Answered, Part, Said

MAX_MESSAGES = 10_000
OURS = "rollcall"
"""The provider of a file source that names an upload of the user's own."""
_OF_THE_TURN = {"assistant", "tool"}
"""A message of these ends what the user said last. Others (system, developer, reasoning, activity)
may stand anywhere, and count nowhere."""


def listed(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The input's messages.

    Raises:
        InvalidArgument: They are no list of messages, or too many.
    """
    messages = data.get("messages")
    if not isinstance(messages, list):
        raise InvalidArgument("messages must be a list", field="messages")
    if len(messages) > MAX_MESSAGES:
        raise InvalidArgument(
            f"there are {len(messages):,} messages; at most {MAX_MESSAGES:,} are accepted",
            field="messages",
            hint="leave out the oldest: the dialogue is kept here",
        )
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            field = f"messages.{number}"
            raise InvalidArgument(f"{field} must be a message with a role", field=field)
    return messages


def said_last(messages: Sequence[dict[str, Any]]) -> list[Said]:
    """The user's messages after the last of the agent and its tools, oldest first.

    Raises:
        InvalidArgument: One of them is no user message, or two have one id.
    """
    found: list[Said] = []
    for number in range(len(messages) - 1, -1, -1):
        role = messages[number]["role"]
        if role in _OF_THE_TURN:
            break
        if role == "user":
            found.insert(0, _checked(Said, messages[number], number))
    ids = [message.id for message in found]
    if len(set(ids)) < len(ids):
        raise InvalidArgument("two of the user's messages have the same id", field="messages")
    return found


def last_of_user(messages: Sequence[dict[str, Any]]) -> Said | None:
    """The user's last message, wherever it stands; None where there is none.

    Raises:
        InvalidArgument: It is no user message.
    """
    for number in range(len(messages) - 1, -1, -1):
        if messages[number]["role"] == "user":
            found: Said = _checked(Said, messages[number], number)
            return found
    return None


def answered_calls(messages: Sequence[dict[str, Any]]) -> set[str]:
    """The calls that the client has a tool message of."""
    found = (each.get("toolCallId") for each in messages if each["role"] == "tool")
    return {call for call in found if isinstance(call, str)}


def answers(
    messages: Sequence[dict[str, Any]], calls: Collection[str]
) -> dict[str, dict[str, Any]]:
    """What tools answered to these calls, by call: `{content}` or `{error}`. Of several answers to
    one call the last counts.

    Raises:
        InvalidArgument: One of them is no tool message.
    """
    found = {}
    for number, message in enumerate(messages):
        if message["role"] == "tool" and message.get("toolCallId") in calls:
            answered = _checked(Answered, message, number)
            found[answered.tool_call_id] = _content(answered)
    return found


def parts(said: Sequence[Said]) -> tuple[list[dict[str, Any]], list[str]]:
    """Messages as the parts of one of ours, and the kinds of parts that cannot be used."""
    found: list[dict[str, Any]] = []
    left_out: list[str] = []
    for message in said:
        content = message.content
        given = [Part(type="text", text=content)] if isinstance(content, str) else content
        for part in given:
            if (taken := _taken(part)) is not None:
                found.append(taken)
            else:
                left_out.append(f"{part.type} by {part.source.type}" if part.source else part.type)
    return found, left_out


def _taken(part: Part) -> dict[str, Any] | None:
    """A part as `run_agent` takes it; None for one that cannot be used."""
    if part.type == "text":
        return {"type": "text", "text": part.text or ""}
    source = part.source
    if source is None or part.type not in ("image", "document"):
        return None
    if source.type == "data":
        return {"type": part.type, "mediaType": source.mime_type, "data": source.value}
    if source.type == "file" and source.provider == OURS:
        return {"type": part.type, "fileId": source.value}
    return None


def _content(answered: Answered) -> dict[str, Any]:
    text = "".join(_texts(answered))
    if answered.error is not None:
        return {"error": answered.error or text or "it failed"}
    return {"content": _json(text)}


def _texts(answered: Answered) -> Iterator[str]:
    if isinstance(answered.content, str):
        yield answered.content
    else:
        yield from (part.text or "" for part in answered.content if part.type == "text")


def _json(text: str) -> Any:
    """What a tool answered: AG-UI has texts alone, in which structured results are JSON."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
        check_json(value)
    except (ValueError, RecursionError, InvalidArgument):
        return text
    return value


def _checked(shape: type[Any], message: dict[str, Any], number: int) -> Any:
    field = f"messages.{number}"
    counting = {key: message[key] for key in _keys(shape) if message.get(key) is not None}
    check_json(counting, field=field)
    return validate(shape, counting, field=field)


def _keys(shape: type[Any]) -> list[str]:
    return [each.alias or name for name, each in shape.model_fields.items()]
