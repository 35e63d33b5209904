"""Models without tools of their own, reached through another provider: `prompted:openai:llama-3`.

The tools are written into the instructions, calls are read from the reply's text, and earlier
calls and results go back as text. What the model writes is the only text in which calls are looked
for. A model that repeats data could still make a call of what it only quotes, so:

- results are sent with every "<" escaped: letter by letter they hold no markup;
- a call that stands, as a call, in what the user said or in a result is a quotation, whether the
  model repeats it or obeys it: it is shown as text and not made.

What a call may do is decided where calls are made, not here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from rollcall.core.errors import FailedPrecondition
from rollcall.core.messages import Json, Message, ToolMessage, UserMessage
from rollcall.models._prompted_reading import Block, Reader
from rollcall.models._prompted_wire import instructions_of, messages_of, value_of
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    load_model,
)

PROVIDER = "prompted"


class Model:
    """Gives another model tools by words alone.

    Args:
        name: The other model's id, such as "openai:llama-3".
    Raises:
        FailedPrecondition: It has no provider, or is one of these itself.
    """

    def __init__(self, name: str) -> None:
        if name.partition(":")[0] == PROVIDER:
            raise FailedPrecondition(f"{name} is given tools by words already")
        self.id = f"{PROVIDER}:{name}"
        self._model = load_model(name)

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once; see `rollcall.models.base`."""
        plain = replace(
            request,
            instructions=instructions_of(request),
            messages=messages_of(request.messages),
            tools=(),
            tool_choice="auto",
        )
        stream: Any = self._model.stream(plain)
        with closing(stream) as deltas:
            if request.response_schema is None:
                yield from _read(deltas, request)
            else:
                yield from deltas


def _read(deltas: Iterator[Delta], request: ModelRequest) -> Iterator[Delta]:
    reader = Reader(_offered(request))
    for delta in deltas:
        if isinstance(delta, TextDelta):
            yield from _said(reader.read(delta.text))
        elif isinstance(delta, Finish):
            yield from _said(reader.finish())
            yield from _end(delta, reader, request)
        else:  # of a server that makes calls of such blocks itself
            yield delta


def _end(finish: Finish, reader: Reader, request: ModelRequest) -> Iterator[Delta]:
    # A block that the end of the reply tore is no call; an answer that is too long says so itself.
    is_torn = finish.reason is FinishReason.LENGTH
    blocks = [block for block in reader.blocks if block.is_json or not is_torn]
    known = {_key(block) for block in _quotable(request)} if blocks else set()
    quoted = [block for block in blocks if _key(block) in known]
    calls = [block for block in blocks if block not in quoted] if _offered(request) else []
    for block in quoted:
        yield TextDelta(f"\n{block.name} {block.arguments}")
    for block in calls:
        yield from _call(block)
    reason = _reason(finish.reason, calls, has_said=reader.has_text or bool(quoted))
    yield replace(finish, reason=reason, provider_parts=())


def _reason(reason: FinishReason, calls: list[Block], *, has_said: bool) -> FinishReason:
    if reason not in (FinishReason.STOP, FinishReason.TOOL_CALLS):
        return reason
    if calls:
        return FinishReason.TOOL_CALLS
    return FinishReason.STOP if has_said else FinishReason.MALFORMED


def _offered(request: ModelRequest) -> set[str]:
    return {tool.name for tool in request.tools} if request.tool_choice != "none" else set()


def _said(text: str) -> Iterator[TextDelta]:
    if text:
        yield TextDelta(text)


def _call(block: Block) -> Iterator[Delta]:
    id = f"call_{uuid4().hex[:24]}"
    yield CallStart(id, block.name)
    yield ArgumentsDelta(id, block.arguments)
    yield CallEnd(id)


def _quotable(request: ModelRequest) -> Iterator[Block]:
    """What would be read as calls if the model wrote what others wrote."""
    for message in request.messages:
        for text in _texts_of_others(message):
            if '"name"' in text:
                reader = Reader(_offered(request))
                reader.read(text)
                reader.finish()
                yield from reader.blocks


def _texts_of_others(message: Message) -> Iterator[str]:
    if isinstance(message, UserMessage):
        yield message.text
    elif isinstance(message, ToolMessage):
        for result in message.results:
            yield from _texts(value_of(result.content))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _key(block: Block) -> str:
    """The same for calls that differ in the order of their arguments and in spaces only."""
    try:
        arguments = json.dumps(json.loads(block.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        arguments = block.arguments
    return f"{block.name} {arguments}"
