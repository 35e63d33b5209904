"""The command line itself: its version, and folders that are missing."""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dev.paths import ROOT
from rollcall_cli import __version__, signing_in
from rollcall_cli import main as command


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["--version"], {})
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"rollcall {__version__}\n"
    package = tomllib.loads((ROOT / "clients/cli/pyproject.toml").read_text())
    assert package["project"]["version"] == __version__


def _signed_in(*given: Any, **named: Any) -> Any:
    return SimpleNamespace(
        functions=None, user=SimpleNamespace(uid="noa"), stored=SimpleNamespace(events=None)
    )


def test_a_missing_folder_is_told_to_programs_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signing_in, "start", _signed_in)
    asked = ["ask", "--json", "--root", str(tmp_path / "none"), "Hello"]
    assert command.main(asked, {"HOME": str(tmp_path)}) == command.PROBLEM
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert error["code"] == "failed-precondition"
    assert error["message"] == told.err.strip()


@pytest.mark.parametrize(
    ("agent", "root", "told"),
    [("workspace", None, True), ("workspace", Path(), False), ("messaging", None, False)],
)
def test_the_agent_for_folders_without_one_is_told_of_root(
    agent: str, root: Path | None, told: bool
) -> None:
    hint = command._without_folder(agent, argparse.Namespace(root=root))
    assert ("--root FOLDER" in hint) is told
