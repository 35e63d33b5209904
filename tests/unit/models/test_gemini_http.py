"""What the SDK keeps of a call whose answer was taken out of its hands."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any
from weakref import ref

import httpx2
import pytest

from rollcall.core.messages import UserMessage
from rollcall.models import gemini
from rollcall.models._bounded_http import BoundedClient
from rollcall.models.base import ModelRequest
from tests.support.fake_providers import FakeProviders, gather
from tests.support.provider_replies import gemini_text
from tests.support.whole_replies import in_one_piece


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[ref[httpx2.Request]]:
    """All that is sent, for as long as somebody keeps it."""
    found: list[ref[httpx2.Request]] = []
    send = BoundedClient.send

    def noting(self: BoundedClient, request: httpx2.Request, **options: Any) -> httpx2.Response:
        found.append(ref(request))
        return send(self, request, **options)

    monkeypatch.setattr(BoundedClient, "send", noting)
    return found


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Cycles of references stay."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("streamed", [True, False])
def test_a_request_goes_with_its_reply_and_not_when_garbage_is_collected(
    fake: FakeProviders, requests: list[ref[httpx2.Request]], streamed: bool
) -> None:
    reply = gemini_text("Hello!")
    fake.gemini(reply if streamed else in_one_piece(reply))
    asked = ModelRequest("", (UserMessage.of("hello"),), streamed=streamed)
    assert gather(gemini.Model("g").stream(asked), "gemini").message.text == "Hello!"
    assert [request() for request in requests] == [None], "its files may be megabytes"
