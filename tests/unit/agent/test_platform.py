"""Which model a deployment's environment stands for, and that it is at hand when it is called."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest

from rollcall.agent.platform import connect_soon, default_embedder, default_model
from rollcall.core.errors import FailedPrecondition
from rollcall.models import gemini, openai
from rollcall.models.base import load_model


@pytest.mark.parametrize(
    ("env", "model", "embedder"),
    [
        ({}, "offline:planner", None),
        ({"GEMINI_API_KEY": "k"}, "gemini:gemini-3.8-flash", "gemini:gemini-embedding-2"),
        ({"OPENAI_API_KEY": "k"}, "openai:gpt-5.5", "openai:text-embedding-3-small"),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "openai:gpt-5.5", None),
        ({"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}, "openai:m", "openai:text-embedding-3-small"),
        (
            {"GEMINI_API_KEY": "k", "ROLLCALL_MODEL": "offline:planner"},
            "offline:planner",
            "gemini:gemini-embedding-2",
        ),
    ],
)
def test_the_environment_names_model_and_embedder(
    env: dict[str, str], model: str, embedder: str | None
) -> None:
    assert (default_model(env), default_embedder(env)) == (model, embedder)


@pytest.mark.parametrize("name", ["", "nobody:x", "base:x", "../x:y", "offline.x:y"])
def test_a_provider_that_does_not_exist_is_said_to_be_missing(name: str) -> None:
    with pytest.raises(FailedPrecondition):
        load_model(name)


def connected() -> None:
    """Wait for what `connect_soon` began."""
    for thread in threading.enumerate():
        if thread.name == "model client":
            thread.join(30)


@pytest.fixture
def first_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that had no run yet, and no key but a test's."""
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_API"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROLLCALL_MODEL", "offline:planner")
    connect_soon.cache_clear()
    yield
    connect_soon.cache_clear()


@pytest.mark.usefixtures("first_run")
@pytest.mark.parametrize(("provider", "key"), [("gemini", "GEMINI"), ("openai", "OPENAI")])
def test_the_models_client_is_made_once_beside_the_first_run(
    monkeypatch: pytest.MonkeyPatch, provider: str, key: str
) -> None:
    asked_for: list[str] = []
    module = {"gemini": gemini, "openai": openai}[provider]
    monkeypatch.setattr(module, "_client", lambda key, base_url: asked_for.append(key))
    monkeypatch.setenv("ROLLCALL_MODEL", f"{provider}:some")
    monkeypatch.setenv(f"{key}_API_KEY", "k1")
    for _ in range(2):
        connect_soon()
    connected()
    assert asked_for == ["k1"]


@pytest.mark.usefixtures("first_run")
@pytest.mark.parametrize("model", ["offline:planner", "nobody:x", "gemini:some", "openai:some"])
def test_a_model_without_a_client_or_a_key_stops_no_run_before_it_is_called(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, model: str
) -> None:
    monkeypatch.setenv("ROLLCALL_MODEL", model)
    with caplog.at_level(logging.INFO, logger="rollcall"):
        connect_soon()
        connected()
    needs_a_key = model.startswith(("gemini", "openai"))
    assert ("no key for" in caplog.text) == needs_a_key
