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
    "three tools": "What are my priorities, what action items do I have and which conversations "
    "am I in?",
    "search, then decisions": "What decisions were made about the budget?",
}
WRITE = 'Send "I will be late" to Maya Cohen'


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
            platform_reads, _ = _ask(question)
        table.add_row(name, *_cells(found, platform_reads))
    with counted() as found:
        platform_reads, asked = _ask(WRITE)
    table.add_row("a write that asks for a yes", *_cells(found, platform_reads))
    with counted() as found:
        platform_reads, _ = _approve(asked)
    table.add_row("the yes, and the write", *_cells(found, platform_reads))
    return table


def _cells(found: Counted, platform_reads: int | None) -> tuple[str, ...]:
    mine = "" if platform_reads is None else str(platform_reads)
    return str(found.reads), mine, str(found.writes), str(found.round_trips)


def _ask(question: str) -> tuple[int, dict[str, Any]]:
    """Run one question to its end; the reads that opening the run took, and the result."""
    return _run({"agent": "messaging", "message": question})


def _approve(asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Say yes to what a run asked."""
    entries = [
        {"interruptId": each["id"], "status": "resolved", "payload": {"approved": True}}
        for each in asked["outcome"]["interrupts"]
    ]
    return _run({"agent": "messaging", "threadId": asked["threadId"], "resume": entries})


def _run(data: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    from rollcall.agent.platform import deployment
    from rollcall.core.context import User
    from rollcall.core.triggers import Call
    from rollcall.endpoints.run_agent import run_agent

    with counted() as opening:
        events = run_agent(deployment(), Call(User("demo"), data))
        next(events)
    while True:
        try:
            next(events)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return opening.reads, result
