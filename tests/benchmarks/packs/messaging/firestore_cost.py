"""What a run costs at Firestore: documents read and written, counted on the emulator.

A turn of a thread that is there, in a process that has run before. Event documents are counted
apart: each is written twice, laid open and filled. What tools read and write for their answers is
left out of the platform's share.
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

from rich.table import Table

from dev.emulators import running
from tests.support.catalogs import catalog
from tests.support.firestore_operations import FirestoreOperations, count_operations

ROOT = Path(__file__).parents[4]
QUESTIONS = {
    "a greeting": "Hello, how are you?",
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
    table = Table(title="Firestore operations of one turn (warm registry)")
    for column in ("turn", "reads", "writes", "event writes", "round trips", "with tools' own"):
        table.add_column(column, justify="left" if column == "turn" else "right")
    with count_operations() as cold:
        thread = _ask("Hello, how are you?")["threadId"]
    _add(table, "first in its process, new thread", cold)
    for name, question in QUESTIONS.items():
        _ask(question)  # the first time, extraction reads what later runs do not
        thread = _ask(QUESTIONS["a greeting"])["threadId"]
        with count_operations() as found:
            _ask(question, threadId=thread)
        _add(table, name, found)
    with count_operations() as found:
        _ask(QUESTIONS["a greeting"], threadId=thread, runId=f"bench-{uuid.uuid4().hex[:8]}")
    _add(table, "a greeting, the run named by the client", found)
    turn = _ask(QUESTIONS["a greeting"], threadId=thread)["turnId"]
    with count_operations() as found:
        _run({"agent": "messaging", "threadId": thread, "retry": turn})
    _add(table, "the same, asked again", found)
    parts = [{"type": "text", "text": "What does it cost?"}, _attached("A lamp costs 40 dollars.")]
    with count_operations() as found:
        _run({"agent": "messaging", "threadId": thread, "message": parts})
    _add(table, "a message with a file, which is read", found)
    with count_operations() as found:
        asked = _ask(WRITE, threadId=thread)
    _add(table, "a write that asks for a yes", found)
    with count_operations() as found:
        _approve(asked)
    _add(table, "the yes, and the write", found)
    return table


def _add(table: Table, name: str, found: FirestoreOperations) -> None:
    everything = f"{found.reads} reads, {found.writes} writes"
    own = (found.platform_reads, found.platform_writes, found.event_writes, found.round_trips)
    table.add_row(name, *map(str, own), everything)


def _ask(question: str, **more: str) -> dict[str, Any]:
    """Run one question to its end; its result."""
    return _run({"agent": "messaging", "message": question, **more})


def _attached(text: str) -> dict[str, str]:
    """A part of a message: a text that was uploaded."""
    from rollcall.core.context import Call, User
    from rollcall.endpoints.knowledge import begin_upload

    content = text.encode()
    file = {
        "name": "offer.txt",
        "purpose": "attachment",
        "contentType": "text/plain",
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "content": base64.b64encode(content).decode(),
    }
    uploaded = begin_upload(catalog.deployment, Call(User("demo"), file))
    return {"type": "document", "fileId": uploaded["fileId"]}


def _approve(asked: dict[str, Any]) -> dict[str, Any]:
    """Say yes to what a run asked."""
    entries = [
        {"interruptId": each["id"], "status": "resolved", "payload": {"approved": True}}
        for each in asked["outcome"]["interrupts"]
    ]
    return _run({"agent": "messaging", "threadId": asked["threadId"], "resume": entries})


def _run(data: dict[str, Any]) -> dict[str, Any]:
    from rollcall.core.context import Call, User
    from rollcall.endpoints.run_agent import run_agent
    from rollcall.registry import recorder

    recorder.recorder.cache_clear()  # one write in 20 s of a process, and no run's
    events = run_agent(catalog.deployment, Call(User("demo"), data))
    while True:
        try:
            next(events)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return result
