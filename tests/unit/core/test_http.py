"""Plain HTTP: accepted requests, the status of refusals, and streams."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from typing import Any

import pytest

from rollcall.core.context import Call
from rollcall.core.errors import Aborted, AlreadyExists, NotFound, PermissionDenied
from rollcall.core.http import bind_request
from tests.support.local_functions import Functions, frames, token, use_emulator_tokens

MAX_BYTES = 1_000


@pytest.fixture(autouse=True)
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    use_emulator_tokens(monkeypatch.setenv)


def send(handler: Any, body: Any = None, *, path: str = "tried/here", **more: Any) -> Any:
    bound = bind_request("tried", handler, timeout_s=60, max_bytes=MAX_BYTES)
    return Functions({"tried": bound}).send(path, {} if body is None else body, **more)


def echo(call: Call) -> Any:
    return {"uid": call.user.uid, "path": call.path, "data": call.data}


def test_json_goes_in_and_comes_out_with_the_path_and_the_verified_user() -> None:
    response = send(echo, {"x": "שלום", "uid": "eve"})
    assert response.json == {"uid": "ann", "path": "here", "data": {"x": "שלום", "uid": "eve"}}
    assert send(echo, {}, path="tried").json == {"uid": "ann", "path": "", "data": {}}


def test_the_function_is_declared_for_everybody_to_invoke() -> None:
    bound = bind_request("tried", echo, timeout_s=60, max_bytes=MAX_BYTES)
    declared = bound.__firebase_endpoint__
    assert (declared.httpsTrigger, declared.timeoutSeconds) == ({"invoker": ["public"]}, 60)


def test_a_get_has_no_data() -> None:
    assert send(echo, method="GET").json == {"uid": "ann", "path": "here", "data": None}


def events(call: Call) -> Generator[Any, None, None]:
    yield {"n": 1}
    yield None
    yield {"n": 2}


def test_a_generator_streams_its_events_as_they_are() -> None:
    response = send(events)
    assert (response.status_code, response.mimetype) == (200, "text/event-stream")
    assert frames(response) == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (PermissionDenied("not yours", field="threadId"), 403),
        (NotFound("no such agent"), 404),
        (AlreadyExists("used before"), 409),
        (Aborted("busy", retry_after_s=1.2), 409),
    ],
)
def test_what_is_raised_before_the_first_event_has_a_status(error: Any, status: int) -> None:
    def refusing(call: Call) -> Generator[Any, None, None]:
        raise error
        yield {}

    response = send(refusing)
    told = {"code": error.code, "message": error.message, "details": error.details}
    assert (response.status_code, response.json) == (status, {"error": told})
    assert response.headers.get("Retry-After") == ("2" if error.retry_after_s else None)


def test_a_crash_tells_an_incident_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    def crashing(call: Call) -> Any:
        raise RuntimeError("key=abc123")

    response = send(crashing)
    assert response.status_code == 500
    assert "abc123" not in response.get_data(as_text=True)
    assert "abc123" in caplog.text


def test_what_breaks_off_after_the_first_event_ends_the_stream_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def breaking(call: Call) -> Generator[Any, None, None]:
        yield {"n": 1}
        raise RuntimeError("key=abc123")

    response = send(breaking)
    assert frames(response) == [{"n": 1}]
    assert "abc123" in caplog.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer forged.token.here"},
        {"Authorization": f"Bearer {token(expires_in=-60)}"},
        {"Authorization": "Basic abc"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nobody_gets_in_without_a_token_of_this_project(
    headers: dict[str, str], method: str
) -> None:
    response = send(echo, headers=headers, method=method)
    assert (response.status_code, response.json["error"]["code"]) == (401, "unauthenticated")


def test_app_check_is_enforced_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollcall.core.http.app_check", lambda: True)
    assert send(echo).status_code == 401


@pytest.mark.parametrize("raw", [b"{", b"[" * 500, b"\xff\xfe\x00", b"x"])
def test_what_is_no_json_is_refused_in_words(raw: bytes) -> None:
    response = send(echo, raw=raw)
    assert (response.status_code, response.json["error"]["code"]) == (400, "invalid-argument")
    assert "JSON" in response.json["error"]["message"]


def test_another_content_type_and_another_method_are_refused() -> None:
    assert send(echo, headers={"Content-Type": "text/plain"}).status_code == 400
    response = send(echo, method="PUT")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, POST")


def test_a_body_that_is_too_large_is_refused_by_its_own_status() -> None:
    response = send(echo, {"x": "a" * MAX_BYTES})
    assert (response.status_code, response.json["error"]["code"]) == (413, "resource-exhausted")
    assert "at most 1,000" in response.json["error"]["message"]
    assert send(echo, raw=json.dumps({"x": "a" * (MAX_BYTES - 9)}).encode()).status_code == 200


def test_a_browser_may_call_from_another_origin() -> None:
    asked = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    preflight = send(echo, headers={**asked, "Authorization": ""}, method="OPTIONS")
    assert preflight.status_code == 200
    assert preflight.headers["Access-Control-Allow-Origin"]
    assert "authorization" in preflight.headers["Access-Control-Allow-Headers"].lower()
    refused = send(echo, headers={"Origin": "https://app.example", "Authorization": ""})
    assert refused.headers["Access-Control-Allow-Origin"]


def test_a_client_that_leaves_ends_the_stream() -> None:
    closed: list[str] = []

    def endless(call: Call) -> Generator[Any, None, None]:
        try:
            while True:
                yield {"tick": 1}
        finally:
            closed.append("closed")

    response = send(endless)
    assert b"tick" in next(iter(response.response))
    response.close()
    ends = time.monotonic() + 10
    while not closed and time.monotonic() < ends:
        time.sleep(0.01)
    assert closed == ["closed"]
