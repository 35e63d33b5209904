"""Telemetry of runs for operators: log entries, and OpenTelemetry spans if they are switched on.

There is a span for the run, each model's reply and each tool call. Names and attributes follow the
semantic conventions for generative AI, version 1.41.0 (in development there, so they may change);
our own attributes begin with `rollcall.`. No span has content (messages, arguments, results).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from typing import Any, TypeVar

from rollcall.core.errors import Aborted, AgentError
from rollcall.core.logs import fields, log_fields, set_fields, set_user
from rollcall.core.tracing import NOTHING, Attribute, Span, SpanBlock, is_on
from rollcall.core.tracing import span as new_span
from rollcall.models.base import FinishReason, Usage
from rollcall.models.provider import plain_id, provider_of
from rollcall.store.open_run import OpenRun

Y = TypeVar("Y")
Result = dict[str, Any]

log = logging.getLogger("rollcall")


def observe_run(opened: OpenRun, events: Generator[Y, None, Result]) -> Generator[Y, None, Result]:
    """Yield a run's events, log its beginning and its end, and record its span. It sets fields of
    the log context that it runs in."""
    set_user(opened.user.uid)
    set_fields(thread=opened.thread_id, turn=opened.turn_id, run=opened.run_id, agent=opened.agent)
    offered, began = len(opened.request["offered"]), time.monotonic()
    event, text = "run_opened", "run opened"
    if opened.attempt > 1:
        event, text = "run_taken_up", "run taken up"
    log.info(text, extra=fields(event, attempt=opened.attempt, offered=offered))
    if opened.attempt == 1:
        for approval in opened.approvals:  # requested by an earlier run of the turn
            extra = fields("approval_decided", tool=approval.tool, status=approval.status.value)
            log.info("approval %s: %s", approval.id, approval.status.value, extra=extra)

    def log_end(outcome: str, **figures: Any) -> None:
        ms = round((time.monotonic() - began) * 1000)
        extra = fields("run_ended", outcome=outcome, ms=ms, attempt=opened.attempt, **figures)
        log.info("run ended: %s", outcome, extra=extra)

    with run_span(opened.agent, opened) as span:
        try:
            result = yield from events
        except (Aborted, GeneratorExit):
            log_end("left")  # to the task queue, or to the run that took the thread over
            raise
        except Exception as error:
            code = error.code if isinstance(error, AgentError) else type(error).__name__
            # After an AgentError a run that is still open goes on in another process.
            is_left = isinstance(error, AgentError) and not opened.is_closed
            log_end("left" if is_left else "failed", code=code)
            raise
        calls, usage, reason = result["toolCalls"], result["usage"], result.get("stopReason")
        input_tokens = sum(each["inputTokens"] for each in usage)
        output_tokens = sum(each["outputTokens"] for each in usage)
        span.set(
            {
                "gen_ai.usage.input_tokens": input_tokens,
                "gen_ai.usage.output_tokens": output_tokens,
                "rollcall.outcome": result["outcome"]["type"],
                "rollcall.steps": result["steps"],
                **({"rollcall.stop_reason": reason} if reason else {}),
            }
        )
        for interrupt in result["outcome"].get("interrupts") or ():
            extra = fields("approval_asked", tool=interrupt["metadata"]["tool"])
            log.info("approval %s: asked", interrupt["id"], extra=extra)
        log_end(
            result["outcome"]["type"],
            stopReason=reason,
            steps=result["steps"],
            offered=offered,
            called=len(calls),
            failed=sum(call["status"] == "failed" for call in calls),
            inputTokens=input_tokens,
            outputTokens=output_tokens,
            microUsd=round(sum(each.get("costUsd") or 0 for each in usage) * 1_000_000),
        )
        return result


def run_span(agent_id: str, opened: OpenRun | None = None) -> SpanBlock:
    """Begin the span `invoke_agent <agent>`: one run of a turn, or of an agent that a tool asks.
    Later runs of the turn, which may begin days after, have the same `rollcall.turn.id`."""
    if not is_on():
        return NOTHING
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "rollcall",
        "gen_ai.agent.id": agent_id,
        "gen_ai.agent.name": agent_id,
        **_conversation(),
    }
    if opened is not None:
        attributes["rollcall.turn.id"] = opened.turn_id
        attributes["rollcall.run.id"] = opened.run_id
        attributes["rollcall.run.attempt"] = opened.attempt
    if user := log_fields().get("user"):
        attributes["enduser.pseudo.id"] = user
    return new_span(f"invoke_agent {agent_id}", attributes)


def reply_span(model_id: str, *, streamed: bool) -> SpanBlock:
    """Begin the span `chat <model>`: one reply of one model, all tries together."""
    if not is_on():
        return NOTHING
    name = plain_id(model_id)
    id, _, model = name.partition(":")
    provider = provider_of(name)
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": (provider and provider.telemetry) or id,
        "gen_ai.request.model": model,
        "gen_ai.request.stream": streamed,
        **_conversation(),
    }
    in_process = id == "offline"
    return new_span(f"chat {model}", attributes, kind="internal" if in_process else "client")


def record_usage(span: Span, usage: Usage, *, reason: FinishReason | None = None) -> None:
    """Set a reply's usage and finish reason on its span."""
    span.set(
        {
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_input_tokens,
            **({"gen_ai.response.finish_reasons": [reason.value]} if reason else {}),
        }
    )


def tool_span(name: str, call_id: str | None = None) -> SpanBlock:
    """Begin the span `execute_tool <tool>`: one call, wherever it runs, also a user's direct
    call."""
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
    return new_span(f"execute_tool {name}", attributes)


def _conversation() -> dict[str, Attribute]:
    thread = log_fields().get("thread")
    return {"gen_ai.conversation.id": thread} if thread else {}
