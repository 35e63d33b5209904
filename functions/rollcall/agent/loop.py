"""The loop: history, tools, models and a dispatcher in; events out.

It knows no Firestore, no HTTP and no user. A step is one model reply and the tools it called. The
loop ends when a reply calls nothing, when a call waits for a person or for the client, or when a
bound stops it; with a bound, too, there is an answer. It yields None when nothing has happened for
a second, so that who drives it can look up.
"""

from __future__ import annotations

from collections.abc import Generator

from msgspec.structs import replace

from rollcall.agent.budget import BudgetExhausted, Free
from rollcall.agent.dispatch import Ask
from rollcall.agent.model_calls import stream_reply
from rollcall.agent.reply_stream import Reply
from rollcall.agent.tool_calls import run_calls
from rollcall.agent.turn import Ended, State, Turn, bound_reached
from rollcall.agent.untrusted_text import fenced
from rollcall.core import events
from rollcall.core.errors import AgentError, DeadlineExceeded, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import ModelMessage, ToolMessage
from rollcall.core.redaction import redacted_message
from rollcall.core.texts import TEXTS
from rollcall.core.wire import Citation, ModelUsage, StopReason
from rollcall.models.base import FinishReason, ModelRequest

MALFORMED_TRIES = 2

Steps = Generator[Event | None, None, Ended]


def run(turn: Turn) -> Steps:
    """Work the turn to its end, or to where it waits.

    Raises:
        AgentError: No model could be reached, and nothing was found yet that would be an answer.
    """
    state = State.of(turn)
    last = state.history[-1]
    if isinstance(last, ModelMessage) and last.tool_calls:
        yield events.step_started(state.step)
        ended = yield from _work_step(turn, state, last)
        if ended is not None:
            return ended
    elif turn.before.step and (reason := bound_reached(turn, state, calls=0)) is not None:
        # It was cut off between a step and what follows from it.
        if reason is StopReason.CANCELLED:
            yield events.step_started(state.step)
            return (yield from _stopped(turn, state))
        return (yield from _close(turn, state, reason))
    while True:
        state.step += 1
        yield events.step_started(state.step)
        try:
            reply = yield from _ask(turn, state)
        except AgentError as error:
            return (yield from _answer_without_model(turn, state, error))
        if reply.stopped:
            return (yield from _stopped(turn, state, reply.text))
        if not reply.calls:
            return (yield from _finish(turn, state, reply))
        # What is checked, approved, run and stored from here on is the same text.
        message = redacted_message(reply.message)
        turn.journal.save_reply(state.step, message, state.spent)
        state.history.append(message)
        ended = yield from _work_step(turn, state, message)
        if ended is not None:
            return ended


def _ask(turn: Turn, state: State) -> Generator[Event | None, None, Reply]:
    """Get a usable reply; one that the provider itself calls malformed is asked for once more."""
    while True:
        reply = yield from stream_reply(
            turn.models,
            _request(turn, state),
            message_id=_message_id(turn, state),
            purse=turn.purse,
            is_stopped=turn.is_stopped,
        )
        _count(state, reply)
        if reply.stopped or reply.reason is not FinishReason.MALFORMED or reply.calls:
            return reply
        state.malformed += 1
        if state.malformed >= MALFORMED_TRIES:
            raise Unavailable("the language model's replies could not be read")


def _work_step(
    turn: Turn, state: State, message: ModelMessage
) -> Generator[Event | None, None, Ended | None]:
    """Answer the calls of a reply; return the end if this is one."""
    state.repeated_in_step = 0
    answered = turn.before.answered if message is turn.history[-1] else {}
    results = yield from run_calls(turn, state, message.tool_calls, answered=answered)
    if turn.is_stopped():
        return (yield from _stopped(turn, state))
    if results is None:
        return (yield from _wait(turn, state, message))
    state.history.append(ToolMessage(tuple(results)))
    yield events.step_finished(state.step)
    reason = bound_reached(turn, state, calls=len(results))
    if reason is None:
        return None
    return (yield from _close(turn, state, reason))


