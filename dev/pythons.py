"""Runs the unit tests on every other Python from 3.11 to 3.14 that is here: python3 -m dev.pythons

Each has an environment of its own in .rollcall/pythons, from the same lock file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from dev import commands, problem
from dev.paths import CLIENT, LOCK, ROOT
from dev.stamp import Stamp

MINORS = range(11, 15)
"""Of Python 3: those that the library declares and Cloud Functions runs."""
_NAMED_BY_PYENV = Path.home() / ".pyenv/versions"


def find(minor: int) -> Path | None:
    """Return a Python 3 of this minor version that starts; None if there is none."""
    name = f"python3.{minor}"
    on_path = shutil.which(name)
    candidates = [*_NAMED_BY_PYENV.glob(f"3.{minor}.*/bin/{name}")]
    for found in [*([Path(on_path)] if on_path else []), *sorted(candidates)]:
        asked = subprocess.run([found, "-c", "import venv"], capture_output=True)
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
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
        commands.run(
            [inside, "-m", "pip", "install", *quiet, "--requirement", str(LOCK)], failing=failing
        )
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "rollcall_cli.pth").write_text(f"{CLIENT}\n")
        stamp.write()
    return inside


def main() -> int:
    others = [minor for minor in MINORS if minor != sys.version_info.minor]
    found = {minor: python for minor in others if (python := find(minor))}
    missing = ", ".join(f"3.{minor}" for minor in others if minor not in found)
    here = ", ".join(f"3.{minor}" for minor in found) or "none"
    print(f"Other Pythons found: {here}; not found: {missing or 'none'}", flush=True)
    failed = []
    for minor, python in found.items():
        print(f"\nUnit tests on Python 3.{minor}", flush=True)
        inside = prepare(python, minor)
        options = ["-q", "--numprocesses=auto", "-p", "no:cacheprovider", *sys.argv[1:]]
        done = subprocess.run([inside, "-m", "pytest", "tests/unit", *options], cwd=ROOT)
        if done.returncode:
            failed.append(f"3.{minor}")
    if failed:
        print(f"Unit tests failed on Python {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    problem.run(main)
