"""Push notifications to deciders, against a server that speaks FCM's HTTP v1 wire format."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import firebase_admin
import pytest
from firebase_admin import messaging
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from rollcall.agent import platform
from rollcall.core.context import Decider
from rollcall.core.wire import Role

_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"


class Fcm:
    """A server that takes messages; `errors` says by token how it refuses one."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.paths: set[str] = set()
        self.errors: dict[str, tuple[int, str, str]] = {}
        self.may_answer = threading.Event()
        self.may_answer.set()
        fcm = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fcm.may_answer.wait(60)
                status, answer = fcm.answer(self.path, body)
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=UTF-8")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: Any) -> None:
                """Tests say what went wrong."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/projects/{{0}}/messages:send"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.paths.add(path)
        self.sent.append(body["message"])
        failure = self.errors.get(body["message"]["token"])
        if failure is None:
            return 200, {"name": f"projects/demo-push/messages/{len(self.sent)}"}
        status, grpc, fcm = failure
        detail = {"@type": _ERROR, "errorCode": fcm}
        message = f"no {body['message']['token']}"
        return status, {
            "error": {"code": status, "message": message, "status": grpc, "details": [detail]}
        }

    @property
    def tokens(self) -> list[str]:
        return sorted(message["token"] for message in self.sent)


@pytest.fixture
def fcm(db: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fcm]:
    """FCM as a deployment outside of the emulators reaches it."""
    server = Fcm()
    monkeypatch.setattr(messaging._MessagingService, "FCM_URL", server.url)
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST")
    with contextlib.suppress(ValueError):  # of the tests before, or none
        firebase_admin.delete_app(firebase_admin.get_app())
    app = firebase_admin.initialize_app(AnonymousCredentials(), {"projectId": "demo-push"})
    yield server
    firebase_admin.delete_app(app)
    server.server.shutdown()
    server.server.server_close()


def register(db: Client, id: str, uid: str, **more: Any) -> None:
    document = {"uid": uid, "token": f"token-{id}", "platform": "web", "schemaVersion": 1, **more}
    db.document(f"devices/{id}").set(document)


def test_every_device_of_the_decider_is_told_once_and_nobody_elses(db: Client, fcm: Fcm) -> None:
    register(db, "phone", "dana")
    register(db, "laptop", "dana")
    register(db, "again", "dana", token="token-phone")
    register(db, "toms", "tom")
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert fcm.tokens == ["token-laptop", "token-phone"]
    assert fcm.paths == {"/v1/projects/demo-push/messages:send"}


def test_it_says_that_something_waits_and_not_what(db: Client, fcm: Fcm) -> None:
    register(db, "phone", "dana")
    db.document("approvals/a1").set({"uid": "dana", "summary": "Send the secret"})
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert fcm.sent == [
        {
            "token": "token-phone",
            "notification": {"body": "Something waits for your decision."},
            "data": {"type": "approval", "approvalId": "a1"},
        }
    ]


@pytest.mark.parametrize(
    ("locale", "body"),
    [
        ("he", "יש משהו שממתין להחלטתך."),
        ("en", "Something waits for your decision."),
        ("fr", "Something waits for your decision."),
        (7, "Something waits for your decision."),
    ],
)
def test_it_speaks_the_devices_language(db: Client, fcm: Fcm, locale: Any, body: str) -> None:
    register(db, "phone", "dana", locale=locale)
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert fcm.sent[0]["notification"]["body"] == body


def test_a_role_is_told_on_its_own_tenants_devices_without_who_asked(db: Client, fcm: Fcm) -> None:
    for id, uid, role, tenant in (
        ("student", "s", "student", "north"),
        ("teacher", "t", "teacher", "north"),
        ("admin", "a", "admin", "north"),
        ("asker", "asker", "teacher", "north"),
        ("elsewhere", "e", "teacher", "south"),
        ("nowhere", "n", "admin", None),
    ):
        register(db, id, uid, role=role, tenant=tenant)
    register(db, "plain", "p")
    four_eyes = Decider(role=Role.TEACHER, tenant="north", not_uid="asker")
    platform.notify(db, four_eyes, approval_id="a1")
    assert fcm.tokens == ["token-admin", "token-teacher"]


def test_an_unregistered_token_is_forgotten_and_any_other_failure_is_not(
    db: Client, fcm: Fcm, caplog: pytest.LogCaptureFixture
) -> None:
    register(db, "gone", "dana")
    register(db, "twin", "dana", token="token-gone")
    register(db, "other", "dana")
    register(db, "phone", "dana")
    fcm.errors["token-gone"] = (404, "NOT_FOUND", "UNREGISTERED")
    fcm.errors["token-other"] = (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH")
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    left = {snapshot.id for snapshot in db.collection("devices").stream()}
    assert left == {"other", "phone"}
    assert "push to the device other failed: SenderIdMismatchError" in caplog.text
    assert "token-" not in caplog.text


def test_at_most_a_hundred_devices_are_told(
    db: Client, fcm: Fcm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "MAX_SECONDS", 300)  # however busy the machine is
    batch = db.batch()
    for n in range(120):
        batch.set(db.document(f"devices/d{n}"), {"uid": "dana", "token": f"t{n}"})
    batch.commit()
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert len(set(fcm.tokens)) == platform.MAX_DEVICES == len(fcm.sent)


def test_no_device_no_request(db: Client, fcm: Fcm) -> None:
    register(db, "broken", "dana", token=None)
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    platform.notify(db, Decider(), approval_id="a1")
    assert fcm.sent == []


def test_a_slow_push_service_is_not_waited_for(
    db: Client, fcm: Fcm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    register(db, "phone", "dana")
    fcm.may_answer.clear()
    monkeypatch.setattr(platform, "MAX_SECONDS", 0.3)
    started = time.monotonic()
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert time.monotonic() - started < 30
    assert "takes too long" in caplog.text
    fcm.may_answer.set()
    for thread in threading.enumerate():
        if thread.name == "push":
            thread.join()


def test_a_push_service_that_is_down_is_a_line_in_the_log(
    db: Client, fcm: Fcm, caplog: pytest.LogCaptureFixture
) -> None:
    register(db, "phone", "dana")
    fcm.server.shutdown()
    fcm.server.server_close()
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert "push to the device phone failed" in caplog.text
    assert {record.levelno for record in caplog.records if record.name == "rollcall"} == {
        logging.WARNING
    }


def test_an_app_that_is_not_set_up_is_a_line_in_the_log(
    db: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    register(db, "phone", "dana")
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST")
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert "push for the approval a1 failed: ValueError" in caplog.text


def test_without_credentials_nothing_is_said(
    db: Client, fcm: Fcm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from google.auth.exceptions import DefaultCredentialsError

    def none(*args: Any) -> None:
        raise DefaultCredentialsError("none")

    register(db, "phone", "dana")
    monkeypatch.setattr(messaging, "send_each", none)
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert [record for record in caplog.records if record.levelno > logging.DEBUG] == []


def test_the_emulators_push_nothing(db: Client, fcm: Fcm, monkeypatch: pytest.MonkeyPatch) -> None:
    register(db, "phone", "dana")
    monkeypatch.setenv("FUNCTIONS_EMULATOR", "true")
    platform.notify(db, Decider(uid="dana"), approval_id="a1")
    assert fcm.sent == []
