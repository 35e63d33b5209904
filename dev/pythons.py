"""Runs the unit tests on every other Python from 3.11 to 3.14 that is here: python -m dev.pythons

Arguments go to pytest. With `--short` alone every module is imported, every definition checked, and
those tests run that depend most on Python itself: types, errors, threads. Each Python has an
environment of its own in .rollcall/pythons, from the same lock file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from dev import commands, problem
from dev.paths import CLIENT, FUNCTIONS, LOCK, ROOT
from dev.stamp import Stamp

MINORS = range(11, 15)
"""Of Python 3: those that the library declares and Cloud Functions runs."""
_PYENV_VERSIONS = Path.home() / ".pyenv/versions"
_QUIET = ["-q", "-p", "no:cacheprovider"]
_SHORT = [
    "tests/unit/core/test_capability.py",
    "tests/unit/core/test_definition_checks.py",
    "tests/unit/core/test_hidden.py",
    "tests/unit/core/test_inputs.py",
    "tests/unit/agent/test_loop.py",
    "tests/unit/test_catalog.py",
    "tests/unit/test_every_capability.py",
]
_IMPORT_ALL = """
import importlib, pkgutil, packs, rollcall, rollcall_cli
for package in (rollcall, packs, rollcall_cli):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


def find(minor: int) -> Path | None:
    """Return a Python 3 of this minor version that starts; None if there is none."""
    name = f"python3.{minor}"
    on_path = shutil.which(name)
    candidates = [*_PYENV_VERSIONS.glob(f"3.{minor}.*/bin/{name}")]
    for found in [*([Path(on_path)] if on_path else []), *sorted(candidates)]:
        asked = subprocess.run([found, "-c", "import ensurepip, venv"], capture_output=True)
        if asked.returncode == 0:
            return found
    return None


def prepare(python: Path, minor: int) -> Path:
    """Make the environment of a Python, unless it is there; return the Python in it."""
    folder = ROOT / f".rollcall/pythons/3.{minor}"
    inside = folder / "bin/python"
    stamp = Stamp(folder, LOCK, str(folder))
    if not (stamp.is_current() and inside.exists()):
        print(f"Installing the Python packages for 3.{minor} (about a minute) ...", flush=True)
        failing = f"The environment of Python 3.{minor} could not be made; its message is above."
        commands.run([python, "-m", "venv", "--clear", folder], failing=failing)
        options = ["--quiet", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
        install: commands.Command = [inside, "-m", "pip", "install", *options]
        commands.run([*install, "--requirement", str(LOCK)], failing=failing)
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "rollcall_cli.pth").write_text(f"{CLIENT}\n")
        stamp.write()
    return inside


def run_short(python: Path) -> bool:
    """Import every module, check all definitions and run a few unit tests; whether all passed."""
    parts: list[tuple[list[str], Path]] = [
        (["-c", _IMPORT_ALL], FUNCTIONS),
        (["-m", "rollcall", "check"], FUNCTIONS),
        (["-m", "pytest", *_SHORT, *_QUIET], ROOT),
    ]
    return all(
        subprocess.run([python, *command], cwd=folder).returncode == 0 for command, folder in parts
    )


def main() -> int:
    arguments = sys.argv[1:]
    own = sys.version_info.minor
    found = {minor: python for minor in MINORS if minor != own and (python := find(minor))}
    here = ", ".join(f"3.{minor}" for minor in MINORS if minor == own or minor in found)
    missing = ", ".join(f"3.{minor}" for minor in MINORS if minor != own and minor not in found)
    summary = f"Pythons found: {here} (3.{own} runs all tests); not found: {missing or 'none'}"
    print(summary, flush=True)
    failed = []
    for minor, python in found.items():
        inside = prepare(python, minor)
        print(f"\nUnit tests on Python 3.{minor}", flush=True)
        if arguments == ["--short"]:
            passed = run_short(inside)
        else:
            options = ["--numprocesses=auto", *_QUIET, *arguments]
            done = subprocess.run([inside, "-m", "pytest", "tests/unit", *options], cwd=ROOT)
            passed = done.returncode == 0
        if not passed:
            failed.append(f"3.{minor}")
    if failed:
        print(f"Unit tests failed on Python {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    problem.run(main)
