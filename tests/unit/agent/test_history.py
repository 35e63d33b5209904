"""Broken histories are made valid, valid ones are left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.agent.history import earlier_calls, estimate_tokens, repaired, window
from rollcall.core.context import EarlierCall
from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models.base import ModelRequest
from rollcall.models.gemini import contents_of
from rollcall.models.openai_responses import body_of

ASK = UserMessage.of("What is new?")
DONE = ModelMessage("Nothing.")


def reply(*ids: str, **changes: Any) -> ModelMessage:
    return ModelMessage("", tuple(ToolCall(id, f"tool_{id}", {}) for id in ids), **changes)


def results(*ids: str) -> ToolMessage:
    return ToolMessage(tuple(ToolResult(id, f"tool_{id}", f"{{{id}}}") for id in ids))


def lost(id: str, name: str | None = None) -> ToolResult:
    message = "this call's result was lost; it may be made again"
    content = json.dumps({"error": {"code": "aborted", "message": message}})
    return ToolResult(id, name or f"tool_{id}", content, is_error=True)


def is_valid(history: list[Message]) -> bool:
    """As providers see it: from a user's message on, every call answered once, where it must be."""
    if history and not isinstance(history[0], UserMessage):
        return False
    for at, message in enumerate(history):
        after = history[at + 1] if at + 1 < len(history) else None
        if isinstance(message, ModelMessage):
            ids = [call.id for call in message.tool_calls]
            if len(set(ids)) < len(ids) or "" in ids or not (message.text.strip() or ids):
                return False
            if ids and not isinstance(after, ToolMessage):
                return False
        if isinstance(message, ToolMessage):
            before = history[at - 1]
            if not isinstance(before, ModelMessage) or not before.tool_calls:
                return False
            if [(c.id, c.name) for c in before.tool_calls] != [
                (r.call_id, r.name) for r in message.results
            ]:
                return False
    return True


@pytest.mark.parametrize(
    "history",
    [
        [],
        [ASK],
        [ASK, DONE, ASK, DONE],
        [ASK, reply("a", "b"), results("a", "b"), DONE],
        [ASK, reply("a"), results("a"), reply("a"), results("a"), DONE],
        [ASK, ASK, DONE, DONE],
    ],
)
def test_a_valid_history_is_left_alone(history: list[Message]) -> None:
    assert repaired(history) == (history, [])


LOST = "answered a call whose result was lost"
UNASKED = "left out a result that no call was waiting for"
MOVED = "put a result behind the reply that called for it"
BEFORE = "left out what stood before the first of the user's messages"


