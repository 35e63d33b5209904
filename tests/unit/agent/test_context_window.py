"""Requests fit the context window of their model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rollcall.agent.budget import Budget
from rollcall.agent.history import SHORTENED, fit_messages
from rollcall.agent.model_calls import fit_window, stream_reply
from rollcall.agent.paid_calls import request_tokens
from rollcall.agent.reply import Reply
from rollcall.core.messages import (
    Message,
    ModelMessage,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from rollcall.core.text import RESERVE_FACTOR
from rollcall.models import openai
from rollcall.models.base import (
    ContextExceeded,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    context_window,
)
from rollcall.models.provider import known_window
from tests.support.fake_providers import FakeProviders
from tests.support.for_every import for_every

PAGE = "The breaker of this circuit is sized at 125 percent of the continuous load. " * 200
WINDOW = 32_768


class SmallModel:
    """A local model that refuses what its window cannot hold."""

    id = "small:m"

    def __init__(self, window: int = WINDOW) -> None:
        self.window = window
        self.refused = 0
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        if request_tokens(request) / RESERVE_FACTOR + request.max_output_tokens > self.window:
            self.refused += 1
            raise ContextExceeded("the request is longer than the window")
        self.requests.append(request)
        yield TextDelta("ok")
        yield Finish(FinishReason.STOP)


def tokens_of(messages: Sequence[Message]) -> int:
    return sum(message.tokens for message in messages)


def turn(steps: int, page: str = PAGE) -> tuple[Message, ...]:
    """An earlier exchange, and a turn of so many steps, each with a page as its result."""
    made: list[Message] = [UserMessage.of(page[:4000]), ModelMessage("Yes.")]
    made.append(UserMessage.of("Read all pages."))
    for n in range(steps):
        made.append(ModelMessage("", (ToolCall(f"c{n}", "read_page", {"page": n}, "{}"),)))
        made.append(ToolMessage((ToolResult(f"c{n}", "read_page", f"{n}: {page}"),)))
    return tuple(made)


def ask(model: SmallModel, messages: tuple[Message, ...]) -> Reply:
    calls = stream_reply(
        [model],
        ModelRequest("Be brief.", messages),
        message_id="m",
        budget=Budget(),
        is_stopped=lambda: False,
    )
    while True:
        try:
            next(calls)
        except StopIteration as end:
            reply: Reply = end.value
            return reply


@pytest.mark.parametrize("steps", [1, 4, 8, 40])
def test_a_turn_of_a_model_whose_window_is_known_never_fills_it(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setenv("ROLLCALL_CONTEXT_WINDOW", f"small:*:{WINDOW}")
    model = SmallModel()
    assert ask(model, turn(steps)).text == "ok"
    assert model.refused == 0
    sent = model.requests[0].messages
    asked = [m.text for m in sent if isinstance(m, UserMessage)]
    assert asked[-1] == "Read all pages.", "what was asked stays"
    calls = [call.id for m in sent if isinstance(m, ModelMessage) for call in m.tool_calls]
    results = [r.call_id for m in sent if isinstance(m, ToolMessage) for r in m.results]
    assert calls == results == [f"c{n}" for n in range(steps)]


def test_when_it_is_full_nonetheless_the_turn_is_compacted_once_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = SmallModel()
    assert ask(model, turn(10)).text == "ok"
    assert (model.refused, len(model.requests)) == (1, 1)
    assert "It is asked again with less" in caplog.text


def test_a_window_that_no_compaction_fits_is_the_answer() -> None:
    model = SmallModel(window=600)
    with pytest.raises(ContextExceeded):
        ask(model, turn(10))
    assert model.refused == 2, "it is tried once more, and not for ever"


def test_what_cannot_be_compacted_is_not_sent_twice() -> None:
    model = SmallModel(window=10)
    with pytest.raises(ContextExceeded):
        ask(model, (UserMessage.of("hello"),))
    assert model.refused == 1


def test_a_small_request_is_sent_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_CONTEXT_WINDOW", "1000000")
    model = SmallModel(window=10**9)
    for messages in (turn(0), turn(20)):
        ask(model, messages)
        assert model.requests[-1].messages == messages


def test_results_are_shortened_from_the_oldest_and_say_so() -> None:
    messages = turn(6)
    made = fit_messages(messages, tokens_of(messages) // 2)
    results = [m.results[0].content for m in made if isinstance(m, ToolMessage)]
    assert results[0].endswith(SHORTENED) and results[-1] == f"5: {PAGE}"
    assert tokens_of(made) <= tokens_of(messages) // 2


def test_the_reply_has_its_part_of_a_small_window() -> None:
    request = ModelRequest("", (UserMessage.of("hello"),), max_output_tokens=4096)
    assert fit_window(request, 4096).max_output_tokens == 1024
    assert fit_window(request, 200_000) == request


@for_every(
    ("env", "model", "window"),
    [
        ("32768", "openai:qwen3", 32768),
        ("openai:qwen3*:32768,openai:phi4:16384", "openai:qwen3:8b", 32768),
        ("openai:qwen3*:32768,openai:phi4:16384", "prompted:openai:phi4", 16384),
        ("openai:qwen3*:32768", "openai:phi4", None),
        ("", "openai:phi4", None),
    ],
)
def test_the_environment_says_a_models_window(env: str, model: str, window: int | None) -> None:
    settings = {"ROLLCALL_CONTEXT_WINDOW": env, "OPENAI_BASE_URL": "http://localhost:11434/v1"}
    assert known_window(model, settings) == window


@for_every("model", ["gemini:gemini-3.8-flash", "openai:gpt-5.5", "anthropic:claude-sonnet-5-5"])
def test_every_default_models_window_is_known(model: str) -> None:
    assert (known_window(model, {}) or 0) >= 200_000


@for_every(
    ("row", "window"),
    [
        ({"id": "qwen3", "max_model_len": 32768}, 32768),
        ({"id": "qwen3", "context_length": 40960}, 40960),
        ({"id": "qwen3", "context_window": 131072}, 131072),
        ({"id": "qwen3", "max_context_length": 32000}, 32000),
        ({"id": "qwen3"}, None),
        ({"id": "other", "max_model_len": 5}, None),
    ],
)
def test_a_servers_list_of_models_says_it(row: Any, window: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch, FakeProviders() as fake:
        fake.models = [row]
        openai._windows.cache_clear()
        openai._UNLISTED.clear()
        patch.delenv("ROLLCALL_CONTEXT_WINDOW", raising=False)
        assert context_window("openai:qwen3") == window
        assert context_window("openai:qwen3") == window
        assert [seen.path for seen in fake.requests] == ["/v1/models"], "it is asked once"
    openai._windows.cache_clear()
    openai._UNLISTED.clear()


def test_a_server_that_did_not_say_it_is_asked_again_some_minutes_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    openai._windows.cache_clear()
    openai._UNLISTED.clear()
    monkeypatch.delenv("ROLLCALL_CONTEXT_WINDOW", raising=False)
    with FakeProviders() as fake:
        assert context_window("openai:qwen3") is None
        fake.models = [{"id": "qwen3", "max_model_len": 32768}]
        assert context_window("openai:qwen3") is None
        assert fake.requests == [], "no turn waits for it again"
        now = openai.time.monotonic()
        monkeypatch.setattr(openai.time, "monotonic", lambda: now + openai.LIST_AGAIN_S + 1)
        assert context_window("openai:qwen3") == 32768
    openai._windows.cache_clear()
    openai._UNLISTED.clear()


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("openai:gpt-5.4-mini", 400_000),
        ("openai:gpt-5.4", 1_050_000),
        ("anthropic:claude-haiku-5-5", 1_000_000),
        ("anthropic:claude-haiku-4-5", 200_000),
    ],
)
def test_small_models_have_windows_of_their_own(
    monkeypatch: pytest.MonkeyPatch, model: str, window: int
) -> None:
    for name in ("ROLLCALL_CONTEXT_WINDOW", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert context_window(model) == window


def test_a_server_without_a_list_is_called_all_the_same() -> None:
    openai._windows.cache_clear()
    openai._UNLISTED.clear()
    with FakeProviders():
        assert context_window("openai:qwen3") is None
    assert context_window("nobody:x") is None
    assert context_window("offline:planner") is None
