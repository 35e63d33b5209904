import json

import pytest

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
from rollcall.models import gemini
from rollcall.models.base import FinishReason, ModelRequest, ToolSpec, Usage
from tests.support.fake_providers import FakeProviders, WholeReply, gather
from tests.support.provider_replies import (
    Json,
    Reply,
    gemini_blocked,
    gemini_call,
    gemini_call_part,
    gemini_parts,
    gemini_text,
    sse,
)

HELLO = UserMessage.of("hello")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)


def say(
    *messages: Message, model: str = "gemini-3.8-flash", deadline: float | None = None
) -> WholeReply:
    request = ModelRequest("Be brief.", messages or (HELLO,), (WEATHER,), deadline=deadline)
    return gather(gemini.Model(model).stream(request), "gemini")


def test_text_streams_piece_by_piece(fake: FakeProviders) -> None:
    fake.gemini(gemini_text("Hel", "lo", "", "!"))
    said = say()
    assert [getattr(delta, "text", None) for delta in said.deltas] == ["Hel", "lo", "!", None]
    assert said.message.text == "Hello!"
    assert said.finish.reason is FinishReason.STOP
    assert said.finish.usage == Usage(12, 4, 8), "thoughts are output, cached tokens are input"


def test_an_empty_error_is_none(fake: FakeProviders) -> None:
    candidate = {"content": {"parts": [{"text": "Hello"}]}, "finishReason": "STOP"}
    fake.gemini(sse({"error": None, "candidates": [candidate]}))
    assert say().message.text == "Hello"


def test_first_text_comes_before_the_reply_is_whole(fake: FakeProviders) -> None:
    fake.gemini(gemini_text("one", "two").stalling(after=1))
    stream = gemini.Model("g").stream(ModelRequest("", (HELLO,)))
    assert getattr(next(stream), "text", None) == "one"
    stream.close()  # type: ignore[attr-defined]


def test_parallel_calls_keep_ids_and_order(fake: FakeProviders) -> None:
    parts = [gemini_call_part("get_weather", {"city": city}, id=city) for city in ("Oslo", "Rome")]
    fake.gemini(gemini_parts([{"text": "Looking."}], [parts[0]], [parts[1]]))
    said = say()
    assert [(call.id, call.arguments) for call in said.message.tool_calls] == [
        ("Oslo", {"city": "Oslo"}),
        ("Rome", {"city": "Rome"}),
    ]
    assert said.finish.reason is FinishReason.TOOL_CALLS


def test_missing_or_repeated_ids_are_minted(fake: FakeProviders) -> None:
    twice = [gemini_call_part("get_weather", {}, id="same") for _ in range(2)]
    fake.gemini(gemini_parts([gemini_call_part("get_weather", {}), *twice]))
    ids = {call.id for call in say().message.tool_calls}
    assert len(ids) == 3
    assert "same" in ids


def test_a_call_whose_fields_for_pieces_are_empty_is_whole(fake: FakeProviders) -> None:
    part = gemini_call_part("get_weather", {"city": "Oslo"})
    part["functionCall"] |= {"partialArgs": None, "willContinue": None}  # as a gateway may write
    fake.gemini(gemini_parts([part]))
    assert [call.arguments for call in say().message.tool_calls] == [{"city": "Oslo"}]


def test_parts_go_back_as_they_came(fake: FakeProviders) -> None:
    parts = [
        {"text": "Thinking it over", "thought": True},
        gemini_call_part("get_weather", {"city": None, "n": 1.0}, id="a", signature="ab+/cQ=="),
        {"text": "", "thoughtSignature": "+/+/"},
    ]
    fake.gemini(gemini_parts(parts[:1], parts[1:]), gemini_text("Cold."))
    said = say()
    assert said.message.text == "", "thoughts are not part of the reply"
    result = ToolResult("a", "get_weather", '{"output": {"celsius": -3}}')
    say(HELLO, said.message, ToolMessage((result,)))
    sent = fake.requests[1].json["contents"]
    assert sent[1] == {"role": "model", "parts": parts}
    told = {"id": "a", "name": "get_weather", "response": {"output": {"celsius": -3}}}
    assert sent[2] == {"role": "user", "parts": [{"functionResponse": told}]}


def test_minted_ids_stay_here(fake: FakeProviders) -> None:
    fake.gemini(gemini_call("get_weather", {"city": "Oslo"}), gemini_text("Cold."))
    said = say()
    id = said.message.tool_calls[0].id
    say(HELLO, said.message, ToolMessage((ToolResult(id, "get_weather", "cold"),)))
    told = fake.requests[1].json["contents"][2]["parts"][0]["functionResponse"]
    assert told == {"name": "get_weather", "response": {"output": "cold"}}


