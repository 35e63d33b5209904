"""HTTP, and how its failures are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

_QUIET_S = 40.0  # the server breaks a silence with a comment line every 15 s
_CONNECT_S = 10.0


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


class Lost(CallError):
    """The connection broke off, or was never made: nobody knows what became of the call."""


def client(*, is_local: bool) -> httpx2.Client:
    """A client; emulators are on this computer, so no proxy of the environment's is asked."""
    timeout = httpx2.Timeout(_QUIET_S, connect=_CONNECT_S)
    return httpx2.Client(timeout=timeout, trust_env=not is_local)


@contextmanager
def reaching(what: str) -> Iterator[None]:
    """Tell what goes wrong on the way to `what` and back.

    Raises:
        Lost: Instead of an error of the transport.
    """
    try:
        yield
    except httpx2.TimeoutException as error:
        raise Lost("deadline-exceeded", f"{what} was silent for too long") from error
    except httpx2.HTTPError as error:
        raise Lost("unavailable", f"{what} cannot be reached: {error}") from error


def code_of(status: str) -> str:
    """Firebase's code of a status of Google's: "not-found" of "NOT_FOUND"."""
    return status.lower().replace("_", "-")
