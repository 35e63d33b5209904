"""Calls of HTTP endpoints, over real sockets and TLS to local servers."""

from __future__ import annotations

import contextlib
import gzip
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from rollcall.agent.remote.endpoint import MAX_REDIRECTS, call_endpoint
from rollcall.agent.remote.http import MAX_BYTES
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    OutcomeUnknown,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.logs import in_request
from rollcall.registry.entries import Execution
from tests.support.https_server import Answer, Handler, HttpsServer
from tests.unit.agent.remote.conftest import Names

HOST = "api.example.com"
Serve = Callable[[str, Answer], HttpsServer]


@pytest.fixture
def api(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> HttpsServer:
    """The server that the list names; it repeats the request's body until a test says otherwise."""
    server = serve(HOST, lambda handler: handler.reply(200, b'{"ok": true}'))
    monkeypatch.setenv("ROLLCALL_API_HOSTS", f"{HOST}:{server.port}")
    return server


def call(server: HttpsServer, arguments: Any = None, **options: Any) -> Any:
    """Call `server` under its name; options of the execution and of the call."""
    path = options.pop("path", "/rooms")
    execution = Execution(
        type="api_endpoint",
        target=options.pop("target", f"https://{HOST}:{server.port}{path}"),
        method=options.pop("method", "POST"),
        requires_auth=options.pop("requires_auth", False),
    )
    return call_endpoint(execution, arguments=arguments or {}, timeout_s=60, **options)


def test_post_sends_the_arguments_as_json_and_the_host_by_its_name(api: HttpsServer) -> None:
    assert call(api, {"city": "חיפה", "seats": [1, 2]}) == {"ok": True}
    [request] = api.requests
    assert (request.method, request.path) == ("POST", "/rooms")
    assert json.loads(request.body) == {"city": "חיפה", "seats": [1, 2]}
    assert request.headers["host"] == f"{HOST}:{api.port}"
    assert request.headers["content-type"] == "application/json"
    assert "authorization" not in request.headers


def test_an_endpoint_is_told_nothing_of_the_trace(api: HttpsServer) -> None:
    headers = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    in_request("run_agent", lambda: call(api), headers.get)
    sent = api.requests[0].headers
    assert not {"traceparent", "tracestate", "x-cloud-trace-context"} & set(sent)


def test_get_puts_flat_arguments_behind_the_targets_own_query(api: HttpsServer) -> None:
    arguments = {"city": "Haifa & Co", "seats": 4, "open": True, "tags": ["a", "b"], "no": None}
    call(api, arguments, method="GET", path="/rooms?v=2")
    [request] = api.requests
    assert request.path == "/rooms?v=2&city=Haifa+%26+Co&seats=4&open=true&tags=a&tags=b"
    assert request.body == b""


@pytest.mark.parametrize("value", [{"a": 1}, [[1]], [{"a": 1}], "x" * 9000])
def test_get_takes_no_arguments_that_do_not_fit_into_a_query(api: HttpsServer, value: Any) -> None:
    with pytest.raises(InvalidArgument):
        call(api, {"x": value}, method="GET")
    assert api.connections == 0


@pytest.mark.parametrize("value", [float("nan"), 2**64, "\ud800"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_arguments_that_are_no_sound_json_are_not_sent(
    api: HttpsServer, value: Any, method: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        call(api, {"x": value}, method=method)
    assert (caught.value.field, api.connections) == ("arguments.x", 0)


def test_the_secret_of_the_host_goes_along_where_the_target_requires_it(
    api: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_API_SECRETS", json.dumps({HOST: "EXAMPLE_KEY"}))
    with pytest.raises(FailedPrecondition, match="no secret"):
        call(api, requires_auth=True)
    monkeypatch.setenv("EXAMPLE_KEY", " s3cret\n")
    call(api, requires_auth=True)
    call(api, requires_auth=False)
    sent = [request.headers.get("authorization") for request in api.requests]
    assert sent == ["Bearer s3cret", None]


@pytest.mark.parametrize("secrets", ["{", "[]", '{"other.example.com": "K"}', f'{{"{HOST}": 7}}'])
def test_secrets_that_cannot_be_read_are_not_guessed(
    api: HttpsServer, monkeypatch: pytest.MonkeyPatch, secrets: str
) -> None:
    monkeypatch.setenv("ROLLCALL_API_SECRETS", secrets)
    with pytest.raises(FailedPrecondition):
        call(api, requires_auth=True)
    assert api.connections == 0


def test_a_secret_that_would_make_another_header_is_refused_unsaid(
    api: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_API_SECRETS", json.dumps({HOST: "EXAMPLE_KEY"}))
    monkeypatch.setenv("EXAMPLE_KEY", "s3c\r\nX-Other: ret")
    with pytest.raises(FailedPrecondition) as caught:
        call(api, requires_auth=True)
    assert "s3c" not in str(caught.value)


def test_a_write_carries_its_key(api: HttpsServer) -> None:
    call(api, call_key="key-1")
    assert api.requests[0].headers["idempotency-key"] == "key-1"


def test_nothing_in_the_environment_leads_the_call_elsewhere(
    api: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert call(api) == {"ok": True}


# Where it may not go


def test_a_host_that_is_not_listed_is_not_even_looked_up(api: HttpsServer, names: Names) -> None:
    names.clear()  # a look-up would fail as Unavailable
    with pytest.raises(FailedPrecondition, match="may not be called"):
        call(api, target="https://other.example.com/")


@pytest.mark.parametrize(
    "address",
    ["10.0.0.8", "169.254.169.254", "fd20:ce::254", "::ffff:10.0.0.8", "64:ff9b::a9fe:a9fe"],
)
def test_a_listed_name_that_leads_inside_is_not_connected_to(
    api: HttpsServer, names: Names, address: str
) -> None:
    names[HOST] = ["127.0.0.1", address]
    with pytest.raises(FailedPrecondition, match="public") as caught:
        call(api)
    assert address not in str(caught.value)
    assert api.connections == 0


def test_a_name_is_looked_up_once_and_the_connection_made_to_what_was_checked(
    api: HttpsServer, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Rebinding(dict[str, list[str]]):
        def __getitem__(self, name: str) -> list[str]:
            asked.append(name)
            return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    import socket

    known = Rebinding(names)
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: (
            [(0, 0, 0, "", (ip, port)) for ip in known[host.decode()]]
            if isinstance(host, bytes)
            else real(host, port, *a, **k)
        ),
    )
    assert call(api) == {"ok": True}
    assert asked == [HOST]


def test_a_server_that_is_not_the_host_is_not_told_anything(
    serve: Serve, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = serve("other.example.com", lambda handler: handler.reply(200, b"{}"))
    names[HOST] = names["other.example.com"]
    monkeypatch.setenv("ROLLCALL_API_HOSTS", f"{HOST}:{other.port}")
    with pytest.raises(Unavailable, match="certificate"):
        call(other, call_key="k")
    assert other.requests == []


def test_a_server_of_no_known_authority_is_refused(
    api: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(Unavailable, match="certificate"):
        call(api)
    assert api.requests == []


def test_the_next_address_is_tried_when_one_takes_no_connection(
    api: HttpsServer, names: Names
) -> None:
    names[HOST] = ["127.0.0.77", "127.0.0.1"]  # nobody listens at the first
    assert call(api) == {"ok": True}


# Redirects


def to(location: str, status: int = 302) -> Answer:
    return lambda handler: handler.reply(status, location=location)


def turns(*answers: Answer) -> Answer:
    """The first request gets the first answer, and so on."""
    waiting = list(answers)
    return lambda handler: waiting.pop(0)(handler)


def ok(handler: Handler) -> None:
    handler.reply(200, b'{"ok": true}')


@pytest.mark.parametrize(
    ("status", "method", "body"),
    [
        (301, "GET", b""),
        (302, "GET", b""),
        (303, "GET", b""),
        (307, "POST", b'{"a": 1}'),
        (308, "POST", b'{"a": 1}'),
    ],
)
def test_a_redirect_is_followed_as_its_status_says(
    api: HttpsServer, status: int, method: str, body: bytes
) -> None:
    api.answer = turns(to("../b?c=d", status), ok)
    assert call(api, {"a": 1}, path="/x/a") == {"ok": True}
    second = api.requests[1]
    assert (second.method, second.path, second.body) == (method, "/b?c=d", body)


def test_a_secret_is_kept_from_the_host_that_a_redirect_names(
    api: HttpsServer, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = serve("other.example.com", ok)
    monkeypatch.setenv("ROLLCALL_API_HOSTS", f"{HOST}:{api.port},other.example.com:{other.port}")
    secrets = {HOST: "EXAMPLE_KEY", "other.example.com": "EXAMPLE_KEY"}
    monkeypatch.setenv("ROLLCALL_API_SECRETS", json.dumps(secrets))
    monkeypatch.setenv("EXAMPLE_KEY", "s3cret")
    away = f"https://other.example.com:{other.port}/"
    api.answer = turns(to("/again", 307), to(away, 307))
    assert call(api, requires_auth=True) == {"ok": True}
    assert [r.headers.get("authorization") for r in api.requests] == ["Bearer s3cret"] * 2
    assert "authorization" not in other.requests[0].headers


def test_cookies_are_not_kept(api: HttpsServer) -> None:
    api.answer = turns(lambda h: h.reply(307, location="/b", set_cookie="a=b; Path=/"), ok)
    call(api)
    assert "cookie" not in api.requests[1].headers


@pytest.mark.parametrize(
    "location",
    [
        "http://api.example.com/",
        "https://evil.example.net/",
        "//evil.example.net/",
        "https://api.example.com@evil.example.net/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://api.example.com:22/",
        "https://localhost/",
        "\\\\evil.example.net/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ht\ttps://evil.example.net/",
    ],
)
def test_a_redirect_is_checked_from_scratch(api: HttpsServer, location: str) -> None:
    api.answer = to(location, 307)
    with pytest.raises(FailedPrecondition):
        call(api, call_key="k")  # it says that it has done nothing yet: known, even for a write
    assert len(api.requests) == 1


def test_redirects_come_to_an_end(api: HttpsServer) -> None:
    api.answer = to("/more", 307)
    with pytest.raises(FailedPrecondition, match="redirects more than"):
        call(api)
    assert len(api.requests) == MAX_REDIRECTS + 1


def test_a_write_that_is_answered_elsewhere_may_have_been_done(api: HttpsServer) -> None:
    api.answer = to("/rooms/7", 303)
    with pytest.raises(OutcomeUnknown):
        call(api, call_key="k")
    assert len(api.requests) == 1


# Bounds


def stating(body: bytes, **headers: str) -> Answer:
    return lambda handler: handler.reply(200, body, **headers)


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        handler.wfile.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")


@pytest.mark.parametrize(
    "answer",
    [endless, stating(b" " * (MAX_BYTES + 1))],
    ids=["chunks", "length"],
)
def test_an_answer_of_more_than_a_megabyte_is_cut_off(api: HttpsServer, answer: Answer) -> None:
    api.answer = answer
    began = time.monotonic()
    with pytest.raises(FailedPrecondition, match="larger than"):
        call(api)
    assert time.monotonic() - began < 30


def test_an_answer_in_an_encoding_that_was_not_asked_for_is_refused(api: HttpsServer) -> None:
    api.answer = stating(gzip.compress(b"[1]"), content_encoding="gzip")
    with pytest.raises(FailedPrecondition, match="'gzip', which was not requested"):
        call(api)
    assert api.requests[0].headers["accept-encoding"] == "identity"


def dripping_body(handler: Handler) -> None:
    handler.reply(200, b'{"a": "', content_length="1000")
    drip(handler, b"a")


def dripping_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-A: ")
    drip(handler, b"a")


def drip(handler: Handler, text: bytes) -> None:
    while True:  # until the client hangs up
        handler.wfile.write(text)
        handler.wfile.flush()
        time.sleep(0.05)


def never_answer(handler: Handler) -> None:
    with contextlib.suppress(OSError):
        handler.rfile.read(1)  # until the client hangs up


@pytest.mark.parametrize("answer", [dripping_body, dripping_headers, never_answer])
@pytest.mark.parametrize(("key", "error"), [(None, DeadlineExceeded), ("k", OutcomeUnknown)])
def test_the_time_holds_for_everything_together(
    api: HttpsServer, answer: Answer, key: str | None, error: type[AgentError]
) -> None:
    api.answer = answer
    execution = Execution(
        type="api_endpoint", target=f"https://{HOST}:{api.port}/", requires_auth=False
    )
    began = time.monotonic()
    with pytest.raises(error, match="in the time allowed") as caught:
        call_endpoint(execution, arguments={}, call_key=key, timeout_s=0.4)
    assert time.monotonic() - began < 30
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (stating(b"<html>", content_type="text/html"), FailedPrecondition),
        (stating(b"{}", content_type=""), FailedPrecondition),
        (stating(b"{"), FailedPrecondition),
        (stating(b"[" * 100_000), FailedPrecondition),
        (stating(b"NaN"), FailedPrecondition),
        (stating(b'"\\ud800"'), FailedPrecondition),
        (stating(b"9" * 400), FailedPrecondition),
        (stating(b"\xff"), FailedPrecondition),
        (stating(b"[" + b"1," * 30_000 + b"1]"), FailedPrecondition),
        (stating(b"x", content_encoding="br"), FailedPrecondition),
        (stating(gzip.compress(b"[1, 2]"), content_encoding="gzip"), FailedPrecondition),
        (stating(b"12", content_length="4"), Unavailable),
        (lambda handler: None, Unavailable),
        (lambda handler: handler.wfile.write(b"SSH-2.0\r\n\r\n"), Unavailable),
    ],
)
def test_what_is_no_usable_json_is_no_answer_and_leaves_a_write_open(
    api: HttpsServer, answer: Answer, error: type[AgentError]
) -> None:
    api.answer = answer
    with pytest.raises(error) as caught:
        call(api)
    assert type(caught.value) is error
    with pytest.raises(OutcomeUnknown):
        call(api, call_key="k")


@pytest.mark.parametrize("answer", [lambda h: h.reply(204), stating(b"", content_type="")])
def test_an_empty_answer_is_null(api: HttpsServer, answer: Answer) -> None:
    api.answer = answer
    assert call(api, call_key="k") is None


@pytest.mark.parametrize(
    ("status", "error", "of_a_write"),
    [
        (400, InvalidArgument, InvalidArgument),
        (401, FailedPrecondition, FailedPrecondition),
        (403, FailedPrecondition, FailedPrecondition),
        (404, NotFound, NotFound),
        (409, FailedPrecondition, FailedPrecondition),
        (422, InvalidArgument, InvalidArgument),
        (429, ResourceExhausted, ResourceExhausted),
        (304, Unavailable, OutcomeUnknown),
        (408, Unavailable, OutcomeUnknown),
        (500, Unavailable, OutcomeUnknown),
        (503, Unavailable, OutcomeUnknown),
    ],
)
def test_a_status_becomes_an_error_of_ours(
    api: HttpsServer, status: int, error: type[AgentError], of_a_write: type[AgentError]
) -> None:
    api.answer = lambda handler: handler.reply(status, b"no", content_type="text/plain")
    for key, expected in ((None, error), ("k", of_a_write)):
        with pytest.raises(expected) as caught:
            call(api, call_key=key)
        assert type(caught.value) is expected


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "seats must be above 0"}}', "seats must be above 0"),
        (b'{"message": "seats must be above 0"}', "seats must be above 0"),
        (b'{"detail": "' + b"x" * 5000 + b'"}', "x" * 300),
        (b'{"message": "two\\nlines"}', None),
        (b"<html>", None),
    ],
)
def test_what_the_endpoint_says_of_the_arguments_is_passed_on_in_short(
    api: HttpsServer, body: bytes, said: str | None
) -> None:
    api.answer = lambda handler: handler.reply(422, body)
    with pytest.raises(InvalidArgument) as caught:
        call(api)
    ending = f"refuses the arguments: {said}" if said else "refuses the arguments"
    assert caught.value.message.endswith(ending)


def test_when_to_ask_again_is_passed_on(api: HttpsServer) -> None:
    api.answer = lambda handler: handler.reply(429, retry_after="7")
    with pytest.raises(ResourceExhausted) as caught:
        call(api)
    assert caught.value.retry_after_s == 7


def test_a_server_that_is_away_was_told_nothing_even_of_a_write(
    api: HttpsServer, names: Names
) -> None:
    names[HOST] = ["127.0.0.77"]
    with pytest.raises(Unavailable) as caught:
        call(api, call_key="k")
    assert type(caught.value) is Unavailable
