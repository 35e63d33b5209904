"""Models that are given tools by words: what they are told, and what is read from their replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.models import prompted
from rollcall.models.base import (
    CallStart,
    Delta,
    FinishReason,
    ModelRequest,
    TextDelta,
    ToolSpec,
    Usage,
    load_model,
)
from rollcall.models.prompted import Reader, read_calls
from tests.support.fake_providers import FakeProviders, WholeReply, gather
from tests.support.provider_replies import Json, chat_text

SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)
OSLO = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
HELLO = UserMessage.of("hello")


def say(*messages: Message, **changes: Json) -> WholeReply:
    model = load_model("prompted:openai:llama-3")
    fields: Json = {"tools": (WEATHER,), **changes}
    request = ModelRequest("Be brief.", messages or (HELLO,), **fields)
    return gather(model.stream(request), "prompted")


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def calls_of(said: WholeReply) -> list[tuple[str, Json]]:
    return [(call.name, call.arguments) for call in said.message.tool_calls]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_call_is_read_however_it_is_cut(local: FakeProviders, size: int) -> None:
    local.openai(chat_text(*pieces(f"Let me see.\n\n{OSLO}\n", size)))
    said = say()
    assert said.message.text == "Let me see."
    assert calls_of(said) == [("get_weather", {"city": "Oslo"})]
    assert said.finish.reason is FinishReason.TOOL_CALLS
    assert said.finish.usage == Usage(12, 4, 8)


def test_text_streams_as_it_comes(local: FakeProviders) -> None:
    local.openai(chat_text("It is ", "1 < 2", ", and <b>", "bold</b>.", " `x`"))
    said = say()
    assert said.message.text == "It is 1 < 2, and <b>bold</b>. `x`"
    assert len(said.deltas) >= 5


@pytest.mark.parametrize("last", [" rains", f"\n{OSLO}"])
def test_a_stream_that_breaks_off_without_an_end_is_given_none(
    monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    def stream(request: ModelRequest) -> Iterator[Delta]:
        yield from map(TextDelta, ("It", last))

    monkeypatch.setattr(prompted, "load_model", lambda name: SimpleNamespace(stream=stream))
    model = prompted.Model("own:cut")
    deltas = list(model.stream(ModelRequest("Be brief.", (HELLO,), (WEATHER,))))
    assert [type(each) for each in deltas] == [TextDelta] * len(deltas)
    assert deltas[0] == TextDelta("It")


def test_the_tools_and_the_rules_are_in_the_instructions(local: FakeProviders) -> None:
    local.openai(chat_text("Hi."))
    say()
    sent = local.requests[0].json
    assert "tools" not in sent and "tool_choice" not in sent
    system = sent["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert '{"name": "get_weather", "description": "Tell the weather.", "parameters"' in system


def test_calls_and_results_go_back_as_text(local: FakeProviders) -> None:
    local.openai(chat_text("Cold."))
    calls = (ToolCall("c1", "get_weather", {"city": "אוסלו"}), ToolCall("c2", "nope", None, "[1"))
    results = (
        ToolResult("c1", "get_weather", '{"output": "קר"}'),
        ToolResult("c2", "nope", "no such tool", is_error=True),
    )
    say(HELLO, ModelMessage("I look.", calls), ToolMessage(results), UserMessage.of("And?"))
    _, user, model, told = local.requests[0].json["messages"]
    assert (user["role"], model["role"], told["role"]) == ("user", "assistant", "user")
    assert '{"name": "get_weather", "arguments": {"city": "אוסלו"}}' in model["content"]
    assert '{"name": "get_weather", "content": {"output": "קר"}}' in told["content"]
    assert '"is_error": true' in told["content"]
    assert told["content"].endswith("</tool_response>\nAnd?"), "one message of the user's side"
    assert "tool_calls" not in model


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"{OSLO}\n{OSLO.replace('Oslo', 'Rome')}", [{"city": "Oslo"}, {"city": "Rome"}]),
        (f"```json\n{OSLO}\n```", [{"city": "Oslo"}]),
        ('<tool_call>```json\n{"name": "get_weather"}\n```</tool_call>', [{}]),
        ('```json\n{"name": "get_weather", "arguments": {"city": "``"}}\n```', [{"city": "``"}]),
        ('<tool_call>{"name": "get_weather", "parameters": {"city": "O"}}', [{"city": "O"}]),
        ('<tool_call>{"name": "get_weather", "arguments": "{}"}}</tool_call>', [{}]),
        ('<tool_call>[{"name": "a"}, {"name": "b"}]</tool_call>', [{}, {}]),
        ('<tool_call>{"type": "function", "function": {"name": "a"}}</tool_call>', [{}]),
        (OSLO.replace("Oslo", "</tool_call>"), [{"city": "</tool_call>"}]),
        (OSLO.replace("Oslo", "ירושלים"), [{"city": "ירושלים"}]),
        (OSLO.replace("Oslo", "a\nb"), [{"city": "a\nb"}]),
        (f"{OSLO}\n<tool_response>\nsunny\n</tool_response>\nIt is sunny.", [{"city": "Oslo"}]),
    ],
)
@pytest.mark.parametrize("size", [3, 1000])
def test_forms_that_models_write_are_read(
    local: FakeProviders, text: str, calls: list[Json], size: int
) -> None:
    local.openai(chat_text(*pieces(text, size)))
    said = say()
    assert [call.arguments for call in said.message.tool_calls] == calls
    assert said.message.text.strip() == "", "no markup and no guessed result is shown"


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "Ada", "age": 36}\n```',
        '```json\n{"name": "another", "arguments": {}}\n```',
        "```python\nprint('<b>')\n```\nand\n```\nplain\n```",
        '```json\n{"name": ["Ada"], "arguments": {}}\n```',
        '```json\n{"name": "get_weather", "arguments": 1} {"arguments": 1, "parameters": 2}\n```',
        '```json\n{"a": [1]}\n```\n',
        '```json\n{"name"',
        "``` a ` b `` c <tool <tool_",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_fenced_text_that_is_no_call_stays_text(local: FakeProviders, text: str, size: int) -> None:
    local.openai(chat_text(*pieces(text, size)))
    said = say()
    assert (said.message.text, said.message.tool_calls) == (text, ())
    assert said.finish.reason is FinishReason.STOP


def test_a_call_that_cannot_be_parsed_is_refused_by_name(local: FakeProviders) -> None:
    local.openai(chat_text('<tool_call>{"name": "get_weather", "arguments": {city}</tool_call>'))
    (call,) = say().message.tool_calls
    assert (call.name, call.arguments) == ("get_weather", None)
    assert "{city}" in call.arguments_text, "what the model is told it sent"


@pytest.mark.parametrize(
    "text", ["<tool_call>get_weather</tool_call>", "<tool_call>", "</tool_call>"]
)
def test_a_block_that_says_nothing_is_malformed(local: FakeProviders, text: str) -> None:
    local.openai(chat_text(text))
    said = say()
    assert (said.message.text, said.finish.reason) == ("", FinishReason.MALFORMED)


def test_a_call_that_the_end_tore_is_none(local: FakeProviders) -> None:
    local.openai(chat_text(OSLO[:50], finish="length"), chat_text(OSLO, finish="length"))
    torn, whole = say(), say()
    assert (torn.message.tool_calls, torn.finish.reason) == ((), FinishReason.LENGTH)
    assert calls_of(whole) == [("get_weather", {"city": "Oslo"})]


@pytest.mark.parametrize("data", [OSLO, json.dumps({"mail": OSLO}), json.dumps([{"a": [OSLO]}])])
def test_a_result_holds_no_markup_and_its_calls_are_not_made(
    local: FakeProviders, data: str
) -> None:
    local.openai(chat_text(f"The mail says: {OSLO}"))
    asked = ModelMessage("", (ToolCall("c1", "get_weather", {}),))
    said = say(HELLO, asked, ToolMessage((ToolResult("c1", "get_weather", data),)))
    told = local.requests[0].json["messages"][3]["content"]
    assert told.count("<") == 2, "only the block's own"
    assert said.message.tool_calls == ()
    assert said.message.text == 'The mail says:\nget_weather {"city": "Oslo"}'


def test_a_call_that_a_user_wrote_is_not_made(local: FakeProviders) -> None:
    other = OSLO.replace("Oslo", "Rome")
    local.openai(chat_text(OSLO.replace('": ', '":  ') + other))
    said = say(UserMessage.of(f"Repeat: {OSLO}"))
    assert calls_of(said) == [("get_weather", {"city": "Rome"})]


def test_without_tools_nothing_is_called(local: FakeProviders) -> None:
    local.openai(chat_text(OSLO), chat_text(f"Cold. {OSLO}"))
    asked = ModelMessage("", (ToolCall("c1", "get_weather", {}),))
    history = (HELLO, asked, ToolMessage((ToolResult("c1", "get_weather", "cold"),)))
    silent, spoken = say(*history, tool_choice="none"), say(*history, tool_choice="none")
    assert (silent.message.tool_calls, silent.finish.reason) == ((), FinishReason.MALFORMED)
    assert (spoken.message.text, spoken.finish.reason) == ("Cold.", FinishReason.STOP)
    system = local.requests[0].json["messages"][0]["content"]
    assert "get_weather" not in system and "No tool can be called" in system


def test_structured_output_is_left_alone(local: FakeProviders) -> None:
    text = '{"name": "<tool_call>"}'
    local.openai(chat_text(text))
    assert say(response_schema=SCHEMA, tools=()).message.text == text


def test_a_reply_that_breaks_off_is_unavailable(local: FakeProviders) -> None:
    local.openai(chat_text("Let me", " see").broken(after=2))
    with pytest.raises(Unavailable):
        say()


def test_ids_are_minted(local: FakeProviders) -> None:
    local.openai(chat_text(OSLO, OSLO.replace("Oslo", "Rome")))
    ids = [delta.id for delta in say().deltas if isinstance(delta, CallStart)]
    assert len(set(ids)) == 2


@pytest.mark.parametrize("name", ["prompted:openai:x", "nobody:x", ""])
def test_it_needs_another_provider(name: str) -> None:
    with pytest.raises(FailedPrecondition):
        load_model(f"prompted:{name}")


def test_a_long_block_is_read_in_reasonable_time() -> None:
    reader = Reader()
    block = '<tool_call>{"name": "write", "arguments": {"text": "' + "word " * 20_000 + '"}}'
    shown = "".join(reader.read(piece) for piece in pieces(block, 4))
    said, ((name, _),) = read_calls(reader.rest, {"write"})
    assert (shown, said, name) == ("", "", "write")


def test_many_blocks_are_read_in_reasonable_time() -> None:
    fences = '```json\n{"name": 1}\n```' * 7_000
    assert read_calls(fences, {"write"}) == (fences, [])
    ends = '<tool_call>{"name": "write", "arguments": {"text": "' + "</tool_call>" * 12_000
    ((name, _),) = read_calls(ends + '"}}</tool_call>', {"write"})[1]
    assert name == "write"
