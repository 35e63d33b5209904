"""The packages that `make setup` brings: Python's in functions/venv, Node's, and a Java where this
computer has none."""

from __future__ import annotations

import json
import re
import sys

from dev import commands
from dev.paths import CLIENT, FIREBASE_JSON, JAVA_LOCK, LOCK, NODE_MODULES, PYTHON, ROOT, VENV
from dev.problem import Problem
from dev.stamp import Stamp
from rollcall.emulators import requirements

OLDEST_NODE = 20


def prepare_python() -> bool:
    """Make the virtual environment with the locked packages, unless it is there already; whether it
    was made. firebase-tools looks for it in functions/venv and nowhere else."""
    stamp = Stamp(VENV, LOCK, str(VENV.resolve()))
    is_missing = not (stamp.is_current() and PYTHON.exists())
    if is_missing:
        if VENV.is_symlink():  # making it anew would empty what it leads to
            raise Problem(
                f"functions/venv is a link to {VENV.resolve()}, and was not made for this folder.\n"
                "Run `make setup` in the checkout that it belongs to, or remove the link."
            )
        print("Installing the Python packages into functions/venv (about a minute) ...", flush=True)
        commands.run(
            [sys.executable, "-m", "venv", "--clear", VENV],
            failing="The virtual environment could not be made. "
            "On Debian and Ubuntu it needs the package python3-venv.",
        )
        # The lock names every package, so nothing is left to be resolved.
        _pip_install("--no-deps", "--requirement", str(LOCK))
        stamp.write()
    runtime: str = json.loads(FIREBASE_JSON.read_text())["functions"][0]["runtime"]
    requirements.name_as_runtime(VENV, runtime)
    # The terminal client of this repository can be imported, as after an editable install.
    (packages,) = VENV.glob("lib/python*/site-packages")
    path = packages / "rollcall_cli.pth"
    if not (path.is_file() and path.read_text() == f"{CLIENT}\n"):
        path.write_text(f"{CLIENT}\n")
    return is_missing


def prepare_node() -> bool:
    """Install the locked packages, firebase-tools among them, unless they are there already;
    whether they were installed.

    Raises:
        Problem: There is no Node, or an old one.
    """
    found = re.match(r"v(\d+)", requirements.output(["node", "--version"]))
    if found is None:
        raise Problem(f"Rollcall's emulators need Node {OLDEST_NODE} or newer: https://nodejs.org")
    if int(found[1]) < OLDEST_NODE:
        raise Problem(f"Rollcall's emulators need Node {OLDEST_NODE} or newer; this is {found[0]}.")
    stamp = Stamp(NODE_MODULES, ROOT / "package-lock.json", found[1], str(NODE_MODULES.resolve()))
    if stamp.is_current():
        return False
    print("Installing the Node packages into node_modules (under a minute) ...", flush=True)
    # The optional packages are native speed-ups that take a minute to compile,
    # and no package needs its install script to run the emulators.
    skip = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]
    commands.run(
        ["npm", "ci", "--prefer-offline", "--loglevel=error", *skip],
        failing="The Node packages could not be installed; npm says why above.",
    )
    stamp.write()
    return True


def prepare_java() -> bool:
    """Make sure there is a Java for the Firestore emulator; whether one was installed."""
    if requirements.find_java(ROOT) is not None:
        return False
    print(
        f"No Java {requirements.OLDEST} or newer here; installing one into functions/venv ...",
        flush=True,
    )
    _pip_install("--no-deps", "--requirement", str(JAVA_LOCK))
    # It says what else can be done if that is none for this computer.
    requirements.search_path(ROOT)
    return True


def _pip_install(*arguments: str) -> None:
    quiet = ["--quiet", "--quiet", "--disable-pip-version-check", "--no-input"]
    commands.run(
        [PYTHON, "-m", "pip", "install", *quiet, *arguments],
        failing="The Python packages could not be installed; pip says why above.",
    )
