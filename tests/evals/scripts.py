"""Evals that are commands of their own, over data that is not part of this repository.

    MEETINGS=meetings.jsonl TRAFFIC=folder python -m tests.evals

What they print is shown; the figures are read from it. They have goals of their own, and exit with
1 below them: that is a figure here, while output without figures is a failure.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.evals.report import Measured, share, table

_ROOT = Path(__file__).parents[2]
_MEETINGS = re.compile(r"^(\d+) of (\d+) questions", re.MULTILINE)
_RATE = re.compile(r"imported (\d+) turns of (\d+) meetings at (\d+) a second")
_TRAFFIC = re.compile(r"^(\S+): (clean|failed) (\d+)$", re.MULTILINE)


def meetings(path: str) -> Measured:
    """Questions about meetings, by search_all_conversations: the share in the top 10."""
    printed = _run("tests.evals.meetings", path)
    rate, found = _RATE.search(printed), _MEETINGS.search(printed)
    if not rate or not found:
        return _failed("the command", printed)
    figures = {
        "turns": int(rate[1]),
        "meetings": int(rate[2]),
        "turnsPerSecond": int(rate[3]),
        "questions": int(found[2]),
        "found@10": int(found[1]),
        "share": share(int(found[1]), int(found[2])),
    }
    return Measured([table("Meetings", list(figures), [list(figures.values())])], figures)


def traffic(folder: str) -> Measured:
    """Recorded provider traffic through the adapters: replays that lose nothing."""
    printed = _run("tests.evals.provider_traffic", folder)
    outcomes = _TRAFFIC.findall(printed)
    if not outcomes:
        return _failed("the command", printed)
    figures: dict[str, Any] = {}
    for name, outcome, number in outcomes:
        figures.setdefault(name, {"clean": 0, "failed": 0})[outcome] = int(number)
    rows = [[name, *counts.values()] for name, counts in figures.items()]
    shown = table("Recorded provider traffic", ["file", "clean", "failed"], rows)
    notes = [line for line in printed.splitlines() if line and not _TRAFFIC.match(line)]
    return Measured([shown], figures, notes=notes)


def chosen() -> dict[str, Callable[[], Measured]]:
    """The evals whose data the environment names."""
    named = {
        "meetings": (meetings, os.environ.get("MEETINGS")),
        "provider_traffic": (traffic, os.environ.get("TRAFFIC")),
    }
    return {name: partial(run, path) for name, (run, path) in named.items() if path}


def _run(module: str, path: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, path],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": f"{_ROOT / 'functions'}:{_ROOT}"},
        capture_output=True,
        text=True,
    )
    return done.stdout or done.stderr


def _failed(name: str, printed: str) -> Measured:
    last = (printed.strip().splitlines() or ["it printed nothing"])[-1]
    return Measured([], {}, unmeasured=[f"{name} said: {last}"])
