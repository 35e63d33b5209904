"""A local server that speaks the wire of Gemini's ephemeral tokens and Live API, over TLS.

    with FakeLive(authority) as live:
        setenv("GOOGLE_GEMINI_BASE_URL", live.address)   # makes tokens
        live.script = [("mark_for_review", {...})]       # what its model calls
        live.contents = [{"outputTranscription": {"text": "Hello"}}]   # and says before that
        genai.Client(api_key=token, http_options={"base_url": live.session_address, ...})

It enforces a token's constraints as the service documents them: one use, a time to begin and an
end, the locked setup whatever the client sends, and resumption by a handle of the same token.
Shapes are those that the SDK sends and reads; the real service was not called.
"""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from .https_server import Authority, Handler, HttpsServer

Json = dict[str, Any]
_METHOD = "GenerativeService.BidiGenerateContentConstrained"
_REFUSED = 1008


class FakeLive:
    """The two servers, and what they were sent.

    Attributes:
        tokens: What each token was made with, by its name.
        setups: The setups of sessions, as their tokens lock them.
        client_setups: The setups that clients sent, which do not count.
        results: The tools' results that clients sent, by call id.
        script: The tools that the model calls in the next session.
        contents: What the server sends before that, each as `serverContent`.
        speech: What clients sent of their speech, in its order.
        now: The server's clock.
    """

    def __init__(self, authority: Authority) -> None:
        self.tokens: dict[str, Json] = {}
        self.setups: list[Json] = []
        self.client_setups: list[Json] = []
        self.results: dict[str, Json] = {}
        self.script: list[tuple[str, Json]] = []
        self.contents: list[Json] = []
        self.speech: list[Json] = []
        self.now = lambda: datetime.now(UTC)
        self._authority = authority
        self._used: dict[str, int] = {}
        self._handles: dict[str, str] = {}
        self._newest: ServerConnection | None = None

    def __enter__(self) -> FakeLive:
        self._http = HttpsServer(self._authority, "localhost", self._make_token)
        context = self._authority.context("localhost")
        self._sessions = serve(self._session, "127.0.0.1", 0, ssl=context)
        self._thread = threading.Thread(target=self._sessions.serve_forever)
        self._thread.start()
        self.address = f"https://localhost:{self._http.port}"
        self.session_address = f"https://localhost:{self._sessions.socket.getsockname()[1]}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()
        self._sessions.shutdown()
        self._thread.join()

    def send(self, message: Json) -> None:
        """Send a message in the newest session."""
        assert self._newest is not None
        self._newest.send(json.dumps(message).encode())  # the service sends bytes

    def cut(self) -> None:
        """Close the newest session with an error."""
        assert self._newest is not None
        self._newest.close(1011, "cut")

    def _make_token(self, handler: Handler) -> None:
        request = self._http.requests[-1]
        if request.headers.get("x-goog-api-key") != "planted-key":
            told = {"code": 401, "status": "UNAUTHENTICATED", "message": "API key not valid"}
            handler.reply(401, json.dumps({"error": told}).encode())
            return
        assert request.path == "/v1alpha/auth_tokens", request.path
        name = f"auth_tokens/{len(self.tokens)}-planted-secret"
        self.tokens[name] = json.loads(request.body)
        handler.reply(200, json.dumps({"name": name}).encode())

    def _session(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        path, _, query = connection.request.path.partition("?")
        header = connection.request.headers.get("Authorization", "")
        name = header.removeprefix("Token ") or parse_qs(query)["access_token"][0]
        setup = json.loads(connection.recv())["setup"]
        handle = (setup.get("sessionResumption") or {}).get("handle")
        if why := self._refusal(path, name, handle):
            connection.close(_REFUSED, why)
            return
        self.client_setups.append(setup)
        self.setups.append(self.tokens[name]["bidiGenerateContentSetup"])
        self._newest = connection
        self.send({"setupComplete": {}})
        handle = f"handle-{len(self._handles)}"
        self._handles[handle] = name
        self.send({"sessionResumptionUpdate": {"newHandle": handle, "resumable": True}})
        try:
            self._receive(connection.recv())  # what the student says
            for content in self.contents:
                self.send({"serverContent": content})
            for number, (tool, arguments) in enumerate(self.script):
                call = {"id": f"{tool}-{number}", "name": tool, "args": arguments}
                self.send({"toolCall": {"functionCalls": [call]}})
                while (answer := self._receive(connection.recv())) is None:
                    pass
                self.results[answer["id"]] = answer["response"]
            self.send({"serverContent": {"turnComplete": True}})
            for message in connection:
                self._receive(message)
        except ConnectionClosed:
            return

    def _receive(self, message: str | bytes) -> Json | None:
        """Record speech; return the answer to a call. The SDK writes keys in either case."""
        [(kind, value)] = json.loads(message).items()
        if kind.lower().startswith("realtime"):
            self.speech.append(value)
            return None
        [answer] = next(iter(value.values()))
        found: Json = answer
        return found

    def _refusal(self, path: str, name: str, handle: str | None) -> str | None:
        """The reason for which the service would refuse a session."""
        token = self.tokens.get(name)
        if token is None or not path.endswith(f".v1alpha.{_METHOD}"):
            return "no such token"
        if self.now() >= datetime.fromisoformat(token["expireTime"]):
            return "the token has expired"
        if handle is not None:
            return None if self._handles.get(handle) == name else "no such handle"
        if self.now() >= datetime.fromisoformat(token["newSessionExpireTime"]):
            return "too late for a new session"
        self._used[name] = self._used.get(name, 0) + 1
        return None if self._used[name] <= token["uses"] else "the token was used"
