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
_NOTHING_COLLECTED = 5  # pytest's exit code


def main() -> int:
    arguments = sys.argv[1:]
    scripts = _node_tests()
    _require_python_tests("tests/unit")
    _require_python_tests("tests/emulator")
    results = {"Unit tests": _run_pytest(["tests/unit"], arguments)}
    with running():
        if not arguments:
            results["JavaScript tests on the emulators"] = _run_node(scripts)
        results["Python tests on the emulators"] = _run_pytest(_PYTHON_FOLDERS, arguments)
    return _report(results)


def _node_tests() -> list[Path]:
    """The JavaScript tests; none in one of the folders is a mistake."""
    scripts = []
    for folder in _NODE_FOLDERS:
        found = sorted((ROOT / folder).glob("*.test.mjs"))
        if not found:
            raise Problem(f"There are no tests in {folder} (*.test.mjs).")
        scripts += found
    return scripts


def _require_python_tests(folder: str) -> None:
    if not any((ROOT / folder).rglob("test_*.py")):
        raise Problem(f"There are no tests in {folder} (test_*.py).")


def _run_node(scripts: list[Path]) -> int:
    # One file at a time: they share the emulators' data.
    return _run(["node", "--test", "--test-concurrency=1", *scripts])


def _run_pytest(folders: list[str], arguments: list[str]) -> int:
    code = _run([PYTHON, "-m", "pytest", *folders, *arguments])
    # A choice by name may well fit only some of the folders.
    return 0 if arguments and code == _NOTHING_COLLECTED else code


def _run(command: Command) -> int:
    return subprocess.run(command, cwd=ROOT).returncode


def _report(results: dict[str, int]) -> int:
    """One line for each kind of test; 1 if any of them failed."""
    for kind, code in results.items():
        print(f"{kind}: {'passed' if code == 0 else f'FAILED ({code})'}")
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    problem.run(main)