@pytest.mark.parametrize(
    ("broken", "whole", "notes"),
    [
        pytest.param(
            [ASK, reply("a"), ASK],
            [ASK, reply("a"), ToolMessage((lost("a"),)), ASK],
            [LOST],
            id="calls without results",
        ),
        pytest.param(
            [ASK, reply("a", "b"), results("b"), DONE],
            [ASK, reply("a", "b"), ToolMessage((lost("a"), *results("b").results)), DONE],
            [LOST],
            id="some calls without results",
        ),
        pytest.param([ASK, results("a"), DONE], [ASK, DONE], [UNASKED], id="results without calls"),
        pytest.param(
            [ASK, reply("a"), results("x", "a"), DONE],
            [ASK, reply("a"), results("a"), DONE],
            [UNASKED],
            id="results of unknown calls",
        ),
        pytest.param(
            [ASK, reply("a"), results("a", "a"), DONE],
            [ASK, reply("a"), results("a"), DONE],
            [UNASKED],
            id="results twice",
        ),
        pytest.param(
            [ASK, reply("a", "b"), results("b", "a"), DONE],
            [ASK, reply("a", "b"), results("a", "b"), DONE],
            ["put results into the order of their calls"],
            id="results out of order",
        ),
        pytest.param(
            [ASK, reply("a", "b"), results("a"), results("b"), DONE],
            [ASK, reply("a", "b"), results("a", "b"), DONE],
            [MOVED],
            id="two tool messages in a row",
        ),
        pytest.param(
            [ASK, reply("a"), ASK, results("a"), DONE],
            [ASK, reply("a"), results("a"), ASK, DONE],
            [MOVED],
            id="results behind another message",
        ),
        pytest.param(
            [ASK, reply("a"), reply("b"), results("b", "a"), DONE],
            [ASK, reply("a"), results("a"), reply("b"), results("b"), DONE],
            [MOVED],
            id="results of two replies in one message",
        ),
        pytest.param(
            [ASK, DONE, ModelMessage(" "), ASK],
            [ASK, DONE, ASK],
            ["left out an empty reply"],
            id="an empty reply",
        ),
        pytest.param(
            [DONE, reply("a"), results("a"), ASK, DONE], [ASK, DONE], [BEFORE], id="no user first"
        ),
        pytest.param([DONE], [], [BEFORE], id="no user at all"),
        pytest.param(
            [ASK, ToolMessage(()), DONE],
            [ASK, DONE],
            ["left out a tool message without results"],
            id="a tool message of nothing",
        ),
    ],
)
def test_a_broken_history_is_made_valid_and_said(
    broken: list[Message], whole: list[Message], notes: list[str]
) -> None:
    assert repaired(broken) == (whole, notes)


def test_calls_of_one_id_each_keep_their_result() -> None:
    twice = ModelMessage("", (ToolCall("a", "x", {}), ToolCall("a", "y", {})))
    both = ToolMessage((ToolResult("a", "x", "1"), ToolResult("a", "y", "2")))
    history, notes = repaired([ASK, twice, both])
    assert history == [
        ASK,
        ModelMessage("", (ToolCall("a", "x", {}), ToolCall("a-2", "y", {}))),
        ToolMessage((ToolResult("a", "x", "1"), ToolResult("a-2", "y", "2"))),
    ]
    assert notes == ["gave a call an id of its own"]


def test_a_result_takes_the_name_of_its_call() -> None:
    history, notes = repaired([ASK, reply("a"), ToolMessage((ToolResult("a", "other", "1"),))])
    assert history[-1] == ToolMessage((ToolResult("a", "tool_a", "1"),))
    assert notes == ["gave a result the name of its call"]


def test_calls_that_the_run_goes_on_with_may_stay_open() -> None:
    history: list[Message] = [ASK, reply("a")]
    assert repaired(history, leaves_last_open=True) == (history, [])
    half: list[Message] = [ASK, reply("a", "b"), results("a")]
    assert repaired(half, leaves_last_open=True)[1] == [LOST]


def test_a_note_says_how_often() -> None:
    broken: list[Message] = [ASK, reply("a", "b"), ASK]
    assert repaired(broken)[1] == [f"{LOST} (2 times)"]


CALL_A = {"functionCall": {"id": "a", "name": "tool_a", "args": {}}, "thoughtSignature": "c2ln"}
ITEM_A = {"type": "function_call", "call_id": "a", "name": "tool_a", "arguments": "{}"}


def openai(*items: Any) -> dict[str, Any]:
    return {"api": "responses", "model": "m", "items": list(items)}


@pytest.mark.parametrize(
    ("provider", "parts"),
    [
        ("gemini", (CALL_A,)),
        ("gemini", ({"text": "hm", "thought": True}, CALL_A)),
        ("gemini", ({"functionCall": {"name": "tool_a"}},)),
        ("gemini", ({"functionCall": {"id": "its own", "name": "tool_a"}},)),
        ("openai", (openai({"type": "reasoning", "id": "r"}, ITEM_A),)),
        ("openai", (openai({**ITEM_A, "call_id": "its own"}),)),
        ("openai", (openai({"type": "web_search_call", "id": "w"}, ITEM_A),)),
        ("openai", ({"api": "chat", "model": "m", "extras": [{"extra_content": {}}]},)),
        ("other", ({"anything": 1},)),
    ],
)
def test_parts_that_fit_their_reply_are_kept(provider: str, parts: tuple[Any, ...]) -> None:
    history = [ASK, reply("a", provider=provider, provider_parts=parts), results("a")]
    assert repaired(history) == (history, [])