@pytest.mark.parametrize(
    ("content", "is_error", "response"),
    [
        ('{"output": 1}', False, {"output": 1}),
        ('{"error": {"code": "not-found"}}', True, {"error": {"code": "not-found"}}),
        ('{"rows": []}', False, {"output": {"rows": []}}),
        ("plain words", False, {"output": "plain words"}),
        ("went wrong", True, {"error": "went wrong"}),
    ],
)
def test_results_are_outputs_or_errors(
    fake: FakeProviders, content: str, is_error: bool, response: Json
) -> None:
    fake.gemini(gemini_text("ok"))
    call = ToolCall("c1", "get_weather", {"city": "Oslo"})
    result = ToolResult("c1", "get_weather", content, is_error)
    say(HELLO, ModelMessage("", (call,)), ToolMessage((result,)))
    told = fake.requests[0].json["contents"][2]["parts"][0]["functionResponse"]
    assert told == {"id": "c1", "name": "get_weather", "response": response}


@pytest.mark.parametrize(
    ("model", "is_signed"), [("gemini-3.8-flash", True), ("gemini-2.5-pro", False)]
)
def test_calls_of_other_models_are_marked_as_foreign(
    fake: FakeProviders, model: str, is_signed: bool
) -> None:
    fake.gemini(gemini_text("ok"))
    calls = (ToolCall("c1", "get_weather", {"city": "Oslo"}), ToolCall("c2", "get_weather", None))
    other = ModelMessage("Looking.", calls, "openai", ({"api": "chat"},))
    results = tuple(ToolResult(call.id, call.name, "cold") for call in calls)
    say(HELLO, other, ToolMessage(results), model=model)
    parts = fake.requests[0].json["contents"][1]["parts"]
    assert parts[0] == {"text": "Looking."}
    expected = "skip_thought_signature_validator" if is_signed else None
    assert parts[1].get("thoughtSignature") == expected
    assert "thoughtSignature" not in parts[2], "only the first call of a step has one"
    assert parts[2]["functionCall"]["args"] == {}


def test_request_carries_everything_asked_for(fake: FakeProviders) -> None:
    fake.gemini(gemini_text("{}"))
    image = Media("image", "image/png", "aGk=")
    request = ModelRequest(
        "Be brief.",
        (UserMessage((Text("What is this?"), image)),),
        (WEATHER,),
        tool_choice="none",
        response_schema=SCHEMA,
        max_output_tokens=77,
    )
    gather(gemini.Model("gemini-3.8-flash").stream(request))
    seen = fake.requests[0]
    assert seen.path == "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
    assert seen.json["store"] is False
    assert seen.json["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    parts = seen.json["contents"][0]["parts"]
    assert parts[1] == {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    assert seen.json["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
    assert "get_weather" in json.dumps(seen.json["tools"])
    config = seen.json["generationConfig"]
    assert config["maxOutputTokens"] == 77
    assert config["responseMimeType"] == "application/json"
    assert SCHEMA in config.values()


@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        (gemini_blocked("PROHIBITED_CONTENT"), FinishReason.BLOCKED, "PROHIBITED_CONTENT"),
        (gemini_parts([], finish="SAFETY"), FinishReason.BLOCKED, "SAFETY"),
        (gemini_text("Once", finish="RECITATION"), FinishReason.BLOCKED, "RECITATION"),
        (gemini_text("On and", finish="MAX_TOKENS"), FinishReason.LENGTH, "MAX_TOKENS"),
        *(
            (gemini_parts([], finish=name), FinishReason.MALFORMED, name)
            for name in (
                "MALFORMED_FUNCTION_CALL",
                "UNEXPECTED_TOOL_CALL",
                "TOO_MANY_TOOL_CALLS",
                "MISSING_THOUGHT_SIGNATURE",
                "MALFORMED_RESPONSE",
                "OTHER",
            )
        ),
        (gemini_text("Yes.", finish="OTHER"), FinishReason.STOP, "OTHER"),
    ],
)
def test_every_ending_has_its_reason(
    fake: FakeProviders, reply: Reply, reason: FinishReason, detail: str
) -> None:
    fake.gemini(reply)
    finish = say().finish
    assert (finish.reason, finish.detail) == (reason, detail)
