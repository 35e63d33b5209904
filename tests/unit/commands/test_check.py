"""`python -m rollcall check` and `sync` report what is wrong with an app's definitions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.catalogs import FUNCTIONS
from tests.support.forked_python import run_python

MAIN = "from rollcall import bind\n\nbind(globals())\n"
PING = '''
from rollcall.core.capability import capability

@capability(name="Ping")
def ping(ctx, *, word: str = "x") -> str:
    """Answer a word."""
    return word
'''
PLACE = "functions/capabilities/net.py:5, ping: "


def run(
    root: Path, *command: str, source: str, main: str = MAIN
) -> subprocess.CompletedProcess[str]:
    """A command, run in the functions folder of an app with one module of capabilities."""
    functions = root / "functions"
    (functions / "capabilities").mkdir(parents=True, exist_ok=True)
    (root / "firebase.json").write_text('{"functions": {"source": "functions"}}')
    (functions / "main.py").write_text(main)
    (functions / "capabilities" / "net.py").write_text(source)
    (root / "installed").mkdir()
    (root / "installed" / "rollcall").symlink_to(FUNCTIONS / "rollcall")
    path, host = os.environ["PATH"], "127.0.0.1:1"
    env = {"PATH": path, "PYTHONPATH": f"{root / 'installed'}", "FIRESTORE_EMULATOR_HOST": host}
    typed = f"import runpy, sys; sys.argv = {['rollcall', *command]!r}"
    return run_python(
        f"{typed}; runpy.run_module('rollcall', run_name='__main__')",
        folder=functions,
        environment={**env, "GCLOUD_PROJECT": "demo-x"},
    )


def test_check_counts_what_is_sound(tmp_path: Path) -> None:
    done = run(tmp_path, "check", source=PING)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 capability and 0 agents: no definition is wrong\n"


@pytest.mark.parametrize("command", [["check"], ["sync"], ["registry", "doctor"]], ids=" ".join)
def test_a_wrong_definition_is_told_before_anything_is_reached(
    tmp_path: Path, command: list[str]
) -> None:
    done = run(tmp_path, *command, source=PING.replace("word: str", "word: strr"))
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 1
    assert "Traceback" not in told
    assert PLACE in told
    assert "strr" in told and "is not defined" in told and "`str`" in told


@pytest.mark.parametrize("name", ["ping", "run_agent"])
def test_a_function_of_main_with_the_name_of_another_is_told_with_both_places(
    tmp_path: Path, name: str
) -> None:
    done = run(tmp_path, "check", source=PING, main=f"\n\ndef {name}(): ...\n{MAIN}")
    assert done.returncode == 1
    assert f"functions/main.py:3 has a '{name}' of its own, and " in done.stderr
    file = "functions/capabilities/net.py" if name == "ping" else "rollcall/endpoints/run_agent.py"
    assert f"{file}:" in done.stderr and "rename yours" in done.stderr


@pytest.mark.parametrize(
    ("name", "source", "variables"),
    [
        ("run_agent", PING, "ROLLCALL_PREFIX=rc\n"),
        ("ping", PING.replace('name="Ping"', 'name="Ping", runs_on="client"'), ""),
    ],
    ids=["the engine's have a prefix", "a client runs it"],
)
def test_a_name_that_no_function_of_the_deploy_has_is_free(
    tmp_path: Path, name: str, source: str, variables: str
) -> None:
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / ".env").write_text(variables)
    done = run(tmp_path, "check", source=source, main=f"def {name}(): ...\n{MAIN}")
    assert done.returncode == 0, done.stderr


def test_check_names_a_misspelt_tool_and_is_no_failure(tmp_path: Path) -> None:
    agent = 'DESK = AgentProfile(id="desk", name="Desk", instructions="Answer.", tools=("pong",))\n'
    (tmp_path / "functions" / "capabilities").mkdir(parents=True)
    (tmp_path / "functions" / "capabilities" / "agents.py").write_text(
        f"from rollcall.core.profile import AgentProfile\n\n{agent}"
    )
    done = run(tmp_path, "check", source=PING)
    assert done.returncode == 0, done.stderr
    warning, count = done.stdout.splitlines()
    assert warning.startswith("warning: functions/capabilities/agents.py:3, DESK: `pong` in ")
    assert "tools of the agent 'desk' names no capability here (did you mean `ping`?)" in warning
    assert count == "1 capability and 1 agent: no definition is wrong"
