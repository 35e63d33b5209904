"""What a run costs at Firestore: documents read and written, counted on the emulator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.table import Table

from dev.emulators import running
from tests.support.counting import Counted, counted

ROOT = Path(__file__).parents[2]
QUESTIONS = {
    "a greeting, new thread": "Hello, how are you?",
    "one tool": "What are my priorities?",
    "two tools": "What are my priorities and what action items do I have?",
    "search, then decisions": "What decisions were made about the budget?",
}


def measure() -> Table:
    """Ask the sample questions in this process, as the demo user, on a warm registry."""
    if "FIRESTORE_EMULATOR_HOST" in os.environ:
        return _measure()
    with running():
        subprocess.run([sys.executable, "-m", "seed"], cwd=ROOT, check=True, capture_output=True)
        return _measure()


def _measure() -> Table:
    table = Table(title="Firestore operations of one run (warm registry)")
    for column in ("run", "reads", "of them by the platform", "writes", "round trips"):
        table.add_column(column, justify="left" if column == "run" else "right")
    with counted() as cold:
        _ask("Hello, how are you?")
    table.add_row("first in its process", *_cells(cold, None))
    for name, question in QUESTIONS.items():
        _ask(question)  # the first time, extraction reads what later runs do not
        with counted() as found:
            platform_reads = _ask(question)
        table.add_row(name, *_cells(found, platform_reads))
    return table


def _cells(found: Counted, platform_reads: int | None) -> tuple[str, ...]:
    mine = "" if platform_reads is None else str(platform_reads)
    return str(found.reads), mine, str(found.writes), str(found.round_trips)


def _ask(question: str) -> int:
    """Run one question to its end; returns the reads that opening the run took."""
    from rollcall.agent.platform import deployment
    from rollcall.core.context import User
    from rollcall.core.triggers import Call
    from rollcall.endpoints.run_agent import run_agent

    data: dict[str, Any] = {"agent": "messaging", "message": question}
    with counted() as opening:
        events = run_agent(deployment(), Call(User("demo"), data))
        next(events)
    for _ in events:
        pass
    return opening.reads
