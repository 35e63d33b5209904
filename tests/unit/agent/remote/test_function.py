"""Calls of Cloud Functions by the callable protocol, for a user, over real connections."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import google.oauth2.id_token
import pytest
from google.auth.exceptions import DefaultCredentialsError

from rollcall.agent.remote import function as remote
from rollcall.agent.remote.function import call_function
from rollcall.agent.targets import remote_target
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    NotFound,
    OutcomeUnknown,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.logs import in_request
from rollcall.core.statement import HEADER, verified
from rollcall.core.wire import Role
from rollcall.registry.capabilities import read_capability
from rollcall.registry.entries import Execution
from tests.support.https_server import Answer, Handler, HttpsServer
from tests.support.local_functions import PROJECT, token, use_emulator_tokens
from tests.support.office_pack import client_tool

ANN = User("ann", role=Role.TEACHER, tenant="north")
FIND_ROOMS = {"type": "firebase_function", "target": "findRooms"}
Serve = Callable[[str, Answer], HttpsServer]


def result(handler: Handler) -> None:
    handler.reply(200, b'{"result": {"rooms": 2}}')


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpsServer]:
    """The functions emulator, as far as a caller sees it."""
    server = HttpsServer(None, "", result)
    use_emulator_tokens(monkeypatch.setenv)
    monkeypatch.delenv("ROLLCALL_REGION", raising=False)
    monkeypatch.setenv("FUNCTIONS_EMULATOR_HOST", f"127.0.0.1:{server.port}")
    monkeypatch.setenv("ROLLCALL_STATEMENT_SECRET", "a secret of the tests that is long enough")
    yield server
    server.close()


def call(target: str = "findRooms", arguments: Any = None, **options: Any) -> Any:
    execution = Execution(type="firebase_function", target=target)
    given = {"user": ANN, "token": None, "timeout_s": 60.0, **options}
    return call_function(execution, arguments=arguments or {}, **given)


def test_a_function_is_called_by_its_name_in_this_project_and_region(
    emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(arguments={"city": "חיפה"}, call_key="key-1", locale="he") == {"rooms": 2}
    [request] = emulator.requests
    assert (request.method, request.path) == ("POST", f"/{PROJECT}/us-central1/findRooms")
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.body) == {
        "data": {"arguments": {"city": "חיפה"}, "callKey": "key-1", "locale": "he"}
    }
    monkeypatch.setenv("ROLLCALL_REGION", "europe-west1")
    call()
    assert emulator.requests[1].path == f"/{PROJECT}/europe-west1/findRooms"
    assert json.loads(emulator.requests[1].body) == {"data": {"arguments": {}}}


def test_a_function_is_told_where_the_client_says_that_the_user_is(emulator: HttpsServer) -> None:
    document = {**client_tool("find_rooms"), "runsOn": "server", "execution": FIND_ROOMS}
    target = remote_target(read_capability(document), ANN, None, lambda: 60.0)
    target.run(ToolContext(ANN, locale="he", context={"projectId": "house"}), {})
    call(context={})
    told = [json.loads(request.body)["data"] for request in emulator.requests]
    assert told == [
        {"arguments": {}, "context": {"projectId": "house"}, "locale": "he"},
        {"arguments": {}},
    ]


@pytest.mark.parametrize("value", [float("inf"), 2**64, "\ud800"])
def test_arguments_that_are_no_sound_json_are_not_sent(emulator: HttpsServer, value: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        call(arguments={"x": value})
    assert (caught.value.field, emulator.connections) == ("arguments.x", 0)


def test_without_a_token_a_statement_says_who_the_user_is(emulator: HttpsServer) -> None:
    call()
    [request] = emulator.requests
    assert "authorization" not in request.headers
    stated = verified(request.headers[HEADER.lower()], function="findRooms", body=request.body)
    assert stated == ANN


def test_the_users_token_goes_along_and_so_does_the_statement(emulator: HttpsServer) -> None:
    sent = token("ann")
    call(token=sent)
    [request] = emulator.requests
    assert request.headers["authorization"] == f"Bearer {sent}"
    assert verified(request.headers[HEADER.lower()], function="findRooms", body=request.body)


def test_the_trace_of_the_request_goes_along(emulator: HttpsServer) -> None:
    header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    in_request("run_agent", call, {"traceparent": header}.get)
    call()
    assert [each.headers.get("traceparent") for each in emulator.requests] == [header, None]


@pytest.mark.parametrize("sent", [token(expires_in=-5), token(expires_in=20), "no token"])
def test_a_token_that_is_over_or_soon_is_stays_here(emulator: HttpsServer, sent: str) -> None:
    call(token=sent)
    assert "authorization" not in emulator.requests[0].headers


def test_without_a_secret_only_a_users_token_opens_a_function(
    emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROLLCALL_STATEMENT_SECRET")
    with pytest.raises(FailedPrecondition, match="no secret"):
        call()
    assert emulator.connections == 0
    call(token=token("ann"))
    assert HEADER.lower() not in emulator.requests[0].headers
    monkeypatch.setenv("ROLLCALL_STATEMENT_SECRET", "short")
    with pytest.raises(FailedPrecondition, match="no secret"):
        call(token=token("ann"))


def test_the_emulators_hub_tells_where_functions_are(
    emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {"functions": {"host": "127.0.0.1", "port": emulator.port}}
    hub = HttpsServer(None, "", lambda handler: handler.reply(200, json.dumps(place).encode()))
    monkeypatch.delenv("FUNCTIONS_EMULATOR_HOST")
    monkeypatch.setenv("FIREBASE_EMULATOR_HUB", f"127.0.0.1:{hub.port}")
    try:
        assert call() == {"rooms": 2}
        assert call() == {"rooms": 2}
        assert [request.path for request in hub.requests] == ["/emulators"]
    finally:
        hub.close()


def test_an_emulator_that_nobody_names_is_not_guessed(
    emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FUNCTIONS_EMULATOR_HOST")
    monkeypatch.delenv("FIREBASE_EMULATOR_HUB", raising=False)
    with pytest.raises(FailedPrecondition, match="emulator"):
        call()
    monkeypatch.setenv("FIREBASE_EMULATOR_HUB", "127.0.0.1:1")
    with pytest.raises(Unavailable):
        call()


# In production


@pytest.fixture
def production(emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The audiences that this service asked an identity for."""
    audiences: list[str] = []

    def fetch(transport: Any, audience: str) -> str:
        audiences.append(audience)
        return f"identity for {audience}"

    monkeypatch.delenv("FUNCTIONS_EMULATOR")
    monkeypatch.setattr(google.oauth2.id_token, "fetch_id_token", fetch)
    return audiences


