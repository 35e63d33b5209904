"""The official SDKs judge the adapters: what these send is valid by the SDKs' types, and what the
SDKs parse of the same reply is what these read."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from google import genai
from google.auth.credentials import AnonymousCredentials
from google.genai import models, types
from openai import OpenAI
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params
from pydantic import TypeAdapter

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
from rollcall.models.base import ModelRequest, ToolSpec, load_model
from tests.support import provider_replies as wire
from tests.support.fake_providers import ANTHROPIC_KEY, FakeProviders, WholeReply, gather
from tests.support.for_every import for_every
from tests.support.provider_replies import Json, Reply
from tests.support.whole_replies import in_one_piece

SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("get_weather", "Tell the weather.", SCHEMA)
OSLO = '{"city": "Oslo"}'
CALL = ToolCall("call_1", "get_weather", {"city": "Oslo"}, OSLO)
EVERYTHING = (
    UserMessage(
        (
            Text("What is this?"),
            Media("image", "image/png", "aGk="),
            Media("document", "application/pdf", "aGk=", "a.pdf"),
            Media("document", "text/csv", "YSxi", "b.csv"),
        )
    ),
    ModelMessage("Looking.", (CALL,)),
    ToolMessage((ToolResult("call_1", "get_weather", "gone", True),)),
    UserMessage.of("Once more."),
)
REQUESTS = [
    ModelRequest("Be brief.", EVERYTHING, (WEATHER,), cache_key="k", streamed=streamed, **more)
    for streamed in (True, False)
    for more in ({}, {"tool_choice": "none"})
] + [ModelRequest("", (UserMessage.of("Fill it."),), response_schema=SCHEMA, streamed=False)]
"""Everything that a request can hold."""


def ask(fake: FakeProviders, model: str, reply: Reply, request: ModelRequest) -> WholeReply:
    provider = model.partition(":")[0]
    getattr(fake, provider)(reply if request.streamed else in_one_piece(reply))
    return gather(load_model(model).stream(request), provider)


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """What validates by a type of an SDK; the large ones take a second to build."""
    return TypeAdapter(kind)


def check(kind: Any, value: Json) -> None:
    """Insist that a value fits a type of an SDK, and has nothing that the type does not know."""
    known = adapter(kind).validate_python(value)
    unknown = set(value) - set(known)
    assert not unknown, f"the SDK does not know {unknown}"


@for_every("request_", REQUESTS)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_what_openai_is_sent_is_valid(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, request_: ModelRequest, api: str
) -> None:
    monkeypatch.setenv("OPENAI_API", api)
    reply = wire.chat_text("{}") if api == "chat" else wire.responses_text("{}")
    ask(fake, "openai:gpt-5.5", reply, request_)
    sent = fake.requests[-1].json
    kinds = completion_create_params if api == "chat" else response_create_params
    name = "CompletionCreateParams" if api == "chat" else "ResponseCreateParams"
    how = "Streaming" if request_.streamed else "NonStreaming"
    check(getattr(kinds, f"{name}{how}"), sent)


@for_every("request_", REQUESTS)
def test_what_gemini_is_sent_is_valid(fake: FakeProviders, request_: ModelRequest) -> None:
    ask(fake, "gemini:gemini-3.8-flash", wire.gemini_text("{}"), request_)
    sent = fake.requests[-1].json
    for content in (*sent["contents"], *filter(None, [sent.get("systemInstruction")])):
        types.Content.model_validate(content)
    for tool in sent.get("tools", []):
        types.Tool.model_validate(tool)
    types.ToolConfig.model_validate(sent.get("toolConfig", {}))
    types.GenerationConfig.model_validate(sent["generationConfig"])
    known = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "store"}
    assert sent.keys() <= known


@for_every("request_", REQUESTS)
def test_what_vertex_is_sent_is_what_the_sdk_sends_there(
    monkeypatch: pytest.MonkeyPatch, request_: ModelRequest
) -> None:
    monkeypatch.setenv("GEMINI_BACKEND", "vertex")
    sent = json.loads(gemini.body_of(request_, "gemini-3.8-flash"))
    others = {"systemInstruction", "tools", "toolConfig", "store"} & sent.keys()
    config = {**sent["generationConfig"], **{key: sent[key] for key in others}}
    told = types._GenerateContentParameters.model_validate(
        {"model": "gemini-3.8-flash", "contents": sent["contents"], "config": config}
    )
    client = genai.Client(
        enterprise=True, project="p", location="global", credentials=AnonymousCredentials()
    )
    with client:  # its converter refuses what Vertex AI does not know
        written = models._GenerateContentParameters_to_vertex(client._api_client, told)
    assert written.keys() - {"_url"} == sent.keys()
    assert written["generationConfig"].keys() == sent["generationConfig"].keys()


@for_every("request_", REQUESTS)
def test_what_anthropic_is_sent_is_valid(fake: FakeProviders, request_: ModelRequest) -> None:
    sdk = pytest.importorskip("anthropic.types.message_create_params")
    ask(fake, "anthropic:claude-sonnet-5-5", wire.messages_text("{}"), request_)
    how = "Streaming" if request_.streamed else "NonStreaming"
    check(getattr(sdk, f"MessageCreateParams{how}"), fake.requests[-1].json)


HISTORY: tuple[Message, ...] = (UserMessage.of("hello"),)
TWO = [("get_weather", OSLO), ("get_weather", "{}")]


def both(said: WholeReply) -> Json:
    """What was read, as the SDKs' readings below tell it."""
    calls = [(call.id, call.name, call.arguments) for call in said.message.tool_calls]
    return said.message.text, calls, said.finish.usage.output_tokens


