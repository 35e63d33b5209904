"""HTTP requests, and the errors of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from rollcall_cli.wording import Message, error_text, say

JSON = {"Content-Type": "application/json"}
"""The headers for a body from `body_of`."""

_QUIET_S = 40.0  # the server breaks a silence with a comment line every 15 s
_CONNECT_S = 10.0


class CallError(Exception):
    """A call failed. `code` is Firebase's, such as "not-found"; `details` is for programs.

    Args:
        message: The server's message, or a text of this client; so is `hint` in `details`.
    """

    def __init__(self, code: str, message: str | Message, details: Any = None) -> None:
        super().__init__(str(message))
        self.code = code
        self.text = message
        self.details = details

    @property
    def message(self) -> str:
        """The message, in English if it is a text of this client."""
        return str(self.text)

    @property
    def hint(self) -> str:
        """Advice on what to do, if there is any."""
        return self.said(None)[1]

    def said(self, locale: str | None) -> tuple[str, str]:
        """The message and the hint in a language; a server's text stays in its own."""
        details = self.details if isinstance(self.details, dict) else {}
        return say(self.text, locale), say(details.get("hint") or "", locale)

    @property
    def incidents(self) -> list[dict[str, str]]:
        """Tracebacks that functions on emulators report for developers, as `{id, traceback}`."""
        details = self.details if isinstance(self.details, dict) else {}
        return list(details.get("incidents") or [])


class ConnectionLost(CallError):
    """The connection failed or broke: the outcome of the call is unknown."""


@contextmanager
def open_client(what: str | Message, url: str, *, is_local: bool) -> Iterator[httpx2.Client]:
    """Open an HTTP client for `url`; `what` names the service in errors.

    Args:
        is_local: Whether that is an emulator on this computer, for which no proxy is used.
    Raises:
        ConnectionLost: Instead of an error of the transport.
    """
    address = httpx2.URL(url).netloc.decode()
    details = {"hint": error_text("no_emulators")} if is_local else None
    limits = httpx2.Timeout(_QUIET_S, connect=_CONNECT_S)
    try:
        with httpx2.Client(timeout=limits, trust_env=not is_local) as client:
            yield client
    except httpx2.TimeoutException as timeout:
        silent = error_text("silent", what=what, address=address)
        raise ConnectionLost("deadline-exceeded", silent, details) from timeout
    except httpx2.HTTPError as why:
        unreachable = error_text("unreachable", what=what, address=address, why=why)
        raise ConnectionLost("unavailable", unreachable, details) from why


def body_of(data: Any) -> bytes:
    """Encode data as JSON for a request.

    Raises:
        CallError: A text in it is not valid Unicode.
    """
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as broken:
        part = ascii(broken.object[broken.start : broken.end])
        raise CallError("invalid-argument", error_text("not_sent", part=part)) from broken


def code_of(status: str) -> str:
    """Firebase's code for a status of Google APIs: "not-found" for "NOT_FOUND"."""
    return status.lower().replace("_", "-")
