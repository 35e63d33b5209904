"""Gemini's answers as they come, out of calls that the SDK makes.

google-genai writes a request's address and headers and raises its errors, all of which is wanted
here. It also makes typed objects of every chunk of an answer, which costs more than all else that
a call does, and drops what it does not know. No call of it gives the bytes of a stream; but it
takes the HTTP client that it is to use, and this one keeps a good answer for who asked: the SDK
sees none, and its call ends there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import httpx2

from rollcall.models._bounded_http import BoundedClient

_KEPT: ContextVar[list[httpx2.Response] | None] = ContextVar("kept", default=None)


class _Kept(BaseException):
    """The answer is kept, and nothing is left for the SDK to do."""


def kept_answer(call: Callable[[], Any]) -> httpx2.Response:
    """The good answer, yet unread, to the one request that `call` makes with a `KeepingClient`.

    Raises:
        Exception: Whatever the SDK raises for any other answer, or for none.
    """
    kept: list[httpx2.Response] = []
    token = _KEPT.set(kept)
    try:
        call()
    except _Kept as end:
        end.__traceback__ = None  # the SDK's retrying keeps `end`, and so would keep the request
    finally:
        _KEPT.reset(token)
    return kept[0]


class KeepingClient(BoundedClient):
    """A client that keeps good answers for who asks by `kept_answer`; otherwise like any other."""

    def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """Send a request."""
        kept = _KEPT.get()
        if kept is None:
            return super().send(request, stream=stream, **options)
        response = super().send(request, stream=True, **options)
        if response.status_code != 200:
            return response  # the SDK reads it, and raises
        kept.append(response)
        raise _Kept
