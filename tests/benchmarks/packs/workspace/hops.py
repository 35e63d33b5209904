"""The cost of a hop (a client's answers and the next run), and of writing a long file.

A hop is a client's answers and the run that they open, up to the next call that is left to the
client. The workspace's agent runs in this process with a model that says what it is told to; the
client's files are a dictionary. Documents and bytes are counted in Firestore's client as they are
sent and received; CPU is this process's, the callable's protocol and the checks of the test's own
client included.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client
from rich.table import Table

from rollcall.agent import reply
from rollcall.agent.reply import Reply, ReplyBuilder
from rollcall.core.messages import UserMessage
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
)
from rollcall.registry import recorder
from rollcall.testing import calls, says
from tests.benchmarks.cold_start import firestore
from tests.support.firestore_operations import FirestoreOperations, count_operations
from tests.support.office import RunResponse
from tests.support.packs.workspace.desk import Desk, Folder

FILE = "def f(x):\n    return x\n" * 900
"""20 KB."""
WRITTEN_CHARS = 90_000
DELTA_CHARS = 4
DELTAS_A_S = 1_000
"""Faster than models write today, so that it does not take minutes."""
STEPS = 200


def measure() -> Table:
    """A hop, early and late in a turn of 200 steps; a long file, from its first delta on."""
    with _desk() as desk:
        return _measure(desk)


@contextmanager
def _desk() -> Iterator[Desk]:
    with firestore() as emulator, pytest.MonkeyPatch.context() as patch:
        for name, value in emulator.items():
            patch.setitem(os.environ, name, value)
        desk = Desk(_client(), patch)
        desk.model.id = "offline:scripted"
        desk.declare()
        yield desk


def _client() -> Client:
    project = f"demo-{uuid.uuid4().hex[:12]}"
    return Client(project=project, credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]


def _measure(desk: Desk) -> Table:
    table = Table(title="What hops cost at Firestore, and in this process")
    for column in ("", "reads", "writes", "event writes", "round trips", "KB in, out", "CPU, ms"):
        table.add_column(column, justify="right" if column else "left")
    folder = Folder(desk, {f"{n}.py": FILE for n in range(40)})
    ran = folder.answer(folder.ask(_read(0)), _read(1))
    ran = _row(table, "a file of 20 KB is read", lambda: folder.answer(ran, _read(2)))
    named = {"runId": _following(ran)}
    ran = _row(table, "the same, the next run named", lambda: folder.answer(ran, _read(3), **named))
    for n in range(4, STEPS - 2):
        ran = folder.answer(ran, _read(n % 40))
    _row(table, f"the same, as step {STEPS - 1}", lambda: folder.answer(ran, _read(0)))
    folder = Folder(desk, {})
    asked = _row(table, "90 KB are written: the reply", lambda: folder.ask(_writing()))
    left = _row(table, "the yes", lambda: folder.decide(asked))
    _row(table, "the client's result, and the answer", lambda: folder.answer(left, says("Done.")))
    return table


def _row(table: Table, name: str, work: Callable[[], RunResponse]) -> RunResponse:
    recorder.recorder.cache_clear()  # one write in 20 s of a process, and no run's
    began = time.process_time()
    with count_operations() as found:
        ran = work()
    cpu_ms = (time.process_time() - began) * 1000
    table.add_row(name, *_figures(found), f"{cpu_ms:.0f}")
    return ran


def _figures(found: FirestoreOperations) -> list[str]:
    operations = (found.reads, found.writes, found.event_writes, found.round_trips)
    size = f"{found.bytes_read / 1000:.0f}, {found.bytes_written / 1000:.0f}"
    return [*map(str, operations), size]


def _read(number: int) -> list[Delta]:
    return calls(("read_file", {"path": f"{number}.py"}))


def _writing() -> Callable[[ModelRequest], Iterator[Delta]]:
    """A reply that writes a long file, in small deltas and at a steady pace."""

    def reply(request: ModelRequest) -> Iterator[Delta]:
        began = time.monotonic()
        for number, delta in enumerate(_deltas(WRITTEN_CHARS)):
            time.sleep(max(began + number / DELTAS_A_S - time.monotonic(), 0))
            yield delta
        yield Finish(FinishReason.TOOL_CALLS)

    return reply


def _deltas(chars: int) -> list[Delta]:
    text = json.dumps({"path": "new.py", "content": "x" * chars})
    pieces = [text[at : at + DELTA_CHARS] for at in range(0, len(text), DELTA_CHARS)]
    begun: list[Delta] = [CallStart("call-1", "write_file")]
    return [*begun, *(ArgumentsDelta("call-1", piece) for piece in pieces), CallEnd("call-1")]


def _following(ran: RunResponse) -> str:
    turn, _, number = str(ran.done["runId"]).rpartition("~")
    return f"{turn}~{int(number) + 1}"


def measure_stream_reader() -> Table:
    """Arguments in 4-byte deltas through the stream reader, by length: the best of five each."""
    table = Table(title=f"Arguments in {DELTA_CHARS}-byte deltas, taken in")
    for column in ("characters", "CPU, ms", "us a delta", "events"):
        table.add_column(column, justify="right")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reply, "REPLY_CHARS", 10_000_000)
        for chars in (100_000, 500_000, 1_000_000):
            deltas = _deltas(chars)
            runs = [_read_arguments(deltas) for _ in range(5)]
            best_s, events = min(runs)
            each_us = best_s / len(deltas) * 1e6
            table.add_row(f"{chars:,}", f"{best_s * 1000:.0f}", f"{each_us:.1f}", f"{events:,}")
    return table


def _read_arguments(deltas: list[Delta]) -> tuple[float, int]:
    request = ModelRequest("Help.", (UserMessage.of("Write it."),))
    work = ReplyBuilder(Reply("scripted:model"), request=request, message_id="m")
    began = time.process_time()
    events = sum(len(list(work.take(delta))) for delta in deltas) + len(list(work.close()))
    return time.process_time() - began, events
