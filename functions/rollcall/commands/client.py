"""Signs users in and calls functions, plain and streaming, as Firebase's SDKs do.

backend = emulated(Configuration(app.root))
session = sign_in_developer(backend, "developer")
result = backend.stream("run_agent", {"message": "Hi"}, print, session.token)
"""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from msgspec import Struct, field

from rollcall.core.definition import close
from rollcall.core.errors import Problem
from rollcall.emulators.addresses import Addresses, Configuration
from rollcall.emulators.suite import get_json, read_functions

_QUIET_S = 60.0
"""How long a connection may be silent; functions break a silence after 15 s."""
_DATA = b"data: "
_OWNER = {"Authorization": "Bearer owner"}
"""By which the Auth emulator lets anything be done."""


class CallError(Problem):
    """A call failed. A developer is told its code, message and hint, and the tracebacks that
    functions on emulators send along.

    Attributes:
        code: Firebase's, such as "not-found".
    """

    def __init__(self, code: str, message: str, details: Any = None) -> None:
        self.code = code
        self.message = message
        told = details if isinstance(details, dict) else {}
        hint = str(told.get("hint") or "")
        super().__init__("\n".join(filter(None, [f"{code}: {message}", hint, *tracebacks(told)])))


def tracebacks(frame: Mapping[str, Any]) -> list[str]:
    """Return the tracebacks in a reply or in an error's details, which functions on emulators
    send."""
    return [str(each.get("traceback", "")).rstrip() for each in frame.get("incidents") or ()]


class Session(Struct, frozen=True):
    """A signed-in user."""

    uid: str
    token: str


class Backend(Struct, frozen=True):
    """A project's sign-in service, functions and documents, as a client reaches them.

    Attributes:
        identity: The URL of Identity Toolkit, up to its version: "https://…/v1".
        firestore: That of Firestore's REST interface, the same way.
        url_of: The URL of a function, by its name; raises Problem where there is none.
        on_incident: Is told each traceback that comes beside a result.
    """

    project: str
    identity: str
    firestore: str
    api_key: str
    url_of: Callable[[str], str]
    is_local: bool
    on_incident: Callable[[str], None] = field(default=lambda text: None)

    def call(self, name: str, data: Any, token: str | None = None) -> Any:
        """Call a function and return its result.

        Raises:
            CallError: It was refused, it failed, or could not be reached.
        """
        with closing(self._open(name, data, token, accept="application/json")) as reply:
            return self._result(_parse(_read(reply), reply.status))

    def stream(
        self, name: str, data: Any, on_chunk: Callable[[Any], None], token: str | None = None
    ) -> Any:
        """Call a function, pass on its chunks as they arrive, and return its result.

        Raises:
            CallError: As for `call`, also in the middle of the stream.
        """
        with closing(self._open(name, data, token, accept="text/event-stream")) as reply:
            if "text/event-stream" not in (reply.headers.get("Content-Type") or ""):
                return self._result(_parse(_read(reply), reply.status))
            for line in _lines(reply):
                if not line.startswith(_DATA):
                    continue
                frame = _parse(line[len(_DATA) :], reply.status)
                if "message" not in frame:
                    return self._result(frame)
                on_chunk(frame["message"])
        raise CallError("unavailable", f"the stream of {name} broke off before its end")

    def sign(self, method: str, data: dict[str, Any], *, owner: bool = False) -> dict[str, Any]:
        """Ask the sign-in service, as `accounts:<method>` of its REST interface.

        Raises:
            CallError: It refused, or could not be reached.
        """
        url = f"{self.identity}/accounts:{method}?key={quote(self.api_key)}"
        with closing(self._request("POST", url, data, _OWNER if owner else {})) as reply:
            body = _parse(_read(reply), reply.status)
        if "error" in body:
            message = str(body["error"].get("message", body["error"]))
            raise CallError("unauthenticated", f"the sign-in service refused: {message}")
        return body

    def sign_in(self, method: str, data: dict[str, Any]) -> Session:
        """Sign in by `signUp`, `signInWithPassword` or `signInWithCustomToken`."""
        body = self.sign(method, {**data, "returnSecureToken": True})
        token = str(body["idToken"])
        if uid := body.get("localId"):
            return Session(str(uid), token)
        # Whose ID token it is: it came from the sign-in service itself, so nothing is verified.
        payload = token.split(".")[1]
        padded = payload + "=" * (-len(payload) % 4)
        return Session(str(json.loads(base64.urlsafe_b64decode(padded))["sub"]), token)

    def get_document(self, path: str, session: Session) -> tuple[int, dict[str, Any]]:
        """Read a document as a user; the HTTP status, and the JSON that was answered, if it was.

        Raises:
            CallError: It could not be reached.
        """
        return self._documents("GET", path, None, session)

    def update_document(
        self, path: str, session: Session, fields: dict[str, Any], *, server_time: str
    ) -> int:
        """Set some fields of a document that is there as a user, and `server_time` to now; the HTTP
        status.

        Raises:
            CallError: It could not be reached.
        """
        write = {
            "update": {"name": f"{self._root}{path}", "fields": fields},
            "updateMask": {"fieldPaths": list(fields)},
            "updateTransforms": [{"fieldPath": server_time, "setToServerValue": "REQUEST_TIME"}],
            "currentDocument": {"exists": True},
        }
        return self._documents("POST", ":commit", {"writes": [write]}, session)[0]

    @property
    def _root(self) -> str:
        return f"projects/{self.project}/databases/(default)/documents/"

    def _documents(
        self, method: str, path: str, body: Any, session: Session
    ) -> tuple[int, dict[str, Any]]:
        root = f"{self.firestore}/{self._root}"
        url = root[:-1] + path if path.startswith(":") else root + path
        headers = {"Authorization": f"Bearer {session.token}"}
        with closing(self._request(method, url, body, headers)) as reply:
            text = _read(reply)
        try:
            return reply.status, json.loads(text)
        except ValueError:  # a page of what stands before Firestore; the status says enough
            return reply.status, {}

    def _open(self, name: str, data: Any, token: str | None, *, accept: str) -> Any:
        headers = {"Accept": accept}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        url = self.url_of(name)
        reply = self._request("POST", url, {"data": data}, headers)
        kind = reply.headers.get("Content-Type") or ""
        if reply.status == 404 and "json" not in kind:
            reply.close()
            where = f"; do the emulators run the project {self.project}?" if self.is_local else ""
            raise CallError("not-found", f"there is no function at {url}{where}")
        return reply

    def _request(self, method: str, url: str, body: Any, headers: Mapping[str, str]) -> Any:
        data = None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **headers}
        proxies = [urllib.request.ProxyHandler({})] if self.is_local else []
        request = urllib.request.Request(url, data=data, headers=sent, method=method)
        try:
            return urllib.request.build_opener(*proxies).open(request, timeout=_QUIET_S)
        except urllib.error.HTTPError as error:
            return error  # a refusal is an answer too
        except TimeoutError as error:
            never = "On the emulators one that was deleted, or does not load, never answers."
            text = f"{url} was silent for {_QUIET_S:.0f} s. {never}"
            raise CallError("deadline-exceeded", text) from error
        except (OSError, http.client.HTTPException) as error:
            raise CallError("unavailable", f"{url} cannot be reached: {error}") from error

    def _result(self, frame: dict[str, Any]) -> Any:
        if "error" in frame:
            error = frame["error"]
            if not isinstance(error, dict):  # an app's own function answers as it likes
                error = {"message": error}
            # A callable says `status`, a function that is reached by plain HTTP `code`.
            code = str(error.get("status") or error.get("code") or "internal")
            message = str(error.get("message", ""))
            raise CallError(code.lower().replace("_", "-"), message, error.get("details"))
        for text in tracebacks(frame):
            self.on_incident(text)
        return frame.get("result")


