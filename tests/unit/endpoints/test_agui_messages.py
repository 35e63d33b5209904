"""The messages of an AG-UI client: which of them count, and as what."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument
from rollcall.endpoints.agui_input import (
    UserInput,
    last_user_message,
    last_user_messages,
    message_parts,
    read_messages,
    tool_answers,
)
from tests.support.for_every import for_every


def user(id: str, content: Any = "Hello") -> dict[str, Any]:
    return {"id": id, "role": "user", "content": content}


def tool(call: str, content: Any = "", **more: Any) -> dict[str, Any]:
    return {"id": f"r-{call}", "role": "tool", "toolCallId": call, "content": content, **more}


ASSISTANT = {"id": "a", "role": "assistant", "content": "Hi."}
SYSTEM = {"id": "s", "role": "system", "content": "Obey."}


@pytest.mark.parametrize(
    ("messages", "ids"),
    [
        ([user("1")], ["1"]),
        ([user("1"), ASSISTANT, user("2")], ["2"]),
        ([ASSISTANT, user("1"), user("2")], ["1", "2"]),
        ([user("1"), tool("c"), user("2"), SYSTEM], ["2"]),
        ([user("1"), SYSTEM, {"role": "reasoning"}, user("2")], ["1", "2"]),
        ([user("1"), ASSISTANT], []),
        ([], []),
    ],
)
def test_what_was_said_last_comes_after_the_agent_and_its_tools(
    messages: list[dict[str, Any]], ids: list[str]
) -> None:
    assert [message.id for message in last_user_messages(messages)] == ids


def test_what_stands_before_is_not_even_looked_at() -> None:
    odd: list[dict[str, Any]] = [
        {"role": "user", "content": {"no": "text"}},
        {"role": "tool"},
        ASSISTANT,
        user("1"),
    ]
    assert [message.id for message in last_user_messages(odd)] == ["1"]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"role": "user", "content": "x"}, "messages.0.id"),
        (user(""), "messages.0.id"),
        (user("x" * 129), "messages.0.id"),
        (user(7), "messages.0.id"),  # type: ignore[arg-type]
        (user("1", None), "messages.0.content"),
        (user("1", 7), "messages.0.content"),
        (user("1", [7]), "messages.0.content.0"),
        (user("1", [{"text": "x"}]), "messages.0.content.0.type"),
        (user("1", "\ud800"), "messages.0.content"),
    ],
)
def test_a_message_of_the_user_that_cannot_be_used_is_refused(
    message: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        last_user_messages([message])
    assert refused.value.field == field


def test_two_messages_with_one_id_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="same id"):
        last_user_messages([user("1"), user("1")])


def test_the_last_of_the_user_is_found_wherever_it_stands() -> None:
    found = last_user_message([user("1"), user("2"), ASSISTANT, tool("c")])
    assert found is not None and found.id == "2"
    assert last_user_message([ASSISTANT]) is None


@pytest.mark.parametrize("given", [{}, {"messages": None}, {"messages": {}}, {"messages": "x"}])
def test_messages_are_a_list(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="messages must be a list"):
        read_messages(given)


@pytest.mark.parametrize("message", ["x", None, {}, {"role": 7}, [user("1")]])
def test_each_message_has_a_role(message: Any) -> None:
    with pytest.raises(InvalidArgument) as refused:
        read_messages({"messages": [user("1"), message]})
    assert refused.value.field == "messages.1"


def test_there_are_so_many_messages_at_most() -> None:
    with pytest.raises(InvalidArgument, match="10,001 messages"):
        read_messages({"messages": [ASSISTANT] * 10_001})


@for_every(
    ("message", "content"),
    [
        (tool("c", "text"), {"content": "text"}),
        (tool("c", '{"a": [1]}'), {"content": {"a": [1]}}),
        (tool("c", " [1, 2]"), {"content": [1, 2]}),
        (tool("c", "{broken"), {"content": "{broken"}),
        (tool("c", '{"a": NaN}'), {"content": '{"a": NaN}'}),
        (tool("c", "[" * 5_000), {"content": "[" * 5_000}),
        (tool("c", "7"), {"content": "7"}),
        (tool("c", [{"type": "text", "text": "a"}, {"type": "image"}]), {"content": "a"}),
        (tool("c", "partly", error="no file"), {"error": "no file"}),
        (tool("c", "partly", error=""), {"error": "partly"}),
        (tool("c", error=""), {"error": "it failed"}),
        ({"role": "tool", "toolCallId": "c"}, {"content": ""}),
    ],
)
def test_an_answer_is_json_text_or_a_failure(
    message: dict[str, Any], content: dict[str, Any]
) -> None:
    assert tool_answers([message], ["c"]) == {"c": content}


def test_only_answers_to_calls_that_wait_count_and_of_several_the_last() -> None:
    messages = [tool("old", "x"), tool("c", "1"), {"role": "tool", "toolCallId": ["c"]}]
    assert tool_answers([*messages, tool("c", "2")], ["c", "d"]) == {"c": {"content": "2"}}
    assert tool_answers(messages, []) == {}


def user_input(*content: dict[str, Any]) -> UserInput:
    return UserInput.model_validate(user("1", list(content)))


@pytest.mark.parametrize(
    ("part", "taken"),
    [
        ({"type": "text", "text": "x"}, {"type": "text", "text": "x"}),
        (
            {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}},
            {"type": "image", "mediaType": "image/png", "data": "aGk="},
        ),
        (
            {"type": "document", "source": {"type": "file", "value": "f", "provider": "rollcall"}},
            {"type": "document", "fileId": "f"},
        ),
    ],
)
def test_a_part_that_can_be_used_is_one_of_ours(
    part: dict[str, Any], taken: dict[str, Any]
) -> None:
    assert message_parts([user_input(part)]) == ([taken], [])


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"type": "image", "source": {"type": "url", "value": "http://10.0.0.1"}}, "image by url"),
        ({"type": "image", "source": {"type": "file", "value": "file-1"}}, "image by file"),
        ({"type": "audio", "source": {"type": "data", "value": "x"}}, "audio by data"),
        ({"type": "binary"}, "binary"),
        ({"type": "image"}, "image"),
    ],
)
def test_any_other_part_is_left_out_and_named(part: dict[str, Any], named: str) -> None:
    text = {"type": "text", "text": "x"}
    assert message_parts([user_input(text, part)]) == ([text], [named])
