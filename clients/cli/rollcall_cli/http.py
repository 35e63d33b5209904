"""HTTP, and how its failures are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from rollcall_cli.wording import Message, error_text, say

JSON = {"Content-Type": "application/json"}
"""Headers of what is sent as `body_of` makes it."""

_QUIET_S = 40.0  # the server breaks a silence with a comment line every 15 s
_CONNECT_S = 10.0


class CallError(Exception):
    """A call failed. `code` is Firebase's, such as "not-found"; `details` is for programs.

    Args:
        message: The server's words, or ours; so is `hint` of the details.
    """

    def __init__(self, code: str, message: str | Message, details: Any = None) -> None:
        super().__init__(str(message))
        self.code = code
        self.text = message
        self.details = details

    @property
    def message(self) -> str:
        """What went wrong, in English where the words are ours."""
        return str(self.text)

    @property
    def hint(self) -> str:
        """What to do about it, if that was said."""
        return self.said(None)[1]

    def said(self, locale: str | None) -> tuple[str, str]:
        """The message and the hint in a language; what the server said is in one already."""
        details = self.details if isinstance(self.details, dict) else {}
        return say(self.text, locale), say(details.get("hint") or "", locale)

    @property
    def incidents(self) -> list[dict[str, str]]:
        """The tracebacks that functions on emulators tell a developer, as `{id, traceback}`."""
        details = self.details if isinstance(self.details, dict) else {}
        return list(details.get("incidents") or [])


class Lost(CallError):
    """The connection broke off, or was never made: nobody knows what became of the call."""


@contextmanager
def reaching(what: str | Message, url: str, *, is_local: bool) -> Iterator[httpx2.Client]:
    """A client for requests to `what` at `url`, which tells what goes wrong on the way and back.

    Args:
        is_local: Whether that is an emulator on this computer: no proxy is asked then.
    Raises:
        Lost: Instead of an error of the transport.
    """
    address = httpx2.URL(url).netloc.decode()
    details = {"hint": error_text("no_emulators")} if is_local else None
    limits = httpx2.Timeout(_QUIET_S, connect=_CONNECT_S)
    try:
        with httpx2.Client(timeout=limits, trust_env=not is_local) as client:
            yield client
    except httpx2.TimeoutException as timeout:
        silent = error_text("silent", what=what, address=address)
        raise Lost("deadline-exceeded", silent, details) from timeout
    except httpx2.HTTPError as why:
        unreachable = error_text("unreachable", what=what, address=address, why=why)
        raise Lost("unavailable", unreachable, details) from why


def body_of(data: Any) -> bytes:
    """JSON to send.

    Raises:
        CallError: A text in it came from bytes that are no UTF-8.
    """
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as broken:
        part = ascii(broken.object[broken.start : broken.end])
        raise CallError("invalid-argument", error_text("not_sent", part=part)) from broken


def code_of(status: str) -> str:
    """Firebase's code of a status of Google's: "not-found" of "NOT_FOUND"."""
    return status.lower().replace("_", "-")