@pytest.mark.parametrize(
    ("provider", "parts"),
    [
        ("gemini", ({"text": "no call"},)),
        ("gemini", (CALL_A, CALL_A)),
        ("gemini", ({"functionCall": {"id": "a", "name": "other"}},)),
        ("gemini", ({"functionCall": "tool_a"},)),
        ("gemini", ("functionCall",)),
        ("gemini", (5,)),
        ("openai", (openai({"type": "reasoning", "id": "r"}),)),
        ("openai", (openai(ITEM_A, {**ITEM_A, "call_id": "b"}),)),
        ("openai", (openai("x"),)),
        ("openai", ({"api": "responses", "model": "m"},)),
        ("openai", ({"api": "chat", "model": "m", "extras": "x"},)),
        ("openai", ([ITEM_A],)),
        ("other", ("text",)),
    ],
)
def test_parts_that_do_not_are_left_out_and_the_reply_can_be_sent(
    provider: str, parts: tuple[Any, ...]
) -> None:
    broken = reply("a", provider=provider, provider_parts=parts)
    history, notes = repaired([ASK, broken, results("a")])
    assert history == [ASK, reply("a", provider=provider), results("a")]
    assert notes == ["left out what a provider kept for itself, since it did not fit its reply"]
    call = contents_of(history, "gemini-3.8-flash")[1]["parts"][0]
    assert call["functionCall"]["name"] == "tool_a"
    assert call["thoughtSignature"] == "skip_thought_signature_validator"
    request = ModelRequest(instructions="", messages=tuple(history), tools=())
    assert json.loads(body_of(request, "m"))["input"][1]["call_id"] == "a"


IDS = st.sampled_from(["", "a", "b", "c"])
NAMES = st.sampled_from(["tool_a", "tool_b"])
PARTS = st.lists(st.sampled_from([CALL_A, openai(ITEM_A), {"text": "x"}, 5, "x"]), max_size=2)
MESSAGES = st.one_of(
    st.just(ASK),
    st.builds(
        lambda text, calls, provider, parts: ModelMessage(
            text, tuple(ToolCall(id, name, {}) for id, name in calls), provider, tuple(parts)
        ),
        st.sampled_from(["", " ", "yes"]),
        st.lists(st.tuples(IDS, NAMES), max_size=3),
        st.sampled_from(["gemini", "openai", None]),
        PARTS,
    ),
    st.builds(
        lambda found: ToolMessage(tuple(ToolResult(id, name, "1") for id, name in found)),
        st.lists(st.tuples(IDS, NAMES), max_size=4),
    ),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(MESSAGES, max_size=10))
def test_any_history_becomes_valid_and_stays_so(history: list[Message]) -> None:
    whole, notes = repaired(history)
    assert is_valid(whole)
    assert repaired(whole) == (whole, [])
    assert bool(notes) == (whole != history)


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=10))
def test_no_message_of_the_users_and_no_text_is_lost_from_there_on(history: list[Message]) -> None:
    first = next((n for n, m in enumerate(history) if isinstance(m, UserMessage)), len(history))
    said = [m.text for m in history[first:] if not isinstance(m, ToolMessage) and m.text.strip()]
    whole, _ = repaired(history)
    assert [m.text for m in whole if not isinstance(m, ToolMessage) and m.text.strip()] == said


def exchange(number: int, *, size: int = 10, with_call: bool = False) -> list[Message]:
    asked = UserMessage.of(f"q{number} " + "x" * size)
    if not with_call:
        return [asked, ModelMessage("a" * size)]
    call = ToolCall("c", "t", {})
    result = ToolResult("c", "t", "r" * size)
    return [asked, ModelMessage("", (call,)), ToolMessage((result,)), ModelMessage("done")]


