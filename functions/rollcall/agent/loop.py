"""The agent loop: takes history, tools, models and a dispatcher, and yields events.

It uses no Firestore, no HTTP and no user. A step is one model reply and the tools it called. The
loop ends when a reply calls nothing, when a call waits for a person or for the client, or when a
bound stops it; the turn gets an answer then too. It yields None when nothing has happened for a
second, so that its caller can do other things.
"""

from __future__ import annotations

import time
from collections.abc import Generator

from msgspec.structs import replace

from rollcall.agent.dispatch import NeedsApproval
from rollcall.agent.model_calls import stream_reply
from rollcall.agent.prompt import delimited_history
from rollcall.agent.reply import Reply
from rollcall.agent.tool_calls import Question, StepCalls, find_question
from rollcall.agent.turn import Sources, Turn, TurnEnd, reached_bound
from rollcall.core import events
from rollcall.core.errors import AgentError, DeadlineExceeded, Unavailable
from rollcall.core.events import Event
from rollcall.core.messages import ModelMessage, ToolMessage, redacted_message
from rollcall.core.texts import TEXTS
from rollcall.core.wire import ModelUsage, StopReason
from rollcall.models.base import FinishReason
from rollcall.store.budgets import BudgetExhausted

MALFORMED_TRIES = 2
_WITHOUT_MODEL = {
    StopReason.DEADLINE,
    StopReason.MAX_TOKENS,
    StopReason.MAX_COST,
    StopReason.BUDGET,
}
"""Bounds after which no model may be called again."""
_CUT_SHORT = {
    FinishReason.BLOCKED: StopReason.BLOCKED,
    FinishReason.LENGTH: StopReason.LENGTH,
}

TurnEvents = Generator[Event | None, None, TurnEnd]


def run(turn: Turn) -> TurnEvents:
    """Run the turn until it ends or waits.

    Raises:
        AgentError: No model could be reached, and no result is there to answer with.
    """
    state = turn.state
    state.history, state.tools = list(turn.request.messages), turn.request.tools
    notes = [note.citation for note in turn.request.notes]
    state.sources = Sources(state.sources.citations, notes)
    state.started = time.monotonic()
    has_begun, last = state.step > 0, state.history[-1]
    if isinstance(last, ModelMessage) and last.tool_calls:
        yield events.step_started(state.step)
        end = yield from _answer_calls(turn, last)
        if end is not None:
            return end
    elif has_begun and (question := find_question(state)) is not None:
        yield events.step_started(state.step)
        return (yield from _end_with_question(turn, question))
    elif has_begun and (reason := reached_bound(turn, calls=0)) is not None:
        # The turn was cut off after a step and before its end.
        if reason is StopReason.CANCELLED:
            yield events.step_started(state.step)
            return (yield from _cancelled(turn))
        return (yield from _close(turn, reason))
    while True:
        state.step += 1
        yield events.step_started(state.step)
        try:
            reply = yield from _reply(turn)
            while reply.reason is FinishReason.MALFORMED and not (reply.stopped or reply.calls):
                state.malformed += 1
                if state.malformed >= MALFORMED_TRIES:
                    raise Unavailable(TEXTS.text("errors.replies_unreadable"))
                reply = yield from _reply(turn)
        except AgentError as error:
            return (yield from _answer_without_model(turn, error))
        if reply.stopped:
            return (yield from _cancelled(turn, reply.text))
        if reply.calls and reply.reason is FinishReason.BLOCKED:
            reply = replace(reply, calls={}, provider_parts=())  # a blocked reply's calls are void
        if not reply.calls:
            return (yield from _finish(turn, reply))
        # Redacted once, here: what is checked, approved, run and stored is the same text.
        message = redacted_message(reply.message)
        if turn.journal is not None:
            turn.journal.save_reply(state.step, message, state.spent)
        state.history.append(message)
        end = yield from _answer_calls(turn, message)
        if end is not None:
            return end


