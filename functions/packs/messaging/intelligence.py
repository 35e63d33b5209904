"""A capability that asks the messaging agent one question and returns its answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from packs.messaging.documents import iso
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Wire


class AgentToolCall(Wire):
    """One tool that the agent called, and in which step of its loop."""

    tool: str
    args: dict[str, Any]
    result: Any = None
    iteration: int


class AgentAnswer(Wire):
    """What conversation_intelligence_agent returns.

    Attributes:
        stop_reason: The limit that ended the loop; None if the agent ended it.
    """

    answer: str
    tool_calls: list[AgentToolCall]
    iterations: int
    stop_reason: str | None = None
    timestamp: str


@capability(related=["search_all_conversations", "get_priority_messages"])
def conversation_intelligence_agent(
    ctx: ToolContext,
    *,
    query: Annotated[str, Field(min_length=1, max_length=8_000)],
    max_iterations: Annotated[int, Field(ge=1, le=10)] = 5,
) -> AgentAnswer:
    """Answer a question about the user's conversations by choosing and running the right tools.

    Use it from an app that wants one answer to one question, without a thread: it runs the
    messaging agent and reports the tools called on the way.

    Args:
        query: The user's question, in any language.
        max_iterations: Most rounds of tool calls, 1 to 10.
    """
    run = ctx.ask_agent("messaging", query, max_steps=max_iterations)
    return AgentAnswer(
        answer=run["message"],
        tool_calls=[
            AgentToolCall(
                tool=call["tool"],
                args=call["arguments"],
                result=call.get("result", call.get("error")),
                iteration=call["step"],
            )
            for call in run.get("toolCalls", [])
        ],
        iterations=run["steps"],
        stop_reason=run.get("stopReason"),
        timestamp=iso(ctx.now) or "",
    )
