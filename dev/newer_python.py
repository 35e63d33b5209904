"""Starts a command again with a newer Python, where `python3` is an old one.

This file alone has to be understood by old Pythons.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
_NAMES = ("python3.14", "python3.13", "python3.12", "python3.11")


def require(module: str) -> None:
    """Return if this Python is new enough; else run `module` with one that is."""
    if sys.version_info >= OLDEST:
        return
    for name in _NAMES:
        found = shutil.which(name)
        # pyenv has commands on PATH that only say that they are not installed.
        if found and subprocess.call([found, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            os.execv(found, [found, "-m", module, *sys.argv[1:]])
    wanted, have = ".".join(map(str, OLDEST)), sys.version.split()[0]
    sys.exit(
        f"Rollcall needs Python {wanted} or newer; {sys.executable} is {have}.\n"
        "Install one, or name it: make setup PYTHON=/path/to/python3"
    )