def _reply(
    turn: Turn,
    *,
    part: str = "",
    is_last: bool = False,
    by_composer: bool = False,
) -> Generator[Event | None, None, Reply]:
    """Stream one reply to the turn's history, and count its usage.

    Args:
        part: The end of the message's id, where a step has several messages.
        is_last: Whether the reply may call no tool.
        by_composer: Whether the composer makes the reply, at no cost and without a deadline.
    """
    state = turn.state
    state.sent += delimited_history(state.history[len(state.sent) :])
    request = replace(
        turn.request,
        messages=tuple(state.sent),
        tools=state.tools,
        deadline=None if by_composer else turn.deadline,
        tool_choice="none" if is_last else "auto",
        notice="" if by_composer else turn.request.notice,
    )
    reply = yield from stream_reply(
        (turn.composer,) if by_composer else turn.models,
        request,
        message_id=_message_id(turn, part),
        budget=turn.budget,
        is_stopped=turn.is_stopped,
    )
    if by_composer:
        return reply
    state.tokens += reply.usage.input_tokens + reply.usage.output_tokens
    state.micro_usd += round((reply.cost_usd or 0) * 1_000_000)
    provider, _, model = reply.model.partition(":")
    used = state.usage.get(reply.model) or ModelUsage(provider=provider, model=model)
    costs = [cost for cost in (used.cost_usd, reply.cost_usd) if cost is not None]
    state.usage[reply.model] = used.model_copy(
        update={
            "input_tokens": used.input_tokens + reply.usage.input_tokens,
            "cached_input_tokens": used.cached_input_tokens + reply.usage.cached_input_tokens,
            "output_tokens": used.output_tokens + reply.usage.output_tokens,
            "cost_usd": round(sum(costs), 6) if costs else None,
            "estimated": used.estimated or reply.usage.is_estimated or None,
        }
    )
    return reply


def _answer_calls(
    turn: Turn, message: ModelMessage
) -> Generator[Event | None, None, TurnEnd | None]:
    """Answer the calls of a reply; return the turn's end if they end it."""
    turn.state.repeated_in_step = 0
    results = yield from StepCalls(turn, message.tool_calls).run()
    if turn.is_stopped():
        return (yield from _cancelled(turn))
    if results is None:
        return (yield from _wait(turn, message))
    turn.state.history.append(ToolMessage(tuple(results)))
    if (question := find_question(turn.state)) is not None:
        return (yield from _end_with_question(turn, question))
    yield events.step_finished(turn.state.step)
    reason = reached_bound(turn, calls=len(results))
    return None if reason is None else (yield from _close(turn, reason))


def _wait(turn: Turn, message: ModelMessage) -> TurnEvents:
    """End the run with its waiting calls, and show the user a line for each approval."""
    lines = []
    for each in turn.state.waiting:
        if isinstance(each.needs, NeedsApproval):
            role = each.needs.decider.role
            # In bidi isolates, so that right-to-left text stays in its place.
            values = {"summary": f"\u2068{each.needs.summary}\u2069", "role": f"\u2068{role}\u2069"}
            key = "run.waits_for_role" if role else "run.waits_for_user"
            lines.append(TEXTS.say(turn.request.locale, key, **values))
    text = "\n".join(lines)
    if text:
        yield from _say(turn, text, part="-waiting")
    yield events.step_finished(turn.state.step)
    answer = f"{message.text.strip()}\n\n{text}".strip()
    end = _end(turn, Reply(model=turn.composer.id, text=answer), None)
    end.waiting = tuple(turn.state.waiting)
    return end


def _end_with_question(turn: Turn, question: Question) -> TurnEvents:
    """End the turn with the last reply's text, followed by its question to the user."""
    reply = turn.state.history[-2]
    answer = reply.text.strip() if isinstance(reply, ModelMessage) else ""
    if not answer.endswith(question.question):
        yield from _say(turn, question.question, part="-question")
        answer = f"{answer}\n\n{question.question}".strip()
    yield events.step_finished(turn.state.step)
    model = (reply.provider if isinstance(reply, ModelMessage) else None) or turn.composer.id
    end = _end(turn, Reply(model=model, text=answer), None)
    end.is_question = True
    end.quick_replies = tuple(dict.fromkeys(question.quick_replies))
    end.collected_data = question.collected_data
    return end


