"""Chat Completions as other servers speak it: a case for each way in which they differ.

Each case is a body as its server documents it, or as people filed it; what it was meant to say is
what is read, or an error of its kind.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.messages import Message, ModelMessage, ToolMessage, ToolResult, UserMessage
from rollcall.models import openai
from rollcall.models.base import (
    ContextExceeded,
    FinishReason,
    ModelRequest,
    QuotaExhausted,
    ToolSpec,
    Usage,
)
from rollcall.models.openai_chat import usage_of
from tests.support.fake_providers import FakeProviders, WholeReply, gather
from tests.support.for_every import for_every
from tests.support.provider_replies import Json, Reply, chat, chat_text, plain, sse, status

HELLO = UserMessage.of("hello")
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = tuple(ToolSpec(name, "Tell.", SCHEMA) for name in ("get_weather", "get", "get_time"))
OSLO, ROME = '{"city": "Oslo"}', '{"city": "Rome"}'
STOP, CALLS, LENGTH = FinishReason.STOP, FinishReason.TOOL_CALLS, FinishReason.LENGTH
BLOCKED, MALFORMED = FinishReason.BLOCKED, FinishReason.MALFORMED


def say(*history: Message, model: str = "qwen3", tools: tuple[ToolSpec, ...] = TOOLS) -> WholeReply:
    request = ModelRequest("Be brief.", history or (HELLO,), tools)
    return gather(openai.Model(model).stream(request), "openai")


def piece(arguments: Json = None, name: str | None = None, **more: Json) -> Json:
    """A delta with a piece of one call."""
    function = {"name": name, "arguments": arguments}
    told = {key: value for key, value in function.items() if value is not None}
    return {"tool_calls": [{**more, "function": told}]}


def whole(message: Json, finish: str | None = "stop", **more: Json) -> Reply:
    """A completion that was not streamed."""
    return plain({"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more})


WEATHER = ("get_weather", {"city": "Oslo"})
IN_ROME = ("get_weather", {"city": "Rome"})
TEXT_CHUNKS: list[Json] = [
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Cold."}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
CASES: dict[str, tuple[Reply, str, list[tuple[str, Json]], FinishReason]] = {
    "DeepSeek: reasoning before the answer": (
        chat({"reasoning_content": "Hm."}, {"content": "Cold."}),
        "Cold.",
        [],
        STOP,
    ),
    "OpenRouter: reasoning details, usage in a last chunk, comments between": (
        Reply((b": OPENROUTER PROCESSING\n\n", *chat_text("Cold.").chunks)),
        "Cold.",
        [],
        STOP,
    ),
    "Ollama, DeepSeek-R1: thoughts in the text": (
        chat_text("<thi", "nk>\nOslo is no", "rth.</th", "ink>\n\n", "Cold."),
        "Cold.",
        [],
        STOP,
    ),
    "Ollama: a thought that has no end is no answer": (
        chat_text("<think>On and on", finish="length"),
        "",
        [],
        LENGTH,
    ),
    "a text that only begins like a thought": (chat_text("<thin", " ice"), "<thin ice", [], STOP),
    "Mistral: content in parts, thinking beside text": (
        whole(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                    {"type": "text", "text": "Cold."},
                ]
            }
        ),
        "Cold.",
        [],
        STOP,
    ),
    "llama.cpp: an empty function_call beside tool_calls": (
        chat(
            {
                **piece(OSLO, "get_weather", id="a", index=0),
                "function_call": {"name": "", "arguments": ""},
            },
            finish="tool_calls",
        ),
        "",
        [WEATHER],
        CALLS,
    ),
    "the old form, in pieces": (
        chat(
            {"function_call": {"name": "get_weather", "arguments": ""}},
            {"function_call": {"arguments": OSLO[:5]}},
            {"function_call": {"arguments": OSLO[5:]}},
            finish="function_call",
        ),
        "",
        [WEATHER],
        CALLS,
    ),
    "Gemini's layer: parallel calls at index 0 without ids": (
        chat(piece(OSLO, "get_weather", index=0), piece(ROME, "get_weather", index=0)),
        "",
        [WEATHER, IN_ROME],
        CALLS,
    ),
    "Together: no index, ids": (
        chat(piece(OSLO, "get_weather", id="a"), piece(ROME, "get_weather", id="b")),
        "",
        [WEATHER, IN_ROME],
        CALLS,
    ),
    "SGLang: arguments of two calls by turns": (
        chat(
            piece("", "get_weather", id="a", index=0),
            piece("", "get_time", id="b", index=1),
            piece(OSLO[:6], index=0),
            piece(ROME[:6], index=1),
            piece(OSLO[6:], index=0),
            piece(ROME[6:], index=1),
            finish="tool_calls",
        ),
        "",
        [WEATHER, ("get_time", {"city": "Rome"})],
        CALLS,
    ),
    "a gateway to DeepSeek: a second call's head at index 0, the rest of it at index 1": (
        chat(
            piece(OSLO, "get_weather", id="a", index=0),
            piece(ROME[:6], "get_time", id="b", index=0),
            piece(ROME[6:9], id="b", index=1),
            piece(ROME[9:], index=1),
            finish="tool_calls",
        ),
        "",
        [WEATHER, ("get_time", {"city": "Rome"})],
        CALLS,
    ),
    "vLLM: another id with each piece": (
        chat(
            piece("", "get_weather", id="a", index=0),
            piece(OSLO[:6], id="b", index=0),
            piece(OSLO[6:], id="c", index=0),
        ),
        "",
        [WEATHER],
        CALLS,
    ),
    "vLLM: the name with each piece": (
        chat(
            piece(OSLO[:6], "get_weather", id="a", index=0),
            piece(OSLO[6:], "get_weather", id="a", index=0),
        ),
        "",
        [WEATHER],
        CALLS,
    ),
    "a name in pieces": (
        chat(
            piece("", "get_", id="a", index=0), piece("", "weather", index=0), piece(OSLO, index=0)
        ),
        "",
        [WEATHER],
        CALLS,
    ),
    "two calls without arguments at one index": (
        chat(piece("", "get", index=0), piece("", "get_time", index=0)),
        "",
        [("get", {}), ("get_time", {})],
        CALLS,
    ),
    "Ollama: arguments as an object": (
        chat(piece(json.loads(OSLO), "get_weather", index=0)),
        "",
        [WEATHER],
        CALLS,
    ),
    "Groq: arguments that are null": (chat(piece("null", "get", id="a")), "", [("get", {})], CALLS),
    "no arguments at all": (chat(piece(None, "get", id="a")), "", [("get", {})], CALLS),
    "Snowflake: arguments encoded twice": (
        chat(piece(json.dumps(OSLO)[:7], "get_weather", id="a"), piece(json.dumps(OSLO)[7:])),
        "",
        [WEATHER],
        CALLS,
    ),
    "a gateway's placeholder before the arguments": (
        chat(piece("{}", "get_weather", id="a", index=0), piece(OSLO, index=0)),
        "",
        [WEATHER],
        CALLS,
    ),
    "arguments that break off are malformed, never another call's": (
        chat(piece(OSLO[:6], "get_weather", index=0), piece(ROME, "get_time", index=0)),
        "",
        [("get_weather", None), ("get_time", {"city": "Rome"})],
        CALLS,
    ),
    "a whole message with calls at index 0": (
        whole(
            {
                "content": None,
                "tool_calls": [
                    {"index": 0, "id": "x", "function": {"name": "get_weather", "arguments": OSLO}},
                    {"index": 0, "id": "x", "function": {"name": "get_weather", "arguments": ROME}},
                ],
            }
        ),
        "",
        [WEATHER, IN_ROME],
        CALLS,
    ),
    "Azure: what its filters found, before the first choice": (
        sse({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, *TEXT_CHUNKS),
        "Cold.",
        [],
        STOP,
    ),
    "MiniMax: choices that are null": (
        sse(*TEXT_CHUNKS, {"choices": None, "usage": {"prompt_tokens": 3}}),
        "Cold.",
        [],
        STOP,
    ),
    "a gateway's nulls between the chunks": (
        Reply((b"data: null\n", *chat_text("Cold.").chunks)),
        "Cold.",
        [],
        STOP,
    ),
    "a body in a list": (
        Reply((json.dumps([json.loads(whole({"content": "Hi"}).chunks[0])]).encode(),)),
        "Hi",
        [],
        STOP,
    ),
    "a whole text without a finish reason": (whole({"content": "Hi"}, None), "Hi", [], STOP),
    **{
        f"finish reason {name}": (chat_text("On", finish=name), "On", [], reason)
        for name, reason in {
            "length": LENGTH,
            "model_length": LENGTH,
            "max_tokens": LENGTH,
            "content_filter": BLOCKED,
            "sensitive": BLOCKED,
            "SAFETY": BLOCKED,
            "eos": STOP,
            "STOP": STOP,
            "something_new": STOP,
            "function_call_filter: MALFORMED_FUNCTION_CALL": MALFORMED,
        }.items()
    },
    "an unknown end without a text": (chat({}, finish="something_new"), "", [], MALFORMED),
}


@for_every("name", CASES)
def test_what_a_server_meant_is_what_is_read(local: FakeProviders, name: str) -> None:
    local.reset()
    reply, text, calls, reason = CASES[name]
    local.openai(reply)
    said = say()
    found = [(call.name, call.arguments) for call in said.message.tool_calls]
    assert (said.message.text, found, said.finish.reason) == (text, calls, reason)
    assert len({call.id for call in said.message.tool_calls}) == len(calls)


def refusal(code: Json, message: str = "No.", **more: Json) -> Json:
    return {"error": {"code": code, "message": message, **more}}


FAILURES: dict[str, tuple[Reply, type[AgentError]]] = {
    "DeepSeek: out of resources": (
        chat_text("On", finish="insufficient_system_resource"),
        Unavailable,
    ),
    "OpenRouter: finish reason error": (chat_text("On", finish="error"), Unavailable),
    "vLLM: aborted": (chat_text("On", finish="abort"), Unavailable),
    "OpenRouter: an error in a choice": (
        plain({"choices": [{"error": {"code": 502, "message": "Upstream."}, "message": {}}]}),
        Unavailable,
    ),
    "OpenRouter: no credit, inside a 200": (plain(refusal(402, "More credits.")), QuotaExhausted),
    "OpenRouter: too many, inside a stream": (sse(refusal(429, "Slow down.")), ResourceExhausted),
    "a bad request inside a 200": (plain(refusal(400)), InvalidArgument),
    "a code that is a text of digits": (sse(refusal("429")), ResourceExhausted),
    "an error that is a text": (status(400, {"error": "tools: bad"}), InvalidArgument),
    "an error in a list, Gemini's layer": (
        status(429, [refusal(429, "Quota.", status="RESOURCE_EXHAUSTED")]),
        ResourceExhausted,
    ),
    "vLLM: the error's fields themselves": (
        status(404, {"object": "error", "message": "The model x does not exist.", "code": 404}),
        FailedPrecondition,
    ),
    "vLLM: too long": (
        status(400, refusal(400, "This model's maximum context length is 32768 tokens.")),
        ContextExceeded,
    ),
    "llama.cpp: too long": (
        status(400, refusal(400, "too big", type="exceed_context_size_error")),
        ContextExceeded,
    ),
    "llama.cpp: too long, as a 500": (
        status(500, refusal(500, "the request exceeds the available context size")),
        ContextExceeded,
    ),
    "OpenAI: too long": (status(400, refusal("context_length_exceeded")), ContextExceeded),
    "DeepSeek: no balance": (status(402, refusal("x", "Insufficient Balance")), QuotaExhausted),
    "Groq: a request above the limit": (
        status(413, refusal("rate_limit_exceeded", "Request too large for model `x` on TPM")),
        QuotaExhausted,
    ),
    "a bad key": (status(401, refusal("invalid_api_key")), FailedPrecondition),
}


@for_every("name", FAILURES)
def test_a_failure_is_one_of_its_kind_and_names_the_server(local: FakeProviders, name: str) -> None:
    local.reset()
    reply, kind = FAILURES[name]
    local.openai(reply)
    with pytest.raises(AgentError) as caught:
        say()
    assert isinstance(caught.value, kind)
    assert "OpenAI" not in caught.value.message, "it is another server"


def test_a_moderations_refusal_blocks_and_is_no_bad_key(local: FakeProviders) -> None:
    local.openai(status(403, refusal(403, "Your chosen model requires moderation: flagged")))
    assert say().finish.reason is BLOCKED


def test_a_call_that_the_server_could_not_read_is_asked_for_again(local: FakeProviders) -> None:
    failed = refusal("tool_use_failed", "Failed to call a function.", failed_generation="<x>")
    local.openai(status(400, failed))
    assert say().finish.reason is MALFORMED


@for_every(
    ("words", "seconds"),
    [
        ("Please retry after 26 seconds.", 26.0),
        ("Please try again in 1m2.5s.", 62.5),
        ("Please try again in 250ms.", 0.25),
        ("Try again in 2 minutes", 120.0),
        ("Try again later.", None),
    ],
)
def test_the_wait_is_read_from_the_words(
    local: FakeProviders, words: str, seconds: float | None
) -> None:
    local.reset()
    local.openai(status(429, refusal("rate_limit_exceeded", words)))
    with pytest.raises(ResourceExhausted) as caught:
        say()
    assert caught.value.retry_after_s == seconds


@for_every(
    ("told", "usage"),
    [
        (
            {"prompt_tokens": 12, "completion_tokens": 8, "prompt_cache_hit_tokens": 4},
            Usage(12, 4, 8),
        ),
        ({"prompt_tokens": 12, "completion_tokens": 8, "cached_tokens": 4}, Usage(12, 4, 8)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 20}, Usage(12, 0, 8)),
        ({"prompt_tokens": 12, "completion_tokens": -1, "total_tokens": 5}, Usage(12, 0, 0)),
        (
            {"prompt_tokens": 2, "prompt_tokens_details": {"cached_tokens": 9}, "total_tokens": 2},
            Usage(2, 2, 0),
        ),
    ],
)
def test_tokens_are_counted_as_the_server_counts(told: Json, usage: Usage) -> None:
    assert usage_of(told) == usage


def test_reasoning_goes_back_in_the_turn_that_needs_it_and_not_later(local: FakeProviders) -> None:
    call = piece(OSLO, "get_weather", id="a", index=0)
    details = [
        {"type": "reasoning.text", "index": 0, "text": "Os", "signature": None},
        {"type": "reasoning.text", "index": 0, "text": "lo.", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "index": 1, "data": "ZW5j"},
    ]
    deepseek = chat({"reasoning_content": "Hm"}, {"reasoning_content": "."}, call)
    openrouter = chat(*({"reasoning": "x", "reasoning_details": [each]} for each in details), call)
    expected: list[Json] = [
        {"reasoning_content": "Hm."},
        {
            "reasoning_details": [
                {
                    "type": "reasoning.text",
                    "index": 0,
                    "text": "Oslo.",
                    "signature": "c2ln",
                },
                details[2],
            ]
        },
    ]
    for reply, reasoning in zip((deepseek, openrouter), expected, strict=True):
        local.reset()
        local.openai(reply, chat_text("Cold."), chat_text("Bye."))
        said = say()
        results = ToolMessage((ToolResult("a", "get_weather", "cold"),))
        say(HELLO, said.message, results)
        say(HELLO, said.message, results, ModelMessage("Cold."), UserMessage.of("Thanks"))
        second, third = (request.json["messages"][2] for request in local.requests[1:])
        keys = {key: value for key, value in second.items() if key.startswith("reasoning")}
        assert keys == reasoning
        assert not any(key.startswith("reasoning") for key in third)


@for_every(
    "refused",
    [
        status(400, {"error": {"message": "registry.ollama.ai/library/x does not support tools"}}),
        status(404, refusal(404, "No endpoints found that support tool use.")),
        status(500, refusal(500, "tools param requires --jinja flag")),
        status(400, refusal(400, '"auto" tool choice requires --enable-auto-tool-choice')),
    ],
)
def test_a_server_that_cannot_call_tools_is_given_them_by_words(
    local: FakeProviders,
    refused: Reply,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    local.reset()
    caplog.clear()
    monkeypatch.setattr(openai, "_WITHOUT_TOOLS", set())
    words = f'<tool_call>{{"name": "get_weather", "arguments": {OSLO}}}</tool_call>'
    local.openai(refused, chat_text(words), chat_text(words))
    for _ in range(2):
        said = say()
        assert [call.arguments for call in said.message.tool_calls] == [json.loads(OSLO)]
    assert ["tools" in request.json for request in local.requests] == [True, False, False]
    told = [r for r in caplog.records if "given its tools by words" in r.getMessage()]
    assert len(told) == 1


AZURE = "https://mine.openai.azure.com/openai/deployments/gpt?api-version=2026-10-01"


def test_azure_has_its_own_address_header_and_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", AZURE)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_API", raising=False)
    server: Any = openai._server()
    assert (server.api, server.headers, server.is_azure) == ("chat", {"api-key": "k"}, True)
    assert server.url("/chat/completions") == AZURE.replace("?", "/chat/completions?")
    seen: list[bytes] = []

    def post(url: str, body: bytes, headers: Json, clock: Any) -> Any:
        seen.append(body)
        raise Unavailable("not today")

    monkeypatch.setattr(openai, "post", post)
    with pytest.raises(Unavailable):
        say(model="gpt")
    sent = json.loads(seen[0])
    assert sent["max_completion_tokens"] == 4096
    assert not {"max_tokens", "store"} & sent.keys()
