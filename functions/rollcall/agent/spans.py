"""What of a run becomes a span: the run, each model's reply, each tool call.

Names and attributes follow OpenTelemetry's semantic conventions for generative AI, version 1.41.0
(in development there, so they may change); what these have no word for begins with `rollcall.`.
Content (messages, arguments, results) is in no span.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollcall.agent.dispatch import Answer, Ask, Leave
from rollcall.agent.intake import Reply
from rollcall.core import log_context
from rollcall.core.messages import ToolCall
from rollcall.core.tracing import NOTHING, Attribute, Span, is_on, span
from rollcall.models.base import Usage
from rollcall.store.open_run import OpenRun

_PROVIDERS = {"gemini": "gcp.gemini"}
"""The conventions' own names, where they are not ours."""


def of_run(opened: OpenRun) -> Span:
    """`invoke_agent <agent>`: one run of a turn. Later runs of the turn, which may begin days
    after, are found by `rollcall.turn.id`."""
    if not is_on():
        return NOTHING
    return _agent(
        opened.agent,
        {
            "rollcall.turn.id": opened.turn_id,
            "rollcall.run.id": opened.run_id,
            "rollcall.run.attempt": opened.attempt,
        },
    )


def of_asked(agent_id: str) -> Span:
    """`invoke_agent <agent>`: an agent that is asked inside a tool."""
    return _agent(agent_id, {}) if is_on() else NOTHING


def of_reply(model_id: str, *, streamed: bool) -> Span:
    """`chat <model>`: one reply of one model, all tries together."""
    if not is_on():
        return NOTHING
    name = model_id
    while name.startswith("prompted:"):
        name = name.removeprefix("prompted:")
    provider, _, model = name.partition(":")
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model,
        "gen_ai.request.stream": streamed,
        **_conversation(),
    }
    in_process = provider == "offline"
    return span(f"chat {model}", attributes, kind="internal" if in_process else "client")


def of_call(call: ToolCall) -> Span:
    """`execute_tool <tool>`: one call, wherever it runs."""
    return of_tool(call.name, call.id) if is_on() else NOTHING


def of_tool(name: str, call_id: str | None = None) -> Span:
    """`execute_tool <tool>`, also where no model called it."""
    if not is_on():
        return NOTHING
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        **_conversation(),
    }
    if call_id is not None:
        attributes["gen_ai.tool.call.id"] = call_id
    return span(f"execute_tool {name}", attributes)


def told_reply(made: Span, reply: Reply) -> None:
    """What a reply used, and how it ended."""
    if made is NOTHING:
        return
    told_usage(made, reply.usage)
    made.set({"gen_ai.response.finish_reasons": [reply.reason.value]})


def told_usage(made: Span, usage: Usage) -> None:
    """What a reply used."""
    if made is NOTHING:
        return
    made.set(
        {
            **_usage(usage.input_tokens, usage.output_tokens),
            "gen_ai.usage.cache_read.input_tokens": usage.cached_input_tokens,
        }
    )


def told_outcome(made: Span, outcome: Answer | Ask | Leave) -> Answer | Ask | Leave:
    """Whom a call waits for, if it does; its outcome, as it came."""
    if isinstance(outcome, Ask):
        made.set({"rollcall.waits_for": "person"})
    elif isinstance(outcome, Leave):
        made.set({"rollcall.waits_for": "client"})
    return outcome


def told_result(made: Span, result: Mapping[str, Any]) -> None:
    """What a run came to."""
    if made is NOTHING:
        return
    made.set(
        {
            **_usage(
                sum(each["inputTokens"] for each in result["usage"]),
                sum(each["outputTokens"] for each in result["usage"]),
            ),
            "rollcall.outcome": result["outcome"]["type"],
            "rollcall.steps": result["steps"],
        }
    )
    if reason := result.get("stopReason"):
        made.set({"rollcall.stop_reason": reason})


def _agent(agent_id: str, more: Mapping[str, Attribute]) -> Span:
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "rollcall",
        "gen_ai.agent.id": agent_id,
        "gen_ai.agent.name": agent_id,
        **_conversation(),
        **more,
    }
    if user := log_context.log_fields().get("user"):
        attributes["enduser.pseudo.id"] = user
    return span(f"invoke_agent {agent_id}", attributes)


def _conversation() -> dict[str, Attribute]:
    thread = log_context.log_fields().get("thread")
    return {"gen_ai.conversation.id": thread} if thread else {}


def _usage(input_tokens: int, output_tokens: int) -> dict[str, Attribute]:
    return {
        "gen_ai.usage.input_tokens": input_tokens,
        "gen_ai.usage.output_tokens": output_tokens,
    }
