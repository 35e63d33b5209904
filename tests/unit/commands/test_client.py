"""The client by which `ask`, `call` and `smoke` call functions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.commands import client
from rollcall.commands.client import Backend, CallError, Session, emulated
from rollcall.core.errors import Problem
from rollcall.emulators.addresses import Addresses, Configuration
from tests.support.https_server import Handler, HttpsServer

Serve = Callable[[Callable[[Handler], None]], Backend]
INCIDENT = {"id": "a1", "traceback": 'File "ping.py", line 3\nValueError: no\n'}


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that answers as the test says, and makes a backend of it."""
    servers = []

    def start(reply: Callable[[Handler], None]) -> Backend:
        servers.append(HttpsServer(None, "", reply))
        root = f"http://127.0.0.1:{servers[-1].port}"
        return Backend(
            "demo-x",
            f"{root}/v1",
            f"{root}/v1",
            "key",
            lambda name: f"{root}/{name}",
            is_local=True,
        )

    yield start
    for server in servers:
        server.close()


def answers(body: Any, status: int = 200) -> Callable[[Handler], None]:
    return lambda handler: handler.reply(status, json.dumps(body).encode(), connection="close")


def streams(*frames: Any) -> Callable[[Handler], None]:
    """Frames as a stream of events, with the comments that break a silence."""

    def reply(handler: Handler) -> None:
        lines = [f"data: {json.dumps(frame, ensure_ascii=False)}\n\n: ping\n\n" for frame in frames]
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write("".join(lines).encode())

    return reply


def read_stream(backend: Backend) -> tuple[list[Any], Any]:
    chunks: list[Any] = []
    return chunks, backend.stream("run_agent", {}, chunks.append)


def test_a_call_sends_its_data_as_the_user_and_returns_the_result(serve: Serve) -> None:
    asked = []

    def reply(handler: Handler) -> None:
        (received,) = handler.server.owner.requests
        asked.append((received.path, received.headers["authorization"], received.body))
        answers({"result": {"pong": "kiwi"}})(handler)

    assert serve(reply).call("ping", {"word": "kiwi"}, "token") == {"pong": "kiwi"}
    assert asked == [("/ping", "Bearer token", b'{"data": {"word": "kiwi"}}')]


def test_a_refusal_has_its_code_its_hint_and_the_tracebacks(serve: Serve) -> None:
    details = {"hint": "try again", "incidents": [INCIDENT]}
    error = {"status": "NOT_FOUND", "message": "no such word", "details": details}
    with pytest.raises(CallError) as caught:
        serve(answers({"error": error}, 404)).call("ping", {})
    assert caught.value.code == "not-found"
    assert str(caught.value).splitlines() == [
        "not-found: no such word",
        "try again",
        'File "ping.py", line 3',
        "ValueError: no",
    ]


def test_a_stream_gives_its_chunks_and_then_its_result(serve: Serve) -> None:
    backend = serve(streams({"message": {"n": "א\u2028"}}, {"message": 2}, {"result": "done"}))
    assert read_stream(backend) == ([{"n": "א\u2028"}, 2], "done")


def test_a_stream_that_ends_in_an_error_or_in_nothing_is_a_failure(serve: Serve) -> None:
    error = {"error": {"status": "RESOURCE_EXHAUSTED", "message": "enough"}}
    with pytest.raises(CallError, match="resource-exhausted: enough"):
        read_stream(serve(streams({"message": 1}, error)))
    with pytest.raises(CallError, match="broke off before its end"):
        read_stream(serve(streams({"message": 1})))


def test_a_chunk_that_cannot_be_shown_is_no_broken_stream(serve: Serve) -> None:
    def show(chunk: Any) -> None:
        raise BrokenPipeError  # the terminal is closed

    with pytest.raises(BrokenPipeError):
        serve(streams({"message": 1}, {"result": 2})).stream("run_agent", {}, show)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_that_breaks_off_is_a_failure(serve: Serve, kind: str) -> None:
    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"ff\r\ndata: ")
        handler.close_connection = True

    with pytest.raises(CallError, match=r"^unavailable: the answer of http://.*/run_agent broke"):
        read_stream(serve(reply))


def test_an_answer_that_is_shorter_than_it_says_is_a_failure(serve: Serve) -> None:
    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "99")
        handler.end_headers()
        handler.wfile.write(b'{"result": 1}')
        handler.close_connection = True

    with pytest.raises(CallError, match=r"^unavailable: the answer of http://.*/run_agent broke"):
        serve(reply).call("run_agent", {})


