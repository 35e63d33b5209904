"""A small client of Firebase: signing in by e-mail, and calling functions as its SDKs do.

user = sign_in(auth_host, email=..., password=...)
functions = Functions(functions_url, token=user.token)
functions.call("list_capabilities", {})
result = yield from functions.stream("run_agent", {"agent": "messaging", "message": "Hi"})
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

_QUIET_S = 60.0  # the server breaks a silence with a comment line every 15 s
_CONNECT_S = 10.0
_TOKEN_LIVES_S = 50 * 60  # an hour, less a good margin
_DATA = b"data: "
_ANY_KEY = "demo"  # the Auth emulator asks for an API key and takes any


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


class User:
    """Somebody who signed in at the Auth emulator, and does so again before a token expires."""

    uid: str

    def __init__(self, auth_host: str, *, email: str, password: str) -> None:
        self._url = (
            f"http://{auth_host}/identitytoolkit.googleapis.com/v1/"
            f"accounts:signInWithPassword?key={_ANY_KEY}"
        )
        self._data = {"email": email, "password": password, "returnSecureToken": True}
        self._token = ""
        self._expires_at = 0.0

    def token(self) -> str:
        """An ID token that is still good for some minutes."""
        if time.monotonic() >= self._expires_at:
            self._token = self._sign_in()
            self._expires_at = time.monotonic() + _TOKEN_LIVES_S
        return self._token

    def _sign_in(self) -> str:
        with _reaching("the Auth emulator"), _client() as client:
            response = client.post(self._url, json=self._data)
            body = response.json()
        if "error" in body:
            raise CallError("unauthenticated", f"signing in failed: {body['error']['message']}")
        self.uid = body["localId"]
        return str(body["idToken"])


def sign_in(auth_host: str, *, email: str, password: str) -> User:
    """Sign in with an e-mail address and a password.

    Raises:
        CallError: There is no such user, or the emulator does not answer.
    """
    user = User(auth_host, email=email, password=password)
    user.token()
    return user


class Functions:
    """Callable functions under one address, called with a user's ID token.

    Args:
        url: Where the functions are; ends in a slash.
        token: Gives the ID token of each call; None calls as nobody.
    """

    def __init__(self, url: str, *, token: Callable[[], str] | None = None) -> None:
        self._url = url
        self._token = token

    def call(self, name: str, data: Any) -> Any:
        """Call a function and return its result.

        Raises:
            CallError: It was refused, it failed, or it could not be reached.
        """
        with _reaching(name), _client() as client:
            response = client.post(self._url + name, json={"data": data}, headers=self._headers())
        return _result(_parse(response.content))

    def stream(self, name: str, data: Any) -> Generator[Any, None, Any]:
        """Call a function, yield its chunks as they arrive, and return its result.

        Raises:
            CallError: As for `call`, also in the middle of the stream.
        """
        headers = {**self._headers(), "Accept": "text/event-stream"}
        with (
            _reaching(name),
            _client() as client,
            client.stream("POST", self._url + name, json={"data": data}, headers=headers) as reply,
        ):
            if not reply.headers.get("Content-Type", "").startswith("text/event-stream"):
                return _result(_parse(reply.read()))
            for frame in _frames(reply.iter_bytes()):
                if "message" in frame:
                    yield frame["message"]
                else:
                    return _result(frame)
        raise CallError("unavailable", f"the stream of {name} broke off before its end")

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token()}"} if self._token else {}


def _client() -> httpx2.Client:
    # Emulators are on this computer, so no proxy of the environment's is asked.
    return httpx2.Client(timeout=httpx2.Timeout(_QUIET_S, connect=_CONNECT_S), trust_env=False)


@contextmanager
def _reaching(what: str) -> Iterator[None]:
    try:
        yield
    except httpx2.TimeoutException as error:
        raise CallError("deadline-exceeded", f"{what} was silent for too long") from error
    except httpx2.HTTPError as error:
        raise CallError("unavailable", f"{what} cannot be reached: {error}") from error


def _frames(chunks: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The JSON of each `data:` line; other lines are comments.

    Only a line feed ends a line here: JSON text may hold other characters that
    Python counts as line ends too.
    """
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(_DATA):
                yield _parse(line[len(_DATA) :])


def _parse(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        shown = text.decode(errors="replace").strip()[:200]
        raise CallError("internal", f"this is not a callable function's answer: {shown}")
    return value


def _result(frame: dict[str, Any]) -> Any:
    if "error" in frame:
        error = frame["error"]
        code = str(error.get("status", "INTERNAL")).lower().replace("_", "-")
        raise CallError(code, str(error.get("message", "")), error.get("details"))
    return frame.get("result")
