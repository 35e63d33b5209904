"""conversation_intelligence_agent, and the agent it runs."""

from typing import Any

import pytest

from packs.messaging.agents import MESSAGING
from packs.messaging.intelligence import conversation_intelligence_agent
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument

from .conftest import World

RUN = {
    "message": "Two things are urgent [1].",
    "toolCalls": [
        {"tool": "get_priority_messages", "arguments": {}, "result": {"totalFound": 2}, "step": 1},
        {"tool": "summarize_conversation", "arguments": {}, "error": {"code": "x"}, "step": 2},
    ],
    "steps": 2,
    "stopReason": "max_steps",
}


def test_a_run_is_reported_with_its_tool_calls(world: World) -> None:
    ctx = world.ctx()
    asked: list[Any] = []
    ctx.agents = lambda agent, message, *, max_steps=None: (
        asked.append((agent, message, max_steps)) or dict(RUN)
    )
    found = Capability.of(conversation_intelligence_agent).call(
        ctx, {"query": "What is urgent?", "maxIterations": 3}
    )
    assert asked == [("messaging", "What is urgent?", 3)]
    assert found["answer"] == "Two things are urgent [1]."
    assert found["toolCalls"][0] == {
        "tool": "get_priority_messages",
        "args": {},
        "result": {"totalFound": 2},
        "iteration": 1,
    }
    assert (found["toolCalls"][1]["result"], found["iterations"]) == ({"code": "x"}, 2)
    assert found["timestamp"].endswith("Z")


@pytest.mark.parametrize("wrong", [{}, {"query": ""}, {"query": "x", "maxIterations": 11}])
def test_arguments_out_of_range_are_refused(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        Capability.of(conversation_intelligence_agent).call(world.ctx(), wrong)


def test_the_agent_has_the_six_tools_and_the_writes() -> None:
    assert len(MESSAGING.tools) == 11
    assert "conversation_intelligence_agent" not in MESSAGING.tools
