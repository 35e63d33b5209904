"""The history window: whole exchanges, newest first to be kept, within a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollcall.agent.window import estimate_tokens, window
from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)


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