def test_a_url_is_called_with_the_services_identity_in_a_header_of_its_own(
    production: list[str], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve("us-east1-other.cloudfunctions.net", result)
    authority = f"us-east1-other.cloudfunctions.net:{server.port}"
    monkeypatch.setenv("ROLLCALL_FUNCTION_HOSTS", authority)
    sent = token("ann")
    assert call(f"https://{authority}/find_rooms", token=sent) == {"rooms": 2}
    [request] = server.requests
    assert (request.path, request.headers["host"]) == ("/find_rooms", authority)
    assert request.headers["authorization"] == f"Bearer {sent}"
    assert production == ["https://us-east1-other.cloudfunctions.net/find_rooms"]
    identity = f"Bearer identity for {production[0]}"
    assert request.headers["x-serverless-authorization"] == identity
    assert verified(request.headers[HEADER.lower()], function="find_rooms", body=request.body)


def test_a_cloud_run_service_is_its_own_audience(
    production: list[str], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve("rooms-abc-uc.a.run.app", result)
    monkeypatch.setenv("ROLLCALL_FUNCTION_HOSTS", f"*.a.run.app:{server.port}")
    assert call(f"https://rooms-abc-uc.a.run.app:{server.port}") == {"rooms": 2}
    assert production == ["https://rooms-abc-uc.a.run.app"]
    [request] = server.requests
    stated = request.headers[HEADER.lower()]
    assert verified(stated, function="rooms-abc-uc.a.run.app", body=request.body) == ANN


def test_a_name_leads_to_this_projects_own_functions(production: list[str]) -> None:
    place = remote._address("findRooms")
    assert place.host == f"us-central1-{PROJECT}.cloudfunctions.net"
    assert (place.authority, place.path) == (place.host, "/findRooms")


@pytest.mark.parametrize(
    ("target", "listed"),
    [
        ("https://us-p.cloudfunctions.net/find", ""),
        ("https://us-p.cloudfunctions.net/find", "other.cloudfunctions.net"),
        ("https://api.example.com/find", "api.example.com"),
        ("https://evilrun.app/find", "evilrun.app"),
        ("https://x.run.app.example.com/find", "x.run.app.example.com"),
        ("https://x.run.app@127.0.0.1/find", "x.run.app"),
    ],
)
def test_a_url_must_be_googles_and_listed(
    production: list[str], target: str, listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_FUNCTION_HOSTS", listed)
    with pytest.raises(FailedPrecondition):
        call(target, token=token("ann"))
    assert production == []


def test_a_service_without_an_identity_says_so(
    production: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(transport: Any, audience: str) -> str:
        raise DefaultCredentialsError("no metadata server at 169.254.169.254")  # type: ignore[no-untyped-call]

    monkeypatch.setattr(google.oauth2.id_token, "fetch_id_token", fetch)
    with pytest.raises(FailedPrecondition, match="identity") as caught:
        call()
    assert "169.254" not in str(caught.value)


# What comes back


def test_the_functions_error_is_ours_with_all_that_it_said(emulator: HttpsServer) -> None:
    error = {
        "status": "INVALID_ARGUMENT",
        "message": "seats must be above 0",
        "details": {"field": "arguments.seats", "hint": "say how many", "retryAfterS": 2},
    }
    body = json.dumps({"error": error}).encode()
    emulator.answer = lambda handler: handler.reply(400, body)
    with pytest.raises(InvalidArgument) as caught:
        call(call_key="k")
    assert caught.value.message == "seats must be above 0"
    assert (caught.value.field, caught.value.hint) == ("arguments.seats", "say how many")
    assert caught.value.retry_after_s == 2


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"status": "PERMISSION_DENIED", "message": "no"}, PermissionDenied),
        ({"status": "NOT_FOUND"}, NotFound),
        ({"status": "RESOURCE_EXHAUSTED", "details": "x"}, ResourceExhausted),
        (
            {"status": "INTERNAL", "details": {"field": 7, "hint": [], "retryAfterS": True}},
            Internal,
        ),
        ({"status": "OUT_OF_RANGE"}, Internal),
        ({"status": "FAILED"}, Internal),  # the code of a tool call's end, and of no answer
        ({"status": ["x"], "message": {"a": 1}}, Internal),
        ({}, Internal),
    ],
)
def test_a_code_that_is_not_ours_is_internal(
    emulator: HttpsServer, said: dict[str, Any], expected: type[AgentError]
) -> None:
    emulator.answer = lambda handler: handler.reply(500, json.dumps({"error": said}).encode())
    with pytest.raises(expected) as caught:
        call()
    assert type(caught.value) is expected
    assert caught.value.message


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("INTERNAL", OutcomeUnknown),
        ("UNAVAILABLE", OutcomeUnknown),
        ("DEADLINE_EXCEEDED", OutcomeUnknown),
        ("UNKNOWN", OutcomeUnknown),
        ("FAILED", OutcomeUnknown),
        ("RESOURCE_EXHAUSTED", ResourceExhausted),
        ("NOT_FOUND", NotFound),
    ],
)
def test_an_error_that_leaves_open_how_far_it_came_leaves_a_write_open(
    emulator: HttpsServer, status: str, expected: type[AgentError]
) -> None:
    body = json.dumps({"error": {"status": status, "message": "it stopped"}}).encode()
    emulator.answer = lambda handler: handler.reply(500, body)
    with pytest.raises(expected, match="it stopped") as caught:
        call(call_key="k")
    assert type(caught.value) is expected


