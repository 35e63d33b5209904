"""The model that a deployment's environment names."""

from __future__ import annotations

import pytest

from rollcall.agent.platform import preload
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import load_model
from rollcall.models.provider import default_embedder, default_model


@pytest.mark.parametrize(
    ("env", "model", "embedder"),
    [
        ({}, "offline:planner", None),
        ({"GEMINI_API_KEY": "k"}, "gemini:gemini-3.8-flash", "gemini:gemini-embedding-2"),
        ({"OPENAI_API_KEY": "k"}, "openai:gpt-6.1-terra", "openai:text-embedding-3-small"),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "openai:gpt-6.1-terra", None),
        ({"OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}, "offline:planner", None),
        ({"GEMINI_BACKEND": "vertex"}, "gemini:gemini-3.8-flash", "gemini:gemini-embedding-2"),
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic:claude-sonnet-5-5", None),
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


def test_without_its_extra_a_provider_with_a_key_embeds_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = {"GEMINI_API_KEY": "k", "OPENAI_API_KEY": "k"}
    monkeypatch.setattr("rollcall.models.provider.is_installed", lambda package: False)
    assert default_embedder(keys) is None
    monkeypatch.setattr(
        "rollcall.models.provider.is_installed", lambda package: package == "openai"
    )
    assert default_embedder(keys) == "openai:text-embedding-3-small"


@pytest.mark.parametrize("name", ["", "nobody:x", "base:x", "../x:y", "offline.x:y"])
def test_a_provider_that_does_not_exist_is_said_to_be_missing(name: str) -> None:
    with pytest.raises(FailedPrecondition):
        load_model(name)


@pytest.mark.parametrize("model", ["offline:planner", "nobody:x", "gemini:some", "openai:some"])
def test_a_model_that_cannot_be_called_stops_no_instance_from_starting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, model: str
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_API"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROLLCALL_MODEL", model)
    preload()
    assert ("no model provider 'nobody'" in caplog.text) == model.startswith("nobody")
