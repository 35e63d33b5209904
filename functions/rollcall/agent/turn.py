"""A turn: what it works with, how far it has come, what it came to."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from rollcall.agent.dispatch import Dispatch
from rollcall.agent.results import Sources
from rollcall.core.messages import Message, ModelMessage, ToolCall, ToolResult
from rollcall.core.wire import CallStatus, Citation, ModelUsage, StopReason, ToolCallRecord
from rollcall.models.base import Model, ToolSpec


class Journal(Protocol):
    """Where a run is saved, before anything that follows from it."""

    def save_reply(self, step: int, reply: ModelMessage) -> None: ...

    def save_result(self, result: ToolResult) -> None: ...


@dataclass(frozen=True, slots=True)
class Turn:
    """All that a turn works with.

    `models` are tried in their order until one begins to answer; `composer` makes an answer of
    results when no model can, without a network. `deadline` is a `time.monotonic()` value.
    """

    run_id: str
    instructions: str
    history: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    models: tuple[Model, ...]
    composer: Model
    dispatch: Dispatch
    journal: Journal
    max_steps: int
    deadline: float
    result_chars: int
    locale: str
    now_iso: str
    cache_key: str | None = None


@dataclass(slots=True)
class Ended:
    """What a turn came to. The answer is not in the journal yet: who ends the run saves it."""

    answer: ModelMessage
    stop_reason: StopReason | None
    quick_replies: tuple[str, ...]
    calls: list[ToolCallRecord]
    citations: list[Citation]
    steps: int
    usage: list[ModelUsage]

    @property
    def text(self) -> str:
        return self.answer.text


def _key(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"


@dataclass(slots=True)
class State:
    """A turn as far as it has come."""

    history: list[Message]
    step: int = 0
    records: list[ToolCallRecord] = field(default_factory=list)
    sources: Sources = field(default_factory=Sources)
    usage: dict[str, ModelUsage] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    repeated_in_step: int = 0

    @property
    def found_something(self) -> bool:
        return any(record.status is CallStatus.DONE for record in self.records)

    def is_repeated(self, call: ToolCall) -> bool:
        """Count the call; whether it was made before in this turn, with the same arguments."""
        self.seen[_key(call)] += 1
        repeated = self.seen[_key(call)] > 1
        self.repeated_in_step += repeated
        return repeated

    def allow_again(self, call: ToolCall) -> None:
        """Forget a call that failed in a way that may pass."""
        del self.seen[_key(call)]
