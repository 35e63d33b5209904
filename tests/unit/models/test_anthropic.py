import json
import time
from typing import Any

import pytest

from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.messages import (
    Media,
    Message,
    ModelMessage,
    Text,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models import anthropic
from rollcall.models.base import (
    ArgumentsDelta,
    BrokenOff,
    ContextExceeded,
    FinishReason,
    ModelRequest,
    QuotaExhausted,
    TextDelta,
    ToolSpec,
    Usage,
)
from tests.support.fake_providers import ANTHROPIC_KEY, FakeProviders, WholeReply, gather
from tests.support.for_every import for_every
from tests.support.provider_replies import (
    Json,
    Reply,
    message_of,
    messages,
    messages_error,
    messages_text,
    plain,
    sse,
    status,
    text_block,
    thinking_block,
    tool_use_block,
)

HELLO = UserMessage.of("hello")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)
OSLO = {"city": "Oslo"}


def say(*history: Message, deadline: float | None = None, **changes: Any) -> WholeReply:
    request = ModelRequest(
        "Be brief.", history or (HELLO,), (WEATHER,), deadline=deadline, **changes
    )
    return gather(anthropic.Model("claude-sonnet-5-5").stream(request), "anthropic")


def test_text_streams_piece_by_piece_and_tokens_are_summed_up(fake: FakeProviders) -> None:
    fake.anthropic(messages(text_block("Hello, world"), size=5))
    said = say()
    texts = [delta.text for delta in said.deltas if isinstance(delta, TextDelta)]
    assert texts == ["Hello", ", wor", "ld"]
    assert said.finish.reason is FinishReason.STOP
    assert said.finish.usage == Usage(12, 4, 8, cache_write_tokens=2)


def test_an_empty_error_is_none(fake: FakeProviders) -> None:
    fake.anthropic(plain({**message_of(text_block("Hello")), "error": None}))
    assert say().message.text == "Hello"


def test_arguments_stream_while_they_come(fake: FakeProviders) -> None:
    two = (tool_use_block("get_weather", OSLO, id="a"), tool_use_block("get_weather", {}, id="b"))
    fake.anthropic(messages(text_block("Looking."), *two, stop="tool_use", size=4))
    said = say()
    assert [(call.id, call.arguments) for call in said.message.tool_calls] == [
        ("a", OSLO),
        ("b", {}),
    ]
    pieces = [d.text for d in said.deltas if isinstance(d, ArgumentsDelta) and d.id == "a"]
    assert len(pieces) > 2 and "".join(pieces) == json.dumps(OSLO)
    assert said.finish.reason is FinishReason.TOOL_CALLS


def test_thinking_goes_back_as_it_came_before_the_call_it_led_to(fake: FakeProviders) -> None:
    blocks = [
        thinking_block("Oslo is in Norway.", "c2ln+/=="),
        {"type": "redacted_thinking", "data": "ZW5j"},
        text_block("Looking."),
        tool_use_block("get_weather", OSLO),
    ]
    fake.anthropic(messages(*blocks, stop="tool_use"), messages_text("Cold."))
    said = say()
    assert said.message.text == "Looking.", "thoughts are not part of the reply"
    say(HELLO, said.message, ToolMessage((ToolResult("toolu_1", "get_weather", "cold", True),)))
    sent = fake.requests[1].json["messages"]
    assert sent[1] == {"role": "assistant", "content": blocks}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "cold", "is_error": True}
    assert sent[2] == {
        "role": "user",
        "content": [{**result, "cache_control": {"type": "ephemeral"}}],
    }


def test_thinking_of_another_model_stays_here(fake: FakeProviders) -> None:
    fake.anthropic(messages_text("ok"))
    kept = {"api": "messages", "model": "claude-old", "content": [thinking_block("x", "y")]}
    calls = (ToolCall("call_1.2", "get_weather", OSLO), ToolCall("c2", "get_weather", None, "[1"))
    results = tuple(ToolResult(call.id, call.name, "") for call in calls)
    say(HELLO, ModelMessage("Hm. ", calls, "anthropic", (kept,)), ToolMessage(results))
    content = fake.requests[0].json["messages"][1]["content"]
    assert content == [
        text_block("Hm."),
        tool_use_block("get_weather", OSLO, id="call_1_2"),
        tool_use_block("get_weather", {}, id="c2"),
    ]
    told = fake.requests[0].json["messages"][2]["content"]
    assert [each["tool_use_id"] for each in told] == ["call_1_2", "c2"]


