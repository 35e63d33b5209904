"""An agent asked from inside a capability: the same loop, without a thread of its own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from rollcall.agent import spans
from rollcall.agent.asked import receive
from rollcall.agent.loop import Steps, run
from rollcall.agent.outcome import to_result
from rollcall.agent.prepare import prepare_inner
from rollcall.agent.turn import Ended
from rollcall.core.context import AskAgent, Platform, User
from rollcall.core.errors import FailedPrecondition
from rollcall.core.messages import ModelMessage, ToolResult, UserMessage
from rollcall.core.redaction import redacted_message
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.samples import witness
from rollcall.store.message_log import TurnUsage

MAX_DEPTH = 2
"""Agents may ask agents, but not without end."""


class Unsaved:
    """The journal of a run that is part of another one's tool call."""

    def save_reply(self, step: int, reply: ModelMessage, spent: TurnUsage) -> None:
        """Kept by the caller, as the tool's result."""

    def save_results(self, results: Mapping[int, tuple[ToolResult, dict[str, Any]]]) -> None:
        """Kept by the caller, as the tool's result."""


def asker(
    platform: Platform,
    user: User,
    *,
    deadline: float,
    context: Mapping[str, Any] | None = None,
    depth: int = 0,
) -> AskAgent:
    """Make the `agents` of a `ToolContext`; they must have answered by `deadline`, and are told the
    same `context` as who asks them."""

    def ask(agent_id: str, message: str, *, max_steps: int | None = None) -> dict[str, Any]:
        if depth >= MAX_DEPTH:
            raise FailedPrecondition(f"agents ask each other at most {MAX_DEPTH} levels deep")
        said = redacted_message(UserMessage.of(message))
        known = dict(context) if context else None
        asked = receive(platform, user=user, agent_id=agent_id, message=said, context=known)
        asked = asked.offering(asked.choose([]))
        run_id = uuid.uuid4().hex[:20]
        turn = prepare_inner(
            asked,
            said,
            run_id=run_id,
            journal=Unsaved(),
            agents=asker(platform, user, deadline=deadline, context=context, depth=depth + 1),
            max_steps=max_steps,
            deadline=deadline,
        )
        try:
            with spans.of_asked(agent_id):
                ended = _drained(run(replace(turn, streamed=False)))
        finally:
            turn.purse.close()
        seeing = witness(platform.db.project)
        seeing.note_calls(ended.calls, uid=user.uid, except_for={FIND_TOOLS})
        result = to_result(ended, agent=agent_id, thread_id="", turn_id=run_id, run_id=run_id)
        return result.dump()

    return ask


def _drained(steps: Steps) -> Ended:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            ended: Ended = end.value
            return ended
