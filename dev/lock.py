"""Renews the lock files: python -m dev.lock"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from dev import commands, problem
from dev.paths import LOCK, PYTHON, REQUIREMENTS

_UV = "uv==0.13.8"  # used here alone, so it lives only as long as this takes
_OLDEST_PYTHON = "3.11"
_EXTRAS = ("gemini", "openai", "documents", "spreadsheets", "render", "scheduling")
"""Those of the library that this repository's own app uses."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        _lock_python(Path(folder))
    _lock_node()
    return 0


def _lock_python(folder: Path) -> None:
    """Choose one version of every package, for all systems and Pythons at once; what a deploy
    installs is a part of that, with hashes."""
    failing = "The lock files could not be renewed."
    commands.run([PYTHON, "-m", "venv", folder], failing=failing)
    commands.run([folder / "bin" / "pip", "install", "-qq", _UV], failing=failing)
    scope = ["--universal", "--python-version", _OLDEST_PYTHON]
    plain = ["--quiet", "--no-emit-index-url", "--no-emit-find-links"]
    extras = [word for extra in _EXTRAS for word in ("--extra", extra)]
    exact = ["--constraints", str(LOCK), "--generate-hashes", "--no-annotate"]
    wanted = [
        ["dev/requirements.in", "--upgrade", "-o", str(LOCK)],
        [*exact, "-o", str(REQUIREMENTS)],
    ]
    for arguments in wanted:
        commands.run(
            [
                folder / "bin/uv",
                "pip",
                "compile",
                *scope,
                *plain,
                *extras,
                "pyproject.toml",
                *arguments,
            ],
            env={**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "make lock"},
            failing=failing,
        )


def _lock_node() -> None:
    only_lock = ["--package-lock-only", "--ignore-scripts", "--loglevel=error"]
    failing = "package-lock.json could not be renewed."
    commands.run(["npm", "update", *only_lock], failing=failing)
    # npm leaves packages behind that nothing needs any longer.
    commands.run(["npm", "prune", *only_lock], failing=failing)


if __name__ == "__main__":
    problem.run(main)
