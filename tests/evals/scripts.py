"""Evals that are commands of their own, over data that is not part of this repository.

    TRAFFIC=folder python -m tests.evals

What they print is shown; the figures are read from it. They have goals of their own, and exit with
1 below them: that is a figure here, while output without figures is a failure.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.evals.report import Measured, table

_ROOT = Path(__file__).parents[2]
_TRAFFIC = re.compile(r"^(\S+): (clean|failed) (\d+)$", re.MULTILINE)


def traffic(folder: str) -> Measured:
    """Recorded provider traffic through the adapters: replays that lose nothing."""
    printed = run("tests.evals.provider_traffic", folder)
    outcomes = _TRAFFIC.findall(printed)
    if not outcomes:
        return failed("the command", printed)
    figures: dict[str, Any] = {}
    for name, outcome, number in outcomes:
        figures.setdefault(name, {"clean": 0, "failed": 0})[outcome] = int(number)
    rows = [[name, *counts.values()] for name, counts in figures.items()]
    shown = table("Recorded provider traffic", ["file", "clean", "failed"], rows)
    notes = [line for line in printed.splitlines() if line and not _TRAFFIC.match(line)]
    return Measured([shown], figures, notes=notes)


def chosen() -> dict[str, Callable[[str], Measured]]:
    """The evals whose data the environment names."""
    folder = os.environ.get("TRAFFIC")
    return {"provider_traffic": lambda model: traffic(folder)} if folder else {}


def run(module: str, path: str) -> str:
    """What the command `module` prints of the data at `path`."""
    done = subprocess.run(
        [sys.executable, "-m", module, path],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": f"{_ROOT / 'functions'}:{_ROOT}"},
        capture_output=True,
        text=True,
    )
    return done.stdout or done.stderr


def failed(name: str, printed: str) -> Measured:
    """An eval whose command printed no figures."""
    last = (printed.strip().splitlines() or ["it printed nothing"])[-1]
    return Measured([], {}, unmeasured=[f"{name} said: {last}"])
