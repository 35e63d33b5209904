"""Evals that are commands of their own, over data that is not part of this repository.

    TRAFFIC=folder TOKENS=file python -m tests.evals

What they print is shown; the figures are read from it. They have goals of their own, and exit with
1 below them: that is a figure here, while output without figures is a failure.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rollcall.core.text import text_tokens
from tests.evals.report import EvalResult, mean, table

_ROOT = Path(__file__).parents[2]
_TRAFFIC = re.compile(r"^(\S+): (clean|failed) (\d+)$", re.MULTILINE)


def traffic(folder: str) -> EvalResult:
    """Recorded provider traffic through the adapters: replays that lose nothing."""
    printed = run("tests.evals.provider_traffic", folder)
    outcomes = _TRAFFIC.findall(printed)
    if not outcomes:
        return failed_eval("the command", printed)
    figures: dict[str, Any] = {}
    for name, outcome, number in outcomes:
        figures.setdefault(name, {"clean": 0, "failed": 0})[outcome] = int(number)
    rows = [[name, *counts.values()] for name, counts in figures.items()]
    summary = table("Recorded provider traffic", ["file", "clean", "failed"], rows)
    notes = [line for line in printed.splitlines() if line and not _TRAFFIC.match(line)]
    return EvalResult([summary], figures, notes=notes)


def configured_evals() -> dict[str, Callable[[str], EvalResult]]:
    """The evals whose data the environment names."""
    evals: dict[str, Callable[[str], EvalResult]] = {}
    if folder := os.environ.get("TRAFFIC"):
        evals["provider_traffic"] = lambda model: traffic(folder)
    if file := os.environ.get("TOKENS"):
        evals["tokens"] = lambda model: tokens(file)
    return evals


def tokens(file: str) -> EvalResult:
    """Estimates of tokens, beside counts: rows of `{"kind", "text", "tokens"}`."""
    found: dict[str, list[tuple[int, int]]] = {}
    for line in Path(file).read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            pair = (text_tokens(row["text"]), int(row["tokens"]))
            found.setdefault(row["kind"], []).append(pair)
    figures = {
        kind: {
            "texts": len(pairs),
            "mean_error": mean([abs(ours / count - 1) for ours, count in pairs]),
            "sum": round(sum(ours for ours, _ in pairs) / sum(count for _, count in pairs) - 1, 4),
        }
        for kind, pairs in found.items()
    }
    rows = [[kind, *each.values()] for kind, each in figures.items()]
    summary = table("Estimates of tokens", ["kind", "texts", "mean error", "sum"], rows)
    return EvalResult([summary], dict(figures))


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


def failed_eval(name: str, printed: str) -> EvalResult:
    """The result of a command that printed no figures."""
    last = (printed.strip().splitlines() or ["it printed nothing"])[-1]
    return EvalResult([], {}, unmeasured=[f"{name} said: {last}"])
