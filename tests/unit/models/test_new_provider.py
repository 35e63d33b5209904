"""A provider is a module and a descriptor, and nothing else: one that Rollcall does not know is
added, and everything that knows providers knows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import rollcall.models
from rollcall.agent import prices
from rollcall.commands.doctor.configuration import Settings, check_models
from rollcall.core.errors import AgentError, FailedPrecondition, ResourceExhausted, Unavailable
from rollcall.core.messages import UserMessage
from rollcall.models.base import ContextExceeded, FinishReason, ModelRequest, load_model
from rollcall.models.provider import (
    default_embedder,
    default_model,
    find_provider,
    known_window,
    media_types,
    providers,
)
from tests.support.fake_providers import WholeReply, gather
from tests.support.for_every import for_every
from tests.support.https_server import Handler, HttpsServer

ACME = Path(__file__).parents[2] / "support" / "acme"
KEY = "acme-key-0123456789"
TODAY = date(2026, 11, 26)


@pytest.fixture(autouse=True)
def acme(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The two files are in a folder of providers."""

    def forget() -> None:
        find_provider.cache_clear()
        providers.cache_clear()
        prices.shipped.cache_clear()
        sys.modules.pop("rollcall.models.acme", None)

    monkeypatch.setattr(rollcall.models, "__path__", [*rollcall.models.__path__, str(ACME)])
    monkeypatch.setenv("ACME_API_KEY", KEY)
    forget()
    yield
    forget()


def say(answer: Any, monkeypatch: pytest.MonkeyPatch) -> WholeReply:
    """What the model says at a server that answers so."""
    server = HttpsServer(None, "127.0.0.1", answer)
    monkeypatch.setenv("ACME_BASE_URL", f"http://127.0.0.1:{server.port}")
    try:
        request = ModelRequest("", (UserMessage.of("hello"),))
        return gather(load_model("acme:parrot-2").stream(request), "acme")
    finally:
        server.close()


def test_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(handler: Handler) -> None:
        assert handler.headers["x-acme-key"] == KEY
        handler.reply(200, b'data: {"said": "hel"}\n\ndata: {"said": "lo"}\n\n')

    assert say(answer, monkeypatch).message.text == "hello"


@for_every(
    ("status", "body", "kind"),
    [
        (400, b'{"error": {"code": "E_TIRED"}}', ResourceExhausted),
        (400, b'{"error": {"code": "E_LONG"}}', ContextExceeded),
        (401, b"", FailedPrecondition),
        (429, b"<html>", ResourceExhausted),
        (500, b"[]", Unavailable),
        (302, b"", Unavailable),
    ],
)
def test_each_of_its_failures_has_its_error(
    status: int, body: bytes, kind: type[AgentError]
) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(kind) as caught:
        say(lambda handler: handler.reply(status, body), patch)
    assert "the model's server" in caught.value.message, "which is at an address of one's own"


def test_what_it_blocks_is_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'{"error": {"code": "E_RUDE"}}'
    said = say(lambda handler: handler.reply(400, body), monkeypatch)
    assert (said.finish.reason, said.finish.detail) == (FinishReason.BLOCKED, "E_RUDE")


def test_everything_that_knows_providers_knows_it() -> None:
    assert "acme" in {each.id for each in providers()}
    assert known_window("acme:parrot-2") == 9000
    assert media_types("prompted:acme:parrot-2") == {"image/png"}
    env = {"ACME_API_KEY": KEY}
    assert (default_model(env), default_embedder(env)) == ("acme:parrot-2", None)
    price = prices.find_price("acme:parrot-2", on=date(2026, 11, 22))
    assert price is not None and price.output == 2.0


def test_the_doctor_asks_for_its_key() -> None:
    settings = Settings({"ROLLCALL_MODEL": "acme:parrot-2"}, (), "functions/.env")
    told = [finding.text for finding in check_models(settings, [], [], today=TODAY)]
    assert any("ACME_API_KEY" in each for each in told)
    keyed = Settings({"ROLLCALL_MODEL": "acme:parrot-2"}, ("ACME_API_KEY",), "functions/.env")
    assert [finding.level for finding in check_models(keyed, [], [], today=TODAY)] == ["ok", "ok"]