def reply(status: int, body: bytes = b"<html>", kind: str = "text/html") -> Answer:
    return lambda handler: handler.reply(status, body, content_type=kind)


@pytest.mark.parametrize(
    ("answer", "error", "of_a_write"),
    [
        (reply(401), FailedPrecondition, FailedPrecondition),
        (reply(403), FailedPrecondition, FailedPrecondition),
        (reply(404), FailedPrecondition, FailedPrecondition),
        (reply(429), ResourceExhausted, ResourceExhausted),
        (reply(302), FailedPrecondition, FailedPrecondition),
        (reply(500), Unavailable, OutcomeUnknown),
        (reply(503), Unavailable, OutcomeUnknown),
        (reply(500, b'{"error": "x"}', "application/json"), Unavailable, OutcomeUnknown),
        (reply(200), FailedPrecondition, OutcomeUnknown),
        (reply(200, b"[]", "application/json"), FailedPrecondition, OutcomeUnknown),
        (reply(200, b'{"result": NaN}', "application/json"), FailedPrecondition, OutcomeUnknown),
        (reply(200, b" " * 1_000_001, "application/json"), FailedPrecondition, OutcomeUnknown),
        (lambda handler: None, Unavailable, OutcomeUnknown),
    ],
)
def test_an_answer_that_is_no_functions_leaves_a_write_open(
    emulator: HttpsServer, answer: Answer, error: type[AgentError], of_a_write: type[AgentError]
) -> None:
    emulator.answer = answer
    for key, expected in ((None, error), ("k", of_a_write)):
        with pytest.raises(expected) as caught:
            call(call_key=key)
        assert type(caught.value) is expected
        assert "127.0.0.1" not in str(caught.value)


def test_a_function_that_takes_too_long_is_late_or_of_unknown_outcome(
    emulator: HttpsServer,
) -> None:
    emulator.answer = lambda handler: handler.rfile.read(1) and None  # until it is hung up on
    for key, expected in ((None, DeadlineExceeded), ("k", OutcomeUnknown)):
        with pytest.raises(expected) as caught:
            call(call_key=key, timeout_s=0.2)
        assert type(caught.value) is expected


def test_a_function_that_is_away_was_told_nothing(
    emulator: HttpsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUNCTIONS_EMULATOR_HOST", "127.0.0.77:1")
    with pytest.raises(Unavailable) as caught:
        call(call_key="k")
    assert type(caught.value) is Unavailable
