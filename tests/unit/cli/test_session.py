"""Signing in at a project, against a server that speaks as Google's does."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import jwt
import pytest

from rollcall_cli import main as command
from rollcall_cli.ask import FAILED
from rollcall_cli.deployment import Deployment
from rollcall_cli.http import CallError
from rollcall_cli.identity import User, sign_in_with_token
from rollcall_cli.options import USAGE
from rollcall_cli.session import start_session
from rollcall_cli.settings import load

ID_TOKEN = jwt.encode({"sub": "noa"}, "", algorithm="none")


class _Google(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        is_form = "form" in self.headers["Content-Type"]
        body: Any = parse_qs(text) if is_form else json.loads(text)
        self.server.seen.append((self.path, body))
        status, answer = 200, {"idToken": ID_TOKEN, "refreshToken": "refresh-1"}
        if "/token?" in self.path and body["refresh_token"] == ["refresh-1"]:
            answer = {"id_token": ID_TOKEN, "refresh_token": "refresh-2", "user_id": "noa"}
        elif "accounts:query" in self.path:
            users = [{"email": "rina@example.com"}, {"localId": "x"}, {"email": "dan@example.com"}]
            answer = {"userInfo": users} if self.headers["Authorization"] == "Bearer owner" else {}
        elif "/token?" in self.path:
            status, answer = 400, {"error": {"message": "TOKEN_EXPIRED"}}
        elif body.get("password") == "new" and "signUp" not in self.path:
            status, answer = 400, {"error": {"message": "EMAIL_NOT_FOUND"}}
        elif body.get("password") == "short":
            is_new = "signUp" in self.path
            status = 400
            answer = {"error": {"message": "WEAK_PASSWORD" if is_new else "EMAIL_NOT_FOUND"}}
        elif body.get("password") == "wrong" and "signUp" in self.path:
            status, answer = 400, {"error": {"message": "EMAIL_EXISTS"}}
        elif body.get("password") == "wrong":
            status, answer = 400, {"error": {"message": "INVALID_LOGIN_CREDENTIALS"}}
        sent = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def google() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Google)
    server.seen = []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def deployment(google: Any, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    host = f"127.0.0.1:{google.server_port}"
    deployment = Deployment.emulators(
        auth=host, firestore=host, functions=host, project="my-project"
    )
    monkeypatch.setattr(Deployment, "production", classmethod(lambda cls, **named: deployment))
    return deployment


def env(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"ROLLCALL_CONFIG": str(tmp_path / "config.json"), **more}


def test_password_signs_in_and_is_not_kept(
    deployment: Deployment, google: Any, tmp_path: Path
) -> None:
    settings = env(tmp_path, ROLLCALL_PASSWORD="secret-1", ROLLCALL_API_KEY="AIza")
    arguments = ["login", "--project", "my-project", "--email", "noa@example.com"]
    assert command.main(arguments, settings) == 0
    kept = load(tmp_path / "config.json")
    assert kept is not None
    assert (kept.project, kept.email, kept.refresh_token) == (
        "my-project",
        "noa@example.com",
        "refresh-1",
    )
    assert "secret-1" not in (tmp_path / "config.json").read_text()


def test_a_prefix_is_kept_with_the_sign_in(deployment: Deployment, tmp_path: Path) -> None:
    settings = env(tmp_path, ROLLCALL_PASSWORD="secret-1", ROLLCALL_API_KEY="AIza")
    arguments = ["login", "--project", "my-project", "--email", "noa@example.com"]
    for more, expected in (
        ([], ""),
        (["--prefix", "rc"], "rc"),
        ([], "rc"),  # it is asked for no second time
        (["--prefix", "own"], "own"),
        (["--anew"], ""),
    ):
        assert command.main([*arguments, *more], settings) == 0
        kept = load(tmp_path / "config.json")
        assert kept is not None
        assert kept.prefix == expected
    assert command.main([*arguments, "--prefix", "R_C"], settings) == command.PROBLEM


def test_custom_token_signs_in(deployment: Deployment, google: Any) -> None:
    user = sign_in_with_token(deployment, "made-by-a-server")
    assert user.uid == "noa"
    assert google.seen[0][1] == {"token": "made-by-a-server", "returnSecureToken": True}


def test_sign_in_from_before_is_renewed_once_for_many_calls(
    deployment: Deployment, google: Any
) -> None:
    user = User(deployment, refresh_token="refresh-1")
    assert (user.uid, user.token(), user.token()) == ("noa", ID_TOKEN, ID_TOKEN)
    assert len(google.seen) == 1
    assert user.refresh_token == "refresh-2"


def test_sign_in_that_is_no_longer_good_says_so(deployment: Deployment) -> None:
    with pytest.raises(CallError, match="no longer good") as caught:
        User(deployment, refresh_token="old").token()
    assert caught.value.code == "unauthenticated"


def test_wrong_password_is_told_and_nothing_is_kept(
    deployment: Deployment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = env(tmp_path, ROLLCALL_PASSWORD="wrong", ROLLCALL_API_KEY="AIza")
    arguments = ["login", "--project", "my-project", "--email", "noa@example.com"]
    assert command.main(arguments, settings) == FAILED
    assert "the password is wrong" in capsys.readouterr().err
    assert not (tmp_path / "config.json").exists()


@pytest.mark.parametrize("typed", ["", "\n"])
def test_a_password_that_nobody_types_is_missing(
    deployment: Deployment,
    tmp_path: Path,
    typed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    arguments = ["login", "--project", "my-project", "--api-key", "k", "--email", "a@example.com"]
    assert command.main(arguments, env(tmp_path)) == command.PROBLEM
    assert "Password is missing" in capsys.readouterr().err


def test_leaving_by_ctrl_d_where_a_project_is_asked_for_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ended)
    assert command.main(["login"], env(tmp_path)) == command.PROBLEM
    assert "Project id is missing" in capsys.readouterr().err


@pytest.mark.parametrize("project", ["My Project", "x/../y", "evil.example/"])
def test_what_is_no_project_is_refused(
    tmp_path: Path, project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["login", "--project", project], env(tmp_path)) == command.PROBLEM
    assert "is no project id" in capsys.readouterr().err


@pytest.mark.parametrize("variable", ["LANG", "LC_MESSAGES", "LC_ALL"])
def test_signing_in_and_out_is_told_in_the_language_of_the_environment(
    variable: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hebrew = {**env(tmp_path), variable: "he_IL.UTF-8"}
    assert command.main(["logout"], hebrew) == 0
    assert "איש לא היה מחובר." in capsys.readouterr().out
    prompts: list[str] = []

    def ended(prompt: str) -> str:
        prompts.append(prompt)
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ended)
    assert command.main(["login"], hebrew) == command.PROBLEM
    said = capsys.readouterr()
    assert "מזהה הפרויקט" in said.out and prompts == ["  ❯ "]
    assert "מזהה הפרויקט" in said.err and "Project id" not in said.err


def test_signing_out_says_whether_somebody_was_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["logout"], env(tmp_path)) == 0
    assert "Nobody was signed in." in capsys.readouterr().out


def test_mistyped_command_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["ask", "--yes-to", "run_command", "x"], env(tmp_path))
    assert caught.value.code == USAGE


def test_emulators_that_do_not_run_are_told_with_how_to_start_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = env(tmp_path, FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9")
    assert command.main(["ask", "--json", "Hello"], nowhere) == FAILED
    told = capsys.readouterr()
    assert "`make emulators`) starts them" in told.err
    assert "127.0.0.1:9" in told.err
    assert json.loads(told.out)["error"]["code"] == "unavailable"


@pytest.mark.parametrize(
    ("password", "reason"), [("wrong", "INVALID_LOGIN_CREDENTIALS"), ("short", "WEAK_PASSWORD")]
)
def test_refused_user_of_emulators_is_told_why_and_which_variables_name_another(
    deployment: Deployment,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    password: str,
    reason: str,
) -> None:
    host = deployment.identity_url.split("/")[2]
    refused = env(tmp_path, FIREBASE_AUTH_EMULATOR_HOST=host, ROLLCALL_PASSWORD=password)
    assert command.main(["threads"], refused) == FAILED
    told = capsys.readouterr().err
    assert reason in told and "ROLLCALL_EMAIL and ROLLCALL_PASSWORD" in told


def test_a_user_that_the_emulators_do_not_know_is_made(deployment: Deployment, google: Any) -> None:
    host = deployment.identity_url.split("/")[2]
    new = {"FIREBASE_AUTH_EMULATOR_HOST": host, "ROLLCALL_PASSWORD": "new"}
    assert start_session(new, emulator=True).user.uid == "noa"
    assert [path.partition("accounts:")[2].partition("?")[0] for path, _ in google.seen] == [
        "signInWithPassword",
        "signUp",
    ]


@pytest.mark.parametrize(
    ("question", "options", "told", "hint"),
    [
        ("Hello", [], "not-found: the emulators have no user dana@", "makes such a user, whose"),
        ("שלום", [], "not-found: באמולטורים אין משתמש", "יוצר משתמש כזה"),
        ("Hello", ["--locale", "he"], "not-found: באמולטורים אין משתמש", "יוצר משתמש כזה"),
        ("שלום", ["--locale", "en"], "not-found: the emulators have no user", "makes such a user"),
    ],
)
def test_a_mistyped_user_of_the_emulators_is_told_with_those_that_there_are(
    deployment: Deployment,
    google: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    question: str,
    options: list[str],
    told: str,
    hint: str,
) -> None:
    host = deployment.identity_url.split("/")[2]
    mistyped = {"ROLLCALL_EMAIL": "dana@example.com", "ROLLCALL_PASSWORD": "new"}
    variables = env(tmp_path, FIREBASE_AUTH_EMULATOR_HOST=host, **mistyped)
    assert command.main(["ask", question, *options], variables) == FAILED
    shown = capsys.readouterr().err
    assert told in shown and hint in shown
    assert "dan@example.com, rina@example.com" in shown and "demo@rollcall.example" in shown
    assert not [path for path, _ in google.seen if "signUp" in path]


def test_json_has_the_error_in_the_language_of_the_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = env(tmp_path, FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9")
    assert command.main(["ask", "--json", "--locale", "he", "Hello"], nowhere) == FAILED
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "unavailable"
    assert error["message"].startswith("אין גישה אל שירות הכניסה בכתובת \u2068127.0.0.1:9\u2069")
    assert error["details"]["hint"].startswith("האם האמולטורים פועלים?")
