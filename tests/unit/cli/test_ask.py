"""What `rollcall ask` tells a script."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from rollcall_cli import main as command
from rollcall_cli.ask import WAITS
from rollcall_cli.identity import User
from rollcall_cli.signing_in import Session
from rollcall_cli.stored import Stored
from tests.unit.cli.test_conversation import _Functions, _waiting


class _Noa:
    uid = "noa"
    events = None


def test_command_that_goes_on_is_at_the_same_place_and_in_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session(cast(User, _Noa()), _Functions(_waiting("r1")), cast(Stored, _Noa()))
    monkeypatch.setattr("rollcall_cli.signing_in.start", lambda env, emulator: session)
    monkeypatch.setattr(command, "hide_process", lambda: None)
    folder = tmp_path / "my files"
    folder.mkdir()
    settings = {"ROLLCALL_CONFIG": str(tmp_path / "config.json")}
    asked = ["ask", "--emulator", "--root", str(folder), "Send it"]
    assert command.main(asked, settings) == WAITS
    told = capsys.readouterr().err
    assert f"rollcall chat --emulator --root '{folder}' --thread t1" in told
