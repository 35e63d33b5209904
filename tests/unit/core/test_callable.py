"""Firebase's callable protocol: accepted requests, refusals and failures."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable

from rollcall.core.context import Call
from rollcall.core.errors import PermissionDenied
from rollcall.core.http import bind_callable
from rollcall.core.logs import report_incident
from rollcall.core.texts import TEXTS
from tests.support.local_functions import Functions, frames, token, use_emulator_tokens

GOOGLE_KEY = "AIza" + "b1" * 17 + "c"
SSE = {"Accept": "text/event-stream"}


@pytest.fixture(autouse=True)
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    use_emulator_tokens(monkeypatch.setenv)


def post(
    handler: Any, body: Any = None, *, headers: dict[str, str] | None = None, raw: bytes = b""
) -> Any:
    """Call a function as a client would, signed in as ann unless the headers say otherwise."""
    functions = Functions({"tried": bind_callable("tried", handler, timeout_s=60)})
    return functions.post("tried", body, headers=headers, raw=raw)


def echo(call: Call) -> Any:
    return {"uid": call.user.uid, "role": call.user.role, "data": call.data}


def test_a_plain_call_answers_once() -> None:
    response = post(echo, {"x": [1, "שלום"]})
    assert response.json == {"result": {"uid": "ann", "role": "user", "data": {"x": [1, "שלום"]}}}


def test_the_role_comes_from_the_token_and_an_unknown_one_counts_as_user() -> None:
    for role, expected in (("admin", "admin"), ("Admin", "user"), (7, "user"), ([], "user")):
        sent = {"Authorization": f"Bearer {token(role=role)}"}
        response = post(echo, {}, headers=sent)
        assert response.json is not None
        assert response.json["result"]["role"] == expected


@pytest.mark.parametrize(
    ("data", "accept", "said"),
    [
        ({"locale": "he"}, None, "השיחה הזאת שייכת לאדם אחר"),
        ({"locale": "he"}, "en-US,en;q=0.9", "השיחה הזאת שייכת לאדם אחר"),
        ({"locale": "en"}, "he-IL", "this thread belongs to someone else"),
        ({}, "he-IL,he;q=0.9,en;q=0.8", "השיחה הזאת שייכת לאדם אחר"),
        ({}, "fr", "this thread belongs to someone else"),
        ({"locale": ["he"]}, None, "this thread belongs to someone else"),
        ([1], None, "this thread belongs to someone else"),
    ],
)
def test_a_refusal_is_in_the_callers_language(data: Any, accept: str | None, said: str) -> None:
    def refuse(call: Call) -> Any:
        raise PermissionDenied(TEXTS.text("errors.others_thread"), field="threadId")

    headers = {"Accept-Language": accept} if accept else {}
    error = post(refuse, data, headers=headers).json["error"]
    assert (error["message"], error["details"]["field"]) == (said, "threadId")
    (framed,) = frames(post(refuse, data, headers={**headers, **SSE}))
    assert framed["error"]["message"] == said


def test_a_handler_is_told_whether_its_chunks_are_read() -> None:
    def watched(call: Call) -> bool:
        return call.streams

    assert post(watched, {}).json == {"result": False}
    assert frames(post(watched, {}, headers=SSE)) == [{"result": True}]


def chunks(call: Call) -> Generator[Any, None, Any]:
    yield {"n": 1}
    yield {"n": 2}
    return {"total": 2}


def test_a_generator_streams_chunks_and_ends_in_its_result() -> None:
    response = post(chunks, {}, headers=SSE)
    assert frames(response) == [
        {"message": {"n": 1}},
        {"message": {"n": 2}},
        {"result": {"total": 2}},
    ]


def test_a_generator_called_plainly_gives_its_result() -> None:
    assert post(chunks, {}).json == {"result": {"total": 2}}


def fail_midway(call: Call) -> Iterator[Any]:
    yield {"n": 1}
    raise PermissionDenied("not yours", field="threadId", hint="ask its owner")


def test_an_error_after_the_first_chunk_is_the_last_frame() -> None:
    response = post(fail_midway, {}, headers=SSE)
    assert response.status_code == 200
    assert frames(response)[-1] == {
        "error": {
            "status": "PERMISSION_DENIED",
            "message": "not yours",
            "details": {
                "code": "permission-denied",
                "field": "threadId",
                "hint": "ask its owner",
            },
        }
    }


def test_a_refusal_before_the_run_is_a_frame_too_since_the_sdk_looks_at_nothing_else() -> None:
    response = post(chunks, {}, headers={**SSE, "Authorization": ""})
    assert response.status_code == 200
    assert frames(response)[0]["error"]["status"] == "UNAUTHENTICATED"


def crashing(call: Call) -> Any:
    raise RuntimeError("key=abc123")


def test_a_callables_crash_tells_an_incident_and_no_more(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FUNCTIONS_EMULATOR")
    response = post(crashing, {})
    assert response.status_code == 500
    assert "abc123" not in response.get_data(as_text=True)
    assert "incident" in response.get_data(as_text=True)
    assert "abc123" in caplog.text


@pytest.mark.parametrize("headers", [{}, SSE], ids=["plain", "stream"])
def test_on_the_emulators_a_crash_brings_its_traceback_for_the_developer(
    headers: dict[str, str],
) -> None:
    response = post(crashing, {}, headers=headers)
    error = (frames(response)[-1] if headers else response.json)["error"]
    (incident,) = error["details"]["incidents"]
    assert f"(incident {incident['id']})" in error["message"]
    assert "in crashing\n    raise RuntimeError" in incident["traceback"]


def report_failure(call: Call) -> Generator[Any, None, Any]:
    yield {"n": 1}
    try:
        raise RuntimeError(f"with {GOOGLE_KEY}")
    except RuntimeError as error:
        return {"incident": report_incident(error, "the tool ping failed")}


@pytest.mark.parametrize("headers", [{}, SSE], ids=["plain", "stream"])
def test_on_the_emulators_what_broke_off_stands_beside_the_result(headers: dict[str, str]) -> None:
    response = post(report_failure, {}, headers=headers)
    last = frames(response)[-1] if headers else response.json
    (incident,) = last["incidents"]
    assert last["result"] == {"incident": incident["id"]}
    assert "in report_failure" in incident["traceback"]
    assert GOOGLE_KEY not in incident["traceback"]


def test_in_production_nothing_stands_beside_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FUNCTIONS_EMULATOR")
    assert set(post(report_failure, {}).json) == {"result"}


def test_a_database_that_does_not_answer_may_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FUNCTIONS_EMULATOR")

    def busy(call: Call) -> Any:
        raise ServiceUnavailable("10.0.0.7:443 refused")

    response = post(busy, {})
    assert response.status_code == 503
    assert "10.0.0.7" not in response.get_data(as_text=True)
    assert response.json["error"]["details"]["retryAfterS"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer forged.token.here"}, 401),
        ({"Authorization": f"Bearer {token(expires_in=-60)}"}, 401),
        ({"Authorization": f"Bearer {token(aud='other', iss='x')}"}, 401),
        ({"Authorization": "Basic abc"}, 401),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_who_is_not_signed_in_or_sends_no_json_is_refused(
    headers: dict[str, str], status: int
) -> None:
    response = post(echo, {}, headers=headers)
    assert response.status_code == status
    assert response.json is not None
    assert response.json["error"]["details"]["code"]
    assert response.json["error"]["message"]


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"agent": "messaging"}',
        b'{"data": {}, "more": 1}',
        b"[" * 50_000,
        b'{"data": {"a": "\\ud800"}}',
        b'{"data": {"a": NaN}}',
        b'{"data": ' + b"[" * 40 + b"]" * 40 + b"}",
        b"\xff\xfe\x00",
    ],
)
def test_plain_http_without_the_envelope_is_refused_in_words(raw: bytes) -> None:
    response = post(echo, raw=raw)
    assert response.status_code == 400
    assert response.json is not None
    assert response.json["error"]["status"] == "INVALID_ARGUMENT"


def test_a_get_is_told_how_to_call() -> None:
    functions = Functions({"tried": bind_callable("tried", echo, timeout_s=60)})
    response = functions.post("tried", {}, method="GET")
    assert response.status_code == 400
    assert "POST" in response.get_data(as_text=True)


def test_a_callable_may_be_called_by_a_browser_from_another_origin() -> None:
    response = post(chunks, {}, headers={**SSE, "Origin": "https://app.example"})
    assert response.headers["Access-Control-Allow-Origin"]
    response.get_data()


def test_a_client_that_leaves_ends_the_run() -> None:
    closed: list[str] = []

    def endless(call: Call) -> Generator[Any, None, Any]:
        try:
            while True:
                yield {"tick": 1}
        finally:
            closed.append("closed")

    response = post(endless, {}, headers=SSE)
    stream = response.response
    assert b"tick" in next(iter(stream))
    response.close()
    waited = time.monotonic() + 10
    while not closed and time.monotonic() < waited:
        time.sleep(0.01)
    assert closed == ["closed"]
