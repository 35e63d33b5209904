import json

import pytest

from rollcall.core.errors import (
    Unavailable,
)
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models import openai
from rollcall.models.base import FinishReason, ModelRequest, ToolSpec, Usage
from tests.support.fake_providers import FakeProviders, WholeReply, gather
from tests.support.provider_replies import (
    CHAT_USAGE,
    Json,
    Reply,
    chat,
    chat_call,
    chat_call_delta,
    chat_more_delta,
    chat_text,
    plain,
    sse,
)

HELLO = UserMessage.of("hello")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)
OSLO = '{"city": "Oslo"}'


def say(*messages: Message, model: str = "gpt-5.5", deadline: float | None = None) -> WholeReply:
    request = ModelRequest("Be brief.", messages or (HELLO,), (WEATHER,), deadline=deadline)
    return gather(openai.Model(model).stream(request), "openai")


def calls_of(said: WholeReply) -> list[tuple[str, str, Json]]:
    return [(call.id, call.name, call.arguments) for call in said.message.tool_calls]


def test_chat_text_streams_piece_by_piece(local: FakeProviders) -> None:
    local.openai(chat({"reasoning_content": "Hm."}, {"content": "Hel"}, {"content": "lo"}))
    said = say()
    assert (said.message.text, said.finish.reason) == ("Hello", FinishReason.STOP)
    assert said.finish.usage == Usage(12, 4, 8)
    assert local.requests[0].path == "/v1/chat/completions"


def test_chat_calls_stream_side_by_side(local: FakeProviders) -> None:
    local.openai(
        chat(
            chat_call_delta("get_weather", "", id="a"),
            chat_more_delta('{"city": '),
            chat_more_delta('"Oslo"}'),
            chat_call_delta("get_weather", "{}", id="b", index=1),
            finish="tool_calls",
        )
    )
    said = say()
    assert calls_of(said) == [
        ("a", "get_weather", {"city": "Oslo"}),
        ("b", "get_weather", {}),
    ]
    assert said.finish.reason is FinishReason.TOOL_CALLS


@pytest.mark.parametrize(
    "deltas",
    [
        [chat_call_delta("get_weather", OSLO, id=None, index=i) for i in (0, 1)],
        [chat_call_delta("get_weather", OSLO, id=id, index=0) for id in ("a", "b")],
        [chat_call_delta("get_weather", OSLO, id="same", index=i) for i in (0, 1)],
        [{"tool_calls": [{"function": {"name": "get_weather", "arguments": OSLO}}]}] * 2,
        [{"tool_calls": [{"function": {"name": "get_weather", "arguments": json.loads(OSLO)}}]}]
        * 2,
    ],
    ids=["no ids", "one index", "one id", "neither", "objects"],
)
def test_chat_calls_of_careless_servers_stay_apart(
    local: FakeProviders, deltas: list[Json]
) -> None:
    local.openai(chat(*deltas, finish="stop"))
    said = say()
    assert [call.arguments for call in said.message.tool_calls] == [{"city": "Oslo"}] * 2
    assert said.finish.reason is FinishReason.TOOL_CALLS, "whatever the server calls it"


def test_chat_calls_side_by_side_at_one_index_are_told_apart_by_their_ids(
    local: FakeProviders,
) -> None:
    deltas = [chat_call_delta("get_weather", "", id=id, index=0) for id in ("a", "b")]
    for pieces in (('{"city": ', '{"city": '), ('"Oslo"}', '"Rome"}')):
        for id, words in zip(("a", "b"), pieces, strict=True):
            delta = chat_more_delta(words)
            delta["tool_calls"][0]["id"] = id
            deltas.append(delta)
    local.openai(chat(*deltas, finish="tool_calls"))
    assert calls_of(say()) == [
        ("a", "get_weather", {"city": "Oslo"}),
        ("b", "get_weather", {"city": "Rome"}),
    ]


