"""Deleted accounts: only a definite answer of Auth counts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import firebase_admin  # type: ignore[import-untyped]
import pytest

from rollcall.core.errors import Unavailable
from rollcall.store import departed_users, erasure


class Auth:
    """Auth's REST interface, as far as it is asked here. `fails` is an HTTP status."""

    def __init__(self) -> None:
        self.users: dict[str, dict[str, Any]] = {}
        self.fails: int | None = None

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.fails:
            return self.fails, {"error": {"message": "BACKEND_ERROR", "code": self.fails}}
        if path.endswith("accounts:lookup"):
            found = [self.users[uid] for uid in body["localId"] if uid in self.users]
            return 200, {"users": found} if found else {}
        if self.users.pop(body["localId"], None) is None:
            return 400, {"error": {"message": "USER_NOT_FOUND", "code": 400}}
        return 200, {"kind": "identitytoolkit#DeleteAccountResponse"}


@pytest.fixture
def auth(monkeypatch: pytest.MonkeyPatch) -> Iterator[Auth]:
    served = Auth()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = served.answer(self.path, body)
            sent = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *args: Any) -> None:
            """Not a word."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", f"127.0.0.1:{server.server_port}")
    before = firebase_admin._apps.pop("[DEFAULT]", None)
    app = firebase_admin.initialize_app(options={"projectId": "demo-accounts"})
    yield served
    firebase_admin.delete_app(app)
    if before is not None:
        firebase_admin._apps["[DEFAULT]"] = before
    server.shutdown()
    server.server_close()
    thread.join()


def user(uid: str, **more: Any) -> dict[str, Any]:
    return {"localId": uid, **more}


def test_an_account_that_is_not_there_is_gone(auth: Auth) -> None:
    auth.users = {"ann": user("ann")}
    assert departed_users.find_missing_accounts(["bob", "ann"]) == ["bob"]


def test_a_disabled_account_is_an_account(auth: Auth) -> None:
    auth.users = {"ann": user("ann", disabled=True)}
    assert departed_users.find_missing_accounts(["ann", "bob"]) == ["bob"]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_an_auth_that_fails_says_nothing_of_any_account(auth: Auth, status: int) -> None:
    auth.fails = status
    with pytest.raises(Unavailable):
        departed_users.find_missing_accounts(["ann"])
    with pytest.raises(Unavailable):
        erasure.delete_account("ann")


def test_nobody_is_asked_about_what_cannot_be_a_user_id(auth: Auth) -> None:
    auth.fails = 500
    assert departed_users.find_missing_accounts(["", "x" * 129]) == []
    assert departed_users.find_missing_accounts([]) == []


def test_an_account_is_deleted_once_and_a_repeat_is_no_error(auth: Auth) -> None:
    auth.users = {"ann": user("ann")}
    erasure.delete_account("ann")
    erasure.delete_account("ann")
    assert departed_users.find_missing_accounts(["ann"]) == ["ann"]
