"""A client for callable functions, with the protocol of Firebase's SDKs.

functions = Functions(deployment.functions_url, token=user.token)
functions.call("list_capabilities", {})
result = yield from functions.stream("run_agent", {"agent": "messaging", "message": "Hi"})
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2

from rollcall_cli import http
from rollcall_cli.http import CallError, ConnectionLost
from rollcall_cli.wording import error_text

MAX_BYTES = 64_000_000
"""The largest event or answer, so that a broken server cannot exhaust the memory."""

_DATA = b"data: "


class Functions:
    """Callable functions under one address, called with a user's ID token.

    Args:
        url: Where the functions are; ends in a slash.
        token: Returns the ID token for a call; None calls without authentication.
        is_local: Whether they run on this computer, so that no proxy is used.
        prefix: The deployment's ROLLCALL_PREFIX, where only Rollcall's own functions are called.

    Attributes:
        incidents: Failures behind the last result, as `{id, traceback}`. Functions on emulators
            report them for developers.
    """

    incidents: Sequence[dict[str, str]] = ()

    def __init__(
        self,
        url: str,
        *,
        token: Callable[[], str] | None = None,
        is_local: bool = True,
        prefix: str = "",
    ) -> None:
        self._url = f"{url}{prefix}_" if prefix else url
        self._token = token
        self._is_local = is_local

    def call(self, name: str, data: Any) -> Any:
        """Call a function and return its result.

        Raises:
            CallError: It was refused, it failed, or (`Lost`) it could not be reached.
        """
        with self._request(name, data) as reply:
            return self._result(_answer(reply))

    def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
        """Call a function, yield its chunks as they arrive, and return its result.

        Raises:
            CallError: As for `call`, also in the middle of the stream.
        """
        with self._request(name, data, accept="text/event-stream") as reply:
            if not reply.headers.get("Content-Type", "").startswith("text/event-stream"):
                return self._result(_answer(reply))
            for frame in _frames(reply.iter_bytes()):
                if "message" in frame:
                    yield frame["message"]
                else:
                    return self._result(frame)
        raise ConnectionLost("unavailable", error_text("broken_off", name=name))

    def _result(self, frame: dict[str, Any]) -> Any:
        self.incidents = []
        if "error" in frame:
            refusal = frame["error"]
            code = http.code_of(str(refusal.get("status", "INTERNAL")))
            raise CallError(code, str(refusal.get("message", "")), refusal.get("details"))
        self.incidents = frame.get("incidents") or []
        return frame.get("result")

    @contextmanager
    def _request(self, name: str, data: Any, *, accept: str = "*/*") -> Iterator[httpx2.Response]:
        headers = {**http.JSON, "Accept": accept}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token()}"
        url, body = self._url + name, http.body_of({"data": data})
        with (
            http.open_client(name, url, is_local=self._is_local) as client,
            client.stream("POST", url, content=body, headers=headers) as reply,
        ):
            yield reply


def _answer(reply: httpx2.Response) -> dict[str, Any]:
    """The JSON of a response that is no stream.

    Raises:
        CallError: It is no JSON, or there is no function at this address.
    """
    text = _read_all(reply.iter_bytes())
    if reply.status_code == 404 and not text.lstrip().startswith(b"{"):
        hint = error_text("no_function.hint")
        raise CallError("not-found", error_text("no_function", url=reply.url), {"hint": hint})
    return _parse(text, reply.status_code)


def _read_all(chunks: Iterator[bytes]) -> bytes:
    read = bytearray()
    for chunk in chunks:
        read += chunk
        _check_size(len(read))
    return bytes(read)


def _check_size(size: int) -> None:
    """
    Raises:
        CallError: It is more than `MAX_BYTES`.
    """
    if size > MAX_BYTES:
        raise CallError("internal", error_text("long_answer", most=f"{MAX_BYTES:,}"))


def _frames(chunks: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The JSON of each `data:` line; other lines are comments.

    Only a line feed ends a line here: JSON text may hold other characters that
    Python counts as line ends too.
    """
    line_parts: list[bytes] = []  # of the incomplete last line
    size = 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        line_parts.append(first)
        size = len(others[-1]) if others else size + len(first)
        _check_size(size)
        for line in others:
            whole = b"".join(line_parts)
            line_parts = [line]
            if whole.startswith(_DATA):
                yield _parse(whole[len(_DATA) :], status=200)


def _parse(text: bytes, status: int) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    shown = text.decode(errors="replace").strip()[:200]
    if status >= 500:  # of a proxy or a load balancer, not of the function
        raise ConnectionLost("unavailable", error_text("no_answer", status=status, answer=shown))
    raise CallError("internal", error_text("other_answer", answer=shown))
