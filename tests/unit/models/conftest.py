"""Fixtures of the adapters' tests."""

from collections.abc import Iterator

import pytest

from tests.support.fake_providers import FakeProviders


@pytest.fixture(scope="module")
def server() -> Iterator[FakeProviders]:
    with FakeProviders() as server:
        yield server


@pytest.fixture
def fake(server: FakeProviders) -> FakeProviders:
    """A server that stands in for Gemini and for OpenAI's Responses API."""
    server.reset()
    return server


@pytest.fixture
def local(fake: FakeProviders, monkeypatch: pytest.MonkeyPatch) -> FakeProviders:
    """A server such as Ollama's, spoken to through Chat Completions."""
    monkeypatch.setenv("OPENAI_API", "chat")
    return fake
