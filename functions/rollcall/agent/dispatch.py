"""How the loop reaches a capability."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from rollcall.core.context import AskAgent, Platform, Progress, ToolContext, User
from rollcall.core.errors import FailedPrecondition, PermissionDenied
from rollcall.core.messages import ToolCall
from rollcall.core.wire import Citation, Display
from rollcall.registry.documents import Entry, at_least


@dataclass(frozen=True, slots=True)
class Answer:
    """What a capability returned, as plain JSON, and what it said about it."""

    output: Any
    citations: list[Citation] = field(default_factory=list)
    display: Display | None = None


class Dispatch(Protocol):
    """Runs one tool call.

    Raises:
        AgentError: The call failed in a way the model can be told.
    """

    def __call__(self, call: ToolCall, progress: Progress) -> Answer: ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """Runs the capabilities of this codebase, each checked again for this user."""

    platform: Platform
    user: User
    locale: str
    now: datetime
    entries: dict[str, Entry]
    agents: AskAgent

    def __call__(self, call: ToolCall, progress: Progress) -> Answer:
        from rollcall.catalog import find_capability

        entry = self.entries[call.name]
        capability = find_capability(call.name)
        mark = capability.mark
        # The document may be older than the code, or someone else's: the stricter of both counts.
        if not (entry.permits(self.user.role) and at_least(self.user.role, mark.min_role)):
            raise PermissionDenied(f"{call.name} is not available to this user")
        if entry.spec.writes or mark.effect == "write" or "client" in (entry.runs_on, mark.runs_on):
            raise FailedPrecondition(
                f"{call.name} changes data or runs on the user's device; it needs a person's yes, "
                "which cannot be asked for in this run",
                hint="tell the user what you would have done",
            )
        ctx = ToolContext(
            user=self.user,
            platform=self.platform,
            locale=self.locale,
            now=self.now,
            progress=progress,
            agents=self.agents,
        )
        output = capability.call(ctx, call.arguments, field="")
        return Answer(output, ctx.citations, ctx.display)
