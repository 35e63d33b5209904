"""A turn of the loop on a scripted model, with a dispatcher of plain functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rollcall.agent.dispatch import CallOutcome, CallOutput, Permit
from rollcall.agent.turn import Turn
from rollcall.core.context import Progress
from rollcall.core.messages import ModelMessage, ToolCall, ToolResult, UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.store.message_log import TurnUsage

REQUEST_FIELDS = frozenset(ModelRequest.__struct_fields__) - {"deadline"}


@dataclass
class ToolTable:
    """Dispatches to plain functions by the tool's name. A function may also return a
    `NeedsApproval` or a `ClientCall`, as dispatchers do.

    `decided` holds the ids of calls that somebody has answered; `writing` the names of tools that
    write, `clients` of those that the client runs.
    """

    tools: dict[str, Callable[..., Any]]
    decided: frozenset[str] = frozenset()
    writing: frozenset[str] = frozenset()
    clients: frozenset[str] = frozenset()
    called: list[str] = field(default_factory=list)

    def __call__(self, place: int, call: ToolCall, progress: Progress) -> CallOutcome:
        self.called.append(call.name)
        answer = self.tools[call.name](progress=progress, **(call.arguments or {}))
        return answer if isinstance(answer, CallOutcome) else CallOutput(answer)

    def is_decided(self, call: ToolCall) -> bool:
        return call.id in self.decided

    def writes(self, call: ToolCall) -> bool:
        return call.name in self.writing

    def permit(self, call: ToolCall) -> Permit:
        return Permit()

    def is_client_tool(self, call: ToolCall) -> bool:
        return call.name in self.clients

    def shown(self, call: ToolCall) -> dict[str, Any]:
        return call.arguments or {}


@dataclass
class MemoryJournal:
    """A journal that records the order of its calls."""

    lines: list[str] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        self.lines.append(f"reply {step} {len(reply.tool_calls)}")

    def save_results(self, results: Mapping[int, tuple[ToolResult, dict[str, Any]]]) -> None:
        for result, record in results.values():
            self.lines.append(f"result {result.name}")
            self.records.append(record)


def turn(
    model: Any,
    tools: dict[str, Callable[..., Any]] | None = None,
    *,
    profile: dict[str, Any] | None = None,
    **changes: Any,
) -> Turn:
    """A turn on `model` with these tools; `profile` has fields of its agent, `changes` those of
    the turn and of its request."""
    from rollcall.models.base import load_model

    tools = tools or {}
    agent = AgentProfile(
        "scripted", "Scripted", "Help.", (), **{"result_chars": 4_000, **(profile or {})}
    )
    request: dict[str, Any] = {
        "instructions": "Help.",
        "messages": (UserMessage.of("What is new?"),),
        "tools": tuple(
            ToolSpec(name, f"Look up {name}.", {"type": "object", "properties": {}})
            for name in tools
        ),
        "locale": "en",
        "max_output_tokens": agent.max_output_tokens,
    }
    request |= {each: changes.pop(each) for each in REQUEST_FIELDS if each in changes}
    fields: dict[str, Any] = {
        "run_id": "r1",
        "request": ModelRequest(**request),
        "models": (model,),
        "composer": load_model("offline:planner"),
        "dispatch": ToolTable(tools),
        "journal": MemoryJournal(),
        "profile": agent,
        "deadline": time.monotonic() + 60,
    }
    return Turn(**{**fields, **changes})
