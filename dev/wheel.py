"""Builds the library's wheel into dist/, with the web app in it: python -m dev.wheel

hatchling runs in an environment of its own, so nothing has to be installed here, and nothing is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dev import commands, problem, web
from dev.paths import ROOT


def build(folder: Path) -> Path:
    """Build the wheel into a folder; older ones of the library there are removed.

    Without Node it has no web app, which is said.
    """
    if web.is_current() or (missing := web.missing()) is None:
        web.build()
    else:
        print(
            f"The wheel is built without the web app: {missing}. `init --web` needs a wheel with "
            "it, and all else works.",
            file=sys.stderr,
        )
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("rollcall_firebase-*.whl"):
        old.unlink()
    quiet = ["--quiet", "--no-deps", "--disable-pip-version-check"]
    commands.run(
        [sys.executable, "-m", "pip", "wheel", *quiet, "--wheel-dir", folder, ROOT],
        failing="The wheel could not be built; pip says why above.",
    )
    (wheel,) = folder.glob("rollcall_firebase-*.whl")
    return wheel


def main() -> int:
    print(build(ROOT / "dist").relative_to(ROOT))
    return 0


if __name__ == "__main__":
    problem.run(main)
