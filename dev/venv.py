"""The virtual environment in which functions, tests and scripts run."""

from __future__ import annotations

import json
import shutil
import sys

from dev import commands
from dev.paths import FIREBASE_JSON, LOCK, PYTHON, VENV
from dev.problem import Problem
from dev.stamp import Stamp

OLDEST = (3, 11)
_NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")


def prepare() -> None:
    """Make the environment with the locked packages, unless it is there already."""
    stamp = Stamp(VENV, LOCK, str(VENV))
    if stamp.is_current() and PYTHON.exists():
        return
    python = _find_python()
    print("Installing the Python packages into functions/venv (about a minute) ...", flush=True)
    commands.run(
        [python, "-m", "venv", "--clear", VENV],
        failing="The virtual environment could not be made. "
        "On Debian and Ubuntu it needs the package python3-venv.",
    )
    # The lock names every package, so nothing is left to be resolved.
    pip_install("--no-deps", "--requirement", str(LOCK))
    _name_as_runtime()
    stamp.write()


def pip_install(*arguments: str) -> None:
    """Install into the environment."""
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check", "--no-input"]
    commands.run(
        [PYTHON, "-m", "pip", "install", *quiet, *arguments],
        failing="The Python packages could not be installed; pip says why above.",
    )


def _find_python() -> str:
    """The Python that runs this if it is new enough, else a newer one on PATH."""
    if sys.version_info >= OLDEST:
        return sys.executable
    for name in _NEWER:
        found = shutil.which(name)
        if found and commands.output([found, "-c", "print('works')"]).strip() == "works":
            return found
    wanted, have = ".".join(map(str, OLDEST)), sys.version.split()[0]
    raise Problem(
        f"Rollcall needs Python {wanted} or newer; {sys.executable} is {have}.\n"
        "Install one, or name it: make setup PYTHON=/path/to/python3"
    )


def _name_as_runtime() -> None:
    """Let firebase-tools find the interpreter under its runtime's name.

    It looks for "python3.11" when firebase.json says "python311", and runs
    whatever that is.
    """
    runtime: str = json.loads(FIREBASE_JSON.read_text())["functions"][0]["runtime"]
    major_minor = runtime[len("python") :]
    alias = VENV / "bin" / f"python{major_minor[0]}.{major_minor[1:]}"
    if not alias.exists():
        alias.symlink_to("python")