def test_chat_without_a_stream_is_read_too(local: FakeProviders) -> None:
    calls = chat_call_delta("get_weather", OSLO)["tool_calls"]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    local.openai(plain({"object": "chat.completion", "choices": [choice], "usage": CHAT_USAGE}))
    said = say()
    assert calls_of(said) == [("call_1", "get_weather", {"city": "Oslo"})]
    assert said.finish.usage == Usage(12, 4, 8)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (chat_text("On", finish="length"), FinishReason.LENGTH),
        (chat_text("On", finish="content_filter"), FinishReason.BLOCKED),
        (chat({"refusal": "No."}), FinishReason.BLOCKED),
        (chat({"content": "Hi"}, finish=None), FinishReason.STOP),
        (chat({"tool_calls": [{"index": 0, "id": "a", "function": {}}]}), FinishReason.MALFORMED),
        (chat({}, {"content": "Hi"}, {"tool_calls": None}), FinishReason.STOP),
        (chat_call("get_weather", OSLO), FinishReason.TOOL_CALLS),
    ],
)
def test_chat_endings_have_their_reasons(
    local: FakeProviders, reply: Reply, reason: FinishReason
) -> None:
    local.openai(reply)
    assert say().finish.reason is reason


@pytest.mark.parametrize(
    "reply",
    [
        chat_text("Hel", "lo").broken(after=2),
        chat({"content": "Hel"}, finish=None, done=False),
        sse({"error": {"message": "out of memory"}}),
        sse({"error": "out of memory"}),
    ],
)
def test_chat_that_breaks_off_is_unavailable(local: FakeProviders, reply: Reply) -> None:
    local.openai(reply)
    with pytest.raises(Unavailable):
        say()


def test_chat_request_is_one_that_local_servers_know(local: FakeProviders) -> None:
    local.openai(chat_text("Cold."))
    call = ToolCall("c1", "get_weather", None, "[1")
    other = ModelMessage("", (call,), "gemini", ({"text": "x"},))
    say(HELLO, other, ToolMessage((ToolResult("c1", "get_weather", "bad", True),)))
    sent = local.requests[0].json
    assert sent["max_tokens"] == 4096
    assert not {"store", "prompt_cache_key", "parallel_tool_calls"} & sent.keys()
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    function = {"name": "get_weather", "arguments": "{}"}
    assert sent["messages"][2]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": function}
    ]
    assert sent["messages"][3]["content"] == "error: bad"


def test_chat_keeps_what_a_server_adds_to_its_calls(local: FakeProviders) -> None:
    delta = chat_call_delta("get_weather", OSLO)
    delta["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "ab+/"}}
    local.openai(chat(delta), chat_text("Cold."))
    said = say()
    say(HELLO, said.message, ToolMessage((ToolResult("call_1", "get_weather", "cold"),)))
    sent = local.requests[1].json["messages"][2]["tool_calls"]
    assert sent == [{k: v for k, v in delta["tool_calls"][0].items() if k != "index"}]


def test_what_a_server_adds_stays_with_its_call_whichever_has_arguments_first(
    local: FakeProviders,
) -> None:
    first, second = (chat_call_delta(name, "", id=name, index=n) for n, name in enumerate("ab"))
    for delta, mark in ((first, "of a"), (second, "of b")):
        delta["tool_calls"][0]["extra_content"] = mark
    late = [chat_more_delta(OSLO, index=1), chat_more_delta(OSLO, index=0)]
    local.openai(chat(first, second, *late, finish="tool_calls"), chat_text("Cold."))
    said = say()
    results = tuple(ToolResult(call.id, call.name, "cold") for call in said.message.tool_calls)
    say(HELLO, said.message, ToolMessage(results))
    sent = local.requests[1].json["messages"][2]["tool_calls"]
    assert {each["id"]: each["extra_content"] for each in sent} == {"a": "of a", "b": "of b"}
