"""A request's history as the planner sees it: this turn's text and steps, and what came before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from rollcall.core.messages import (
    Json,
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.text import language
from rollcall.models._offline.entities import Entity, entities


class Step(Struct, frozen=True, dict=True):
    """A call that was made, with what came of it."""

    call: ToolCall
    result: ToolResult

    @cached_property
    def body(self) -> dict[str, Any]:
        """The result as JSON; a plain text becomes its output."""
        try:
            value = json.loads(self.result.content)
        except (ValueError, RecursionError):
            value = None
        return value if isinstance(value, dict) else {"output": value or self.result.content}

    @property
    def output(self) -> Json:
        return self.body.get("output", None if self.failed else self.body)

    @property
    def citations(self) -> list[dict[str, Any]]:
        found = self.body.get("citations")
        return [c for c in found if isinstance(c, dict)] if isinstance(found, list) else []

    @property
    def failed(self) -> bool:
        return self.result.is_error or set(self.body) == {"error"}

    @property
    def error(self) -> dict[str, Any]:
        found = self.body.get("error")
        return found if isinstance(found, dict) else {"message": str(found or self.output or "")}

    @cached_property
    def entities(self) -> list[Entity]:
        return [] if self.failed else entities(self.output)


class Turn(Struct, frozen=True, dict=True):
    """The user's message, the steps taken for it, and the history before it."""

    text: str
    steps: tuple[Step, ...]
    before: tuple[Message, ...]
    language: str

    @cached_property
    def earlier(self) -> tuple[Step, ...]:
        return steps(self.before)

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """What the results of earlier turns named, the newest first, each once.

        This turn's own results are left out: a plan must stay the same while it is carried out.
        """
        every = (entity for step in reversed(self.earlier) for entity in step.entities)
        return tuple(dict.fromkeys(every))


def read(messages: Sequence[Message], locale: str) -> Turn:
    """Split a history at the user's last message."""
    at = max((i for i, m in enumerate(messages) if isinstance(m, UserMessage)), default=-1)
    message = messages[at] if at >= 0 else None
    text = message.text if isinstance(message, UserMessage) else ""
    before = tuple(messages[: max(at, 0)])
    return Turn(_unquoted(text), steps(messages[at + 1 :]), before, _language(text, before, locale))


def _unquoted(text: str) -> str:
    """Take away quotation marks around a whole message: they quote nothing in it."""
    bare = text.strip()
    wrapped = len(bare) > 2 and bare[0] in '"“' and bare[-1] in '"”'
    return bare[1:-1] if wrapped and not set(bare[1:-1]) & set('"“”') else text


def _language(text: str, before: Iterable[Message], locale: str) -> str:
    said = [text, *(m.text for m in reversed(list(before)) if isinstance(m, UserMessage))]
    for candidate in said:
        # "src/app.ts" or "12" is an answer in no language at all.
        if sum(char.isalpha() for char in candidate) > 3:
            return language(candidate)
    return "he" if locale.startswith("he") else "en"


def steps(messages: Sequence[Message]) -> tuple[Step, ...]:
    """Pair every call of a history with its result."""
    calls: dict[str, ToolCall] = {}
    found: list[Step] = []
    for message in messages:
        if isinstance(message, ModelMessage):
            calls = {call.id: call for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            found += [Step(calls[r.call_id], r) for r in message.results if r.call_id in calls]
    return tuple(found)
