"""What `rollcall ask` tells a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from rollcall_cli import main as command
from rollcall_cli.ask import ANSWERED, FAILED, WAITS
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.session import Session
from rollcall_cli.store import Store
from tests.unit.cli.test_dialogue_view import _decided_run, _Functions, _waiting_run


class _Noa:
    uid = "noa"
    events = take_calls = None


def test_command_that_goes_on_is_at_the_same_place_and_in_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session(cast(User, _Noa()), _Functions(_waiting_run("r1")), cast(Store, _Noa()))
    monkeypatch.setattr("rollcall_cli.main.start_session", lambda env, emulator: session)
    monkeypatch.setattr(command, "hide_process", lambda: None)
    folder = tmp_path / "my files"
    folder.mkdir()
    settings = {"ROLLCALL_CONFIG": str(tmp_path / "config.json")}
    asked = ["ask", "--emulator", "--root", str(folder), "Send it"]
    assert command.main(asked, settings) == WAITS
    told = capsys.readouterr().err
    assert f"rollcall chat --emulator --root '{folder}' --thread t1" in told


def test_a_question_in_hebrew_that_waits_says_so_in_hebrew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session(cast(User, _Noa()), _Functions(_waiting_run("r1")), cast(Store, _Noa()))
    monkeypatch.setattr("rollcall_cli.main.start_session", lambda env, emulator: session)
    assert command.main(["ask", "--emulator", "שלחי את זה"], {}) == WAITS
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("מחכה לאישור: ")
    assert second == "להמשך: rollcall chat --emulator --thread t1"  # whole, to be copied


def asked(run: Any, monkeypatch: pytest.MonkeyPatch, incidents: Any = ()) -> int:
    """The exit code of a question that is answered by one run."""
    functions = _Functions(run)
    functions.incidents = incidents
    session = Session(cast(User, _Noa()), functions, cast(Store, _Noa()))
    monkeypatch.setattr("rollcall_cli.main.start_session", lambda env, emulator: session)
    return command.main(["ask", "--emulator", "Ping"], {})


BROKEN = {"error": {"code": "internal", "message": "ping failed on our side (incident abc)"}}
WRONG = {"error": {"code": "invalid-argument", "message": "a meeting has at least 2 people"}}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"status": "done"}, ANSWERED),
        ({"status": "failed", **BROKEN}, FAILED),
        ({"status": "failed", **WRONG}, ANSWERED),
        ({"status": "unknown"}, FAILED),
    ],
)
def test_an_answer_without_a_tool_that_broke_off_is_a_failure(
    fields: dict[str, Any], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(_decided_run("r1", "{}", **fields), monkeypatch) == code


def test_a_tool_that_broke_off_and_then_worked_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = _decided_run("r1", "{}")
    (call,) = run[-1]["result"]["toolCalls"]
    run[-1]["result"]["toolCalls"] = [{**call, "status": "failed", **BROKEN}, call]
    assert asked(run, monkeypatch) == ANSWERED


def test_a_run_that_failed_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(CallError("internal", "something went wrong"), monkeypatch) == FAILED


def test_a_developer_is_shown_the_traceback_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    incident = {"id": "abc", "traceback": "Traceback\n  in ping\nKeyError: 1"}
    run = _decided_run("r1", "{}", status="failed", **BROKEN)
    assert asked(run, monkeypatch, incidents=[incident]) == FAILED
    told = capsys.readouterr().err
    assert "Incident abc:\nTraceback\n  in ping" in told
    assert "send_message: ping failed on our side (incident abc)" in told
    refusal = CallError("internal", "no", {"incidents": [incident]})
    assert asked(refusal, monkeypatch) == FAILED
    assert "Incident abc:" in capsys.readouterr().err
