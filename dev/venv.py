"""The virtual environment in which functions, tests and scripts run."""

from __future__ import annotations

import json
import sys

from dev import commands
from dev.paths import CLIENT, FIREBASE_JSON, LOCK, PYTHON, VENV
from dev.problem import Problem
from dev.stamp import Stamp
from rollcall.emulators.requirements import name_as_runtime


def prepare() -> bool:
    """Make the environment with the locked packages, unless it is there already; whether it was
    made."""
    stamp = Stamp(VENV, LOCK, str(VENV.resolve()))
    is_missing = not (stamp.is_current() and PYTHON.exists())
    if is_missing:
        if VENV.is_symlink():  # making it anew would empty what it leads to
            raise Problem(
                f"functions/venv is a link to {VENV.resolve()}, and was not made for this folder.\n"
                "Run `make setup` in the checkout that it belongs to, or remove the link."
            )
        print("Installing the Python packages into functions/venv (about a minute) ...", flush=True)
        _install()
        stamp.write()
    runtime: str = json.loads(FIREBASE_JSON.read_text())["functions"][0]["runtime"]
    name_as_runtime(VENV, runtime)
    _see_terminal_client()
    return is_missing


def _install() -> None:
    commands.run(
        [sys.executable, "-m", "venv", "--clear", VENV],
        failing="The virtual environment could not be made. "
        "On Debian and Ubuntu it needs the package python3-venv.",
    )
    # The lock names every package, so nothing is left to be resolved.
    pip_install("--no-deps", "--requirement", str(LOCK))


def pip_install(*arguments: str) -> None:
    """Install into the environment."""
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check", "--no-input"]
    commands.run(
        [PYTHON, "-m", "pip", "install", *quiet, *arguments],
        failing="The Python packages could not be installed; pip says why above.",
    )


def _see_terminal_client() -> None:
    """Let the terminal client of this repository be imported, as an editable install does."""
    (packages,) = VENV.glob("lib/python*/site-packages")
    path = packages / "rollcall_cli.pth"
    if not (path.is_file() and path.read_text() == f"{CLIENT}\n"):
        path.write_text(f"{CLIENT}\n")