def test_the_request_carries_everything_that_it_is_given(fake: FakeProviders) -> None:
    fake.anthropic(messages_text("{}"))
    parts = (
        Text("What is this?"),
        Text("  "),
        Media("image", "image/png", "aGk="),
        Media("document", "application/pdf", "aGk=", "a.pdf"),
        Media("document", "text/csv", "YSxi", "b.csv"),
    )
    say(UserMessage(parts), tool_choice="none", max_output_tokens=77)
    seen = fake.requests[0]
    assert seen.path == "/v1/messages"
    assert seen.headers["x-api-key"] == ANTHROPIC_KEY
    assert seen.headers["anthropic-version"] == "2023-06-01"
    sent = seen.json
    assert (sent["model"], sent["max_tokens"], sent["stream"]) == ("claude-sonnet-5-5", 77, True)
    assert sent["tool_choice"] == {"type": "none"}
    tool = {"name": "get_weather", "description": "Tell the weather.", "input_schema": SCHEMA}
    assert sent["tools"] == [tool]
    cached = {"cache_control": {"type": "ephemeral"}}
    assert sent["system"] == [{"type": "text", "text": "Be brief.", **cached}]
    content = sent["messages"][0]["content"]
    assert [block["type"] for block in content] == ["text", "image", "document", "text"]
    png, pdf = content[1:3]
    assert png["source"] == {"type": "base64", "media_type": "image/png", "data": "aGk="}
    assert (pdf["source"]["media_type"], pdf["title"]) == ("application/pdf", "a.pdf")
    assert content[3] == {"type": "text", "text": "b.csv:\na,b", **cached}


def test_a_second_step_begins_with_all_that_the_first_one_cached(fake: FakeProviders) -> None:
    call = messages(tool_use_block("get_weather", OSLO), stop="tool_use")
    fake.anthropic(call, messages_text("Cold."))
    said = say()
    say(HELLO, said.message, ToolMessage((ToolResult("toolu_1", "get_weather", "cold"),)))

    def prefix(request: Json) -> str:
        """All up to the last breakpoint, in the order in which the API reads it."""
        told = [request["tools"], request["system"], request["messages"]]
        return json.dumps(told).replace(', "cache_control": {"type": "ephemeral"}', "")[:-3]

    first, second = (prefix(request.json) for request in fake.requests)
    assert second.startswith(first)
    assert [json.dumps(r.json).count("cache_control") for r in fake.requests] == [2, 2]


@for_every(
    ("schema", "format"),
    [
        (
            {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}},
            {
                "type": "object",
                "properties": {"n": {"type": "integer"}},
                "additionalProperties": False,
            },
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, None),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}}}},
            None,
        ),
    ],
)
def test_structured_output_is_asked_for_as_the_schema_allows(
    schema: Json, format: Json, server: FakeProviders
) -> None:
    server.reset()
    server.anthropic(messages_text("{}"))
    request = ModelRequest("Fill it.", (HELLO,), response_schema=schema)
    assert gather(anthropic.Model("claude-haiku-5-5").stream(request)).message.text == "{}"
    sent = server.requests[0].json
    if format is None:
        assert "output_config" not in sent
        assert json.dumps(schema) in sent["system"][0]["text"]
    else:
        assert sent["output_config"] == {"format": {"type": "json_schema", "schema": format}}


@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        (messages(text_block("On"), stop="max_tokens"), FinishReason.LENGTH, "max_tokens"),
        (
            messages(text_block("On"), stop="model_context_window_exceeded"),
            FinishReason.LENGTH,
            "model_context_window_exceeded",
        ),
        (messages(text_block("I"), stop="refusal"), FinishReason.BLOCKED, "refusal"),
        (
            plain(message_of(stop="refusal", stop_details={"category": "cyber"})),
            FinishReason.BLOCKED,
            "refusal: cyber",
        ),
        (messages(text_block("Hi"), stop="stop_sequence"), FinishReason.STOP, ""),
        (messages(text_block("Hi"), stop="something_new"), FinishReason.STOP, ""),
        (messages(stop="something_new"), FinishReason.MALFORMED, "something_new"),
    ],
)
def test_every_ending_has_its_reason(
    fake: FakeProviders, reply: Reply, reason: FinishReason, detail: str
) -> None:
    fake.anthropic(reply)
    finish = say().finish
    assert (finish.reason, finish.detail) == (reason, detail)


