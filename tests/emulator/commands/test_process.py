"""The command in a process of its own, started in functions/ as in a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from google.cloud.firestore import Client

from dev.paths import ROOT
from tests.support.full_form import cases

# As on a computer that has what is deployed and nothing of what develops it.
WITHOUT_TOOLS = """
import importlib.util, sys
found = importlib.util.find_spec
tools = ("rich", "dev")
importlib.util.find_spec = lambda name, *more: None if name in tools else found(name, *more)
sys.modules["rich"] = sys.modules["dev"] = None
from rollcall.__main__ import main
for line in sys.argv[1:]:
    code = main(line.split())
    if code:
        sys.exit(code)
"""
# Each in turn, in one process, whose output has one encoding.
SEVERAL = """
import sys
from rollcall.__main__ import main
for line in ("registry list", "registry show find_room", "sync --dry-run"):
    code = main(line.split())
    if code:
        sys.exit(code)
"""


def start(db: Client, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT / "functions",
        env={**os.environ, "GCLOUD_PROJECT": db.project},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding=os.environ.get("PYTHONIOENCODING", "utf-8"),
    )


def run_command(db: Client, *arguments: str) -> tuple[int, str, str]:
    process = start(db, *arguments)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.mark.long
@pytest.mark.parametrize("encoding", cases(["ascii", "cp1252", "utf-8"], 1))
def test_json_is_all_that_a_program_reads_and_hebrew_is_spelled_out_where_it_must_be(
    registry: Client, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    code, out, err = run_command(registry, "-c", SEVERAL)
    assert (code, err) == (0, "")
    _, out, err = run_command(registry, "-m", "rollcall", "registry", "list", "--json")
    names = {each["id"]: each["names"] for each in json.loads(out)}  # and nothing else
    assert list(names) == ["broken", "find_room", "pay_invoice"]
    assert names["find_room"]["he"] == "מציאת חדר"
    assert err.startswith("Reading project ")


def test_tables_are_shown_from_the_folder_in_which_it_is_typed(registry: Client) -> None:
    code, out, err = run_command(registry, "-m", "rollcall", "registry", "list")
    assert (code, err) == (0, "")
    assert "pay_invoice" in out


def test_no_command_needs_tools_of_development(registry: Client) -> None:
    changes = ["registry disable find_room", "registry enable find_room"]
    lines = ["sync", *changes, "registry list", "registry search room", "registry usage"]
    code, out, err = run_command(registry, "-c", WITHOUT_TOOLS, *lines)
    assert (code, "pay_invoice" in out) == (0, True), err


def test_a_reader_who_has_seen_enough_is_no_failure(registry: Client) -> None:
    process = start(registry, "-m", "rollcall", "registry", "list", "--json")
    assert process.stdout and process.stderr
    process.stdout.close()
    assert process.wait(120) == 0
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