def test_tracebacks_beside_a_result_are_told(serve: Serve) -> None:
    told: list[str] = []
    backend = serve(streams({"result": 1, "incidents": [INCIDENT]}))
    watched = replace(backend, on_incident=told.append)
    assert read_stream(watched) == ([], 1)
    assert told == [INCIDENT["traceback"].rstrip()]


def test_what_is_no_function_is_told_with_its_address(serve: Serve) -> None:
    def missing(handler: Handler) -> None:
        handler.send_response(404)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    backend = serve(missing)
    with pytest.raises(
        CallError,
        match=r"no function at http://[\d.:]+/ping; do the emulators run the project demo-x",
    ):
        backend.call("ping", {})
    with pytest.raises(CallError, match="this is no callable function's answer"):
        serve(answers([1])).call("ping", {})


def test_nobody_there_is_a_failure_too() -> None:
    here = "http://127.0.0.1:9"
    backend = Backend("p", here, here, "k", lambda name: f"{here}/{name}", is_local=True)
    with pytest.raises(CallError, match="cannot be reached"):
        backend.call("ping", {})


def test_a_function_that_never_answers_is_told_with_the_reason_that_emulators_have(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_QUIET_S", 0.05)
    answered = threading.Event()
    backend = serve(lambda handler: answered.wait(60) and None)
    with pytest.raises(CallError, match="deleted, or does not load"):
        backend.call("ping", {})
    answered.set()


def test_emulators_that_do_not_run_are_told_with_what_starts_them(tmp_path: Any) -> None:
    (tmp_path / "firebase.json").write_text('{"emulators": {"hub": {"port": 9}}}')
    with pytest.raises(Problem, match="python -m rollcall dev"):
        emulated(Configuration(tmp_path, port_offset=0), "demo-x")


@pytest.fixture
def emulators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """Emulators, as far as they are asked which functions there are."""
    (tmp_path / "firebase.json").write_text("{}")
    triggers: list[dict[str, Any]] = [{"name": "ping"}, {"name": "run_agent"}]
    triggers.append({"name": "sweep_runs", "schedule": {"schedule": "every 1 minutes"}})
    triggers.append({"name": "agent_written", "eventTrigger": {"resource": "agents/{agentId}"}})
    triggers = [{**each, "region": "us-central1"} for each in triggers]
    local = "127.0.0.1:9"
    at = Addresses(
        project="demo-x", auth=local, firestore=local, functions=local, tasks=local, hub=local
    )
    monkeypatch.setattr(client, "running_addresses", lambda *_: at)
    monkeypatch.setattr(client, "read_functions", lambda _: triggers)
    return emulated(Configuration(tmp_path, port_offset=0), "demo-x")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("run_agents", r"no function 'run_agents' \(did you mean `run_agent`\?\)\. It has: agent_"),
        ("sweep_runs", r"sweep_runs is run by the clock, and cannot be called\."),
        ("agent_written", r"agent_written is run by an event, and cannot be called\."),
    ],
)
def test_what_cannot_be_called_on_the_emulators_is_told_with_its_reason(
    emulators: Backend, name: str, told: str
) -> None:
    with pytest.raises(Problem, match=told):
        emulators.call(name, {})


def test_a_refusal_of_plain_http_has_its_code_too(serve: Serve) -> None:
    error = {"code": "invalid-argument", "message": "the URL names no agent", "details": {}}
    with pytest.raises(CallError, match=r"^invalid-argument: the URL names no agent$"):
        serve(answers({"error": error}, 400)).call("agui", {})


@pytest.mark.parametrize(
    ("error", "told"),
    [("boom", "internal: boom"), ({"message": "no such room"}, "internal: no such room")],
)
def test_a_refusal_of_another_form_is_told_in_its_words(
    serve: Serve, error: object, told: str
) -> None:
    with pytest.raises(CallError, match=f"^{told}$"):
        serve(answers({"error": error}, 400)).call("own", {})


def test_a_page_in_place_of_a_document_is_told_by_its_status(serve: Serve) -> None:
    def page(handler: Handler) -> None:
        handler.reply(502, b"<html>Bad gateway</html>", connection="close")

    session = Session("ann", "token")
    assert serve(page).get_document("threads/t1", session) == (502, {})