def _wait(turn: Turn, state: State, message: ModelMessage) -> Steps:
    """Tell the user what the turn waits for."""
    text = _approvals_text(turn, state)
    if text:
        yield from _say(f"{_message_id(turn, state)}-waiting", text)
    yield events.step_finished(state.step)
    said = f"{message.text.strip()}\n\n{text}".strip()
    ended = _ended(state, Reply(model=turn.composer.id, text=said), None)
    ended.waiting = tuple(state.waiting)
    return ended


def _stopped(turn: Turn, state: State, said: str = "") -> Steps:
    """The user stopped the run. What was said so far is kept, with a mark; calls that only read
    stay unanswered."""
    mark = TEXTS.say(turn.locale, "run.stopped.cancelled")
    addition = f"\n\n{mark}" if said.strip() else mark
    yield from _say(f"{_message_id(turn, state)}-end", addition)
    yield events.step_finished(state.step)
    return _ended(state, Reply(model=turn.composer.id, text=said + addition), StopReason.CANCELLED)


_WITHOUT_MODEL = {
    StopReason.DEADLINE,
    StopReason.MAX_TOKENS,
    StopReason.MAX_COST,
    StopReason.BUDGET,
}
"""Bounds past which no model may be asked again."""


def _close(turn: Turn, state: State, reason: StopReason) -> Steps:
    """Answer from what was found, without further calls."""
    if reason not in _WITHOUT_MODEL:
        request = replace(_request(turn, state), tool_choice="none")
        closing_id = f"{_message_id(turn, state)}-closing"
        try:
            reply = yield from stream_reply(
                turn.models,
                request,
                message_id=closing_id,
                purse=turn.purse,
                is_stopped=turn.is_stopped,
            )
        except AgentError:
            return (yield from _compose(turn, state, reason))
        _count(state, reply)
        if reply.stopped:
            return _ended(state, reply, StopReason.CANCELLED)
        if reply.text.strip() and not reply.calls:
            return _ended(state, reply, reason)
    return (yield from _compose(turn, state, reason))


def _finish(turn: Turn, state: State, reply: Reply) -> Steps:
    reason = {
        FinishReason.BLOCKED: StopReason.BLOCKED,
        FinishReason.LENGTH: StopReason.LENGTH,
    }.get(reply.reason)
    addition = ""
    if reason is not None:
        addition = TEXTS.say(turn.locale, f"run.stopped.{reason}")
    elif not reply.text.strip():
        addition = TEXTS.say(turn.locale, "run.no_answer")
    elif turn.review is not None:
        found = turn.review(reply.text, turn.locale)
        state.named = state.sources.number(found.citations)
        addition = found.remark
    if addition:
        addition = f"\n\n{addition}" if reply.text.strip() else addition
        yield from _say(f"{_message_id(turn, state)}-end", addition)
        reply = replace(reply, text=reply.text + addition)
    yield events.step_finished(state.step)
    return _ended(state, reply, reason)


def _answer_without_model(turn: Turn, state: State, error: AgentError) -> Steps:
    """The model is gone. What was found is still an answer; with nothing found there is none."""
    reason = StopReason.MODEL_UNAVAILABLE
    if isinstance(error, DeadlineExceeded):
        reason = StopReason.DEADLINE
    elif isinstance(error, BudgetExhausted):
        reason = StopReason.BUDGET
    if reason is StopReason.MODEL_UNAVAILABLE and not state.found_something:
        raise error
    yield events.step_finished(state.step)
    return (yield from _compose(turn, state, reason))


