from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import os, sys
from pathlib import Path
from rollcall_cli.workspace import Workspace, hide_process
if sys.argv[2] == "hidden":
    hide_process()
command = f"cat /proc/{os.getpid()}/environ; ls -l /proc/{os.getpid()}/fd"
with Workspace(Path(sys.argv[1])) as workspace:
    print(workspace.run("run_command", {"command": command})["output"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc elsewhere")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every process")
@pytest.mark.parametrize(("way", "is_seen"), [("hidden", False), ("open", True)])
def test_a_command_cannot_read_the_clients_environment_in_proc(
    tmp_path: Path, way: str, is_seen: bool
) -> None:
    said = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path), way],
        env={"PYTHONPATH": os.pathsep.join(sys.path), "TOKEN": "tell-nobody"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert ("tell-nobody" in said) is is_seen
    assert ("Permission denied" in said) is not is_seen


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this")
def test_a_hidden_process_is_marked_as_such_for_the_system() -> None:
    program = (
        "import ctypes; from rollcall_cli.workspace import hide_process; hide_process(); "
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"  # PR_GET_DUMPABLE
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said == "0\n"
