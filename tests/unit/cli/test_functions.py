"""The client against a small server that speaks the protocol over real HTTP."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rollcall_cli.deployment import Deployment
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError
from rollcall_cli.identity import sign_in

CHUNKS = [{"type": "RUN_STARTED"}, {"type": "TEXT_MESSAGE_CONTENT", "delta": "שלום\u2028\x85"}]


class _Fake(BaseHTTPRequestHandler):
    """Answers by the function's name; remembers the requests in `server.seen`. A run's second
    chunk waits for `server.first_was_read`."""

    server: Any

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        function = self.path.split("?")[0].rpartition("/")[2]
        function = function.removeprefix("accounts:").removeprefix("rc_")
        getattr(self, f"_{function.lower()}")()

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def _plain(self, value: Any, status: int = 200) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _stream(self, *frames: Any) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for frame in frames:
            if isinstance(frame, threading.Event):
                assert frame.wait(60)
                continue
            self.wfile.write(b": ping\n\n")
            self.wfile.write(f"data: {json.dumps(frame, ensure_ascii=False)}\n\n".encode())
            self.wfile.flush()

    def _signinwithpassword(self) -> None:
        if self.server.seen[-1][2]["email"] == "demo@rollcall.example":
            return self._plain({"idToken": "token-1", "refreshToken": "r", "localId": "demo"})
        return self._plain({"error": {"code": 400, "message": "EMAIL_NOT_FOUND"}}, 400)

    def _echo(self) -> None:
        self._plain({"result": self.server.seen[-1][2]["data"]})

    def _refused(self) -> None:
        details = {"code": "not-found", "field": "agent", "hint": "known: messaging"}
        error = {"status": "NOT_FOUND", "message": "there is no agent 'x'", "details": details}
        self._plain({"error": error}, 404)

    def _run(self) -> None:
        first, second = ({"message": chunk} for chunk in CHUNKS)
        waits = self.server.first_was_read
        self._stream(first, waits, second, {"result": {"message": "done"}})

    def _incident(self) -> None:
        incidents = [{"id": "abc", "traceback": "Traceback"}]
        self._stream({"message": CHUNKS[0]}, {"result": 1, "incidents": incidents})

    def _fails(self) -> None:
        error = {"status": "RESOURCE_EXHAUSTED", "message": "too much"}
        self._stream({"message": CHUNKS[0]}, {"error": error})

    def _deep(self) -> None:
        self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 100_000)

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with contextlib.suppress(OSError):  # the client has had enough
            for _ in range(100):
                self.wfile.write(b"data: " + b"x" * 1_000)

    def _breaks(self) -> None:
        self._stream({"message": CHUNKS[0]})

    def _html(self) -> None:
        self.send_error(502)

    def _nothing(self) -> None:
        self.send_error(404)


@pytest.fixture
def server() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Fake)
    server.seen, server.first_was_read = [], threading.Event()
    server.first_was_read.set()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def functions(server: Any) -> Functions:
    return Functions(_url(server), token=lambda: "token-1")


def _deployment(server: Any) -> Deployment:
    host = f"127.0.0.1:{server.server_port}"
    return Deployment.emulators(auth=host, firestore=host, functions=host)


def _url(server: Any) -> str:
    return f"http://127.0.0.1:{server.server_port}/"


def _drain(stream: Any) -> tuple[list[Any], Any]:
    chunks = []
    while True:
        try:
            chunks.append(next(stream))
        except StopIteration as end:
            return chunks, end.value


def test_sign_in_gives_a_token_and_asks_once(server: Any) -> None:
    user = sign_in(_deployment(server), email="demo@rollcall.example", password="water-the-lemons")
    assert (user.token(), user.token()) == ("token-1", "token-1")
    assert len(server.seen) == 1
    assert server.seen[0][2]["returnSecureToken"] is True


def test_sign_in_says_why_it_fails(server: Any) -> None:
    with pytest.raises(CallError, match="EMAIL_NOT_FOUND") as caught:
        sign_in(_deployment(server), email="who@rollcall.example", password="x")
    assert caught.value.code == "unauthenticated"


def test_call_sends_the_envelope_and_the_token(functions: Functions, server: Any) -> None:
    assert functions.call("echo", {"text": "שלום"}) == {"text": "שלום"}
    path, headers, body = server.seen[0]
    assert (path, body) == ("/echo", {"data": {"text": "שלום"}})
    assert headers["Authorization"] == "Bearer token-1"


def test_functions_of_a_deployment_with_a_prefix_are_called_by_it(server: Any) -> None:
    assert Functions(_url(server), prefix="rc").call("echo", "x") == "x"
    assert [path for path, _, _ in server.seen] == ["/rc_echo"]


def test_call_without_a_user_sends_no_token(server: Any) -> None:
    Functions(_url(server)).call("echo", None)
    assert "Authorization" not in server.seen[0][1]


def test_what_broke_off_beside_a_result_is_of_that_result_alone(functions: Functions) -> None:
    assert _drain(functions.stream("incident", {}))[1] == 1
    assert functions.incidents == [{"id": "abc", "traceback": "Traceback"}]
    functions.call("echo", {})
    assert functions.incidents == []


def test_refusal_carries_code_message_details_and_hint(functions: Functions) -> None:
    with pytest.raises(CallError) as caught:
        functions.call("refused", {})
    assert caught.value.code == "not-found"
    assert caught.value.message == "there is no agent 'x'"
    assert caught.value.details["field"] == "agent"
    assert caught.value.hint == "known: messaging"


def test_stream_yields_chunks_as_they_come_and_returns_the_result(
    functions: Functions, server: Any
) -> None:
    server.first_was_read.clear()
    stream = functions.stream("run", {})
    assert next(stream) == CHUNKS[0]
    server.first_was_read.set()
    assert next(stream) == CHUNKS[1]
    assert _drain(stream) == ([], {"message": "done"})


def test_stream_asks_for_events(functions: Functions, server: Any) -> None:
    _drain(functions.stream("run", {"agent": "messaging"}))
    assert server.seen[0][1]["Accept"] == "text/event-stream"
    assert server.seen[0][2] == {"data": {"agent": "messaging"}}


def test_error_in_the_middle_of_a_stream_is_raised(functions: Functions) -> None:
    stream = functions.stream("fails", {})
    assert next(stream) == CHUNKS[0]
    with pytest.raises(CallError, match="too much") as caught:
        next(stream)
    assert caught.value.code == "resource-exhausted"


def test_plain_refusal_of_a_stream_is_raised(functions: Functions) -> None:
    with pytest.raises(CallError, match="no agent"):
        _drain(functions.stream("refused", {}))


def test_stream_that_breaks_off_is_an_error(functions: Functions) -> None:
    with pytest.raises(CallError, match="broke off") as caught:
        _drain(functions.stream("breaks", {}))
    assert caught.value.code == "unavailable"


def test_answer_of_something_else_is_an_error(functions: Functions) -> None:
    with pytest.raises(CallError, match="did not answer"):
        functions.call("html", {})


def test_address_without_a_function_is_named(functions: Functions, server: Any) -> None:
    with pytest.raises(CallError, match=f"no function at {_url(server)}nothing") as caught:
        functions.call("nothing", {})
    assert caught.value.code == "not-found"
    assert "project and the region" in caught.value.hint


def test_text_that_is_no_utf8_is_not_sent(functions: Functions, server: Any) -> None:
    with pytest.raises(CallError, match="only text in UTF-8") as caught:
        functions.call("echo", {"message": "half \udcff"})
    assert caught.value.code == "invalid-argument"
    assert server.seen == []


def test_nobody_there_is_unavailable(server: Any) -> None:
    server.shutdown()
    server.server_close()
    with pytest.raises(CallError, match="cannot be reached") as caught:
        Functions(_url(server)).call("echo", {})
    assert caught.value.code == "unavailable"


def test_answer_that_is_nested_without_end_is_an_error(functions: Functions) -> None:
    with pytest.raises(CallError, match="not a callable function"):
        functions.call("deep", {})


def test_event_without_end_is_not_kept(
    functions: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollcall_cli.functions.MAX_BYTES", 50_000)
    for ask in (functions.call, lambda *about: _drain(functions.stream(*about))):
        with pytest.raises(CallError, match="more than 50,000 bytes"):
            ask("endless", {})
