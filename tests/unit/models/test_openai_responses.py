import pytest

from rollcall.core.messages import (
    Media,
    Message,
    Text,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models import openai
from rollcall.models.base import ArgumentsDelta, FinishReason, ModelRequest, ToolSpec, Usage
from tests.support.fake_providers import FakeProviders, WholeReply, gather
from tests.support.provider_replies import (
    Json,
    Reply,
    call_item,
    message_item,
    plain,
    response_of,
    responses,
    responses_text,
    sse,
    status,
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


def test_responses_text_streams_piece_by_piece(fake: FakeProviders) -> None:
    fake.openai(responses_text("Hello, world!"))
    said = say()
    assert [getattr(delta, "text", None) for delta in said.deltas] == [
        "Hello,",
        " world",
        "!",
        None,
    ]
    assert said.finish.reason is FinishReason.STOP
    assert said.finish.usage == Usage(12, 4, 8)


def test_responses_arguments_stream_and_calls_keep_their_order(fake: FakeProviders) -> None:
    items = (call_item("get_weather", OSLO), call_item("get_weather", "[1", call_id="call_2"))
    fake.openai(responses(message_item("Looking."), *items))
    said = say()
    assert calls_of(said) == [
        ("call_1", "get_weather", {"city": "Oslo"}),
        ("call_2", "get_weather", None),
    ]
    assert said.message.text == "Looking."
    assert sum(isinstance(delta, ArgumentsDelta) for delta in said.deltas) == 4
    assert said.finish.reason is FinishReason.TOOL_CALLS


def test_responses_items_go_back_as_they_came_to_the_same_model(fake: FakeProviders) -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA+/="}
    items = [reasoning, call_item("get_weather", OSLO)]
    fake.openai(responses(*items), responses_text("Cold."), responses_text("Cold."))
    said = say()
    answer = ToolMessage((ToolResult("call_1", "get_weather", '{"output": -3}'),))
    say(HELLO, said.message, answer)
    output = {"type": "function_call_output", "call_id": "call_1", "output": '{"output": -3}'}
    assert fake.requests[1].json["input"][1:] == [*items, output]
    say(HELLO, said.message, answer, model="gpt-6-luna")
    rebuilt = {"type": "function_call", "call_id": "call_1", "name": "get_weather"}
    assert fake.requests[2].json["input"][1] == {**rebuilt, "arguments": OSLO}


def test_responses_reasoning_that_led_nowhere_is_not_kept(fake: FakeProviders) -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    why = {"reason": "max_output_tokens"}
    fake.openai(responses(reasoning, ends="incomplete", incomplete_details=why))
    finish = say().finish
    assert finish.reason is FinishReason.LENGTH
    assert finish.provider_parts == ()


def test_responses_request_carries_everything_asked_for(fake: FakeProviders) -> None:
    fake.openai(responses_text("{}"))
    parts = (
        Text("What is this?"),
        Media("image", "image/png", "aGk="),
        Media("document", "application/pdf", "aGk=", "a.pdf"),
        Media("document", "text/csv", "YSxi", "b.csv"),
    )
    request = ModelRequest(
        "Be brief.",
        (UserMessage(parts),),
        (WEATHER,),
        tool_choice="none",
        response_schema=SCHEMA,
        max_output_tokens=77,
        cache_key="tutor",
    )
    gather(openai.Model("gpt-5.5").stream(request))
    sent = fake.requests[0].json
    assert fake.requests[0].path == "/v1/responses"
    assert (sent["store"], sent["stream"], sent["parallel_tool_calls"]) == (False, True, True)
    assert (sent["instructions"], sent["max_output_tokens"]) == ("Be brief.", 77)
    assert (sent["tool_choice"], sent["prompt_cache_key"]) == ("none", "tutor")
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["tools"][0]["parameters"] == SCHEMA
    assert sent["text"]["format"]["schema"] == SCHEMA
    kinds = [part["type"] for part in sent["input"][0]["content"]]
    assert kinds == ["input_text", "input_image", "input_file", "input_text"]
    assert sent["input"][0]["content"][3]["text"] == "b.csv:\na,b"


def test_responses_of_models_that_do_not_reason_ask_for_no_reasoning(fake: FakeProviders) -> None:
    fake.openai(responses_text("ok"))
    say(model="gpt-4.1-mini")
    assert "include" not in fake.requests[0].json


@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        (
            responses(
                message_item("On"),
                ends="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            FinishReason.LENGTH,
            "max_output_tokens",
        ),
        (
            responses(ends="incomplete", incomplete_details={"reason": "content_filter"}),
            FinishReason.BLOCKED,
            "content_filter",
        ),
        (
            status(400, {"error": {"code": "content_filter", "message": "Filtered."}}),
            FinishReason.BLOCKED,
            "content_filter",
        ),
    ],
)
def test_responses_endings_have_their_reasons(
    fake: FakeProviders, reply: Reply, reason: FinishReason, detail: str
) -> None:
    fake.openai(reply)
    finish = say().finish
    assert (finish.reason, finish.detail) == (reason, detail)


def test_refusals_are_told_and_block(fake: FakeProviders) -> None:
    part = {"type": "refusal", "refusal": "I will not."}
    item = {"type": "message", "id": "m", "role": "assistant", "content": [part]}
    fake.openai(plain(response_of([item])))
    said = say()
    assert (said.message.text, said.finish.reason) == ("I will not.", FinishReason.BLOCKED)


def test_responses_without_a_stream_are_read_too(fake: FakeProviders) -> None:
    items = [message_item("Looking."), call_item("get_weather", OSLO)]
    fake.openai(plain(response_of(items)))
    said = say()
    assert said.message.text == "Looking."
    assert calls_of(said) == [("call_1", "get_weather", {"city": "Oslo"})]


def test_responses_of_servers_that_leave_out_deltas_places_or_ids(fake: FakeProviders) -> None:
    call, message = call_item("get_weather", OSLO), message_item("Hi", id="m")
    call.pop("id")
    fake.openai(
        sse(
            {"type": "response.output_item.added", "item": {**call, "arguments": ""}},
            {"type": "response.output_text.delta", "item_id": "m", "delta": "H"},
            {"type": "response.something_new", "item_id": "m"},
            {"type": "response.output_item.done", "item": call},
            {"type": "response.output_item.done", "item": message},
            {"type": "response.completed", "response": response_of([call, message])},
        )
    )
    said = say()
    assert calls_of(said) == [("call_1", "get_weather", {"city": "Oslo"})]
    assert said.message.text == "Hi"
