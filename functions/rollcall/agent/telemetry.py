"""A run as its operator sees it: noted in its context, told in the log, timed as a span."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from msgspec import Struct

from rollcall.agent.dispatch import Answer, Ask, Leave
from rollcall.agent.reply_stream import Reply
from rollcall.core import log_context
from rollcall.core.context import Platform
from rollcall.core.errors import Aborted, AgentError
from rollcall.core.log_context import isolated_context, set_fields, set_user
from rollcall.core.logs import fields
from rollcall.core.messages import ToolCall
from rollcall.core.tracing import NOTHING, Attribute, Span, is_on, span
from rollcall.models.base import Usage
from rollcall.store.open_run import OpenRun

Y = TypeVar("Y")
Result = dict[str, Any]
Drive = TypeVar("Drive", bound=Callable[..., Generator[Any, None, dict[str, Any]]])

log = logging.getLogger("rollcall")

_PROVIDERS = {"gemini": "gcp.gemini"}
"""The conventions' own names, where they are not ours."""


def observed(drive: Drive) -> Drive:
    """Have what drives an open run, its third argument, say which run it is, from its first event
    to its end."""

    @wraps(drive)
    def driven(
        platform: Platform, asked: Any, opened: OpenRun, **options: Any
    ) -> Generator[Any, None, Result]:
        events = drive(platform, asked, opened, **options)
        return (yield from isolated_context(_watched(opened, events)))

    return cast(Drive, driven)


def _watched(opened: OpenRun, events: Generator[Y, None, Result]) -> Generator[Y, None, Result]:
    set_user(opened.user.uid)
    set_fields(thread=opened.thread_id, turn=opened.turn_id, run=opened.run_id, agent=opened.agent)
    _tell_opened(opened)
    end = _End(opened, time.monotonic())
    with of_run(opened) as span:
        try:
            result = yield from events
        except Aborted:
            end.tell("left")  # to the task queue, or to the run that took the thread over
            raise
        except AgentError as error:
            # One that is not closed goes on elsewhere.
            end.tell("failed" if opened.is_closed else "left", code=error.code)
            raise
        except GeneratorExit:
            end.tell("left")
            raise
        except Exception as error:
            end.tell("failed", code=type(error).__name__)
            raise
        told_result(span, result)
        end.tell_result(result)
        return result


def _tell_opened(opened: OpenRun) -> None:
    taken_up = opened.attempt > 1
    log.info(
        "run taken up" if taken_up else "run opened",
        extra=fields(
            "run_taken_up" if taken_up else "run_opened",
            attempt=opened.attempt,
            offered=len(opened.request["offered"]),
        ),
    )
    if taken_up:
        return
    for approval in opened.approvals:  # what an earlier run of the turn asked for
        log.info(
            "approval %s: %s",
            approval.id,
            approval.status.value,
            extra=fields("approval_decided", tool=approval.tool, status=approval.status.value),
        )


class _End(Struct, frozen=True):
    """Tells how a run ended; `began` is a `time.monotonic()` value."""

    opened: OpenRun
    began: float

    def tell(self, outcome: str, **figures: Any) -> None:
        ms = round((time.monotonic() - self.began) * 1000)
        told = fields("run_ended", outcome=outcome, ms=ms, attempt=self.opened.attempt, **figures)
        log.info("run ended: %s", outcome, extra=told)

    def tell_result(self, result: Result) -> None:
        calls, usage = result["toolCalls"], result["usage"]
        for interrupt in result["outcome"].get("interrupts") or ():
            told = fields("approval_asked", tool=interrupt["metadata"]["tool"])
            log.info("approval %s: asked", interrupt["id"], extra=told)
        self.tell(
            result["outcome"]["type"],
            stopReason=result.get("stopReason"),
            steps=result["steps"],
            offered=len(self.opened.request["offered"]),
            called=len(calls),
            failed=sum(call["status"] == "failed" for call in calls),
            inputTokens=sum(each["inputTokens"] for each in usage),
            outputTokens=sum(each["outputTokens"] for each in usage),
            microUsd=round(sum(each.get("costUsd") or 0 for each in usage) * 1_000_000),
        )


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
