"""The loop: history, tools, models and a dispatcher in; events out.

It knows no Firestore, no HTTP and no user. A step is one model reply and the tools it called. The
loop ends when a reply calls nothing, or when a bound stops it; either way there is an answer.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from rollcall.agent import phrases
from rollcall.agent.calls import run_calls
from rollcall.agent.replies import Reply, stream_reply
from rollcall.agent.turn import Ended, State, Turn
from rollcall.core import events
from rollcall.core.errors import AgentError, DeadlineExceeded, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import ToolMessage
from rollcall.core.wire import ModelUsage, StopReason
from rollcall.models.base import FinishReason, ModelRequest

CLOSING_S = 5.0
"""Kept back from a turn's time, to make an answer of what was found."""
MALFORMED_TRIES = 2


def run(turn: Turn) -> Generator[Event, None, Ended]:
    """Work the turn to its end.

    Raises:
        AgentError: No model could be reached, and nothing was found yet that would be an answer.
    """
    state = State(list(turn.history))
    while True:
        state.step += 1
        yield events.step_started(state.step)
        try:
            reply = yield from _ask(turn, state)
        except AgentError as error:
            return (yield from _answer_without_model(turn, state, error))
        if not reply.calls:
            return (yield from _finish(turn, state, reply))
        yield from _take_step(turn, state, reply)
        yield events.step_finished(state.step)
        reason = _bound_reached(turn, state, reply)
        if reason is not None:
            return (yield from _close(turn, state, reason))


def _ask(turn: Turn, state: State) -> Generator[Event, None, Reply]:
    """Get a usable reply; one that the provider itself calls malformed is asked for once more."""
    while True:
        reply = yield from stream_reply(
            turn.models, _request(turn, state), message_id=_message_id(turn, state)
        )
        _count(state, reply)
        if reply.reason is not FinishReason.MALFORMED or reply.calls:
            return reply
        state.malformed += 1
        if state.malformed >= MALFORMED_TRIES:
            raise Unavailable("the language model's replies could not be read")


def _take_step(turn: Turn, state: State, reply: Reply) -> Generator[Event, None, None]:
    message = reply.message
    state.repeated_in_step = 0
    turn.journal.save_reply(state.step, message)
    state.history.append(message)
    results = yield from run_calls(turn, state, message.tool_calls)
    state.history.append(ToolMessage(tuple(results)))


def _bound_reached(turn: Turn, state: State, reply: Reply) -> StopReason | None:
    if time.monotonic() > turn.deadline - CLOSING_S:
        return StopReason.DEADLINE
    if state.repeated_in_step == len(reply.calls):
        return StopReason.REPEATED_CALLS
    if state.step >= turn.max_steps:
        return StopReason.MAX_STEPS
    return None


def _close(turn: Turn, state: State, reason: StopReason) -> Generator[Event, None, Ended]:
    """Answer from what was found, without further calls."""
    if reason is not StopReason.DEADLINE:
        request = replace(_request(turn, state), tool_choice="none")
        closing_id = f"{_message_id(turn, state)}-closing"
        try:
            reply = yield from stream_reply(turn.models, request, message_id=closing_id)
        except AgentError:
            return (yield from _compose(turn, state, reason))
        _count(state, reply)
        if reply.text.strip() and not reply.calls:
            return _ended(state, reply, reason)
    return (yield from _compose(turn, state, reason))


def _finish(turn: Turn, state: State, reply: Reply) -> Generator[Event, None, Ended]:
    reason = {
        FinishReason.BLOCKED: StopReason.BLOCKED,
        FinishReason.LENGTH: StopReason.LENGTH,
    }.get(reply.reason)
    addition = ""
    if reason is not None:
        addition = phrases.stopped(reason, turn.locale)
    elif not reply.text.strip():
        addition = phrases.no_answer(turn.locale)
    if addition:
        addition = f"\n\n{addition}" if reply.text.strip() else addition
        yield from _say(f"{_message_id(turn, state)}-end", addition)
        reply = replace(reply, text=reply.text + addition)
    yield events.step_finished(state.step)
    return _ended(state, reply, reason)


def _answer_without_model(
    turn: Turn, state: State, error: AgentError
) -> Generator[Event, None, Ended]:
    """The model is gone. What was found is still an answer; with nothing found there is none."""
    late = isinstance(error, DeadlineExceeded)
    if not late and not state.found_something:
        raise error
    reason = StopReason.DEADLINE if late else StopReason.MODEL_UNAVAILABLE
    yield events.step_finished(state.step)
    return (yield from _compose(turn, state, reason))


def _compose(turn: Turn, state: State, reason: StopReason) -> Generator[Event, None, Ended]:
    """Say why it stopped, and let the composer put what was found into words."""
    message_id = f"{_message_id(turn, state)}-end"
    opening = phrases.stopped(reason, turn.locale) + "\n\n"
    if not state.found_something:
        text = opening + phrases.nothing_found(turn.locale)
        yield from _say(message_id, text)
        return _ended(state, Reply(model=turn.composer.id, text=text), reason)
    yield from _say(message_id, opening)
    request = replace(_request(turn, state), tool_choice="none", deadline=None)
    reply = yield from stream_reply((turn.composer,), request, message_id=f"{message_id}-found")
    return _ended(state, replace(reply, text=opening + reply.text), reason)


def _say(message_id: str, text: str) -> Generator[Event, None, None]:
    yield events.text_start(message_id)
    yield events.text_content(message_id, text)
    yield events.text_end(message_id)


def _ended(state: State, reply: Reply, reason: StopReason | None) -> Ended:
    return Ended(
        answer=replace(reply, calls={}).message,
        stop_reason=reason,
        quick_replies=reply.quick_replies,
        calls=state.records,
        citations=state.sources.referred_to(reply.text),
        steps=state.step,
        usage=list(state.usage.values()),
    )


def _request(turn: Turn, state: State) -> ModelRequest:
    return ModelRequest(
        instructions=turn.instructions,
        messages=tuple(state.history),
        tools=turn.tools,
        deadline=turn.deadline,
        cache_key=turn.cache_key,
        locale=turn.locale,
        now_iso=turn.now_iso,
    )


def _count(state: State, reply: Reply) -> None:
    provider, _, model = reply.model.partition(":")
    used = state.usage.get(reply.model) or ModelUsage(provider=provider, model=model)
    state.usage[reply.model] = used.model_copy(
        update={
            "input_tokens": used.input_tokens + reply.usage.input_tokens,
            "cached_input_tokens": used.cached_input_tokens + reply.usage.cached_input_tokens,
            "output_tokens": used.output_tokens + reply.usage.output_tokens,
        }
    )


def _message_id(turn: Turn, state: State) -> str:
    again = f"-{state.malformed}" if state.malformed else ""
    return f"{turn.run_id}-{state.step}{again}"
