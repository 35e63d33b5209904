"""The requests that stand as examples in the packs' texts, sent to the planner as they are."""

from __future__ import annotations

from collections import Counter

import pytest

from rollcall.core.capability import Capability
from rollcall.core.messages import UserMessage
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.offline import Model
from tests.support.catalogs import catalog
from tests.support.full_form import amount
from tests.unit.models.planner.kit import message_of

MIN_RIGHT = 0.4
"""Most requests for school material and in lessons need a model; where the electrical pack was
deleted, they are most of all."""
LOOKUPS = {
    "ask_user",
    "get_conversation_action_items",
    "get_priority_messages",
    "get_user_conversations",
    "list_documents",
    "list_projects",
    "search_all_conversations",
    "search_user_content",
}
"""Tools that may be called on the way, or to ask which of some things is meant."""


def spec(of: Capability) -> ToolSpec:
    return ToolSpec(
        of.id,
        of.description,
        of.json_schema,
        keywords=of.keywords,
        examples=of.examples,
        aliases=of.aliases,
        writes=of.mark.effect == "write",
    )


def first_calls(request: str, tools: tuple[ToolSpec, ...]) -> tuple[list[str], str]:
    asked = ModelRequest("", (UserMessage.of(request),), tools)
    reply = message_of(list(Model().stream(asked)))
    return [call.name for call in reply.tool_calls], reply.text


@pytest.mark.long
def test_an_example_calls_its_tool_or_is_asked_about_and_no_other_tool_is_called() -> None:
    agents = catalog.agents()
    largest = max(agents.values(), key=lambda agent: len(agent.tools))
    verdicts: Counter[str] = Counter()
    specs = {each.id: spec(each) for each in catalog.capabilities()}  # each is read once
    for each in catalog.capabilities():
        own = (agent for agent in agents.values() if each.id in agent.tools)
        agent = next(own, largest)
        tools = tuple(specs[id] for id in specs if id in {*agent.tools, each.id})
        for example in each.examples[:: amount(5, full=1)]:
            names, text = first_calls(example["userRequest"], tools)
            others = set(names) - {each.id} - LOOKUPS
            assert not others, (each.id, example["userRequest"], names)
            assert names or text, example
            verdicts["right" if each.id in names else "open"] += 1
    assert verdicts["right"] >= MIN_RIGHT * verdicts.total(), verdicts
