"""A request's history as the planner reads it: the turn's message and steps, what was before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from rollcall.core.messages import (
    Json,
    Media,
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.text import language, words
from rollcall.models.planner.mentions import wording
from rollcall.models.planner.parameters import spaced

_DEPTH = 6


class Thing(NamedTuple):
    """Something with an id that a result names; `kind` reads like "conversation"."""

    kind: str
    id: str
    name: str


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
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    @property
    def failed(self) -> bool:
        return self.result.is_error or set(self.body) - {"notice"} == {"error"}

    @cached_property
    def lists(self) -> dict[str, list[dict[str, Any]]]:
        """The lists of things that the result has, by name."""
        output = {"results": self.output} if isinstance(self.output, list) else self.output
        every = output.items() if isinstance(output, dict) else ()
        return {k: v for k, v in every if isinstance(v, list) and v and isinstance(v[0], dict)}

    def of_kind(self, kind: str) -> list[Thing]:
        """Return what the result names that an id parameter for a kind may take, each once."""
        wanted, found = set(words(kind)), dict[str, Thing]()
        for thing in () if self.failed else _things(self.output, "", 0):
            if thing.kind and wanted <= set(words(thing.kind)):
                had = found.setdefault(thing.id, thing)
                found[thing.id] = had if had.name else thing
        return list(found.values())


def _things(value: Json, kind: str, depth: int) -> Iterator[Thing]:
    """Yield what has an id; `kind` is what the list or the field that holds it is called."""
    if isinstance(value, list) and depth <= _DEPTH:
        for item in value:
            yield from _things(item, kind, depth + 1)
    elif isinstance(value, dict) and depth <= _DEPTH:
        for key, inner in value.items():
            stem = re.sub(r"_?[iI]d$", "", key)
            if stem != key and isinstance(inner, str | int):
                named = wording("fields.headline") if spaced(stem) in ("", kind) else ()
                fields = (f"{stem}Name", f"{stem}Title", *named)
                name = next((value[f] for f in fields if isinstance(value.get(f), str)), "")
                yield Thing(spaced(stem) or kind, str(inner), name[:80])
            elif isinstance(inner, dict | list):
                yield from _things(inner, spaced(key).removesuffix("s"), depth + 1)


class Turn(Struct, frozen=True):
    """The user's message and the steps taken for it.

    Attributes:
        files: The labels of the files that came with it.
        asked: What the user said before, if the planner asked back about it.
        last: The last call before this turn.
        before: The message that it was made for.
    """

    text: str
    files: tuple[str, ...]
    steps: tuple[Step, ...]
    asked: str
    last: ToolCall | None
    before: str
    locale: str

    def made(self, name: str, arguments: dict[str, Json]) -> Step | None:
        """Return this turn's step that made a call; None if it was not made."""
        same = (s for s in self.steps if s.call.name == name)
        return next((s for s in same if (s.call.arguments or {}) == arguments), None)


def read_turn(messages: Sequence[Message], locale: str) -> Turn:
    """Split a history at the user's last message."""
    text, asked, before, at, files = "", "", "", 0, tuple[str, ...]()
    for n, message in enumerate(messages):
        if isinstance(message, UserMessage):
            reply = messages[n - 1] if n else None
            is_asked = isinstance(reply, ModelMessage) and reply.text.rstrip().endswith("?")
            asked = ", ".join(filter(None, (asked, text.rstrip(" ?.!")))) if is_asked else ""
            before = text if any(isinstance(m, ToolMessage) for m in messages[at:n]) else before
            text, at = message.text, n
            files = tuple(part.label for part in message.parts if isinstance(part, Media))
            # "src/app.ts" or "12" is an answer in no language at all.
            locale = language(text) if sum(map(str.isalpha, text)) > 3 else locale[:2]
    last = next((each.call for each in reversed(_steps_of(messages[:at]))), None)
    return Turn(text, files, _steps_of(messages[at:]), asked, last, before, locale)


def _steps_of(messages: Sequence[Message]) -> tuple[Step, ...]:
    """Pair every call of a history with its result."""
    calls = {c.id: c for m in messages if isinstance(m, ModelMessage) for c in m.tool_calls}
    results = (r for m in messages if isinstance(m, ToolMessage) for r in m.results)
    return tuple(Step(calls[r.call_id], r) for r in results if r.call_id in calls)
