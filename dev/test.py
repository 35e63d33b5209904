"""Runs all tests, those that need emulators on one suite: python -m dev.test

Arguments go to pytest; with any, the JavaScript tests are left out.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dev import problem
from dev.commands import Command
from dev.emulators import running
from dev.paths import PYTHON, ROOT
from dev.problem import Problem

_PYTHON_FOLDERS = ["tests/emulator", "tests/rules", "tests/clients"]
_NODE_FOLDERS = ["tests/rules", "tests/clients"]
_NODE_UNIT_FOLDERS = ["clients/js/test"]
_NOTHING_COLLECTED = 5  # pytest's exit code


def main() -> int:
    arguments = sys.argv[1:]
    scripts, unit_scripts = _node_tests(_NODE_FOLDERS), _node_tests(_NODE_UNIT_FOLDERS)
    _require_python_tests("tests/unit")
    _require_python_tests("tests/emulator")
    results = {"Unit tests": _run_pytest(["tests/unit"], arguments)}
    if not arguments:
        results["JavaScript unit tests"] = _run_node(unit_scripts)
    print("Starting the emulators ...", flush=True)
    with running():
        if not arguments:
            results["JavaScript tests on the emulators"] = _run_node(scripts)
        results["Python tests on the emulators"] = _run_pytest(_PYTHON_FOLDERS, arguments)
    return _report(results, chosen=bool(arguments))


def _node_tests(folders: list[str]) -> list[Path]:
    """The JavaScript tests; none in one of the folders is a mistake."""
    scripts = []
    for folder in folders:
        found = sorted((ROOT / folder).rglob("*.test.mjs"))
        if not found:
            raise Problem(f"There are no tests in {folder} (*.test.mjs).")
        scripts += found
    return scripts


def _require_python_tests(folder: str) -> None:
    if not any((ROOT / folder).rglob("test_*.py")):
        raise Problem(f"There are no tests in {folder} (test_*.py).")


def _run_node(scripts: list[Path]) -> int:
    # One file at a time: they share the emulators' data.
    return _run(["node", "--test", "--test-reporter=spec", "--test-concurrency=1", *scripts])


def _run_pytest(folders: list[str], arguments: list[str]) -> int:
    return _run([PYTHON, "-m", "pytest", *folders, *arguments])


def _run(command: Command) -> int:
    return subprocess.run(command, cwd=ROOT).returncode


def _report(results: dict[str, int], *, chosen: bool) -> int:
    """Print a line for each kind of test; 1 if any failed, or none was run.

    A choice by name (`chosen`) may well leave one kind without tests.
    """
    idle = [kind for kind, code in results.items() if chosen and code == _NOTHING_COLLECTED]
    failed = [kind for kind, code in results.items() if code and kind not in idle]
    for kind, code in results.items():
        verdict = f"FAILED ({code})" if kind in failed else "none" if kind in idle else "passed"
        print(f"{kind}: {verdict}")
    return 1 if failed or len(idle) == len(results) else 0


if __name__ == "__main__":
    problem.run(main)