def _cancelled(turn: Turn, text: str = "") -> TurnEvents:
    """End a turn that the user stopped. The text so far is kept, with a note; calls that only read
    stay unanswered."""
    note = TEXTS.say(turn.request.locale, "run.stopped.cancelled")
    addition = f"\n\n{note}" if text.strip() else note
    yield from _say(turn, addition, part="-end")
    yield events.step_finished(turn.state.step)
    return _end(turn, Reply(model=turn.composer.id, text=text + addition), StopReason.CANCELLED)


def _close(turn: Turn, reason: StopReason) -> TurnEvents:
    """Answer from the results so far, without further calls."""
    if reason not in _WITHOUT_MODEL and turn.models[0].id != turn.composer.id:
        try:
            reply = yield from _reply(turn, part="-closing", is_last=True)
        except AgentError:
            return (yield from _compose(turn, reason))
        if reply.stopped:
            return _end(turn, reply, StopReason.CANCELLED)
        if reply.text.strip() and not reply.calls:
            return _end(turn, reply, reason)
    return (yield from _compose(turn, reason))


def _finish(turn: Turn, reply: Reply) -> TurnEvents:
    """End a turn with the model's answer, and add a note if it was cut off, is empty or drew a
    remark of the agent's review."""
    reason = _CUT_SHORT.get(reply.reason)
    addition = ""
    if reason is not None:
        addition = TEXTS.say(turn.request.locale, f"run.stopped.{reason}")
    elif not reply.text.strip():
        addition = TEXTS.say(turn.request.locale, "run.no_answer")
    elif turn.profile.review is not None:
        review = turn.profile.review(reply.text, turn.request.locale)
        turn.state.named = turn.state.sources.number(review.citations)
        addition = review.remark
    if addition:
        addition = f"\n\n{addition}" if reply.text.strip() else addition
        yield from _say(turn, addition, part="-end")
        reply = replace(reply, text=reply.text + addition)
    yield events.step_finished(turn.state.step)
    return _end(turn, reply, reason)


def _answer_without_model(turn: Turn, error: AgentError) -> TurnEvents:
    """Answer from the results so far, since no model can be called; raise the error if there are no
    results."""
    reason = StopReason.MODEL_UNAVAILABLE
    if isinstance(error, DeadlineExceeded):
        reason = StopReason.DEADLINE
    elif isinstance(error, BudgetExhausted):
        reason = StopReason.BUDGET
    if reason is StopReason.MODEL_UNAVAILABLE and not turn.state.has_results:
        raise error
    yield events.step_finished(turn.state.step)
    return (yield from _compose(turn, reason))


def _compose(turn: Turn, reason: StopReason) -> TurnEvents:
    """Say why the turn stopped, and let the composer write an answer from the results."""
    opening = TEXTS.say(turn.request.locale, f"run.stopped.{reason}") + "\n\n"
    if not turn.state.has_results:
        text = opening + TEXTS.say(turn.request.locale, "run.nothing_found")
        yield from _say(turn, text, part="-end")
        return _end(turn, Reply(model=turn.composer.id, text=text), reason)
    yield from _say(turn, opening, part="-end")
    reply = yield from _reply(turn, part="-end-found", is_last=True, by_composer=True)
    return _end(turn, replace(reply, text=opening + reply.text), reason)


def _say(turn: Turn, text: str, *, part: str) -> Generator[Event | None, None, None]:
    """Yield the events of a whole message."""
    message_id = _message_id(turn, part)
    yield events.text_start(message_id)
    yield events.text_content(message_id, text)
    yield events.text_end(message_id)


def _end(turn: Turn, reply: Reply, reason: StopReason | None) -> TurnEnd:
    state = turn.state
    marked = state.sources.referred_to(reply.text)
    return TurnEnd(
        answer=redacted_message(replace(reply, calls={}).message),
        stop_reason=reason,
        quick_replies=reply.quick_replies,
        calls=state.records,
        citations=[*marked, *(each for each in state.named if each not in marked)],
        steps=state.step,
        usage=list(state.usage.values()),
        spent=state.spent,
    )


def _message_id(turn: Turn, part: str) -> str:
    again = f"-again{turn.state.malformed}" if turn.state.malformed else ""
    attempt = f"-try{turn.attempt}" if turn.attempt > 1 else ""
    return f"{turn.run_id}-{turn.state.step}{again}{attempt}{part}"