@pytest.mark.parametrize("streamed", [True, False])
def test_chat_is_read_as_the_sdk_parses_it(
    fake: FakeProviders, monkeypatch: pytest.MonkeyPatch, streamed: bool
) -> None:
    monkeypatch.setenv("OPENAI_API", "chat")
    deltas = [
        wire.chat_call_delta(name, text, id=f"c{n}", index=n) for n, (name, text) in enumerate(TWO)
    ]
    reply = wire.chat({"content": "Look"}, {"content": "ing."}, *deltas, finish="tool_calls")
    said = ask(fake, "openai:gpt-5.5", reply, ModelRequest("", HISTORY, streamed=streamed))
    fake.openai(in_one_piece(reply))
    messages: Any = [{"role": "user", "content": "hello"}]
    with OpenAI(max_retries=0) as client:
        parsed = client.chat.completions.create(model="m", messages=messages)
    message, usage = parsed.choices[0].message, parsed.usage
    told: list[Any] = list(message.tool_calls or [])
    calls = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in told]
    assert both(said) == (message.content, calls, usage and usage.completion_tokens)


@pytest.mark.parametrize("streamed", [True, False])
def test_responses_are_read_as_the_sdk_parses_them(fake: FakeProviders, streamed: bool) -> None:
    items = [wire.message_item("Looking.")]
    items += [wire.call_item(name, text, call_id=f"c{n}") for n, (name, text) in enumerate(TWO)]
    reply = wire.responses(*items)
    said = ask(fake, "openai:gpt-5.5", reply, ModelRequest("", HISTORY, streamed=streamed))
    fake.openai(reply)
    with OpenAI(max_retries=0) as client:
        events = list(client.responses.create(model="m", input="hello", stream=True))
    parsed: Any = events[-1]
    response = parsed.response
    told = [item for item in response.output if item.type == "function_call"]
    calls = [(c.call_id, c.name, json.loads(c.arguments)) for c in told]
    assert both(said) == (response.output_text, calls, response.usage.output_tokens)


@pytest.mark.parametrize("streamed", [True, False])
def test_gemini_is_read_as_the_sdk_parses_it(fake: FakeProviders, streamed: bool) -> None:
    parts = [
        wire.gemini_call_part(name, json.loads(text), id=f"c{n}")
        for n, (name, text) in enumerate(TWO)
    ]
    reply = wire.gemini_parts([{"text": "Hm.", "thought": True}], [{"text": "Looking."}], parts)
    said = ask(fake, "gemini:g", reply, ModelRequest("", HISTORY, streamed=streamed))
    fake.gemini(in_one_piece(reply))
    with genai.Client(http_options=types.HttpOptions(api_version="v1beta")) as client:
        parsed = client.models.generate_content(model="g", contents="hello")
    assert parsed.candidates and parsed.candidates[0].content and parsed.usage_metadata
    found = parsed.candidates[0].content.parts or []
    text = "".join(part.text for part in found if part.text and not part.thought)
    told = [part.function_call for part in found if part.function_call]
    usage = parsed.usage_metadata
    made = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    assert both(said) == (text, [(c.id, c.name, c.args or {}) for c in told], made)


@pytest.mark.parametrize("streamed", [True, False])
def test_anthropic_is_read_as_the_sdk_parses_it(fake: FakeProviders, streamed: bool) -> None:
    sdk = pytest.importorskip("anthropic")
    blocks = [wire.thinking_block("Hm.", "c2ln"), wire.text_block("Looking.")]
    blocks += [
        wire.tool_use_block(name, json.loads(text), id=f"c{n}")
        for n, (name, text) in enumerate(TWO)
    ]
    reply = wire.messages(*blocks, stop="tool_use")
    said = ask(fake, "anthropic:claude", reply, ModelRequest("", HISTORY, streamed=streamed))
    fake.anthropic(reply)
    messages: Any = [{"role": "user", "content": "hello"}]
    client = sdk.Anthropic(base_url=fake.url, api_key=ANTHROPIC_KEY, max_retries=0)
    with client, client.messages.stream(model="c", max_tokens=9, messages=messages) as stream:
        parsed = stream.get_final_message()
    text = "".join(block.text for block in parsed.content if block.type == "text")
    told = [block for block in parsed.content if block.type == "tool_use"]
    calls = [(c.id, c.name, c.input) for c in told]
    assert both(said) == (text, calls, parsed.usage.output_tokens)
    kept = said.finish.provider_parts[0]["content"]
    assert kept == [block.model_dump(exclude_none=True) for block in parsed.content]