def test_a_paused_reply_is_gone_on_with(fake: FakeProviders) -> None:
    paused = messages(thinking_block("Hm.", "c2ln"), text_block("One, "), stop="pause_turn")
    fake.anthropic(paused, messages_text("two."))
    said = say()
    assert (said.message.text, said.finish.reason) == ("One, two.", FinishReason.STOP)
    assert said.finish.usage == Usage(24, 8, 16, cache_write_tokens=4)
    last = fake.requests[1].json["messages"][-1]
    assert last == {
        "role": "assistant",
        "content": [thinking_block("Hm.", "c2ln"), text_block("One, ")],
    }


def test_a_reply_that_is_always_paused_ends(fake: FakeProviders) -> None:
    fake.anthropic(*[messages(text_block("on "), stop="pause_turn")] * 9)
    assert say().finish.reason is FinishReason.STOP
    assert len(fake.requests) == anthropic.PAUSES + 1


def test_calls_keep_ids_of_their_own(fake: FakeProviders) -> None:
    twice = [tool_use_block("get_weather", OSLO, id="same") for _ in range(2)]
    fake.anthropic(messages(*twice, stop="tool_use"), messages_text("ok"))
    said = say()
    ids = [call.id for call in said.message.tool_calls]
    assert len(set(ids)) == 2
    say(HELLO, said.message, ToolMessage(tuple(ToolResult(id, "get_weather", "x") for id in ids)))
    sent = fake.requests[1].json["messages"]
    assert [block["id"] for block in sent[1]["content"]] == ids
    assert [block["tool_use_id"] for block in sent[2]["content"]] == ids


BROKEN = messages(text_block("Hello, world"), size=4)


@pytest.mark.parametrize(
    ("reply", "kind", "retry_after_s"),
    [
        (status(400, messages_error("invalid_request_error", "No.")), InvalidArgument, None),
        (
            status(
                400, messages_error("invalid_request_error", "prompt is too long: 9 tokens > 8")
            ),
            ContextExceeded,
            None,
        ),
        (
            status(
                400, messages_error("invalid_request_error", "Your credit balance is too low to")
            ),
            QuotaExhausted,
            None,
        ),
        (status(401, messages_error("authentication_error")), FailedPrecondition, None),
        (status(402, messages_error("billing_error")), QuotaExhausted, None),
        (status(403, messages_error("permission_error")), FailedPrecondition, None),
        (status(404, messages_error("not_found_error", "model: x")), FailedPrecondition, None),
        (status(413, messages_error("request_too_large")), InvalidArgument, None),
        (
            status(429, messages_error("rate_limit_error"), headers={"retry-after": "12"}),
            ResourceExhausted,
            12.0,
        ),
        (status(500, messages_error("api_error")), Unavailable, None),
        (status(529, messages_error("overloaded_error")), Unavailable, None),
        (sse(messages_error("overloaded_error")), Unavailable, None),
        (sse(messages_error("rate_limit_error")), ResourceExhausted, None),
        (BROKEN.broken(after=4), Unavailable, None),
        (BROKEN.ending(after=4), Unavailable, None),
        (BROKEN.ending(after=len(BROKEN.chunks) - 2), Unavailable, None),
        (Reply((b"data: {not json}\n\n",)), Unavailable, None),
        (
            sse(
                {
                    "type": "content_block_delta",
                    "index": 3,
                    "delta": {"type": "text_delta", "text": "x"},
                }
            ),
            Unavailable,
            None,
        ),
    ],
)
def test_every_failure_has_its_error(
    fake: FakeProviders, reply: Reply, kind: type[AgentError], retry_after_s: float | None
) -> None:
    fake.anthropic(reply)
    with pytest.raises(AgentError) as caught:
        say()
    assert type(caught.value) in (kind, BrokenOff if kind is Unavailable else kind)
    assert caught.value.retry_after_s == retry_after_s
    assert len(fake.requests) == 1, "retries are the loop's business"


def test_deadline_holds_however_the_answer_drags(fake: FakeProviders) -> None:
    for reply in (BROKEN.dripping(after=3), BROKEN.stalling(after=3), BROKEN.stalling(after=0)):
        fake.anthropic(reply)
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            say(deadline=began + 0.3)
        assert time.monotonic() - began < 30


def test_key_is_needed_and_never_repeated(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    body = messages_error("invalid_request_error", f"bad key {ANTHROPIC_KEY}")
    fake.anthropic(*(status(code, body) for code in (400, 401, 429, 503)))
    for _ in range(4):
        with pytest.raises(AgentError) as caught:
            say()
        assert "sk-ant" not in f"{caught.value.message} {caught.value.details} {caplog.text}"
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(FailedPrecondition, match="no key for Anthropic"):
        say()
