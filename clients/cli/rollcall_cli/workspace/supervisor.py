"""Runs one shell command and ends everything that it started. It is a program of its own.

It reads one line of JSON from its input, {"command", "directory" (a file descriptor), "status"
(another), "timeoutS", "graceS", "fileBytes", "memoryBytes"}, and runs the command by /bin/sh in
that directory. What the command prints goes to its own output. When its input ends, because the
client wants the command to stop or is gone itself, the command is ended.

To `status` it writes a line {"pid"} when the command runs, and {"exitCode", "timedOut",
"stopped", "left": processes that could not be ended} when nothing of it runs any more.

On Linux it adopts what its descendants leave behind, so a process that has detached itself from
its session is still found. Elsewhere only the command's process group is ended. Not found
anywhere: what other services start when asked to (docker, systemd, cron, a build daemon that ran
before).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_SIGNAL_ON_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG
_ROUNDS = 200
_ROUND_S = 0.01
_INPUT = 0


class Command:
    """A running shell command and its descendants."""

    def __init__(self, text: str, status: int) -> None:
        def begin() -> None:
            # Before the command can do anything, the client knows which process it is.
            _die_with_parent()
            os.write(status, json.dumps({"pid": os.getpid()}).encode() + b"\n")

        self._wakes, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._process = subprocess.Popen(
            ("/bin/sh", "-c", text),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=begin,  # safe: this program has one thread
        )
        self.pid = self._process.pid

    def wait(self, seconds: float, *, for_input: bool) -> bool:
        """Wait for the command to end, or for the input to end; true where the command has."""
        deadline = time.monotonic() + seconds
        watched = [self._wakes, _INPUT] if for_input else [self._wakes]
        while self._process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            ready, _, _ = select.select(watched, [], [], left)
            if self._wakes in ready:
                os.read(self._wakes, 1024)
            if _INPUT in ready:  # the client sends no more: its end was closed
                return self._process.poll() is not None
        return True

    def ask_to_end(self) -> None:
        self._signal(signal.SIGTERM)

    def end(self) -> int:
        """End whatever still runs; return how many processes could not be ended."""
        for _ in range(_ROUNDS):
            self._signal(signal.SIGKILL)
            self._process.poll()
            _reap()
            if not self._running():
                return 0
            time.sleep(_ROUND_S)
        return len(self._running())

    def exit_code(self) -> int:
        """As a shell gives it: 128 and the signal's number where a signal ended it."""
        code = self._process.wait()
        return code if code >= 0 else 128 - code

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._running():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _running(self) -> list[int]:
        if sys.platform == "linux":
            return _descendants(os.getpid())
        return [self.pid] if self._process.poll() is None else []


def _descendants(ancestor: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "pid (name) state parent …"; the name may hold anything, parentheses too.
            fields = status.read_text("utf-8", "replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _reap() -> None:
    """Take leave of adopted children that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _adopt_orphans() -> None:
    _prctl(_ADOPT_ORPHANS, 1)


def _die_with_parent() -> None:
    _prctl(_SIGNAL_ON_PARENTS_DEATH, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _bound(asked: dict[str, Any]) -> None:
    import resource

    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: asked["fileBytes"],
        resource.RLIMIT_DATA: asked["memoryBytes"],
        resource.RLIMIT_CPU: (asked["timeoutS"] + 1) * (os.cpu_count() or 1),
    }
    for name, limit in bounds.items():
        _, hard = resource.getrlimit(name)
        value = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with contextlib.suppress(ValueError, OSError):  # not every system bounds all of these
            resource.setrlimit(name, (value, value))


def _line() -> bytes:
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(_INPUT, 1)):
        line += byte
    return line


def main() -> None:
    asked: dict[str, Any] = json.loads(_line())
    os.fchdir(asked["directory"])
    os.close(asked["directory"])
    os.set_inheritable(asked["status"], False)
    _adopt_orphans()
    _bound(asked)
    command = Command(asked["command"], asked["status"])
    started = time.monotonic()
    try:
        ended = command.wait(asked["timeoutS"], for_input=True)
        is_late = time.monotonic() - started >= asked["timeoutS"]
        if not ended:
            command.ask_to_end()
            command.wait(asked["graceS"], for_input=False)
    finally:
        left = command.end()
    report = {
        "exitCode": command.exit_code() if not left or ended else 137,
        "timedOut": not ended and is_late,
        "stopped": not ended and not is_late,
        "left": left,
    }
    with contextlib.suppress(BrokenPipeError):  # the client is gone: nobody to report to
        os.write(asked["status"], json.dumps(report).encode() + b"\n")


if __name__ == "__main__":
    main()
