"""Models ask the user back with `ask_user`: with any provider, streamed, beside other calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rollcall.agent.tool_calls import ASK_USER_SPEC
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument
from rollcall.core.messages import ModelMessage, ToolCall, ToolMessage, ToolResult, UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import ASK_USER, PLATFORM_TOOLS
from rollcall.core.wire import CallStatus
from rollcall.models.base import Model, load_model
from rollcall.testing import ScriptedModel, calls, run, says
from tests.support import provider_replies as replies
from tests.support.fake_providers import FakeProviders

AGENT = AgentProfile(id="shop", name={"en": "Shop"}, instructions="Help.", tools=("*",))
QUESTION = {
    "question": "על איזה נושא?",
    "quickReplies": ["שברים", "כפל", "שברים"],
    "collectedData": {"grade": 4},
}


@capability(name={"en": "Look up a price"}, category="shop")
def look_up_price(ctx: ToolContext, *, item: str) -> dict[str, int]:
    """Look up the price of an item."""
    return {"usd": len(item)}


@capability(name={"en": "Order"}, category="shop", effect="write")
def order(ctx: ToolContext, *, item: str) -> dict[str, str]:
    """Order an item."""
    return {"ordered": item}


def ask(model: Model | str, **more: Any) -> Any:
    return run(AGENT, "make a page", model=model, capabilities=[look_up_price, order], **more)


def streamed_text(result: Any) -> str:
    return "".join(e["delta"] for e in result.events if e["type"] == "TEXT_MESSAGE_CONTENT")


def test_a_call_ends_the_turn_as_a_question_with_its_fields() -> None:
    model = ScriptedModel([calls(("ask_user", QUESTION))])
    result = ask(model)
    assert len(model.requests) == 1 and ASK_USER_SPEC in model.requests[0].tools
    assert result.text == streamed_text(result) == "על איזה נושא?"
    assert result.is_question and result.stop_reason is None
    assert result.quick_replies == ("שברים", "כפל") and result.collected_data == {"grade": 4}


_GEMINI = replies.gemini_call("ask_user", QUESTION)
_OPENAI = replies.responses_call("ask_user", '{"question": "על איזה נושא?"}')
_ANTHROPIC = replies.messages(replies.tool_use_block("ask_user", QUESTION), stop="tool_use")


@pytest.mark.parametrize(
    ("model", "queue"),
    [
        ("gemini:gemini-3.8-flash", lambda fake: fake.gemini(_GEMINI)),
        ("openai:gpt-5.4", lambda fake: fake.openai(_OPENAI)),
        ("anthropic:claude-sonnet-4-6", lambda fake: fake.anthropic(_ANTHROPIC)),
    ],
)
def test_every_provider_may_ask(model: str, queue: Callable[[FakeProviders], None]) -> None:
    with FakeProviders() as fake:
        queue(fake)
        result = ask(load_model(model))
        [request] = fake.requests
    assert "ask_user" in request.body.decode()
    assert result.text == "על איזה נושא?" and result.is_question


def test_a_model_without_tools_asks_by_words() -> None:
    text = '<tool_call>{"name": "ask_user", "arguments": {"question": "Which one?"}}</tool_call>'
    with FakeProviders() as fake:
        fake.gemini(replies.gemini_text(text))
        result = ask(load_model("prompted:gemini:gemini-3.8-flash"))
    assert result.text == "Which one?" and result.is_question


def test_calls_beside_it_run_first_and_what_it_said_stays() -> None:
    asks = calls(("look_up_price", {"item": "lamp"}), ("ask_user", {"question": "Which lamp?"}))
    result = ask(ScriptedModel([[*says("I looked.")[:-1], *asks]]))
    assert [(each.tool, each.status) for each in result.calls] == [
        ("look_up_price", CallStatus.DONE),
        ("ask_user", CallStatus.DONE),
    ]
    assert result.text == "I looked.\n\nWhich lamp?" and result.is_question


def test_a_question_waits_for_an_approval_beside_it() -> None:
    asks = calls(("order", {"item": "lamp"}), ("ask_user", {"question": "Another one?"}))
    result = ask(ScriptedModel([asks]))
    assert [each.tool for each in result.interrupts] == ["order"]
    assert not result.is_question and "Another one?" not in result.text


def test_the_second_of_two_questions_is_refused_and_the_first_is_asked() -> None:
    model = ScriptedModel(
        [calls(("ask_user", {"question": "A?"}), ("ask_user", {"question": "B?"}))]
    )
    result = ask(model)
    assert result.text == "A?"
    assert [each.status for each in result.calls] == [CallStatus.DONE, CallStatus.REFUSED]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": 5}, "question"),
        ({"question": "x" * 2_001}, "question"),
        ({"question": "A?", "quickReplies": ["x"] * 9}, "quickReplies"),
        ({"question": "A?", "quickReplies": ["x" * 101]}, "quickReplies.0"),
        ({"question": "A?", "quickReplies": "x"}, "quickReplies"),
        ({"question": "A?", "collectedData": ["x"]}, "collectedData"),
        ({"question": "A?", "collectedData": {"x": "y" * 4_000}}, "collectedData"),
        ({"question": "A?", "type": "action"}, "type"),
    ],
)
def test_a_malformed_question_goes_back_to_the_model(arguments: Any, field: str) -> None:
    model = ScriptedModel([calls(("ask_user", arguments)), "Never mind."])
    result = ask(model)
    assert result.text == "Never mind." and not result.is_question
    [record] = result.calls
    assert record.error is not None and record.error["code"] == InvalidArgument.code
    assert record.error["field"] == field
    last = model.requests[1].messages[-1]
    assert isinstance(last, ToolMessage) and last.results[0].is_error


def test_the_offline_planner_asks_with_the_tool_and_takes_the_answer() -> None:
    first = run(
        AGENT, "look up a price", model="offline:planner", capabilities=[order, look_up_price]
    )
    assert first.is_question and first.text == "What should I use for the item?"
    [call] = first.calls
    said = ToolCall("q1", ASK_USER, call.arguments)
    history = (
        UserMessage.of("look up a price"),
        ModelMessage("", (said,)),
        ToolMessage((ToolResult("q1", ASK_USER, '{"output":{"asked":true}}'),)),
        ModelMessage(first.text),
    )
    answered = run(
        AGENT, "lamp", model="offline:planner", capabilities=[order, look_up_price], history=history
    )
    [looked] = answered.calls
    assert (looked.tool, looked.arguments) == ("look_up_price", {"item": "lamp"})


def test_no_capability_may_take_the_name() -> None:
    assert "ask_user" in PLATFORM_TOOLS
