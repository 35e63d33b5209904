"""How soon each client shows a file that a model begins to write.

One instance of `run_agent` is served by functions-framework as a deployed one is. A provider in a
process of its own sends the arguments of `write_file` in small deltas, and writes into the first,
with the first characters of the content, when it sends it; all clocks are the machine's monotonic
one. What is between the functions and the client notes when these characters pass, which parts the
server's time from the client's: the server's is the adapter's, the events' and Firestore's, the
client's is all from the socket to the screen.

A character is seen in the terminal when the client has written it to its terminal (pty), which it
redraws twelve times a second; in JavaScript when the client tells its listener. Firestore and Auth
are the emulators; the first turns, which open connections and load code, are not counted.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2
from rich.table import Table

from dev.emulators import running
from dev.paths import ROOT
from tests.benchmarks.cold_start import publish
from tests.clients.cli import COMMAND, environment
from tests.support.cutting_proxy import CuttingProxy, serve
from tests.support.function_server import FUNCTIONS, deployed_environment, serve_function
from tests.support.terminal import Terminal
from tests.support.timestamp_provider import stamps, timestamp_provider

TURNS, WARM = 30, 3
USER = {"ROLLCALL_EMAIL": "bench@rollcall.example", "ROLLCALL_PASSWORD": "bench-bench"}
Seen = dict[int, int]
"""When characters were seen, by when they were sent, both ns."""


def measure() -> Table:
    """Every turn of both clients, one after another."""
    table = Table(title=f"First argument delta to first visible character, {TURNS} turns, ms")
    for column in ("client", "median", "p95", "server: median", "p95", "client: median", "p95"):
        table.add_column(column, justify="left" if column == "client" else "right")
    with _functions() as address, tempfile.TemporaryDirectory() as folder:
        watch = _TimingProxy(address)
        with serve(watch):
            env = environment(Path(folder), FUNCTIONS_EMULATOR_HOST=watch.address, **USER)
            for name, seen in (("terminal", _terminal(env)), ("JavaScript", _javascript(env))):
                table.add_row(name, *_figures(seen, watch.passed))
    return table


@contextmanager
def _functions() -> Iterator[str]:
    """`run_agent` beside the emulators, with the provider that writes files; its address."""
    with running(only=("auth", "firestore")) as suite, timestamp_provider() as provider:
        publish(FUNCTIONS)
        _sign_up(suite.addresses.auth)
        emulators = suite.addresses.environment()
        more = {"OPENAI_API_KEY": "sk-bench", "ROLLCALL_MODEL": "openai:gpt-5.5"}
        settings = deployed_environment() | emulators | provider | more
        with serve_function(FUNCTIONS / "main.py", "run_agent", settings) as instance:
            instance.connect().close()
            yield f"127.0.0.1:{instance.port}"


def _sign_up(auth: str) -> None:
    url = f"http://{auth}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
    user = {"email": USER["ROLLCALL_EMAIL"], "password": USER["ROLLCALL_PASSWORD"]}
    httpx2.post(url, json=user, trust_env=False).raise_for_status()


class _TimingProxy(CuttingProxy):
    """A proxy that cuts nothing, and records when characters passed."""

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self.passed: Seen = {}

    def on_data(self, data: bytes) -> None:
        now = time.monotonic_ns()
        for stamp in stamps(data.decode(errors="ignore")):
            self.passed.setdefault(stamp, now)


class _TimedTerminal(Terminal):
    """A terminal that records when characters came."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self.came: Seen = {}

    def _read(self, timeout_s: float) -> bool:
        is_read = super()._read(timeout_s)
        now = time.monotonic_ns()
        for stamp in stamps(self.raw[-4_000:]):
            self.came.setdefault(stamp, now)
        return is_read


def _terminal(env: Mapping[str, str]) -> Seen:
    """Each approval is answered by the next message."""
    with _TimedTerminal([*COMMAND, "chat", "--root", env["HOME"]], env=env) as terminal:
        terminal.wait_for("❯")
        for _ in range(TURNS + WARM):
            terminal.type("Write new.txt")
            terminal.wait_for("Approve?")
            terminal.forget()
        return terminal.came


def _javascript(env: Mapping[str, str]) -> Seen:
    script = Path(__file__).with_suffix(".mjs")
    command = ["node", str(script), str(TURNS + WARM)]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    pairs = [line.split() for line in done.stdout.splitlines()]
    return {int(sent): int(seen) for sent, seen in pairs}


def _figures(seen: Seen, passed: Seen) -> list[str]:
    """Of what was seen: all of the time, the server's and the client's."""
    counted = sorted(seen)[WARM:]
    assert len(counted) == TURNS, f"{len(counted)} of {TURNS} files were seen"
    spans = [
        [seen[sent] - sent for sent in counted],
        [passed[sent] - sent for sent in counted],
        [seen[sent] - passed[sent] for sent in counted],
    ]
    return [figure for span in spans for figure in _median_and_p95(span)]


def _median_and_p95(ns: list[int]) -> tuple[str, str]:
    ms = sorted(each / 1e6 for each in ns)
    return f"{statistics.median(ms):.0f}", f"{ms[math.ceil(0.95 * len(ms)) - 1]:.0f}"
