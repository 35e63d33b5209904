"""A function served by functions-framework in a process of its own, as a deployed one is."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.local_functions import PROJECT, token
from tests.support.ports import free_port

FUNCTIONS = Path(__file__).parents[2] / "functions"


@dataclass(frozen=True)
class FunctionServer:
    """A served function: functions-framework's process, and that of its one worker."""

    process: subprocess.Popen[bytes]
    port: int
    started: float
    """`time.monotonic()` of the process's start."""

    def pids(self) -> list[int]:
        """The server's process and its workers'."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def cpu_s(self) -> float:
        """User and system time that its processes have used, s."""
        return sum(cpu_s_of(pid) for pid in self.pids())

    def memory_mb(self) -> float:
        """What its processes hold of the machine's memory, shared pages once, MB."""
        return sum(_proportional_kb(pid) for pid in self.pids()) / 1024

    def threads(self) -> int:
        """Threads of its processes."""
        return sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in self.pids())

    def connect(self) -> http.client.HTTPConnection:
        """Connect as soon as it listens.

        Raises:
            RuntimeError: It ended before.
        """
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                connection.connect()
                return connection
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise RuntimeError("the function did not start") from None
                time.sleep(0.002)

    def call(self, data: Any, *, uid: str = "ann") -> Any:
        """The result of one call.

        Raises:
            RuntimeError: It was refused.
        """
        connection = self.connect()
        connection.request("POST", "/", *request(data, uid=uid))
        body = json.load(connection.getresponse())
        connection.close()
        if "result" not in body:
            raise RuntimeError(f"no result: {body}")
        return body["result"]


def request(data: Any, *, uid: str, streams: bool = False) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a callable's request."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token(uid)}"}
    if streams:
        headers["Accept"] = "text/event-stream"
    return json.dumps({"data": data}).encode(), headers


@contextmanager
def serve_function(
    source: Path, target: str, environment: Mapping[str, str]
) -> Iterator[FunctionServer]:
    """Serve the function `target` of the file `source` until the block ends.

    Args:
        environment: What is set beside the emulators' usual variables.
    """
    port = free_port()
    command = [sys.executable, "-m", "functions_framework", f"--target={target}"]
    started = time.monotonic()
    process = subprocess.Popen(
        [*command, f"--source={source.name}", f"--port={port}", "--host=127.0.0.1"],
        cwd=source.parent,
        env={
            "PATH": os.environ["PATH"],
            "GCLOUD_PROJECT": PROJECT,
            "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:1",
            "FUNCTION_TARGET": target,
            "NO_GCE_CHECK": "true",  # this is no machine of Google's: do not ask
            **environment,
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield FunctionServer(process, port, started)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def deployed_environment() -> dict[str, str]:
    """What `functions/.env` sets."""
    lines = (FUNCTIONS / ".env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def cpu_s_of(pid: int) -> float:
    """User and system time that a process has used, s."""
    # What clock_getcpuclockid(3) makes of a pid on Linux; Python has no name for it.
    return time.clock_gettime((~pid << 3) | 2)


def _proportional_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