def test_all_of_a_short_history_is_kept() -> None:
    history = exchange(1) + exchange(2, with_call=True)
    assert window(history, tokens=10_000) == history


def test_the_newest_exchanges_are_kept() -> None:
    history = [message for n in range(50) for message in exchange(n, size=400)]
    kept = window(history, tokens=1_000)
    assert kept == history[-len(kept) :]
    assert 0 < len(kept) < 20


def test_the_last_exchange_is_kept_whatever_it_costs() -> None:
    history = [*exchange(1), UserMessage.of("x" * 100_000)]
    assert window(history, tokens=10) == [history[-1]]


def test_of_what_people_read_only_so_many_messages_are_kept() -> None:
    history = [message for n in range(9) for message in exchange(n, with_call=n % 2 == 0)]
    kept = window(history, tokens=100_000, messages=5)
    assert [each for each in kept if isinstance(each, UserMessage)] == [
        UserMessage.of(f"q{n} " + "x" * 10) for n in (7, 8)
    ]


def test_hebrew_and_media_cost_more() -> None:
    english = estimate_tokens(UserMessage.of("budget" * 10))
    assert estimate_tokens(UserMessage.of("תקציב!" * 10)) > english
    assert estimate_tokens(UserMessage((Media("image", "image/png", "AAAA"),))) >= 1_000


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 2_000)), max_size=20), st.integers(0, 3_000)
)
def test_no_call_is_ever_parted_from_its_result(shape: list[tuple[bool, int]], tokens: int) -> None:
    history = [
        message
        for n, (with_call, size) in enumerate(shape)
        for message in exchange(n, size=size, with_call=with_call)
    ]
    kept = window(history, tokens=tokens)
    assert not kept or isinstance(kept[0], UserMessage)
    for place, message in enumerate(kept):
        if isinstance(message, ModelMessage) and message.tool_calls:
            assert isinstance(kept[place + 1], ToolMessage)


def step(*calls: tuple[str, Any]) -> dict[str, Any]:
    """A step of the log: tools with what came of them, None for no answer yet."""
    made = [
        {"id": name, "name": name, "arguments": json.dumps({"path": name}), "argumentsText": ""}
        for name, _ in calls
    ]
    results = {
        str(place): {"content": content, "isError": content.startswith('{"error')}
        for place, (_, content) in enumerate(calls)
        if content is not None
    }
    return {"role": "model", "toolCalls": made, "results": results}


def output(value: Any) -> str:
    return json.dumps({"output": value})


def names(documents: list[dict[str, Any]], place: int) -> list[str]:
    return [call.tool for call in earlier_calls(documents, place)]


def test_answered_calls_come_newest_first_and_messages_are_passed_over() -> None:
    documents = [step(("a", output(1)), ("b", output(2))), {"role": "user"}, step(("c", None))]
    assert list(earlier_calls(documents, 0)) == [
        EarlierCall("b", {"path": "b"}, 2),
        EarlierCall("a", {"path": "a"}, 1),
    ]


def test_calls_beside_it_are_open_and_those_after_it_are_not_told() -> None:
    documents = [step(("a", None), ("b", output(2)), ("c", None), ("d", None))]
    found = list(earlier_calls(documents, 2))
    assert [(call.tool, call.is_open) for call in found] == [("b", False), ("a", True)]


def test_a_call_that_was_cut_off_long_ago_is_not_told() -> None:
    assert names([step(("a", None)), step(("b", None))], 0) == []


def test_a_failure_and_what_is_no_json_have_no_result() -> None:
    documents = [step(("a", '{"error": {}}'), ("b", "text"), ("c", "[1]")), step(("d", None))]
    assert [call.result for call in earlier_calls(documents, 0)] == [None, None, None]
