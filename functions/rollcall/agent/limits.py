"""The bounds of a turn: which is reached, and which call would go past one."""

from __future__ import annotations

import time

from rollcall.agent.turn import State, Turn
from rollcall.core.errors import Aborted, AgentError, ResourceExhausted
from rollcall.core.messages import ModelMessage, ToolCall
from rollcall.core.wire import StopReason

CLOSING_S = 5.0
"""Kept back from a turn's time, to make an answer of what was found."""
MAX_CALLS_PER_STEP = 16


def bound_reached(turn: Turn, state: State, *, calls: int) -> StopReason | None:
    """The bound that ends the turn now, after a step of so many calls; None if none does."""
    limits = turn.limits
    if turn.is_stopped():
        return StopReason.CANCELLED
    if time.monotonic() > turn.deadline - CLOSING_S:
        return StopReason.DEADLINE
    if calls and state.repeated_in_step == calls:
        return StopReason.REPEATED_CALLS
    if state.step >= limits.max_steps:
        return StopReason.MAX_STEPS
    if state.calls >= limits.max_calls:
        return StopReason.MAX_CALLS
    if state.tokens >= limits.max_tokens:
        return StopReason.MAX_TOKENS
    if state.micro_usd >= limits.max_cost_usd * 1_000_000:
        return StopReason.MAX_COST
    return None


def refused_by_bounds(
    turn: Turn, state: State, call: ToolCall, *, number: int
) -> AgentError | None:
    """Why this call, the step's `number`-th from 0, is one too many, if it is."""
    limits = turn.limits
    if number >= MAX_CALLS_PER_STEP:
        return ResourceExhausted(f"at most {MAX_CALLS_PER_STEP} calls are run in one step")
    if state.calls >= limits.max_calls:
        return ResourceExhausted(f"at most {limits.max_calls} calls are run in one turn")
    if state.per_tool[call.name] >= limits.max_calls_per_tool:
        return ResourceExhausted(
            f"{call.name} is run at most {limits.max_calls_per_tool} times in one turn"
        )
    is_clients = turn.dispatch.is_the_clients(call)
    if state.is_repeated(call, among=_latest(state, number) if is_clients else None):
        return Aborted("this call was made before in this turn; its result stands above")
    return None


def _latest(state: State, number: int) -> list[ToolCall]:
    """The calls of the last step, and those of this one before its `number`-th. A client's tool
    may be called again after that: files change, and what was read of them is not told for good."""
    replies = [each for each in state.history[-4:] if isinstance(each, ModelMessage)]
    before = replies[-2].tool_calls if len(replies) > 1 else ()
    return [*before, *replies[-1].tool_calls[:number]]
