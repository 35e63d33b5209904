"""Deletes a pack from a copy of this repository and runs the other tests there.

    python -m dev.without_pack messaging                   # all of them, on emulators of its own
    python -m dev.without_pack messaging tests/unit        # what pytest's arguments choose

A pack is the folders of its name: its code, its tests, its sample data, and its page of the
documentation; packs that require it go with it. A test of two packs lies in the folders of both,
one inside the other. Deleting them is all that is done, but for composing rules and indexes anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from itertools import product
from pathlib import Path

from dev import problem
from dev.commands import Command
from dev.paths import FUNCTIONS, NODE_MODULES, PYTHON, ROOT, VENV
from dev.problem import Problem

FOLDERS = ("functions/packs/{pack}", "seed/{pack}", "tests/**/packs/{pack}", "docs/{pack}.md")
"""Where a pack is, as patterns."""

_LEFT_OUT = (".git", ".rollcall", "venv", "node_modules", ".*_cache", ".hypothesis")
_OFFSET = 9000


def packs() -> list[str]:
    """The packs that are there."""
    return sorted(file.parent.name for file in FUNCTIONS.glob("packs/*/__init__.py"))


def with_dependants(pack: str) -> list[str]:
    """A pack and those that require it, which go with it."""
    return [each for each in packs() if pack in (each, *_required(each))]


def _required(pack: str) -> tuple[str, ...]:
    return getattr(import_module(f"packs.{pack}"), "REQUIRES", ())


def copy_without(pack: str, folder: Path) -> Path:
    """Copy this repository to a new folder in `folder` and delete the pack and its dependants."""
    copy = folder / f"without-{pack}"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    (copy / "functions/venv").symlink_to(VENV.resolve())
    (copy / "node_modules").symlink_to(NODE_MODULES.resolve())
    for gone, pattern in product(with_dependants(pack), FOLDERS):
        for path in list(copy.glob(pattern.format(pack=gone))):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    run([PYTHON, "-m", "rollcall", "rules"], copy / "functions")
    return copy


def run(command: Command, folder: Path) -> None:
    """Run a command in a folder of a copy.

    Raises:
        Problem: It failed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment.setdefault("PORT_OFFSET", str(_OFFSET))
    if code := subprocess.run(command, cwd=folder, env=environment).returncode:
        raise Problem(f"{' '.join(map(str, command))} failed in {folder}: exit code {code}")


def main() -> int:
    pack, *arguments = sys.argv[1:] or [""]
    if pack not in packs():
        raise Problem(f"Which pack? There are {', '.join(packs())}.")
    with tempfile.TemporaryDirectory(prefix="rollcall-") as folder:
        copy = copy_without(pack, Path(folder))
        if arguments:
            run([PYTHON, "-m", "pytest", *arguments], copy)
        else:
            run([PYTHON, "-m", "mypy"], copy)
            run([PYTHON, "-m", "dev.test"], copy)
    print(f"\nWithout {pack} all other tests pass.")
    return 0


if __name__ == "__main__":
    problem.run(main)
