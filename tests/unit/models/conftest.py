"""Fixtures of the adapters' tests."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import httpx2
import pytest

from rollcall.models._bounded_http import BoundedClient
from tests.support.fake_providers import FakeProviders


@pytest.fixture(scope="session", autouse=True)
def closed_clients() -> Iterator[None]:
    """The adapters keep a client for each server; here servers come and go, so close them."""
    opened: list[BoundedClient] = []

    def noting(self: BoundedClient, *args: Any, **options: Any) -> None:
        httpx2.Client.__init__(self, *args, **options)
        opened.append(self)

    with mock.patch.object(BoundedClient, "__init__", noting):
        yield
    for client in opened:
        client.close()


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