def emulated(configuration: Configuration, project: str | None = None) -> Backend:
    """Return the backend of an app's running emulators.

    Raises:
        Problem: None run, or not those that are needed.
    """
    at = running_addresses(configuration, project)
    known = {function["name"]: function for function in read_functions(at)}

    def url_of(name: str) -> str:
        if name not in known:
            there = ", ".join(sorted(known)) or "none at all"
            meant = close(name, known)
            raise Problem(f"The emulator has no function {name!r}{meant}. It has: {there}.")
        for key, cause in (("schedule", "by the clock"), ("eventTrigger", "by an event")):
            if known[name].get(key):
                raise Problem(f"{name} is run {cause}, and cannot be called.")
        return f"http://{at.functions}/{at.project}/{known[name]['region']}/{name}"

    identity = f"http://{at.auth}/identitytoolkit.googleapis.com/v1"
    firestore = f"http://{at.firestore}/v1"
    return Backend(at.project, identity, firestore, "emulator", url_of, is_local=True)


def running_addresses(configuration: Configuration, project: str | None = None) -> Addresses:
    """Return the addresses of an app's running emulators.

    Raises:
        Problem: None run, or not those that are needed.
    """
    configured = configuration.addresses(project)
    running = get_json(configured.hub, "/emulators")
    if running is None:
        raise Problem(
            f"No emulators of {configuration.root} answer at {configured.hub}. Start them in "
            "another terminal:\npython -m rollcall dev"
        )
    if missing := [name for name in ("auth", "functions", "firestore") if name not in running]:
        raise Problem(f"The emulators run without {', '.join(missing)}: python -m rollcall dev")
    listening = {
        name: f"{running[name]['host']}:{running[name]['port']}"
        for name in ("auth", "functions", "firestore", "tasks")
        if name in running
    }
    return replace(configured, **listening)


def sign_in_developer(backend: Backend, who: str) -> Session:
    """Sign in a user of the Auth emulator, who is created if missing.

    Args:
        who: An e-mail address, or a user's id.
    """
    uid = who
    if "@" in who:
        found = backend.sign("lookup", {"email": [who]}, owner=True).get("users")
        if not found:
            return backend.sign_in("signUp", {"email": who, "password": "developer"})
        uid = str(found[0]["localId"])
    # Where a custom token is expected, the emulator takes its claims as plain JSON.
    return backend.sign_in("signInWithCustomToken", {"token": json.dumps({"uid": uid})})


def _read(reply: Any) -> bytes:
    with _unbroken(reply):
        return bytes(reply.read())  # lines alone would not tell that it is shorter than it says


def _lines(reply: Any) -> Iterator[bytes]:
    with _unbroken(reply):
        yield from reply


@contextmanager
def _unbroken(reply: Any) -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        raise CallError("unavailable", f"the answer of {reply.url} broke off: {error}") from error


def _parse(text: bytes, status: int) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    shown = text.decode(errors="replace").strip()[:200]
    problem = f"this is no callable function's answer (HTTP {status}): {shown}"
    raise CallError("unavailable", problem)
