"""Forty runs at once on one instance: time to the first event, time in all, memory, threads.

One instance of `run_agent` is served by functions-framework as a deployed one is: one worker with
the threads of `functions/.env`. After one call that warms it up, 40 users begin a new thread each,
over two seconds, by streaming calls with tokens of their own. The model's provider is a server in a
process of its own that takes two seconds for a reply and sends it in pieces; Firestore is the
emulator. The time to the first event counts from before the connection is made until RUN_STARTED
was read; by then the run is in Firestore. All of it, the callers too, runs on this machine.

Memory is what the instance's processes hold, shared pages once, looked at every 100 ms. CPU is that
of the instance and of the emulator while the runs were going, by run; what the emulator does is
Google's work in production, and waiting for a busy core is part of every time here.
"""

from __future__ import annotations

import json
import math
import statistics
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from tests.benchmarks.cold_start import FUNCTIONS, firestore, publish
from tests.support.function_server import (
    FunctionServer,
    cpu_s_of,
    deployed_environment,
    request,
    serve_function,
)
from tests.support.steady_provider import steady_provider

RUNS = 40
OVER_S = 2.0
REPLY_S = 2.0
LOOK_S = 0.1
MESSAGE = {"agent": "messaging", "message": "Hello, how are you?"}


@dataclass(frozen=True)
class CallerTimes:
    """One caller's seconds to the first event and to the end, and whether it had a result."""

    first_s: float
    total_s: float
    is_answered: bool


def measure() -> Table:
    """Start everything, then all runs."""
    with firestore() as emulator, steady_provider(seconds=REPLY_S) as provider:
        publish(FUNCTIONS)
        keys = {"OPENAI_API_KEY": "sk-bench", "GEMINI_API_KEY": "bench"}
        environment = deployed_environment() | emulator | provider | keys
        with serve_function(FUNCTIONS / "main.py", "run_agent", environment) as instance:
            _run(instance, "first")
            pid = _emulator(emulator["FIRESTORE_EMULATOR_HOST"].rpartition(":")[2])
            with _InstanceMonitor(instance) as watch:
                before, emulator_before = instance.cpu_s(), cpu_s_of(pid)
                told = _all_at_once(instance)
                cpu_s, emulator_s = instance.cpu_s() - before, cpu_s_of(pid) - emulator_before
            return _table(told, watch, cpu_s, emulator_s)


def _table(
    told: list[CallerTimes], watch: _InstanceMonitor, cpu_s: float, emulator_s: float
) -> Table:
    threads = deployed_environment()["THREADS"]
    table = Table(
        title=f"{RUNS} streamed runs over {OVER_S:.0f} s, one instance, THREADS={threads}"
    )
    table.add_column("")
    table.add_column("measured", justify="right")
    firsts = sorted(each.first_s for each in told)
    figures = {
        "answered with a result": f"{sum(each.is_answered for each in told)} of {RUNS}",
        "first event, median": f"{statistics.median(firsts) * 1000:.0f} ms",
        "first event, p95": f"{firsts[math.ceil(0.95 * RUNS) - 1] * 1000:.0f} ms",
        "whole run, median": f"{statistics.median(each.total_s for each in told):.1f} s",
        "CPU of the instance, a run": f"{cpu_s / RUNS * 1000:.0f} ms",
        "CPU of the emulator, a run": f"{emulator_s / RUNS * 1000:.0f} ms",
        "memory before, most, after": f"{watch.before:.0f}, {watch.most:.0f}, {watch.after:.0f} MB",
        "memory, a stream": f"{(watch.most - watch.before) / RUNS:.1f} MB",
        "threads, most": str(watch.most_threads),
    }
    for name, figure in figures.items():
        table.add_row(name, figure)
    return table


def _all_at_once(instance: FunctionServer) -> list[CallerTimes]:
    told: list[CallerTimes] = []

    def call(uid: str) -> None:
        told.append(_run(instance, uid))

    users = [threading.Thread(target=call, args=(f"user{number}",)) for number in range(RUNS)]
    started = time.monotonic()
    for number, user in enumerate(users):
        time.sleep(max(started + number * OVER_S / RUNS - time.monotonic(), 0))
        user.start()
    for user in users:
        user.join()
    return told


def _run(instance: FunctionServer, uid: str) -> CallerTimes:
    """Begin a thread, and read its stream to the end."""
    body, headers = request(MESSAGE, uid=uid, streams=True)
    started, first, last = time.monotonic(), 0.0, {}
    connection = instance.connect()
    connection.request("POST", "/", body, headers)
    response = connection.getresponse()
    for line in response:
        if line.startswith(b"data: "):
            first = first or time.monotonic() - started
            last = json.loads(line.removeprefix(b"data: "))
    connection.close()
    return CallerTimes(first, time.monotonic() - started, "result" in last)


class _InstanceMonitor:
    """Samples an instance's memory and threads inside the block."""

    def __init__(self, instance: FunctionServer) -> None:
        self._instance = instance
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self.before = self.most = self.after = instance.memory_mb()
        self.most_threads = 0

    def __enter__(self) -> _InstanceMonitor:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self.after = self._instance.memory_mb()

    def _sample(self) -> None:
        while not self._ended.wait(LOOK_S):
            self.most = max(self.most, self._instance.memory_mb())
            self.most_threads = max(self.most_threads, self._instance.threads())


def _emulator(port: str) -> int:
    """The process of the Firestore emulator that listens on `port`."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        words = path.read_bytes().decode().replace("=", "\0").split("\0")
        if "--port" in words and port in words and "java" in words[0]:
            return int(path.parent.name)
    raise RuntimeError(f"no Firestore emulator was found on the port {port}")
