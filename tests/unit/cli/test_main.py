"""The command line itself: its version, and what is wrong about how it was called."""

from __future__ import annotations

import argparse
import io
import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dev.paths import CLIENT, ROOT
from rollcall_cli import __version__
from rollcall_cli import main as command
from rollcall_cli.ask import INTERRUPTED
from rollcall_cli.console import print_json
from rollcall_cli.options import USAGE
from tests.support.full_form import cases


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["--version"], {})
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"rollcall {__version__}\n"
    package = tomllib.loads((ROOT / "clients/cli/pyproject.toml").read_text())
    assert package["project"]["version"] == __version__


def _signed_in(*given: Any, **named: Any) -> Any:
    return SimpleNamespace(
        functions=None, user=SimpleNamespace(uid="noa"), store=SimpleNamespace(events=None)
    )


def test_a_missing_folder_is_told_to_programs_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "start_session", _signed_in)
    asked = ["ask", "--json", "--root", str(tmp_path / "none"), "Hello"]
    assert command.main(asked, {"HOME": str(tmp_path)}) == command.PROBLEM
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert error["code"] == "failed-precondition"
    assert error["message"] == told.err.strip()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["ask", "--root", "", "Hello"], "--root: the name is empty"),
        (["export", "t1", "--out", ""], "--out: the name is empty"),
        (["ask", "--pass-env", "A=B", "Hello"], "'A=B' is no name of a variable"),
        (["ask", "--pass-env", "", "Hello"], "is no name of a variable"),
    ],
)
def test_what_is_typed_wrongly_is_told_and_not_guessed(
    typed: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(typed, {})
    assert caught.value.code == USAGE
    assert told in capsys.readouterr().err


def test_a_root_that_is_no_folder_says_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "start_session", _signed_in)
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for name, told in [("file", "not a folder"), ("loop", "symbolic link")]:
        asked = ["ask", "--root", str(tmp_path / name), "Hello"]
        assert command.main(asked, {"HOME": str(tmp_path)}) == command.PROBLEM
        assert told in capsys.readouterr().err


def _run(*typed: str, shell: str = "", **env: str) -> subprocess.CompletedProcess[bytes]:
    line = f'{sys.executable} -m rollcall_cli "$@" {shell}'
    return subprocess.run(
        ["/bin/sh", "-c", line, "sh", *typed],
        env={"PYTHONPATH": str(CLIENT), "ROLLCALL_CONFIG": "/nowhere/config.json", **env},
        input=b"",
        capture_output=True,
        timeout=60,
    )


def test_ctrl_c_while_it_is_loaded_ends_it_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "rich.py").write_text("import time; print(flush=True); time.sleep(60)")
    env = {"PYTHONPATH": f"{tmp_path}:{CLIENT}"}
    with subprocess.Popen(
        [sys.executable, "-m", "rollcall_cli", "ask", "Hello"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_restore_ctrl_c,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == -signal.SIGINT


def _restore_ctrl_c() -> None:
    """A shell has what it runs in the background ignore it, these tests among it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.long
@pytest.mark.parametrize("closed", cases(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"], 1, 3))
def test_streams_that_the_shell_closed_are_no_matter(closed: str) -> None:
    done = _run("ask", "Hello", shell=closed)
    assert done.returncode == command.PROBLEM
    assert b"Traceback" not in done.stderr
    assert (b"Nobody is signed in" in done.stderr) is ("2>" not in closed)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is full")
def test_output_that_cannot_be_written_is_told() -> None:
    done = _run("logout", shell="> /dev/full")
    assert done.returncode == command.PROBLEM
    assert done.stderr == b"rollcall: [Errno 28] No space left on device\n"


def test_output_without_the_characters_shows_them_in_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = _run("ask", "--json", "--root", "שלום", "x" * 40_000, PYTHONIOENCODING="ascii")
    assert b"Traceback" not in done.stderr
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding="ascii"))
    print_json({"title": "שלום 😀"})
    sys.stdout.flush()
    assert json.loads(held.getvalue()) == {"title": "שלום 😀"}


def test_question_that_is_no_text_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["ask", "\udcff"], {}) == command.PROBLEM
    assert "no text in UTF-8" in capsys.readouterr().err


def test_ctrl_c_is_told_to_programs_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*given: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "start_session", stopped)
    assert command.main(["ask", "--json", "Hello"], {}) == INTERRUPTED
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "cancelled"


@pytest.mark.parametrize(
    ("agent", "root", "told"),
    [("workspace", None, True), ("workspace", Path(), False), ("messaging", None, False)],
)
def test_the_agent_for_folders_without_one_is_told_of_root(
    agent: str, root: Path | None, told: bool
) -> None:
    assert command._lacks_folder(agent, argparse.Namespace(root=root)) is told
