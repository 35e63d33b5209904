"""HTTP, and how its failures are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

JSON = {"Content-Type": "application/json"}
"""Headers of what is sent as `body_of` makes it."""

_QUIET_S = 40.0  # the server breaks a silence with a comment line every 15 s
_CONNECT_S = 10.0
_NO_EMULATORS = (
    "Do the emulators run? `python -m rollcall dev` (in Rollcall's repository `make emulators`) "
    "starts them; with a PORT_OFFSET, give it here as well."
)


class CallError(Exception):
    """A call failed. `code` is Firebase's, such as "not-found"; `details` is for programs."""

    def __init__(self, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    @property
    def hint(self) -> str:
        """What to do about it, if the server said."""
        details = self.details if isinstance(self.details, dict) else {}
        return str(details.get("hint") or "")

    @property
    def incidents(self) -> list[dict[str, str]]:
        """The tracebacks that functions on emulators tell a developer, as `{id, traceback}`."""
        details = self.details if isinstance(self.details, dict) else {}
        return list(details.get("incidents") or [])


class Lost(CallError):
    """The connection broke off, or was never made: nobody knows what became of the call."""


@contextmanager
def reaching(what: str, url: str, *, is_local: bool) -> Iterator[httpx2.Client]:
    """A client for requests to `what` at `url`, which tells what goes wrong on the way and back.

    Args:
        is_local: Whether that is an emulator on this computer: no proxy is asked then.
    Raises:
        Lost: Instead of an error of the transport.
    """
    at = f"{what} at {httpx2.URL(url).netloc.decode()}"
    details = {"hint": _NO_EMULATORS} if is_local else None
    timeout = httpx2.Timeout(_QUIET_S, connect=_CONNECT_S)
    try:
        with httpx2.Client(timeout=timeout, trust_env=not is_local) as client:
            yield client
    except httpx2.TimeoutException as error:
        raise Lost("deadline-exceeded", f"{at} was silent for too long", details) from error
    except httpx2.HTTPError as error:
        raise Lost("unavailable", f"{at} cannot be reached: {error}", details) from error


def body_of(data: Any) -> bytes:
    """JSON to send.

    Raises:
        CallError: A text in it came from bytes that are no UTF-8.
    """
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        broken = ascii(error.object[error.start : error.end])
        raise CallError(
            "invalid-argument", f"only text in UTF-8 can be sent, and {broken} is none"
        ) from error


def code_of(status: str) -> str:
    """Firebase's code of a status of Google's: "not-found" of "NOT_FOUND"."""
    return status.lower().replace("_", "-")