def _compose(turn: Turn, state: State, reason: StopReason) -> Steps:
    """Say why it stopped, and let the composer put what was found into words."""
    message_id = f"{_message_id(turn, state)}-end"
    opening = TEXTS.say(turn.locale, f"run.stopped.{reason}") + "\n\n"
    if not state.found_something:
        text = opening + TEXTS.say(turn.locale, "run.nothing_found")
        yield from _say(message_id, text)
        return _ended(state, Reply(model=turn.composer.id, text=text), reason)
    yield from _say(message_id, opening)
    request = replace(_request(turn, state), tool_choice="none", deadline=None)
    reply = yield from stream_reply(
        (turn.composer,),
        request,
        message_id=f"{message_id}-found",
        purse=Free(),
        is_stopped=turn.is_stopped,
    )
    return _ended(state, replace(reply, text=opening + reply.text), reason)


def _say(message_id: str, text: str) -> Generator[Event | None, None, None]:
    yield events.text_start(message_id)
    yield events.text_content(message_id, text)
    yield events.text_end(message_id)


def _ended(state: State, reply: Reply, reason: StopReason | None) -> Ended:
    return Ended(
        answer=redacted_message(replace(reply, calls={}).message),
        stop_reason=reason,
        quick_replies=reply.quick_replies,
        calls=state.records,
        citations=_cited(state, reply.text),
        steps=state.step,
        usage=list(state.usage.values()),
        spent=state.spent,
    )


def _cited(state: State, text: str) -> list[Citation]:
    """The sources that the answer marks, and those that it names."""
    marked = state.sources.referred_to(text)
    return [*marked, *(each for each in state.named if each not in marked)]


def _request(turn: Turn, state: State) -> ModelRequest:
    state.fenced += fenced(state.history[len(state.fenced) :])
    return ModelRequest(
        instructions=turn.instructions,
        messages=tuple(state.fenced),
        tools=state.tools,
        abilities=turn.abilities,
        notes=turn.notes,
        names=turn.names,
        deadline=turn.deadline,
        cache_key=turn.cache_key,
        locale=turn.locale,
        now_iso=turn.now_iso,
        streamed=turn.streamed,
        max_output_tokens=turn.limits.max_output_tokens,
    )


def _count(state: State, reply: Reply) -> None:
    state.tokens += reply.usage.input_tokens + reply.usage.output_tokens
    state.micro_usd += round((reply.cost_usd or 0) * 1_000_000)
    provider, _, model = reply.model.partition(":")
    used = state.usage.get(reply.model) or ModelUsage(provider=provider, model=model)
    state.usage[reply.model] = used.model_copy(
        update={
            "input_tokens": used.input_tokens + reply.usage.input_tokens,
            "cached_input_tokens": used.cached_input_tokens + reply.usage.cached_input_tokens,
            "output_tokens": used.output_tokens + reply.usage.output_tokens,
            "cost_usd": _added(used.cost_usd, reply.cost_usd),
        }
    )


def _added(one: float | None, other: float | None) -> float | None:
    """A sum of costs; what is not known makes the sum no less."""
    return other if one is None else one if other is None else round(one + other, 6)


def _message_id(turn: Turn, state: State) -> str:
    asked_again = f"-again{state.malformed}" if state.malformed else ""
    taken_up = f"-try{turn.attempt}" if turn.attempt > 1 else ""
    return f"{turn.run_id}-{state.step}{asked_again}{taken_up}"


def _approvals_text(turn: Turn, state: State) -> str:
    """What a run waits for people to decide, a line each; "" if it waits for the client only."""
    lines = []
    for each in state.waiting:
        if isinstance(each.whom, Ask):
            key = "run.waits_for_role" if each.whom.decider.role else "run.waits_for_user"
            # Isolated, so that what reads in the other direction stays in its place.
            role = f"\u2068{each.whom.decider.role}\u2069"
            summary = f"\u2068{each.whom.summary}\u2069"
            lines.append(TEXTS.say(turn.locale, key, summary=summary, role=role))
    return "\n".join(lines)
