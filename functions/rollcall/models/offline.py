"""`offline:<name>`: a small deterministic planner that needs no key and no network.

It is not a language model, and says so. It ranks the offered tools by the words of the message,
fills their arguments from it, asks for what is missing, and tells the results by templates, with
their sources. What it cannot place it asks about. The same request always gets the same reply.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rollcall.core.errors import FailedPrecondition
from rollcall.core.messages import Message, ModelMessage, ToolMessage
from rollcall.core.shapes import ASK_USER, PLATFORM_TOOLS
from rollcall.models.base import (
    BY_PROVIDER,
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Clock,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    ToolSpec,
    Usage,
)

if TYPE_CHECKING:
    from rollcall.models.planner.plan import Call

_CHUNK_WORDS, _CHUNK_CHARS, _CHARS_PER_TOKEN = 4, 12, 4


class Model:
    """The offline planner under a name; all names plan alike."""

    def __init__(self, name: str = "planner") -> None:
        self.id = f"offline:{name or 'planner'}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Yield the reply to a request.

        Raises:
            FailedPrecondition: The request wants free JSON, which only a language model can write.
            DeadlineExceeded: The request's deadline has passed.
        """
        if request.response_schema is not None:
            raise FailedPrecondition(
                "the offline planner writes no structured output",
                hint="Choose a gemini: or openai: model, or go by rules.",
            )
        # Every turn has the planner at hand, for when no model answers; few ever ask it.
        from rollcall.models.planner.plan import Call, Reply, plan

        clock = Clock(request.deadline)
        clock.left_s(at_most=1.0)
        # It ranks by the same words as the search for more tools, which would bring nothing better.
        known = tuple(_bare(tool) for tool in request.tools if tool.name not in PLATFORM_TOOLS)
        abilities = tuple(map(_bare, request.abilities))
        messages = tuple(_without_questions(request.messages))
        reply = plan(replace(request, messages=messages, tools=known, abilities=abilities))
        if reply.ask and any(tool.name == ASK_USER for tool in request.tools):
            reply = Reply(calls=(Call(ASK_USER, reply.ask),))
        if request.notice and all(call.name == ASK_USER for call in reply.calls):
            reply = replace(reply, text=f"{request.notice}\n\n{reply.text}".strip())
        written = 0
        for delta in (*_texts(reply.text, request), *_calls(reply.calls, request)):
            clock.left_s(at_most=1.0)
            written += len(delta.text) if isinstance(delta, TextDelta | ArgumentsDelta) else 0
            yield delta
        yield Finish(
            FinishReason.TOOL_CALLS if reply.calls else FinishReason.STOP,
            usage=_usage(request, written),
            quick_replies=reply.quick_replies,
            detail="token counts are estimates",
        )


def _without_questions(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield a history without calls of `ask_user`: what they asked follows as text."""
    for message in messages:
        if isinstance(message, ModelMessage) and message.tool_calls:
            calls = tuple(each for each in message.tool_calls if each.name != ASK_USER)
            if calls:
                yield replace(message, tool_calls=calls)
        elif isinstance(message, ToolMessage):
            results = tuple(each for each in message.results if each.name != ASK_USER)
            if results:
                yield ToolMessage(results)
        else:
            yield message


def _bare(tool: ToolSpec) -> ToolSpec:
    """Return a tool without the words that keep a language model from obeying its description. A
    tool without them stays the same object, with which the planner keeps what it read of it."""
    if not tool.description.startswith(BY_PROVIDER):
        return tool
    return replace(tool, description=tool.description.removeprefix(BY_PROVIDER))


def _texts(text: str, request: ModelRequest) -> Iterator[TextDelta]:
    words = re.findall(r"\s*\S+|\s+$", text) if request.streamed else [text] if text else []
    for at in range(0, len(words), _CHUNK_WORDS):
        yield TextDelta("".join(words[at : at + _CHUNK_WORDS]))


def _calls(calls: tuple[Call, ...], request: ModelRequest) -> Iterator[Delta]:
    before = sum(len(m.tool_calls) for m in request.messages if isinstance(m, ModelMessage))
    for number, call in enumerate(calls, before + 1):
        id_ = f"call_{number}_{hashlib.sha256(call.key.encode()).hexdigest()[:8]}"
        text = json.dumps(call.arguments, ensure_ascii=False)
        yield CallStart(id_, call.name)
        size = _CHUNK_CHARS if request.streamed else len(text)
        for at in range(0, len(text), size):
            yield ArgumentsDelta(id_, text[at : at + size])
        yield CallEnd(id_)


def _usage(request: ModelRequest, written: int) -> Usage:
    """Estimate tokens; there is no tokenizer, so four characters count as one."""
    tools = sum(len(t.name) + len(t.description) + len(str(t.parameters)) for t in request.tools)
    read = len(request.instructions) + tools + sum(len(str(each)) for each in request.messages)
    return Usage(
        input_tokens=-(-read // _CHARS_PER_TOKEN), output_tokens=-(-written // _CHARS_PER_TOKEN)
    )
